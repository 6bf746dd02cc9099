/* reasons.c -- why a task of a policy that shares waits, in words. See reasons.h.
 *
 * A key is what the rule makes of a member, and the lower is the earlier: a dominant share, a satisfaction,
 * a part of a guarantee less 1 (keys.c). In a tree of pools (H-DRF) members are compared level by level, and
 * no one number says who comes first: then keys are left out. */
#include "policy/share/reasons.h"

#include <stdio.h>

#include "base/text.h"
#include "base/util.h"
#include "policy/share/rule.h"
#include "policy/share/yt_modules.h"

static bool has_keys(const hc_turns *t)
{
  return t->yt || !hc_share_does(t->o.rule, HC_SHARE_TREE);
}

static double key_of(const hc_turns *t, uint32_t member)
{
  if (t->yt) return t->yt->ops[member].satisfaction;
  return has_keys(t) ? hc_keys_of(t, member) : 0;
}

static bool is_live(const hc_turns *t, uint32_t member)
{
  const hc_member *m = &t->books.members[member];
  return m->is_here && m->waiting + m->holding > 0;
}

/* A key as it is told: what nothing is due stands at the very end. */
static void key_text(double key, char out[40])
{
  if (key >= HC_POOL_SATED) (void)snprintf(out, 40, "the end");
  else (void)snprintf(out, 40, "%.4g", key);
}

static void name_of(const hc_reasons *r, const hc_turns *t, uint32_t member, char out[64])
{
  const int64_t id = t->books.members[member].id;
  const hc_yt_operation *o = t->yt ? &t->yt->ops[member] : NULL;
  const int64_t user = o ? o->user : id;
  const char *called = t->o.lexicon ? hc_lexicon_called(t->o.lexicon, HC_CALLED_USER, user) : NULL;
  char number[24];
  (void)snprintf(number, sizeof number, "%lld", (long long)user);
  if (!o) (void)snprintf(out, 64, "%s %.50s", r->what, called ? called : number);
  else if (o->job >= 0)
    (void)snprintf(out, 64, "%s %lld", r->what, (long long)(o->job & ((INT64_C(1) << 56) - 1)));
  else (void)snprintf(out, 64, "%s of user %.40s", r->what, called ? called : number);
}

static const char *measure(const hc_turns *t)
{
  return t->yt ? "satisfaction" : t->o.rule->name;
}

void hc_reasons_open(hc_reasons *r, const hc_turns *t, const hc_view *v, const char *what)
{
  *r = (hc_reasons){.view = v, .what = what, .asked = t->services->asked(v), .member = HC_NOBODY};
  if (r->asked == HC_NO_TASK) return;
  r->member = hc_map_get(&t->books.index, (uint64_t)t->keeper->whose(t, v, r->asked));
  if (r->member == HC_MAP_NONE) r->asked = HC_NO_TASK;
}

void hc_reasons_turn(hc_reasons *r, const hc_turns *t, uint32_t member)
{
  r->own = key_of(t, r->member);
  r->other = key_of(t, member);
}

void hc_reasons_started(const hc_reasons *r, const hc_turns *t, uint32_t member, hc_task task)
{
  const hc_services *s = t->services;
  const unsigned long long serial = s->serial(r->view, task);
  char name[64], own_name[64], own[40], other[40];
  if (task == r->asked) return;
  name_of(r, t, member, name);
  name_of(r, t, r->member, own_name);
  key_text(r->own, own);
  key_text(r->other, other);
  if (member == r->member)
    s->explain(r->view, r->asked, "task #%llu of the same %s starts before it", serial, r->what);
  else if (!has_keys(t))
    s->explain(r->view, r->asked,
               "task #%llu of %s starts before it: in the tree of pools that %s comes first", serial, name,
               r->what);
  else if (r->own < r->other) /* it had its turn and could not, or the one before it was made to start */
    s->explain(r->view, r->asked, "task #%llu of %s starts, though %s stands before it (%s %s, against %s)",
               serial, name, own_name, measure(t), own, other);
  else
    s->explain(r->view, r->asked, "task #%llu of %s starts before it: that %s stands at %s (%s), %s at %s%s",
               serial, name, r->what, other, measure(t), own_name, own,
               r->own > r->other ? "" : ", which is a tie");
}

void hc_reasons_passed(const hc_reasons *r, const hc_turns *t, uint32_t member, bool is_limited)
{
  char name[64], own[40];
  if (member != r->member || !t->services->waits(r->view, r->asked)) return;
  name_of(r, t, member, name);
  key_text(r->own, own);
  t->services->explain(r->view, r->asked, "%s has its turn at %s (%s): %s", name, own, measure(t),
                       is_limited ? "a limit lets it start nothing"
                                  : "none of its tasks fits what is offered");
}

/* The largest part of any dimension. */
static double dominant(const hc_turns *t, const double *share)
{
  double most = 0;
  for (uint32_t d = 0; d < t->books.dims; d++) most = HC_MAX(most, share[d]);
  return most;
}

static double due_of(const hc_turns *t, uint32_t member, const char **pool)
{
  double all = 0;
  *pool = NULL;
  if (t->yt) {
    const hc_yt_operation *o = &t->yt->ops[member];
    if (t->yt->pools[o->pool].o) *pool = t->yt->pools[o->pool].o->name;
    return o->node == HC_POOL_NONE ? 0 : dominant(t, hc_pools_at(&t->yt->tree, o->node)->fair);
  }
  for (uint32_t i = 0; i < t->books.member_count; i++)
    if (is_live(t, i)) all += t->claims[i].weight;
  return all > 0 ? t->claims[member].weight / all : 0;
}

static void tell_module(const hc_reasons *r, const hc_turns *t)
{
  char module[120];
  hc_yt_modules_say(t->yt, r->member, module, sizeof module);
  if (module[0] != '\0') t->services->explain(r->view, r->asked, "%s", module);
}

void hc_reasons_close(const hc_reasons *r, const hc_turns *t)
{
  const hc_services *s = t->services;
  uint32_t members = 0, before = 0;
  const char *pool;
  char name[64], has[40], due[40], key[40];
  double share[HC_DIMENSIONS];
  if (!s->waits(r->view, r->asked)) return;
  if (t->yt) tell_module(r, t);
  for (uint32_t i = 0; i < t->books.member_count; i++) {
    members += is_live(t, i);
    before += is_live(t, i) && key_of(t, i) < key_of(t, r->member);
  }
  for (uint32_t d = 0; d < t->books.dims; d++)
    share[d] = hc_share_over((double)t->books.members[r->member].used[d], (double)t->capacity[d]);
  name_of(r, t, r->member, name);
  key_text(dominant(t, share), has);
  key_text(due_of(t, r->member, &pool), due);
  key_text(key_of(t, r->member), key);
  if (has_keys(t))
    s->explain(
        r->view, r->asked,
        "%s%s%.60s holds %s of the cell and is due %s; it stands at %s (%s), and of %u %ss %u stand before "
        "it",
        name, pool ? " in pool " : "", pool ? pool : "", has, due, key, measure(t), members, r->what, before);
  else s->explain(r->view, r->asked, "%s holds %s of the cell and is due %s by its weight", name, has, due);
}
