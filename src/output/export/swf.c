/* swf.c -- the schedule as a log in the Standard Workload Format: what the simulated machine would have
 * recorded.
 *
 * Eighteen columns, by submission. Allocated and requested processors are the same number; requested time is
 * the limit; memory, CPU time, preceding job and think time are not in a result and are -1. Times are
 * seconds, with decimals where a time is not whole (the format's own rule asks for whole ones, its readers
 * mostly do not). Status: completed 1; killed at its limit 0 (failed); rejected or withdrawn 5 (cancelled
 * before it started, wait until it left if that is known, run and allocated -1); waiting or running when the
 * run ended -1.
 * Source: Feitelson, Standard Workload Format 2.2. */
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "output/emit.h"

typedef struct swf_options {
  int number;
  bool header;
} swf_options;

typedef struct swf_writer {
  hc_emit emit;
  bool by_serial;
} swf_writer;

static const hc_param params[] = {
    HC_PARAM(
        CHOICE, swf_options, number, "id|serial", "id",
        "The job numbers. id: those of the log that was read. serial: 1, 2, 3 ... in order of submission."),
    HC_PARAM(BOOL, swf_options, header, "true", "Whether there are header comments."),
    {.name = NULL},
};

static int status_of(const hc_task_record *t)
{
  switch ((hc_final)t->final) {
    case HC_FINAL_COMPLETED: return 1;
    case HC_FINAL_KILLED:
    case HC_FINAL_LOST: return 0;
    case HC_FINAL_REJECTED:
    case HC_FINAL_WITHDRAWN: return 5;
    case HC_FINAL_WAITING:
    case HC_FINAL_HELD:
    case HC_FINAL_RUNNING:
    case HC_FINAL_COUNT: break;
  }
  return -1;
}

static void time_column(hc_emit *m, hc_time t)
{
  hc_buffer_add(&m->text, " ", 1);
  hc_emit_seconds(m, t, "-1");
}

static void int_column(hc_emit *m, int64_t n)
{
  hc_buffer_add(&m->text, " ", 1);
  hc_emit_int(m, n < 0 ? -1 : n);
}

static hc_rc write_task(void *ctx, const hc_task_record *t)
{
  swf_writer *w = ctx;
  hc_emit *m = &w->emit;
  bool started = t->start != HC_UNKNOWN;
  int64_t units = hc_emit_whole_processors(m, t->units);
  hc_time left = started ? t->start : t->end;
  hc_emit_int(m, w->by_serial || t->id < 0 ? t->serial + 1 : t->id);
  time_column(m, t->submit);
  time_column(m, left == HC_UNKNOWN || t->submit == HC_UNKNOWN ? HC_UNKNOWN : left - t->submit);
  time_column(m, hc_emit_held(t));
  int_column(m, started ? units : -1);
  hc_buffer_text(&m->text, " -1 -1");
  int_column(m, units);
  time_column(m, t->limit);
  hc_buffer_text(&m->text, " -1");
  int_column(m, status_of(t));
  int_column(m, t->user);
  int_column(m, t->group);
  int_column(m, t->executable);
  int_column(m, t->queue);
  int_column(m, t->partition);
  hc_buffer_text(&m->text, " -1 -1\n");
  return 0;
}

static void write_fact(hc_emit *m, const char *name, int64_t value)
{
  if (value != HC_UNKNOWN) hc_buffer_printf(&m->text, "; %s: %lld\n", name, (long long)value);
}

/* Configured text on one line of comment: control characters would end it. */
static void write_note(hc_emit *m, const char *key, const char *text)
{
  if (!text) return;
  hc_buffer_printf(&m->text, "; Note: %s: ", key);
  for (; *text; text++) hc_buffer_add(&m->text, (unsigned char)*text < ' ' ? " " : text, 1);
  hc_buffer_text(&m->text, "\n");
}

/* "; Queue: 3 long", as far as a line can say it. */
static hc_rc write_name(void *ctx, const char *const *row)
{
  hc_emit *m = ctx;
  const size_t n = row[2] ? strlen(row[2]) : 0;
  const bool is_queue = row[1] && strcmp(row[1], "queue") == 0;
  if (!row[0] || !row[1] || (!is_queue && strcmp(row[1], "partition") != 0)) return 0;
  if (n == 0 || strpbrk(row[2], "\r\n") || strchr(" \t", row[2][0]) || strchr(" \t", row[2][n - 1])) return 0;
  hc_buffer_printf(&m->text, "; %s: %s %s\n", is_queue ? "Queue" : "Partition", row[0], row[2]);
  return hc_emit_row(m);
}

