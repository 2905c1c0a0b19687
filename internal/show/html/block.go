package html

import (
	"cmp"
	"fmt"
	"strings"

	"memcost/internal/document"
)

// blocks writes blocks; level is that of the heading above them.
func (p *page) blocks(all []document.Block, level int) {
	listed := false // sentences of one list stand in one element
	for _, b := range all {
		f := b.Framed()
		if !f.On.Has(document.Page) {
			continue
		}
		s, is := b.(*document.Sentence)
		if item := is && s.Item; item != listed {
			listed = item
			p.printf("%s", map[bool]string{true: "<ul>\n", false: "</ul>\n"}[item])
		}
		switch b := b.(type) {
		case *document.Sentence:
			p.sentence(b)
		case *document.Table:
			p.table(b)
		case *document.Facts:
			p.facts(b)
		case *document.Picture:
			p.picture(b)
		case *document.Fold:
			p.fold(b, level)
		case *document.Source:
			p.source(b)
		case *document.Group:
			p.group(b, level)
		}
	}
	if listed {
		p.printf("</ul>\n")
	}
}

// attributes returns a block's place and classes, with those that all of its kind have.
func attributes(id string, classes ...string) string {
	out := ""
	if id != "" {
		out = ` id="` + escaped(id) + `"`
	}
	if c := strings.Join(strings.Fields(strings.Join(classes, " ")), " "); c != "" {
		out += ` class="` + escaped(c) + `"`
	}
	return out
}

func (p *page) sentence(s *document.Sentence) {
	tag := "p"
	if s.Item {
		tag = "li"
	}
	p.printf("<%s%s>%s</%s>\n", tag, attributes(s.ID, s.Class), p.text(s.Text), tag)
}

func (p *page) facts(f *document.Facts) {
	if !f.Title.Empty() {
		p.printf("<p class=\"titled\">%s</p>\n", p.text(f.Title))
	}
	p.printf("<dl%s>\n", attributes(f.ID, f.Class))
	for _, x := range f.Facts {
		p.printf("<div><dt>%s</dt><dd>%s</dd></div>\n", escaped(x.Label), p.text(x.Text))
	}
	p.printf("</dl>\n")
}

func (p *page) fold(f *document.Fold, level int) {
	open := ""
	if f.Open {
		open = ` open=""`
	}
	p.printf("<details%s%s><summary>%s</summary>\n", attributes(f.ID, f.Class), open, p.text(f.Head))
	p.blocks(f.Blocks, level)
	p.printf("</details>\n")
}

// group writes blocks below a heading. Those of a page's first level are its name.
func (p *page) group(g *document.Group, level int) {
	if g.Level == 0 {
		p.printf("<div%s>\n", attributes(g.ID, g.Class))
		if !g.Head.Empty() {
			p.printf("<p class=\"titled\">%s</p>\n", p.text(g.Head))
		}
		if pictures := picturesOf(g); len(pictures) > 1 {
			p.columns(pictures, level)
		} else {
			p.blocks(g.Blocks, level)
		}
		p.printf("</div>\n")
		return
	}
	named := ""
	if g.ID != "" {
		named = ` aria-labelledby="` + escaped(g.ID) + `"`
	}
	h := min(g.Level, 6)
	p.printf("<section%s%s>\n<h%d%s>%s</h%d>\n", attributes("", g.Class), named, h, attributes(g.ID), p.text(g.Head), h)
	p.blocks(g.Blocks, h)
	p.printf("</section>\n")
}

// picturesOf returns the pictures of a group that has nothing else.
func picturesOf(g *document.Group) []*document.Picture {
	var out []*document.Picture
	for _, b := range g.Blocks {
		x, is := b.(*document.Picture)
		if !is {
			return nil
		}
		out = append(out, x)
	}
	return out
}

// columns puts pictures side by side: each into the column that is shorter so far. A grid would
// leave holes beside tall ones, and CSS columns would jump when a table is opened.
func (p *page) columns(pictures []*document.Picture, level int) {
	var columns [2][]document.Block
	var height [2]int
	for _, x := range pictures {
		at := 0
		if height[1] < height[0] {
			at = 1
		}
		columns[at] = append(columns[at], x)
		height[at] += 20
		if x.Table != nil {
			height[at] += min(len(x.Table.Rows), 40)
		}
	}
	for _, c := range columns {
		p.printf("<div class=\"column\">\n")
		p.blocks(c, level)
		p.printf("</div>\n")
	}
}

// picture writes a picture's frame, its table, and what its script reads.
func (p *page) picture(x *document.Picture) {
	p.pictures++
	id := cmp.Or(x.ID, fmt.Sprintf("picture-%d", p.pictures))
	_, has := drawn[x.Kind]
	p.printf("<figure%s data-kind=\"%s\">\n<figcaption>", attributes(id, "picture", string(x.Kind), x.Class),
		escaped(string(x.Kind)))
	says, title := x.Says, x.Title
	if says.Empty() {
		says, title = title, nil
	}
	p.printf("<p class=\"says\">%s</p>", p.text(says))
	if !title.Empty() {
		p.printf("<p class=\"caption\">%s</p>", p.text(title))
	}
	p.printf("</figcaption>\n")
	if has {
		p.kinds[x.Kind] = true
		text, err := data(x.Data)
		if err != nil && p.err == nil {
			p.err = fmt.Errorf("the picture %s: %w", id, err)
		}
		p.printf("<div class=\"drawing\"></div>\n<script type=\"application/json\">%s</script>\n", text)
	}
	for _, n := range x.Notes {
		p.printf("<p class=\"legend\">%s</p>\n", p.text(n))
	}
	switch {
	case x.Table == nil:
	case has:
		head, table := "The figures", *x.Table
		if !table.Title.Empty() {
			head, table.Title = p.text(table.Title), nil
		}
		p.printf("<details class=\"figures\"><summary>%s</summary>\n", head)
		p.table(&table)
		p.printf("</details>\n")
	default:
		p.table(x.Table)
	}
	p.printf("</figure>\n")
}

// source writes code, or a difference: what a reader copies is what was there.
func (p *page) source(s *document.Source) {
	if s.File != "" {
		p.printf("<p class=\"place\">%s</p>\n", escaped(s.File))
	}
	p.printf("<div%s><pre tabindex=\"0\"><code>", attributes(s.ID, "source", s.Language, s.Class))
	for _, l := range s.Lines {
		mark, class := "", ""
		switch l.Mark {
		case '+':
			mark, class = "+", ` class="plus"`
		case '-':
			mark, class = "-", ` class="minus"`
		case '>':
			class = ` class="marked"`
		case 0:
		default:
			mark = string(rune(l.Mark))
		}
		number := ""
		if l.Number > 0 {
			number = fmt.Sprintf("<i>%5d  </i>", l.Number)
		}
		p.printf("<span%s>%s%s%s\n</span>", class, number, mark, lines(l.Text))
		if !l.Note.Empty() {
			p.printf("<span class=\"said\">%s\n</span>", p.text(l.Note))
		}
	}
	p.printf("</code></pre></div>\n")
}
