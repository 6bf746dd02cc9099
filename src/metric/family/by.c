/* by.c -- figures of the tasks that have something in common: of a user, of a day, of a user on a day, of all
 * for which an expression comes to the same.
 *
 * Groups are numbered by hc_grouping, and their sums are those of the families by_* (groups.c), whose keys
 * here are these numbers: both meet groups in one order, so that the row of a group is its number. A table's
 * rows say in cells of their own what they are about; their keys only count them.
 *
 * Quantiles take 8 bytes a task, and 512 KiB a group at most, so they are kept only if they are asked for,
 * and all groups together have 128 MiB: a group that would need more when these are gone has none. Cost: two
 * look-ups per task, and what grouping.c says; 200 bytes a group. */
#include <stdio.h>
#include <string.h>

#include "base/quantile.h"
#include "base/state.h"
#include "base/survival.h"
#include "base/util.h"
#include "hindcast/grouping.h"
#include "metric/family.h"
#include "metric/groups.h"
#include "metric/measured.h"

#define QUANTILE_WORDS ((size_t)1 << 24) /* of 8 bytes, of all groups together */

/* Figures, in the order in which they are found. X(name, unit, direction, formula) */
#define FIGURES(X) \
  X(tasks, "tasks", "none", "tasks that started and ended") \
  X(wait_mean, "s", "lower", "mean of start - submit") \
  X(wait_p50, "s", "lower", "median of start - submit") \
  X(wait_p90, "s", "lower", "quantile 0.90 of start - submit") \
  X(wait_p95, "s", "lower", "quantile 0.95 of start - submit") \
  X(wait_p99, "s", "lower", "quantile 0.99 of start - submit") \
  X(wait_max, "s", "lower", "greatest start - submit") \
  X(run_mean, "s", "none", "mean of end - start") \
  X(response_mean, "s", "lower", "mean of end - submit") \
  X(response_p50, "s", "lower", "median of end - submit") \
  X(response_p90, "s", "lower", "quantile 0.90 of end - submit") \
  X(response_p95, "s", "lower", "quantile 0.95 of end - submit") \
  X(response_p99, "s", "lower", "quantile 0.99 of end - submit") \
  X(slowdown_mean, "1", "lower", "mean of (end - submit) / (end - start), tasks of zero length left out") \
  X(bounded_slowdown_mean, "1", "lower", "mean of max(1, (end - submit) / max(end - start, tau))") \
  X(bounded_slowdown_p50, "1", "lower", "median of max(1, (end - submit) / max(end - start, tau))") \
  X(bounded_slowdown_p90, "1", "lower", "quantile 0.90 of the same") \
  X(bounded_slowdown_p95, "1", "lower", "quantile 0.95 of the same") \
  X(bounded_slowdown_p99, "1", "lower", "quantile 0.99 of the same") \
  X(area, "units*s", "none", "sum of units x (end - start)") \
  X(core_hours, "core*h", "none", \
    "area in cores (processors) x hours; none where units are not cores") \
  X(share, "1", "none", "area over that of all groups") \
  X(task_share, "1", "none", "tasks over those of all groups")

/* Those of waits from when a task might be planned, where its log says when that was. */
#define ELIGIBLE_FIGURES(X) \
  X(held_mean, "s", "none", "mean of eligible - submit: dependencies, begin times, holds") \
  X(eligible_wait_mean, "s", "lower", "mean of start - eligible") \
  X(eligible_wait_p50, "s", "lower", "median of start - eligible") \
  X(eligible_wait_p90, "s", "lower", "quantile 0.90 of start - eligible") \
  X(eligible_wait_p95, "s", "lower", "quantile 0.95 of start - eligible") \
  X(eligible_wait_p99, "s", "lower", "quantile 0.99 of start - eligible") \
  X(eligible_wait_max, "s", "lower", "greatest start - eligible")

/* Limits that would have covered past runs; see base/survival.h. */
#define LIMIT_FIGURES(X) \
  X(asked_p50, "s", "none", "median of the limit, of tasks that have one") \
  X(cut, "tasks", "none", \
    "tasks that were cut short: ended at their limit, cancelled, preempted, or lost with a host") \
  X(covers_50, "s", "none", \
    "the least limit within which 50 % of the tasks would have ended; of tasks that were cut short it is " \
    "known only that they are longer; none where these are too many") \
  X(covers_90, "s", "none", "the same of 90 %") \
  X(covers_99, "s", "none", "the same of 99 %")

