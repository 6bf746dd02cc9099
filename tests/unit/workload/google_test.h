/* google_test.h -- what the tests of both readers of Google's traces share: tables as files, options with
 * lists, and each task as a line of text. */
#ifndef HC_GOOGLE_TEST_H
#define HC_GOOGLE_TEST_H

#include "cluster/lexicon.h"
#include "workload/google.h"
#include "workload/ledger.h"
#include "workload_test.h"

#define TOLD_SIZE 8192

/* A reader over tables, on its own. */
typedef struct told {
  const hc_reader_type *type;
  hc_chosen chosen;
  trace_file files[4];
  size_t file_count;
  hc_lexicon *lexicon;
  hc_row_ledger ledger;
  hc_source_context context;
  hc_source *source;
  hc_error error;
  hc_rc rc;
  char text[TOLD_SIZE]; /* the tasks, a line each */
  size_t size;
  hc_task_spec first, last; /* the first and the last of them */
  size_t count;
} told;

static inline const hc_param *param_of(const hc_component *c, const char *name, size_t n)
{
  const hc_param *p = c->params;
  while (p->name && (strlen(p->name) != n || strncmp(p->name, name, n) != 0)) p++;
  if (!p->name) fail_msg("%s has no parameter %.*s", c->name, (int)n, name);
  return p;
}

/* "a,b" into a list of choices or texts, which is freed with the options. */
static inline void set_words(const hc_param *p, const char *text, hc_list *list)
{
  const size_t item = p->type == HC_CHOICE ? sizeof(int) : sizeof(const char *);
  char word[200];
  test_free(list->items);
  list->items = test_calloc(16, item + 200);
  list->count = 0;
  for (; *text; text += *text == ',') {
    const size_t n = strcspn(text, ",");
    snprintf(word, sizeof word, "%.*s", (int)n, text);
    if (p->type == HC_CHOICE) {
      ((int *)list->items)[list->count++] = choice_number(p->choices, word);
    } else {
      char *copy = (char *)list->items + 16 * item + 200 * list->count;
      memcpy(copy, word, n + 1);
      ((const char **)list->items)[list->count++] = copy;
    }
    text += n;
  }
}

/* "name=value", where the value of a list is "a,b". */
static inline void set_option(told *t, const char *pair)
{
  const size_t n = strcspn(pair, "=");
  const hc_param *p = param_of(t->type->component.params ? &t->type->component : NULL, pair, n);
  char *at = (char *)t->chosen.options + p->offset;
  if (p->list) set_words(p, pair + n + 1, (hc_list *)(void *)at);
  else set_item(p, pair + n + 1, at);
}

/* A table as a file under a parameter. */
static inline void set_table(told *t, const char *name, const char *text)
{
  trace_file *f = &t->files[t->file_count++];
  const hc_param *p = param_of(&t->type->component, name, strlen(name));
  const char *path;
  *f = write_file(text);
  path = f->path;
  memcpy((char *)t->chosen.options + p->offset, &path, sizeof path);
}

/* Options at their defaults, but that times are in seconds and shares in cores and MiB. */
static inline void prepare_told(told *t, const hc_reader_type *type, const char *text)
{
  memset(t, 0, sizeof *t);
  t->type = type;
  t->chosen = choose(&type->component, NULL);
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &t->lexicon), 0);
  t->context =
      (hc_source_context){.allocator = hc_default_allocator(), .ledger = &t->ledger, .lexicon = t->lexicon};
  set_option(t, "merge=evict");
  set_option(t, "time_unit=1s");
  set_option(t, "cpu_scale=1");
  set_option(t, "memory_scale=1MiB");
  if (text) set_table(t, "file", text);
}

static inline void open_told(told *t)
{
  t->rc = t->type->open(&t->context, t->chosen.options, &t->source, &t->error);
}

static inline const char *state_word(int32_t status)
{
  switch (status) {
    case HC_STATUS_COMPLETED: return "completed";
    case HC_STATUS_FAILED: return "failed";
    case HC_STATUS_CANCELLED: return "cancelled";
    default: return "unknown";
  }
}

