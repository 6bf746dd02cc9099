/* filesystem.c -- files on disks, by path: see filesystem.h.
 *
 * A name is kept for good: a file that is deleted and created again has the number that it had. The mount of
 * a path is looked for from its end, directory by directory. Memory: a name and 32 bytes a file, 8 bytes an
 * operation of the disks. */
#include "execution/filesystem.h"

#include <string.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"

#define FILES_MOST ((size_t)1 << 28)
#define PATH_MOST ((size_t)4128) /* of a profile, and which disk's object it is */
#define NO_FILE UINT32_MAX

typedef struct file {
  double bytes;
  uint32_t mount, busy; /* busy: operations on it */
  uint32_t is_there;
  uint32_t mounted; /* 1 + the mount that has this path; 0: none has */
} file;

typedef struct mount {
  uint32_t path, disk; /* path: of the names; NO_FILE: it was unmounted */
} mount;

typedef struct doing {
  uint32_t file, way; /* file: NO_FILE, none of this file system */
} doing;

struct hc_filesystem {
  const hc_allocator *allocator;
  hc_disks *disks;
  hc_names names; /* of files and mounts */
  file *files;    /* [names.count] */
  size_t file_count, file_cap;
  mount *mounts;
  size_t mount_count, mount_cap;
  doing *doings; /* by number of the disks' operations */
  size_t doing_count, doing_cap;
};

const char *hc_file_answer_text(hc_file_answer answer)
{
  switch (answer) {
    case HC_FILE_OK: return "done";
    case HC_FILE_NOT_MOUNTED: return "no disk is mounted there";
    case HC_FILE_MOUNTED: return "it is mounted";
    case HC_FILE_EXISTS: return "there is such a file";
    case HC_FILE_MISSING: return "there is no such file";
    case HC_FILE_BUSY: return "it is being read or written";
    case HC_FILE_SHORT: return "it has not so many bytes";
    case HC_FILE_FULL: return "its disk has no room";
  }
  return "";
}

hc_rc hc_filesystem_new(const hc_allocator *a, hc_disks *disks, hc_filesystem **out)
{
  hc_filesystem *f = hc_alloc(a, sizeof *f);
  if (!f) return HC_ENOMEM;
  f->allocator = a;
  f->disks = disks;
  hc_names_init(&f->names, a, FILES_MOST);
  *out = f;
  return 0;
}

void hc_filesystem_free(hc_filesystem *f)
{
  if (!f) return;
  hc_names_fini(&f->names);
  hc_free(f->allocator, f->files, f->file_cap * sizeof *f->files);
  hc_free(f->allocator, f->mounts, f->mount_cap * sizeof *f->mounts);
  hc_free(f->allocator, f->doings, f->doing_cap * sizeof *f->doings);
  hc_free(f->allocator, f, sizeof *f);
}

/* ---- paths ---- */

static bool is_path(const char *path)
{
  return path && path[0] == '/' && strlen(path) <= PATH_MOST;
}

/* "/" and "/data/" are "" and "/data". */
static size_t length_of_mount(const char *path)
{
  size_t n = strlen(path);
  while (n > 0 && path[n - 1] == '/') n--;
  return n;
}

static hc_rc name(hc_filesystem *f, const char *path, size_t n, uint32_t *id)
{
  TRY(hc_reserve(f->allocator, (void **)&f->files, &f->file_cap, f->names.count + 1, sizeof *f->files));
  TRY(hc_names_add(&f->names, path, n, id));
  if (f->file_count < f->names.count) f->files[f->file_count++] = (file){0};
  return 0;
}

/* Of the longest mount that a path lies in; NO_FILE: there is none. */
static uint32_t mount_of(const hc_filesystem *f, const char *path)
{
  for (size_t n = strlen(path); n-- > 0;) {
    if (path[n] != '/') continue;
    const uint32_t id = hc_names_find(&f->names, path, n);
    if (id != HC_MAP_NONE && f->files[id].mounted > 0) return f->files[id].mounted - 1;
  }
  return NO_FILE;
}

static uint32_t mount_at(const hc_filesystem *f, const char *path)
{
  const uint32_t id = hc_names_find(&f->names, path, length_of_mount(path));
  return id != HC_MAP_NONE && f->files[id].mounted > 0 ? f->files[id].mounted - 1 : NO_FILE;
}

/* @return HC_FILE_OK, and the file; NOT_MOUNTED or MISSING */
static int find(const hc_filesystem *f, const char *path, uint32_t *out)
{
  if (!is_path(path)) return HC_FILE_NOT_MOUNTED;
  *out = hc_names_find(&f->names, path, strlen(path));
  if (*out != HC_MAP_NONE && f->files[*out].is_there) return HC_FILE_OK;
  return mount_of(f, path) == NO_FILE ? HC_FILE_NOT_MOUNTED : HC_FILE_MISSING;
}

/* ---- mounts ---- */

int hc_filesystem_mount(hc_filesystem *f, const char *path, uint32_t disk)
{
  uint32_t id;
  if (!is_path(path) || disk >= hc_disks_count(f->disks)) return HC_EINPUT;
  if (mount_at(f, path) != NO_FILE) return HC_FILE_MOUNTED;
  TRY(hc_reserve(f->allocator, (void **)&f->mounts, &f->mount_cap, f->mount_count + 1, sizeof *f->mounts));
  TRY(name(f, path, length_of_mount(path), &id));
  f->mounts[f->mount_count++] = (mount){id, disk};
  f->files[id].mounted = (uint32_t)f->mount_count;
  return HC_FILE_OK;
}

int hc_filesystem_unmount(hc_filesystem *f, const char *path)
{
  const uint32_t at = is_path(path) ? mount_at(f, path) : NO_FILE;
  if (at == NO_FILE) return HC_FILE_NOT_MOUNTED;
  for (size_t i = 0; i < f->file_count; i++)
    if (f->files[i].is_there && f->files[i].mount == at) return HC_FILE_MOUNTED;
  f->files[f->mounts[at].path].mounted = 0;
  f->mounts[at].path = NO_FILE;
  return HC_FILE_OK;
}

double hc_filesystem_used(const hc_filesystem *f)
{
  double used = 0;
  for (size_t i = 0; i < f->mount_count; i++) {
    bool again = f->mounts[i].path == NO_FILE;
    for (size_t j = 0; j < i && !again; j++)
      again = f->mounts[j].path != NO_FILE && f->mounts[j].disk == f->mounts[i].disk;
    if (!again) used += hc_disk_used(f->disks, f->mounts[i].disk);
  }
  return used;
}

/* ---- files ---- */

int hc_filesystem_create(hc_filesystem *f, const char *path)
{
  uint32_t id;
  if (!is_path(path)) return HC_EINPUT;
  const uint32_t at = mount_of(f, path);
  if (at == NO_FILE) return HC_FILE_NOT_MOUNTED;
  if (path[strlen(path) - 1] == '/') return HC_EINPUT;
  TRY(name(f, path, strlen(path), &id));
  if (f->files[id].is_there) return HC_FILE_EXISTS;
  f->files[id] = (file){.mount = at, .is_there = true, .mounted = f->files[id].mounted};
  return HC_FILE_OK;
}

int hc_filesystem_put(hc_filesystem *f, const char *path, double bytes)
{
  uint32_t id;
  const int rc = hc_filesystem_create(f, path);
  if (rc != HC_FILE_OK) return rc;
  (void)find(f, path, &id);
  if (hc_disk_fill(f->disks, f->mounts[f->files[id].mount].disk, bytes) < 0) {
    f->files[id].is_there = false;
    return HC_FILE_FULL;
  }
  f->files[id].bytes = bytes;
  return HC_FILE_OK;
}

bool hc_filesystem_is_busy(const hc_filesystem *f, const char *path)
{
  uint32_t id;
  return find(f, path, &id) == HC_FILE_OK && f->files[id].busy > 0;
}

int hc_filesystem_delete(hc_filesystem *f, const char *path)
{
  uint32_t id;
  const int rc = find(f, path, &id);
  if (rc != HC_FILE_OK) return rc;
  file *x = &f->files[id];
  if (x->busy > 0) return HC_FILE_BUSY;
  const uint32_t disk = f->mounts[x->mount].disk;
  (void)hc_disk_clear(f->disks, disk, HC_MIN(x->bytes, hc_disk_used(f->disks, disk)));
  *x = (file){.mounted = x->mounted};
  return HC_FILE_OK;
}

int hc_filesystem_size(const hc_filesystem *f, const char *path, double *bytes)
{
  uint32_t id;
  const int rc = find(f, path, &id);
  if (rc == HC_FILE_OK) *bytes = f->files[id].bytes;
  return rc;
}

/* ---- operations ---- */

static hc_rc note(hc_filesystem *f, uint32_t op, uint32_t id, hc_disk_way way)
{
  TRY(hc_reserve(f->allocator, (void **)&f->doings, &f->doing_cap, (size_t)op + 1, sizeof *f->doings));
  while (f->doing_count <= op) f->doings[f->doing_count++] = (doing){NO_FILE, 0};
  f->doings[op] = (doing){id, way};
  f->files[id].busy++;
  return 0;
}

