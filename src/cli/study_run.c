/* study_run.c -- `hindcast study run`, `resume`, `status` and `merge`: carrying out, and what came of it. */
#include <stdlib.h>
#include <string.h>

#include "cli/study.h"

#define FLAG_OUT \
  { \
    .name = "out", .letter = 'o', .metavar = "FILE.db", .complete = CLI_FILE, \
    .help = "The study's store. Default: results/NAME.db. What is known before it is whole is in " \
            "FILE.db.points." \
  }

#define FLAG_VIA \
  {.name = "via", \
   .metavar = "CARRIER", \
   .complete = "kind:carrier", \
   .help = \
       "Who carries the points out, such as slurm (`hindcast list carrier`). Default: as the study says, " \
       "else local."}, \
  { \
    .name = "with", .metavar = "OPTION=VALUE", .many = true, \
    .help = "An option of the carrier, such as partition=short (`hindcast describe slurm` lists them)." \
  }

static const cli_flag run_flags[] = {
    {.name = "jobs", .letter = 'j', .metavar = "N", .help = "Worker processes. Default: one a core."},
    FLAG_OUT,
    {.name = "shard",
     .metavar = "I/N",
     .help =
         "Carry out part I of N only, into FILE.db.points-I-of-N; `study merge` puts the parts together."},
    {.name = "limit",
     .metavar = "WHAT=TIME",
     .many = true,
     .help = "time=10s, cpu=10s: stop a point that takes longer. It is recorded as late."},
    {.name = "shake",
     .metavar = "N",
     .help = "So many shaken copies of each workload beside it, whatever the file says."},
    CLI_FLAG_STUDY_SET,
    FLAG_VIA,
    {.name = "again", .help = "Forget what is known of this study, and begin anew."},
    CLI_FLAG_QUIET,
    {.name = NULL},
};
static const cli_flag resume_flags[] = {
    {.name = "jobs", .letter = 'j', .metavar = "N", .help = "Worker processes. Default: one a core."},
    FLAG_OUT,
    {.name = "limit", .metavar = "WHAT=TIME", .many = true, .help = "As for `study run`."},
    {.name = "shake", .metavar = "N", .help = "As it was given to `study run`."},
    {.name = "set",
     .letter = 's',
     .metavar = "PATH=VALUE",
     .many = true,
     .complete = "path",
     .help = "As it was given to `study run`."},
    FLAG_VIA,
    {.name = "retry", .help = "Carry out again what failed, crashed or was late."},
    CLI_FLAG_QUIET,
    {.name = NULL},
};
static const cli_flag merge_flags[] = {
    {.name = "out", .letter = 'o', .metavar = "FILE.db", .complete = CLI_FILE, .help = "The study's store."},
    {.name = "partial", .help = "Leave points open that are in no part; else that is an error."},
    CLI_FLAG_QUIET,
    {.name = NULL},
};
static const cli_flag *const flags_of_run[] = {run_flags, NULL};
static const cli_flag *const flags_of_resume[] = {resume_flags, NULL};
static const cli_flag *const flags_of_status[] = {cli_format_flags, NULL};
static const cli_flag *const flags_of_merge[] = {merge_flags, NULL};

/* ---- the progress line ---- */

/* "12 of 40 points, 3 points/s, 1 failed; slurm job 17" */
static bool tick(void *ctx, const hc_study_progress *p)
{
  cli_progress *line = ctx;
  const uint64_t lost = p->failed + p->crashed + p->late, known = p->done + lost;
  const double all = p->points > 0 ? (double)p->points : 1, passed = cli_wall() - line->began;
  char done[40], points[40], rate[64], failed[64] = "", more[400];
  line->before = (double)p->before / all;
  done[hc_format_count((int64_t)known, done)] = '\0';
  points[hc_format_count((int64_t)p->points, points)] = '\0';
  cli_human(passed > 0 ? (double)(known - p->before) / passed : 0, "", rate);
  if (lost > 0) (void)snprintf(failed, sizeof failed, ", %llu failed", (unsigned long long)lost);
  (void)snprintf(more, sizeof more, "%s of %s points, %s points/s%s%s%s", done, points, rate, failed,
                 p->note[0] ? "; " : "", p->note);
  return cli_progress_share(line, (double)known / all, more);
}

