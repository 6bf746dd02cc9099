/* claims.c -- users as the members that share: what they may claim, and keys that change with time. See
 * turns.h.
 *
 * Users are numbered as they come and stay for ever. Ties go to the lower user id. */
#include <string.h>

#include "base/state.h"
#include "base/text.h"
#include "policy/share/rule.h"

/* ---- birth and death ---- */

static hc_rc wrong(hc_error *e, const char *text, const char *name)
{
  return hc_fail(e, HC_EUSAGE, "policy fair", 0, 0, text, name);
}

/* Which options the rule can do nothing with. */
static hc_rc check(const hc_turns_options *o, hc_error *e)
{
  if (o->pools->count > 0 && !hc_share_does(o->rule, HC_SHARE_TREE))
    return wrong(e, "pools are shared among by %s only; set `share` to it, or leave the pools out", "hdrf");
  if (o->lists[HC_DUE_GUARANTEE]->count > 0 &&
      (hc_share_does(o->rule, HC_SHARE_TREE) || hc_share_does(o->rule, HC_SHARE_BY_TASK)))
    return wrong(e, "%s are for rules without a tree and an order: set `share: drf`, or leave them out",
                 "guarantees");
  if (o->lists[HC_DUE_QUOTA]->count > 0 && !hc_share_does(o->rule, HC_SHARE_QUOTAS))
    return wrong(e, "quotas are measured by `share: %s` only; set it, or leave them out", "quota");
  if (o->half_life > 0 && !hc_share_does(o->rule, HC_SHARE_FORGETS))
    return wrong(e,
                 "half_life: usage that decays is known to the rules %s; choose one of them, or leave it out",
                 "drf, drfh, max_min and asset");
  if (hc_share_does(o->rule, HC_SHARE_ARRIVALS) && o->expected < 1)
    return wrong(e, "share: dynamic has to know how many users will come; set `expected: %s`, say", "3");
  if (hc_share_does(o->rule, HC_SHARE_ARRIVALS) && o->lists[HC_DUE_WEIGHT]->count > 0)
    return wrong(e, "%s: dynamic DRF knows none; leave them out, or set `share: drf`", "weights");
  if (hc_share_does(o->rule, HC_SHARE_CUT) && o->slot->count == 0)
    return wrong(e, "share: slots has to know the size of one; set `slot: [%s]`, say", "cpu:1, memory:4GB");
  return 0;
}

/* Slots, by the lexicon's number until the cell's dimensions are known. */
static hc_rc read_slot(hc_turns *t, hc_error *e)
{
  for (size_t i = 0; i < t->o.slot->count; i++) {
    const char *text = ((const char *const *)t->o.slot->items)[i], *colon = strchr(text, ':');
    const int d = colon ? hc_dues_dimension(t->o.lexicon, text, (size_t)(colon - text)) : -1;
    double x;
    hc_rc rc;
    if (d < 0)
      return wrong(
          e, "slot: \"%s\" is no amount of a dimension of this run; write cpu:1, memory:4GB and the like",
          text);
    if (d == HC_DIM_MEMORY || d == HC_DIM_DISK) {
      rc = hc_parse_size(colon + 1, strlen(colon + 1), &t->sites.slot[d]);
    } else {
      rc = hc_parse_real(colon + 1, strlen(colon + 1), &x);
      if (rc == 0 && !(x > 0 && x <= 1e12)) rc = HC_EINPUT;
      if (rc == 0) t->sites.slot[d] = (int64_t)(x * (d == HC_DIM_CPU || d == HC_DIM_GPU ? 1000 : 1) + 0.5);
    }
    if (rc < 0 || t->sites.slot[d] <= 0)
      return wrong(e, "slot: \"%s\" is no amount above 0; write cpu:1, memory:4GB and the like", text);
  }
  t->sites.is_cut = hc_share_does(t->o.rule, HC_SHARE_CUT);
  t->sites.takes_more = t->o.takes_more;
  return 0;
}

