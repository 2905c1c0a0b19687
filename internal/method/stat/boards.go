package stat

import (
	"math"
	"slices"
)

// A Board is one figure of one data set of one machine. X and Y are logarithms.
type Board struct {
	Kind    string // of machine
	Machine string // that it is one of: data sets of one machine are one board
	X, Y    float64
	V       float64 // variance of Y's error of measurement
}

// A Kind is the mean of the boards of one kind.
type Kind struct {
	Name   string
	Boards int
	X, Y   float64
	V      float64 // of Y: the boards' errors and what one board has that another has not
}

// perMachine makes one board of the data sets of each machine: their mean. Their errors may come from the same
// disturbances, so that the mean is taken to be no more exact than one of them.
func perMachine(all []Board) []Board {
	var out []Board
	n := map[[2]string]float64{}
	for _, b := range all {
		key := [2]string{b.Kind, b.Machine}
		at := slices.IndexFunc(out, func(o Board) bool { return o.Kind == b.Kind && o.Machine == b.Machine })
		if at < 0 {
			at, out = len(out), append(out, Board{Kind: b.Kind, Machine: b.Machine})
		}
		n[key]++
		o, k := &out[at], n[key]
		o.X, o.Y, o.V = o.X+(b.X-o.X)/k, o.Y+(b.Y-o.Y)/k, o.V+(b.V-o.V)/k
	}
	return out
}

// byKind returns the boards of each kind, in the order of the first of each.
func byKind(boards []Board) [][]Board {
	var out [][]Board
	for _, b := range boards {
		at := slices.IndexFunc(out, func(k []Board) bool { return k[0].Kind == b.Kind })
		if at < 0 {
			at, out = len(out), append(out, nil)
		}
		out[at] = append(out[at], b)
	}
	return out
}

// mean returns a kind, of whose boards one differs from another by a variance beyond their errors.
func mean(boards []Board, apart float64) Kind {
	k := Kind{Name: boards[0].Kind, Boards: len(boards)}
	n := float64(len(boards))
	for _, b := range boards {
		k.X, k.Y, k.V = k.X+b.X/n, k.Y+b.Y/n, k.V+(b.V+apart)/(n*n)
	}
	return k
}

// usable leaves out what no logarithm of a figure is.
func usable(all []Board) []Board {
	return slices.DeleteFunc(slices.Clone(all), func(b Board) bool {
		sum := b.X + b.Y + b.V
		return math.IsNaN(sum) || math.IsInf(sum, 0) || b.V < 0
	})
}
