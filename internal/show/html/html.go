// Package html draws a document as one HTML page that needs nothing else: no network, no other
// file. It has one style, light, dark and on paper, and of scripts what the document has pictures
// and tables for. Every figure that a script draws stands in a table that needs none. Rendering is
// pure: the same document gives the same bytes.
package html

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strings"

	"memcost/internal/document"
)

//go:embed assets
var assets embed.FS

// Write writes a document as a page.
func Write(w io.Writer, d *document.Document) error {
	p := &page{kinds: map[document.PictureKind]bool{}, ids: map[string]bool{}}
	document.Walk(d.Blocks, func(b document.Block) bool {
		shown := b.Framed().On.Has(document.Page)
		if shown {
			p.ids[b.Framed().ID] = true
		}
		if t, is := b.(*document.Table); is && shown {
			for _, r := range t.Rows {
				p.ids[r.ID] = true
			}
		}
		return shown
	})
	p.header(d)
	p.printf("<main id=\"content\">\n")
	p.blocks(d.Blocks, 1)
	p.printf("</main>\n")
	if p.err != nil {
		return fmt.Errorf("drawing the page: %w", p.err)
	}
	body := p.String()
	p.Reset()
	p.around(d, body)
	if p.err != nil {
		return fmt.Errorf("drawing the page: %w", p.err)
	}
	if _, err := io.WriteString(w, p.String()); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

// A page is a page while it is written.
type page struct {
	strings.Builder
	kinds    map[document.PictureKind]bool // that the page shows
	sortable bool                          // a table is
	pictures int
	ids      map[string]bool // what links may lead to
	err      error           // the first
}

func (p *page) printf(format string, args ...any) { fmt.Fprintf(p, format, args...) }

// header writes the page's name, and links to its parts.
func (p *page) header(d *document.Document) {
	p.printf("<a class=\"skip\" href=\"#content\">Skip to the content</a>\n<header class=\"top\">\n" +
		"<p class=\"brand\">memcost</p>\n")
	titled := false // by a group
	document.Walk(d.Blocks, func(b document.Block) bool {
		g, is := b.(*document.Group)
		titled = titled || is && g.Level == 1 && g.On.Has(document.Page)
		return is
	})
	if !titled {
		p.printf("<h1>%s</h1>\n", escaped(d.Title))
	}
	if len(d.Nav) > 0 {
		p.printf("<nav aria-label=\"Parts of this page\">%s</nav>\n", p.text(d.Nav))
	}
	p.printf("</header>\n")
}

// A part is what a page embeds: d3, Observable Plot, or scripts of ours.
type part struct {
	file    string
	licence string // a file, of what others wrote
	turn    int    // parts with a lower one run before
}

var (
	d3   = part{"d3-7.9.0.min.js", "d3-LICENSE.txt", -2}
	plot = part{"plot-0.6.17.umd.min.js", "plot-LICENSE.txt", -1}
)

// plotted is what pictures with axes need.
func plotted(own ...string) []part {
	parts := []part{d3, plot}
	for _, file := range append([]string{"colours.js", "words.js", "axes.js", "export.js"}, own...) {
		parts = append(parts, part{file: file})
	}
	return parts
}

var (
	ofStudy = plotted("figures.js", "evidence.js", "study.js")
	onAxis  = append(ofStudy[:len(ofStudy):len(ofStudy)], part{file: "axis.js"}, part{file: "axiscurves.js"},
		part{file: "axislabels.js"}, part{file: "readout.js"})
)

// drawn are the scripts of each kind of picture, in the order in which they run. What several
// kinds need runs once.
var drawn = map[document.PictureKind][]part{
	"curve": ofStudy, "forest": ofStudy, "dots": ofStudy, "steps": ofStudy, // figures of a study
	"timeline": ofStudy, "strips": ofStudy, "narrowing": ofStudy, "rounds": ofStudy, // and its evidence
	"axis":     onAxis, // what a block costs by its size, by every means
	"matrix":   {{file: "matrix.js"}},
	"treemap":  {d3, {file: "treemap.js"}},
	"bars":     {{file: "bars.js"}},
	"flame":    plotted("recorded.js", "flame.js"),
	"gctrace":  plotted("recorded.js", "gctrace.js"),
	"chains":   plotted("chains.js"),   // stack sizes in the life of goroutines
	"levels":   plotted("levels.js"),   // a cost through history
	"held":     plotted("held.js"),     // resident memory over time
	"frontier": plotted("held.js"),     // what settings hold over what they cost
	"strength": plotted("strength.js"), // a figure over the strength of machines
}

// scripts returns what the page needs, in the order in which it runs.
func (p *page) scripts() []part {
	parts := []part{{file: "page.js"}}
	if p.sortable {
		parts = append(parts, part{file: "table.js"})
	}
	kinds := make([]document.PictureKind, 0, len(p.kinds))
	for k := range p.kinds {
		kinds = append(kinds, k)
	}
	slices.Sort(kinds)
	for _, k := range kinds {
		for _, x := range drawn[k] {
			if !slices.Contains(parts, x) {
				parts = append(parts, x)
			}
		}
	}
	// What others wrote comes first: ours uses it.
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(a.turn, b.turn) })
	return append(parts, part{file: "start.js"})
}

// around writes the page, with what it embeds around its body.
func (p *page) around(d *document.Document, body string) {
	parts := p.scripts()
	var scripts, hashes []string
	for _, x := range parts {
		js := p.asset(x.file)
		sum := sha256.Sum256([]byte(js)) // of the element's text, as the browser takes it
		scripts = append(scripts, js)
		hashes = append(hashes, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	// Nothing may run but these scripts, and nothing be fetched at all. Styles are open because
	// Plot writes its own into each picture; data: and blob: images are what a picture passes
	// through to become a PNG.
	p.printf("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"+
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src %s; "+
		"style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'\">\n"+
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"+
		"<meta name=\"color-scheme\" content=\"light dark\">\n<title>%s</title>\n<style>",
		strings.Join(hashes, " "), escaped(d.Title))
	for _, file := range []string{"page.css", "table.css", "pictures.css", "report.css", "print.css"} {
		p.WriteString(p.asset(file))
	}
	p.printf("</style>\n</head>\n<body>\n%s<footer>\n<p>Made by memcost.</p>\n", body)
	for _, x := range parts {
		if x.licence != "" {
			p.printf("<details><summary>Licence of %s, which this page contains</summary><pre tabindex=\"0\">%s</pre>"+
				"</details>\n", strings.TrimSuffix(x.licence, "-LICENSE.txt"),
				lines(strings.TrimSpace(p.asset(x.licence))))
		}
	}
	p.printf("</footer>\n")
	for _, js := range scripts {
		p.printf("<script>%s</script>\n", js)
	}
	p.printf("</body>\n</html>\n")
}

// asset returns a part of the page that does not depend on what it shows.
func (p *page) asset(name string) string {
	b, err := assets.ReadFile("assets/" + name)
	if err != nil && p.err == nil {
		p.err = err
	}
	return string(b)
}
