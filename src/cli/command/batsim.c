/* batsim.c -- `hindcast batsim`: a run by the command line of Batsim, decided by a scheduler of Batsim 4,
 * which is another process, or by a decision component of Batsim 5 (--edc-...), with Batsim's files at its
 * end.
 *
 * Its options become the configuration of `compat: batsim`: the platform, the workload, the messages
 * between scheduler and machines, and the policy `outside`. Options that are not modelled are known, and
 * refused with the reason: their help says it. Files are written when the run is over, and not before. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/cli.h"

#define REFUSED "Refused: "

static const cli_flag batsim_flags[] = {
    {.name = "platform",
     .letter = 'p',
     .metavar = "FILE",
     .complete = CLI_FILE,
     .help = "The platform of SimGrid (XML). Required."},
    {.name = "workload",
     .letter = 'w',
     .metavar = "FILE",
     .complete = CLI_FILE,
     .many = true,
     .help = "The workload (JSON). Required, once."},
    {.name = "export",
     .letter = 'e',
     .metavar = "PREFIX",
     .help = "How the names of the files begin that are written: PREFIX_jobs.csv, PREFIX_schedule.csv ... "
             "Default: out. With --edc-...: PREFIXjobs.csv, PREFIXschedule.json ..., and out/."},
    {.name = "socket-endpoint",
     .letter = 's',
     .metavar = "ENDPOINT",
     .help = "Where the scheduler listens. Default: tcp://localhost:28000."},
    {.name = "edc-library-str",
     .letter = 'l',
     .metavar = "LIB",
     .complete = CLI_FILE,
     .help = "A decision component of Batsim 5, and what it is given first: --edc-library-str LIB INIT. LIB "
             "is a shared object, with a slash in its name (./libfcfs.so)."},
    {.name = "edc-library-file",
     .letter = 'L',
     .metavar = "LIB",
     .complete = CLI_FILE,
     .help = "The same, where INIT is a file that holds it."},
    {.name = "edc-socket-str",
     .metavar = "ENDPOINT",
     .help = "A decision component of Batsim 5 that is a process, and what it is given first: "
             "--edc-socket-str ENDPOINT INIT."},
    {.name = "edc-socket-file",
     .letter = 'S',
     .metavar = "ENDPOINT",
     .help = "The same, where INIT is a file that holds it."},
    {.name = "edc-library-load-method",
     .metavar = "HOW",
     .complete = "dlopen",
     .help = "How a shared object is loaded: dlopen alone, Batsim's default, is possible."},
    {.name = "master-host",
     .letter = 'm',
     .metavar = "NAME",
     .help = "The host that the scheduler is on, which runs no jobs. Default: master_host."},
    {.name = "add-role-to-hosts",
     .letter = 'r',
     .metavar = "HOSTS:ROLE",
     .many = true,
     .help = "What hosts are for: a,b:storage, a:master, a:compute_node."},
    {.name = "energy",
     .letter = 'E',
     .help = "Count energy, and write PREFIX_consumed_energy.csv and PREFIX_pstate_changes.csv."},
    {.name = "mmax", .metavar = "N", .help = "No more machines than this; 0: all. Default: 0."},
    {.name = "mmax-workload", .help = "No more machines than the workload's nb_res."},
    {.name = "forward-profiles-on-submission", .help = "Tell the scheduler the profile of each job with it."},
    {.name = "sched-cfg", .metavar = "TEXT", .help = "Text that the scheduler is given when the run begins."},
    {.name = "sched-cfg-file", .metavar = "FILE", .complete = CLI_FILE, .help = "The same, from a file."},
    {.name = "events",
     .metavar = "FILE",
     .complete = CLI_FILE,
     .many = true,
     .help = "External events, an object of JSON a line: machines that become unavailable, and available "
             "again, and others."},
    {.name = "forward-unknown-events",
     .help = "Tell the scheduler events of other types than those of machines, as they stand."},
    {.name = "enable-dynamic-jobs", .help = "The scheduler may register jobs and profiles of its own."},
    {.name = "acknowledge-dynamic-jobs", .help = "Tell it of each job that it has registered, as of others."},
    {.name = "enable-profile-reuse",
     .help = "Tell it that profiles may be used again, which they may in any case."},
    {.name = "external-events",
     .metavar = "FILE",
     .complete = CLI_FILE,
     .many = true,
     .help = "With --edc-...: external events, of the type generic."},
    {.name = "disable-schedule-tracing", .help = "Do not write PREFIX_schedule.trace."},
    {.name = "disable-machine-state-tracing", .help = "Do not write PREFIX_machine_states.csv."},
    {.name = "trace-machine-state", .help = "With --edc-...: write PREFIXmachine_states.csv."},
    {.name = "trace-pstate-changes", .help = "With --edc-... and --energy: write PREFIXpstate_changes.csv."},
    {.name = "verbosity",
     .letter = 'v',
     .metavar = "LEVEL",
     .complete = "quiet|network-only|information|debug",
     .help = "quiet is --quiet; the other levels of Batsim say what is said without it."},
    CLI_FLAG_QUIET,
    {.name = NULL},
};

static const cli_flag own_flags[] = {
    {.name = "think",
     .metavar = "HOW",
     .complete = "answer|none|measured",
     .help =
         "How long decisions take in the run: `answer`, until the time that the scheduler's answer names, as "
         "in Batsim; `none`; `measured`, as long as answers take by the wall clock; or a time: 2s. Default: "
         "answer."},
    {.name = "timeout",
     .metavar = "TIME",
     .help =
         "How long an answer may take by the wall clock, and the scheduler to come; 0: any. Default: 10min."},
    {.name = "most", .metavar = "SIZE", .help = "Greatest size of an answer. Default: 64MiB."},
    {.name = "flops",
     .metavar = "X",
     .help = "Speed of the platform's hosts in flop/s, about: within a factor of a million. Default: 1e9."},
    {.name = "public",
     .help = "The scheduler may be on another machine, to which what is said goes in plain text."},
    {.name = "record",
     .metavar = "FILE",
     .complete = CLI_FILE,
     .help = "Write down what is said, for --replay."},
    {.name = "replay",
     .metavar = "FILE",
     .complete = CLI_FILE,
     .help = "Take the answers from such a file: the same run again, without the scheduler."},
    CLI_FLAG_RESULT(
        "Keep the result, too, for `hindcast verify`, `show`, `compare` ... Default: it is not kept."),
    CLI_FLAG_FORCE,
    {.name = NULL},
};

static const cli_flag refused_flags[] = {
    {.name = "workflow",
     .letter = 'W',
     .metavar = "FILE",
     .many = true,
     .help = REFUSED
     "workflows come from other formats (`hindcast list reader`), and not with Batsim's protocol."},
    {.name = "add-role",
     .metavar = "HOST",
     .many = true,
     .help = REFUSED "say --add-role-to-hosts HOST:ROLE, as Batsim 4 has it."},
    {.name = "energy-host", .help = REFUSED "say --energy, which counts that of hosts."},
    {.name = "energy-link", .help = REFUSED "links draw no power here."},
    {.name = "trace-probe-data",
     .metavar = "HOW",
     .help = REFUSED "there are no probes: energy is known when the run is over."},
    {.name = "config", .metavar = "FILE", .help = REFUSED "its options are those of the command line."},
    {.name = "gen-config", .metavar = "FILE", .help = REFUSED "as --config."},
    {.name = "workflow-start", .metavar = "FILE", .many = true, .help = REFUSED "as --workflow."},
    {.name = "WS", .metavar = "FILE", .many = true, .help = REFUSED "as --workflow."},
    {.name = "workflow-jobs-limit", .metavar = "N", .help = REFUSED "as --workflow."},
    {.name = "ignore-beyond-last-workflow", .help = REFUSED "as --workflow."},
    {.name = "enable-redis", .help = REFUSED "jobs go with the messages, and not through a Redis server."},
    {.name = "redis-hostname", .metavar = "NAME", .help = REFUSED "as --enable-redis."},
    {.name = "redis-port", .metavar = "N", .help = REFUSED "as --enable-redis."},
    {.name = "redis-prefix", .metavar = "TEXT", .help = REFUSED "as --enable-redis."},
    {.name = "enable-compute-sharing", .help = REFUSED "a machine is given to one job at a time, whole."},
    {.name = "disable-storage-sharing", .help = REFUSED "storage hosts serve all jobs at once."},
    {.name = "no-sched",
     .help = REFUSED "`hindcast run` with `compat: batsim` runs a workload without a scheduler beside it."},
    {.name = "dump-execution-context", .help = REFUSED "there is no such context here."},
    {.name = "sg-cfg", .metavar = "TEXT", .many = true, .help = REFUSED "there is no SimGrid within."},
    {.name = "sg-log", .metavar = "TEXT", .many = true, .help = REFUSED "there is no SimGrid within."},
    {.name = NULL},
};

static const cli_flag *const flags[] = {batsim_flags, own_flags, refused_flags, NULL};

/* ---- decision components of Batsim 5 ---- */

