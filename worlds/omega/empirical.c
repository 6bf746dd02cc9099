/* empirical.c -- see empirical.h. */
#include "omega/empirical.h"

#include <string.h>

#include "base/sort.h"
#include "base/table.h"
#include "base/util.h"
#include "omega/java_random.h"

#define KEPT 1001 /* values of a distribution that the original keeps */

static bool has(uint32_t defects, hc_omega_defect d)
{
  return defects >> d & 1;
}

/* ---- streams ---- */

hc_omega_stream hc_omega_stream_of(uint64_t seed, uint64_t replication, uint64_t number, hc_purpose purpose,
                                   bool is_java, bool same)
{
  return (hc_omega_stream){.is_java = is_java,
                           .state = hc_java_seed((int64_t)(seed + (same ? 0 : number))),
                           .draws = {seed, replication, same ? 0 : number, purpose, 0}};
}

hc_omega_stream hc_omega_stream_exponential(const hc_arrivals_context *c, hc_purpose purpose)
{
  const bool clock = has(c->defects, HC_OMEGA_D3_CLOCK);
  return hc_omega_stream_of(c->seed, c->replication, c->workload, purpose, clock, clock);
}

hc_omega_stream hc_omega_stream_measured(const hc_arrivals_context *c, hc_purpose purpose)
{
  const bool same = has(c->defects, HC_OMEGA_D4_UNIFORMS);
  return hc_omega_stream_of(c->seed, c->replication, c->workload, purpose, same, same);
}

double hc_omega_exponential(hc_omega_stream *s, double mean)
{
  double u;
  if (!s->is_java) return hc_random_exponential(&s->draws, mean);
  do u = hc_java_double(&s->state);
  while (u == 0);
  return -mean * hc_log(u);
}

/* ---- measured distributions ---- */

hc_rc hc_omega_measured_add(hc_omega_measured *m, double value)
{
  TRY(hc_reserve(m->allocator, (void **)&m->values, &m->cap, m->count + 1, sizeof *m->values));
  m->values[m->count++] = value;
  return 0;
}

HC_SORT(sort_reals, double, *a < *b)

hc_rc hc_omega_measured_close(hc_omega_measured *m, uint32_t defects)
{
  const size_t n = m->count;
  if (n == 0) return 0;
  sort_reals(m->values, n);
  if (!has(defects, HC_OMEGA_D2_TAIL)) return 0;
  TRY(hc_reserve(m->allocator, (void **)&m->values, &m->cap, n + KEPT, sizeof *m->values));
  for (size_t i = 0; i < KEPT; i++) m->values[n + i] = m->values[(n - 1) * i / (KEPT - 1)];
  memmove(m->values, m->values + n, KEPT * sizeof *m->values);
  m->count = KEPT;
  return 0;
}

void hc_omega_measured_fini(hc_omega_measured *m)
{
  if (m->allocator) hc_free(m->allocator, m->values, m->cap * sizeof *m->values);
}

double hc_omega_measured_draw(const hc_omega_measured *m, hc_omega_stream *s, uint32_t defects)
{
  const double u = s->is_java ? (double)hc_java_float(&s->state) : hc_random_unit(&s->draws);
  double at = u * (double)(m->count - 1), below, above, part;
  if (s->is_java)
    at = (double)((float)u * (float)(m->count - 1)); /* the original's index is single precision */
  part = at - (double)(size_t)at;
  below = m->values[(size_t)at];
  if (part == 0) return below;
  above = m->values[HC_MIN((size_t)at + 1, m->count - 1)];
  return below + part * (has(defects, HC_OMEGA_D1_QUANTILE) ? below + above : above - below);
}

/* ---- files ---- */

static hc_rc value_of(hc_table *t, int64_t class, hc_omega_measured *m, hc_error *e)
{
  int64_t mine;
  double value;
  if (t->count < 4 || !hc_table_whole(t, 3, &mine) || !hc_table_real(t, 4, &value))
    return hc_table_fail(t, 0, e, "expected \"cluster policy 0|1 value\"");
  return mine == class ? hc_omega_measured_add(m, value) : 0;
}

hc_rc hc_omega_measured_file(hc_omega_measured *m, const hc_allocator *a, const char *path, int64_t class,
                             uint32_t defects, hc_error *e)
{
  hc_table t;
  hc_rc rc;
  *m = (hc_omega_measured){.allocator = a};
  if (!path)
    return hc_fail(e, HC_EUSAGE, "world omega", 0, 0,
                   "a distribution is wanted, and no file is named for it");
  rc = hc_table_open(&t, a, path, e);
  if (rc >= 0) t.separator = ' ';
  while (rc >= 0 && (rc = hc_table_next(&t, e)) > 0) rc = value_of(&t, class, m, e);
  hc_table_close(&t);
  if (rc >= 0 && m->count == 0)
    rc = hc_fail(e, HC_EINPUT, path, 0, 0, "no line is of class %d (0 batch, 1 service)", (int)class);
  if (rc >= 0) rc = hc_omega_measured_close(m, defects);
  if (rc < 0) hc_omega_measured_fini(m);
  if (rc < 0) *m = (hc_omega_measured){0};
  return rc;
}
