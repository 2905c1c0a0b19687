package whytext

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/show/text"
	"memcost/internal/sites"
)

// markdownMost is how long a comment becomes at most: GitHub takes 65,536 characters.
const markdownMost = 60_000

// Markdown writes a report as a comment on a pull request: the answer, the ten sites that cost
// most, and the rest folded in. Nothing in the report can be more than text.
func Markdown(w io.Writer, r *sites.Report, o Options) error {
	v := &comment{overview{newView(r, o)}}
	var b strings.Builder
	answer := v.answer()
	if v.static() {
		answer = v.unrunAnswer()
	}
	b.WriteString("**" + text.MarkdownText(answer) + "**\n")
	sites := v.ranked()
	if v.static() {
		sites = v.unranked()
	}
	v.mdSites(&b, sites[:min(len(sites), sitesShown)], len(sites))
	for _, line := range v.mdNotes() {
		b.WriteString("- " + text.MarkdownText(line) + "\n")
	}
	v.mdBenchmarks(&b)
	for i, s := range sites[:min(len(sites), sitesShown)] {
		part := v.mdSite(s)
		if b.Len()+len(part) > markdownMost {
			fmt.Fprintf(&b, "\nThe details of %s are left out for want of room; `--json` has all.\n",
				units.Plural(min(len(sites), sitesShown)-i, "site"))
			break
		}
		b.WriteString(part)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// mdNotes returns how far the sources agree, and the warnings, a sentence each.
func (v *comment) mdNotes() []string {
	wide := &overview{newView(v.r, v.o)}
	wide.o.Width, wide.o.Long, wide.o.Color = 1<<20, false, false // a line each, and no list
	notes := slices.Concat(wide.agreement(" (--long)"), wide.warnings())
	if !v.static() {
		notes = append(notes, wide.never()...)
	}
	return notes
}

// mdRow returns a row of a table of cells that are Markdown already.
func mdRow(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

// mdSites writes the table of sites, which are the first of all.
func (v *comment) mdSites(b *strings.Builder, sites []*sites.Site, all int) {
	if len(sites) == 0 {
		return
	}
	b.WriteString("\n" + mdRow("", "site", "objects"+v.per(), "B"+v.per(), "share of CPU", "why") +
		mdRow("--:", ":--", "--:", "--:", "--:", ":--"))
	for _, s := range sites {
		f := costFigures(s)
		rank := ""
		if s.Rank > 0 {
			rank = strconv.Itoa(s.Rank)
		}
		b.WriteString(mdRow(rank, text.MarkdownName(v.name(s))+" "+text.MarkdownName(at(s.File, s.Line)),
			text.MarkdownText(f[0]), text.MarkdownText(f[1]), text.MarkdownText(f[2]),
			text.MarkdownText(v.reason(s))))
	}
	b.WriteByte('\n')
	if all > len(sites) {
		fmt.Fprintf(b, "… and %s.\n\n", units.Plural(all-len(sites), "more site"))
	}
}

// mdBenchmarks writes the benchmarks, folded in.
func (v *comment) mdBenchmarks(b *strings.Builder) {
	const most = 50
	if len(v.r.Benchmarks) == 0 {
		return
	}
	fmt.Fprintf(b, "\n<details><summary>%s</summary>\n\n", units.Plural(len(v.r.Benchmarks), v.ran()))
	b.WriteString(mdRow(v.ran(), "allocs"+v.per(), "B"+v.per(), "time"+v.per(), "malloc", "assist", "GC (estimate)") +
		mdRow(":--", "--:", "--:", "--:", "--:", "--:", "--:"))
	for i := range v.r.Benchmarks[:min(len(v.r.Benchmarks), most)] {
		x := &v.r.Benchmarks[i]
		if x.Failed != "" {
			b.WriteString(mdRow(text.MarkdownName(v.benchName(x)), text.MarkdownText("failed: "+x.Failed),
				"", "", "", "", ""))
			continue
		}
		b.WriteString(mdRow(text.MarkdownName(v.benchName(x)), objects(x.Objects), size(x.Bytes),
			text.MarkdownText(timeOf(x.Time)), text.MarkdownText(share(x.Malloc)), text.MarkdownText(share(x.Assist)),
			text.MarkdownText(share(x.GC))))
	}
	if more := len(v.r.Benchmarks) - most; more > 0 {
		fmt.Fprintf(b, "\n… and %d more\n", more)
	}
	b.WriteString("\n</details>\n")
}

// mdSite returns the details of a site, folded in.
func (v *comment) mdSite(s *sites.Site) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n<details><summary>%s%s %s</summary>\n\n", mdRank(s), text.MarkdownText(v.name(s)),
		text.MarkdownText(at(s.File, s.Line)))
	if s.Text != "" {
		mdFence(&b, "go", s.Text)
	}
	var say []string
	if s.Says != "" {
		say = append(say, "compiler: "+s.Says)
	}
	for i, step := range s.Flow {
		say = append(say, fmt.Sprintf("flow %d: %s", i+1, step))
	}
	if fix := fixOf(s); fix != "" {
		say = append(say, "usual fix: "+sentence(fix))
	}
	if g := v.gain(s); g != "" {
		say = append(say, sentence(g)+" "+sentence(s.Gain.From))
	}
	for _, line := range append(say, "ID "+s.ID) {
		b.WriteString("- " + text.MarkdownText(line) + "\n")
	}
	if s.Edit != nil {
		b.WriteString("\n" + text.MarkdownText("Proposed edit, not applied: "+s.Edit.Title) + "\n\n")
		mdFence(&b, "diff", s.Edit.Diff)
	}
	b.WriteString("\n</details>\n")
	return b.String()
}

// mdRank returns the rank of a site before its name.
func mdRank(s *sites.Site) string {
	if s.Rank == 0 {
		return ""
	}
	return strconv.Itoa(s.Rank) + " "
}

// mdFence writes a block of code, whose fence is longer than any row of backquotes in it.
func mdFence(b *strings.Builder, language, code string) {
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	fmt.Fprintf(b, "%s%s\n", fence, language)
	for line := range strings.SplitSeq(strings.TrimSuffix(code, "\n"), "\n") {
		b.WriteString(cleanCode(line) + "\n")
	}
	b.WriteString(fence + "\n")
}
