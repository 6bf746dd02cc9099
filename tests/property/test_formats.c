/* test_formats.c -- a workload is written in every format that there is and read back by the reader of the
 * same name.
 *
 * The formats are those of the registry, so that a new writer is covered by being in its list; a table that
 * is read has one. Two things must hold.
 *
 * What is written is read: no row is malformed, and as many tasks come back as the losses that were told
 * allow. A task that lost its several hosts may have become one for each of them; only one whose run,
 * submission or demand was told to be lost may be rejected.
 *
 * What is not lost is equal: of each task is taken away what the format says it loses, until it loses
 * nothing; those that lose what cannot be taken away (a number, a run time, the part of a second) are left
 * out. A run over what is left must be the run over the same tasks in a cache, in everything that happened.
 * Formats without a vector of demands count processors, so they run on a machine that does, with tasks of
 * batch logs; others on hosts, with tasks of data centres.
 *
 * Tasks are drawn; a failure prints the format and the seed. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/math.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/util.h"
#include "cluster/lexicon.h"
#include "cuts.h"
#include "hindcast/hindcast.h"
#include "table/pen.h"
#include "there_and_back.h"

#define TASKS 80
#define SEEDS 6
#define ROUNDS 40 /* each takes something away from a task, or the task */
#define MIB (INT64_C(1) << 20)
#define BIT(name) HC_FACT_BIT(name)
#define DEMAND (BIT(CPU) | BIT(MEMORY) | BIT(GPU) | BIT(PROCS_ASKED) | BIT(PROCS_USED))

/* Of a writer, what it must be told so that it writes all that it can, and what is not asked of it; or why a
 * run over what it wrote is not the run over the same tasks. */
typedef struct advice {
  const char *format, *writing;
  uint64_t without;
  const char *differs;
} advice;
static const advice advices[] = {
    {"csv", "columns=all", BIT(OTHER), NULL}, /* found only where its reader is told every column */
    {"alibaba_v2018", NULL, 0, "the tasks of a job are submitted when the first of them started"},
    {"alibaba_v2018_instances", NULL, BIT(AFTER), NULL}, /* its reader must be told to look at names */
    {"google2011", NULL, BIT(NO_END), NULL}, /* its reader lets it run until the last row of the trace */
    {"google2019", NULL, BIT(NO_END), NULL},
    {"philly", NULL, 0, "nothing is left of most tasks of data centres"},
    {"swim", NULL, 0, "nothing is left of most tasks of data centres"},
};

static const advice *advice_of(const char *format)
{
  static const advice none = {"", NULL, 0, NULL};
  for (size_t i = 0; i < HC_ARRAY_LEN(advices); i++)
    if (strcmp(advices[i].format, format) == 0) return &advices[i];
  return &none;
}

typedef enum kind { BATCH, VECTOR, MIXED } kind;

typedef struct world {
  hc_registry *registry;
  hc_lexicon *lexicon;
  hc_trace_info info;
  hc_draws draws;
  hc_task_spec tasks[TASKS];
  uint64_t lost[TASKS];
  bool left_out[TASKS], is_gone[TASKS];
  char path[64]; /* of what was written last */
} world;

/* ---- tasks ---- */

static int64_t below(world *w, uint64_t n)
{
  return (int64_t)hc_random_below(&w->draws, n);
}

static uint32_t name_of(world *w, const char *text)
{
  return hc_lexicon_name(w->lexicon, text, strlen(text));
}

static void draw_batch(world *w, hc_task_spec *t)
{
  t->procs_asked = 1 + below(w, 8);
  if (below(w, 2)) t->procs_used = t->procs_asked;
  if (below(w, 3) == 0) t->memory_asked = (1 + below(w, 64)) * MIB;
  if (below(w, 4) == 0) t->memory_used = (1 + below(w, 64)) * MIB;
  if (below(w, 4) == 0) t->cpu_time = below(w, 100) * HC_SECOND;
  if (below(w, 2)) t->limit = t->run + below(w, 600) * HC_SECOND;
  if (t->run / HC_SECOND % 4 == 0) t->held = t->run / HC_SECOND % 9 * HC_SECOND;
  t->group = below(w, 3);
  t->queue = below(w, 3);
  t->partition = below(w, 2);
}

