package whytext

import (
	"slices"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/show/text"
)

const (
	betweenColumns = 2
	leastName      = 12 // a shorter name cannot be read
)

// roomFor returns the width of some columns of t, and what a terminal leaves them beside the
// others.
func roomFor(t *text.Table, width int, columns ...int) (widths []int, room int) {
	all := make([]int, len(t.Header))
	for i, h := range t.Header {
		all[i] = pretty.StringWidth(h)
		for _, r := range t.Rows {
			all[i] = max(all[i], pretty.StringWidth(r[i].Text))
		}
	}
	room = width + betweenColumns
	for i, w := range all {
		if room -= betweenColumns; !slices.Contains(columns, i) {
			room -= w
		}
	}
	for _, c := range columns {
		widths = append(widths, all[c])
	}
	return widths, max(room, leastName*len(columns))
}

// shortenNames cuts functions and positions, the second and third column of t, so that its
// rows fit the width.
func shortenNames(t *text.Table, width int) {
	widths, room := roomFor(t, width, 1, 2)
	function, position := widths[0], widths[1]
	if function+position > room {
		position = min(position, max(room/2, room-function))
		function = room - position
	}
	for _, r := range t.Rows {
		r[1].Text = text.Shorten(r[1].Text, function)
		r[2].Text = text.Shorten(r[2].Text, position)
	}
}

// shortenBenches cuts the names of benchmarks, the first column of t, so that its rows fit the
// width. Names that would be the same without their middles lose what they begin with instead.
func shortenBenches(t *text.Table, width int) {
	_, room := roomFor(t, width, 0)
	var long []string
	seen := map[string]bool{}
	for _, r := range t.Rows {
		if short := text.Shorten(r[0].Text, room); short != r[0].Text {
			long = append(long, r[0].Text)
			seen[short] = true
		}
	}
	shared := 0
	if len(seen) < len(long) {
		shared = sharedFolders(long)
	}
	for _, r := range t.Rows {
		switch name := r[0].Text; {
		case pretty.StringWidth(name) <= room:
		case shared > 0:
			r[0].Text = pretty.Snip("…"+name[shared:], room, "…")
		default:
			r[0].Text = text.Shorten(name, room)
		}
	}
}

// sharedFolders returns the length of what all names begin with, up to a slash.
func sharedFolders(names []string) int {
	shared := names[0]
	for _, name := range names {
		for !strings.HasPrefix(name, shared) {
			shared = shared[:len(shared)-1]
		}
	}
	return strings.LastIndexByte(shared, '/') + 1
}
