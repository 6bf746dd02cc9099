/* fuzz_swf.c -- any bytes as a trace: no crash, no endless loop, and every row accounted for.
 *
 * Each input is read twice: as a log with merging, and as a closed loop whose tasks end at once, with the
 * other columns. What is written of each task is read back as the same. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/util.h"
#include "claims.h"
#include "workload/ledger.h"
#include "workload/stream.h"
#include "workload/swf_row.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const hc_reader_type hc_reader_swf;

static const hc_param *param(const char *name)
{
  const hc_param *p = hc_reader_swf.component.params;
  while (p->name && strcmp(p->name, name) != 0) p++;
  check(p->name != NULL, name);
  return p;
}

static void set_choice(char *options, const char *name, int number)
{
  memcpy(options + param(name)->offset, &number, sizeof number);
}

static void check_written(const hc_task_spec *t)
{
  hc_task_spec back = {0};
  uint32_t column;
  hc_buffer line;
  hc_buffer_init(&line, hc_default_allocator());
  hc_swf_write_spec(&line, t);
  line.data[line.size - 1] = '\0'; /* its newline */
  check(hc_swf_row(line.data, HC_SECOND, false, &back, &column) == 1, "a written row is a row");
  check(back.id == t->id && back.submit == t->submit && back.run == t->run && back.limit == t->limit &&
            back.procs_asked == t->procs_asked && back.user == t->user,
        "a written row reads back");
  hc_buffer_fini(&line);
}

static void read_once(const char *path, bool loop)
{
  char *options = calloc(1, hc_reader_swf.component.options_size);
  const hc_chosen source = {.type = &hc_reader_swf.component, .options = options};
  hc_row_ledger ledger = {0};
  const hc_source_context c = {.allocator = hc_default_allocator(), .ledger = &ledger};
  const hc_stream_options o = {.sources = &source, .source_count = 1, .window = 64, .raw = !loop};
  const int64_t ahead = 32;
  const hc_time second = HC_SECOND;
  hc_stream *s = NULL;
  hc_error e = {0};
  hc_arrival a;
  hc_rc rc;
  memcpy(options + param("file")->offset, &path, sizeof path);
  memcpy(options + param("ahead")->offset, &ahead, sizeof ahead);
  memcpy(options + param("time_unit")->offset, &second, sizeof second);
  set_choice(options, "follow", loop);
  set_choice(options, "partial", loop);
  set_choice(options, "columns", loop);
  set_choice(options, "missing_predecessor", loop);
  rc = hc_stream_open(&c, &o, &s, &e);
  while (rc >= 0 && (rc = hc_stream_next(s, &a, &e)) == 1) {
    check_written(&a.spec);
    check(hc_ledger_balances(&ledger), "read = used + merged + rejected");
    const hc_feedback f = {.id = a.spec.id, .end = a.spec.submit, .completed = true};
    if (loop) rc = hc_stream_feedback(s, 0, &f, &e);
  }
  check(rc != 2, "nothing waits for a task that has ended");
  check(rc >= 0 || e.text[0] != '\0', "an error says what is wrong");
  check(rc < 0 || hc_ledger_balances(&ledger), "read = used + merged + rejected, at the end");
  hc_stream_close(s);
  free(options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char path[64];
  const int fd = memfd_create("trace", MFD_CLOEXEC);
  if (fd < 0 || (size > 0 && write(fd, data, size) != (ssize_t)size)) abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  read_once(path, false);
  read_once(path, true);
  close(fd);
  return 0;
}
