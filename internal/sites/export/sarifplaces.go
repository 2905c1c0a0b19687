package export

import (
	"net/url"
	"regexp"
	"strings"

	"memcost/internal/sites"
)

// rootID stands for the root of the repository in SARIF; GitHub resolves it.
const rootID = "%SRCROOT%"

const (
	longestMessage = 2000 // of a message, in bytes
	longestName    = 500  // of a name, an expression or a source line
	mostSteps      = 100  // of a flow or a chain
)

// link and placeholder are what viewers do not take as text in a message of SARIF (sections
// 3.11.5 and 3.11.6).
var (
	link        = regexp.MustCompile(`\]\(`)
	placeholder = regexp.MustCompile(`\{(\d)`)
)

// message returns a text that is shown as it is.
func message(s string) sarifText {
	s = link.ReplaceAllString(short(s, longestMessage), "] (")
	return sarifText{placeholder.ReplaceAllString(s, "{ $1")}
}

// short cuts a text to a number of bytes, between characters.
func short(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// artifact returns a file as SARIF names it: from the repository's root, or absolute.
func (o Options) artifact(file string) sarifArtifact {
	if rel, ok := o.inRepository(file); ok {
		return sarifArtifact{URI: (&url.URL{Path: rel}).String(), BaseID: rootID}
	}
	return sarifArtifact{URI: fileURI(file)}
}

// fileURI returns the URI of an absolute path.
func fileURI(file string) string {
	file = strings.ReplaceAll(file, `\`, "/")
	if !strings.HasPrefix(file, "/") {
		file = "/" + file
	}
	return (&url.URL{Scheme: "file", Path: file}).String()
}

// at returns a line of a file; nil if the file is not known.
func (o Options) at(file string, line int) *sarifPhysical {
	if file == "" {
		return nil
	}
	p := &sarifPhysical{Artifact: o.artifact(file)}
	if line > 0 {
		p.Region = &sarifRegion{StartLine: line}
	}
	return p
}

// place returns where a site is, with its source line.
func (o Options) place(s *sites.Site, l *lines) *sarifPhysical {
	p := o.at(s.File, s.Line)
	if p == nil || p.Region == nil {
		return p
	}
	if s.Text != "" {
		p.Region.Snippet = &sarifText{short(s.Text, longestName)}
	}
	o.columns(p.Region, s, l)
	return p
}

// columns sets the columns of a region, if they can be counted in UTF-16 code units: from the
// line itself, or where every character is a byte.
func (o Options) columns(region *sarifRegion, s *sites.Site, l *lines) {
	if s.Col <= 0 {
		return
	}
	if line, ok := l.line(o.onMachine(s.File, s.Path), s.Line); ok {
		at := spanOf(line, s.Col, s.Expr)
		region.StartColumn, region.EndColumn = at.from+1, at.to+1
	} else if s.Text != "" && ascii(s.Text) {
		region.StartColumn = s.Col
	}
}

// frame returns a line of a call chain.
func (o Options) frame(f sites.Frame) sarifLocation {
	return sarifLocation{Physical: o.at(f.File, f.Line), Logical: function(f.Function)}
}

func function(name string) []sarifLogical {
	if name == "" {
		return nil
	}
	return []sarifLogical{{short(name, longestName), "function"}}
}

// flow returns how a value reaches the heap. A step whose place is not known stands at the
// site: viewers leave out steps without a place.
func (o Options) flow(s *sites.Site) []sarifCodeFlow {
	if len(s.Flow) == 0 {
		return nil
	}
	var steps []sarifStep
	for i, says := range s.Flow[:min(len(s.Flow), mostSteps)] {
		at := o.at(s.File, s.Line)
		if len(s.FlowAt) == len(s.Flow) && s.FlowAt[i].File != "" {
			at = o.at(s.FlowAt[i].File, s.FlowAt[i].Line)
		}
		m := message(says)
		steps = append(steps, sarifStep{sarifLocation{Physical: at, Message: &m}})
	}
	return []sarifCodeFlow{{sarifText{"how the value reaches the heap"}, []sarifThreadFlow{{steps}}}}
}

// stack returns the chain of inlined calls, if there is more than the site's function.
func (o Options) stack(s *sites.Site) []sarifStack {
	if len(s.Chain) < 2 {
		return nil
	}
	var frames []sarifFrame
	for _, f := range s.Chain[:min(len(s.Chain), mostSteps)] {
		frames = append(frames, sarifFrame{o.frame(f)})
	}
	return []sarifStack{{sarifText{"the calls that were inlined here, innermost first"}, frames}}
}

// related returns where what the site calls allocates.
func (o Options) related(s *sites.Site) []sarifLocation {
	if s.Callee == nil || s.Callee.File == "" {
		return nil
	}
	at := o.frame(s.Callee.Frame)
	m := message(calleeSays(s.Callee))
	at.ID, at.Message = 1, &m
	return []sarifLocation{at}
}
