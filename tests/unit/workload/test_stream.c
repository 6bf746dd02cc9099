/* test_stream.c -- order, merging, admission, ledgers, and going back to where a stream stood. */
#define _GNU_SOURCE
#include "hindcast/record.h"
#include "workload_test.h"

#include "cluster/lexicon.h"
#include "workload/admit.h"
#include "workload/sortwindow.h"

#define ROW(id, submit) #id " " #submit " 5 100 4 -1 -1 4 200 -1 1 7 8 9 1 2 -1 -1\n"

/* ---- the sort window ---- */

/* SplitMix64: the tests' own numbers. */
static uint64_t draw(uint64_t *seed)
{
  uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static int by_submit_id_line(const void *a, const void *b)
{
  const hc_task_spec *x = a, *y = b;
  if (x->submit != y->submit) return x->submit < y->submit ? -1 : 1;
  if (x->id != y->id) return x->id < y->id ? -1 : 1;
  return x->line < y->line ? -1 : x->line > y->line;
}

/* Rows displaced by less than the window come out as qsort puts them. */
static void check_window(uint64_t seed, size_t n, size_t window, bool shuffled)
{
  hc_task_spec *rows = test_calloc(n, sizeof *rows), *sorted = test_calloc(n, sizeof *rows);
  const hc_task_spec *got;
  hc_sort_window w;
  size_t out = 0;
  for (size_t i = 0; i < n; i++)
    rows[i] =
        (hc_task_spec){.submit = (hc_time)(draw(&seed) % (n / 2 + 1)), .id = (int64_t)(draw(&seed) % 5)};
  if (!shuffled) { /* sort, then shuffle within blocks of the window */
    qsort(rows, n, sizeof *rows, by_submit_id_line);
    for (size_t i = 0; i < n; i++) {
      const size_t block = i / window * window, size = HC_MIN(window, n - block);
      const size_t j = block + draw(&seed) % size;
      const hc_task_spec swap = rows[i];
      rows[i] = rows[j];
      rows[j] = swap;
    }
  }
  for (size_t i = 0; i < n; i++) rows[i].line = i;
  memcpy(sorted, rows, n * sizeof *rows);
  qsort(sorted, n, sizeof *sorted, by_submit_id_line);
  hc_sort_window_init(&w, hc_default_allocator(), false);
  for (size_t i = 0; i < n || hc_sort_window_count(&w) > 0;) {
    if (i < n && hc_sort_window_count(&w) < (shuffled ? n : window)) {
      assert_int_equal(hc_sort_window_push(&w, &rows[i++]), 1);
      continue;
    }
    got = hc_sort_window_pop(&w);
    assert_memory_equal(got, &sorted[out], sizeof *got); /* stable: the line agrees too */
    out++;
  }
  assert_int_equal(out, n);
  hc_sort_window_fini(&w);
  test_free(rows);
  test_free(sorted);
}

static void test_window_agrees_with_qsort(void **state)
{
  HC_UNUSED(state);
  for (uint64_t seed = 1; seed <= 60; seed++) {
    uint64_t s = seed;
    const size_t n = 1 + draw(&s) % 700, window = 1 + draw(&s) % 90;
    check_window(seed, n, window, seed % 3 == 0);
  }
}

static void test_window_saved_and_loaded(void **state)
{
  hc_sort_window w, back;
  hc_buffer out;
  HC_UNUSED(state);
  hc_buffer_init(&out, hc_default_allocator());
  hc_sort_window_init(&w, hc_default_allocator(), false);
  hc_sort_window_init(&back, hc_default_allocator(), false);
  for (int64_t i = 0; i < 100; i++) {
    const hc_task_spec t = {.submit = i % 3 ? i : i / 2 + 40, .id = i};
    assert_int_equal(hc_sort_window_push(&w, &t), 1);
  }
  for (int i = 0; i < 10; i++) assert_non_null(hc_sort_window_pop(&w));
  hc_visitor save = {.mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = &out};
  assert_int_equal(hc_sort_window_visit(&w, &save), 0);
  hc_visitor load = {.mode = HC_VISIT_LOAD,
                     .allocator = hc_default_allocator(),
                     .in = (uint8_t *)out.data,
                     .left = out.size};
  assert_int_equal(hc_sort_window_visit(&back, &load), 0);
  while (hc_sort_window_count(&w) > 0) {
    const hc_task_spec *a = hc_sort_window_pop(&w), *b = hc_sort_window_pop(&back);
    assert_non_null(b);
    assert_memory_equal(a, b, sizeof *a);
  }
  assert_int_equal(hc_sort_window_count(&back), 0);
  load.in = (uint8_t *)out.data;
  load.left = out.size / 2; /* a snapshot cut short */
  assert_int_equal(hc_sort_window_visit(&back, &load), HC_EINPUT);
  hc_sort_window_fini(&w);
  hc_sort_window_fini(&back);
  hc_buffer_fini(&out);
}

/* ---- order ---- */

static void test_unsorted_rows(void **state)
{
  const char *text = ROW(3, 10) ROW(2, 10) ROW(1, 5) ROW(9, 20) ROW(8, 15);
  char got[64];
  bench b;
  HC_UNUSED(state);
  set_up(&b, text, NULL);
  assert_int_equal(open_bench(&b), 0);
  ids(&b, got, sizeof got);
  assert_string_equal(got, "1 2 3 8 9"); /* by submission, then id */
  tear_down(&b);
}

static void test_beyond_the_window(void **state)
{
  const char *text = ROW(1, 10) ROW(2, 20) ROW(3, 30) ROW(4, 5);
  char got[64];
  bench b;
  HC_UNUSED(state);
  for (size_t window = 1; window <= 4; window++) {
    set_up(&b, text, NULL);
    b.options.window = window;
    assert_int_equal(open_bench(&b), 0);
    ids(&b, got, sizeof got);
    if (window == 4) { /* the fourth row is just within it */
      assert_string_equal(got, "4 1 2 3");
    } else {
      assert_int_equal(b.error.rc, HC_EINPUT);
      assert_int_equal(b.error.line, 4);
      assert_non_null(strstr(b.error.text, "hindcast trace sort"));
      assert_int_equal(b.ledger.rejected[HC_REASON_UNSORTED], 1);
    }
    assert_true(balances(&b.ledger));
    tear_down(&b);
  }
}

static void test_several_sources(void **state)
{
  char got[64];
  hc_arrival a;
  bench b;
  HC_UNUSED(state);
  set_up(&b, ROW(1, 0) ROW(2, 10) ROW(3, 30), ROW(11, 10) ROW(12, 20), "; MaxProcs: 4\n", NULL);
  assert_int_equal(open_bench(&b), 0);
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
  assert_int_equal(a.source, 0);
  ids(&b, got, sizeof got);
  assert_string_equal(got, "2 11 12 3"); /* the earlier source first at equal times */
  assert_int_equal(b.ledger.read, 5);
  tear_down(&b);
}

static void test_ledger_balances_at_all_times(void **state)
{
  const char *text =
      ROW(1, 0) "1 2 3\n" ROW(2, 10) "3 -1 5 -1 -1 -1 -1 4 200 -1 1 7 8 9 1 2 -1 -1\n" ROW(4, 30);
  hc_arrival a;
  bench b;
  HC_UNUSED(state);
  set_up(&b, text, NULL);
  assert_int_equal(open_bench(&b), 0);
  do assert_true(balances(&b.ledger)); /* though rows are read ahead */
  while (hc_stream_next(b.stream, &a, &b.error) == 1);
  assert_int_equal(b.ledger.used, 3);
  assert_int_equal(b.ledger.rejected[HC_REASON_NO_SUBMIT], 1);
  assert_int_equal(b.ledger.rejected[HC_REASON_MALFORMED], 1);
  tear_down(&b);
}

static void test_raw_rows(void **state)
{
  const char *text = ROW(1, 7) "2 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n" ROW(3, 9);
  char got[64];
  bench b;
  HC_UNUSED(state);
  set_up(&b, text, NULL);
  b.options.raw = true;
  b.options.window = 1;
  assert_int_equal(open_bench(&b), 0);
  ids(&b, got, sizeof got);
  assert_string_equal(got, "1 2 3"); /* a row without a time keeps its place */
  assert_int_equal(b.ledger.used, 3);
  tear_down(&b);
}

/* ---- admission ---- */

/* Admit one row under choices that `change` makes. @return as next: 1, or 0 if rejected (`*why`). */
static hc_rc admit_row(const char *row, hc_admission choices, hc_arrival *a, hc_reason *why)
{
  bench b;
  set_up(&b, row, NULL);
  b.options.admission = choices;
  assert_int_equal(open_bench(&b), 0);
  const hc_rc rc = hc_stream_next(b.stream, a, &b.error);
  for (int i = 0; i < HC_REASON_COUNT; i++)
    if (b.ledger.rejected[i] > 0) *why = (hc_reason)i;
  tear_down(&b);
  return rc;
}

/* id submit wait run used cpu mem asked limit mem status ... */
#define USED4_ASKED8 "1 10 5 100 4 -1 -1 8 200 -1 1 7 8 9 1 2 -1 -1\n"
#define OVERRUN "1 10 5 300 4 -1 -1 8 200 -1 1 7 8 9 1 2 -1 -1\n"
#define NO_LIMIT "1 10 5 300 4 -1 -1 8 -1 -1 1 7 8 9 1 2 -1 -1\n"
#define ZERO "1 10 5 0 4 -1 -1 8 200 -1 1 7 8 9 1 2 -1 -1\n"
#define CANCELLED "1 10 50 -1 -1 -1 -1 8 200 -1 5 7 8 9 1 2 -1 -1\n"

static void test_processors(void **state)
{
  const int64_t expect[] = {8, 4, 8};
  hc_arrival a;
  hc_reason why;
  HC_UNUSED(state);
  for (int i = 0; i < 3; i++) {
    const hc_admission choices = {.processors = (hc_processors)i};
    assert_int_equal(admit_row(USED4_ASKED8, choices, &a, &why), 1);
    assert_int_equal(a.units, expect[i]);
    assert_int_equal(admit_row("1 10 5 100 4 -1 -1 -1 200 -1 1 7 8 9 1 2 -1 -1\n", choices, &a, &why), 1);
    assert_int_equal(a.units, 4); /* each falls back on the other field */
    assert_int_equal(admit_row("1 10 5 100 -1 -1 -1 -1 200 -1 1 7 8 9 1 2 -1 -1\n", choices, &a, &why), 0);
    assert_int_equal(why, HC_REASON_NO_PROCESSORS);
  }
}

static void test_overrun(void **state)
{
  const struct {
    hc_overrun choice;
    hc_time run, estimate;
    bool killed;
  } cases[] = {
      {HC_OVERRUN_KILL, 200, 200, true},
      {HC_OVERRUN_RUN_ON, 300, 200, false},
      {HC_OVERRUN_EXTEND, 300, 300, false},
      {HC_OVERRUN_KILL_PLANNED_LONG, 200, 300, true},
  };
  hc_arrival a;
  hc_reason why;
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    hc_admission choices = {.overrun = cases[i].choice};
    assert_int_equal(admit_row(OVERRUN, choices, &a, &why), 1);
    assert_int_equal(a.run, cases[i].run * HC_SECOND);
    assert_int_equal(a.estimate, cases[i].estimate * HC_SECOND);
    assert_int_equal(a.running_estimate, cases[i].estimate * HC_SECOND);
    assert_int_equal(a.killed, cases[i].killed);
    choices.believe_waiting = HC_BELIEVE_RUN;
    assert_int_equal(admit_row(OVERRUN, choices, &a, &why), 1);
    assert_int_equal(a.estimate, a.run); /* an oracle knows when the kill comes, too */
    assert_int_equal(a.running_estimate, cases[i].estimate * HC_SECOND);
  }
}

