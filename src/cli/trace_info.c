/* trace_info.c -- `hindcast trace info`: what a workload holds, row by row accounted for.
 *
 * The counting is the library's (hc_survey), in bounded memory; here it is shown. `--by` puts tasks into
 * classes: which share of jobs, tasks, cpu time and memory time each has, and how long its jobs are, how
 * large, and how far apart, with their tails. */
#include <stdlib.h>
#include <string.h>

#include "cli/trace.h"

#define MOST_BANDS 32
#define DAY 86400.0 /* s */

static const cli_flag own_flags[] = {
    CLI_FLAG_PROCS,
    {.name = "by",
     .metavar = "CLASS",
     .complete = "band|priority|user|group|queue|partition|executable|status",
     .help = "Show what each class of tasks has: those of each user, group, queue, partition, executable, "
             "status, priority, or band of priorities."},
    {.name = "bands",
     .metavar = "P,P,...",
     .help = "For --by band: the least priority of each band but the lowest. Default: 2,9,10,11, as in "
             "Google's trace of 2011: free, other, production, monitoring, infrastructure."},
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags,        cli_window_flags, cli_transform_flags,
                                        cli_config_flags, cli_format_flags, NULL};

static const double measure_shares[] = {0.25, 0.5, 0.75, 0.95, 0.99};
static const double class_shares[] = {0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999};

typedef struct survey {
  hc_survey *counts;
  const hc_survey_totals *totals;
  hc_class_by by;
  const char *name; /* of the workload, for people */
  int64_t bands[MOST_BANDS];
  size_t band_count;
  uint64_t asks[HC_FACT_COUNT]; /* tasks that have what they ask of a scheduler, by the fact */
} survey;

/* What a task may ask of a scheduler beside hosts. */
static const uint8_t asked[] = {HC_FACT_AFTER, HC_FACT_HOST_COUNT, HC_FACT_AT_ONCE, HC_FACT_TERMS,
                                HC_FACT_AGAIN};

/* ---- how ---- */

static const struct {
  const char *word;
  hc_class_by by;
} classes[] = {{"band", HC_BY_BAND},
               {"priority", HC_BY_PRIORITY},
               {"user", HC_BY_USER},
               {"group", HC_BY_GROUP},
               {"queue", HC_BY_QUEUE},
               {"partition", HC_BY_PARTITION},
               {"executable", HC_BY_EXECUTABLE},
               {"status", HC_BY_STATUS}};

static hc_rc read_bands(cli *c, survey *s)
{
  static const int64_t google[] = {2, 9, 10, 11};
  const char *text = cli_value(c, "bands");
  if (!text) {
    memcpy(s->bands, google, sizeof google);
    s->band_count = CLI_LEN(google);
    return 0;
  }
  for (s->band_count = 0; s->band_count < MOST_BANDS;) {
    const size_t n = strcspn(text, ",");
    const size_t i = s->band_count++;
    if (hc_parse_int(text, n, &s->bands[i]) < 0 || (i > 0 && s->bands[i] <= s->bands[i - 1])) break;
    if (text[n] == '\0') return 0;
    text += n + 1;
  }
  return cli_fail(c, HC_EUSAGE,
                  "--bands: expected at most %d rising priorities, such as 2,9,10, got \"%.80s\"", MOST_BANDS,
                  cli_value(c, "bands"));
}

static hc_rc read_by(cli *c, survey *s)
{
  const char *by = cli_value(c, "by");
  if (!by) {
    if (!cli_has(c, "bands")) return 0;
    return cli_fail(c, HC_EUSAGE, "--bands is for --by band");
  }
  for (size_t i = 0; i < CLI_LEN(classes); i++) {
    if (strcmp(by, classes[i].word) != 0) continue;
    s->by = classes[i].by;
    return s->by == HC_BY_BAND ? read_bands(c, s) : 0;
  }
  return cli_fail(
      c, HC_EUSAGE,
      "--by: expected band, priority, user, group, queue, partition, executable or status, got \"%.80s\"",
      by);
}

/* ---- tables ---- */

