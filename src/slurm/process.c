/* process.c -- see process.h. */
#define _GNU_SOURCE
#include "slurm/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"

#define ASKED (15 * HC_SECOND) /* how long one that was asked to end may take */
#define FORCED (5 * HC_SECOND)

void hc_process_sleep(hc_time time)
{
  struct timespec t = {.tv_sec = (time_t)(time / HC_SECOND), .tv_nsec = (long)(time % HC_SECOND)};
  if (time > 0) (void)nanosleep(&t, NULL); /* a signal ends it early, and is looked for by who sleeps */
}

hc_time hc_process_now(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (hc_time)t.tv_sec * HC_SECOND + (hc_time)t.tv_nsec;
}

/* Field 22 of /proc/PID/stat, behind the name in brackets, which may hold anything. A zombie has ended.
 * @return 0: there is none */
static uint64_t start_of(int64_t pid)
{
  char path[64], text[1024];
  const char *at;
  uint64_t start = 0;
  size_t n;
  FILE *f;
  (void)snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", pid);
  f = fopen(path, "re");
  if (!f) return 0;
  n = fread(text, 1, sizeof text - 1, f);
  (void)fclose(f);
  text[n] = '\0';
  at = strrchr(text, ')');
  if (!at || at[1] != ' ' || at[2] == 'Z' || at[2] == 'X') return 0;
  at += 2;
  for (int field = 3; field < 22; field++) {
    at = strchr(at, ' ');
    if (!at) return 0;
    at++;
  }
  start = strtoull(at, NULL, 10);
  return start;
}

static void child(const char *const *argv, const char *const *settings, int log, int told)
{
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  sigset_t none;
  int why;
  (void)sigemptyset(&none);
  (void)sigprocmask(SIG_SETMASK, &none, NULL);
  (void)signal(SIGINT, SIG_DFL);
  (void)signal(SIGTERM, SIG_DFL);
  (void)signal(SIGPIPE, SIG_DFL);
  (void)setsid();
  if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0) _exit(127);
  for (; settings && *settings; settings++) (void)putenv((char *)*settings);
  (void)execvp(argv[0], (char *const *)argv);
  why = errno;
  (void)!write(told, &why, sizeof why);
  _exit(127);
}

hc_rc hc_process_start(const char *name, const char *const *argv, const char *const *settings,
                       const char *log, hc_process *out, hc_error *e)
{
  int told[2], why = 0;
  const int fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  pid_t pid;
  ssize_t n;
  if (fd < 0) return hc_fail(e, HC_EIO, log, 0, 0, "cannot be written: %s", strerror(errno));
  if (pipe2(told, O_CLOEXEC) != 0) {
    (void)close(fd);
    return hc_fail(e, HC_EIO, argv[0], 0, 0, "cannot be started: %s", strerror(errno));
  }
  pid = fork();
  if (pid == 0) child(argv, settings, fd, told[1]);
  (void)close(fd);
  (void)close(told[1]);
  n = pid < 0 ? 0 : read(told[0], &why, sizeof why); /* nothing is said: the program has begun */
  (void)close(told[0]);
  if (pid < 0) return hc_fail(e, HC_EIO, argv[0], 0, 0, "cannot be started: %s", strerror(errno));
  if (n == (ssize_t)sizeof why) {
    (void)waitpid(pid, NULL, 0);
    if (why == ENOENT) return hc_fail(e, HC_ENOTFOUND, argv[0], 0, 0, "there is no such program on PATH");
    return hc_fail(e, HC_EIO, argv[0], 0, 0, "cannot be started: %s", strerror(why));
  }
  *out = (hc_process){.pid = pid, .start = start_of(pid)};
  (void)snprintf(out->name, sizeof out->name, "%s", name);
  return 0;
}

bool hc_process_runs(const hc_process *p)
{
  (void)waitpid((pid_t)p->pid, NULL, WNOHANG); /* a child of ours that ended is not to stay as a zombie */
  return p->pid > 1 && p->start != 0 && start_of(p->pid) == p->start;
}

static bool wait_for_end(const hc_process *p, hc_time patience)
{
  const hc_time until = hc_process_now() + patience;
  while (hc_process_runs(p)) {
    if (hc_process_now() > until) return false;
    hc_process_sleep(HC_SECOND / 50);
  }
  return true;
}

hc_rc hc_process_end(const hc_process *p, hc_error *e)
{
  if (!hc_process_runs(p)) return 0;
  if (kill((pid_t)p->pid, SIGTERM) != 0 && errno != ESRCH)
    return hc_fail(e, HC_EIO, p->name, 0, 0, "process %" PRId64 " may not be ended: %s", p->pid,
                   strerror(errno));
  if (wait_for_end(p, ASKED)) return 1;
  (void)kill((pid_t)p->pid, SIGKILL);
  if (wait_for_end(p, FORCED)) return 1;
  return hc_fail(e, HC_EIO, p->name, 0, 0, "process %" PRId64 " does not end", p->pid);
}