static void test_no_limit(void **state)
{
  hc_admission choices = {.no_limit = HC_NO_LIMIT_RUN};
  hc_arrival a;
  hc_reason why;
  HC_UNUSED(state);
  assert_int_equal(admit_row(NO_LIMIT, choices, &a, &why), 1);
  assert_int_equal(a.estimate, 300 * HC_SECOND);
  assert_int_equal(a.flags, HC_TASK_NO_LIMIT);
  choices.no_limit = HC_NO_LIMIT_ENDLESS;
  assert_int_equal(admit_row(NO_LIMIT, choices, &a, &why), 1);
  assert_int_equal(a.estimate, HC_NEVER);
  assert_int_equal(a.run, 300 * HC_SECOND);
  choices.no_limit = HC_NO_LIMIT_ASSUME;
  choices.assumed_limit = 250 * HC_SECOND;
  assert_int_equal(admit_row(NO_LIMIT, choices, &a, &why), 1);
  assert_int_equal(a.run, 250 * HC_SECOND); /* and it is a limit */
  assert_true(a.killed);
}

static void test_zero_length(void **state)
{
  hc_arrival a;
  hc_reason why;
  HC_UNUSED(state);
  assert_int_equal(admit_row(ZERO, (hc_admission){.zero_length = HC_ZERO_KEEP}, &a, &why), 1);
  assert_int_equal(a.run, 0);
  assert_int_equal(admit_row(ZERO, (hc_admission){.zero_length = HC_ZERO_SECOND}, &a, &why), 1);
  assert_int_equal(a.run, HC_SECOND);
  assert_int_equal(admit_row(ZERO, (hc_admission){.zero_length = HC_ZERO_DROP}, &a, &why), 0);
  assert_int_equal(why, HC_REASON_ZERO_LENGTH);
}

