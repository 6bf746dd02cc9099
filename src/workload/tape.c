/* tape.c -- the rows of a run's sources, kept in memory, to be played to many runs.
 *
 * What is on it: the rows as they were handed over, job by job; the texts that the sources named, in order,
 * so that a fresh lexicon gives them the same numbers; what each source calls its own numbers; the rare
 * facts, in the lexicon that the tape keeps; what each source said
 * of itself; and what it counted, which a player counts when it comes to the end. So a tape is not for
 * sources that listen: what they yield depends on the run.
 *
 * Playing costs nothing but the calls: a job without rare facts is handed over where it lies. */
#include "workload/tape.h"

#include <string.h>

#include "base/math.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/state.h"
#include "base/util.h"
#include "cluster/lexicon.h"
#include "workload/source_calls.h"

/* What a player is opened with: the first member is named as the readers' own, so that errors name the same
 * file. */
typedef struct track {
  const char *file;
  const hc_tape *tape;
  hc_task_spec *rows;
  size_t row_count, row_cap;
  uint32_t *jobs; /* rows of each job */
  size_t job_count, job_cap;
  uint32_t longest;                 /* job, in rows */
  bool has_more, is_sorted, is_cut; /* is_cut: the source has more rows, which no run looks at */
  hc_refers refers;
  hc_trace_info info;
  hc_row_ledger ledger;
  hc_lexicon *called; /* what its numbers are called, within the tape's lexicon */
} track;

struct hc_tape {
  const hc_allocator *allocator;
  hc_arena text;
  hc_lexicon *lexicon;
  track *tracks;
  hc_chosen *sources; /* what plays each */
  size_t count;
  size_t bytes, limit;
  hc_tape_need need; /* what it serves if a track is cut */
};

/* ---- recording ---- */

static bool comes_before(const hc_task_spec *a, const hc_task_spec *b)
{
  return a->submit != b->submit ? a->submit < b->submit : a->id < b->id;
}

/* Whether the rows so far are all that is needed. Submissions that move by `moved` change places within twice
 * that. */
static bool has_enough(const hc_tape *t, const track *k)
{
  const hc_tape_need *n = &t->need;
  const hc_time last = k->row_count ? k->rows[k->row_count - 1].submit : HC_UNKNOWN;
  if (!k->is_sorted || last == HC_UNKNOWN) return false;
  if (n->until != HC_UNKNOWN && last >= hc_time_add(n->until, n->moved)) return true;
  return n->rows && k->row_count > n->rows &&
         last > hc_time_add(k->rows[n->rows - 1].submit, hc_time_add(n->moved, n->moved));
}

/* @return 1: the tape is full. */
static hc_rc add_job(hc_tape *t, track *k, const hc_job *job)
{
  const hc_allocator *a = t->allocator;
  if (job->task_count == 0) return 0;
  t->bytes += job->task_count * sizeof *k->rows + sizeof *k->jobs;
  if (t->bytes > t->limit) {
    k->is_cut = true;
    return 1;
  }
  TRY(hc_reserve(a, (void **)&k->rows, &k->row_cap, k->row_count + job->task_count, sizeof *k->rows));
  TRY(hc_reserve(a, (void **)&k->jobs, &k->job_cap, k->job_count + 1, sizeof *k->jobs));
  for (uint32_t i = 0; i < job->task_count; i++) {
    const hc_task_spec *row = &job->tasks[i];
    if (row->submit == HC_UNKNOWN || (k->row_count > 0 && comes_before(row, &k->rows[k->row_count - 1])))
      k->is_sorted = false;
    if (row->more != 0) k->has_more = true; /* the spec holds it, and the tape now holds the spec */
    k->rows[k->row_count++] = *row;
  }
  k->jobs[k->job_count++] = job->task_count;
  k->longest = HC_MAX(k->longest, job->task_count);
  return 0;
}

static hc_rc copy_text(hc_tape *t, const char **text)
{
  if (*text) *text = hc_arena_text(&t->text, *text, strlen(*text));
  return 0;
}

static hc_rc copy_info(hc_tape *t, track *k, const hc_trace_info *info)
{
  const char **texts[] = {&k->info.zone,        &k->info.computer, &k->info.installation,
                          &k->info.acknowledge, &k->info.header,   &k->info.derived};
  k->info = *info;
  for (size_t i = 0; i < HC_ARRAY_LEN(texts); i++) {
    const bool said = *texts[i] != NULL;
    TRY(copy_text(t, texts[i]));
    if (said && !*texts[i]) return HC_ENOMEM;
  }
  return 0;
}

