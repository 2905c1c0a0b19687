package certificate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/machine"
	"memcost/internal/method/stat"
)

// Dir returns the folder of memcost's own data: MEMCOST_CONFIG, or memcost in the user's
// folder of settings.
func Dir() (string, error) {
	if dir := os.Getenv("MEMCOST_CONFIG"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", hint.With("set HOME, XDG_CONFIG_HOME or MEMCOST_CONFIG",
			fmt.Errorf("finding the folder of the certificate: %w", err))
	}
	return filepath.Join(dir, "memcost"), nil
}

// fileName is the certificate's, in Dir.
const fileName = "certificate.json"

// ErrNone is a machine without a certificate.
var ErrNone = errors.New("there is no certificate")

// again is what to do about a certificate that cannot be used.
const again = "run memcost certify again"

// Read returns the certificate of this machine. It refuses by name one that was made on
// another machine or by another method, and one that is damaged; ErrNone is returned where
// there is none. A certificate that is refused for where or how it was made is returned
// with the error.
func Read(dir string, here machine.Identity) (*Certificate, error) {
	path := filepath.Join(dir, fileName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNone
	}
	if err != nil {
		return nil, fmt.Errorf("reading the certificate: %w", err)
	}
	c := &Certificate{}
	if err := json.Unmarshal(text, c); err != nil {
		return nil, hint.New(again, "the certificate %s is damaged: %w", path, err)
	}
	switch {
	case c.Format != Format:
		return nil, hint.New(again, "the certificate %s has format %d, and this memcost reads format %d", path,
			c.Format, Format)
	case c.damaged() != "":
		return nil, hint.New(again, "the certificate %s is damaged: %s", path, c.damaged())
	case c.Machine.ID != here.ID:
		return c, hint.New(again, "the certificate of %s was made on another machine (%s)", c.Made.Format("2006-01-02"),
			c.Machine)
	case c.Method != stat.Method:
		return c, hint.New(again, "the certificate of %s was made by method %d, and this is method %d",
			c.Made.Format("2006-01-02"), c.Method, stat.Method)
	}
	return c, nil
}

// damaged says what no certificate can hold, "" for nothing.
func (c *Certificate) damaged() string {
	all, known := c.All(), c.Known()
	switch {
	case c.Made.IsZero() || c.Machine.ID == "":
		return "it does not say when and where it was made"
	case len(c.Under) == 0 || all.Comparisons <= 0:
		return "it holds no comparisons"
	case all.Alarms < 0 || all.Alarms > all.Comparisons || known.Covered < 0 || known.Covered > known.Comparisons:
		return "its counts contradict each other"
	case c.Made.After(time.Now().Add(24 * time.Hour)):
		return "it was made in the future"
	case !(c.Alpha > 0 && c.Alpha < 1) || c.Rounds < stat.MinRounds(c.Alpha):
		return fmt.Sprintf("with %d rounds and α = %v nothing can be decided", c.Rounds, c.Alpha)
	}
	for _, u := range c.Under {
		if u.Alarms < 0 || u.Alarms > u.Comparisons || !(u.Disturbed >= 0 && u.Disturbed <= 1) {
			return "its counts contradict each other"
		}
		for _, k := range u.Known {
			if k.Found < 0 || k.Found > k.Comparisons || k.Covered > k.Comparisons {
				return "its counts contradict each other"
			}
		}
	}
	was := c.Because
	defer func() { c.Because = was }()
	if c.Judge(); (len(was) == 0) != c.Passed() {
		return "its counts do not give its verdict"
	}
	return ""
}

// Write keeps the certificate, whole or not at all.
func (c *Certificate) Write(dir string) (path string, err error) {
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return "", fmt.Errorf("formatting the certificate: %w", err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", fmt.Errorf("keeping the certificate: %w", err)
	}
	f, err := os.CreateTemp(dir, ".certificate-*")
	if err != nil {
		return "", fmt.Errorf("keeping the certificate: %w", err)
	}
	defer os.Remove(f.Name()) // fails once it has its name
	_, err = f.Write(append(text, '\n'))
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	path = filepath.Join(dir, fileName)
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return "", fmt.Errorf("keeping the certificate: %w", err)
	}
	return path, nil
}
