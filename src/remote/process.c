/* process.c -- a scheduler that is a program of ours to start: it hears on its standard input and answers on
 * its standard output, a line each; its standard error is ours.
 *
 * Both pipes are read and written without waiting, so that a program that says much before it hears, or hears
 * nothing, holds up no more than its own time. A line is bounded before it is held in memory. What it says
 * without being asked is an error: the next answer would be taken for another. It is in a group of processes
 * of its own, so that an interrupt at the terminal is ours to handle, and what it has started goes with it. A
 * program that has gone is told with how it ended. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "remote/transport.h"

#define READ_BYTES ((size_t)64 << 10)
#define SHOWN 160                /* of what it says, in an error */
#define PATIENCE (HC_SECOND / 2) /* for the end of one that is sent away */
#define MILLISECOND (HC_SECOND / 1000)

struct hc_transport {
  const hc_allocator *allocator;
  const char *name;
  int64_t most;
  pid_t pid;     /* 0: it has been waited for */
  int to, from;  /* its standard input and output; -1: closed */
  int status;    /* as waitpid has it, once pid is 0 */
  hc_buffer out; /* to be written from `written` on */
  size_t written;
  char *in; /* [in_size] what it has said; the first `taken` bytes are the answer that was given out */
  size_t in_size, in_cap, searched, taken;
};

static hc_time now_ns(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (hc_time)t.tv_sec * HC_SECOND + (hc_time)t.tv_nsec;
}

/* ---- its end ---- */

/* @return true: it has ended, and `status` says how */
static bool has_ended(hc_transport *t)
{
  if (t->pid > 0 && waitpid(t->pid, &t->status, WNOHANG) != 0) t->pid = 0;
  return t->pid == 0;
}

static bool ends_within(hc_transport *t, hc_time patience)
{
  const struct timespec step = {.tv_nsec = (long)MILLISECOND};
  const hc_time until = now_ns() + patience;
  while (!has_ended(t)) {
    if (now_ns() >= until) return false;
    (void)nanosleep(&step, NULL);
  }
  return true;
}

static void close_one(int *fd)
{
  if (*fd >= 0) (void)close(*fd);
  *fd = -1;
}

static hc_rc gone(hc_transport *t, hc_error *e)
{
  if (!ends_within(t, PATIENCE))
    return hc_fail(e, HC_EIO, "scheduler", 0, 0, "%.200s has closed its standard output without an answer",
                   t->name);
  if (WIFSIGNALED(t->status))
    return hc_fail(e, HC_EIO, "scheduler", 0, 0, "%.200s was ended by signal %d (%s) before it answered",
                   t->name, WTERMSIG(t->status), strsignal(WTERMSIG(t->status)));
  return hc_fail(e, HC_EIO, "scheduler", 0, 0, "%.200s ended with status %d before it answered", t->name,
                 WEXITSTATUS(t->status));
}

/* It sees that nothing more comes. What is still there after a moment is ended by force, with all that it
 * has started. */
static void process_close(hc_transport *t)
{
  if (!t) return;
  const hc_allocator *a = t->allocator;
  close_one(&t->to);
  close_one(&t->from);
  if (t->pid > 0 && !ends_within(t, PATIENCE)) {
    (void)kill(-t->pid, SIGKILL);
    while (waitpid(t->pid, &t->status, 0) < 0 && errno == EINTR) continue;
  }
  hc_buffer_fini(&t->out);
  hc_free(a, t->in, t->in_cap);
  hc_free(a, t, sizeof *t);
}

/* ---- its beginning ---- */

