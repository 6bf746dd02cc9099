/* use.c -- measurements of what tasks used. See use.h. */
#include "workload/use.h"

#include "base/state.h"
#include "base/util.h"

#define MOST_STEPS ((size_t)1 << 12)

void hc_use_init(hc_use_store *s, const hc_allocator *a, size_t most)
{
  *s =
      (hc_use_store){.allocator = a, .most = HC_MIN(most > 0 ? HC_MAX(most, 2) & ~(size_t)1 : 0, MOST_STEPS)};
}

void hc_use_fini(hc_use_store *s)
{
  if (s->rows) hc_free(s->allocator, s->rows, s->row_cap * sizeof *s->rows);
  hc_use_init(s, s->allocator, s->most);
}

static hc_use_row *rows_of(const hc_use_store *s, const hc_use_room *of)
{
  return s->rows + (size_t)(of->room - 1) * s->most;
}

static hc_rc take_room(hc_use_store *s, hc_use_room *of)
{
  if (s->vacant > 0) {
    of->room = (uint32_t)s->vacant;
    s->vacant = (uint64_t)rows_of(s, of)->from;
    return 0;
  }
  const size_t room = s->row_count / s->most;
  if (room >= UINT32_MAX - 1) return HC_ENOMEM;
  TRY(hc_reserve(s->allocator, (void **)&s->rows, &s->row_cap, s->row_count + s->most, sizeof *s->rows));
  for (size_t i = 0; i < s->most; i++) s->rows[s->row_count + i] = (hc_use_row){0};
  s->row_count += s->most;
  of->room = (uint32_t)room + 1;
  return 0;
}

void hc_use_drop(hc_use_store *s, hc_use_room *of)
{
  if (of->room > 0) {
    rows_of(s, of)->from = (hc_time)s->vacant;
    s->vacant = of->room;
  }
  *of = (hc_use_room){0};
}

/* ---- measurements ---- */

static double mean(double a, double a_time, double b, double b_time)
{
  if (a < 0) return b;
  return b < 0 ? a : (a * a_time + b * b_time) / (a_time + b_time);
}

/* Two neighbours as one; what lay between them counts as neither. */
static hc_use_row join(const hc_use_row *a, const hc_use_row *b)
{
  const double of_a = (double)(a->until - a->from), of_b = (double)(b->until - b->from);
  return (hc_use_row){a->from, b->until, mean(a->cpu, of_a, b->cpu, of_b),
                      mean(a->memory, of_a, b->memory, of_b)};
}

hc_rc hc_use_put(hc_use_store *s, hc_use_room *of, const hc_use_row *row)
{
  hc_use_row *rows, r = *row;
  if (s->most == 0) return 0;
  if (of->room == 0) TRY(take_room(s, of));
  rows = rows_of(s, of);
  if (of->count > 0) r.from = HC_MAX(r.from, rows[of->count - 1].until);
  if (r.until <= r.from || (r.cpu < 0 && r.memory < 0)) return 0;
  if (of->count == s->most) {
    of->count /= 2;
    for (uint32_t i = 0; i < of->count; i++) rows[i] = join(&rows[2 * i], &rows[2 * i + 1]);
  }
  rows[of->count++] = r;
  return 0;
}

static int64_t whole(double x)
{
  return x < 0 ? HC_UNKNOWN : x < 4e18 ? (int64_t)(x + 0.5) : INT64_MAX / 2;
}

size_t hc_use_steps(const hc_use_store *s, const hc_use_room *of, hc_time start, hc_use_step *out)
{
  hc_time at = 0;
  size_t n = 0;
  for (uint32_t i = 0; i < of->count; i++) {
    const hc_use_row *r = &rows_of(s, of)[i];
    const hc_time from = r->from - start, until = r->until - start;
    if (until <= at) continue;
    if (from > at) out[n++] = (hc_use_step){from, HC_UNKNOWN, HC_UNKNOWN};
    out[n++] = (hc_use_step){until, whole(r->cpu * 1000), whole(r->memory)};
    at = until;
  }
  return n;
}

hc_rc hc_use_keep(hc_lexicon *l, uint32_t *more, const hc_use_step *steps, size_t count)
{
  const hc_task_extras *had = *more ? hc_lexicon_more(l, *more) : NULL;
  hc_task_extras m = had ? *had : hc_task_extras_none();
  uint32_t handle;
  if (count == 0) return 0;
  m.uses = steps;
  m.use_count = count;
  handle = hc_lexicon_keep(l, &m);
  if (handle == 0) return HC_ENOMEM;
  if (*more) hc_lexicon_calls_of(l)->drop(l, *more);
  *more = handle;
  return 0;
}

/* ---- state ---- */

bool hc_use_is_sound(const hc_use_store *s, const hc_use_room *of)
{
  if (of->room == 0) return of->count == 0;
  return s->most > 0 && of->count <= s->most && of->room <= s->row_count / s->most;
}

hc_rc hc_use_visit(hc_use_store *s, hc_visitor *v)
{
  const size_t most = s->most;
  uint64_t next, links = 0;
  HC_VISIT(v, s->vacant);
  HC_VISIT_ARRAY(v, s->rows, s->row_count, s->row_cap);
  if (!hc_visit_loading(v)) return 0;
  if (most == 0 ? s->row_count > 0 || s->vacant > 0 : s->row_count % most != 0) return HC_EINPUT;
  for (next = s->vacant; next > 0; next = (uint64_t)s->rows[(next - 1) * most].from)
    if (next > s->row_count / most || ++links > s->row_count / most) return HC_EINPUT;
  return 0;
}
