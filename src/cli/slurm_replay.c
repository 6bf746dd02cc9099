/* slurm_replay.c -- `hindcast slurm replay`: a log on a real Slurm, and beside it the model of Slurm and
 * what happened.
 *
 * What was submitted is written down as records of sacct (DIR/replay/log.psv), what came of it too
 * (real.psv), so that all three columns are of the same jobs with the same sizes and limits: the first is
 * counted, the second is run under the policy slurm, the third is counted. Each by this very program, as a
 * user would. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/slurm.h"
#include "cli/trace.h"
#include "slurm/replay.h"
#include "slurm/slurm_batch.h"
#include "slurm/users.h"

#define SOME_TIME INT64_C(1767225600) /* a log's origin, if it does not say one: 2026-01-01 */
#define MARGIN 0.3                    /* real seconds that a start or an end may be late: see replay.h */

static const cli_flag own_flags[] = {
    {.name = "on",
     .metavar = "DIR",
     .complete = CLI_FILE,
     .help = "The cluster that `hindcast slurm up DIR` brought up; no other is touched."},
    {.name = "output",
     .letter = 'o',
     .metavar = "FILE.db",
     .complete = CLI_FILE,
     .help = "Keep the result of the real run under this name. Default: DIR/replay/real.db."},
    {.name = "existing",
     .help = "On the Slurm that this environment uses instead, which is not ours: run times, limits and "
             "intervals are divided "
             "by --compress. Without --do only what would be submitted is shown."},
    {.name = "compress", .metavar = "X", .help = "With --existing: by how much. Default: 60."},
    {.name = "do", .help = "With --existing: submit."},
    {.name = "users",
     .metavar = "FILE",
     .complete = CLI_FILE,
     .help = "Submit each user's jobs as a pseudo-user of this list (`hindcast slurm users`), as root. "
             "Default: all are "
             "this user's own."},
    {.name = "give-up",
     .metavar = "TIME",
     .help =
         "How long to wait after the last submission, on the cluster's clock; jobs that have not ended by "
         "then are "
         "lost. Default: 30d."},
    {.name = "settle",
     .metavar = "TIME",
     .help = "Of a cluster that was brought up with --jump: how long nothing may have happened before its "
             "clock is moved "
             "to the next event; longer than the periods of slurmctld (bf_interval). Default: 2m."},
    {.name = "expect",
     .metavar = "states",
     .complete = "states",
     .help = "Exit with status 3 if a job ended in another state than the log has."},
    CLI_FLAG_FORCE,
    CLI_FLAG_QUIET,
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags,        cli_window_flags, cli_transform_flags,
                                        cli_config_flags, cli_format_flags, NULL};

typedef struct replay {
  cli *c;
  hc_cluster cluster;
  hc_replay_machine machine;
  hc_replay_job *jobs;
  size_t count, cap;
  hc_pseudo_users users;
  int64_t *known; /* [known_count] users of the log by first sight, each a pseudo-user */
  size_t known_count;
  char **partitions; /* of the cluster */
  size_t partition_count;
  hc_time *limits;          /* [partition_count] what each gives jobs without a limit; HC_NEVER: none */
  size_t default_partition; /* which of the partitions jobs without one are in, from 1; 0: none */
  hc_time assumed_limit;    /* of jobs without one; HC_UNKNOWN: slurmctld gives them one */
  uint64_t left_out, raised;
  const char *why; /* the first one was left out */
  bool has_waits, has_partitions;
  int64_t unix_origin, processors;
  hc_replay_totals totals;
  double compress;             /* of a Slurm that is not ours; 0: it is */
  char files[HC_CLUSTER_PATH]; /* the folder of what is written beside the result */
  cli_progress line;
  hc_buffer said;
} replay;

/* ---- what is replayed ---- */

/* NULL: the environment's own. */
static const hc_cluster *cluster_of(const replay *r)
{
  return r->compress > 0 ? NULL : &r->cluster;
}

