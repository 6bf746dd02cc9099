/* properties.c -- `hindcast properties`: does the policy have the properties of fair sharing, on this
 * workload?
 *
 * Every replication runs the workload as it is, then once for each lie of each user, and once for each user
 * alone on a part of the cell, all with the same random numbers. What a user gets is the time its tasks ran
 * in the window, a task that stated too little counting as the part that it gets done (transform lie, metric
 * task_time). So a gain is a difference of two runs that differ in nothing but the lie, and its interval is
 * over replications, paired. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#define USERS_MOST 64
#define LIES_MOST 64
#define SAMPLES_MOST 200

static const cli_flag own_flags[] = {
    {.name = "user",
     .metavar = "N",
     .many = true,
     .help = "Who lies, by number; again for another. Default: every user, up to 64."},
    {.name = "dimension",
     .metavar = "NAME",
     .many = true,
     .help = "Which demands are lied about; again for another. Default: cpu and memory."},
    {.name = "replications",
     .letter = 'r',
     .metavar = "N",
     .help = "How often each run is repeated. Default: 5."},
    {.name = "from", .metavar = "TIME", .help = "Where the window begins. Default: 0."},
    {.name = "until",
     .metavar = "TIME",
     .path = "until",
     .help = "Where it ends, and every run. Choose it so that all users still have tasks waiting."},
    {.name = "parties",
     .metavar = "N",
     .help = "A user alone has one of so many parts of the cell. Default: as many as there are users."},
    {.name = "part",
     .metavar = "HOW",
     .complete = "hosts|scaled",
     .help =
         "What a part is: each n-th host, or all hosts with the n-th part of each amount. Default: hosts."},
    {.name = "under",
     .metavar = "WHAT",
     .complete = "stretch|fail",
     .help = "What becomes of tasks that state too little: they take longer, or fail. Default: stretch."},
    {.name = "quiet", .letter = 'q', .help = "Show no progress."},
    {.name = NULL},
};
static const cli_flag *const flags[] = {cli_policy_flags, own_flags,        cli_transform_flags,
                                        cli_config_flags, cli_format_flags, NULL};

/* ---- what a run found ---- */

/* The figures that are looked at in the honest run. */
static const char *const properties[] = {
    "envy_mean",          "envy_beyond_a_task", "pareto_violation_of_waiting",
    "fair_share_deficit", "fair_share_jain",    "sharing_incentive_min"};
#define PROPERTIES CLI_LEN(properties)

typedef struct found {
  int64_t users[1024];
  double times[1024];
  size_t count;
  double figures[PROPERTIES];
  double load[HC_DIMENSIONS], amount[HC_DIMENSIONS]; /* cpu, memory, disk, gpu */
} found;

static const char *const dimensions[] = {"cpu", "memory", "disk", "gpu"};

static hc_rc take_figure(void *ctx, const char *name, const char *unit, double value, bool is_count,
                         int64_t count)
{
  found *f = ctx;
  char text[64];
  (void)unit, (void)is_count, (void)count;
  for (size_t i = 0; i < PROPERTIES; i++)
    if (strcmp(name, properties[i]) == 0) f->figures[i] = value;
  for (size_t d = 0; d < CLI_LEN(dimensions); d++) {
    (void)snprintf(text, sizeof text, "host_load_%s", dimensions[d]);
    if (strcmp(name, text) == 0) f->load[d] = value;
    (void)snprintf(text, sizeof text, "host_load_%s_amount", dimensions[d]);
    if (strcmp(name, text) == 0) f->amount[d] = value;
  }
  return 0;
}

static hc_rc take_cell(void *ctx, const char *table, int64_t key, const char *name, const char *unit,
                       double value)
{
  found *f = ctx;
  (void)name, (void)unit;
  if (strcmp(table, "task_time_by_user") != 0 || f->count == CLI_LEN(f->users)) return 0;
  f->users[f->count] = key;
  f->times[f->count++] = value;
  return 0;
}

static double time_of(const found *f, int64_t user)
{
  for (size_t i = 0; i < f->count; i++)
    if (f->users[i] == user) return f->times[i];
  return 0;
}

/* ---- what is asked ---- */

typedef enum lie_kind { LIE_FACTOR, LIE_RATIO, LIE_SPLIT, LIE_NEVER, LIE_ALONE, LIE_NONE } lie_kind;

typedef struct lie {
  lie_kind kind;
  const char *dimension;
  double factor;
} lie;

typedef struct row {
  int64_t user;
  const lie *lie;
  double truth[SAMPLES_MOST], gain[SAMPLES_MOST];
} row;

