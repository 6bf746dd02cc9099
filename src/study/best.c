/* best.c -- which combination is best: Polezhaev's eight steps as a query.
 *
 * Steps 1 to 3, fixing the scenario, running, taking up a figure, are the study's. Here: (4) by each figure
 * each group gets the choice that suits it best; (5) these winners are laid over each other; (6) for every
 * figure; (7) candidates are the winners that may be the best by some primary figure, with the choices that
 * cannot be told from theirs; the one that may be the best by most primary figures is chosen, ranks decide
 * among equals; (8) what is chosen stands beside the champion of each secondary figure. Where he looked at
 * graphs, "may be the best" is multiple comparisons with the best (stat_best.c), so that a lead within chance
 * is shown as a tie. The choice of step 4 is made on the same samples that step 5 compares: its means are a
 * little too good, alike for all groups. Source: P. N. Polezhaev, simulator of a cluster and its managing
 * system, section 6. */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "study/stat_grid.h"

const char *hc_best_role_name(hc_best_role r)
{
  switch (r) {
    case HC_BEST_PRIMARY: return "primary";
    case HC_BEST_PERFORMANCE: return "performance";
    case HC_BEST_SECONDARY: return "secondary";
  }
  return "?";
}

typedef struct found {
  hc_best_found found; /* first: what the caller holds */
  hc_arena arena;
} found;

/* One scene at work. */
typedef struct work {
  const hc_allocator *allocator;
  const hc_study_data *data;
  const hc_best_query *query;
  hc_arena *arena; /* what stays */
  hc_arena scratch;
  double level;
  size_t groups, choices; /* levels; choices 1 if there is no such axis */
  uint32_t figure_count;
  hc_grid *grids; /* [figure_count] groups x choices */
  hc_best_figure *figures;
  size_t *winner; /* [figure_count][groups] combination; SIZE_MAX: no points */
  bool *tied;     /* [figure_count][groups * choices] cannot be told from the group's best */
} work;

/* A contest: series of some combinations of one grid, and what multiple comparisons say. */
typedef struct contest {
  size_t count;
  size_t *who; /* combinations */
  double **series;
  hc_stat_choice *result;
} contest;

static hc_rc contest_init(contest *c, hc_arena *a, size_t cap)
{
  c->count = 0;
  c->who = hc_arena_alloc(a, (cap + 1) * sizeof *c->who);
  c->series = hc_arena_alloc(a, (cap + 1) * sizeof *c->series);
  c->result = hc_arena_alloc(a, (cap + 1) * sizeof *c->result);
  return c->who && c->series && c->result ? 0 : HC_ENOMEM;
}

/* Series over the combinations that all of them have, so that none is compared with what it was spared. */
static hc_rc contest_decide(contest *c, work *w, const hc_grid *g)
{
  uint8_t *mask = hc_arena_alloc(&w->scratch, g->others);
  if (!mask) return HC_ENOMEM;
  if (c->count == 0) return 0;
  hc_grid_common(g, c->who, c->count, mask);
  for (size_t i = 0; i < c->count; i++) {
    c->series[i] = hc_arena_alloc(&w->scratch, g->samples * sizeof *c->series[i]);
    if (!c->series[i]) return HC_ENOMEM;
    hc_grid_series_in(g, c->who[i], mask, c->series[i]);
  }
  return hc_stat_best(w->allocator, (const double *const *)c->series, c->count, g->samples, w->level,
                      g->direction > 0, c->result);
}

static bool is_better(const hc_grid *g, double x, double y)
{
  return g->direction > 0 ? x > y : x < y;
}

static size_t leader(const contest *c, const hc_grid *g)
{
  size_t best = 0;
  for (size_t i = 1; i < c->count; i++) {
    if (is_better(g, c->result[i].mean, c->result[best].mean)) best = i;
  }
  return best;
}

/* ---- step 4: the best choice of each group ---- */

