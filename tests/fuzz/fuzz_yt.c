/* fuzz_yt.c -- any bytes as operations of YTsaurus: no crash, no endless loop, every row accounted for,
 * nothing kept.
 *
 * Each input is read as operations, as they come and shifted to the start, and as node groups. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/util.h"
#include "claims.h"
#include "cluster/lexicon.h"
#include "given.h"
#include "workload/ledger.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const hc_reader_type hc_reader_yt_operations;
extern const hc_cell_type hc_cell_yt_nodes;

static char *member(char *options, const char *name)
{
  const hc_param *p = hc_reader_yt_operations.component.params;
  while (p->name && strcmp(p->name, name) != 0) p++;
  check(p->name != NULL, name);
  return options + p->offset;
}

static void check_task(const hc_task_spec *t, const hc_lexicon *l)
{
  const hc_task_extras *m = hc_lexicon_more(l, t->more);
  check(t->submit >= 0 && t->run >= 0 && t->run < HC_NEVER, "times are times");
  check(t->hosts == 1 && t->priority >= 1, "a job needs one host and has a weight");
  for (size_t i = 0; m && i < m->after_count; i++)
    check(m->after[i].job == t->job && m->after[i].task < t->id, "a bucket waits for those before it");
}

static void read_once(const char *path, bool shift)
{
  static const double unit = 1;
  char *options = calloc(1, hc_reader_yt_operations.component.options_size);
  hc_row_ledger ledger = {0};
  hc_lexicon *l = NULL;
  hc_source *s = NULL;
  hc_error e = {0};
  hc_job job;
  check(hc_lexicon_new(hc_default_allocator(), &l) == 0, "there is memory");
  const hc_source_context c = {.allocator = hc_default_allocator(), .ledger = &ledger, .lexicon = l};
  memcpy(member(options, "file"), &path, sizeof path);
  memcpy(member(options, "shift_operations_to_start"), &shift, sizeof shift);
  memcpy(member(options, "weight_unit"), &unit, sizeof unit);
  hc_rc rc = hc_reader_yt_operations.open(&c, options, &s, &e);
  while (rc >= 0 && (rc = hc_reader_yt_operations.next(s, &job, &e)) == 1) {
    check_task(&job.tasks[0], l);
    give_back(l, &job.tasks[0]);
    ledger.used++;
    check(hc_ledger_balances(&ledger), "read = used + rejected");
  }
  check(rc >= 0 || e.text[0] != '\0', "an error says what is wrong");
  check(hc_lexicon_held(l) == 0, "nothing is kept that no task holds");
  if (s) hc_reader_yt_operations.close(s);
  hc_lexicon_free(l);
  free(options);
}

static void *arena_alloc(void *arena, size_t size)
{
  return hc_arena_alloc(arena, size);
}

static void read_nodes(const char *path)
{
  hc_arena arena;
  hc_lexicon *l = NULL;
  hc_cell_spec spec = {0};
  hc_error e = {0};
  hc_arena_init(&arena, hc_default_allocator());
  check(hc_lexicon_new(hc_default_allocator(), &l) == 0, "there is memory");
  const hc_cell_context c = {
      .allocator = hc_default_allocator(), .alloc = arena_alloc, .arena = &arena, .lexicon = l};
  const hc_rc rc = hc_cell_yt_nodes.describe(&c, &path, &spec, &e);
  check(rc >= 0 || e.text[0] != '\0', "an error says what is wrong");
  check(rc < 0 || spec.units > 0, "a cell has hosts");
  hc_lexicon_free(l);
  hc_arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char path[64];
  const int fd = memfd_create("log", MFD_CLOEXEC);
  if (fd < 0 || (size > 0 && write(fd, data, size) != (ssize_t)size)) abort();
  const int likely = hc_reader_yt_operations.recognise("log", (const char *)data, size);
  check(likely >= 0 && likely <= 100, "a likelihood is from 0 to 100");
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  read_once(path, false);
  read_once(path, true);
  if (size < 4096) read_nodes(path); /* a count may ask for millions */
  close(fd);
  return 0;
}