#define ALL_FIGURES(X) \
  FIGURES(X) ELIGIBLE_FIGURES(X) LIMIT_FIGURES(X) HC_EFFICIENCY_FIGURES(X) HC_PSEUDO_CLUSTER_FIGURES(X)

typedef enum figure {
#define X(name, unit, direction, formula) FIGURE_##name,
  ALL_FIGURES(X)
#undef X
      FIGURE_COUNT
} figure;

/* The first of measured.h, and of pseudo-cluster's among these. */
enum { MEASURED = FIGURE_asked_core_hours, PSEUDO_CLUSTER = FIGURE_average_queue_time };
_Static_assert(FIGURE_COUNT - MEASURED == HC_MEASURED_FIGURES, "the figures of measured.h come last");

enum { WAIT, RESPONSE, BOUNDED, ELIGIBLE, ASKED, QUANTILES }; /* what there are quantiles of */

typedef struct options {
  hc_list by, figures, sizes, estimates;
  hc_time tau;
  int64_t most;
  int as;
} options;

enum { AS_PAPER, AS_PROGRAM };

/* What groups.h does not add up. No padding. */
typedef struct extra {
  hc_real_sum slowdown;
  uint64_t ran;       /* tasks that have a slowdown */
  uint64_t lost;      /* 1: no room for its quantiles */
  uint64_t eligibles; /* tasks that say when they were eligible */
  hc_wide held, eligible;
  hc_time eligible_max;
  uint64_t cut;
} extra;

/* How long the tasks of a group ran. */
typedef struct lives {
  hc_life *items;
  size_t count, cap;
} lives;

struct hc_metric {
  hc_family family;
  char table[HC_GROUPING_TABLE];
  hc_time tau;
  int64_t core_units;
  bool wants[FIGURE_COUNT], keeps[QUANTILES];
  bool keeps_lives;
  bool measures; /* a figure of measured.h is wanted */
  hc_measured_how how;
  hc_grouping *grouping;
  hc_groups groups; /* by number */
  extra *extras;    /* of each row of groups */
  size_t extra_count, extra_cap;
  hc_measured_sums *sums; /* of each row, if it `measures` */
  size_t sum_count, sum_cap;
  lives *lives; /* of each row, if it `keeps_lives` */
  size_t life_count, life_cap;
  hc_quantile *quantiles; /* [QUANTILES] of each, where any are kept */
  size_t quantile_count, quantile_cap;
  size_t words; /* that they have */
};

static void drop_lives(hc_metric *self)
{
  for (size_t i = 0; i < self->life_count; i++)
    hc_free(self->family.context.allocator, self->lives[i].items, self->lives[i].cap * sizeof(hc_life));
  self->life_count = 0;
}

static void fini(hc_metric *self)
{
  if (!self) return;
  const hc_allocator *a = self->family.context.allocator;
  for (size_t i = 0; i < self->quantile_count; i++) hc_quantile_fini(&self->quantiles[i]);
  hc_free(a, self->quantiles, self->quantile_cap * sizeof *self->quantiles);
  hc_free(a, self->extras, self->extra_cap * sizeof *self->extras);
  hc_free(a, self->sums, self->sum_cap * sizeof *self->sums);
  drop_lives(self);
  hc_free(a, self->lives, self->life_cap * sizeof *self->lives);
  if (self->groups.allocator) hc_groups_fini(&self->groups);
  hc_grouping_free(self->grouping);
  hc_family_free(self);
}

