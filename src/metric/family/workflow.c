/* workflow.c -- how good a schedule of a workflow is: its length against what no schedule could be shorter
 * than, and against one host alone, as the literature on HEFT compares them.
 *
 * A workflow is a job in which some task waits for another. Of each task it is known how long it takes on a
 * host of speed 1, on which hosts it could run, and what it reads of others; of each workflow what follows
 * from that is computed when the run is over, in one pass along its edges. Tasks that are of no job, and
 * jobs in which none waits, are no workflows. Cost: 100 bytes a task of a job and 24 an edge, and a word for
 * 64 classes of hosts; O((tasks + edges) log tasks) at the end. */
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/sum128.h"

#define NONE UINT32_MAX

typedef struct options {
  bool rows;
} options;

/* A task. */
typedef struct node {
  uint64_t serial;
  int64_t job, id, units;
  hc_time submit, end, run;
  double fastest, slowness; /* of hosts that could have it: greatest speed, mean of 1 / speed; 0: none */
  uint64_t first, edges;    /* what it waits for */
  uint32_t source, final;
} node;

typedef struct use { /* a task was on a host */
  uint32_t node, host;
} use;

struct hc_metric {
  hc_family family;
  bool keeps_rows;
  uint32_t words;        /* of 64 classes of hosts, to a task */
  const uint32_t *which; /* [hosts] class; NULL: processors are counted */
  node *nodes;           /* [count] as they were told */
  size_t count, cap;
  hc_map by_serial;
  uint64_t *classes; /* [count * words] bits: it could run on a host of that class */
  size_t class_count, class_cap;
  hc_workflow_edge *edges;
  size_t edge_count, edge_cap;
  use *uses;
  size_t use_count, use_cap;
};

static hc_rc init(const hc_metric_context *c, const void *chosen, hc_metric **out, hc_error *e)
{
  TRY(hc_family_new(c, sizeof(hc_metric), out, e));
  hc_metric *self = *out;
  const bool on_hosts = c->cell && c->cell->granularity == HC_CELL_HOSTS;
  self->keeps_rows = ((const options *)chosen)->rows;
  hc_map_init(&self->by_serial, c->allocator);
  self->which = on_hosts ? c->cell->class_of : NULL;
  self->words = on_hosts ? (c->cell->class_count + 63) / 64 : 1;
  return 0;
}

static void fini(hc_metric *self)
{
  if (!self) return;
  const hc_allocator *a = self->family.context.allocator;
  hc_map_fini(&self->by_serial);
  hc_free(a, self->nodes, self->cap * sizeof *self->nodes);
  hc_free(a, self->classes, self->class_cap * sizeof *self->classes);
  hc_free(a, self->edges, self->edge_cap * sizeof *self->edges);
  hc_free(a, self->uses, self->use_cap * sizeof *self->uses);
  hc_family_free(self);
}

/* ---- what is told ---- */

static double speed_of(const hc_metric *self, uint32_t class)
{
  const double speed = self->family.context.cell->classes[class].speed;
  return speed > 0 ? speed : 1e-9;
}

static bool has_cores(const hc_metric *self, uint32_t class)
{
  return self->family.context.cell->classes[class].capacity[HC_DIM_CPU] > 0;
}

/* On which hosts it could run. One that may be on several at once could be on any, as far as is known here,
 * and on none alone. */
static void find_hosts(const hc_metric *self, const hc_workflow_record *r, node *n, uint64_t *classes)
{
  double hosts = 0;
  n->fastest = n->slowness = self->which ? 0 : 1;
  classes[0] |= !self->which && r->units == 1;
  for (uint32_t h = 0; self->which && h < self->family.context.cell->units; h++) {
    const uint32_t class = self->which[h];
    const double speed = speed_of(self, class);
    if (r->could[h]) classes[class / 64] |= UINT64_C(1) << class % 64;
    if (!(r->slots > 1 ? has_cores(self, class) : r->could[h])) continue;
    n->fastest = HC_MAX(n->fastest, speed);
    n->slowness += 1 / speed;
    hosts++;
  }
  if (hosts > 0) n->slowness /= hosts;
}

