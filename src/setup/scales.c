/* scales.c -- one scale a dimension for tasks and hosts alike.
 *
 * Some traces tell amounts as shares of the largest machine: a scale says what a share of 1 stands for, and
 * its default is an assumption. Tasks and hosts of one trace must assume the same; where hosts are another
 * trace's, nothing can be assumed, and both must be said. What the user has said of both sides is as it
 * is meant.
 *
 * A scale is a parameter called ..._scale. It is of shares if it is a number of cores, or a size of more than
 * one unit by default: 512GiB is an assumption, 1MiB the unit of the trace's numbers. */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "setup/config.h"

static bool is_scale(const hc_param *p)
{
  const size_t n = strlen(p->name);
  return n > 6 && strcmp(p->name + n - 6, "_scale") == 0;
}

static bool is_of_shares(const hc_param *p)
{
  if (p->type == HC_REAL) return true;
  return p->type == HC_SIZE && p->fallback &&
         !(p->fallback[0] == '1' && (p->fallback[1] < '0' || p->fallback[1] > '9'));
}

static const hc_param *scale_of(const hc_component *c, const char *name)
{
  for (const hc_param *p = c->params; p && p->name; p++)
    if (is_scale(p) && (!name || strcmp(p->name, name) == 0)) return p;
  return NULL;
}

static double value_of(const hc_chosen *c, const hc_param *p)
{
  const char *at = (const char *)c->options + p->offset;
  double real;
  int64_t whole;
  if (p->type == HC_REAL) {
    memcpy(&real, at, sizeof real);
    return real;
  }
  memcpy(&whole, at, sizeof whole);
  return (double)whole;
}

typedef struct search {
  const char *path;
  bool said;
} search;

static hc_rc find_origin(void *ctx, const char *path, const char *value, const char *origin)
{
  search *s = ctx;
  HC_UNUSED(value);
  if (strcmp(path, s->path) == 0) s->said = strcmp(origin, "default") != 0;
  return 0;
}

static hc_rc is_said(const hc_config *c, const char *path, bool *said)
{
  search s = {path, false};
  TRY(hc_config_each(c, find_origin, &s));
  *said = s.said;
  return 0;
}

/* One side's scale, where tasks and hosts are not of one assumption. */
static hc_rc must_be_said(const hc_config *c, const char *path, const char *reader, const char *cell,
                          bool same, hc_error *error)
{
  bool said;
  TRY(is_said(c, path, &said));
  if (said) return 0;
  return hc_fail(
      error, HC_EUSAGE, "configuration", 0, 0,
      same
          ? "%s: tasks of %s and hosts of %s are shares of the same machine, but are given different scales; "
            "say this one too, the same as the other unless that is meant"
          : "%s: the amounts of tasks of %s and hosts of %s are in different units, of which at least one is "
            "a share of a machine of unknown size; say what 1 stands for, for tasks and hosts alike",
      path, reader, cell);
}

static hc_rc check_side(const hc_config *c, const char *prefix, const hc_param *scale,
                        const hc_component *reader, const hc_component *cell, bool same, hc_error *error)
{
  char path[96];
  (void)snprintf(path, sizeof path, "%s.%s", prefix, scale->name);
  return must_be_said(c, path, reader->name, cell->name, same, error);
}

static hc_rc check_source(const hc_config *c, const hc_chosen *source, size_t number, const hc_chosen *hosts,
                          hc_error *error)
{
  const hc_component *reader = source->type, *cell = hosts->type;
  const bool same = strncmp(reader->name, cell->name, strlen(cell->name)) == 0;
  char prefix[32];
  (void)snprintf(prefix, sizeof prefix, "source.%zu", number);
  for (const hc_param *p = reader->params; p && p->name; p++) {
    const hc_param *q = is_scale(p) ? scale_of(cell, p->name) : NULL;
    if (!is_scale(p) || !is_of_shares(p) || (same && (!q || value_of(source, p) == value_of(hosts, q))))
      continue;
    TRY(check_side(c, prefix, p, reader, cell, same, error));
  }
  for (const hc_param *q = cell->params; q && q->name; q++) {
    const hc_param *p = is_scale(q) ? scale_of(reader, q->name) : NULL;
    if (!is_scale(q) || !is_of_shares(q) || (same && (!p || value_of(source, p) == value_of(hosts, q))))
      continue;
    TRY(check_side(c, "cell", q, reader, cell, same, error));
  }
  return 0;
}

hc_rc hc_scales_check(const hc_config *c, hc_error *error)
{
  const hc_run_options *o = hc_config_options(c);
  if (!o->cell.type || !scale_of(o->cell.type, NULL)) return 0;
  for (size_t i = 0; i < o->source.count; i++) {
    const hc_chosen *source = &((const hc_chosen *)o->source.items)[i];
    if (source->type && scale_of(source->type, NULL)) TRY(check_source(c, source, i, &o->cell, error));
  }
  return 0;
}