/* All are those that any schedule has, and what a log measured where one is counted. */
static void choose_figures(hc_metric *self, const hc_list *chosen)
{
  const int *which = chosen->items;
  const int all = self->family.context.measured ? PSEUDO_CLUSTER : FIGURE_held_mean;
  for (int i = 0; i < all; i++) self->wants[i] = chosen->count == 0;
  for (size_t i = 0; i < chosen->count; i++) self->wants[which[i]] = true;
  for (int q = 0; q < 4; q++) {
    self->keeps[WAIT] |= self->wants[FIGURE_wait_p50 + q];
    self->keeps[RESPONSE] |= self->wants[FIGURE_response_p50 + q];
    self->keeps[BOUNDED] |= self->wants[FIGURE_bounded_slowdown_p50 + q];
    self->keeps[ELIGIBLE] |= self->wants[FIGURE_eligible_wait_p50 + q];
  }
  self->keeps[ASKED] = self->wants[FIGURE_asked_p50];
  for (int i = FIGURE_cut; i <= FIGURE_covers_99; i++) self->keeps_lives |= self->wants[i];
  for (int i = MEASURED; i < FIGURE_COUNT; i++) self->measures |= self->wants[i];
}

static const char *called(const void *lexicon, hc_called kind, int64_t number)
{
  return lexicon ? hc_lexicon_called(lexicon, kind, number) : NULL;
}

static hc_rc set_up(hc_metric *self, const options *o, hc_error *e)
{
  static const char *const user[] = {"user"};
  const hc_metric_context *c = &self->family.context;
  const bool says = o->by.count > 0;
  const hc_grouping_options g = {.by = says ? (const char *const *)o->by.items : user,
                                 .by_count = says ? o->by.count : 1,
                                 .sizes = o->sizes.items,
                                 .size_count = o->sizes.count,
                                 .estimates = o->estimates.items,
                                 .estimate_count = o->estimates.count,
                                 .tau = o->tau,
                                 .most = o->most,
                                 .core_units = c->core_units,
                                 .unix_start = c->unix_start,
                                 .zone = c->zone,
                                 .zone_offset = c->zone_offset,
                                 .called = called,
                                 .called_ctx = c->lexicon,
                                 .beside = c->beside,
                                 .beside_ctx = c->beside_ctx};
  self->tau = o->tau;
  self->core_units = c->core_units;
  self->how = (hc_measured_how){
      .is_program = o->as == AS_PROGRAM, .core_units = c->core_units, .unix_start = c->unix_start};
  hc_groups_init(&self->groups, c->allocator, o->tau);
  TRY(hc_grouping_new(c->allocator, &g, &self->grouping, e));
  choose_figures(self, &o->figures);
  return 0;
}

static hc_rc init(const hc_metric_context *c, const void *chosen, hc_metric **out, hc_error *e)
{
  hc_metric *self;
  hc_rc rc;
  TRY(hc_family_new(c, sizeof(hc_metric), &self, e));
  rc = set_up(self, chosen, e);
  if (rc < 0) fini(self);
  else *out = self;
  return rc;
}

/* ---- hearing ---- */

static bool keeps_any(const hc_metric *self)
{
  for (int i = 0; i < QUANTILES; i++)
    if (self->keeps[i]) return true;
  return false;
}

/* Rows for all groups met so far, and the rest. */
static hc_rc make_rows(hc_metric *self, size_t count)
{
  const hc_allocator *a = self->family.context.allocator;
  TRY(hc_reserve(a, (void **)&self->extras, &self->extra_cap, count, sizeof *self->extras));
  while (self->extra_count < count) self->extras[self->extra_count++] = (extra){.ran = 0};
  if (self->measures) {
    TRY(hc_reserve(a, (void **)&self->sums, &self->sum_cap, count, sizeof *self->sums));
    while (self->sum_count < count) self->sums[self->sum_count++] = hc_measured_none();
  }
  if (self->keeps_lives) {
    TRY(hc_reserve(a, (void **)&self->lives, &self->life_cap, count, sizeof *self->lives));
    while (self->life_count < count) self->lives[self->life_count++] = (lives){.items = NULL};
  }
  if (!keeps_any(self)) return 0;
  count *= QUANTILES;
  TRY(hc_reserve(a, (void **)&self->quantiles, &self->quantile_cap, count, sizeof *self->quantiles));
  while (self->quantile_count < count) hc_quantile_init(&self->quantiles[self->quantile_count++], a);
  return 0;
}

static double bounded(const hc_task_record *r, hc_time tau)
{
  const double x = (double)hc_time_between(r->submit, r->end) / (double)HC_MAX(hc_task_ran(r), tau);
  return x > 1 ? x : 1;
}