static hc_rc workflow(hc_metric *self, const hc_workflow_record *r)
{
  const hc_allocator *a = self->family.context.allocator;
  TRY(hc_reserve(a, (void **)&self->nodes, &self->cap, self->count + 1, sizeof *self->nodes));
  TRY(hc_reserve(a, (void **)&self->classes, &self->class_cap, self->class_count + self->words,
                 sizeof *self->classes));
  TRY(hc_reserve(a, (void **)&self->edges, &self->edge_cap, self->edge_count + r->edge_count,
                 sizeof *self->edges));
  TRY(hc_map_set(&self->by_serial, r->serial, (uint32_t)self->count));
  node *n = &self->nodes[self->count++];
  *n = (node){.serial = r->serial,
              .job = r->job,
              .id = r->id,
              .units = r->units,
              .submit = r->submit,
              .end = HC_UNKNOWN,
              .run = r->run,
              .first = self->edge_count,
              .edges = r->edge_count,
              .source = r->source,
              .final = HC_FINAL_COUNT};
  if (r->edge_count > 0)
    memcpy(self->edges + self->edge_count, r->edges, r->edge_count * sizeof *self->edges);
  self->edge_count += r->edge_count;
  memset(self->classes + self->class_count, 0, self->words * sizeof *self->classes);
  find_hosts(self, r, n, self->classes + self->class_count);
  self->class_count += self->words;
  return 0;
}

static uint32_t find_node(const hc_metric *self, uint64_t serial)
{
  const uint32_t at = hc_map_get(&self->by_serial, serial);
  return at == HC_MAP_NONE ? NONE : at;
}

static hc_rc changes(hc_metric *self, const hc_change *all, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const hc_change *c = &all[i];
    if (c->kind != HC_CHANGE_CLAIMED || c->host == HC_NO_HOST || c->resized) continue;
    const uint32_t at = find_node(self, c->serial);
    if (at == NONE) continue;
    TRY(hc_reserve(self->family.context.allocator, (void **)&self->uses, &self->use_cap, self->use_count + 1,
                   sizeof *self->uses));
    self->uses[self->use_count++] = (use){.node = at, .host = c->host};
  }
  return 0;
}

static hc_rc tasks(hc_metric *self, const hc_task_record *records, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const uint32_t at = find_node(self, (uint64_t)records[i].serial);
    if (at == NONE) continue;
    self->nodes[at].final = (uint32_t)records[i].final;
    self->nodes[at].end = records[i].end;
  }
  return 0;
}

/* ---- one workflow ---- */

/* What comes out of one. */
typedef struct result {
  uint64_t serial; /* of its first task */
  double tasks, edges, hosts;
  double makespan, critical_path, work_bound, lower_bound, sequential;
  double slr, bound_ratio, speedup, efficiency, ccr;
  bool is_complete, is_known;
} result;

typedef struct link {
  uint32_t from, to; /* nodes, by their places in the sorted list */
  uint32_t next;     /* of those with the same `from` */
} link;

typedef struct finishing {
  const hc_metric *self;
  uint32_t *sorted; /* [count] nodes by source, job and number */
  uint32_t *ranks;  /* [count] place of a node in it */
  uint32_t *out;    /* [count] of a place: chain of links */
  uint32_t *left;   /* [count] links to it that are not done */
  uint32_t *line;   /* [count] those that are free */
  double *length;   /* [count] of the longest way to its end */
  link *links;
  size_t link_count, link_cap;
  hc_findings *findings;
} finishing;

static bool is_before(const node *x, const node *y)
{
  if (x->source != y->source) return x->source < y->source;
  if (x->job != y->job) return x->job < y->job;
  return x->id != y->id ? x->id < y->id : x->serial < y->serial;
}

static bool is_same_job(const node *x, const node *y)
{
  return x->source == y->source && x->job == y->job;
}

typedef struct sorted_node {
  const node *node;
} sorted_node;
HC_SORT(sort_nodes, sorted_node, is_before(a->node, b->node))

