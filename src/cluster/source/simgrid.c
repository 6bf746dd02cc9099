/* simgrid.c -- the hosts of a platform of SimGrid.
 *
 * The network `simgrid` reads the same file, and finds its hosts by their names. A host has its cores and
 * nothing else that tasks could demand; its speed, in flop/s, and its properties are attributes. */
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "base/util.h"
#include "cluster/host_rules.h"
#include "cluster/platform.h"

#define WHERE "cell simgrid"

typedef struct options {
  const char *file;
  double flops;
  hc_list leave_out; /* const char * */
  hc_list storage;   /* const char * */
  int roles, order;
  bool whole_hosts;
  int64_t most;
  hc_list sets, licences;
} options;

enum { ROLES_NONE, ROLES_BATSIM, ROLES_ELASTISIM };
enum { ORDER_FILE, ORDER_NAME, ORDER_BATSIM, ORDER_BATSIM5 };

typedef struct reading {
  const hc_allocator *allocator;
  const options *o;
  hc_platform p;
  hc_host_builder b;
  hc_attribute_list list;
  uint32_t level;
  size_t prop;       /* the first that may belong to the next host: they lie in order of hosts */
  int64_t computing; /* hosts with cores so far */
  bool is_choosy;    /* only hosts that store are added, or only others */
  bool wants_storage;
  const char *role;  /* property of that name of the host at hand; NULL */
  const char *gpus;  /* ElastiSim's num_gpus of it; NULL */
} reading;

static bool is_named(const hc_list *list, const char *name)
{
  const char *const *names = list->items;
  for (size_t i = 0; i < list->count; i++)
    if (strcmp(names[i], name) == 0) return true;
  return false;
}

static hc_rc check_names(const reading *r, const char *key, const hc_list *list, hc_error *e)
{
  const char *const *names = list->items;
  for (size_t i = 0; i < list->count; i++) {
    const uint32_t point = hc_names_find(&r->p.point_names, names[i], strlen(names[i]));
    if (point == HC_MAP_NONE || r->p.points[point].kind != HC_POINT_HOST)
      return hc_fail(e, HC_EUSAGE, WHERE, 0, 0, "%s: the platform %.120s has no host \"%.80s\"", key,
                     r->o->file, names[i]);
  }
  return 0;
}

/* What a host is for. As Batsim has it, one without a role and with the usual name is the master. */
enum { COMPUTES, IS_MASTER, IS_STORAGE };

static int role_of(const reading *r, const char *name)
{
  if (is_named(&r->o->leave_out, name)) return IS_MASTER;
  if (is_named(&r->o->storage, name)) return IS_STORAGE;
  if (r->o->roles == ROLES_NONE) return COMPUTES;
  if (r->role && strcmp(r->role, "master") == 0) return IS_MASTER;
  if (r->role && strcmp(r->role, "storage") == 0) return IS_STORAGE;
  return !r->role && strcmp(name, "master_host") == 0 ? IS_MASTER : COMPUTES;
}

/* ElastiSim says what a host is for in a property of each role. */
static void note_role(reading *r, const hc_platform_prop *x)
{
  const bool is_true = strcmp(x->value, "true") == 0;
  if (r->o->roles != ROLES_ELASTISIM) {
    if (strcmp(x->name, "role") == 0) r->role = x->value;
  } else if (is_true && strcmp(x->name, "batch_system") == 0) r->role = "master";
  else if (is_true && strcmp(x->name, "pfs_host") == 0) r->role = "storage";
  else if (strcmp(x->name, "num_gpus") == 0) r->gpus = x->value;
}

static hc_rc read_gpus(const reading *r, const hc_platform_host *h, int64_t *out, hc_error *e)
{
  *out = 0;
  if (!r->gpus) return 0;
  if (hc_parse_int(r->gpus, strlen(r->gpus), out) == 0 && *out >= 0 && *out <= HC_DEVICES) return 0;
  return hc_fail(e, HC_EINPUT, r->o->file, h->line, 0,
                 "num_gpus: expected a whole number from 0 to %d, got \"%.80s\"", HC_DEVICES, r->gpus);
}

static hc_rc read_attributes(reading *r, uint32_t host, hc_error *e)
{
  static const char speed[] = "flops", all[] = "flops_per_state";
  char text[32];
  r->list.count = 0;
  r->role = r->gpus = NULL;
  if (r->o->order != ORDER_FILE) r->prop = 0;
  (void)hc_format_real(r->p.hosts[host].speed, text);
  TRY(hc_rules_attribute(&r->b, &r->list, speed, sizeof speed - 1, text, r->b.where, e));
  if (r->p.hosts[host].speeds)
    TRY(hc_rules_attribute(&r->b, &r->list, all, sizeof all - 1, r->p.hosts[host].speeds, r->b.where, e));
  while (r->prop < r->p.props_count && r->p.props[r->prop].first_host + r->p.props[r->prop].hosts <= host)
    r->prop++;
  for (size_t i = r->prop; i < r->p.props_count && r->p.props[i].first_host <= host; i++) {
    const hc_platform_prop *x = &r->p.props[i];
    if (x->first_host + x->hosts <= host) continue;
    note_role(r, x);
    TRY(hc_rules_attribute(&r->b, &r->list, x->name, strlen(x->name), x->value, r->b.where, e));
  }
  return 0;
}