typedef struct survey {
  cli *c;
  int64_t users[USERS_MOST];
  size_t user_count;
  lie lies[LIES_MOST];
  size_t lie_count;
  row *rows; /* [user_count][lie_count] */
  double figures[PROPERTIES][SAMPLES_MOST];
  int64_t replications, parties, next_transform, next_event;
  hc_time from;
  bool refuses;
  char capacity[256]; /* as a list: cores, bytes ... */
  cli_progress line;
  uint64_t done, total;
} survey;

static const double factors[] = {0.5, 0.8, 1.25, 2};

#define ALIAS INT64_C(4000000000000000)
#define APART INT64_C(1000000000000) /* numbers of a second source begin there */

static void add_lie(survey *s, lie_kind kind, const char *dimension, double factor)
{
  if (s->lie_count < LIES_MOST) s->lies[s->lie_count++] = (lie){kind, dimension, factor};
}

static void list_lies(survey *s)
{
  size_t named = 0;
  for (size_t i = 0; i < s->c->given_count; i++) {
    if (strcmp(s->c->given[i].flag->name, "dimension") != 0) continue;
    named++;
    for (size_t k = 0; k < CLI_LEN(factors); k++) add_lie(s, LIE_FACTOR, s->c->given[i].value, factors[k]);
  }
  for (size_t d = 0; d < 2 && named == 0; d++)
    for (size_t k = 0; k < CLI_LEN(factors); k++) add_lie(s, LIE_FACTOR, dimensions[d], factors[k]);
  add_lie(s, LIE_RATIO, NULL, 1);
  add_lie(s, LIE_SPLIT, NULL, 1);
  if (s->refuses) add_lie(s, LIE_NEVER, NULL, 1);
  add_lie(s, LIE_ALONE, NULL, 1);
}

/* ---- one run ---- */

static hc_rc set(survey *s, hc_config *config, const char *format, ...) __attribute__((format(printf, 3, 4)));

static hc_rc set(survey *s, hc_config *config, const char *format, ...)
{
  va_list args;
  char text[768];
  va_start(args, format);
  (void)vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return hc_config_set(config, text, &s->c->error);
}

/* What differs from the honest run. */
static hc_rc tell_lie(survey *s, hc_config *config, const lie *l, int64_t user)
{
  const char *part = cli_value(s->c, "part"), *under = cli_value(s->c, "under");
  const int64_t t = s->next_transform;
  switch (l->kind) {
    case LIE_FACTOR:
      return set(s, config,
                 "transforms.%" PRId64 "={use: lie, user: %" PRId64 ", dimension: %s, factor: %g, under: %s}",
                 t, user, l->dimension, l->factor, under ? under : "stretch");
    case LIE_RATIO:
      return set(s, config, "transforms.%" PRId64 "={use: lie, user: %" PRId64 ", to: %s}", t, user,
                 s->capacity);
    case LIE_SPLIT:
      return set(s, config,
                 "transforms.%" PRId64 "={use: lie, user: %" PRId64 ", identities: 2, alias: %" PRId64 "}", t,
                 user, ALIAS);
    case LIE_NEVER: return set(s, config, "policy.accept.never_users=[%" PRId64 "]", user);
    case LIE_ALONE:
      CLI_TRY(set(s, config, "transforms.%" PRId64 "={use: filter, user: %" PRId64 "}", t, user));
      return set(s, config, "events.%" PRId64 "={use: part, of: %" PRId64 ", how: %s}", s->next_event,
                 s->parties, part ? part : "hosts");
    case LIE_NONE: break;
  }
  return 0;
}

/* Which metrics: those of the properties only where no user lies. */
static hc_rc choose_metrics(survey *s, hc_config *config, const lie *l, int64_t user)
{
  const double from = (double)s->from / 1e9;
  const bool fails = cli_value(s->c, "under") && strcmp(cli_value(s->c, "under"), "fail") == 0;
  CLI_TRY(set(s, config, "metrics=[]"));
  if (l->kind == LIE_FACTOR && l->factor < 1)
    return set(s, config,
               "metrics=[{use: task_time, from: %.9f, user: %" PRId64 ", dimension: %s, rate: %g}]", from,
               user, l->dimension, fails ? 0 : l->factor);
  if (l->kind != LIE_NONE) return set(s, config, "metrics=[{use: task_time, from: %.9f}]", from);
  return set(s, config,
             "metrics=[{use: task_time, from: %.9f}, host_load, fair_share, envy, pareto, sharing_incentive]",
             from);
}

