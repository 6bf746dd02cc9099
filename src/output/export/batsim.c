/* batsim.c -- the schedule as a Batsim 4 `_jobs.csv`, which evalys and the scripts around Batsim read.
 *
 * Seventeen columns, tasks in the order in which they ended. Rejected tasks have empty times, as Batsim
 * writes them; those that were withdrawn, or were unfinished when the run ended, have no state there and
 * are left out. Batsim does not resize tasks: here a row for each size, or one, as `resized` says. Machines
 * are written as "0-3 7": processors where these have names, hosts on a cell of hosts; where processors are
 * only counted the field is empty. Stretch is turnaround over execution time; Batsim divides by it also if
 * it is 0, here the field is empty then. A task that a plan has ended is COMPLETED_KILLED, one whose
 * profile failed COMPLETED_FAILED, one at its limit COMPLETED_WALLTIME_REACHED; one that is stopped and
 * waits again has no row of that. Metadata is what a scheduler of Batsim has said of a job (`hindcast
 * batsim`: run_info, "metadata/SERIAL"). Energy is what the metric energy says that a task answers for
 * (`by: tasks`), else -1, as Batsim writes it without energy; of a row for one of several sizes it is -1.
 * Source: Batsim 4.2.1. */

#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "output/machines.h"
#include "output/pieces.h"

typedef struct batsim_options {
  const char *workload, *profile;
  int resized;
} batsim_options;

enum { RESIZED_PIECES, RESIZED_WHOLE };
enum { BY_A_KILL = 1 }; /* HC_STOP_KILL, in the table stops */

/* What a task answers for. */
typedef struct consumed {
  int64_t serial;
  double joules;
} consumed;

HC_SORT(sort_consumed, consumed, a->serial < b->serial)

/* What else is known of a task: that a plan has ended it, or what its scheduler has noted of it. */
typedef struct said {
  int64_t serial;
  const char *metadata; /* NULL: none */
  bool is_killed;
} said;

HC_SORT(sort_said, said, a->serial < b->serial)

typedef struct batsim_writer {
  hc_emit emit;
  const hc_allocator *allocator;
  consumed *consumed; /* [consumed_count] by serial */
  size_t consumed_count, consumed_cap;
  hc_arena texts;
  said *said; /* [said_count] by serial; up to two of one task */
  size_t said_count, said_cap;
  hc_result *result;
  hc_machines machines;
  hc_pieces pieces;
  const batsim_options *options;
} batsim_writer;

static const hc_param params[] = {
    HC_PARAM(TEXT, batsim_options, workload, "w0", "Name of the workload, the same on every row."),
    HC_PARAM(TEXT, batsim_options, profile, "",
             "Name of the profile, the same on every row. Default: each task's own, if its source kept it "
             "(`executables: profiles` of the reader batsim), else delay."),
    HC_PARAM(CHOICE, batsim_options, resized, "pieces|whole", "pieces",
             "Rows of a task that was resized while it ran. pieces: a row for each size, with its times, its "
             "machines and \"piece 1 of 3\" as metadata, so that charts of machines are right. whole: one "
             "row, with the mean of its sizes and the machines that it had at its end."),
    {.name = NULL},
};

/* ---- which machines ---- */

/* "0-3 7", as evalys reads it: ranges of machines, ends included, in ascending order. */
static void range_of(hc_emit *m, int64_t first, int64_t count, const char **before)
{
  hc_buffer_text(&m->text, *before);
  *before = " ";
  hc_emit_int(m, first);
  if (count == 1) return;
  hc_buffer_text(&m->text, "-");
  hc_emit_int(m, first + count - 1);
}

/* @param piece NULL: those that it had at its end */
static void machines_field(batsim_writer *w, int64_t serial, const hc_piece *piece)
{
  hc_emit *m = &w->emit;
  const char *before = ",";
  size_t n;
  const hc_machine_range *ranges = hc_machines_of(&w->machines, serial, &n);
  for (size_t i = 0; !piece && i < n; i++) range_of(m, ranges[i].first, ranges[i].count, &before);
  for (size_t i = 0; piece && w->machines.count > 0 && i < piece->count; i++)
    range_of(m, piece->rows[i].host, w->machines.are_hosts ? 1 : piece->rows[i].slots, &before);
  if (before[0] == ',') hc_buffer_text(&m->text, before);
}

