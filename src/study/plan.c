/* plan.c -- a study file, read: what it says besides its axes, and the arithmetic of its points.
 *
 * Everything that can be wrong with a study is found here or by check.c, before anything runs. */
#include "study/plan.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "hindcast/figure.h"
#include "study/inputs.h"

static hc_rc no_memory(hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory for the study");
}

/* ---- words ---- */

const char *hc_study_nearest(const char *word, const char *const *words, size_t count)
{
  size_t best = HC_MIN((strlen(word) + 2) / 3, 3) + 1;
  const char *near = NULL;
  for (size_t i = 0; i < count; i++) {
    const size_t distance = hc_edit_distance(word, words[i], best);
    if (distance >= best) continue;
    best = distance;
    near = words[i];
  }
  return near;
}

static hc_rc unknown_key(const hc_value *item, const char *what, const char *const *known, size_t count,
                         hc_error *e)
{
  const char *near = hc_study_nearest(item->key, known, count);
  char list[512];
  size_t n = 0;
  if (near)
    return hc_value_fail_key(item, e, HC_EUSAGE, "unknown key \"%.80s\" of %s; did you mean \"%s\"?",
                             item->key, what, near);
  list[0] = '\0';
  for (size_t i = 0; i < count && n + strlen(known[i]) + 3 < sizeof list; i++) {
    memcpy(list + n, i ? ", " : "", i ? 3 : 1);
    n += i ? 2 : 0;
    memcpy(list + n, known[i], strlen(known[i]) + 1);
    n += strlen(known[i]);
  }
  return hc_value_fail_key(item, e, HC_EUSAGE, "unknown key \"%.80s\" of %s; it takes %s", item->key, what,
                           list);
}

hc_rc hc_study_check_keys(const hc_value *map, const char *what, const char *const *known, size_t count,
                          hc_error *e)
{
  if (map->kind != HC_VALUE_MAP)
    return hc_value_fail(map, e, HC_EUSAGE, "%s is made of keys and values; this is %s", what,
                         map->kind == HC_VALUE_LIST     ? "a list"
                         : map->kind == HC_VALUE_SCALAR ? "a single text"
                                                        : "nothing");
  for (size_t i = 0; i < map->count; i++) {
    bool found = false;
    for (size_t k = 0; k < count; k++) found |= strcmp(map->items[i]->key, known[k]) == 0;
    if (!found) return unknown_key(map->items[i], what, known, count, e);
  }
  return 0;
}

/* ---- numbers ---- */

static hc_rc read_count(const hc_value *v, const char *what, int64_t low, int64_t high, uint64_t *out,
                        hc_error *e)
{
  int64_t n;
  if (v->kind != HC_VALUE_SCALAR || v->quoted || hc_parse_int(v->text, strlen(v->text), &n) < 0 || n < low ||
      n > high)
    return hc_value_fail(v, e, HC_EUSAGE, "%s: expected a whole number from %" PRId64 " to %" PRId64, what,
                         low, high);
  *out = (uint64_t)n;
  return 0;
}

static hc_rc read_seconds(const hc_value *v, const char *what, double *out, hc_error *e)
{
  hc_time t;
  if (v->kind != HC_VALUE_SCALAR || hc_parse_time(v->text, strlen(v->text), &t) < 0 || t <= 0 ||
      t == HC_NEVER)
    return hc_value_fail(v, e, HC_EUSAGE,
                         "%s: expected a time above 0, such as 90s, 5m or a number of seconds", what);
  *out = (double)t / 1e9;
  return 0;
}

static hc_rc read_real(const hc_value *v, const char *what, double *out, hc_error *e)
{
  if (v->kind != HC_VALUE_SCALAR || v->quoted || hc_parse_real(v->text, strlen(v->text), out) < 0 ||
      !(*out > 0))
    return hc_value_fail(v, e, HC_EUSAGE, "%s: expected a number above 0", what);
  return 0;
}

/* ---- the base ---- */

static hc_rc copy_base(hc_study *s, const hc_value *from, hc_value *to, hc_error *e)
{
  for (size_t i = 0; i < from->count; i++) {
    bool keep = true;
    for (size_t k = 0; hc_study_dropped[k]; k++)
      keep &= strcmp(from->items[i]->key, hc_study_dropped[k]) != 0;
    if (keep && hc_value_put(&s->arena, to, from->items[i]->key, from->items[i]) < 0) return no_memory(e);
  }
  return 0;
}

