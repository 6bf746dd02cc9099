/* yt_pools_file.c -- pools as YTsaurus's scheduler simulator has them, as YSON text or JSON.
 *
 *   {research=<weight=2.; strong_guarantee_resources={cpu=100}>{physics=<mode=fifo>{}; biology={}};
 *    production=#}
 *
 * A pool is a member of its parent; what is said of it are its attributes, which JSON writes as
 * {"$attributes": {...}, "$value": {...}}. Resources are amounts, as in the cell; other attributes are passed
 * over. Integral guarantees are amounts there and shares here, so they are refused. See policy/share/yt.h. */
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "base/util.h"
#include "policy/share/yt.h"

#define MOST_POOLS 65536

typedef struct reading {
  hc_yt *y;
  hc_json *in;
  hc_user_pool_options **pools; /* [count], in the arena */
  size_t count, cap;
  hc_error *error;
} reading;

static hc_rc wrong(const reading *r, const hc_json_token *t, const char *what)
{
  return hc_fail(r->error, HC_EINPUT, hc_json_name(r->in), t->line, t->column, "%s", what);
}

/* The next token must be a value. @return 0 or an error */
static hc_rc value_of(reading *r, hc_json_token *t)
{
  const hc_rc rc = hc_json_next(r->in, t, r->error);
  return rc < 0 ? rc : 0;
}

/* ---- what is said of a pool ---- */

/* {cpu=100; memory=1e12}, as the texts that an option would have. */
static hc_rc read_amounts(reading *r, const hc_json_token *begin, hc_list *out)
{
  const char *texts[HC_DIMENSIONS];
  size_t count = 0;
  hc_json_token t;
  hc_rc rc;
  if (begin->kind != HC_JSON_OBJECT)
    return wrong(r, begin, "resources must be a map: {cpu=100; memory=1099511627776}");
  while ((rc = hc_json_next(r->in, &t, r->error)) == 1) {
    char name[64] = {0};
    if (count == HC_DIMENSIONS) return wrong(r, &t, "more than 64 resources");
    memcpy(name, t.text, HC_MIN(t.size, sizeof name - 1));
    TRY(value_of(r, &t));
    if (t.kind != HC_JSON_NUMBER) return wrong(r, &t, "expected an amount, a number from 0 on");
    texts[count] = hc_arena_printf(&r->y->arena, "%s=%s", name, t.text);
    if (!texts[count++]) return HC_ENOMEM;
  }
  if (rc < 0) return rc;
  out->items = hc_arena_alloc(&r->y->arena, sizeof texts);
  if (!out->items) return HC_ENOMEM;
  memcpy(out->items, texts, count * sizeof *texts);
  out->count = count;
  return 0;
}

static hc_rc read_integral(reading *r, const hc_json_token *begin)
{
  hc_json_token t;
  hc_rc rc;
  if (begin->kind != HC_JSON_OBJECT) return hc_json_skip(r->in, begin, r->error);
  while ((rc = hc_json_next(r->in, &t, r->error)) == 1) {
    const bool is_type = strcmp(t.text, "guarantee_type") == 0;
    TRY(value_of(r, &t));
    if (is_type && strcmp(t.text, "none") != 0)
      return wrong(
          r, &t,
          "an integral guarantee is a share of the cell here: take it out, and give this pool by `pools` "
          "with integral, flow and burst");
    TRY(hc_json_skip(r->in, &t, r->error));
  }
  return rc;
}

static hc_rc read_attribute(reading *r, hc_user_pool_options *o, int which, const hc_json_token *t)
{
  enum { WEIGHT, MODE, STRONG, MIN_SHARE, LIMITS, MAX_RUNNING, INTEGRAL, HISTORY, TAGS };
  int64_t ms;
  switch (which) {
    case WEIGHT:
      if (t->kind == HC_JSON_NUMBER && hc_parse_real(t->text, t->size, &o->weight) == 0 &&
          o->weight >= 1e-9 && o->weight <= 1e9)
        return 0;
      return wrong(r, t, "weight must be a number from 1e-9 to 1e9");
    case MODE:
      o->mode = strcmp(t->text, "fifo") == 0 ? HC_POOL_MODE_FIFO : HC_POOL_MODE_FAIR;
      return o->mode == HC_POOL_MODE_FIFO || strcmp(t->text, "fair_share") == 0
                 ? 0
                 : wrong(r, t, "mode must be fair_share or fifo");
    case STRONG:
    case MIN_SHARE: return read_amounts(r, t, &o->strong);
    case LIMITS: return read_amounts(r, t, &o->limit);
    case MAX_RUNNING:
      if (t->kind == HC_JSON_NUMBER && hc_parse_int(t->text, t->size, &o->max_running) == 0 &&
          o->max_running >= 1)
        return 0;
      return wrong(r, t, "max_running_operation_count must be a whole number from 1 on");
    case INTEGRAL: return read_integral(r, t);
    case TAGS:
      if (t->kind != HC_JSON_STRING) return wrong(r, t, "scheduling_tag_filter must be a formula");
      if (t->size == 0) return 0;
      o->tags = hc_arena_text(&r->y->arena, t->text, t->size);
      return o->tags ? 0 : HC_ENOMEM;
    case HISTORY:
      if (t->kind == HC_JSON_NUMBER && hc_parse_int(t->text, t->size, &ms) == 0 && ms >= 0 &&
          ms <= (int64_t)1e13) {
        o->history = ms * HC_MS;
        return 0;
      }
      return wrong(r, t, "historic_usage_aggregation_period must be a whole number of milliseconds");
    default: return hc_json_skip(r->in, t, r->error);
  }
}