typedef struct pair {
  uint64_t key;
} pair;
HC_SORT(sort_pairs, pair, a->key < b->key)

static const node *at(const finishing *f, size_t place)
{
  return &f->self->nodes[f->sorted[place]];
}

/* A link from each task of that number. @return HC_ENOMEM or 0 */
static hc_rc link_from(finishing *f, size_t first, size_t end, int64_t id, uint32_t to)
{
  size_t low = first, high = end;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (at(f, middle)->id < id) low = middle + 1;
    else high = middle;
  }
  for (; low < end && at(f, low)->id == id; low++) {
    if (low == to) continue;
    TRY(hc_reserve(f->self->family.context.allocator, (void **)&f->links, &f->link_cap, f->link_count + 1,
                   sizeof *f->links));
    f->links[f->link_count] = (link){.from = (uint32_t)low, .to = to, .next = f->out[low]};
    f->out[low] = (uint32_t)f->link_count++;
    f->left[to]++;
  }
  return 0;
}

/* The longest way along links, each task as long as on the fastest host that could have it. @return less than
 * 0: they have a circle */
static double longest_way(finishing *f, size_t first, size_t end)
{
  size_t head = 0, tail = 0;
  double longest = 0;
  for (size_t i = first; i < end; i++) f->length[i] = 0;
  for (size_t i = first; i < end; i++)
    if (f->left[i] == 0) f->line[tail++] = (uint32_t)i;
  while (head < tail) {
    const uint32_t i = f->line[head++];
    const node *n = at(f, i);
    f->length[i] += hc_seconds(n->run) / n->fastest;
    longest = HC_MAX(longest, f->length[i]);
    for (uint32_t l = f->out[i]; l != NONE; l = f->links[l].next) {
      const uint32_t to = f->links[l].to;
      f->length[to] = HC_MAX(f->length[to], f->length[i]);
      if (--f->left[to] == 0) f->line[tail++] = to;
    }
  }
  return tail == end - first ? longest : -1;
}

/* All of its tasks, one after the other, on the host on which that takes least. NaN: none could have all */
static double sequential(const finishing *f, size_t first, size_t end, double work)
{
  const hc_metric *self = f->self;
  double best = 0;
  for (uint32_t w = 0; w < self->words; w++) {
    uint64_t all = UINT64_MAX;
    for (size_t i = first; i < end; i++) all &= self->classes[(size_t)f->sorted[i] * self->words + w];
    for (uint32_t bit = 0; all != 0 && bit < 64; bit++)
      if (all >> bit & 1) best = HC_MAX(best, self->which ? speed_of(self, w * 64 + bit) : 1);
  }
  return best > 0 ? work / best : __builtin_nan("");
}

/* Work that all hosts do in a second: of a core of speed 1. */
static double capacity_of(const hc_metric *self)
{
  const hc_metric_context *c = &self->family.context;
  double sum = 0;
  if (c->core_units == 0) return __builtin_inf();
  if (!self->which) return (double)c->capacity;
  for (uint32_t h = 0; h < c->cell->units; h++)
    sum += (double)c->cell->classes[self->which[h]].capacity[HC_DIM_CPU] * speed_of(self, self->which[h]);
  return sum / (double)c->core_units;
}

static void settle(const finishing *f, size_t first, size_t end, result *r)
{
  const hc_metric *self = f->self;
  hc_time submit = HC_NEVER, last = 0;
  double work = 0, area = 0, lengths = 0, transfers = 0;
  r->is_complete = r->is_known = true;
  r->serial = UINT64_MAX;
  for (size_t i = first; i < end; i++) {
    const node *n = at(f, i);
    const double run = hc_seconds(n->run);
    r->serial = HC_MIN(r->serial, n->serial);
    r->is_complete &= n->final == HC_FINAL_COMPLETED;
    r->is_known &= n->run != HC_NEVER && n->run != HC_UNKNOWN && n->fastest > 0;
    submit = HC_MIN(submit, n->submit);
    last = HC_MAX(last, n->end == HC_UNKNOWN ? 0 : n->end);
    work += run;
    area += run * (double)n->units;
    lengths += run * n->slowness;
    for (uint64_t k = n->first; k < n->first + n->edges; k++) transfers += self->edges[k].takes;
  }
  r->tasks = (double)(end - first);
  r->makespan = hc_seconds(last - submit);
  r->work_bound = area / (double)HC_MAX(self->family.context.core_units, 1) / capacity_of(self);
  r->sequential = sequential(f, first, end, work);
  r->ccr = transfers / r->edges / (lengths / r->tasks);
}

