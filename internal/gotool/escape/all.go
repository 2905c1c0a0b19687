package escape

import "slices"

// All lists the diagnostics on a package ("" for any) that matter for allocation, whatever
// function they are in: heap allocations, conditional ones, and statements that something does
// not escape, in the order of the text. A line that was not understood is passed over.
//
// src is the folder of the package, nil where it is not at hand: then fewer causes are known.
func All(log *Log, src *Source, pkg string) []Site {
	if log == nil {
		return nil
	}
	at := functions{}
	if src != nil {
		at = src.Funcs.byFile()
	}
	var sites []Site
	for _, d := range log.Diagnostics {
		if !d.Kind.Heap() && d.Kind != DoesNotEscape || pkg != "" && PackagePath(d.Package) != pkg {
			continue
		}
		s := Site{Diagnostic: d, Expr: d.Subject, Cause: Classify(d, src), Steps: d.Flow(), In: PlainName(d.Func)}
		if src != nil {
			s.Expr, s.Static = src.written(d), src.static(d)
			if name := at.around(fileOf(src, d.File), d.Line); name != "" {
				s.In = name
			}
		}
		s.inPanic = s.Cause == PanicArgument && d.Kind == EscapesToHeap && inPanic(d, s.Steps)
		sites = append(sites, s)
	}
	return sites
}

// functions are the functions of each file, by their first lines.
type functions map[string][]function

type function struct {
	Range
	name string
}

func (f Funcs) byFile() functions {
	out := functions{}
	for name, ranges := range f {
		for _, r := range ranges {
			out[r.File] = append(out[r.File], function{r, name})
		}
	}
	for _, list := range out {
		slices.SortFunc(list, func(a, b function) int { return a.From - b.From })
	}
	return out
}

// around returns the function around a line, "" outside of functions.
func (f functions) around(file string, line int) string {
	list := f[file]
	i, found := slices.BinarySearchFunc(list, line, func(x function, line int) int { return x.From - line })
	if !found {
		i--
	}
	if i >= 0 && i < len(list) && line <= list[i].To {
		return list[i].name
	}
	return ""
}
