package mallocprofile

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/document"
)

// Document returns how a program uses malloc: the answer, the sizes and the lifetimes of its blocks
// beside each other, what was called and held, and what the study malloc says of it.
func (u *Use) Document() *document.Document {
	d := &document.Document{}
	ran := fmt.Sprintf(": %s, %s CPU", units.Duration(u.Wall), units.Duration(u.CPU))
	if u.Ended != "" {
		ran += "; it ended with " + u.Ended + ": what it counted until then"
	}
	d.Add(&document.Sentence{Text: document.As(document.Strong, u.Headline)},
		&document.Sentence{Text: document.As(document.Given, units.Shortened(strings.Join(u.Command, " "), longestCommand)).Said(ran)},
		u.pictures(), &document.Group{Frame: document.Frame{Gap: 1}, Blocks: u.facts()}, u.findings())
	return d
}

// longestCommand is how much of a command is shown.
const longestCommand = 120

// facts are the figures in sentences and lists.
func (u *Use) facts() []document.Block {
	all := []string{u.callsSay(), u.memorySays()}
	if u.Processes > 1 || u.Missing > 0 {
		all = append(all, u.processesSay())
	}
	var out []document.Block
	for _, s := range append(all, u.Overhead.says()) {
		out = append(out, &document.Sentence{Text: document.As(document.Given, s)})
	}
	return out
}

// Rows and columns of the pictures: fewer rows say too little, more are not read.
const (
	pictureRows = 8
	pictureBar  = 18
)

// pictures are the sizes and the lifetimes beside each other, as a table whose bars say the shares
// again.
func (u *Use) pictures() document.Block {
	ages := "lifetimes in calls, from"
	if u.Samples > 0 {
		ages += " (of sampled blocks)"
	}
	t := &document.Table{Frame: document.Frame{Gap: 1}, Columns: []document.Column{{Head: "blocks by size, from"}, {},
		{Kind: document.Words}, {Head: ages}, {}, {Kind: document.Words}}}
	left, right := sizeBars(u.Profile, pictureRows), ageBars(u.Profile, pictureRows)
	// The key of a row is both its size and its lifetime: none alone tells rows apart.
	t.Columns[0].Kind, t.Columns[3].Kind = document.Key, document.Key
	for i := range max(len(left), len(right)) {
		t.Add(slices.Concat(cells(left, i), cells(right, i))...)
	}
	return t
}

func cells(rows []bar, at int) []document.Text {
	if at >= len(rows) {
		return make([]document.Text, 3)
	}
	longest := 0.0
	for _, b := range rows {
		longest = max(longest, b.share)
	}
	b := rows[at]
	return []document.Text{document.Say(b.label), document.Say(units.Percent(b.share)),
		document.Say(drawnBar(b.share/longest, pictureBar))}
}