static void conclude(result *r)
{
  r->lower_bound = HC_MAX(r->critical_path, r->work_bound);
  r->slr = r->makespan / r->critical_path;
  r->bound_ratio = r->makespan / r->lower_bound;
  r->speedup = r->sequential / r->makespan;
  r->efficiency = r->speedup / r->hosts;
}

/* Different pairs of tasks of which one waits for the other. */
static hc_rc count_links(const finishing *f, size_t from, double *out)
{
  const size_t n = f->link_count - from;
  pair *all = hc_alloc(f->self->family.context.allocator, n * sizeof *all + 1);
  if (!all) return HC_ENOMEM;
  for (size_t i = 0; i < n; i++) all[i].key = (uint64_t)f->links[from + i].from << 32 | f->links[from + i].to;
  sort_pairs(all, n);
  for (size_t i = 0; i < n; i++) *out += i == 0 || all[i].key != all[i - 1].key;
  hc_free(f->self->family.context.allocator, all, n * sizeof *all + 1);
  return 0;
}

/* @return 1: it is a workflow; 0; HC_ENOMEM */
static hc_rc judge(finishing *f, size_t first, size_t end, result *r)
{
  const size_t links = f->link_count;
  *r = (result){0};
  for (size_t i = first; i < end; i++) {
    const node *n = at(f, i);
    for (uint64_t k = n->first; k < n->first + n->edges; k++)
      TRY(link_from(f, first, end, f->self->edges[k].task, (uint32_t)i));
  }
  if (f->link_count == links) return 0;
  TRY(count_links(f, links, &r->edges));
  settle(f, first, end, r);
  r->critical_path = longest_way(f, first, end);
  r->is_known &= r->critical_path >= 0;
  return 1;
}

/* ---- all of them ---- */

static hc_rc begin(finishing *f)
{
  const hc_allocator *a = f->self->family.context.allocator;
  const size_t n = f->self->count;
  sorted_node *all = hc_alloc(a, n * sizeof *all + 1);
  f->sorted = hc_alloc(a, n * sizeof *f->sorted + 1);
  f->ranks = hc_alloc(a, n * sizeof *f->ranks + 1);
  f->out = hc_alloc(a, n * sizeof *f->out + 1);
  f->left = hc_alloc(a, n * sizeof *f->left + 1);
  f->line = hc_alloc(a, n * sizeof *f->line + 1);
  f->length = hc_alloc(a, n * sizeof *f->length + 1);
  const bool has_all = all && f->sorted && f->ranks && f->out && f->left && f->line && f->length;
  for (size_t i = 0; has_all && i < n; i++) all[i].node = &f->self->nodes[i];
  if (has_all) sort_nodes(all, n);
  for (size_t i = 0; has_all && i < n; i++) {
    f->sorted[i] = (uint32_t)(all[i].node - f->self->nodes);
    f->ranks[f->sorted[i]] = (uint32_t)i;
    f->out[i] = NONE;
    f->left[i] = 0;
  }
  hc_free(a, all, n * sizeof *all + 1);
  return has_all ? 0 : HC_ENOMEM;
}

