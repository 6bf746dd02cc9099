/* stores.c -- what there is to read from and to write to: from the entries of a run file to the disks of
 * hosts.
 *
 * An entry gives each of some hosts a *store*: a disk of its own, one that they share or that another host
 * has, or several over which bytes are spread. A host has one store without a path at most, and one for each
 * path. Disks with a path have files: all of a run are in one hc_filesystem, in which disk 17 is mounted at
 * "/17", so that a file is the same wherever its disk is mounted. A file of a store with stripes is one on
 * each of them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "cluster/host_find.h"
#include "cluster/platform.h"
#include "execution/filesystem.h"
#include "execution/record.h"
#include "execution/running.h"

#define WHERE "execution.disks"

enum { MOUNT_MOST = 255 };

/* An entry while its hosts get what it says. */
typedef struct making {
  hc_storage *s;
  const hc_model_context *c;
  hc_host_finder finder;
  size_t entry;
  hc_disk_facts facts;
  hc_shelf store; /* as it is for each host, but for its disks */
  const hc_network_of_run *network;
  const hc_list *files; /* texts */
  hc_error *e;
} making;

/* ---- what disks are like ---- */

static hc_rc lane_of(hc_arena *a, int64_t bandwidth, const hc_list *by, int64_t most, hc_disk_lane *out)
{
  const int64_t *items = by->items;
  *out = (hc_disk_lane){.bandwidth = (double)bandwidth, .most = (uint32_t)most};
  if (by->count == 0) return 0;
  double *copy = hc_arena_alloc(a, by->count * sizeof *copy);
  if (!copy) return HC_ENOMEM;
  for (size_t i = 0; i < by->count; i++) copy[i] = (double)items[i];
  out->by = copy;
  out->by_count = by->count;
  return 0;
}

static hc_rc check_bandwidth(const making *m, const char *word, int64_t bandwidth, const hc_list *by)
{
  if ((bandwidth > 0) != (by->count > 0)) return 0;
  return hc_fail(m->e, HC_EUSAGE, WHERE, 0, 0,
                 bandwidth > 0 ? "entry %zu: `%s_bandwidth` and `%s_by` say the same: leave one out"
                               : "entry %zu: a disk needs `%s_bandwidth`, or `%s_by`",
                 m->entry + 1, word, word);
}

static hc_rc read_keys(making *m, const hc_disk_keys *o)
{
  m->facts = (hc_disk_facts){.capacity = o->capacity > 0 ? (double)o->capacity : HC_DISK_FREE,
                             .most = (uint32_t)o->operations,
                             .order = (hc_disk_order)o->order};
  m->store.is_kept = o->kept == HC_DISK_KEPT_ALWAYS;
  m->store.is_one_rate = o->one_rate;
  if (o->one_rate && (o->operations > 0 || o->reads > 0 || o->writes > 0))
    return hc_fail(m->e, HC_EUNSUPPORTED, WHERE, 0, 0,
                   "entry %zu: with `one_rate` all that is read and written goes on at once: leave out "
                   "`operations`, `reads` and `writes`",
                   m->entry + 1);
  TRY(check_bandwidth(m, "read", o->read_bandwidth, &o->read_by));
  TRY(check_bandwidth(m, "write", o->write_bandwidth, &o->write_by));
  TRY(lane_of(&m->s->arena, o->read_bandwidth, &o->read_by, o->reads, &m->facts.lanes[HC_DISK_READ]));
  return lane_of(&m->s->arena, o->write_bandwidth, &o->write_by, o->writes, &m->facts.lanes[HC_DISK_WRITE]);
}

/* "/scratch/" is "/scratch", and "/" is "". */
static hc_rc read_mount(making *m, const char *mount)
{
  size_t n;
  m->store.mount = NULL;
  if (!mount) return 0;
  n = strlen(mount);
  if (mount[0] != '/' || n > MOUNT_MOST || strstr(mount, "//"))
    return hc_fail(m->e, HC_EUSAGE, WHERE, 0, 0,
                   "entry %zu: mount: \"%.80s\" is no path: \"/scratch\" is one, of at most %d bytes",
                   m->entry + 1, mount, MOUNT_MOST);
  while (n > 0 && mount[n - 1] == '/') n--;
  m->store.mount = hc_arena_text(&m->s->arena, mount, n);
  m->store.mount_size = (uint32_t)n;
  return m->store.mount ? 0 : HC_ENOMEM;
}