/* ---- energy ---- */

/* Columns of the table cells: scope, tab, key, name, unit, value. */
static hc_rc take_energy(void *ctx, const char *const *values)
{
  batsim_writer *w = ctx;
  int64_t serial;
  double joules;
  if (strcmp(values[1], "energy_by_task") != 0 || !values[2] || !values[5]) return 0;
  if (hc_parse_int(values[2], strlen(values[2]), &serial) < 0 ||
      hc_parse_real(values[5], strlen(values[5]), &joules) < 0)
    return HC_EINPUT;
  TRY(hc_reserve(w->allocator, (void **)&w->consumed, &w->consumed_cap, w->consumed_count + 1,
                 sizeof *w->consumed));
  w->consumed[w->consumed_count++] = (consumed){serial, joules};
  return 0;
}

static hc_rc read_energy(batsim_writer *w, hc_error *e)
{
  TRY(hc_result_rows(w->result, "cells", 6, take_energy, w, e));
  sort_consumed(w->consumed, w->consumed_count);
  return 0;
}

static void energy_field(batsim_writer *w, int64_t serial)
{
  size_t from = 0, to = w->consumed_count;
  while (from < to) {
    const size_t at = from + (to - from) / 2;
    if (w->consumed[at].serial < serial) from = at + 1;
    else to = at;
  }
  const bool is_known = from < w->consumed_count && w->consumed[from].serial == serial;
  hc_buffer_text(&w->emit.text, ",");
  if (is_known) hc_emit_real_fixed(&w->emit, w->consumed[from].joules);
  else hc_buffer_text(&w->emit.text, "-1.000000");
}

/* ---- what else is known ---- */

static hc_rc note(batsim_writer *w, const said *one)
{
  TRY(hc_reserve(w->allocator, (void **)&w->said, &w->said_cap, w->said_count + 1, sizeof *w->said));
  w->said[w->said_count++] = *one;
  return 0;
}

/* Columns of the table stops: serial, times, start, end, how, saved, overhead. */
static hc_rc take_stop(void *ctx, const char *const *values)
{
  int64_t serial, how;
  if (!values[0] || !values[4] || hc_parse_int(values[0], strlen(values[0]), &serial) < 0 ||
      hc_parse_int(values[4], strlen(values[4]), &how) < 0)
    return HC_EINPUT;
  return how == BY_A_KILL ? note(ctx, &(said){.serial = serial, .is_killed = true}) : 0;
}

static hc_rc take_info(void *ctx, const char *const *values)
{
  static const char before[] = "metadata/";
  batsim_writer *w = ctx;
  const size_t n = sizeof before - 1;
  int64_t serial;
  if (!values[0] || !values[1] || strncmp(values[0], before, n) != 0) return 0;
  if (hc_parse_int(values[0] + n, strlen(values[0] + n), &serial) < 0) return HC_EINPUT;
  const char *text = hc_arena_text(&w->texts, values[1], strlen(values[1]));
  return text ? note(w, &(said){.serial = serial, .metadata = text}) : HC_ENOMEM;
}

static hc_rc read_said(batsim_writer *w, hc_error *e)
{
  TRY(hc_result_rows(w->result, "stops", 7, take_stop, w, e));
  TRY(hc_result_rows(w->result, "run_info", 2, take_info, w, e));
  sort_said(w->said, w->said_count);
  return 0;
}

static said said_of(const batsim_writer *w, int64_t serial)
{
  size_t from = 0, to = w->said_count;
  said out = {.serial = serial};
  while (from < to) {
    const size_t at = from + (to - from) / 2;
    if (w->said[at].serial < serial) from = at + 1;
    else to = at;
  }
  for (; from < w->said_count && w->said[from].serial == serial; from++) {
    out.is_killed |= w->said[from].is_killed;
    if (w->said[from].metadata) out.metadata = w->said[from].metadata;
  }
  return out;
}

