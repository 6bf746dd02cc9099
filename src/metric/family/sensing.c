/* sensing.c -- what cores, GPUs and links are used at instants that are evenly apart: ElastiSim's sensing.
 *
 * A sample is taken at each multiple of `every` from time 0 to the end of the run, and is what holds until
 * then: what changes at that very time shows in the next one. Of a host that is the share of its cores that
 * computes, and of its GPUs; of the network the mean over links of what is taken of each; of the file system
 * what is taken of the links that `pfs_read` and `pfs_write` name, which the mean leaves out, in bytes/s.
 *
 * Hosts are told of by changes (HC_CHANGE_COMPUTES), so that a sample costs nothing for them; links are asked
 * at each. A value is kept where it is another than in the sample before: 24 bytes each for hosts, 32 for
 * links. Cost: O(links + activities on them) a sample. Source: ElastiSim, src/system/Sensing.cpp. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "hindcast/activity.h"
#include "metric/family.h"
#include "metric/sum128.h"

#define VALUES_MAX (1u << 26)

typedef struct options {
  hc_time every;
  hc_list pfs_read, pfs_write; /* const char * */
} options;

enum { CPU, GPU, KINDS };

/* A host has this value from a sample on. */
typedef struct value {
  uint64_t sample;
  double load;
  uint32_t host, kind;
} value;

/* Links. */
typedef struct row {
  uint64_t sample;
  double network, read, write;
} row;

#define NONE UINT64_MAX
typedef struct host {
  int64_t computes[KINDS]; /* billionths of its cores, and GPUs */
  uint64_t last[KINDS];    /* its last value; NONE */
} host;

struct hc_metric {
  hc_family family;
  hc_time every;
  const options *o;
  struct state {
    hc_time next, end;       /* next: sample of links; end: HC_UNKNOWN: not known yet */
    double bandwidth[2];     /* of the file system's links: read, written */
    uint64_t begun, counted; /* links are known; so many of them make the mean */
  } s;
  uint8_t *is_of; /* [link_count] READS, WRITES, COUNTS; not saved: it follows from names */
  size_t link_count;
  host *of; /* [hosts] */
  uint32_t hosts;
  value *values;
  size_t count, cap;
  row *rows;
  size_t row_count, row_cap;
};

enum { READS = 1, WRITES = 2, COUNTS = 4 };

static void fini(hc_metric *self)
{
  if (!self) return;
  const hc_allocator *a = self->family.context.allocator;
  hc_free(a, self->is_of, self->link_count * sizeof *self->is_of);
  hc_free(a, self->of, self->hosts * sizeof *self->of);
  hc_free(a, self->values, self->cap * sizeof *self->values);
  hc_free(a, self->rows, self->row_cap * sizeof *self->rows);
  hc_family_free(self);
}

static hc_rc set_up(hc_metric *self, const options *o, hc_error *e)
{
  const hc_metric_context *c = &self->family.context;
  self->every = o->every;
  self->o = o;
  self->s.end = HC_UNKNOWN;
  if (!c->cell || c->cell->granularity != HC_CELL_HOSTS)
    return hc_fail(e, HC_EUNSUPPORTED, "metrics", 0, 0,
                   "sensing: processors that are only counted are no nodes: use a cell of hosts");
  self->of = hc_alloc(c->allocator, c->cell->units * sizeof *self->of);
  if (!self->of) return HC_ENOMEM;
  self->hosts = c->cell->units;
  for (uint32_t h = 0; h < self->hosts; h++) self->of[h] = (host){.last = {NONE, NONE}};
  return 0;
}

HC_FAMILY_INIT

/* ---- hosts ---- */

static int64_t has_of(const hc_metric *self, uint32_t h, int kind)
{
  const hc_cell_spec *cell = self->family.context.cell;
  const hc_host_class *c = &cell->classes[cell->class_of[h]];
  return kind == GPU    ? c->capacity[HC_DIM_GPU]
         : c->cores > 0 ? (int64_t)c->cores * 1000
                        : c->capacity[HC_DIM_CPU];
}