/* ---- stores ---- */

static hc_rc add_disk(making *m, uint32_t host, uint32_t *out)
{
  hc_storage *s = m->s;
  uint32_t disk;
  TRY(hc_disks_add(s->disks, &m->facts, &disk));
  TRY(hc_reserve(m->c->allocator, (void **)&s->parts, &s->part_cap, s->part_count + 1, sizeof *s->parts));
  if (out) *out = (uint32_t)s->part_count;
  s->parts[s->part_count++] = (hc_shelf_disk){disk, host};
  return 0;
}

/* One file of an entry, "input=100GB", on a store. */
static hc_rc put_file(making *m, uint32_t store, const char *text)
{
  const hc_shelf *x = &m->s->stores[store];
  const char *equals = strrchr(text, '=');
  char path[HC_STORAGE_PATH], room[HC_STORAGE_PATH];
  int64_t bytes;
  if (!equals || equals == text || hc_parse_size(equals + 1, strlen(equals + 1), &bytes) < 0 || bytes < 0)
    return hc_fail(m->e, HC_EUSAGE, WHERE, 0, 0,
                   "entry %zu: files: \"%.80s\" is no file: write its path below `mount`, and its size: "
                   "input=100GB",
                   m->entry + 1, text);
  const char *at = text[0] == '/' ? text + 1 : text;
  (void)snprintf(path, sizeof path, "%s/%.*s", x->mount, (int)HC_MIN(equals - at, 2048), at);
  const uint32_t first = hc_storage_first(m->s, store, path);
  for (uint32_t i = 0; i < x->stripes; i++) {
    const bool fits = hc_storage_path(m->s, x, x->first + (first + i) % x->count, path, room);
    const int rc = fits ? hc_filesystem_put(m->s->files, room, (double)bytes / x->stripes) : HC_EINPUT;
    if (rc == HC_ENOMEM) return rc;
    if (rc != HC_FILE_OK)
      return hc_fail(m->e, HC_EUSAGE, WHERE, 0, 0, "entry %zu: files: \"%.80s\": %s", m->entry + 1, text,
                     rc < 0 ? "this is no path" : hc_file_answer_text((hc_file_answer)rc));
  }
  return 0;
}

/* Disks from `first` on are a store, whose number is `out`. */
static hc_rc add_store(making *m, uint32_t first, uint32_t count, uint32_t stripes, uint32_t *out)
{
  hc_storage *s = m->s;
  hc_shelf x = m->store;
  const char *const *files = m->files ? m->files->items : NULL;
  x.first = first;
  x.count = count;
  x.stripes = stripes == 0 ? count : stripes;
  TRY(hc_reserve(m->c->allocator, (void **)&s->stores, &s->store_cap, s->store_count + 1, sizeof *s->stores));
  *out = (uint32_t)s->store_count;
  s->stores[s->store_count++] = x;
  if (!x.mount) return 0;
  if (!s->files) TRY(hc_filesystem_new(m->c->allocator, s->disks, &s->files));
  for (uint32_t i = 0; i < count; i++) {
    char path[32];
    (void)snprintf(path, sizeof path, "/%" PRIu32, s->parts[first + i].disk);
    const int rc = hc_filesystem_mount(s->files, path, s->parts[first + i].disk);
    if (rc < 0) return rc;
  }
  for (size_t i = 0; m->files && i < m->files->count; i++) TRY(put_file(m, *out, files[i]));
  return 0;
}

static bool is_same_place(const hc_shelf *a, const hc_shelf *b)
{
  if (!a->mount || !b->mount) return !a->mount && !b->mount;
  return strcmp(a->mount, b->mount) == 0;
}

static hc_rc give(making *m, uint32_t host, uint32_t store)
{
  hc_storage *s = m->s;
  const hc_shelf *x = &s->stores[store];
  for (uint32_t at = s->of[host]; at != HC_NO_ONE; at = s->chain[at].next) {
    if (!is_same_place(&s->stores[s->chain[at].store], x)) continue;
    return x->mount ? hc_fail(m->e, HC_EUSAGE, WHERE, 0, 0,
                              "two entries mount something at %.80s/ on the host %.80s", x->mount,
                              m->c->host_names[host])
                    : hc_fail(m->e, HC_EUSAGE, WHERE, 0, 0,
                              "two entries give a disk to the host %.80s, which has one at most without a "
                              "`mount`",
                              m->c->host_names[host]);
  }
  TRY(hc_reserve(m->c->allocator, (void **)&s->chain, &s->chain_cap, s->chain_count + 1, sizeof *s->chain));
  s->chain[s->chain_count] = (hc_shelf_of){store, s->of[host]};
  s->of[host] = (uint32_t)s->chain_count++;
  return 0;
}

/* ---- entries ---- */

static hc_rc find_hosts(making *m, const hc_list *texts, hc_host_ranges *out)
{
  return hc_host_find_all(&m->finder, texts, WHERE, out, m->e);
}

static hc_rc find_host(making *m, const char *name, uint32_t *out)
{
  hc_host_ranges one = {0};
  const hc_list texts = {&name, 1};
  hc_rc rc = find_hosts(m, &texts, &one);
  if (rc == 0 && hc_host_ranges_size(&one) != 1)
    rc = hc_fail(m->e, HC_EUSAGE, WHERE, 0, 0, "entry %zu: at: \"%.80s\" are several hosts", m->entry + 1,
                 name);
  if (rc == 0) *out = one.items[0].first;
  hc_host_ranges_fini(&one, m->c->allocator);
  return rc;
}

/* Call for each host of an entry. */
static hc_rc each_host(making *m, const hc_list *texts, hc_rc (*each)(making *m, void *ctx, uint32_t host),
                       void *ctx)
{
  hc_host_ranges hosts = {0};
  hc_rc rc = find_hosts(m, texts, &hosts);
  for (size_t i = 0; rc == 0 && i < hosts.count; i++)
    for (uint32_t h = 0; rc == 0 && h < hosts.items[i].count; h++)
      rc = each(m, ctx, hosts.items[i].first + h);
  hc_host_ranges_fini(&hosts, m->c->allocator);
  return rc;
}

static hc_rc give_one(making *m, void *ctx, uint32_t host)
{
  return give(m, host, *(const uint32_t *)ctx);
}

static hc_rc give_own(making *m, void *ctx, uint32_t host)
{
  uint32_t first, store;
  (void)ctx;
  TRY(add_disk(m, m->store.is_wide ? host : HC_NO_ONE, &first));
  TRY(add_store(m, first, 1, 1, &store));
  return give(m, host, store);
}

static hc_rc check_files(const making *m)
{
  if (m->store.mount || !m->files || m->files->count == 0) return 0;
  return hc_fail(m->e, HC_EUSAGE, WHERE, 0, 0, "entry %zu: files have a path: say `mount` too", m->entry + 1);
}

/* Flows and operations of disks are then activities of one fluid, whose rates are shared alike. */
static hc_rc check_one_rate(const making *m, bool is_far)
{
  if (!m->store.is_one_rate) return 0;
  if (!is_far)
    return hc_fail(
        m->e, HC_EUSAGE, WHERE, 0, 0,
        "entry %zu: `one_rate` is of disks that hosts reach over the network: say `at`, or `servers`, or "
        "leave it out",
        m->entry + 1);
  if (!m->network->type)
    return hc_fail(m->e, HC_EUSAGE, WHERE, 0, 0,
                   "entry %zu: `one_rate` is that of a disk and a network: say which under execution.network",
                   m->entry + 1);
  if (!m->network->facts.rules.by_latency) return 0;
  return hc_fail(
      m->e, HC_EUNSUPPORTED, WHERE, 0, 0,
      "entry %zu: with these `factors` flows share links by their latencies, which a disk has none of: take "
      "`factors: plain`, or leave `one_rate` out",
      m->entry + 1);
}

static hc_rc check_wide(const making *m, const hc_disk_options *o)
{
  if (!o->wide) return 0;
  if (o->shared || o->at)
    return hc_fail(m->e, HC_EUSAGE, WHERE, 0, 0,
                   "entry %zu: `wide` is of disks that hosts have each for itself: leave out `%s`",
                   m->entry + 1, o->at ? "at" : "shared");
  if (o->files.count == 0) return 0;
  return hc_fail(m->e, HC_EUNSUPPORTED, WHERE, 0, 0,
                 "entry %zu: what lies on the disks of all hosts of a task (`wide`) has no name: leave out "
                 "`files`",
                 m->entry + 1);
}

static hc_rc add_plain(making *m, const hc_disk_options *o)
{
  uint32_t first, store, host = HC_NO_ONE;
  TRY(read_keys(m, &o->keys));
  TRY(check_wide(m, o));
  TRY(check_one_rate(m, o->at || o->wide));
  TRY(read_mount(m, o->mount));
  m->store.is_wide = o->wide;
  m->files = &o->files;
  TRY(check_files(m));
  if (!o->shared && !o->at) return each_host(m, &o->hosts, give_own, NULL);
  if (o->at) TRY(find_host(m, o->at, &host));
  TRY(add_disk(m, host, &first));
  TRY(add_store(m, first, 1, 1, &store));
  return each_host(m, &o->hosts, give_one, &store);
}

static hc_rc add_server(making *m, void *ctx, uint32_t host)
{
  (void)ctx;
  return add_disk(m, host, NULL);
}

static hc_rc add_striped(making *m, const hc_striped_options *o)
{
  const uint32_t first = (uint32_t)m->s->part_count;
  uint32_t store;
  TRY(read_keys(m, &o->keys));
  TRY(check_one_rate(m, o->servers.count > 0));
  m->store.is_wide = 0;
  TRY(read_mount(m, o->mount));
  m->files = &o->files;
  TRY(check_files(m));
  for (int64_t i = 0; i < o->disks; i++) {
    if (o->servers.count > 0) TRY(each_host(m, &o->servers, add_server, NULL));
    else TRY(add_disk(m, HC_NO_ONE, NULL));
  }
  const uint32_t count = (uint32_t)m->s->part_count - first;
  if (o->stripes > (int64_t)count)
    return hc_fail(m->e, HC_EUSAGE, WHERE, 0, 0, "entry %zu: stripes: there are %" PRIu32 " disks",
                   m->entry + 1, count);
  TRY(add_store(m, first, count, (uint32_t)o->stripes, &store));
  return each_host(m, &o->hosts, give_one, &store);
}

/* ---- disks of a platform ---- */

static uint32_t host_named(const making *m, const char *name)
{
  const uint32_t id = hc_names_find(m->finder.hosts, name, strlen(name));
  return id == HC_MAP_NONE ? HC_NO_ONE : id;
}

static const char *host_name(const hc_platform *p, uint32_t host)
{
  return p->points[p->hosts[host].point].name;
}

static hc_rc add_platform_disk(making *m, const hc_platform *p, const hc_platform_disk *x)
{
  const uint32_t host = host_named(m, host_name(p, x->host));
  char other[MOUNT_MOST + 2];
  int64_t size = 0;
  uint32_t first, store;
  if (x->size && (hc_parse_size(x->size, strlen(x->size), &size) < 0 || size <= 0))
    return hc_fail(m->e, HC_EINPUT, p->file, 0, 0, "the disk \"%.80s\" has the size \"%.80s\", which is none",
                   x->name, x->size);
  m->facts = (hc_disk_facts){.capacity = size > 0 ? (double)size : HC_DISK_FREE};
  m->facts.lanes[HC_DISK_READ].bandwidth = x->read;
  m->facts.lanes[HC_DISK_WRITE].bandwidth = x->write;
  TRY(add_disk(m, HC_NO_ONE, &first));
  if (host == HC_NO_ONE) return 0;
  (void)snprintf(other, sizeof other, "/%.*s", MOUNT_MOST - 1, x->name);
  const bool has_own = hc_storage_find(m->s, host, NULL) != HC_NO_ONE;
  TRY(read_mount(m, x->mount ? x->mount : has_own ? other : NULL));
  TRY(add_store(m, first, 1, 1, &store));
  return give(m, host, store);
}

/* "MOUNT:DISK:HOST" of a host. @param first of the platform's disks, in its order, in storage.parts */
static hc_rc add_remote(making *m, const hc_platform *p, size_t first, const hc_platform_prop *prop)
{
  const char *one = strchr(prop->value, ':'), *two = one ? strchr(one + 1, ':') : NULL;
  char mount[MOUNT_MOST + 1];
  uint32_t part, store;
  size_t i = 0;
  if (!two || one - prop->value > MOUNT_MOST)
    return hc_fail(m->e, HC_EINPUT, p->file, 0, 0, "remote_disk: \"%.80s\" is no \"MOUNT:DISK:HOST\"",
                   prop->value);
  for (; i < p->all_disks_count; i++)
    if (strlen(p->all_disks[i].name) == (size_t)(two - one - 1) &&
        strncmp(p->all_disks[i].name, one + 1, (size_t)(two - one - 1)) == 0 &&
        strcmp(host_name(p, p->all_disks[i].host), two + 1) == 0)
      break;
  if (i == p->all_disks_count || host_named(m, two + 1) == HC_NO_ONE)
    return hc_fail(m->e, HC_EINPUT, p->file, 0, 0,
                   "remote_disk: \"%.80s\": no host of the cell of that name has such a disk", prop->value);
  (void)snprintf(mount, sizeof mount, "%.*s", (int)(one - prop->value), prop->value);
  TRY(read_mount(m, mount));
  TRY(hc_reserve(m->c->allocator, (void **)&m->s->parts, &m->s->part_cap, m->s->part_count + 1,
                 sizeof *m->s->parts));
  part = (uint32_t)m->s->part_count++;
  m->s->parts[part] = (hc_shelf_disk){m->s->parts[first + i].disk, host_named(m, two + 1)};
  TRY(add_store(m, part, 1, 1, &store));
  for (uint32_t h = prop->first_host; h < prop->first_host + prop->hosts; h++) {
    const uint32_t host = host_named(m, host_name(p, h));
    if (host != HC_NO_ONE) TRY(give(m, host, store));
  }
  return 0;
}

static hc_rc add_platform(making *m, const hc_platform_disks_options *o)
{
  const size_t first = m->s->part_count;
  hc_platform p;
  if (!o->file)
    return hc_fail(m->e, HC_EUSAGE, WHERE, 0, 0, "entry %zu: simgrid needs `file`, the platform",
                   m->entry + 1);
  TRY(hc_platform_read(m->c->allocator, o->file, &p, m->e));
  hc_rc rc = 0;
  m->files = NULL;
  m->store.is_wide = 0;
  m->store.is_kept = o->kept == HC_DISK_KEPT_ALWAYS;
  m->store.is_one_rate = o->one_rate;
  rc = check_one_rate(m, true);
  for (size_t i = 0; rc == 0 && i < p.all_disks_count; i++) rc = add_platform_disk(m, &p, &p.all_disks[i]);
  for (size_t i = 0; rc == 0 && i < p.props_count; i++)
    if (strcmp(p.props[i].name, "remote_disk") == 0) rc = add_remote(m, &p, first, &p.props[i]);
  hc_platform_free(&p);
  return rc;
}

/* ---- the whole ---- */

static hc_rc add_entry(making *m, const hc_chosen *entry)
{
  if (strcmp(entry->type->name, "striped") == 0) return add_striped(m, entry->options);
  if (strcmp(entry->type->name, "simgrid") == 0) return add_platform(m, entry->options);
  return add_plain(m, entry->options);
}

static bool any_one_rate(const hc_list *entries)
{
  const hc_chosen *items = entries->items;
  for (size_t i = 0; i < entries->count; i++) {
    const void *o = items[i].options;
    const char *name = items[i].type->name;
    if (strcmp(name, "striped") == 0   ? ((const hc_striped_options *)o)->keys.one_rate
        : strcmp(name, "simgrid") == 0 ? ((const hc_platform_disks_options *)o)->one_rate
                                       : ((const hc_disk_options *)o)->keys.one_rate)
      return true;
  }
  return false;
}

