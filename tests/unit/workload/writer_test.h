/* writer_test.h -- a writer on its own: tasks that are put into it, its text, and what it lost. */
#ifndef HC_WRITER_TEST_H
#define HC_WRITER_TEST_H

#include "cluster/lexicon.h"
#include "workload/writing.h"
#include "workload_test.h"

typedef struct writing {
  hc_lexicon *lexicon;
  hc_buffer text;
  hc_trace_info info;
  hc_writer_context context;
  hc_chosen chosen;
  hc_writer *writer;
  uint64_t lost; /* of the task written last */
  hc_error error;
} writing;

static inline hc_rc gather(void *ctx, const void *data, size_t size)
{
  hc_buffer_add(ctx, data, size);
  return 0;
}

static inline void begin(writing *d, const hc_writer_type *type, const char *option)
{
  memset(d, 0, sizeof *d);
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &d->lexicon), 0);
  hc_buffer_init(&d->text, hc_default_allocator());
  d->info = (hc_trace_info){.unix_start = HC_UNKNOWN, .jobs = HC_UNKNOWN, .records = HC_UNKNOWN};
  d->context = (hc_writer_context){.allocator = hc_default_allocator(),
                                   .lexicon = d->lexicon,
                                   .info = &d->info,
                                   .sink = {&d->text, gather}};
  d->chosen = choose(&type->component, option, NULL);
  assert_int_equal(type->open(&d->context, d->chosen.options, &d->writer, &d->error), 0);
}

static inline hc_rc put(writing *d, const hc_task_spec *t)
{
  const hc_writer_type *type = (const hc_writer_type *)d->chosen.type;
  const hc_trace_task task = {.spec = *t, .serial = 7};
  d->lost = hc_task_facts(t, d->lexicon) & ~type->holds;
  return type->task(d->writer, &task, &d->lost, &d->error);
}

/* No task follows: the text is whole. */
static inline void end(writing *d)
{
  const hc_writer_type *type = (const hc_writer_type *)d->chosen.type;
  assert_int_equal(type->finish(d->writer, &d->error), 0);
  type->close(d->writer);
  hc_buffer_add(&d->text, "", 1); /* NUL */
}

static inline void drop_writing(writing *d)
{
  hc_buffer_fini(&d->text);
  hc_lexicon_free(d->lexicon);
  drop(&d->chosen);
}

static inline void finish(writing *d, const char *expect)
{
  end(d);
  if (expect) assert_string_equal(d->text.data, expect);
  drop_writing(d);
}

static inline void *failing_resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
  int64_t *left = ctx;
  if (new_size > old_size && (*left)-- <= 0) return NULL;
  return hc_default_allocator()->resize(NULL, p, old_size, new_size);
}

/* Each allocation in turn fails: no crash, no leak, HC_ENOMEM. */
static inline void expect_out_of_memory(const hc_writer_type *type, const hc_task_spec *spec)
{
  const hc_trace_task task = {.spec = *spec};
  hc_chosen chosen = choose(&type->component, NULL);
  hc_rc rc = HC_ENOMEM;
  for (int64_t k = 0; rc == HC_ENOMEM && k < 60; k++) {
    int64_t left = k;
    const hc_allocator a = {&left, failing_resize, NULL};
    hc_buffer text;
    hc_lexicon *l;
    hc_error e = {0};
    hc_writer *w = NULL;
    uint64_t lost = 0;
    hc_buffer_init(&text, hc_default_allocator());
    assert_int_equal(hc_lexicon_new(hc_default_allocator(), &l), 0);
    const hc_writer_context c = {.allocator = &a, .lexicon = l, .note = "n", .sink = {&text, gather}};
    rc = type->open(&c, chosen.options, &w, &e);
    if (rc == 0) {
      rc = type->task(w, &task, &lost, &e);
      if (rc == 0) rc = type->finish(w, &e);
      type->close(w);
    }
    assert_true(rc == 0 || rc == HC_ENOMEM);
    hc_buffer_fini(&text);
    hc_lexicon_free(l);
  }
  assert_int_equal(rc, 0);
  drop(&chosen);
}

#endif