static void draw_vector(world *w, hc_task_spec *t)
{
  hc_task_extras m = hc_task_extras_none();
  const hc_constraint models[] = {
      {.attribute = name_of(w, "gpu_model"), .compare = HC_EQUAL, .is_text = 1, .value = name_of(w, "T4")},
      {.attribute = name_of(w, "gpu_model"), .compare = HC_EQUAL, .is_text = 1, .value = name_of(w, "V100")}};
  const hc_after after = {.job = t->job, .task = t->id - 1};
  t->hosts = below(w, 4) == 0 ? 1 + below(w, 3) : 1;
  t->need[HC_DIM_CPU] = 250 * (1 + below(w, 32));
  if (below(w, 2)) t->need[HC_DIM_CPU] = 1000 * (1 + below(w, 8));
  if (below(w, 4)) t->need[HC_DIM_MEMORY] = (1 + below(w, 8192)) * MIB;
  if (below(w, 2)) /* hundredths of a per cent of 512 GiB, as a reader who rounds up has them */
    t->need[HC_DIM_MEMORY] = ((1 + below(w, 999)) * (INT64_C(1) << 39) + 9999) / 10000;
  if (below(w, 8) == 0) t->need[HC_DIM_DISK] = (1 + below(w, 8192)) * MIB;
  if (below(w, 3) == 0)
    t->need[HC_DIM_GPU] = below(w, 2) ? 1000 * (1 + below(w, 2)) : 100 * (1 + below(w, 9));
  if (below(w, 12) == 0) t->need[HC_DIM_OTHER] = 1;
  if (below(w, 5) == 0) t->count = (uint32_t)(2 + below(w, 3));
  if (below(w, 4) == 0) t->priority = below(w, 4);
  if (below(w, 4) == 0) t->queue = 1 + below(w, 3);
  if (t->need[HC_DIM_GPU] > 0 && below(w, 2)) {
    m.constraints = models;
    m.constraint_count = (size_t)(1 + below(w, 2));
  }
  if (t->id > 1 && w->tasks[t->id - 2].job == t->job && below(w, 3) == 0) {
    m.after = &after;
    m.after_count = 1;
  }
  if (below(w, 10) == 0) {
    t->group = m.rival = 100 + below(w, 3);
    m.per_host = 2;
  }
  if (m.constraint_count == 0 && m.after_count == 0 && m.per_host == 0) return;
  t->more = hc_lexicon_keep(w->lexicon, &m);
  assert_true(t->more != 0);
}

static void draw_task(world *w, int i, kind k)
{
  const bool is_batch = k == BATCH || (k == MIXED && below(w, 2));
  hc_task_spec *t = &w->tasks[i];
  *t = hc_task_spec_none();
  t->id = i + 1;
  t->submit = i == 0 ? 60 * HC_SECOND : w->tasks[i - 1].submit + below(w, 40) * HC_SECOND;
  if (below(w, 10) == 0) t->submit += HC_SECOND / 2;
  t->run = (1 + below(w, 300)) * HC_SECOND;
  t->status = below(w, 5) == 0 ? HC_STATUS_FAILED : HC_STATUS_COMPLETED;
  if (below(w, 3) == 0) t->wait = below(w, 60) * HC_SECOND;
  if (below(w, 3) == 0) t->user = below(w, 5);
  if (below(w, 6) == 0) t->executable = 1;
  if (is_batch) {
    draw_batch(w, t);
  } else {
    t->job = 1000 + i / 3;
    draw_vector(w, t);
  }
  if (below(w, 12) == 0) t->flags |= HC_SPEC_NO_END;
  if (t->wait == HC_UNKNOWN && below(w, 12) == 0) t->flags |= HC_SPEC_AT_START;
  if (k == MIXED && below(w, 12) == 0) { /* left the queue */
    t->run = HC_UNKNOWN;
    t->wait = below(w, 100) * HC_SECOND;
    t->status = HC_STATUS_CANCELLED;
    t->flags = 0;
  }
}