/* Inline, or the name of a run file, or `file` beside what is laid upon it. */
static hc_rc read_base(hc_study *s, const hc_value *base, hc_error *e)
{
  const hc_value *file = base->kind == HC_VALUE_SCALAR ? base : hc_value_get(base, "file");
  hc_value *below = NULL, *all;
  if (base->kind != HC_VALUE_MAP && base->kind != HC_VALUE_SCALAR)
    return hc_value_fail(
        base, e, HC_EUSAGE,
        "base: expected the keys of a run, or {file: run.yaml}; `hindcast describe run` lists them");
  if (file && file->kind != HC_VALUE_SCALAR)
    return hc_value_fail(file, e, HC_EUSAGE, "base.file: expected the name of a run file");
  if (file) TRY(hc_value_parse_file(&s->arena, file->text, &below, e));
  if (below && below->kind != HC_VALUE_MAP)
    return hc_value_fail(below, e, HC_EUSAGE,
                         "a run file is made of keys and values, such as `source: log.swf`");
  all = hc_value_map(&s->arena);
  if (!all) return no_memory(e);
  if (below) TRY(copy_base(s, below, all, e));
  s->base = all;
  if (base->kind == HC_VALUE_MAP) {
    hc_value *over = hc_value_map(&s->arena);
    if (!over) return no_memory(e);
    TRY(copy_base(s, base, over, e));
    s->base = hc_value_merge(&s->arena, all, over);
    if (!s->base) return no_memory(e);
  }
  s->base->file = base->file;
  s->base->line = base->line;
  s->base->column = base->column;
  s->base->source_line = base->source_line;
  return 0;
}

/* ---- the rest ---- */

const char *hc_study_plain(const char *name)
{
  const size_t n = strlen(HC_TRIMMED);
  return strncmp(name, HC_TRIMMED, n) == 0 ? name + n : name;
}

static hc_rc read_keep(hc_study *s, const hc_value *v, hc_error *e)
{
  const size_t n = v->kind == HC_VALUE_LIST ? v->count : 1;
  if (v->kind == HC_VALUE_SCALAR && strcmp(v->text, "all") == 0) return 0;
  s->keep = hc_arena_alloc(&s->arena, n * sizeof *s->keep);
  s->plain = hc_arena_alloc(&s->arena, n * sizeof *s->plain);
  if (!s->keep || !s->plain) return no_memory(e);
  for (size_t i = 0; i < n; i++) {
    const hc_value *item = v->kind == HC_VALUE_LIST ? v->items[i] : v;
    if (item->kind != HC_VALUE_SCALAR || !item->text[0])
      return hc_value_fail(item, e, HC_EUSAGE,
                           "keep: expected names of figures, such as [wait_mean, makespan], or all");
    s->plain[s->keep_count] = hc_study_plain(item->text);
    s->keep[s->keep_count++] = item->text;
  }
  if (n == 0)
    return hc_value_fail(v, e, HC_EUSAGE, "keep: an empty list would keep nothing; `keep: all` keeps all");
  return 0;
}

static hc_rc read_limits(hc_study *s, const hc_value *v, hc_error *e)
{
  static const char *const known[] = {"time", "cpu"};
  const hc_value *time, *cpu;
  TRY(hc_study_check_keys(v, "limits", known, HC_ARRAY_LEN(known), e));
  time = hc_value_get(v, "time");
  cpu = hc_value_get(v, "cpu");
  if (time) TRY(read_seconds(time, "limits.time", &s->time_limit, e));
  if (cpu) TRY(read_seconds(cpu, "limits.cpu", &s->cpu_limit, e));
  return 0;
}

