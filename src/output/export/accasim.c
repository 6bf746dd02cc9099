/* accasim.c -- a result in the layouts of AccaSim's own files, so that its readers can be used.
 *
 *   plan        id;user;queued__node;cores;memory#node;...__started;ended;nodes;cores;memory;expected;
 *   pretty      the same in columns, with waits and slowdowns
 *   statistics  totals and means of the whole run
 *   benchmark   time;queue;ms of the step;ms of the decision;ms of the rest;MiB   at each submission and end
 *
 * One line a task that ended, in the order in which they ended; times are UTC dates, whole seconds, rounded
 * down (AccaSim's own dates are local ones: run its tools under TZ=UTC). AccaSim asks for processors one by
 * one, so the assignation says node and amounts again for each. On hosts the node is the host's: the number
 * of one that is called node_3, else its place from 1. A result of a counted machine does not know nodes:
 * its processors are all on one, and nothing is said of memory. The sum of memory is NA, as AccaSim has it.
 *
 * A slowdown is rounded to two decimals before it is averaged; of a task of no length it is its wait in
 * seconds, or 1. What a run took on a clock is no part of a result: those columns are nan, and NA.
 * Source: AccaSim 1.0, SCHEDULE_OUTPUT, PPRINT_SCHEDULE_OUTPUT, statics_write_out,
 * usage_metrics_preprocessor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/text.h"
#include "base/util.h"
#include "hindcast/lexicon.h"
#include "output/emit.h"

#define UNITS_MOST ((int64_t)1 << 24) /* of a task: 64 MiB of its line */

enum { PLAN, PRETTY, STATISTICS, BENCHMARK };

typedef struct accasim_options {
  int file;
  int64_t node, memory_unit;
  hc_list processor; /* int: what makes up a processor, cores first */
} accasim_options;

/* What a task held on one host: processors, and the memory of each, in units. */
typedef struct held {
  int64_t serial, order, node, processors, memory;
} held;

typedef struct accasim_writer {
  hc_emit emit;
  const accasim_options *o;
  hc_result *result;
  const hc_allocator *allocator;
  int64_t unix_start;
  int64_t *nodes; /* [node_count] of hosts; none on a cell of processors */
  size_t node_count, node_cap;
  size_t amounts; /* of a row of grants */
  bool has_memory;
  held *held; /* [held_count] by serial, as it was read */
  size_t held_count, held_cap;
  int64_t ended; /* tasks so far */
  double wait, slowdown;
  int64_t first_start, last_end;
  int64_t *submits, *starts, *times; /* [ended], [ended], [2 * ended]: for the benchmark file */
  size_t submit_cap, start_cap, time_cap;
} accasim_writer;

static const hc_param params[] = {
    HC_PARAM(CHOICE, accasim_options, file, "plan|pretty|statistics|benchmark", "plan",
             "Which of AccaSim's files. plan: its dispatching plan (sched-). pretty: the same in columns "
             "(pprint-). statistics: totals and means (stats-). benchmark: the length of the queue at each "
             "submission and end (bench-); its computing times are nan."),
    HC_PARAM(INT, accasim_options, node, NULL, "1", 0, 1e9,
             "Number of the node on which all processors of a machine without hosts stand."),
    HC_PARAM(INTS, accasim_options, processor, NULL, "[1]", 0, 1e9,
             "Resources of a processor, cores first, as `equivalence` of AccaSim's system configuration: [2, "
             "1] for {core: 2, gpu: 1}."),
    HC_PARAM(SIZE, accasim_options, memory_unit, "B", "1KiB", 1, 1e15, "Bytes of one unit of `mem`."),
    {.name = NULL},
};

/* ---- times ---- */

static int64_t whole_seconds(hc_time t)
{
  return t / HC_SECOND - (t % HC_SECOND < 0);
}

static void date(accasim_writer *w, hc_time t)
{
  hc_calendar c = hc_calendar_of(w->unix_start + whole_seconds(t), 0);
  hc_buffer_printf(&w->emit.text, "%04lld-%02d-%02d %02d:%02d:%02d", (long long)c.year, c.month, c.day,
                   c.hour, c.minute, c.second);
}