static const char *label_of(const work *w, bool of_group, size_t combination)
{
  const char *name = of_group ? w->query->group : w->query->choice;
  const hc_study_axis *x;
  if (!name) return "";
  x = &w->data->axes[hc_study_axis_find(w->data, name)];
  return x->labels[of_group ? combination / w->choices : combination % w->choices];
}

static hc_rc list_ties(work *w, const contest *c, size_t best, size_t figure, const char **out)
{
  const char *text = label_of(w, false, c->who[best]);
  for (size_t i = 0; i < c->count; i++) {
    if (!c->result[i].may_be_best && i != best) continue;
    w->tied[figure * w->groups * w->choices + c->who[i]] = true;
    if (i == best) continue;
    text = hc_arena_printf(w->arena, "%s %s", text, label_of(w, false, c->who[i]));
    if (!text) return HC_ENOMEM;
  }
  *out = text;
  return 0;
}

static hc_rc choose(work *w, size_t figure, size_t group, hc_best_row *row, bool *any)
{
  const hc_grid *g = &w->grids[figure];
  contest c;
  size_t best;
  TRY(contest_init(&c, &w->scratch, w->choices));
  for (size_t i = 0; i < w->choices; i++) {
    if (g->points[group * w->choices + i]) c.who[c.count++] = group * w->choices + i;
  }
  *any = c.count > 0;
  w->winner[figure * w->groups + group] = SIZE_MAX;
  if (!*any) return 0;
  TRY(contest_decide(&c, w, g));
  best = leader(&c, g);
  w->winner[figure * w->groups + group] = c.who[best];
  row->group = label_of(w, true, c.who[best]);
  row->choice = label_of(w, false, c.who[best]);
  return list_ties(w, &c, best, figure, &row->ties);
}

/* ---- step 5: the overlay ---- */

static void sort_rows(hc_best_row *rows, uint32_t count, int direction)
{
  for (uint32_t i = 1; i < count; i++) { /* few rows; stable */
    hc_best_row x = rows[i];
    uint32_t k = i;
    for (; k > 0; k--) {
      double a = x.stat.mean, b = rows[k - 1].stat.mean;
      if (!(direction > 0 ? a > b : a < b)) break;
      rows[k] = rows[k - 1];
    }
    rows[k] = x;
  }
  for (uint32_t i = 0; i < count; i++)
    rows[i].rank = i > 0 && rows[i].stat.mean == rows[i - 1].stat.mean ? rows[i - 1].rank : i + 1;
}

static hc_rc lay_over(work *w, size_t figure)
{
  hc_best_figure *f = &w->figures[figure];
  const hc_grid *g = &w->grids[figure];
  hc_best_row *rows = hc_arena_alloc(w->arena, (w->groups + 1) * sizeof *rows);
  contest c;
  if (!rows) return HC_ENOMEM;
  TRY(contest_init(&c, &w->scratch, w->groups));
  for (size_t i = 0; i < w->groups; i++) {
    bool any;
    TRY(choose(w, figure, i, &rows[f->count], &any));
    if (!any) continue;
    f->count++;
    c.who[c.count++] = w->winner[figure * w->groups + i];
  }
  TRY(contest_decide(&c, w, g));
  for (uint32_t i = 0; i < f->count; i++) {
    rows[i].may_be_best = c.result[i].may_be_best;
    TRY(hc_stat_mean_of(c.series[i], g->samples, w->level, &rows[i].stat));
  }
  sort_rows(rows, f->count, g->direction);
  f->rows = rows;
  return 0;
}

/* ---- step 7: the overall choice ---- */

/* A combination is a candidate if by some primary figure its group's winner may be the best and it cannot be
 * told from that winner. */
static bool is_candidate(const work *w, size_t combination)
{
  const char *group = label_of(w, true, combination);
  for (uint32_t f = 0; f < w->figure_count; f++) {
    if (w->figures[f].role != HC_BEST_PRIMARY || !w->tied[f * w->groups * w->choices + combination]) continue;
    for (uint32_t i = 0; i < w->figures[f].count; i++) {
      if (w->figures[f].rows[i].group == group && w->figures[f].rows[i].may_be_best) return true;
    }
  }
  return false;
}