static hc_rc read_stop(hc_study *s, const hc_value *v, hc_error *e)
{
  static const char *const known[] = {"figure", "relative", "absolute", "min", "max"};
  const hc_value *figure, *relative, *absolute, *min, *max;
  TRY(hc_study_check_keys(v, "stop", known, HC_ARRAY_LEN(known), e));
  figure = hc_value_get(v, "figure");
  relative = hc_value_get(v, "relative");
  absolute = hc_value_get(v, "absolute");
  min = hc_value_get(v, "min");
  max = hc_value_get(v, "max");
  if (!figure || figure->kind != HC_VALUE_SCALAR || !max || !relative == !absolute)
    return hc_value_fail(
        v, e, HC_EUSAGE,
        "stop: expected a figure, how sure it is to be (relative or absolute: the half width of its 95 %% "
        "interval) and the most replications: {figure: wait_mean, relative: 0.05, max: 100}");
  s->stop.figure = figure->text;
  s->stop.relative = relative != NULL;
  s->stop.min = 5;
  TRY(read_real(relative ? relative : absolute, relative ? "stop.relative" : "stop.absolute",
                &s->stop.half_width, e));
  if (min) TRY(read_count(min, "stop.min", 2, 1000000, &s->stop.min, e));
  TRY(read_count(max, "stop.max", (int64_t)s->stop.min, 1000000, &s->stop.max, e));
  return 0;
}

static hc_rc read_shake(hc_study *s, const hc_value *v, hc_error *e)
{
  static const char *const known[] = {"count", "by", "run"};
  const hc_value *count, *by, *run;
  if (v->kind == HC_VALUE_SCALAR) return read_count(v, "shake", 1, 1000000, &s->shakes, e);
  TRY(hc_study_check_keys(v, "shake", known, HC_ARRAY_LEN(known), e));
  count = hc_value_get(v, "count");
  by = hc_value_get(v, "by");
  run = hc_value_get(v, "run");
  if (count) TRY(read_count(count, "shake.count", 1, 1000000, &s->shakes, e));
  if (by && (by->kind != HC_VALUE_SCALAR || hc_parse_time(by->text, strlen(by->text), &s->shake_by) < 0 ||
             s->shake_by < 0 || s->shake_by == HC_NEVER))
    return hc_value_fail(by, e, HC_EUSAGE, "shake.by: expected a time, such as 1m; 0: submissions stay");
  if (run &&
      (run->kind != HC_VALUE_SCALAR || hc_parse_real(run->text, strlen(run->text), &s->shake_run) < 0 ||
       !(s->shake_run >= 0) || s->shake_run >= 1))
    return hc_value_fail(run, e, HC_EUSAGE,
                         "shake.run: expected a share from 0 to below 1, such as 0.01; 0: run times stay");
  if (s->shake_by == 0 && s->shake_run == 0)
    return hc_value_fail(v, e, HC_EUSAGE, "shake: `by` and `run` are both 0, so that nothing is shaken");
  return 0;
}

static hc_rc read_seeds(hc_study *s, const hc_value *v, hc_error *e)
{
  const size_t n = v->kind == HC_VALUE_LIST ? v->count : 1;
  hc_axis *x = hc_study_add_axis(s, "seed", v);
  if (!x) return no_memory(e);
  for (size_t i = 0; i < n; i++) {
    const hc_value *item = v->kind == HC_VALUE_LIST ? v->items[i] : v;
    hc_patch *p = hc_arena_alloc(&s->arena, sizeof *p);
    uint64_t seed = 0;
    TRY(read_count(item, "seeds", 0, INT64_MAX, &seed, e));
    for (size_t k = 0; k < i; k++)
      if (x->levels[k].number == (double)seed)
        return hc_value_fail(
            item, e, HC_EUSAGE,
            "seeds: %" PRIu64 " stands here again; a sample that counts twice is no second one", seed);
    if (!p || hc_reserve(s->allocator, (void **)&x->levels, &x->cap, x->count + 1, sizeof *x->levels) < 0)
      return no_memory(e);
    *p = (hc_patch){"seed", item};
    x->levels[x->count++] = (hc_level){hc_study_label(s, item), (double)seed, p, 1, item};
    if (!x->levels[x->count - 1].label) return no_memory(e);
  }
  return 0;
}

static hc_rc read_replications(hc_study *s, const hc_value *v, hc_error *e)
{
  uint64_t n = 1;
  if (v) TRY(read_count(v, "replications", 1, 1000000, &n, e));
  if (s->stop.figure) {
    if (v && n != s->stop.max)
      return hc_value_fail(v, e, HC_EUSAGE,
                           "replications: `stop` says how many there are; leave one of the two out");
    n = s->stop.max;
  }
  s->replication_axis = s->axis_count;
  if (n == 1 && !s->stop.figure) return 0;
  TRY(hc_study_count_axis(s, "replication", "replication", 0, n, e));
  return 0;
}