/* A way to say one: a shared object or a process; what it is given as text, or a file that holds it. */
static const struct {
  const char *flag;
  bool is_library, is_file;
} components[] = {{"edc-library-str", true, false},
                  {"edc-library-file", true, true},
                  {"edc-socket-str", false, false},
                  {"edc-socket-file", false, true}};

/* The index of the one that is given; none: how many there are. */
static size_t component(const cli *c)
{
  size_t k = 0;
  while (k < CLI_LEN(components) && !cli_has(c, components[k].flag)) k++;
  return k;
}

static bool has_component(const cli *c)
{
  return component(c) < CLI_LEN(components);
}

/* What of Batsim 4 has no meaning with a component, and the other way round. */
static hc_rc check_component(cli *c)
{
  static const char *const of_4[] = {"socket-endpoint",          "forward-profiles-on-submission",
                                     "sched-cfg",                "sched-cfg-file",
                                     "disable-schedule-tracing", "disable-machine-state-tracing",
                                     "events",                   "forward-unknown-events",
                                     "enable-dynamic-jobs",      "acknowledge-dynamic-jobs",
                                     "enable-profile-reuse"};
  static const char *const of_5[] = {"edc-library-load-method", "trace-machine-state",
                                     "trace-pstate-changes", "external-events"};
  const size_t k = component(c);
  const char *how = cli_value(c, "edc-library-load-method");
  if (!has_component(c)) {
    for (size_t i = 0; i < CLI_LEN(of_5); i++)
      if (cli_has(c, of_5[i]))
        return cli_fail(c, HC_EUSAGE, "--%s is for decision components of Batsim 5: name one (--edc-...)",
                        of_5[i]);
    if (c->operand_count > 0)
      return cli_fail(c, HC_EUSAGE, "\"%.80s\" stands alone; every option of Batsim has a name",
                      c->operands[0]);
    return 0;
  }
  for (size_t i = k + 1; i < CLI_LEN(components); i++)
    if (cli_has(c, components[i].flag))
      return cli_fail(c, HC_EUSAGE, "--%s and --%s: one component decides", components[k].flag,
                      components[i].flag);
  for (size_t i = 0; i < CLI_LEN(of_4); i++)
    if (cli_has(c, of_4[i]))
      return cli_fail(c, HC_EUSAGE, "--%s is for schedulers of Batsim 4, and --%s names one of Batsim 5",
                      of_4[i], components[k].flag);
  if (c->operand_count == 0)
    return cli_fail(c, HC_EUSAGE, "missing INIT, %s: --%s %s INIT",
                    components[k].is_file ? "the file with what the component is given"
                                          : "what the component is given; '' is nothing",
                    components[k].flag, components[k].is_library ? "LIB" : "ENDPOINT");
  if (how && strcmp(how, "dlopen") != 0)
    return cli_fail(c, HC_EUNSUPPORTED, "--edc-library-load-method: expected dlopen, got \"%.80s\"", how);
  return 0;
}

