/* watts.c -- what each host draws: the entries of `power`, laid upon the classes of hosts.
 *
 * An entry is of a part of a host: its cores, with all that is not said otherwise, its memory, its GPUs. One
 * that names classes is theirs; one that names none is that of all others that have such a part. So there is
 * at most one for each part, and the cores of each class have one. Parts add up. */
#include "cluster/watts.h"

#include <string.h>

#include "base/util.h"

#define WRONG(e, ...) hc_fail(e, HC_EUSAGE, "power", 0, 0, __VA_ARGS__)

static const char *name_of(const hc_cell_spec *cell, uint32_t class_)
{
  const char *name = cell->class_count > 0 ? cell->classes[class_].name : "processors";
  return name ? name : "";
}

/* -1 stands for what it draws idle. */
static double known(double watts, double idle)
{
  return watts < 0 ? idle : watts;
}

static const char *const part_of[HC_POWER_PARTS] = {"", ", their memory", ", their GPUs"};

static hc_rc check_levels(const hc_part_watts *w, const char *of, hc_error *e)
{
  const hc_power_levels *l = &w->levels;
  const char *model = w->type->component.name;
  if (w->type->may_fall) return 0;
  if (!w->type->levels && !(l->peak > 0))
    return WRONG(e, "%s: nothing says what a host of %s draws with all cores busy: give `peak`, in W", model,
                 of);
  if (l->least < l->idle)
    return WRONG(
        e,
        "%s: with hardly any load a host of %s would draw %g W, and %g W without: only a table that was "
        "measured may fall",
        model, of, l->least, l->idle);
  if (l->peak < l->least)
    return WRONG(
        e,
        "%s: with all cores busy a host of %s would draw %g W, and %g W with hardly any: only a table "
        "that was measured may fall",
        model, of, l->peak, l->least);
  return 0;
}

/* How many of the part a host of the class has: GPUs, or whether it has any. */
static double count_of(const hc_cell_spec *cell, uint32_t class_, hc_power_part part)
{
  if (part == HC_POWER_CORES) return 1;
  if (cell->class_count == 0) return 0;
  const hc_host_class *c = &cell->classes[class_];
  if (part == HC_POWER_MEMORY) return c->capacity[HC_DIM_MEMORY] > 0;
  return c->devices > 0 ? c->devices : (double)c->capacity[HC_DIM_GPU] / 1000;
}

static hc_rc set_class(hc_watts *w, uint32_t class_, const hc_chosen *c, const hc_lexicon *lexicon,
                       hc_error *e)
{
  const hc_power_options *o = c->options;
  const hc_power_type *type = (const hc_power_type *)c->type;
  const hc_power_host host = {.of = w->cell->class_count > 0 ? &w->cell->classes[class_] : NULL,
                              .lexicon = lexicon};
  hc_part_watts *x = &w->classes[class_].parts[type->part];
  if (x->type)
    return WRONG(e, "two entries say what hosts of the class %s%s draw", name_of(w->cell, class_),
                 part_of[type->part]);
  *x = (hc_part_watts){.type = type,
                       .options = c->options,
                       .count = count_of(w->cell, class_, type->part),
                       .levels = {.idle = o->idle,
                                  .peak = o->peak,
                                  .off = o->off,
                                  .least = known(o->least, o->idle),
                                  .stopping = o->stopping,
                                  .starting = o->starting}};
  if (x->type->levels) TRY(x->type->levels(c->options, &host, &x->levels, e));
  x->levels.stopping = known(x->levels.stopping, x->levels.idle);
  x->levels.starting = known(x->levels.starting, x->levels.idle);
  return check_levels(x, name_of(w->cell, class_), e);
}

/* Has a class a part that an entry is of? */
static hc_rc check_part(const hc_watts *w, uint32_t class_, const hc_chosen *c, hc_error *e)
{
  const hc_power_type *type = (const hc_power_type *)c->type;
  if (count_of(w->cell, class_, type->part) > 0) return 0;
  return WRONG(e, "%s: hosts of the class %s have none of what draws that", type->component.name,
               name_of(w->cell, class_));
}

/* All classes of that name: hosts of a zone that differ are several. */
static hc_rc set_named(hc_watts *w, const char *name, const hc_chosen *c, const hc_lexicon *lexicon,
                       hc_error *e)
{
  const hc_cell_spec *cell = w->cell;
  bool any = false;
  if (cell->class_count == 0)
    return WRONG(e, "`classes` names %s, and this cell counts processors: leave it out", name);
  for (uint32_t i = 0; i < cell->class_count; i++) {
    if (strcmp(name_of(cell, i), name) != 0) continue;
    TRY(check_part(w, i, c, e));
    TRY(set_class(w, i, c, lexicon, e));
    any = true;
  }
  return any ? 0 : WRONG(e, "there is no class of hosts %s; the first is called %s", name, name_of(cell, 0));
}

