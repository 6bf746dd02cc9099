/* figures.c -- what is declared of a figure that is known by its name alone: which way it is good.
 *
 * A line of a component's `figures` is "name|unit|direction|formula"; a name may hold one * for what the run fills in (a
 * scheduler, a dimension). Of several declarations that a name answers to the one with the most letters of its own
 * counts: "busyness_offered_batch" is busyness_offered_* and not busyness_*. A figure over a trimmed set of tasks is good
 * the same way as the one it was made from. There is no default: what is declared without a direction has none.
 * Cost: one pass over all declarations, some four hundred. */
#include <string.h>

#include "base/util.h"
#include "hindcast/metric.h"
#include "hindcast/plugin.h"
#include "plugin/describe.h"

static const char *const words[] = {"lower", "none", "higher"}; /* of -1, 0, 1 */

const char *hc_figure_direction_name(int direction)
{
  return words[(direction > 0) - (direction < 0) + 1];
}

hc_figure hc_figure_cut(const char *line)
{
  hc_figure f = {.name = line, .name_size = strcspn(line, "|")};
  f.unit = line + f.name_size + (line[f.name_size] == '|');
  f.unit_size = strcspn(f.unit, "|");
  f.formula = f.unit + f.unit_size + (f.unit[f.unit_size] == '|');
  const size_t n = strcspn(f.formula, "|");
  for (int i = 0; i < (int)HC_ARRAY_LEN(words) && f.formula[n] == '|'; i++) {
    if (strlen(words[i]) != n || memcmp(words[i], f.formula, n) != 0) continue;
    f.direction = i - 1;
    f.has_direction = true;
    f.formula += n + 1;
    break;
  }
  return f;
}

/* @return how many letters of its own the declared name shares with `name`; 0: it is another figure's */
static size_t likeness(const hc_figure *f, const char *name)
{
  const size_t size = strlen(name);
  const char *star = memchr(f->name, '*', f->name_size);
  if (!star) return size == f->name_size && memcmp(f->name, name, size) == 0 ? SIZE_MAX : 0;
  const size_t before = (size_t)(star - f->name), after = f->name_size - before - 1;
  if (size < before + after || memcmp(f->name, name, before) != 0) return 0;
  return memcmp(star + 1, name + size - after, after) == 0 ? before + after : 0;
}

typedef struct found {
  size_t likeness;
  int direction;
} found;

static void look_through(const hc_component *c, const char *name, found *best)
{
  for (const char *const *line = c->figures; line && *line; line++) {
    const hc_figure f = hc_figure_cut(*line);
    const size_t n = likeness(&f, name);
    if (n > best->likeness) *best = (found){n, f.direction};
    else if (n && n == best->likeness && f.direction != best->direction)
      best->direction = 0; /* they disagree */
  }
}

int hc_figure_direction(const hc_registry *r, const char *name)
{
  const size_t trimmed = strlen(HC_TRIMMED);
  const hc_component *c;
  found best = {0, 0};
  if (strncmp(name, HC_TRIMMED, trimmed) == 0) name += trimmed;
  for (unsigned k = 0; k < HC_KIND_LIMIT; k++) {
    for (size_t i = 0; (c = hc_registry_at(r, (hc_kind)k, i)); i++) look_through(c, name, &best);
  }
  return best.direction;
}
