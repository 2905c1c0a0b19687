package pack

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
)

// Footer returns the hash of the end of a file, which says what and where its columns are, and where
// that end begins. Pages of values have checksums of their own.
func Footer(r io.ReaderAt, size int64) (sum string, at int64, err error) {
	const tail = 8 // the length of what is before it, and the format's name
	var last [tail]byte
	if size < tail {
		return "", 0, fmt.Errorf("it has %d bytes", size)
	}
	if _, err := r.ReadAt(last[:], size-tail); err != nil {
		return "", 0, err
	}
	at = size - tail - int64(binary.LittleEndian.Uint32(last[:]))
	if at < 0 {
		return "", 0, fmt.Errorf("its end is damaged")
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(r, at, size-at)); err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), at, nil
}