/* The first sample that a change at `at` shows in. */
static uint64_t sample_behind(const hc_metric *self, hc_time at)
{
  return at < 0 ? 0 : (uint64_t)(at / self->every) + 1;
}

static hc_rc note(hc_metric *self, uint32_t h, int kind, hc_time at)
{
  host *x = &self->of[h];
  const int64_t has = has_of(self, h, kind);
  const double busy = (double)x->computes[kind] / (double)(HC_CORE_COMPUTES / 1000);
  const value now = {.sample = sample_behind(self, at),
                     .load = has > 0 ? HC_MIN(HC_MAX(busy / (double)has, 0.0), 1.0) : 0,
                     .host = h,
                     .kind = (uint32_t)kind};
  value *last = x->last[kind] == NONE ? NULL : &self->values[x->last[kind]];
  if (last && last->sample == now.sample) {
    last->load = now.load;
    return 0;
  }
  if (now.load == (last ? last->load : 0)) return 0;
  if (self->count >= VALUES_MAX) return HC_ELIMIT;
  TRY(hc_reserve(self->family.context.allocator, (void **)&self->values, &self->cap, self->count + 1,
                 sizeof *self->values));
  x->last[kind] = self->count;
  self->values[self->count++] = now;
  return 0;
}

static hc_rc changes(hc_metric *self, const hc_change *all, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const hc_change *c = &all[i];
    if (c->kind != HC_CHANGE_COMPUTES || c->host >= self->hosts) continue;
    const int64_t more[KINDS] = {c->amount[HC_DIM_CPU], c->amount[HC_DIM_GPU]};
    for (int k = 0; k < KINDS; k++) {
      if (more[k] == 0) continue;
      self->of[c->host].computes[k] += more[k];
      TRY(note(self, c->host, k, c->at));
    }
  }
  return 0;
}

/* ---- links ---- */

static bool is_one_of(const hc_list *names, const char *name, uint8_t *found, uint8_t bit)
{
  const char *const *all = names->items;
  bool is_one = false;
  for (size_t i = 0; i < names->count; i++) {
    if (strcmp(all[i], name) != 0) continue;
    found[i] |= bit;
    is_one = true;
  }
  return is_one;
}

/* As ElastiSim tells links apart: by their names, which in other networks say what they join. */
static uint8_t role_of(const hc_metric *self, const hc_use_look *u, uint32_t link, uint8_t *found)
{
  char text[256] = "";
  const double bandwidth = u->link_bandwidth[link];
  u->link_name(u->names, link, text, sizeof text);
  uint8_t role = is_one_of(&self->o->pfs_read, text, found, READS) ? READS : 0;
  if (is_one_of(&self->o->pfs_write, text, found, WRITES)) role |= WRITES;
  if (role != 0 || strstr(text, "loopback") || strstr(text, "_limiter")) return role;
  return bandwidth > 0 && bandwidth < __builtin_inf() ? COUNTS : 0;
}

static hc_rc fail_unknown(const hc_use_look *u, const char *member, const char *name)
{
  char like[256] = "";
  if (u->link_count > 0) u->link_name(u->names, 0, like, sizeof like);
  (void)snprintf(u->why, u->why_size,
                 "%s: no link of the network is called \"%.100s\"; the first of its %u is \"%.100s\"", member,
                 name, (unsigned)u->link_count, like);
  return HC_EUSAGE;
}

