#!/bin/sh
#SBATCH --job-name=memcost-{{.Plan}}-{{.Name}}
#SBATCH --array=0-{{.Last}}
{{- if .Kind}}
#SBATCH --constraint={{.Kind}}
{{- end}}
#SBATCH --nodes=1
#SBATCH --exclusive
#SBATCH --requeue
#SBATCH --signal=B:TERM@{{.Warned}}
#SBATCH --time={{.Minutes}}
#SBATCH --open-mode=append
#SBATCH --output={{.Dir}}/logs/{{.Name}}-%a.log

set -eu
shard=$((SLURM_ARRAY_TASK_ID % {{.Shards}} + 1))
attempt=$(({{.First}} + SLURM_ARRAY_TASK_ID / {{.Shards}} * {{.Step}} + ${SLURM_RESTART_COUNT:-0}))
log={{shell (print .Dir "/logs/" .Name)}}-$SLURM_ARRAY_TASK_ID-$attempt.log
exec {{shell (print .Dir "/start.sh")}} --shard $shard/{{.Shards}} --attempt $attempt --job {{.Prefix}}/$SLURM_ARRAY_TASK_ID >>"$log" 2>&1
