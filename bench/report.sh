#!/bin/sh
# report.sh -- what a report costs: CPU time, memory and size of the file, of 28,487, 300,000 and a million tasks.
#
#   ./dev bench report
#
# One run under EASY each: of the KTH log, and of jobs of the source `mixture` on 16,000 processors at load 0.85, as
# tests/report/soak has them. Schedules are not verified. The least of HC_TRIES (3) tries.
set -eu
hindcast=${HINDCAST:-$(dirname "$0")/../build/release/hindcast}
root=$(dirname "$0")/..
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# made JOBS: a run of so many
made()
{
  cat >"$dir/made.yaml" <<END
source:
  use: mixture
  jobs: $1
  procs: 16000
  load: 0.85
  daily: [4, 3, 3, 2, 2, 2, 3, 4, 7, 10, 12, 12, 11, 11, 12, 12, 11, 10, 8, 7, 6, 6, 5, 5]
  run: lognormal(97min 2) from 10s to 1d
  size: "0.4 * 1 + 0.3 * loguniform(2 32) + 0.25 * loguniform(32 256) + 0.05 * loguniform(256 2048)"
  limit_factor: uniform(1 4)
  users: 200
  groups: 20
  whole_seconds: true
policy: easy
END
  "$hindcast" run "$dir/made.yaml" --quiet --output "$dir/r.db"
}

# measure: the least CPU seconds of the report of r.db, its peak memory, and bytes of the file
measure()
{
  best=
  for try in $(seq "${HC_TRIES:-3}"); do
    python3 - "$hindcast" "$dir" >"$dir/try" <<'END'
import resource
import subprocess
import sys

hindcast, folder = sys.argv[1:]
subprocess.run([hindcast, "report", folder + "/r.db", "--verify", "no", "--quiet", "--force", "-o", folder + "/r.html"], check=True)
u = resource.getrusage(resource.RUSAGE_CHILDREN)
print("%.2f %.1f" % (u.ru_utime + u.ru_stime, u.ru_maxrss / 1024))
END
    read -r cpu memory <"$dir/try"
    if [ -z "$best" ] || awk "BEGIN { exit !($cpu < $best) }"; then best=$cpu; fi
  done
  printf '%-22s %10s s %10s MiB %12s bytes\n' "$1" "$best" "$memory" "$(wc -c <"$dir/r.html")"
}

"$hindcast" run "$root/examples/data/KTH-SP2-1996-2.swf.zst" --policy easy --quiet --output "$dir/r.db"
measure "KTH, 28,487 tasks"
made 300000
measure "300,000 tasks"
made 1000000
measure "1,000,000 tasks"
