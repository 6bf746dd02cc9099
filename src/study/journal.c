/* journal.c -- what is known of a study while it is carried out: a file to which records are appended. */
#define _GNU_SOURCE /* flock, pread */
#include "study/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"

#define MAGIC UINT32_C(0x48437374) /* "HCst" */
#define VERSION 1
#define BLOCK ((size_t)1 << 18)

struct hc_journal {
  const hc_allocator *allocator;
  char *path;
  size_t path_size;
  int fd;
  bool may_write;
  uint64_t size; /* of the whole records */
  char *buffer;  /* [cap] */
  size_t cap;
};

/* ---- records ---- */

static uint64_t checksum(const void *data, size_t size)
{
  uint64_t words[2];
  hc_hash h;
  hc_hash_init(&h);
  hc_hash_add(&h, data, size);
  hc_hash_end(&h, words);
  return words[0];
}

static size_t padded(size_t n)
{
  return (n + 7) & ~(size_t)7;
}

void hc_record_write(hc_buffer *out, hc_record_head head, const double *values, const char *text,
                     size_t text_size)
{
  const size_t from = out->size;
  uint64_t sum;
  head.magic = MAGIC;
  head.version = VERSION;
  head.text_size = (uint32_t)text_size;
  hc_buffer_add(out, &head, sizeof head);
  if (head.kind == HC_RECORD_POINT && head.count > 0) hc_buffer_add(out, values, head.count * sizeof *values);
  hc_buffer_add(out, text, text_size);
  hc_buffer_add(out, "\0\0\0\0\0\0\0", padded(text_size) - text_size);
  if (out->failed) return;
  sum = checksum(out->data + from, out->size - from);
  hc_buffer_add(out, &sum, sizeof sum);
}

hc_rc hc_record_look(const char *data, size_t size, hc_record *out)
{
  hc_record_head h;
  size_t values;
  uint64_t sum;
  if (size < sizeof h) return 0;
  memcpy(&h, data, sizeof h);
  if (h.magic != MAGIC || h.kind < HC_RECORD_HEAD || h.kind > HC_RECORD_POINT) return HC_EINPUT;
  if (h.version != VERSION) return HC_EVERSION;
  values = h.kind == HC_RECORD_POINT ? h.count * sizeof(double) : 0;
  out->size = sizeof h + values + padded(h.text_size) + sizeof sum;
  if (out->size > HC_RECORD_LIMIT) return HC_EINPUT;
  if (size < out->size) return 0;
  memcpy(&sum, data + out->size - sizeof sum, sizeof sum);
  if (sum != checksum(data, out->size - sizeof sum)) return HC_EINPUT;
  out->head = h;
  out->values = (const double *)(const void *)(data + sizeof h);
  out->text = data + sizeof h + values;
  return 1;
}

/* ---- the file ---- */

static hc_rc io(const hc_journal *j, const char *doing, hc_error *e)
{
  return hc_fail(e, HC_EIO, j->path, 0, 0,
                 "cannot %s what is known of the study: %s; check the file and the device", doing,
                 strerror(errno));
}

static hc_rc begin(const hc_allocator *a, const char *path, hc_journal **out, hc_error *e)
{
  hc_journal *j = hc_alloc(a, sizeof *j);
  if (j) {
    j->allocator = a;
    j->fd = -1;
    j->path_size = strlen(path) + 1;
    j->path = hc_alloc(a, j->path_size);
    j->cap = BLOCK;
    j->buffer = hc_alloc(a, j->cap);
  }
  if (!j || !j->path || !j->buffer) {
    hc_journal_close(j);
    return hc_fail(e, HC_ENOMEM, path, 0, 0, "out of memory for the journal of the study");
  }
  memcpy(j->path, path, j->path_size);
  *out = j;
  return 0;
}

void hc_journal_close(hc_journal *j)
{
  if (!j) return;
  if (j->fd >= 0) (void)close(j->fd);
  hc_free(j->allocator, j->buffer, j->cap);
  hc_free(j->allocator, j->path, j->path_size);
  hc_free(j->allocator, j, sizeof *j);
}