/* ---- the configuration ---- */

static hc_rc check_flags(cli *c)
{
  size_t workloads = 0;
  for (size_t i = 0; i < c->given_count; i++) {
    const cli_flag *f = c->given[i].flag;
    workloads += strcmp(f->name, "workload") == 0;
    if (strncmp(f->help, REFUSED, strlen(REFUSED)) == 0)
      return cli_fail(c, HC_EUSAGE, "--%s is not modelled: %s", f->name, f->help + strlen(REFUSED));
  }
  if (!cli_has(c, "platform"))
    return cli_fail(c, HC_EUSAGE, "missing --platform FILE: the machine, as SimGrid has it");
  if (workloads == 0) return cli_fail(c, HC_EUSAGE, "missing --workload FILE: the jobs");
  if (workloads > 1)
    return cli_fail(
        c, HC_EUSAGE,
        "--workload: one workload is read, and not several: join their jobs and profiles in one file");
  return check_component(c);
}

static void put_names(hc_buffer *out, const char *names, size_t size)
{
  for (size_t at = 0; at < size;) {
    const char *comma = memchr(names + at, ',', size - at);
    const size_t n = comma ? (size_t)(comma - names) - at : size - at;
    if (out->size > 0) hc_buffer_text(out, ", ");
    hc_json_string(out, names + at, n);
    at += n + 1;
  }
}

