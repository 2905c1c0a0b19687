package store

import (
	"bufio"
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"slices"
)

// A chain is what the lines of a samples.txt are checked by. Each block of lines, which one Append wrote, ends with a
// comment, which the readers of benchmark files pass over:
//
//	# check 17 1a2b3c4d 5e6f7a8b
//
// It has the block's place among all, from 0 on; a hash of the lines of the block, its place and the hash before it, so
// that no block is changed, lost, doubled or moved without a trace; and a hash of the configuration in force behind the
// block, which lines far before it may have set. It tells damage, and no forgery.
type chain struct {
	place  int               // of the last block that was whole
	last   uint32            // the hash of the check before
	block  uint32            // of the lines since
	lines  int               // since
	config map[string]string // in force, by key, behind the lines of blocks
	sum    uint32            // of config, unless stale
	stale  bool
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func newChain() *chain { return &chain{place: -1, config: map[string]string{}} }

// add takes a line of a block, with its newline.
func (c *chain) add(line []byte) {
	c.block = crc32.Update(c.block, castagnoli, line)
	c.lines++
}

// set takes a line's part in the configuration.
func (c *chain) set(line []byte) {
	key, value, is := bytes.Cut(bytes.TrimSuffix(line, emptyLine), []byte(":"))
	if !is || len(key) == 0 || key[0] < 'a' || key[0] > 'z' || bytes.ContainsAny(key, " \t") {
		return
	}
	if value = bytes.TrimLeft(value, " \t"); len(value) > 0 {
		c.config[string(key)] = string(value)
	} else {
		delete(c.config, string(key))
	}
	c.stale = true
}

// is is the hash of the block, at a place.
func (c *chain) is(place int) uint32 {
	return crc32.Update(c.block, castagnoli, fmt.Appendf(nil, "%d %08x", place, c.last))
}

// configuration is the hash of what is in force.
func (c *chain) configuration() uint32 {
	if c.stale {
		c.sum = 0
		for _, key := range slices.Sorted(maps.Keys(c.config)) {
			c.sum = crc32.Update(c.sum, castagnoli, []byte(key+": "+c.config[key]+"\n"))
		}
		c.stale = false
	}
	return c.sum
}

// begin begins another block, behind a check with a hash.
func (c *chain) begin(hash uint32) { c.last, c.block, c.lines = hash, 0, 0 }

// end returns the line that ends the block.
func (c *chain) end() []byte {
	c.place++
	x := check{c.place, c.is(c.place), c.configuration()}
	c.begin(x.block)
	return []byte(x.String())
}

// A check is what a line says that ends a block.
type check struct {
	place         int
	block, config uint32
}

const (
	checkBegins = "# check "
	checkFormat = checkBegins + "%d %08x %08x\n"
	// longestCheck is the most bytes of one.
	longestCheck = 64
)

func (c check) String() string { return fmt.Sprintf(checkFormat, c.place, c.block, c.config) }

// first is the check at the beginning of a file.
var first = check{0, newChain().is(0), 0}

// checkIn reads a check.
func checkIn(line []byte) (c check, is bool) {
	if !bytes.HasPrefix(line, []byte(checkBegins)) || len(line) > longestCheck {
		return c, false
	}
	_, err := fmt.Sscanf(string(line), checkFormat, &c.place, &c.block, &c.config)
	return c, err == nil && string(line) == c.String()
}

// A blockReader passes the lines of a samples.txt through, of which it empties those of damaged blocks: so the lines
// behind keep their numbers. A file without checks, of another tool or of a memcost that made none, passes as it is.
type blockReader struct {
	r     *bufio.Reader
	name  string
	warn  func(error)
	chain *chain

	several bool         // files may stand one behind the other
	checked bool         // a check was read
	held    bytes.Buffer // the lines of the block, once there are checks
	lines   int          // all that were read
	begins  int          // the first line of the block
	out     []byte
}

func newBlockReader(r io.Reader, name string, several bool, warn func(error)) *blockReader {
	return &blockReader{several: several, r: bufio.NewReaderSize(r, longestLine), name: name, warn: warn, chain: newChain()}
}

// longestBlock is the most bytes of a block that are held until its check is read: far more than memcost appends at once.
const longestBlock = 16 << 20

func (b *blockReader) Read(p []byte) (int, error) {
	for len(b.out) == 0 {
		if err := b.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.out)
	b.out = b.out[n:]
	return n, nil
}

// next reads a line, or a part of one that is too long.
func (b *blockReader) next() error {
	line, err := b.r.ReadSlice('\n')
	if len(line) == 0 {
		if b.held.Len() > 0 {
			b.leftOut("have no check behind them", b.lines)
			b.held.Reset()
		}
		return err
	}
	if bytes.HasSuffix(line, emptyLine) {
		b.lines++
	}
	if c, is := checkIn(line); is {
		b.check(c, line)
		return nil
	}
	if !b.checked && bytes.HasPrefix(line, []byte(checkBegins)) { // a damaged one
		b.checked, b.begins = true, b.lines
	}
	b.chain.add(line)
	switch {
	case !b.checked:
		b.chain.set(line)
		b.out = line
	case b.held.Len() < longestBlock:
		b.held.Write(line)
	}
	return nil
}

// check ends a block.
func (b *blockReader) check(c check, line []byte) {
	lines := bytes.Clone(b.held.Bytes())
	b.held.Reset()
	if b.several && c == first && len(lines) == 0 { // what is in force stays, as for every reader
		b.chain.place, b.chain.last, c.config = -1, 0, b.chain.configuration()
	}
	whole := b.chain.is(c.place) == c.block && c.place > b.chain.place
	if whole {
		b.chain.place = c.place
		for l := range bytes.Lines(lines) {
			b.chain.set(l)
		}
	}
	switch {
	case whole && b.chain.configuration() == c.config:
	case !b.checked:
		b.warn(fmt.Errorf("%s: the first %d lines are not those that were written, or are damaged, and count all the same",
			b.name, b.lines-1))
	case !whole:
		b.leftOut("are damaged, or not where they were written", b.lines-1)
		lines = bytes.Repeat(emptyLine, bytes.Count(lines, emptyLine))
	default:
		b.leftOut("are of a configuration whose lines are damaged", b.lines-1)
		lines = withoutResults(lines)
	}
	b.checked, b.begins = true, b.lines+1
	b.chain.begin(c.block)
	b.out = append(lines, line...)
}

// leftOut warns of the lines of the block.
func (b *blockReader) leftOut(why string, last int) {
	if b.chain.lines == 0 { // a lost block left only its neighbour
		last++
	}
	b.warn(fmt.Errorf("%s lines %d to %d %s: they are left out", b.name, min(b.begins, last), last, why))
}

// withoutResults empties the lines of results.
func withoutResults(lines []byte) (out []byte) {
	for l := range bytes.Lines(lines) {
		if bytes.HasPrefix(l, []byte("Benchmark")) {
			l = emptyLine
		}
		out = append(out, l...)
	}
	return out
}
