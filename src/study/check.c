/* check.c -- everything that the points of a study will be made of, resolved once, before anything runs.
 *
 * Each level is laid on the base with the first level of every other axis, and the configuration is resolved
 * as a run would: an unknown key, a value out of range, a part that does not exist are found here, with their
 * places. What only a combination of levels gets wrong is found when it runs, and is that point's failure. */
#include <string.h>

#include "base/util.h"
#include "setup/config.h"
#include "study/inputs.h"
#include "study/plan.h"

/* First steps of paths that decide what arrives. `transforms` do not: they work on what is on a tape. */
static bool moves_workload(const char *path)
{
  static const char *const roots[] = {"source", "seed", "replication", "compat", "plugin", "strict"};
  const size_t n = strcspn(path, ".");
  for (size_t i = 0; i < HC_ARRAY_LEN(roots); i++)
    if (strlen(roots[i]) == n && strncmp(roots[i], path, n) == 0) return true;
  return false;
}

static bool is_draw(const char *path)
{
  return strcmp(path, "seed") == 0 || strcmp(path, "replication") == 0;
}

/* Number of a transform of which a path sets something, `transforms.0.to`; HC_UNKNOWN: of all, or of none. */
static int64_t transform_of(const char *path)
{
  int64_t number = HC_UNKNOWN;
  if (strncmp(path, "transforms.", 11) != 0) return HC_UNKNOWN;
  return hc_parse_int(path + 11, strcspn(path + 11, "."), &number) < 0 ? HC_UNKNOWN : number;
}

/* Number of the last transform of every run; HC_UNKNOWN if there is none, or some axis changes how many there
 * are. */
static int64_t last_transform(const hc_study *s)
{
  const hc_value *v = hc_value_get(s->base, "transforms");
  const int64_t count = v && v->kind == HC_VALUE_LIST ? (int64_t)v->count : 0;
  for (size_t i = 0; i < s->axis_count; i++) {
    const hc_axis *x = &s->axes[i];
    for (size_t k = 0; k < x->count; k++)
      for (size_t p = 0; p < x->levels[k].patch_count; p++) {
        const char *path = x->levels[k].patches[p].path;
        const int64_t number = transform_of(path);
        if (strncmp(path, "transforms", 10) == 0 && (number == HC_UNKNOWN || number >= count))
          return HC_UNKNOWN;
      }
  }
  return count > 0 ? count - 1 : HC_UNKNOWN;
}

/* A transform may aim at a total of what those before it yield, so no total depends on the last one;
 * nor on what only decides or counts. Who is admitted is for the cell and for the run's own keys to say. */
static bool moves_totals(const char *path, int64_t last)
{
  static const char *const roots[] = {"policy", "architecture", "metrics"};
  const size_t n = strcspn(path, ".");
  for (size_t i = 0; i < HC_ARRAY_LEN(roots); i++)
    if (strlen(roots[i]) == n && strncmp(roots[i], path, n) == 0) return false;
  return last == HC_UNKNOWN || transform_of(path) != last;
}

static void judge_axis(hc_axis *x, int64_t last)
{
  if (x->is_shake) return;
  x->only_draws = true;
  for (size_t i = 0; i < x->count; i++) {
    for (size_t k = 0; k < x->levels[i].patch_count; k++) {
      x->workload |= moves_workload(x->levels[i].patches[k].path);
      x->totals |= moves_totals(x->levels[i].patches[k].path, last);
      x->only_draws &= is_draw(x->levels[i].patches[k].path);
    }
  }
}

static hc_rc lay(hc_config *c, const hc_study *s, size_t axis, size_t level, hc_error *e)
{
  for (size_t i = 0; i < s->axis_count; i++) {
    const hc_level *l = &s->axes[i].levels[i == axis ? level : 0];
    for (size_t k = 0; k < l->patch_count; k++)
      TRY(hc_config_put(c, l->patches[k].path, l->patches[k].value, e));
  }
  return 0;
}

/* A path that leads nowhere has no place of its own: it is the axis that has the same trouble alone. */
static const hc_axis *find_culprit(hc_config *c, const hc_study *s, size_t axis, size_t level,
                                   const hc_error *why, const hc_level **out)
{
  for (size_t i = 0; i < s->axis_count; i++) {
    const hc_level *l = &s->axes[i].levels[i == axis ? level : 0];
    hc_error alone = {0};
    hc_rc rc = 0;
    hc_config_clear(c);
    for (size_t k = 0; k < l->patch_count && rc >= 0; k++)
      rc = hc_config_put(c, l->patches[k].path, l->patches[k].value, &alone);
    if (rc >= 0) rc = hc_config_resolve(c, &alone);
    if (rc == 0 || strcmp(alone.text, why->text) != 0) continue;
    *out = l;
    return &s->axes[i];
  }
  return NULL;
}