/* What -r says. */
typedef struct roles {
  hc_buffer storage, master;
} roles;

static hc_rc read_roles(cli *c, roles *out)
{
  hc_buffer_init(&out->storage, c->allocator);
  hc_buffer_init(&out->master, c->allocator);
  for (size_t i = 0; i < c->given_count; i++) {
    const char *value = c->given[i].value, *colon;
    if (strcmp(c->given[i].flag->name, "add-role-to-hosts") != 0) continue;
    colon = strrchr(value, ':');
    const char *role = colon ? colon + 1 : "";
    const size_t n = colon ? (size_t)(colon - value) : 0;
    if (strcmp(role, "storage") == 0) put_names(&out->storage, value, n);
    else if (strcmp(role, "master") == 0) put_names(&out->master, value, n);
    else if (strcmp(role, "compute_node") != 0)
      return cli_fail(c, HC_EUSAGE,
                      "--add-role-to-hosts: expected HOSTS:ROLE with one of the roles master, storage and "
                      "compute_node, got \"%.80s\"",
                      value);
  }
  return 0;
}

/* The workload's nb_res. */
static hc_rc machines_of_workload(cli *c, int64_t *out)
{
  hc_config *config;
  hc_trace *trace;
  hc_buffer text;
  CLI_TRY(hc_config_new(c->allocator, cli_registry(c), &config, &c->error));
  hc_buffer_init(&text, c->allocator);
  hc_buffer_text(&text, "source: {use: batsim, other_profiles: limit, file: ");
  hc_json_string(&text, cli_value(c, "workload"), strlen(cli_value(c, "workload")));
  hc_buffer_text(&text, "}\n");
  hc_rc rc =
      text.failed ? HC_ENOMEM : hc_config_text(config, text.data, text.size, "--mmax-workload", &c->error);
  if (rc >= 0)
    rc = hc_trace_open(c->allocator, config, &(hc_trace_options){.mode = HC_TRACE_ROWS}, &trace, &c->error);
  if (rc >= 0) {
    *out = hc_trace_facts(trace)->processors;
    hc_trace_close(trace);
  }
  hc_buffer_fini(&text);
  hc_config_free(config);
  if (rc >= 0 && *out < 1) return cli_fail(c, HC_EUSAGE, "--mmax-workload: the workload says no nb_res");
  return rc < 0 ? rc : 0;
}

static hc_rc most_machines(cli *c, int64_t *out)
{
  int64_t of_workload;
  *out = 0;
  CLI_TRY(cli_int(c, "mmax", 0, 1 << 30, out));
  if (!cli_has(c, "mmax-workload")) return 0;
  CLI_TRY(machines_of_workload(c, &of_workload));
  if (*out == 0 || of_workload < *out) *out = of_workload;
  return 0;
}

static void put_text(hc_buffer *out, const char *before, const char *text, const char *after)
{
  hc_buffer_text(out, before);
  hc_json_string(out, text, strlen(text));
  hc_buffer_text(out, after);
}

static bool has_events(const cli *c)
{
  return cli_has(c, "events") || cli_has(c, "external-events");
}

