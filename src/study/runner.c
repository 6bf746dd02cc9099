/* runner.c -- carries out points of a study one after another, in one process.
 *
 * What a 500-task run would spend on anything but its tasks is kept from point to point: the parsed base, its
 * parsed defaults, resolved configurations of the points that differ in their draws alone, the workload (a
 * tape, while the points stay with it), and the memory of the run before. No file is written and nothing is
 * parsed. */
#include "study/runner.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "engine/replay.h"
#include "setup/config.h"
#include "study/recycle.h"

#define CONFIGS 4096                    /* resolved ones that are kept, if they are small */
#define CONFIG_BYTES ((size_t)32 << 20) /* that they may take together */
#define SETS 256                        /* of figures */
#define ASKED 65536                     /* names of figures whose answers are kept */
#define RECYCLED ((size_t)64 << 20)

typedef struct resolved {
  hc_config *config;
  uint64_t key; /* digits of all axes but draws */
  bool is_filled;
} resolved;

struct hc_runner {
  hc_study *study;
  hc_recycler *recycler;
  const hc_allocator *allocator; /* the recycler's */
  hc_defaults defaults;
  resolved configs[CONFIGS];
  size_t places; /* of them that are used, by what the first one takes; 0: before it */
  size_t tape_limit;
  hc_tape *tape; /* NULL: none, or there can be none */
  uint64_t tape_key;
  bool has_tape_key;
  hc_totals_memory totals; /* of the first passes over it */
  uint64_t totals_key;
  /* figures */
  hc_figure_set sets[SETS];
  size_t set_count;
  hc_arena text;
  hc_buffer found; /* "name|unit\n" of what the run at hand found */
  double *values;
  size_t value_count, value_cap;
  bool *kept; /* of the figures of the run before, by their place */
  size_t kept_count, kept_cap;
  hc_buffer last; /* what that run found, kept or not */
  hc_buffer seen;
  const hc_figure_set *last_set;
  double *all;
  size_t all_count, all_cap;
  hc_result *result; /* while a trimmed summary is read */
  hc_names asked;    /* figures that were asked for, and of each whether it is kept */
  bool *answers;
  size_t answer_cap;
  char why[1100];
};

static hc_rc no_memory(hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory for the points of the study");
}

hc_rc hc_runner_new(hc_study *s, size_t tape_limit, hc_runner **out, hc_error *e)
{
  hc_runner *r = hc_alloc(s->allocator, sizeof *r);
  if (!r) return no_memory(e);
  r->study = s;
  r->tape_limit = tape_limit;
  r->recycler = hc_recycler_new(s->allocator, RECYCLED);
  if (!r->recycler) {
    hc_free(s->allocator, r, sizeof *r);
    return no_memory(e);
  }
  r->allocator = hc_recycler_allocator(r->recycler);
  hc_defaults_init(&r->defaults, s->allocator);
  hc_arena_init(&r->text, s->allocator);
  hc_buffer_init(&r->found, s->allocator);
  hc_buffer_init(&r->last, s->allocator);
  hc_buffer_init(&r->seen, s->allocator);
  hc_names_init(&r->asked, s->allocator, ASKED);
  *out = r;
  return 0;
}

void hc_runner_free(hc_runner *r)
{
  const hc_allocator *a;
  if (!r) return;
  a = r->study->allocator;
  for (size_t i = 0; i < CONFIGS; i++) hc_config_free(r->configs[i].config);
  hc_tape_free(r->tape);
  hc_defaults_fini(&r->defaults);
  hc_arena_fini(&r->text);
  hc_buffer_fini(&r->found);
  hc_buffer_fini(&r->last);
  hc_buffer_fini(&r->seen);
  hc_names_fini(&r->asked);
  hc_free(a, r->answers, r->answer_cap * sizeof *r->answers);
  hc_free(a, r->values, r->value_cap * sizeof *r->values);
  hc_free(a, r->kept, r->kept_cap * sizeof *r->kept);
  hc_free(a, r->all, r->all_cap * sizeof *r->all);
  hc_recycler_free(r->recycler);
  hc_free(a, r, sizeof *r);
}

/* ---- the configuration ---- */

typedef struct digits {
  uint32_t level[HC_STUDY_AXES];
  uint64_t config, workload, totals; /* keys: the digits that matter to each */
  uint64_t shake;
  int64_t seed, replication; /* HC_UNKNOWN: no axis of draws says it */
} digits;