static void begin_world(world *w, kind k, uint64_t seed)
{
  memset(w, 0, sizeof *w);
  w->draws = (hc_draws){.seed = seed, .purpose = HC_PURPOSE_TEST};
  w->info = (hc_trace_info){.unix_start = 1577836800, .jobs = HC_UNKNOWN, .records = HC_UNKNOWN};
  assert_int_equal(hc_registry_new(hc_default_allocator(), &w->registry), 0);
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &w->lexicon), 0);
  assert_int_equal(hc_lexicon_dimension(w->lexicon, "rdma", 4), HC_DIM_OTHER);
  for (int i = 0; i < TASKS; i++) draw_task(w, i, k);
  snprintf(w->path, sizeof w->path, "/tmp/hindcast-test-XXXXXX");
  close(mkstemp(w->path));
}

static void end_world(world *w)
{
  for (int i = 0; i < TASKS; i++) hc_lexicon_drop(w->lexicon, w->tasks[i].more);
  hc_lexicon_free(w->lexicon);
  hc_registry_free(w->registry);
  unlink(w->path);
}

/* ---- there ---- */

/* Write those that are not gone, and note what each lost. */
static void write_tasks(world *w, const char *format, const char *path)
{
  hc_buffer text;
  hc_error e = {0};
  hc_trace_writer *out;
  const hc_row_ledger ledger = {0};
  const hc_writer_context c = {.allocator = hc_default_allocator(),
                               .lexicon = w->lexicon,
                               .info = &w->info,
                               .sink = {&text, gather},
                               .ledger = &ledger};
  const char *const writing = advice_of(format)->writing;
  losses before = {0};
  hc_buffer_init(&text, hc_default_allocator());
  check(hc_trace_writer_new(w->registry, format, &writing, writing != NULL, &c, &out, &e), &e);
  for (int i = 0; i < TASKS; i++) {
    const hc_trace_task task = {.spec = w->tasks[i], .serial = i + 1};
    w->lost[i] = 0;
    if (w->is_gone[i]) continue;
    check(hc_trace_writer_task(out, &task, &e), &e);
    w->lost[i] = lost_by_last(&before, out, &w->left_out[i]);
  }
  check(hc_trace_writer_finish(out, &e), &e);
  hc_trace_writer_free(out);
  put_in_file(path, &text);
}

/* ---- and back ---- */

static hc_config *configure(world *w, const char *format, const char *path, const char *cell)
{
  const hc_component *reader = hc_registry_find(w->registry, HC_KIND_READER, format);
  char text[2048];
  hc_error e = {0};
  hc_config *c;
  if (!reader) fail_msg("%s is written, and no reader reads it", format);
  snprintf(text, sizeof text,
           "source: {use: %s, file: \"%s\"%s}\ntransforms: {use: shift}\n%s\npolicy: fcfs+scan\n", format,
           path, all_that_ended(reader), cell);
  check(hc_config_new(hc_default_allocator(), w->registry, &c, &e), &e);
  check(hc_config_text(c, text, strlen(text), format, &e), &e);
  return c;
}

/* ---- what is written is read ---- */

typedef struct census {
  uint64_t least, most; /* tasks that must come back, and that may */
  uint64_t excused;     /* rows that may be rejected */
} census;

static census count_tasks(const world *w)
{
  census c = {0};
  for (int i = 0; i < TASKS; i++) {
    const hc_task_spec *t = &w->tasks[i];
    const uint64_t tasks = t->count > 1 ? t->count : 1, hosts = t->hosts > 1 ? (uint64_t)t->hosts : 1;
    const uint64_t rows = w->lost[i] & BIT(HOSTS) ? tasks * hosts : tasks;
    const bool can_run = t->run != HC_UNKNOWN;
    if (w->left_out[i]) continue;
    if (!can_run || w->lost[i] & (BIT(RUN) | BIT(NO_END) | BIT(SUBMIT) | DEMAND)) c.excused += rows;
    else c.least += tasks;
    if (can_run) c.most += rows;
  }
  return c;
}

