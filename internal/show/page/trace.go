package page

import (
	"bytes"
	"html/template"
	"io"

	"memcost/internal/gotool/exectrace"
	"memcost/internal/show/text"
)

// WriteTrace writes an execution trace as one HTML page that needs no script and no network:
// its picture, and all figures as text.
func WriteTrace(w io.Writer, title string, t *exectrace.Trace) error {
	var picture, figures bytes.Buffer
	if err := drawTrace(&picture, t); err != nil {
		return err
	}
	if err := text.Trace(&figures, t, text.Style{}); err != nil {
		return err
	}
	return tracePage.Execute(w, struct {
		Title, Text string
		Warnings    []string
		Style       template.CSS
		Picture     template.HTML
	}{title, figures.String(), t.Warnings, traceCSS, template.HTML(picture.String())})
}

var tracePage = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{{.Title}}</title>
<style>
:root{color-scheme:light dark}
body{background:#fff;color:#1b1f24;font:15px/1.5 system-ui,'DejaVu Sans',sans-serif;
 max-width:1100px;margin:2rem auto;padding:0 1rem}
@media (prefers-color-scheme:dark){body{background:#14171b;color:#e7eaee}}
h1{font-size:1.3rem;overflow-wrap:anywhere}h2{font-size:1rem}
pre{overflow-x:auto;background:rgba(128,128,128,.1);padding:1rem}.note{border-left:4px solid #e69f00;padding-left:.7rem}
{{.Style}}</style>
<h1>{{.Title}}</h1>
{{range .Warnings}}<p class="note">{{.}}</p>{{end}}
{{.Picture}}
<h2>All figures</h2>
<pre tabindex="0">{{.Text}}</pre>
</html>
`))
