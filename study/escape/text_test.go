package escape

import "strings"

// The pairs of strings and byte slices. All texts are longer than the 32 bytes for
// which the compiler keeps a buffer in the frame.

const longText = "a text that is longer than thirty-two bytes, and ends here"

var (
	textBytes  = []byte(longText)
	textString = longText[:len(longText)-1]
	keptText   string
	keptBytes  []byte
	parts      = [8]string{"far ", "over ", "the ", "misty ", "mountains ", "cold ", "to ", "dungeons "}
)

func stringOfBytesEscapes(i int) int {
	textBytes[0] = byte(i)
	keptText = string(textBytes)
	return int(keptText[0]) + len(keptText)
}

func stringOfBytesFixed(i int) int {
	textBytes[0] = byte(i)
	keptBytes = append(keptBytes[:0], textBytes...)
	return int(keptBytes[0]) + len(keptBytes)
}

func bytesOfStringEscapes(i int) int {
	keptBytes = []byte(textString)
	keptBytes[0] = byte(i)
	return int(keptBytes[0]) + len(keptBytes)
}

func bytesOfStringFixed(i int) int {
	keptBytes = append(keptBytes[:0], textString...)
	keptBytes[0] = byte(i)
	return int(keptBytes[0]) + len(keptBytes)
}

func concatEscapes(i int) int {
	keptText = textString + parts[i&7]
	return len(keptText)
}

func concatFixed(i int) int {
	keptBytes = append(keptBytes[:0], textString...)
	keptBytes = append(keptBytes, parts[i&7]...)
	return len(keptBytes)
}

// concatLoopEscapes makes a longer string in each of eight iterations.
func concatLoopEscapes(i int) int {
	s := parts[i&7]
	for _, p := range parts {
		s += p
	}
	keptText = s
	return len(s)
}

// concatLoopFixed makes only the final string.
func concatLoopFixed(i int) int {
	var b strings.Builder
	b.Grow(64)
	b.WriteString(parts[i&7])
	for _, p := range parts {
		b.WriteString(p)
	}
	keptText = b.String()
	return len(keptText)
}

func textPairs() []pair {
	return []pair{
		{cause: "string-of-bytes", escapes: stringOfBytesEscapes, fixed: stringOfBytesFixed, allocs: always(1),
			saved: always(0)},
		{cause: "bytes-of-string", escapes: bytesOfStringEscapes, fixed: bytesOfStringFixed, allocs: always(1),
			saved: always(0)},
		{cause: "concat", escapes: concatEscapes, fixed: concatFixed, allocs: always(1), saved: always(0)},
		{cause: "concat-loop", escapes: concatLoopEscapes, fixed: concatLoopFixed, allocs: always(8), saved: always(1)},
	}
}