static const cli_column field_columns[] = {{.name = "field"},
                                           {.name = "unit"},
                                           {.name = "known", .right = true},
                                           {.name = "missing", .right = true},
                                           {.name = "mean", .right = true},
                                           {.name = "min", .right = true},
                                           {.name = "p25", .right = true},
                                           {.name = "p50", .right = true},
                                           {.name = "p75", .right = true},
                                           {.name = "p95", .right = true},
                                           {.name = "p99", .right = true},
                                           {.name = "max", .right = true}};

static const struct {
  const char *word, *unit;
} measures[] = {
#define X(name, word, unit, text) {word, unit},
    HC_MEASURES(X)
#undef X
};

static const struct {
  const char *word, *unit;
} class_measures[] = {
#define X(name, word, unit, text) {word, unit},
    HC_CLASS_MEASURES(X)
#undef X
};

/* Bytes are for people in GiB and the like. */
static void add_value(cli_table *t, double x, const char *unit)
{
  char plain[40], human[40];
  if (strcmp(unit, "B") != 0 || x != x) {
    cli_add_real(t, x, unit);
    return;
  }
  plain[hc_format_real(x, plain)] = '\0';
  human[hc_format_size((int64_t)x, human)] = '\0';
  cli_add_pair(t, plain, human, false);
}

/* Those that every batch log has are always shown. */
static bool is_shown(const hc_spread *p, int m)
{
  return p->known > 0 || m <= HC_MEASURE_MEMORY_ASKED;
}

static void add_fields(cli_table *t, survey *s)
{
  double values[CLI_LEN(measure_shares)];
  for (int m = 0; m < HC_MEASURE_COUNT; m++) {
    const char *unit = measures[m].unit;
    const hc_spread p =
        hc_survey_spread(s->counts, (hc_measure)m, measure_shares, CLI_LEN(measure_shares), values);
    if (!is_shown(&p, m)) continue;
    cli_add_text(t, measures[m].word);
    cli_add_text(t, unit);
    cli_add_int(t, (int64_t)p.known);
    cli_add_int(t, (int64_t)p.missing);
    add_value(t, p.mean, unit);
    add_value(t, p.least, unit);
    for (size_t k = 0; k < CLI_LEN(measure_shares); k++) add_value(t, values[k], unit);
    add_value(t, p.most, unit);
  }
}

static const cli_column class_columns[] = {{.name = "class", .right = true},
                                           {.name = "jobs", .right = true},
                                           {.name = "tasks", .right = true},
                                           {.name = "cpu_time", .title = "core-hours", .right = true},
                                           {.name = "memory_time", .title = "GiB-hours", .right = true},
                                           {.name = "share_jobs", .title = "% jobs", .right = true},
                                           {.name = "share_tasks", .title = "% tasks", .right = true},
                                           {.name = "share_cpu", .title = "% cpu", .right = true},
                                           {.name = "share_memory", .title = "% memory", .right = true}};

/* A number for programs as it is, and for people in another unit with one decimal. */
static void add_scaled(cli_table *t, double x, double unit)
{
  char plain[40], human[40];
  plain[hc_format_real(x, plain)] = '\0';
  (void)snprintf(human, sizeof human, "%.1f", x / unit);
  cli_add_pair(t, plain, human, false);
}

static void add_share(cli_table *t, double part, double all)
{
  char plain[40], human[40];
  if (!(all > 0)) {
    cli_add_pair(t, NULL, "-", false);
    return;
  }
  plain[hc_format_real(part / all, plain)] = '\0';
  (void)snprintf(human, sizeof human, "%.1f", 100 * part / all);
  cli_add_pair(t, plain, human, false);
}

static void add_class_name(cli_table *t, const survey *s, int64_t key)
{
  char text[64], low[24] = "", high[24] = "";
  if (key == INT64_MAX) {
    cli_add_text(t, "others");
    return;
  }
  if (s->by != HC_BY_BAND) {
    (void)snprintf(text, sizeof text, "%lld", (long long)key);
    cli_add_text(t, key == -1 && s->by != HC_BY_PRIORITY && s->by != HC_BY_STATUS ? "none" : text);
    return;
  }
  if (key > 0) (void)snprintf(low, sizeof low, "%lld", (long long)s->bands[key - 1]);
  if ((size_t)key < s->band_count) (void)snprintf(high, sizeof high, "%lld", (long long)s->bands[key] - 1);
  (void)snprintf(text, sizeof text, "%s..%s", low, high);
  cli_add_text(t, text);
}

