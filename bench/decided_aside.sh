# decided_aside.sh -- sourced by process.sh and elastisim.sh, which measure a policy that another program
# decides: a log of jobs of one processor at 90 % of a machine, its runs, and what they took. Works in a
# folder of its own, $room.
cd "$(dirname "$0")/.."
hindcast=$(readlink -f "${HINDCAST:-build/release/hindcast}")
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT

# make_log JOBS PROCESSORS: runs and gaps between arrivals are exponential, runs of 1,000 s on average
make_log()
{
  awk -v n="$1" -v p="$2" 'BEGIN {
    srand(1)
    print "; MaxProcs: " p
    for (i = 1; i <= n; i++) {
      t += -log(1 - rand()) * 1000 / (0.9 * p)
      run = int(-log(1 - rand()) * 1000) + 1
      print i, int(t), -1, run, 1, -1, -1, 1, 2 * run, -1, 1, 1, -1, -1, -1, -1, -1, -1
    }
  }' >"$room/jobs.swf"
}

# one NAME POLICY [FLAG...]: a run of it, to NAME.db and NAME.time
one()
{
  name=$1 policy=$2
  shift 2
  set -- run jobs.swf "$@" -q -o "$name.db" --force --set "policy=$policy" --set 'metrics=[]'
  (time -p "$hindcast" "$@") 2>"$name.time"
}

# tell WHAT RESULT...: what the runs `live`, `replay` and `policy` took; the results' schedules have to be one
tell()
{
  what=$1
  shift
  "$hindcast" digest --schedule "$@" | awk '{ print $1 }' | uniq | awk 'END { exit NR != 1 }'
  messages=$(grep -c '^>' session.txt)
  echo "$what, $messages messages, $(wc -c <session.txt) bytes"
  for name in live replay policy; do
    awk -v name="$name" -v m="$messages" '/^real/ { r = $2 } /^(user|sys)/ { c += $2 }
      END {
        printf "  %-8s %6.2f s wall, %6.2f s CPU, %9.0f messages/s of the wall clock\n", name, r, c, m / r
      }' "$name.time"
  done
}