/* As Batsim writes it: between quotes, of which it has none itself. */
static void metadata_field(batsim_writer *w, const said *x)
{
  hc_buffer_text(&w->emit.text, ",\"");
  for (const char *s = x->metadata; s && *s; s++)
    if (*s != '"') hc_buffer_add(&w->emit.text, s, 1);
  hc_buffer_text(&w->emit.text, "\"");
}

/* ---- rows ---- */

static void text_field(hc_emit *m, const char *s)
{
  size_t n = 0;
  while (s && s[n]) n++;
  hc_buffer_add(&m->text, ",", 1);
  if (s) hc_csv_field(&m->text, s, n);
}

static void fixed_field(hc_emit *m, hc_time t)
{
  hc_buffer_add(&m->text, ",", 1);
  if (t == HC_UNKNOWN || t == HC_NEVER) hc_buffer_text(&m->text, "-1.000000");
  else hc_emit_fixed(m, t);
}

static void stretch_field(hc_emit *m, hc_time turnaround, hc_time held)
{
  double stretch = held > 0 ? (double)turnaround / (double)held : 0;
  hc_buffer_add(&m->text, ",", 1);
  if (held > 0)
    hc_emit_fixed(m, (hc_time)(HC_MIN(stretch, 9e9) * 1e9 + 0.5)); /* printf would ask the locale */
}

/* Of a task that started: its times, or those of a piece. */
static void write_times(batsim_writer *w, const hc_task_record *t, hc_time start, hc_time end,
                        const hc_piece *piece)
{
  hc_emit *m = &w->emit;
  hc_buffer_text(&m->text, t->final == HC_FINAL_COMPLETED     ? ",1,COMPLETED_SUCCESSFULLY"
                           : said_of(w, t->serial).is_killed ? ",0,COMPLETED_KILLED"
                           : t->flags & HC_TASK_FAILED       ? ",0,COMPLETED_FAILED"
                                                             : ",0,COMPLETED_WALLTIME_REACHED");
  fixed_field(m, start);
  fixed_field(m, end - start);
  fixed_field(m, end);
  fixed_field(m, start - t->submit);
  fixed_field(m, end - t->submit);
  stretch_field(m, end - t->submit, end - start);
  machines_field(w, t->serial, piece);
}

static const char *profile_of(const batsim_writer *w, const hc_task_record *t)
{
  if (w->options->profile) return w->options->profile;
  const char *are = hc_result_config(w->result, "source.0.executables"), *name = NULL;
  const bool are_kept = are && strcmp(are, "profiles") == 0 && t->executable >= 0;
  if (are_kept) name = hc_result_name(w->result, HC_CALLED_EXECUTABLE, t->executable);
  return name ? name : "delay";
}

/* What a scheduler has registered is called "WORKLOAD!NAME" where its workload is not the one that was read.
 * @return NULL: it is not so called */
static const char *mark_in(const batsim_writer *w, const char *name)
{
  const char *is = hc_result_config(w->result, "source.0.dynamic");
  return is && strcmp(is, "true") == 0 ? strchr(name, '!') : NULL;
}

static void write_head(batsim_writer *w, const hc_task_record *t, int64_t units)
{
  hc_emit *m = &w->emit;
  char number[24];
  const char *id = t->id == -1 ? "-1" : hc_emit_task_called(w->result, t, number);
  const char *profile = profile_of(w, t), *mark = mark_in(w, id), *of = mark_in(w, profile);
  const char *own = mark ? mark + 1 : id;
  hc_csv_field(&m->text, own, strlen(own));
  if (mark) hc_buffer_text(&m->text, ",");
  if (mark) hc_csv_field(&m->text, id, (size_t)(mark - id));
  else text_field(m, w->options->workload);
  text_field(m, of ? of + 1 : profile);
  fixed_field(m, t->submit);
  hc_buffer_printf(&m->text, ",%lld", (long long)hc_emit_whole_processors(m, units));
  fixed_field(m, t->limit);
}

