/* bench_cache.c -- ns per task to write a workload and to read it back: the cache beside the text formats.
 *
 * Two workloads of 200,000 tasks: a batch log as the archives have them (14 columns with values), and tasks
 * of a data centre with a vector, a job, and one in eight with predecessors. Written to nowhere, and read
 * from a file that is in memory. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"
#include "cluster/lexicon.h"
#include "hindcast/workload.h"
#include "options.h"

enum { TASKS = 200000 };

extern const hc_writer_type hc_writer_cache, hc_writer_swf, hc_writer_alibaba_v2018_instances,
    hc_writer_google2011;
extern const hc_reader_type hc_reader_cache;

typedef struct setting {
  const hc_writer_type *type;
  const hc_trace_task *tasks;
  hc_lexicon *lexicon;
  int fd; /* -1: nowhere */
} setting;

static hc_rc drop(void *ctx, const void *data, size_t size)
{
  const int fd = *(const int *)ctx;
  if (fd < 0) return 0;
  return write(fd, data, size) == (ssize_t)size ? 0 : HC_EIO;
}

static uint64_t next(uint64_t *x)
{
  *x ^= *x << 13;
  *x ^= *x >> 7;
  *x ^= *x << 17;
  return *x;
}

static void make_batch(hc_trace_task *tasks)
{
  uint64_t x = 88172645463325252u;
  hc_time now = 0;
  for (int i = 0; i < TASKS; i++) {
    hc_task_spec *t = &tasks[i].spec;
    *t = hc_task_spec_none();
    now += (hc_time)(next(&x) % 120) * HC_SECOND;
    t->id = i + 1;
    t->line = (uint64_t)i + 20;
    t->submit = now;
    t->wait = (hc_time)(next(&x) % 20000) * HC_SECOND;
    t->run = (hc_time)(next(&x) % 86400) * HC_SECOND;
    t->limit = (hc_time)(next(&x) % 96 + 1) * 900 * HC_SECOND;
    t->procs_asked = t->procs_used = (int64_t)1 << next(&x) % 9;
    t->memory_asked = (int64_t)(next(&x) % 4096) << 20;
    t->status = next(&x) % 10 ? HC_STATUS_COMPLETED : HC_STATUS_FAILED;
    t->user = (int64_t)(next(&x) % 300);
    t->group = t->user / 10;
    t->executable = (int64_t)(next(&x) % 1000);
    t->queue = (int64_t)(next(&x) % 5);
    tasks[i].serial = i;
  }
}

static void make_vectors(hc_trace_task *tasks, hc_lexicon *l)
{
  uint64_t x = 1234567u;
  make_batch(tasks);
  for (int i = 0; i < TASKS; i++) {
    hc_task_spec *t = &tasks[i].spec;
    t->procs_asked = t->procs_used = t->memory_asked = t->limit = HC_UNKNOWN;
    t->executable = t->queue = -1;
    t->job = i / 8;
    t->id = i % 8 + 1;
    t->need[HC_DIM_CPU] = (int64_t)(next(&x) % 16 + 1) * 500;
    t->need[HC_DIM_MEMORY] = (int64_t)(next(&x) % 640) << 28;
    if (i % 8 != 7) continue;
    const hc_after after[2] = {{.job = t->job, .task = 1}, {.job = t->job, .task = 2}};
    hc_task_extras m = hc_task_extras_none();
    m.after = after;
    m.after_count = 2;
    t->more = hc_lexicon_keep(l, &m);
  }
}

static int64_t write_all(void *ctx)
{
  const setting *s = ctx;
  const hc_writer_context c = {
      .allocator = hc_default_allocator(), .lexicon = s->lexicon, .sink = {(void *)(uintptr_t)&s->fd, drop}};
  hc_error e = {0};
  hc_writer *w;
  hc_rc rc;
  const int64_t begin = bench_now();
  char *options = bench_options(&s->type->component, NULL);
  if (!options || s->type->open(&c, options, &w, &e) < 0) return -1;
  rc = 0;
  for (int i = 0; i < TASKS && rc >= 0; i++) {
    uint64_t lost = hc_task_facts(&s->tasks[i].spec, s->lexicon) & ~s->type->holds;
    rc = s->type->task(w, &s->tasks[i], &lost, &e);
  }
  if (rc >= 0) rc = s->type->finish(w, &e);
  s->type->close(w);
  free(options);
  return rc < 0 ? -1 : bench_now() - begin;
}

typedef struct reading {
  const char *path;
  hc_lexicon *lexicon;
} reading;

static int64_t read_all(void *ctx)
{
  const reading *r = ctx;
  const hc_source_context c = {.allocator = hc_default_allocator(), .lexicon = r->lexicon};
  char file[80];
  (void)snprintf(file, sizeof file, "file=%s", r->path);
  char *options = bench_options(&hc_reader_cache.component, (const char *const[]){file, NULL});
  hc_source *s;
  hc_error e = {0};
  hc_job job;
  int count = 0;
  const int64_t begin = bench_now();
  if (!options || hc_reader_cache.open(&c, options, &s, &e) < 0) return -1;
  while (hc_reader_cache.next(s, &job, &e) == 1) {
    count += (int)job.task_count;
    for (uint32_t i = 0; i < job.task_count; i++)
      if (job.tasks[i].more) hc_lexicon_drop(r->lexicon, job.tasks[i].more);
  }
  hc_reader_cache.close(s);
  free(options);
  return count == TASKS ? bench_now() - begin : -1;
}

static int bench_one(const char *name, int64_t (*run)(void *), void *ctx)
{
  char text[100];
  const int64_t least = bench_min(5, run, ctx);
  (void)snprintf(text, sizeof text, "cache, %s", name);
  bench_print(text, (double)least / TASKS, "task");
  return least < 0;
}

static int both(const char *name, const hc_trace_task *tasks, hc_lexicon *l)
{
  char text[100], path[64];
  setting s = {.type = &hc_writer_cache, .tasks = tasks, .lexicon = l, .fd = -1};
  reading r = {.path = path, .lexicon = l};
  int status;
  (void)snprintf(text, sizeof text, "write, %s", name);
  status = bench_one(text, write_all, &s);
  s.fd = memfd_create("cache", MFD_CLOEXEC);
  (void)snprintf(path, sizeof path, "/proc/self/fd/%d", s.fd);
  if (s.fd < 0 || write_all(&s) < 0) return 1;
  (void)snprintf(text, sizeof text, "read, %s", name);
  status |= bench_one(text, read_all, &r);
  (void)printf("cache, bytes per task, %s: %.1f\n", name, (double)lseek(s.fd, 0, SEEK_END) / TASKS);
  (void)close(s.fd);
  return status;
}

int main(void)
{
  static hc_trace_task batch[TASKS], vectors[TASKS];
  setting s = {.fd = -1};
  hc_lexicon *l;
  int status;
  if (hc_lexicon_new(hc_default_allocator(), &l) < 0) return 1;
  make_batch(batch);
  make_vectors(vectors, l);
  status = both("batch log", batch, l);
  status |= both("vectors and a graph", vectors, l);
  s.lexicon = l;
  s.tasks = batch;
  s.type = &hc_writer_swf;
  status |= bench_one("write swf", write_all, &s);
  s.tasks = vectors;
  s.type = &hc_writer_alibaba_v2018_instances;
  status |= bench_one("write alibaba_v2018_instances", write_all, &s);
  s.type = &hc_writer_google2011;
  status |= bench_one("write google2011", write_all, &s);
  for (int i = 0; i < TASKS; i++) hc_lexicon_drop(l, vectors[i].spec.more);
  hc_lexicon_free(l);
  return status;
}