static void read_draw(const hc_patch *p, digits *d)
{
  int64_t n;
  if (hc_parse_int(p->value->text, strlen(p->value->text), &n) < 0) return;
  if (strcmp(p->path, "seed") == 0) d->seed = n;
  else d->replication = n;
}

static void read_digits(const hc_study *s, uint64_t point, digits *d)
{
  d->config = d->workload = d->totals = d->shake = 0;
  d->seed = d->replication = HC_UNKNOWN;
  for (size_t i = s->axis_count; i-- > 0; point /= s->axes[i].count)
    d->level[i] = (uint32_t)(point % s->axes[i].count);
  for (size_t i = 0; i < s->axis_count; i++) {
    const hc_axis *x = &s->axes[i];
    const hc_level *l = &x->levels[d->level[i]];
    if (x->workload) d->workload = d->workload * x->count + d->level[i];
    if (x->totals) d->totals = d->totals * x->count + d->level[i];
    if (x->is_shake) d->shake = d->level[i];
    else if (!x->only_draws) d->config = d->config * x->count + d->level[i];
    else
      for (size_t k = 0; k < l->patch_count; k++) read_draw(&l->patches[k], d);
  }
}

/* Points of one workload come one after another, and the next workload has the same configurations again: as
 * many are kept as there is room for. Two that want one place drive each other out. */
static hc_rc configure(hc_runner *r, const digits *d, hc_config **out, hc_error *e)
{
  const hc_study *s = r->study;
  resolved *at = &r->configs[r->places > 0 ? d->config % r->places : 0];
  const bool is_there = at->is_filled && at->key == d->config;
  if (!at->config) TRY(hc_config_new_light(s->allocator, s->registry, s->base, &r->defaults, &at->config, e));
  *out = at->config;
  if (!is_there) {
    at->is_filled = false;
    hc_config_clear(at->config);
    for (size_t i = 0; i < s->axis_count; i++) {
      const hc_level *l = &s->axes[i].levels[d->level[i]];
      for (size_t k = 0; k < l->patch_count; k++)
        TRY(hc_config_put(at->config, l->patches[k].path, l->patches[k].value, e));
    }
    TRY(hc_config_resolve(at->config, e));
    if (s->keep_count > 0) hc_config_keep_figures(at->config, s->plain, s->keep_count, NULL);
    at->key = d->config;
    at->is_filled = true;
    if (r->places == 0)
      r->places = HC_MIN(HC_MAX(CONFIG_BYTES / hc_config_size(at->config), 1), (size_t)CONFIGS);
  }
  if (is_there) hc_config_draws(at->config, d->seed, d->replication);
  return 0;
}

/* ---- the workload ---- */

static const void *option_of(const hc_chosen *c, const char *name)
{
  for (const hc_param *p = c->type->params; p && p->name; p++)
    if (strcmp(p->name, name) == 0) return (const char *)c->options + p->offset;
  return NULL;
}

/* What the first transform leaves of each source: later ones see no more. */
static hc_tape_need need_of(const hc_runner *r, const digits *d, const hc_run_options *o)
{
  hc_tape_need n = {.until = HC_UNKNOWN, .moved = d->shake > 0 ? HC_MAX(r->study->shake_by, 0) : 0};
  const hc_chosen *first = o->transforms.items;
  if (o->transforms.count == 0) return n;
  if (strcmp(first->type->name, "first") == 0)
    n.rows = (uint64_t) * (const int64_t *)option_of(first, "count");
  if (strcmp(first->type->name, "window") == 0) n.until = *(const hc_time *)option_of(first, "to");
  return n;
}

