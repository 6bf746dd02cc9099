/* batsim.c -- writes a workload of Batsim: a JSON object with `jobs`, the delays that are their `profiles`,
 * and `nb_res`.
 *
 * A job is a task: its submission, processors and limit are subtime, res and walltime; its run time is a
 * profile, written once for all jobs that run as long. A task without a run time, a processor or a time of
 * submission cannot be said and is left out. Failed tasks have a profile whose return code is 1. A bundle
 * becomes as many jobs, with ids that are text. nb_res is the machine's size, or the largest job if nobody
 * knows it.
 *
 * Memory: 24 bytes for each different run time. Source: Batsim 4.2.1 and 5.0.0-rc2. Cost: about 120 ns per
 * job. */
#include "workload/writing.h"

typedef enum names { NAMES_4, NAMES_5 } names;

typedef struct options {
  int version;
} options;

typedef struct profile {
  hc_time run;
  bool fails;
} profile;

struct hc_writer {
  const hc_writer_context *context;
  const options *o;
  hc_out out;
  hc_map known;      /* run times and whether they fail, as keys */
  profile *profiles; /* [count] in order of first sight */
  size_t count, cap;
  int64_t largest;
  bool any;
};

static void batsim_close(hc_writer *w)
{
  if (!w) return;
  hc_out_close(&w->out);
  hc_map_fini(&w->known);
  hc_free(w->context->allocator, w->profiles, w->cap * sizeof *w->profiles);
  hc_free(w->context->allocator, w, sizeof *w);
}

static hc_rc write_head(hc_writer *w)
{
  hc_buffer b;
  hc_rc rc;
  hc_buffer_init(&b, w->context->allocator);
  hc_buffer_text(&b, "{\n");
  if (w->context->note) {
    hc_buffer_text(&b, "\"description\": ");
    hc_json_string(&b, w->context->note, strlen(w->context->note));
    hc_buffer_text(&b, ",\n");
  }
  hc_buffer_text(&b, "\"jobs\": [");
  rc = b.failed ? HC_ENOMEM : hc_out_add(&w->out, b.data, b.size);
  hc_buffer_fini(&b);
  return rc;
}

static hc_rc batsim_open(const hc_writer_context *c, const void *given, hc_writer **out, hc_error *e)
{
  hc_writer *w = hc_alloc(c->allocator, sizeof *w);
  hc_rc rc;
  HC_UNUSED(e);
  if (!w) return HC_ENOMEM;
  w->context = c;
  w->o = given;
  hc_map_init(&w->known, c->allocator);
  rc = hc_out_open(&w->out, c);
  if (rc == 0) rc = write_head(w);
  if (rc < 0) batsim_close(w);
  else *out = w;
  return rc;
}

static hc_rc note_profile(hc_writer *w, hc_time run, bool fails)
{
  const uint64_t key = (uint64_t)run << 1 | fails;
  if (hc_map_get(&w->known, key) != HC_MAP_NONE) return 0;
  TRY(hc_reserve(w->context->allocator, (void **)&w->profiles, &w->cap, w->count + 1, sizeof *w->profiles));
  TRY(hc_map_set(&w->known, key, 0));
  w->profiles[w->count++] = (profile){run, fails};
  return 0;
}

static char *put_profile_name(char *p, hc_time run, bool fails)
{
  p = hc_put_text(p, "\"delay_");
  p = hc_put_parts(p, run, HC_SECOND);
  return hc_put_text(p, fails ? "_failed\"" : "\"");
}

static char *put_job(char *p, const hc_task_spec *t, int64_t procs, bool fails, int64_t i)
{
  p = hc_put_text(p, "{\"id\": ");
  if (t->count > 1) {
    p = hc_put_int(hc_put_char(p, '"'), t->id);
    p = hc_put_char(hc_put_int(hc_put_char(p, ':'), i), '"');
  } else {
    p = hc_put_int(p, t->id);
  }
  p = hc_put_parts(hc_put_text(p, ", \"subtime\": "), t->submit, HC_SECOND);
  if (t->limit > 0 && t->limit != HC_NEVER)
    p = hc_put_parts(hc_put_text(p, ", \"walltime\": "), t->limit, HC_SECOND);
  p = hc_put_int(hc_put_text(p, ", \"res\": "), procs);
  p = put_profile_name(hc_put_text(p, ", \"profile\": "), t->run, fails);
  return hc_put_char(p, '}');
}

