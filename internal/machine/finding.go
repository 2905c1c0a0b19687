package machine

import "fmt"

// Level is the weight of a finding for a measurement.
type Level int

const (
	Unknown Level = iota // could not be determined
	OK                   // as it should be
	Note                 // worth knowing when results are read
	Warn                 // costs rounds, or shifts results
	Bad                  // do not measure like this
)

// String gives "unknown", "ok", "note", "warn" or "bad".
func (l Level) String() string {
	if names := []string{"unknown", "ok", "note", "warn", "bad"}; l >= 0 && int(l) < len(names) {
		return names[l]
	}
	return fmt.Sprintf("Level(%d)", int(l))
}

// MarshalText makes a level its name in JSON.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// Finding is the result of one check of the machine.
type Finding struct {
	Name   string `json:"name"` // stable, e.g. "governor"
	Level  Level  `json:"level"`
	Value  string `json:"value"`          // what was found; "" when unknown
	Detail string `json:"detail"`         // what it does to measurements, or why it is unknown
	Hint   string `json:"hint,omitempty"` // a command or an action that removes the cause
}

// unreadFinding returns the finding for a field that could not be read, with the note
// about it, if any, as its reason.
func (fp Fingerprint) unreadFinding(name, field string) Finding {
	reason, ok := fp.unknown(field)
	if !ok {
		reason = "not read"
	}
	return Finding{Name: name, Detail: reason}
}
