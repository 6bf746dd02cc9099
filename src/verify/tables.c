/* tables.c -- the tables about hosts of a stored result, as the checks want them. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/util.h"
#include "hindcast/cell.h"
#include "verify/parts.h"

typedef struct reading {
  const hc_allocator *allocator;
  hc_verify_hosts *out;
  hc_verify_host *hosts;
  hc_verify_change *changes;
  hc_verify_demand *demands;
  hc_verify_grant *grants;
  hc_verify_resize *resizes;
  size_t host_cap, change_cap, demand_cap, grant_cap, resize_cap;
  uint32_t width, amounts; /* dimensions; and what a row of grants has */
  int64_t host_count;      /* as the facts have it; -1: it is no cell of hosts */
} reading;

/* Amounts of rows lie in an arena, which the structs of a header file cannot name. */
static hc_arena *new_storage(const hc_allocator *a)
{
  hc_arena *s = hc_alloc(a, sizeof *s);
  if (s) hc_arena_init(s, a);
  return s;
}

static void free_storage(const hc_allocator *a, void *storage)
{
  if (!storage) return;
  hc_arena_fini(storage);
  hc_free(a, storage, sizeof(hc_arena));
}

static hc_rc amounts_of(void *storage, const char *const *values, uint32_t n, const int64_t **out)
{
  int64_t *row = hc_arena_alloc(storage, n * sizeof *row);
  *out = row;
  return row ? hc_numbers_of(values, n, row) : HC_ENOMEM;
}

hc_rc hc_numbers_of(const char *const *values, size_t n, int64_t *out)
{
  for (size_t i = 0; i < n; i++) {
    out[i] = 0;
    if (values[i] && hc_parse_int(values[i], strlen(values[i]), &out[i]) < 0) return HC_EINPUT;
  }
  return 0;
}

hc_rc hc_fit(const hc_allocator *a, void **items, size_t *cap, size_t count, size_t item)
{
  void *p;
  if (!*items || *cap == count) return 0;
  p = a->resize(a->ctx, *items, *cap * item, count * item);
  if (!p && count > 0) return HC_ENOMEM;
  *items = p;
  *cap = count;
  return 0;
}

/* ---- a table of whole numbers ---- */

typedef struct number_rows {
  const hc_number_table *table;
  const hc_allocator *allocator;
  void *items;
  size_t count, cap;
} number_rows;

static hc_rc hear_numbers(void *ctx, const char *const *values)
{
  number_rows *x = ctx;
  const size_t size = x->table->item;
  int64_t n[HC_NUMBER_COLUMNS];
  TRY(hc_numbers_of(values, x->table->columns, n));
  TRY(hc_reserve(x->allocator, &x->items, &x->cap, x->count + 1, size));
  char *item = (char *)x->items + x->count * size;
  memset(item, 0, size);
  TRY(x->table->take(n, x->count > 0 ? item - size : NULL, item));
  x->count++;
  return 0;
}

hc_rc hc_number_table_read(const hc_number_table *t, const hc_allocator *a, hc_result *r, void **out,
                           size_t *count, hc_error *e)
{
  number_rows x = {.table = t, .allocator = a};
  HC_ASSERT(t->columns <= HC_NUMBER_COLUMNS);
  hc_rc rc = hc_result_rows(r, t->name, t->columns, hear_numbers, &x, e);
  if (rc >= 0) rc = hc_fit(a, &x.items, &x.cap, x.count, t->item);
  if (rc >= 0) {
    *out = x.items;
    *count = x.count;
    return x.count > 0;
  }
  hc_free(a, x.items, x.cap * t->item);
  return hc_fail(e, rc, hc_result_path(r), 0, 0, "its table of %s cannot be read: %s", t->what,
                 hc_rc_text(rc));
}

/* ---- tables of hosts ---- */

static hc_rc hear_fact(void *ctx, const char *const *values)
{
  reading *r = ctx;
  if (!values[0] || !values[1]) return HC_EINPUT;
  if (strcmp(values[0], "hosts") == 0) return hc_numbers_of(values + 1, 1, &r->host_count);
  return 0;
}

