/* alibaba_side.c -- another table, read along: its rows by a key.
 *
 * Rows lie in a ring: the one read longest ago makes room. Of two rows with one key the later counts. Memory:
 * 40 bytes a row, and 12 to 35 of the map. Cost: a look into the map, and what the table's rows take to read,
 * once each. */
#include "workload/alibaba_side.h"

#include "base/state.h"
#include "base/util.h"

void hc_side_init(hc_side *s, const hc_allocator *a, size_t limit)
{
  *s = (hc_side){.allocator = a, .limit = limit, .s.last = HC_UNKNOWN};
  hc_map_init(&s->places, a);
}

void hc_side_fini(hc_side *s)
{
  if (!s->allocator) return;
  hc_free(s->allocator, s->rows, s->cap * sizeof *s->rows);
  hc_map_fini(&s->places);
}

static hc_rc put(hc_side *s, const hc_side_row *row)
{
  const uint32_t place = (uint32_t)(s->s.seen % s->limit);
  if (place == s->count) {
    TRY(hc_reserve(s->allocator, (void **)&s->rows, &s->cap, s->count + 1, sizeof *s->rows));
    s->count++;
  } else if (hc_map_get(&s->places, s->rows[place].key) == place) {
    hc_map_remove(&s->places, s->rows[place].key);
  }
  s->rows[place] = *row;
  s->s.seen++;
  return hc_map_set(&s->places, row->key, place);
}

hc_rc hc_side_find(hc_side *s, uint64_t key, hc_time until, const hc_side_row **out, hc_error *e)
{
  for (;;) {
    const uint32_t place = hc_map_get(&s->places, key);
    hc_side_row row;
    hc_time at;
    hc_rc rc;
    if (place != HC_MAP_NONE) {
      *out = &s->rows[place];
      return 1;
    }
    if (s->s.at_end || (s->count == s->limit && s->s.last > until)) return 0;
    rc = s->read(s->ctx, &row, &at, e);
    if (rc < 0) return rc;
    s->s.at_end = rc == 0;
    if (rc == 0) return 0;
    s->s.last = at;
    TRY(put(s, &row));
  }
}

hc_rc hc_side_visit(hc_side *s, hc_visitor *v)
{
  HC_VISIT(v, s->s);
  HC_VISIT_ARRAY(v, s->rows, s->count, s->cap);
  if (!hc_visit_loading(v)) return 0;
  if (s->count > s->limit || s->count > s->s.seen || (s->count < s->limit && s->count != s->s.seen))
    return HC_EINPUT;
  hc_map_fini(&s->places);
  hc_map_init(&s->places, s->allocator);
  for (uint64_t i = s->s.seen - s->count; i < s->s.seen; i++) {
    const uint32_t place = (uint32_t)(i % s->limit);
    TRY(hc_map_set(&s->places, s->rows[place].key, place));
  }
  return 0;
}
