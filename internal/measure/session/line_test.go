package session

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestLine(t *testing.T) {
	for _, c := range []struct {
		text  string
		env   []string
		words []string
		shell string
	}{
		{"./a", nil, []string{"./a"}, ""},
		{"  a\tb  c ", nil, []string{"a", "b", "c"}, ""},
		{`a 'b c' "d e" f\ g`, nil, []string{"a", "b c", "d e", "f g"}, ""},
		{`a '' ""`, nil, []string{"a", "", ""}, ""},
		{`a'b'"c"\d`, nil, []string{"abcd"}, ""},
		{`a "\$x \"y\" \z"`, nil, []string{"a", `$x "y" \z`}, ""},
		{`a '$x | y'`, nil, []string{"a", "$x | y"}, ""},
		{`a \| b`, nil, []string{"a", "|", "b"}, ""},
		{`a 'x
y'`, nil, []string{"a", "x\ny"}, ""},
		{"a \\\nb\n", nil, []string{"a", "b"}, ""},
		{"A=1 B='x y' a C=3", []string{"A=1", "B=x y"}, []string{"a", "C=3"}, ""},
		{"'A=1' a", nil, []string{"A=1", "a"}, ""},
		{"--a=b", nil, []string{"--a=b"}, ""},
		{"a x#y z~", nil, []string{"a", "x#y", "z~"}, ""},
		{"a ä", nil, []string{"a", "ä"}, ""},
		{"a | b", nil, nil, "|"},
		{"a <b", nil, nil, "<"},
		{"a $HOME", nil, nil, "$"},
		{`a "$HOME"`, nil, nil, "$"},
		{"a `b`", nil, nil, "`"},
		{"a *.c", nil, nil, "*"},
		{"a ~/b", nil, nil, "~"},
		{"A=~/b a", nil, nil, "~"},
		{"a # b", nil, nil, "#"},
		{"a\nb", nil, nil, "a further line"},
		{"cd /tmp", nil, nil, "cd"},
		{"! a", nil, nil, "!"},
	} {
		got, err := readLine(c.text)
		if err != nil || got.shell != c.shell {
			t.Errorf("%q: %v, %v; want shell %q", c.text, got, err, c.shell)
			continue
		}
		if c.shell == "" && (!slices.Equal(got.env, c.env) || !slices.Equal(got.words, c.words)) {
			t.Errorf("%q: %v; want %q %q", c.text, got, c.env, c.words)
		}
	}
	for _, bad := range []string{"", "  ", "a 'b", `a "b`, `a \`, "A=1"} {
		if got, err := readLine(bad); err == nil {
			t.Errorf("%q is read as %v", bad, got)
		}
	}
}

// A line that is split here has the words that a shell finds in it.
func FuzzLine(f *testing.F) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		f.Skip("no sh here")
	}
	for _, text := range []string{`a 'b c' "d\"e" f\ g`, "A=1 a B=2", `a\b "c\d" ''`, `a "\
b"`, "a=b c", `x "a'b" 'c"d'`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := readLine(text)
		if err != nil || l.shell != "" || strings.ContainsAny(text, "\x00\r!}]^") {
			return
		}
		for _, r := range text {
			if r < ' ' && r != '\n' && r != '\t' || r > '~' {
				return // what counts as a blank depends on the locale
			}
		}
		cmd := exec.Command(sh, "-c", `printf '%s\0' `+strings.TrimLeft(text, " \t\n"))
		out, err := cmd.Output()
		if err != nil {
			return
		}
		want := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		if got := slices.Concat(l.env, l.words); !slices.Equal(got, want) {
			t.Errorf("%q is %q here and %q in a shell", text, got, want)
		}
	})
}

func TestAssignments(t *testing.T) {
	for text, want := range map[string][]string{
		"A=1":          {"A=1"},
		"A=1  B_2=x=y": {"A=1", "B_2=x=y"},
		"A=":           {"A="},
		"A=1 ./a":      nil,
		"./a":          nil,
		"1A=1":         nil,
		"=1":           nil,
		"--a=1":        nil,
		"":             nil,
	} {
		got, ok := assignments(text)
		if ok != (want != nil) || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v; want %q", text, got, ok, want)
		}
	}
}
