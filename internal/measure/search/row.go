package search

// Go is a toolchain to try.
type Go struct {
	Version string // "go1.25.4"
	GOROOT  string
	GoCmd   string // path of its go command
}

// A Row is one limit of one Go version.
type Row struct {
	Name    string  // of the case below "Limit/": "what=explicit", "what=depth/frame=1024"
	Version string  // "go1.25.4"
	Value   float64 // in Unit
	Unit    string  // "bytes"; "levels", "steps", "ratio"
	How     string  // by what evidence, in words
	Note    string  // a remark without which the value would be misread; may be ""

	// Failed is why there is no value; "" if there is one.
	Failed string
}

func (r *Row) note(text string) {
	if r.Note != "" && text != "" {
		r.Note += "; "
	}
	r.Note += text
}