static hc_rc batsim_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  const hc_task_spec *t = &task->spec;
  const hc_batch b = hc_batch_of(t, lost);
  const int64_t rows = t->count > 1 ? t->count : 1, procs = b.procs_asked > 0 ? b.procs_asked : b.procs_used;
  const bool fails = t->status == HC_STATUS_FAILED;
  if (t->submit == HC_UNKNOWN || t->submit < 0 || t->run < 0 || t->run == HC_NEVER || procs <= 0) return 1;
  if (t->status != HC_STATUS_FAILED && t->status != HC_STATUS_COMPLETED && t->status != HC_STATUS_UNKNOWN)
    *lost |= HC_FACT_BIT(STATUS);
  if (b.procs_asked <= 0 || b.procs_used == b.procs_asked) *lost &= ~HC_FACT_BIT(PROCS_USED);
  TRY(hc_rows_allowed(t, rows, "batsim", e));
  TRY(note_profile(w, t->run, fails));
  w->largest = HC_MAX(w->largest, procs);
  for (int64_t i = 0; i < rows; i++) {
    char *row;
    TRY(hc_out_row(&w->out, &row));
    row = hc_put_text(row, w->any ? ",\n" : "\n");
    w->any = true;
    hc_out_end(&w->out, put_job(row, t, procs, fails, i));
  }
  return 0;
}

static hc_rc batsim_finish(hc_writer *w, hc_error *e)
{
  const char *type = w->o->version == NAMES_5 ? "DelayProfile" : "delay";
  const hc_trace_info *info = w->context->info;
  const int64_t procs = info && info->processors > 0 ? info->processors : w->largest;
  char *p;
  HC_UNUSED(e);
  TRY(hc_out_add(&w->out, "\n],\n\"profiles\": {", 17));
  for (size_t i = 0; i < w->count; i++) {
    const profile *f = &w->profiles[i];
    TRY(hc_out_row(&w->out, &p));
    p = put_profile_name(hc_put_text(p, i ? ",\n" : "\n"), f->run, f->fails);
    p = hc_put_text(hc_put_text(p, ": {\"type\": \""), type);
    p = hc_put_parts(hc_put_text(p, "\", \"delay\": "), f->run, HC_SECOND);
    hc_out_end(&w->out, hc_put_text(p, f->fails ? ", \"ret\": 1}" : "}"));
  }
  TRY(hc_out_row(&w->out, &p));
  p = hc_put_int(hc_put_text(p, "\n},\n\"nb_res\": "), procs);
  hc_out_end(&w->out, hc_put_text(p, "\n}\n"));
  return hc_out_flush(&w->out);
}

static const hc_param params[] = {
    HC_PARAM(CHOICE, options, version, "4|5", "4",
             "Which generation's names of profile types: 4 has `delay`, 5 has `DelayProfile`."),
    {.name = NULL},
};

const hc_writer_type hc_writer_batsim = {
    .component =
        {HC_COMPONENT_HEAD(hc_writer_type, HC_KIND_WRITER), .name = "batsim",
         .summary = "a workload of Batsim (JSON) whose profiles are delays",
         .detail = "subtime, res (the processors asked for, else those used) and walltime of each task, in "
                   "seconds; its run time is a delay. Tasks without submission, run time or processors are "
                   "left out, since the format cannot say them. Failed tasks return 1. nb_res is the "
                   "machine, or the largest task.",
         .source = "Batsim 4.2.1, 5.0.0-rc2", .params = params, .options_size = sizeof(options)},
    .holds = HC_FACT_BIT(ID) | HC_FACT_BIT(SUBMIT) | HC_FACT_BIT(RUN) | HC_FACT_BIT(LIMIT) |
             HC_FACT_BIT(PROCS_ASKED) | HC_FACT_BIT(STATUS) | HC_FACT_BIT(BUNDLE),
    .ending = ".json",
    .open = batsim_open,
    .task = batsim_task,
    .finish = batsim_finish,
    .close = batsim_close,
};
