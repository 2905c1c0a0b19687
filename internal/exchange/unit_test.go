package exchange

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/perf/benchfmt"
)

func TestUnits(t *testing.T) {
	for _, test := range []struct {
		unit  string
		value float64
		want  benchfmt.Value
		known bool
	}{
		{"ns/op", 1500, benchfmt.Value{Value: 1500 * 1e-9, Unit: "sec/op", OrigValue: 1500, OrigUnit: "ns/op"}, true},
		{"ns/op", 0, benchfmt.Value{Unit: "sec/op", OrigUnit: "ns/op"}, true},
		{"us/iter", 1.5, benchfmt.Value{Value: 1500 * 1e-9, Unit: "sec/op", OrigValue: 1500, OrigUnit: "ns/op"}, true},
		{"\u00b5s", 1.5, benchfmt.Value{Value: 1500 * 1e-9, Unit: "sec/op", OrigValue: 1500, OrigUnit: "ns/op"}, true},
		{"sec/op", 1.5e-8, benchfmt.Value{Value: 1.5e-8, Unit: "sec/op", OrigValue: 15, OrigUnit: "ns/op"}, true},
		{"Seconds", 2, benchfmt.Value{Value: 2, Unit: "sec/op", OrigValue: 2e9, OrigUnit: "ns/op"}, true},
		{"cpu-ns/op", 2, benchfmt.Value{Value: 2 * 1e-9, Unit: "cpu-sec/op", OrigValue: 2, OrigUnit: "cpu-ns/op"},
			true},
		{"B/op", 3, benchfmt.Value{Value: 3, Unit: "B/op"}, true},
		{"allocs/op", 3, benchfmt.Value{Value: 3, Unit: "allocs/op"}, true},
		{"MB/s", 3, benchfmt.Value{Value: 3e6, Unit: "B/sec"}, true},
		{"KiB/sec", 3, benchfmt.Value{Value: 3072, Unit: "B/sec"}, true},
		{"Megabytes", 3, benchfmt.Value{Value: 3e6, Unit: "B"}, true},
		{"ops/sec", 3, benchfmt.Value{Value: 3, Unit: "ops/sec"}, true},
		{"ops/ms", 3, benchfmt.Value{Value: 3000, Unit: "ops/sec"}, true},
		{"iter/sec", 3, benchfmt.Value{Value: 3, Unit: "ops/sec"}, true},
		{"Percent", 3, benchfmt.Value{Value: 3, Unit: "Percent"}, false},
		{"gc-ns", 4, benchfmt.Value{Value: 4e-9, Unit: "gc-sec", OrigValue: 4, OrigUnit: "gc-ns"}, false},
		{"CPU load\u2028 %", 3, benchfmt.Value{Value: 3, Unit: "CPU_load__%"}, false},
		{"", 3, benchfmt.Value{Value: 3, Unit: "value"}, false},
		{"Mb/s", 3, benchfmt.Value{Value: 3, Unit: "Mb/s"}, true},
	} {
		u, known := parseUnit(test.unit)
		if got := u.value(test.value); got != test.want || known != test.known {
			t.Errorf("%v %q: %+v (known: %v), want %+v (%v)", test.value, test.unit, got, known, test.want, test.known)
		}
	}
}

func TestNames(t *testing.T) {
	for google, want := range map[string]string{
		"BM_Foo/4096/size:64/threads:2/real_time": "Foo/4096/size=64/threads=2/real_time",
		"BenchmarkFoo":                 "Foo",
		"BM_":                          "BM_",
		"std::sort<int>/min_time:0.5":  "std::sort<int>/min_time=0.5",
		"BM_f<std::less<>>/std::x/a:b": "f<std::less<>>/std::x/a=b",
		"BM_a b\tc\x00d":               "a_b_c_d",
		"BM_a/:b/c:":                   "a/:b/c=",
	} {
		if got := GoogleName(google); got != want {
			t.Errorf("%q is %q, want %q", google, got, want)
		}
	}
	for _, name := range []string{"Smaug/place=heap/size=64-8", "BM_twice", "Plain", "f<std::less<>>/a=b:c"} {
		if got := GoogleName(toGoogleName(name)); got != name {
			t.Errorf("%q comes back from %q as %q", name, toGoogleName(name), got)
		}
	}
}

// The filter mends what is no JSON, wherever its input is cut into pieces, and
// leaves everything else alone.
func TestJSONFilter(t *testing.T) {
	in := "{\"a\": NaN, \"b\": -Infinity,\n\"NaN\": \"inf \\\" NaN\x01\n\t\", \"c\": [nan,true,-1.5e+07,null]}\n"
	want := "{\"a\": \"NaN\", \"b\": \"-Infinity\",\n\"NaN\": \"inf \\\" NaN   \", \"c\": " +
		"[\"nan\",true,-1.5e+07,null]}\n"
	for name, r := range map[string]io.Reader{
		"whole": strings.NewReader(in), "bytes": iotest.OneByteReader(strings.NewReader(in)),
		"data with end": iotest.DataErrReader(strings.NewReader(in)),
	} {
		got, err := io.ReadAll(newJSONFilter(r))
		if err != nil || string(got) != want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
		if !json.Valid(got) {
			t.Errorf("%s: %q is not JSON", name, got)
		}
	}
	small := newJSONFilter(strings.NewReader(in))
	if got, err := io.ReadAll(iotest.OneByteReader(small)); err != nil || string(got) != want {
		t.Errorf("read by the byte: %q, %v", got, err)
	}
	if line := small.lineAt(0, int64(strings.Index(want, "true"))); line != 3 {
		t.Errorf("true is on line %d, want 3", line)
	}
}

func TestSniff(t *testing.T) {
	for text, want := range map[string]Format{
		"":                       Go,
		"goos: linux\nBenchmark": Go,
		"BenchmarkX 1 2 ns/op\n": Go,
		"name: x, ns/op\n":       Go,
		`{"Time":"2026-01-01","Action":"start","Package":"p"}`: Go,
		"[setup] starting\n":                    Go,
		"{}":                                    Go,
		byteOrderMark + "\n{\"context\": {\"d":  Google,
		`{"version": {}, "benchmarks": [ {"na`:  Google,
		`{"a": {"x": {"value": NaN}}, "benchma`: Bencher,
		`{"a": {"latency": {"val`:               Bencher,
		"[{\"name\"":                            Action,
		"\n\t[ ]":                               Action,
		"window.BENCHMARK_DATA = {":             Action,
		"data,study,case,unit,value,lo,hi,n\n":  CSV,
		byteOrderMark + "Name, ns/op\r\nx,1":    CSV,
		"\"benchmark\",MB/s":                    CSV,
		"name,colour\n":                         Go,
	} {
		if got := Sniff([]byte(text)); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
	long := append([]byte(`{"context": {"caches": [`), bytes.Repeat([]byte(`{"level": 1},`), 1000)...)
	if got := Sniff(long[:4<<10]); got != Google {
		t.Errorf("a long context is %s", got)
	}
}