/* The rest are numbers only: which of them stand in place of names. */
static void note_names(hc_emit *m, hc_result *r)
{
  static const hc_called written[] = {HC_CALLED_USER, HC_CALLED_GROUP, HC_CALLED_EXECUTABLE};
  bool any = false;
  for (size_t i = 0; i < HC_ARRAY_LEN(written); i++) {
    if (!hc_result_has_names(r, written[i])) continue;
    hc_buffer_printf(&m->text, "%s%s",
                     any ? ", " : "; Note: numbers in place of names: ", hc_result_title(r, written[i]));
    any = true;
  }
  if (any) hc_buffer_text(&m->text, "; the result's table `names` has the names\n");
  if (hc_emit_has_besides(r))
    hc_buffer_text(&m->text, "; Note: accounts beside groups, and QOS beside queues, have no column: "
                             "the result's table `task_accounts` has them\n");
}

static hc_rc write_header(hc_emit *m, hc_result *r)
{
  static const char *const noted[] = {"name",
                                      "policy",
                                      "policy.use",
                                      "policy.order",
                                      "policy.order.use",
                                      "policy.select",
                                      "policy.select.use",
                                      "policy.place",
                                      "policy.place.use"};
  int64_t tasks = (int64_t)hc_result_task_count(r);
  hc_buffer_text(&m->text, "; Version: 2.2\n");
  write_fact(m, "MaxJobs", tasks);
  write_fact(m, "MaxRecords", tasks);
  write_fact(m, "MaxProcs", hc_emit_whole_processors(m, hc_emit_fact(r, "processors")));
  write_fact(m, "MaxNodes", hc_emit_fact(r, "nodes"));
  write_fact(m, "UnixStartTime", hc_emit_fact(r, "unix_start"));
  hc_buffer_text(&m->text,
                 "; Note: a simulated schedule, made by Hindcast; not a record of a real machine\n");
  TRY(hc_result_rows(r, "names", 3, write_name, m, m->error));
  note_names(m, r);
  for (size_t i = 0; i < HC_ARRAY_LEN(noted); i++) write_note(m, noted[i], hc_result_config(r, noted[i]));
  return 0;
}

static hc_rc run(const hc_allocator *a, const void *options, hc_result *r, const hc_sink *out, hc_error *e)
{
  const swf_options *o = options;
  swf_writer w = {.by_serial = o->number == 1};
  hc_rc rc;
  TRY(hc_emit_need_tasks(r, true, e));
  hc_emit_init(&w.emit, a, out, e);
  rc = hc_emit_units(&w.emit, r);
  if (rc >= 0 && o->header) rc = write_header(&w.emit, r);
  if (rc >= 0) rc = hc_emit_tasks(&w.emit, r, HC_EMIT_BY_SUBMIT, write_task, &w);
  return hc_emit_end(&w.emit, rc);
}

const hc_exporter_type hc_exporter_swf = {
    .component =
        {HC_COMPONENT_HEAD(hc_exporter_type, HC_KIND_EXPORTER), .name = "swf",
         .summary = "the schedule as a log in the Standard Workload Format",
         .detail =
             "18 columns; rows in order of submission. Status: 1 completed, 0 killed, failed or lost with a "
             "host, 5 rejected or withdrawn, -1 unfinished. Memory, CPU time, preceding job and think time "
             "are -1. Fractions of a processor, which hosts may have, are rounded up; a task that was "
             "resized has the mean of its sizes. Names of queues and partitions stand in the header, `; "
             "Queue: 3 long`. Users, groups and executables are written as numbers, which `hindcast show "
             "RESULT --names` lists with their names, as a note of the header says. A job has the number of "
             "its id; elements of an array have that of the array, and number=serial tells them apart.",
         .source = "Feitelson, Standard Workload Format 2.2, "
                   "https://www.cs.huji.ac.il/labs/parallel/workload/swf.html",
         .params = params, .options_size = sizeof(swf_options)},
    .run = run,
};
