/* fuzz_logs.c -- any bytes as accounting records of batch systems: no crash, no endless loop, and every row
 * accounted for.
 *
 * Each input is read twice by each reader that knows it, or by all of them if none does: with every choice at
 * its first word, and with the other words, in a zone with daylight saving. The second is saved half way, and
 * goes on from there. Arrays are long by nature, so reading stops after a number of tasks. */
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
#include "workload/ledger.h"
#include "workload/stream.h"

#define ENOUGH 20000 /* tasks */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LOGS(X) \
  X(sacct) \
  X(jobcomp) \
  X(squeue) \
  X(squeue_json) \
  X(scontrol_jobs) \
  X(sacct_json) \
  X(slurmdbd) \
  X(ub_events) \
  X(pbs) \
  X(sge) \
  X(lsf) \
  X(loadleveler) \
  X(pseudo_cluster)

#define X(name) extern const hc_reader_type hc_reader_##name;
LOGS(X)
#undef X

static const hc_reader_type *const readers[] = {
#define X(name) &hc_reader_##name,
    LOGS(X)
#undef X
};

/* Set what this reader has. */
static void set(const hc_reader_type *r, char *options, const char *name, const void *value, size_t size)
{
  const hc_param *p = r->component.params;
  while (p->name && strcmp(p->name, name) != 0) p++;
  if (p->name) memcpy(options + p->offset, value, size);
}

static void set_choice(const hc_reader_type *r, char *options, const char *name, int number)
{
  set(r, options, name, &number, sizeof number);
}

static void save_and_load(hc_stream *s, hc_error *e)
{
  hc_buffer saved;
  hc_buffer_init(&saved, hc_default_allocator());
  hc_visitor save = {
      .calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = &saved};
  check(hc_stream_visit(s, &save, e) == 0, "what reads can be saved");
  hc_visitor load = {.calls = &hc_state_calls,
                     .mode = HC_VISIT_LOAD,
                     .allocator = hc_default_allocator(),
                     .in = (const uint8_t *)saved.data,
                     .left = saved.size};
  check(hc_stream_visit(s, &load, e) == 0 && load.left == 0, "what was saved can be loaded");
  hc_buffer_fini(&saved);
}

static void read_once(const hc_reader_type *r, const char *path, bool other)
{
  char *options = calloc(1, r->component.options_size);
  const hc_chosen source = {.type = &r->component, .options = options};
  const char *zone = "Europe/Berlin";
  const int64_t ahead = 16;
  const hc_time limit = HC_DAY;
  hc_row_ledger ledger = {0};
  const hc_source_context c = {.allocator = hc_default_allocator(), .ledger = &ledger};
  const hc_stream_options o = {.sources = &source, .source_count = 1, .window = 32, .raw = !other};
  hc_stream *s = NULL;
  hc_error e = {0};
  hc_arrival a;
  hc_time last = 0;
  hc_rc rc;
  int tasks = 0;
  set(r, options, "file", &path, sizeof path);
  set(r, options, "ahead", &ahead, sizeof ahead);
  set(r, options, "partition_limit", &limit, sizeof limit);
  if (other) {
    static const char *const choices[] = {"layout", "units", "wait_from", "run_from", "requeues", "demand"};
    set(r, options, "zone", &zone, sizeof zone);
    for (size_t i = 0; i < HC_ARRAY_LEN(choices); i++) set_choice(r, options, choices[i], 1);
  }
  rc = hc_stream_open(&c, &o, &s, &e);
  while (rc >= 0 && tasks < ENOUGH && (rc = hc_stream_next(s, &a, &e)) == 1) {
    check(hc_ledger_balances(&ledger), "read = used + merged + rejected");
    check(a.spec.submit == HC_UNKNOWN || a.spec.submit >= 0, "no time is negative");
    check(a.spec.submit == HC_UNKNOWN || a.spec.submit >= last, "tasks come in order");
    check(a.spec.wait == HC_UNKNOWN || a.spec.wait >= 0, "nothing waits for less than no time");
    check(a.spec.run == HC_UNKNOWN || a.spec.run >= 0, "nothing runs for less than no time");
    if (a.spec.submit != HC_UNKNOWN) last = a.spec.submit;
    tasks++;
    if (other && (tasks == 2 || tasks == 5)) save_and_load(s, &e);
  }
  check(rc >= 0 || e.text[0] != '\0', "an error says what is wrong");
  hc_stream_close(s);
  free(options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char path[64];
  const int fd = memfd_create("records", MFD_CLOEXEC);
  if (fd < 0 || (size > 0 && write(fd, data, size) != (ssize_t)size)) abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  bool known = false;
  for (int all = 0; all < 2 && !known; all++)
    for (size_t i = 0; i < HC_ARRAY_LEN(readers); i++) {
      if (!all && readers[i]->recognise("records", (const char *)data, size) == 0) continue;
      known = true;
      read_once(readers[i], path, false);
      read_once(readers[i], path, true);
    }
  close(fd);
  return 0;
}