static void read_back(world *w, const char *format, uint64_t seed)
{
  const hc_trace_options options = {.mode = HC_TRACE_TASKS};
  hc_config *c = configure(w, format, w->path, "cell: {use: count, procs: 1000}");
  const census want = count_tasks(w);
  const hc_row_ledger *l;
  hc_trace_task task;
  hc_error e = {0};
  hc_trace *t;
  uint64_t got = 0;
  hc_rc rc = hc_trace_open(hc_default_allocator(), c, &options, &t, &e);
  if (rc < 0) fail_msg("%s, seed %llu: %s", format, (unsigned long long)seed, e.text);
  while ((rc = hc_trace_next(t, &task, &e)) == 1) got++;
  if (rc < 0) fail_msg("%s, seed %llu: line %u: %s", format, (unsigned long long)seed, e.line, e.text);
  l = hc_trace_rows(t);
  uint64_t sum = l->used + l->merged;
  for (int i = 0; i < HC_REASON_COUNT; i++) sum += l->rejected[i];
  assert_int_equal(sum, l->read);
  if (l->rejected[HC_REASON_MALFORMED] > 0 || l->rejected[HC_REASON_FILTERED] > 0 ||
      l->rejections > want.excused || got < want.least || got > want.most)
    fail_msg("%s, seed %llu: %llu tasks came back of %llu to %llu; %llu rows rejected (%llu malformed, %llu "
             "filtered), of %llu that may be",
             format, (unsigned long long)seed, (unsigned long long)got, (unsigned long long)want.least,
             (unsigned long long)want.most, (unsigned long long)l->rejections,
             (unsigned long long)l->rejected[HC_REASON_MALFORMED],
             (unsigned long long)l->rejected[HC_REASON_FILTERED], (unsigned long long)want.excused);
  hc_trace_close(t);
  hc_config_free(c);
}

static void test_what_is_written_is_read(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    const hc_component *format;
    world w;
    begin_world(&w, MIXED, seed);
    for (size_t i = 0; (format = hc_registry_at(w.registry, HC_KIND_WRITER, i)) != NULL; i++) {
      write_tasks(&w, format->name, w.path);
      read_back(&w, format->name, seed);
    }
    assert_true(hc_registry_at(w.registry, HC_KIND_WRITER, 0) != NULL);
    end_world(&w);
  }
}

/* ---- what is not lost is equal ---- */

static void strip_more(world *w, hc_task_spec *t, uint64_t lost)
{
  hc_task_extras m = *hc_lexicon_more(w->lexicon, t->more);
  uint32_t more = 0;
  if (lost & BIT(AFTER)) m.after_count = 0;
  if (lost & BIT(CONSTRAINTS)) m.constraint_count = 0;
  if (lost & BIT(RIVALS)) m.per_host = m.per_zone = 0, m.rival = 0;
  if (m.after_count > 0 || m.constraint_count > 0 || m.per_host > 0) more = hc_lexicon_keep(w->lexicon, &m);
  hc_lexicon_drop(w->lexicon, t->more);
  t->more = more;
}

/* Take away what it lost. @return false if that cannot be done */
static bool strip(world *w, hc_task_spec *t, uint64_t lost)
{
  uint64_t left = lost;
#define TAKE(fact, statement) \
  if (lost & BIT(fact)) { \
    statement; \
    left &= ~BIT(fact); \
  }
  if ((lost & BIT(SUBMIT)) && (lost & BIT(WAIT)))
    left &= ~BIT(SUBMIT);                                 /* what is left without a wait is when it started */
  if ((lost & BIT(RUN)) && (t->flags & HC_SPEC_NO_END)) { /* as far as it was seen */
    t->flags &= ~(uint32_t)HC_SPEC_NO_END;
    left &= ~BIT(RUN);
  }
  TAKE(WAIT, t->wait = HC_UNKNOWN)
  TAKE(LIMIT, t->limit = HC_UNKNOWN)
  TAKE(HELD, t->held = HC_UNKNOWN)
  TAKE(CPU_TIME, t->cpu_time = HC_UNKNOWN)
  TAKE(PROCS_USED, t->procs_used = HC_UNKNOWN)
  TAKE(PROCS_ASKED, t->procs_asked = HC_UNKNOWN)
  TAKE(MEMORY_USED, t->memory_used = HC_UNKNOWN)
  TAKE(MEMORY_ASKED, t->memory_asked = HC_UNKNOWN)
  TAKE(USER, t->user = -1)
  TAKE(GROUP, t->group = -1)
  TAKE(EXECUTABLE, t->executable = -1)
  TAKE(QUEUE, t->queue = -1)
  TAKE(PARTITION, t->partition = -1)
  TAKE(PRIORITY, (t->priority = 0, t->queue = -1)) /* which may stand for one */
  TAKE(STATUS, t->status = HC_STATUS_UNKNOWN)
  TAKE(JOB, t->job = -1)
  TAKE(HOSTS, t->hosts = 1)
  TAKE(CPU, t->need[HC_DIM_CPU] = HC_UNKNOWN)
  TAKE(MEMORY, t->need[HC_DIM_MEMORY] = HC_UNKNOWN)
  TAKE(DISK, t->need[HC_DIM_DISK] = HC_UNKNOWN)
  TAKE(GPU, t->need[HC_DIM_GPU] = HC_UNKNOWN)
  TAKE(OTHER, t->need[HC_DIM_OTHER] = HC_UNKNOWN)
  TAKE(BUNDLE, t->count = 0)
  TAKE(SPREAD, t->flags &= ~(uint32_t)HC_SPEC_SPREAD)
  TAKE(AT_START, t->flags &= ~(uint32_t)HC_SPEC_AT_START)
  TAKE(NO_END, t->flags &= ~(uint32_t)HC_SPEC_NO_END)
#undef TAKE
  if (lost & (BIT(AFTER) | BIT(CONSTRAINTS) | BIT(RIVALS))) {
    if (t->more != 0) strip_more(w, t, lost);
    left &= ~(BIT(AFTER) | BIT(CONSTRAINTS) | BIT(RIVALS));
  }
  if (t->procs_asked < 0 && t->procs_used < 0 && t->need[HC_DIM_CPU] < 0 && t->need[HC_DIM_MEMORY] < 0 &&
      t->need[HC_DIM_GPU] < 0)
    return false; /* nothing says what it needs */
  return left == 0;
}