/* All processors of the cluster: the last of sinfo's four numbers, allocated/idle/other/total. */
static hc_rc count_processors(replay *r)
{
  static const char *const argv[] = {"sinfo", "--noheader", "--format=%C", NULL};
  CLI_TRY(hc_cluster_ask(r->c->allocator, cluster_of(r), argv, &r->said, &r->c->error));
  for (char *at = r->said.size ? r->said.data : NULL; at; at = strchr(at, '\n')) {
    for (int i = 0; at && i < 3; i++) at = strchr(at + 1, '/');
    if (!at) break;
    r->processors += strtoll(at + 1, NULL, 10);
  }
  if (r->processors > 0) return 0;
  return cli_fail(r->c, HC_EIO, "sinfo does not say how many processors there are");
}

/* What a partition gives a job without a limit, behind its name: its default, else the longest that it
 * takes. */
static hc_rc take_limit(replay *r, const char *line, size_t n)
{
  hc_time *grown = realloc(r->limits, (r->partition_count + 1) * sizeof *grown);
  char words[256], *word = words;
  hc_time limit = HC_NEVER;
  if (!grown) return cli_fail(r->c, HC_ENOMEM, "out of memory");
  r->limits = grown;
  (void)snprintf(words, sizeof words, "%.*s", (int)(n < sizeof words ? n : sizeof words - 1), line);
  while (limit == HC_NEVER && (word = strchr(word, '|'))) {
    char *end = strchr(++word, '|');
    if (end) *end = '\0';
    limit = hc_replay_limit(word);
    if (!end) break;
    *end = '|';
  }
  r->limits[r->partition_count] = limit;
  return 0;
}

static hc_rc read_partitions(replay *r)
{
  static const char *const argv[] = {"sinfo", "--noheader", "--format=%P|%L|%l", NULL};
  CLI_TRY(hc_cluster_ask(r->c->allocator, cluster_of(r), argv, &r->said, &r->c->error));
  for (char *at = r->said.data, *next; at && *at; at = next) {
    char **grown = realloc(r->partitions, (r->partition_count + 1) * sizeof *grown);
    const size_t n = strcspn(at, "\n");
    if (!grown) return cli_fail(r->c, HC_ENOMEM, "out of memory");
    r->partitions = grown;
    next = at + n + (at[n] == '\n');
    const size_t name = strcspn(at, "|*\n");
    if (at[name] == '*') r->default_partition = r->partition_count + 1;
    CLI_TRY(take_limit(r, at, n));
    grown[r->partition_count] = strndup(at, name);
    if (!grown[r->partition_count]) return cli_fail(r->c, HC_ENOMEM, "out of memory");
    r->partition_count++;
  }
  return 0;
}

/* The partition of its name, else that of jobs without one.
 * @param limit out: what a job without a limit is given there; HC_NEVER: none */
static const char *partition_of(const replay *r, const hc_lexicon *l, const hc_task_spec *t, hc_time *limit)
{
  size_t at = r->default_partition;
  const char *name = t->partition >= 0 ? hc_lexicon_called(l, HC_CALLED_PARTITION, t->partition) : NULL;
  for (size_t i = 0; name && i < r->partition_count; i++)
    if (strcmp(r->partitions[i], name) == 0) at = i + 1;
  *limit = at > 0 ? r->limits[at - 1] : HC_NEVER;
  return at > 0 ? r->partitions[at - 1] : NULL;
}

/* Each user of the log is one of the list, by first sight. */
static hc_rc give_user(replay *r, hc_replay_job *j)
{
  size_t i = 0;
  if (!r->users.count) return 0;
  while (i < r->known_count && r->known[i] != j->user_number) i++;
  if (i == r->users.count)
    return cli_fail(
        r->c, HC_EUSAGE,
        "the log has more users than the %zu of the list: `hindcast slurm users create` makes more",
        r->users.count);
  if (i == r->known_count) r->known[r->known_count++] = j->user_number;
  j->user = r->users.items[i].name;
  return 0;
}

static hc_rc read_users(replay *r)
{
  const char *list = cli_value(r->c, "users");
  if (!list) return 0;
  if (geteuid() != 0)
    return cli_fail(r->c, HC_EUSAGE, "--users: only root may submit in the names of others");
  CLI_TRY(hc_pseudo_read(r->c->allocator, list, &r->users, &r->c->error));
  if (!r->users.count) return cli_fail(r->c, HC_EUSAGE, "--users: %.200s has no users", list);
  r->known = calloc(r->users.count, sizeof *r->known);
  return r->known ? 0 : cli_fail(r->c, HC_ENOMEM, "out of memory");
}

