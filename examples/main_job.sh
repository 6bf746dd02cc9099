#!/bin/sh
# main_job.sh -- the main job: a real log under five schedulers, compared, verified and shown.
# HINDCAST names the command (default: the one on the path). Results go to results/ in the current directory.
set -eu
hindcast=${HINDCAST:-hindcast}
log=${1:-examples/data/KTH-SP2-1996-2.swf.zst}
out=results
mkdir -p "$out"

run()
{
  name=$1
  shift
  "$hindcast" run "$log" --output "$out/kth-$name.db" --quiet "$@"
}

echo "Re-running $log under five schedulers."
run fcfs --policy fcfs
run sjf --policy sjf
run easy --policy easy
run easy-sjf --policy easy --set 'policy.select.candidates=sjf'
# Compressed after an early end, not made anew: then no promise is ever moved back, and verify holds it to that.
run conservative --policy conservative --set policy.select.replan=compress

set -- "$out/kth-fcfs.db" "$out/kth-sjf.db" "$out/kth-easy.db" "$out/kth-easy-sjf.db" "$out/kth-conservative.db"
echo
"$hindcast" compare "$@"
echo
echo "Checking each schedule from its records alone:"
"$hindcast" verify "$@"
echo
"$hindcast" report "$out/kth-easy.db" "$out/kth-easy-sjf.db" "$out/kth-sjf.db" "$out/kth-conservative.db" "$out/kth-fcfs.db" \
  --stories 4 --output "$out/kth.html" --force
cat <<END

The results are in $out/kth-*.db (SQLite). Next, open $out/kth.html in a browser, or try
  $hindcast show $out/kth-easy.db                    every figure of one run
  $hindcast why $out/kth-easy.db 298                 what task 298 waited for
  $hindcast export $out/kth-easy.db --format swf     the schedule as a log
  $hindcast export $out/kth-easy.db --format gantt --set from=100d --set to=110d --output gantt.svg   ten days of it as a picture
  $hindcast run examples/first.yaml                  the same from a file: change one word in it and run again
  $hindcast list                                     what else there is
END