static hc_rc hear_host(void *ctx, const char *const *values)
{
  reading *r = ctx;
  hc_verify_host *h;
  TRY(hc_reserve(r->allocator, (void **)&r->hosts, &r->host_cap, r->out->host_count + 1, sizeof *r->hosts));
  h = &r->hosts[r->out->host_count++];
  TRY(hc_numbers_of(values + 3, 1, &h->devices));
  TRY(amounts_of(r->out->storage, values + 4, r->width, &h->amount));
  for (uint32_t d = 0; d < r->width; d++) r->out->is_of_hosts[d] |= h->amount[d] > 0;
  return 0;
}

static bool is_host(const reading *r, int64_t n)
{
  return n >= 0 && (uint64_t)n < r->out->host_count;
}

static hc_rc hear_change(void *ctx, const char *const *values)
{
  reading *r = ctx;
  hc_verify_change *k;
  int64_t n[3];
  TRY(hc_reserve(r->allocator, (void **)&r->changes, &r->change_cap, r->out->change_count + 1,
                 sizeof *r->changes));
  k = &r->changes[r->out->change_count];
  TRY(hc_numbers_of(values, 3, n));
  TRY(amounts_of(r->out->storage, values + 3, r->width, &k->amount));
  if (!is_host(r, n[1]) || (r->out->change_count > 0 && n[0] < k[-1].at)) return HC_EINPUT;
  if (n[2] < 0 || n[2] > HC_HOST_RESIZE) return HC_EINPUT;
  k->at = n[0];
  k->host = (uint32_t)n[1];
  k->change = (uint32_t)n[2];
  for (uint32_t d = 0; d < r->width; d++) r->out->is_of_hosts[d] |= k->amount[d] > 0;
  r->out->change_count++;
  return 0;
}

static hc_rc hear_demand(void *ctx, const char *const *values)
{
  reading *r = ctx;
  hc_verify_demand *d;
  int64_t n[5];
  TRY(hc_reserve(r->allocator, (void **)&r->demands, &r->demand_cap, r->out->demand_count + 1,
                 sizeof *r->demands));
  d = &r->demands[r->out->demand_count];
  TRY(hc_numbers_of(values, 5, n));
  TRY(amounts_of(r->out->storage, values + 5, r->width, &d->need));
  d->serial = n[0];
  d->slots = n[2];
  d->form = n[3];
  d->attempts = n[4];
  r->out->demand_count++;
  return 0;
}

static hc_rc hear_grant(void *ctx, const char *const *values)
{
  reading *r = ctx;
  hc_verify_grant *g;
  int64_t n[4];
  TRY(hc_reserve(r->allocator, (void **)&r->grants, &r->grant_cap, r->out->grant_count + 1,
                 sizeof *r->grants));
  g = &r->grants[r->out->grant_count];
  TRY(hc_numbers_of(values, 4, n));
  *g = (hc_verify_grant){.serial = n[0], .slots = n[2]};
  TRY(amounts_of(r->out->storage, values + 4, r->width, &g->amount));
  if (!is_host(r, n[1]) || n[3] < 0 || n[3] > UINT32_MAX) return HC_EINPUT;
  g->host = (uint32_t)n[1];
  g->devices = hc_result_devices(values + 3, r->amounts);
  r->out->grant_count++;
  return 0;
}

static hc_rc hear_resize(void *ctx, const char *const *values)
{
  reading *r = ctx;
  hc_verify_resize *z;
  int64_t n[3];
  TRY(hc_reserve(r->allocator, (void **)&r->resizes, &r->resize_cap, r->out->resize_count + 1,
                 sizeof *r->resizes));
  z = &r->resizes[r->out->resize_count];
  TRY(hc_numbers_of(values, 3, n));
  TRY(amounts_of(r->out->storage, values + 3, r->width, &z->amount));
  if (!is_host(r, n[2]) || (r->out->resize_count > 0 && n[1] < z[-1].at)) return HC_EINPUT;
  z->serial = n[0];
  z->at = n[1];
  z->host = (uint32_t)n[2];
  z->padding = 0;
  r->out->resize_count++;
  return 0;
}

/* What was read so far, so that it can be freed at its true size. */
static void hand_over(reading *r)
{
  r->out->hosts = r->hosts;
  r->out->changes = r->changes;
  r->out->demands = r->demands;
  r->out->grants = r->grants;
  r->out->resizes = r->resizes;
}