/* It has none from here on. */
static void lose(hc_metric *self, uint32_t row)
{
  if (self->keeps_lives) {
    lives *l = &self->lives[row];
    self->words -= l->cap;
    hc_free(self->family.context.allocator, l->items, l->cap * sizeof *l->items);
    *l = (lives){.items = NULL};
  }
  for (size_t i = 0; keeps_any(self) && i < QUANTILES; i++) {
    hc_quantile *q = &self->quantiles[(size_t)row * QUANTILES + i];
    self->words -= q->cap;
    hc_quantile_fini(q);
  }
  self->extras[row].lost = 1;
}

static hc_rc keep_one(hc_metric *self, uint32_t row, int which, double value)
{
  hc_quantile *q = &self->quantiles[(size_t)row * QUANTILES + (size_t)which];
  const size_t before = q->cap;
  if (!self->keeps[which]) return 0;
  if (!q->counts && q->count == q->cap && self->words + HC_MAX(q->cap, 64) > QUANTILE_WORDS) {
    lose(self, row);
    return 0;
  }
  TRY(hc_quantile_add(q, &value, 1));
  self->words = self->words - before + q->cap;
  return 0;
}

static hc_rc keep(hc_metric *self, uint32_t row, const hc_task_record *r, hc_time held)
{
  TRY(keep_one(self, row, WAIT, (double)hc_time_between(r->submit, r->start)));
  if (!self->extras[row].lost) TRY(keep_one(self, row, RESPONSE, (double)hc_time_between(r->submit, r->end)));
  if (!self->extras[row].lost) TRY(keep_one(self, row, BOUNDED, bounded(r, self->tau)));
  if (!self->extras[row].lost && r->limit > 0 && r->limit != HC_NEVER)
    TRY(keep_one(self, row, ASKED, (double)r->limit));
  if (self->extras[row].lost || held == HC_UNKNOWN) return 0;
  return keep_one(self, row, ELIGIBLE, (double)(hc_time_between(r->submit, r->start) - held));
}

/* How much of its wait a task was held; HC_UNKNOWN: nothing says so, or it cannot be. */
static hc_time held_of(const hc_task_record *r, const hc_measured *m)
{
  if (!m || m->held < 0 || m->held > hc_time_between(r->submit, r->start)) return HC_UNKNOWN;
  return m->held;
}

static void add_eligible(extra *x, const hc_task_record *r, hc_time held)
{
  const hc_time wait = hc_time_between(r->submit, r->start) - held;
  x->eligibles++;
  hc_wide_add(&x->held, held);
  hc_wide_add(&x->eligible, wait);
  x->eligible_max = HC_MAX(x->eligible_max, wait);
}

/* Beside the quantiles, in the same room. */
static hc_rc keep_life(hc_metric *self, uint32_t row, const hc_task_record *r, const hc_measured *m)
{
  lives *l = &self->lives[row];
  extra *x = &self->extras[row];
  const size_t before = l->cap;
  const bool is_cut = hc_measured_was_cut(r, m);
  x->cut += is_cut;
  if (x->lost) return 0;
  if (l->count == l->cap && self->words + HC_MAX(l->cap, 64) > QUANTILE_WORDS) {
    lose(self, row);
    return 0;
  }
  TRY(hc_reserve(self->family.context.allocator, (void **)&l->items, &l->cap, l->count + 1,
                 sizeof *l->items));
  self->words += l->cap - before;
  l->items[l->count++] = hc_life_of(hc_task_ran(r), is_cut);
  return 0;
}

static hc_rc add_extra(hc_metric *self, uint32_t row, const hc_task_record *r)
{
  const hc_metric_context *c = &self->family.context;
  const hc_time run = hc_task_ran(r);
  extra *x = &self->extras[row];
  hc_measured of;
  const hc_measured *m = c->measured && c->measured(c->measured_ctx, r->serial, &of) ? &of : NULL;
  const hc_time held = held_of(r, m);
  if (held != HC_UNKNOWN) add_eligible(x, r, held);
  if (self->keeps_lives) TRY(keep_life(self, row, r, m));
  if (self->measures) hc_measured_add(&self->sums[row], &self->how, r, m);
  if (run > 0) {
    hc_real_sum_add(&x->slowdown, (double)hc_time_between(r->submit, r->end) / (double)run);
    x->ran++;
  }
  return keeps_any(self) && !x->lost ? keep(self, row, r, held) : 0;
}

