// Package result computes what a run folder or a file of benchmark results says:
// an Answer, with tables, claims and their verdicts, comparisons, pictures and
// the evidence behind them, all as data. An Answer is computed from run.json and
// samples.txt alone, every time; nothing shown is stored beside them. Document
// makes blocks of it, which the renderers draw.
package result
