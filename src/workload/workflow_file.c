/* workflow_file.c -- what readers of files that are one workflow share.
 *
 * The whole is read when it is opened, since tasks, files and edges may stand in any order; then each task
 * is yielded with the files that it reads and makes as items, named by their numbers in the file, and with
 * those that it waits for and does not read of. Its id is its rank, from 1, and its label what the file
 * calls it.
 *
 * What is wrong with the file is an error with its place: a task that is there twice, or named and not
 * there; two that make one file; a runtime or size that cannot be, or is not said; tasks that wait for
 * themselves (Kahn 1962). Cost: some 100 bytes a task, 40 a file, 12 a use. */
#include "workload/workflow_file.h"

#include <stdio.h>

#include "base/state.h"
#include "base/util.h"
#include "workload/ledger.h"
#include "workload/spec.h"

#define MOST ((size_t)1 << 24) /* tasks, files */

enum { SIZE_ERROR, SIZE_ZERO };

static hc_rc wrong(const hc_source *s, uint32_t line, uint32_t column, hc_error *e, const char *text)
{
  return hc_fail(e, HC_EINPUT, s->name, line, column, "%s", text);
}

/* ---- birth ---- */

hc_rc hc_flow_begin(const hc_source_context *c, const char *who, const hc_flow_options_read *o,
                    hc_source **out, hc_error *e)
{
  hc_time origin = HC_UNKNOWN;
  hc_source *s;
  TRY(hc_origin_read(who, o->origin, NULL, &origin, e));
  TRY(hc_reading_begin(c, who, o->file, sizeof *s, &s, e));
  s->context = c;
  s->o = o;
  s->name = hc_reading_name(o->file);
  s->info = hc_trace_info_none();
  s->info.unix_start = hc_origin_seconds(origin);
  hc_arena_init(&s->arena, c->allocator);
  hc_names_init(&s->task_ids, c->allocator, MOST);
  hc_names_init(&s->task_names, c->allocator, MOST);
  hc_names_init(&s->file_names, c->allocator, MOST);
  hc_buffer_init(&s->text, c->allocator);
  *out = s;
  return 0;
}

void hc_flow_close(hc_source *s)
{
  if (!s) return;
  const hc_allocator *a = s->context->allocator;
  hc_names_fini(&s->task_ids);
  hc_names_fini(&s->task_names);
  hc_names_fini(&s->file_names);
  hc_arena_fini(&s->arena);
  hc_buffer_fini(&s->text);
  hc_free(a, s->by_name, s->by_name_cap * sizeof *s->by_name);
  hc_free(a, s->tasks, s->task_cap * sizeof *s->tasks);
  hc_free(a, s->uses, s->use_cap * sizeof *s->uses);
  hc_free(a, s->afters, s->after_cap * sizeof *s->afters);
  hc_free(a, s->files, s->file_cap * sizeof *s->files);
  hc_free(a, s->items, s->items_cap * sizeof *s->items);
  hc_free(a, s->waits, s->waits_cap * sizeof *s->waits);
  hc_free(a, s, sizeof *s);
}

/* ---- reading ---- */

static const char *keep(hc_source *s, const char *text)
{
  return hc_arena_text(&s->arena, text, strlen(text));
}

hc_rc hc_flow_task_of(hc_source *s, const char *id, uint32_t *out)
{
  TRY(hc_names_add(&s->task_ids, id, strlen(id), out));
  if (*out < s->task_count) return 0;
  TRY(hc_reserve(s->context->allocator, (void **)&s->tasks, &s->task_cap, s->task_count + 1,
                 sizeof *s->tasks));
  s->tasks[s->task_count] = (hc_flow_task){.id = keep(s, id),
                                           .runtime = -1,
                                           .milli = HC_UNKNOWN,
                                           .memory = HC_UNKNOWN,
                                           .uses = HC_FLOW_NONE,
                                           .after = HC_FLOW_NONE};
  return s->tasks[s->task_count++].id ? 0 : HC_ENOMEM;
}

