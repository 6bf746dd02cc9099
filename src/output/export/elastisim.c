/* elastisim.c -- the schedule as ElastiSim's job_statistics.csv.
 *
 * Nine columns, jobs by submission: those that have not ended are left out, as there. Times in seconds,
 * exact: ElastiSim prints six digits. The type is the queue's number that the reader elastisim gives (1
 * moldable, 2 malleable, 3 evolving, 4 adaptive); where tasks have another source, or several, all are rigid.
 * Source: ElastiSim. */
#include <string.h>

#include "output/emit.h"

typedef struct elastisim_writer {
  hc_emit emit;
  bool has_types; /* queues are the reader's */
} elastisim_writer;

static void seconds(hc_emit *m, hc_time t)
{
  hc_buffer_text(&m->text, ",");
  hc_emit_seconds(m, t, "");
}

static hc_rc write_task(void *ctx, const hc_task_record *t)
{
  static const char *const types[] = {"rigid", "moldable", "malleable", "evolving", "adaptive"};
  elastisim_writer *w = ctx;
  hc_emit *m = &w->emit;
  const int64_t type = w->has_types && t->queue > 0 ? t->queue : 0;
  const bool is_done = t->final == HC_FINAL_COMPLETED;
  if ((!is_done && t->final != HC_FINAL_KILLED) || hc_emit_held(t) == HC_UNKNOWN) return 0;
  hc_emit_int(m, t->id);
  hc_buffer_text(&m->text, ",");
  hc_buffer_text(&m->text, types[type < (int64_t)HC_ARRAY_LEN(types) ? type : 0]);
  seconds(m, t->submit);
  seconds(m, t->start);
  seconds(m, t->end);
  seconds(m, t->start - t->submit);
  seconds(m, t->end - t->start);
  seconds(m, t->end - t->submit);
  hc_buffer_text(&m->text, is_done ? ",completed\n" : ",killed\n");
  return hc_emit_row(m);
}

static hc_rc run(const hc_allocator *a, const void *options, hc_result *r, const hc_sink *out, hc_error *e)
{
  const char *source = hc_result_config(r, "source.0");
  elastisim_writer w = {.has_types =
                            source && strcmp(source, "elastisim") == 0 && !hc_result_config(r, "source.1")};
  HC_UNUSED(options);
  TRY(hc_emit_need_tasks(r, true, e));
  hc_emit_init(&w.emit, a, out, e);
  hc_buffer_text(&w.emit.text,
                 "ID,Type,Submit Time,Start Time,End Time,Wait Time,Makespan,Turnaround Time,Status\n");
  return hc_emit_end(&w.emit, hc_emit_tasks(&w.emit, r, HC_EMIT_BY_SUBMIT, write_task, &w));
}

static const hc_param params[] = {{.name = NULL}};

const hc_exporter_type hc_exporter_elastisim = {
    .component = {HC_COMPONENT_HEAD(hc_exporter_type, HC_KIND_EXPORTER), .name = "elastisim",
                  .summary = "the schedule as ElastiSim's job_statistics.csv",
                  .detail = "ID, Type, Submit Time, Start Time, End Time, Wait Time, Makespan, Turnaround "
                            "Time, Status (completed or killed), in order of submission, with times in "
                            "seconds. Types are those of the reader elastisim, if it is the only source; "
                            "else all are rigid. Tasks that did not end are left out.",
                  .source = "ElastiSim 2024", .params = params},
    .run = run,
};
