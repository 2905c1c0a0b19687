package compare

import (
	"fmt"
	"io"
	"strings"
)

// most is how many annotations of a level a step of a workflow may have; GitHub drops further
// ones.
const most = 10

// levels are those that annotations have, the gravest first.
var levels = []string{"error", "warning", "notice"}

// Commands writes annotations as workflow commands, as many of a level as GitHub shows.
type Commands struct {
	w     io.Writer
	title string
	rest  string
	count map[string]int
	err   error
}

// NewCommands returns a writer of annotations. The last one of a level counts those that were
// left out, below the given title; rest says where they are.
func NewCommands(w io.Writer, title, rest string) *Commands {
	return &Commands{w: w, title: title, rest: rest, count: map[string]int{}}
}

// An Annotation is a message at a line of a file; without a file it stands on the page of the
// workflow's run alone.
type Annotation struct {
	Level          string // "error", "warning" or "notice"
	File           string // from the root of the repository, with slashes
	Line           int    // from 1
	Column         int    // from 1; 0 names none
	Title, Message string
}

// Put writes an annotation, unless there are too many of its level.
func (c *Commands) Put(a Annotation) {
	c.count[a.Level]++
	if c.err != nil || c.count[a.Level] >= most {
		return
	}
	properties := "title=" + property(a.Title)
	if a.File != "" {
		at := fmt.Sprintf("file=%s,line=%d,", property(a.File), a.Line)
		if a.Column > 0 {
			at += fmt.Sprintf("col=%d,", a.Column)
		}
		properties = at + properties
	}
	_, c.err = fmt.Fprintf(c.w, "::%s %s::%s\n", a.Level, properties, data(a.Message))
}

// End counts what was left out, in the last annotation that there is room for, and returns the
// first error.
func (c *Commands) End() error {
	for _, level := range levels {
		if left := c.count[level] - most + 1; left > 0 && c.err == nil {
			_, c.err = fmt.Fprintf(c.w, "::%s title=%s::%d more of this kind; %s\n", level, property(c.title), left,
				data(c.rest))
		}
	}
	return c.err
}

// data escapes a message, and property the value of a property, as GitHub's toolkit does
// (packages/core/src/command.ts).
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