static int spawn_with(const char *const *command, const int down[2], const int up[2],
                      posix_spawn_file_actions_t *files, posix_spawnattr_t *how, pid_t *pid)
{
  sigset_t none, usual;
  int rc;
  (void)sigemptyset(&none);
  (void)sigemptyset(&usual);
  (void)sigaddset(&usual, SIGPIPE);
  (void)sigaddset(&usual, SIGINT);
  (void)sigaddset(&usual, SIGTERM);
  (void)posix_spawnattr_setsigmask(how, &none);
  (void)posix_spawnattr_setsigdefault(how, &usual);
  (void)posix_spawnattr_setpgroup(how, 0);
  (void)posix_spawnattr_setflags(how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  rc = posix_spawn_file_actions_adddup2(files, down[0], STDIN_FILENO);
  if (rc == 0) rc = posix_spawn_file_actions_adddup2(files, up[1], STDOUT_FILENO);
  if (rc == 0) rc = posix_spawnp(pid, command[0], files, how, (char *const *)command, environ);
  return rc;
}

/* @return 0 or errno */
static int spawn(const char *const *command, const int down[2], const int up[2], pid_t *pid)
{
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  int rc = posix_spawn_file_actions_init(&files);
  if (rc != 0) return rc;
  rc = posix_spawnattr_init(&how);
  if (rc == 0) {
    rc = spawn_with(command, down, up, &files, &how, pid);
    (void)posix_spawnattr_destroy(&how);
  }
  (void)posix_spawn_file_actions_destroy(&files);
  return rc;
}

/* @return 0 or errno */
static int start(hc_transport *t, const char *const *command)
{
  int down[2], up[2], why;
  if (pipe2(down, O_CLOEXEC) != 0) return errno;
  if (pipe2(up, O_CLOEXEC) != 0) {
    why = errno;
    (void)close(down[0]);
    (void)close(down[1]);
    return why;
  }
  t->to = down[1];
  t->from = up[0];
  why = spawn(command, down, up, &t->pid);
  (void)close(down[0]);
  (void)close(up[1]);
  if (why == 0 && (fcntl(t->to, F_SETFL, O_NONBLOCK) != 0 || fcntl(t->from, F_SETFL, O_NONBLOCK) != 0))
    why = errno;
  return why;
}

static hc_rc process_open(const hc_allocator *a, const hc_remote_options *o, hc_transport **out, hc_error *e)
{
  hc_transport *t = hc_alloc(a, sizeof *t);
  if (!t) return HC_ENOMEM;
  *t = (hc_transport){.allocator = a, .name = o->command[0], .most = o->most, .to = -1, .from = -1};
  hc_buffer_init(&t->out, a);
  const int why = start(t, o->command);
  if (why == 0) {
    *out = t;
    return 0;
  }
  process_close(t);
  if (why == ENOENT)
    return hc_fail(e, HC_ENOTFOUND, "scheduler", 0, 0,
                   "there is no program %.200s: give its path, or have it on PATH", o->command[0]);
  return hc_fail(e, HC_EIO, "scheduler", 0, 0, "%.200s cannot be started: %s", o->command[0], strerror(why));
}

/* ---- what is said ---- */

/* A write to a program that has gone raises a signal, of this thread: it is held back and taken off. */
static ssize_t write_quietly(int fd, const char *data, size_t size)
{
  sigset_t pipe_only, before, pending;
  (void)sigemptyset(&pipe_only);
  (void)sigaddset(&pipe_only, SIGPIPE);
  (void)sigpending(&pending);
  (void)pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
  const ssize_t n = write(fd, data, size);
  const int why = errno;
  if (n < 0 && why == EPIPE && !sigismember(&pending, SIGPIPE)) {
    const struct timespec none = {0};
    while (sigtimedwait(&pipe_only, NULL, &none) < 0 && errno == EINTR) continue;
  }
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = why;
  return n;
}

/* As much as the pipe takes. One that hears no more may have said something before. */
static void write_some(hc_transport *t)
{
  while (t->written < t->out.size) {
    const ssize_t n = write_quietly(t->to, t->out.data + t->written, t->out.size - t->written);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) t->written = t->out.size;
    else t->written += (size_t)n;
  }
}

/* @return 1: something came, 0: nothing is there, -1: it says no more, HC_ENOMEM */
static int read_some(hc_transport *t)
{
  ssize_t n;
  TRY(hc_reserve(t->allocator, (void **)&t->in, &t->in_cap, t->in_size + READ_BYTES, 1));
  do n = read(t->from, t->in + t->in_size, READ_BYTES);
  while (n < 0 && errno == EINTR);
  if (n > 0) t->in_size += (size_t)n;
  return n > 0 ? 1 : n < 0 && errno == EAGAIN ? 0 : -1;
}