static hc_rc carry_out(survey *s, hc_config *config, found *out)
{
  hc_findings findings = {.ctx = out, .figure = take_figure, .cell = take_cell};
  hc_error *e = &s->c->error;
  hc_run *run;
  hc_rc rc;
  CLI_TRY(hc_run_new(s->c->allocator, config, NULL, &run, e));
  s->c->started = true;
  cli_watch(run);
  do {
    rc = hc_run_advance(run, HC_NEVER, 4096, e);
    if (cli_interrupted()) hc_run_cancel(run);
  } while (rc == 1);
  if (rc >= 0) rc = hc_run_finish(run, e);
  if (rc >= 0) rc = hc_run_figures(run, &findings, e);
  cli_watch(NULL);
  hc_run_free(run);
  if (!cli_progress_part(&s->line, ++s->done, s->total)) return HC_ECANCELLED;
  return rc;
}

static hc_rc run_one(survey *s, const lie *l, int64_t user, int64_t replication, found *out)
{
  hc_config *config;
  hc_rc rc;
  memset(out, 0, sizeof *out);
  CLI_TRY(cli_config(s->c, &config));
  rc = set(s, config, "replication=%" PRId64, replication);
  if (rc == 0) rc = set(s, config, "task_rows=none");
  if (rc == 0) rc = choose_metrics(s, config, l, user);
  if (rc == 0) rc = tell_lie(s, config, l, user);
  if (rc == 0) rc = carry_out(s, config, out);
  hc_config_free(config);
  return rc;
}

/* ---- all of them ---- */

