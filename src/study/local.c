/* local.c -- the carrier `local`: worker processes on this machine.
 *
 * Processes and not threads, because a component that crashes, hangs or runs out of memory shall cost one
 * point. Each worker has two pipes and a page of shared memory on which it says what it is about. Points are
 * given out in pieces of some 30 ms, one ahead, so that no worker waits; a worker that dies or passes a limit
 * is replaced, the point that it was about is recorded, and what it had before it and was not heard of is
 * given out again. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "study/carrier.h"

#define PIECE_NS 30e6
#define GIVEN 512
#define JOBS 1024
#define READ_SIZE ((size_t)1 << 16)
#define IDLE_DEATHS 20 /* of workers that were about no point: then something else is wrong */

typedef struct slot {
  pid_t pid; /* 0: none */
  int to, from;
  volatile hc_worker_sign *sign;
  hc_buffer in;
  uint64_t given[GIVEN]; /* in the order in which they will come back */
  size_t given_count;
  const char *killed; /* why it was killed: a limit; NULL */
} slot;

typedef struct yard {
  hc_task_list *t;
  slot *slots;
  size_t count;
  hc_worker_sign *signs;
  uint64_t *again; /* points to be given out once more */
  size_t again_count, again_cap;
  double mean_ns; /* of a point */
  unsigned idle_deaths;
  uint64_t looked_ns, told_ns;
} yard;

