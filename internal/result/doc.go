// Package result turns a run folder into an answer, and an answer into text or
// JSON. An Answer is computed from run.json and samples.txt alone, every time;
// nothing shown is stored beside them. Rendering is pure: the same answer gives
// the same bytes.
package result
