/* fuzz_swim_helios.c -- any bytes as a workload of SWIM and as a table of Helios: no crash, no endless loop,
 * every row accounted for, nothing kept; and each line has a key or says why not. */
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

extern const hc_reader_type hc_reader_swim, hc_reader_helios;

/* Defaults, as far as numbers go. */
static char *make_options(const hc_reader_type *type, const char *path)
{
  char *options = calloc(1, type->component.options_size);
  for (const hc_param *p = type->component.params; p->name; p++) {
    char *at = options + p->offset;
    if (strcmp(p->name, "file") == 0) memcpy(at, &path, sizeof path);
    if (!p->fallback) continue;
    const size_t n = strlen(p->fallback);
    if (p->type == HC_TIME)
      check(hc_parse_time(p->fallback, n, (hc_time *)(void *)at) == 0, "a default is a time");
    if (p->type == HC_SIZE)
      check(hc_parse_size(p->fallback, n, (int64_t *)(void *)at) == 0, "a default is a size");
    if (p->type == HC_REAL)
      check(hc_parse_real(p->fallback, n, (double *)(void *)at) == 0, "a default is a number");
  }
  return options;
}

static void check_task(const hc_task_spec *t)
{
  check(t->submit == HC_UNKNOWN || t->submit >= 0, "nothing is submitted before time 0");
  check(t->run == HC_UNKNOWN || t->run >= 0, "nothing runs for less than nothing");
  check(t->hosts >= 1, "a task has hosts");
  for (int d = 0; d < HC_NEEDS; d++) check(t->need[d] == HC_UNKNOWN || t->need[d] >= 0, "no negative demand");
}

static void read_once(const hc_reader_type *type, const char *path)
{
  char *options = make_options(type, path);
  hc_row_ledger ledger = {0};
  hc_lexicon *l = NULL;
  hc_source *s = NULL;
  hc_error e = {0};
  hc_job job;
  check(hc_lexicon_new(hc_default_allocator(), &l) == 0, "there is memory");
  const hc_source_context c = {.allocator = hc_default_allocator(), .ledger = &ledger, .lexicon = l};
  hc_rc rc = type->open(&c, options, &s, &e);
  while (rc >= 0 && (rc = type->next(s, &job, &e)) == 1) {
    for (uint32_t i = 0; i < job.task_count; i++) {
      check_task(&job.tasks[i]);
      give_back(l, &job.tasks[i]);
      ledger.used++;
    }
    check(hc_ledger_balances(&ledger), "read = used + rejected");
  }
  check(rc >= 0 || e.text[0] != '\0', "an error says what is wrong");
  check(hc_lexicon_held(l) == 0, "nothing is kept that no task holds");
  if (s) type->close(s);
  hc_lexicon_free(l);
  free(options);
}

/* Keys of lines, each in memory of its own. */
static void look_at_lines(const hc_reader_type *type, const uint8_t *data, size_t size)
{
  char *options = make_options(type, "x");
  void *layout = options;
  hc_error e = {0};
  if (!type->line_begin ||
      type->line_begin(hc_default_allocator(), options, (const char *)data, size, &layout, &e) == 0) {
    for (size_t at = 0; at < size;) {
      const uint8_t *end = memchr(data + at, '\n', size - at);
      const size_t n = end ? (size_t)(end - (data + at)) : size - at;
      char *line = malloc(n + 1);
      hc_time submit = -1;
      int64_t id = 0;
      if (!line) abort();
      memcpy(line, data + at, n);
      line[n] = '\0';
      const hc_line_kind kind = type->line_key(layout, line, n, &submit, &id);
      check(kind != HC_LINE_ROW || submit != HC_UNKNOWN, "a row has a key");
      free(line);
      at += n + 1;
    }
    if (type->line_end) type->line_end(hc_default_allocator(), layout);
  } else {
    check(e.text[0] != '\0', "an error says what is wrong");
  }
  free(options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const hc_reader_type *const types[] = {&hc_reader_swim, &hc_reader_helios};
  char path[64];
  const int fd = memfd_create("table", MFD_CLOEXEC);
  if (fd < 0 || (size > 0 && write(fd, data, size) != (ssize_t)size)) abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  for (size_t i = 0; i < HC_ARRAY_LEN(types); i++) {
    const int likely = types[i]->recognise("table", (const char *)data, size);
    check(likely >= 0 && likely <= 100, "a likelihood is from 0 to 100");
    read_once(types[i], path);
    look_at_lines(types[i], data, size);
  }
  close(fd);
  return 0;
}
