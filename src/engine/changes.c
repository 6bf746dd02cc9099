/* changes.c -- keys of the policy that have other values from given times of a run on.
 *
 * A change is another policy of the same type: an order by which the queue is sorted anew, a selector that is
 * born anew and has promised nothing, another placement. What has not changed stays as it is, with its state;
 * what runs goes on; the cell, the source, the metrics hear nothing of it. What is due at a time is done
 * before anything else of that time, and the policy is asked at once, so that a run whose policy changes at
 * its beginning is the run under the other policy.
 *
 * What policies want to be kept for them differs (estimates, expected ends): a run with changes keeps all of
 * it from the beginning on, and so does one that is saved (hc_engine.keeps_all), which may be carried on with
 * changes that it did not have (`branch`). What is of one policy's kind alone cannot come or go: rates, hosts
 * that are held by promises, an order's or a placement's memory of what has been. Tasks are planned before
 * they may start (schedule_after) only if all of the run's policies do so. All changes are tried out
 * in turn at birth, while there are no tasks, so that what is refused is refused then.
 *
 * Cost: a sort of the queue for a change; a comparison an instant for a run. */
#include "engine/changes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "engine/choose.h"
#include "engine/combine.h"
#include "engine/part.h"
#include "engine/queues.h"
#include "engine/reservations.h"

/* What a policy may want more or less of than the one before it. */
#define MAY_DIFFER \
  ((uint32_t)(HC_NEEDS_ESTIMATE | HC_NEEDS_TIMELINE | HC_MAKES_RESERVATIONS | HC_VARIES | HC_ASKS_HARMLESS | \
              HC_IGNORES_TIME | HC_HEAD_ONLY | HC_TIME_DEPENDENT | HC_BY_SUBMISSION | HC_ASKS_FITS | \
              HC_PLANS_AHEAD))

struct hc_changes {
  size_t count, done;
  const hc_chosen *items;  /* [count] hc_setting_options */
  hc_config **configs;     /* [count + 1] the run's, and what each change makes of it */
  size_t made;             /* of them */
  hc_run_options options;  /* the run's, with the policy of now */
  const hc_config *config; /* by which it is */
  bool is_new;             /* the policy has changed at this instant and was not asked yet */
};

static const hc_setting_options *setting_of(const hc_changes *x, size_t i)
{
  return x->items[i].options;
}

static void set_time(hc_engine *e)
{
  const hc_changes *x = e->changes;
  e->change_at = x->done < x->count ? setting_of(x, x->done)->at : HC_NEVER;
}

/* ---- what cannot change ---- */

