/* fuzz_workflow.c -- any bytes as a workflow: no crash, no endless loop, an error has a text and, of what
 * is read, tasks wait for tasks that are there and no task for itself.
 *
 * Each input is read as DAX and as WfCommons, with profiles and without. */
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
#include "execution/book.h"
#include "hindcast/workload.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const hc_reader_type hc_reader_dax, hc_reader_wfcommons;

static void set(const hc_component *c, char *options, const char *name, const void *value, size_t size)
{
  const hc_param *p = c->params;
  while (p->name && strcmp(p->name, name) != 0) p++;
  check(p->name != NULL, name);
  memcpy(options + p->offset, value, size);
}

static void check_task(const hc_task_spec *t, hc_lexicon *l, int64_t *last)
{
  const hc_task_extras *m = t->more ? hc_lexicon_more(l, t->more) : NULL;
  check(t->id > *last, "tasks have ascending ids");
  *last = t->id;
  check(t->run >= 0 && t->run < HC_NEVER, "a task has a length");
  check(t->need[HC_DIM_CPU] > 0, "a task has cores");
  for (size_t i = 0; m && i < m->after_count; i++)
    check(m->after[i].task != t->id, "no task waits for itself");
  for (size_t i = 0; m && i < m->output_count; i++)
    check(m->outputs[i].bytes >= 0, "what is made has a size");
  hc_lexicon_drop_handle(l, t->more);
  hc_lexicon_drop_handle(l, t->label);
}

static void read_once(const hc_reader_type *type, const char *path, bool keeps)
{
  char *options = calloc(1, type->component.options_size);
  hc_row_ledger ledger = {0};
  const hc_book book = {.speed = 1000};
  hc_lexicon *l = NULL;
  hc_source *s = NULL;
  hc_error e = {0};
  hc_job job;
  const int64_t one = 1;
  const hc_time second = HC_SECOND;
  int64_t last = 0;
  check(hc_lexicon_new(hc_default_allocator(), &l) == 0, "there is memory");
  const hc_source_context c = {
      .allocator = hc_default_allocator(), .ledger = &ledger, .lexicon = l, .profiles = keeps ? &book : NULL};
  set(&type->component, options, "file", &path, sizeof path);
  set(&type->component, options, "job", &one, sizeof one);
  set(&type->component, options, "time_unit", &second, sizeof second);
  hc_rc rc = type->open(&c, options, &s, &e);
  while (rc >= 0 && (rc = type->next(s, &job, &e)) == 1)
    for (uint32_t i = 0; i < job.task_count; i++) check_task(&job.tasks[i], l, &last);
  check(rc >= 0 || e.text[0] != '\0', "an error says what is wrong");
  if (s) type->close(s);
  hc_lexicon_free(l);
  free(options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char path[64];
  const int fd = memfd_create("workflow", MFD_CLOEXEC);
  if (fd < 0 || (size > 0 && write(fd, data, size) != (ssize_t)size)) abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  for (int keeps = 0; keeps < 2; keeps++) {
    read_once(&hc_reader_dax, path, keeps != 0);
    read_once(&hc_reader_wfcommons, path, keeps != 0);
  }
  close(fd);
  return 0;
}
