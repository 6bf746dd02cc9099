/* analyze_limits.c -- `hindcast analyze limits`: which limit would have covered past runs, and what it would
 * have changed.
 *
 * The table is that of `analyze --by user,job_name --figures limits` (metric by, base/survival.h). Its gain
 * is checked, not claimed: the log runs again as it is, and with limits learnt from its first part (the
 * transform past_limits) in its second. All runs have the whole log, so that the second part finds the
 * machine as the first leaves it; only tasks of the second part are counted, and in all runs the same ones,
 * those that ended in each.
 *
 * Unless the run file says otherwise a task that runs longer than its limit runs on. Were it ended, shorter
 * limits would leave work undone, and waits would be shorter for that alone; so all runs do the same work,
 * and those that would have been ended are counted beside. */
#include "cli/analyze_parts.h"
#include "cli/many.h"

#include <stdlib.h>
#include <string.h>

#define TAU 10.0 /* s, of the bounded slowdown */
#define ROWS 10  /* of the table */

static const cli_flag own_flags[] = {
    CLI_FLAG_PROCS,
    {.name = "learn",
     .metavar = "SHARE",
     .help =
         "The first part of the log, as a share of its tasks by submission: limits are learnt from runs that "
         "had ended by its end, and used after it. Default: 0.5."},
    {.name = "per",
     .metavar = "OF",
     .complete = "program|user",
     .help = "Whose runs are put together in the what-if: those of a user's program (job name), or all of a "
             "user. Default: program."},
    {.name = "runs",
     .metavar = "N",
     .help = "Fewer runs than these are too few to learn a limit from. Default: 5."},
    {.name = "no-run", .help = "Only the table, without the what-if."},
    {.name = NULL},
};
static const cli_flag *const flags[] = {
    own_flags, cli_by_flags, cli_policy_flags, cli_transform_flags, cli_config_flags, cli_format_flags, NULL};

static const char *const covers[] = {NULL, "0.5", "0.9", "0.99"}; /* NULL: limits as they were asked for */
enum { WHATIFS = CLI_LEN(covers) };

typedef struct limits {
  cli *c;
  double learn;
  int64_t runs;
  bool is_per_user;
  hc_time before;             /* where the second part begins, ns */
  uint64_t past;              /* tasks that had ended by then */
  cli_records tasks[WHATIFS]; /* by serial */
  char policy[200];
  bool ends; /* the run file says what becomes of tasks that run longer than they asked for */
} limits;

/* ---- flags ---- */

static hc_rc read_flags(limits *x)
{
  cli *c = x->c;
  const char *learn = cli_value(c, "learn"), *per = cli_value(c, "per");
  x->learn = 0.5;
  x->runs = 5;
  if (learn && (hc_parse_real(learn, strlen(learn), &x->learn) < 0 || !(x->learn > 0 && x->learn < 1)))
    return cli_fail(c, HC_EUSAGE, "--learn: expected a share between 0 and 1, such as 0.5, got \"%.80s\"",
                    learn);
  if (per && strcmp(per, "user") != 0 && strcmp(per, "program") != 0)
    return cli_fail(c, HC_EUSAGE, "--per takes \"program\" or \"user\", got \"%.80s\"", per);
  x->is_per_user = per && strcmp(per, "user") == 0;
  return cli_int(c, "runs", 1, INT64_C(1000000000), &x->runs);
}

/* ---- the table ---- */

static bool has_programs(const cli_records *r)
{
  for (size_t i = 0; i < r->count; i++)
    if (r->items[i].executable != -1) return true;
  return false;
}

static bool has_limits(const cli_records *r)
{
  for (size_t i = 0; i < r->count; i++)
    if (r->items[i].limit > 0 && r->items[i].limit != HC_NEVER) return true;
  return false;
}

/* The parts: by the times of submission of the tasks that the log has run. */
static hc_rc divide(limits *x, const cli_records *r)
{
  hc_time *submits = malloc((r->count + 1) * sizeof *submits);
  if (!submits) return cli_fail(x->c, HC_ENOMEM, "out of memory");
  for (size_t i = 0; i < r->count; i++) submits[i] = r->items[i].submit;
  qsort(submits, r->count, sizeof *submits, cli_by_time);
  x->before = r->count > 0 ? submits[(size_t)(x->learn * (double)r->count)] : 0;
  free(submits);
  for (size_t i = 0; i < r->count; i++) x->past += r->items[i].end <= x->before;
  return 0;
}

