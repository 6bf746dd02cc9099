/* machine_google.c -- the machine tables of Google's cluster traces of 2011 and 2019.
 *
 * machine_events: time (us), machine, event (ADD, REMOVE, UPDATE), platform, cores and memory as shares
 * of the largest machine; in 2019 also the switch. Shares may be missing: then they are what they were,
 * and a machine for which none is ever said cannot be used. machine_attributes: time, machine, name,
 * value, deleted.
 *
 * A time that means "after the end" is no event. Source: Reiss, Wilkes, Hellerstein, Google
 * cluster-usage traces: format + schema, 2011 (revised 2014); Wilkes, Google cluster-usage traces v3,
 * 2020. */
#include "cluster/machine_google.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"

enum { TRAIT_TIME, TRAIT_MACHINE, TRAIT_NAME, TRAIT_VALUE, TRAIT_DELETED, TRAIT_COLUMNS };

typedef struct reading {
  const hc_machine_google_options *o;
  const hc_machine_google_form *form;
  hc_machine_file f;
  hc_machine_json json; /* of the table at hand, if it is one */
  bool is_json;
  hc_host_builder b;
  size_t column[HC_MACHINE_GOOGLE_COLUMNS];
  uint32_t platform; /* name of the attribute */
  uint32_t level;    /* of switches */
  uint64_t strangers;
} reading;

/* ---- both ---- */

/* Open a table, and find its columns. @param titles [count]; @param ordered how many have a place without
 * titles */
static hc_rc open_table(reading *r, const char *path, const char *const *titles, size_t *column, size_t count,
                        size_t ordered, hc_error *e)
{
  TRY(hc_machine_open(&r->f, &r->b, r->form->use, path, e));
  for (size_t i = 0; i < ordered; i++) column[i] = i + 1;
  r->is_json = r->form->titles && hc_machine_is_json(r->b.c->allocator, path);
  if (!r->is_json) return r->form->titles ? hc_machine_titles(&r->f, titles, column, count, e) : 0;
  hc_machine_json_begin(&r->f, titles, count, &r->json);
  for (size_t i = 0; i < count; i++) column[i] = i + 1;
  return 0;
}

static hc_rc next_row(reading *r, hc_error *e)
{
  return r->is_json ? hc_machine_json_next(&r->f, &r->json, e) : hc_machine_next(&r->f, e);
}

/* ---- machine_events ---- */

/* A number of the trace's own, or its word. @return -1 if it is neither. */
static int event_of(const reading *r, size_t column)
{
  static const char *const words[] = {"ADD", "REMOVE", "UPDATE"};
  const char *text = hc_table_text(&r->f.t, column);
  int64_t number;
  for (int i = 0; i < 3; i++)
    if (strcmp(text, words[i]) == 0) return i;
  if (!hc_table_whole(&r->f.t, column, &number)) return -1;
  number -= r->form->add;
  return number >= 0 && number < 3 ? (int)number : -1;
}

/* A time of the trace as one of the run; what was before the run's begin is at 0 or less. */
static bool read_time(const reading *r, size_t column, hc_time *out)
{
  if (!hc_machine_time(&r->f, column, r->o->time_unit, out)) return false;
  if (*out != HC_NEVER) *out -= r->o->origin;
  return true;
}

/* A share may be missing. */
static bool read_share(const reading *r, size_t column, double scale, int64_t *out)
{
  return hc_table_size(&r->f.t, column) == 0 || hc_table_amount(&r->f.t, column, scale, out);
}

static hc_rc tell_platform(reading *r, const hc_host_fact *fact, hc_error *e)
{
  hc_host_trait trait = {.at = fact->at, .host = fact->host, .attribute = {.name = r->platform}};
  if (fact->how == HC_FACT_REMOVE || hc_table_size(&r->f.t, r->column[HC_MACHINE_GOOGLE_PLATFORM]) == 0)
    return 0;
  TRY(hc_machine_value(&r->f, r->column[HC_MACHINE_GOOGLE_PLATFORM], &trait.attribute, e));
  return hc_builder_trait(&r->b, &trait, e);
}