static hc_rc refuse(hc_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
static hc_rc refuse(hc_error *error, const char *format, ...)
{
  char text[400];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return hc_fail(
      error, HC_EUNSUPPORTED, "changes", 0, 0,
      "%s cannot change while a run goes on: leave it out of `changes`, or run it from the beginning", text);
}

/* Does it keep books of what its tasks do? */
static bool remembers(const hc_policy_type *type, const void *options)
{
  return type->outcome || hc_policy_follows(type, options);
}

static hc_rc check_policy(const hc_engine *e, const hc_chosen *to, hc_error *error)
{
  const hc_policy_type *was = (const hc_policy_type *)e->options->policy.type;
  const hc_policy_type *type = (const hc_policy_type *)to->type;
  if (!e->architecture_type->repolicy)
    return refuse(error, "the policy of the architecture %s, whose schedulers keep plans of their own,",
                  e->architecture_type->component.name);
  if (was != type) return refuse(error, "the kind of policy, here to %s,", type->component.name);
  if (!type->parts || remembers(type, e->options->policy.options) || remembers(type, to->options))
    return refuse(error, "the policy %s, which keeps books of all that was,", type->component.name);
  return 0;
}

static hc_rc check_flags(const hc_engine *e, const hc_chosen *to, hc_error *error)
{
  const hc_policy_type *type = (const hc_policy_type *)to->type;
  const uint32_t flags = hc_policy_flags(type, to->options, e->allocator);
  const bool promises_all = (flags & HC_MAKES_RESERVATIONS) && !(flags & HC_ASKS_HARMLESS);
  if ((flags ^ e->policy_flags) & ~MAY_DIFFER)
    return refuse(error, "a policy into one that does other things than start tasks (%s)",
                  "preempt, pace, follow");
  if (e->cell.hosts && promises_all != e->reserve->promises_all)
    return refuse(error, "on a cell of hosts, a selector into one whose promises are of another kind");
  return 0;
}

static hc_rc check_order(const hc_chosen *a, const hc_chosen *b, hc_error *error)
{
  for (int i = 0; i < 2; i++) {
    const hc_chosen *c = i == 0 ? a : b;
    const hc_order_type *type = c ? (const hc_order_type *)c->type : NULL;
    if (type && (type->on_task_event || type->visit))
      return refuse(error, "the order %s, which remembers what has been,", type->component.name);
  }
  return 0;
}

static hc_rc check_place(const hc_engine *e, const hc_chosen *to, hc_error *error)
{
  const hc_place_type *was = e->place, *type = to ? (const hc_place_type *)to->type : NULL;
  hc_chooser chooser = {.how = HC_CHOOSE_FIRST};
  if (!was != !type) return refuse(error, "a placement into none");
  if (!type) return 0;
  if (was->visit || type->visit || was->arrived || type->arrived)
    return refuse(error, "the placement %s, which remembers what has been,",
                  was->visit || was->arrived ? was->component.name : type->component.name);
  if (was->contiguous != type->contiguous) return refuse(error, "the placement contiguous");
  if (e->cell.hosts && type->chooser && !type->init) type->chooser(to->options, NULL, &chooser);
  if (chooser.reads_past || e->own_chooser.reads_past)
    return refuse(error, "a placement that looks at how much hosts were used (%s)", type->component.name);
  return 0;
}

/* ---- a change ---- */

typedef struct two {
  hc_policy_parts was, is;
} two;

static two parts_of(const hc_chosen *was, const hc_chosen *is)
{
  two t = {0};
  ((const hc_policy_type *)was->type)->parts(was->options, &t.was);
  ((const hc_policy_type *)is->type)->parts(is->options, &t.is);
  return t;
}

static hc_rc forget_promises(hc_engine *e)
{
  while (e->tasks.reserved_count > 0)
    TRY(hc_restore_reservation(e, e->tasks.reserved[e->tasks.reserved_count - 1], HC_NEVER, NULL, 0));
  return 0;
}

static hc_rc replace_place(hc_engine *e, const hc_chosen *place, hc_error *error)
{
  if (e->place_state && e->place->fini) e->place->fini(e->place_state);
  e->place_state = NULL;
  e->place = (const hc_place_type *)place->type;
  e->place_options = place->options;
  TRY(hc_choose_open(e, error));
  e->choice.count = 0;
  e->choice.serial = UINT64_MAX;
  return hc_combine_check_hosts(e, error);
}

static hc_rc replace_select(hc_engine *e, hc_error *error)
{
  hc_outside *o = &e->outside;
  TRY(forget_promises(e));
  TRY(e->architecture_type->repolicy(e->architecture, &e->options->policy, error));
  o->deciders[0] = o->deciders[--o->count]; /* it made itself known as one more */
  return 0;
}

/* From what is to what a configuration says. */
static hc_rc change_to(hc_engine *e, const hc_config *to, hc_error *error)
{
  hc_changes *x = e->changes;
  const hc_config *was = x->config;
  const hc_chosen old = e->options->policy, now = hc_config_options(to)->policy;
  const char *other = hc_config_differs(was, to, "policy");
  const bool place_stays = hc_config_agree(was, to, "policy.place");
  two parts;
  if (other) return refuse(error, "the key %s", other);
  if (hc_config_agree(was, to, "policy")) return 0;
  TRY(check_policy(e, &now, error));
  parts = parts_of(&old, &now);
  if (!hc_config_agree(was, to, "policy.eligibility")) return refuse(error, "the criterion of hosts");
  if (!hc_config_agree(was, to, "policy.order")) TRY(check_order(parts.was.order, parts.is.order, error));
  if (!hc_config_agree(was, to, "policy.select"))
    TRY(check_order(parts.was.candidates, parts.is.candidates, error));
  if (!place_stays) TRY(check_place(e, parts.is.place, error));
  TRY(check_flags(e, &now, error));
  x->options.policy = now;
  x->config = to;
  e->policy_flags = hc_policy_flags((const hc_policy_type *)now.type, now.options, e->allocator);
  e->reserve->promises_all =
      (e->policy_flags & HC_MAKES_RESERVATIONS) && !(e->policy_flags & HC_ASKS_HARMLESS);
  if (!hc_config_agree(was, to, "policy.order")) TRY(hc_queues_resort(e, 0, HC_LIST_QUEUE, parts.is.order));
  if (!hc_config_agree(was, to, "policy.select")) {
    TRY(hc_queues_resort(e, 0, HC_LIST_CANDIDATES, parts.is.candidates));
    TRY(replace_select(e, error));
  }
  return place_stays ? 0 : replace_place(e, parts.is.place, error);
}

/* ---- at birth ---- */

static hc_rc check_times(const hc_changes *x, hc_error *error)
{
  hc_time last = 0;
  for (size_t i = 0; i < x->count; i++) {
    const hc_setting_options *s = setting_of(x, i);
    if (s->at == HC_UNKNOWN)
      return hc_fail(error, HC_EUSAGE, "changes", 0, 0, "change %zu has no time: add `at: 9h`, or another",
                     i + 1);
    if (s->set.count == 0)
      return hc_fail(error, HC_EUSAGE, "changes", 0, 0,
                     "change %zu sets nothing: add `set: policy.select.depth=5`, or another key", i + 1);
    if (s->at < last)
      return hc_fail(error, HC_EUSAGE, "changes", 0, 0,
                     "change %zu is of an earlier time than the one before it: list them in order of time",
                     i + 1);
    last = s->at;
  }
  return 0;
}

/* One after the other, with nothing there; and then as it was. */
static hc_rc try_out(hc_engine *e, hc_error *error)
{
  hc_changes *x = e->changes;
  for (size_t i = 0; i < x->count; i++) {
    const hc_setting_options *s = setting_of(x, i);
    TRY(hc_config_derive(x->configs[i], s->set.items, s->set.count, &x->configs[i + 1], error));
    x->made++;
    TRY(change_to(e, x->configs[i + 1], error));
    if (!(e->policy_flags & HC_PLANS_AHEAD)) e->plans_ahead = false; /* none does if one does not */
  }
  return change_to(e, x->configs[0], error);
}

static hc_rc check_run(const hc_engine *e, hc_error *error)
{
  if (e->loads)
    return hc_combine_refuse(error,
                             "`changes` of a policy cannot be combined with `local_load`, which calls for "
                             "the decisions that one policy needs: leave out one of them");
  if (e->queue_count != 1)
    return refuse(error, "the policy of the architecture %s, which has several queues,",
                  e->architecture_type->component.name);
  return 0;
}

hc_rc hc_changes_open(hc_engine *e, hc_error *error)
{
  const hc_list *list = &e->options->changes;
  hc_changes *x;
  e->change_at = HC_NEVER;
  if (list->count == 0) return 0;
  x = e->changes = hc_arena_alloc(&e->build, sizeof *x);
  if (!x) return HC_ENOMEM;
  *x = (hc_changes){.count = list->count, .items = list->items, .options = *e->options};
  x->configs = hc_arena_alloc(&e->build, (x->count + 1) * sizeof *x->configs);
  if (!x->configs) return HC_ENOMEM;
  TRY(check_times(x, error));
  TRY(check_run(e, error));
  TRY(hc_config_derive(e->config, NULL, 0, &x->configs[0], error));
  x->made = 1;
  x->config = x->configs[0];
  e->options = &x->options;
  TRY(try_out(e, error));
  set_time(e);
  return 0;
}

/* ---- while it runs ---- */

hc_rc hc_changes_due(hc_engine *e, hc_error *error)
{
  hc_changes *x = e->changes;
  while (x->done < x->count && setting_of(x, x->done)->at <= e->now) {
    TRY(change_to(e, x->configs[x->done + 1], error));
    x->done++;
  }
  x->is_new = true;
  set_time(e);
  return 0;
}

void hc_changes_done(const hc_engine *e, uint64_t out[3])
{
  const hc_changes *x = e->changes;
  hc_hash h;
  hc_hash_init(&h);
  for (size_t i = 0; x && i < x->done; i++) {
    const hc_setting_options *s = setting_of(x, i);
    hc_hash_add(&h, &s->at, sizeof s->at);
    for (size_t k = 0; k < s->set.count; k++) {
      const char *set = ((const char *const *)s->set.items)[k];
      hc_hash_add(&h, set, strlen(set) + 1);
    }
  }
  out[0] = x ? x->done : 0;
  hc_hash_end(&h, out + 1);
}

hc_rc hc_changes_resume(hc_engine *e, const uint64_t done[3], hc_error *error)
{
  hc_changes *x = e->changes;
  uint64_t now[3];
  for (; x && x->done < done[0] && x->done < x->count; x->done++)
    TRY(change_to(e, x->configs[x->done + 1], error));
  hc_changes_done(e, now);
  if (memcmp(now, done, sizeof now) != 0)
    return hc_fail(
        error, HC_EVERSION, "snapshot", 0, 0,
        "the snapshot belongs to a run with other `changes` up to its time; restore it with those, and "
        "with what you like after them");
  if (x) set_time(e);
  return 0;
}

/* ---- as a part ---- */

static bool wanted(const hc_engine *e)
{
  return e->changes != NULL;
}

/* 1: a decision is called for. */
static hc_rc on(hc_engine *e, const hc_notice *n)
{
  const bool is_new = e->changes->is_new;
  HC_UNUSED(n);
  e->changes->is_new = false;
  return is_new;
}

static void fini(hc_engine *e)
{
  for (size_t i = 0; e->changes && i < e->changes->made; i++) hc_config_free(e->changes->configs[i]);
}

const hc_part hc_part_changes = {
    .name = "changes", .wanted = wanted, .hears = HC_HEARS(FREED), .on = on, .fini = fini};