static hc_rc tasks(hc_metric *self, const hc_task_record *records, size_t count)
{
  uint32_t numbers[HC_BLOCK];
  int64_t keys[HC_BLOCK];
  for (size_t n; count > 0; records += n, count -= n) {
    n = HC_MIN(count, HC_BLOCK);
    TRY(hc_grouping_of(self->grouping, records, n, numbers));
    for (size_t i = 0; i < n; i++) keys[i] = hc_task_counts(&records[i]) ? (int64_t)numbers[i] : 0;
    TRY(hc_groups_add(&self->groups, keys, records, n));
    TRY(make_rows(self, self->groups.count));
    for (size_t i = 0; i < n; i++)
      if (hc_task_counts(&records[i])) TRY(add_extra(self, numbers[i], &records[i]));
  }
  return 0;
}

/* ---- what was found ---- */

typedef struct finding {
  hc_metric *self;
  hc_findings *f;
  int64_t key; /* of the row */
  const hc_group *g;
  const extra *x;
  const hc_measured_sums *sums; /* NULL: it does not measure */
  double tasks, area;           /* of all */
  bool gathers;                 /* any of them has processor time */
} finding;

static hc_rc find(const finding *t, const char *name, const char *unit, double value)
{
  return hc_find_cell(t->f, t->self->table, t->key, name, unit, value);
}

static hc_rc find_figure(const finding *t, figure which, double value)
{
  static const char *const names[] = {
#define X(name, unit, direction, formula) #name,
      ALL_FIGURES(X)
#undef X
  };
  static const char *const units[] = {
#define X(name, unit, direction, formula) unit,
      ALL_FIGURES(X)
#undef X
  };
  return t->self->wants[which] ? find(t, names[which], units[which], value) : 0;
}

/* A number that no double is gets a second cell: what is missing. */
static hc_rc find_number(const finding *t, const char *name, const char *unit, int64_t number)
{
  const double x = (double)number;
  char rest[80];
  TRY(find(t, name, unit, x));
  if (x >= 0x1p63 || (int64_t)x == number) return 0;
  (void)snprintf(rest, sizeof rest, "%s_rest", name);
  return find(t, rest, unit, (double)(number - (int64_t)x));
}

static const char *unit_of(hc_trait t)
{
  switch (t) {
    case HC_TRAIT_MONTH: return "month";
    case HC_TRAIT_DAY: return "d";
    case HC_TRAIT_WEEKDAY: return "weekday";
    case HC_TRAIT_HOUR: return "h";
    case HC_TRAIT_SIZE: return "cores";
    case HC_TRAIT_ESTIMATE: return "s";
    case HC_TRAIT_EXPRESSION: return "1";
    default: return "number";
  }
}

/* What the row is about: a cell for each dimension, or two that bound a class. The group of tasks that have
 * no account beside it is "account_other", if others have one. */
static hc_rc find_key(const finding *t, uint32_t group, uint32_t dimension)
{
  const hc_grouping *g = t->self->grouping;
  const hc_trait trait = hc_grouping_trait(g, dimension);
  const hc_group_value v = hc_grouping_value(g, group, dimension);
  const bool is_apart = hc_grouping_is_apart(g);
  const char *name = hc_grouping_stored_name(g, dimension, is_apart), *unit = unit_of(trait);
  char text[64];
  if (!v.is_known) return find(t, name, unit, __builtin_nan(""));
  if (!v.is_class && trait != HC_TRAIT_EXPRESSION) {
    (void)snprintf(text, sizeof text, "%s_other", name);
    return find_number(t, v.is_other && is_apart ? text : name, unit, v.number);
  }
  TRY(find(t, name, unit, v.value));
  if (!v.is_class) return 0;
  (void)snprintf(text, sizeof text, "%s_to", name);
  return find(t, text, unit, v.to < __builtin_inf() ? v.to : __builtin_nan(""));
}

