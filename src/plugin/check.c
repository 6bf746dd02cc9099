/* check.c -- is a component complete? Asked before anything of a shared object is called.
 *
 * Structs grow only at their end, so a component may be larger than we know it, never smaller. What is
 * refused here would otherwise surface as a crash in the middle of a run: a missing function, a parameter
 * that writes past its options. It does not look at what the functions do. Built-in components pass the
 * same check in a test. */
#include <string.h>

#include "base/util.h"
#include "plugin/registry.h"

#define NAME_LIMIT 64u
#define PARAM_LIMIT 256u
#define OPTIONS_LIMIT ((size_t)1 << 20)

/* Names are keys of a configuration: small letters, digits and _, a letter first. */
static bool is_name(const char *s)
{
  if (!s || s[0] < 'a' || s[0] > 'z') return false;
  return strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(s) && strlen(s) <= NAME_LIMIT;
}

static size_t struct_size(hc_kind k)
{
  switch (k) {
    case HC_KIND_RUN: return sizeof(hc_component);
    case HC_KIND_READER: return sizeof(hc_reader_type);
    case HC_KIND_WRITER: return sizeof(hc_writer_type);
    case HC_KIND_TRANSFORM: return sizeof(hc_transform_type);
    case HC_KIND_CELL: return sizeof(hc_cell_type);
    case HC_KIND_CLASS:
    case HC_KIND_SET:
    case HC_KIND_LEVEL:
    case HC_KIND_CHANGE: return sizeof(hc_component);
    case HC_KIND_EVENTS: return sizeof(hc_events_type);
    case HC_KIND_LOAD: return sizeof(hc_load_type);
    case HC_KIND_ARCHITECTURE: return sizeof(hc_architecture_type);
    case HC_KIND_POLICY: return sizeof(hc_policy_type);
    case HC_KIND_ORDER: return sizeof(hc_order_type);
    case HC_KIND_SELECT: return sizeof(hc_select_type);
    case HC_KIND_PLACE: return sizeof(hc_place_type);
    case HC_KIND_ELIGIBILITY: return sizeof(hc_eligibility_type);
    case HC_KIND_ACCEPT: return sizeof(hc_accept_type);
    case HC_KIND_PREEMPT: return sizeof(hc_preempt_type);
    case HC_KIND_SCHEDULER:
    case HC_KIND_POOL: return sizeof(hc_component);
    case HC_KIND_METRIC: return sizeof(hc_metric_type);
    case HC_KIND_TRIM: return sizeof(hc_trim_type);
    case HC_KIND_EXPORTER: return sizeof(hc_exporter_type);
    case HC_KIND_COMPAT: return sizeof(hc_compat_type);
    case HC_KIND_CARRIER: return sizeof(hc_carrier_type);
    case HC_KIND_WORLD: return sizeof(hc_world_type);
    case HC_KIND_WORKLOAD: return sizeof(hc_component);
    case HC_KIND_ARRIVALS: return sizeof(hc_arrivals_type);
    case HC_KIND_PREFILL: return sizeof(hc_prefill_type);
    case HC_KIND_MOLD: return sizeof(hc_mold_type);
    case HC_KIND_COUNT: break;
  }
  return 0;
}

/* The first function that a component of its kind cannot do without, and has not; NULL if it has them all. */
static const char *missing(const hc_component *c)
{
#define NEED(type, member) \
  if (!((const type *)c)->member) return #member
  switch (c->kind) {
    case HC_KIND_READER:
      NEED(hc_reader_type, open);
      NEED(hc_reader_type, next);
      NEED(hc_reader_type, info);
      NEED(hc_reader_type, close);
      break;
    case HC_KIND_WRITER:
      NEED(hc_writer_type, open);
      NEED(hc_writer_type, task);
      NEED(hc_writer_type, close);
      break;
    case HC_KIND_TRANSFORM: NEED(hc_transform_type, apply); break;
    case HC_KIND_CELL: NEED(hc_cell_type, describe); break;
    case HC_KIND_EVENTS:
      NEED(hc_events_type, open);
      NEED(hc_events_type, next);
      break;
    case HC_KIND_LOAD:
      NEED(hc_load_type, open);
      NEED(hc_load_type, level);
      break;
    case HC_KIND_ARCHITECTURE:
      NEED(hc_architecture_type, init);
      NEED(hc_architecture_type, signal);
      NEED(hc_architecture_type, decide);
      break;
    case HC_KIND_POLICY: NEED(hc_policy_type, decide); break;
    case HC_KIND_SELECT: NEED(hc_select_type, decide); break;
    case HC_KIND_ORDER: NEED(hc_order_type, key); break;
    case HC_KIND_PLACE: NEED(hc_place_type, place); break;
    case HC_KIND_METRIC:
      NEED(hc_metric_type, init);
      NEED(hc_metric_type, finish);
      NEED(hc_metric_type, component.figures);
      break;
    case HC_KIND_TRIM: NEED(hc_trim_type, keeps); break;
    case HC_KIND_EXPORTER: NEED(hc_exporter_type, run); break;
    case HC_KIND_COMPAT: NEED(hc_compat_type, entries); break;
    case HC_KIND_CARRIER: NEED(hc_carrier_type, carry); break;
    case HC_KIND_WORLD:
      NEED(hc_world_type, init);
      NEED(hc_world_type, advance);
      NEED(hc_world_type, finish);
      NEED(hc_world_type, fini);
      break;
    case HC_KIND_ARRIVALS: NEED(hc_arrivals_type, make); break;
    case HC_KIND_PREFILL: NEED(hc_prefill_type, make); break;
    case HC_KIND_MOLD: NEED(hc_mold_type, allows); break;
    case HC_KIND_RUN:
    case HC_KIND_CLASS:
    case HC_KIND_SET:
    case HC_KIND_LEVEL:
    case HC_KIND_CHANGE:
    case HC_KIND_ELIGIBILITY:
    case HC_KIND_ACCEPT:
    case HC_KIND_PREEMPT:
    case HC_KIND_POOL:
    case HC_KIND_SCHEDULER:
    case HC_KIND_WORKLOAD:
    case HC_KIND_COUNT: break;
  }
#undef NEED
  return NULL;
}

