package markdown

import (
	"regexp"
	"strings"
	"testing"

	"memcost/internal/testkit"
)

// markup is all that GitHub's Markdown could make something of.
var markup = regexp.MustCompile("[|`<>\\[\\]*_~\\\\&$]|@[^\u200b]|#[^\u200b]|://|www\\.")

func TestPlainIsOnlyText(t *testing.T) {
	for _, s := range testkit.Hostiles {
		onlyText(t, s)
	}
	if got := name("Smaug/place=stack/size=1024-2"); got != "`Smaug/place=stack/size=1024-2`" {
		t.Error(got)
	}
}

func FuzzPlain(f *testing.F) {
	for _, s := range testkit.Hostiles {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { onlyText(t, s) })
}

func onlyText(t *testing.T, s string) {
	got := plain(s, longestGiven)
	rest := regexp.MustCompile(`&#\d+;`).ReplaceAllString(got, "")
	rest = regexp.MustCompile("(?i)www\u200b\\.").ReplaceAllString(strings.ReplaceAll(rest, ":\u200b//", ""), "")
	if m := markup.FindString(rest); m != "" {
		t.Errorf("plain(%q) = %q holds %q", s, got, m)
	}
	if blockStart.MatchString(strings.TrimSpace(got)) || strings.ContainsAny(got, "\n\r") {
		t.Errorf("plain(%q) = %q begins a block", s, got)
	}
	if name := name(s); strings.HasPrefix(name, "`") && strings.ContainsAny(strings.Trim(name, "`"), "`|\\<>@#") {
		t.Errorf("name(%q) = %q", s, name)
	}
}