/* ---- points ---- */

hc_axis *hc_study_axis_named(const hc_study *s, const char *name)
{
  for (size_t i = 0; i < s->axis_count; i++)
    if (strcmp(s->axes[i].name, name) == 0) return &s->axes[i];
  return NULL;
}

uint32_t hc_study_digit(const hc_study *s, uint64_t point, size_t axis)
{
  for (size_t i = s->axis_count; --i > axis;) point /= s->axes[i].count;
  return (uint32_t)(point % s->axes[axis].count);
}

static hc_rc count_points(hc_study *s, const hc_value *study, hc_error *e)
{
  double all = 1;
  s->product = 1;
  if (s->axis_count > HC_STUDY_AXES)
    return hc_value_fail(study, e, HC_ELIMIT, "a study has at most %d axes; this one has %zu", HC_STUDY_AXES,
                         s->axis_count);
  for (size_t i = 0; i < s->axis_count; i++) {
    if (s->axes[i].count == 0)
      return hc_value_fail(
          s->axes[i].place, e, HC_EUSAGE,
          "axis %s has no level, so the study has no point: give it one, or leave the axis out",
          s->axes[i].name);
    all *= (double)s->axes[i].count;
    if (all <= (double)HC_STUDY_POINTS) s->product *= s->axes[i].count;
  }
  if (all > (double)HC_STUDY_POINTS) {
    char most[40], count[40];
    const hc_value *axes = hc_value_get(study, "axes");
    most[hc_format_count((int64_t)HC_STUDY_POINTS, most)] = '\0';
    count[all < 1e18 ? hc_format_count((int64_t)all, count) : hc_format_real(all, count)] = '\0';
    return hc_value_fail(axes ? axes : study, e, HC_ELIMIT,
                         "the product of the axes is %s points, and a study may have %s: use fewer levels or "
                         "replications, or make it several studies",
                         count, most);
  }
  s->count = s->product;
  if (s->exclusion_count == 0) return 0;
  s->count = 0;
  for (uint64_t p = 0; p < s->product; p++) s->count += !hc_study_is_excluded(s, p);
  if (s->count == 0)
    return hc_value_fail(hc_value_get(study, "exclude"), e, HC_EUSAGE,
                         "exclude leaves none of the %" PRIu64 " points: nothing to run", s->product);
  return 0;
}

static hc_rc show_axes(hc_study *s, hc_error *e)
{
  s->shown = hc_arena_alloc(&s->arena, s->axis_count * sizeof *s->shown);
  if (!s->shown) return no_memory(e);
  for (size_t i = 0; i < s->axis_count; i++) {
    const hc_axis *x = &s->axes[i];
    const char **labels = hc_arena_alloc(&s->arena, x->count * sizeof *labels);
    double *numbers = hc_arena_alloc(&s->arena, x->count * sizeof *numbers);
    if (!labels || !numbers) return no_memory(e);
    for (size_t k = 0; k < x->count; k++) {
      labels[k] = x->levels[k].label;
      numbers[k] = x->levels[k].number;
    }
    s->shown[i] = (hc_study_axis){x->name, (uint32_t)x->count, labels, numbers};
  }
  return 0;
}

/* ---- the whole ---- */

static const hc_file_key study_keys[] = {
    {"name", "Name of the study, and of its store in results/. Default: study."},
    {"description", "A sentence for readers; nothing is done with it."},
    {"base", "What all runs share: a run's configuration, or {file: run.yaml}."},
    {"axes",
     "What is varied: for each axis its name and its levels, or {path: KEY, levels: [...]}, or a range "
     "{from, to, step}."},
    {"zip", "Axes that go together, level by level, instead of in all combinations."},
    {"exclude", "Combinations that are left out: levels, or an expression `when`."},
    {"seeds", "Seeds that are varied, as an axis of their own."},
    {"replications", "How many times each combination is run, with other draws. Default: 1."},
    {"keep", "Names of the figures that are stored, with * for any text; or all."},
    {"stop", "When enough replications are done: {figure, relative or absolute, min, max}."},
    {"compare", "What is compared with what: {axis, baseline, figures}."},
    {"limits", "Limits of a point: {time: 1m, cpu: 1m}."},
    {"shake", "Shaken copies of each workload: their number, or {count, by, run}."},
    {"via", "The carrier of the points, such as {use: slurm, partition: short}. Default: local."},
    {NULL, NULL}};