static hc_rc put_config(cli *c, const roles *r, hc_buffer *out)
{
  const char *platform = cli_value(c, "platform"), *master = cli_value(c, "master-host");
  const char *flops = cli_value(c, "flops");
  const bool is_5 = has_component(c);
  int64_t most;
  double speed;
  CLI_TRY(most_machines(c, &most));
  if (!flops) flops = "1e9";
  if (hc_parse_real(flops, strlen(flops), &speed) < 0 || !(speed > 0))
    return cli_fail(c, HC_EUSAGE, "--flops: expected a speed in flop/s, such as 1e9, got \"%.80s\"", flops);
  put_text(out,
           "compat: batsim\nsource: {use: batsim, executables: profiles, file: ", cli_value(c, "workload"),
           is_5 ? ", report: 0" : ""); /* what ranks of a trace say at their end: Batsim 5 has none */
  hc_buffer_text(out, is_5 || cli_has(c, "enable-dynamic-jobs") ? ", dynamic: true}\n" : "}\n");
  hc_buffer_printf(out, "cell: {use: simgrid, order: %s", is_5 ? "batsim5" : "batsim");
  put_text(out, ", file: ", platform, "");
  hc_buffer_printf(out, ", most: %lld, flops: %s", (long long)most, flops);
  if (r->storage.size > 0) hc_buffer_printf(out, ", storage: [%s]", r->storage.data);
  if (r->master.size > 0) hc_buffer_printf(out, ", leave_out: [%s]", r->master.data);
  else put_text(out, ", leave_out: [", master ? master : "master_host", "]");
  put_text(out, "}\nexecution: {use: activities, network: {use: simgrid, file: ", platform, "}");
  hc_buffer_printf(out, ", cpu_speed: %s}\n", flops);
  put_text(out, "architecture: {use: messages, network: {use: simgrid, file: ", platform, "}, ");
  hc_buffer_text(out, has_events(c) ? "incidents: true, master: " : "master: ");
  if (r->master.size > 0) hc_buffer_printf(out, "%s}\n", r->master.data);
  else put_text(out, "", master ? master : "master_host", "}\n");
  hc_buffer_text(out, cli_has(c, "energy")
                          ? "policy: {use: outside, asks: [may_preempt, may_power]}\n"
                            "power: {use: simgrid, sleeps: true}\n"
                            "metrics: [{use: energy, by: tasks, trace: true}]\n"
                          : "policy: {use: outside, asks: [may_preempt]}\nmetrics: []\n");
  return out->failed ? HC_ENOMEM : 0;
}

static hc_rc make_config(cli *c, hc_config **out)
{
  hc_buffer text;
  roles r = {0};
  CLI_TRY(check_flags(c));
  if (!cli_registry(c)) return HC_ENOMEM;
  CLI_TRY(hc_config_new(c->allocator, c->registry, out, &c->error));
  hc_buffer_init(&text, c->allocator);
  hc_rc rc = read_roles(c, &r);
  if (rc >= 0) rc = put_config(c, &r, &text);
  if (rc >= 0) rc = hc_config_text(*out, text.data, text.size, "the command line", &c->error);
  if (rc >= 0) rc = hc_config_resolve(*out, &c->error);
  hc_buffer_fini(&r.storage);
  hc_buffer_fini(&r.master);
  hc_buffer_fini(&text);
  return rc;
}

/* ---- the session ---- */

static hc_time wall_ns(void *ctx)
{
  (void)ctx;
  return (hc_time)(cli_wall() * 1e9);
}

static bool is_cancelled(void *ctx)
{
  (void)ctx;
  return cli_interrupted();
}

static hc_rc read_time(cli *c, const char *flag, hc_time *out)
{
  const char *word = cli_value(c, flag);
  if (!word) return 0;
  if (hc_parse_time(word, strlen(word), out) == 0 && *out >= 0) return 0;
  return cli_fail(c, HC_EUSAGE, "--%s: expected a time, such as 10min, got \"%.80s\"", flag, word);
}

static hc_rc read_think(cli *c, hc_remote_options *o)
{
  static const struct {
    const char *word;
    hc_remote_think think;
  } words[] = {{"answer", HC_THINK_ANSWER}, {"none", HC_THINK_NONE}, {"measured", HC_THINK_MEASURED}};
  const char *word = cli_value(c, "think");
  for (size_t i = 0; word && i < CLI_LEN(words); i++) {
    if (strcmp(word, words[i].word) != 0) continue;
    o->think = words[i].think;
    return 0;
  }
  if (word) o->think = HC_THINK_FIXED;
  return read_time(c, "think", &o->think_time);
}

