package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// testdata/benchstat.csv is what benchstat said of two runs of one binary on a
// busy machine of two cores.
func TestParseBenchstat(t *testing.T) {
	data, err := os.ReadFile("testdata/benchstat.csv")
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := parseBenchstat(data)
	if err != nil {
		t.Fatal(err)
	}
	if len(pairs) != aaCases {
		t.Fatalf("%d pairs, want %d", len(pairs), aaCases)
	}
	for _, p := range pairs {
		// benchstat shows the difference twice: as "~" or not, and by p.
		row := string(data[bytes.Index(data, []byte(p.Case+",")):])
		row, _, _ = strings.Cut(row, "\n")
		if p.Different == strings.Contains(row, ",~,") || p.Rounds != aaSamples || !(p.Ratio > 0) {
			t.Errorf("%+v from %s", p, row)
		}
	}
	if n := count(pairs, isDifferent); n == 0 || n == len(pairs) {
		t.Errorf("%d of %d are different: the file shows nothing", n, len(pairs))
	}
}

func TestParseBenchstatRows(t *testing.T) {
	const head = "goos: linux\n,a.txt,,b.txt,,,\n,sec/op,CI,sec/op,CI,vs base,P\n"
	for _, c := range []struct {
		name, text string
		want       pair
		fails      string
	}{
		{name: "different", text: head + "A-2,2e-06,1%,3e-06,1%,+50.00%,p=0.000 n=10\ngeomean,1,,1,,,\n",
			want: pair{Case: "A-2", Different: true, Ratio: 1.5, Rounds: 10}},
		{name: "alike", text: head + "A-2,2e-06,1%,3e-06,∞,~,p=0.051 n=9+10\ngeomean,1,,1,,,\n",
			want: pair{Case: "A-2", Ratio: 1.5, Rounds: 9}},
		{name: "equal medians", text: head + "A-2,2e-06,1%,2e-06,1%,0.00%,p=0.002 n=10\ngeomean,1,,1,,,\n",
			want: pair{Case: "A-2", Different: true, Ratio: 1, Rounds: 10}},
		{name: "one file", text: head + "A-2,2e-06,1%\ngeomean,1,,1,,,\n", fails: "missing from one file"},
		{name: "cut", text: head + "A-2,2e-06,1%,2e-06,1%,~,p=1.000 n=10\n", fails: "without a geomean"},
		{name: "no figure", text: head + "A-2,x,1%,2e-06,1%,~,p=1.000 n=10\ngeomean,1,,1,,,\n",
			fails: "invalid syntax"},
		{name: "one column", text: "goos: linux\n,a.txt,\n,sec/op,CI\nA-2,2e-06,1%\n", fails: "compares no sec/op"},
		{name: "nothing", text: "", fails: "compares no sec/op"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseBenchstat([]byte(c.text))
			switch {
			case c.fails == "" && (err != nil || len(got) != 1 || got[0] != c.want):
				t.Errorf("%+v, %v; want %+v", got, err, c.want)
			case c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)):
				t.Errorf("%v; want %q", err, c.fails)
			}
		})
	}
}

func FuzzParseBenchstat(f *testing.F) {
	data, err := os.ReadFile("testdata/benchstat.csv")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte("\n,sec/op,CI,sec/op,CI,vs base,P\n\"\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		pairs, err := parseBenchstat(data)
		if err != nil && pairs != nil {
			t.Errorf("%v beside the error %v", pairs, err)
		}
	})
}
