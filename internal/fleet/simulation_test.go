package fleet

import (
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/units"
	"memcost/internal/fleet/place"
)

// Many machines measure one plan: what meets where. The model counts the requests that their attempts
// make, and those of who looks at them; the test holds it to the real code against an object store, and
// against a folder.

// machines are so many that each measure every shard of a plan once.
type machines struct {
	machines, shards int
	samples          int // of a machine, in all shards
	files            int // that an attempt brings: run.json, samples.txt, what the compiler said, what was recorded
	read             int // of those, what a report reads
	perSample        int // bytes of samples.txt
}

func (m machines) attempts() int { return m.machines * m.shards }

// objects are what lies in the place: the plan, and of each attempt its files, begun.json and done.json.
func (m machines) objects() int { return 1 + m.attempts()*(m.files+2) }

// A traffic is requests of an object store by their kind.
type traffic struct{ put, list, get int }

func (a traffic) minus(b traffic) traffic {
	return traffic{a.put - b.put, a.list - b.list, a.get - b.get}
}

// puts is how many requests bring a file: one, or from 16 MiB on parts of 8 MiB, with one before and one
// behind them.
func puts(bytes int) int {
	const part = 8 << 20
	if bytes <= 2*part {
		return 1
	}
	return 2 + (bytes+part-1)/part
}

// pages is how many requests list so many keys.
func pages(keys int) int { return (keys + 999) / 1000 }

// measuring is what the attempts ask of the place: each brings the plan, lists what there is of its shard,
// says that it begins, and brings its files and done.json.
func (m machines) measuring() traffic {
	each := 3 + m.files - 1 + puts(m.samples/m.shards*m.perSample)
	return traffic{put: m.attempts() * each, list: m.attempts(), get: m.attempts() - 1}
}

// looking is what memcost status asks of it: the plan, all keys, and begun.json and done.json of each attempt.
func (m machines) looking() traffic {
	return traffic{list: pages(m.objects()), get: 1 + 2*m.attempts()}
}

// collecting is what memcost report and memcost pack ask of it: the same, and the files.
func (m machines) collecting() traffic {
	t := m.looking()
	t.get += m.attempts() * m.read
	return t
}

// An objectStore counts what is asked of it.
type objectStore struct {
	http.Handler
	mu   sync.Mutex
	seen traffic
	odd  []string
}

func (s *objectStore) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	switch {
	case r.Method == http.MethodPut || r.Method == http.MethodPost:
		s.seen.put++
	case r.Method == http.MethodGet && r.URL.Query().Has("list-type"):
		s.seen.list++
	case r.Method == http.MethodGet:
		s.seen.get++
	default:
		s.odd = append(s.odd, r.Method+" "+r.URL.String())
	}
	s.mu.Unlock()
	s.Handler.ServeHTTP(w, r)
}

// since returns what was asked since the last call.
func (s *objectStore) since(last *traffic) traffic {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.seen.minus(*last)
	*last = s.seen
	return d
}