hc_rc hc_verify_hosts_read(const hc_allocator *a, hc_result *r, hc_verify_hosts *out, hc_error *e)
{
  reading x = {.allocator = a, .out = out, .host_count = -1};
  hc_rc rc;
  *out = (hc_verify_hosts){0};
  TRY(hc_result_rows(r, "hindcast", 2, hear_fact, &x, e));
  if (x.host_count < 0) return 0;
  x.amounts = hc_result_amounts(r);
  x.width = out->dimensions = HC_MIN(x.amounts, HC_DIMENSIONS);
  if (!(out->storage = new_storage(a))) return HC_ENOMEM;
  rc = hc_result_rows(r, "hosts", 4 + x.width, hear_host, &x, e);
  if (rc >= 0) rc = hc_result_rows(r, "host_changes", 3 + x.width, hear_change, &x, e);
  if (rc >= 0) rc = hc_result_rows(r, "demands", 5 + x.width, hear_demand, &x, e);
  if (rc >= 0) rc = hc_result_rows(r, "grants", 4 + x.amounts, hear_grant, &x, e);
  if (rc >= 0) rc = hc_result_rows(r, "open_demands", 5 + x.width, hear_demand, &x, e);
  if (rc >= 0) rc = hc_result_rows(r, "open_grants", 4 + x.amounts, hear_grant, &x, e);
  if (rc >= 0) rc = hc_result_rows(r, "resizes", 3 + x.width, hear_resize, &x, e);
  if (rc >= 0) rc = hc_fit(a, (void **)&x.hosts, &x.host_cap, out->host_count, sizeof *x.hosts);
  if (rc >= 0) rc = hc_fit(a, (void **)&x.changes, &x.change_cap, out->change_count, sizeof *x.changes);
  if (rc >= 0) rc = hc_fit(a, (void **)&x.demands, &x.demand_cap, out->demand_count, sizeof *x.demands);
  if (rc >= 0) rc = hc_fit(a, (void **)&x.grants, &x.grant_cap, out->grant_count, sizeof *x.grants);
  if (rc >= 0) rc = hc_fit(a, (void **)&x.resizes, &x.resize_cap, out->resize_count, sizeof *x.resizes);
  hand_over(&x);
  if (rc >= 0) return 1;
  hc_free(a, x.hosts, x.host_cap * sizeof *x.hosts);
  hc_free(a, x.changes, x.change_cap * sizeof *x.changes);
  hc_free(a, x.demands, x.demand_cap * sizeof *x.demands);
  hc_free(a, x.grants, x.grant_cap * sizeof *x.grants);
  hc_free(a, x.resizes, x.resize_cap * sizeof *x.resizes);
  free_storage(a, out->storage);
  *out = (hc_verify_hosts){0};
  return hc_fail(e, rc, hc_result_path(r), 0, 0, "its tables about hosts cannot be read: %s", hc_rc_text(rc));
}

void hc_verify_hosts_free(const hc_allocator *a, hc_verify_hosts *h)
{
  hc_free(a, (void *)(uintptr_t)h->hosts, h->host_count * sizeof *h->hosts);
  hc_free(a, (void *)(uintptr_t)h->changes, h->change_count * sizeof *h->changes);
  hc_free(a, (void *)(uintptr_t)h->demands, h->demand_count * sizeof *h->demands);
  hc_free(a, (void *)(uintptr_t)h->grants, h->grant_count * sizeof *h->grants);
  hc_free(a, (void *)(uintptr_t)h->resizes, h->resize_count * sizeof *h->resizes);
  free_storage(a, h->storage);
  *h = (hc_verify_hosts){0};
}

/* ---- attempts that were stopped ---- */

typedef struct stop_reading {
  const hc_allocator *allocator;
  hc_verify_stops *out;
  hc_verify_stop *stops;
  int64_t *times; /* [count] of each, as its grants name it */
  hc_verify_grant *grants;
  size_t stop_cap, times_cap, grant_cap, hosts, at;
  uint32_t width, amounts;
} stop_reading;

static hc_rc hear_stop(void *ctx, const char *const *values)
{
  stop_reading *r = ctx;
  int64_t n[7];
  TRY(hc_numbers_of(values, 7, n));
  TRY(hc_reserve(r->allocator, (void **)&r->stops, &r->stop_cap, r->out->count + 1, sizeof *r->stops));
  TRY(hc_reserve(r->allocator, (void **)&r->times, &r->times_cap, r->out->count + 1, sizeof *r->times));
  r->times[r->out->count] = n[1];
  r->stops[r->out->count++] = (hc_verify_stop){n[0], n[2], n[3], n[4], n[5], n[6]};
  return 0;
}

