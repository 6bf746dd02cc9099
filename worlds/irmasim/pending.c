/* pending.c -- jobs that wait, and what energy managers expect of them. */
#include "irmasim/pending.h"

#include <string.h>

#include "base/sort.h"
#include "base/util.h"

HC_SORT_STABLE(sort_waiting, hc_irm_waiting, a->key < b->key)

hc_rc hc_irm_wait(hc_irm_pending *p, const hc_world *w, hc_irm_key key, const uint32_t *jobs, size_t count)
{
  const hc_allocator *a = w->allocator;
  TRY(hc_reserve(a, (void **)&p->jobs, &p->cap, p->count + count, sizeof *p->jobs));
  for (size_t i = 0; i < count; i++)
    p->jobs[p->count++] = (hc_irm_waiting){key ? key(w, jobs[i]) : 0, jobs[i]};
  hc_irm_waiting *room = hc_alloc(a, (p->count / 2 + 1) * sizeof *room);
  if (!room) return HC_ENOMEM;
  sort_waiting(p->jobs, p->count, room);
  hc_free(a, room, (p->count / 2 + 1) * sizeof *room);
  return 0;
}

void hc_irm_pick(hc_irm_pending *p, size_t i)
{
  p->count--;
  memmove(&p->jobs[i], &p->jobs[i + 1], (p->count - i) * sizeof *p->jobs);
}

void hc_irm_pending_fini(hc_irm_pending *p, const hc_allocator *a)
{
  hc_free(a, p->jobs, p->cap * sizeof *p->jobs);
}

/* ---- energy ---- */

static const hc_irm_processor_type *first_of(const hc_world *w, uint32_t node)
{
  return w->platform.processors[w->platform.nodes[node].first].type;
}

hc_rc hc_irm_believe(hc_irm_beliefs *b, const hc_world *w)
{
  const hc_irm_platform *p = &w->platform;
  b->assigned = hc_alloc(w->allocator, p->node_count * sizeof *b->assigned);
  b->fixed = hc_alloc(w->allocator, p->node_count * sizeof *b->fixed);
  if (!b->assigned || !b->fixed) return HC_ENOMEM;
  b->slowest = __builtin_inf();
  for (uint32_t i = 0; i < p->node_count; i++) {
    const hc_irm_node *node = &p->nodes[i];
    if (node->cores == 0)
      return hc_fail(w->error, HC_EINPUT, HC_IRM_WHERE, 0, 0, "node %s has no cores", node->path);
    b->slowest = HC_MIN(b->slowest, first_of(w, i)->clock_rate);
    for (uint32_t k = node->first_core; k < node->first_core + node->cores; k++)
      b->fixed[i] += p->processors[p->cores[k].processor].type->static_power;
  }
  return 0;
}

void hc_irm_beliefs_fini(hc_irm_beliefs *b, const hc_world *w, const hc_allocator *a)
{
  hc_free(a, b->assigned, b->assigned ? w->platform.node_count * sizeof *b->assigned : 0);
  hc_free(a, b->fixed, b->fixed ? w->platform.node_count * sizeof *b->fixed : 0);
}

double hc_irm_estimate(const hc_irm_beliefs *b, const hc_world *w, uint32_t job, uint32_t node, bool is_edp)
{
  const hc_irm_row *r = hc_irm_row_of(w, job);
  const hc_irm_processor_type *t = first_of(w, node);
  const double slower = b->slowest / t->clock_rate * (t->clock_rate * 1e3 / t->mops);
  const double time = r->req_time.value * slower;
  double dynamic = 0;
  for (uint32_t i = 0; i < r->tasks; i++) dynamic += t->dynamic_power;
  const double energy = time * (dynamic + b->fixed[node] / (b->assigned[w->platform.nodes[node].same] + 1.0));
  return is_edp ? energy * time : energy;
}
