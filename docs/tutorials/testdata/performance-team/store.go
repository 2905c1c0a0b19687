// Package store finds records by their keys.
package store

// A Record is what is stored.
type Record struct {
	Key  string
	Data [240]byte
}

// Sum adds up what all records hold.
func Sum(records []Record) int {
	sum := 0
	for i := range records {
		sum += int(records[i].Data[0])
	}
	return sum
}

// Keys lists the keys of all records.
func Keys(records []Record) []string {
	keys := make([]string, 0, len(records))
	for i := range records {
		keys = append(keys, records[i].Key)
	}
	return keys
}
