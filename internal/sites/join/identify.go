package join

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"memcost/internal/gotool/escape"
	"memcost/internal/sites"
)

// identify gives each site an ID that lines which move, other functions, and other versions of
// Go do not change: its function's plain name and cause, readable, and a hash of function,
// expression and cause; several that are alike are numbered in the order of the source.
func identify(sites []sites.Site) {
	order := make([]int, len(sites))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		x, y := &sites[i], &sites[j]
		return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Col, y.Col))
	})
	seen := map[string]int{}
	for _, i := range order {
		s := &sites[i]
		fn := escape.PlainName(s.Function)
		key := s.Package + "|" + fn + "|" + plain(s.Expr) + "|" + s.Cause.Key
		if s.Callee != nil {
			key += "|" + s.Callee.Via
		}
		sum := sha256.Sum256([]byte(key))
		s.ID = fmt.Sprintf("%s/%s/%s", fn, cmp.Or(s.Cause.Key, "unknown"), hex.EncodeToString(sum[:4]))
		if seen[s.ID]++; seen[s.ID] > 1 {
			s.ID += fmt.Sprintf("#%d", seen[s.ID])
		}
	}
}

// plain drops from an expression what versions of the compiler write differently.
func plain(expr string) string {
	expr = strings.TrimPrefix(expr, "&")
	if strings.HasPrefix(expr, "~R") {
		expr = "~r" + expr[2:]
	}
	if i := strings.IndexByte(expr, '{'); i > 0 {
		expr = expr[:i]
	}
	return strings.Join(strings.Fields(strings.TrimSuffix(expr, " literal")), "")
}
