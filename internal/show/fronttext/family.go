package fronttext

import (
	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/method/claim"
)

// familyColor is the colour of each family of means, as on the page; green, red and yellow
// belong to verdicts.
var familyColor = map[string]pretty.Color{
	"stack": pretty.FgHiBlue, "heap": pretty.Fg256Color(208), "pool": pretty.FgMagenta,
	"arena": pretty.FgHiMagenta, "slab": pretty.FgCyan, "floor": pretty.Faint,
}

// The states of a claim that the front tells apart, beside those of package claim.
const invalid = claim.InvalidNote

// statusColor is the colour of each state of a claim.
var statusColor = map[string]pretty.Color{
	string(claim.Holds): pretty.FgGreen, string(claim.Fails): pretty.FgRed, string(claim.Undecided): pretty.FgYellow,
	string(claim.Untested): pretty.Faint, invalid: pretty.FgRed,
}

// sign is what stands for each state of a claim in a narrow column.
var sign = map[string]string{
	string(claim.Holds): "✓", string(claim.Fails): "✗", string(claim.Undecided): "?", string(claim.Untested): "·",
	invalid: "!",
}