/* ---- what is missing ---- */

hc_rc cli_study_missing(void *ctx, const char *text)
{
  const cli *c = ctx;
  if (!cli_has(c, "quiet")) (void)fprintf(stderr, "hindcast: note: %s\n", text);
  return 0;
}

/* ---- what came of it ---- */

static void show_counts(cli *c, const hc_study_progress *p)
{
  static const char *const words[] = {"done", "failed", "crashed", "late"};
  const uint64_t counts[] = {p->done, p->failed, p->crashed, p->late};
  char n[40];
  n[hc_format_count((int64_t)p->points, n)] = '\0';
  hc_buffer_printf(&c->out, "%s points:", n);
  for (size_t i = 0; i < CLI_LEN(words); i++) {
    if (i > 0 && counts[i] == 0) continue;
    n[hc_format_count((int64_t)counts[i], n)] = '\0';
    hc_buffer_printf(&c->out, "%s %s %s", i ? "," : "", n, words[i]);
  }
  hc_buffer_text(&c->out, "\n");
  if (p->failure[0]) hc_buffer_printf(&c->out, "  the first that failed: %s\n", p->failure);
}

/* A study without some of its points is a result, but not the one that was asked for. Without any it is
 * none. */
static void judge_losses(cli *c, const hc_study_progress *p)
{
  const uint64_t lost = p->failed + p->crashed + p->late;
  if (lost == 0) return;
  c->status = p->done > 0 ? CLI_LOST_POINTS : 1;
  if (cli_has(c, "quiet"))
    (void)fprintf(stderr, "hindcast: %llu of %llu points were lost; the first: %s\n",
                  (unsigned long long)lost, (unsigned long long)p->points, p->failure);
}

static void show_end(cli *c, const hc_study_progress *p, const char *path)
{
  if (cli_has(c, "quiet")) return;
  show_counts(c, p);
  hc_buffer_printf(&c->out, "result: %s\n", path);
}

/* ---- run and resume ---- */

static hc_rc read_limits(cli *c, hc_study_carrying *how)
{
  for (size_t i = 0; i < c->given_count; i++) {
    const char *v = c->given[i].value;
    double *to = NULL;
    hc_time t;
    if (strcmp(c->given[i].flag->name, "limit") != 0) continue;
    if (strncmp(v, "time=", 5) == 0) to = &how->time_limit;
    else if (strncmp(v, "cpu=", 4) == 0) to = &how->cpu_limit;
    v = strchr(v, '=');
    if (!to || hc_parse_time(v + 1, strlen(v + 1), &t) < 0 || t <= 0 || t == HC_NEVER)
      return cli_fail(c, HC_EUSAGE, "--limit: expected time=TIME or cpu=TIME, such as time=10s");
    *to = (double)t / 1e9;
  }
  return 0;
}

static hc_rc read_shard(cli *c, hc_study_carrying *how)
{
  const char *v = cli_value(c, "shard"), *slash = v ? strchr(v, '/') : NULL;
  int64_t i, n;
  if (!v) return 0;
  if (!slash || hc_parse_int(v, (size_t)(slash - v), &i) < 0 ||
      hc_parse_int(slash + 1, strlen(slash + 1), &n) < 0 || i < 1 || n < i || n > 1000000)
    return cli_fail(c, HC_EUSAGE, "--shard: expected I/N with I from 1 to N, such as 3/16, got \"%.40s\"", v);
  how->shard = (uint64_t)i;
  how->shards = (uint64_t)n;
  return 0;
}