/* What the user calls it. */
static const char *file_of(const hc_chosen *c)
{
  const char *file = NULL;
  for (const hc_param *p = c->type->params; p && p->name; p++)
    if (p->type == HC_TEXT && !p->list && strcmp(p->name, "file") == 0)
      memcpy(&file, (const char *)c->options + p->offset, sizeof file);
  return file ? file : c->type->name;
}

/* @return 1, with the reason */
static hc_rc none(const track *k, hc_error *e, const char *why)
{
  (void)hc_fail(e, HC_EUNSUPPORTED, k->file, 0, 0, "%s", why);
  return 1;
}

static hc_rc is_full(const hc_tape *t, const track *k, hc_error *e)
{
  (void)hc_fail(
      e, HC_EUNSUPPORTED, k->file, 0, 0,
      "its rows take more room than the %zu MiB in which they are held: %zu rows had come by then. Put "
      "`first` or `window` before all other transforms, or cut the log (`hindcast trace convert --first N`)",
      t->limit >> 20, k->row_count);
  return 1;
}

static hc_rc record_source(hc_tape *t, track *k, const hc_reader_type *type, hc_source *source, hc_error *e)
{
  hc_job job;
  hc_rc rc;
  while ((rc = type->next(source, &job, e)) == 1) {
    rc = add_job(t, k, &job);
    if (rc == 0) continue;
    if (rc < 0 || !has_enough(t, k)) return rc < 0 ? rc : is_full(t, k, e);
    rc = 0;
    break;
  }
  if (rc != 0) return rc < 0 ? rc : none(k, e, "it waits for the run");
  k->refers = type->refers ? type->refers(source) : HC_REFERS_NONE;
  return copy_info(t, k, type->info(source));
}

static hc_rc record_track(hc_tape *t, size_t i, const hc_source_context *c, const hc_chosen *chosen,
                          hc_error *e)
{
  const hc_reader_type *type = (const hc_reader_type *)chosen->type;
  track *k = &t->tracks[i];
  hc_source_context context = {.allocator = t->allocator,
                               .seed = c->seed,
                               .replication = c->replication,
                               .ledger = &k->ledger,
                               .strict = c->strict,
                               .lexicon = NULL,
                               .calls = &hc_source_calls_of_library};
  hc_source *source = NULL;
  const char *file = file_of(chosen);
  hc_rc rc;
  k->is_sorted = true;
  k->tape = t;
  k->file = hc_arena_text(&t->text, file, strlen(file));
  if (!k->file) return HC_ENOMEM;
  if (type->feedback && (!type->listens || type->listens(chosen->options)))
    return none(k, e, "it is told of ends and yields by them, so that each run has another workload");
  TRY(hc_lexicon_new_within(t->lexicon, &k->called));
  context.lexicon = k->called;
  TRY(type->open(&context, chosen->options, &source, e));
  rc = record_source(t, k, type, source, e);
  type->close(source);
  return rc;
}

static const hc_reader_type player;

bool hc_tape_serves(const hc_tape *t, const hc_tape_need *need)
{
  bool is_cut = false;
  for (size_t i = 0; i < t->count; i++) is_cut |= t->tracks[i].is_cut;
  return !is_cut ||
         (need->rows == t->need.rows && need->until == t->need.until && need->moved <= t->need.moved);
}

hc_rc hc_tape_record(const hc_source_context *c, const hc_chosen *sources, size_t count, size_t limit,
                     const hc_tape_need *need, hc_tape **out, hc_error *e)
{
  hc_tape *t = hc_alloc(c->allocator, sizeof *t);
  hc_rc rc = 0;
  if (!t) return HC_ENOMEM;
  t->allocator = c->allocator;
  t->limit = limit;
  t->need = *need;
  hc_arena_init(&t->text, c->allocator);
  t->count = count;
  t->tracks = hc_alloc(c->allocator, count * sizeof *t->tracks);
  t->sources = hc_alloc(c->allocator, count * sizeof *t->sources);
  if (!t->tracks || !t->sources) rc = HC_ENOMEM;
  if (rc >= 0) rc = hc_lexicon_new(c->allocator, &t->lexicon);
  if (rc >= 0) hc_lexicon_refuse_labels(t->lexicon); /* runs of a study keep no rows */
  for (size_t i = 0; i < count && rc == 0; i++) {
    t->sources[i] = (hc_chosen){&player.component, &t->tracks[i]};
    rc = record_track(t, i, c, &sources[i], e);
  }
  if (rc != 0) {
    hc_tape_free(t);
    return rc;
  }
  *out = t;
  return 0;
}

