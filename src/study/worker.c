/* worker.c -- a process that carries points out and says what became of them.
 *
 * It is forked from the parent and shares the parsed study with it (copy on write); everything else is its
 * own. What it found goes to its parent in pieces of a few milliseconds, so that neither wakes for each
 * point. If the parent is gone, so is it. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "study/carrier.h"

#define TAPE ((size_t)64 << 20)
#define PIECE ((size_t)1 << 15)
#define PATIENCE_NS UINT64_C(20000000)

static uint64_t clock_ns(clockid_t which)
{
  struct timespec t;
  (void)clock_gettime(which, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool read_all(int fd, void *data, size_t size)
{
  char *p = data;
  while (size > 0) {
    const ssize_t n = read(fd, p, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    p += n;
    size -= (size_t)n;
  }
  return true;
}

static void send_all(int fd, hc_buffer *b)
{
  const char *p = b->data;
  size_t size = b->size;
  if (b->failed) _exit(3);
  while (size > 0) {
    const ssize_t n = write(fd, p, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(3);
    p += n;
    size -= (size_t)n;
  }
  b->size = 0;
}

typedef struct worker {
  hc_study *study;
  hc_runner *runner;
  int from, to;
  volatile hc_worker_sign *sign;
  hc_buffer out;
  uint64_t sent_ns;
  uint64_t told[256]; /* keys of figure sets that the parent has heard of */
  size_t told_count;
} worker;

static void tell_set(worker *w, const hc_figure_set *set)
{
  for (size_t i = 0; i < w->told_count; i++)
    if (w->told[i] == set->key) return;
  hc_record_write(&w->out,
                  (hc_record_head){.kind = HC_RECORD_SET, .set = set->key, .count = (uint32_t)set->count},
                  NULL, set->text, set->text_size);
  if (w->told_count < HC_ARRAY_LEN(w->told)) w->told[w->told_count++] = set->key;
}

static void do_point(worker *w, uint64_t point)
{
  const uint64_t began = clock_ns(CLOCK_MONOTONIC);
  hc_outcome o = {0};
  hc_error e = {0};
  hc_record_head head;
  w->sign->began_ns = began;
  w->sign->began_cpu_ns = w->study->cpu_limit > 0 ? clock_ns(CLOCK_PROCESS_CPUTIME_ID) : 0;
  w->sign->point = point + 1;
  if (hc_runner_point(w->runner, point, &o, &e) < 0) _exit(3);
  w->sign->point = 0;
  head = (hc_record_head){.kind = HC_RECORD_POINT,
                          .point = point,
                          .state = (uint32_t)o.state,
                          .wall_ns = clock_ns(CLOCK_MONOTONIC) - began};
  if (o.state == HC_POINT_DONE) {
    tell_set(w, o.set);
    head.set = o.set->key;
    head.count = (uint32_t)o.set->count;
  }
  hc_record_write(&w->out, head, o.values, o.text, o.text ? strlen(o.text) : 0);
  if (w->out.failed) _exit(3); /* its parent would wait for the rest */
  if (w->out.size >= PIECE || began - w->sent_ns > PATIENCE_NS) {
    send_all(w->to, &w->out);
    w->sent_ns = began;
  }
}

/* A fork inherits the handlers of the command: a signal to the whole group is the parent's to answer. */
static void set_signals(void)
{
  static const int ours[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction ignore = {0}, usual = {0};
  ignore.sa_handler = SIG_IGN;
  usual.sa_handler = SIG_DFL;
  for (size_t i = 0; i < HC_ARRAY_LEN(ours); i++) (void)sigaction(ours[i], &ignore, NULL);
  (void)sigaction(SIGPIPE, &usual, NULL);
#ifdef PR_SET_PDEATHSIG
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

void hc_worker_run(hc_study *s, int from, int to, volatile hc_worker_sign *sign)
{
  worker w = {.study = s, .from = from, .to = to, .sign = sign};
  uint64_t points[512], count;
  hc_error e = {0};
  set_signals();
  hc_buffer_init(&w.out, s->allocator);
  if (hc_runner_new(s, TAPE, &w.runner, &e) < 0) _exit(3);
  w.sent_ns = clock_ns(CLOCK_MONOTONIC);
  for (;;) {
    struct pollfd more = {.fd = from, .events = POLLIN};
    if (w.out.size > 0 && poll(&more, 1, 0) == 0) send_all(to, &w.out); /* nothing to do: say what there is */
    if (!read_all(from, &count, sizeof count) || count > HC_ARRAY_LEN(points)) break;
    if (!read_all(from, points, count * sizeof *points)) break;
    for (uint64_t i = 0; i < count; i++) do_point(&w, points[i]);
  }
  send_all(to, &w.out);
  _exit(0);
}
