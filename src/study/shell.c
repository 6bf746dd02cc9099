/* shell.c -- running other programs and hearing what they say.
 *
 * Standard output and error come through one pipe: what a batch system complains of belongs to what it
 * answers. */
#define _GNU_SOURCE
#include "study/shell.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/util.h"

#define KEPT ((size_t)16 << 20)

static bool is_left_out(const char *variable, const char *const *without)
{
  for (; without && *without; without++)
    if (strncmp(variable, *without, strlen(*without)) == 0) return true;
  return false;
}

/* The environment less what is left out: [*count + 1] pointers to what it is made of. */
static char **choose_environment(const hc_allocator *a, const char *const *without, size_t *count)
{
  size_t all = 0, n = 0;
  char **chosen;
  while (environ[all]) all++;
  *count = all;
  chosen = hc_alloc(a, (all + 1) * sizeof *chosen);
  for (size_t i = 0; chosen && i < all; i++)
    if (!is_left_out(environ[i], without)) chosen[n++] = environ[i];
  return chosen;
}

/* @return 0 or errno */
static int spawn(const char *const *argv, char **environment, const int up[2], pid_t *pid)
{
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  sigset_t none;
  int rc = posix_spawn_file_actions_init(&files);
  if (rc != 0) return rc;
  rc = posix_spawnattr_init(&how);
  if (rc != 0) {
    (void)posix_spawn_file_actions_destroy(&files);
    return rc;
  }
  (void)sigemptyset(&none);
  (void)posix_spawnattr_setsigmask(&how, &none);
  (void)posix_spawnattr_setpgroup(&how, 0);
  (void)posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  rc = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (rc == 0) rc = posix_spawn_file_actions_adddup2(&files, up[1], STDOUT_FILENO);
  if (rc == 0) rc = posix_spawn_file_actions_adddup2(&files, up[1], STDERR_FILENO);
  if (rc == 0) rc = posix_spawnp(pid, argv[0], &files, &how, (char *const *)argv, environment);
  (void)posix_spawnattr_destroy(&how);
  (void)posix_spawn_file_actions_destroy(&files);
  return rc;
}

static void hear(int fd, hc_buffer *said)
{
  char data[4096];
  for (;;) {
    const ssize_t n = read(fd, data, sizeof data);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    if (said->size < KEPT) hc_buffer_add(said, data, (size_t)n);
  }
}

hc_rc hc_shell_run(const hc_allocator *a, const char *const *argv, const char *const *without,
                   hc_buffer *said, int *status, hc_error *e)
{
  size_t count;
  char **environment = choose_environment(a, without, &count);
  int up[2], why, ended = 0;
  pid_t pid = 0;
  said->size = 0;
  if (said->data) said->data[0] = '\0'; /* what it said before shall not be taken for an answer */
  if (!environment) return hc_fail(e, HC_ENOMEM, argv[0], 0, 0, "out of memory");
  why = pipe2(up, O_CLOEXEC) == 0 ? 0 : errno;
  if (why == 0) {
    why = spawn(argv, environment, up, &pid);
    (void)close(up[1]);
    if (why == 0) hear(up[0], said);
    (void)close(up[0]);
  }
  hc_free(a, environment, (count + 1) * sizeof *environment);
  if (why == ENOENT) return hc_fail(e, HC_ENOTFOUND, argv[0], 0, 0, "there is no such program on PATH");
  if (why != 0) return hc_fail(e, HC_EIO, argv[0], 0, 0, "cannot be started: %s", strerror(why));
  while (waitpid(pid, &ended, 0) < 0)
    if (errno != EINTR) return hc_fail(e, HC_EIO, argv[0], 0, 0, "its end was not seen: %s", strerror(errno));
  *status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
  return said->failed ? hc_fail(e, HC_ENOMEM, argv[0], 0, 0, "out of memory for what it says") : 0;
}

void hc_shell_quote(hc_buffer *out, const char *text)
{
  hc_buffer_add(out, "'", 1);
  for (; *text; text++) {
    if (*text == '\'') hc_buffer_text(out, "'\\''");
    else hc_buffer_add(out, text, 1);
  }
  hc_buffer_add(out, "'", 1);
}
