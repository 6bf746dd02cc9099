/* target.c -- where an output goes: what it may take the place of, and the file that it is until it is whole.
 *
 * An output is written to TARGET.partial-PID beside its target and renamed when it is whole. The process that
 * writes it holds a lock on it (flock), which the kernel drops however the process ends; so a partial file
 * without a lock is a left-over, and the next output to the same target removes it. Process ids are not
 * looked at: they are another thing in a container or on another machine that shares the directory. Where the
 * file system has no locks, nothing is removed.
 *
 * Two files are the same if device and inode are; names, links and folders do not matter.
 *
 * It does not say which outputs may replace which files: that is known by what writes them (output/store.c,
 * cli/file.c, engine/rejected.c). */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/target.h"
#include "base/util.h"

#define SUFFIX ".partial-"
#define ROOM 64 /* bytes that the suffix, a process id and a number take */

bool hc_same_file(const char *a, const char *b)
{
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* ---- kinds ---- */

/* The mark of a file: how its first line begins (and what comes after it where that is short), every number
 * as one 0. In binary data it ends before the first control character, unless it would be nothing. @return
 * its size */
static size_t mark_of(const char *data, size_t size, char *out)
{
  enum { ENOUGH = 16, LEAST = 4, MOST = 24 };
  size_t n = 0;
  for (size_t i = 0; i < size && n < MOST; i++) {
    const char c = data[i];
    const bool is_number = (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+';
    if (c == '\n' && n >= ENOUGH) break;
    if ((unsigned char)c < 0x20 && c != '\n' && c != '\r' && c != '\t' && n >= LEAST) break;
    if (is_number && n > 0 && out[n - 1] == '0') continue;
    out[n++] = is_number ? '0' : c;
  }
  return n;
}

bool hc_begins_alike(const char *path, const char *data, size_t size)
{
  char there[HC_BEGIN], a[HC_BEGIN], b[HC_BEGIN];
  FILE *stream = fopen(path, "rb");
  const size_t n = stream ? fread(there, 1, sizeof there, stream) : 0;
  size_t na, nb;
  if (!stream) return false;
  (void)fclose(stream);
  if (n == 0) return true;
  size = HC_MIN(size, sizeof there);
  na = mark_of(there, n, a);
  nb = mark_of(data, size, b);
  if (n < sizeof there || size < sizeof there) na = nb = HC_MIN(na, nb); /* one may end within its mark */
  return na == nb && na > 0 && memcmp(a, b, na) == 0;
}

/* ---- directories ---- */

/* Length of the directory part of a path, without its slash; 0 if it has none or is the root. */
static size_t directory_length(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) : 0;
}

/* Below the working directory, as far as the words go: links lead where they lead. */
static bool is_below(const char *path)
{
  if (path[0] == '/') return false;
  for (const char *s = path; *s;) {
    const char *end = strchrnul(s, '/');
    if (end - s == 2 && s[0] == '.' && s[1] == '.') return false;
    s = *end ? end + 1 : end;
  }
  return true;
}

hc_rc hc_target_directory(const hc_allocator *a, const char *path, bool *made, hc_error *e)
{
  const size_t n = directory_length(path);
  struct stat st;
  char *directory;
  hc_rc rc = 0;
  *made = false;
  if (n == 0) return 0;
  directory = hc_alloc(a, n + 1);
  if (!directory) return hc_fail(e, HC_ENOMEM, path, 0, 0, "out of memory for the name of a directory");
  memcpy(directory, path, n);
  if (stat(directory, &st) == 0 || errno != ENOENT) {
    rc = 0; /* it is there, or opening the file says what is wrong */
  } else if (!is_below(directory)) {
    rc = hc_fail(e, HC_EIO, path, 0, 0,
                 "there is no directory '%s', and none is made outside the working directory; make it first "
                 "(`mkdir -p`), or choose another place",
                 directory);
  } else if (mkdir(directory, 0777) == 0) {
    *made = true;
  } else if (errno != EEXIST) {
    rc = hc_fail(e, HC_EIO, path, 0, 0,
                 "cannot make the directory '%s': %s; make it first, or choose another place", directory,
                 strerror(errno));
  }
  hc_free(a, directory, n + 1);
  return rc;
}

/* ---- left-overs ---- */

/* Whether a file's name is that of a target, the suffix, and a number or two: "r.db.partial-17.2". */
static bool is_partial_of(const char *name, const char *target)
{
  const size_t n = strlen(target);
  if (strncmp(name, target, n) != 0 || strncmp(name + n, SUFFIX, sizeof SUFFIX - 1) != 0) return false;
  name += n + sizeof SUFFIX - 1;
  return *name != '\0' && name[strspn(name, "0123456789.")] == '\0';
}

/* A file that is locked is being written. */
static void remove_if_dead(int directory, const char *name)
{
  const int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct stat st;
  if (fd < 0) return;
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0)
    (void)unlinkat(directory, name, 0);
  (void)close(fd);
}