/* The directory of the file, one level of it, as for results. */
static void make_directory(const hc_journal *j)
{
  char *slash = strrchr(j->path, '/');
  if (!slash || slash == j->path) return;
  *slash = '\0';
  (void)mkdir(j->path, 0777);
  *slash = '/';
}

/* Workers of a process that was killed may have the lock for a moment longer. */
static bool lock(int fd)
{
  const struct timespec moment = {.tv_nsec = 20000000};
  for (int i = 0; i < 100; i++) {
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK && errno != EINTR) return false;
    (void)nanosleep(&moment, NULL);
  }
  errno = EWOULDBLOCK;
  return false;
}

hc_rc hc_journal_open(const hc_allocator *a, const char *path, bool fresh, hc_journal **out, hc_error *e)
{
  hc_journal *j = NULL;
  hc_rc rc;
  TRY(begin(a, path, &j, e));
  make_directory(j);
  j->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  j->may_write = true;
  if (j->fd < 0) {
    rc = hc_fail(e, HC_EIO, path, 0, 0,
                 "cannot write here: %s; make the directory writable, or choose another place",
                 strerror(errno));
    hc_journal_close(j);
    return rc;
  }
  if (!lock(j->fd)) {
    rc = errno == EWOULDBLOCK
             ? hc_fail(e, HC_EUSAGE, path, 0, 0,
                       "another process carries this study out; wait for it, or choose another --out")
             : io(j, "lock", e);
    hc_journal_close(j);
    return rc;
  }
  if (fresh && ftruncate(j->fd, 0) != 0) {
    rc = io(j, "forget", e);
    hc_journal_close(j);
    return rc;
  }
  *out = j;
  return 0;
}

hc_rc hc_journal_read(const hc_allocator *a, const char *path, hc_journal **out, hc_error *e)
{
  hc_journal *j = NULL;
  hc_rc rc;
  TRY(begin(a, path, &j, e));
  j->fd = open(path, O_RDONLY | O_CLOEXEC);
  if (j->fd < 0) {
    rc =
        hc_fail(e, errno == ENOENT ? HC_EINPUT : HC_EIO, path, 0, 0,
                "cannot read what is known of the study: %s; `hindcast study run` makes it", strerror(errno));
    hc_journal_close(j);
    return rc;
  }
  *out = j;
  return 0;
}

static hc_rc grow(hc_journal *j, size_t need, hc_error *e)
{
  void *p;
  if (need <= j->cap) return 0;
  p = j->allocator->resize(j->allocator->ctx, j->buffer, j->cap, need);
  if (!p) return hc_fail(e, HC_ENOMEM, j->path, 0, 0, "out of memory for a record of %zu bytes", need);
  j->buffer = p;
  j->cap = need;
  return 0;
}

/* ---- reading ---- */

static hc_rc tell(const hc_journal *j, const hc_journal_visit *v, const hc_record *r, hc_error *e)
{
  if (j->size == 0 && r->head.kind != HC_RECORD_HEAD)
    return hc_fail(e, HC_EINPUT, j->path, 0, 0, "this is no journal of a study: it does not begin with one");
  switch ((hc_record_kind)r->head.kind) {
    case HC_RECORD_HEAD: return v->head ? v->head(v->ctx, r, e) : 0;
    case HC_RECORD_SET: return v->set ? v->set(v->ctx, r, e) : 0;
    case HC_RECORD_POINT: return v->point ? v->point(v->ctx, r, j->size, e) : 0;
  }
  return 0;
}

/* Records from the buffer's `*have` bytes. @return 1: damaged from here on; 0: more is needed. */
static hc_rc walk(hc_journal *j, const hc_journal_visit *v, size_t *have, size_t *need, hc_error *e)
{
  size_t used = 0;
  hc_rc rc;
  *need = 0;
  for (;;) {
    hc_record r = {0};
    rc = hc_record_look(j->buffer + used, *have - used, &r);
    if (rc == HC_EVERSION)
      return hc_fail(e, rc, j->path, 0, 0,
                     "this journal is of another version of hindcast: carry the study out again");
    if (rc != 1) break;
    TRY(tell(j, v, &r, e));
    used += r.size;
    j->size += r.size;
  }
  if (rc == 0 && *have - used >= sizeof(hc_record_head)) {
    hc_record r = {0};
    (void)hc_record_look(j->buffer + used, *have - used, &r);
    *need = r.size;
  }
  memmove(j->buffer, j->buffer + used, *have - used);
  *have -= used;
  return rc < 0;
}

/* A beginning that a process was about to write when it was killed. */
static bool is_begun(const char *data, size_t size)
{
  const uint32_t magic = MAGIC;
  return memcmp(data, &magic, HC_MIN(size, sizeof magic)) == 0;
}

hc_rc hc_journal_each(hc_journal *j, const hc_journal_visit *visit, hc_error *e)
{
  size_t have = 0, need = 0;
  ssize_t n = 1;
  hc_rc rc = 0;
  j->size = 0;
  if (lseek(j->fd, 0, SEEK_SET) < 0) return io(j, "read", e);
  while (rc == 0 && n > 0) {
    TRY(grow(j, HC_MAX(BLOCK, need), e));
    n = read(j->fd, j->buffer + have, j->cap - have);
    if (n < 0 && errno != EINTR) return io(j, "read", e);
    if (n > 0) have += (size_t)n;
    rc = walk(j, visit, &have, &need, e);
    if (rc < 0) return rc;
  }
  if (j->size == 0 && have > 0 && !(j->may_write && is_begun(j->buffer, have)))
    return hc_fail(e, HC_EINPUT, j->path, 0, 0,
                   "this is no journal of a study, or its beginning is damaged; --again begins anew");
  if (!j->may_write) return 0;
  if (have > 0 && ftruncate(j->fd, (off_t)j->size) != 0) return io(j, "repair", e);
  if (lseek(j->fd, (off_t)j->size, SEEK_SET) < 0) return io(j, "continue", e);
  return 0;
}

hc_rc hc_journal_at(hc_journal *j, uint64_t offset, hc_record *out, hc_error *e)
{
  size_t want = 4096;
  for (;;) {
    size_t have = 0;
    hc_rc rc;
    TRY(grow(j, want, e));
    while (have < want) {
      const ssize_t n = pread(j->fd, j->buffer + have, want - have, (off_t)(offset + have));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return io(j, "read", e);
      if (n == 0) break;
      have += (size_t)n;
    }
    out->size = 0;
    rc = hc_record_look(j->buffer, have, out);
    if (rc == 1) return 0;
    if (rc < 0 || out->size <= want) break;
    want = out->size;
  }
  return hc_fail(e, HC_EINPUT, j->path, 0, 0, "the record at byte %llu is damaged",
                 (unsigned long long)offset);
}

/* ---- writing ---- */

hc_rc hc_journal_append(hc_journal *j, const void *records, size_t size, hc_error *e)
{
  const char *p = records;
  while (size > 0) {
    const ssize_t n = write(j->fd, p, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const hc_rc rc = io(j, "write", e);
      (void)!ftruncate(j->fd, (off_t)j->size);
      return rc;
    }
    p += n;
    size -= (size_t)n;
    j->size += (uint64_t)n;
  }
  return 0;
}

hc_rc hc_journal_sync(hc_journal *j, hc_error *e)
{
  return fsync(j->fd) == 0 ? 0 : io(j, "bring to disk", e);
}

int hc_journal_file(const hc_journal *j)
{
  return j->fd;
}

const char *hc_journal_path(const hc_journal *j)
{
  return j->path;
}

uint64_t hc_journal_size(const hc_journal *j)
{
  return j->size;
}