static hc_time expected(const hc_task_record *t)
{
  if (t->estimate != HC_UNKNOWN && t->estimate != HC_NEVER) return t->estimate;
  if (t->limit != HC_UNKNOWN && t->limit != HC_NEVER) return t->limit;
  return t->run == HC_UNKNOWN || t->run == HC_NEVER ? hc_emit_held(t) : t->run;
}

/* ---- hosts ---- */

static hc_rc keep_host(void *ctx, const char *const *values)
{
  static const char prefix[] = "node_";
  accasim_writer *w = ctx;
  const char *name = values[1] ? values[1] : "";
  int64_t number = (int64_t)w->node_count + 1;
  if (strncmp(name, prefix, sizeof prefix - 1) == 0) {
    const char *digits = name + sizeof prefix - 1;
    int64_t own;
    if (hc_parse_int(digits, strlen(digits), &own) >= 0) number = own;
  }
  TRY(hc_reserve(w->allocator, (void **)&w->nodes, &w->node_cap, w->node_count + 1, sizeof *w->nodes));
  w->nodes[w->node_count++] = number;
  w->has_memory |= values[4 + HC_DIM_MEMORY] && strcmp(values[4 + HC_DIM_MEMORY], "0") != 0;
  return 0;
}

/* As many processors as it has cores there, rounded up; without cores one for each slot. */
static hc_rc keep_grant(void *ctx, const char *const *values)
{
  accasim_writer *w = ctx;
  int64_t serial, host, slots, cores = 0, memory = 0;
  TRY(hc_emit_number(&w->emit, "grants", values[0], 0, INT64_MAX, &serial));
  TRY(hc_emit_number(&w->emit, "grants", values[1], 0, (int64_t)w->node_count - 1, &host));
  TRY(hc_emit_number(&w->emit, "grants", values[2], 1, UINT32_MAX, &slots));
  if (values[4 + HC_DIM_CPU])
    TRY(hc_emit_number(&w->emit, "grants", values[4 + HC_DIM_CPU], 0, INT64_MAX, &cores));
  if (values[4 + HC_DIM_MEMORY])
    TRY(hc_emit_number(&w->emit, "grants", values[4 + HC_DIM_MEMORY], 0, INT64_MAX, &memory));
  if (cores > 0) slots = cores / 1000 + (cores % 1000 != 0);
  TRY(hc_reserve(w->allocator, (void **)&w->held, &w->held_cap, w->held_count + 1, sizeof *w->held));
  w->held[w->held_count] = (held){.serial = serial,
                                  .order = (int64_t)w->held_count,
                                  .node = w->nodes[host],
                                  .processors = slots,
                                  .memory = memory / slots / w->o->memory_unit};
  w->held_count++;
  return 0;
}

HC_SORT(sort_held, held, a->serial != b->serial ? a->serial < b->serial : a->order < b->order)

static hc_rc read_hosts(accasim_writer *w, hc_result *r, hc_error *e)
{
  w->amounts = HC_MIN(hc_result_amounts(r), HC_DIMENSIONS);
  TRY(hc_result_rows(r, "hosts", 4 + w->amounts, keep_host, w, e));
  if (w->node_count == 0) return 0;
  TRY(hc_result_rows(r, "grants", 4 + w->amounts, keep_grant, w, e));
  sort_held(w->held, w->held_count);
  return 0;
}

static const held *first_of(const accasim_writer *w, int64_t serial)
{
  size_t low = 0, high = w->held_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (w->held[middle].serial < serial) low = middle + 1;
    else high = middle;
  }
  return w->held + low;
}

