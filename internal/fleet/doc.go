// Package fleet measures one plan on many machines: it writes plan files, measures shards of them,
// copies what was measured to the place where shards meet, says how far they are, and makes runs of
// what is there. It starts nothing on other machines, and has no queue.
package fleet