/* Grants stand in the order of their stops. */
static hc_rc hear_stop_grant(void *ctx, const char *const *values)
{
  stop_reading *r = ctx;
  hc_verify_grant *g;
  int64_t n[5];
  TRY(hc_numbers_of(values, 5, n));
  while (r->at < r->out->count && (r->stops[r->at].serial != n[0] || r->times[r->at] != n[1] ||
                                   r->stops[r->at].how == HC_STOPPED_FOR_GOOD))
    r->at++;
  if (r->at == r->out->count || n[2] < 0 || (uint64_t)n[2] >= r->hosts || n[4] < 0 || n[4] > UINT32_MAX)
    return HC_EINPUT;
  TRY(hc_reserve(r->allocator, (void **)&r->grants, &r->grant_cap, r->out->grant_count + 1,
                 sizeof *r->grants));
  g = &r->grants[r->out->grant_count++];
  *g = (hc_verify_grant){.serial = (int64_t)r->at,
                         .slots = n[3],
                         .host = (uint32_t)n[2],
                         .devices = hc_result_devices(values + 4, r->amounts)};
  return amounts_of(r->out->storage, values + 5, r->width, &g->amount);
}

static hc_rc hear_speeds(void *ctx, const char *const *values)
{
  hc_verify_stops *out = ctx;
  if (values[0] && strcmp(values[0], "speeds_differ") == 0) out->speeds_differ = true;
  return 0;
}

hc_rc hc_verify_stops_read(const hc_allocator *a, hc_result *r, size_t hosts, hc_verify_stops *out,
                           hc_error *e)
{
  stop_reading x = {.allocator = a, .out = out, .hosts = hosts};
  hc_rc rc;
  *out = (hc_verify_stops){.storage = new_storage(a)};
  if (!out->storage) return HC_ENOMEM;
  x.amounts = hc_result_amounts(r);
  x.width = out->dimensions = HC_MIN(x.amounts, HC_DIMENSIONS);
  rc = hc_result_rows(r, "stops", 7, hear_stop, &x, e);
  if (rc >= 0) rc = hc_result_rows(r, "stop_grants", 5 + x.amounts, hear_stop_grant, &x, e);
  if (rc >= 0) rc = hc_result_rows(r, "hindcast", 2, hear_speeds, out, e);
  const char *model = hc_result_config(r, "execution");
  out->speeds_differ |= model && *model; /* it says how fast work is done */
  hc_free(a, x.times, x.times_cap * sizeof *x.times);
  if (rc >= 0) rc = hc_fit(a, (void **)&x.stops, &x.stop_cap, out->count, sizeof *x.stops);
  if (rc >= 0) rc = hc_fit(a, (void **)&x.grants, &x.grant_cap, out->grant_count, sizeof *x.grants);
  out->stops = x.stops;
  out->grants = x.grants;
  if (rc >= 0 && out->count > 0) return 1;
  free_storage(a, out->storage);
  out->storage = NULL;
  if (rc >= 0) return 0;
  hc_free(a, x.stops, x.stop_cap * sizeof *x.stops);
  hc_free(a, x.grants, x.grant_cap * sizeof *x.grants);
  *out = (hc_verify_stops){0};
  return hc_fail(e, rc, hc_result_path(r), 0, 0, "its tables about stopped attempts cannot be read: %s",
                 hc_rc_text(rc));
}

void hc_verify_stops_free(const hc_allocator *a, hc_verify_stops *s)
{
  hc_free(a, (void *)(uintptr_t)s->stops, s->count * sizeof *s->stops);
  hc_free(a, (void *)(uintptr_t)s->grants, s->grant_count * sizeof *s->grants);
  free_storage(a, s->storage);
  *s = (hc_verify_stops){0};
}

/* ---- rates ---- */

typedef struct rate_reading {
  const hc_allocator *allocator;
  hc_verify_rates *out;
  hc_verify_rate *rates;
  size_t cap;
} rate_reading;

static hc_rc hear_rate(void *ctx, const char *const *values)
{
  rate_reading *r = ctx;
  int64_t n[4];
  TRY(hc_numbers_of(values, 4, n));
  TRY(hc_reserve(r->allocator, (void **)&r->rates, &r->cap, r->out->count + 1, sizeof *r->rates));
  r->rates[r->out->count++] = (hc_verify_rate){.serial = n[0], .at = n[1], .rate = n[2], .holds = n[3] != 0};
  return 0;
}

