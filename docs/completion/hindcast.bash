# bash completion for hindcast: source <(hindcast completion bash)
_hindcast_keys()
{
  local word=$1
  compopt -o nospace 2>/dev/null
  COMPREPLY=($(compgen -W "$(hindcast list --keys "$word" 2>/dev/null)" -- "$word"))
  [[ $word == *=* ]] && COMPREPLY=("${COMPREPLY[@]#*=}")
}
_hindcast()
{
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words= at
  at=${COMP_WORDS[1]}
  local n=$COMP_CWORD
  [[ $cur == '=' ]] && { cur=; prev='='; n=$((n + 1)); }
  if [[ $prev == '=' && $n -gt 3 && ${COMP_WORDS[n-3]} =~ ^(-s|--set)$ ]]; then
    _hindcast_keys "${COMP_WORDS[n-2]}=$cur"; return
  fi
  [[ $at == trace && $COMP_CWORD -gt 2 ]] && at="trace ${COMP_WORDS[2]}"
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W 'run resume branch study whatif when properties compare verify analyze show report cite bundle why export plot digest trace slurm batsim list describe new schema completion version help' -- "$cur")); return
  fi
  case $at in
  'run')
    case $prev in
    --policy) COMPREPLY=($(compgen -W "$(hindcast list select --names 2>/dev/null)" -- "$cur")); return ;;
    --order) COMPREPLY=($(compgen -W "$(hindcast list order --names 2>/dev/null)" -- "$cur")); return ;;
    --select) COMPREPLY=($(compgen -W "$(hindcast list select --names 2>/dev/null)" -- "$cur")); return ;;
    --place) COMPREPLY=($(compgen -W "$(hindcast list place --names 2>/dev/null)" -- "$cur")); return ;;
    --trim) COMPREPLY=($(compgen -W "$(hindcast list trim --names 2>/dev/null)" -- "$cur")); return ;;
    --step) COMPREPLY=($(compgen -W "instant" -- "$cur")); return ;;
    --transform) COMPREPLY=($(compgen -W "$(hindcast list transform --names 2>/dev/null)" -- "$cur")); return ;;
    --set|-s) _hindcast_keys "$cur"; return ;;
    --compat) COMPREPLY=($(compgen -W "$(hindcast list compat --names 2>/dev/null)" -- "$cur")); return ;;
    esac
    words=' --policy --order --select --place --procs --output --name --seed --until --trim --no-rows --all --digest --quiet --save --save-at --save-every --step --live --pace --first --where --repeat --load --scale --sample --shift --renumber --transform --set --compat --strict --rejected --force --plugin --json --csv --help' ;;
  'resume')
    case $prev in
    --step) COMPREPLY=($(compgen -W "instant" -- "$cur")); return ;;
    esac
    words=' --output --all --digest --quiet --force --save --save-at --save-every --step --live --pace --json --csv --help' ;;
  'branch')
    case $prev in
    --policy) COMPREPLY=($(compgen -W "$(hindcast list select --names 2>/dev/null)" -- "$cur")); return ;;
    --order) COMPREPLY=($(compgen -W "$(hindcast list order --names 2>/dev/null)" -- "$cur")); return ;;
    --select) COMPREPLY=($(compgen -W "$(hindcast list select --names 2>/dev/null)" -- "$cur")); return ;;
    --place) COMPREPLY=($(compgen -W "$(hindcast list place --names 2>/dev/null)" -- "$cur")); return ;;
    --step) COMPREPLY=($(compgen -W "instant" -- "$cur")); return ;;
    esac
    words=' --policy --order --select --place --at --set --output --all --digest --quiet --force --save --save-at --save-every --step --live --pace --json --csv --help' ;;
  'study')
    words='plan run status resume merge table compare best shake check' ;;
  'study plan')
    case $prev in
    --set) COMPREPLY=($(compgen -W "path" -- "$cur")); return ;;
    esac
    words=' --points --no-trial --jobs --shake --set --json --csv --help' ;;
  'study run')
    case $prev in
    --set) COMPREPLY=($(compgen -W "path" -- "$cur")); return ;;
    --via) COMPREPLY=($(compgen -W "$(hindcast list carrier --names 2>/dev/null)" -- "$cur")); return ;;
    esac
    words=' --jobs --out --shard --limit --shake --set --via --with --again --quiet --help' ;;
  'study status')
    case $prev in
    esac
    words=' --json --csv --help' ;;
  'study resume')
    case $prev in
    --set) COMPREPLY=($(compgen -W "path" -- "$cur")); return ;;
    --via) COMPREPLY=($(compgen -W "$(hindcast list carrier --names 2>/dev/null)" -- "$cur")); return ;;
    esac
    words=' --jobs --out --limit --shake --set --via --with --retry --quiet --help' ;;
  'study merge')
    case $prev in
    esac
    words=' --out --partial --quiet --help' ;;
  'study table')
    case $prev in
    --interval) COMPREPLY=($(compgen -W "t percentile bca prediction" -- "$cur")); return ;;
    esac
    words=' --figure --rows --columns --each --interval --resamples --seed --where --over --level --higher --lower --markdown --latex --json --csv --help' ;;
  'study compare')
    case $prev in
    --test) COMPREPLY=($(compgen -W "t sign wilcoxon" -- "$cur")); return ;;
    --correct) COMPREPLY=($(compgen -W "holm bonferroni bh none" -- "$cur")); return ;;
    esac
    words=' --figure --axis --baseline --test --correct --margin --where --over --level --higher --lower --markdown --latex --json --csv --help' ;;
  'study best')
    case $prev in
    esac
    words=' --group --choice --scenes --primary --performance --secondary --top --where --over --level --higher --lower --markdown --latex --json --csv --help' ;;
  'study shake')
    case $prev in
    esac
    words=' --figure --axis --where --over --level --higher --lower --markdown --latex --json --csv --help' ;;
  'study check')
    case $prev in
    esac
    words=' --where --expect --all --markdown --json --csv --help' ;;
  'whatif')
    case $prev in
    --change) COMPREPLY=($(compgen -W "path" -- "$cur")); return ;;
    --by) COMPREPLY=($(compgen -W "user group account executable queue qos partition month day weekday hour size estimate all" -- "$cur")); return ;;
    --transform) COMPREPLY=($(compgen -W "$(hindcast list transform --names 2>/dev/null)" -- "$cur")); return ;;
    --set|-s) _hindcast_keys "$cur"; return ;;
    --compat) COMPREPLY=($(compgen -W "$(hindcast list compat --names 2>/dev/null)" -- "$cur")); return ;;
    esac
    words=' --change --shakes --by --limit --sizes --estimates --within --jobs --first --where --repeat --load --scale --sample --shift --renumber --transform --set --compat --strict --rejected --force --plugin --json --csv --help' ;;
  'when')
    case $prev in
    --set|-s) _hindcast_keys "$cur"; return ;;
    --compat) COMPREPLY=($(compgen -W "$(hindcast list compat --names 2>/dev/null)" -- "$cur")); return ;;
    esac
    words=' --site --history --job --draws --calibrate --now --seed --limit --jobs --set --compat --strict --rejected --force --plugin --json --csv --help' ;;
  'properties')
    case $prev in
    --policy) COMPREPLY=($(compgen -W "$(hindcast list select --names 2>/dev/null)" -- "$cur")); return ;;
    --order) COMPREPLY=($(compgen -W "$(hindcast list order --names 2>/dev/null)" -- "$cur")); return ;;
    --select) COMPREPLY=($(compgen -W "$(hindcast list select --names 2>/dev/null)" -- "$cur")); return ;;
    --place) COMPREPLY=($(compgen -W "$(hindcast list place --names 2>/dev/null)" -- "$cur")); return ;;
    --part) COMPREPLY=($(compgen -W "hosts scaled" -- "$cur")); return ;;
    --under) COMPREPLY=($(compgen -W "stretch fail" -- "$cur")); return ;;
    --transform) COMPREPLY=($(compgen -W "$(hindcast list transform --names 2>/dev/null)" -- "$cur")); return ;;
    --set|-s) _hindcast_keys "$cur"; return ;;
    --compat) COMPREPLY=($(compgen -W "$(hindcast list compat --names 2>/dev/null)" -- "$cur")); return ;;
    esac
    words=' --policy --order --select --place --user --dimension --replications --from --until --parties --part --under --quiet --first --where --repeat --load --scale --sample --shift --renumber --transform --set --compat --strict --rejected --force --plugin --json --csv --help' ;;
  'compare')
    case $prev in
    --expect) COMPREPLY=($(compgen -W "equal" -- "$cur")); return ;;
    --differ) COMPREPLY=($(compgen -W "start wait" -- "$cur")); return ;;
    --by) COMPREPLY=($(compgen -W "user group account executable queue qos partition month day weekday hour size estimate all" -- "$cur")); return ;;
    --scope) COMPREPLY=($(compgen -W "all trimmed" -- "$cur")); return ;;
    esac
    words=' --expect --job-by-job --differ --by --sort --limit --sizes --estimates --markdown --latex --tau --batches --all --scope --json --csv --help' ;;
  'verify')
    case $prev in
    --promise) COMPREPLY=($(compgen -W "none fcfs easy conservative" -- "$cur")); return ;;
    --set|-s) _hindcast_keys "$cur"; return ;;
    --compat) COMPREPLY=($(compgen -W "$(hindcast list compat --names 2>/dev/null)" -- "$cur")); return ;;
    esac
    words=' --promise --procs --schedule --limit --rules --quiet --set --compat --strict --rejected --force --plugin --json --csv --help' ;;
  'analyze')
    case $prev in
    --trim) COMPREPLY=($(compgen -W "$(hindcast list trim --names 2>/dev/null)" -- "$cur")); return ;;
    --by) COMPREPLY=($(compgen -W "user group account executable queue qos partition month day weekday hour size estimate all" -- "$cur")); return ;;
    --scope) COMPREPLY=($(compgen -W "all trimmed" -- "$cur")); return ;;
    --transform) COMPREPLY=($(compgen -W "$(hindcast list transform --names 2>/dev/null)" -- "$cur")); return ;;
    --set|-s) _hindcast_keys "$cur"; return ;;
    --compat) COMPREPLY=($(compgen -W "$(hindcast list compat --names 2>/dev/null)" -- "$cur")); return ;;
    esac
    words=' --procs --output --trim --all --quiet --by --figures --sort --limit --scope --sizes --estimates --tau --markdown --latex --svg --first --where --repeat --load --scale --sample --shift --renumber --transform --set --compat --strict --rejected --force --plugin --json --csv --help' ;;
  'analyze limits')
    case $prev in
    --per) COMPREPLY=($(compgen -W "program user" -- "$cur")); return ;;
    --by) COMPREPLY=($(compgen -W "user group account executable queue qos partition month day weekday hour size estimate all" -- "$cur")); return ;;
    --scope) COMPREPLY=($(compgen -W "all trimmed" -- "$cur")); return ;;
    --policy) COMPREPLY=($(compgen -W "$(hindcast list select --names 2>/dev/null)" -- "$cur")); return ;;
    --order) COMPREPLY=($(compgen -W "$(hindcast list order --names 2>/dev/null)" -- "$cur")); return ;;
    --select) COMPREPLY=($(compgen -W "$(hindcast list select --names 2>/dev/null)" -- "$cur")); return ;;
    --place) COMPREPLY=($(compgen -W "$(hindcast list place --names 2>/dev/null)" -- "$cur")); return ;;
    --transform) COMPREPLY=($(compgen -W "$(hindcast list transform --names 2>/dev/null)" -- "$cur")); return ;;
    --set|-s) _hindcast_keys "$cur"; return ;;
    --compat) COMPREPLY=($(compgen -W "$(hindcast list compat --names 2>/dev/null)" -- "$cur")); return ;;
    esac
    words=' --procs --learn --per --runs --no-run --by --figures --sort --limit --scope --sizes --estimates --tau --markdown --latex --svg --policy --order --select --place --first --where --repeat --load --scale --sample --shift --renumber --transform --set --compat --strict --rejected --force --plugin --json --csv --help' ;;
  'analyze occupancy')
    case $prev in
    --transform) COMPREPLY=($(compgen -W "$(hindcast list transform --names 2>/dev/null)" -- "$cur")); return ;;
    --set|-s) _hindcast_keys "$cur"; return ;;
    --compat) COMPREPLY=($(compgen -W "$(hindcast list compat --names 2>/dev/null)" -- "$cur")); return ;;
    esac
    words=' --procs --down --reserved --every --svg --first --where --repeat --load --scale --sample --shift --renumber --transform --set --compat --strict --rejected --force --plugin --json --csv --help' ;;
  'show')
    case $prev in
    --by) COMPREPLY=($(compgen -W "user group account executable queue qos partition month day weekday hour size estimate all" -- "$cur")); return ;;
    --scope) COMPREPLY=($(compgen -W "all trimmed" -- "$cur")); return ;;
    esac
    words=' --all --config --names --info --longest --chart --columns --ascii --by --figures --sort --limit --scope --sizes --estimates --tau --markdown --latex --svg --json --csv --help' ;;
  'report')
    case $prev in
    --verify) COMPREPLY=($(compgen -W "yes no" -- "$cur")); return ;;
    esac
    words=' --output --title --verify --claims --story --stories --interactive --engine --force --quiet --help' ;;
  'cite')
    case $prev in
    esac
    words=' --bibtex --help' ;;
  'bundle')
    case $prev in
    esac
    words=' --output --no-inputs --force --quiet --help' ;;
  'bundle check')
    case $prev in
    esac
    words=' --no-runs --quiet --help' ;;
  'why')
    case $prev in
    esac
    words=' --limit --last --summary --json --csv --help' ;;
  'export')
    case $prev in
    --format) COMPREPLY=($(compgen -W "$(hindcast list exporter --names 2>/dev/null)" -- "$cur")); return ;;
    esac
    words=' --format --set --output --force --plugin --help' ;;
  'plot')
    case $prev in
    --log) COMPREPLY=($(compgen -W "none x y xy" -- "$cur")); return ;;
    --format) COMPREPLY=($(compgen -W "svg pdf png" -- "$cur")); return ;;
    esac
    words=' --figure --x --y --by --of --baseline --show --where --over --level --log --set --output --force --format --width --height --font --dpi --title --x-title --y-title --colours --plugin --help' ;;
  'digest')
    case $prev in
    esac
    words=' --schedule --json --csv --help' ;;
  'trace')
    words='info head validate sort convert sample merge split mask' ;;
  'trace info')
    case $prev in
    --by) COMPREPLY=($(compgen -W "band priority user group queue partition executable status" -- "$cur")); return ;;
    --transform) COMPREPLY=($(compgen -W "$(hindcast list transform --names 2>/dev/null)" -- "$cur")); return ;;
    --set|-s) _hindcast_keys "$cur"; return ;;
    --compat) COMPREPLY=($(compgen -W "$(hindcast list compat --names 2>/dev/null)" -- "$cur")); return ;;
    esac
    words=' --procs --by --bands --from --until --first --where --repeat --load --scale --sample --shift --renumber --transform --set --compat --strict --rejected --force --plugin --json --csv --help' ;;
  'trace head')
    case $prev in
    --transform) COMPREPLY=($(compgen -W "$(hindcast list transform --names 2>/dev/null)" -- "$cur")); return ;;
    --set|-s) _hindcast_keys "$cur"; return ;;
    --compat) COMPREPLY=($(compgen -W "$(hindcast list compat --names 2>/dev/null)" -- "$cur")); return ;;
    esac
    words=' --rows --from --until --first --where --repeat --load --scale --sample --shift --renumber --transform --set --compat --strict --rejected --force --plugin --json --csv --help' ;;
  'trace validate')
    case $prev in
    --transform) COMPREPLY=($(compgen -W "$(hindcast list transform --names 2>/dev/null)" -- "$cur")); return ;;
    --set|-s) _hindcast_keys "$cur"; return ;;
    --compat) COMPREPLY=($(compgen -W "$(hindcast list compat --names 2>/dev/null)" -- "$cur")); return ;;
    esac
    words=' --procs --limit --all --from --until --first --where --repeat --load --scale --sample --shift --renumber --transform --set --compat --strict --rejected --force --plugin --json --csv --help' ;;
  'trace sort')
    case $prev in
    --set|-s) _hindcast_keys "$cur"; return ;;
    --compat) COMPREPLY=($(compgen -W "$(hindcast list compat --names 2>/dev/null)" -- "$cur")); return ;;
    esac
    words=' --output --memory --quiet --set --compat --strict --rejected --force --plugin --help' ;;
  'trace convert')
    case $prev in
    --to) COMPREPLY=($(compgen -W "$(hindcast list writer --names 2>/dev/null)" -- "$cur")); return ;;
    --transform) COMPREPLY=($(compgen -W "$(hindcast list transform --names 2>/dev/null)" -- "$cur")); return ;;
    --set|-s) _hindcast_keys "$cur"; return ;;
    --compat) COMPREPLY=($(compgen -W "$(hindcast list compat --names 2>/dev/null)" -- "$cur")); return ;;
    esac
    words=' --output --procs --usable --to --option --quiet --from --until --first --where --repeat --load --scale --sample --shift --renumber --transform --set --compat --strict --rejected --force --plugin --help' ;;
  'trace sample')
    case $prev in
    --to) COMPREPLY=($(compgen -W "$(hindcast list writer --names 2>/dev/null)" -- "$cur")); return ;;
    --transform) COMPREPLY=($(compgen -W "$(hindcast list transform --names 2>/dev/null)" -- "$cur")); return ;;
    --set|-s) _hindcast_keys "$cur"; return ;;
    --compat) COMPREPLY=($(compgen -W "$(hindcast list compat --names 2>/dev/null)" -- "$cur")); return ;;
    esac
    words=' --rate --output --procs --usable --to --option --quiet --from --until --first --where --repeat --load --scale --sample --shift --renumber --transform --set --compat --strict --rejected --force --plugin --help' ;;
  'trace merge')
    case $prev in
    --to) COMPREPLY=($(compgen -W "$(hindcast list writer --names 2>/dev/null)" -- "$cur")); return ;;
    --transform) COMPREPLY=($(compgen -W "$(hindcast list transform --names 2>/dev/null)" -- "$cur")); return ;;
    --set|-s) _hindcast_keys "$cur"; return ;;
    --compat) COMPREPLY=($(compgen -W "$(hindcast list compat --names 2>/dev/null)" -- "$cur")); return ;;
    esac
    words=' --shared --output --procs --usable --to --option --quiet --from --until --first --where --repeat --load --scale --sample --shift --renumber --transform --set --compat --strict --rejected --force --plugin --help' ;;
  'trace split')
    case $prev in
    --by) COMPREPLY=($(compgen -W "user group queue partition executable status" -- "$cur")); return ;;
    --to) COMPREPLY=($(compgen -W "$(hindcast list writer --names 2>/dev/null)" -- "$cur")); return ;;
    --transform) COMPREPLY=($(compgen -W "$(hindcast list transform --names 2>/dev/null)" -- "$cur")); return ;;
    --set|-s) _hindcast_keys "$cur"; return ;;
    --compat) COMPREPLY=($(compgen -W "$(hindcast list compat --names 2>/dev/null)" -- "$cur")); return ;;
    esac
    words=' --every --parts --by --output --usable --to --option --quiet --from --until --first --where --repeat --load --scale --sample --shift --renumber --transform --set --compat --strict --rejected --force --plugin --json --csv --help' ;;
  'trace mask')
    case $prev in
    --to) COMPREPLY=($(compgen -W "$(hindcast list writer --names 2>/dev/null)" -- "$cur")); return ;;
    --transform) COMPREPLY=($(compgen -W "$(hindcast list transform --names 2>/dev/null)" -- "$cur")); return ;;
    --set|-s) _hindcast_keys "$cur"; return ;;
    --compat) COMPREPLY=($(compgen -W "$(hindcast list compat --names 2>/dev/null)" -- "$cur")); return ;;
    esac
    words=' --key-file --output --usable --to --option --quiet --from --until --first --where --repeat --load --scale --sample --shift --renumber --transform --set --compat --strict --rejected --force --plugin --help' ;;
  'slurm')
    words='up replay down users nodes' ;;
  'slurm up')
    case $prev in
    esac
    words=' --nodes --cpus --memory --conf --setting --speed --jump --real --epilog --epilog-takes --patience --quiet --help' ;;
  'slurm replay')
    case $prev in
    --expect) COMPREPLY=($(compgen -W "states" -- "$cur")); return ;;
    --transform) COMPREPLY=($(compgen -W "$(hindcast list transform --names 2>/dev/null)" -- "$cur")); return ;;
    --set|-s) _hindcast_keys "$cur"; return ;;
    --compat) COMPREPLY=($(compgen -W "$(hindcast list compat --names 2>/dev/null)" -- "$cur")); return ;;
    esac
    words=' --on --output --existing --compress --do --users --give-up --settle --expect --force --quiet --from --until --first --where --repeat --load --scale --sample --shift --renumber --transform --set --compat --strict --rejected --force --plugin --json --csv --help' ;;
  'slurm down')
    case $prev in
    esac
    words=' --help' ;;
  'slurm users')
    case $prev in
    esac
    words=' --list --do --prefix --first-uid --help'
    [[ $cur == -* ]] || words="create delete" ;;
  'slurm nodes')
    case $prev in
    esac
    words=' --port --controller --cpus --memory --speed --clock --epilog --epilog-takes --help' ;;
  'batsim')
    case $prev in
    --edc-library-load-method) COMPREPLY=($(compgen -W "dlopen" -- "$cur")); return ;;
    --verbosity) COMPREPLY=($(compgen -W "quiet network-only information debug" -- "$cur")); return ;;
    --think) COMPREPLY=($(compgen -W "answer none measured" -- "$cur")); return ;;
    esac
    words=' --platform --workload --export --socket-endpoint --edc-library-str --edc-library-file --edc-socket-str --edc-socket-file --edc-library-load-method --master-host --add-role-to-hosts --energy --mmax --mmax-workload --forward-profiles-on-submission --sched-cfg --sched-cfg-file --events --forward-unknown-events --enable-dynamic-jobs --acknowledge-dynamic-jobs --enable-profile-reuse --external-events --disable-schedule-tracing --disable-machine-state-tracing --trace-machine-state --trace-pstate-changes --verbosity --quiet --think --timeout --most --flops --public --record --replay --output --force --workflow --add-role --energy-host --energy-link --trace-probe-data --config --gen-config --workflow-start --WS --workflow-jobs-limit --ignore-beyond-last-workflow --enable-redis --redis-hostname --redis-port --redis-prefix --enable-compute-sharing --disable-storage-sharing --no-sched --dump-execution-context --sg-cfg --sg-log --help' ;;
  'list')
    case $prev in
    esac
    words=' --json --names --keys --plugin --help'
    [[ $cur == -* ]] || words="reader transform cell architecture policy order select place metric trim exporter compat" ;;
  'describe')
    case $prev in
    esac
    words=' --json --markdown --plugin --help' ;;
  'new')
    case $prev in
    esac
    words=' --to --tree --force --help'
    [[ $cur == -* ]] || words="order select place policy metric architecture reader" ;;
  'schema')
    case $prev in
    esac
    words=' --help' ;;
  'completion')
    case $prev in
    esac
    words=' --help'
    [[ $cur == -* ]] || words="bash zsh fish" ;;
  'version')
    case $prev in
    esac
    words=' --json --csv --help' ;;
  'help')
    case $prev in
    esac
    words=' --man --help' ;;
  esac
  if [[ $cur == -* || $words != *--* ]]; then COMPREPLY=($(compgen -W "$words" -- "$cur")); fi
  [[ ${#COMPREPLY[@]} -gt 0 ]] || COMPREPLY=($(compgen -f -- "$cur"))
}
complete -o filenames -F _hindcast hindcast
