# Mistakes on the command line: status 2, what is wrong, and what to do.
. "${0%/*}/lib.sh"
wrong() { # ARGUMENT, what the message and the hint say
  bench $1
  [ "$status" -eq 2 ] || complain "$1: status $status"
  says "$1" err "$2"
  says "$1" err "$3"
  [ -s "$work/out" ] && complain "$1: it answers all the same"
}
wrong -mM_TRIM_TRESHOLD=0 "no key M_TRIM_TRESHOLD" "did you mean M_TRIM_THRESHOLD?"
wrong -mTOP_PAD=0 "no key TOP_PAD" "did you mean M_TOP_PAD?"
wrong -mFOO=0 "no key FOO" "the keys here are"
wrong -mMALLOC_MEMORY_HOLD=1 "a key of QNX" "the keys here are"
wrong -mM_DECAY_TIME=1 "a key of Android" "the keys here are"
wrong --iteratoins=x "no such option" "did you mean --iterations?"
wrong --thp=always "cannot be read" "never"
wrong --sizes=64,x "cannot be read" "sizes in bytes"
wrong --onfault "nothing is locked" "add -L"
wrong "--check --latency" "--check and --latency" "one at a time"
wrong "--memory --check" "--memory and --check" "one at a time"
wrong "--probe=64 --threads-scaling" "--probe and --threads-scaling" "one at a time"
wrong --rt=20us "only --latency" "add --latency"
wrong "--memory --rt=20us" "only --latency" "add --latency"
wrong '--benchmark_filter=(' "--benchmark_filter=(" "regular expression"
wrong --benchmark_filter=nothing "no cell has such a name" "--benchmark_list_tests"
bench --cpu=99999 --check
[ "$status" -eq 1 ] || complain "--cpu=99999 --check: status $status"
says "--cpu=99999 --check" err "--cpu=99999: pinning"
[ -s "$work/out" ] && complain "--cpu=99999 --check: it answers all the same"
bench --check
if grep -q 'glibc' "$work/out"; then
  wrong -mM_TRIM_THRESHOLD "KEY=VALUE" "for example"
  wrong -mM_TRIM_THRESHOLD=x '"x" is no number' "128KiB"
  wrong -mM_MMAP_THRESHOLD=64MiB "out of range" "takes 0 to 33554432"
  wrong -mM_PERTURB=256 "out of range" "takes 0 to 255"
  wrong -mM_TOP_PAD=0,M_TOP_PAD=0 "already set to 0" "once"
  wrong "-mM_TOP_PAD=4096 -mM_MXFAST=0,M_TOP_PAD=0" "already set to 4096" "once"
  wrong -mM_TOP_PAD=0,M_MXFST=0 "no key M_MXFST" "did you mean M_MXFAST?"
else
  wrong -mM_TRIM_THRESHOLD=0 "a key of glibc" "this C library has no mallopt keys"
fi
finish