hc_rc hc_flow_call(hc_source *s, uint32_t task, const char *name)
{
  uint32_t at;
  const size_t known = s->task_names.count;
  TRY(hc_names_add(&s->task_names, name, strlen(name), &at));
  s->tasks[task].name = keep(s, name);
  if (!s->tasks[task].name) return HC_ENOMEM;
  if (at < known) return 0;
  TRY(hc_reserve(s->context->allocator, (void **)&s->by_name, &s->by_name_cap, (size_t)at + 1,
                 sizeof *s->by_name));
  s->by_name[at] = task;
  return 0;
}

hc_rc hc_flow_declare(hc_source *s, uint32_t task, uint32_t line, uint32_t column, hc_error *e)
{
  hc_flow_task *t = &s->tasks[task];
  if (t->is_there)
    return hc_fail(e, HC_EINPUT, s->name, line, column,
                   "a task \"%.80s\" stands in line %u already: give one of them another id", t->id, t->line);
  t->is_there = true;
  t->line = line;
  t->column = column;
  return 0;
}

hc_rc hc_flow_file_of(hc_source *s, const char *name, uint32_t line, uint32_t column, uint32_t *out)
{
  TRY(hc_names_add(&s->file_names, name, strlen(name), out));
  if (*out < s->file_count) return 0;
  TRY(hc_reserve(s->context->allocator, (void **)&s->files, &s->file_cap, s->file_count + 1,
                 sizeof *s->files));
  s->files[s->file_count] = (hc_flow_file){
      .name = keep(s, name), .bytes = HC_UNKNOWN, .maker = HC_FLOW_NONE, .line = line, .column = column};
  return s->files[s->file_count++].name ? 0 : HC_ENOMEM;
}

static bool uses(const hc_source *s, uint32_t task, uint32_t file, bool *is_output)
{
  for (uint32_t at = s->tasks[task].uses; at != HC_FLOW_NONE; at = s->uses[at].next)
    if (s->uses[at].file == file) {
      *is_output = s->uses[at].is_output != 0;
      return true;
    }
  return false;
}

hc_rc hc_flow_use_file(hc_source *s, uint32_t task, uint32_t file, bool is_output, uint32_t line,
                       uint32_t column, hc_error *e)
{
  bool before = is_output;
  hc_flow_file *f = &s->files[file];
  if (is_output && f->maker != HC_FLOW_NONE && f->maker != task)
    return hc_fail(e, HC_EINPUT, s->name, line, column,
                   "the file \"%.80s\" is made by task \"%.80s\" already: a file has one maker", f->name,
                   s->tasks[f->maker].id);
  if (is_output) f->maker = task;
  if (uses(s, task, file, &before)) {
    if (before == is_output) return 0;
    return hc_fail(e, HC_EINPUT, s->name, line, column,
                   "task \"%.80s\" reads the file \"%.80s\" and makes it: give what it makes another name",
                   s->tasks[task].id, f->name);
  }
  TRY(hc_reserve(s->context->allocator, (void **)&s->uses, &s->use_cap, s->use_count + 1, sizeof *s->uses));
  s->uses[s->use_count] = (hc_flow_use){file, s->tasks[task].uses, is_output};
  s->tasks[task].uses = (uint32_t)s->use_count++;
  return 0;
}

hc_rc hc_flow_wait(hc_source *s, uint32_t task, const char *parent, uint32_t line, uint32_t column,
                   hc_error *e)
{
  uint32_t at = hc_names_find(&s->task_ids, parent, strlen(parent));
  HC_UNUSED(e);
  if (at == HC_MAP_NONE) { /* a name, perhaps of a task that comes later: settled at the end */
    const uint32_t name = hc_names_find(&s->task_names, parent, strlen(parent));
    if (name != HC_MAP_NONE) at = s->by_name[name];
    else TRY(hc_flow_task_of(s, parent, &at));
  }
  TRY(hc_reserve(s->context->allocator, (void **)&s->afters, &s->after_cap, s->after_count + 1,
                 sizeof *s->afters));
  s->afters[s->after_count] = (hc_flow_after){at, s->tasks[task].after, line, column};
  s->tasks[task].after = (uint32_t)s->after_count++;
  return 0;
}

