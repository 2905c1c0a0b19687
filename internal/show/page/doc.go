// Package page turns answers into one HTML page that needs nothing else: no
// network, no other file. What is drawn is drawn in the browser by Observable
// Plot from data in the page; the same figures stand in tables that need no
// script. It begins with the front that package answer computes, which it only
// draws; what each study has behind its card is read and drawn when it is
// opened. Rendering is pure: the same answers give the same bytes.
package page
