/* accasim.c -- the schedule in the layout of AccaSim's dispatching plan, so that its readers can be used.
 *
 *   id;user;queued__node;cores#node;cores#...__started;ended;nodes;cores;memory;expected duration;
 *
 * One line a task that ended, in the order in which they ended; times are UTC dates, whole seconds, rounded
 * down (AccaSim's own dates are local ones: run its tools under TZ=UTC). AccaSim asks for processors one by
 * one, so the assignation repeats `1;1#` for each; a result of a counted machine does not know nodes: they
 * are all on node 1. Memory is NA. Expected duration is what the policy believed, else the limit, else the
 * run time.
 * Source: AccaSim 1.0, SCHEDULE_OUTPUT. */
#include "base/text.h"
#include "base/util.h"
#include "output/emit.h"

#define UNITS_MOST ((int64_t)1 << 24) /* of a task: 64 MiB of its line */

typedef struct accasim_options {
  int64_t node;
} accasim_options;

typedef struct accasim_writer {
  hc_emit emit;
  hc_result *result;
  int64_t unix_start, node;
} accasim_writer;

static const hc_param params[] = {
    HC_PARAM(INT, accasim_options, node, NULL, "1", 0, 1e9,
             "The node that all processors are said to be on."),
    {.name = NULL},
};

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

/* A field that nothing quotes: what would end it, or its line, and what is not ASCII, is "_". */
static void plain(accasim_writer *w, const char *text)
{
  for (; *text; text++)
    hc_buffer_add(&w->emit.text, *text <= ' ' || *text == ';' || *text == '#' || *text > '~' ? "_" : text, 1);
  hc_buffer_text(&w->emit.text, ";");
}

static hc_rc write_task(void *ctx, const hc_task_record *t)
{
  accasim_writer *w = ctx;
  hc_buffer *text = &w->emit.text;
  const int64_t units = hc_emit_whole_processors(&w->emit, t->units);
  if (t->start == HC_UNKNOWN || t->end == HC_UNKNOWN || t->submit == HC_UNKNOWN) return 0;
  if (units > UNITS_MOST)
    return hc_fail(
        w->emit.error, HC_EUSAGE, "export", 0, 0,
        "the task %lld has %lld processors, and this layout lists each of them: %lld are the most that are "
        "written; use csv or swf",
        (long long)t->id, (long long)units, (long long)UNITS_MOST);
  char number[24];
  plain(w, t->id == -1 ? "-1" : hc_emit_task_called(w->result, t, number));
  plain(w, t->user < 0 ? "-1" : hc_emit_called(w->result, HC_CALLED_USER, t->user, number));
  date(w, t->submit);
  hc_buffer_text(text, "__");
  for (int64_t i = 0; i < units; i++) {
    hc_emit_int(&w->emit, w->node);
    hc_buffer_add(text, ";1#", 3);
    TRY(hc_emit_row(&w->emit));
  }
  hc_buffer_text(text, "__");
  date(w, t->start);
  hc_buffer_text(text, ";");
  date(w, t->end);
  hc_buffer_printf(text, ";%lld;%lld;NA;%lld;\n", (long long)units, (long long)units,
                   (long long)whole_seconds(expected(t)));
  return 0;
}

static hc_rc run(const hc_allocator *a, const void *options, hc_result *r, const hc_sink *out, hc_error *e)
{
  accasim_writer w = {.result = r,
                      .node = ((const accasim_options *)options)->node,
                      .unix_start = hc_emit_fact(r, "unix_start")};
  if (w.unix_start == HC_UNKNOWN) w.unix_start = 0;
  TRY(hc_emit_need_tasks(r, true, e));
  hc_emit_init(&w.emit, a, out, e);
  return hc_emit_end(&w.emit, hc_emit_tasks(&w.emit, r, HC_EMIT_STORED, write_task, &w));
}

const hc_exporter_type hc_exporter_accasim = {
    .component =
        {HC_COMPONENT_HEAD(hc_exporter_type, HC_KIND_EXPORTER), .name = "accasim",
         .summary = "the schedule in the layout of AccaSim's dispatching plan",
         .detail =
             "id;user;queued__assignations__started;ended;nodes;cores;memory;expected duration; -- tasks "
             "that ended, in that order; dates in UTC; every processor is said to be on one node. Tasks and "
             "users have their names where these are known, with _ for what is no ASCII, blank, ; or #. "
             "Parts of a processor, which hosts have, are rounded up.",
         .source = "AccaSim 1.0", .params = params, .options_size = sizeof(accasim_options)},
    .run = run,
};