static inline void add_time(told *t, const char *word, hc_time x)
{
  char number[32];
  if (x == HC_UNKNOWN || x == HC_NEVER) return;
  hc_format_seconds(x, number);
  t->size += (size_t)snprintf(t->text + t->size, TOLD_SIZE - t->size, " %s %s", word, number);
}

/* "7/0 at 10 waits 2 runs 8 completed" */
static inline void add_line(told *t, const hc_task_spec *s)
{
  t->size += (size_t)snprintf(t->text + t->size, TOLD_SIZE - t->size, "%lld/%lld", (long long)s->job,
                              (long long)s->id);
  add_time(t, "at", s->submit);
  add_time(t, "waits", s->wait);
  add_time(t, "runs", s->run);
  add_time(t, "not before", s->not_before);
  add_time(t, "leaves", s->cancel_at);
  t->size +=
      (size_t)snprintf(t->text + t->size, TOLD_SIZE - t->size, " %s%s%s\n", state_word(s->status),
                       s->flags & HC_SPEC_AT_START ? " start" : "", s->flags & HC_SPEC_NO_END ? " open" : "");
  assert_true(t->size < TOLD_SIZE - 200);
}

/* The next task, as a line. @return as hc_reader_type.next */
static inline hc_rc tell_one(told *t)
{
  hc_job job;
  t->rc = t->type->next(t->source, &job, &t->error);
  if (t->rc != 1) return t->rc;
  assert_int_equal(job.task_count, 1);
  add_line(t, job.tasks);
  if (t->count > 0 && job.tasks->submit < t->last.submit) fail_msg("out of order:\n%s", t->text);
  if (t->count++ == 0) t->first = *job.tasks;
  if (t->count > 2) hc_lexicon_drop(t->lexicon, t->last.more);
  t->last = *job.tasks;
  t->ledger.used++;
  return 1;
}

static inline void tell_all(told *t)
{
  if (t->rc < 0) return;
  while (tell_one(t) == 1) continue;
}

static inline void end_told(told *t)
{
  if (t->source) t->type->close(t->source);
  if (t->count > 0) hc_lexicon_drop(t->lexicon, t->first.more);
  if (t->count > 1) hc_lexicon_drop(t->lexicon, t->last.more);
  assert_int_equal(hc_lexicon_held(t->lexicon), 0);
  hc_lexicon_free(t->lexicon);
  for (size_t i = 0; i < t->file_count; i++) unlink(t->files[i].path);
  drop(&t->chosen);
}

static inline void no_error(const told *t)
{
  if (t->rc < 0)
    fail_msg("%s:%u:%u: %s\n%s", t->error.where, t->error.line, t->error.column, t->error.text, t->text);
  assert_true(hc_ledger_balances(&t->ledger));
}

/* What a table of events is read as, with up to three options; and the rows by what became of them: used,
 * merged. */
static inline void expect_told(const hc_reader_type *type, const char *text, const char *a, const char *b,
                               const char *c, const char *want, uint64_t merged)
{
  told t;
  prepare_told(&t, type, text);
  if (a) set_option(&t, a);
  if (b) set_option(&t, b);
  if (c) set_option(&t, c);
  open_told(&t);
  tell_all(&t);
  no_error(&t);
  assert_string_equal(t.text, want);
  assert_int_equal(t.ledger.merged, merged);
  end_told(&t);
}

/* The same where one row is rejected. */
static inline void expect_without(const hc_reader_type *type, const char *text, const char *a, const char *b,
                                  hc_reason why, uint64_t rejected, const char *want)
{
  told t;
  prepare_told(&t, type, text);
  if (a) set_option(&t, a);
  if (b) set_option(&t, b);
  open_told(&t);
  tell_all(&t);
  no_error(&t);
  assert_string_equal(t.text, want);
  assert_int_equal(t.ledger.rejected[why], rejected);
  end_told(&t);
}

