/* fault.c -- makes one call of a program fail: the n-th allocation, or the n-th call that opens, reads,
 * writes, syncs or renames a file. To be preloaded into the command by `walk`, which says how by the
 * environment:
 *
 *   HC_FAULT_KIND    memory or files: which calls are counted
 *   HC_FAULT_AT      which of them fails, from 1; 0: none
 *   HC_FAULT_ON      if set, all behind it fail too
 *   HC_FAULT_COUNT   a file, to be made when the program ends, as long as there were calls (it is sparse)
 *
 * Allocations within the C library (strdup, getline, fopen) go through these functions as well; files that
 * stdio opened do not go through read() and write(), so its own functions are replaced beside them. For
 * glibc, whose allocator has second names. Not replaced: mmap, and printf to a stream, whose failure fflush
 * and fclose find. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static long calls, fails_at;
static bool in_memory, in_files, goes_on;
static const char *count_path;

__attribute__((constructor)) static void begin(void)
{
  const char *kind = getenv("HC_FAULT_KIND"), *at = getenv("HC_FAULT_AT");
  if (!kind || !at) return;
  fails_at = strtol(at, NULL, 10);
  goes_on = getenv("HC_FAULT_ON") != NULL;
  count_path = getenv("HC_FAULT_COUNT");
  in_memory = strcmp(kind, "memory") == 0;
  in_files = !in_memory;
}

__attribute__((destructor)) static void end(void)
{
  if (!count_path) return;
  const int fd = (int)syscall(SYS_openat, AT_FDCWD, count_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (fd < 0 || syscall(SYS_ftruncate, fd, calls) < 0) _exit(99);
}

/* Count a call. @return whether it is to fail, with errno set */
static bool fails(bool counts, int code)
{
  if (!counts) return false;
  const long n = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
  if (fails_at == 0 || (goes_on ? n < fails_at : n != fails_at)) return false;
  errno = code;
  return true;
}

/* ---- memory ---- */

PUBLIC void *malloc(size_t size)
{
  return fails(in_memory, ENOMEM) ? NULL : __libc_malloc(size);
}

PUBLIC void *calloc(size_t count, size_t size)
{
  return fails(in_memory, ENOMEM) ? NULL : __libc_calloc(count, size);
}

PUBLIC void *realloc(void *p, size_t size)
{
  return fails(in_memory, ENOMEM) ? NULL : __libc_realloc(p, size);
}

PUBLIC void *aligned_alloc(size_t alignment, size_t size)
{
  return fails(in_memory, ENOMEM) ? NULL : __libc_memalign(alignment, size);
}

PUBLIC int posix_memalign(void **out, size_t alignment, size_t size)
{
  if (fails(in_memory, ENOMEM)) return ENOMEM;
  *out = __libc_memalign(alignment, size);
  return *out ? 0 : ENOMEM;
}

/* ---- files ---- */

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static mode_t mode_of(int flags, va_list args)
{
  return flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

#define OPEN(name) \
  PUBLIC int name(const char *path, int flags, ...) \
  { \
    va_list args; \
    va_start(args, flags); \
    const mode_t mode = mode_of(flags, args); \
    va_end(args); \
    return fails(in_files, EMFILE) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

#define READ(name, offset_type, call) \
  PUBLIC ssize_t name(int fd, void *data, size_t size, offset_type offset) \
  { \
    return fails(in_files, EIO) ? -1 : syscall(call, fd, data, size, offset); \
  }
READ(pread, off_t, SYS_pread64)
READ(pread64, off64_t, SYS_pread64)

#define WRITE(name, offset_type, call) \
  PUBLIC ssize_t name(int fd, const void *data, size_t size, offset_type offset) \
  { \
    return fails(in_files, ENOSPC) ? -1 : syscall(call, fd, data, size, offset); \
  }
WRITE(pwrite, off_t, SYS_pwrite64)
WRITE(pwrite64, off64_t, SYS_pwrite64)

PUBLIC ssize_t read(int fd, void *data, size_t size)
{
  return fails(in_files, EIO) ? -1 : syscall(SYS_read, fd, data, size);
}

PUBLIC ssize_t write(int fd, const void *data, size_t size)
{
  return fails(in_files, ENOSPC) ? -1 : syscall(SYS_write, fd, data, size);
}

PUBLIC int fsync(int fd)
{
  return fails(in_files, EIO) ? -1 : (int)syscall(SYS_fsync, fd);
}

PUBLIC int fdatasync(int fd)
{
  return fails(in_files, EIO) ? -1 : (int)syscall(SYS_fdatasync, fd);
}

PUBLIC int ftruncate(int fd, off_t size)
{
  return fails(in_files, EIO) ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

PUBLIC int rename(const char *from, const char *to)
{
  return fails(in_files, EIO) ? -1 : NEXT(rename)(from, to);
}

PUBLIC FILE *fopen(const char *path, const char *mode)
{
  return fails(in_files, EMFILE) ? NULL : NEXT(fopen)(path, mode);
}

/* stdio keeps the error of a stream; a call that fails here leaves none, so it is set as the system's failure
 * would: by a read from, or a write to, a descriptor that cannot. */
static void break_stream(FILE *f, bool writes)
{
  const int fd = fileno(f), kept = fd < 0 ? -1 : dup(fd),
            null = (int)syscall(SYS_openat, AT_FDCWD, "/", O_RDONLY);
  if (kept < 0 || null < 0) return;
  (void)dup2(null, fd); /* a directory can be neither read nor written */
  if (writes) (void)(NEXT(fflush)(f));
  else (void)getc(f);
  (void)dup2(kept, fd);
  (void)close(kept);
  (void)close(null);
}

PUBLIC size_t fread(void *data, size_t size, size_t count, FILE *f)
{
  if (!fails(in_files, EIO)) return NEXT(fread)(data, size, count, f);
  break_stream(f, false);
  errno = EIO;
  return 0;
}

PUBLIC size_t fwrite(const void *data, size_t size, size_t count, FILE *f)
{
  const bool bad = fails(in_files, ENOSPC);
  const size_t done = NEXT(fwrite)(data, size, count, f);
  if (!bad) return done;
  break_stream(f, true);
  errno = ENOSPC;
  return 0;
}

PUBLIC int fflush(FILE *f)
{
  if (!f || !fails(in_files, ENOSPC)) return NEXT(fflush)(f);
  break_stream(f, true);
  errno = ENOSPC;
  return EOF;
}

PUBLIC int fclose(FILE *f)
{
  const bool bad = fails(in_files, ENOSPC);
  const int done = NEXT(fclose)(f);
  if (!bad) return done;
  errno = ENOSPC;
  return EOF;
}