static void test_too_large(void **state)
{
  hc_arrival a;
  hc_reason why;
  HC_UNUSED(state);
  assert_int_equal(admit_row(USED4_ASKED8, (hc_admission){.capacity = 8}, &a, &why), 1);
  assert_int_equal(a.flags, 0);
  assert_int_equal(admit_row(USED4_ASKED8, (hc_admission){.capacity = 7}, &a, &why), 0);
  assert_int_equal(why, HC_REASON_TOO_LARGE);
  assert_int_equal(
      admit_row(USED4_ASKED8, (hc_admission){.capacity = 7, .too_large = HC_LARGE_CLAMP}, &a, &why), 1);
  assert_int_equal(a.units, 7);
  assert_int_equal(a.flags, HC_TASK_CLAMPED);
  assert_int_equal(
      admit_row(USED4_ASKED8, (hc_admission){.capacity = 7, .too_large = HC_LARGE_ERROR}, &a, &why),
      HC_EINPUT);
}

static void test_cancelled(void **state)
{
  const hc_admission withdraw = {.cancelled = HC_CANCELLED_WITHDRAW};
  hc_arrival a;
  hc_reason why;
  HC_UNUSED(state);
  assert_int_equal(admit_row(CANCELLED, (hc_admission){0}, &a, &why), 0);
  assert_int_equal(why, HC_REASON_NEVER_RAN);
  assert_int_equal(admit_row(CANCELLED, withdraw, &a, &why), 1);
  assert_int_equal(a.spec.cancel_at, 60 * HC_SECOND); /* submitted at 10, waited 50 */
  assert_int_equal(a.run, HC_NEVER);
  assert_int_equal(a.units, 8);
  assert_int_equal(a.estimate, 200 * HC_SECOND);
  /* How long it waited is not known. */
  assert_int_equal(admit_row("1 10 -1 -1 -1 -1 -1 8 200 -1 5 7 8 9 1 2 -1 -1\n", withdraw, &a, &why), 0);
  assert_int_equal(why, HC_REASON_NEVER_RAN);
  /* Failed or cancelled while it ran: a task like others. */
  assert_int_equal(admit_row("1 10 5 100 4 -1 -1 8 200 -1 5 7 8 9 1 2 -1 -1\n", (hc_admission){0}, &a, &why),
                   1);
  assert_int_equal(admit_row("1 10 5 0 4 -1 -1 8 200 -1 0 7 8 9 1 2 -1 -1\n", (hc_admission){0}, &a, &why),
                   0);
  assert_int_equal(why, HC_REASON_NEVER_RAN);
  /* Without a processor nothing runs, whatever its run time: failed, or cancelled. One that completed did. */
  assert_int_equal(admit_row("1 10 5 100 0 -1 -1 8 200 -1 0 7 8 9 1 2 -1 -1\n", (hc_admission){0}, &a, &why),
                   0);
  assert_int_equal(why, HC_REASON_NEVER_RAN);
  assert_int_equal(admit_row("1 10 5 100 0 -1 -1 8 200 -1 5 7 8 9 1 2 -1 -1\n", (hc_admission){0}, &a, &why),
                   0);
  assert_int_equal(why, HC_REASON_NEVER_RAN);
  assert_int_equal(admit_row("1 10 5 100 0 -1 -1 8 200 -1 1 7 8 9 1 2 -1 -1\n", (hc_admission){0}, &a, &why),
                   1);
}

