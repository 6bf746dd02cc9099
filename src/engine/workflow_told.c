/* workflow_told.c -- workflows, told to metrics that count them: of each task of a job how long it is, on
 * which hosts it could run, and what it waits for in its job.
 *
 * Told when all that arrives in a round has: only then is it known which task makes what another reads. Facts
 * only; what they come to is the metric's to find out. In a run without such a metric there is no such part.
 * Cost: O(hosts + what it waits for) a task. */
#include "engine/workflow_told.h"

#include "base/state.h"
#include "base/util.h"
#include "engine/data.h"
#include "engine/demand.h"
#include "engine/part.h"
#include "engine/tasks.h"

#define SAMPLE 32u /* hosts between which transfers are tried: of more, some at equal distances */

typedef struct arrived {
  uint64_t serial;
  hc_time run; /* alone, at speed 1: also of one with a profile, of which nothing is kept */
  hc_task task;
  uint32_t padding;
} arrived;

struct hc_workflow_told {
  arrived *fresh; /* [count] of this round */
  size_t count, cap;
  double latency, byte; /* s, mean over pairs of hosts with cores: of a transfer, and of each byte of it */
  uint8_t *could;       /* [hosts] between calls without meaning, as `edges` */
  hc_workflow_edge *edges;
  size_t edge_cap;
  bool is_measured; /* no state: the network is what it is */
};

static uint32_t hosts_of(const hc_engine *e)
{
  return e->cell.hosts ? e->cell_spec.units : 0;
}

hc_rc hc_workflow_told_open(hc_engine *e)
{
  const hc_observers *o = &e->observers;
  bool any = false;
  for (size_t i = 0; i < o->count; i++) any |= o->types[i]->workflow != NULL;
  if (!any) return 0;
  hc_workflow_told *w = e->workflow_told = hc_alloc(e->allocator, sizeof *w);
  if (!w) return HC_ENOMEM;
  *w = (hc_workflow_told){.could = hc_alloc(e->allocator, hosts_of(e) + 1)};
  return w->could ? 0 : HC_ENOMEM;
}

static void fini(hc_engine *e)
{
  hc_workflow_told *w = e->workflow_told;
  if (!w) return;
  hc_free(e->allocator, w->fresh, w->cap * sizeof *w->fresh);
  hc_free(e->allocator, w->could, hosts_of(e) + 1);
  hc_free(e->allocator, w->edges, w->edge_cap * sizeof *w->edges);
  hc_free(e->allocator, w, sizeof *w);
}

static bool has_cores(const hc_engine *e, uint32_t host)
{
  return e->cell_spec.classes[e->cell_spec.class_of[host]].capacity[HC_DIM_CPU] > 0;
}

static void measure(hc_engine *e)
{
  hc_workflow_told *w = e->workflow_told;
  const uint32_t hosts = hosts_of(e), step = HC_MAX(hosts / SAMPLE, 1u);
  double pairs = 0;
  w->is_measured = true;
  for (uint32_t a = 0; a < hosts; a += step)
    for (uint32_t b = 0; b < hosts; b += step) {
      if (a == b || !has_cores(e, a) || !has_cores(e, b)) continue;
      const double latency = hc_data_between(e, a, b, 0), gig = hc_data_between(e, a, b, 1e9);
      if (!(gig < __builtin_inf())) continue;
      pairs++;
      w->latency += latency;
      w->byte += (gig - latency) / 1e9;
    }
  if (pairs > 0) w->latency /= pairs;
  if (pairs > 0) w->byte /= pairs;
}

/* What it waits for in its job, and reads of it. @param out [after + inputs] @return how many */
static size_t edges_of(hc_engine *e, hc_task id, const hc_task_extras *m, hc_workflow_edge *out)
{
  const hc_workflow_told *w = e->workflow_told;
  const int64_t job = hc_cold_of(e, id)->job;
  size_t n = 0;
  for (size_t i = 0; m && i < m->after_count; i++) {
    const hc_after *a = &m->after[i];
    const bool is_end = a->how != HC_AFTER_STARTED && a->how != HC_AFTER_ARRIVED;
    if (is_end && a->job == job && a->task != HC_UNKNOWN) out[n++] = (hc_workflow_edge){.task = a->task};
  }
  for (size_t i = 0; m && e->data && i < m->input_count; i++) {
    const hc_data_input in = hc_data_input_of(e, id, i);
    const double bytes = (double)HC_MAX(in.bytes, 0);
    if (!in.is_made) continue;
    out[n++] = (hc_workflow_edge){
        .task = in.maker, .bytes = bytes, .takes = bytes > 0 ? w->latency + bytes * w->byte : 0};
  }
  return n;
}