static hc_rc read_event(reading *r, hc_error *e)
{
  const hc_table *t = &r->f.t;
  const size_t *c = r->column;
  const size_t n = hc_table_size(t, c[HC_MACHINE_GOOGLE_MACHINE]),
               zone = hc_table_size(t, c[HC_MACHINE_GOOGLE_SWITCH]);
  const int event = event_of(r, c[HC_MACHINE_GOOGLE_EVENT]);
  hc_host_fact fact = hc_host_fact_none(0, 0, (hc_fact_how)event);
  hc_rc rc;
  if (!read_time(r, c[HC_MACHINE_GOOGLE_TIME], &fact.at))
    return hc_machine_reject(&r->f, c[HC_MACHINE_GOOGLE_TIME], "expected a time, got \"%.80s\"",
                             hc_table_text(t, c[HC_MACHINE_GOOGLE_TIME]));
  if (n == 0) return hc_machine_reject(&r->f, c[HC_MACHINE_GOOGLE_MACHINE], "no machine is named");
  if (event < 0)
    return hc_machine_reject(&r->f, c[HC_MACHINE_GOOGLE_EVENT],
                             "expected ADD, REMOVE or UPDATE (%d to %d), got \"%.80s\"", r->form->add,
                             r->form->add + 2, hc_table_text(t, c[HC_MACHINE_GOOGLE_EVENT]));
  if (!read_share(r, c[HC_MACHINE_GOOGLE_CPUS], r->o->cpu_scale * 1000, &fact.capacity[HC_DIM_CPU]))
    return hc_machine_reject(&r->f, c[HC_MACHINE_GOOGLE_CPUS], "expected a share of cores, got \"%.80s\"",
                             hc_table_text(t, c[HC_MACHINE_GOOGLE_CPUS]));
  if (!read_share(r, c[HC_MACHINE_GOOGLE_MEMORY], (double)r->o->memory_scale, &fact.capacity[HC_DIM_MEMORY]))
    return hc_machine_reject(&r->f, c[HC_MACHINE_GOOGLE_MEMORY], "expected a share of memory, got \"%.80s\"",
                             hc_table_text(t, c[HC_MACHINE_GOOGLE_MEMORY]));
  if (fact.at == HC_NEVER) return 0;
  rc = hc_builder_host(&r->b, hc_table_text(t, c[HC_MACHINE_GOOGLE_MACHINE]), n, HC_NO_NAME, &fact.host, e);
  if (rc < 0) return rc;
  if (zone > 0)
    TRY(hc_builder_zone(&r->b, r->level, fact.host, hc_table_text(t, c[HC_MACHINE_GOOGLE_SWITCH]), zone, e));
  TRY(tell_platform(r, &fact, e));
  return hc_builder_fact(&r->b, &fact, e);
}

static hc_rc read_events(reading *r, hc_error *e)
{
  static const char *const titles[HC_MACHINE_GOOGLE_COLUMNS] = {"time",
                                                                "machine_id",
                                                                "type",
                                                                "(platform_id)",
                                                                "cpus|capacity.cpus|capacity_cpus",
                                                                "memory|capacity.memory|capacity_memory",
                                                                "(switch_id)"};
  const char word[] = "platform";
  hc_rc rc;
  TRY(open_table(r, r->o->file, titles, r->column, HC_MACHINE_GOOGLE_COLUMNS, HC_MACHINE_GOOGLE_SWITCH, e));
  r->platform = hc_lexicon_name(r->b.c->lexicon, word, sizeof word - 1);
  if (r->platform == HC_NO_NAME) return hc_fail(e, HC_ENOMEM, r->b.where, 0, 0, "out of memory");
  if (r->column[HC_MACHINE_GOOGLE_SWITCH] > 0) {
    rc = hc_builder_level_of(&r->b, "switch", strlen("switch"), &r->level, e);
    if (rc < 0) return rc;
  }
  while ((rc = next_row(r, e)) == 1) {
    if (!r->form->titles && hc_machine_is_titles(&r->f, r->column[HC_MACHINE_GOOGLE_TIME])) continue;
    TRY(read_event(r, e));
  }
  return rc < 0 ? rc : hc_machine_end(&r->f, "a machine_events table", e);
}

