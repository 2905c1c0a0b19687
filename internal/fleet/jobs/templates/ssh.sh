failed=0; for shard in $(seq {{.Shards}}); do log=log-{{.Number}}-$shard.txt; {{/* */ -}}
if ./start.sh --shard $shard/{{.Shards}} --job "{{.Prefix}}/$PARALLEL_SSHHOST" >$log 2>&1; then echo "shard $shard/{{.Shards}} is done"; {{/* */ -}}
else failed=1; echo "shard $shard/{{.Shards}} failed: $(tail -n 1 $log)"; fi; done; exit $failed