/* fuzz_philly.c -- any bytes as a job log of Philly: no crash, no endless loop, every row accounted for,
 * nothing kept.
 *
 * Each input is read with each choice of attempts, once with the zone of the log and then with none. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/util.h"
#include "claims.h"
#include "cluster/lexicon.h"
#include "given.h"
#include "workload/ledger.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const hc_reader_type hc_reader_philly;

static char *member(char *options, const char *name)
{
  const hc_param *p = hc_reader_philly.component.params;
  while (p->name && strcmp(p->name, name) != 0) p++;
  check(p->name != NULL, name);
  return options + p->offset;
}

static void check_task(const hc_task_spec *t, const hc_lexicon *l)
{
  const hc_task_extras *m = hc_lexicon_more(l, t->more);
  check(t->submit == HC_UNKNOWN || t->submit >= 0, "nothing is submitted before time 0");
  check(t->run == HC_UNKNOWN || t->run >= 0, "nothing runs for less than nothing");
  check(t->wait == HC_UNKNOWN || t->wait >= 0, "nothing waits for less than nothing");
  check(t->hosts == HC_UNKNOWN || (t->hosts >= 1 && t->need[HC_DIM_GPU] >= HC_DEVICE), "a host has GPUs");
  check(!m || (m->chunk_count >= 1 && m->chunk_count < HC_DEVICES), "chunks differ in their GPUs");
}

static void read_once(const char *path, int attempts, const char *zone)
{
  static const int64_t gpus = 8, memory = (int64_t)1 << 50;
  static const hc_time minute = HC_MINUTE;
  static const double cpus = 0.3;
  char *options = calloc(1, hc_reader_philly.component.options_size);
  hc_row_ledger ledger = {0};
  hc_lexicon *l = NULL;
  hc_source *s = NULL;
  hc_error e = {0};
  hc_job job;
  check(hc_lexicon_new(hc_default_allocator(), &l) == 0, "there is memory");
  const hc_source_context c = {.allocator = hc_default_allocator(), .ledger = &ledger, .lexicon = l};
  memcpy(member(options, "file"), &path, sizeof path);
  memcpy(member(options, "zone"), &zone, sizeof zone);
  memcpy(member(options, "attempts"), &attempts, sizeof attempts);
  memcpy(member(options, "gpus_per_host"), &gpus, sizeof gpus);
  memcpy(member(options, "memory_per_gpu"), &memory, sizeof memory);
  memcpy(member(options, "cpus_per_gpu"), &cpus, sizeof cpus);
  memcpy(member(options, "time_unit"), &minute, sizeof minute);
  hc_rc rc = hc_reader_philly.open(&c, options, &s, &e);
  while (rc >= 0 && (rc = hc_reader_philly.next(s, &job, &e)) == 1) {
    check_task(&job.tasks[0], l);
    give_back(l, &job.tasks[0]);
    ledger.used++;
    check(hc_ledger_balances(&ledger), "read = used + rejected");
  }
  check(rc >= 0 || e.text[0] != '\0', "an error says what is wrong");
  check(hc_lexicon_held(l) == 0, "nothing is kept that no task holds");
  if (s) hc_reader_philly.close(s);
  hc_lexicon_free(l);
  free(options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char path[64];
  const int fd = memfd_create("log", MFD_CLOEXEC);
  if (fd < 0 || (size > 0 && write(fd, data, size) != (ssize_t)size)) abort();
  const int likely = hc_reader_philly.recognise("log", (const char *)data, size);
  check(likely >= 0 && likely <= 100, "a likelihood is from 0 to 100");
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  for (int i = 0; i < 3; i++) read_once(path, i, i == 0 ? "America/Los_Angeles" : NULL);
  close(fd);
  return 0;
}