/* It failed within its first second, and its log knows that it had started: what zero_length says decides. */
static void test_started_for_no_time(void **state)
{
  hc_arrival a = {0};
  hc_reason why;
  hc_error e = {0};
  HC_UNUSED(state);
  a.spec = hc_task_spec_none();
  a.spec.submit = a.spec.run = 0;
  a.spec.procs_used = a.spec.procs_asked = 2;
  a.spec.status = HC_STATUS_FAILED;
  assert_int_equal(hc_admit(&(hc_admission){0}, "x", &a, &why, &e), 0);
  assert_int_equal(why, HC_REASON_NEVER_RAN);
  a.spec.flags = HC_SPEC_STARTED;
  assert_int_equal(hc_admit(&(hc_admission){0}, "x", &a, &why, &e), 1);
  assert_int_equal(a.run, 0);
  assert_int_equal(hc_admit(&(hc_admission){.zero_length = HC_ZERO_SECOND}, "x", &a, &why, &e), 1);
  assert_int_equal(a.run, HC_SECOND);
  assert_int_equal(hc_admit(&(hc_admission){.zero_length = HC_ZERO_DROP}, "x", &a, &why, &e), 0);
  assert_int_equal(why, HC_REASON_ZERO_LENGTH);
}

static void test_capacity_known_later(void **state)
{
  char got[64];
  bench b;
  HC_UNUSED(state);
  set_up(&b, "; MaxProcs: 3\n" ROW(1, 0) "2 1 5 100 3 -1 -1 3 200 -1 1 7 8 9 1 2 -1 -1\n", NULL);
  assert_int_equal(open_bench(&b), 0);
  hc_stream_capacity(b.stream, hc_stream_info(b.stream)->processors);
  ids(&b, got, sizeof got);
  assert_string_equal(got, "2"); /* the first needs four */
  tear_down(&b);
}