/* ---- machine_attributes ---- */

/* 0, 1, false, true. */
static bool is_flag(const hc_table *t, size_t column, bool *out)
{
  const char *text = hc_table_text(t, column);
  if (strcmp(text, "0") == 0) *out = false;
  else if (strcmp(text, "1") == 0) *out = true;
  else return hc_parse_bool(text, strlen(text), out) == 0;
  return true;
}

static hc_rc read_trait(reading *r, const size_t *column, hc_error *e)
{
  const hc_table *t = &r->f.t;
  const size_t n = hc_table_size(t, column[TRAIT_NAME]);
  hc_host_trait trait = {0};
  if (!read_time(r, column[TRAIT_TIME], &trait.at))
    return hc_machine_reject(&r->f, column[TRAIT_TIME], "expected a time, got \"%.80s\"",
                             hc_table_text(t, column[TRAIT_TIME]));
  if (n == 0) return hc_machine_reject(&r->f, column[TRAIT_NAME], "an attribute without a name");
  if (!is_flag(t, column[TRAIT_DELETED], &trait.gone))
    return hc_machine_reject(&r->f, column[TRAIT_DELETED], "expected 0 or 1 (deleted), got \"%.80s\"",
                             hc_table_text(t, column[TRAIT_DELETED]));
  if (trait.at == HC_NEVER) return 0;
  trait.host = hc_names_find(&r->b.names, hc_table_text(t, column[TRAIT_MACHINE]),
                             hc_table_size(t, column[TRAIT_MACHINE]));
  if (trait.host == HC_MAP_NONE) {
    r->strangers++;
    return 0;
  }
  trait.attribute.name = hc_lexicon_name(r->b.c->lexicon, hc_table_text(t, column[TRAIT_NAME]), n);
  if (trait.attribute.name == HC_NO_NAME) return hc_fail(e, HC_ENOMEM, t->name, 0, 0, "out of memory");
  TRY(hc_machine_value(&r->f, column[TRAIT_VALUE], &trait.attribute, e));
  return hc_builder_trait(&r->b, &trait, e);
}

static hc_rc read_traits(reading *r, hc_error *e)
{
  static const char *const titles[TRAIT_COLUMNS] = {"time", "machine_id", "name", "value", "deleted"};
  size_t column[TRAIT_COLUMNS];
  hc_rc rc;
  hc_machine_close(&r->f);
  TRY(open_table(r, r->o->attributes, titles, column, TRAIT_COLUMNS, TRAIT_COLUMNS, e));
  while ((rc = next_row(r, e)) == 1) {
    if (!r->form->titles && hc_machine_is_titles(&r->f, column[TRAIT_TIME])) continue;
    TRY(read_trait(r, column, e));
  }
  if (rc < 0) return rc;
  if (r->strangers > 0)
    hc_builder_note(&r->b, "attributes left out since no event names their machine: %" PRIu64, r->strangers);
  return hc_machine_end(&r->f, "a machine_attributes table", e);
}

static hc_rc read_both(reading *r, hc_cell_spec *out, hc_error *e)
{
  TRY(read_events(r, e));
  if (r->o->attributes) TRY(read_traits(r, e));
  return hc_builder_finish(&r->b, out, e);
}

hc_rc hc_machine_google_describe(const hc_cell_context *c, const hc_machine_google_options *o,
                                 const hc_machine_google_form *form, hc_cell_spec *out, hc_error *e)
{
  reading r = {.o = o, .form = form};
  hc_rc rc;
  hc_builder_init(&r.b, c, form->use);
  rc = read_both(&r, out, e);
  hc_builder_fini(&r.b);
  hc_machine_close(&r.f);
  return rc;
}
