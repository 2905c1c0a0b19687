package fleet

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"memcost/internal/fleet/place"
)

// In a bucket shards meet as in a folder.
func TestBucket(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "anyone")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "anything")
	objects := s3mem.New()
	if err := objects.CreateBucket("memcost"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(objects).Server())
	defer server.Close()
	at, err := place.Open(t.Context(), "s3://memcost/p?region=us-east-1&use_path_style=true&endpoint="+server.URL, true)
	if err != nil {
		t.Fatal(err)
	}
	f := aPlan(1)
	for range 2 { // each machine brings the plan
		if err := writePlan(t.Context(), at, f); err != nil {
			t.Fatal(err)
		}
	}
	for shard := range 2 {
		a := attempt(f, "m1", 1+shard, 0)
		a.Whole = true
		if err := writeBegun(t.Context(), Options{To: at}, a, begun{Expected: time.Hour}); err != nil {
			t.Fatal(err)
		}
		if err := writeBegun(t.Context(), Options{To: at}, a, begun{}); err == nil {
			t.Error("an attempt was begun twice")
		}
		if err := send(t.Context(), at, measured(t, f, a, 3+shard)); err != nil {
			t.Fatal(err)
		}
	}
	if plans, err := Plans(t.Context(), at); err != nil || fmt.Sprint(plans) != "["+f.Hash+"]" {
		t.Errorf("plans %q, %v", plans, err)
	}
	s, err := StatusOf(t.Context(), at, f.Hash, time.Now())
	if err != nil || len(s.Machines) != 1 || fmt.Sprint(s.Machines[0].Done, s.Machines[0].NotBegun) != "[1 2] [3]" {
		t.Errorf("%+v, %v", s, err)
	}
	if sets, notes := collected(t, f.Hash, at); fmt.Sprint(sets) != "[map[C0:3 C1:4]]" ||
		!strings.Contains(notes, "1 of 3 cases are missing, for nothing of their shards is here: C2") {
		t.Errorf("joined %v, noted %q", sets, notes)
	}
}
