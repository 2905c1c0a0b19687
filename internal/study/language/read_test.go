package language

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"memcost/internal/testkit"
)

func TestReadAll(t *testing.T) {
	studies, err := ReadAll(os.DirFS("testdata/good"))
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, s := range studies {
		fmt.Fprintf(&got, "study %s\n  doc %q\n  question %q\n  go %q floor %q\n", s.Name, s.Doc, s.Question,
			s.OldestGo, s.Floor)
		for _, b := range s.Benchmarks {
			fmt.Fprintf(&got, "  benchmark %s %q %s\n", b.Name, b.Doc, b.Pos)
		}
		fmt.Fprintf(&got, "  answer %q shown in %q\n", s.Answer, s.Show.File)
		for _, t := range s.Tables {
			fmt.Fprintf(&got, "  table %s by %s, %d columns, %s\n", t.Title, t.By, len(t.Columns), t.Pos)
		}
		for _, d := range s.Directives {
			fmt.Fprintf(&got, "  directive %s [%s] %s\n", d.Pos, d.Scope, d)
		}
		for _, w := range s.Warnings {
			fmt.Fprintf(&got, "  warning %v\n", w)
		}
	}
	testkit.Golden(t, "testdata/studies.golden", got.String())
}

func TestReadDirOfUsersPackage(t *testing.T) {
	s, err := ReadDir(os.DirFS("testdata/good/mine"), ".")
	if err != nil || s.Name != "mine" || len(s.Benchmarks) != 2 || s.Benchmarks[0].Name != "Encode" ||
		s.Benchmarks[1].Name != "_under" ||
		len(s.Claims)+len(s.Expects)+len(s.Tables)+len(s.Directives)+len(s.Warnings) != 0 {
		t.Errorf("%+v, %v; want benchmarks only", s, err)
	}
}

// Everything wrong in a folder is said at once, and what is right is still read.
func TestReadDirJoinsErrors(t *testing.T) {
	fsys := unreadable{fstest.MapFS{
		"s/a_test.go": {Data: []byte("package s\n\n//memcost:clam C1 place:heap ns/op > 1\n\n//memcost:claim C2 " +
			"place:heap > 1\nfunc BenchmarkA() {}\n")},
		"s/b_test.go": {Data: []byte("package s\n\n//memcost:expect place heap == 1\n\nfunc BenchmarkB( {\n")},
		"s/c_test.go": {Data: []byte("package s\n\n//memcost:claim C3 place:heap ns/op > 1\nfunc BenchmarkC() {}\n")},
		"s/d.cc":      {Data: []byte("//memcost:claim C3 place:heap ns/op > 2\n")},
		"s/e.go":      {Data: []byte("what is this\n")},
		"s/gone.go":   {Data: []byte("package s\n")},
	}}
	s, err := ReadDir(fsys, "s")
	if err == nil {
		t.Fatal("no error")
	}
	got := err.Error()
	testkit.Golden(t, "testdata/joined.golden", got+"\n")
	for _, pos := range []string{"s/a_test.go:3: ", "s/a_test.go:5: ", "s/b_test.go:5: ", "s/b_test.go:3: ",
		"s/d.cc:1: ", "s/e.go:1: ", "s/gone.go:1: "} {
		if !strings.Contains("\n"+got, "\n"+pos) {
			t.Errorf("no line starts with %s", pos)
		}
	}
	if !errors.Is(err, fs.ErrPermission) {
		t.Error("the cause of the unreadable file is lost")
	}
	if len(s.Claims) != 1 || s.Claims[0].ID != "C3" || s.Claims[0].Num.Scope != "C" || len(s.Benchmarks) < 2 {
		t.Errorf("the rest is not read: %+v", s)
	}
	if s, err := ReadDir(fsys, "nowhere"); s != nil || err == nil ||
		!strings.Contains(err.Error(), "study folder nowhere") {
		t.Errorf("%v, %v", s, err)
	}
}

// unreadable refuses one file.
type unreadable struct{ fstest.MapFS }

func (u unreadable) ReadFile(name string) ([]byte, error) {
	if strings.HasSuffix(name, "gone.go") {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return u.MapFS.ReadFile(name)
}

func TestReadAllGoesOnAfterABadStudy(t *testing.T) {
	studies, err := ReadAll(fstest.MapFS{
		"bad/x_test.go":  {Data: []byte("package bad\n\n//memcost:claim\n\nfunc BenchmarkX() {}\n")},
		"good/x_test.go": {Data: []byte("package good\n\nfunc BenchmarkX() {}\n")},
		"testdata/x.go":  {Data: []byte("no Go")},
		"x_test.go":      {Data: []byte("no Go")},
	})
	if err == nil || !strings.HasPrefix(err.Error(), "bad/x_test.go:3: //memcost:claim: ") {
		t.Errorf("error %v", err)
	}
	if len(studies) != 2 || studies[0].Name != "bad" || studies[1].Name != "good" {
		t.Errorf("studies %v", studies)
	}
}

// What is read from the source and what is read from stored directives is the same.
func TestParseAgreesWithReadDir(t *testing.T) {
	studies, err := ReadAll(os.DirFS("testdata/good"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range studies {
		second, err := Parse(s.Name, s.Directives, s.Show)
		if err != nil {
			t.Fatal(err)
		}
		if second.Question != s.Question || second.Floor != s.Floor || second.OldestGo != s.OldestGo ||
			len(second.Expects) != len(s.Expects) || len(second.Tables) != len(s.Tables) ||
			len(second.Claims) != len(s.Claims) {
			t.Errorf("%s: %+v\nwant %+v", s.Name, second, s)
		}
		for i, c := range second.Claims {
			if w := s.Claims[i]; describe(c) != describe(w) || c.Pos != w.Pos || c.Source != w.Source ||
				c.Num.Scope != w.Num.Scope {
				t.Errorf("%s: claim %+v, want %+v", s.Name, c, w)
			}
		}
	}
}
