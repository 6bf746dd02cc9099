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

/* The first member that a component of its kind cannot do without, and has not; NULL if it has them all. */
static const char *missing(const hc_kind_type *kind, const hc_component *c)
{
  for (const hc_needed *n = kind->needed; n && n->name; n++) {
    void (*member)(void);
    memcpy(&member, (const char *)c + n->offset, sizeof member);
    if (!member) return n->name;
  }
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
  if (p->type == HC_COMPONENT && ((unsigned)p->kind >= HC_KIND_LIMIT || p->kind == HC_KIND_RUN))
    return "has no kind of component to choose from";
  if (p->min > p->max) return "has a least value above its greatest";
  for (const hc_param *q = c->params; q != p; q++) {
    if (strcmp(q->name, p->name) == 0) return "stands in its table twice";
  }
  return NULL;
}

static hc_rc check_params(const char *word, const hc_component *c, const char *where, hc_error *e)
{
  size_t count = 0;
  for (const hc_param *p = c->params; p && p->name; p++) {
    const char *fault = param_fault(c, p);
    if (fault)
      return hc_fail(e, HC_EUSAGE, where, 0, 0, "%s %s: the parameter \"%.64s\" %s", word, c->name, p->name,
                     fault);
    if (++count > PARAM_LIMIT)
      return hc_fail(e, HC_EUSAGE, where, 0, 0,
                     "%s %s: more than %u parameters; does its table end with a row {.name = NULL}?", word,
                     c->name, PARAM_LIMIT);
  }
  return 0;
}

hc_rc hc_registry_check(const hc_registry *r, const hc_component *c, const char *where, hc_error *e)
{
  const hc_kind_type *kind = hc_registry_kind(r, c->kind);
  const char *word, *gap;
  if (c->abi != HC_ABI)
    return hc_fail(
        e, HC_EVERSION, where, 0, 0,
        "a component made for ABI %u; this is ABI %u: build it again with the headers of hindcast %s", c->abi,
        HC_ABI, HC_VERSION);
  if (c->size < sizeof(hc_component) || !kind)
    return hc_fail(e, HC_EUSAGE, where, 0, 0,
                   "a component without size or kind; begin it with HC_COMPONENT_HEAD(its struct, its kind)");
  word = kind->word;
  if (!is_name(c->name))
    return hc_fail(e, HC_EUSAGE, where, 0, 0,
                   "a component of kind %s without a usable name; use small letters, digits and _, a letter "
                   "first, at most %u",
                   word, NAME_LIMIT);
  if (c->size < kind->size)
    return hc_fail(
        e, HC_EVERSION, where, 0, 0,
        "%s %s: its struct has %u bytes, %zu are needed: build it again with the headers of hindcast %s",
        word, c->name, c->size, kind->size, HC_VERSION);
  if (!c->summary || !c->summary[0])
    return hc_fail(e, HC_EUSAGE, where, 0, 0, "%s %s: it has no summary; say in one line what it does", word,
                   c->name);
  gap = missing(kind, c);
  if (gap)
    return hc_fail(e, HC_EUSAGE, where, 0, 0, "%s %s: its member `%s` is not set, and the kind %s needs it",
                   word, c->name, gap, word);
  if (c->options_size > OPTIONS_LIMIT)
    return hc_fail(e, HC_EUSAGE, where, 0, 0, "%s %s: options of %zu bytes; at most %zu", word, c->name,
                   c->options_size, OPTIONS_LIMIT);
  return check_params(word, c, where, e);
}
