package usetext

import (
	"fmt"
	"math"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/base/units"
	"memcost/internal/malloc/mallocprofile"
)

// Rows of the pictures: fewer say too little, more are not read.
const (
	fewestRows = 4
	mostRows   = 12
)

// pictures are the sizes and the lifetimes beside each other, in at most so many lines.
func (p page) pictures(u *mallocprofile.Use, lines int) []string {
	rows := max(min(lines-2, mostRows), fewestRows)
	half := (p.width - 3) / 2
	sizes := p.picture("Blocks by size, from", sizeBars(u.Profile, rows), half, false)
	ages := p.picture("Lifetimes in calls, from", ageBars(u.Profile, rows), half, u.Samples > 0)
	out := []string{""}
	for i := range max(len(sizes), len(ages)) {
		left, right := "", ""
		if i < len(sizes) {
			left = sizes[i]
		}
		if i < len(ages) {
			right = ages[i]
		}
		out = append(out, pretty.Pad(left, half+3, ' ')+right)
	}
	return out
}

func (p page) picture(title string, rows []bar, width int, sampled bool) []string {
	if sampled {
		title += " (of sampled blocks)"
	}
	out := []string{p.paint(pretty.Bold, cut(title, width))}
	label, longest := 0, 0.0
	for _, b := range rows {
		label, longest = max(label, pretty.StringWidth(b.label)), max(longest, b.share)
	}
	room := width - label - len(" 100.0% ")
	for _, b := range rows {
		out = append(out, fmt.Sprintf("%s%s %6s %s", strings.Repeat(" ", label-pretty.StringWidth(b.label)), b.label,
			units.Percent(b.share), p.paint(pretty.FgCyan, block(b.share/longest, room))))
	}
	return out
}

// block draws a bar with eighths of a column.
func block(share float64, columns int) string {
	eighths := int(math.Round(share * float64(columns) * 8))
	if eighths == 0 && share > 0 {
		eighths = 1
	}
	s := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		s += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return s
}
