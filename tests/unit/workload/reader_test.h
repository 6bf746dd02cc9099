/* reader_test.h -- a reader on its own over a small text: what it hands over, row by row, and its lexicon. */
#ifndef HC_READER_TEST_H
#define HC_READER_TEST_H

#include "cluster/lexicon.h"
#include "workload/ledger.h"
#include "workload/spec.h"
#include "workload_test.h"

#define READ_LIMIT 64

/* Everything that a reader said of a text. */
typedef struct reading {
  const hc_reader_type *type;
  trace_file file;
  hc_chosen chosen;
  hc_lexicon *lexicon;
  hc_row_ledger ledger;
  hc_source_context context;
  hc_source *source;
  hc_task_spec tasks[READ_LIMIT];
  size_t count;
  hc_error error;
  hc_rc rc; /* of the last call */
} reading;

/* Open a reader over a text, with up to three options "name=value", NULL for none. */
static inline void begin_reading(reading *r, const hc_reader_type *type, const char *text, const char *a,
                                 const char *b, const char *c)
{
  memset(r, 0, sizeof *r);
  r->type = type;
  r->file = write_file(text);
  r->chosen = choose(&type->component, r->file.pair, a, a ? b : NULL, a && b ? c : NULL, NULL);
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &r->lexicon), 0);
  r->context =
      (hc_source_context){.allocator = hc_default_allocator(), .ledger = &r->ledger, .lexicon = r->lexicon};
}

static inline void open_reading(reading *r)
{
  r->rc = r->type->open(&r->context, r->chosen.options, &r->source, &r->error);
}

/* Read on to the end, or to an error. What is handed over is counted as used. */
static inline void read_on(reading *r)
{
  hc_job job;
  if (r->rc < 0) return;
  while ((r->rc = r->type->next(r->source, &job, &r->error)) == 1) {
    for (uint32_t i = 0; i < job.task_count; i++) {
      if (r->count == READ_LIMIT) fail_msg("more tasks than a test should have");
      r->tasks[r->count++] = job.tasks[i];
      r->ledger.used++;
    }
  }
}

static inline void end_reading(reading *r)
{
  if (r->source) r->type->close(r->source);
  for (size_t i = 0; i < r->count; i++) hc_spec_drop(r->lexicon, &r->tasks[i]);
  assert_int_equal(hc_lexicon_held(r->lexicon), 0); /* nothing is kept that no task holds */
  hc_lexicon_free(r->lexicon);
  unlink(r->file.path);
  drop(&r->chosen);
}

/* All of it, which must be free of errors. */
static inline void read_all(reading *r, const hc_reader_type *type, const char *text, const char *a,
                            const char *b, const char *c)
{
  begin_reading(r, type, text, a, b, c);
  open_reading(r);
  read_on(r);
  if (r->rc < 0) fail_msg("%s\nline %u, column %u: %s", text, r->error.line, r->error.column, r->error.text);
  assert_true(hc_ledger_balances(&r->ledger));
}

/* An error, by its code, its place, and a part of its text. */
static inline void expect_error(const hc_reader_type *type, const char *text, const char *a, hc_rc rc,
                                uint32_t line, const char *words)
{
  reading r;
  begin_reading(&r, type, text, a, NULL, NULL);
  open_reading(&r);
  read_on(&r);
  if (r.rc != rc || r.error.line != line || !strstr(r.error.text, words))
    fail_msg("%s\ngave %d, line %u, column %u: %s", text, r.rc, r.error.line, r.error.column, r.error.text);
  end_reading(&r);
}

/* What a rejected row says under strict, with its place. */
static inline void expect_rejected(const hc_reader_type *type, const char *text, const char *a, hc_reason why,
                                   uint32_t line, const char *words)
{
  reading r;
  begin_reading(&r, type, text, a, NULL, NULL);
  r.context.strict = true;
  open_reading(&r);
  read_on(&r);
  if (r.rc != HC_EINPUT || r.error.line != line || !strstr(r.error.text, words) ||
      r.ledger.rejected[why] != 1)
    fail_msg("%s\ngave %d, line %u, column %u: %s", text, r.rc, r.error.line, r.error.column, r.error.text);
  end_reading(&r);
}

/* Save, go on, load, go on again: the rest is the same, and so is the state. */
static inline void expect_resumable(const hc_reader_type *type, const char *text, size_t after,
                                    const char *option)
{
  reading r;
  hc_buffer saved, again;
  hc_visitor v = {.calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = hc_default_allocator()};
  hc_job job;
  begin_reading(&r, type, text, option, NULL, NULL);
  open_reading(&r);
  assert_int_equal(r.rc, 0);
  hc_buffer_init(&saved, hc_default_allocator());
  hc_buffer_init(&again, hc_default_allocator());
  for (size_t i = 0; i < after; i++) {
    assert_int_equal(type->next(r.source, &job, &r.error), 1);
    for (uint32_t k = 0; k < job.task_count; k++) {
      hc_task_spec gone = job.tasks[k];
      hc_spec_drop(r.lexicon, &gone);
    }
  }
  v.out = &saved;
  assert_int_equal(type->visit(r.source, &v, &r.error), 0);
  read_on(&r);
  const size_t first = r.count;
  assert_int_equal(r.rc, 0);
  v.mode = HC_VISIT_LOAD;
  v.in = (const uint8_t *)saved.data;
  v.left = saved.size;
  assert_int_equal(type->visit(r.source, &v, &r.error), 0);
  v.mode = HC_VISIT_SAVE;
  v.out = &again;
  assert_int_equal(type->visit(r.source, &v, &r.error), 0);
  assert_int_equal(saved.size, again.size);
  assert_memory_equal(saved.data, again.data, saved.size);
  read_on(&r);
  assert_int_equal(r.count, 2 * first);
  for (size_t i = 0; i < first; i++) {
    const hc_task_spec *x = &r.tasks[i];
    hc_task_spec y = r.tasks[first + i];
    const char *label = hc_lexicon_label_text(r.lexicon, y.label, NULL);
    if (label) assert_string_equal(hc_lexicon_label_text(r.lexicon, x->label, NULL), label);
    y.label = x->label; /* each has a hold of its own */
    y.job_label = x->job_label;
    assert_memory_equal(x, &y, sizeof *x);
  }
  hc_buffer_fini(&saved);
  hc_buffer_fini(&again);
  end_reading(&r);
}

static inline const hc_task_extras *more_of(const reading *r, size_t i)
{
  const hc_task_extras *m = hc_lexicon_more(r->lexicon, r->tasks[i].more);
  assert_non_null(m);
  return m;
}

#endif