static hc_rc rank_by(work *w, const contest *who, size_t figure, hc_best_candidate *candidates)
{
  const hc_grid *g = &w->grids[figure];
  hc_best_role role = w->figures[figure].role;
  contest c;
  TRY(contest_init(&c, &w->scratch, who->count));
  for (size_t i = 0; i < who->count; i++) c.who[c.count++] = who->who[i];
  TRY(contest_decide(&c, w, g));
  for (size_t i = 0; i < c.count; i++) {
    uint32_t rank = 1;
    for (size_t k = 0; k < c.count; k++) rank += is_better(g, c.result[k].mean, c.result[i].mean);
    if (role == HC_BEST_PRIMARY) {
      candidates[i].firsts += c.result[i].may_be_best;
      candidates[i].primary_ranks += rank;
    } else candidates[i].performance_ranks += rank;
  }
  return 0;
}

static bool goes_before(const hc_best_candidate *a, const hc_best_candidate *b)
{
  if (a->firsts != b->firsts) return a->firsts > b->firsts;
  if (a->primary_ranks != b->primary_ranks) return a->primary_ranks < b->primary_ranks;
  return a->performance_ranks < b->performance_ranks;
}

static void sort_candidates(hc_best_candidate *c, size_t *who, size_t count)
{
  for (size_t i = 1; i < count; i++) {
    hc_best_candidate x = c[i];
    size_t combination = who[i], k = i;
    for (; k > 0 && goes_before(&x, &c[k - 1]); k--) {
      c[k] = c[k - 1];
      who[k] = who[k - 1];
    }
    c[k] = x;
    who[k] = combination;
  }
  for (size_t i = 0; i < count; i++) c[i].is_chosen = c[i].firsts == c[0].firsts;
}

static hc_rc choose_overall(work *w, contest *who, hc_best_scene *scene)
{
  size_t all = w->groups * w->choices;
  hc_best_candidate *candidates = hc_arena_alloc(w->arena, (all + 1) * sizeof *candidates);
  if (!candidates) return HC_ENOMEM;
  TRY(contest_init(who, &w->scratch, all));
  for (size_t i = 0; i < all; i++) {
    hc_best_candidate *c = &candidates[who->count];
    if (!is_candidate(w, i)) continue;
    c->group = label_of(w, true, i);
    c->choice = label_of(w, false, i);
    c->label = *c->choice ? hc_arena_printf(w->arena, "%s %s", c->group, c->choice) : c->group;
    if (!c->label) return HC_ENOMEM;
    who->who[who->count++] = i;
  }
  for (uint32_t f = 0; f < w->figure_count; f++) {
    if (w->figures[f].role != HC_BEST_SECONDARY) TRY(rank_by(w, who, f, candidates));
  }
  sort_candidates(candidates, who->who, who->count);
  scene->candidates = candidates;
  scene->candidate_count = (uint32_t)who->count;
  return 0;
}

/* ---- step 8: the secondary figures ---- */

static hc_rc stand_beside(work *w, size_t figure, size_t chosen, const char *label, hc_best_beside *out)
{
  const hc_grid *g = &w->grids[figure];
  const hc_best_row *first = w->figures[figure].rows;
  size_t champion = 0;
  double *x = hc_arena_alloc(&w->scratch, g->samples * sizeof *x);
  double *y = hc_arena_alloc(&w->scratch, g->samples * sizeof *y);
  if (!x || !y) return HC_ENOMEM;
  for (size_t i = 0; i < w->groups; i++) {
    size_t winner = w->winner[figure * w->groups + i];
    if (winner != SIZE_MAX && label_of(w, true, winner) == first->group) champion = winner;
  }
  *out = (hc_best_beside){.figure = g->figure, .unit = g->unit, .chosen = label, .of_champion = first->stat};
  out->champion =
      *first->choice ? hc_arena_printf(w->arena, "%s %s", first->group, first->choice) : first->group;
  if (!out->champion) return HC_ENOMEM;
  hc_grid_series(g, chosen, x);
  TRY(hc_stat_mean_of(x, g->samples, w->level, &out->of_chosen));
  hc_grid_both(g, chosen, champion, x, y);
  return hc_stat_pairs_of(w->allocator, x, y, g->samples, w->level, &out->pairs);
}

