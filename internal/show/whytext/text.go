package whytext

import (
	"io"
	"strings"

	"memcost/internal/sites"
)

// Text writes a report for a terminal: an overview of at most 45 lines of 100 columns, or,
// where the options ask for it, everything about a site, or a file with its costs. It returns
// a usage error for a site or a file that the report does not have.
func Text(w io.Writer, r *sites.Report, o Options) error {
	v := newView(r, o)
	var lines []string
	var err error
	switch {
	case o.Site != "":
		lines, err = (&detail{v}).all()
	case o.Source != "":
		lines, err = (&annotated{v}).all()
	case v.static():
		lines = (&unrun{overview{v}}).all()
	default:
		lines = (&overview{v}).all()
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}