static void remove_left_overs(const hc_partial *p, const char *path)
{
  const size_t n = directory_length(path);
  const char *target = n || path[0] == '/' ? strrchr(path, '/') + 1 : path;
  DIR *directory;
  if (n > 0) {
    memcpy(p->name, path, n);
    p->name[n] = '\0';
  }
  directory = opendir(n > 0 ? p->name : path[0] == '/' ? "/" : ".");
  if (!directory) return; /* one that may be written to but not listed */
  for (const struct dirent *d; (d = readdir(directory));)
    if (is_partial_of(d->d_name, target)) remove_if_dead(dirfd(directory), d->d_name);
  (void)closedir(directory);
}

/* ---- the file ---- */

/* Lock it before another process takes it for a left-over; if that was faster, the name and the file are
 * gone. */
static bool hold(hc_partial *p)
{
  struct stat st;
  if (flock(p->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  return fstat(p->fd, &st) == 0 && st.st_nlink > 0;
}

/* A left-over of a killed process that had our number (containers reuse them) must not stop us where it
 * cannot be removed: try a few names. */
static void open_some(hc_partial *p, const char *path)
{
  for (int i = 0; i < 100 && p->fd < 0; i++) {
    int n = snprintf(p->name, p->size, "%s" SUFFIX "%ld", path, (long)getpid());
    if (i > 0 && n > 0) (void)snprintf(p->name + n, p->size - (size_t)n, ".%d", i);
    p->fd = open(p->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (p->fd < 0 && errno != EEXIST) return;
    if (p->fd < 0 || hold(p)) continue;
    (void)close(p->fd);
    p->fd = -1;
    errno = EEXIST;
  }
}

hc_rc hc_partial_open(const hc_allocator *a, const char *path, hc_partial *p, hc_error *e)
{
  int why;
  *p = (hc_partial){.allocator = a, .size = strlen(path) + ROOM, .fd = -1};
  p->name = hc_alloc(a, p->size);
  if (!p->name) return hc_fail(e, HC_ENOMEM, path, 0, 0, "out of memory for the name of a file");
  remove_left_overs(p, path);
  open_some(p, path);
  if (p->fd >= 0) return 0;
  why = errno;
  hc_free(a, p->name, p->size);
  p->name = NULL;
  return hc_fail(e, HC_EIO, path, 0, 0, "cannot write here: %s; %s, or choose another path", strerror(why),
                 why == ENOENT ? "make the directory first (`mkdir -p`)" : "make the directory writable");
}

static void forget(hc_partial *p)
{
  if (p->fd >= 0) (void)close(p->fd);
  hc_free(p->allocator, p->name, p->size);
  *p = (hc_partial){.fd = -1};
}

void hc_partial_drop(hc_partial *p)
{
  if (!p->name) return;
  (void)unlink(p->name);
  forget(p);
}

hc_rc hc_partial_commit(hc_partial *p, const char *path, hc_error *e)
{
  if (fsync(p->fd) != 0)
    return hc_fail(e, HC_EIO, path, 0, 0, "cannot bring the file to disk: %s; check the device",
                   strerror(errno));
  if (rename(p->name, path) != 0)
    return hc_fail(e, HC_EIO, path, 0, 0, "cannot give the file its name: %s; choose another path",
                   strerror(errno));
  forget(p);
  return 0;
}

/* ---- a file beside it ---- */

hc_rc hc_scratch_open(const hc_allocator *a, const char *beside, int *fd)
{
  const char *slash = strrchr(beside, '/');
  hc_buffer path;
  hc_rc rc = 0;
  hc_buffer_init(&path, a);
  if (slash) hc_buffer_add(&path, beside, (size_t)(slash - beside) + 1);
  hc_buffer_text(&path, ".hindcast-scratch-XXXXXX");
  *fd = path.failed ? -1 : mkostemp(path.data, O_CLOEXEC);
  if (path.failed) rc = HC_ENOMEM;
  else if (*fd < 0 || unlink(path.data) < 0) rc = HC_EIO;
  hc_buffer_fini(&path);
  return rc;
}