static hc_rc carry_out(cli *c, hc_study *s, hc_study_carrying *how)
{
  cli_progress l;
  char path[1024], part[1200];
  hc_study_progress p;
  int64_t jobs = 0;
  hc_rc rc;
  cli_study_path(c, s, path, sizeof path);
  CLI_TRY(cli_int(c, "jobs", 1, 1024, &jobs));
  CLI_TRY(read_limits(c, how));
  how->out = path;
  how->jobs = (uint32_t)jobs;
  how->tick = tick;
  how->ctx = &l;
  CLI_TRY(hc_study_look_at_inputs(s, cli_study_missing, c, &c->error));
  c->kept = true;
  cli_listen();
  cli_progress_begin(&l, c, "running");
  rc = hc_study_carry_out(s, how, &p, &c->error);
  c->started = p.points > 0;
  cli_progress_end(&l);
  if (rc < 0) return rc;
  (void)snprintf(part, sizeof part, how->shards > 1 ? "%s.points-%llu-of-%llu" : "%s", path,
                 (unsigned long long)how->shard, (unsigned long long)how->shards);
  if (how->shards <= 1)
    judge_losses(c, &p); /* a part that came to its end is whole: what merges them judges */
  show_end(c, &p, part);
  return 0;
}

/* The options that stand behind --with. */
static hc_rc read_with(cli *c, hc_study_carrying *how)
{
  const char **with = calloc(c->given_count + 1, sizeof *with);
  if (!with) return cli_fail(c, HC_ENOMEM, "out of memory");
  for (size_t i = 0; i < c->given_count; i++)
    if (strcmp(c->given[i].flag->name, "with") == 0) with[how->with_count++] = c->given[i].value;
  how->with = with;
  return 0;
}

static hc_rc with_study(cli *c, hc_study_carrying *how)
{
  hc_study *s;
  hc_rc rc;
  how->via = cli_value(c, "via");
  CLI_TRY(read_with(c, how));
  rc = cli_study_read(c, &s);
  if (rc >= 0) {
    rc = carry_out(c, s, how);
    hc_study_free(s);
  }
  free((void *)how->with);
  return rc;
}

static hc_rc run(cli *c)
{
  hc_study_carrying how = {.again = cli_has(c, "again")};
  CLI_TRY(read_shard(c, &how));
  return with_study(c, &how);
}

static hc_rc resume(cli *c)
{
  hc_study_carrying how = {.resume = true, .retry = cli_has(c, "retry")};
  return with_study(c, &how);
}

/* ---- status and merge ---- */

static hc_rc show_input(void *ctx, const hc_study_input *x)
{
  cli *c = ctx;
  char n[40];
  n[hc_format_count((int64_t)x->bytes, n)] = '\0';
  if (x->is_known) hc_buffer_printf(&c->out, "  input %s: %s bytes, %s\n", x->path, n, x->checksum);
  else hc_buffer_printf(&c->out, "  input %s: could not be read\n", x->path);
  return 0;
}

static hc_rc write_input(void *ctx, const hc_study_input *x)
{
  hc_json_writer *j = ctx;
  hc_json_enter(j, NULL, '{');
  hc_json_put_text(j, "path", x->path);
  if (x->is_known) hc_json_put_int(j, "bytes", (int64_t)x->bytes);
  hc_json_put_text(j, "checksum", x->is_known ? x->checksum : NULL);
  hc_json_leave(j, '}');
  return 0;
}

static hc_rc status(cli *c)
{
  const char *path = c->operands[0];
  hc_registry *registry = cli_registry(c);
  hc_study_progress p = {0};
  char store[1024];
  const size_t n = strlen(path);
  if (!registry) return HC_ENOMEM;
  if (n > 5 && (strcmp(path + n - 5, ".yaml") == 0 || strcmp(path + n - 4, ".yml") == 0)) {
    hc_study *s;
    CLI_TRY(hc_study_read(c->allocator, registry, path, NULL, &s, &c->error));
    cli_study_path(c, s, store, sizeof store);
    hc_study_free(s);
    path = store;
  }
  CLI_TRY(hc_study_status(c->allocator, registry, path, &p, &c->error));
  if (c->format == CLI_CSV) {
    hc_buffer_printf(&c->out, "points,done,failed,crashed,late\n%llu,%llu,%llu,%llu,%llu\n",
                     (unsigned long long)p.points, (unsigned long long)p.done, (unsigned long long)p.failed,
                     (unsigned long long)p.crashed, (unsigned long long)p.late);
    return 0;
  }
  if (c->format != CLI_JSON) {
    show_counts(c, &p);
    return hc_study_inputs_each(c->allocator, path, show_input, c, &c->error);
  }
  hc_json_writer j = {.out = &c->out};
  hc_json_enter(&j, NULL, '{');
  hc_json_put_int(&j, "points", (int64_t)p.points);
  hc_json_put_int(&j, "done", (int64_t)p.done);
  hc_json_put_int(&j, "failed", (int64_t)p.failed);
  hc_json_put_int(&j, "crashed", (int64_t)p.crashed);
  hc_json_put_int(&j, "late", (int64_t)p.late);
  hc_json_put_text(&j, "failure", p.failure[0] ? p.failure : NULL);
  hc_json_enter(&j, "inputs", '[');
  CLI_TRY(hc_study_inputs_each(c->allocator, path, write_input, &j, &c->error));
  hc_json_leave(&j, ']');
  hc_json_leave(&j, '}');
  hc_buffer_text(&c->out, "\n");
  return 0;
}

