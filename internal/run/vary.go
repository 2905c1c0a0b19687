package run

import (
	"slices"
	"strconv"
	"strings"

	"memcost/internal/catalog"
)

// ownDirectives are a study's tables and pictures with a column for each of these
// variants: the first column is that of the default setting, and tells what the others
// are. Claims about settings by name are left out.
func ownDirectives(all []catalog.Directive, variants []catalog.Variant) []catalog.Directive {
	const first = "allocator:glibc setting:default"
	var out []catalog.Directive
	for _, d := range all {
		header, _, _ := strings.Cut(d.Text, " = ")
		at := max(0, strings.LastIndex(header, ": ")) // a title may have a colon, too
		column, _, _ := strings.Cut(d.Text[at:], " | ")
		_, rest, found := strings.Cut(column, first)
		switch {
		case d.Verb != "table" && d.Verb != "picture":
			if d.Verb == "claim" && strings.Contains(d.Text, "allocator:") {
				continue
			}
		case !found:
			continue
		default:
			var own []string
			for _, v := range variants {
				header, sel := ownColumn(v)
				own = append(own, header+" = "+sel+rest)
			}
			d.Text = d.Text[:at] + ": " + strings.Join(own, " | ")
		}
		out = append(out, d)
	}
	return out
}

// ownColumn is what a variant is called at the head of a column, and its selector.
func ownColumn(v catalog.Variant) (header, sel string) {
	allocator, setting, _ := strings.Cut(strings.TrimPrefix(v.Keys, "allocator="), "/setting=")
	header = setting
	if allocator != "glibc" {
		header = strings.TrimSuffix(allocator+" "+setting, " default")
	}
	return strings.NewReplacer("=", " ", "|", " ").Replace(header), "allocator:" + strconv.Quote(allocator) + " setting:" + strconv.Quote(setting)
}

// varyTables are the tables and the picture of settings of the user's own.
func varyTables(variants []catalog.Variant) (out []catalog.Directive) {
	add := func(verb, text string) {
		out = append(out, catalog.Directive{Verb: verb, Text: text, Pos: catalog.Pos{File: "--vary", Line: 1}})
	}
	for _, op := range []struct{ name, title string }{{"malloc_free", "Malloc and free"}, {"malloc", "Malloc alone"}, {"calloc", "Calloc"}, {"walk", "Walk after malloc, a byte a page"}} {
		var times, ratios, calls []string
		first := ""
		for _, v := range variants {
			header, sel := ownColumn(v)
			sel += " op:" + op.name + " method:published"
			times = append(times, header+" = "+sel)
			calls = append(calls, header+" = "+sel+" free-calls/op")
			if first == "" {
				first = sel
			} else {
				ratios = append(ratios, header+"/default = "+sel+" / "+first)
			}
		}
		add("table", op.title+" by size: "+strings.Join(append(slices.Clone(times), ratios...), " | "))
		add("picture", "curve "+op.title+" by size: "+strings.Join(times, " | "))
		if op.name == "malloc_free" {
			add("table", "System calls of free by size: "+strings.Join(calls, " | "))
		}
	}
	return out
}