/* ---- rejected rows ---- */

typedef struct told {
  const bench *b;
  char text[300];
} told;

/* "1:3 never_ran;": the number of the file, the line in it */
static void note_line(void *ctx, const char *file, uint64_t line, hc_reason why, const char *text)
{
  told *t = ctx;
  const size_t n = strlen(t->text);
  size_t i = 0;
  while (i < t->b->options.source_count && strcmp(t->b->files[i].path, file) != 0) i++;
  snprintf(t->text + n, sizeof t->text - n, "%zu:%llu %s%s;", i, (unsigned long long)line,
           hc_reason_name(why), text ? " text" : "");
}

static void test_rejected_rows_are_told(void **state)
{
  char got[64];
  bench b;
  HC_UNUSED(state);
  /* A second source's rows are told as of its own file, whichever thread reads them. */
  for (int threads = 1; threads <= 2; threads++) {
    told heard = {.b = &b};
    set_up(&b, ROW(1, 0) "1 2 3\n" CANCELLED, ROW(2, 5) CANCELLED ROW(3, 9) "4\n", NULL);
    b.options.threads = threads;
    b.context.rejected = note_line;
    b.context.rejected_ctx = &heard;
    assert_int_equal(open_bench(&b), 0);
    ids(&b, got, sizeof got);
    assert_string_equal(got, "1 2 3");
    assert_true(strstr(heard.text, "0:2 malformed text;") && strstr(heard.text, "0:3 never_ran;"));
    assert_true(strstr(heard.text, "1:2 never_ran;") && strstr(heard.text, "1:4 malformed text;"));
    assert_int_equal(b.ledger.rejections, 4);
    tear_down(&b);
  }
  set_up(&b, ROW(1, 0) CANCELLED, NULL);
  b.context.strict = true;
  assert_int_equal(open_bench(&b), 0);
  ids(&b, got, sizeof got);
  assert_string_equal(got, "1 error");
  assert_int_equal(b.error.line, 2);
  tear_down(&b);
}

