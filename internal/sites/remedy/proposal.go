package remedy

// A proposal is an edit before it is a diff.
type proposal struct {
	title, check string
	changes      []change
	need         string // package of the standard library that the new text needs; "" if none
}