/* Each processor that it had, with what else came with it. @return how many; or an error */
static hc_rc each_processor(accasim_writer *w, const hc_task_record *t, int64_t units,
                            hc_rc (*put)(accasim_writer *w, const held *x, bool first))
{
  bool first = true;
  if (w->node_count > 0) {
    for (const held *x = first_of(w, t->serial); x < w->held + w->held_count && x->serial == t->serial; x++)
      for (int64_t i = 0; i < x->processors; i++, first = false) TRY(put(w, x, first));
    return 0;
  }
  const held all = {.node = w->o->node};
  for (int64_t i = 0; i < units; i++, first = false) TRY(put(w, &all, first));
  return 0;
}

static int64_t cores_of(const accasim_writer *w)
{
  return w->o->processor.count > 0 ? *(const int64_t *)w->o->processor.items : 1;
}

static int64_t processors_of(const accasim_writer *w, const hc_task_record *t, int64_t units)
{
  int64_t n = 0;
  if (w->node_count == 0) return units;
  for (const held *x = first_of(w, t->serial); x < w->held + w->held_count && x->serial == t->serial; x++)
    n += x->processors;
  return n;
}

/* ---- a task ---- */

/* A field that nothing quotes: what would end it, or its line, and what is not ASCII, is "_". */
static void plain(accasim_writer *w, const char *text)
{
  for (; *text; text++)
    hc_buffer_add(&w->emit.text, *text <= ' ' || *text == ';' || *text == '#' || *text > '~' ? "_" : text, 1);
}

static const char *called(accasim_writer *w, const hc_task_record *t, char number[24])
{
  return t->id == -1 ? "-1" : hc_emit_task_called(w->result, t, number);
}

static hc_rc put_assignation(accasim_writer *w, const held *x, bool first)
{
  const hc_list *parts = &w->o->processor;
  HC_UNUSED(first);
  hc_buffer_printf(&w->emit.text, "%lld", (long long)x->node);
  if (parts->count == 0) hc_buffer_text(&w->emit.text, ";1");
  for (size_t i = 0; i < parts->count; i++)
    hc_buffer_printf(&w->emit.text, ";%lld", (long long)((const int64_t *)parts->items)[i]);
  if (w->has_memory) hc_buffer_printf(&w->emit.text, ";%lld", (long long)x->memory);
  hc_buffer_text(&w->emit.text, "#");
  return hc_emit_row(&w->emit);
}

static hc_rc write_plan(accasim_writer *w, const hc_task_record *t, int64_t units)
{
  hc_buffer *text = &w->emit.text;
  const int64_t processors = processors_of(w, t, units);
  char number[24];
  plain(w, called(w, t, number));
  hc_buffer_text(text, ";");
  plain(w, t->user < 0 ? "-1" : hc_emit_called(w->result, HC_CALLED_USER, t->user, number));
  hc_buffer_text(text, ";");
  date(w, t->submit);
  hc_buffer_text(text, "__");
  TRY(each_processor(w, t, units, put_assignation));
  hc_buffer_text(text, "__");
  date(w, t->start);
  hc_buffer_text(text, ";");
  date(w, t->end);
  hc_buffer_printf(text, ";%lld;%lld;NA;%lld;\n", (long long)processors,
                   (long long)(processors * cores_of(w)), (long long)whole_seconds(expected(t)));
  return 0;
}

/* In two decimals, as it is counted. */
static double slowdown_of(int64_t wait, int64_t run)
{
  char text[64];
  if (run == 0) return wait != 0 ? (double)wait : 1;
  (void)snprintf(text, sizeof text, "%.2f", (double)(wait + run) / (double)run);
  return strtod(text, NULL);
}

static hc_rc put_node(accasim_writer *w, const held *x, bool first)
{
  hc_buffer_printf(&w->emit.text, first ? "%lld" : ",%lld", (long long)x->node);
  return hc_emit_row(&w->emit);
}