/* What a number is called may be said between rows. It is known from the task on before which the reader has
 * come to it, and a thread that reads ahead changes nothing of that: with a window of one row that is the
 * 1001st. A task that the stream looks at before it is taken may be one more. */
static size_t known_from(int threads)
{
  enum { ROWS = 3000, SAID_AFTER = 1000 };
  char *text = test_malloc(ROWS * 64 + 64);
  size_t at = 0, from = 0;
  hc_lexicon *lexicon;
  hc_arrival x;
  bench b;
  for (size_t i = 0; i < ROWS; i++) {
    if (i == SAID_AFTER) at += (size_t)sprintf(text + at, "; Queue: 1 long\n");
    at += (size_t)sprintf(text + at, "%zu %zu 5 100 4 -1 -1 4 200 -1 1 7 8 9 1 2 -1 -1\n", i + 1, 10 * i);
  }
  set_up(&b, text, NULL);
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &lexicon), 0);
  if (threads > 1) hc_lexicon_share(lexicon);
  b.context.lexicon = lexicon;
  b.options.threads = threads;
  b.options.window = 1;
  assert_int_equal(open_bench(&b), 0);
  for (size_t n = 1; hc_stream_next(b.stream, &x, &b.error) == 1; n++) {
    const char *name = hc_lexicon_called(lexicon, HC_CALLED_QUEUE, x.spec.queue);
    if (from == 0 && name) from = n;
    if (name) assert_string_equal(name, "long");
  }
  tear_down(&b);
  hc_lexicon_free(lexicon);
  test_free(text);
  assert_in_range(from, SAID_AFTER, SAID_AFTER + 1);
  return from;
}

static void test_names_between_rows_come_in_their_turn(void **state)
{
  HC_UNUSED(state);
  assert_int_equal(known_from(1), known_from(2));
}

static void test_no_source(void **state)
{
  const hc_source_context c = {.allocator = hc_default_allocator()};
  const hc_stream_options o = {0};
  hc_stream *s;
  hc_error e = {0};
  HC_UNUSED(state);
  assert_int_equal(hc_stream_open(&c, &o, &s, &e), HC_EUSAGE);
}

/* ---- state ---- */

static char *long_trace(size_t n)
{
  char *text = test_malloc(n * 64 + 64);
  size_t at = (size_t)sprintf(text, "; MaxProcs: 64\n");
  for (size_t i = 0; i < n; i++)
    at += (size_t)sprintf(text + at, "%zu %zu 5 100 4 -1 -1 4 200 -1 1 7 8 9 1 2 -1 -1\n", i + 1,
                          10 * i + (i % 7 == 3 ? 0 : 25));
  return text;
}