static hc_rc add_job(replay *r, const hc_lexicon *l, const hc_task_spec *row)
{
  hc_replay_job j;
  hc_task_spec task = *row, *t = &task;
  const char *why;
  if (t->limit == HC_UNKNOWN) t->limit = r->assumed_limit;
  if (hc_replay_make(t, &r->machine, &j, &why) == 0) {
    if (r->left_out++ == 0) r->why = why;
    return 0;
  }
  if (r->count == r->cap) {
    const size_t cap = r->cap ? r->cap * 2 : 1024;
    hc_replay_job *grown = realloc(r->jobs, cap * sizeof *grown);
    if (!grown) return cli_fail(r->c, HC_ENOMEM, "out of memory");
    r->jobs = grown;
    r->cap = cap;
  }
  const hc_task_extras *more = t->more ? hc_lexicon_more(l, t->more) : NULL;
  j.partition = partition_of(r, l, t, &j.given);
  if (more) j.exclusive = more->exclusive;
  CLI_TRY(give_user(r, &j));
  r->raised += j.was_raised;
  if (j.ran && j.wait == HC_UNKNOWN) r->has_waits = false;
  r->jobs[r->count++] = j;
  return 0;
}

/* What a run file says of jobs without a limit (no_limit: assume): they are submitted with that. */
static hc_rc take_assumed_limit(replay *r, const hc_config *config)
{
  char value[64];
  r->assumed_limit = HC_UNKNOWN;
  if (!cli_config_value(config, "no_limit", value, sizeof value) || strcmp(value, "assume") != 0) return 0;
  if (!cli_config_value(config, "assumed_limit", value, sizeof value)) return 0;
  if (hc_parse_time(value, strlen(value), &r->assumed_limit) >= 0 && r->assumed_limit > 0) return 0;
  return cli_fail(r->c, HC_EUSAGE, "assumed_limit: expected a time such as 4h, got \"%.40s\"", value);
}

static hc_rc read_jobs(replay *r)
{
  cli *c = r->c;
  const hc_trace_options options = {.mode = HC_TRACE_ROWS};
  hc_trace_task task;
  hc_config *config;
  hc_trace *t;
  hc_rc rc;
  CLI_TRY(cli_trace_open(c, &options, &config, &t));
  r->has_waits = true;
  rc = take_assumed_limit(r, config);
  if (rc < 0) return cli_trace_close(c, config, t, rc);
  while ((rc = hc_trace_next(t, &task, &c->error)) == 1) {
    rc = add_job(r, hc_trace_lexicon(t), &task.spec);
    if (rc < 0 || cli_interrupted()) break;
  }
  r->unix_origin = hc_trace_facts(t)->unix_start;
  if (r->unix_origin == HC_UNKNOWN || r->unix_origin <= 0) r->unix_origin = SOME_TIME;
  rc = cli_trace_close(c, config, t, rc);
  if (rc >= 0 && cli_interrupted()) rc = cli_fail(c, HC_ECANCELLED, "interrupted");
  if (rc < 0 || r->count > 0) return rc;
  return cli_fail(c, HC_EINPUT, "no job can be replayed; the first one is %s", r->why ? r->why : "not there");
}

/* ---- replaying ---- */

static bool tick(void *ctx, size_t submitted, size_t ended, hc_time now)
{
  replay *r = ctx;
  (void)now;
  return cli_progress_part(&r->line, submitted + ended, 2 * r->count) && !cli_interrupted();
}