static hc_rc judge_beside(work *w, hc_best_beside *rows, uint32_t count)
{
  double *p = hc_arena_alloc(&w->scratch, (count + 1) * sizeof *p);
  if (!p) return HC_ENOMEM;
  for (uint32_t i = 0; i < count; i++) p[i] = rows[i].pairs.p_t;
  TRY(hc_stat_adjust(w->allocator, HC_STAT_HOLM, p, count, p));
  for (uint32_t i = 0; i < count; i++) {
    hc_best_beside *r = &rows[i];
    r->adjusted = p[i];
    if (r->pairs.above + r->pairs.below == 0 && r->pairs.difference.count) r->verdict = HC_VERDICT_SAME;
    else if (r->pairs.difference.count < 2) r->verdict = HC_VERDICT_NO_DATA;
    else r->verdict = p[i] < 1 - w->level ? HC_VERDICT_WORSE : HC_VERDICT_UNCLEAR;
  }
  return 0;
}

static hc_rc compare_secondary(work *w, const contest *who, hc_best_scene *scene)
{
  hc_best_beside *rows = hc_arena_alloc(w->arena, (who->count * w->figure_count + 1) * sizeof *rows);
  if (!rows) return HC_ENOMEM;
  for (uint32_t f = 0; f < w->figure_count; f++) {
    if (w->figures[f].role != HC_BEST_SECONDARY || w->figures[f].count == 0) continue;
    for (size_t i = 0; i < who->count; i++) {
      const hc_best_candidate *c = &scene->candidates[i];
      if (c->is_chosen) TRY(stand_beside(w, f, who->who[i], c->label, &rows[scene->beside_count++]));
    }
  }
  scene->beside = rows;
  return judge_beside(w, rows, scene->beside_count);
}

/* ---- which choice suits best ---- */

static hc_rc count_votes(work *w, hc_best_scene *scene)
{
  hc_best_vote *votes = hc_arena_alloc(w->arena, w->choices * sizeof *votes);
  if (!votes) return HC_ENOMEM;
  scene->votes = votes;
  if (!w->query->choice) return 0;
  for (size_t i = 0; i < w->choices; i++) {
    votes[i].choice = label_of(w, false, i);
    for (size_t f = 0; f < w->figure_count; f++) {
      for (size_t k = 0; w->figures[f].role == HC_BEST_PRIMARY && k < w->groups; k++) {
        size_t combination = k * w->choices + i, winner = w->winner[f * w->groups + k];
        if (!w->grids[f].points[combination]) continue;
        votes[i].of++;
        votes[i].best += winner == combination;
        votes[i].tied += winner != combination && w->tied[f * w->groups * w->choices + combination];
      }
    }
  }
  scene->vote_count = (uint32_t)w->choices;
  return 0;
}

/* ---- scenes ---- */

static bool is_listed(const char *const *names, size_t count, const char *name)
{
  for (size_t i = 0; i < count; i++) {
    if (strcmp(names[i], name) == 0) return true;
  }
  return false;
}

static hc_rc open_figure(work *w, const char *name, hc_best_role role, const char *const *where,
                         size_t where_count, hc_error *e)
{
  const hc_best_query *q = w->query;
  const char *axes[2] = {q->group, q->choice};
  hc_study_query one = {.figure = name, .axes = axes, .axis_count = q->choice ? 2 : 1, .where = where};
  hc_grid *g = &w->grids[w->figure_count];
  hc_best_figure *f = &w->figures[w->figure_count];
  one.where_count = where_count;
  one.over = q->over;
  one.over_count = q->over_count;
  one.level = w->level;
  if (is_listed(q->higher, q->higher_count, name)) one.direction = 1;
  if (is_listed(q->lower, q->lower_count, name)) one.direction = -1;
  w->figure_count++;
  TRY(hc_grid_init(g, w->allocator, w->data, &one, e));
  TRY(hc_grid_ranks(g, e));
  *f = (hc_best_figure){.name = g->figure, .unit = g->unit, .direction = g->direction, .role = role};
  return 0;
}

