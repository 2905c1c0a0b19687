package page

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"

	"memcost/internal/show/html"
)

//go:embed assets
var assets embed.FS

// The scripts of the page, in the order in which they run: d3 and Observable Plot
// as released (see their licences in assets), and ours.
var scripts = []string{"d3-7.9.0.min.js", "plot-0.6.17.umd.min.js",
	"data.js", "words.js", "choices.js", "draw.js", "figures.js", "evidence.js", "export.js", "recordings.js",
	"axis.js", "axiscurves.js", "axislabels.js", "readout.js", "verdicts.js", "page.js"}

// embedded are the page's parts that do not depend on what it shows.
type embedded struct {
	Style    template.CSS
	Look     template.CSS // of the front and its cards, which other pages do not have
	Scripts  []template.JS
	Licences []string
	// Policy lets nothing run but these scripts, and nothing be fetched at all.
	// Styles are open because Plot writes its own into each picture; data: and
	// blob: images are what a picture passes through to become a PNG.
	Policy string
}

func readParts() (embedded, error) {
	read := func(name string) (string, error) {
		if strings.HasPrefix(name, "d3-") || strings.HasPrefix(name, "plot-") {
			return html.Library(name)
		}
		b, err := assets.ReadFile("assets/" + name)
		if err != nil {
			return "", fmt.Errorf("reading the page's parts: %w", err)
		}
		return string(b), nil
	}
	var e embedded
	style, err := read("page.css")
	if err != nil {
		return e, err
	}
	e.Style = template.CSS(style) + flameCSS + traceCSS
	front, err := read("front.css")
	if err != nil {
		return e, err
	}
	e.Look = template.CSS(front)
	for _, name := range scripts {
		js, err := read(name)
		if err != nil {
			return e, err
		}
		e.Scripts = append(e.Scripts, template.JS(js))
	}
	for _, name := range []string{"d3-LICENSE.txt", "plot-LICENSE.txt"} {
		text, err := read(name)
		if err != nil {
			return e, err
		}
		e.Licences = append(e.Licences, strings.TrimSpace(text))
	}
	e.Policy = Policy(e.Scripts)
	return e, nil
}

// Policy returns a content security policy that lets nothing run but these scripts, and
// nothing be fetched at all.
func Policy(scripts []template.JS) string {
	hashes := make([]string, len(scripts))
	for i, js := range scripts {
		// The text of the element, as the browser hashes it.
		sum := sha256.Sum256([]byte(js))
		hashes[i] = "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; script-src " + strings.Join(hashes, " ") +
		"; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'"
}

// Shared is what other pages take over from this one.
type Shared struct {
	Style   template.CSS // light, dark, print
	D3      template.JS
	Licence string // of D3
}

// ReadShared reads what other pages take over.
func ReadShared() (Shared, error) {
	e, err := readParts()
	if err != nil {
		return Shared{}, err
	}
	return Shared{Style: e.Style, D3: e.Scripts[0], Licence: e.Licences[0]}, nil
}