static void add_classes(cli_table *t, const survey *s)
{
  const hc_class_totals *all = &s->totals->all;
  for (size_t i = 0; i < hc_survey_classes(s->counts); i++) {
    const hc_class_totals *k = hc_survey_class(s->counts, i);
    add_class_name(t, s, k->key);
    cli_add_int(t, (int64_t)k->jobs);
    cli_add_int(t, (int64_t)k->tasks);
    add_scaled(t, k->cpu_time, 3600);
    add_scaled(t, k->memory_time, 3600 * 1073741824.0);
    add_share(t, (double)k->jobs, (double)all->jobs);
    add_share(t, (double)k->tasks, (double)all->tasks);
    add_share(t, k->cpu_time, all->cpu_time);
    add_share(t, k->memory_time, all->memory_time);
  }
}

static const cli_column tail_columns[] = {{.name = "measure"},
                                          {.name = "class", .right = true},
                                          {.name = "unit"},
                                          {.name = "known", .right = true},
                                          {.name = "mean", .right = true},
                                          {.name = "p1", .right = true},
                                          {.name = "p5", .right = true},
                                          {.name = "p10", .right = true},
                                          {.name = "p25", .right = true},
                                          {.name = "p50", .right = true},
                                          {.name = "p75", .right = true},
                                          {.name = "p90", .right = true},
                                          {.name = "p95", .right = true},
                                          {.name = "p99", .right = true},
                                          {.name = "p99_9", .title = "p99.9", .right = true},
                                          {.name = "max", .right = true}};

static void add_tails(cli_table *t, survey *s)
{
  double values[CLI_LEN(class_shares)];
  for (int m = 0; m < HC_CLASS_MEASURE_COUNT; m++) {
    for (size_t i = 0; i < hc_survey_classes(s->counts); i++) {
      const char *unit = class_measures[m].unit;
      const hc_spread p = hc_survey_class_spread(s->counts, i, (hc_class_measure)m, class_shares,
                                                 CLI_LEN(class_shares), values);
      cli_add_text(t, class_measures[m].word);
      add_class_name(t, s, hc_survey_class(s->counts, i)->key);
      cli_add_text(t, unit);
      cli_add_int(t, (int64_t)p.known);
      cli_add_real(t, p.mean, unit);
      for (size_t k = 0; k < CLI_LEN(class_shares); k++) cli_add_real(t, values[k], unit);
      cli_add_real(t, p.most, unit);
    }
  }
}

static const cli_column hour_columns[] = {{.name = "hour", .right = true},
                                          {.name = "tasks", .right = true},
                                          {.name = "share_tasks", .title = "% tasks", .right = true},
                                          {.name = "work", .title = "core-hours", .right = true},
                                          {.name = "share_work", .title = "% work", .right = true}};

static void add_hours(cli_table *t, const survey *s)
{
  double tasks = 0, work = 0;
  for (int h = 0; h < 24; h++) {
    tasks += (double)s->totals->submitted[h];
    work += s->totals->work[h];
  }
  for (int h = 0; h < 24; h++) {
    char text[16];
    (void)snprintf(text, sizeof text, "%d", h);
    cli_add_pair(t, text, NULL, false);
    cli_add_int(t, (int64_t)s->totals->submitted[h]);
    add_share(t, (double)s->totals->submitted[h], tasks);
    add_scaled(t, s->totals->work[h], 3600);
    add_share(t, s->totals->work[h], work);
  }
}

/* All of them: each knows how it is filled. */
enum { FIELDS, HOURS, CLASSES, TAILS, TABLES };

