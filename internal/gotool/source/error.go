package source

// An Error is that of a side that cannot be built or read.
type Error struct {
	Name string
	Err  error
}

func (e *Error) Error() string { return "the side " + e.Name + ": " + e.Err.Error() }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }
