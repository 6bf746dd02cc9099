/* system.c -- the system's files as a table of functions: what inputs are read from unless the allocator
 * names another table. A core is built without this file.
 *
 * A plain file is announced to be read from its beginning to its end, and a pipe gets room for a thousand
 * rows. Directories are listed as the system has them: files.c puts names in order. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/util.h"

#define PIPE ((size_t)1 << 20) /* what any user may make a pipe hold */

static hc_rc refuse_open(hc_error *e, const char *name, int error)
{
  const char *remedy = "check the path and the device";
  if (error == ENOMEM) return hc_fail(e, HC_ENOMEM, name, 0, 0, "out of memory while reading");
  if (error == ENOENT || error == ENOTDIR) remedy = "check the path, which starts at the current directory";
  if (error == EACCES || error == EPERM) remedy = "make it readable (chmod +r) or ask its owner";
  if (error == EISDIR) remedy = "name a file in it";
  return hc_fail(e, HC_EIO, name, 0, 0, "cannot be read: %s; %s", strerror(error), remedy);
}

static hc_rc open_file(void *ctx, const char *name, hc_file *out, hc_error *e)
{
  const bool is_standard = strcmp(name, "-") == 0;
  const int fd = is_standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  struct stat st;
  int error = 0;
  HC_UNUSED(ctx);
  if (fd < 0 || fstat(fd, &st) != 0) error = errno;
  else if (S_ISDIR(st.st_mode)) error = EISDIR;
  if (error != 0) {
    if (fd > STDERR_FILENO) (void)close(fd);
    return refuse_open(e, is_standard ? "standard input" : name, error);
  }
  *out = (hc_file){.number = fd, .is_stream = is_standard};
  if (S_ISREG(st.st_mode)) {
    out->can_seek = !is_standard;
    out->size = (uint64_t)st.st_size;
    (void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  /* A pipe holds 64 KiB by itself: both ends would wake each other every fifth of a millisecond. */
  if (S_ISFIFO(st.st_mode)) (void)fcntl(fd, F_SETPIPE_SZ, (int)PIPE);
  return 0;
}

static hc_rc read_file(void *ctx, hc_file *f, void *data, size_t room, hc_error *e)
{
  ssize_t n;
  HC_UNUSED(ctx);
  do n = read((int)f->number, data, room);
  while (n < 0 && errno == EINTR);
  if (n >= 0) return (hc_rc)n;
  return hc_fail(e, HC_EIO, NULL, 0, 0, "reading failed: %s; check the device or the network, then try again",
                 strerror(errno));
}

static hc_rc seek_file(void *ctx, hc_file *f, uint64_t to, hc_error *e)
{
  struct stat st;
  HC_UNUSED(ctx);
  if (lseek((int)f->number, (off_t)to, SEEK_SET) < 0)
    return hc_fail(e, HC_EIO, NULL, 0, 0, "seeking failed: %s", strerror(errno));
  if (fstat((int)f->number, &st) == 0 && to > (uint64_t)st.st_size)
    return hc_fail(e, HC_EINPUT, NULL, 0, 0,
                   "the file is shorter than when it was read before; give the same file");
  return 0;
}

static void close_file(void *ctx, hc_file *f)
{
  HC_UNUSED(ctx);
  if (f->number > STDERR_FILENO) (void)close((int)f->number);
  *f = (hc_file){.number = -1};
}

static hc_file_kind look_at(void *ctx, const char *name, uint64_t *size)
{
  struct stat st;
  HC_UNUSED(ctx);
  if (stat(name, &st) != 0) return HC_FILE_ABSENT;
  if (S_ISDIR(st.st_mode)) return HC_FILE_DIRECTORY;
  if (!S_ISREG(st.st_mode)) return HC_FILE_OTHER;
  if (size) *size = (uint64_t)st.st_size;
  return HC_FILE_PLAIN;
}

static hc_rc list_directory(void *ctx, const char *directory, hc_rc (*each)(void *each_ctx, const char *name),
                            void *each_ctx, hc_error *e)
{
  const char *place = directory[0] ? directory : "./";
  DIR *open = opendir(place);
  hc_rc rc = 0;
  HC_UNUSED(ctx);
  if (!open && errno == ENOMEM) return hc_fail(e, HC_ENOMEM, place, 0, 0, "out of memory");
  if (!open) return hc_fail(e, HC_EIO, place, 0, 0, "this directory cannot be read: %s", strerror(errno));
  for (const struct dirent *item; rc == 0 && (item = readdir(open)) != NULL;)
    rc = each(each_ctx, item->d_name);
  (void)closedir(open);
  return rc;
}

static bool same_file(void *ctx, const char *output, const char *input)
{
  HC_UNUSED(ctx);
  return hc_same_file(output, input);
}

const hc_files *hc_system_files(void)
{
  static const hc_files system_files = {.open = open_file,
                                        .read = read_file,
                                        .seek = seek_file,
                                        .close = close_file,
                                        .look = look_at,
                                        .list = list_directory,
                                        .same = same_file};
  return &system_files;
}