static hc_rc replay_jobs(replay *r)
{
  cli *c = r->c;
  const char *give_up = cli_value(c, "give-up"), *wait = cli_value(c, "settle");
  hc_replay_options o = {.tick = tick, .ctx = r, .give_up = 30 * HC_DAY};
  hc_time settle = 2 * HC_MINUTE;
  hc_slurm_batch *b = NULL;
  hc_rc rc;
  if (give_up && (hc_parse_time(give_up, strlen(give_up), &o.give_up) < 0 || o.give_up < 0))
    return cli_fail(c, HC_EUSAGE, "--give-up: expected a time such as 2d, got \"%.80s\"", give_up);
  if (wait && (hc_parse_time(wait, strlen(wait), &settle) < 0 || settle < 10 * HC_SECOND))
    return cli_fail(c, HC_EUSAGE, "--settle: expected a time of 10s at least, got \"%.80s\"", wait);
  if (r->compress > 0) rc = hc_slurm_batch_existing(c->allocator, r->compress, &b, &c->error);
  else rc = hc_slurm_batch_new(c->allocator, &r->cluster, settle, &b, &c->error);
  c->started = rc >= 0;
  cli_progress_begin(&r->line, c, "replaying");
  if (rc >= 0)
    rc = hc_replay_run(c->allocator, hc_slurm_batch_of(b), r->jobs, r->count, &o, &r->totals, &c->error);
  cli_progress_end(&r->line);
  hc_slurm_batch_free(b);
  return rc;
}

/* ---- results ---- */

static void path_of(const replay *r, const char *name, char *out)
{
  (void)snprintf(out, HC_CLUSTER_PATH, "%.3900s/%.100s", r->files, name);
}

static hc_rc write_text(replay *r, const char *name, const hc_buffer *text)
{
  char path[HC_CLUSTER_PATH];
  FILE *f;
  bool ok;
  path_of(r, name, path);
  if (text->failed) return cli_fail(r->c, HC_ENOMEM, "out of memory");
  f = fopen(path, "we");
  if (!f) return hc_fail(&r->c->error, HC_EIO, path, 0, 0, "cannot be written: %s", strerror(errno));
  ok = fwrite(text->data, 1, text->size, f) == text->size;
  ok = fclose(f) == 0 && ok;
  return ok ? 0 : hc_fail(&r->c->error, HC_EIO, path, 0, 0, "cannot be written: %s", strerror(errno));
}

/* A run file: the jobs of `log`, on the cluster's nodes, under its scheduler; of a schedule that is only
 * counted, on so many processors. */
static hc_rc write_run(replay *r, const char *name, const char *log, bool is_counted)
{
  hc_buffer b;
  hc_rc rc;
  hc_buffer_init(&b, r->c->allocator);
  hc_buffer_printf(&b, "source: {use: sacct, file: $here/%s, demand: nodes, origin: \"%" PRId64 "\"}\n", log,
                   r->unix_origin);
  if (is_counted) hc_buffer_printf(&b, "cell: {use: count, procs: %" PRId64 "}\n", r->processors);
  else
    hc_buffer_text(&b, "cell: {use: slurm, file: $here/../slurm.conf}\n"
                       "policy: {use: slurm, conf: $here/../slurm.conf}\n");
  rc = write_text(r, name, &b);
  hc_buffer_fini(&b);
  return rc;
}

static hc_rc write_files(replay *r)
{
  hc_buffer b;
  hc_rc rc = 0;
  if (mkdir(r->files, 0755) != 0 && errno != EEXIST)
    return hc_fail(&r->c->error, HC_EIO, r->files, 0, 0, "cannot be made: %s", strerror(errno));
  hc_buffer_init(&b, r->c->allocator);
  for (int replayed = 0; rc >= 0 && replayed < 2; replayed++) {
    b.size = 0;
    hc_replay_write(r->jobs, r->count, &r->totals, r->unix_origin, replayed, &b);
    rc = write_text(r, replayed ? "real.psv" : "log.psv", &b);
  }
  hc_buffer_fini(&b);
  CLI_TRY(rc);
  CLI_TRY(write_run(r, "recorded.yaml", "log.psv", true));
  CLI_TRY(write_run(r, "simulated.yaml", "log.psv", false));
  return write_run(r, "real.yaml", "real.psv", true);
}

static hc_rc make_result(replay *r, const char *program, const char *verb, const char *run, const char *out,
                         bool force)
{
  char path[HC_CLUSTER_PATH], to[HC_CLUSTER_PATH];
  const char *argv[] = {program, verb, path, "--quiet", "--output", to, force ? "--force" : NULL, NULL};
  path_of(r, run, path);
  (void)snprintf(to, sizeof to, "%s", out);
  return hc_cluster_ask(r->c->allocator, NULL, argv, &r->said, &r->c->error);
}