static hc_rc write_pretty(accasim_writer *w, const hc_task_record *t, int64_t units, int64_t wait,
                          int64_t run)
{
  hc_buffer *text = &w->emit.text;
  const int64_t processors = processors_of(w, t, units);
  char sld[64], number[24];
  size_t n;
  if (w->ended == 1)
    hc_buffer_printf(text, "%5s %15s %s %s %8s %8s %8s %5s %4s %10s %-20s\n", "n", "job_id",
                     "    start_time     ", "     end_time      ", "wtime", "rtime", "slowdown", "nodes",
                     "core", "mem", "assigned_nodes");
  (void)snprintf(sld, sizeof sld, "%.2f", slowdown_of(wait, run));
  for (n = strlen(sld); sld[n - 1] == '0' && sld[n - 2] != '.'; n--) sld[n - 1] = '\0';
  hc_buffer_printf(text, "%5lld ", (long long)w->ended);
  const char *name = called(w, t, number);
  for (n = strlen(name); n < 15; n++) hc_buffer_text(text, " ");
  plain(w, name);
  hc_buffer_text(text, " ");
  date(w, t->start);
  hc_buffer_text(text, " ");
  date(w, t->end);
  hc_buffer_printf(text, " %8lld %8lld %8s %5lld %4lld %10s ", (long long)wait, (long long)run, sld,
                   (long long)processors, (long long)(processors * cores_of(w)), "NA");
  TRY(each_processor(w, t, units, put_node));
  hc_buffer_text(text, "\n");
  return 0;
}

/* ---- all of them ---- */

static hc_rc note_times(accasim_writer *w, const hc_task_record *t)
{
  const size_t n = (size_t)w->ended;
  TRY(hc_reserve(w->allocator, (void **)&w->submits, &w->submit_cap, n, sizeof *w->submits));
  TRY(hc_reserve(w->allocator, (void **)&w->starts, &w->start_cap, n, sizeof *w->starts));
  TRY(hc_reserve(w->allocator, (void **)&w->times, &w->time_cap, 2 * n, sizeof *w->times));
  w->submits[n - 1] = w->times[2 * n - 2] = whole_seconds(t->submit);
  w->starts[n - 1] = whole_seconds(t->start);
  w->times[2 * n - 1] = whole_seconds(t->end);
  return 0;
}

static hc_rc take_task(void *ctx, const hc_task_record *t)
{
  accasim_writer *w = ctx;
  const int64_t units = hc_emit_whole_processors(&w->emit, t->units);
  if (t->start == HC_UNKNOWN || t->end == HC_UNKNOWN || t->submit == HC_UNKNOWN) return 0;
  if (units > UNITS_MOST && w->o->file <= PRETTY)
    return hc_fail(
        w->emit.error, HC_EUSAGE, "export", 0, 0,
        "the task %lld has %lld processors, and this layout lists each of them: %lld are the most that are "
        "written; use csv or swf",
        (long long)t->id, (long long)units, (long long)UNITS_MOST);
  const int64_t start = whole_seconds(t->start), wait = start - whole_seconds(t->submit);
  const int64_t end = whole_seconds(t->end);
  w->ended++;
  w->wait += (double)wait;
  w->slowdown += slowdown_of(wait, end - start);
  w->first_start = w->ended == 1 ? start : HC_MIN(w->first_start, start);
  w->last_end = w->ended == 1 ? end : HC_MAX(w->last_end, end);
  if (w->o->file == PLAN) TRY(write_plan(w, t, units));
  if (w->o->file == PRETTY) TRY(write_pretty(w, t, units, wait, end - start));
  if (w->o->file == BENCHMARK) TRY(note_times(w, t));
  return hc_emit_row(&w->emit);
}

static void write_mean(accasim_writer *w, const char *what, double sum)
{
  if (w->ended == 0) hc_buffer_printf(&w->emit.text, "%s: NA\n", what);
  else hc_buffer_printf(&w->emit.text, "%s: %.2f\n", what, sum / (double)w->ended);
}

