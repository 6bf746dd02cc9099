/* fuzz_gwf.c -- any bytes as a Grid Workload Format: no crash, no endless loop, and every row accounted
 * for.
 *
 * Each input is read as each of the dialects, by the one that recognises it, and with its dependencies
 * honoured. */
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
#include "workload/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const hc_reader_type hc_reader_gwf;

static char *member(char *options, const char *name)
{
  const hc_param *p = hc_reader_gwf.component.params;
  while (p->name && strcmp(p->name, name) != 0) p++;
  check(p->name != NULL, name);
  return options + p->offset;
}

static void read_once(const char *path, int dialect)
{
  char *options = calloc(1, hc_reader_gwf.component.options_size);
  const hc_chosen source = {.type = &hc_reader_gwf.component, .options = options};
  hc_row_ledger ledger = {0};
  const hc_source_context c = {.allocator = hc_default_allocator(), .ledger = &ledger};
  const hc_stream_options o = {.sources = &source, .source_count = 1, .window = 64, .raw = dialect != 0};
  hc_stream *s = NULL;
  hc_error e = {0};
  hc_arrival a;
  hc_rc rc;
  memcpy(member(options, "file"), &path, sizeof path);
  memcpy(member(options, "dialect"), &dialect, sizeof dialect);
  rc = hc_stream_open(&c, &o, &s, &e);
  while (rc >= 0 && (rc = hc_stream_next(s, &a, &e)) == 1) {
    const hc_task_spec *t = &a.spec;
    check(t->submit == HC_UNKNOWN || t->submit >= 0, "nothing is submitted before time 0");
    check(t->run == HC_UNKNOWN || t->run >= 0, "nothing runs for less than nothing");
    check(t->procs_used == HC_UNKNOWN || t->procs_used >= 0, "no negative processors");
    check(hc_ledger_balances(&ledger), "read = used + rejected");
  }
  check(rc >= 0 || e.text[0] != '\0', "an error says what is wrong");
  check(rc < 0 || hc_ledger_balances(&ledger), "read = used + rejected, at the end");
  hc_stream_close(s);
  free(options);
}

/* Row by row, since what a row holds is given back at once. */
static void honour(const char *path)
{
  char *options = calloc(1, hc_reader_gwf.component.options_size);
  const int yes = 1;
  hc_lexicon *lexicon = NULL;
  hc_source *s = NULL;
  hc_error e = {0};
  hc_job job;
  hc_rc rc;
  check(hc_lexicon_new(hc_default_allocator(), &lexicon) == 0, "there is memory for names");
  const hc_source_context c = {.allocator = hc_default_allocator(), .lexicon = lexicon};
  memcpy(member(options, "file"), &path, sizeof path);
  memcpy(member(options, "dependencies"), &yes, sizeof yes);
  rc = hc_reader_gwf.open(&c, options, &s, &e);
  while (rc >= 0 && (rc = hc_reader_gwf.next(s, &job, &e)) == 1) {
    const hc_task_extras *m = hc_lexicon_more(lexicon, job.tasks[0].more);
    check(!m || m->after_count > 0, "facts are kept only if there are any");
    give_back(lexicon, &job.tasks[0]);
  }
  check(rc >= 0 || e.text[0] != '\0', "an error says what is wrong");
  if (s) hc_reader_gwf.close(s);
  check(hc_lexicon_held(lexicon) == 0, "what was given back is held no more");
  hc_lexicon_free(lexicon);
  free(options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char path[64];
  const int fd = memfd_create("trace", MFD_CLOEXEC);
  if (fd < 0 || (size > 0 && write(fd, data, size) != (ssize_t)size)) abort();
  const int likely = hc_reader_gwf.recognise("trace", (const char *)data, size);
  check(likely >= 0 && likely <= 100, "a likelihood is from 0 to 100");
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  for (int dialect = 0; dialect < 3; dialect++) read_once(path, dialect);
  honour(path);
  close(fd);
  return 0;
}