static void end_all(finishing *f)
{
  const hc_allocator *a = f->self->family.context.allocator;
  const size_t n = f->self->count;
  hc_free(a, f->sorted, n * sizeof *f->sorted + 1);
  hc_free(a, f->ranks, n * sizeof *f->ranks + 1);
  hc_free(a, f->out, n * sizeof *f->out + 1);
  hc_free(a, f->left, n * sizeof *f->left + 1);
  hc_free(a, f->line, n * sizeof *f->line + 1);
  hc_free(a, f->length, n * sizeof *f->length + 1);
  hc_free(a, f->links, f->link_cap * sizeof *f->links);
}

/* Hosts that any of its tasks was on: pairs of the place of its first task and a host, sorted. */
static hc_rc pair_hosts(const finishing *f, pair **out)
{
  const hc_metric *self = f->self;
  pair *all = hc_alloc(self->family.context.allocator, self->use_count * sizeof *all + 1);
  if (!all) return HC_ENOMEM;
  for (size_t i = 0; i < self->use_count; i++)
    all[i].key = (uint64_t)f->ranks[self->uses[i].node] << 32 | self->uses[i].host;
  sort_pairs(all, self->use_count);
  *out = all;
  return 0;
}

/* Of the tasks at places up to `end`. @param next in and out: the first pair that is not of earlier ones */
static hc_rc count_hosts(const finishing *f, const pair *pairs, size_t end, size_t *next, double *out)
{
  const hc_allocator *a = f->self->family.context.allocator;
  size_t from = *next, n = 0;
  while (*next < f->self->use_count && pairs[*next].key >> 32 < end) ++*next;
  n = *next - from;
  pair *hosts = hc_alloc(a, n * sizeof *hosts + 1);
  if (!hosts) return HC_ENOMEM;
  for (size_t i = 0; i < n; i++) hosts[i].key = (uint32_t)pairs[from + i].key;
  sort_pairs(hosts, n);
  *out = 0;
  for (size_t i = 0; i < n; i++) *out += i == 0 || hosts[i].key != hosts[i - 1].key;
  hc_free(a, hosts, n * sizeof *hosts + 1);
  if (!f->self->which) *out = (double)f->self->family.context.capacity;
  return 0;
}

static const struct {
  const char *name, *unit;
  size_t offset;
} columns[] = {
#define COLUMN(name, unit) \
  { \
#name, unit, offsetof(result, name) \
  }
    COLUMN(tasks, "tasks"),     COLUMN(edges, "edges"),   COLUMN(hosts, "hosts"),   COLUMN(makespan, "s"),
    COLUMN(critical_path, "s"), COLUMN(work_bound, "s"),  COLUMN(lower_bound, "s"), COLUMN(sequential, "s"),
    COLUMN(slr, "1"),           COLUMN(bound_ratio, "1"), COLUMN(speedup, "1"),     COLUMN(efficiency, "1"),
    COLUMN(ccr, "1"),
#undef COLUMN
};

static double value_of(const result *r, size_t column)
{
  return *(const double *)(const void *)((const char *)r + columns[column].offset);
}

enum { MAKESPAN, LOWER_BOUND, SLR, BOUND_RATIO, SPEEDUP, EFFICIENCY, CCR, MEANS };
static const char *const means[MEANS] = {"makespan", "lower_bound", "slr", "bound_ratio",
                                         "speedup",  "efficiency",  "ccr"};

typedef struct totals {
  uint64_t all, incomplete, unknown;
  uint64_t counts[MEANS];
  hc_real_sum sums[MEANS];
  double most_slr;
} totals;

static void add(totals *t, const result *r)
{
  for (int m = 0; m < MEANS; m++)
    for (size_t k = 0; k < HC_ARRAY_LEN(columns); k++) {
      const double x = value_of(r, k);
      if (strcmp(columns[k].name, means[m]) != 0 || !(x < __builtin_inf())) continue;
      hc_real_sum_add(&t->sums[m], x);
      t->counts[m]++;
    }
  if (r->slr < __builtin_inf()) t->most_slr = HC_MAX(t->most_slr, r->slr);
}

static hc_rc find_row(const finishing *f, const result *r)
{
  for (size_t k = 0; k < HC_ARRAY_LEN(columns); k++)
    TRY(hc_find_cell(f->findings, "workflow", (int64_t)r->serial, columns[k].name, columns[k].unit,
                     value_of(r, k)));
  return 0;
}