static hc_rc write_statistics(accasim_writer *w, hc_result *r)
{
  static const char *const parts[] = {"policy.order", "policy.select", "policy.place"};
  hc_buffer *text = &w->emit.text;
  const char *policy = hc_result_config(r, "policy");
  hc_buffer_printf(text, "Simulation time: NA secs\nDispathing method: %s", policy ? policy : "NA");
  for (size_t i = 0; i < HC_ARRAY_LEN(parts); i++) {
    const char *part = hc_result_config(r, parts[i]);
    if (part) hc_buffer_printf(text, "-%s", part);
  }
  hc_buffer_printf(text, "\nTotal jobs: %lld\n", (long long)w->ended);
  if (w->ended == 0) hc_buffer_text(text, "Makespan: NA\n");
  else hc_buffer_printf(text, "Makespan: %lld\n", (long long)(w->last_end - w->first_start));
  write_mean(w, "Avg. waiting times", w->wait);
  write_mean(w, "Avg. slowdown", w->slowdown);
  return 0;
}

HC_SORT(sort_times, int64_t, *a < *b)

/* At each time: who has come by then and has not started before. */
static hc_rc write_benchmark(accasim_writer *w)
{
  const size_t n = (size_t)w->ended;
  size_t come = 0, gone = 0;
  sort_times(w->submits, n);
  sort_times(w->starts, n);
  sort_times(w->times, 2 * n);
  for (size_t i = 0; i < 2 * n; i++) {
    const int64_t at = w->times[i];
    if (i > 0 && at == w->times[i - 1]) continue;
    while (come < n && w->submits[come] <= at) come++;
    while (gone < n && w->starts[gone] < at) gone++;
    hc_buffer_printf(&w->emit.text, "%lld;%zu;nan;nan;nan;nan\n", (long long)(w->unix_start + at),
                     come - gone);
    TRY(hc_emit_row(&w->emit));
  }
  return 0;
}

static hc_rc write(accasim_writer *w, hc_result *r, hc_error *e)
{
  if (w->o->file <= PRETTY) TRY(read_hosts(w, r, e));
  TRY(hc_emit_tasks(&w->emit, r, HC_EMIT_STORED, take_task, w));
  if (w->o->file == STATISTICS) TRY(write_statistics(w, r));
  return w->o->file == BENCHMARK ? write_benchmark(w) : 0;
}

static hc_rc run(const hc_allocator *a, const void *options, hc_result *r, const hc_sink *out, hc_error *e)
{
  accasim_writer w = {.o = options, .result = r, .allocator = a, .unix_start = hc_emit_fact(r, "unix_start")};
  if (w.unix_start == HC_UNKNOWN) w.unix_start = 0;
  TRY(hc_emit_need_tasks(r, true, e));
  hc_emit_init(&w.emit, a, out, e);
  const hc_rc rc = hc_emit_end(&w.emit, write(&w, r, e));
  hc_free(a, w.nodes, w.node_cap * sizeof *w.nodes);
  hc_free(a, w.held, w.held_cap * sizeof *w.held);
  hc_free(a, w.submits, w.submit_cap * sizeof *w.submits);
  hc_free(a, w.starts, w.start_cap * sizeof *w.starts);
  hc_free(a, w.times, w.time_cap * sizeof *w.times);
  return rc;
}

const hc_exporter_type hc_exporter_accasim = {
    .component = {HC_COMPONENT_HEAD(hc_exporter_type, HC_KIND_EXPORTER), .name = "accasim",
                  .summary = "the schedule in the layouts of AccaSim's own files",
                  .detail =
                      "plan: id;user;queued__assignations__started;ended;nodes;cores;memory;expected "
                      "duration; for each task that ended, in the order of ends; dates are in UTC. On hosts "
                      "each processor stands with its node and its memory; without hosts all processors "
                      "stand on one node. Tasks and users have their names where these are known, with _ for "
                      "a blank, ; , # and any byte that is not ASCII. Fractions of a processor, which hosts "
                      "may have, are rounded up. pretty, statistics and benchmark are AccaSim's other files; "
                      "computing times, which a result does not have, are nan or NA there.",
                  .source = "AccaSim 1.0 (github.com/cgalleguillosm/accasim)", .params = params,
                  .options_size = sizeof(accasim_options)},
    .run = run,
};
