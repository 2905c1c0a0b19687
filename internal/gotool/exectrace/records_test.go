package exectrace

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
)

func TestRecords(t *testing.T) {
	tr := readAll(t, captured(t)["go1.27.4"], Options{})
	records := tr.Records("Trace/program=program", benchfmt.Config{Key: "toolchain", Value: []byte("go1.27.4"),
		File: true})
	var b bytes.Buffer
	w := benchfmt.NewWriter(&b)
	for _, r := range records {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	values := map[string]float64{}
	for r := benchfmt.NewReader(&b, "records"); r.Scan(); {
		result, ok := r.Result().(*benchfmt.Result)
		if !ok {
			t.Fatal(r.Result())
		}
		if result.GetConfig("toolchain") != "go1.27.4" {
			t.Errorf("%s has no configuration", result.Name)
		}
		for _, v := range result.Values {
			values[strings.TrimPrefix(string(result.Name), "Trace/program=program")+" "+v.Unit] = v.Value
		}
	}
	for unit, want := range map[string]float64{
		" gc-cycles": float64(tr.GC.N), " stw-gc": float64(2 * tr.GC.N), " stw-gc-sec": tr.STW.GC.Total.Seconds(),
		" gc-cpu-share":   tr.ProcTime.GCShare(),
		" sched-wait-sec": tr.User.SchedWait.Seconds(), " goroutines": 10, " threads": float64(tr.Threads),
		" mmu-1ms": tr.MMU[0].Util, " mmu-10ms": tr.MMU[1].Util,
		" stw-tool": float64(tr.STW.Tool.N), "/stw=read-mem-stats stw": 3,
		"/stw=GC-mark-termination stw-max-sec": tr.STW.Reasons[2].Max.Seconds(),
		"/block=chan-receive block-sec":        0, "/worker=dedicated runs": float64(tr.GC.Workers[0].Runs),
	} {
		got, ok := values[unit]
		if !ok || want != 0 && fmt.Sprintf("%.6g", got) != fmt.Sprintf("%.6g", want) {
			t.Errorf("%q is %g, %v; want %g", unit, got, ok, want)
		}
	}
	if _, ok := values[" mmu-100ms"]; ok != !tr.MMU[2].Whole {
		t.Error("a window that does not fit into the trace has a figure, or one that does has none")
	}
}