void hc_tape_free(hc_tape *t)
{
  if (!t) return;
  for (size_t i = 0; t->tracks && i < t->count; i++) {
    track *k = &t->tracks[i];
    hc_free(t->allocator, k->rows, k->row_cap * sizeof *k->rows);
    hc_free(t->allocator, k->jobs, k->job_cap * sizeof *k->jobs);
    hc_lexicon_free(k->called);
  }
  hc_free(t->allocator, t->tracks, t->count * sizeof *t->tracks);
  hc_free(t->allocator, t->sources, t->count * sizeof *t->sources);
  hc_lexicon_free(t->lexicon);
  hc_arena_fini(&t->text);
  hc_free(t->allocator, t, sizeof *t);
}

const hc_chosen *hc_tape_sources(const hc_tape *t, size_t *count)
{
  *count = t->count;
  return t->sources;
}

bool hc_tape_is_sorted(const hc_tape *t)
{
  for (size_t i = 0; i < t->count; i++)
    if (!t->tracks[i].is_sorted) return false;
  return true;
}

uint64_t hc_tape_rows(const hc_tape *t)
{
  uint64_t n = 0;
  for (size_t i = 0; i < t->count; i++) n += t->tracks[i].row_count;
  return n;
}

size_t hc_tape_bytes(const hc_tape *t)
{
  return t->bytes;
}

/* ---- shaking ---- */

HC_SORT_STABLE(sort_rows, hc_task_spec, comes_before(a, b))

static hc_time moved(hc_time submit, hc_draws *d, hc_time by)
{
  const hc_time offset = (hc_time)hc_random_below(d, 2 * (uint64_t)by + 1) - by;
  if (submit == HC_UNKNOWN) return submit;
  return HC_MAX(offset > 0 ? hc_time_add(submit, offset) : submit + offset, 0);
}

/* Within its limit a run time stays, as by the transform `shake`: the limit gives way. */
static void stretch(hc_task_spec *row, hc_draws *d, double share)
{
  const hc_time was = row->run, limit = row->limit;
  const double factor = 1 + share * (2 * hc_random_unit(d) - 1);
  if (was <= 0 || was == HC_NEVER) return;
  row->run = HC_MAX((hc_time)(HC_MIN((double)was * factor, 4e18) + 0.5), 1);
  if (limit > 0 && was <= limit) row->limit = HC_MAX(limit, row->run);
}

hc_rc hc_tape_shake(hc_tape *t, uint64_t seed, uint64_t replication, uint64_t which, hc_time by, double run,
                    hc_error *e)
{
  uint64_t entity = 0;
  if (which == 0 || (by <= 0 && run <= 0)) return 0;
  for (size_t i = 0; i < t->count; i++) {
    track *k = &t->tracks[i];
    hc_task_spec *spare = hc_alloc(t->allocator, k->row_count * sizeof *spare);
    if (!spare) return HC_ENOMEM;
    for (size_t n = 0; n < k->row_count && k->longest == 1; n++, entity++) {
      hc_draws d = {seed, replication, entity, HC_PURPOSE_SHAKE_TAPE, which << 8};
      if (by > 0) k->rows[n].submit = moved(k->rows[n].submit, &d, by);
      d = (hc_draws){seed, replication, entity, HC_PURPOSE_SHAKE_TAPE, which << 8 | 128};
      if (run > 0) stretch(&k->rows[n], &d, run);
    }
    if (k->longest == 1) sort_rows(k->rows, k->row_count, spare);
    k->is_sorted = k->longest == 1 && (k->row_count == 0 || k->rows[0].submit != HC_UNKNOWN);
    hc_free(t->allocator, spare, k->row_count * sizeof *spare);
    if (k->longest > 1)
      return hc_fail(e, HC_EUNSUPPORTED, k->file, 0, 0,
                     "its tasks come as jobs of several, which shaking would tear apart: leave `shake` out");
  }
  return 0;
}

/* ---- playing ---- */

