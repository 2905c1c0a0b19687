package language

// An Expect guards validity: a case that Sel matches and that does not meet it is
// INVALID. It is about either a measured unit (Cond) or the compiler's output (Funcs).
type Expect struct {
	Sel Selector

	Unit string // tidied, "allocs/op"; "" when Funcs is set
	Cond Cond   // bounds in Unit

	// Funcs must hold no "moved to heap" and no "escapes to heap".
	Funcs []string

	Prose  string // the author's words after " # "
	Pos    Pos
	Source string // the expectation as written, without the prose
}

// Kind is the kind of comparison that a claim makes.
type Kind int

// The kinds of claims.
const (
	Ratio  Kind = iota // Num / Den in Unit meets Cond
	Value              // Num in Unit meets Cond
	Linear             // the exponent of Unit against LinearKey meets Cond
	Across             // Num / Den falls from machine to machine as Weak's throughput in WeakKey rises
)

func (k Kind) String() string {
	return [...]string{"ratio", "value", "linear", "across"}[k]
}

// A Claim is a testable conclusion of a study.
type Claim struct {
	ID    string
	Prose string // the author's words after " # "
	Kind  Kind

	// Own reports that the claim is the study's own, and of no publication that it
	// re-tests.
	Own bool
	// Published are the figures that someone printed for it, as text; "" is none.
	Published string
	// GoesOn reports that the prose continues that of the claim before: only in run
	// folders from before study.toml (see legacy.go).
	GoesOn bool

	Num Selector // the numerator of Ratio and Across, the subject of Value and Linear
	Den Selector // the denominator of Ratio and Across, else zero

	Unit string // tidied; "sec/op" unless the claim names another
	// PerKey is "size" when the unit is written size/sec: the value of that key in the
	// case's name, divided by sec/op. Unit is then "size/sec", which no sample carries.
	PerKey string

	// Weak and WeakKey are Across's measure of a machine: the throughput of the cases
	// that Weak matches, WeakKey's value divided by sec/op.
	Weak    Selector
	WeakKey string

	// Cond is in Unit for Value, a plain number for Ratio, and the tolerance
	// 0.9..1.1 of the exponent for Linear. Across has none.
	Cond  Cond
	Every []string // Cond must hold for every combination of these keys' values

	LinearKey string // Linear's key

	Pos    Pos
	Source string // the expression as written, without ID and prose
}

// An Explain names the functions in which a case allocates: the compiler's escape
// analysis of them is shown beside the case's figures.
type Explain struct {
	Sel   Selector
	Funcs []string // beginnings of names; {key} is the value of a name's key, in camel case
	Pos   Pos
}
