/* bench_alibaba.c -- what a row of Alibaba's trace of 2018 costs its reader: opening the file to the last task, nothing
 * done with it. Rows are made here, in the published form and with like lengths, and read from memory.
 *
 * The budget of the fast way is 55 ns for a row of 80 characters. "lines" is what it costs to find their ends. */
#define _GNU_SOURCE
#include "bench.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/input.h"
#include "cluster/lexicon.h"
#include "hindcast/workload.h"
#include "options.h"

#define ROWS 500000

extern const hc_reader_type hc_reader_alibaba_v2018, hc_reader_alibaba_v2018_instances;

typedef struct work {
  const hc_reader_type *type; /* NULL: lines */
  char path[64];
  uint64_t checksum;
} work;

static uint64_t next_random(uint64_t *seed)
{
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *seed >> 33;
}

/* As the trace has them: some tasks are named by a text of 20 characters, most by numbers. */
static int put_instance(char *p, uint64_t *seed, int i, const char *end)
{
  const unsigned long long id = next_random(seed) % 100000000, job = next_random(seed) % 4200000;
  const unsigned cpu = 1 + (unsigned)next_random(seed) % 130, more = (unsigned)next_random(seed) % 100;
  const unsigned memory = 1 + (unsigned)next_random(seed) % 40, start = 86400 + (unsigned)i / 1700;
  char task[40];
  if (next_random(seed) % 8 == 0)
    snprintf(task, sizeof task, "task_Nzg3ODAwNDgzMTAwNTc%06u==", (unsigned)next_random(seed) % 1000000);
  else
    snprintf(task, sizeof task, "R%u_%u", 2 + (unsigned)next_random(seed) % 9,
             1 + (unsigned)next_random(seed) % 2);
  return sprintf(p, "ins_%llu,%s,j_%llu,%u,Terminated,%u,%u,m_%u,1,1,%u,%u,0.%02u,0.%02u%s", id, task, job,
                 1 + (unsigned)next_random(seed) % 12, start, start + (unsigned)next_random(seed) % 120,
                 1 + (unsigned)next_random(seed) % 4034, cpu, cpu + more, memory, memory + more / 5, end);
}

static int put_task(char *p, uint64_t *seed, int i, const char *end)
{
  const unsigned number = (unsigned)i % 4, start = 86400 + (unsigned)i / 4;
  char after[24] = "";
  if (number > 0) snprintf(after, sizeof after, "_%u", 1 + (unsigned)next_random(seed) % number);
  return sprintf(p, "R%u%s,%u,j_%d,%u,Terminated,%u,%u,100,0.%02u%s", number + 1, after,
                 1 + (unsigned)next_random(seed) % 100, i / 4, 1 + (unsigned)next_random(seed) % 12, start,
                 start + (unsigned)next_random(seed) % 120, 1 + (unsigned)next_random(seed) % 99, end);
}

/* A file in memory. @return its length, 0 on failure */
static size_t make_file(work *w, int (*put)(char *, uint64_t *, int, const char *), const char *end)
{
  const int fd = memfd_create("rows", MFD_CLOEXEC);
  char *block = malloc(1 << 20);
  uint64_t seed = 1;
  size_t size = 0, used = 0;
  bool failed = fd < 0 || !block;
  for (int i = 0; i < ROWS && !failed; i++) {
    used += (size_t)put(block + used, &seed, i, end);
    if (used < (1 << 20) - 512 && i + 1 < ROWS) continue;
    failed = write(fd, block, used) != (ssize_t)used;
    size += used;
    used = 0;
  }
  free(block);
  snprintf(w->path, sizeof w->path, "/proc/self/fd/%d", fd);
  return failed ? 0 : size;
}

static int64_t read_lines(work *w)
{
  hc_input *in;
  char *line;
  size_t n;
  const int64_t begin = bench_now();
  if (hc_input_open(hc_default_allocator(), w->path, &in, NULL) < 0) return -1;
  while (hc_input_line(in, &line, &n, NULL) == 1) w->checksum += n;
  hc_input_free(in);
  return bench_now() - begin;
}

static int64_t read_tasks(void *ctx)
{
  work *w = ctx;
  hc_row_ledger ledger = {0};
  hc_lexicon *l = NULL;
  hc_source *s = NULL;
  hc_error e = {0};
  hc_job job;
  uint64_t rows = 0;
  hc_rc rc = 0;
  if (!w->type) return read_lines(w);
  char file[sizeof w->path + 8];
  (void)snprintf(file, sizeof file, "file=%s", w->path);
  char *options = bench_options(&w->type->component, (const char *const[]){file, NULL});
  if (!options || hc_lexicon_new(hc_default_allocator(), &l) < 0) rc = HC_ENOMEM;
  const hc_source_context c = {.allocator = hc_default_allocator(), .ledger = &ledger, .lexicon = l};
  const int64_t begin = bench_now();
  if (rc == 0) rc = w->type->open(&c, options, &s, &e);
  while (rc >= 0 && (rc = w->type->next(s, &job, &e)) == 1) {
    for (uint32_t i = 0; i < job.task_count; i++) {
      const hc_task_spec *t = &job.tasks[i];
      w->checksum +=
          (uint64_t)(t->id + t->job + t->submit + t->run + t->need[HC_DIM_CPU] + t->need[HC_DIM_MEMORY]);
      if (t->more) hc_lexicon_drop(l, t->more);
    }
    rows += job.task_count;
  }
  const int64_t took = bench_now() - begin;
  if (s) w->type->close(s);
  hc_lexicon_free(l);
  free(options);
  if (rc < 0 || rows != ROWS) printf("%llu rows, %s\n", (unsigned long long)rows, e.text);
  return rc < 0 || rows != ROWS ? -1 : took;
}

int main(void)
{
  static const struct {
    const char *name, *end;
    const hc_reader_type *type;
    int (*put)(char *, uint64_t *, int, const char *);
  } cases[] = {
      {"alibaba, instances, lines alone", "\n", NULL, put_instance},
      {"alibaba, instances", "\n", &hc_reader_alibaba_v2018_instances, put_instance},
      {"alibaba, instances, the general way", "\r\n", &hc_reader_alibaba_v2018_instances, put_instance},
      {"alibaba, tasks with their DAG", "\n", &hc_reader_alibaba_v2018, put_task},
  };
  int status = 0;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    work w = {.type = cases[i].type};
    const size_t size = make_file(&w, cases[i].put, cases[i].end);
    char unit[64];
    const int64_t least = size > 0 ? bench_min(7, read_tasks, &w) : -1;
    snprintf(unit, sizeof unit, "row of %.0f characters (checksum %llx)", (double)size / ROWS,
             (unsigned long long)w.checksum);
    if (least < 0) status = 1;
    bench_print(cases[i].name, (double)least / ROWS, unit);
  }
  return status;
}