hc_rc hc_verify_rates_read(const hc_allocator *a, hc_result *r, hc_verify_rates *out, hc_error *e)
{
  rate_reading x = {.allocator = a, .out = out};
  hc_rc rc;
  *out = (hc_verify_rates){0};
  rc = hc_result_rows(r, "rates", 4, hear_rate, &x, e);
  if (rc >= 0) rc = hc_fit(a, (void **)&x.rates, &x.cap, out->count, sizeof *x.rates);
  out->rates = x.rates;
  if (rc >= 0) return out->count > 0;
  hc_free(a, x.rates, x.cap * sizeof *x.rates);
  *out = (hc_verify_rates){0};
  return hc_fail(e, rc, hc_result_path(r), 0, 0, "its table of rates cannot be read: %s", hc_rc_text(rc));
}

typedef struct regrant_reading {
  const hc_allocator *allocator;
  hc_verify_regrants *out;
  hc_verify_regrant *rows;
  size_t cap, hosts;
  size_t at; /* the row that devices were told of last */
  uint32_t width;
} regrant_reading;

static hc_rc hear_regrant(void *ctx, const char *const *values)
{
  regrant_reading *r = ctx;
  int64_t n[6];
  TRY(hc_numbers_of(values, 6, n));
  if (n[4] < 0 || (r->hosts > 0 && (uint64_t)n[4] >= r->hosts)) return HC_EINPUT;
  TRY(hc_reserve(r->allocator, (void **)&r->rows, &r->cap, r->out->count + 1, sizeof *r->rows));
  hc_verify_regrant *row = &r->rows[r->out->count++];
  *row = (hc_verify_regrant){n[0], n[1], n[2], n[3], n[4], n[5], NULL, {{0}}};
  return amounts_of(r->out->storage, values + 6, r->width, &row->amount);
}

/* In the order of the rows that they are about. */
static hc_rc hear_regrant_devices(void *ctx, const char *const *values)
{
  regrant_reading *r = ctx;
  int64_t n[6];
  TRY(hc_numbers_of(values, 6, n));
  for (; r->at < r->out->count; r->at++) {
    hc_verify_regrant *row = &r->rows[r->at];
    if (row->serial != n[0] || row->at != n[1] || row->number != n[2] || row->host != n[3]) continue;
    row->devices = (hc_devices){{(uint64_t)n[4], (uint64_t)n[5]}};
    r->at++;
    return 0;
  }
  return HC_EINPUT;
}

hc_rc hc_verify_regrants_read(const hc_allocator *a, hc_result *r, size_t hosts, hc_verify_regrants *out,
                              hc_error *e)
{
  regrant_reading x = {.allocator = a, .out = out, .hosts = hosts};
  hc_rc rc;
  *out = (hc_verify_regrants){.storage = new_storage(a)};
  if (!out->storage) return HC_ENOMEM;
  x.width = out->dimensions = HC_MIN(hc_result_amounts(r), HC_DIMENSIONS);
  rc = hc_result_rows(r, "regrants", 6 + x.width, hear_regrant, &x, e);
  if (rc >= 0) rc = hc_result_rows(r, "regrant_devices", 6, hear_regrant_devices, &x, e);
  if (rc >= 0) rc = hc_fit(a, (void **)&x.rows, &x.cap, out->count, sizeof *x.rows);
  out->rows = x.rows;
  if (rc >= 0 && out->count > 0) return 1;
  free_storage(a, out->storage);
  out->storage = NULL;
  if (rc >= 0) return 0;
  hc_free(a, x.rows, x.cap * sizeof *x.rows);
  *out = (hc_verify_regrants){0};
  return hc_fail(e, rc, hc_result_path(r), 0, 0, "its table of regrants cannot be read: %s", hc_rc_text(rc));
}

void hc_verify_regrants_free(const hc_allocator *a, hc_verify_regrants *s)
{
  hc_free(a, (void *)(uintptr_t)s->rows, s->count * sizeof *s->rows);
  free_storage(a, s->storage);
  *s = (hc_verify_regrants){0};
}

void hc_verify_rates_free(const hc_allocator *a, hc_verify_rates *s)
{
  hc_free(a, (void *)(uintptr_t)s->rates, s->count * sizeof *s->rates);
  *s = (hc_verify_rates){0};
}