int hc_filesystem_begin(hc_filesystem *f, hc_time now, const char *path, const hc_disk_request *r,
                        uint32_t *op)
{
  hc_disk_request mine = *r;
  uint32_t id, at;
  const int found = find(f, path, &id);
  if (found != HC_FILE_OK) return found;
  if (r->way == HC_DISK_READ && r->bytes < 0) mine.bytes = f->files[id].bytes;
  if (r->way == HC_DISK_READ && mine.bytes > f->files[id].bytes) return HC_FILE_SHORT;
  const hc_rc rc = hc_disk_begin(f->disks, now, f->mounts[f->files[id].mount].disk, &mine, &at);
  if (rc < 0) return rc;
  if (rc == 0) return r->way == HC_DISK_READ ? HC_FILE_SHORT : HC_FILE_FULL;
  const hc_rc noted = note(f, at, id, r->way);
  if (noted < 0) {
    (void)hc_disk_cancel(f->disks, now, at, NULL);
    return noted;
  }
  *op = at;
  return HC_FILE_OK;
}

static void over(hc_filesystem *f, uint32_t op, double bytes)
{
  doing *x = &f->doings[op];
  f->files[x->file].busy--;
  if (x->way == HC_DISK_WRITE) f->files[x->file].bytes += bytes;
  *x = (doing){NO_FILE, 0};
}

static bool is_own(const hc_filesystem *f, uint32_t op)
{
  return op < f->doing_count && f->doings[op].file != NO_FILE;
}

hc_rc hc_filesystem_cancel(hc_filesystem *f, hc_time now, uint32_t op)
{
  double done;
  if (!is_own(f, op)) return HC_EINPUT;
  TRY(hc_disk_cancel(f->disks, now, op, &done));
  over(f, op, done);
  return 0;
}

bool hc_filesystem_ended(hc_filesystem *f, const hc_disk_end *end)
{
  if (!is_own(f, end->op)) return false;
  over(f, end->op, end->bytes);
  return true;
}

/* ---- state ---- */

static hc_rc visit_names(hc_filesystem *f, hc_visitor *v)
{
  uint64_t count = f->names.count;
  HC_VISIT(v, count);
  if (hc_visit_loading(v)) {
    if (count > v->left) return HC_EINPUT;
    hc_names_fini(&f->names);
    hc_names_init(&f->names, f->allocator, FILES_MOST);
  }
  for (uint64_t i = 0; i < count; i++) {
    char room[PATH_MOST];
    uint32_t n = hc_visit_loading(v) ? 0 : (uint32_t)strlen(f->names.names[i]), id;
    HC_VISIT(v, n);
    if (n > PATH_MOST) return HC_EINPUT;
    if (!hc_visit_loading(v)) {
      TRY(hc_visit_bytes(v, (void *)(uintptr_t)f->names.names[i], n));
      continue;
    }
    TRY(hc_visit_bytes(v, room, n));
    TRY(hc_names_add(&f->names, room, n, &id));
    if (id != i) return HC_EINPUT;
  }
  return 0;
}

static hc_rc check_loaded(const hc_filesystem *f)
{
  if (f->file_count != f->names.count) return HC_EINPUT;
  for (size_t i = 0; i < f->mount_count; i++)
    if ((f->mounts[i].path != NO_FILE && f->mounts[i].path >= f->names.count) ||
        f->mounts[i].disk >= hc_disks_count(f->disks))
      return HC_EINPUT;
  for (size_t i = 0; i < f->file_count; i++)
    if ((f->files[i].is_there && f->files[i].mount >= f->mount_count) || f->files[i].mounted > f->mount_count)
      return HC_EINPUT;
  for (size_t i = 0; i < f->doing_count; i++)
    if (f->doings[i].file != NO_FILE && f->doings[i].file >= f->file_count) return HC_EINPUT;
  return 0;
}

hc_rc hc_filesystem_visit(hc_filesystem *f, hc_visitor *v)
{
  TRY(visit_names(f, v));
  HC_VISIT_ARRAY(v, f->files, f->file_count, f->file_cap);
  HC_VISIT_ARRAY(v, f->mounts, f->mount_count, f->mount_cap);
  HC_VISIT_ARRAY(v, f->doings, f->doing_count, f->doing_cap);
  return hc_visit_loading(v) ? check_loaded(f) : 0;
}