static hc_rc show_table(limits *x, hc_result *r, const cli_records *tasks)
{
  const cli_by_usual usual = {.by = has_programs(tasks) ? "user,executable" : "user",
                              .figures = "limits",
                              .sort = "asked_core_hours",
                              .limit = x->c->format == CLI_TEXT ? ROWS : 0};
  return cli_show_by_as(x->c, r, &usual);
}

static hc_rc of_result(void *ctx, hc_result *r, const cli_records *tasks)
{
  limits *x = ctx;
  cli *c = x->c;
  if (!has_limits(tasks))
    return cli_fail(c, HC_EINPUT,
                    "no task of the log says how long it asked for (sacct's Timelimit), so there is no "
                    "limit to "
                    "compare with; `analyze --by user --figures covers_50,covers_90,covers_99` has what "
                    "would have "
                    "covered its runs");
  CLI_TRY(divide(x, tasks));
  return c->format == CLI_TEXT || cli_has(c, "no-run") ? show_table(x, r, tasks) : 0;
}

typedef struct said {
  const char *key;
  bool is_said;
} said;

static hc_rc match_said(void *ctx, const char *path, const char *value, const char *origin)
{
  said *s = ctx;
  const size_t n = strlen(s->key);
  (void)value;
  if (strncmp(path, s->key, n) == 0 && (path[n] == '\0' || path[n] == '.'))
    s->is_said |= strcmp(origin, "default") != 0;
  return 0;
}

/* Whether a file, a preset or a flag says anything of a key. */
static bool is_said(const hc_config *config, const char *key)
{
  said s = {.key = key};
  (void)hc_config_each(config, match_said, &s);
  return s.is_said;
}

/* What neither a file nor a flag says. */
static hc_rc add_defaults(cli *c, hc_config *config)
{
  if (!is_said(config, "policy")) CLI_TRY(hc_config_flag(config, "policy", "easy", false, &c->error));
  if (!is_said(config, "overrun")) CLI_TRY(hc_config_flag(config, "overrun", "run_on", false, &c->error));
  return hc_config_resolve(config, &c->error);
}

static hc_rc note(cli *c, void *ctx, hc_config *config)
{
  limits *x = ctx;
  char overrun[40];
  CLI_TRY(add_defaults(c, config));
  const char *how = cli_config_value(config, "overrun", overrun, sizeof overrun);
  x->ends = !how || strcmp(how, "run_on") != 0;
  if (!cli_config_value(config, "policy.select", x->policy, sizeof x->policy))
    (void)cli_config_value(config, "policy", x->policy, sizeof x->policy);
  return 0;
}

/* ---- the runs ---- */

typedef struct transforms {
  size_t count;
} transforms;

static hc_rc count_transform(void *ctx, const char *path, const char *value, const char *origin)
{
  static const char start[] = "transforms.";
  transforms *t = ctx;
  (void)value, (void)origin;
  if (strncmp(path, start, sizeof start - 1) == 0 && !strchr(path + sizeof start - 1, '.')) t->count++;
  return 0;
}

/* Behind the transforms that there are. */
static hc_rc learn(const limits *x, hc_config *config, const char *cover)
{
  cli *c = x->c;
  transforms t = {0};
  char path[40], text[200], before[40];
  CLI_TRY(hc_config_each(config, count_transform, &t));
  (void)snprintf(path, sizeof path, "transforms.%zu", t.count);
  (void)hc_format_seconds(x->before, before);
  (void)snprintf(text, sizeof text, "{use: past_limits, before: %s, cover: %s, runs: %lld, per: %s}", before,
                 cover, (long long)x->runs, x->is_per_user ? "user" : "program");
  CLI_TRY(hc_config_flag(config, path, text, true, &c->error));
  return hc_config_resolve(config, &c->error);
}

static hc_rc simulate(limits *x, hc_config *config, size_t which)
{
  hc_store *store = NULL;
  hc_result *r = NULL;
  const hc_rc rc = cli_one_run(x->c, config, &store, &r, &x->tasks[which]);
  hc_result_free(r);
  hc_store_free(store);
  return rc;
}

static hc_rc what_if(cli *c, hc_config *config, limits *x, size_t which)
{
  CLI_TRY(cli_analyse_configure(c, config));
  CLI_TRY(add_defaults(c, config));
  if (covers[which]) CLI_TRY(learn(x, config, covers[which]));
  return simulate(x, config, which);
}