/* @return 0; HC_EUSAGE: no link has a name that was said; HC_ENOMEM */
static hc_rc know_links(hc_metric *self, const hc_use_look *u)
{
  const hc_allocator *a = self->family.context.allocator;
  const size_t reads = self->o->pfs_read.count, writes = self->o->pfs_write.count, n = HC_MAX(reads, writes);
  uint8_t *found = hc_alloc(a, n + 1);
  const char *const *read = self->o->pfs_read.items, *const *written = self->o->pfs_write.items;
  hc_rc rc = 0;
  self->is_of = found ? hc_alloc(a, u->link_count + 1) : NULL;
  if (self->is_of) self->link_count = u->link_count + 1;
  for (size_t i = 0; found && i < n; i++) found[i] = 0;
  for (uint32_t i = 0; self->is_of && i < u->link_count; i++) self->is_of[i] = role_of(self, u, i, found);
  for (size_t i = 0; self->is_of && rc == 0 && i < n; i++) {
    if (i < reads && !(found[i] & READS)) rc = fail_unknown(u, "pfs_read", read[i]);
    else if (i < writes && !(found[i] & WRITES)) rc = fail_unknown(u, "pfs_write", written[i]);
  }
  hc_free(a, found, n + 1);
  return self->is_of ? rc : HC_ENOMEM;
}

static void begin(hc_metric *self, const hc_use_look *u)
{
  for (uint32_t i = 0; i < u->link_count; i++) {
    const uint8_t role = self->is_of[i];
    if (role & READS) self->s.bandwidth[0] += u->link_bandwidth[i];
    if (role & WRITES) self->s.bandwidth[1] += u->link_bandwidth[i];
    self->s.counted += role == COUNTS;
  }
  self->s.begun = 1;
}

static hc_rc sense(hc_metric *self, const hc_use_look *u)
{
  const row last = self->row_count > 0 ? self->rows[self->row_count - 1] : (row){0};
  row now = {.sample = (uint64_t)(u->at / self->every)};
  for (uint32_t i = 0; i < u->link_count; i++) {
    const uint8_t role = self->is_of[i];
    double rate;
    if (role == 0) continue;
    TRY(u->link_rate(u->rates, i, &rate));
    if (role & READS) now.read += rate;
    if (role & WRITES) now.write += rate;
    if (role == COUNTS && rate > 0) now.network += rate / u->link_bandwidth[i];
  }
  if (self->s.counted > 0) now.network /= (double)self->s.counted;
  if (now.network == last.network && now.read == last.read && now.write == last.write) return 0;
  if (self->row_count >= VALUES_MAX) return HC_ELIMIT;
  TRY(hc_reserve(self->family.context.allocator, (void **)&self->rows, &self->row_cap, self->row_count + 1,
                 sizeof *self->rows));
  self->rows[self->row_count++] = now;
  return 0;
}

/* Where the run begins and where it ends it is asked besides. */
static hc_rc look(hc_metric *self, const hc_use_look *u)
{
  if (!self->is_of) TRY(know_links(self, u));
  if (!self->s.begun) begin(self, u);
  if (u->at < self->s.next) return 0;
  if (u->at % self->every == 0) TRY(sense(self, u));
  self->s.next = (hc_time)(sample_behind(self, u->at)) * self->every;
  return 0;
}

static hc_time look_at(const hc_metric *self)
{
  return self->s.next;
}

static hc_rc until(hc_metric *self, hc_time end)
{
  self->s.end = end;
  return 0;
}