/* Readers of names number them in order of first sight, from 1: so are the numbers here, among those that are
 * left. */
static bool number_anew(int64_t *n, int64_t known[16], size_t *count)
{
  const int64_t was = *n;
  size_t i = 0;
  if (was < 0) return false;
  while (i < *count && known[i] != was) i++;
  if (i == *count) known[(*count)++] = was;
  *n = (int64_t)i + 1;
  return *n != was;
}

static bool number_all(world *w)
{
  int64_t known[4][16];
  size_t count[4] = {0};
  bool changed = false;
  for (int i = 0; i < TASKS; i++) {
    hc_task_spec *t = &w->tasks[i];
    if (w->is_gone[i]) continue;
    changed |= number_anew(&t->user, known[0], &count[0]);
    changed |= number_anew(&t->queue, known[1], &count[1]);
    changed |= number_anew(&t->partition, known[2], &count[2]);
    if (t->more == 0 || hc_lexicon_more(w->lexicon, t->more)->per_host == 0)
      changed |= number_anew(&t->group, known[3], &count[3]);
  }
  return changed;
}

/* @return how many tasks are left, of which nothing is lost; all of them have been written. */
static int strip_all(world *w, const char *format)
{
  for (int round = 0; round < ROUNDS; round++) {
    int kept = 0;
    bool again = false;
    write_tasks(w, format, w->path);
    for (int i = 0; i < TASKS; i++) {
      if (w->is_gone[i]) continue;
      if (w->left_out[i]) again = w->is_gone[i] = true;
      else if (w->lost[i] == 0) kept++;
      else again = true, w->is_gone[i] = !strip(w, &w->tasks[i], w->lost[i]);
    }
    again |= number_all(w);
    if (!again) return kept;
  }
  return 0;
}

static void run_digest(world *w, const char *format, const char *path, const char *cell, char digest[33])
{
  const hc_allocator *a = hc_default_allocator();
  hc_config *c = configure(w, format, path, cell);
  hc_error e = {0};
  hc_store *store;
  hc_result *r;
  hc_run *run;
  hc_rc rc;
  check(hc_store_new(a, NULL, &store, &e), &e);
  check(hc_run_new(a, c, store, &run, &e), &e);
  while ((rc = hc_run_advance(run, HC_NEVER, 1000, &e)) == 1) continue;
  check(rc, &e);
  check(hc_run_finish(run, &e), &e);
  check(hc_result_of_store(store, &r, &e), &e);
  check(hc_result_schedule_digest(r, digest, &e), &e);
  hc_result_free(r);
  hc_run_free(run);
  hc_store_free(store);
  hc_config_free(c);
}