static hc_rc run_all(limits *x)
{
  cli *c = x->c;
  cli_progress line;
  hc_rc rc = 0;
  cli_listen();
  cli_progress_begin(&line, c, "running");
  for (size_t i = 0; rc >= 0 && i < WHATIFS; i++) {
    hc_config *config;
    if (!cli_progress_part(&line, i, WHATIFS)) rc = HC_ECANCELLED;
    else rc = cli_config(c, &config);
    if (rc < 0) break;
    rc = what_if(c, config, x, i);
    hc_config_free(config);
  }
  cli_progress_end(&line);
  return rc;
}

/* ---- what came of them ---- */

/* Of the second part, and came to its end in each run. */
static bool is_counted(const limits *x, size_t i)
{
  for (size_t k = 0; k < WHATIFS; k++) {
    const hc_task_record *r = &x->tasks[k].items[i];
    if (r->serial != x->tasks[0].items[i].serial || r->submit < x->before || !cli_ended(r)) return false;
  }
  return true;
}

typedef struct outcome {
  uint64_t tasks, shorter, overran;
  double asked, lost;              /* core x h */
  double wait, p50, p95, slowdown; /* s; 1 */
} outcome;

static double hours(const hc_task_record *r, hc_time time)
{
  return (double)r->units * ((double)time / 3.6e12);
}

static double quantile(const hc_time *sorted, size_t n, double q)
{
  return n > 0 ? (double)sorted[cli_rank(n, q)] / 1e9 : (double)__builtin_nanf("");
}

/* It ran longer than its limit, or was ended there. */
static bool overran(const hc_task_record *r)
{
  return r->final == HC_FINAL_KILLED || (r->limit > 0 && r->end - r->start > r->limit);
}

static void count(const limits *x, size_t which, hc_time *waits, outcome *out)
{
  *out = (outcome){0};
  for (size_t i = 0; i < x->tasks[0].count; i++) {
    if (!is_counted(x, i)) continue;
    const hc_task_record *r = &x->tasks[which].items[i], *base = &x->tasks[0].items[i];
    const double ran = (double)(r->end - r->start) / 1e9, response = (double)(r->end - r->submit) / 1e9;
    const double slowdown = response / (ran > TAU ? ran : TAU);
    waits[out->tasks++] = r->start - r->submit;
    out->wait += (double)(r->start - r->submit) / 1e9;
    out->slowdown += slowdown > 1 ? slowdown : 1;
    out->shorter += r->limit != base->limit;
    out->asked += r->limit > 0 && r->limit != HC_NEVER ? hours(r, r->limit) : 0;
    if (!overran(r)) continue;
    out->overran++;
    out->lost += hours(r, r->end - r->start < r->limit ? r->end - r->start : r->limit);
  }
  qsort(waits, out->tasks, sizeof *waits, cli_by_time);
  out->wait /= (double)out->tasks;
  out->slowdown /= (double)out->tasks;
  out->p50 = quantile(waits, out->tasks, 0.5);
  out->p95 = quantile(waits, out->tasks, 0.95);
}

static const cli_column columns[] = {{.name = "limits"},
                                     {.name = "shorter", .right = true},
                                     {.name = "asked_core_hours", .right = true},
                                     {.name = "wait_mean", .title = "wait_mean (s)", .right = true},
                                     {.name = "wait_p50", .title = "wait_p50 (s)", .right = true},
                                     {.name = "wait_p95", .title = "wait_p95 (s)", .right = true},
                                     {.name = "bounded_slowdown_mean", .right = true},
                                     {.name = "overran", .right = true},
                                     {.name = "overran_core_hours", .right = true}};

static void add_outcome(cli_table *t, size_t which, const outcome *o)
{
  static const char *const names[] = {"as asked", "cover 50 %", "cover 90 %", "cover 99 %"};
  static const char *const plain[] = {"asked", "0.5", "0.9", "0.99"};
  cli_add_pair(t, plain[which], names[which], true);
  cli_add_int(t, (int64_t)o->shorter);
  cli_add_real(t, o->asked, "core*h");
  cli_add_real(t, o->wait, "s");
  cli_add_real(t, o->p50, "s");
  cli_add_real(t, o->p95, "s");
  cli_add_real(t, o->slowdown, "1");
  cli_add_int(t, (int64_t)o->overran);
  cli_add_real(t, o->lost, "core*h");
}

