// Package whypage turns the report of memcost why into one HTML page that needs nothing else: no
// network, no other file. The picture is drawn in the browser by d3 from data in the page, and
// every figure stands in tables that need no script. Rendering is pure: the same report gives the
// same bytes, and no file is read but through the function that it is given.
package whypage
