#!/bin/sh
# Is memcost compare right? A planted 5%, and none, in a module that nobody here wrote, with as
# many seeds as are asked for (20: 25 minutes); one line a comparison, and how many were what.
#
#   scripts/bench-compare.sh [N]
#
# The slower revision compresses each twentieth block twice. A machine with nothing else to do
# gives the figures that are worth keeping.
set -eu
cd "$(dirname "$0")/.."
module=github.com/klauspost/compress@v1.17.11
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
go build -o "$work/memcost" ./cmd/memcost
mkdir "$work/module" "$work/get"
cd "$work/get"
go mod init get 2>/dev/null
cp -r "$(go mod download -json "$module" | sed -n 's/^\t"Dir": "\(.*\)",*$/\1/p')/." "$work/module"
cd "$work/module"
chmod -R u+w .
keep() {
	git add -A
	git -c user.name=bench -c user.email=bench commit -q -m "$1"
	git tag "$1"
}
git init -q
keep base
echo "// a comment" >>huff0/compress.go
keep same
awk '{ print }
/^func Compress1X\(/ { inside = 1 }
inside && /^\t}$/ {
	inside = 0
	print "\tif calls++; calls%20 == 0 {\n\t\tif _, _, err := compress(in, s, s.compress1X); err != nil {"
	print "\t\t\treturn nil, false, err\n\t\t}\n\t\tif s, err = s.prepare(in); err != nil {"
	print "\t\t\treturn nil, false, err\n\t\t}\n\t}"
}
END { print "\nvar calls int" }' huff0/compress.go >"$work/slow.go"
mv "$work/slow.go" huff0/compress.go
go vet ./huff0
keep slow
seed=1
while [ "$seed" -le "${1:-20}" ]; do
	case $((seed % 2)) in
	0) bench='Compress1XReuseNone/twain$' ;;
	*) bench='Compress1XReuseNone/pngdata.001$' ;;
	esac
	for sides in "same slow" "base same"; do
		begun=$(date +%s)
		# $sides is two arguments
		"$work/memcost" compare $sides ./huff0 -b "$bench" --seed "$seed" --results "$work/results" \
			-o "$work/out.txt" >/dev/null 2>"$work/err" || cat "$work/err" >&2
		verdict=$(sed -n '/: time\/op$/,/^$/p' "$work/out.txt" | sed -n 's/^ *Compress[^ ]* *//p' | head -1)
		echo "$sides, seed $seed, $(($(date +%s) - begun)) s: $verdict" | tee -a "$work/all"
	done
	seed=$((seed + 1))
done
for sides in "same slow" "base same"; do
	for verdict in changed equivalent undecided; do
		echo "$sides: $(grep "^$sides" "$work/all" | grep -c "$verdict") $verdict"
	done
done
