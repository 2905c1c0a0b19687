package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"memcost/internal/report/result"
)

// pack packs runs, and returns the folder and what was said.
func packRuns(t *testing.T, args ...string) (dir, said string) {
	t.Helper()
	var out, errs bytes.Buffer
	dir = filepath.Join(t.TempDir(), "x.pack")
	cmd := packCommand(&App{Version: "0.1.0", Stdout: &out, Stderr: &errs})
	cmd.SetArgs(append(args, "-o", dir))
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	return dir, out.String() + errs.String()
}

func packAnswers(t *testing.T, dir string, names ...string) []*result.Answer {
	t.Helper()
	out, err := Answers(t.Context(), &App{Stderr: &bytes.Buffer{}}, dir, names, result.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func asJSON(t *testing.T, a *result.Answer) string {
	t.Helper()
	data, err := json.MarshalIndent(a, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// lineless takes the places of damage out of an answer: a pack does not have the damaged lines.
var lineless = regexp.MustCompile(`line \d+`)

// The answer of a pack is that of the run folder that was packed, with its claims, its intervals and its
// warnings.
func TestAnswerOfAPack(t *testing.T) {
	runs, err := filepath.Glob(filepath.Join("..", "report", "result", "testdata", "*", "run.json"))
	if err != nil || len(runs) < 8 {
		t.Fatalf("%d runs in testdata, %v", len(runs), err)
	}
	for _, run := range append(runs, filepath.Join("..", "report", "result", "testdata", "old", "records", "run.json")) {
		run = filepath.Dir(run)
		want, err := result.Read(run, result.Options{})
		if err != nil {
			t.Fatal(err)
		}
		dir, _ := packRuns(t, run)
		if want.Samples == 0 {
			_, err := Answers(t.Context(), &App{Stderr: &bytes.Buffer{}}, dir, nil, result.Options{})
			if err == nil || !strings.Contains(err.Error(), "there is no sample in it") {
				t.Errorf("of an empty run: %v", err)
			}
			continue
		}
		got := packAnswers(t, dir)
		if len(got) != 1 {
			t.Fatalf("%s: %d answers", run, len(got))
		}
		x, y := lineless.ReplaceAllString(asJSON(t, got[0]), ""), lineless.ReplaceAllString(asJSON(t, want), "")
		if x != y {
			a, b := strings.Split(x, "\n"), strings.Split(y, "\n")
			for i := range min(len(a), len(b)) {
				if a[i] != b[i] {
					t.Errorf("%s: line %d of the answer is\n%s\nwant\n%s", run, i, a[i], b[i])
					break
				}
			}
		}
	}
}

// Ctrl-C leaves nothing, and says so.
func TestInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	base := t.TempDir()
	cmd := packCommand(&App{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}})
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	cmd.SetArgs([]string{filepath.Join("..", "report", "result", "testdata", "healthy"), "-o", filepath.Join(base, "x.pack")})
	err := cmd.ExecuteContext(ctx)
	if err == nil || !strings.Contains(err.Error(), "interrupted; nothing was left in "+filepath.Join(base, "x.pack")) {
		t.Errorf("error %v", err)
	}
	if left, _ := os.ReadDir(base); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// Several runs stand beside each other, each with the answer that it has alone; a copy is left out.
func TestSeveralRuns(t *testing.T) {
	one, two := filepath.Join("..", "report", "result", "testdata", "healthy"), filepath.Join("..", "report", "result", "testdata", "busy")
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(copied, os.DirFS(one)); err != nil {
		t.Fatal(err)
	}
	dir, said := packRuns(t, one, two, copied)
	if !strings.Contains(said, "is a copy of a run that is packed") || !strings.Contains(said, " of 2 runs ") {
		t.Errorf("said %q", said)
	}
	got := packAnswers(t, dir)
	if len(got) != 2 {
		t.Fatalf("%d answers", len(got))
	}
	for _, a := range got {
		name := filepath.Join("..", "report", "result", "testdata", filepath.Base(a.Dir))
		want, err := result.Read(name, result.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want.Dir, a.Dir = "", ""
		if asJSON(t, a) != asJSON(t, want) || a.Set != nil || len(a.Studies[0].Cases[0].Times) == 0 {
			t.Errorf("%s is not what it is alone", name)
		}
	}
	if _, err := Answers(t.Context(), &App{Stderr: &bytes.Buffer{}}, dir, []string{"stackheep"},
		result.Options{}); err == nil {
		t.Error("a study that is not there was reported on")
	}
}
