/* findings.c -- figures on their way from a metric to what asked for them. */
#include "metric/findings.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"

/* ---- the list ---- */

/* Tables have a few names and many rows: the text of the row before is very often the one wanted. */
static const char *keep_text(hc_finding_list *l, const char *s)
{
  size_t back = HC_MIN(l->count, (size_t)16);
  for (size_t i = 0; i < back; i++) {
    const hc_finding *f = &l->items[l->count - 1 - i];
    if (f->table && strcmp(f->table, s) == 0) return f->table;
    if (strcmp(f->name, s) == 0) return f->name;
    if (strcmp(f->unit, s) == 0) return f->unit;
  }
  return hc_arena_text(&l->text, s, strlen(s));
}

static hc_rc keep(hc_finding_list *l, hc_finding f)
{
  TRY(hc_reserve(l->allocator, (void **)&l->items, &l->cap, l->count + 1, sizeof *l->items));
  if (f.table && !(f.table = keep_text(l, f.table))) return HC_ENOMEM;
  f.name = keep_text(l, f.name);
  f.unit = keep_text(l, f.unit);
  if (!f.name || !f.unit) return HC_ENOMEM;
  l->items[l->count++] = f;
  return 0;
}

static hc_rc keep_figure(void *ctx, const char *name, const char *unit, double value, bool is_count,
                         int64_t count)
{
  return keep(ctx,
              (hc_finding){.name = name, .unit = unit, .value = value, .is_count = is_count, .count = count});
}

static hc_rc keep_cell(void *ctx, const char *table, int64_t key, const char *name, const char *unit,
                       double value)
{
  return keep(ctx, (hc_finding){.table = table, .key = key, .name = name, .unit = unit, .value = value});
}

void hc_finding_list_init(hc_finding_list *l, const hc_allocator *a)
{
  *l = (hc_finding_list){.findings = {.ctx = l, .figure = keep_figure, .cell = keep_cell}, .allocator = a};
  hc_arena_init(&l->text, a);
}

void hc_finding_list_fini(hc_finding_list *l)
{
  hc_free(l->allocator, l->items, l->cap * sizeof *l->items);
  hc_arena_fini(&l->text);
  l->items = NULL;
  l->count = l->cap = 0;
}

const hc_finding *hc_finding_list_get(const hc_finding_list *l, const char *table, int64_t key,
                                      const char *name)
{
  for (size_t i = 0; i < l->count; i++) {
    const hc_finding *f = &l->items[i];
    if (!table != !f->table || strcmp(f->name, name) != 0) continue;
    if (!table || (f->key == key && strcmp(f->table, table) == 0)) return f;
  }
  return NULL;
}

/* ---- declarations ---- */

/* Does `text` match the pattern [from, to), in which * is any text that is not empty? Where it comes to
 * nothing it goes back to the last star, which then takes one character more. */
static bool matches(const char *from, const char *to, const char *text)
{
  const char *behind_star = NULL, *again = NULL;
  for (;;) {
    if (from < to && *from == '*') {
      if (!*text) return false;
      from = behind_star = from + 1;
      text = again = text + 1;
    } else if (!*text) {
      return from == to;
    } else if (from < to && *from == *text) {
      from++;
      text++;
    } else {
      if (!behind_star || !*again) return false;
      from = behind_star;
      text = ++again;
    }
  }
}

/* Is `unit` the text [from, to), or one of the words that it lists? */
static bool lists(const char *from, const char *to, const char *unit)
{
  size_t n = strlen(unit);
  while (from < to) {
    size_t word = strcspn(from, ",|");
    if (word == n && strncmp(from, unit, n) == 0) return true;
    from += word;
    while (from < to && (*from == ',' || *from == ' ')) from++;
  }
  return n == 0 && from == to;
}

bool hc_metric_matches(const char *line, const char *table, const char *name, const char *unit)
{
  const char *bar = strchr(line, '|'), *past = bar ? strchr(bar + 1, '|') : NULL;
  char whole[512];
  int n = snprintf(whole, sizeof whole, "%s%s%s", table ? table : "", table ? "." : "", name);
  if (!past || n < 0 || (size_t)n >= sizeof whole) return false;
  if (!table != !memchr(line, '.', (size_t)(bar - line))) return false;
  return matches(line, bar, whole) && lists(bar + 1, past, unit);
}

bool hc_metric_declares(const hc_metric_type *t, const char *table, const char *name, const char *unit)
{
  for (const char *const *line = t->component.figures; line && *line; line++)
    if (hc_metric_matches(*line, table, name, unit)) return true;
  return false;
}

hc_rc hc_metric_fail(const hc_metric_type *t, hc_rc rc, hc_error *e)
{
  const char *detail = t->component.detail;
  if (rc >= 0) return rc;
  if (rc == HC_ELIMIT && detail)
    return hc_fail(e, rc, t->component.name, 0, 0, "the metric `%s` exceeded a limit of its own. %s",
                   t->component.name, detail);
  if (rc == HC_EUSAGE && detail)
    return hc_fail(e, rc, t->component.name, 0, 0,
                   "the metric `%s` is asked for what the run does not have. %s", t->component.name, detail);
  return hc_fail(e, rc, t->component.name, 0, 0, "the metric `%s` failed: %s", t->component.name,
                 hc_rc_text(rc));
}
