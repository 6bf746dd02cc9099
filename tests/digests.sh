#!/bin/sh
# digests.sh [HINDCAST...] -- the same runs by every build there is (or by the commands named) have to give the same
# digests: GCC and Clang, debug and release, sanitized or not, and with each event queue.
#
# The runs cover each selector, static and varying orders, random order and placement, transforms with arithmetic, and
# the presets. Builds run side by side, one a core. One line a run; a difference is printed with who has it. Exit status 1
# if there is one.
set -u
cd "$(dirname "$0")/.." || exit 2

# same NAME LOG FLAGS...: one run by this build, with each queue: a line "NAME QUEUE DIGEST" each.
same()
{
  name=$1
  log=tests/oracles/swf/$2.swf.zst
  shift 2
  for queue in heap radix wheel; do
    rm -f "$scratch/r.db"
    digest=failed
    if "$hindcast" run "$log" --quiet --output "$scratch/r.db" --set "event_queue=$queue" "$@" >&2; then
      digest=$("$hindcast" digest "$scratch/r.db" | cut -c1-32)
    fi
    echo "$name $queue $digest"
  done
}

all_runs()
{
  small=lub5k_128_l85
  same fcfs $small --policy fcfs
  same scan $small --policy smallest_area+scan
  same easy lub20k_256_l55 --policy easy
  same easy_sjf $small --policy easy --set 'policy.select={use: easy, depth: 3, candidates: sjf}'
  same wfp3 $small --policy wfp3+easy --trim '{use: ranks, first: 0.05, last: 0.05}'
  same conservative $small --policy conservative
  same slack $small --policy slack
  same random $small --policy random+scan+random --set cell=intervals --procs 128 --seed 3
  same best_fit $small --policy expr+easy+best_fit --set cell=intervals --procs 128 \
    --set 'policy.order={use: expr, key: "-(wait / request)^3 * log2(procs + 1)"}'
  same load $small --policy easy --transform '{use: sample, fraction: 0.7}' --transform '{use: load, to: 0.95}'
  same pyss $small --policy easy --compat pyss
  same per_event $small --policy easy --set 'architecture={use: monolithic, call: per_event}'
}

if [ "${1:-}" = --one ]; then # of the builds, into a file
  hindcast=$2
  scratch=$3.dir
  mkdir "$scratch" && all_runs >"$3"
  exit
fi
if [ $# -eq 0 ]; then
  for preset in release debug clang asan tsan; do
    [ -x "build/$preset/hindcast" ] && set -- "$@" "build/$preset/hindcast"
  done
fi
[ $# -gt 0 ] || { echo "digests: build something first: cmake --preset release && cmake --build --preset release" >&2; exit 2; }
all=$(mktemp -d) || exit 2
trap 'rm -rf "$all"' EXIT
echo "builds: $*"
i=0
for hindcast in "$@"; do
  i=$((i + 1))
  echo "$hindcast $all/$i"
done | xargs -P "$(nproc)" -L 1 tests/digests.sh --one || { echo "digests: a build could not be run" >&2; exit 1; }
i=0
for hindcast in "$@"; do
  i=$((i + 1))
  sed "s|\$| $hindcast|" "$all/$i"
done | awk '
  !($1 in first) { first[$1] = $3; names[++n] = $1 }
  $3 == "failed" { print $1 ": " $4 " failed with event_queue=" $2; bad = 1; next }
  $3 != first[$1] { print $1 ": " $4 " with event_queue=" $2 " has " $3 ", others " first[$1]; bad = 1 }
  END { for (i = 1; i <= n; i++) print first[names[i]] "  " names[i]; exit bad || n == 0 }'
