package claim

// An Absence is a case of a study without a figure, and why.
type Absence struct {
	Case string
	Why  Lack
}

// A Lack is why a case has no figure.
type Lack int

// The reasons.
const (
	Full   Lack = iota // left to the full profile
	Failed             // it gave no result, or skipped itself
	Later              // not reached in the budget: --resume adds it
	Apart              // measured by another shard, or by one that is missing
)
