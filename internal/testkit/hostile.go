package testkit

import (
	"reflect"
	"slices"
	"strings"
)

// Hostile is what names, messages and code of others may hold: escapes, bidirectional marks,
// markup, HTML, mentions, links, formulas.
const Hostile = "a|b`c``<script>alert(1)</script><!-- --></details>&amp;\n\n# " +
	"H\n[x](https://evil.example/?q)![i](http://e.example/i.png) " +
	"@octocat #12 *b* _i_ ~~s~~ \\| www.evil.example $x$ me@evil.example \x1b[2J\x1b]0;t\x07 \u202e bad\xff ```"

// Hostiles are texts that a writer could take for something else than text.
var Hostiles = []string{Hostile, "- x", "1. x", "=== ", "+ x", "12) y", "    code", "| a |", "https://evil.example",
	"WWW.evil.example", "@a", "#1", "", "=cmd()", "\x1b[31mred", "\u009b2J", "世界世界世界世界世界世界世界世界", "e\u0301\u0301\u0301",
	"👩‍👩‍👧‍👧 family", "\x00\x7f", strings.Repeat("word ", 200), strings.Repeat("x", 2000), "   ",
	"{lo} {hi} {unknown}", "%s%d%!", "a\nb\tc", "</script><script>alert(1)</script>", "\xff\xfe", "=", "/", "size="}

// Attacks are texts that would do something if a page took them for anything but text.
var Attacks = []string{
	`<script>alert(1)</script>`, `</script><script>alert(2)</script>`, `"><img/src=x/onerror=alert(3)>`,
	`'onmouseover='alert(4)`, `{{.}}{{template`, `</title></style><svg/onload=alert(5)>`, `<!--<script>`, `]]>`,
	`javascript:alert(6)`, "\u202egnp.exe\u2066", "nul\x00nul", "\x1b[31m", "line\u2028sep\u2029", `${alert(7)}`,
	`</pre></details></table>`, "\xff\xfe",
}

// Spoil puts text behind every text of a value, but for the fields of those names, which choose
// what is shown.
func Spoil(v reflect.Value, text string, but ...string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			Spoil(v.Elem(), text, but...)
		}
	case reflect.Slice:
		for i := range v.Len() {
			Spoil(v.Index(i), text, but...)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if !slices.Contains(but, v.Type().Field(i).Name) {
				Spoil(v.Field(i), text, but...)
			}
		}
	case reflect.String:
		if v.String() != "" && v.CanSet() {
			v.SetString(v.String() + text)
		}
	}
}