hc_rc hc_flow_runtime(hc_source *s, uint32_t task, const char *text, uint32_t line, uint32_t column,
                      hc_error *e)
{
  double x;
  if (hc_parse_real(text, strlen(text), &x) < 0 || !(x >= 0 && x < 9e9))
    return hc_fail(e, HC_EINPUT, s->name, line, column,
                   "the runtime of task \"%.80s\" is \"%.40s\": it is a number of seconds from 0 to 9e9",
                   s->tasks[task].id, text);
  x *= (double)s->o->time_unit * 1e-9;
  if (!(x < 9e9))
    return hc_fail(e, HC_EINPUT, s->name, line, column,
                   "the runtime of task \"%.80s\" is above 9e9 seconds, in units of time_unit",
                   s->tasks[task].id);
  s->tasks[task].runtime = x;
  return 0;
}

hc_rc hc_flow_size(hc_source *s, const char *text, int64_t unit, int64_t *out, uint32_t line, uint32_t column,
                   hc_error *e)
{
  double x;
  if (hc_parse_real(text, strlen(text), &x) < 0 || !(x >= 0 && x * (double)unit < 9e18))
    return hc_fail(e, HC_EINPUT, s->name, line, column,
                   "the size is \"%.40s\": it is a number that is not negative", text);
  *out = (int64_t)(x * (double)unit);
  return 0;
}

/* ---- all is read ---- */

/* The task that is meant by a name, where none has it for an id. @return NULL: none is */
static hc_flow_task *task_called(hc_source *s, const char *text)
{
  const uint32_t name = hc_names_find(&s->task_names, text, strlen(text));
  return name == HC_MAP_NONE ? NULL : &s->tasks[s->by_name[name]];
}

static hc_rc unknown(const hc_source *s, const hc_flow_after *a, const char *text, hc_error *e)
{
  return hc_fail(
      e, HC_EINPUT, s->name, a->line, a->column,
      "an edge names the task \"%.80s\", and there is none of that id or name: add it, or leave the edge "
      "out",
      text);
}

/* Tasks of edges that were named before they came. */
static hc_rc settle_edges(hc_source *s, hc_error *e)
{
  for (size_t i = 0; i < s->after_count; i++) {
    hc_flow_after *a = &s->afters[i];
    if (s->tasks[a->task].is_there) continue;
    const hc_flow_task *t = task_called(s, s->tasks[a->task].id);
    if (!t) return unknown(s, a, s->tasks[a->task].id, e);
    a->task = (uint32_t)(t - s->tasks);
  }
  for (size_t i = 0; i < s->task_count; i++) { /* children */
    hc_flow_task *t = &s->tasks[i], *meant;
    uint32_t last = t->after;
    if (t->is_there || last == HC_FLOW_NONE) continue;
    meant = task_called(s, t->id);
    if (!meant) return unknown(s, &s->afters[last], t->id, e);
    while (s->afters[last].next != HC_FLOW_NONE) last = s->afters[last].next;
    s->afters[last].next = meant->after;
    meant->after = t->after;
    t->after = HC_FLOW_NONE;
  }
  return 0;
}

static hc_rc check_tasks(hc_source *s, hc_error *e)
{
  size_t there = 0;
  for (size_t i = 0; i < s->task_count; i++) {
    const hc_flow_task *t = &s->tasks[i];
    there += t->is_there;
    if (t->is_there && t->runtime < 0)
      return hc_fail(e, HC_EINPUT, s->name, t->line, t->column,
                     "task \"%.80s\" has no runtime: say it, 0 if need be", t->id);
  }
  return there > 0 ? 0 : wrong(s, 0, 0, e, "there is no task in this file");
}

static hc_rc check_files(hc_source *s, hc_error *e)
{
  for (size_t i = 0; i < s->file_count; i++) {
    hc_flow_file *f = &s->files[i];
    if (f->bytes != HC_UNKNOWN) continue;
    if (s->o->missing_size == SIZE_ERROR)
      return hc_fail(e, HC_EINPUT, s->name, f->line, f->column,
                     "the size of the file \"%.80s\" is not said: say it, or set `missing_size: zero`",
                     f->name);
    f->bytes = 0;
  }
  return 0;
}

/* ---- circles ---- */