/* What `hindcast compare` says of the three. */
static hc_rc compare(replay *r, const char *program, const char *real)
{
  char recorded[HC_CLUSTER_PATH], simulated[HC_CLUSTER_PATH];
  const char *argv[8] = {program, "compare"};
  size_t n = 2;
  path_of(r, "recorded.db", recorded);
  path_of(r, "simulated.db", simulated);
  if (r->has_waits) argv[n++] = recorded;
  if (r->compress == 0) argv[n++] = simulated;
  argv[n++] = real;
  if (r->c->format == CLI_JSON) argv[n++] = "--json";
  if (r->c->format == CLI_CSV) argv[n++] = "--csv";
  argv[n] = NULL;
  return hc_cluster_ask(r->c->allocator, NULL, argv, &r->said, &r->c->error);
}

static hc_rc make_results(replay *r)
{
  char program[4096], real[HC_CLUSTER_PATH], path[HC_CLUSTER_PATH];
  const char *out = cli_value(r->c, "output");
  path_of(r, "real.db", real);
  if (out) (void)snprintf(real, sizeof real, "%s", out);
  CLI_TRY(cli_slurm_program(r->c, program, sizeof program));
  CLI_TRY(write_files(r));
  path_of(r, "recorded.db", path);
  if (r->has_waits) CLI_TRY(make_result(r, program, "analyze", "recorded.yaml", path, true));
  path_of(r, "simulated.db", path);
  if (r->compress == 0) CLI_TRY(make_result(r, program, "run", "simulated.yaml", path, true));
  CLI_TRY(make_result(r, program, "analyze", "real.yaml", real, !out || cli_has(r->c, "force")));
  return compare(r, program, real);
}

/* ---- what is said ---- */

static const cli_column columns[] = {{.name = "recorded"}, {.name = "real"}, {.name = "jobs", .right = true}};

static void fill_states(const replay *r, cli_table *t)
{
  for (int i = 0; i < HC_REPLAY_STATES; i++)
    for (int k = 0; k < HC_REPLAY_STATES; k++) {
      if (r->totals.states[i][k] == 0) continue;
      cli_add_text(t, hc_replay_words[i]);
      cli_add_text(t, hc_replay_words[k]);
      cli_add_int(t, (int64_t)r->totals.states[i][k]);
    }
}

static void show_text(replay *r, const cli_table *t)
{
  const hc_replay_totals *x = &r->totals;
  hc_buffer *out = &r->c->out;
  hc_buffer_printf(out, "final states: %zu of %zu jobs as recorded\n", x->equal, r->count);
  cli_table_text(t, out, 2, true);
  hc_buffer_printf(out, "submitted late by %.3g s in the median, %.3g s at most, on a clock of %gx\n",
                   (double)x->late_median / 1e9, (double)x->late_most / 1e9, r->cluster.speed);
  if (r->raised)
    hc_buffer_printf(out,
                     "limits raised: %" PRIu64
                     ", whose jobs ran to within %.3g s of them, so that a late end is no "
                     "timeout\n",
                     r->raised, (double)r->machine.margin / 1e9);
  if (r->left_out)
    hc_buffer_printf(out, "left out: %" PRIu64 " jobs; the first one is %s\n", r->left_out, r->why);
  if (x->refused)
    hc_buffer_printf(out, "refused by Slurm: %zu jobs; the first one: %s\n", x->refused, x->refusal);
  if (!r->has_waits)
    hc_buffer_text(out, "the log has no waits: there is no recorded schedule to compare with\n");
  hc_buffer_printf(out, "\n%s\n", r->said.size ? r->said.data : "");
}

static void show_json(replay *r, const cli_table *t)
{
  hc_json_writer j = {.out = &r->c->out};
  hc_json_enter(&j, NULL, '{');
  hc_json_put_int(&j, "jobs", (int64_t)r->count);
  hc_json_put_int(&j, "equal", (int64_t)r->totals.equal);
  cli_table_member(t, &j, "states");
  hc_json_put_real(&j, "late_median", (double)r->totals.late_median / 1e9);
  hc_json_put_real(&j, "late_most", (double)r->totals.late_most / 1e9);
  hc_json_put_int(&j, "raised", (int64_t)r->raised);
  hc_json_put_int(&j, "left_out", (int64_t)r->left_out);
  hc_json_put_int(&j, "refused", (int64_t)r->totals.refused);
  hc_json_put_raw(&j, "compare", r->said.size ? r->said.data : "null");
  hc_json_leave(&j, '}');
}

