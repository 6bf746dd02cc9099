/* fuzz_native.c -- any bytes as the native format: no crash, no endless loop, every row accounted for,
 * nothing kept.
 *
 * An input is up to three files with a line "====" between them: tasks, profiles, jobs. It is read twice, the
 * second time strictly and with other options; and the first time once more from the state in which it was
 * opened. */
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
#include "workload/ledger.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const hc_reader_type hc_reader_native;

static char *member(char *options, const char *name)
{
  const hc_param *p = hc_reader_native.component.params;
  while (p->name && strcmp(p->name, name) != 0) p++;
  check(p->name != NULL, name);
  return options + p->offset;
}

static bool is_unknown_or(int64_t n, int64_t least)
{
  return n == HC_UNKNOWN || n >= least;
}

static void check_task(const hc_task_spec *t, const hc_lexicon *l)
{
  const hc_task_extras *m = hc_lexicon_more(l, t->more);
  check(t->submit == HC_UNKNOWN || t->submit >= 0, "nothing is submitted before time 0");
  check(is_unknown_or(t->run, 0) && t->run < HC_NEVER, "a length is one, or is not known (delay: unknown)");
  check(is_unknown_or(t->hosts, 1), "hosts are some, or are not known (procs alone, nodes_count: unknown)");
  check(is_unknown_or(t->procs_asked, 0) && is_unknown_or(t->memory_asked, 0), "no negative processors");
  check(is_unknown_or(t->procs_used, 0) && is_unknown_or(t->memory_used, 0) && is_unknown_or(t->wait, 0) &&
            is_unknown_or(t->cpu_time, 0) && is_unknown_or(t->think, 0) && t->preceding >= -1 &&
            t->cancel_at >= 0,
        "what was recorded is not negative");
  check(t->status >= HC_STATUS_UNKNOWN && t->status <= HC_STATUS_CANCELLED, "a final state is one");
  for (int d = 0; d < HC_NEEDS; d++) check(t->need[d] == HC_UNKNOWN || t->need[d] >= 0, "no negative demand");
  for (size_t i = 0; m && i < m->chunk_count; i++) check(m->chunks[i].hosts >= 1, "a chunk has hosts");
  for (size_t i = 0; m && i < m->constraint_count; i++) {
    const hc_constraint *c = &m->constraints[i];
    check(c->attribute != HC_NO_NAME, "a constraint has an attribute");
    check(!c->is_text || c->compare <= HC_UNEQUAL, "texts have no order");
    check(i == 0 || c->group - c[-1].group <= 1, "alternatives stand together");
  }
}

/* Read on. @return how many tasks came. */
static uint64_t read_on(hc_source *s, hc_lexicon *l, hc_row_ledger *ledger, hc_rc *rc, hc_error *e)
{
  uint64_t count = 0;
  hc_job job;
  while ((*rc = hc_reader_native.next(s, &job, e)) == 1) {
    check(job.task_count == 1, "an item is a task");
    check_task(&job.tasks[0], l);
    give_back(l, &job.tasks[0]);
    ledger->used++;
    count++;
    check(hc_ledger_balances(ledger), "read = used + rejected");
  }
  return count;
}

/* Again from the begin, by a state that was saved there. */
static void read_again(hc_source *s, hc_lexicon *l, hc_buffer *state, uint64_t count)
{
  hc_error e = {0};
  hc_visitor v = {.calls = &hc_state_calls,
                  .mode = HC_VISIT_LOAD,
                  .allocator = hc_default_allocator(),
                  .in = (const uint8_t *)state->data,
                  .left = state->size};
  check(hc_reader_native.visit(s, &v, &e) == 0, "a state can be loaded");
  for (uint64_t i = 0; i < count; i++) {
    hc_job job;
    check(hc_reader_native.next(s, &job, &e) == 1, "what was read once is read again");
    give_back(l, &job.tasks[0]);
  }
}

static void read_once(char paths[3][64], bool strict)
{
  static const double speed = 1000;
  static const hc_time second = HC_SECOND, hour = HC_HOUR;
  static const int64_t unit = 1, large = (int64_t)1 << 40;
  const char *file = paths[0], *profiles = paths[1], *jobs = paths[2];
  const int choice = strict;
  char *options = calloc(1, hc_reader_native.component.options_size);
  hc_row_ledger ledger = {0};
  hc_lexicon *l = NULL;
  hc_source *s = NULL;
  hc_error e = {0};
  check(hc_lexicon_new(hc_default_allocator(), &l) == 0, "there is memory");
  const hc_source_context c = {
      .allocator = hc_default_allocator(), .ledger = &ledger, .strict = strict, .lexicon = l};
  memcpy(member(options, "file"), &file, sizeof file);
  memcpy(member(options, "profiles"), &profiles, sizeof file);
  memcpy(member(options, "collections"), &jobs, sizeof file);
  memcpy(member(options, "cpu_speed"), &speed, sizeof speed);
  memcpy(member(options, "time_unit"), strict ? &hour : &second, sizeof second);
  memcpy(member(options, "memory_unit"), strict ? &large : &unit, sizeof unit);
  memcpy(member(options, "refers"), &choice, sizeof choice);
  memcpy(member(options, "unknown_keys"), &choice, sizeof choice);
  hc_rc rc = hc_reader_native.open(&c, options, &s, &e);
  if (rc == 0) {
    hc_buffer state;
    hc_buffer_init(&state, hc_default_allocator());
    hc_visitor v = {
        .calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = &state};
    check(hc_reader_native.visit(s, &v, &e) == 0, "a state can be saved");
    const uint64_t count = read_on(s, l, &ledger, &rc, &e);
    if (!strict && rc >= 0)
      read_again(s, l, &state, count); /* else it may be that it cannot be read at all */
    hc_buffer_fini(&state);
    hc_reader_native.close(s);
  }
  check(rc >= 0 || e.text[0] != '\0', "an error says what is wrong");
  check(hc_lexicon_held(l) == 0, "nothing is kept that no task holds");
  hc_lexicon_free(l);
  free(options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char paths[3][64];
  int files[3];
  const int likely = hc_reader_native.recognise("tasks", (const char *)data, size);
  check(likely >= 0 && likely <= 100, "a likelihood is from 0 to 100");
  for (int i = 0; i < 3; i++) {
    const uint8_t *end = i < 2 && size > 0 ? memmem(data, size, "\n====\n", 6) : NULL;
    const size_t n = end ? (size_t)(end - data) + 1 : size;
    files[i] = memfd_create("part", MFD_CLOEXEC);
    if (files[i] < 0 || (n > 0 && write(files[i], data, n) != (ssize_t)n)) abort();
    snprintf(paths[i], sizeof paths[i], "/proc/self/fd/%d", files[i]);
    data += end ? n + 5 : n;
    size -= end ? n + 5 : n;
  }
  read_once(paths, false);
  read_once(paths, true);
  for (int i = 0; i < 3; i++) close(files[i]);
  return 0;
}
