// Package sharing is what the command line says and takes of plans that many machines share: memcost
// status, the places that memcost report reads, and the plan of memcost run --plan.
package cli