static void show(replay *r)
{
  cli_table t;
  if (cli_has(r->c, "quiet")) return;
  cli_table_init(&t, r->c->allocator, columns, CLI_LEN(columns));
  fill_states(r, &t);
  switch (r->c->format) {
    case CLI_TEXT: show_text(r, &t); break;
    case CLI_JSON: show_json(r, &t); break;
    case CLI_CSV: hc_buffer_printf(&r->c->out, "%s\n", r->said.size ? r->said.data : ""); break;
  }
  r->c->out.failed |= t.failed;
  cli_table_fini(&t);
}

/* ---- a Slurm that is not ours ---- */

/* Its nodes, and what the smallest of them has. */
static hc_rc read_machine(replay *r)
{
  static const char *const argv[] = {"sinfo", "--noheader", "--format=%D %c", NULL};
  CLI_TRY(hc_cluster_ask(r->c->allocator, NULL, argv, &r->said, &r->c->error));
  for (const char *at = r->said.size ? r->said.data : ""; *at;) {
    char *end;
    const int64_t nodes = strtoll(at, &end, 10), cpus = strtoll(end, NULL, 10);
    r->machine.nodes += nodes;
    if (cpus > 0 && (r->machine.cpus == 0 || cpus < r->machine.cpus)) r->machine.cpus = cpus;
    at += strcspn(at, "\n");
    at += *at == '\n';
  }
  if (r->machine.nodes > 0 && r->machine.cpus > 0) return 0;
  return cli_fail(r->c, HC_EIO, "sinfo does not say what nodes there are");
}

static hc_rc begin_existing(replay *r)
{
  cli *c = r->c;
  const char *out = cli_value(c, "output");
  r->compress = 60;
  CLI_TRY(cli_slurm_real(c, "compress", 1, 100000, &r->compress));
  if (cli_has(c, "on")) return cli_fail(c, HC_EUSAGE, "--on or --existing, not both");
  if (!out)
    return cli_fail(c, HC_EUSAGE,
                    "--output FILE.db says where the result goes; its records go to FILE.db.replay");
  (void)snprintf(r->files, sizeof r->files, "%.3900s.replay", out);
  r->machine.margin = (hc_time)(MARGIN * r->compress * 1e9);
  r->cluster.speed = r->compress;
  return read_machine(r);
}

/* What dividing by so much does to limits and run times, before anything is submitted. */
static void show_plan(replay *r)
{
  hc_buffer *out = &r->c->out;
  const hc_time span = r->jobs[r->count - 1].submit - r->jobs[0].submit;
  uint64_t limits = 0, rounded = 0, brief = 0;
  char text[40];
  for (size_t i = 0; i < r->count; i++) {
    const hc_replay_job *j = &r->jobs[i];
    const double exact = (double)j->minutes / r->compress;
    limits += j->minutes > 0;
    rounded += j->minutes > 0 && (double)hc_compressed_minutes(j->minutes, r->compress) > exact * 1.1;
    brief += j->ran && (double)j->run / r->compress < 1e9;
  }
  text[hc_format_duration((hc_time)((double)span / r->compress), text)] = '\0';
  hc_buffer_printf(out,
                   "would submit %zu jobs in %s to the Slurm that this environment uses: %" PRId64
                   " nodes of %" PRId64 " processors at least\n",
                   r->count, text, r->machine.nodes, r->machine.cpus);
  hc_buffer_printf(out,
                   "  limits: %" PRIu64 " of %" PRIu64
                   " become longer by more than a tenth, since Slurm's are whole minutes\n",
                   rounded, limits);
  hc_buffer_printf(
      out, "  run times: %" PRIu64 " become shorter than a second, as long as starting a job takes\n", brief);
  hc_buffer_printf(out, "  times: Slurm's are whole seconds, which mapped back are steps of %g s\n",
                   r->compress);
  hc_buffer_printf(out,
                   "  Slurm's own intervals are not divided: 30 s of its backfill are %g min of the log\n",
                   r->compress / 2);
  if (r->left_out)
    hc_buffer_printf(out, "  left out: %" PRIu64 " jobs; the first one is %s\n", r->left_out, r->why);
  hc_buffer_text(
      out,
      "nothing was submitted; --do does it. A cluster of `hindcast slurm up --speed` needs none of that\n");
}