/* A source that fails is left to the run: it may end before it comes to that place. */
static hc_rc load_tape(hc_runner *r, const digits *d, hc_config *c, hc_error *e)
{
  const hc_run_options *o = hc_config_options(c);
  const hc_source_context context = {.allocator = r->study->allocator,
                                     .seed = (uint64_t)o->seed,
                                     .replication = (uint64_t)o->replication,
                                     .strict = o->strict};
  const hc_tape_need need = need_of(r, d, o);
  hc_error why = {0};
  hc_rc rc = 0;
  if (o->execution.type) { /* a tape has lengths, not what tasks do */
    hc_tape_free(r->tape);
    r->tape = NULL;
    r->has_tape_key = false;
    return d->shake == 0 ? 0
                         : hc_fail(e, HC_EUNSUPPORTED, "study", 0, 0,
                                   "a workload whose tasks do what their profiles say (execution) cannot be "
                                   "shaken: leave out one of the two");
  }
  if (!r->has_tape_key || r->tape_key != d->workload || (r->tape && !hc_tape_serves(r->tape, &need)) ||
      (!r->tape && d->shake > 0)) {
    hc_tape_free(r->tape);
    r->tape = NULL;
    r->tape_key = d->workload;
    r->has_tape_key = true;
    rc = hc_tape_record(&context, o->source.items, o->source.count, r->tape_limit, &need, &r->tape, &why);
    if (rc != 0) r->tape = NULL;
    if (r->tape && d->shake > 0) {
      rc = hc_tape_shake(r->tape, context.seed, context.replication, d->shake, r->study->shake_by,
                         r->study->shake_run, e);
      if (rc < 0) {
        r->has_tape_key = false;
        return rc;
      }
    }
  }
  if (r->tape || d->shake == 0) return 0;
  return hc_fail(e, HC_EUNSUPPORTED, why.where, why.line, why.column, "its workload cannot be shaken: %s",
                 why.text[0] ? why.text : hc_rc_text(rc));
}

/* ---- figures ---- */

static hc_rc find_figure(void *ctx, const char *name, const char *unit, double value, bool is_count,
                         int64_t count)
{
  hc_runner *r = ctx;
  HC_UNUSED(is_count);
  HC_UNUSED(count);
  hc_buffer_text(&r->seen, name);
  hc_buffer_add(&r->seen, "|", 1);
  hc_buffer_text(&r->seen, unit);
  hc_buffer_add(&r->seen, "\n", 1);
  TRY(hc_reserve(r->study->allocator, (void **)&r->all, &r->all_cap, r->all_count + 1, sizeof *r->all));
  r->all[r->all_count++] = value;
  return 0;
}

static hc_rc find_cell(void *ctx, const char *table, int64_t key, const char *name, const char *unit,
                       double value)
{
  HC_UNUSED(ctx);
  HC_UNUSED(table);
  HC_UNUSED(key);
  HC_UNUSED(name);
  HC_UNUSED(unit);
  HC_UNUSED(value);
  return 0;
}

static bool is_kept(const hc_study *s, const char *name)
{
  for (size_t i = 0; i < s->keep_count; i++)
    if (hc_figure_name_matches(s->keep[i], name)) return true;
  return s->keep_count == 0;
}

/* The same names are asked for after every run. */
static bool wants(void *ctx, const char *name)
{
  hc_runner *r = ctx;
  const size_t before = r->asked.count;
  uint32_t id;
  if (hc_reserve(r->study->allocator, (void **)&r->answers, &r->answer_cap, before + 1, sizeof(bool)) < 0 ||
      hc_names_add(&r->asked, name, strlen(name), &id) < 0)
    return is_kept(r->study, name);
  if (id == before) r->answers[id] = is_kept(r->study, name);
  return r->answers[id];
}

/* Which of them are kept, and the set that these are. */
static hc_rc choose_set(hc_runner *r)
{
  const hc_allocator *a = r->study->allocator;
  size_t count = 0;
  uint64_t words[2];
  hc_hash h;
  r->found.size = 0;
  r->kept_count = 0;
  for (char *line = r->seen.data; r->seen.size > 0 && line < r->seen.data + r->seen.size;) {
    char *bar = strchr(line, '|'), *end = strchr(line, '\n');
    bool kept;
    *bar = '\0';
    kept = is_kept(r->study, line);
    *bar = '|';
    TRY(hc_reserve(a, (void **)&r->kept, &r->kept_cap, r->kept_count + 1, sizeof *r->kept));
    r->kept[r->kept_count++] = kept;
    if (kept) hc_buffer_add(&r->found, line, (size_t)(end + 1 - line));
    count += kept;
    line = end + 1;
  }
  if (r->found.failed) return HC_ENOMEM;
  hc_hash_init(&h);
  hc_hash_add(&h, r->found.data, r->found.size);
  hc_hash_end(&h, words);
  for (size_t i = 0; i < r->set_count; i++)
    if (r->sets[i].key == words[0]) {
      r->last_set = &r->sets[i];
      return 0;
    }
  if (r->set_count == SETS) return HC_ELIMIT;
  r->last_set = &r->sets[r->set_count];
  r->sets[r->set_count++] = (hc_figure_set){.key = words[0],
                                            .text = hc_arena_text(&r->text, r->found.data, r->found.size),
                                            .text_size = r->found.size,
                                            .count = count};
  return r->last_set->text ? 0 : HC_ENOMEM;
}