static uint64_t now_ns(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- birth and death of workers ---- */

/* Pipes of other workers would keep these alive when the parent is gone. */
static void close_others(const yard *y)
{
  for (size_t i = 0; i < y->count; i++) {
    if (y->slots[i].pid == 0) continue;
    (void)close(y->slots[i].to);
    (void)close(y->slots[i].from);
  }
  (void)close(hc_journal_file(y->t->journal)); /* and its lock */
}

static hc_rc start(yard *y, slot *w, hc_error *e)
{
  int down[2] = {-1, -1}, up[2] = {-1, -1};
  pid_t pid = -1;
  *w->sign = (hc_worker_sign){0};
  if (pipe(down) == 0 && pipe(up) == 0) pid = fork();
  if (pid == 0) {
    close_others(y);
    (void)close(down[1]);
    (void)close(up[0]);
    hc_worker_run(y->t->study, down[0], up[1], w->sign);
  }
  if (pid < 0) {
    const int why = errno;
    for (int i = 0; i < 2; i++) {
      if (down[i] >= 0) (void)close(down[i]);
      if (up[i] >= 0) (void)close(up[i]);
    }
    return hc_fail(e, HC_EIO, "study", 0, 0, "cannot start a worker process: %s; try fewer jobs (-j)",
                   strerror(why));
  }
  (void)close(down[0]);
  (void)close(up[1]);
  w->pid = pid;
  w->to = down[1];
  w->from = up[0];
  w->in.size = 0;
  w->given_count = 0;
  w->killed = NULL;
  return 0;
}

static void bury(slot *w, int *status)
{
  if (w->pid == 0) return;
  (void)close(w->to);
  (void)close(w->from);
  while (waitpid(w->pid, status, 0) < 0 && errno == EINTR) continue;
  w->pid = 0;
}

static void stop_all(yard *y)
{
  int status;
  for (size_t i = 0; i < y->count; i++) {
    if (y->slots[i].pid > 0) (void)kill(y->slots[i].pid, SIGKILL);
    bury(&y->slots[i], &status);
    hc_buffer_fini(&y->slots[i].in);
  }
}

/* ---- what a worker's end means ---- */

void hc_worker_end_text(int status, char *out, size_t size)
{
  static const struct {
    int number;
    const char *name;
  } known[] = {{SIGSEGV, "a bad access to memory"}, {SIGABRT, "it gave up by itself"},
               {SIGFPE, "bad arithmetic"},          {SIGILL, "a bad instruction"},
               {SIGBUS, "a bad access to memory"},  {SIGKILL, "killed from outside"}};
  const char *name = "";
  if (!WIFSIGNALED(status)) {
    (void)snprintf(out, size, "its process ended with status %d", WEXITSTATUS(status));
    return;
  }
  for (size_t i = 0; i < HC_ARRAY_LEN(known); i++)
    if (known[i].number == WTERMSIG(status)) name = known[i].name;
  (void)snprintf(out, size, "its process ended by signal %d%s%s%s", WTERMSIG(status), name[0] ? " (" : "",
                 name, name[0] ? ")" : "");
}

static hc_rc record_loss(yard *y, uint64_t point, hc_point_state state, const char *text, uint64_t wall,
                         hc_error *e)
{
  hc_buffer b;
  hc_rc rc;
  hc_buffer_init(&b, y->t->study->allocator);
  hc_record_write(&b,
                  (hc_record_head){.kind = HC_RECORD_POINT, .point = point, .state = state, .wall_ns = wall},
                  NULL, text, strlen(text));
  rc = b.failed ? HC_ENOMEM : hc_task_take(y->t, b.data, b.size, e);
  hc_buffer_fini(&b);
  return rc;
}

/* Its pipe is closed: what it was about is lost, what it had been given besides is for others. */
static hc_rc lost(yard *y, slot *w, hc_error *e)
{
  const uint64_t about = w->sign->point, wall = now_ns() - w->sign->began_ns;
  const bool is_open = about > 0 && y->t->offset[about - 1] == 0;
  const char *killed = w->killed;
  char text[160];
  int status = 0;
  bury(w, &status);
  w->killed = NULL;
  if (is_open && killed) TRY(record_loss(y, about - 1, HC_POINT_LATE, killed, wall, e));
  if (is_open && !killed) {
    hc_worker_end_text(status, text, sizeof text);
    TRY(record_loss(y, about - 1, HC_POINT_CRASHED, text, wall, e));
  }
  if (!is_open && ++y->idle_deaths > IDLE_DEATHS)
    return hc_fail(e, HC_EIO, "study", 0, 0,
                   "worker processes keep dying between points: is there memory enough? Try fewer jobs (-j)");
  for (size_t i = 0; i < w->given_count; i++) {
    if (y->t->offset[w->given[i]] != 0) continue;
    TRY(hc_reserve(y->t->study->allocator, (void **)&y->again, &y->again_cap, y->again_count + 1,
                   sizeof *y->again));
    y->again[y->again_count++] = w->given[i];
  }
  w->given_count = 0;
  return 0;
}

/* ---- giving ---- */

static size_t next_points(yard *y, uint64_t *points, size_t cap)
{
  size_t n = 0;
  while (n < cap && y->again_count > 0) points[n++] = y->again[--y->again_count];
  return n > 0 ? n : hc_task_give(y->t, points, cap);
}

static size_t piece(const yard *y)
{
  const uint64_t left = (y->t->end - y->t->at) / (2 * y->count) + 1; /* so that all end together */
  double n = y->mean_ns > 0 ? PIECE_NS / y->mean_ns : 1;
  if (n > GIVEN / 2) n = GIVEN / 2;
  return (size_t)HC_MAX(HC_MIN((uint64_t)n, left), 1);
}

/* @return 1: it has work. */
static hc_rc feed(yard *y, slot *w, hc_error *e)
{
  uint64_t message[1 + GIVEN];
  const size_t n = piece(y);
  size_t got;
  if (w->killed || w->given_count >= n) return w->given_count > 0;
  got = next_points(y, message + 1, HC_MIN(n, GIVEN - w->given_count));
  if (got == 0) return w->given_count > 0;
  if (w->pid == 0) TRY(start(y, w, e));
  memcpy(w->given + w->given_count, message + 1, got * sizeof *message);
  w->given_count += got;
  message[0] = got;
  (void)!write(w->to, message,
               (got + 1) * sizeof *message); /* a worker that is gone shows at its other pipe */
  return 1;
}

/* ---- taking ---- */

static hc_rc take_records(yard *y, slot *w, hc_error *e)
{
  size_t used = 0, points = 0;
  uint64_t wall = 0;
  for (;;) {
    hc_record r = {0};
    const hc_rc rc = hc_record_look(w->in.data + used, w->in.size - used, &r);
    if (rc < 0) return hc_fail(e, HC_EIO, "study", 0, 0, "a worker process said what cannot be understood");
    if (rc == 0) break;
    points += r.head.kind == HC_RECORD_POINT;
    wall += r.head.wall_ns;
    used += r.size;
  }
  if (used == 0) return 0;
  TRY(hc_task_take(y->t, w->in.data, used, e));
  memmove(w->in.data, w->in.data + used, w->in.size - used);
  w->in.size -= used;
  points = HC_MIN(points, w->given_count);
  memmove(w->given, w->given + points, (w->given_count - points) * sizeof *w->given);
  w->given_count -= points;
  if (points > 0) {
    const double mean = (double)wall / (double)points;
    y->mean_ns = y->mean_ns > 0 ? y->mean_ns * 0.7 + mean * 0.3 : mean;
  }
  return 0;
}

static hc_rc hear(yard *y, slot *w, hc_error *e)
{
  char data[READ_SIZE];
  const ssize_t n = read(w->from, data, sizeof data);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return 0;
  if (n <= 0) return lost(y, w, e);
  hc_buffer_add(&w->in, data, (size_t)n);
  return w->in.failed ? HC_ENOMEM : take_records(y, w, e);
}

/* ---- limits ---- */

static double cpu_seconds(const slot *w)
{
  struct timespec t;
  clockid_t clock;
  if (clock_getcpuclockid(w->pid, &clock) != 0 || clock_gettime(clock, &t) != 0) return 0;
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9 - (double)w->sign->began_cpu_ns / 1e9;
}

/* Stopped, it cannot go on to the next point between the look and the blow. */
static bool is_still_about(const slot *w, uint64_t about)
{
  siginfo_t info;
  (void)kill(w->pid, SIGSTOP);
  while (waitid(P_PID, (id_t)w->pid, &info, WSTOPPED | WEXITED | WNOWAIT) != 0 && errno == EINTR) continue;
  if (w->sign->point == about) return true;
  (void)kill(w->pid, SIGCONT);
  return false;
}

static void check_limits(yard *y, uint64_t now)
{
  const hc_study *s = y->t->study;
  for (size_t i = 0; i < y->count; i++) {
    slot *w = &y->slots[i];
    const uint64_t about = w->sign->point, began = w->sign->began_ns;
    const char *why = NULL;
    if (w->pid == 0 || w->killed || about == 0) continue;
    if (s->time_limit > 0 && now > began && (double)(now - began) / 1e9 > s->time_limit)
      why = "it passed the limit of time of a point (limits.time)";
    else if (s->cpu_limit > 0 && cpu_seconds(w) > s->cpu_limit)
      why = "it passed the limit of processor time of a point (limits.cpu)";
    if (!why || !is_still_about(w, about)) continue;
    (void)kill(w->pid, SIGKILL);
    w->killed = why;
  }
}

/* ---- the whole ---- */

/* @return 1: a worker has work; 0: nothing is left of this wave. */
static hc_rc turn(yard *y, hc_error *e)
{
  struct pollfd files[JOBS];
  slot *of[JOBS];
  nfds_t n = 0;
  bool busy = false;
  uint64_t now;
  for (size_t i = 0; i < y->count; i++) {
    const hc_rc rc = feed(y, &y->slots[i], e);
    if (rc < 0) return rc;
    busy |= rc == 1;
    if (y->slots[i].pid == 0) continue;
    files[n] = (struct pollfd){.fd = y->slots[i].from, .events = POLLIN};
    of[n++] = &y->slots[i];
  }
  if (!busy) return 0;
  if (poll(files, n, 20) > 0)
    for (nfds_t i = 0; i < n; i++)
      if (files[i].revents) TRY(hear(y, of[i], e));
  now = now_ns();
  if (now - y->looked_ns > 10000000u) {
    y->looked_ns = now;
    check_limits(y, now);
  }
  if (now - y->told_ns > 50000000u) {
    y->told_ns = now;
    if (!hc_task_tick(y->t))
      return hc_fail(e, HC_ECANCELLED, "", 0, 0,
                     "interrupted; `hindcast study resume` goes on with what is done");
  }
  return 1;
}

static size_t jobs_of(const hc_task_list *t)
{
  long n = t->how->jobs;
  if (n == 0) n = sysconf(_SC_NPROCESSORS_ONLN);
  if (n < 1) n = 1;
  return (size_t)HC_MIN(n, JOBS);
}

static hc_rc carry(hc_task_list *t, const void *options, hc_error *e)
{
  yard y = {.t = t, .count = jobs_of(t)};
  const hc_allocator *a = t->study->allocator;
  struct sigaction ignore = {0}, before;
  hc_rc rc = 0;
  HC_UNUSED(options);
  y.slots = hc_alloc(a, y.count * sizeof *y.slots);
  y.signs = mmap(NULL, y.count * sizeof *y.signs, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (!y.slots || y.signs == MAP_FAILED) {
    hc_free(a, y.slots, y.count * sizeof *y.slots);
    return hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory for %zu worker processes", y.count);
  }
  for (size_t i = 0; i < y.count; i++) {
    hc_buffer_init(&y.slots[i].in, a);
    y.slots[i].sign = &y.signs[i];
  }
  ignore.sa_handler = SIG_IGN;
  (void)sigaction(SIGPIPE, &ignore, &before);
  do {
    while ((rc = turn(&y, e)) == 1) continue;
  } while (rc == 0 && hc_task_next_wave(t));
  (void)sigaction(SIGPIPE, &before, NULL);
  stop_all(&y);
  hc_free(a, y.again, y.again_cap * sizeof *y.again);
  (void)munmap(y.signs, y.count * sizeof *y.signs);
  hc_free(a, y.slots, y.count * sizeof *y.slots);
  return rc;
}

const hc_carrier_type hc_carrier_local = {
    .component = {HC_COMPONENT_HEAD(hc_carrier_type, HC_KIND_CARRIER), .name = "local",
                  .summary = "worker processes on this machine",
                  .detail = "As many workers as -j says, else one for each core. A worker that dies or "
                            "exceeds a limit loses the point that it was computing, and is replaced."},
    .carry = carry,
};
