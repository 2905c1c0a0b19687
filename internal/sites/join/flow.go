package join

import (
	"fmt"
	"strings"

	"memcost/internal/gotool/escape"
	"memcost/internal/sites"
)

// steps are the compiler's reasons for the steps of a flow (cmd/compile/internal/gotool/escape) in
// plain words; %s is the expression.
var steps = map[string]string{
	"address-of":                       "its address is taken: %s",
	"assign":                           "it is assigned: %s",
	"assign-pair":                      "it is assigned: %s",
	"assign-pair-dot-type":             "it is assigned: %s",
	"assign-pair-func-call":            "it is assigned: %s",
	"assign-pair-mapr":                 "it is assigned: %s",
	"assign-pair-receive":              "it is assigned: %s",
	"return":                           "it is returned: %s",
	"call parameter":                   "it is handed to a function: %s",
	"interface-converted":              "it is put into an interface: %s",
	"captured by a closure":            "a function literal captures it: %s",
	"spill":                            "its address is kept in a variable: %s",
	"slice-literal-element":            "it is an element of a slice literal: %s",
	"array literal element":            "it is an element of an array: %s",
	"struct literal element":           "it is a field of a struct: %s",
	"map literal key":                  "it is a key of a map: %s",
	"map literal value":                "it is a value in a map: %s",
	"key of map put":                   "it is a key of a map: %s",
	"value of map put":                 "it is stored in a map: %s",
	"send":                             "it is sent on a channel: %s",
	"receive":                          "it is received from a channel: %s",
	"range":                            "the loop ranges over it: %s",
	"range-deref":                      "the loop ranges over it: %s",
	"dot":                              "it is a field of %s",
	"dot of pointer":                   "a pointer leads to it: %s",
	"indirection":                      "a pointer leads to it: %s",
	"star-dot-equals":                  "it is stored behind a pointer: %s",
	"slice":                            "a slice is taken of it: %s",
	"appended to slice":                "it is appended to a slice: %s",
	"appendee slice":                   "append makes a larger block of it: %s",
	"copied slice":                     "it is copied: %s",
	"defer func":                       "a deferred call needs it: %s",
	"go func":                          "a goroutine needs it: %s",
	"method-value":                     "a method value binds it: %s",
	"fixed-array-index-of":             "it is an element of an array: %s",
	"index of array":                   "it is an element of an array: %s",
	"reassigned":                       "it is assigned again: %s",
	"too large for stack":              "it is too large for the stack: %s",
	"non-constant size":                "its size is known only at run time: %s",
	"passed-to-and-returned-from-call": "a function returns what it is handed: %s",
	"switch case":                      "a switch compares it: %s",
	"implicit deref":                   "a pointer leads to it: %s",
	"escape analysis":                  "%s",
}

// flow returns how a value reaches the heap, a sentence each, with where that is.
func (f *files) flow(all []escape.Step) (says []string, at []sites.Frame) {
	for i, s := range all {
		if s.To != "" {
			if i == len(all)-1 || all[i+1].To != "" || s.To == "{heap}" {
				says, at = append(says, reaches(s)), append(at, sites.Frame{})
			}
			continue
		}
		words, ok := steps[s.Reason]
		if !ok {
			words = s.Reason + ": %s"
		}
		says = append(says, fmt.Sprintf(words, s.Expr)+fmt.Sprintf(" (%s:%d)", base(s.File), s.Line))
		at = append(at, sites.Frame{File: f.relative(s.File), Line: s.Line})
	}
	return says, at
}

// reaches says where a flow ends.
func reaches(s escape.Step) string {
	switch to := s.To; {
	case to == "{heap}":
		return s.Of + " reaches the heap:"
	case strings.HasPrefix(to, "{storage for "):
		return fmt.Sprintf("%s becomes part of %s:", s.Of,
			strings.TrimSuffix(strings.TrimPrefix(to, "{storage for "), "}"))
	case strings.HasPrefix(to, "~r"), strings.HasPrefix(to, "~R"):
		return s.Of + " becomes a result:"
	default:
		return fmt.Sprintf("%s becomes %s:", s.Of, to)
	}
}