static hc_rc read_session(cli *c, hc_remote_options *o)
{
  const size_t k = component(c);
  const char *most = cli_value(c, "most");
  const char *endpoint = cli_value(c, has_component(c) ? components[k].flag : "socket-endpoint");
  *o = (hc_remote_options){.endpoint = endpoint ? endpoint : "tcp://localhost:28000",
                           .is_public = cli_has(c, "public"),
                           .timeout = 10 * HC_MINUTE,
                           .record = cli_value(c, "record"),
                           .replay = cli_value(c, "replay"),
                           .clock = wall_ns,
                           .is_cancelled = is_cancelled};
  if (o->record && o->replay)
    return cli_fail(c, HC_EUSAGE, "--record and --replay: what is replayed has been recorded already");
  if (most && (hc_parse_size(most, strlen(most), &o->most) < 0 || o->most < 1))
    return cli_fail(c, HC_EUSAGE, "--most: expected a size, such as 64MiB, got \"%.80s\"", most);
  CLI_TRY(read_time(c, "timeout", &o->timeout));
  return read_think(c, o);
}

/* Files of external events. @param files  room for `most` of them */
static hc_rc read_events(cli *c, hc_batsim_options *o, const char **files, size_t most)
{
  o->events = files;
  o->forwards_unknown = cli_has(c, "forward-unknown-events");
  for (size_t i = 0; i < c->given_count; i++) {
    const char *name = c->given[i].flag->name;
    if (strcmp(name, "events") != 0 && strcmp(name, "external-events") != 0) continue;
    if (o->event_count == most)
      return cli_fail(c, HC_EUSAGE, "--%s: more than %zu files of events", name, most);
    files[o->event_count++] = c->given[i].value;
  }
  return 0;
}

/* The text that the scheduler is given, to be freed; a component of Batsim 5: what it is given first. */
static hc_rc read_scheduler_config(cli *c, char **out, size_t *size)
{
  const size_t k = component(c);
  const bool is_file = has_component(c) && components[k].is_file;
  const char *flag = is_file ? components[k].flag : "sched-cfg-file";
  const char *text = has_component(c) ? c->operands[0] : cli_value(c, "sched-cfg");
  const char *path = is_file ? text : cli_value(c, "sched-cfg-file");
  FILE *f;
  *size = 0;
  *out = calloc(1, 1 << 20);
  if (!*out) return HC_ENOMEM;
  if (!path) {
    if (text) (void)snprintf(*out, 1 << 20, "%s", text);
    *size = strlen(*out);
    return 0;
  }
  f = fopen(path, "rb");
  if (!f) return cli_fail(c, HC_EUSAGE, "--%s: \"%.200s\" cannot be read", flag, path);
  *size = fread(*out, 1, (1 << 20) - 1, f);
  const bool is_whole = fgetc(f) == EOF && !ferror(f);
  (void)fclose(f);
  (*out)[*size] = '\0';
  return is_whole ? 0 : cli_fail(c, HC_EUSAGE, "--%s: \"%.200s\" is larger than 1 MiB", flag, path);
}

/* It takes the place of an earlier one, and of no other file. */
static hc_rc check_record(cli *c, const char *path)
{
  FILE *f = fopen(path, "rb");
  if (!f) return 0;
  (void)fclose(f);
  CLI_TRY(cli_file_may(c, path));
  if (cli_has(c, "force") || hc_begins_alike(path, HC_REMOTE_RECORD, strlen(HC_REMOTE_RECORD))) return 0;
  return cli_fail(
      c, HC_EUSAGE,
      "--record: %.300s is another kind of file; choose another path, or say --force to replace it", path);
}

/* ---- the run ---- */