static hc_rc replay_all(replay *r)
{
  cli *c = r->c;
  const char *on = cli_value(c, "on"), *expect = cli_value(c, "expect");
  if (cli_has(c, "existing")) {
    CLI_TRY(begin_existing(r));
  } else if (cli_has(c, "do") || cli_has(c, "compress")) {
    return cli_fail(c, HC_EUSAGE, "--do and --compress go with --existing");
  } else if (!on)
    return cli_fail(c, HC_EUSAGE,
                    "on which cluster? `hindcast slurm up DIR` brings one up; --on DIR names it");
  if (expect && strcmp(expect, "states") != 0)
    return cli_fail(c, HC_EUSAGE, "--expect takes \"states\", got \"%.80s\"", expect);
  CLI_TRY(cli_file_may(c, cli_value(c, "output")));
  if (r->compress == 0) {
    CLI_TRY(hc_cluster_open(c->allocator, on, &r->cluster, &c->error));
    hc_cluster_path(&r->cluster, "replay", r->files);
    r->machine = (hc_replay_machine){.nodes = r->cluster.nodes,
                                     .cpus = r->cluster.cpus,
                                     .margin = (hc_time)(MARGIN * r->cluster.speed * 1e9),
                                     .with_memory = r->cluster.with_memory};
  }
  CLI_TRY(read_partitions(r));
  CLI_TRY(count_processors(r));
  CLI_TRY(read_users(r));
  CLI_TRY(read_jobs(r));
  if (r->compress > 0 && !cli_has(c, "do")) {
    show_plan(r);
    return 0;
  }
  CLI_TRY(replay_jobs(r));
  CLI_TRY(make_results(r));
  show(r);
  if (expect && r->totals.equal != r->count)
    return cli_fail(c, HC_EREFUTED, "%zu of %zu jobs ended in another state than the log has",
                    r->count - r->totals.equal, r->count);
  return 0;
}

static hc_rc run(cli *c)
{
  replay *r = calloc(1, sizeof *r);
  hc_rc rc;
  if (!r) return cli_fail(c, HC_ENOMEM, "out of memory");
  r->c = c;
  hc_buffer_init(&r->said, c->allocator);
  cli_listen();
  rc = replay_all(r);
  for (size_t i = 0; i < r->partition_count; i++) free(r->partitions[i]);
  free(r->limits);
  free((void *)r->partitions);
  free(r->jobs);
  free(r->known);
  if (r->users.allocator) hc_pseudo_fini(&r->users);
  hc_buffer_fini(&r->said);
  free(r);
  return rc;
}

const cli_command cli_slurm_replay = {
    .name = "replay",
    .operands = "[RUN.yaml | LOG]...",
    .summary = "Replay a log on a Slurm that `up` brought up, and compare: recorded, simulated, real.",
    .detail =
        "Jobs are submitted by sbatch at their times, on the cluster's clock, and end as they ended: "
        "completed, failed, out of memory and cancelled after their run time, timed out by Slurm at their "
        "limit, cancelled by scancel if they never ran. Their names are `hindcast.` and the log's number. "
        "A job of processors takes as few nodes as will do, the same number of processors on each. "
        "Partitions are those of the log where the cluster has them. Beside the real run, the same jobs "
        "are run under the policy slurm with the cluster's slurm.conf, and, where the log has waits, what "
        "it recorded is counted; the table is that of `hindcast compare`. Records and run files of all "
        "three are in DIR/replay.",
    .examples = "hindcast slurm replay january.psv --on /tmp/slurm --first 300 --output real.db",
    .flags = flags,
    .min = 0,
    .max = -1,
    .complete = CLI_FILE,
    .run = run,
};