static hc_rc unasked(const hc_transport *t, hc_error *e)
{
  const char *more = t->in + t->taken;
  const size_t size = t->in_size - t->taken;
  const char *end = memchr(more, '\n', size);
  return hc_fail(
      e, HC_EPOLICY, "scheduler", 0, 0,
      "%.200s says more than the one line that answers a message: \"%.*s\"; what is meant for people "
      "goes to its standard error",
      t->name, (int)HC_MIN(end ? (size_t)(end - more) : size, (size_t)SHOWN), more);
}

static hc_rc process_send(hc_transport *t, const char *data, size_t size, hc_error *e)
{
  if (t->in_size == t->taken && t->from >= 0) {
    t->in_size = t->taken = 0;
    if (read_some(t) == HC_ENOMEM) return HC_ENOMEM;
  }
  if (t->in_size > t->taken) return unasked(t, e);
  t->in_size = t->taken = t->searched = 0;
  t->out.size = t->written = 0;
  hc_buffer_add(&t->out, data, size);
  hc_buffer_text(&t->out, "\n");
  if (t->out.failed) return HC_ENOMEM;
  write_some(t);
  return 0;
}

/* ---- what is heard ---- */

/* Wait until something can be read, or what is left be written. @return false: the moment is over */
static bool wait_until(hc_transport *t, hc_time until)
{
  const bool writes = t->written < t->out.size;
  struct pollfd fds[2] = {{.fd = t->from, .events = POLLIN}, {.fd = t->to, .events = POLLOUT}};
  const hc_time left = until - now_ns();
  if (left <= 0) return false;
  const int n = poll(fds, writes ? 2 : 1, (int)(left / MILLISECOND) + 1);
  if (n > 0 && writes && fds[1].revents != 0) write_some(t);
  return true;
}

/* A line that has come. @return false: there is none yet */
static bool take_line(hc_transport *t, const char **data, size_t *size)
{
  char *end = t->in_size > t->searched ? memchr(t->in + t->searched, '\n', t->in_size - t->searched) : NULL;
  t->searched = t->in_size;
  if (!end) return false;
  t->taken = (size_t)(end - t->in) + 1;
  if (end > t->in && end[-1] == '\r') end--;
  *end = '\0';
  *data = t->in;
  *size = (size_t)(end - t->in);
  return true;
}

static hc_rc process_receive(hc_transport *t, const char **data, size_t *size, hc_time *took, hc_error *e)
{
  const hc_time until = now_ns() + HC_MOMENT;
  HC_UNUSED(took);
  do {
    const int n = read_some(t);
    if (n == HC_ENOMEM) return n;
    if (n < 0) return gone(t, e);
    if (n == 0) continue;
    const bool has_line = take_line(t, data, size);
    if ((has_line ? *size : t->in_size) > (size_t)t->most)
      return hc_fail(e, HC_EPOLICY, "scheduler", 0, 0,
                     "%.200s has answered with more than %lld bytes; if it has that much to say, allow it "
                     "with `most`",
                     t->name, (long long)t->most);
    if (!has_line) continue;
    return t->in_size > t->taken ? unasked(t, e) : 1;
  } while (wait_until(t, until));
  return 0;
}

/* ---- the last message ---- */

static hc_rc process_end(hc_transport *t, int *status, hc_error *e)
{
  const hc_time until = now_ns() + HC_MOMENT;
  int n;
  if (t->written == t->out.size) close_one(&t->to); /* it sees the end */
  do {
    n = read_some(t);
    if (n == HC_ENOMEM) return n;
    if (n > 0) return unasked(t, e);
    if (t->written == t->out.size) close_one(&t->to);
  } while (n == 0 && wait_until(t, until));
  if (n == 0 || !ends_within(t, HC_MAX(until - now_ns(), MILLISECOND))) return 0;
  *status = WIFEXITED(t->status) ? WEXITSTATUS(t->status) : 128 + WTERMSIG(t->status);
  return 1;
}

const hc_transport_type hc_transport_process = {.name = "process",
                                                .open = process_open,
                                                .send = process_send,
                                                .receive = process_receive,
                                                .close = process_close,
                                                .end = process_end};
