package pack

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/perf/benchfmt"

	"memcost/internal/measure/plan"
)

// A Source is a run that is packed.
type Source struct {
	Name     string // for messages
	Question *plan.Question
	JSON     []byte // the question, as run.json has it
	// Samples streams the samples in the order in which they were taken, and returns what is wrong with
	// them. A Result belongs to the reader.
	Samples func(fn func(*benchfmt.Result) error) (warnings []error, err error)
}

// A row is a run in RunsFile.
type row struct {
	Run            string    `parquet:"run"`
	Name           string    `parquet:"name"`
	Kind           string    `parquet:"kind,dict"`
	Month          string    `parquet:"month,dict"`
	Machine        string    `parquet:"machine"`
	Host           string    `parquet:"host"`
	CPU            string    `parquet:"cpu,dict"`
	CPUs           int32     `parquet:"cpus"`
	Memory         int64     `parquet:"memory_bytes"`
	OS             string    `parquet:"os,dict"`
	Arch           string    `parquet:"arch,dict"`
	Kernel         string    `parquet:"kernel,dict"`
	Virtualization string    `parquet:"virtualization,dict"`
	Tool           string    `parquet:"tool,dict"`
	Created        time.Time `parquet:"created,timestamp(microsecond)"`
	Plan           *string   `parquet:"plan,dict"`
	Boot           string    `parquet:"boot"`
	Shard          *int32    `parquet:"shard"`
	Shards         *int32    `parquet:"shards"`
	Attempt        *int32    `parquet:"attempt"`
	Ended          *string   `parquet:"ended"`
	Whole          *bool     `parquet:"whole"`
	Samples        int64     `parquet:"samples"`
	Question       string    `parquet:"question,json,zstd"`
}

// RunOf returns what a pack says of a run, but for its samples. Two copies of an attempt have one ID.
func RunOf(q *plan.Question, json []byte, name string) Run {
	r := Run{Name: name, Kind: q.Machine.Kind(), Month: monthOf(q), Host: q.Machine.Hostname}
	id := sha256.Sum256(json)
	r.Machine = r.Kind + "-" + r.Host
	if a := q.Attempt; a != nil {
		id = sha256.Sum256([]byte(a.ID() + " " + a.Token))
		r.Machine, r.Plan = a.Machine, a.Plan
		r.Kind, _, _ = strings.Cut(a.Machine, "-")
	}
	r.ID = hex.EncodeToString(id[:6])
	return r
}

// monthOf returns the month in which a run began, by the machine's clock.
func monthOf(q *plan.Question) string {
	began := q.Created
	if q.Attempt != nil {
		began = q.Attempt.Began
	}
	return began.UTC().Format("2006-01")
}

func rowOf(r Run, src Source) row {
	q, m := src.Question, src.Question.Machine
	x := row{Run: r.ID, Name: r.Name, Kind: r.Kind, Month: r.Month, Machine: r.Machine, Host: r.Host, CPU: m.CPUModel,
		CPUs: int32(m.CPUs), Memory: m.MemoryBytes, OS: m.OS, Arch: m.Arch, Kernel: m.Kernel,
		Virtualization: m.Virtualization, Tool: q.Tool, Created: q.Created, Boot: m.BootID, Samples: r.Samples,
		Question: string(src.JSON)}
	if a := q.Attempt; a != nil {
		shard, shards, number := int32(a.Shard), int32(a.Shards), int32(a.Number)
		x.Plan, x.Boot, x.Shard, x.Shards, x.Attempt = &a.Plan, a.Boot, &shard, &shards, &number
		x.Ended, x.Whole = &a.Ended, &a.Whole
	}
	return x
}

// questionAt reads the question of the run at an index.
func questionAt(r io.ReaderAt, size int64, index int) (_ []byte, err error) {
	defer func() {
		if x := recover(); x != nil { // of the library, where a page is damaged
			err = fmt.Errorf("it is damaged: %v", x)
		}
	}()
	f, err := parquet.OpenFile(r, size, parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	rows := parquet.NewGenericReader[struct {
		Question string `parquet:"question"`
	}](f)
	defer rows.Close()
	if err := rows.SeekToRow(int64(index)); err != nil {
		return nil, err
	}
	one := make([]struct {
		Question string `parquet:"question"`
	}, 1)
	if n, err := rows.Read(one); n < 1 {
		if err == nil || errors.Is(err, io.EOF) {
			err = fmt.Errorf("it has %d runs, and none of the number %d", f.NumRows(), index)
		}
		return nil, err
	}
	return []byte(one[0].Question), nil
}
