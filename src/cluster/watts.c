/* watts.c -- what each host draws: the entries of `power`, laid upon the classes of hosts.
 *
 * An entry that names classes is theirs; one that names none is that of all others. So there is at most one
 * for each, and each has one. */
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

static hc_rc check_levels(const hc_class_watts *w, const char *of, hc_error *e)
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

static hc_rc set_class(hc_watts *w, uint32_t class_, const hc_chosen *c, const hc_lexicon *lexicon,
                       hc_error *e)
{
  const hc_power_options *o = c->options;
  const hc_power_host host = {.of = w->cell->class_count > 0 ? &w->cell->classes[class_] : NULL,
                              .lexicon = lexicon};
  hc_class_watts *x = &w->classes[class_];
  if (x->type) return WRONG(e, "two entries say what hosts of the class %s draw", name_of(w->cell, class_));
  *x = (hc_class_watts){.type = (const hc_power_type *)c->type,
                        .options = c->options,
                        .levels = {.idle = o->idle,
                                   .peak = o->peak,
                                   .off = o->off,
                                   .least = known(o->least, o->idle),
                                   .stopping = known(o->stopping, o->idle),
                                   .starting = known(o->starting, o->idle)}};
  if (x->type->levels) TRY(x->type->levels(c->options, &host, &x->levels, e));
  return check_levels(x, name_of(w->cell, class_), e);
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
    TRY(set_class(w, i, c, lexicon, e));
    any = true;
  }
  return any ? 0 : WRONG(e, "there is no class of hosts %s; the first is called %s", name, name_of(cell, 0));
}

static hc_rc set_others(hc_watts *w, const hc_chosen *c, const hc_lexicon *lexicon, hc_error *e)
{
  const uint32_t count = HC_MAX(w->cell->class_count, 1);
  for (uint32_t i = 0; i < count; i++)
    if (!w->classes[i].type) TRY(set_class(w, i, c, lexicon, e));
  return 0;
}

hc_rc hc_watts_init(hc_watts *w, const hc_list *chosen, const hc_cell_spec *cell, const hc_lexicon *lexicon,
                    hc_class_watts *room, hc_error *e)
{
  const hc_chosen *all = chosen->items, *others = NULL;
  *w = (hc_watts){.cell = cell, .classes = room};
  for (uint32_t i = 0; i < HC_MAX(cell->class_count, 1); i++) room[i] = (hc_class_watts){.type = NULL};
  for (size_t i = 0; i < chosen->count; i++) {
    const hc_power_options *o = all[i].options;
    const char *const *names = o->classes.items;
    if (o->classes.count == 0 && others)
      return WRONG(e, "two entries name no classes: one at most is for all others");
    if (o->classes.count == 0) others = &all[i];
    for (size_t k = 0; k < o->classes.count; k++) TRY(set_named(w, names[k], &all[i], lexicon, e));
  }
  if (others) TRY(set_others(w, others, lexicon, e));
  for (uint32_t i = 0; i < HC_MAX(cell->class_count, 1); i++)
    if (!room[i].type)
      return WRONG(
          e, "no entry says what hosts of the class %s draw: name it, or add an entry without `classes`",
          name_of(cell, i));
  return 0;
}

double hc_watts_of(const hc_watts *w, uint32_t host, hc_power_state state, double load)
{
  const hc_class_watts *x = &w->classes[w->cell->class_count > 0 ? w->cell->class_of[host] : 0];
  switch (state) {
    case HC_POWER_ON: break;
    case HC_POWER_STOPPING: return x->levels.stopping;
    case HC_POWER_OFF: return x->levels.off;
    case HC_POWER_STARTING: return x->levels.starting;
  }
  if (!(load > 0)) return x->levels.idle;
  return x->type->watts(x->options, &x->levels, HC_MIN(load, 1.0));
}
