#!/bin/sh
# Measures a shard of plan {{.Plan}} with the memcost beside this script: start.sh --shard 3/8
set -eu
here=$(cd "$(dirname "$0")" && pwd)
case "$(uname -s)/$(uname -m)" in
{{range .Programs}}{{unames .}}) program="$here/{{.Name}}" sum={{.SHA256}} ;;
{{end}}*)
	echo "memcost submit: no memcost was shipped for $(uname -s) on $(uname -m): submit with --binary FILE" >&2
	exit 1
	;;
esac
{{template "checked"}}
{{- if .Folder}}
[ -r {{shell .PlanInPlace}} ] || {
	echo "memcost submit: $(uname -n) does not see the place "{{shell .To}}": mount it there, or submit --to s3://…" >&2
	exit 1
}
{{- end}}
cd "$here/.." # the run folders of all submissions stand together
exec "$program" run --plan "$here/plan.json" --results {{shell .Results}} --to {{shell .To}} "$@"

{{- define "checked" -}}
if command -v sha256sum >/dev/null; then
	is=$(sha256sum "$program")
else
	is=$(shasum -a 256 "$program")
fi
[ "${is%% *}" = "$sum" ] || {
	echo "memcost submit: $program on $(uname -n) has SHA-256 ${is%% *} and $sum was shipped" >&2
	exit 1
}
{{- end}}

{{- define "image" -}}
program=$(command -v memcost)
case "$(uname -s)/$(uname -m)" in
{{range .Programs}}{{unames .}}) sum={{.SHA256}} ;;
{{end}}*)
	echo "memcost submit: no memcost was submitted for $(uname -m): submit with --binary FILE" >&2
	exit 1
	;;
esac
{{template "checked"}}
{{- end}}
