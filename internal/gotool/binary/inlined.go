package binary

import (
	"cmp"
	"debug/dwarf"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// chains finds the functions that were inlined, in the debug information (DWARF 4 and 5). A
// compilation unit, which is a package, is read when something in it is asked for.
type chains struct {
	data  *dwarf.Data
	units []span // by address
	read  map[dwarf.Offset]map[uint64][]inlined
	names map[dwarf.Offset]string // of functions, by their entry
	short bool                    // the function table has "[...]" for the types of an instance
}

// A span is a range of addresses that a compilation unit has.
type span struct {
	from, to uint64
	unit     dwarf.Offset
}

// inlined is a piece of machine code that comes from an inlined function.
type inlined struct {
	from, to uint64
	depth    int    // of calls
	name     string // of the inlined function
	file     string // of the call
	line     int
}

func readChains(p *Program) (*chains, error) {
	data, err := p.dwarf()
	if err != nil {
		return nil, err
	}
	out := &chains{data: data, short: p.short, read: map[dwarf.Offset]map[uint64][]inlined{},
		names: map[dwarf.Offset]string{}}
	for r := data.Reader(); ; r.SkipChildren() {
		e, err := r.Next()
		if err != nil {
			return nil, err
		}
		if e == nil {
			break
		}
		ranges, err := data.Ranges(e)
		if err != nil {
			return nil, err
		}
		for _, x := range ranges {
			out.units = append(out.units, span{x[0], x[1], e.Offset})
		}
	}
	slices.SortFunc(out.units, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	return out, nil
}

// at returns the functions that were inlined at an address of a function, innermost first.
func (c *chains) at(entry, pc uint64) ([]inlined, error) {
	i := sort.Search(len(c.units), func(i int) bool { return c.units[i].from > pc }) - 1
	if i < 0 || pc >= c.units[i].to {
		return nil, nil // of assembly or C, without debug information
	}
	unit := c.units[i].unit
	functions, ok := c.read[unit]
	if !ok {
		var err error
		if functions, err = c.unit(unit); err != nil {
			return nil, err
		}
		c.read[unit] = functions
	}
	var out []inlined
	for _, in := range functions[entry] {
		if pc >= in.from && pc < in.to {
			out = append(out, in)
		}
	}
	slices.SortFunc(out, func(a, b inlined) int { return b.depth - a.depth })
	return out, nil
}

// unit reads what was inlined in the functions of a compilation unit, by the address of each.
func (c *chains) unit(offset dwarf.Offset) (map[uint64][]inlined, error) {
	r := c.data.Reader()
	r.Seek(offset)
	head, err := r.Next()
	if err != nil {
		return nil, err
	}
	files, err := c.files(head)
	if err != nil {
		return nil, err
	}
	out := map[uint64][]inlined{}
	for {
		e, err := r.Next()
		if err != nil {
			return nil, err
		}
		if e == nil || e.Tag == 0 {
			return out, nil
		}
		entry, is := e.Val(dwarf.AttrLowpc).(uint64)
		if e.Tag != dwarf.TagSubprogram || !is || !e.Children {
			r.SkipChildren()
			continue
		}
		if out[entry], err = c.function(r, files); err != nil {
			return nil, err
		}
	}
}

// files returns the names of a unit's files by their numbers.
func (c *chains) files(unit *dwarf.Entry) ([]*dwarf.LineFile, error) {
	lines, err := c.data.LineReader(unit)
	if err != nil || lines == nil {
		return nil, err
	}
	return lines.Files(), nil
}

// function reads the children of a function's entry.
func (c *chains) function(r *dwarf.Reader, files []*dwarf.LineFile) ([]inlined, error) {
	var out []inlined
	open := []bool{false} // for each level whether it is an inlined function
	depth := 0
	for {
		e, err := r.Next()
		switch {
		case err != nil:
			return nil, err
		case e == nil:
			return out, nil
		case e.Tag == 0:
			if open[len(open)-1] {
				depth--
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				return out, nil
			}
			continue
		}
		call := e.Tag == dwarf.TagInlinedSubroutine
		if call {
			pieces, err := c.pieces(e, files, depth+1)
			if err != nil {
				return nil, err
			}
			out = append(out, pieces...)
		}
		if e.Children {
			open = append(open, call)
			if call {
				depth++
			}
		}
	}
}

// pieces returns the machine code of an inlined function, a range each.
func (c *chains) pieces(e *dwarf.Entry, files []*dwarf.LineFile, depth int) ([]inlined, error) {
	ranges, err := c.data.Ranges(e)
	if err != nil {
		return nil, err
	}
	in := inlined{depth: depth}
	if origin, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); ok {
		if in.name, err = c.name(origin); err != nil {
			return nil, err
		}
	}
	if n, ok := e.Val(dwarf.AttrCallFile).(int64); ok && n >= 0 && n < int64(len(files)) && files[n] != nil {
		in.file = files[n].Name
	}
	if n, ok := e.Val(dwarf.AttrCallLine).(int64); ok {
		in.line = int(n)
	}
	out := make([]inlined, len(ranges))
	for i, x := range ranges {
		out[i] = in
		out[i].from, out[i].to = x[0], x[1]
	}
	return out, nil
}

// name returns the name of the function whose entry is at an offset.
func (c *chains) name(offset dwarf.Offset) (string, error) {
	if name, ok := c.names[offset]; ok {
		return name, nil
	}
	r := c.data.Reader()
	r.Seek(offset)
	e, err := r.Next()
	if err != nil {
		return "", err
	}
	name, ok := e.Val(dwarf.AttrName).(string)
	if !ok {
		return "", fmt.Errorf("the entry at %#x has no name", offset)
	}
	if c.short {
		name = Generic(name)
	}
	c.names[offset] = name
	return name, nil
}

// Generic replaces the types in the name of an instance, as the function tables of Go 1.18 to
// 1.20 do: "(*T[go.shape.int]).m" is "(*T[...]).m".
func Generic(name string) string {
	from, to := strings.IndexByte(name, '['), strings.LastIndexByte(name, ']')
	if from < 0 || to < from {
		return name
	}
	return name[:from] + "[...]" + name[to+1:]
}