static hc_rc write_pieces(batsim_writer *w, const hc_task_record *t, const hc_piece *of, int n)
{
  for (int i = 0; i < n; i++) {
    write_head(w, t, of[i].units >= 0 ? of[i].units : t->units);
    write_times(w, t, of[i].from, i + 1 < n ? of[i + 1].from : t->end, of[i].count > 0 ? &of[i] : NULL);
    hc_buffer_printf(&w->emit.text, ",-1.000000,piece %d of %d\n", i + 1, n);
    TRY(hc_emit_row(&w->emit));
  }
  return 0;
}

static hc_rc write_task(void *ctx, const hc_task_record *t)
{
  batsim_writer *w = ctx;
  hc_emit *m = &w->emit;
  const bool rejected = t->final == HC_FINAL_REJECTED;
  const hc_piece *of = NULL;
  hc_rc n = 0;
  if (!rejected && t->final != HC_FINAL_COMPLETED && t->final != HC_FINAL_KILLED) return 0;
  if (!rejected && (t->start == HC_UNKNOWN || t->end == HC_UNKNOWN)) return 0;
  if (!rejected && w->options->resized == RESIZED_PIECES) TRY(n = hc_pieces_of(&w->pieces, t, &of));
  if (n > 0) return write_pieces(w, t, of, n);
  write_head(w, t, t->units);
  const said x = said_of(w, t->serial);
  if (rejected) {
    hc_buffer_text(&m->text, ",0,REJECTED,,,,,,,,-1.000000");
  } else {
    write_times(w, t, t->start, t->end, NULL);
    energy_field(w, t->serial);
  }
  metadata_field(w, &x);
  hc_buffer_text(&m->text, "\n");
  return hc_emit_row(m);
}

static hc_rc run(const hc_allocator *a, const void *options, hc_result *r, const hc_sink *out, hc_error *e)
{
  batsim_writer w = {.result = r, .allocator = a, .options = options};
  hc_rc rc;
  TRY(hc_emit_need_tasks(r, true, e));
  hc_emit_init(&w.emit, a, out, e);
  hc_arena_init(&w.texts, a);
  hc_buffer_text(
      &w.emit.text,
      "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,"
      "final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,"
      "allocated_resources,consumed_energy,metadata\n");
  rc = hc_machines_read(&w.machines, &w.emit, a, r);
  if (rc >= 0) rc = hc_pieces_read(&w.pieces, &w.emit, r, 0);
  if (rc >= 0) rc = read_energy(&w, e);
  if (rc >= 0) rc = read_said(&w, e);
  if (rc >= 0) rc = hc_emit_tasks(&w.emit, r, HC_EMIT_STORED, write_task, &w);
  hc_pieces_fini(&w.pieces);
  hc_machines_fini(&w.machines);
  hc_free(a, w.consumed, w.consumed_cap * sizeof *w.consumed);
  hc_free(a, w.said, w.said_cap * sizeof *w.said);
  hc_arena_fini(&w.texts);
  return hc_emit_end(&w.emit, rc);
}

const hc_exporter_type hc_exporter_batsim = {
    .component =
        {HC_COMPONENT_HEAD(hc_exporter_type, HC_KIND_EXPORTER), .name = "batsim",
         .summary = "the schedule as Batsim's _jobs.csv",
         .detail =
             "17 columns, rows in the order in which tasks ended, numbers with six decimals. A task that its "
             "limit killed is COMPLETED_WALLTIME_REACHED, one that a plan ended COMPLETED_KILLED, one whose "
             "profile failed COMPLETED_FAILED. allocated_resources, which evalys needs, is \"0-3 7\": "
             "processors where these have numbers (`cell.granularity: intervals`), hosts on a cell of hosts; "
             "where processors are only counted it is empty. Withdrawn, lost and unfinished tasks are left "
             "out. Fractions of a processor, which hosts may have, are rounded up. consumed_energy is that "
             "of the metric energy with `by: tasks`, else -1. Exporters of Batsim's other files: "
             "batsim_schedule, batsim_machine_states, batsim_consumed_energy, batsim_pstate_changes.",
         .source = "Batsim 4.2.1", .params = params, .options_size = sizeof(batsim_options)},
    .run = run,
};
