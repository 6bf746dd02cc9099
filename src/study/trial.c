/* trial.c -- a few points of a study, carried out to see what all of it will cost.
 *
 * They run in a process of their own, as they will later: one that crashes or passes a limit is counted and
 * takes no other process with it, neither the plan that asks nor the carrier that cuts a study into elements.
 * The same process goes from point to point, so that a workload is read once, and another takes over behind
 * one that died. Nothing of them is kept.
 *
 * The question is to be answered in seconds: after BUDGET no further point is waited for, and where the first
 * one takes longer than that, what is said of it is a lower bound. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "study/carrier.h"
#include "study/runner.h"

#define TAPE ((size_t)64 << 20)
#define MOST 64     /* points of a trial */
#define BUDGET 10.0 /* seconds of it */

/* What the process says of a point. */
typedef struct said {
  double seconds; /* with the workload that was read or made for it */
  uint32_t failed;
  char why[252];
} said;

static double seconds_now(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void try_points(hc_study *s, const uint64_t *points, size_t count, int to)
{
  double began = seconds_now();
  hc_runner *r = NULL;
  hc_error e = {0};
#ifdef PR_SET_PDEATHSIG
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (hc_runner_new(s, TAPE, &r, &e) < 0) _exit(3);
  for (size_t i = 0; i < count; i++) {
    hc_outcome o = {0};
    said x = {.failed = 0};
    if (hc_runner_point(r, points[i], &o, &e) < 0) _exit(3);
    x.seconds = seconds_now() - began;
    began += x.seconds;
    x.failed = o.state != HC_POINT_DONE;
    if (x.failed) (void)snprintf(x.why, sizeof x.why, "%s", o.text ? o.text : "");
    if (write(to, &x, sizeof x) != (ssize_t)sizeof x) _exit(3); /* less than a pipe takes at once */
  }
  _exit(0);
}

/* @return whether it said something of the next point within `limit` seconds (0: whenever) */
static bool hear(int from, double limit, said *x, bool *late)
{
  const double end = seconds_now() + limit;
  size_t n = 0;
  *late = false;
  while (n < sizeof *x) {
    const double left = end - seconds_now();
    struct pollfd more = {.fd = from, .events = POLLIN};
    const int ready = poll(&more, 1, limit > 0 ? (int)(HC_MAX(left, 0.0) * 1e3) + 1 : -1);
    ssize_t got;
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0 && left <= 0) {
      *late = true;
      return false;
    }
    if (ready == 0) continue;
    got = read(from, (char *)x + n, sizeof *x - n);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    n += (size_t)got;
  }
  return true;
}

static void count_one(hc_study_trial *out, double seconds, bool failed, const char *why)
{
  out->seconds += seconds;
  out->points++;
  if (failed && out->failed++ == 0) (void)snprintf(out->failure, sizeof out->failure, "%s", why);
}

/* How long the next point may take: the limit of the study, and what is left of the budget. */
static double patience(const hc_study *s, double until)
{
  const double left = HC_MAX(until - seconds_now(), 1e-3);
  return s->time_limit > 0 ? HC_MIN(s->time_limit, left) : left;
}

/* One process, until it has tried all of them, dies, or the budget is spent. @param done in and out: how many
 * are behind it */
static hc_rc one_process(hc_study *s, const uint64_t *points, size_t count, double until, size_t *done,
                         hc_study_trial *out, hc_error *e)
{
  const double began = seconds_now();
  int ends[2] = {-1, -1}, status = 0;
  bool late = false;
  said x;
  pid_t pid = -1;
  if (pipe(ends) == 0) pid = fork();
  if (pid == 0) {
    (void)close(ends[0]);
    try_points(s, points + *done, count - *done, ends[1]);
  }
  if (ends[1] >= 0) (void)close(ends[1]);
  if (pid < 0) {
    if (ends[0] >= 0) (void)close(ends[0]);
    return hc_fail(e, HC_EIO, "study", 0, 0, "cannot start a process for the trial: %s", strerror(errno));
  }
  for (double last = began; *done < count; ++*done, last = seconds_now()) {
    char why[128] = "it passed the limit of time of a point (limits.time)";
    if (hear(ends[0], patience(s, until), &x, &late)) {
      count_one(out, x.seconds, x.failed, x.why);
      continue;
    }
    if (late) (void)kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    pid = -1;
    if (late && seconds_now() >= until) {
      out->is_cut = true;
      if (out->points == 0) count_one(out, seconds_now() - last, false, "");
      *done = count;
      break;
    }
    if (!late) hc_worker_end_text(status, why, sizeof why);
    count_one(out, seconds_now() - last, true, why);
    ++*done;
    break;
  }
  (void)close(ends[0]);
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  return 0;
}

hc_rc hc_study_try(hc_study *s, uint64_t points, hc_study_trial *out, hc_error *e)
{
  const double until = seconds_now() + BUDGET;
  uint64_t numbers[MOST];
  size_t count = 0, done = 0;
  *out = (hc_study_trial){0};
  points = HC_MIN(HC_MIN(points, (uint64_t)MOST), s->product);
  for (uint64_t i = 0; i < points; i++) {
    uint64_t at = s->product / points * i + s->product % points * i / points;
    while (at + 1 < s->product && hc_study_is_excluded(s, hc_study_point_at(s, at))) at++;
    numbers[count++] = hc_study_point_at(s, at);
  }
  while (done < count) TRY(one_process(s, numbers, count, until, &done, out, e));
  if (out->points > 0) out->seconds /= (double)out->points;
  return 0;
}