static void say_title(const limits *x, uint64_t tasks)
{
  char past[40], after[40], at[40];
  past[hc_format_count((int64_t)x->past, past)] = '\0';
  after[hc_format_count((int64_t)tasks, after)] = '\0';
  hc_format_duration(x->before, at);
  hc_buffer_printf(
      &x->c->out,
      "\nwhat if tasks had asked for that: limits learnt from the %s tasks that had ended %s after the log "
      "began,\nused for the %s submitted from then on, under %s. Overran: ran longer than asked for%s\n",
      past, at, after, x->policy[0] ? x->policy : "the policy of the run",
      x->ends ? ""
              : ", with the core-hours\nthat these had by then; here they run on, so that each line has the "
                "same work");
}

static hc_rc say_outcomes(limits *x)
{
  cli *c = x->c;
  hc_time *waits = malloc((x->tasks[0].count + 1) * sizeof *waits);
  outcome o[WHATIFS];
  cli_table t;
  if (!waits) return cli_fail(c, HC_ENOMEM, "out of memory");
  for (size_t i = 0; i < WHATIFS; i++) count(x, i, waits, &o[i]);
  free(waits);
  if (o[0].tasks == 0)
    return cli_fail(c, HC_EUSAGE,
                    "--learn: no task of the second part ends in each run; choose a smaller share");
  cli_table_init(&t, c->allocator, columns, CLI_LEN(columns));
  for (size_t i = 0; i < WHATIFS; i++) add_outcome(&t, i, &o[i]);
  if (c->format == CLI_TEXT) {
    say_title(x, o[0].tasks);
    cli_table_people(c, &t, 2);
    if (o[1].shorter + o[2].shorter + o[3].shorter == 0)
      hc_buffer_printf(
          &c->out,
          "  no shorter limit was learnt: no %s has %lld runs of which enough ended; try --per user, "
          "--learn or --runs\n",
          x->is_per_user ? "user" : "program of a user", (long long)x->runs);
  } else cli_table_show(c, &t);
  c->out.failed |= t.failed;
  cli_table_fini(&t);
  return 0;
}

/* ---- the whole ---- */

static hc_rc work(cli *c, limits *x)
{
  CLI_TRY(read_flags(x));
  CLI_TRY(cli_analyse(c, note, of_result, x));
  if (cli_has(c, "no-run")) return 0;
  c->started = true;
  CLI_TRY(run_all(x));
  for (size_t i = 1; i < WHATIFS; i++)
    if (x->tasks[i].count != x->tasks[0].count)
      return cli_fail(c, HC_EINPUT,
                      "the runs have different tasks; give a source that reads the same each time");
  return say_outcomes(x);
}

static hc_rc run(cli *c)
{
  limits x = {.c = c};
  const hc_rc rc = work(c, &x);
  for (size_t i = 0; i < WHATIFS; i++) cli_records_fini(c, &x.tasks[i]);
  return rc < 0 ? rc : 0;
}

const cli_command cli_analyze_limits = {
    .name = "limits",
    .operands = "LOG | RUN.yaml",
    .summary =
        "Which limit would have covered past runs, by user and job name, and what it would have changed.",
    .detail =
        "A row for each user and job name: tasks, how many of them were cut short (ended at their limit, "
        "cancelled, "
        "preempted, or lost with a host), the median of what they asked for, and the least limit within "
        "which 50, "
        "90 and 99 % of them would have ended. A task that was cut is only known to be longer than it ran "
        "(Kaplan-Meier); where too many were cut a limit is not known.\n\n"
        "Then the log runs again, under the run file's policy or EASY: as it is, and with tasks of its "
        "second part "
        "asking for such limits, learnt from its first part (the transform past_limits), never for more than "
        "they did. A task that runs longer than its limit runs on, so that all runs do the same work, and is "
        "counted; with --set overrun=kill it is ended. --json and --csv have this comparison; with "
        "--no-run, or from `hindcast analyze LOG --by "
        "user,job_name --figures limits`, the table.",
    .examples = "hindcast analyze limits january.psv --procs 1200\n"
                "hindcast analyze limits site.yaml --learn 0.7 --per user",
    .flags = flags,
    .min = 1,
    .max = -1,
    .complete = CLI_FILE,
    .run = run,
};