static hc_rc open_figures(work *w, const char *const *where, size_t where_count, hc_error *e)
{
  const hc_best_query *q = w->query;
  size_t all = q->primary_count + q->performance_count + q->secondary_count;
  w->grids = hc_arena_alloc(&w->scratch, (all + 1) * sizeof *w->grids);
  w->figures = hc_arena_alloc(w->arena, (all + 1) * sizeof *w->figures);
  w->winner = hc_arena_alloc(&w->scratch, (all * w->groups + 1) * sizeof *w->winner);
  w->tied = hc_arena_alloc(&w->scratch, (all * w->groups * w->choices + 1) * sizeof *w->tied);
  if (!w->grids || !w->figures || !w->winner || !w->tied) return HC_ENOMEM;
  for (size_t i = 0; i < q->primary_count; i++)
    TRY(open_figure(w, q->primary[i], HC_BEST_PRIMARY, where, where_count, e));
  for (size_t i = 0; i < q->performance_count; i++)
    TRY(open_figure(w, q->performance[i], HC_BEST_PERFORMANCE, where, where_count, e));
  for (size_t i = 0; i < q->secondary_count; i++)
    TRY(open_figure(w, q->secondary[i], HC_BEST_SECONDARY, where, where_count, e));
  return 0;
}

static hc_rc judge_scene(work *w, const char *const *where, size_t where_count, hc_best_scene *scene,
                         hc_error *e)
{
  contest who;
  TRY(open_figures(w, where, where_count, e));
  for (uint32_t f = 0; f < w->figure_count; f++) TRY(lay_over(w, f));
  scene->figures = w->figures;
  scene->figure_count = w->figure_count;
  TRY(choose_overall(w, &who, scene));
  TRY(compare_secondary(w, &who, scene));
  return count_votes(w, scene);
}

/* @param level of the axis of scenes; UINT32_MAX: there is none */
static hc_rc one_scene(work *shape, const hc_study_axis *axis, uint32_t level, hc_best_scene *scene,
                       hc_error *e)
{
  work w = *shape;
  const hc_best_query *q = w.query;
  const char **where;
  size_t count = q->where_count;
  hc_rc rc = HC_ENOMEM;
  hc_arena_init(&w.scratch, w.allocator);
  scene->label = axis ? axis->labels[level] : "";
  where = hc_arena_alloc(&w.scratch, (count + 1) * sizeof *where);
  if (where && count) memcpy(where, q->where, count * sizeof *where);
  if (where && axis) where[count] = hc_arena_printf(&w.scratch, "%s==%s", axis->name, scene->label);
  if (where && (!axis || where[count])) rc = judge_scene(&w, where, count + (axis != NULL), scene, e);
  for (uint32_t f = 0; f < w.figure_count; f++) hc_grid_fini(&w.grids[f]);
  hc_arena_fini(&w.scratch);
  return rc;
}

/* ---- what scenes have in common ---- */

static bool is_chosen(const hc_best_scene *s, const char *label, bool of_group)
{
  for (uint32_t i = 0; i < s->candidate_count; i++) {
    const hc_best_candidate *c = &s->candidates[i];
    if (c->is_chosen && strcmp(of_group ? c->group : c->label, label) == 0) return true;
  }
  return false;
}