static hc_rc merge(cli *c)
{
  const char *out = cli_value(c, "out");
  hc_registry *registry = cli_registry(c);
  hc_study_progress p;
  if (!registry) return HC_ENOMEM;
  if (!out) return cli_fail(c, HC_EUSAGE, "where to? Name the study's store: --out FILE.db");
  c->started = true;
  CLI_TRY(hc_study_merge(c->allocator, registry, c->operands, c->operand_count, out, cli_has(c, "partial"),
                         &p, &c->error));
  judge_losses(c, &p);
  show_end(c, &p, out);
  return 0;
}

const cli_command cli_study_run = {
    .name = "run",
    .operands = "STUDY.yaml",
    .summary = "Carry out a study.",
    .detail =
        "Every point is one run; what is kept of it are figures. Points are carried out by worker processes: "
        "one that crashes, or passes a limit, costs its point, which is recorded with the reason. The store "
        "takes its name when every point has come to its end, and is the same to the byte however that "
        "happened. After an interruption, of whatever kind, `study resume` goes on. Exit status 4 if points "
        "were lost (failed, crashed or late), 1 if all were; of a shard 0: `study merge` says it of the "
        "whole.",
    .examples = "hindcast study run examples/studies/backfilling.yaml\n"
                "hindcast study run my.yaml -j 8 --limit time=1m\n"
                "hindcast study run my.yaml --shard 3/16 --out my.db\n"
                "hindcast study run my.yaml --via slurm --with partition=short --with chunk=20m",
    .flags = flags_of_run,
    .min = 1,
    .max = 1,
    .complete = CLI_FILE,
    .run = run,
};

const cli_command cli_study_resume = {
    .name = "resume",
    .operands = "STUDY.yaml",
    .summary = "Go on with a study that was interrupted.",
    .detail =
        "What is in FILE.db.points is not carried out again. The study must be the one that was begun, but "
        "for its limits, and the files that it reads must be what they were.",
    .examples = "hindcast study resume my.yaml\n"
                "hindcast study resume my.yaml --retry --limit time=10m",
    .flags = flags_of_resume,
    .min = 1,
    .max = 1,
    .complete = CLI_FILE,
    .run = resume,
};

const cli_command cli_study_status = {
    .name = "status",
    .operands = "STUDY.yaml | FILE.db | PART",
    .summary = "How far a study has come.",
    .detail = "Reads what the study has written so far; it may be running. A part is what a shard makes.",
    .examples = "hindcast study status my.yaml\n"
                "hindcast study status my.db.points-3-of-16",
    .flags = flags_of_status,
    .min = 1,
    .max = 1,
    .complete = CLI_FILE,
    .run = status,
};

const cli_command cli_study_merge = {
    .name = "merge",
    .operands = "PART...",
    .summary = "Put the parts that shards have made together.",
    .detail = "In any order; the store is the one that a single `study run` would have written.",
    .examples = "hindcast study merge my.db.points-*-of-16 --out my.db",
    .flags = flags_of_merge,
    .min = 1,
    .max = -1,
    .complete = CLI_FILE,
    .run = merge,
};
