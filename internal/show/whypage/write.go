package whypage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"io"

	"memcost/internal/show/page"
	"memcost/internal/show/whytext"
	"memcost/internal/sites"
)

// Write writes a report as a page.
func Write(w io.Writer, r *sites.Report, o Options) error {
	t, err := template.ParseFS(assets, "assets/*.html")
	if err != nil {
		return fmt.Errorf("reading the page's template: %w", err)
	}
	v, err := newView(t, r, o)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, "why.html", v); err != nil {
		return fmt.Errorf("rendering the page: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

func newView(t *template.Template, r *sites.Report, o Options) (*view, error) {
	v := &view{}
	if err := v.parts(); err != nil {
		return nil, err
	}
	m := &maker{r, o, whytext.CellsOf(r), map[string][]string{}}
	m.summary(v)
	rows, picture := m.sites(v)
	page.Clean(v)
	page.Clean(&picture)
	if err := m.details(t, v, rows); err != nil {
		return nil, err
	}
	text, err := json.Marshal(picture)
	if err != nil {
		return nil, fmt.Errorf("writing the page's data: %w", err)
	}
	v.Data = template.JS(text)
	return v, nil
}

// parts fills in what does not depend on the report.
func (v *view) parts() error {
	var err error
	if v.Shared, err = page.ReadShared(); err != nil {
		return err
	}
	if v.Own, err = Style(); err != nil {
		return err
	}
	v.Scripts = []template.JS{v.D3}
	for _, name := range scripts {
		js, err := assets.ReadFile("assets/" + name)
		if err != nil {
			return fmt.Errorf("reading the page's parts: %w", err)
		}
		v.Scripts = append(v.Scripts, template.JS(js))
	}
	v.Policy = page.Policy(v.Scripts)
	return nil
}