/* ---- figures ---- */

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  static const char *const names[KINDS] = {"cpu", "gpu"};
  const hc_time end = self->s.end;
  char table[48];
  TRY(hc_find_count(f, "sensing_samples", "samples",
                    end == HC_UNKNOWN || end < 0 ? 0 : end / self->every + 1));
  TRY(hc_find_real(f, "sensing_every", "s", hc_seconds(self->every)));
  TRY(hc_find_real(f, "sensing_pfs_read_bandwidth", "B/s", self->s.bandwidth[0]));
  TRY(hc_find_real(f, "sensing_pfs_write_bandwidth", "B/s", self->s.bandwidth[1]));
  for (size_t i = 0; i < self->row_count; i++) {
    const row *r = &self->rows[i];
    TRY(hc_find_cell(f, "sensing", (int64_t)r->sample, "network", "1", r->network));
    TRY(hc_find_cell(f, "sensing", (int64_t)r->sample, "pfs_read", "B/s", r->read));
    TRY(hc_find_cell(f, "sensing", (int64_t)r->sample, "pfs_write", "B/s", r->write));
  }
  for (size_t i = 0; i < self->count; i++) {
    const value *v = &self->values[i];
    (void)snprintf(table, sizeof table, "sensing_%s:%u", names[v->kind], v->host);
    TRY(hc_find_cell(f, table, (int64_t)v->sample, "load", "1", v->load));
  }
  return 0;
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  HC_VISIT(v, self->s);
  TRY(hc_visit_bytes(v, self->of, self->hosts * sizeof *self->of));
  HC_VISIT_ARRAY(v, self->values, self->count, self->cap);
  HC_VISIT_ARRAY(v, self->rows, self->row_count, self->row_cap);
  for (uint32_t h = 0; h < self->hosts; h++)
    for (int k = 0; k < KINDS; k++)
      if (self->of[h].last[k] != NONE && self->of[h].last[k] >= self->count) return HC_EINPUT;
  for (size_t i = 0; i < self->count; i++)
    if (self->values[i].kind >= KINDS || self->values[i].host >= self->hosts) return HC_EINPUT;
  return 0;
}

static const hc_param params[] = {
    HC_PARAM(TIME, options, every, "s", "1s", 1e-3, 9e9,
             "Time from one sample to the next; the first is at time 0."),
    HC_PARAM(TEXTS, options, pfs_read, NULL,
             "Names of the links over which the file system is read. Default: none, and the figures of "
             "reading are 0."),
    HC_PARAM(TEXTS, options, pfs_write, NULL,
             "Names of the links over which the file system is written. Default: none, and the figures of "
             "writing are 0."),
    {.name = NULL},
};

static const char *const figures[] = {
    "sensing_samples|samples|none|samples that were taken, from time 0 to the end of the run",
    "sensing_every|s|none|time from one sample to the next",
    "sensing_pfs_read_bandwidth|B/s|none|sum of the bandwidths of the links that pfs_read names",
    "sensing_pfs_write_bandwidth|B/s|none|the same of pfs_write",
    "sensing.network|1|none|mean over links of what is taken of them, from that sample on, whose number is "
    "the key",
    "sensing.pfs_read|B/s|none|what is taken of the links that pfs_read names",
    "sensing.pfs_write|B/s|none|the same of pfs_write",
    "sensing_cpu:*.load|1|none|share of the cores of the host of that number that computes, from that "
    "sample on",
    "sensing_gpu:*.load|1|none|the same of its GPUs",
    NULL,
};

const hc_metric_type hc_metric_sensing = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "sensing",
         .summary =
             "what is used of cores, GPUs and links, sampled at regular intervals, as ElastiSim's sensing "
             "does",
         .detail =
             "For runs with `execution` on a cell of hosts. A sample shows the state just before its time: "
             "what begins or ends at that very time shows in the next one, and the sample at time 0 is all "
             "zero. The mean of the network is over the links that have a bandwidth which flows share, "
             "without those of pfs_read and pfs_write and those that are called a loopback or a limiter. "
             "Names in pfs_read and pfs_write are those of the network's links, as the metric resource_use "
             "tells them (link_use, with `detail: each`): in a platform of SimGrid its own. A value is "
             "stored only where it differs from that of the sample before. At most 67108864 of them are "
             "kept: give a longer `every` if a run needs more. The exporter elastisim_sensing writes them as "
             "ElastiSim's files.",
         .source = "ElastiSim 2024, https://elastisim.github.io", .params = params,
         .options_size = sizeof(options)},
    HC_FAMILY_CALLS,
    .changes = changes,
    .until = until,
    .needs_use = true,
    .change_kinds = 1u << HC_CHANGE_COMPUTES,
    .look = look,
    .look_at = look_at,
};
