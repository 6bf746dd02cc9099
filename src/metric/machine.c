/* machine.c -- the machine as metrics follow it. See machine.h. */
#include "metric/machine.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"

static void add_dimension(hc_machine *m, uint8_t which)
{
  m->which[m->dimensions++] = which;
}

static void find_dimensions(hc_machine *m)
{
  for (uint8_t d = 0; d < HC_DIMENSIONS; d++) {
    bool exists = m->spec->shared[d] > 0;
    m->shared[d] = exists;
    for (uint32_t c = 0; c < m->spec->class_count && !exists; c++)
      exists = m->spec->classes[c].capacity[d] > 0;
    if (exists) add_dimension(m, d);
  }
}

hc_rc hc_machine_init(hc_machine *m, const hc_metric_context *context)
{
  const hc_cell_spec *spec = context->cell;
  *m = (hc_machine){.context = context, .width = HC_NEEDS};
  if (!spec || spec->granularity != HC_CELL_HOSTS) {
    add_dimension(m, HC_DIM_CPU);
    m->total[HC_DIM_CPU] = (int64_t)((uint64_t)HC_MAX(context->capacity, 0) * 1000);
    return 0;
  }
  m->spec = spec;
  find_dimensions(m);
  if (m->dimensions > 0) m->width = HC_MAX(m->which[m->dimensions - 1] + 1u, HC_NEEDS);
  m->capacity = hc_alloc(context->allocator, spec->units * m->width * sizeof *m->capacity);
  if (!m->capacity) return HC_ENOMEM;
  m->hosts = spec->units;
  for (uint32_t d = 0; d < m->width; d++) m->total[d] = spec->shared[d];
  for (uint32_t h = 0; h < m->hosts; h++) {
    if (spec->absent && spec->absent[h]) continue;
    for (uint32_t d = 0; d < m->width; d++) {
      hc_machine_capacity(m, h)[d] = spec->classes[spec->class_of[h]].capacity[d];
      m->total[d] = hc_amount_plus(m->total[d], hc_machine_capacity(m, h)[d]);
    }
  }
  return 0;
}

void hc_machine_fini(hc_machine *m)
{
  if (m->context) hc_free(m->context->allocator, m->capacity, m->hosts * m->width * sizeof *m->capacity);
  m->capacity = NULL;
}

const char *hc_machine_name(const hc_machine *m, uint8_t which, char buffer[32])
{
  static const char *const known[] = {"cpu", "memory", "disk", "gpu"};
  const char *name = m->context->lexicon ? hc_lexicon_dimension_name(m->context->lexicon, which) : NULL;
  if (name) return name;
  if (which < HC_ARRAY_LEN(known)) return known[which];
  (void)snprintf(buffer, 32, "dimension_%u", which);
  return buffer;
}

const char *hc_machine_unit(uint8_t which)
{
  switch ((hc_dimension_id)which) {
    case HC_DIM_CPU: return "cores";
    case HC_DIM_MEMORY:
    case HC_DIM_DISK: return "B";
    case HC_DIM_GPU: return "GPUs";
    case HC_DIM_OTHER: break;
  }
  return "units";
}

double hc_machine_per_unit(uint8_t which)
{
  return which == HC_DIM_CPU || which == HC_DIM_GPU ? 1000 : 1;
}

bool hc_machine_change(hc_machine *m, const hc_change *c, int64_t *more)
{
  if (!hc_machine_has(m, c->host) && c->host != HC_NO_HOST) return false;
  for (uint32_t d = 0; d < m->width; d++) {
    int64_t before = hc_machine_has(m, c->host) ? hc_machine_capacity(m, c->host)[d] : m->total[d];
    bool belongs = hc_machine_has(m, c->host) || !m->spec || m->shared[d];
    more[d] = belongs ? hc_amount_minus(c->amount[d], before) : 0;
    if (hc_machine_has(m, c->host)) hc_machine_capacity(m, c->host)[d] = c->amount[d];
    m->total[d] = hc_amount_plus(m->total[d], more[d]);
  }
  return true;
}

int64_t hc_machine_asked(const hc_machine *m, const hc_change *c, uint8_t which)
{
  uint64_t times = m->shared[which] ? 1 : c->slots;
  return (int64_t)((uint64_t)c->amount[which] * times);
}

hc_rc hc_machine_visit(hc_machine *m, hc_visitor *v)
{
  TRY(hc_visit_bytes(v, m->total, m->width * sizeof *m->total));
  return m->hosts > 0 ? hc_visit_bytes(v, m->capacity, m->hosts * m->width * sizeof *m->capacity) : 0;
}

/* ---- groups of hosts ---- */

#define MEMBERS_MOST ((size_t)1 << 24)

/* Count in first[h], or note from there on, the groups that each host is in. */
static hc_rc walk_sets(const hc_machine *m, bool only_domains, hc_belonging *b, bool note)
{
  size_t sum = 0;
  uint32_t group = 0;
  for (uint32_t s = 0; s < m->spec->set_count; s++) {
    const hc_host_set *set = &m->spec->sets[s];
    if (only_domains && !set->is_failure_domain) continue;
    for (size_t r = 0; r < set->host_count; r++) {
      uint32_t first = set->hosts[r].first, n = set->hosts[r].count;
      sum += n;
      if (sum > MEMBERS_MOST) return HC_ELIMIT;
      for (uint32_t h = first; h - first < n && hc_machine_has(m, h); h++) {
        if (note) b->group[b->first[h]] = group;
        b->first[h]++;
      }
    }
    group++;
  }
  b->groups = group;
  return 0;
}

hc_rc hc_belonging_of_sets(const hc_machine *m, bool only_domains, hc_belonging *b)
{
  size_t sum = 0;
  *b = (hc_belonging){.first = hc_alloc(m->context->allocator, ((size_t)m->hosts + 1) * sizeof *b->first)};
  if (!b->first) return HC_ENOMEM;
  if (m->hosts == 0) return 0;
  TRY(walk_sets(m, only_domains, b, false));
  for (size_t h = 0; h <= m->hosts; h++) {
    size_t count = b->first[h];
    b->first[h] = sum;
    sum += count;
  }
  b->group = hc_alloc(m->context->allocator, sum * sizeof *b->group);
  if (!b->group) return HC_ENOMEM;
  b->count = sum;
  TRY(walk_sets(m, only_domains, b, true)); /* moves each beginning to the next one's */
  for (size_t h = m->hosts; h > 0; h--) b->first[h] = b->first[h - 1];
  b->first[0] = 0;
  return 0;
}

hc_rc hc_belonging_of_level(const hc_machine *m, const hc_zone_level *level, hc_belonging *b)
{
  const hc_allocator *a = m->context->allocator;
  *b = (hc_belonging){.groups = level ? level->zone_count : m->hosts, .count = m->hosts};
  b->first = hc_alloc(a, ((size_t)m->hosts + 1) * sizeof *b->first);
  b->group = hc_alloc(a, m->hosts * sizeof *b->group);
  if (!b->first || !b->group) return HC_ENOMEM;
  for (uint32_t h = 0, n = 0; h < m->hosts; h++) {
    uint32_t zone = level ? level->zone_of[h] : h;
    if (zone < b->groups) b->group[n++] = zone;
    b->first[h + 1] = n;
  }
  return 0;
}

void hc_belonging_fini(const hc_machine *m, hc_belonging *b)
{
  if (!m->context) return;
  hc_free(m->context->allocator, b->first, ((size_t)m->hosts + 1) * sizeof *b->first);
  hc_free(m->context->allocator, b->group, b->count * sizeof *b->group);
  *b = (hc_belonging){0};
}