static void make_tables(cli *c, survey *s, cli_table t[TABLES])
{
  cli_table_init(&t[FIELDS], c->allocator, field_columns, CLI_LEN(field_columns));
  cli_table_init(&t[HOURS], c->allocator, hour_columns, CLI_LEN(hour_columns));
  cli_table_init(&t[CLASSES], c->allocator, class_columns, CLI_LEN(class_columns));
  cli_table_init(&t[TAILS], c->allocator, tail_columns, CLI_LEN(tail_columns));
  add_fields(&t[FIELDS], s);
  add_hours(&t[HOURS], s);
  if (s->by != HC_BY_NOTHING) add_classes(&t[CLASSES], s);
  if (s->by != HC_BY_NOTHING) add_tails(&t[TAILS], s);
  for (int i = 0; i < TABLES; i++) c->out.failed |= t[i].failed;
}

/* ---- saying so ---- */

static double span_of(const survey *s)
{
  return s->totals->all.tasks ? (double)(s->totals->last_submit - s->totals->first_submit) / 1e9 : 0;
}

static double load_of(const survey *s, int64_t capacity)
{
  double span = span_of(s);
  return capacity > 0 && span > 0 ? s->totals->area / ((double)capacity * span) : (double)__builtin_nanf("");
}

static void rows_json(hc_json_writer *j, const hc_row_ledger *l)
{
  hc_json_enter(j, "rows", '{');
  hc_json_put_int(j, "read", (int64_t)l->read);
  hc_json_put_int(j, "used", (int64_t)l->used);
  hc_json_put_int(j, "merged", (int64_t)l->merged);
  hc_json_enter(j, "rejected", '{');
  for (int r = 0; r < HC_REASON_COUNT; r++) {
    if (l->rejected[r]) hc_json_put_int(j, hc_reason_name((hc_reason)r), (int64_t)l->rejected[r]);
  }
  hc_json_leave(j, '}');
  if (l->unnamed > 0) hc_json_put_int(j, "unnamed", (int64_t)l->unnamed);
  if (l->rounded > 0) {
    hc_json_put_int(j, "rounded", (int64_t)l->rounded);
    hc_json_put_real(j, "rounding", l->rounding);
  }
  hc_json_leave(j, '}');
}

static void facts_json(hc_json_writer *j, const hc_trace_info *info)
{
  hc_json_enter(j, "header", '{');
  hc_json_put_text(j, "computer", info->computer);
  hc_json_put_text(j, "installation", info->installation);
  hc_json_put_text(j, "acknowledge", info->acknowledge);
  if (info->processors > 0) hc_json_put_int(j, "processors", info->processors);
  if (info->nodes > 0) hc_json_put_int(j, "nodes", info->nodes);
  if (info->unix_start != HC_UNKNOWN) hc_json_put_int(j, "unix_start", info->unix_start);
  hc_json_put_text(j, "zone", info->zone);
  if (info->jobs != HC_UNKNOWN) hc_json_put_int(j, "jobs", info->jobs);
  if (info->records != HC_UNKNOWN) hc_json_put_int(j, "records", info->records);
  hc_json_leave(j, '}');
}

static void totals_json(hc_json_writer *j, const survey *s, int64_t capacity)
{
  const hc_survey_totals *n = s->totals;
  double load = load_of(s, capacity);
  hc_json_put_int(j, "tasks", (int64_t)n->all.tasks);
  hc_json_put_int(j, "jobs", (int64_t)n->all.jobs);
  hc_json_put_real(j, "first_submit", (double)n->first_submit / 1e9);
  hc_json_put_real(j, "last_submit", (double)n->last_submit / 1e9);
  hc_json_put_real(j, "span", span_of(s));
  hc_json_put_real(j, "area", n->area);
  hc_json_put_real(j, "cpu_time", n->all.cpu_time);
  hc_json_put_real(j, "memory_time", n->all.memory_time);
  if (capacity > 0) hc_json_put_int(j, "processors", capacity);
  if (load == load) hc_json_put_real(j, "offered_load", load);
  hc_json_put_int(j, "users", (int64_t)n->users);
  hc_json_put_int(j, "groups", (int64_t)n->groups);
  hc_json_put_int(j, "queues", (int64_t)n->queues);
  hc_json_put_int(j, "partitions", (int64_t)n->partitions);
  hc_json_put_int(j, "executables", (int64_t)n->executables);
  hc_json_enter(j, "status", '{');
  for (size_t i = 0; i < CLI_LEN(n->status); i++)
    if (n->status[i]) hc_json_put_int(j, hc_recorded_name((hc_recorded)i), (int64_t)n->status[i]);
  hc_json_leave(j, '}');
  hc_json_enter(j, "asks", '{');
  for (size_t i = 0; i < CLI_LEN(asked); i++)
    if (s->asks[asked[i]]) hc_json_put_int(j, hc_fact_name(asked[i]), (int64_t)s->asks[asked[i]]);
  hc_json_leave(j, '}');
  hc_json_enter(j, "recorded", '{');
  for (int r = 0; r < HC_RECORDED_COUNT; r++)
    if (n->recorded[r]) hc_json_put_int(j, hc_recorded_name((hc_recorded)r), (int64_t)n->recorded[r]);
  hc_json_leave(j, '}');
}

