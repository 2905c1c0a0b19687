package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The kinds of pictures that a study may ask for.
const (
	Curve  = "curve"  // cost against a key whose values are numbers
	Forest = "forest" // ratios with their intervals, one line for each value of the key
	Dots   = "dots"   // figures with their intervals, one line for each value of the key
	Steps  = "steps"  // figures by ByToolchain, and where they change
)

// ByToolchain is the key of tables and pictures that set the toolchains beside each
// other: each column is one case.
const ByToolchain = "toolchain"

var pictureKinds = []string{Curve, Forest, Dots, Steps}

// A Picture shows the figures of a table, drawn.
type Picture struct {
	Kind string
	Table
	// Roofline is the header of the column that is drawn as the floor under the
	// others: what the machine's memory can do at all. "" is none.
	Roofline string
	Against  []string // IDs of the claims whose bounds are drawn into it
}

const (
	against  = " against "
	roofline = "roofline "
)

// picture reads "KIND TITLE by KEY: COLUMNS [against CLAIM, CLAIM]".
func (b *builder) picture(d Directive) error {
	kind, text, _ := strings.Cut(d.Text, " ")
	if !slices.Contains(pictureKinds, kind) {
		msg := fmt.Sprintf("there is no kind of picture %q, only %s", kind, strings.Join(pictureKinds, ", "))
		if near := Nearest(kind, pictureKinds); near != "" {
			msg += fmt.Sprintf(": did you mean %s?", near)
		}
		return errors.New(msg)
	}
	p := Picture{Kind: kind}
	if i := strings.LastIndex(text, against); i > strings.Index(text, "=") { // else it is a word of the title
		for _, id := range strings.Split(text[i+len(against):], ",") {
			p.Against = append(p.Against, strings.TrimSpace(id))
		}
		text = text[:i]
	}
	d.Text = text
	var err error
	if p.Table, err = b.tabulated(d); err != nil {
		return err
	}
	if kind == Steps && p.By != ByToolchain {
		return fmt.Errorf("steps are shown by %s", ByToolchain)
	}
	for i, c := range p.Columns {
		if name, ok := strings.CutPrefix(c.Header, roofline); ok {
			if p.Roofline != "" {
				return fmt.Errorf("there are two rooflines, %s and %s", p.Roofline, name)
			}
			p.Columns[i].Header, p.Roofline = name, name
		}
		if isRatio := !c.Den.IsZero(); isRatio != (kind == Forest) {
			return fmt.Errorf("column %s: a %s shows %s", c.Header, kind, map[bool]string{true: "ratios, A / B", false: "figures, not ratios"}[kind == Forest])
		}
		if first := p.Columns[0]; c.Unit != first.Unit {
			return fmt.Errorf("columns %s and %s have different units, %s and %s: one axis cannot show both", first.Header, c.Header, first.Unit, c.Unit)
		}
	}
	b.study.Pictures = append(b.study.Pictures, p)
	return nil
}

// knownClaims checks, when all directives are read, that the claims which
// pictures name exist.
func (b *builder) knownClaims() (errs []error) {
	for _, p := range b.study.Pictures {
		for _, id := range p.Against {
			if _, ok := b.ids[id]; !ok {
				errs = append(errs, &SyntaxError{Pos: p.Pos, Directive: prefix + "picture " + p.Kind + " " + p.Title, Msg: fmt.Sprintf("there is no claim %q", id)})
			}
		}
	}
	return errs
}

// Tabulated returns all that has columns: the tables, and those behind the
// pictures.
func (s *Study) Tabulated() []Table {
	out := slices.Clone(s.Tables)
	for _, p := range s.Pictures {
		out = append(out, p.Table)
	}
	return out
}