typedef struct arrows {
  uint32_t *first; /* [task_count + 1] */
  uint32_t *to;
} arrows;

/* From each task to those that wait for it. @param count NULL: they are counted in `first` */
static void each_arrow(hc_source *s, arrows *a, bool fill)
{
  for (size_t i = 0; i < s->task_count; i++) {
    hc_flow_task *t = &s->tasks[i];
    for (uint32_t at = t->after; at != HC_FLOW_NONE; at = s->afters[at].next) {
      if (fill) a->to[--a->first[s->afters[at].task]] = (uint32_t)i;
      else a->first[s->afters[at].task]++;
      t->left += !fill;
    }
    for (uint32_t at = t->uses; at != HC_FLOW_NONE; at = s->uses[at].next) {
      const uint32_t maker = s->files[s->uses[at].file].maker;
      if (s->uses[at].is_output || maker == HC_FLOW_NONE) continue;
      if (fill) a->to[--a->first[maker]] = (uint32_t)i;
      else a->first[maker]++;
      t->left += !fill;
    }
  }
}

static hc_rc check_circles(hc_source *s, hc_error *e)
{
  hc_arena scratch;
  hc_arena_init(&scratch, s->context->allocator);
  arrows a = {.first = hc_arena_alloc(&scratch, (s->task_count + 1) * sizeof *a.first),
              .to = hc_arena_alloc(&scratch, (s->after_count + s->use_count + 1) * sizeof *a.to)};
  uint32_t *line = hc_arena_alloc(&scratch, (s->task_count + 1) * sizeof *line);
  hc_rc rc = a.first && a.to && line ? 0 : HC_ENOMEM;
  if (rc == 0) {
    size_t done = 0, known = 0;
    each_arrow(s, &a, false);
    for (size_t i = 0, sum = 0; i <= s->task_count; i++) {
      sum += i < s->task_count ? a.first[i] : 0;
      a.first[i] = (uint32_t)sum;
    }
    each_arrow(s, &a, true);
    for (size_t i = 0; i < s->task_count; i++)
      if (s->tasks[i].left == 0) line[known++] = (uint32_t)i;
    for (; done < known; done++)
      for (uint32_t at = a.first[line[done]]; at < a.first[line[done] + 1]; at++)
        if (--s->tasks[a.to[at]].left == 0) line[known++] = a.to[at];
    for (size_t i = 0; i < s->task_count && known < s->task_count && rc == 0; i++)
      if (s->tasks[i].left > 0)
        rc = hc_fail(e, HC_EINPUT, s->name, s->tasks[i].line, s->tasks[i].column,
                     "task \"%.80s\" waits, over others, for itself: leave an edge of the circle out, or "
                     "give a file "
                     "another name",
                     s->tasks[i].id);
  }
  hc_arena_fini(&scratch);
  return rc;
}

hc_rc hc_flow_end(hc_source *s, hc_error *e)
{
  TRY(settle_edges(s, e));
  TRY(check_tasks(s, e));
  TRY(check_files(s, e));
  TRY(check_circles(s, e));
  s->s.count = s->task_count;
  s->info.jobs = 1;
  return 0;
}

/* ---- yielding ---- */

static bool reads_of(const hc_source *s, const hc_flow_task *t, uint32_t maker)
{
  for (uint32_t at = t->uses; at != HC_FLOW_NONE; at = s->uses[at].next)
    if (!s->uses[at].is_output && s->files[s->uses[at].file].maker == maker) return true;
  return false;
}

/* Chains are last first. */
static hc_rc read_items(hc_source *s, const hc_flow_task *t, hc_task_extras *m)
{
  size_t in = 0, out = 0, count = 0;
  for (uint32_t at = t->uses; at != HC_FLOW_NONE; at = s->uses[at].next) {
    count++;
    in += !s->uses[at].is_output;
  }
  TRY(hc_reserve(s->context->allocator, (void **)&s->items, &s->items_cap, count + 1, sizeof *s->items));
  m->input_count = in;
  m->output_count = out = count - in;
  for (uint32_t at = t->uses; at != HC_FLOW_NONE; at = s->uses[at].next) {
    const hc_flow_use *u = &s->uses[at];
    const hc_flow_file *f = &s->files[u->file];
    hc_data_item *x = u->is_output ? &s->items[m->input_count + --out] : &s->items[--in];
    *x = (hc_data_item){.name = (int64_t)u->file + 1,
                        .bytes = u->is_output || f->maker == HC_FLOW_NONE ? f->bytes : HC_UNKNOWN};
  }
  m->inputs = s->items;
  m->outputs = s->items + m->input_count;
  return 0;
}