static hc_rc carry_out(cli *c, hc_config *config, hc_store *store, hc_remote_report *report)
{
  const double began = cli_wall();
  hc_batsim_options o = {.workload = cli_value(c, "workload"),
                         .forwards_profiles = cli_has(c, "forward-profiles-on-submission"),
                         .is_dynamic = cli_has(c, "enable-dynamic-jobs"),
                         .acknowledges = cli_has(c, "acknowledge-dynamic-jobs"),
                         .reuses_profiles = cli_has(c, "enable-profile-reuse")};
  /* Not the line as it was given: a record is to be that of its replay. */
  const char *const line[] = {"batsim", "-p", cli_value(c, "platform"), "-w", o.workload};
  const char *files[64];
  hc_edc edc = {.arguments = line, .argument_count = CLI_LEN(line)};
  char *text = NULL;
  size_t size;
  hc_progress p;
  hc_run *run = NULL;
  hc_rc rc = read_session(c, &o.remote);
  if (rc >= 0) rc = read_events(c, &o, files, CLI_LEN(files));
  if (rc >= 0) rc = read_scheduler_config(c, &text, &size);
  o.scheduler_config = text;
  if (rc >= 0 && has_component(c)) {
    edc.is_library = components[component(c)].is_library;
    edc.init = text;
    edc.init_size = (uint32_t)size;
    o.remote.edc = &edc;
  }
  if (rc >= 0 && o.remote.record) rc = check_record(c, o.remote.record);
  if (rc >= 0) rc = hc_run_new(c->allocator, config, store, &run, &c->error);
  if (rc >= 0) {
    c->started = true;
    cli_watch(run);
    rc = hc_remote_batsim(c->allocator, run, store, &o, report, &c->error);
    if (rc >= 0) rc = hc_run_finish(run, &c->error);
    hc_run_progress(run, &p);
    if (rc >= 0) rc = cli_store_info(c, store, began, &p);
    cli_watch(NULL);
  }
  hc_run_free(run);
  free(text);
  return rc >= 0 && cli_interrupted() ? HC_ECANCELLED : rc;
}

/* ---- the files ---- */

typedef struct output {
  const char *suffix, *format;
  const char *setting; /* of the format; NULL: none */
  const char *unless;  /* the flag without which it is written; NULL: always */
  const char *when[2]; /* flags with which alone it is written; NULL: always */
} output;

static const output outputs_4[] = {
    {.suffix = "_jobs.csv", .format = "batsim"},
    {.suffix = "_schedule.csv", .format = "batsim_schedule"},
    {.suffix = "_machine_states.csv",
     .format = "batsim_machine_states",
     .unless = "disable-machine-state-tracing"},
    {.suffix = "_schedule.trace", .format = "paje", .unless = "disable-schedule-tracing"},
    {.suffix = "_consumed_energy.csv", .format = "batsim_consumed_energy", .when = {"energy"}},
    {.suffix = "_pstate_changes.csv", .format = "batsim_pstate_changes", .when = {"energy"}},
    {.suffix = NULL},
};

static const output outputs_5[] = {
    {.suffix = "jobs.csv", .format = "batsim"},
    {.suffix = "schedule.json", .format = "batsim_schedule", .setting = "version=5"},
    {.suffix = "machine_states.csv", .format = "batsim_machine_states", .when = {"trace-machine-state"}},
    {.suffix = "consumed_energy.csv", .format = "batsim_consumed_energy", .when = {"energy"}},
    {.suffix = "pstate_changes.csv",
     .format = "batsim_pstate_changes",
     .when = {"energy", "trace-pstate-changes"}},
    {.suffix = NULL},
};

static hc_rc write_one(cli *c, hc_result *r, const output *x, const char *prefix,
                       const hc_remote_report *report)
{
  char path[1024], off[32];
  cli_file file;
  const char *setting = x->setting;
  (void)snprintf(off, sizeof off, "off=%u", (unsigned)report->sleep_state);
  if (strcmp(x->format, "batsim_pstate_changes") == 0 && report->sleep_state > 0) setting = off;
  (void)snprintf(path, sizeof path, "%s%s", prefix, x->suffix);
  CLI_TRY(cli_file_open(c, path, &file));
  const hc_rc rc = hc_export_result(c->allocator, c->registry, x->format, &setting, setting ? 1 : 0, r,
                                    &file.sink, &c->error);
  if (rc >= 0) return cli_file_commit(&file);
  cli_file_drop(&file);
  return rc;
}