struct hc_source {
  const track *k;
  const hc_source_context *context;
  hc_task_spec *copies; /* [k->longest] rows whose rare facts are those of this run */
  struct {              /* plain state */
    uint64_t job, row;
    uint8_t counted, unused[7];
  } s;
};

/* The first player of a run says all names that its sources would, in their order. */
static hc_rc say_names(const hc_tape *t, hc_lexicon *l)
{
  for (uint32_t i = HC_DIM_OTHER; i < hc_lexicon_dimensions(t->lexicon); i++) {
    const char *name = hc_lexicon_dimension_name(t->lexicon, i);
    if (hc_lexicon_dimension(l, name, strlen(name)) != (int)i) return HC_ENOMEM;
  }
  for (uint32_t i = 0; i < hc_lexicon_names(t->lexicon); i++) {
    const char *text = hc_lexicon_text(t->lexicon, i);
    if (hc_lexicon_name(l, text, strlen(text)) != i) return HC_ENOMEM;
  }
  return 0;
}

static void player_close(hc_source *s)
{
  hc_free(s->context->allocator, s->copies, (s->k->has_more ? s->k->longest : 0) * sizeof *s->copies);
  hc_free(s->context->allocator, s, sizeof *s);
}

static hc_rc player_open(const hc_source_context *c, const void *options, hc_source **out, hc_error *e)
{
  const track *k = options;
  hc_source *s;
  HC_UNUSED(e);
  if (k == k->tape->tracks) TRY(say_names(k->tape, c->lexicon));
  TRY(hc_lexicon_call_all(c->lexicon, k->called));
  s = hc_alloc(c->allocator, sizeof *s);
  if (!s) return HC_ENOMEM;
  s->k = k;
  s->context = c;
  if (k->has_more) {
    s->copies = hc_alloc(c->allocator, k->longest * sizeof *s->copies);
    if (!s->copies) {
      player_close(s);
      return HC_ENOMEM;
    }
  }
  *out = s;
  return 0;
}

static void count_all(hc_source *s)
{
  const hc_row_ledger *from = &s->k->ledger;
  hc_row_ledger *to = s->context->ledger;
  if (!to || s->s.counted) return;
  to->read += from->read;
  to->used += from->used;
  to->merged += from->merged;
  for (size_t i = 0; i < HC_REASON_COUNT; i++) to->rejected[i] += from->rejected[i];
  to->rejections += from->rejections;
  to->rounded += from->rounded;
  to->rounding = HC_MAX(to->rounding, from->rounding);
  s->s.counted = true;
}

/* Rare facts are held once for each row that is handed over. */
static hc_rc copy_rows(hc_source *s, const hc_task_spec *rows, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++) {
    s->copies[i] = rows[i];
    if (rows[i].more == 0) continue;
    s->copies[i].more =
        hc_lexicon_keep(s->context->lexicon, hc_lexicon_more(s->k->tape->lexicon, rows[i].more));
    if (s->copies[i].more == 0) return HC_ENOMEM;
  }
  return 0;
}

static hc_rc player_next(hc_source *s, hc_job *job, hc_error *e)
{
  const track *k = s->k;
  const hc_task_spec *rows = k->rows + s->s.row;
  HC_UNUSED(e);
  if (s->s.job == k->job_count) {
    count_all(s);
    return 0;
  }
  *job = (hc_job){.tasks = rows, .task_count = k->jobs[s->s.job++]};
  s->s.row += job->task_count;
  if (!k->has_more) return 1;
  TRY(copy_rows(s, rows, job->task_count));
  job->tasks = s->copies;
  return 1;
}

static const hc_trace_info *player_info(hc_source *s)
{
  return &s->k->info;
}

static hc_rc player_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  HC_UNUSED(e);
  HC_VISIT(v, s->s);
  return s->s.job <= s->k->job_count && s->s.row <= s->k->row_count ? 0 : HC_EINPUT;
}

static void player_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  *done = s->s.row;
  *total = s->k->row_count;
}

static hc_refers player_refers(const hc_source *s)
{
  return s->k->refers;
}

static const hc_param params[] = {
    HC_PARAM(FILE, track, file, NULL, "What was recorded."),
    {.name = NULL},
};

static const hc_reader_type player = {
    .component = {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "tape",
                  .summary = "plays rows that were read before", .params = params,
                  .options_size = sizeof(track)},
    .open = player_open,
    .next = player_next,
    .info = player_info,
    .visit = player_visit,
    .progress = player_progress,
    .close = player_close,
    .refers = player_refers,
};