/* @param o  NULL: of the root, of which nothing is taken */
static hc_rc read_attributes(reading *r, hc_user_pool_options *o)
{
  static const char *const known[] = {"weight",
                                      "mode",
                                      "strong_guarantee_resources",
                                      "min_share_resources",
                                      "resource_limits",
                                      "max_running_operation_count",
                                      "integral_guarantees",
                                      "historic_usage_aggregation_period",
                                      "scheduling_tag_filter"};
  hc_json_token t;
  hc_rc rc;
  while ((rc = hc_json_next(r->in, &t, r->error)) == 1) {
    size_t which = 0;
    while (which < HC_ARRAY_LEN(known) && strcmp(t.text, known[which]) != 0) which++;
    TRY(value_of(r, &t));
    if (!o || t.kind == HC_JSON_NULL) TRY(hc_json_skip(r->in, &t, r->error));
    else TRY(read_attribute(r, o, (int)which, &t));
  }
  return rc;
}

/* ---- the tree ---- */

static hc_rc add_pool(reading *r, const hc_json_token *t, const hc_user_pool_options *parent,
                      hc_user_pool_options **out)
{
  hc_user_pool_options *o = hc_arena_alloc(&r->y->arena, sizeof *o);
  if (r->count == MOST_POOLS) return wrong(r, t, "more than 65,536 pools");
  if (!o) return HC_ENOMEM;
  o->name = hc_arena_text(&r->y->arena, t->text, t->size);
  if (!o->name) return HC_ENOMEM;
  o->parent = parent ? parent->name : NULL;
  o->weight = 1;
  TRY(hc_reserve(r->y->allocator, (void **)&r->pools, &r->cap, r->count + 1, sizeof(hc_user_pool_options *)));
  r->pools[r->count++] = o;
  *out = o;
  return 0;
}

/* A pool's attributes and members, or a tree's: `only` the member of that name, NULL: all. */
static hc_rc read_node(reading *r, hc_user_pool_options *o, const char *only)
{
  hc_json_token t;
  hc_rc rc;
  TRY(value_of(r, &t));
  if (t.kind == HC_JSON_ATTRIBUTES) {
    TRY(read_attributes(r, o));
    TRY(value_of(r, &t));
  }
  if (t.kind == HC_JSON_NULL) return 0;
  if (t.kind != HC_JSON_OBJECT) return wrong(r, &t, "a pool is <its attributes>{the pools in it}");
  while ((rc = hc_json_next(r->in, &t, r->error)) == 1) {
    hc_user_pool_options *child = NULL;
    if (strcmp(t.text, "$value") == 0) {
      TRY(read_node(r, o, only));
    } else if (strcmp(t.text, "$attributes") == 0) {
      TRY(value_of(r, &t));
      if (t.kind != HC_JSON_OBJECT) return wrong(r, &t, "$attributes must be a map");
      TRY(read_attributes(r, o));
    } else if (!only) {
      TRY(add_pool(r, &t, o, &child));
      TRY(read_node(r, child, NULL));
    } else if (strcmp(t.text, only) == 0) {
      TRY(read_node(r, NULL, NULL));
    } else {
      TRY(hc_json_skip(r->in, &t, r->error));
    }
  }
  return rc;
}

static hc_rc read_file(reading *r)
{
  const hc_yt_options *o = &r->y->o;
  TRY(hc_json_open_yson(r->y->allocator, o->pools_file, &r->in, r->error));
  hc_json_heed_attributes(r->in);
  TRY(read_node(r, NULL, o->pool_tree && o->pool_tree[0] ? o->pool_tree : NULL));
  if (r->count > 0) return 0;
  return hc_fail(r->error, HC_EINPUT, o->pools_file, 0, 0,
                 "there is no pool in it; with several trees, say which one with pool_tree");
}

hc_rc hc_yt_read_pools(hc_yt *y, hc_error *e)
{
  reading r = {.y = y, .error = e};
  const hc_list *more = y->turns->o.pools;
  hc_chosen *all;
  hc_rc rc = y->o.pools_file && y->o.pools_file[0] ? read_file(&r) : 0;
  if (rc >= 0) {
    all = hc_arena_alloc(&y->arena, (r.count + more->count + 1) * sizeof *all);
    if (!all) rc = HC_ENOMEM;
    for (size_t i = 0; all && i < r.count; i++) all[i].options = r.pools[i];
    if (all && more->count > 0) memcpy(all + r.count, more->items, more->count * sizeof *all);
    y->all_pools = (hc_list){.items = all, .count = r.count + more->count};
  }
  hc_json_free(r.in);
  hc_free(y->allocator, r.pools, r.cap * sizeof *r.pools);
  return rc < 0 ? rc : 0;
}