static void show_json(cli *c, const survey *s, hc_trace *t, const cli_table tables[TABLES])
{
  hc_json_writer j = {.out = &c->out};
  hc_json_enter(&j, NULL, '{');
  hc_json_put_text(&j, "trace", s->name);
  rows_json(&j, hc_trace_rows(t));
  if (hc_trace_unmet(t)) hc_json_put_text(&j, "note", hc_trace_unmet(t));
  facts_json(&j, hc_trace_facts(t));
  totals_json(&j, s, hc_trace_capacity(t));
  cli_table_member(&tables[FIELDS], &j, "fields");
  cli_table_member(&tables[HOURS], &j, "hours");
  if (s->by != HC_BY_NOTHING) {
    hc_json_put_text(&j, "by", cli_value(c, "by"));
    cli_table_member(&tables[CLASSES], &j, "classes");
    cli_table_member(&tables[TAILS], &j, "spread");
  }
  hc_json_leave(&j, '}');
}

static void line_count(hc_buffer *out, const char *before, int64_t n, const char *after)
{
  char text[40];
  text[hc_format_count(n, text)] = '\0';
  hc_buffer_printf(out, "%s%s%s", before, text, after);
}

static void rows_text(hc_buffer *out, const hc_row_ledger *l)
{
  line_count(out, "  rows       read ", (int64_t)l->read, "");
  line_count(out, " = used ", (int64_t)l->used, "");
  if (l->merged) line_count(out, " + merged ", (int64_t)l->merged, "");
  for (int r = 0; r < HC_REASON_COUNT; r++) {
    if (!l->rejected[r]) continue;
    hc_buffer_printf(out, " + %s", hc_reason_name((hc_reason)r));
    line_count(out, " ", (int64_t)l->rejected[r], "");
  }
  hc_buffer_text(out, "\n");
  for (int r = 0; r < HC_REASON_COUNT; r++) {
    if (l->rejected[r])
      hc_buffer_printf(out, "             %s: %s\n", hc_reason_name((hc_reason)r),
                       hc_reason_text((hc_reason)r));
  }
  if (l->unnamed > 0)
    line_count(out, "  names      ", (int64_t)l->unnamed,
               " beyond the first 1,048,576 of a kind, which are numbers made from them\n");
  if (l->rounded == 0) return;
  line_count(out, "  rounded    ", (int64_t)l->rounded, l->rounded == 1 ? " amount" : " amounts");
  hc_buffer_printf(out, " that %s not whole, up, by %.3g %% at most\n", l->rounded == 1 ? "was" : "were",
                   100 * l->rounding);
}

static void machine_text(hc_buffer *out, const hc_trace_info *info, int64_t capacity)
{
  hc_calendar d;
  if (info->computer) hc_buffer_printf(out, "  computer   %s\n", info->computer);
  if (info->installation) hc_buffer_printf(out, "  at         %s\n", info->installation);
  if (capacity > 0) line_count(out, "  machine    ", capacity, " processors\n");
  else hc_buffer_text(out, "  machine    the log does not say; --procs N does\n");
  if (info->unix_start == HC_UNKNOWN) return;
  d = hc_calendar_of(info->unix_start, 0);
  hc_buffer_printf(out, "  origin     %04lld-%02d-%02d %02d:%02d:%02d UTC%s%s\n", (long long)d.year, d.month,
                   d.day, d.hour, d.minute, d.second, info->zone ? ", zone " : "",
                   info->zone ? info->zone : "");
}

