/* reserve.c -- which implementation answers, and what all of them answer alike. */
#include "reserve/parts.h"

#include "base/util.h"

const hc_reserve_type hc_reserve_none = {.name = "none"};

static size_t size_of(const hc_reserve_type *type)
{
  return type == &hc_reserve_none ? sizeof(hc_reserve_book) : type->size;
}

static const hc_reserve_type *type_of(const hc_reserve_context *c, bool expects, bool promises_all)
{
  if (!expects) return &hc_reserve_none;
  if (!c->cell->hosts) return &hc_reserve_counts;
  return promises_all ? &hc_reserve_host_timeline : &hc_reserve_windows;
}

hc_rc hc_reserve_new(const hc_reserve_context *c, bool expects, bool promises_all, hc_reserve_book **out,
                     hc_error *e)
{
  const hc_reserve_type *type = type_of(c, expects, promises_all);
  hc_reserve_book *r = hc_alloc(c->allocator, size_of(type));
  if (!r) return HC_ENOMEM;
  *r = (hc_reserve_book){.type = type, .c = *c, .promises_all = promises_all};
  *out = r;
  return type->init ? type->init(r, e) : 0;
}

void hc_reserve_free(hc_reserve_book *r)
{
  if (!r) return;
  if (r->type->fini) r->type->fini(r);
  hc_ahead_fini(&r->ahead, r->c.allocator, r->c.spec->units);
  hc_free(r->c.allocator, r, size_of(r->type));
}

hc_rc hc_reserve_hosts_of(hc_reserve_book *r, hc_task t, const hc_grant **grants, size_t *count)
{
  *grants = NULL;
  *count = 0;
  return HC_RESERVE_TELL(r, hosts_of, t, grants, count);
}

hc_slot hc_reserve_earliest(hc_reserve_book *r, hc_task t, hc_time from)
{
  return r->type->earliest ? r->type->earliest(r, t, from) : (hc_slot){HC_NEVER, 0};
}

typedef struct freed {
  const hc_reserve_book *r;
  hc_time by;
  int64_t units;
} freed;

static hc_rc add_freed(void *self, hc_task t, hc_time end)
{
  freed *f = self;
  if (end <= f->by) f->units += hc_reserve_units(f->r, t);
  return 0;
}

/* On hosts more and more is free: least at the beginning. */
int64_t hc_reserve_least_free(hc_reserve_book *r, hc_task t, hc_time from, hc_time to)
{
  freed f = {.r = r, .by = from};
  if (r->type->least_free) return r->type->least_free(r, t, from, to);
  if (r->c.cell->hosts) hc_reserve_note(r, r->c.running(r->c.ctx, add_freed, &f));
  return hc_cell_free_most(r->c.cell) + f.units;
}

hc_rc hc_reserve_place(hc_reserve_book *r, hc_task t, hc_time at, const hc_grant **grants, size_t *count)
{
  *grants = NULL;
  *count = 0;
  return HC_RESERVE_TELL(r, place, t, at, grants, count);
}

/* ---- announced changes of amounts ---- */

hc_rc hc_reserve_look_ahead(hc_reserve_book *r, hc_task t, hc_time at, hc_time length)
{
  hc_ahead_clear(&r->ahead);
  if (!r->c.advance || !r->c.advance->has_resizes || !r->type->ahead) return 0;
  if (hc_reserve_request(r, t).whole) return 0;
  const hc_rc rc = r->type->ahead(r, t, at, length);
  if (rc < 0) hc_ahead_clear(&r->ahead);
  return rc;
}

hc_rc hc_reserve_narrow(hc_reserve_book *r, hc_task t, hc_time length)
{
  TRY(hc_reserve_look_ahead(r, t, *r->c.now, length));
  hc_ahead_narrow(&r->ahead, r->c.cell->hosts);
  return 0;
}

void hc_reserve_widen(hc_reserve_book *r)
{
  hc_ahead_widen(&r->ahead, r->c.cell->hosts);
}

static bool fits_ahead(hc_reserve_book *r, hc_task t, hc_time length, const hc_grant *grants, size_t count)
{
  const hc_rc rc = hc_reserve_look_ahead(r, t, *r->c.now, length);
  hc_reserve_note(r, rc);
  if (rc < 0) return false;
  if (r->ahead.count == 0) return true;
  const hc_request request = hc_reserve_request(r, t);
  return hc_ahead_fits(&r->ahead, r->c.cell->hosts, &request, grants, count);
}

bool hc_reserve_has_room(hc_reserve_book *r, hc_task t, hc_time length, const hc_grant *grants, size_t count)
{
  const hc_time now = *r->c.now;
  if (r->type->begins) return r->type->begins(r, t, length);
  return hc_advance_is_open(r->c.advance, t, now, hc_time_add(now, length), grants, count) &&
         fits_ahead(r, t, length, grants, count);
}