static hc_rc init(hc_turns *t, hc_error *e)
{
  const hc_turns_options *o = &t->o;
  int dimension;
  t->refreshed = -1;
  t->is_by_host = hc_share_does(o->rule, HC_SHARE_BY_HOST);
  hc_sites_init(&t->sites, t->allocator);
  dimension = o->lexicon ? hc_lexicon_dimension(o->lexicon, o->dimension, strlen(o->dimension)) : HC_DIM_CPU;
  if (dimension < 0) return wrong(e, "dimension: there is no room for the dimension %s", o->dimension);
  t->dimension = (uint32_t)dimension;
  for (int k = 0; k < HC_DUE_LISTS; k++) TRY(hc_dues_read(&t->dues, (hc_due_list)k, o->lists[k], e));
  TRY(check(o, e));
  if (hc_share_does(o->rule, HC_SHARE_ONE_WEIGHT)) TRY(hc_dues_one_weight(&t->dues, e));
  TRY(hc_dues_guarantees(&t->dues, o->scales, e));
  TRY(read_slot(t, e));
  return hc_forest_read(t, e);
}

static void fini(hc_turns *t)
{
  const hc_allocator *a = t->allocator;
  hc_sites_fini(&t->sites);
  hc_forest_fini(t);
  if (t->arrivals.allocator) hc_arrivals_fini(&t->arrivals);
  hc_free(a, t->claims, t->claim_cap * sizeof *t->claims);
  hc_free(a, t->usage, t->usage_cap * sizeof *t->usage);
  hc_free(a, t->oversized, t->oversized_cap * sizeof *t->oversized);
  hc_free(a, t->by_leaf, t->leaf_cap * sizeof *t->by_leaf);
}

/* ---- the line ---- */

static bool stands(const hc_turns *t, uint32_t user, bool may, double *key, uint64_t *tie)
{
  const bool is_in = may && hc_keys_may(t, user);
  *tie = (uint64_t)t->books.members[user].id ^ UINT64_C(1) << 63;
  if (is_in && hc_share_does(t->o.rule, HC_SHARE_BY_TASK)) {
    const hc_waiter *head = t->books.shapes[hc_books_first(&t->books, user, NULL, UINT64_MAX, NULL)].heap;
    *key = (double)head->key;
    *tie = head->serial;
  } else {
    *key = hc_keys_of(t, user);
  }
  return is_in;
}

/* ---- one host at a time ---- */

static void stand_there(hc_turns *t, uint32_t host)
{
  uint32_t cursor = HC_NO_SITE, user;
  while ((user = hc_sites_next(&t->sites, host, &cursor)) != HC_NO_SITE) hc_turns_stand(t, user);
}

void hc_turns_enter(hc_turns *t, uint32_t host, const int64_t *capacity)
{
  const uint32_t before = t->sites.here;
  const bool by_server = !t->sites.is_cut;
  t->sites.here = host;
  for (uint32_t d = 0; capacity && d < t->books.dims; d++) t->here[d] = capacity[d];
  t->free_slots =
      capacity && !by_server ? hc_sites_cut(&t->sites, capacity) - hc_sites_taken(&t->sites, host) : 0;
  if (by_server && before != HC_NO_SITE) stand_there(t, before);
  if (by_server && host != HC_NO_SITE) stand_there(t, host);
}

/* All slots, now that the cell has changed. */
static void count_slots(hc_turns *t, const hc_view *v)
{
  const int64_t *capacity;
  t->all_slots = 0;
  for (uint32_t h = 0; t->services->host_free(v, h, &capacity); h++)
    t->all_slots += hc_sites_cut(&t->sites, capacity);
}

/* ---- what changes with time ---- */

/* Average shares over the past, as of `at`: the decayed integral over that of 1. */
static void decay(hc_turns *t, hc_time at)
{
  const double life = (double)t->o.half_life / 1e9 / 0.69314718055994530942;
  for (size_t i = 0; i < t->books.member_count; i++)
    for (uint32_t d = 0; d < t->books.dims; d++) {
      const double used = hc_usage_decayed(&t->usage[i * HC_DIMENSIONS + d], at);
      t->claims[i].past[d] = t->capacity[d] > 0 ? used / life / (double)t->capacity[d] : 0;
    }
  t->is_stale = true;
}

