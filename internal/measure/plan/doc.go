// Package plan determines what a run will do, before anything is measured: which cases,
// in which configurations, in which order, from which seed.
//
// A plan is data. It is written to run.json, printed by -n, cut into shards, and gives
// the same order on every machine that reads it, so that an interrupted run goes on
// exactly where it stopped.
package plan
