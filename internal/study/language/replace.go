package language

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// WithVariants returns the directives and the Show of a study whose program is run in
// these variants, settings of the user's, instead of its own. The columns of the sets
// that the study's [vary] table names in replaces become one column for each variant,
// and a table of times gains the ratio of each to the first variant, the baseline.
// Tables and pictures that show none of those sets are left out, and so are the claims
// and the reservations for the full profile that name an allocator, and what is said of
// them: they are about the study's settings.
func WithVariants(ds []Directive, show *Show, variants []Variant) ([]Directive, *Show) {
	kept := slices.DeleteFunc(slices.Clone(ds), func(d Directive) bool {
		return (d.Verb == "claim" || d.Verb == "full") && strings.Contains(d.Text, "allocator:")
	})
	if show == nil { // an old run folder, which is never run with variants
		return kept, nil
	}
	out := *show
	out.lines, out.Answer = nil, nil
	out.Say, out.Advise, out.Article = nil, nil, nil
	out.Sets = map[string][]string{}
	for name, columns := range show.Sets {
		if !slices.Contains(show.Vary.Replaces, name) {
			out.Sets[name] = columns
		}
	}
	out.Sets[ownSet] = nil
	for _, v := range variants {
		header, sel := v.column()
		out.Sets[ownSet] = append(out.Sets[ownSet], header+" = "+sel)
	}
	out.Vary.Replaces = []string{ownSet}
	out.Tables = replaced(show.Tables, show.Vary.Replaces)
	out.Pictures = replaced(show.Pictures, show.Vary.Replaces)
	for i := range out.Tables {
		out.Tables[i].addRatios(variants)
	}
	out.dropUnused()
	return kept, &out
}

// ownSet is the set of the user's own settings.
const ownSet = "own-settings"

// column returns the header of a variant's column, and its selector.
func (v Variant) column() (header, sel string) {
	allocator, setting, _ := strings.Cut(strings.TrimPrefix(v.Keys, "allocator="), "/setting=")
	header = setting
	if allocator != "glibc" {
		header = strings.TrimSuffix(allocator+" "+setting, " default")
	}
	header = strings.NewReplacer("+", " ", "|", " ").Replace(header)
	if strings.Contains(header, ":") { // the "=" of the column is the first one then
		header = strings.ReplaceAll(header, "=", " ")
	}
	return header, "allocator:" + strconv.Quote(allocator) + " setting:" + strconv.Quote(setting)
}

// replaced returns the views that show one of these sets, with the user's own settings
// in its place.
func replaced(views []View, sets []string) (out []View) {
	shows := func(name string) bool { return slices.Contains(sets, name) }
	for _, v := range views {
		switch {
		case slices.ContainsFunc(v.Each, shows):
			v.Each = append(slices.DeleteFunc(slices.Clone(v.Each), shows), ownSet)
		case shows(v.Repeat):
			v.Repeat = ownSet
		default:
			continue
		}
		same := func(o View) bool { return o.Title == v.Title && o.Cases == v.Cases && o.Unit == v.Unit }
		if !slices.ContainsFunc(out, same) {
			out = append(out, v)
		}
	}
	return out
}

// addRatios adds, to a table of times, the ratio of each variant to the first.
func (v *View) addRatios(variants []Variant) {
	ratio := strings.Contains(v.Cases, " / ")
	if !slices.Contains(v.Each, ownSet) || cmp.Or(v.Unit, defaultUnit) != defaultUnit || ratio || len(variants) == 0 {
		return
	}
	name, first := variants[0].column()
	v.Columns = slices.Clone(v.Columns)
	for _, x := range variants[1:] {
		header, sel := x.column()
		v.Columns = append(v.Columns, header+"/"+name+" = "+both(sel, v.Cases)+" / "+both(first, v.Cases))
	}
}

// dropUnused leaves out the sets that no view shows any more.
func (s *Show) dropUnused() {
	used := map[string]bool{ownSet: true}
	for _, v := range slices.Concat(s.Tables, s.Pictures) {
		used[v.Repeat] = true
		for _, name := range v.Each {
			used[name] = true
		}
	}
	for name := range s.Sets {
		if !used[name] {
			delete(s.Sets, name)
		}
	}
}