static hc_rc in_common(hc_arena *a, const hc_best_found *f, bool of_group, const char *const **out,
                       uint32_t *count)
{
  const hc_best_scene *first = f->scenes;
  uint32_t most = f->scene_count ? first->candidate_count : 0;
  const char **list = hc_arena_alloc(a, (most + 1) * sizeof *list);
  if (!list) return HC_ENOMEM;
  for (uint32_t i = 0; i < most; i++) {
    const char *label = of_group ? first->candidates[i].group : first->candidates[i].label;
    bool everywhere = !is_listed(list, *count, label);
    for (uint32_t s = 0; everywhere && s < f->scene_count; s++)
      everywhere = is_chosen(&f->scenes[s], label, of_group);
    if (everywhere) list[(*count)++] = label;
  }
  *out = list;
  return 0;
}

/* ---- all of it ---- */

/* Levels of an axis that the conditions leave. */
static hc_rc all_scenes(work *shape, found *out, hc_error *e)
{
  const hc_best_query *q = shape->query;
  uint32_t axis = q->scene ? hc_study_axis_find(shape->data, q->scene) : UINT32_MAX;
  const hc_study_axis *x = q->scene ? &shape->data->axes[axis] : NULL;
  hc_best_scene *scenes = hc_arena_alloc(&out->arena, ((x ? x->count : 1) + 1u) * sizeof *scenes);
  uint8_t **keep;
  if (!scenes) return HC_ENOMEM;
  out->found.scenes = scenes;
  TRY(hc_study_where(&out->arena, shape->data, q->where, q->where_count, &keep, e));
  for (uint32_t i = 0; i < (x ? x->count : 1); i++) {
    if (!x || keep[axis][i]) TRY(one_scene(shape, x, i, &scenes[out->found.scene_count++], e));
  }
  TRY(in_common(&out->arena, &out->found, false, &out->found.common, &out->found.common_count));
  return in_common(&out->arena, &out->found, true, &out->found.common_group, &out->found.common_group_count);
}

static hc_rc check_axes(const hc_study_data *d, const hc_best_query *q, hc_error *e)
{
  const char *names[] = {q->group, q->choice, q->scene};
  uint32_t at[3];
  for (size_t i = 0; i < 3; i++) {
    at[i] = names[i] ? hc_study_axis_find(d, names[i]) : UINT32_MAX;
    if (names[i] && at[i] == UINT32_MAX) return hc_study_no_axis(d, names[i], e);
    for (size_t k = 0; names[i] && k < i; k++) {
      if (at[k] == at[i])
        return hc_fail(e, HC_EUSAGE, d->name, 0, 0,
                       "axis \"%.100s\" cannot be two of group, choice and scenes", names[i]);
    }
  }
  if (!q->group) return hc_fail(e, HC_EUSAGE, d->name, 0, 0, "which axis is to be judged? Name the group");
  if (q->primary_count == 0) return hc_fail(e, HC_EUSAGE, d->name, 0, 0, "name at least one primary figure");
  return 0;
}

hc_rc hc_study_best(const hc_allocator *a, const hc_study_data *d, const hc_best_query *q,
                    hc_best_found **out, hc_error *e)
{
  found *f;
  work shape = {.allocator = a, .data = d, .query = q, .level = q->level > 0 ? q->level : 0.95, .choices = 1};
  hc_rc rc;
  TRY(check_axes(d, q, e));
  f = hc_alloc(a, sizeof *f);
  if (!f) return hc_fail(e, HC_ENOMEM, d->name, 0, 0, "out of memory");
  hc_arena_init(&f->arena, a);
  shape.arena = &f->arena;
  shape.groups = d->axes[hc_study_axis_find(d, q->group)].count;
  if (q->choice) shape.choices = d->axes[hc_study_axis_find(d, q->choice)].count;
  rc = all_scenes(&shape, f, e);
  if (rc < 0) {
    hc_best_found_free(a, &f->found);
    return hc_fail(e, rc, d->name, 0, 0, "%s", hc_rc_text(rc));
  }
  *out = &f->found;
  return 0;
}

void hc_best_found_free(const hc_allocator *a, hc_best_found *found_)
{
  found *f = (found *)(void *)found_;
  if (!f) return;
  hc_arena_fini(&f->arena);
  hc_free(a, f, sizeof *f);
}
