/* fuzz_csv.c -- any bytes as a table of jobs: no crash, no endless loop, and every row accounted for.
 *
 * Each input is read with several mappings: by titles, by numbers without a header, with dates, without
 * quotes, as hosts with demands, predecessors and constraints. Cut in the middle and resumed from a
 * snapshot, it gives the same tasks. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/text.h"
#include "base/util.h"
#include "claims.h"
#include "cluster/lexicon.h"
#include "given.h"
#include "workload/ledger.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const hc_reader_type hc_reader_csv;

static char *member(char *options, const char *name)
{
  const hc_param *p = hc_reader_csv.component.params;
  while (p->name && strcmp(p->name, name) != 0) p++;
  check(p->name != NULL, name);
  return options + p->offset;
}

static void set_text(char *options, const char *name, const char *value)
{
  memcpy(member(options, name), &value, sizeof value);
}

static void set_number(char *options, const char *name, int64_t value)
{
  memcpy(member(options, name), &value, sizeof value);
}

static void set_real(char *options, const char *name, double value)
{
  memcpy(member(options, name), &value, sizeof value);
}

static void set_bool(char *options, const char *name, bool value)
{
  memcpy(member(options, name), &value, sizeof value);
}

static void set_list(char *options, const char *name, const char **words, size_t count)
{
  const hc_list list = {.items = words, .count = count};
  memcpy(member(options, name), &list, sizeof list);
}

typedef struct source {
  hc_row_ledger ledger;
  hc_lexicon *lexicon;
  hc_source_context context;
  hc_source *source;
  hc_error error;
} source;

static hc_rc open_source(source *s, const char *options)
{
  memset(s, 0, sizeof *s);
  check(hc_lexicon_new(hc_default_allocator(), &s->lexicon) == 0, "there is memory for names");
  s->context =
      (hc_source_context){.allocator = hc_default_allocator(), .ledger = &s->ledger, .lexicon = s->lexicon};
  const hc_rc rc = hc_reader_csv.open(&s->context, options, &s->source, &s->error);
  if (rc < 0) hc_lexicon_free(s->lexicon);
  return rc;
}

static void close_source(source *s)
{
  hc_reader_csv.close(s->source);
  check(hc_lexicon_held(s->lexicon) == 0, "what was given back is held no more");
  hc_lexicon_free(s->lexicon);
}

static void check_facts(const source *s, const hc_task_spec *t)
{
  const hc_task_extras *m = hc_lexicon_more(s->lexicon, t->more);
  check(t->more == 0 || m, "a handle stands for something");
  check(!m || m->after_count + m->constraint_count > 0, "facts are kept only if there are any");
  check(t->hosts == HC_UNKNOWN || t->hosts >= 1, "at least one host");
  for (int d = 0; d < HC_NEEDS; d++)
    check(t->need[d] == HC_UNKNOWN || t->need[d] >= 0, "no negative amounts");
}

/* Read on to the end, adding what comes to a hash. */
static hc_rc read_rest(source *s, hc_hash *hash)
{
  hc_job job;
  hc_rc rc;
  while ((rc = hc_reader_csv.next(s->source, &job, &s->error)) == 1) {
    const hc_task_spec *t = job.tasks;
    check(job.task_count == 1, "a row is a task");
    check(t->submit == HC_UNKNOWN || t->submit >= 0, "nothing is submitted before time 0");
    check(t->wait == HC_UNKNOWN || t->wait >= 0, "no wait is less than nothing");
    check(t->run == HC_UNKNOWN || t->run >= 0, "nothing runs for less than nothing");
    check(t->procs_asked == HC_UNKNOWN || t->procs_asked >= 0, "no negative processors");
    s->ledger.used++;
    check(hc_ledger_balances(&s->ledger), "read = used + rejected");
    check_facts(s, t);
    hash_task(hash, s->lexicon, t);
    give_back(s->lexicon, t);
  }
  check(rc >= 0 || s->error.text[0] != '\0', "an error says what is wrong");
  return rc;
}