/* A summary's row: the trimmed figures go by names of their own. */
static hc_rc find_row(void *ctx, const char *const *values)
{
  hc_runner *r = ctx;
  const bool trimmed = strcmp(values[0], "trimmed") == 0;
  char name[300];
  (void)snprintf(name, sizeof name, "%s%s", trimmed ? HC_TRIMMED : "", values[1]);
  return find_figure(r, name, values[2], hc_result_figure(r->result, values[0], values[1]), false, 0);
}

/* From the store if there is one: trims count from its rows. */
static hc_rc find_all(hc_runner *r, hc_run *run, hc_store *store, hc_error *e)
{
  hc_findings findings = {.ctx = r, .figure = find_figure, .cell = find_cell, .wants = wants};
  hc_rc rc;
  if (!store) return hc_run_figures(run, &findings, e);
  TRY(hc_result_of_store(store, &r->result, e));
  rc = hc_result_rows(r->result, "summary", 4, find_row, r, e);
  if (rc >= 0) rc = hc_result_check(r->result, e);
  hc_result_free(r->result);
  r->result = NULL;
  return rc;
}

static hc_rc collect(hc_runner *r, hc_run *run, hc_store *store, hc_outcome *out, hc_error *e)
{
  r->seen.size = 0;
  r->all_count = r->value_count = 0;
  TRY(find_all(r, run, store, e));
  if (r->seen.failed) return HC_ENOMEM;
  if (!r->last_set || r->seen.size != r->last.size || memcmp(r->seen.data, r->last.data, r->seen.size) != 0) {
    hc_rc rc;
    r->last.size = 0;
    hc_buffer_add(&r->last, r->seen.data, r->seen.size);
    rc = choose_set(r);
    if (rc < 0) r->last_set = NULL;
    if (rc == HC_ELIMIT)
      return hc_fail(e, rc, "study", 0, 0,
                     "the runs find more than %d different sets of figures: name some in `keep`", SETS);
    if (rc < 0 || r->last.failed) return HC_ENOMEM;
  }
  TRY(hc_reserve(r->study->allocator, (void **)&r->values, &r->value_cap, r->all_count, sizeof *r->values));
  for (size_t i = 0; i < r->all_count; i++)
    if (r->kept[i]) r->values[r->value_count++] = r->all[i];
  *out = (hc_outcome){.state = HC_POINT_DONE, .set = r->last_set, .values = r->values};
  return 0;
}

/* ---- a point ---- */

static hc_rc carry_out(hc_runner *r, uint64_t point, hc_outcome *out, hc_error *e)
{
  hc_store *store = NULL;
  hc_run *run = NULL;
  hc_config *c;
  digits d;
  hc_rc rc = 0;
  read_digits(r->study, point, &d);
  TRY(configure(r, &d, &c, e));
  TRY(load_tape(r, &d, c, e));
  if (hc_config_options(c)->trim.type)
    TRY(hc_store_new(r->study->allocator, NULL, &store, e)); /* in memory */
  if (r->totals_key != d.totals) r->totals.count = 0;
  r->totals_key = d.totals;
  rc = hc_run_new_on(r->allocator, c, store, &(hc_replay){.tape = r->tape, .totals = &r->totals}, &run, e);
  if (rc >= 0) {
    do rc = hc_run_advance(run, HC_NEVER, 0, e);
    while (rc == 1);
  }
  if (rc >= 0) rc = hc_run_finish(run, e);
  if (rc >= 0) rc = collect(r, run, store, out, e);
  hc_run_free(run);
  hc_store_free(store);
  return rc;
}

hc_rc hc_runner_point(hc_runner *r, uint64_t point, hc_outcome *out, hc_error *e)
{
  hc_error why = {0};
  const hc_rc rc = carry_out(r, point, out, &why);
  int n = 0;
  HC_UNUSED(e);
  if (rc >= 0) return 0;
  if (why.where[0]) n += snprintf(r->why, sizeof r->why, "%s", why.where);
  if (n > 0 && why.line) n += snprintf(r->why + n, sizeof r->why - (size_t)n, ":%u:%u", why.line, why.column);
  (void)snprintf(r->why + n, sizeof r->why - (size_t)n, "%s%s", n > 0 ? ": " : "",
                 why.text[0] ? why.text : hc_rc_text(rc));
  *out = (hc_outcome){.state = HC_POINT_FAILED, .text = r->why};
  return 0;
}