/* How many of a kind there are, by the source's word for it: "3 accounts", "1 qos", "9 job names". */
static void kind_text(hc_buffer *out, const hc_lexicon *l, hc_called kind, uint64_t n)
{
  const char *word = hc_lexicon_title_of(l, kind);
  const size_t length = strlen(word);
  line_count(out, kind == HC_CALLED_USER ? "  who        " : ", ", (int64_t)n, " ");
  for (size_t i = 0; i < length; i++) hc_buffer_add(out, word[i] == '_' ? " " : &word[i], 1);
  if (n != 1 && word[length - 1] != 's') hc_buffer_text(out, "s");
}

static void who_text(hc_buffer *out, const survey *s, const hc_lexicon *l)
{
  const hc_survey_totals *n = s->totals;
  kind_text(out, l, HC_CALLED_USER, n->users);
  kind_text(out, l, HC_CALLED_GROUP, n->groups);
  kind_text(out, l, HC_CALLED_QUEUE, n->queues);
  kind_text(out, l, HC_CALLED_PARTITION, n->partitions);
  kind_text(out, l, HC_CALLED_EXECUTABLE, n->executables);
  hc_buffer_text(out, "\n");
  if (n->many) hc_buffer_text(out, "             where it says 1,048,576 there are more\n");
  if (n->all.jobs != n->all.tasks) {
    line_count(out, "  jobs       ", (int64_t)n->all.jobs, " of ");
    line_count(out, "", (int64_t)n->all.tasks, " tasks\n");
  }
  hc_buffer_text(out, n->all.tasks ? "  status    " : "  status     no task");
  for (int r = 0; r < HC_RECORDED_COUNT; r++) {
    if (!n->recorded[r]) continue;
    hc_buffer_printf(out, " %s", hc_recorded_name((hc_recorded)r));
    line_count(out, " ", (int64_t)n->recorded[r], "");
  }
  hc_buffer_text(out, "\n");
}

static void asks_text(hc_buffer *out, const survey *s)
{
  bool is_first = true;
  for (size_t i = 0; i < CLI_LEN(asked); i++) {
    const uint64_t n = s->asks[asked[i]];
    if (n == 0) continue;
    line_count(out, is_first ? "  asks       " : "             ", (int64_t)n, n == 1 ? " task" : " tasks");
    hc_buffer_printf(out, ": %s\n", hc_fact_text(asked[i]));
    is_first = false;
  }
}

static void show_text(cli *c, survey *s, hc_trace *t, const cli_table tables[TABLES])
{
  hc_buffer *out = &c->out;
  int64_t capacity = hc_trace_capacity(t);
  double load = load_of(s, capacity);
  char text[64];
  hc_buffer_printf(out, "%s\n", s->name);
  machine_text(out, hc_trace_facts(t), capacity);
  rows_text(out, hc_trace_rows(t));
  if (hc_trace_unmet(t)) hc_buffer_printf(out, "  note       %s\n", hc_trace_unmet(t));
  text[hc_format_duration((hc_time)span_of(s) * HC_SECOND, text)] = '\0';
  hc_buffer_printf(out, "  span       %s from first to last submission\n", text);
  if (load == load) {
    cli_human(load, "1", text);
    hc_buffer_printf(out, "  load       %s offered (work / processors / span)\n", text);
  }
  who_text(out, s, hc_trace_lexicon(t));
  asks_text(out, s);
  hc_buffer_text(out, "\n");
  cli_table_text(&tables[FIELDS], out, 2, true);
  if (!hc_survey_spread(s->counts, HC_MEASURE_RUN, NULL, 0, NULL).exact)
    hc_buffer_text(out, "  quantiles: within 0.05 %\n");
  if (s->by != HC_BY_NOTHING) {
    hc_buffer_text(out, "\n");
    cli_table_text(&tables[CLASSES], out, 2, true);
    hc_buffer_text(out, "\n");
    cli_table_text(&tables[TAILS], out, 2, true);
    return;
  }
  if (span_of(s) < DAY) return; /* less than a day has no hours of the day */
  hc_buffer_text(out, "\n");
  cli_table_text(&tables[HOURS], out, 2, true);
}

