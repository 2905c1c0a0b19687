package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// queries are those of docs/fleet.md.
func queries(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "fleet.md"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		out = append(out, m[1])
	}
	if len(out) < 3 {
		t.Fatalf("%d queries in docs/fleet.md", len(out))
	}
	return out
}

// aPack makes fleet.pack in a folder, and returns the folder.
func aPack(t *testing.T) string {
	t.Helper()
	run := t.TempDir()
	for _, name := range []string{"run.json", "samples.txt"} {
		data, err := os.ReadFile(filepath.Join("..", "report", "result", "testdata", "healthy", name))
		if err == nil { // its study has another name, and the same cases
			data = bytes.ReplaceAll(data, []byte("smaug"), []byte("stackheap"))
			err = os.WriteFile(filepath.Join(run, name), data, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	dir, _ := packRuns(t, run)
	to := filepath.Join(filepath.Dir(dir), "fleet.pack")
	if err := os.Rename(dir, to); err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(to)
}

// Each column that a query in the documents names in quotes, or of a table, is in a pack.
func TestColumnsOfQueries(t *testing.T) {
	base := aPack(t)
	columns := map[string]bool{"study": true, "kind": true, "month": true}
	for _, pattern := range []string{"fleet.pack/runs.parquet", "fleet.pack/samples/*/*/*/*.parquet"} {
		files, err := filepath.Glob(filepath.Join(base, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			info, err := f.Stat()
			if err != nil {
				t.Fatal(err)
			}
			x, err := parquet.OpenFile(f, info.Size())
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range x.Schema().Columns() {
				columns[path[0]] = true
			}
		}
	}
	named := regexp.MustCompile(`"([^"]+)"|\b[rs]\.(\w+)|\b(complete|role|failed|toolchain|machine|run|round|kind)\b`)
	for _, q := range queries(t) {
		for _, m := range named.FindAllStringSubmatch(q, -1) {
			if name := m[1] + m[2] + m[3]; !columns[name] {
				t.Errorf("no column %q, which a query names:\n%s", name, q)
			}
		}
	}
}

// The queries in the documents give rows in DuckDB.
func TestQueriesRun(t *testing.T) {
	run := duckDB(t)
	base := aPack(t)
	for _, q := range queries(t) {
		out, err := run(base, q)
		if err != nil {
			t.Errorf("%v\n%s\n%s", err, q, out)
		} else if rows := strings.Count(strings.TrimSpace(out), "\n") + 1; strings.TrimSpace(out) == "" || rows < 1 {
			t.Errorf("no rows:\n%s", q)
		}
	}
}

// duckDB returns what runs a query in a folder and gives a line a row: the program, or the module of
// Python, which make test-long installs.
func duckDB(t *testing.T) func(dir, query string) (string, error) {
	t.Helper()
	script := "import duckdb, sys\nfor row in duckdb.sql(sys.argv[1]).fetchall(): print(row)"
	python := "python3"
	if cache, err := os.UserCacheDir(); err == nil {
		own := filepath.Join(cache, "memcost", "duckdb", "bin", "python3")
		if exec.Command(own, "-c", "import duckdb").Run() == nil {
			python = own
		}
	}
	command := func(query string) *exec.Cmd { return exec.Command(python, "-c", script, query) }
	if _, err := exec.LookPath("duckdb"); err == nil {
		command = func(query string) *exec.Cmd { return exec.Command("duckdb", "-noheader", "-csv", "-c", query) }
	} else if exec.Command(python, "-c", "import duckdb").Run() != nil {
		t.Skip("neither the program duckdb nor the module of Python is here: pip install duckdb")
	}
	return func(dir, query string) (string, error) {
		cmd := command(query)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
}
