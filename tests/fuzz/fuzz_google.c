/* fuzz_google.c -- any bytes as the tables of Google's traces: no crash, no endless loop, no more memory
 * than was allowed, and every row accounted for.
 *
 * A line "%%" begins the next table: events of tasks, then events of jobs, constraints (2011), usage. Each
 * input is read by both readers, in ways that differ in every choice; the last is saved half way and goes
 * on from there, in another reader with another lexicon. Few tasks may be held, so that bounds are met. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/state.h"
#include "base/util.h"
#include "claims.h"
#include "cluster/lexicon.h"
#include "given.h"
#include "workload/google.h"
#include "workload/ledger.h"

#define WAYS 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const hc_reader_type hc_reader_google2011, hc_reader_google2019;

typedef struct tables {
  char path[HC_GOOGLE_TABLES][64]; /* empty: there is none */
  int fd[HC_GOOGLE_TABLES];
} tables;

typedef struct reading {
  const hc_reader_type *type;
  hc_row_ledger ledger;
  hc_source_context context;
  hc_source *source;
  hc_lexicon *lexicon;
  hc_time last;
  hc_error error;
} reading;

/* Both readers' options begin with what they share. */
static void choose(hc_google_choices *o, const tables *t, int way)
{
  static int ends[] = {HC_GOOGLE_FINISH - HC_GOOGLE_EVICT, HC_GOOGLE_KILL - HC_GOOGLE_EVICT, 0},
             merge[] = {0, HC_GOOGLE_FAIL - HC_GOOGLE_EVICT}, without[] = {HC_GOOGLE_LOST};
  const char *path[HC_GOOGLE_TABLES];
  for (int i = 0; i < HC_GOOGLE_TABLES; i++) path[i] = t->path[i][0] ? t->path[i] : NULL;
  *o = (hc_google_choices){.file = path[0],
                           .jobs = path[1],
                           .constraints = path[2],
                           .usage = path[3],
                           .reading = way == 2 && path[3] ? HC_GOOGLE_MEASURED : HC_GOOGLE_REQUESTED,
                           .attempts = way % 3,
                           .updates = way == 3 ? HC_GOOGLE_UPDATES_IN_PLACE : (way + 1) % 3,
                           .initial = way == 1,
                           .unfinished = way == 2,
                           .missing = way == 1,
                           .arrival = way % 2,
                           .amounts = way == 1,
                           .merge = {merge, way == 0 ? 1 : 2},
                           .window = way == 3 ? HC_NEVER : 100 * HC_SECOND,
                           .resubmit = way == 1 ? 0 : 10 * HC_SECOND,
                           .origin = way == 1 ? 5 * HC_SECOND : 0,
                           .time_unit = way == 1 ? HC_US : HC_SECOND,
                           .held = way == 3 ? 1000 : 8,
                           .memory_scale = 1 << 20,
                           .disk_scale = way == 0 ? 1 << 20 : 0,
                           .cpu_scale = 3.5};
  if (way == 1) o->ends = (hc_list){ends, 3};
  if (way == 2) o->without = (hc_list){without, 1};
}

static hc_rc begin(reading *r, const hc_reader_type *type, const hc_google_choices *o)
{
  memset(r, 0, sizeof *r);
  r->type = type;
  check(hc_lexicon_new(hc_default_allocator(), &r->lexicon) == 0, "there is memory for a lexicon");
  r->context =
      (hc_source_context){.allocator = hc_default_allocator(), .ledger = &r->ledger, .lexicon = r->lexicon};
  return type->open(&r->context, o, &r->source, &r->error);
}

static void end(reading *r)
{
  if (r->source) r->type->close(r->source);
  check(hc_lexicon_held(r->lexicon) == 0, "nothing is held that no task needs");
  hc_lexicon_free(r->lexicon);
}

/* Rows that are read and not accounted for yet: one of each task that is held, and those that wait for
 * their time. */
static uint64_t open_rows(const hc_google *g)
{
  uint64_t n = 0;
  for (size_t i = 0; i < g->held.count; i++)
    n += g->held.tasks[i].state != HC_GOOGLE_NO_TASK && g->held.tasks[i].state != HC_GOOGLE_TOLD;
  for (int t = 0; t < HC_GOOGLE_TABLES; t++) n += g->s.waiting[t];
  return n;
}

static uint64_t closed_rows(const hc_row_ledger *l)
{
  uint64_t n = l->used + l->merged;
  for (size_t i = 0; i < HC_REASON_COUNT; i++) n += l->rejected[i];
  return n;
}

static void look_at(reading *r, const hc_task_spec *t, const hc_google_choices *o)
{
  const hc_google *g = (const hc_google *)(const void *)r->source; /* the first member of both */
  const size_t most = 2 * (size_t)o->held + 2;
  r->ledger.used++;
  check(r->ledger.read == closed_rows(&r->ledger) + open_rows(g), "rows are accounted for, or held");
  check(t->submit >= r->last && t->submit != HC_NEVER, "tasks come in order");
  check(t->wait == HC_UNKNOWN || t->wait >= 0, "nothing waits for less than no time");
  check(t->run == HC_UNKNOWN || t->run >= 0, "nothing runs for less than no time");
  check(t->hosts == 1 && t->job >= 0 && t->id >= 0, "it is a task of a job");
  for (int d = 0; d < HC_NEEDS; d++)
    check(t->need[d] == HC_UNKNOWN || t->need[d] >= 0, "no demand is negative");
  check(t->more == 0 || hc_lexicon_more(r->lexicon, t->more), "its rare facts are known");
  check(g->held.s.in_line <= (uint64_t)o->held + 1 && g->held.count <= most, "no more are held than may be");
  check(g->held.line_cap <= 4 * most + 64, "the line is no longer than it need be");
  give_back(r->lexicon, t);
  r->last = t->submit;
}