/* The facts that rows can say: of a table they follow from its columns. */
static uint64_t held_by(const hc_writer_type *type)
{
  return type->holds ? type->holds : hc_format_holds(type->table, &type->table->forms[0]);
}

/* @return false if too little is left to compare. */
static bool run_both(const hc_writer_type *type, kind k, uint64_t seed)
{
  static const char *const cells[] = {
      [BATCH] = "cell: {use: count, procs: 24}",
      [VECTOR] =
          "cell: {use: hosts, classes: [{count: 6, name_prefix: t, cpus: 16, memory: 64GiB, disk: 1TiB, "
          "gpus: 4, gpu_model: T4, amounts: [rdma=100]}, {count: 4, name_prefix: v, cpus: 32, memory: "
          "128GiB, disk: 1TiB, gpus: 4, gpu_model: V100, amounts: [rdma=100]}]}"};
  const char *format = type->component.name;
  char there[33], back[33], cache[80];
  world w;
  begin_world(&w, k, seed);
  for (int i = 0; i < TASKS; i++) (void)strip(&w, &w.tasks[i], advice_of(format)->without);
  const int kept = strip_all(&w, format);
  if (kept < TASKS / 10) {
    end_world(&w);
    return false;
  }
  snprintf(cache, sizeof cache, "%s.hct", w.path);
  write_tasks(&w, "cache", cache);
  for (int i = 0; i < TASKS; i++) assert_int_equal(w.lost[i], 0);
  run_digest(&w, "cache", cache, cells[k], there);
  run_digest(&w, format, w.path, cells[k], back);
  if (strcmp(there, back) != 0) {
    char keep[120];
    snprintf(keep, sizeof keep, "%s.%s", w.path, format);
    rename(w.path, keep);
    fail_msg("%s, seed %llu: runs over %s and %s differ", format, (unsigned long long)seed, keep, cache);
  }
  unlink(cache);
  end_world(&w);
  return true;
}

/* The page of a format tells of each column that is looked at, or made by a hook. */
static void check_notes(const struct hc_table_format *f)
{
  for (size_t i = 0; i < f->form_count; i++)
    for (uint32_t k = 0; k < f->forms[i].count; k++) {
      const hc_column *c = &f->forms[i].columns[k];
      const bool is_read = c->how != HC_IS_TEXT && !(c->flags & HC_WRITE_ONLY);
      if (!c->to && !c->note && (is_read || c->put)) fail_msg("%s: %s has no note", f->name, c->titles);
    }
}

/* Whatever is read by its columns is written by them, too, and so is in the tests above. */
static void test_tables_go_both_ways(void **state)
{
  hc_registry *registry;
  const hc_component *reader;
  int tables = 0;
  (void)state;
  assert_int_equal(hc_registry_new(hc_default_allocator(), &registry), 0);
  for (size_t i = 0; (reader = hc_registry_at(registry, HC_KIND_READER, i)) != NULL; i++) {
    const struct hc_table_format *table = ((const hc_reader_type *)(const void *)reader)->table;
    const hc_component *writer = hc_registry_find(registry, HC_KIND_WRITER, reader->name);
    if (!table) continue;
    tables++;
    assert_non_null(writer);
    assert_ptr_equal(((const hc_writer_type *)(const void *)writer)->table, table);
    assert_string_equal(table->name, reader->name);
    check_notes(table);
  }
  assert_true(tables >= 11);
  hc_registry_free(registry);
}

static void test_what_is_not_lost_is_equal(void **state)
{
  hc_registry *registry;
  const hc_component *format;
  (void)state;
  assert_int_equal(hc_registry_new(hc_default_allocator(), &registry), 0);
  for (size_t i = 0; (format = hc_registry_at(registry, HC_KIND_WRITER, i)) != NULL; i++)
    for (uint64_t seed = 1; seed <= SEEDS && !advice_of(format->name)->differs; seed++) {
      const hc_writer_type *type = (const hc_writer_type *)(const void *)format;
      if (!run_both(type, held_by(type) & BIT(CPU) ? VECTOR : BATCH, seed))
        fail_msg("%s, seed %llu: few tasks are left", format->name, (unsigned long long)seed);
    }
  hc_registry_free(registry);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_is_written_is_read),
                                     cmocka_unit_test(test_tables_go_both_ways),
                                     cmocka_unit_test(test_what_is_not_lost_is_equal)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