static hc_rc read_speed(const reading *r, const hc_platform_host *h, double *out, hc_error *e)
{
  if (h->speed == 0)
    return hc_fail(
        e, HC_EUSAGE, r->o->file, h->line, 0,
        "a host of speed 0 runs no task: say that it stores (`storage`), or leave it out (`leave_out`)");
  *out = r->o->flops > 0 ? h->speed / r->o->flops : 1;
  if (*out >= 1e-6 && *out <= 1e6) return 0;
  return hc_fail(
      e, HC_EUSAGE, r->o->file, h->line, 0,
      "a speed of %g flop/s is %g times `flops`: at least 1e-6 and at most 1e6 are possible; say another "
      "`flops`",
      h->speed, *out);
}

static hc_rc add_host(reading *r, uint32_t i, hc_error *e)
{
  const hc_platform_host *h = &r->p.hosts[i];
  const hc_platform_point *point = &r->p.points[h->point];
  const char *zone = r->p.points[r->p.zones[point->zone].point].name;
  hc_host_class class = {.name = zone};
  uint32_t id, host;
  int64_t gpus;
  TRY(read_attributes(r, i, e));
  const int role = role_of(r, point->name);
  if (role == IS_MASTER || (r->is_choosy && (role == IS_STORAGE) != r->wants_storage)) return 0;
  if (role == COMPUTES && r->o->most > 0 && r->computing++ >= r->o->most) return 0;
  class.speed = 1;
  if (role == COMPUTES) {
    TRY(read_speed(r, h, &class.speed, e));
    class.capacity[HC_DIM_CPU] = r->o->whole_hosts ? 1000 : (int64_t)h->cores * 1000;
    if (r->o->whole_hosts && h->cores > 1) class.cores = h->cores;
    TRY(read_gpus(r, h, &gpus, e));
    class.capacity[HC_DIM_GPU] = gpus * HC_DEVICE;
  }
  class.attributes = r->list.items;
  class.attribute_count = (uint32_t)r->list.count;
  TRY(hc_builder_class(&r->b, &class, &id, e));
  if (strlen(point->name) > 256)
    return hc_fail(e, HC_EINPUT, r->o->file, h->line, 0, "a name of more than 256 bytes");
  TRY(hc_builder_host(&r->b, point->name, strlen(point->name), id, &host, e));
  return hc_builder_zone(&r->b, r->level, host, zone, strlen(zone), e);
}

typedef struct named {
  const char *name;
  uint32_t host;
} named;

HC_SORT(sort_names, named, strcmp(a->name, b->name) < 0)

static size_t digits_of(const char *s)
{
  return strspn(s, "0123456789");
}

/* Numbers in names by their size, the rest as text: a2 is before a10. Names that say the same number
 * otherwise (a02, a2) are in the order of texts. */
static int compare_naturally(const char *a, const char *b)
{
  const char *whole_a = a, *whole_b = b;
  while (*a != '\0' && *b != '\0') {
    size_t n = digits_of(a), k = digits_of(b);
    if (n == 0 || k == 0) {
      if (*a != *b) return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
      a++, b++;
      continue;
    }
    while (n > 1 && *a == '0') a++, n--;
    while (k > 1 && *b == '0') b++, k--;
    const int by_digits = n == k ? memcmp(a, b, n) : n < k ? -1 : 1;
    if (by_digits != 0) return by_digits;
    a += n, b += k;
  }
  if (*a != *b) return *a == '\0' ? -1 : 1;
  return strcmp(whole_a, whole_b);
}

HC_SORT(sort_naturally, named, compare_naturally(a->name, b->name) < 0)

static hc_rc add_all(reading *r, const named *all, size_t n, hc_error *e)
{
  for (size_t i = 0; i < n; i++) TRY(add_host(r, all[i].host, e));
  return 0;
}

static hc_rc add_by_name(reading *r, hc_error *e)
{
  const size_t n = r->p.hosts_count, size = n * sizeof(named);
  named *all = hc_alloc(r->allocator, size);
  hc_rc rc = 0;
  if (!all && n > 0) return HC_ENOMEM;
  for (uint32_t i = 0; i < n; i++) all[i] = (named){r->p.points[r->p.hosts[i].point].name, i};
  if (r->o->order == ORDER_BATSIM5) sort_naturally(all, n);
  else sort_names(all, n);
  r->is_choosy = r->o->order == ORDER_BATSIM || r->o->order == ORDER_BATSIM5;
  rc = add_all(r, all, n, e);
  r->wants_storage = true;
  if (rc == 0 && r->is_choosy) rc = add_all(r, all, n, e);
  hc_free(r->allocator, all, size);
  return rc;
}