static hc_rc tell(hc_engine *e, hc_task id, hc_time run)
{
  const hc_observers *o = &e->observers;
  const hc_live *t = &e->tasks.live[id];
  const hc_task_cold *cold = hc_cold_of(e, id);
  const hc_task_extras *m = cold->more != 0 ? hc_lexicon_more(e->lexicon, cold->more) : NULL;
  const size_t most = m ? m->after_count + m->input_count : 0;
  const uint32_t hosts = hosts_of(e);
  hc_workflow_told *w = e->workflow_told;
  TRY(hc_reserve(e->allocator, (void **)&w->edges, &w->edge_cap, most + 1, sizeof *w->edges));
  const hc_request request = hc_request_of(e, id);
  for (uint32_t h = 0; h < hosts; h++) w->could[h] = hc_hosts_could_on(e->cell.hosts, &request, h);
  const hc_workflow_record r = {.serial = t->serial,
                                .job = cold->job,
                                .id = e->tasks.identities[id].id,
                                .submit = t->submit,
                                .run = m && m->most_cpu > 0 ? HC_NEVER : run,
                                .units = t->units,
                                .source = t->source,
                                .slots = hosts > 0 ? t->slots : t->units,
                                .could = hosts > 0 ? w->could : NULL,
                                .edges = w->edges,
                                .edge_count = edges_of(e, id, m, w->edges)};
  for (size_t i = 0; i < o->count; i++)
    if (o->types[i]->workflow) TRY(o->types[i]->workflow(o->metrics[i], &r));
  return 0;
}

static hc_time length_of(const hc_arrival *a)
{
  const hc_time run = a->spec.flags & HC_SPEC_PROFILE ? a->spec.run : a->run;
  return run == HC_UNKNOWN ? HC_NEVER : run;
}

static hc_rc arrives(hc_engine *e, hc_task id, const hc_arrival *a)
{
  hc_workflow_told *w = e->workflow_told;
  if (hc_cold_of(e, id)->job == -1) return 0;
  TRY(hc_reserve(e->allocator, (void **)&w->fresh, &w->cap, w->count + 1, sizeof *w->fresh));
  w->fresh[w->count++] = (arrived){.serial = e->tasks.live[id].serial, .run = length_of(a), .task = id};
  return 0;
}

/* One that never runs (what it waits for has failed, it stands in a circle) is gone in the round in which it
 * came: it is told all the same, so that its workflow is not complete. */
static hc_rc is_gone(hc_engine *e, hc_task id)
{
  hc_workflow_told *w = e->workflow_told;
  size_t low = 0, high = w->count; /* ascending by serial */
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (w->fresh[middle].serial < e->tasks.live[id].serial) low = middle + 1;
    else high = middle;
  }
  if (low == w->count || w->fresh[low].serial != e->tasks.live[id].serial) return 0;
  w->fresh[low].task = HC_NO_TASK;
  return tell(e, id, w->fresh[low].run);
}

static hc_rc on(hc_engine *e, const hc_notice *n)
{
  hc_workflow_told *w = e->workflow_told;
  if (w->count > 0 && !w->is_measured) measure(e);
  if (n->kind == HC_ON_ARRIVED) return arrives(e, n->task, n->arrival);
  if (n->kind == HC_ON_GONE) return w->count > 0 ? is_gone(e, n->task) : 0;
  for (size_t i = 0; i < w->count; i++)
    if (w->fresh[i].task != HC_NO_TASK) TRY(tell(e, w->fresh[i].task, w->fresh[i].run));
  w->count = 0;
  return 0;
}

hc_rc hc_workflow_told_visit(hc_engine *e, hc_visitor *v)
{
  hc_workflow_told *w = e->workflow_told;
  if (!w) return 0;
  HC_VISIT_ARRAY(v, w->fresh, w->count, w->cap);
  for (size_t i = 0; hc_visit_loading(v) && i < w->count; i++)
    if (w->fresh[i].task >= e->tasks.count && w->fresh[i].task != HC_NO_TASK) return HC_EINPUT;
  return 0;
}

static bool wanted(const hc_engine *e)
{
  return e->workflow_told != NULL;
}

const hc_part hc_part_workflow_told = {.name = "workflow_told",
                                       .wanted = wanted,
                                       .hears = HC_HEARS(ARRIVED) | HC_HEARS(GONE) | HC_HEARS(ARRIVALS),
                                       .on = on,
                                       .fini = fini};