// drawnBar draws a bar with eighths of a column.
func drawnBar(share float64, columns int) string {
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

// findings are the parts of the study: those that apply with their command.
func (u *Use) findings() document.Block {
	verdicts := map[Applies]document.Verdict{Yes: document.Holds, Little: document.Undecided, No: document.NotTested}
	t := &document.Table{Frame: document.Frame{Gap: 1}, Title: document.Say("What the study malloc says of this program"),
		Headless: true, Columns: []document.Column{{Kind: document.Words}, {Kind: document.Key}, {Kind: document.Prose}}}
	for _, f := range u.Findings {
		says := document.As(document.Given, f.Says)
		if f.Command != "" && f.Applies == Yes {
			says = append(says, document.Span{Kind: document.Break}, document.Span{Kind: document.Code, Text: f.Command})
		}
		t.Add(document.Text{verdicts[f.Applies].Says(fmt.Sprint(f.Applies))}, document.Say(f.Part), says)
	}
	return t
}

// callsSay lists the functions that were called.
func (u *Use) callsSay() string {
	var parts []string
	for _, name := range Functions {
		if n := u.Profile.Calls[name]; n > 0 {
			part := name + " " + units.Thousands(int64(n))
			if name == "free" && u.FreesNull > 0 {
				part += fmt.Sprintf(" (%s of NULL)", units.Thousands(int64(u.FreesNull)))
			}
			parts = append(parts, part)
		}
	}
	if u.Early > 0 {
		parts = append(parts, fmt.Sprintf("before libc was ready %d", u.Early))
	}
	return "Calls: " + strings.Join(parts, ", ") + "; " + units.Bytes(u.Bytes) + " in all."
}

// memorySays says what lived, and in which threads.
func (u *Use) memorySays() string {
	says := fmt.Sprintf("Live at the peak: %s blocks, %s", units.Thousands(u.Blocks), peak(u.Peak))
	says += ". Threads: " + units.Thousands(int64(u.Threads.Started))
	if u.Threads.Started > 1 {
		says += fmt.Sprintf(", %d at once; %s of the blocks are freed by another thread than their own",
			u.Threads.AtOnce, shareOf(u.Foreign))
	}
	if u.Threads.Uncounted > 0 {
		says += fmt.Sprintf("; %s came when 1,024 lived, and were not counted",
			units.Plural(u.Threads.Uncounted, "thread"))
	}
	return says + "."
}

// peak says how many bytes lived at once. A small number is not known well, and only its upper end
// is told.
func peak(e Estimate) string {
	const how = "sampled blocks, 95% confidence interval"
	switch {
	case e.Hi <= e.Lo:
		return units.Bytes(e.Value) + " (each block was followed)"
	case e.Lo < e.Value/2:
		return fmt.Sprintf("at most %s (%s)", units.Bytes(e.Hi), how)
	}
	return fmt.Sprintf("%s [%s, %s] (%s)", units.Bytes(e.Value), units.Bytes(e.Lo), units.Bytes(e.Hi), how)
}

func shareOf(e Estimate) string {
	if e.Hi <= e.Lo {
		return units.Percent(e.Value)
	}
	return fmt.Sprintf("%s [%.1f, %.1f]", units.Percent(e.Value), 100*e.Lo, 100*e.Hi)
}

func (u *Use) processesSay() string {
	says := fmt.Sprintf("This is process %d, %s, one of %d that called malloc, with %s of the calls.", u.PID,
		filepath.Base(u.Program), u.Processes, units.Percent(u.Share))
	if u.Missing > 0 {
		says += fmt.Sprintf(" Those after the 500th were not counted: %d.", u.Missing)
	}
	return says
}

// says tells what counting cost.
func (o Overhead) says() string {
	if o.Ratio == 0 {
		return "What counting costs was not measured: too little CPU time, or too few runs."
	}
	says := fmt.Sprintf("With counting it takes %s the CPU time without", units.Ratio(o.Ratio))
	if o.Hi > 0 {
		says += " " + units.Range(o.Lo, o.Hi)
	} else {
		says += ", without an interval: at least 4 runs of each give one"
	}
	return says + fmt.Sprintf(" (%d runs of each, in random order).", o.Runs)
}

// A span is a range of sizes or lifetimes, and what is in it.
type span struct {
	from, to uint64 // to is 0 for what was never freed
	weight   float64
}

// add adds a span to those that there are.
func add(rows []span, s span) []span {
	for i := range rows {
		if rows[i].from == s.from {
			rows[i].weight += s.weight
			return rows
		}
	}
	return append(rows, s)
}

// little is the share below which neighbours are one row.
const little = 0.005

// joined joins the two neighbours that hold least, until there are no more than so many rows, and
// further while the two hold little.
func joined(rows []span, most int) []span {
	all := 0.0
	for _, r := range rows {
		all += r.weight
	}
	for len(rows) > 1 {
		least := 0
		for i := range len(rows) - 1 {
			if rows[i].weight+rows[i+1].weight < rows[least].weight+rows[least+1].weight {
				least = i
			}
		}
		if len(rows) <= most && rows[least].weight+rows[least+1].weight > little*all {
			break
		}
		rows[least].to = rows[least+1].to
		rows[least].weight += rows[least+1].weight
		rows = append(rows[:least+1], rows[least+2:]...)
	}
	return rows
}

func bars(rows []span, label func(span) string) []bar {
	sum := 0.0
	for _, r := range rows {
		sum += r.weight
	}
	var out []bar
	for _, r := range rows {
		if sum > 0 {
			out = append(out, bar{label(r), r.weight / sum})
		}
	}
	return out
}

// A bar is a row of a picture.
type bar struct {
	label string
	share float64
}

// sizeBars are the blocks by powers of two of their sizes, neighbours joined until there are no
// more than so many rows.
func sizeBars(p *Profile, most int) []bar {
	var rows []span
	for _, s := range p.Sizes {
		from := powerBelow(s.From)
		rows = add(rows, span{from, from * 2, float64(s.Calls)})
	}
	return bars(joined(rows, most), func(s span) string { return units.Bytes(s.from) })
}

// ageBars are the lifetimes of all blocks likewise, with what was never freed last.
func ageBars(p *Profile, most int) []bar {
	var rows []span
	living := 0.0
	for i := range p.Groups {
		living += p.Groups[i].Living.Value
		for _, a := range p.Groups[i].Ages {
			rows = add(rows, span{a.From, a.To, a.Blocks.Value})
		}
	}
	slices.SortFunc(rows, func(a, b span) int { return int(int64(a.from) - int64(b.from)) })
	rows = append(joined(rows, most-1), span{weight: living})
	return bars(rows, func(s span) string {
		if s.to == 0 {
			return "never freed"
		}
		return number(s.from)
	})
}

// number formats a count briefly: "512", "16 k", "2 M".
func number(n uint64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%d G", n>>30)
	case n >= 1<<20:
		return fmt.Sprintf("%d M", n>>20)
	case n >= 1<<13:
		return fmt.Sprintf("%d k", n>>10)
	}
	return fmt.Sprint(n)
}