static hc_rc find_quantiles(const finding *t, uint32_t row, int which, figure first, double divisor)
{
  static const int permille[] = {500, 900, 950, 990};
  double values[HC_ARRAY_LEN(permille)];
  for (size_t i = 0; i < HC_ARRAY_LEN(permille); i++) values[i] = __builtin_nan("");
  if (t->self->keeps[which])
    TRY(hc_quantile_get(&t->self->quantiles[(size_t)row * QUANTILES + (size_t)which], permille,
                        HC_ARRAY_LEN(permille), values));
  for (size_t i = 0; i < HC_ARRAY_LEN(permille); i++)
    TRY(find_figure(t, (figure)((size_t)first + i), values[i] / divisor));
  return 0;
}

static hc_rc find_eligible(const finding *t, uint32_t row)
{
  const extra *x = t->x;
  TRY(find_figure(t, FIGURE_held_mean, hc_mean_seconds(x->held, x->eligibles)));
  TRY(find_figure(t, FIGURE_eligible_wait_mean, hc_mean_seconds(x->eligible, x->eligibles)));
  TRY(find_quantiles(t, row, ELIGIBLE, FIGURE_eligible_wait_p50, 1e9));
  return find_figure(t, FIGURE_eligible_wait_max,
                     x->eligibles > 0 ? hc_seconds(x->eligible_max) : __builtin_nan(""));
}

static hc_rc find_limits(const finding *t, uint32_t row)
{
  static const int permille[] = {500, 900, 990};
  const hc_metric *self = t->self;
  hc_time covers[HC_ARRAY_LEN(permille)] = {HC_UNKNOWN, HC_UNKNOWN, HC_UNKNOWN};
  double asked = __builtin_nan("");
  if (self->keeps[ASKED])
    TRY(hc_quantile_get(&self->quantiles[(size_t)row * QUANTILES + ASKED], permille, 1, &asked));
  TRY(find_figure(t, FIGURE_asked_p50, asked / 1e9));
  TRY(find_figure(t, FIGURE_cut, (double)t->x->cut));
  if (self->keeps_lives)
    hc_survival_covers(self->lives[row].items, self->lives[row].count, permille, HC_ARRAY_LEN(permille),
                       covers);
  for (size_t i = 0; i < HC_ARRAY_LEN(permille); i++)
    TRY(find_figure(t, (figure)(FIGURE_covers_50 + i), hc_seconds(covers[i])));
  return 0;
}

static hc_rc find_measured(const finding *t)
{
  for (int i = MEASURED; t->sums && i < FIGURE_COUNT; i++)
    TRY(find_figure(
        t, (figure)i,
        hc_measured_find(t->sums, &t->self->how, (hc_measured_figure)(i - MEASURED), t->gathers)));
  return 0;
}

static hc_rc find_figures(const finding *t, uint32_t row)
{
  const hc_group *g = t->g;
  const double area = hc_wide_seconds(g->area);
  TRY(find_figure(t, FIGURE_tasks, (double)g->tasks));
  TRY(find_figure(t, FIGURE_wait_mean, hc_mean_seconds(g->wait, g->tasks)));
  TRY(find_quantiles(t, row, WAIT, FIGURE_wait_p50, 1e9));
  TRY(find_figure(t, FIGURE_wait_max, hc_seconds(g->wait_max)));
  TRY(find_figure(t, FIGURE_run_mean, hc_mean_seconds(g->run, g->tasks)));
  TRY(find_figure(t, FIGURE_response_mean, hc_mean_seconds(hc_wide_plus(g->wait, g->run), g->tasks)));
  TRY(find_quantiles(t, row, RESPONSE, FIGURE_response_p50, 1e9));
  TRY(find_figure(t, FIGURE_slowdown_mean, hc_mean_real(t->x->slowdown, t->x->ran)));
  TRY(find_figure(t, FIGURE_bounded_slowdown_mean, hc_mean_real(g->slowdown, g->tasks)));
  TRY(find_quantiles(t, row, BOUNDED, FIGURE_bounded_slowdown_p50, 1));
  TRY(find_figure(t, FIGURE_area, area));
  TRY(find_figure(t, FIGURE_core_hours,
                  t->self->core_units > 0 ? area / (double)t->self->core_units / 3600 : __builtin_nan("")));
  TRY(find_figure(t, FIGURE_share, t->area > 0 ? area / t->area : __builtin_nan("")));
  TRY(find_figure(t, FIGURE_task_share, (double)g->tasks / t->tasks));
  TRY(find_eligible(t, row));
  TRY(find_limits(t, row));
  return find_measured(t);
}

