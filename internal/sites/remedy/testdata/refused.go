package refused

import (
	"bytes"
	"fmt"
	"io"
)

type item struct{ next *item }

func chained(first *item) []*item {
	var out []*item
	for i := first; i != nil; i = i.next {
		out = append(out, i) // append-growth: the length is not known
	}
	return out
}

func asked(xs []int) []int {
	var out []int
	for _, x := range xs {
		out = append(out, x) // append-growth: whether it is nil is asked
	}
	if out == nil {
		return []int{-1}
	}
	return out
}

func changed(xs []int) []int {
	var out []int
	for _, x := range xs {
		xs = append(xs, x)
		out = append(out, x) // append-growth: what is ranged over changes
	}
	return out
}

func outer(n int, xs []int) []int {
	var out []int
	for i := 0; i < n; i++ {
		for _, x := range xs {
			out = append(out, x) // append-growth: several times the length
		}
	}
	return out
}

func channel(in chan int) []int {
	var out []int
	for x := range in {
		out = append(out, x) // append-growth: a channel has no final length
	}
	return out
}

func guarded(p *struct{ xs []int }) []int {
	var out []int
	if p == nil {
		return nil
	}
	for _, x := range p.xs {
		out = append(out, x) // append-growth: p may be nil where out is declared
	}
	return out
}

func foreign(xs other) []int {
	var out []int
	for _, x := range xs {
		out = append(out, x) // append-growth: the type is not in this file
	}
	return out
}

type id int

func (i id) String() string { return "id" }

func shown(i id, v any, err error, n int) []string {
	return []string{
		fmt.Sprint(i),               // fmt: it has a method String
		fmt.Sprint(v),               // fmt: anything
		fmt.Sprint(err),             // fmt: it may be nil
		fmt.Sprintf("%5d", n),       // fmt: a width
		fmt.Sprintf("%d, %d", n, n), // fmt: two
		fmt.Sprintf("%x", n),        // fmt: hexadecimal
	}
}

func shadowed(n int) string {
	strconv := 1
	_ = strconv
	return fmt.Sprint(n) // fmt: strconv is something else here
}

func read(parts []string) string {
	text := ""
	for _, p := range parts {
		text += p // concat: it is read in the loop
		if len(text) > 80 {
			break
		}
	}
	return text
}

func named(parts []string) (text string) {
	for _, p := range parts {
		text += p // concat: a result with a name may be read by a deferred call
	}
	return
}

func labelled(parts [][]string) string {
	text := ""
outer:
	for _, list := range parts {
		for _, p := range list {
			text += p // concat: a label
			if p == "" {
				continue outer
			}
		}
	}
	return text
}

func captured(parts []string) string {
	text := ""
	show := func() { fmt.Println(text) }
	for _, p := range parts {
		text += p // concat: a function literal reads it
		show()
	}
	return text
}

type runes string

func converted(w io.Writer, b []byte, s string, r runes, out *bytes.Buffer) {
	w.Write([]byte(s))                    // text-conversion: any writer
	out.Write([]byte(r))                  // text-conversion: it is no string
	_ = append([]rune(nil), []rune(s)...) // text-conversion: runes
	keep(string(b))                       // text-conversion: it may be kept
}

func keep(string) {}

func read2(r io.Reader, n int) (sum int) {
	for i := 0; i < 3; i++ {
		b := make([]byte, n) // variable-make: the reader may keep it
		r.Read(b)
		sum += len(b)
	}
	return sum
}

func returned(n int) [][]byte {
	out := make([][]byte, 3)
	for i := range out {
		b := make([]byte, n) // variable-make: it is kept
		out[i] = b
	}
	return out
}

func growing(n int) (sum int) {
	for i := 0; i < 3; i++ {
		b := make([]byte, n) // variable-make: its length changes
		n++
		sum += len(b)
	}
	return sum
}

func addressed(n int) (first *byte) {
	for i := 0; i < 3; i++ {
		b := make([]byte, n) // variable-make: an element's address
		first = &b[0]
	}
	return first
}
