package fleet

import (
	"memcost/internal/fleet/place"
	"memcost/internal/measure/session"
)

// Options say which part of a plan is measured, and where it goes.
type Options struct {
	Origin        session.Origin
	Plan          *File
	Shard, Shards int
	Number        *int         // of the attempt; nil: the next that is free
	Results       string       // the folder in which the run folder is made
	To            *place.Place // nil: nowhere
	Job           string       // the task of a submission that begins it
	Note          func(string)
}
