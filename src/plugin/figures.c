/* figures.c -- what is declared of a figure that is known by its name alone: which way it is good, and where
 * it is shown.
 *
 * A line of a component's `figures` is "name|unit|direction, role ...|formula"; a name may hold one * for
 * what the run fills in (a scheduler, a dimension). Of several declarations that a name answers to the one
 * with the most letters of its own counts: "busyness_offered_batch" is busyness_offered_* and not busyness_*.
 * A figure over a trimmed set of tasks is good the same way as the one it was made from. There is no default:
 * what is declared without a direction has none. Cost: one pass over all declarations, some four hundred. */
#include <string.h>

#include "base/util.h"
#include "hindcast/figure.h"
#include "plugin/describe.h"

static const char *const words[] = {"lower", "none", "higher"}; /* of -1, 0, 1 */
static const char *const roles[] = {"usual", "compared", "primary",
                                    "performance"}; /* of the bits of hc_figure_role */

const char *hc_figure_direction_name(int direction)
{
  return words[(direction > 0) - (direction < 0) + 1];
}

/* The number of the word of `n` bytes; `count` if it is none of them. */
static size_t find_word(const char *const *all, size_t count, const char *word, size_t n)
{
  size_t i = 0;
  while (i < count && (strlen(all[i]) != n || memcmp(all[i], word, n) != 0)) i++;
  return i;
}

/* "lower, usual, compared" up to the next |. @return false if it is no such field: an older line without
 * direction */
static bool cut_direction(const char *field, hc_figure *f)
{
  const char *end = field + strcspn(field, "|");
  const size_t direction = find_word(words, HC_ARRAY_LEN(words), field, strcspn(field, ",|"));
  if (*end != '|' || direction == HC_ARRAY_LEN(words)) return false;
  f->direction = (int)direction - 1;
  for (const char *at = field + strcspn(field, ",|"); at < end; at += strcspn(at, ",|")) {
    at += strspn(at, ", ");
    const size_t role = find_word(roles, HC_ARRAY_LEN(roles), at, strcspn(at, ",|"));
    if (role == HC_ARRAY_LEN(roles)) return false;
    f->roles |= 1u << role;
  }
  f->formula = end + 1;
  return true;
}

hc_figure hc_figure_cut(const char *line)
{
  hc_figure f = {.name = line, .name_size = strcspn(line, "|")};
  f.unit = line + f.name_size + (line[f.name_size] == '|');
  f.unit_size = strcspn(f.unit, "|");
  f.formula = f.unit + f.unit_size + (f.unit[f.unit_size] == '|');
  f.has_direction = cut_direction(f.formula, &f);
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
  uint32_t roles;
} found;

static void look_through(const hc_component *c, const char *name, found *best)
{
  for (const char *const *line = c->figures; line && *line; line++) {
    const hc_figure f = hc_figure_cut(*line);
    const size_t n = likeness(&f, name);
    if (n > best->likeness) *best = (found){n, f.direction, f.roles};
    else if (n && n == best->likeness && f.direction != best->direction)
      best->direction = 0; /* they disagree */
  }
}

static found look_up(const hc_registry *r, const char *name)
{
  const size_t trimmed = strlen(HC_TRIMMED);
  const hc_component *c;
  found best = {0, 0, 0};
  if (strncmp(name, HC_TRIMMED, trimmed) == 0) name += trimmed;
  for (unsigned k = 0; k < HC_KIND_LIMIT; k++) {
    for (size_t i = 0; (c = hc_registry_at(r, (hc_kind)k, i)); i++) look_through(c, name, &best);
  }
  return best;
}

int hc_figure_direction(const hc_registry *r, const char *name)
{
  return look_up(r, name).direction;
}

bool hc_figure_has(const hc_registry *r, const char *name, hc_figure_role role)
{
  return (look_up(r, name).roles & role) != 0;
}

bool hc_figure_line_has(const char *line, hc_figure_role role)
{
  return (hc_figure_cut(line).roles & role) != 0;
}