/* Everything of `from` into a fresh reader. */
static void move(reading *from, reading *to, const hc_google_choices *o)
{
  hc_buffer saved;
  hc_buffer_init(&saved, hc_default_allocator());
  hc_visitor save = {
      .calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = &saved};
  check(hc_lexicon_visit(from->lexicon, &save) == 0, "a lexicon can be saved");
  check(from->type->visit(from->source, &save, &from->error) == 0, "what reads can be saved");
  hc_visitor load = {.calls = &hc_state_calls,
                     .mode = HC_VISIT_LOAD,
                     .allocator = hc_default_allocator(),
                     .in = (const uint8_t *)saved.data,
                     .left = saved.size};
  check(begin(to, from->type, o) == 0, "what was opened can be opened again");
  check(hc_lexicon_visit(to->lexicon, &load) == 0, "a lexicon can be loaded");
  check(to->type->visit(to->source, &load, &to->error) == 0 && load.left == 0,
        "what was saved can be loaded");
  to->ledger = from->ledger;
  to->last = from->last;
  hc_buffer_fini(&saved);
}

static void read_once(const hc_reader_type *type, const tables *t, int way)
{
  hc_google_choices o;
  reading first, second;
  reading *r = &first;
  hc_job job;
  hc_rc rc;
  int tasks = 0;
  choose(&o, t, way);
  rc = begin(r, type, &o);
  while (rc >= 0 && (rc = type->next(r->source, &job, &r->error)) == 1) {
    look_at(r, job.tasks, &o);
    if (++tasks == 3 && way == WAYS - 1) {
      move(&first, &second, &o);
      r = &second;
    }
  }
  check(rc >= 0 || r->error.text[0] != '\0', "an error says what is wrong");
  if (rc == 0) check(hc_ledger_balances(&r->ledger), "read = used + merged + rejected");
  end(r);
  if (r == &second) end(&first);
}

static void sort_lines(const hc_reader_type *type, const char *text, size_t size)
{
  hc_google_choices o;
  tables none = {0};
  hc_error e = {0};
  void *layout = NULL;
  choose(&o, &none, 0);
  if (type->line_begin && type->line_begin(hc_default_allocator(), &o, text, size, &layout, &e) < 0) return;
  for (size_t at = 0; at < size;) {
    const char *end_of_line = memchr(text + at, '\n', size - at);
    const size_t n = end_of_line ? (size_t)(end_of_line - (text + at)) : size - at;
    hc_time submit = -1;
    int64_t id;
    if (type->line_key(layout ? layout : &o, text + at, n, &submit, &id) == HC_LINE_ROW)
      check(submit >= 0, "a row that is sorted has a time");
    at += n + 1;
  }
  if (type->line_end) type->line_end(hc_default_allocator(), layout);
}

/* Where the next table begins, behind a line "%%". */
static size_t table_end(const char *text, size_t size, size_t *next)
{
  for (size_t i = 0; i + 3 <= size; i++) {
    if (memcmp(text + i, "%%\n", 3) != 0 || (i > 0 && text[i - 1] != '\n')) continue;
    *next = i + 3;
    return i;
  }
  *next = size;
  return size;
}

static void write_table(tables *t, int i, const char *text, size_t size)
{
  t->fd[i] = memfd_create("table", MFD_CLOEXEC);
  if (t->fd[i] < 0 || (size > 0 && write(t->fd[i], text, size) != (ssize_t)size)) abort();
  snprintf(t->path[i], sizeof t->path[i], "/proc/self/fd/%d", t->fd[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const hc_reader_type *const types[] = {&hc_reader_google2011, &hc_reader_google2019};
  const char *text = (const char *)data;
  tables t = {0};
  size_t next;
  const size_t events = table_end(text, size, &next);
  for (int i = 0; i < 2; i++) {
    (void)types[i]->recognise("events", text, events);
    sort_lines(types[i], text, events);
  }
  write_table(&t, 0, text, events);
  for (int i = 1; i < HC_GOOGLE_TABLES && next < size; i++) {
    size_t more;
    const size_t n = table_end(text + next, size - next, &more);
    write_table(&t, i, text + next, n);
    next += more;
  }
  for (int i = 0; i < 2; i++) {
    tables own = t;
    if (i == 1) own.path[HC_GOOGLE_TABLE_CONSTRAINTS][0] = '\0'; /* 2019 has no such table */
    for (int way = 0; way < WAYS; way++) read_once(types[i], &own, way);
  }
  for (int i = 0; i < HC_GOOGLE_TABLES; i++)
    if (t.path[i][0]) close(t.fd[i]);
  return 0;
}