// measure brings the attempts of all machines to a place, as memcost run --plan does but for the measuring.
func (m machines) measure(t *testing.T, f *File, at *place.Place) {
	t.Helper()
	for i := range m.machines {
		for shard := 1; shard <= m.shards; shard++ {
			a := attempt(f, fmt.Sprintf("k-%012d", i), shard, 0)
			a.Shards, a.Whole = m.shards, true
			if err := writePlan(t.Context(), at, f); err != nil {
				t.Fatal(err)
			}
			o := Options{To: at, Results: "none"}
			if err := claimNumber(t.Context(), o, &a, begun{Expected: time.Hour}); err != nil {
				t.Fatal(err)
			}
			dir := measured(t, f, a, m.samples/m.shards)
			if err := send(t.Context(), at, dir); err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// inSize is the size of the simulation: small in make test, and 1,000 machines of 1,000 samples in make
// test-long.
func inSize() machines {
	m := machines{machines: 20, shards: 3, samples: 3, files: 2, read: 2, perSample: 630}
	if os.Getenv("MEMCOST_LONG") != "" {
		m.machines, m.samples = 1000, 1000
	}
	return m
}

// The requests of machines at an object store, and of who looks at what they brought, are those of the
// model.
func TestSimulationOfAnObjectStore(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "anyone")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "anything")
	memory := s3mem.New()
	if err := memory.CreateBucket("memcost"); err != nil {
		t.Fatal(err)
	}
	objects := &objectStore{Handler: gofakes3.New(memory).Server()}
	server := httptest.NewServer(objects)
	defer server.Close()
	at, err := place.Open(t.Context(), "s3://memcost/p?region=us-east-1&use_path_style=true&endpoint="+server.URL, true)
	if err != nil {
		t.Fatal(err)
	}
	m, f, last := inSize(), aPlan(1), traffic{}
	m.run(t, f, at, func(doing string, want traffic) {
		if got := objects.since(&last); got != want {
			t.Errorf("%s: %+v requests, and the model says %+v", doing, got, want)
		}
	})
	if len(objects.odd) > 0 {
		t.Errorf("requests that the model does not know: %q", objects.odd[:1])
	}
	for _, size := range []int{1 << 20, 15 << 20, 17 << 20, 40 << 20} {
		if err := at.Upload(t.Context(), "large", io.LimitReader(zeros{}, int64(size))); err != nil {
			t.Fatal(err)
		}
		if got := objects.since(&last); got != (traffic{put: puts(size)}) {
			t.Errorf("%d bytes: %+v requests, and the model says %d", size, got, puts(size))
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// In a folder there are as many files, and none beside them.
func TestSimulationOfAFolder(t *testing.T) {
	m, f := inSize(), aPlan(1)
	at := aPlace(t)
	m.run(t, f, at, func(string, traffic) {})
	files, bytes := 0, int64(0)
	err := filepath.WalkDir(at.Name, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		files, bytes = files+1, bytes+info.Size()
		return err
	})
	if err != nil || files != m.objects() {
		t.Errorf("%d files, and the model says %d; %v", files, m.objects(), err)
	}
	t.Logf("%d files with %d bytes", files, bytes)
}

// run lets the machines measure, and looks at the place as memcost status, memcost pack and memcost report do.
func (m machines) run(t *testing.T, f *File, at *place.Place, asked func(doing string, want traffic)) {
	t.Helper()
	start := time.Now()
	took := func(doing string) {
		t.Logf("%s: %v", doing, time.Since(start).Round(time.Millisecond))
		start = time.Now()
	}
	m.measure(t, f, at)
	took("bringing")
	asked("bringing", m.measuring())
	s, err := StatusOf(t.Context(), at, f.Hash, time.Now())
	if err != nil || len(s.Machines) != m.machines || len(s.Machines[0].Done) != m.shards {
		t.Fatalf("status: %v", err)
	}
	took("status")
	asked("status", m.looking())
	all, err := Attempts(t.Context(), at, f.Hash, func(s string) { t.Error(s) })
	if err != nil || len(all) != m.attempts() {
		t.Fatalf("%d attempts, %v", len(all), err)
	}
	samples, dir := 0, t.TempDir()
	for i, a := range all {
		to := filepath.Join(dir, fmt.Sprint(i))
		x, ok, err := a.Fetch(t.Context(), to, func(s string) { t.Error(s) })
		if err != nil || !ok {
			t.Fatal(err)
		}
		if _, err := x.Samples(func(*benchfmt.Result) error { samples++; return nil }); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(to); err != nil {
			t.Fatal(err)
		}
	}
	if want := m.attempts() * (m.samples / m.shards); samples != want {
		t.Errorf("%d samples came back, of %d", samples, want)
	}
	took("fetching one attempt after the other")
	asked("fetching", m.collecting())
	sets, notes := collected(t, f.Hash, at)
	if len(sets) != m.machines || notes != "" {
		t.Errorf("%d data sets, noted %q", len(sets), notes)
	}
	took("joining all")
	asked("joining", m.collecting())
}

// docs/fleet.md has the figures of the model for 1,000 machines of a million samples with 8 shards.
func TestDocumentedSimulation(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "fleet.md"))
	if err != nil {
		t.Fatal(err)
	}
	m := machines{machines: 1000, shards: 8, samples: 1e6, files: 15, read: 11, perSample: 630}
	for _, n := range []int{m.objects(), m.measuring().put, m.measuring().list, m.looking().list, m.looking().get,
		m.collecting().get} {
		if !strings.Contains(string(text), units.Thousands(n)) {
			t.Errorf("docs/fleet.md does not have %s, of %+v", units.Thousands(n), m)
		}
	}
}