static hc_rc go_through(finishing *f, const pair *pairs, totals *t)
{
  const size_t n = f->self->count;
  size_t next = 0;
  for (size_t first = 0, end; first < n; first = end) {
    result r;
    for (end = first + 1; end < n && is_same_job(at(f, end), at(f, first));) end++;
    const hc_rc rc = judge(f, first, end, &r);
    if (rc < 0) return rc;
    TRY(count_hosts(f, pairs, end, &next, &r.hosts));
    if (rc == 0) continue;
    t->all++;
    t->incomplete += !r.is_complete;
    t->unknown += r.is_complete && !r.is_known;
    if (!r.is_complete || !r.is_known) continue;
    conclude(&r);
    add(t, &r);
    if (f->self->keeps_rows) TRY(find_row(f, &r));
  }
  return 0;
}

static hc_rc find_totals(hc_findings *f, const totals *t)
{
  TRY(hc_find_count(f, "workflows", "workflows", (int64_t)t->all));
  TRY(hc_find_count(f, "workflows_incomplete", "workflows", (int64_t)t->incomplete));
  TRY(hc_find_count(f, "workflows_unknown", "workflows", (int64_t)t->unknown));
  const double mean[MEANS] = {
#define MEAN(which) [which] = hc_mean_real(t->sums[which], t->counts[which])
      MEAN(MAKESPAN), MEAN(LOWER_BOUND), MEAN(SLR), MEAN(BOUND_RATIO),
      MEAN(SPEEDUP),  MEAN(EFFICIENCY),  MEAN(CCR),
#undef MEAN
  };
  TRY(hc_find_real(f, "workflow_makespan_mean", "s", mean[MAKESPAN]));
  TRY(hc_find_real(f, "workflow_lower_bound_mean", "s", mean[LOWER_BOUND]));
  TRY(hc_find_real(f, "workflow_slr_mean", "1", mean[SLR]));
  TRY(hc_find_real(f, "workflow_slr_max", "1", t->counts[SLR] > 0 ? t->most_slr : __builtin_nan("")));
  TRY(hc_find_real(f, "workflow_bound_ratio_mean", "1", mean[BOUND_RATIO]));
  TRY(hc_find_real(f, "workflow_speedup_mean", "1", mean[SPEEDUP]));
  TRY(hc_find_real(f, "workflow_efficiency_mean", "1", mean[EFFICIENCY]));
  return hc_find_real(f, "workflow_ccr_mean", "1", mean[CCR]);
}

static hc_rc finish(hc_metric *self, hc_findings *findings)
{
  finishing f = {.self = self, .findings = findings};
  totals t = {0};
  pair *pairs = NULL;
  hc_rc rc = begin(&f);
  if (rc == 0) rc = pair_hosts(&f, &pairs);
  if (rc == 0) rc = go_through(&f, pairs, &t);
  if (rc == 0) rc = find_totals(findings, &t);
  hc_free(self->family.context.allocator, pairs, self->use_count * sizeof *pairs + 1);
  end_all(&f);
  return rc;
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  HC_VISIT_ARRAY(v, self->nodes, self->count, self->cap);
  TRY(hc_map_visit(&self->by_serial, v));
  HC_VISIT_ARRAY(v, self->classes, self->class_count, self->class_cap);
  HC_VISIT_ARRAY(v, self->edges, self->edge_count, self->edge_cap);
  HC_VISIT_ARRAY(v, self->uses, self->use_count, self->use_cap);
  if (!hc_visit_loading(v)) return 0;
  if (self->class_count != self->count * self->words) return HC_EINPUT;
  for (size_t i = 0; i < self->count; i++)
    if (self->nodes[i].first > self->edge_count ||
        self->nodes[i].edges > self->edge_count - self->nodes[i].first)
      return HC_EINPUT;
  for (size_t i = 0; i < self->use_count; i++)
    if (self->uses[i].node >= self->count) return HC_EINPUT;
  return 0;
}