static void read_twice(const char *options)
{
  source whole, part;
  hc_job job;
  hc_hash a, b;
  hc_rc rc = open_source(&whole, options);
  if (rc < 0) {
    check(whole.error.text[0] != '\0', "an error says what is wrong");
    return;
  }
  for (int i = 0; i < 3 && (rc = hc_reader_csv.next(whole.source, &job, &whole.error)) == 1; i++) {
    whole.ledger.used++;
    give_back(whole.lexicon, &job.tasks[0]);
  }
  if (rc == 1 && open_source(&part, options) == 0) {
    hc_buffer saved;
    hc_buffer_init(&saved, hc_default_allocator());
    hc_visitor save = {
        .calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = &saved};
    check(hc_reader_csv.visit(whole.source, &save, &whole.error) == 0, "it can be saved");
    hc_visitor load = {.calls = &hc_state_calls,
                       .mode = HC_VISIT_LOAD,
                       .allocator = hc_default_allocator(),
                       .in = (const uint8_t *)saved.data,
                       .left = saved.size};
    check(hc_reader_csv.visit(part.source, &load, &part.error) == 0, "it can be loaded");
    part.ledger = whole.ledger;
    hc_hash_init(&a);
    hc_hash_init(&b);
    check(read_rest(&whole, &a) == read_rest(&part, &b), "resumed, it ends in the same way");
    check(memcmp(&a, &b, sizeof a) == 0, "resumed, it yields the same tasks");
    check(memcmp(&whole.ledger, &part.ledger, sizeof whole.ledger) == 0, "resumed, it counts the same rows");
    close_source(&part);
    hc_buffer_fini(&saved);
  }
  close_source(&whole);
}

static char *usual(const char *path)
{
  static const char *missing[] = {"", "-1", "NA"}, *completed[] = {"COMPLETED", "1"},
                    *failed[] = {"FAILED", "0"};
  char *o = calloc(1, hc_reader_csv.component.options_size);
  if (!o) abort();
  set_text(o, "file", path);
  set_text(o, "comment", "#");
  set_text(o, "time_format", "seconds");
  set_number(o, "time_unit", HC_SECOND);
  set_number(o, "wait_unit", HC_UNKNOWN);
  set_number(o, "run_unit", HC_UNKNOWN);
  set_number(o, "limit_unit", HC_MINUTE);
  set_number(o, "memory_unit", 1024);
  set_number(o, "disk_unit", 1);
  set_real(o, "cpu_unit", 0.01);
  set_real(o, "gpu_unit", 1);
  set_bool(o, "quotes", true);
  set_list(o, "missing", missing, HC_ARRAY_LEN(missing));
  set_list(o, "completed", completed, HC_ARRAY_LEN(completed));
  set_list(o, "failed", failed, HC_ARRAY_LEN(failed));
  set_list(o, "cancelled", failed, 0);
  return o;
}

/* As a table of a data centre. */
static void read_hosts(const char *path, bool header)
{
  static const char *const columns[] = {"id",  "submit", "run",   "job",         "count",      "hosts", "cpu",
                                        "gpu", "memory", "after", "constraints", "not_before", "disk"};
  static const char *const numbers[] = {"1", "2", "3", "4", "5", "4", "5", "6", "7", "8", "8", "2", "5"};
  static const char *others[] = {"licences=5*7"};
  char *o = usual(path);
  for (size_t c = 0; c < HC_ARRAY_LEN(columns); c++)
    set_text(o, columns[c], header ? columns[c] : numbers[c]);
  if (header) {
    set_text(o, "job", NULL);
    set_bool(o, "spread", true);
  } else {
    set_list(o, "other", others, 1);
  }
  set_bool(o, "header", header);
  read_twice(o);
  free(o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const columns[] = {"id", "submit", "start", "end", "limit", "procs", "user", "status"};
  static const char *const numbers[] = {"1", "2", "3", "4", "5", "6", "7", "8"};
  static const char *const formats[] = {"seconds", "unix", "iso", "%d/%m/%Y %H:%M:%S"};
  char path[64];
  const int fd = memfd_create("table", MFD_CLOEXEC);
  if (fd < 0 || (size > 0 && write(fd, data, size) != (ssize_t)size)) abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  for (int i = 0; i < 4; i++) {
    char *o = usual(path);
    const bool header = i < 2;
    for (size_t c = 0; c < HC_ARRAY_LEN(columns); c++)
      set_text(o, columns[c], header ? columns[c] : numbers[c]);
    set_bool(o, "header", header);
    set_bool(o, "quotes", i != 1);
    set_text(o, "time_format", formats[i]);
    set_text(o, "zone", i == 3 ? "+01:00" : NULL);
    read_twice(o);
    free(o);
  }
  read_hosts(path, true);
  read_hosts(path, false);
  close(fd);
  return 0;
}