/* All that have such a part, and of which no entry says what it draws. */
static hc_rc set_others(hc_watts *w, const hc_chosen *c, const hc_lexicon *lexicon, hc_error *e)
{
  const hc_power_part part = ((const hc_power_type *)c->type)->part;
  const uint32_t count = HC_MAX(w->cell->class_count, 1);
  bool any = false;
  for (uint32_t i = 0; i < count; i++) {
    const bool has = count_of(w->cell, i, part) > 0;
    any |= has;
    if (has && !w->classes[i].parts[part].type) TRY(set_class(w, i, c, lexicon, e));
  }
  return any ? 0 : check_part(w, 0, c, e);
}

hc_rc hc_watts_init(hc_watts *w, const hc_list *chosen, const hc_cell_spec *cell, const hc_lexicon *lexicon,
                    hc_class_watts *room, hc_error *e)
{
  const hc_chosen *all = chosen->items, *others[HC_POWER_PARTS] = {NULL};
  *w = (hc_watts){.cell = cell, .classes = room};
  for (uint32_t i = 0; i < HC_MAX(cell->class_count, 1); i++) room[i] = (hc_class_watts){0};
  for (size_t i = 0; i < chosen->count; i++) {
    const hc_power_options *o = all[i].options;
    const char *const *names = o->classes.items;
    const hc_chosen **other = &others[((const hc_power_type *)all[i].type)->part];
    if (o->classes.count == 0 && *other)
      return WRONG(e, "two entries name no classes: one at most is for all others");
    if (o->classes.count == 0) *other = &all[i];
    for (size_t k = 0; k < o->classes.count; k++) TRY(set_named(w, names[k], &all[i], lexicon, e));
  }
  for (int p = 0; p < HC_POWER_PARTS; p++)
    if (others[p]) TRY(set_others(w, others[p], lexicon, e));
  for (uint32_t i = 0; i < HC_MAX(cell->class_count, 1); i++)
    if (!room[i].parts[HC_POWER_CORES].type)
      return WRONG(
          e, "no entry says what hosts of the class %s draw: name it, or add an entry without `classes`",
          name_of(cell, i));
  return 0;
}

/* ---- states of power ---- */

static hc_rc read_states(hc_part_watts *x, const hc_power_host *host, const char *of, hc_arena *arena,
                         hc_error *e)
{
  hc_power_levels levels[HC_POWER_STATES];
  double speeds[HC_POWER_STATES];
  uint32_t n = 0;
  hc_rc rc = 1;
  for (; rc == 1 && n < HC_POWER_STATES; n += rc == 1) {
    levels[n] = x->levels;
    TRY(rc = x->type->state(x->options, host, n, &levels[n], &speeds[n], e));
    const hc_part_watts one = {.type = x->type, .levels = levels[n]};
    if (rc == 1) TRY(check_levels(&one, of, e));
  }
  hc_power_levels *kept = hc_arena_alloc(arena, HC_MAX(n, 1) * sizeof *kept);
  double *fast = hc_arena_alloc(arena, HC_MAX(n, 1) * sizeof *fast);
  if (!kept || !fast) return HC_ENOMEM;
  memcpy(kept, levels, n * sizeof *kept);
  memcpy(fast, speeds, n * sizeof *fast);
  x->states = kept;
  x->speeds = fast;
  x->state_count = n;
  return 0;
}

hc_rc hc_watts_states(hc_watts *w, const hc_lexicon *lexicon, hc_arena *arena, hc_error *e)
{
  for (uint32_t i = 0; i < w->cell->class_count; i++) {
    hc_part_watts *x = &w->classes[i].parts[HC_POWER_CORES];
    const hc_power_host host = {.of = &w->cell->classes[i], .lexicon = lexicon};
    if (x->type->state) TRY(read_states(x, &host, name_of(w->cell, i), arena, e));
  }
  return 0;
}

/* ---- what is drawn ---- */

static double draws(const hc_part_watts *x, uint32_t code, double load)
{
  const uint32_t pstate = hc_pstate_of_code(code);
  const hc_power_levels *l = pstate < x->state_count ? &x->states[pstate] : &x->levels;
  switch (hc_power_of_code(code)) {
    case HC_POWER_ON: break;
    case HC_POWER_STOPPING: return l->stopping;
    case HC_POWER_OFF: return l->off;
    case HC_POWER_STARTING: return l->starting;
  }
  if (!(load > 0)) return l->idle;
  return x->type->watts(x->options, l, HC_MIN(load, 1.0));
}

static const hc_class_watts *class_of(const hc_watts *w, uint32_t host)
{
  return &w->classes[w->cell->class_count > 0 ? w->cell->class_of[host] : 0];
}

const hc_part_watts *hc_watts_cores(const hc_watts *w, uint32_t host)
{
  return &class_of(w, host)->parts[HC_POWER_CORES];
}

double hc_watts_of(const hc_watts *w, uint32_t host, uint32_t code, const double *loads)
{
  const hc_class_watts *x = class_of(w, host);
  double sum = 0;
  for (int p = 0; p < HC_POWER_PARTS; p++)
    if (x->parts[p].type) sum += x->parts[p].count * draws(&x->parts[p], code, loads[p]);
  return sum;
}