/* The folders that a prefix names, as Batsim 5 makes them. */
static hc_rc make_folders(cli *c, const char *prefix)
{
  char path[1024];
  for (const char *s = strchr(prefix + (*prefix == '/'), '/'); s; s = strchr(s + 1, '/')) {
    (void)snprintf(path, sizeof path, "%.*s", (int)(s - prefix), prefix);
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
      return cli_fail(c, HC_EIO, "--export: the folder \"%.200s\" cannot be made: %s", path, strerror(errno));
  }
  return 0;
}

static hc_rc write_files(cli *c, hc_result *r, const hc_remote_report *report)
{
  const bool is_5 = has_component(c);
  const char *prefix = cli_value(c, "export");
  if (!prefix) prefix = is_5 ? "out/" : "out";
  if (is_5) CLI_TRY(make_folders(c, prefix));
  for (const output *x = is_5 ? outputs_5 : outputs_4; x->suffix; x++) {
    bool is_wanted = !x->unless || !cli_has(c, x->unless);
    for (size_t k = 0; k < 2 && x->when[k]; k++) is_wanted = is_wanted && cli_has(c, x->when[k]);
    if (is_wanted) CLI_TRY(write_one(c, r, x, prefix, report));
  }
  return hc_result_check(r, &c->error);
}

static bool is_quiet(const cli *c)
{
  const char *level = cli_value(c, "verbosity");
  return cli_has(c, "quiet") || (level && strcmp(level, "quiet") == 0);
}

static hc_rc show(cli *c, hc_result *r, const hc_remote_report *x)
{
  if (is_quiet(c)) return 0;
  CLI_TRY(cli_show_result(c, r, false));
  hc_buffer_printf(
      &c->out, "\n  the scheduler answered %llu messages: %llu jobs started, %llu rejected, %llu killed\n",
      (unsigned long long)x->messages, (unsigned long long)x->executed, (unsigned long long)x->rejected,
      (unsigned long long)x->killed);
  return 0;
}

static hc_rc finish(cli *c, hc_store *store, const hc_remote_report *report)
{
  hc_result *r;
  CLI_TRY(hc_result_of_store(store, &r, &c->error));
  hc_rc rc = write_files(c, r, report);
  if (rc >= 0) rc = show(c, r, report);
  hc_result_free(r);
  return rc;
}

static hc_rc run(cli *c)
{
  const char *path = cli_value(c, "output");
  hc_config *config = NULL;
  hc_store *store = NULL;
  hc_remote_report report = {0};
  cli_listen();
  hc_rc rc = make_config(c, &config);
  c->config = config;
  if (rc >= 0 && path) rc = cli_file_may(c, path);
  if (rc >= 0)
    rc = (cli_has(c, "force") ? hc_store_replace : hc_store_new)(c->allocator, path, &store, &c->error);
  if (rc >= 0) rc = carry_out(c, config, store, &report);
  if (rc >= 0) rc = finish(c, store, &report);
  if (rc >= 0) rc = hc_store_commit(store, &c->error);
  hc_store_free(store);
  c->config = NULL;
  hc_config_free(config);
  return rc;
}

const cli_command cli_command_batsim = {
    .name = "batsim",
    .operands = "[INIT]",
    .summary = "Re-run a workload under a scheduler that was written for Batsim.",
    .detail =
        "Takes the command line of Batsim 4 and speaks its protocol (JSON over ZeroMQ): batsched, pybatsim "
        "and others schedule the run unchanged, and find Batsim's files at its end. Decision components of "
        "Batsim 5 (--edc-...) are shared objects that are called, or processes, and speak that version's "
        "JSON. The run is one of "
        "`compat: batsim` with the architecture messages, so that times are Batsim's, too. A scheduler on "
        "this machine is reached; others only with --public. If it says what cannot be, goes away, or is "
        "silent for too long, the run fails with what it said, and no file is written.",
    .examples =
        "batsched -v easy_bf & hindcast batsim -p platform.xml -w jobs.json -e out/easy\n"
        "pybatsim fcfsSched & hindcast batsim -p platform.xml -w jobs.json --think none -o result.db\n"
        "hindcast batsim -p platform.xml -w jobs.json --replay session.txt\n"
        "hindcast batsim -p platform.xml -w jobs.json -l ./libfcfs.so '{\"format_json\": true}' -e out/",
    .flags = flags,
    .min = 0,
    .max = 1,
    .run = run,
};