static size_t member_size(const hc_param *p)
{
  if (p->list) return sizeof(hc_list);
  switch (p->type) {
    case HC_INT:
    case HC_TIME:
    case HC_SIZE: return sizeof(int64_t);
    case HC_REAL: return sizeof(double);
    case HC_BOOL: return sizeof(bool);
    case HC_TEXT: return sizeof(const char *);
    case HC_CHOICE: return sizeof(int);
    case HC_COMPONENT: return sizeof(hc_chosen);
  }
  return 0;
}

/* What is wrong with a parameter; NULL if nothing is. */
static const char *param_fault(const hc_component *c, const hc_param *p)
{
  size_t size = member_size(p), align = size < sizeof(void *) ? size : sizeof(void *);
  if (!is_name(p->name) || strcmp(p->name, "use") == 0)
    return "has a name that cannot be a key; use small letters, digits and _, and not the word \"use\"";
  if (size == 0) return "has no known type";
  if (!p->help || !p->help[0]) return "has no help";
  if (p->offset % align != 0 || p->offset > c->options_size || size > c->options_size - p->offset)
    return "lies outside the options struct; give its offset by offsetof, and options_size by sizeof";
  if (p->type == HC_CHOICE && (!p->choices || !p->choices[0]))
    return "has no choices; write them as \"a|b|c\"";
  if (p->type == HC_COMPONENT && ((unsigned)p->kind >= HC_KIND_COUNT || p->kind == HC_KIND_RUN))
    return "has no kind of component to choose from";
  if (p->min > p->max) return "has a least value above its greatest";
  for (const hc_param *q = c->params; q != p; q++) {
    if (strcmp(q->name, p->name) == 0) return "stands in its table twice";
  }
  return NULL;
}

static hc_rc check_params(const hc_component *c, const char *where, hc_error *e)
{
  size_t count = 0;
  for (const hc_param *p = c->params; p && p->name; p++) {
    const char *fault = param_fault(c, p);
    if (fault)
      return hc_fail(e, HC_EUSAGE, where, 0, 0, "%s %s: the parameter \"%.64s\" %s", hc_kind_name(c->kind),
                     c->name, p->name, fault);
    if (++count > PARAM_LIMIT)
      return hc_fail(e, HC_EUSAGE, where, 0, 0,
                     "%s %s: more than %u parameters; does its table end with a row {.name = NULL}?",
                     hc_kind_name(c->kind), c->name, PARAM_LIMIT);
  }
  return 0;
}

hc_rc hc_registry_check(const hc_component *c, const char *where, hc_error *e)
{
  const char *word, *gap;
  if (c->abi != HC_ABI)
    return hc_fail(
        e, HC_EVERSION, where, 0, 0,
        "a component made for ABI %u; this is ABI %u: build it again with the headers of hindcast %s", c->abi,
        HC_ABI, HC_VERSION);
  if (c->size < sizeof(hc_component) || (unsigned)c->kind >= HC_KIND_COUNT)
    return hc_fail(e, HC_EUSAGE, where, 0, 0,
                   "a component without size or kind; begin it with HC_COMPONENT_HEAD(its struct, its kind)");
  word = hc_kind_name(c->kind);
  if (!is_name(c->name))
    return hc_fail(e, HC_EUSAGE, where, 0, 0,
                   "a component of kind %s without a usable name; use small letters, digits and _, a letter "
                   "first, at most %u",
                   word, NAME_LIMIT);
  if (c->size < struct_size(c->kind))
    return hc_fail(
        e, HC_EVERSION, where, 0, 0,
        "%s %s: its struct has %u bytes, %zu are needed: build it again with the headers of hindcast %s",
        word, c->name, c->size, struct_size(c->kind), HC_VERSION);
  if (!c->summary || !c->summary[0])
    return hc_fail(e, HC_EUSAGE, where, 0, 0, "%s %s: it has no summary; say in one line what it does", word,
                   c->name);
  gap = missing(c);
  if (gap)
    return hc_fail(e, HC_EUSAGE, where, 0, 0, "%s %s: its member `%s` is not set, and the kind %s needs it",
                   word, c->name, gap, word);
  if (c->options_size > OPTIONS_LIMIT)
    return hc_fail(e, HC_EUSAGE, where, 0, 0, "%s %s: options of %zu bytes; at most %zu", word, c->name,
                   c->options_size, OPTIONS_LIMIT);
  return check_params(c, where, e);
}