const hc_file_key *hc_study_keys(void)
{
  return study_keys;
}

static hc_rc read_study(hc_study *s, hc_value *study, const hc_study_laid *laid, hc_error *e)
{
  const char *known[HC_ARRAY_LEN(study_keys)];
  size_t count = 0;
  const hc_value *v;
  TRY(hc_study_lay_keys(s, study, laid, e));
  for (; study_keys[count].name; count++) known[count] = study_keys[count].name;
  TRY(hc_study_check_keys(study, "a study", known, count, e));
  v = hc_value_get(study, "name");
  if (v && (v->kind != HC_VALUE_SCALAR || !v->text[0] || strchr(v->text, '/')))
    return hc_value_fail(v, e, HC_EUSAGE, "name: expected a text without /; it names a file in results/");
  s->name = v ? v->text : "study";
  if (!(v = hc_value_get(study, "base")))
    return hc_value_fail(
        study, e, HC_EUSAGE,
        "a study has a base, what all of its runs share: `base: {source: log.swf, policy: easy}`, or `base: "
        "{file: run.yaml}`");
  TRY(read_base(s, v, e));
  TRY(hc_study_lay_base(s, laid, e));
  if (hc_value_put(&s->arena, study, "base", s->base) < 0) return no_memory(e);
  if ((v = hc_value_get(study, "axes"))) TRY(hc_study_read_axes(s, v, e));
  TRY(hc_study_check_overlaps(s, e));
  if ((v = hc_value_get(study, "zip"))) TRY(hc_study_zip(s, v, e));
  if ((v = hc_value_get(study, "seeds"))) TRY(read_seeds(s, v, e));
  if ((v = hc_value_get(study, "keep"))) TRY(read_keep(s, v, e));
  if ((v = hc_value_get(study, "limits"))) TRY(read_limits(s, v, e));
  if ((v = hc_value_get(study, "stop"))) TRY(read_stop(s, v, e));
  s->via = hc_value_get(study, "via");
  s->shake_by = 60 * HC_SECOND;
  s->shake_run = 0.01;
  if ((v = hc_value_get(study, "shake"))) TRY(read_shake(s, v, e));
  if (laid->shakes > 0) s->shakes = laid->shakes;
  if (s->shakes > 0) {
    TRY(hc_study_count_axis(s, "shake", NULL, 0, s->shakes + 1, e));
    s->axes[s->axis_count - 1].is_shake = s->axes[s->axis_count - 1].workload =
        s->axes[s->axis_count - 1].totals = true;
  }
  TRY(read_replications(s, hc_value_get(study, "replications"), e));
  TRY(hc_study_check_overlaps(s, e));
  TRY(hc_study_check_laid(s, e));
  if ((v = hc_value_get(study, "compare"))) TRY(hc_study_check_asked(s, v, e));
  if ((v = hc_value_get(study, "exclude"))) TRY(hc_study_read_exclusions(s, v, e));
  TRY(count_points(s, study, e));
  return show_axes(s, e);
}

static hc_rc read_tree(hc_study *s, const hc_study_laid *laid, hc_error *e)
{
  static const char *const known[] = {"study"};
  hc_value *study;
  TRY(hc_study_check_keys(s->tree, "a study file", known, 1, e));
  study = hc_value_get(s->tree, "study");
  if (!study)
    return hc_value_fail(s->tree, e, HC_EUSAGE,
                         "a study file has one key, `study:`, with base and axes below it");
  TRY(read_study(s, study, laid, e));
  if (laid->shakes > 0) { /* what the command line said belongs to the study from now on */
    char n[32], by[32], run[32];
    hc_value *shake = hc_value_map(&s->arena);
    n[hc_format_real((double)laid->shakes, n)] = '\0';
    by[hc_format_seconds(s->shake_by, by)] = '\0';
    run[hc_format_real(s->shake_run, run)] = '\0';
    if (!shake || hc_value_put(&s->arena, shake, "count", hc_value_scalar(&s->arena, n, HC_FROM_FLAG)) < 0 ||
        hc_value_put(&s->arena, shake, "by", hc_value_scalar(&s->arena, by, HC_FROM_FLAG)) < 0 ||
        hc_value_put(&s->arena, shake, "run", hc_value_scalar(&s->arena, run, HC_FROM_FLAG)) < 0 ||
        hc_value_put(&s->arena, study, "shake", shake) < 0)
      return no_memory(e);
  }
  return hc_study_check(s, e);
}