/* What is due by now and has not been done, before anything else happens. @param opens a decision begins */
static hc_rc tick(hc_turns *t, const hc_view *v, bool opens)
{
  const hc_time now = t->services->now(v);
  const hc_time grid = t->o.update > 0 ? now - now % t->o.update : now;
  const bool is_due = grid > t->refreshed;
  bool is_known = false;
  if (t->o.half_life <= 0 && !t->o.rule->solve) return 0;
  for (uint32_t d = 0; d < t->books.dims; d++) is_known |= t->capacity[d] > 0;
  if (!is_known) return 0; /* nothing has been decided yet */
  if (t->o.half_life > 0 && is_due) decay(t, grid);
  if (t->o.rule->solve && ((is_due && t->is_dirty) || (t->is_fresh && (opens || now > t->fresh_at))))
    TRY(hc_targets_compute(t));
  t->refreshed = grid;
  return 0;
}

static hc_rc advance(hc_turns *t, const hc_view *v)
{
  return tick(t, v, false);
}

/* ---- what happens ---- */

static hc_rc learn(hc_turns *t, const hc_view *v)
{
  int64_t slot[HC_DIMENSIONS];
  HC_UNUSED(v);
  memcpy(slot, t->sites.slot, sizeof slot);
  t->sites.dims = t->books.dims;
  for (uint32_t d = 0; d < t->books.dims; d++) t->sites.slot[d] = slot[t->which[d]];
  return 0;
}

static int64_t whose(const hc_turns *t, const hc_view *v, hc_task task)
{
  return t->services->user(v, task);
}

static hc_rc welcome(hc_turns *t, const hc_view *v, hc_task task, uint32_t user)
{
  const size_t n = t->books.member_count;
  HC_UNUSED(task);
  TRY(hc_reserve(t->allocator, (void **)&t->claims, &t->claim_cap, n, sizeof *t->claims));
  t->claims[user] = (hc_claimant){.target = -1};
  if (t->o.half_life > 0) {
    TRY(hc_reserve(t->allocator, (void **)&t->usage, &t->usage_cap, n * HC_DIMENSIONS, sizeof *t->usage));
    for (int d = 0; d < HC_DIMENSIONS; d++)
      t->usage[user * HC_DIMENSIONS + (uint32_t)d] = (hc_usage){.half_life = t->o.half_life};
  }
  hc_keys_settle(t, user);
  t->is_fresh = true;
  t->fresh_at = t->services->now(v);
  t->has_tree = false;
  return 0;
}

/* How many times its demand a task needs at once: units are counted in the first dimension, and of one that
 * asks for none of it (whole hosts, memory alone) its slots are known. */
static int64_t copies_of(const hc_turns *t, const hc_view *v, hc_task task, const int64_t *need)
{
  return HC_MAX(need[0] > 0 ? t->services->units(v, task) / need[0] : t->services->slots(v, task), 1);
}

static hc_rc set_aside(hc_turns *t, uint64_t serial)
{
  TRY(hc_reserve(t->allocator, (void **)&t->oversized, &t->oversized_cap, t->oversized_count + 1,
                 sizeof *t->oversized));
  t->oversized[t->oversized_count++] = serial;
  return 0;
}

static void tell_if_gone(const hc_turns *t, uint32_t user)
{
  const hc_member *m = &t->books.members[user];
  if (t->gone && m->waiting == 0 && m->holding == 0) t->gone(t->ctx, user);
}

static hc_rc move_task(hc_turns *t, const hc_view *v, hc_task task, uint32_t user, const int64_t *need,
                       bool joins)
{
  const int64_t copies = copies_of(t, v, task, need);
  hc_cursor at;
  hc_waiter w;
  t->services->behind(v, HC_LIST_QUEUE, task, &at);
  w = (hc_waiter){
      .key = at.key, .serial = at.serial, .task = task, .work = t->works ? hc_works_of(t->works, task) : 0};
  t->is_dirty = true;
  if (joins && hc_turns_by_host(t) &&
      (copies > 1 || (t->sites.is_cut && hc_sites_need(&t->sites, need) == 0)))
    TRY(set_aside(t, at.serial));
  if (joins) return hc_books_add(&t->books, user, &w, need, copies);
  hc_books_remove(&t->books, user, &w, need, copies);
  tell_if_gone(t, user);
  return 0;
}