static void show(cli *c, survey *s, hc_trace *t)
{
  cli_table tables[TABLES];
  make_tables(c, s, tables);
  switch (c->format) {
    case CLI_TEXT: show_text(c, s, t, tables); break;
    case CLI_JSON: show_json(c, s, t, tables); break;
    case CLI_CSV: cli_table_csv(&tables[s->by == HC_BY_NOTHING ? FIELDS : CLASSES], &c->out); break;
  }
  for (int i = 0; i < TABLES; i++) cli_table_fini(&tables[i]);
}

/* ---- reading ---- */

static hc_rc begin(cli *c, const hc_trace *t, survey *s)
{
  const hc_survey_options options = {
      .by = s->by, .bands = s->bands, .band_count = s->band_count, .info = hc_trace_facts(t)};
  const hc_rc rc = hc_survey_new(c->allocator, &options, &s->counts);
  if (rc == HC_ENOTFOUND)
    return cli_fail(c, HC_EINPUT,
                    "the log's time zone \"%.80s\" is not in the tz database %s; correct its header",
                    options.info->zone, hc_zone_version());
  if (rc < 0) return cli_fail(c, HC_ENOMEM, "out of memory");
  s->totals = hc_survey_get(s->counts);
  return 0;
}

static void note_asks(survey *s, const hc_trace_task *task, const hc_lexicon *l)
{
  const uint64_t facts = task->spec.more != 0 ? hc_task_facts(&task->spec, l) : 0;
  for (size_t i = 0; facts != 0 && i < CLI_LEN(asked); i++) s->asks[asked[i]] += facts >> asked[i] & 1;
}

static hc_rc read_all(cli *c, hc_trace *t, survey *s)
{
  hc_trace_task task;
  cli_progress line;
  uint64_t n = 0;
  hc_rc rc = hc_trace_next(t, &task, &c->error);
  if (rc < 0) return rc;
  CLI_TRY(begin(c, t, s)); /* the header is complete after the first row */
  cli_listen();
  cli_progress_begin(&line, c, "reading");
  for (; rc == 1; rc = hc_trace_next(t, &task, &c->error)) {
    if (hc_survey_add(s->counts, &task) < 0) rc = cli_fail(c, HC_ENOMEM, "out of memory for what is counted");
    if (rc < 0) break;
    note_asks(s, &task, hc_trace_lexicon(t));
    if (!cli_progress_trace(&line, t, ++n)) rc = HC_ECANCELLED;
    if (rc < 0) break;
  }
  cli_progress_end(&line);
  if (rc == 0 && hc_survey_end(s->counts) < 0)
    rc = cli_fail(c, HC_ENOMEM, "out of memory for what is counted");
  return rc;
}

static hc_rc run(cli *c)
{
  hc_trace_options options = {.mode = HC_TRACE_TASKS};
  char name[4096];
  survey s = {0};
  hc_config *config;
  hc_trace *t;
  hc_rc rc;
  CLI_TRY(read_by(c, &s));
  CLI_TRY(cli_trace_open(c, &options, &config, &t));
  rc = read_all(c, t, &s);
  s.name = cli_trace_name(c, config, name, sizeof name);
  if (rc >= 0) show(c, &s, t);
  hc_survey_free(s.counts);
  rc = cli_trace_close(c, config, t, rc);
  return rc < 0 ? rc : 0;
}

const cli_command cli_trace_info = {
    .name = "info",
    .operands = "[RUN.yaml | LOG]...",
    .summary = "Say what a workload holds: every row accounted for, header, fields, users, load by hour.",
    .detail =
        "With --by, what each class of tasks has: its share of jobs, tasks, core-hours and memory, and how "
        "long its jobs are, how many tasks they have, and how far apart they come, with the tails. Tasks "
        "with the same job number are a job. Memory does not grow with the workload; quantiles of more than "
        "65,536 tasks are within 0.05 %, those of a class with more than 4,096 within 0.4 %.",
    .examples = "hindcast trace info KTH.swf.gz\nhindcast trace info KTH.swf.gz --json\n"
                "hindcast trace info google.csv --by band",
    .flags = flags,
    .min = 0,
    .max = -1,
    .complete = CLI_FILE,
    .run = run,
};