/* The base with level `level` on one axis and the first on the others. */
static hc_rc resolve(hc_config *c, const hc_study *s, size_t axis, size_t level, hc_error *e)
{
  const hc_axis *culprit = NULL;
  const hc_level *l = NULL;
  hc_error why = {0};
  hc_rc rc;
  hc_config_clear(c);
  rc = lay(c, s, axis, level, &why);
  if (rc >= 0) rc = hc_config_resolve(c, &why);
  if (rc >= 0) return 0;
  if (why.line == 0) culprit = find_culprit(c, s, axis, level, &why, &l);
  if (!culprit || !l->place) return hc_fail(e, rc, why.where, why.line, why.column, "%s", why.text);
  return hc_value_fail(l->place, e, rc, "axis %s, level \"%.80s\": %s", culprit->name, l->label, why.text);
}

static hc_rc check_stdin(const hc_study *s, const hc_chosen *source, hc_error *e)
{
  for (const hc_param *p = source->type->params; p && p->name; p++) {
    const char *file = NULL;
    if (p->type != HC_TEXT || p->list || strcmp(p->name, "file") != 0) continue;
    memcpy(&file, (const char *)source->options + p->offset, sizeof file);
    if (file && strcmp(file, "-") == 0)
      return hc_value_fail(
          s->base, e, HC_EUSAGE,
          "a study reads its sources more than once, and standard input cannot be: save it to a file");
  }
  return 0;
}

/* Who wants figure number `i`. */
static const hc_value *keeper(const hc_study *s, size_t i)
{
  return hc_value_get(hc_value_get(s->tree, "study"), i < s->keep_count ? "keep" : "stop");
}

/* First steps of paths that decide which metrics, policies and architectures there are, hence which
 * figures. */
static bool moves_figures(const hc_axis *x)
{
  static const char *const roots[] = {"metrics", "trim",   "policy", "architecture",
                                      "world",   "compat", "plugin"};
  for (size_t i = 0; i < x->count; i++)
    for (size_t k = 0; k < x->levels[i].patch_count; k++) {
      const char *path = x->levels[i].patches[k].path;
      const size_t n = strcspn(path, ".");
      for (size_t r = 0; r < HC_ARRAY_LEN(roots); r++)
        if (strlen(roots[r]) == n && strncmp(roots[r], path, n) == 0) return true;
    }
  return false;
}

/* Figures that are wanted, and who is known to find them. */
typedef struct search {
  const char **wanted, **plain; /* [count]; the second without HC_TRIMMED */
  bool *found, *here;           /* [count] at some level, and at the one that is looked at */
  size_t count;
  bool trims; /* some level has a trimmed summary */
} search;

/* At the base with one level. @return whether all are found by now */
static hc_rc look_at_level(const hc_study *s, hc_config *c, search *w, size_t axis, size_t level, hc_error *e)
{
  bool all = true, trims;
  hc_config_clear(c);
  TRY(lay(c, s, axis, level, e));
  TRY(hc_config_resolve(c, e));
  trims = hc_config_options(c)->trim.type != NULL;
  w->trims |= trims;
  memset(w->here, 0, w->count * sizeof *w->here);
  hc_config_keep_figures(c, w->plain, w->count, w->here);
  for (size_t i = 0; i < w->count; i++) {
    w->found[i] |= w->here[i] && (trims || w->plain[i] == w->wanted[i]);
    all &= w->found[i];
  }
  return all;
}

static hc_rc refuse_figure(const hc_study *s, const search *w, size_t i, hc_error *e)
{
  if (w->plain[i] != w->wanted[i] && !w->trims)
    return hc_value_fail(keeper(s, i), e, HC_EUSAGE, "there is no trimmed summary: set `trim` in the base");
  return hc_value_fail(
      keeper(s, i), e, HC_EUSAGE,
      "no metric of the base, or of a level, finds a figure \"%.80s\"; `hindcast list metric` names the "
      "metrics, and `describe` their figures",
      w->plain[i]);
}

/* A figure may belong to some levels only, as a policy's own does where policies are compared; then the
 * others leave it open. One that no level finds is a mistake. */
