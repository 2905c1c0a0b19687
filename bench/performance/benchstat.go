package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// parseBenchstat reads the output of benchstat -format csv for two files: the rows of
// the sec/op table. A difference that is significant at its α of 0.05 has a percentage
// in the column "vs base", any other a "~".
func parseBenchstat(data []byte) ([]pair, error) {
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("reading benchstat's table: %w", err)
	}
	header := slices.IndexFunc(rows, func(row []string) bool {
		return slices.Equal(row, []string{"", "sec/op", "CI", "sec/op", "CI", "vs base", "P"})
	})
	if header < 0 {
		return nil, fmt.Errorf("reading benchstat's table: it compares no sec/op")
	}
	var out []pair
	for _, row := range rows[header+1:] {
		if row[0] == "geomean" {
			return out, nil
		}
		p, err := benchstatPair(row)
		if err != nil {
			return nil, fmt.Errorf("reading benchstat's table: row %q: %w", row, err)
		}
		out = append(out, p)
	}
	return nil, fmt.Errorf("reading benchstat's table: it ends without a geomean")
}

func benchstatPair(row []string) (pair, error) {
	if len(row) != 7 {
		return pair{}, fmt.Errorf("%d fields instead of 7: the benchmark is missing from one file", len(row))
	}
	first, err := strconv.ParseFloat(row[1], 64)
	if err != nil {
		return pair{}, err
	}
	second, err := strconv.ParseFloat(row[3], 64)
	if err != nil {
		return pair{}, err
	}
	_, count, ok := strings.Cut(row[6], " n=")
	if !ok {
		return pair{}, fmt.Errorf("%q does not say p and n", row[6])
	}
	least, _, _ := strings.Cut(count, "+") // "9+10" where the files differ
	n, err := strconv.Atoi(least)
	if err != nil {
		return pair{}, err
	}
	return pair{Case: row[0], Different: row[5] != "~", Ratio: second / first, Rounds: n}, nil
}
