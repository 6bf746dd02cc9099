/* bare_easy.c LOG PROCESSORS -- EASY over a log and nothing else: how fast a simulation of it can be at all.
 *
 * The log is plain SWF in the order of arrival, each job with processors, run time and request. No line is
 * checked, nothing is named, kept for others or written; the queue is an array that is scanned, running tasks
 * are an array in the order of their expected ends. It prints the mean wait, which bench/paths holds against
 * that of `hindcast run LOG --policy easy`. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIELDS = 18, SHORTEST_LINE = 2 * FIELDS };

typedef struct job {
  int64_t submit, run, limit, start;
  int64_t processors;
} job;

typedef struct event { /* a job's end */
  int64_t at;
  size_t job;
} event;

typedef struct expected { /* processors that come back */
  int64_t at, processors;
} expected;

static job *jobs;
static size_t job_count;
static event *ends; /* a heap */
static size_t end_count;
static expected *running; /* by time */
static size_t running_count;
static size_t *queue;
static size_t queue_head, queue_end;
static int64_t now, free_processors;

/* ---- the log ---- */

static const char *number(const char *s, int64_t *out)
{
  const bool is_negative = *s == '-';
  int64_t value = 0;
  for (s += is_negative; *s >= '0' && *s <= '9'; s++) value = value * 10 + (*s - '0');
  *out = is_negative ? -value : value;
  return s;
}

static bool read_log(const char *path)
{
  const int file = open(path, O_RDONLY);
  struct stat about;
  if (file < 0 || fstat(file, &about) != 0) return false;
  const size_t size = (size_t)about.st_size;
  const char *s = mmap(NULL, size + 1, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0), *end = s + size;
  (void)close(file);
  jobs = malloc((size / SHORTEST_LINE + 1) * sizeof *jobs);
  if (s == MAP_FAILED || !jobs) return false;
  for (; s < end; s++) {
    int64_t field[FIELDS] = {0};
    for (int i = 0; i < FIELDS && *s != ';' && *s != '\n'; i++) {
      while (*s == ' ') s++;
      s = number(s, &field[i]);
    }
    const bool is_job = *s != ';';
    while (s < end && *s != '\n') s++;
    if (!is_job) continue;
    const int64_t limit = field[8] > 0 ? field[8] : field[3], run = field[3] < limit ? field[3] : limit;
    jobs[job_count++] = (job){
        .submit = field[1], .run = run, .limit = limit, .processors = field[7] > 0 ? field[7] : field[4]};
  }
  return true;
}

/* ---- ends, and what is expected of them ---- */

static void add_end(int64_t at, size_t j)
{
  size_t i = end_count++;
  for (; i > 0 && ends[(i - 1) / 2].at > at; i = (i - 1) / 2) ends[i] = ends[(i - 1) / 2];
  ends[i] = (event){at, j};
}

static event take_end(void)
{
  const event first = ends[0], last = ends[--end_count];
  size_t i = 0;
  for (size_t child; (child = 2 * i + 1) < end_count; i = child) {
    if (child + 1 < end_count && ends[child + 1].at < ends[child].at) child++;
    if (ends[child].at >= last.at) break;
    ends[i] = ends[child];
  }
  ends[i] = last;
  return first;
}

static void expect(int64_t at, int64_t processors)
{
  size_t i = running_count++;
  for (; i > 0 && running[i - 1].at > at; i--) running[i] = running[i - 1];
  running[i] = (expected){at, processors};
}

static void forget(int64_t at, int64_t processors)
{
  size_t i = 0, beyond = running_count;
  while (i < beyond) {
    const size_t middle = (i + beyond) / 2;
    if (running[middle].at < at) i = middle + 1;
    else beyond = middle;
  }
  while (running[i].processors != processors) i++;
  memmove(&running[i], &running[i + 1], (--running_count - i) * sizeof *running);
}

/* ---- EASY ---- */

static void start(size_t j)
{
  jobs[j].start = now;
  free_processors -= jobs[j].processors;
  expect(now + jobs[j].limit, jobs[j].processors);
  add_end(now + jobs[j].run, j);
}

/* Behind the head, which does not fit: jobs that end before it is to start, or take what it leaves then. */
static void backfill(void)
{
  const int64_t needs = jobs[queue[queue_head]].processors;
  int64_t then_free = free_processors, shadow;
  size_t i = 0, kept = queue_head + 1;
  while (then_free < needs) then_free += running[i++].processors;
  shadow = running[i - 1].at;
  for (; i < running_count && running[i].at == shadow; i++) then_free += running[i].processors;
  int64_t extra = then_free - needs;
  for (i = queue_head + 1; i < queue_end; i++) {
    const job *x = &jobs[queue[i]];
    const bool is_short = now + x->limit <= shadow;
    if (x->processors <= free_processors && (is_short || x->processors <= extra)) {
      if (!is_short) extra -= x->processors;
      start(queue[i]);
    } else queue[kept++] = queue[i];
  }
  queue_end = kept;
}

static void simulate(void)
{
  for (size_t next = 0; next < job_count || end_count > 0;) {
    now = end_count > 0 && (next >= job_count || ends[0].at <= jobs[next].submit) ? ends[0].at
                                                                                  : jobs[next].submit;
    while (end_count > 0 && ends[0].at == now) {
      const job *x = &jobs[take_end().job];
      free_processors += x->processors;
      forget(x->start + x->limit, x->processors);
    }
    for (; next < job_count && jobs[next].submit == now; next++) queue[queue_end++] = next;
    while (queue_head < queue_end && jobs[queue[queue_head]].processors <= free_processors)
      start(queue[queue_head++]);
    if (queue_end - queue_head > 1 && free_processors > 0) backfill();
  }
}

int main(int argc, char **argv)
{
  double waited = 0;
  if (argc != 3 || !read_log(argv[1])) {
    (void)fprintf(stderr, "usage: bare_easy LOG PROCESSORS; LOG is plain SWF\n");
    return 2;
  }
  free_processors = strtoll(argv[2], NULL, 10);
  ends = malloc((job_count + 1) * sizeof *ends);
  running = malloc((job_count + 1) * sizeof *running);
  queue = malloc((job_count + 1) * sizeof *queue);
  if (!ends || !running || !queue) return 1;
  simulate();
  for (size_t i = 0; i < job_count; i++) waited += (double)(jobs[i].start - jobs[i].submit);
  (void)printf("%zu jobs, mean wait %.3f s\n", job_count, job_count ? waited / (double)job_count : 0.0);
  return 0;
}