static hc_rc read_waits(hc_source *s, const hc_flow_task *t, hc_task_extras *m)
{
  for (uint32_t at = t->after; at != HC_FLOW_NONE; at = s->afters[at].next) {
    const uint32_t parent = s->afters[at].task;
    if (reads_of(s, t, parent)) continue;
    TRY(hc_reserve(s->context->allocator, (void **)&s->waits, &s->waits_cap, m->after_count + 1,
                   sizeof *s->waits));
    s->waits[m->after_count++] =
        (hc_after){.job = s->o->job, .task = (int64_t)parent + 1, .how = HC_AFTER_COMPLETED};
  }
  m->after = s->waits;
  return 0;
}

static hc_rc make_task(hc_source *s, const hc_flow_task *t)
{
  hc_task_extras m = hc_task_extras_none();
  const struct hc_book *book = s->context->profiles;
  const int64_t milli = t->milli > 0 ? t->milli : 1000;
  s->task = hc_task_spec_none();
  s->task.id = (int64_t)(t - s->tasks) + 1;
  s->task.job = s->o->job;
  s->task.line = t->line;
  s->task.submit = s->o->submit;
  s->task.run = (hc_time)(t->runtime * 1e9 + 0.5);
  s->task.status = HC_STATUS_COMPLETED;
  s->task.procs_asked = milli / 1000 + (milli % 1000 != 0);
  s->task.hosts = 1;
  s->task.need[HC_DIM_CPU] = milli;
  s->task.need[HC_DIM_MEMORY] = t->memory;
  TRY(read_items(s, t, &m));
  TRY(read_waits(s, t, &m));
  if (book) {
    const double speed = s->o->reference_speed > 0 ? s->o->reference_speed : book->speed;
    const double work = t->runtime * speed * ((double)milli / 1000);
    s->text.size = 0;
    hc_buffer_printf(&s->text, "{\"use\": \"compute_homogeneous\", \"compute_work\": %.17g}", work);
    if (s->text.failed) return HC_ENOMEM;
    m.profile = s->text.data;
    m.profile_size = s->text.size;
    s->task.flags |= HC_SPEC_PROFILE;
    s->task.run = (hc_time)(work / (book->speed * ((double)milli / 1000)) * 1e9 + 0.5);
    s->task.status = HC_STATUS_UNKNOWN;
  }
  if (m.input_count + m.output_count + m.after_count + m.profile_size == 0) return 0;
  s->task.more = hc_lexicon_keep(s->context->lexicon, &m);
  return s->task.more == 0 ? HC_ENOMEM : 0;
}

hc_rc hc_flow_next(hc_source *s, hc_job *out, hc_error *e)
{
  while (s->s.next < s->task_count) {
    const hc_flow_task *t = &s->tasks[s->s.next++];
    HC_UNUSED(e);
    if (!t->is_there) continue; /* the name of another */
    if (s->context->ledger) s->context->ledger->read++;
    TRY(make_task(s, t));
    TRY(hc_spec_label(s->context->lexicon, t->id, strlen(t->id), s->task.id, &s->task.label));
    *out = (hc_job){.tasks = &s->task, .task_count = 1};
    return 1;
  }
  return 0;
}

const hc_trace_info *hc_flow_info(hc_source *s)
{
  return &s->info;
}

hc_rc hc_flow_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  HC_VISIT(v, s->s);
  if (s->s.count == s->task_count && s->s.next <= s->task_count) return 0;
  return hc_fail(e, HC_EINPUT, s->name, 0, 0,
                 "the file does not have as many tasks as when it was read before; give the same file");
}

hc_refers hc_flow_refers(const hc_source *s)
{
  HC_UNUSED(s);
  return HC_REFERS_JOB;
}