static hc_rc check_figures(hc_study *s, hc_config *c, hc_error *e)
{
  const size_t n = s->keep_count + 1;
  search w = {.wanted = hc_arena_alloc(&s->arena, n * sizeof *w.wanted),
              .plain = hc_arena_alloc(&s->arena, n * sizeof *w.plain),
              .found = hc_arena_alloc(&s->arena, n * sizeof *w.found),
              .here = hc_arena_alloc(&s->arena, n * sizeof *w.here)};
  hc_rc rc;
  if (!w.wanted || !w.plain || !w.found || !w.here)
    return hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory for the study");
  for (size_t i = 0; i < s->keep_count; i++) w.wanted[w.count++] = s->keep[i];
  if (s->stop.figure) w.wanted[w.count++] = s->stop.figure;
  for (size_t i = 0; i < w.count; i++) w.plain[i] = hc_study_plain(w.wanted[i]);
  if (w.count == 0) return 0;
  rc = look_at_level(s, c, &w, s->axis_count, 0, e);
  for (size_t i = 0; rc == 0 && i < s->axis_count; i++)
    for (size_t k = 0; rc == 0 && moves_figures(&s->axes[i]) && k < s->axes[i].count; k++)
      rc = look_at_level(s, c, &w, i, k, e);
  for (size_t i = 0; rc == 0 && i < w.count; i++)
    if (!w.found[i]) return refuse_figure(s, &w, i, e);
  return HC_MIN(rc, 0);
}

/* ---- what is read ---- */

#define COMBINATIONS 4096 /* of axes that change what is read; beyond, the base with each level must do */

static bool moves_inputs(const hc_axis *x)
{
  static const char *const roots[] = {"source", "events", "cell", "compat"};
  for (size_t i = 0; i < x->count; i++) {
    for (size_t k = 0; k < x->levels[i].patch_count; k++) {
      const char *path = x->levels[i].patches[k].path;
      const size_t n = strcspn(path, ".");
      for (size_t r = 0; r < HC_ARRAY_LEN(roots); r++)
        if (strlen(roots[r]) == n && strncmp(roots[r], path, n) == 0) return true;
    }
  }
  return false;
}

/* What only a combination of levels reads. One that cannot be resolved reads nothing. */
static hc_rc note_combinations(hc_study *s, hc_config *c, hc_error *e)
{
  bool moves[HC_STUDY_AXES];
  uint64_t product = 1;
  size_t count = 0;
  for (size_t i = 0; i < s->axis_count; i++) {
    moves[i] = s->axes[i].place != s->tree && moves_inputs(&s->axes[i]);
    if (!moves[i]) continue;
    count++;
    product *= s->axes[i].count;
    if (product > COMBINATIONS) return 0;
  }
  for (uint64_t p = 0; count > 1 && p < product; p++) {
    hc_error ignored = {0};
    uint64_t rest = p;
    hc_rc rc = 0;
    hc_config_clear(c);
    for (size_t i = 0; i < s->axis_count && rc >= 0; i++) {
      const hc_level *l = &s->axes[i].levels[moves[i] ? rest % s->axes[i].count : 0];
      if (moves[i]) rest /= s->axes[i].count;
      for (size_t k = 0; k < l->patch_count && rc >= 0; k++)
        rc = hc_config_put(c, l->patches[k].path, l->patches[k].value, &ignored);
    }
    if (rc >= 0) rc = hc_config_resolve(c, &ignored);
    if (rc == HC_ENOMEM) return hc_fail(e, rc, "", 0, 0, "out of memory for the study");
    if (rc >= 0) TRY(hc_study_note_inputs(s, c, e));
  }
  return 0;
}

static hc_rc check_all(hc_study *s, hc_config *c, hc_error *e)
{
  const hc_run_options *o;
  bool moves;
  TRY(resolve(c, s, s->axis_count, 0, e));
  TRY(hc_study_note_inputs(s, c, e));
  o = hc_config_options(c);
  for (size_t i = 0; i < o->source.count; i++) TRY(check_stdin(s, (const hc_chosen *)o->source.items + i, e));
  for (size_t i = 0; i < s->axis_count; i++) {
    if (s->axes[i].place == s->tree)
      continue; /* replications and shakes: made by plan.c, perhaps thousands */
    moves = moves_inputs(&s->axes[i]);
    s->inputs_vary |= moves;
    for (size_t k = 0; k < s->axes[i].count; k++) {
      TRY(resolve(c, s, i, k, e));
      if (moves) TRY(hc_study_note_inputs(s, c, e));
    }
  }
  TRY(note_combinations(s, c, e));
  return check_figures(s, c, e);
}

hc_rc hc_study_check(hc_study *s, hc_error *e)
{
  const int64_t last = last_transform(s);
  hc_defaults defaults;
  hc_config *c;
  hc_rc rc;
  if (s->via) {
    const hc_resolver r = {.registry = s->registry, .arena = &s->arena};
    hc_chosen carrier;
    TRY(hc_resolve_component(&r, HC_KIND_CARRIER, s->via, "via", &carrier, e));
  }
  for (size_t i = 0; i < s->axis_count; i++) judge_axis(&s->axes[i], last);
  hc_defaults_init(&defaults, s->allocator);
  rc = hc_config_new_light(s->allocator, s->registry, s->base, &defaults, &c, e);
  if (rc >= 0) {
    rc = check_all(s, c, e);
    hc_config_free(c);
  }
  hc_defaults_fini(&defaults);
  return rc;
}