/* An error with its line and a part of its text. */
static inline void expect_refused(told *t, hc_rc rc, uint32_t line, const char *words)
{
  open_told(t);
  tell_all(t);
  if (t->rc != rc || t->error.line != line || !strstr(t->error.text, words))
    fail_msg("gave %d, %s:%u:%u: %s\n%s", t->rc, t->error.where, t->error.line, t->error.column,
             t->error.text, t->text);
  end_told(t);
}

static inline void save_told(told *t, hc_buffer *out)
{
  hc_visitor v = {
      .calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = out};
  assert_int_equal(hc_lexicon_visit(t->lexicon, &v), 0);
  assert_int_equal(t->type->visit(t->source, &v, &t->error), 0);
}

/* Saved after each number of tasks and loaded into a fresh reader, the rest is what it would have been,
 * and so is the state at the end. `make` prepares and opens. */
static inline void expect_resumable(void (*make)(told *t))
{
  told whole;
  make(&whole);
  tell_all(&whole);
  no_error(&whole);
  for (size_t k = 0; k <= whole.count; k++) {
    told a, b;
    hc_buffer saved, ended[2];
    hc_buffer_init(&saved, hc_default_allocator());
    for (int i = 0; i < 2; i++) hc_buffer_init(&ended[i], hc_default_allocator());
    make(&a);
    make(&b);
    for (size_t i = 0; i < k; i++) assert_int_equal(tell_one(&a), 1);
    if (k % 2 == 1) (void)tell_one(&b); /* it need not be fresh */
    b.size = b.count = 0;
    b.text[0] = '\0';
    save_told(&a, &saved);
    hc_visitor v = {.calls = &hc_state_calls,
                    .mode = HC_VISIT_LOAD,
                    .allocator = hc_default_allocator(),
                    .in = (const uint8_t *)saved.data,
                    .left = saved.size};
    hc_task_spec none = hc_task_spec_none();
    b.first = b.last = none;
    assert_int_equal(hc_lexicon_visit(b.lexicon, &v), 0);
    assert_int_equal(b.type->visit(b.source, &v, &b.error), 0);
    assert_int_equal(v.left, 0);
    for (size_t i = 0; i < HC_MIN(k, (size_t)2); i++) /* what `a` holds is held in the other lexicon too */
      hc_lexicon_drop(b.lexicon, i == 0 ? a.first.more : a.last.more);
    tell_all(&a);
    tell_all(&b);
    no_error(&a);
    if (b.rc < 0) fail_msg("after %zu tasks: %s:%u: %s", k, b.error.where, b.error.line, b.error.text);
    assert_string_equal(a.text, whole.text);
    assert_string_equal(b.text, whole.text + (strlen(whole.text) - strlen(b.text)));
    assert_int_equal(b.count, whole.count - k);
    if (k < 2) {
      save_told(&a, &ended[0]);
      save_told(&b, &ended[1]);
    }
    for (int i = 0; i < 2; i++) hc_buffer_fini(&ended[i]);
    hc_buffer_fini(&saved);
    end_told(&a);
    end_told(&b);
  }
  end_told(&whole);
}

/* Every allocation fails once: an error, no leak. */
typedef struct scarce {
  uint64_t left;
  bool failed;
} scarce;

static inline void *scarce_resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
  scarce *s = ctx;
  if (new_size > old_size && s->left-- == 0) {
    s->left = 0;
    s->failed = true;
    return NULL;
  }
  return hc_default_allocator()->resize(hc_default_allocator()->ctx, p, old_size, new_size);
}

static inline void expect_no_leak(void (*make)(told *t), uint64_t step)
{
  bool failed = true;
  for (uint64_t n = 0; failed; n += step) {
    told t;
    scarce s = {.left = n};
    const hc_allocator allocator = {&s, scarce_resize, NULL};
    make(&t);
    t.type->close(t.source);
    t.source = NULL;
    t.context.allocator = &allocator;
    open_told(&t);
    tell_all(&t);
    failed = s.failed;
    assert_true(failed ? t.rc == HC_ENOMEM : t.rc == 0);
    end_told(&t);
  }
}

#endif
