package diffpage

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"

	"memcost/internal/show/difftext"
	"memcost/internal/show/page"
	"memcost/internal/show/whypage"
	"memcost/internal/sites/diff"
)

//go:embed assets
var assets embed.FS

// Write writes comparisons as a page: each of them has a section.
func Write(w io.Writer, diffs []diff.Diff, o Options) error {
	t, err := template.ParseFS(assets, "assets/diff.html")
	if err != nil {
		return fmt.Errorf("reading the page's template: %w", err)
	}
	v, err := newView(diffs, o)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, v); err != nil {
		return fmt.Errorf("rendering the page: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

func newView(diffs []diff.Diff, o Options) (*view, error) {
	v := &view{Title: "memcost why: comparison", Asked: o.Invocation, Sites: o.Sites}
	if err := v.parts(); err != nil {
		return nil, err
	}
	data := [][]dataSite{}
	for i := range diffs {
		m := maker{d: &diffs[i], prefix: fmt.Sprintf("c%d-", i)}
		p, sites := m.part()
		v.Parts, data = append(v.Parts, p), append(data, sites)
	}
	if len(diffs) > 0 {
		v.Title = "memcost why: " + difftext.Heading(diffs[0])
	}
	page.Clean(v)
	page.Clean(&data)
	text, err := json.Marshal(data)
	if err != nil {
		return nil, fmt.Errorf("writing the page's data: %w", err)
	}
	v.Data = template.JS(text)
	return v, nil
}

// parts fills in what does not depend on the comparisons.
func (v *view) parts() error {
	var err error
	if v.Shared, err = page.ReadShared(); err != nil {
		return err
	}
	sites, err := whypage.Style()
	if err != nil {
		return err
	}
	own, err := assets.ReadFile("assets/diff.css")
	if err != nil {
		return fmt.Errorf("reading the page's parts: %w", err)
	}
	script, err := assets.ReadFile("assets/diff.js")
	if err != nil {
		return fmt.Errorf("reading the page's parts: %w", err)
	}
	v.Own, v.Script = sites+"\n"+template.CSS(own), template.JS(script)
	v.Policy = page.Policy([]template.JS{v.Script})
	return nil
}