static hc_rc find_groups(finding *t, const uint32_t *order, uint32_t count)
{
  const hc_metric *self = t->self;
  for (uint32_t i = 0; i < count; i++) {
    t->key = i;
    t->g = &self->groups.items[order[i]];
    t->x = &self->extras[order[i]];
    t->sums = self->measures ? &self->sums[order[i]] : NULL;
    for (uint32_t d = 0; d < hc_grouping_dimensions(self->grouping); d++) TRY(find_key(t, order[i], d));
    TRY(find_figures(t, order[i]));
  }
  if (self->groups.count == count) return 0;
  bool at_least;
  const uint64_t rest = hc_grouping_rest(self->grouping, &at_least);
  t->key = count;
  t->g = &self->groups.items[count];
  t->x = &self->extras[count];
  t->sums = self->measures ? &self->sums[count] : NULL;
  TRY(find(t, at_least ? "groups_at_least" : "groups", "groups", (double)rest));
  return find_figures(t, count);
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  const hc_allocator *a = self->family.context.allocator;
  const uint32_t count = hc_grouping_count(self->grouping);
  uint32_t *order = hc_alloc(a, (count + 1) * sizeof *order);
  finding t = {.self = self, .f = f};
  hc_grouping_table(self->grouping, hc_grouping_is_apart(self->grouping), self->table);
  hc_wide area = {0};
  hc_rc rc = order ? hc_grouping_order(self->grouping, order) : HC_ENOMEM;
  for (size_t i = 0; i < self->groups.count; i++) {
    area = hc_wide_plus(area, self->groups.items[i].area);
    t.tasks += (double)self->groups.items[i].tasks;
    if (self->measures) t.gathers |= hc_wide_real(self->sums[i].cpu) > 0;
  }
  t.area = hc_wide_seconds(area);
  if (rc >= 0) rc = find_groups(&t, order, count);
  hc_free(a, order, (count + 1) * sizeof *order);
  return rc;
}

/* A list a row. */
static hc_rc visit_lives(hc_metric *self, hc_visitor *v)
{
  if (hc_visit_loading(v)) drop_lives(self);
  self->words = 0;
  if (!self->keeps_lives) return 0;
  if (hc_visit_loading(v)) TRY(make_rows(self, self->extra_count));
  for (size_t i = 0; i < self->life_count; i++) {
    HC_VISIT_ARRAY(v, self->lives[i].items, self->lives[i].count, self->lives[i].cap);
    self->words += self->lives[i].cap;
  }
  return 0;
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  TRY(hc_grouping_visit(self->grouping, v));
  TRY(hc_groups_visit(&self->groups, v));
  const uint32_t own = hc_grouping_count(self->grouping);
  const bool has_rest = hc_grouping_rest(self->grouping, NULL) > 0;
  if (self->groups.count != (size_t)own + has_rest) return HC_EINPUT;
  for (size_t i = 0; i < self->groups.count; i++)
    if (self->groups.items[i].key != (int64_t)i) return HC_EINPUT;
  HC_VISIT_ARRAY(v, self->extras, self->extra_count, self->extra_cap);
  if (self->extra_count != self->groups.count) return HC_EINPUT;
  HC_VISIT_ARRAY(v, self->sums, self->sum_count, self->sum_cap);
  if (self->sum_count != (self->measures ? self->extra_count : 0)) return HC_EINPUT;
  TRY(visit_lives(self, v));
  if (!keeps_any(self)) return 0;
  if (hc_visit_loading(v)) {
    for (size_t i = 0; i < self->quantile_count; i++) hc_quantile_fini(&self->quantiles[i]);
    self->quantile_count = 0;
    TRY(make_rows(self, self->extra_count));
  }
  for (size_t i = 0; i < self->quantile_count; i++) {
    TRY(hc_quantile_visit(&self->quantiles[i], v));
    self->words += self->quantiles[i].cap;
  }
  return 0;
}