hc_rc hc_storage_init(hc_doings *d, const hc_model_context *c, const hc_list *entries, hc_error *e)
{
  hc_storage *s = &d->storage;
  const hc_chosen *items = entries->items;
  making m = {.s = s, .c = c, .network = &d->flows.network, .e = e};
  s->vacant_lease = HC_NO_ONE;
  if (entries->count == 0) return 0;
  if (c->host_count == 0 || !c->cell)
    return hc_fail(
        e, HC_EUNSUPPORTED, WHERE, 0, 0,
        "disks are those of hosts, and this cell counts processors: say `cell: {use: hosts, ...}`");
  TRY(any_one_rate(entries) ? hc_disks_new_on(c->allocator, d->flows.fluid, &s->disks)
                            : hc_disks_new(c->allocator, &s->disks));
  s->of = hc_alloc(c->allocator, c->host_count * sizeof *s->of);
  if (!s->of) return HC_ENOMEM;
  for (uint32_t i = 0; i < c->host_count; i++) s->of[i] = HC_NO_ONE;
  hc_rc rc = hc_host_finder_init(&m.finder, c->allocator, c->cell, NULL);
  for (; rc == 0 && m.entry < entries->count; m.entry++) rc = add_entry(&m, &items[m.entry]);
  hc_host_finder_fini(&m.finder);
  return rc;
}

void hc_storage_fini(hc_doings *d)
{
  hc_storage *s = &d->storage;
  const hc_allocator *a = d->allocator;
  hc_free(a, s->of, d->host_count * sizeof *s->of);
  hc_free(a, s->stores, s->store_cap * sizeof *s->stores);
  hc_free(a, s->parts, s->part_cap * sizeof *s->parts);
  hc_free(a, s->chain, s->chain_cap * sizeof *s->chain);
  hc_free(a, s->leases, s->lease_cap * sizeof *s->leases);
  hc_filesystem_free(s->files);
  hc_disks_free(s->disks);
  hc_arena_fini(&s->arena);
}

/* ---- paths ---- */

static bool lies_in(const hc_shelf *x, const char *path)
{
  return x->mount && strncmp(path, x->mount, x->mount_size) == 0 && path[x->mount_size] == '/';
}

uint32_t hc_storage_find(const hc_storage *s, uint32_t host, const char *path)
{
  uint32_t best = HC_NO_ONE;
  for (uint32_t at = s->of ? s->of[host] : HC_NO_ONE; at != HC_NO_ONE; at = s->chain[at].next) {
    const hc_shelf *x = &s->stores[s->chain[at].store];
    if (!path && !x->mount) return s->chain[at].store;
    if (!path || !lies_in(x, path)) continue;
    if (best == HC_NO_ONE || x->mount_size > s->stores[best].mount_size) best = s->chain[at].store;
  }
  return best;
}

uint32_t hc_storage_alike(const hc_storage *s, uint32_t host, const hc_shelf *x)
{
  for (uint32_t at = host == HC_NO_ONE ? HC_NO_ONE : s->of[host]; at != HC_NO_ONE; at = s->chain[at].next) {
    const hc_shelf *y = &s->stores[s->chain[at].store];
    if (y->is_wide && is_same_place(x, y)) return y->first;
  }
  return HC_NO_ONE;
}

bool hc_storage_path(const hc_storage *s, const hc_shelf *x, uint32_t part, const char *path, char *room)
{
  const int n = snprintf(room, HC_STORAGE_PATH, "/%" PRIu32 "%s", s->parts[part].disk, path + x->mount_size);
  return n > 0 && n < HC_STORAGE_PATH;
}

uint32_t hc_storage_first(const hc_storage *s, uint32_t store, const char *path)
{
  const hc_shelf *x = &s->stores[store];
  hc_hash h;
  uint64_t sum[2];
  if (x->count == 1) return 0;
  hc_hash_init(&h);
  hc_hash_add(&h, path + x->mount_size, strlen(path + x->mount_size));
  hc_hash_end(&h, sum);
  return (uint32_t)(sum[0] % x->count);
}