static const hc_param params[] = {
    HC_PARAM(BOOL, options, rows, "false",
             "A table with a row for each workflow, by the serial of its first task."),
    {.name = NULL},
};

#define OF_ROW "; the key is the serial of its first task"

static const char *const figures[] = {
    "workflows|workflows|none|jobs in which a task waits for another",
    "workflows_incomplete|workflows|lower|those of them of which not all tasks were completed: in no mean",
    "workflows_unknown|workflows|none|those with a task whose length is not known ahead: in no mean",
    "workflow_makespan_mean|s|lower|mean of makespans: from the submission of the first task to the last end",
    "workflow_lower_bound_mean|s|none|mean of the lower bounds: critical path, or work bound if more",
    "workflow_slr_mean|1|lower|mean of makespan / critical path: the schedule length ratio",
    "workflow_slr_max|1|lower|the greatest makespan / critical path",
    "workflow_bound_ratio_mean|1|lower|mean of makespan / lower bound",
    "workflow_speedup_mean|1|higher|mean of the time on one host / makespan",
    "workflow_efficiency_mean|1|higher|mean of speed-up / hosts that were used",
    "workflow_ccr_mean|1|none|mean of communication / computation",
    "workflow.tasks|tasks|none|tasks" OF_ROW,
    "workflow.edges|edges|none|pairs of tasks of which one waits for the other" OF_ROW,
    "workflow.hosts|hosts|none|hosts on which any of its tasks was; or all processors" OF_ROW,
    "workflow.makespan|s|lower|from the submission of its first task to its last end" OF_ROW,
    "workflow.critical_path|s|none|longest way, each task on the fastest host, without transfers" OF_ROW,
    "workflow.work_bound|s|none|its work / what all hosts do in a second" OF_ROW,
    "workflow.lower_bound|s|none|the greater of both" OF_ROW,
    "workflow.sequential|s|none|all tasks one after the other on the host where that takes least" OF_ROW,
    "workflow.slr|1|lower|makespan / critical path" OF_ROW,
    "workflow.bound_ratio|1|lower|makespan / lower bound" OF_ROW,
    "workflow.speedup|1|higher|sequential / makespan" OF_ROW,
    "workflow.efficiency|1|higher|speed-up / hosts" OF_ROW,
    "workflow.ccr|1|none|mean transfer of an edge / mean length of a task" OF_ROW,
    NULL,
};

const hc_metric_type hc_metric_workflow = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "workflow",
         .summary =
             "schedules of workflows against lower bounds and one host: SLR, speed-up, efficiency, CCR",
         .detail = "A workflow is a job in which a task waits for another, by data items or by name. Task t "
                   "takes w(t, h) = its length / speed of h on a host h that could have it. Critical path: "
                   "the longest sum of min over h of w(t, h) along what tasks wait for, without transfers "
                   "(CP_MIN). Work bound: sum of length x cores over sum of cores x speed of all hosts. "
                   "Schedule length ratio: makespan / critical path. Speed-up: min over h of the sum of w(t, "
                   "h) / makespan, hosts that could have all tasks. Efficiency: speed-up / hosts that were "
                   "used; a host that runs several tasks at once may bring it above 1. CCR: mean over edges "
                   "of what the items of an edge take alone, on average over pairs of different hosts, over "
                   "the mean over tasks of the mean of w(t, h); without `execution` items take nothing. A "
                   "task on several hosts counts as fast as the fastest, and leaves its workflow without a "
                   "speed-up. Lengths are those that are known ahead: of profiles those of delays and "
                   "computations, both of which count as faster on faster hosts.",
         .source = "Topcuoglu, Hariri and Wu, IEEE TPDS 13(3), 2002, doi:10.1109/71.993206, section 5",
         .params = params, .options_size = sizeof(options)},
    HC_FAMILY_CALLS,
    .needs_use = true,
    .tasks = tasks,
    .changes = changes,
    .change_kinds = UINT32_C(1) << HC_CHANGE_CLAIMED,
    .workflow = workflow,
};