static const char *const figures[] = {
#define X(name, unit, direction, formula) "by(*)." #name "|" unit "|" direction "|" formula,
    ALL_FIGURES(X)
#undef X
        "by(*).*|number, d, month, weekday, h, cores, s, 1, groups|none|what the tasks of a row have in "
        "common: `user` (and so on) a number, `day` and `month` counted from 1970, `weekday` from Monday, "
        "`hour`, a formula's value; NULL is not known. `account` and `qos` are stored as `group` and `queue` "
        "where no task has both; else `account_other` is the group of tasks without an account, so "
        "`qos_other`. A class of sizes goes from above `size` up to `size_to` (NULL: no limit); so do "
        "classes of estimates. `groups`: how many are in the row of the rest, `groups_at_least` where that "
        "is not counted to the end",
    NULL,
};

#define X(name, unit, direction, formula) "|" #name
static const char choices[] = ALL_FIGURES(X);
#undef X

static const hc_param params[] = {
    HC_PARAM(
        TEXTS, options, by, "user",
        "What divides tasks into groups: user, group, account, executable (job_name), queue, qos, partition, "
        "month, day, weekday, hour (of submission, in the zone of the run), size, estimate, all (of them "
        "together), or an expression, \"wait > 3600\" or \"floor(run / 3600)\", over submit, start, end, "
        "wait, run, response, slowdown, bounded_slowdown, limit, estimate (seconds), procs, id, user, group, "
        "account, queue, qos, partition, executable, job_name, killed, backfilled (1 or 0), unix, month (1 "
        "to 12), day, weekday, hour. From user to executable a name stands in quotes: queue == \"long\". Two "
        "of them make a table of both: [user, day]."),
    HC_PARAM(
        CHOICES, options, figures, choices + 1,
        "[tasks, wait_mean, wait_max, response_mean, bounded_slowdown_mean, core_hours, share]",
        "Which figures a row has. Quantiles cost memory: 8 bytes a task, at most 512 KiB a group. An empty "
        "list stands for all figures but those of pseudo-cluster (from average_queue_time on), and but those "
        "that only some logs measure (from held_mean on) where no task has a measurement."),
    HC_PARAM(
        CHOICE, options, as, "paper|program", "paper",
        "How the five figures from average_queue_time on are counted. paper: as they are defined in the "
        "paper of pseudo-cluster. program: as its program counts them: times are cut to whole minutes, "
        "tasks that did not wait are left out of average_queue_time, used_time has no value where a task "
        "that completed had no limit, and the divisor of queue_to_limit_time has tasks without a limit in "
        "it."),
    HC_PARAM(
        INTS, options, sizes, "processors", "[]", 1, 1e15,
        "Upper limits of classes of size, ascending; on hosts in cores. Default: powers of two: 1, 2, 3 to "
        "4, 5 to 8 ..."),
    HC_PARAM(
        TIMES, options, estimates, "s", "[]", 1e-9, 1e9,
        "Upper limits of classes of estimates, ascending. Default: powers of ten: up to 1 s, 10 s, 100 s "
        "..."),
    HC_TAU_PARAM(options, "Threshold of the bounded slowdown: tasks that ran for less are taken to have run "
                          "for this long."),
    HC_PARAM(
        INT, options, most, "groups", "100000", 1, 100000,
        "At most so many groups have rows of their own, those that are met first; all others are one row, "
        "which says how many groups it stands for."),
    {.name = NULL},
};

const hc_metric_type hc_metric_by = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "by",
         .summary = "figures of tasks by user, day, size, any expression, or by two of them",
         .detail =
             "A table with a row for each group of tasks that started and ended, sorted by what its tasks "
             "have in common; the group of which that is not known comes last. Dates are those of the run's "
             "zone, daylight saving time included; without a Unix time of the run's origin (`unix_start`) "
             "they are refused. The same is counted from the task rows of a stored result by `hindcast show "
             "RESULT --by user,day`, so that a run needs the metric only if it keeps no task rows. `account` "
             "is the group of a task and `qos` its queue, unless tasks of the source have an account beside "
             "the group, or a QOS beside the queue: then it is that one, and tasks of the same run without "
             "it go by their group or queue, apart from all others. " HC_QUANTILE_DETAIL
             " All groups together have 128 MiB for quantiles: a group that would need more when these are "
             "used up has none." HC_RAN_TEXT,
         .params = params, .options_size = sizeof(options)},
    .init = init,
    .tasks = tasks,
    .finish = finish,
    .visit = visit,
    .fini = fini,
};
