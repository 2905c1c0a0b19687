package exchange

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
)

var nan = math.NaN()

var answers = []Row{
	{"vm", "smaug", "Smaug/place=heap/size=64", "sec/op", 82.3499e-9, 80e-9, 85e-9, 40},
	{"vm", "smaug", "Smaug/place=heap/size=64", "B/op", 64, 64, 64, 40},
	{"vm", "smaug", "Smaug/place=heap/size=64", "allocs/op", 1, nan, nan, 40},
	{"vm", "smaug", "Smaug/place=heap/size=64", "B/sec", 1.5e9, nan, nan, 0},
	{"vm", "smaug", "Less<a&b>, \"quoted\"", "sec/op", 2.5e-9, nan, nan, 0},
	{"vm", "smaug", "Unknown", "sec/op", nan, nan, nan, 40},
}

const wantAction = `[
  {
    "name": "smaug/Smaug/place=heap/size=64",
    "unit": "ns/op",
    "value": 82.3499,
    "range": "± 2.5",
    "extra": "data: vm\ninterval: 80 to 85 ns/op\nrounds: 40"
  },
  {
    "name": "smaug/Smaug/place=heap/size=64 - B/op",
    "unit": "B/op",
    "value": 64,
    "range": "± 0",
    "extra": "data: vm\ninterval: 64 to 64 B/op\nrounds: 40"
  },
  {
    "name": "smaug/Smaug/place=heap/size=64 - allocs/op",
    "unit": "allocs/op",
    "value": 1,
    "extra": "data: vm\nrounds: 40"
  },
  {
    "name": "smaug/Less<a&b>, \"quoted\"",
    "unit": "ns/op",
    "value": 2.5,
    "extra": "data: vm"
  }
]
`

const wantBencher = `{
  "smaug/Less<a&b>, \"quoted\"": {
    "latency": {
      "value": 2.5
    }
  },
  "smaug/Smaug/place=heap/size=64": {
    "allocated": {
      "value": 64,
      "lower_value": 64,
      "upper_value": 64
    },
    "allocations": {
      "value": 1
    },
    "byte-throughput": {
      "value": 1500000000
    },
    "latency": {
      "value": 82.3499,
      "lower_value": 80,
      "upper_value": 85
    }
  }
}
`

const wantCSV = `data,study,case,unit,value,lo,hi,n
vm,smaug,Smaug/place=heap/size=64,sec/op,8.23499e-08,8e-08,8.5e-08,40
vm,smaug,Smaug/place=heap/size=64,B/op,64,64,64,40
vm,smaug,Smaug/place=heap/size=64,allocs/op,1,,,40
vm,smaug,Smaug/place=heap/size=64,B/sec,1.5e+09,,,
vm,smaug,"Less<a&b>, ""quoted""",sec/op,2.5e-09,,,
vm,smaug,Unknown,sec/op,,,,40
`

func TestWriteRows(t *testing.T) {
	for format, want := range map[Format]string{Action: wantAction, Bencher: wantBencher, CSV: wantCSV} {
		var got bytes.Buffer
		if err := WriteRows(&got, format, answers); err != nil {
			t.Errorf("%s: %v", format, err)
		}
		if got.String() != want {
			t.Errorf("%s:\n%s\nwant:\n%s", format, &got, want)
		}
		if sniffed := Sniff(got.Bytes()); sniffed != format {
			t.Errorf("%s is taken for %s", format, sniffed)
		}
	}
}

// What was written is read back with the values it had.
func TestRowsComeBack(t *testing.T) {
	for format, units := range map[Format][]string{
		Action: {"sec/op", "B/op", "allocs/op"}, Bencher: {"sec/op", "B/op", "allocs/op", "B/sec"},
		CSV: {"sec/op", "B/op", "allocs/op", "B/sec"},
	} {
		var file bytes.Buffer
		if err := WriteRows(&file, format, answers); err != nil {
			t.Fatal(err)
		}
		results, _, err := readAll(&file, "f", format)
		if err != nil || len(results) != 2 {
			t.Fatalf("%s: %d results, error %v", format, len(results), err)
		}
		slices.SortFunc(results, func(a, b *benchfmt.Result) int { return len(b.Name) - len(a.Name) }) // Smaug's first
		for i, unit := range units {
			got, ok := results[0].Value(unit)
			if want := answers[i].Value; !ok || math.Abs(got-want) > 1e-12*want {
				t.Errorf("%s: %s came back as %v (%v), want %v", format, unit, got, ok, want)
			}
		}
		if name := results[0].Name.String(); !strings.HasSuffix(name, "Smaug/place=heap/size=64") {
			t.Errorf("%s: the name came back as %s", format, name)
		}
		if format == CSV && (results[0].GetConfig("study") != "smaug" || results[0].GetConfig("data") != "vm" ||
			results[0].Iters != 40) {
			t.Errorf("csv: study %q, data %q, n %d", results[0].GetConfig("study"), results[0].GetConfig("data"),
				results[0].Iters)
		}
	}
}

func TestWriteRowsNamesData(t *testing.T) {
	rows := []Row{
		{"old", "", "X", "sec/op", 1e-9, nan, nan, 0},
		{"new", "", "X", "sec/op", 2e-9, nan, nan, 0},
	}
	var got bytes.Buffer
	if err := WriteRows(&got, Bencher, rows); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{`"X (old)"`, `"X (new)"`} {
		if !strings.Contains(got.String(), name) {
			t.Errorf("no %s in %s", name, &got)
		}
	}
}

// Rates alone make a file of customBiggerIsBetter.
func TestWriteActionRates(t *testing.T) {
	var got bytes.Buffer
	if err := WriteRows(&got, Action, answers[3:4]); err != nil {
		t.Fatal(err)
	}
	if want := "\"name\": \"smaug/Smaug/place=heap/size=64 - B/sec\",\n    \"unit\": \"B/sec\",\n    \"value\": 1500000000"; !strings.Contains(
		got.String(), want) {
		t.Errorf("no %s in %s", want, &got)
	}
}

func TestWriteRowsRefuses(t *testing.T) {
	twice := []Row{answers[0], answers[0]}
	for _, test := range []struct {
		format Format
		rows   []Row
		want   string
	}{
		{Action, nil, "no row with a value"},
		{Bencher, answers[5:], "no row with a value"},
		{Action, twice, `"smaug/Smaug/place=heap/size=64" would be there twice`},
		{Bencher, twice, `measure latency of "smaug/Smaug/place=heap/size=64" would be there twice`},
		{Google, answers, "a format for samples"},
		{Go, answers, "a format for samples"},
	} {
		var out bytes.Buffer
		err := WriteRows(&out, test.format, test.rows)
		if err == nil || !strings.Contains(err.Error(), test.want) ||
			!strings.HasPrefix(err.Error(), `writing rows as "`+string(test.format)) {
			t.Errorf("%s: error %v, want %s", test.format, err, test.want)
		}
		if out.Len() > 0 {
			t.Errorf("%s: wrote %q all the same", test.format, &out)
		}
	}
}

func TestWriteRowsToFullDisk(t *testing.T) {
	full := errors.New("no space left on device")
	for _, format := range []Format{Action, Bencher, CSV} {
		if err := WriteRows(refusing{full}, format, slices.Clone(answers)); !errors.Is(err, full) {
			t.Errorf("%s: error %v", format, err)
		}
	}
}

type refusing struct{ err error }

func (r refusing) Write([]byte) (int, error) { return 0, r.err }