/* Cut after `cut` tasks, save, load into another stream: what follows is the same. */
static void check_cut(const char *text, size_t cut, size_t window)
{
  bench b, other;
  hc_arrival x, y;
  hc_buffer out;
  hc_rc rc;
  set_up(&b, text, NULL);
  set_up(&other, text, NULL);
  b.options.window = other.options.window = window;
  add_transform(&b, choose(&hc_transform_repeat.component, "times=3", NULL));
  add_transform(&other, choose(&hc_transform_repeat.component, "times=3", NULL));
  assert_int_equal(open_bench(&b), 0);
  assert_int_equal(open_bench(&other), 0);
  for (size_t i = 0; i < cut; i++) assert_int_equal(hc_stream_next(b.stream, &x, &b.error), 1);
  hc_buffer_init(&out, hc_default_allocator());
  hc_visitor save = {.mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = &out};
  assert_int_equal(hc_stream_visit(b.stream, &save, &b.error), 0);
  hc_visitor load = {.mode = HC_VISIT_LOAD,
                     .allocator = hc_default_allocator(),
                     .in = (uint8_t *)out.data,
                     .left = out.size};
  assert_int_equal(hc_stream_visit(other.stream, &load, &other.error), 0);
  assert_int_equal(load.left, 0);
  do {
    rc = hc_stream_next(b.stream, &x, &b.error);
    assert_int_equal(hc_stream_next(other.stream, &y, &other.error), rc);
    if (rc == 1) assert_memory_equal(&x, &y, sizeof x);
  } while (rc == 1);
  assert_int_equal(rc, 0);
  assert_memory_equal(&b.ledger, &other.ledger, sizeof b.ledger);
  hc_buffer_fini(&out);
  tear_down(&b);
  tear_down(&other);
}

static void test_cut_and_resumed(void **state)
{
  char *text = long_trace(200);
  const size_t cuts[] = {0, 1, 57, 199, 200, 201, 430, 600};
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cuts); i++) {
    check_cut(text, cuts[i], 0);
    check_cut(text, cuts[i], 20);
  }
  test_free(text);
}

static void *failing_resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
  int64_t *left = ctx;
  if (new_size > old_size && (*left)-- <= 0) return NULL;
  return hc_default_allocator()->resize(NULL, p, old_size, new_size);
}

static void test_out_of_memory(void **state)
{
  char *text = long_trace(300), got[4096];
  HC_UNUSED(state);
  for (int64_t n = 0; n < 60; n++) { /* each allocation in turn fails: an error, no crash, no leak */
    int64_t left = n;
    const hc_allocator a = {&left, failing_resize, NULL};
    hc_arrival x;
    bench b;
    hc_rc rc;
    set_up(&b, text, NULL);
    b.context.allocator = &a;
    add_transform(&b, choose(&hc_transform_load.component, "to=0.5", NULL));
    rc = open_bench(&b);
    while (rc >= 0 && (rc = hc_stream_next(b.stream, &x, &b.error)) == 1) continue;
    assert_true(rc == 0 || rc == HC_ENOMEM);
    tear_down(&b);
  }
  HC_UNUSED(got);
  test_free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_window_agrees_with_qsort),
      cmocka_unit_test(test_window_saved_and_loaded),
      cmocka_unit_test(test_unsorted_rows),
      cmocka_unit_test(test_beyond_the_window),
      cmocka_unit_test(test_several_sources),
      cmocka_unit_test(test_ledger_balances_at_all_times),
      cmocka_unit_test(test_raw_rows),
      cmocka_unit_test(test_processors),
      cmocka_unit_test(test_overrun),
      cmocka_unit_test(test_no_limit),
      cmocka_unit_test(test_zero_length),
      cmocka_unit_test(test_too_large),
      cmocka_unit_test(test_cancelled),
      cmocka_unit_test(test_started_for_no_time),
      cmocka_unit_test(test_capacity_known_later),
      cmocka_unit_test(test_rejected_rows_are_told),
      cmocka_unit_test(test_names_between_rows_come_in_their_turn),
      cmocka_unit_test(test_no_source),
      cmocka_unit_test(test_cut_and_resumed),
      cmocka_unit_test(test_out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