static hc_rc build(reading *r, hc_cell_spec *out, hc_error *e)
{
  TRY(check_names(r, "leave_out", &r->o->leave_out, e));
  TRY(check_names(r, "storage", &r->o->storage, e));
  TRY(hc_builder_level_of(&r->b, "zone", 4, &r->level, e));
  if (r->o->order != ORDER_FILE) TRY(add_by_name(r, e));
  for (uint32_t i = 0; i < r->p.hosts_count && r->o->order == ORDER_FILE; i++) TRY(add_host(r, i, e));
  if (r->p.disks > 0)
    hc_builder_note(&r->b,
                    "%llu disks of the platform are those of execution.disks where it says `use: simgrid`",
                    (unsigned long long)r->p.disks);
  TRY(hc_builder_finish(&r->b, out, e));
  TRY(hc_rules_sets(&r->b, &r->o->sets, out, e));
  return hc_rules_licences(&r->b, &r->o->licences, out, e);
}

static hc_rc describe(const hc_cell_context *c, const void *opts, hc_cell_spec *out, hc_error *e)
{
  reading r = {.allocator = c->allocator, .o = opts};
  hc_rc rc;
  if (!r.o->file)
    return hc_fail(e, HC_EUSAGE, WHERE, 0, 0,
                   "missing file: the platform, as in cell: {use: simgrid, file: cluster.xml}");
  TRY(hc_platform_read(c->allocator, r.o->file, &r.p, e));
  hc_builder_init(&r.b, c, r.o->file);
  rc = build(&r, out, e);
  hc_builder_fini(&r.b);
  hc_free(c->allocator, r.list.items, r.list.cap * sizeof *r.list.items);
  hc_platform_free(&r.p);
  return rc;
}

static const hc_param params[] = {
    HC_PARAM(FILE, options, file, NULL,
             "The platform: a file of XML, version 4 or 4.1; may be packed (.gz, .zst, .xz). Required."),
    HC_PARAM(
        REAL, options, flops, "flop/s", "0", 0, 1e30,
        "Speed of a host on which tasks run as long as their profile says; on other hosts the speed is in "
        "proportion. 0: all hosts have this speed."),
    HC_PARAM(TEXTS, options, leave_out, NULL,
             "Hosts that are left out of the cell and run no tasks, such as master_host of Batsim; the "
             "network still has them."),
    HC_PARAM(TEXTS, options, storage, NULL,
             "Storage hosts: they have no cores, so that no task runs there, and profiles name them."),
    HC_PARAM(
        CHOICE, options, roles, "none|batsim|elastisim", "none",
        "How special hosts are told. none: there are none. batsim: by the property `role`, as in Batsim: a "
        "master is left out, a storage host has no cores; a host without a role whose name is master_host is "
        "a master. elastisim: a host whose property batch_system is true is left out, one whose pfs_host is "
        "true has no cores, and one with num_gpus has that many GPUs."),
    HC_PARAM(BOOL, options, whole_hosts, "false",
             "Does a host count as one processor, as fast as one of its cores, so that it belongs to one "
             "task alone, as in Batsim?"),
    HC_PARAM(
        CHOICE, options, order, "file|name|batsim|batsim5", "file",
        "Order of hosts, by which they are numbered. file: that of the file. name: that of their names as "
        "text, as Batsim 4 numbers hosts that compute (a0, a1, a10, a2). batsim: the same, with storage "
        "hosts last, as in Batsim 4. batsim5: as batsim, but numbers in names are compared by value, as in "
        "Batsim 5 (a0, a1, a2, a10)."),
    HC_PARAM(INT, options, most, "hosts", "0", 0, 4e9,
             "Greatest number of hosts, the first ones in their order, storage hosts not counted; the others "
             "are left out. 0: all."),
    HC_SETS_PARAM(options),
    HC_LICENCES_PARAM(options),
    {0}};

const hc_cell_type hc_cell_simgrid = {
    .component =
        {HC_COMPONENT_HEAD(hc_cell_type, HC_KIND_CELL), .name = "simgrid",
         .summary = "the hosts of a platform of SimGrid, from its XML file",
         .detail =
             "A host has the cores that the file says. Its speed, in flop/s, is the attribute `flops` (that "
             "of the state which `pstate` names); where the file has a speed for each state of power, the "
             "attribute `flops_per_state` lists these. Properties of hosts and clusters are attributes. Each "
             "host belongs to the zone, of the level `zone`, in which it is declared. The network simgrid "
             "reads the same file. Disks are read and not used. Refused: profiles of what changes during a "
             "run, actors, wifi.",
         .source = "SimGrid 3.32, https://simgrid.org/doc/3.32/Platform.html", .params = params,
         .options_size = sizeof(options)},
    .describe = describe,
};
