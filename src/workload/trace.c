/* trace.c -- a workload read on its own: one stream, one ledger, and serials as a run would give them.
 *
 * A closed loop is told at once that each task ended when the log says that it did, so that it yields
 * everything. */
#include "workload/trace.h"

#include "base/util.h"
#include "cluster/lexicon.h"
#include "execution/book.h"
#include "workload/spec.h"

/* What asks it about laws alone sees no more than a book. */
typedef struct law_book {
  hc_book book; /* first: it is what is handed out */
  hc_trace_laws laws;
} law_book;

static hc_rc resolve(const hc_book *b, hc_arena *a, const hc_value *tree, hc_chosen *out, hc_error *e)
{
  const law_book *l = (const law_book *)(const void *)b;
  return l->laws.resolve(b->registry, a, tree, out, e);
}

struct hc_trace {
  const hc_allocator *allocator;
  hc_stream_options options; /* the stream borrows them */
  hc_row_ledger ledger;
  hc_lexicon *lexicon;
  hc_stream *stream;
  int64_t serial, capacity;
  hc_task_spec held; /* the task handed out last, with what it holds */
  bool renumbers, is_strict;
  hc_buffer unmet; /* what hc_trace_unmet said */
  hc_map ranks;    /* by a hash of source and id: serials */
  law_book laws;
};

hc_rc hc_trace_make(const hc_source_context *c, const hc_stream_options *o, const hc_trace_laws *laws,
                    size_t most_names, hc_trace **out, hc_error *e)
{
  hc_source_context context = *c;
  hc_trace *t = hc_alloc(c->allocator, sizeof *t);
  hc_rc rc;
  if (!t) return hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory for the workload");
  t->allocator = c->allocator;
  t->options = *o;
  t->capacity = o->admission.capacity;
  context.ledger = &t->ledger;
  t->laws =
      (law_book){.book = {.registry = laws->registry, .speed = 1000, .resolve = resolve}, .laws = *laws};
  context.laws = &t->laws.book;
  t->is_strict = c->strict;
  hc_buffer_init(&t->unmet, c->allocator);
  hc_map_init(&t->ranks, c->allocator);
  rc = hc_lexicon_new(c->allocator, &t->lexicon);
  if (rc >= 0) hc_lexicon_limit(t->lexicon, most_names); /* a source may read ahead as it is opened */
  if (rc >= 0) hc_lexicon_keep_programs(t->lexicon);
  context.lexicon = t->lexicon;
  if (rc >= 0) rc = hc_stream_open(&context, &t->options, &t->stream, e);
  if (rc < 0) {
    hc_lexicon_free(t->lexicon);
    hc_free(t->allocator, t, sizeof *t);
    return rc;
  }
  *out = t;
  return 0;
}

void hc_trace_set_capacity(hc_trace *t, int64_t capacity)
{
  t->capacity = capacity;
  hc_stream_capacity(t->stream, capacity);
}

void hc_trace_renumber(hc_trace *t)
{
  t->renumbers = t->options.source_count > 1;
}

static uint64_t rank_key(uint32_t source, int64_t id)
{
  const uint64_t h = ((uint64_t)id ^ (uint64_t)source << 56) * UINT64_C(0x9fb21c651e98df25);
  return h ^ h >> 29;
}

/* As the transform `renumber` does, over all sources. */
static hc_rc renumber(hc_trace *t, uint32_t source, int64_t serial, hc_task_spec *s, hc_error *e)
{
  const uint64_t key = rank_key(source, s->id);
  uint32_t before = HC_MAP_NONE;
  if (serial >= HC_MAP_NONE)
    return hc_fail(e, HC_ELIMIT, "", 0, 0, "more than 2^32 tasks: leave out --renumber");
  if (s->preceding > 0) before = hc_map_get(&t->ranks, rank_key(source, s->preceding));
  TRY(hc_map_set(&t->ranks, key, (uint32_t)serial));
  s->preceding = before == HC_MAP_NONE ? -1 : (int64_t)before + 1;
  s->id = serial + 1;
  s->label = 0;
  return 0;
}

/* When the log says that a task ended; its submission if it does not say. */
static hc_time recorded_end(const hc_task_spec *s)
{
  hc_time end = s->submit;
  if (s->wait > 0) end = hc_time_add(end, s->wait);
  return s->run > 0 ? hc_time_add(end, s->run) : end;
}

/* The last task is not looked at any more. */
static void let_go(hc_trace *t)
{
  hc_spec_drop(t->lexicon, &t->held);
}

hc_rc hc_trace_next(hc_trace *t, hc_trace_task *out, hc_error *e)
{
  hc_arrival a;
  hc_rc rc;
  let_go(t);
  rc = hc_stream_next(t->stream, &a, e);
  if (rc < 0) return rc;
  if (rc == 2)
    return hc_fail(e, HC_EINPUT, "", 0, 0,
                   "the rest of the workload waits for tasks that are not in it; leave out the closed loop");
  if (rc == 0) return t->is_strict ? hc_lexicon_refuse_unmet(t->lexicon, t->allocator, e) : 0;
  t->held = a.spec;
  if (!t->options.raw) a.spec.count = 0; /* a bundle's tasks come one by one */
  if (hc_stream_listens(t->stream)) {
    hc_feedback f = {.id = a.spec.id, .end = recorded_end(&a.spec), .completed = true};
    TRY(hc_stream_feedback(t->stream, a.source, &f, e));
  }
  *out = (hc_trace_task){
      .spec = a.spec, .serial = t->serial++, .units = a.units, .run = a.run, .estimate = a.estimate};
  if (t->renumbers) TRY(renumber(t, a.source, out->serial, &out->spec, e));
  return 1;
}

const hc_trace_info *hc_trace_facts(const hc_trace *t)
{
  return hc_stream_info(t->stream);
}

int64_t hc_trace_capacity(const hc_trace *t)
{
  return t->capacity;
}

hc_lexicon *hc_trace_lexicon(hc_trace *t)
{
  return t->lexicon;
}

const char *hc_trace_unmet(hc_trace *t)
{
  hc_buffer_fini(&t->unmet);
  hc_buffer_init(&t->unmet, t->allocator);
  hc_lexicon_note_expected(t->lexicon, &t->unmet);
  return t->unmet.size > 0 && !t->unmet.failed ? t->unmet.data : NULL;
}

const hc_row_ledger *hc_trace_rows(const hc_trace *t)
{
  return &t->ledger;
}

void hc_trace_progress(const hc_trace *t, uint64_t *done, uint64_t *total)
{
  hc_stream_progress(t->stream, done, total);
}

void hc_trace_close(hc_trace *t)
{
  if (!t) return;
  let_go(t);
  hc_map_fini(&t->ranks);
  hc_buffer_fini(&t->unmet);
  hc_stream_close(t->stream);
  hc_lexicon_free(t->lexicon);
  hc_free(t->allocator, t, sizeof *t);
}
