/* users.c -- see users.h. */
#define _GNU_SOURCE
#include "slurm/users.h"

#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"

static int64_t uid_of(void *ctx, const char *name)
{
  const struct passwd *p = getpwnam(name);
  HC_UNUSED(ctx);
  return p ? (int64_t)p->pw_uid : -1;
}

static bool has_uid(void *ctx, int64_t uid)
{
  HC_UNUSED(ctx);
  return getpwuid((uid_t)uid) != NULL;
}

const hc_accounts hc_accounts_of_machine = {NULL, uid_of, has_uid};

/* As useradd takes them, and no more. */
static bool is_name(const char *s)
{
  const size_t n = strlen(s);
  return n > 0 && n < 32 && s[0] >= 'a' && s[0] <= 'z' &&
         strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_-") == n;
}

static bool is_uid(int64_t uid)
{
  return uid >= HC_PSEUDO_LEAST && uid <= HC_PSEUDO_MOST;
}

static hc_rc add(hc_pseudo_users *u, const char *name, int64_t uid)
{
  TRY(hc_reserve(u->allocator, (void **)&u->items, &u->cap, u->count + 1, sizeof *u->items));
  u->items[u->count] = (hc_pseudo_user){.uid = uid};
  (void)snprintf(u->items[u->count++].name, sizeof u->items->name, "%s", name);
  return 0;
}

static hc_rc read_line(hc_pseudo_users *u, const char *path, uint32_t number, char *line, hc_error *e)
{
  char *colon = strchr(line, ':');
  int64_t uid;
  line[strcspn(line, "\n")] = '\0';
  if (!line[0] || line[0] == '#') return 0;
  if (!colon) return hc_fail(e, HC_EINPUT, path, number, 1, "expected NAME:UID");
  *colon = '\0';
  if (!is_name(line) || hc_parse_int(colon + 1, strlen(colon + 1), &uid) < 0)
    return hc_fail(e, HC_EINPUT, path, number, 1, "expected NAME:UID, a name of small letters and digits");
  if (!is_uid(uid))
    return hc_fail(e, HC_EINPUT, path, number, 1,
                   "%s: uid %" PRId64 " is not from %d to %d: it is no pseudo-user", line, uid,
                   HC_PSEUDO_LEAST, HC_PSEUDO_MOST);
  for (size_t i = 0; i < u->count; i++)
    if (strcmp(u->items[i].name, line) == 0 || u->items[i].uid == uid)
      return hc_fail(e, HC_EINPUT, path, number, 1, "%s, or its uid, is in the list twice", line);
  return add(u, line, uid) < 0 ? hc_fail(e, HC_ENOMEM, path, 0, 0, "out of memory") : 0;
}

hc_rc hc_pseudo_read(const hc_allocator *a, const char *path, hc_pseudo_users *out, hc_error *e)
{
  char line[256];
  uint32_t number = 0;
  hc_rc rc = 0;
  FILE *f = fopen(path, "re");
  *out = (hc_pseudo_users){.allocator = a};
  if (!f)
    return hc_fail(e, HC_EIO, path, 0, 0, "cannot be read: %s; `hindcast slurm users create` writes one",
                   strerror(errno));
  while (rc >= 0 && fgets(line, sizeof line, f)) rc = read_line(out, path, ++number, line, e);
  (void)fclose(f);
  return rc;
}

void hc_pseudo_fini(hc_pseudo_users *u)
{
  hc_free(u->allocator, u->items, u->cap * sizeof *u->items);
  u->items = NULL;
  u->count = u->cap = 0;
}

static bool is_listed(const hc_pseudo_users *u, int64_t uid)
{
  for (size_t i = 0; i < u->count; i++)
    if (u->items[i].uid == uid) return true;
  return false;
}

hc_rc hc_pseudo_plan(hc_pseudo_users *u, size_t count, const char *prefix, int64_t first,
                     const hc_accounts *m, hc_error *e)
{
  const size_t from = u->count;
  int64_t uid = first;
  for (size_t i = 0; i < count; i++) {
    char name[64];
    (void)snprintf(name, sizeof name, "%.40s%zu", prefix, from + i + 1);
    if (!is_name(name))
      return hc_fail(e, HC_EUSAGE, "users", 0, 0,
                     "\"%.60s\" is no name for a user: small letters and digits, at most 31", name);
    if (m->uid_of(m->ctx, name) >= 0)
      return hc_fail(e, HC_EUSAGE, "users", 0, 0,
                     "there is a user %s, who is not in the list; choose another --prefix", name);
    while (uid <= HC_PSEUDO_MOST && (m->has_uid(m->ctx, uid) || is_listed(u, uid))) uid++;
    if (!is_uid(uid))
      return hc_fail(e, HC_EUSAGE, "users", 0, 0,
                     "uids are from %d to %d, and %" PRId64 " is not one that is free", HC_PSEUDO_LEAST,
                     HC_PSEUDO_MOST, uid);
    if (add(u, name, uid) < 0) return hc_fail(e, HC_ENOMEM, "users", 0, 0, "out of memory");
  }
  return 0;
}

hc_rc hc_pseudo_may_delete(const hc_pseudo_user *u, const hc_accounts *m, hc_error *e)
{
  const int64_t uid = m->uid_of(m->ctx, u->name);
  if (uid < 0) return 0;
  if (uid == u->uid && is_uid(uid)) return 1;
  return hc_fail(e, HC_EUSAGE, "users", 0, 0,
                 "%s has uid %" PRId64 " on this machine and %" PRId64
                 " in the list: it is another one, and is left alone",
                 u->name, uid, u->uid);
}

void hc_pseudo_command(const hc_pseudo_user *u, bool make, const char *argv[12], char uid[32])
{
  size_t n = 0;
  (void)snprintf(uid, 32, "%" PRId64, u->uid);
  if (make) {
    static const char *const words[] = {"useradd",      "--no-create-home", "--no-user-group",   "--home-dir",
                                        "/nonexistent", "--shell",          "/usr/sbin/nologin", "--uid"};
    for (; n < HC_ARRAY_LEN(words); n++) argv[n] = words[n];
    argv[n++] = uid;
  } else {
    argv[n++] = "userdel"; /* no --remove: there are no files of theirs */
  }
  argv[n++] = u->name;
  argv[n] = NULL;
}

hc_rc hc_pseudo_write(const hc_pseudo_users *u, size_t from, const char *path, hc_error *e)
{
  char other[4200];
  FILE *f;
  bool ok;
  (void)snprintf(other, sizeof other, "%.4100s.new", path);
  f = fopen(other, "we");
  if (!f) return hc_fail(e, HC_EIO, other, 0, 0, "cannot be written: %s", strerror(errno));
  for (size_t i = from; i < u->count; i++)
    (void)fprintf(f, "%s:%" PRId64 "\n", u->items[i].name, u->items[i].uid);
  ok = !ferror(f) && fflush(f) == 0 && fsync(fileno(f)) == 0;
  ok = fclose(f) == 0 && ok;
  if (ok && rename(other, path) == 0) return 0;
  return hc_fail(e, HC_EIO, path, 0, 0, "cannot be written: %s", strerror(errno));
}