static hc_rc move_site(hc_turns *t, const hc_view *v, hc_task task, uint32_t user, const int64_t *amounts,
                       bool takes)
{
  const uint64_t serial = t->services->serial(v, task);
  if (!hc_turns_by_host(t)) return 0;
  if (!takes) return hc_sites_give(&t->sites, serial);
  if (t->sites.is_cut) t->free_slots -= hc_sites_need(&t->sites, amounts);
  return hc_sites_take(&t->sites, serial, user, amounts, amounts);
}

static hc_rc move_claim(hc_turns *t, const hc_view *v, hc_task task, uint32_t user, const int64_t *amounts,
                        int64_t sign)
{
  const hc_member *m = &t->books.members[user];
  for (uint32_t d = 0; t->o.half_life > 0 && d < t->books.dims; d++)
    hc_usage_set(&t->usage[user * HC_DIMENSIONS + d], t->services->now(v), m->used[d]);
  t->is_dirty = true;
  if (t->has_tree && sign > 0) hc_hdrf_start(&t->tree, m->leaf, amounts);
  if (t->has_tree && sign < 0) hc_hdrf_end(&t->tree, m->leaf, amounts);
  tell_if_gone(t, user);
  return move_site(t, v, task, user, amounts, sign > 0);
}

static hc_rc open_turns(hc_turns *t, const hc_view *v)
{
  const hc_share_rule *rule = t->o.rule;
  const size_t users = t->books.member_count;
  bool is_other = false;
  for (uint32_t d = 0; d < t->books.dims; d++) {
    const int64_t capacity = t->services->capacity(v, d);
    is_other |= capacity != t->capacity[d];
    t->capacity[d] = capacity;
  }
  for (uint32_t i = 0; is_other && i < users; i++) hc_keys_settle(t, i);
  if (is_other && t->sites.is_cut) count_slots(t, v);
  if (hc_share_does(rule, HC_SHARE_ARRIVALS) && (t->is_fresh || is_other)) TRY(hc_targets_admit(t));
  TRY(tick(t, v, true));
  if (hc_share_does(rule, HC_SHARE_TREE) && (is_other || !t->has_tree)) return hc_forest_build(t, NULL);
  for (uint32_t i = 0; (is_other || t->is_stale) && i < users; i++) hc_turns_stand(t, i);
  t->is_stale = false;
  return 0;
}

/* ---- state ---- */

static hc_rc visit(hc_turns *t, hc_visitor *v)
{
  size_t claims = t->books.member_count, usage = t->o.half_life > 0 ? claims * HC_DIMENSIONS : 0;
  HC_VISIT(v, t->is_dirty);
  HC_VISIT(v, t->is_fresh);
  HC_VISIT(v, t->fresh_at);
  HC_VISIT(v, t->refreshed);
  HC_VISIT(v, t->all_slots);
  TRY(hc_visit_array(v, (void **)&t->claims, &claims, &t->claim_cap, sizeof *t->claims));
  if (t->o.half_life > 0) TRY(hc_visit_array(v, (void **)&t->usage, &usage, &t->usage_cap, sizeof *t->usage));
  TRY(hc_visit_array(v, (void **)&t->oversized, &t->oversized_count, &t->oversized_cap,
                     sizeof *t->oversized));
  TRY(hc_sites_visit(&t->sites, v));
  if (!hc_visit_loading(v)) return 0;
  if (claims != t->books.member_count) return HC_EINPUT;
  t->has_tree = false;
  if (t->arrivals.allocator) hc_arrivals_fini(&t->arrivals);
  if (hc_share_does(t->o.rule, HC_SHARE_ARRIVALS) && !t->is_fresh && claims > 0) TRY(hc_targets_admit(t));
  for (uint32_t i = 0; i < claims; i++) hc_keys_settle(t, i);
  return 0;
}

const hc_share_keeper hc_share_claims = {
    .init = init,
    .fini = fini,
    .learn = learn,
    .advance = advance,
    .open = open_turns,
    .whose = whose,
    .welcome = welcome,
    .move_task = move_task,
    .move_claim = move_claim,
    .stands = stands,
    .visit = visit,
};