static hc_rc begin(const hc_allocator *a, hc_registry *r, hc_study **out, hc_error *e)
{
  hc_study *s = hc_alloc(a, sizeof *s);
  if (!s) return no_memory(e);
  s->allocator = a;
  s->registry = r;
  hc_arena_init(&s->arena, a);
  *out = s;
  return 0;
}

static hc_rc end(hc_study *s, hc_rc rc, const hc_study_laid *laid, hc_study **out, hc_error *e)
{
  const hc_study_laid nothing = {0};
  if (rc >= 0) rc = read_tree(s, laid ? laid : &nothing, e);
  if (rc < 0) {
    hc_study_free(s);
    return rc == HC_ENOMEM ? no_memory(e) : rc;
  }
  *out = s;
  return 0;
}

hc_rc hc_study_read(const hc_allocator *a, hc_registry *r, const char *path, const hc_study_laid *laid,
                    hc_study **out, hc_error *e)
{
  hc_study *s = NULL;
  TRY(begin(a, r, &s, e));
  s->file = hc_arena_text(&s->arena, path, strlen(path));
  return end(s, s->file ? hc_value_parse_file(&s->arena, path, &s->tree, e) : HC_ENOMEM, laid, out, e);
}

hc_rc hc_study_parse(const hc_allocator *a, hc_registry *r, const char *text, size_t size, const char *name,
                     hc_study **out, hc_error *e)
{
  hc_study *s = NULL;
  TRY(begin(a, r, &s, e));
  s->file = hc_arena_text(&s->arena, name, strlen(name));
  return end(s, s->file ? hc_value_parse(&s->arena, text, size, name, &s->tree, e) : HC_ENOMEM, NULL, out, e);
}

void hc_study_free(hc_study *s)
{
  if (!s) return;
  for (size_t i = 0; i < s->axis_count; i++)
    hc_free(s->allocator, s->axes[i].levels, s->axes[i].cap * sizeof *s->axes[i].levels);
  hc_free(s->allocator, s->axes, s->axis_cap * sizeof *s->axes);
  hc_free(s->allocator, s->named, s->named_cap * sizeof *s->named);
  hc_free(s->allocator, s->inputs, s->input_cap * sizeof *s->inputs);
  hc_free(s->allocator, s->exclusions, s->exclusion_cap * sizeof *s->exclusions);
  hc_arena_fini(&s->arena);
  hc_free(s->allocator, s, sizeof *s);
}

void hc_study_facts_of(const hc_study *s, hc_study_facts *out)
{
  *out = (hc_study_facts){.name = s->name,
                          .axes = s->shown,
                          .axis_count = (uint32_t)s->axis_count,
                          .product = s->product,
                          .points = s->count,
                          .replications =
                              s->replication_axis < s->axis_count ? s->axes[s->replication_axis].count : 1,
                          .stops = s->stop.figure != NULL};
}

bool hc_study_has_point(const hc_study *s, uint64_t number, uint32_t *levels)
{
  if (number >= s->product || hc_study_is_excluded(s, number)) return false;
  for (size_t i = s->axis_count; i-- > 0; number /= s->axes[i].count)
    levels[i] = (uint32_t)(number % s->axes[i].count);
  return true;
}

hc_rc hc_study_text(const hc_study *s, hc_buffer *out)
{
  hc_value *study = hc_value_get(s->tree, "study");
  hc_value copy = *study, top = *s->tree, *items[HC_ARRAY_LEN(study_keys)], *one[1] = {&copy};
  copy.items = items;
  copy.count = 0;
  for (size_t i = 0; i < study->count; i++)
    if (strcmp(study->items[i]->key, "limits") != 0 && strcmp(study->items[i]->key, "via") != 0)
      items[copy.count++] = study->items[i];
  top.items = one;
  hc_value_write_json(&top, out, false);
  return out->failed ? HC_ENOMEM : 0;
}

hc_rc hc_study_heading(const hc_study *s, hc_buffer *out)
{
  TRY(hc_study_text(s, out));
  hc_buffer_text(out, "\n");
  return hc_study_write_inputs(s, out);
}