static int by_number(const void *a, const void *b)
{
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Who there is, and what the cell has, as the honest run of the first replication found. */
static hc_rc learn(survey *s, const found *f)
{
  size_t n = 0;
  for (size_t i = 0; i < s->c->given_count; i++) {
    int64_t user;
    if (strcmp(s->c->given[i].flag->name, "user") != 0) continue;
    if (hc_parse_int(s->c->given[i].value, strlen(s->c->given[i].value), &user) < 0)
      return cli_fail(s->c, HC_EUSAGE, "--user: \"%s\" is no number of a user", s->c->given[i].value);
    if (s->user_count < USERS_MOST) s->users[s->user_count++] = user;
  }
  if (s->user_count == 0)
    for (size_t i = 0; i < f->count && s->user_count < USERS_MOST; i++)
      if (f->users[i] >= 0) s->users[s->user_count++] = f->users[i];
  if (s->user_count == 0)
    return cli_fail(s->c, HC_EUSAGE,
                    "no task of a known user ran in the window, so that no user can misreport");
  for (size_t i = 0; i < s->user_count; i++)
    if (s->users[i] >= APART && s->users[i] < ALIAS)
      return cli_fail(s->c, HC_EUSAGE,
                      "user %" PRId64
                      " is one of several sources, whose users are kept apart only behind what lies for "
                      "them: make one log of them with `hindcast trace merge` first",
                      s->users[i]);
  for (size_t i = 0; i < s->user_count; i++)
    if (!(time_of(f, s->users[i]) > 0))
      return cli_fail(s->c, HC_EUSAGE,
                      "user %" PRId64 " ran nothing in the window; choose others with --user", s->users[i]);
  qsort(s->users, s->user_count, sizeof *s->users, by_number);
  if (s->parties == 0) s->parties = (int64_t)f->count;
  n = (size_t)snprintf(s->capacity, sizeof s->capacity, "[");
  for (size_t d = 0; d < CLI_LEN(dimensions); d++)
    n += (size_t)snprintf(s->capacity + n, sizeof s->capacity - n, "%s%.17g", d ? ", " : "",
                          f->load[d] > 0 ? f->amount[d] / f->load[d] : 0);
  (void)snprintf(s->capacity + n, sizeof s->capacity - n, "]");
  list_lies(s);
  s->rows = calloc(s->user_count * s->lie_count, sizeof *s->rows);
  s->total = (uint64_t)s->replications * (1 + s->user_count * s->lie_count);
  return s->rows ? 0 : HC_ENOMEM;
}

/* What a lie, or being alone, brought. */
static double gain_of(const lie *l, double truth, const found *f, int64_t user)
{
  double got = time_of(f, user);
  if (l->kind == LIE_SPLIT) got += time_of(f, ALIAS);
  return l->kind == LIE_ALONE ? truth / got : got / truth - 1;
}

static hc_rc replicate(survey *s, int64_t replication)
{
  static const lie honest = {.kind = LIE_NONE};
  found *truth = calloc(2, sizeof *truth), *lied = truth ? truth + 1 : NULL;
  hc_rc rc = truth ? run_one(s, &honest, -1, replication, truth) : HC_ENOMEM;
  if (rc == 0 && replication == 0) rc = learn(s, truth);
  for (size_t i = 0; rc == 0 && i < PROPERTIES; i++) s->figures[i][replication] = truth->figures[i];
  for (size_t u = 0; rc == 0 && u < s->user_count; u++)
    for (size_t k = 0; rc == 0 && k < s->lie_count; k++) {
      row *r = &s->rows[u * s->lie_count + k];
      r->user = s->users[u];
      r->lie = &s->lies[k];
      r->truth[replication] = time_of(truth, r->user);
      rc = run_one(s, r->lie, r->user, replication, lied);
      r->gain[replication] = gain_of(r->lie, r->truth[replication], lied, r->user);
    }
  free(truth);
  return rc;
}

/* ---- showing ---- */

static const cli_column lie_columns[] = {{.name = "user", .right = true},
                                         {.name = "lie"},
                                         {.name = "truth", .title = "task-time", .right = true},
                                         {.name = "gain", .right = true},
                                         {.name = "low", .right = true},
                                         {.name = "high", .right = true}};
static const cli_column property_columns[] = {{.name = "property"},
                                              {.name = "value", .right = true},
                                              {.name = "low", .right = true},
                                              {.name = "high", .right = true}};

static void name_lie(const lie *l, char out[64])
{
  static const char *const words[] = {NULL, "in the cell's ratio", "as two users", "refuse never", "alone",
                                      ""};
  if (l->kind == LIE_FACTOR) (void)snprintf(out, 64, "%.24s x %g", l->dimension, l->factor);
  else (void)snprintf(out, 64, "%s", words[l->kind]);
}

static void add_mean(cli_table *t, const double *values, int64_t count)
{
  hc_stat_mean m = {0};
  (void)hc_stat_mean_of(values, (size_t)count, 0.95, &m);
  cli_add_real(t, m.mean, "1");
  cli_add_real(t, m.low, "1");
  cli_add_real(t, m.high, "1");
}

static void lie_rows(survey *s, cli_table *t)
{
  for (size_t i = 0; i < s->user_count * s->lie_count; i++) {
    const row *r = &s->rows[i];
    hc_stat_mean truth = {0};
    char name[64];
    if (r->lie->kind == LIE_ALONE) continue;
    name_lie(r->lie, name);
    (void)hc_stat_mean_of(r->truth, (size_t)s->replications, 0.95, &truth);
    cli_add_int(t, r->user);
    cli_add_text(t, name);
    cli_add_real(t, truth.mean, "1");
    add_mean(t, r->gain, s->replications);
  }
}

/* The best lie of any user by its mean, the least of shared over alone, and the figures. */
static void property_rows(survey *s, cli_table *t)
{
  const row *best = NULL, *worst = NULL;
  double most = 0, least = 0;
  char name[128], text[64];
  for (size_t i = 0; i < s->user_count * s->lie_count; i++) {
    const row *r = &s->rows[i];
    hc_stat_mean m = {0};
    (void)hc_stat_mean_of(r->gain, (size_t)s->replications, 0.95, &m);
    if (r->lie->kind == LIE_ALONE ? !worst || m.mean < least : !best || m.mean > most) {
      if (r->lie->kind == LIE_ALONE) worst = r, least = m.mean;
      else best = r, most = m.mean;
    }
  }
  if (best) {
    name_lie(best->lie, text);
    (void)snprintf(name, sizeof name, "best lie: user %" PRId64 ", %s", best->user, text);
    cli_add_text(t, name);
    add_mean(t, best->gain, s->replications);
  }
  for (size_t u = 0; u < s->user_count; u++) {
    const row *r = &s->rows[(u + 1) * s->lie_count - 1]; /* alone is the last */
    (void)snprintf(name, sizeof name, "shared / alone: user %" PRId64 "%s", r->user,
                   r == worst ? ", the least" : "");
    cli_add_text(t, name);
    add_mean(t, r->gain, s->replications);
  }
  for (size_t i = 0; i < PROPERTIES; i++) {
    cli_add_text(t, properties[i]);
    add_mean(t, s->figures[i], s->replications);
  }
}

static void show(survey *s)
{
  cli *c = s->c;
  hc_json_writer j = {.out = &c->out};
  cli_table lies, held;
  cli_table_init(&lies, c->allocator, lie_columns, CLI_LEN(lie_columns));
  cli_table_init(&held, c->allocator, property_columns, CLI_LEN(property_columns));
  lie_rows(s, &lies);
  property_rows(s, &held);
  if (c->format == CLI_JSON) {
    hc_json_enter(&j, NULL, '{');
    hc_json_put_int(&j, "replications", s->replications);
    hc_json_put_int(&j, "parties", s->parties);
    cli_table_member(&lies, &j, "lies");
    cli_table_member(&held, &j, "properties");
    hc_json_leave(&j, '}');
    c->out.failed |= lies.failed | held.failed;
  } else if (c->format == CLI_CSV) {
    cli_table_show(c, &lies);
  } else {
    hc_buffer_printf(&c->out,
                     "What a lie brings its user, in task-time: got / truth - 1, %" PRId64
                     " replications, intervals of 95 %%\n\n",
                     s->replications);
    cli_table_show(c, &lies);
    hc_buffer_printf(&c->out,
                     "\nProperties, and a user's task-time shared over that alone on 1 / %" PRId64
                     " of the cell\n\n",
                     s->parties);
    cli_table_show(c, &held);
  }
  cli_table_fini(&lies);
  cli_table_fini(&held);
}

/* ---- the command ---- */

/* How many items a list has beside which ours is put. */
static int64_t items_of(const hc_config *config, const char *list)
{
  char path[64], value[64];
  int64_t n = 0;
  for (;; n++) {
    (void)snprintf(path, sizeof path, "%s.%" PRId64, list, n);
    if (!cli_config_value(config, path, value, sizeof value)) return n;
  }
}

static hc_rc prepare(survey *s)
{
  const char *from = cli_value(s->c, "from");
  char value[64];
  hc_config *config;
  hc_rc rc;
  s->replications = 5;
  CLI_TRY(cli_int(s->c, "replications", 1, SAMPLES_MOST, &s->replications));
  CLI_TRY(cli_int(s->c, "parties", 1, 1000000, &s->parties));
  if (from && hc_parse_time(from, strlen(from), &s->from) < 0)
    return cli_fail(s->c, HC_EUSAGE, "--from: \"%s\" is no time; write 30d, or seconds", from);
  CLI_TRY(cli_config(s->c, &config));
  rc = hc_config_resolve(config, &s->c->error);
  if (rc == 0) {
    s->next_transform = items_of(config, "transforms");
    s->next_event = items_of(config, "events");
    s->refuses =
        cli_config_value(config, "policy.accept", value, sizeof value) && strcmp(value, "refusal") == 0;
    if (!cli_config_value(config, "cell", value, sizeof value) || strcmp(value, "auto") == 0 ||
        strcmp(value, "count") == 0 || strcmp(value, "intervals") == 0)
      rc = cli_fail(
          s->c, HC_EUSAGE,
          "demands are lied about on a cell of hosts, and this one has processors: say cell: {use: hosts, "
          "...}");
  }
  hc_config_free(config);
  return rc;
}

static hc_rc run(cli *c)
{
  survey *s = calloc(1, sizeof *s);
  hc_rc rc;
  if (!s) return HC_ENOMEM;
  s->c = c;
  cli_listen();
  rc = prepare(s);
  if (rc == 0) {
    cli_progress_begin(&s->line, c, "trying lies");
    for (int64_t r = 0; rc == 0 && r < s->replications; r++) rc = replicate(s, r);
    cli_progress_end(&s->line);
  }
  if (rc == 0) show(s);
  free(s->rows);
  free(s);
  return rc;
}

const cli_command cli_command_properties = {
    .name = "properties",
    .operands = "[RUN.yaml | LOG]...",
    .summary = "Try lies on a policy, and users alone: is it strategy-proof, is sharing worth it?",
    .detail =
        "Each replication runs the workload as it is, once for each lie of each user, and once for each user "
        "alone on a part of the cell, all with the same random numbers. Lies: one demand times 0.5, 0.8, "
        "1.25 or 2; all demands raised to the cell's ratio; two identities; and, where users refuse offers, "
        "never to refuse. A lie changes what the scheduler sees and the cell holds. A task that states too "
        "much runs as long; one that states the part q of what it needs takes 1 / q as long, or fails "
        "(--under fail). What a user gets is the time for which its tasks ran in the window, counted as what "
        "they got done. Choose --until so that every user still has tasks waiting: over a run to the end all "
        "users get the same, lie or not. Envy, Pareto and the rest are those of the honest run.",
    .examples = "hindcast properties examples/fairness/properties.yaml\n"
                "hindcast properties my.yaml --user 3 --until 2h --replications 20 --json",
    .flags = flags,
    .min = 0,
    .max = -1,
    .complete = CLI_FILE,
    .run = run,
};
