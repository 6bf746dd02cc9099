/* schema.c -- the JSON Schema (draft 2020-12) of a run's configuration, for editors that complete and
 * check YAML.
 *
 * Each component is a definition "KIND.NAME": an object with its parameters and nothing else. Each kind is
 * a definition "KIND": a name, or one of those objects with its `use`, which may be left out where the kind
 * has but one, and of one that is called as the kind. Where a parameter has a default component, an object
 * without `use` is that component's. The schema is as strict as the resolver where a schema can be; the
 * shorthands (a path for a reader, parts for a policy) are texts to it. */
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "base/value.h"
#include "hindcast/study.h"
#include "plugin/describe.h"

#define TIME_PATTERN "^(never|[-+0-9.eE_:wdhmsun]+)$"
#define SIZE_PATTERN "^[-+0-9.eE_]+ *[kKMGTP]?i?B?$"

static void say_bounds(hc_buffer *b, const hc_param *p)
{
  char number[32];
  if (hc_has_low(p)) {
    (void)hc_format_real(p->min, number);
    hc_buffer_printf(b, ",\"minimum\":%s", number);
  }
  if (hc_has_high(p)) {
    (void)hc_format_real(p->max, number);
    hc_buffer_printf(b, ",\"maximum\":%s", number);
  }
}

static void say_choices(hc_buffer *b, const char *choices)
{
  hc_buffer_text(b, "\"enum\":[");
  for (const char *s = choices;;) {
    size_t n = strcspn(s, "|");
    hc_json_string(b, s, n);
    s += n;
    if (*s++ == '\0') break;
    hc_buffer_text(b, ",");
  }
  hc_buffer_text(b, "]");
}

/* A component, or the parameters of the default one without its name. */
static void say_component(hc_buffer *b, const hc_registry *r, const hc_param *p)
{
  const char *kind = hc_kind_name(r, p->kind);
  const hc_component *usual = !p->list && p->fallback ? hc_registry_find(r, p->kind, p->fallback) : NULL;
  if (!usual) {
    hc_buffer_printf(b, "\"$ref\":\"#/$defs/%s\"", kind);
    return;
  }
  hc_buffer_printf(b, "\"anyOf\":[{\"$ref\":\"#/$defs/%s\"},{\"$ref\":\"#/$defs/%s.%s\"}]", kind, kind,
                   usual->name);
}

/* The members of the schema object of one item. */
static void say_item(hc_buffer *b, const hc_registry *r, const hc_param *p)
{
  bool may_be_unknown = p->fallback && strcmp(p->fallback, "unknown") == 0;
  switch (p->type) {
    case HC_INT:
      hc_buffer_text(b, may_be_unknown ? "\"anyOf\":[{\"const\":\"unknown\"},{\"type\":\"integer\""
                                       : "\"type\":\"integer\"");
      say_bounds(b, p);
      if (may_be_unknown) hc_buffer_text(b, "}]");
      return;
    case HC_REAL:
      if (hc_amount_pattern(p->unit))
        hc_buffer_printf(b, "\"type\":[\"number\",\"string\"],\"pattern\":\"%s\"",
                         hc_amount_pattern(p->unit));
      else hc_buffer_text(b, "\"type\":\"number\"");
      say_bounds(b, p);
      return;
    case HC_TIME:
      hc_buffer_printf(b, "\"type\":[\"number\",\"string\"],\"pattern\":\"%s\"",
                       may_be_unknown ? ".*" : TIME_PATTERN);
      say_bounds(b, p);
      return;
    case HC_SIZE:
      hc_buffer_printf(b, "\"type\":[\"integer\",\"string\"],\"pattern\":\"%s\"",
                       may_be_unknown ? ".*" : SIZE_PATTERN);
      say_bounds(b, p);
      return;
    case HC_BOOL: hc_buffer_text(b, "\"enum\":[true,false,\"yes\",\"no\",\"on\",\"off\"]"); return;
    case HC_TEXT: hc_buffer_text(b, "\"type\":[\"string\",\"number\",\"boolean\"]"); return;
    case HC_CHOICE: say_choices(b, p->choices); return;
    case HC_COMPONENT: say_component(b, r, p); return;
  }
}

/* The default as JSON, read as the resolver would read it. */
static void say_default(hc_buffer *b, const hc_param *p)
{
  hc_error ignored = {0};
  hc_value *v = NULL;
  hc_arena a;
  if (!p->fallback || !p->fallback[0]) return;
  hc_arena_init(&a, b->allocator);
  hc_buffer_text(b, ",\"default\":");
  if ((p->type == HC_TEXT && !p->list) ||
      hc_value_parse(&a, p->fallback, strlen(p->fallback), "", &v, &ignored) < 0 || !v)
    hc_say_json(b, p->fallback);
  else hc_value_write_json(v, b, false);
  hc_arena_fini(&a);
}

static void say_param(hc_buffer *b, const hc_registry *r, const hc_param *p)
{
  hc_buffer_text(b, "{");
  if (p->list) {
    hc_buffer_text(b, "\"anyOf\":[{");
    say_item(b, r, p);
    hc_buffer_text(b, "},{\"type\":\"array\",\"items\":{");
    say_item(b, r, p);
    hc_buffer_text(b, "}}]");
  } else {
    say_item(b, r, p);
  }
  hc_buffer_text(b, ",\"description\":");
  hc_say_json(b, p->help);
  say_default(b, p);
  hc_buffer_text(b, "}");
}

/* The members of the schema object of a component. */
static void say_object(hc_buffer *b, const hc_registry *r, const hc_component *c)
{
  bool first = c->kind == HC_KIND_RUN;
  hc_buffer_text(b, "\"description\":");
  hc_say_json(b, c->summary);
  hc_buffer_text(b, ",\"type\":\"object\",\"additionalProperties\":false,\"properties\":{");
  if (!first) hc_buffer_printf(b, "\"use\":{\"const\":\"%s\"}", c->name);
  for (const hc_param *p = c->params; p && p->name; p++) {
    hc_buffer_text(b, first ? "\n  " : ",\n  ");
    hc_say_json(b, p->name);
    hc_buffer_text(b, ":");
    say_param(b, r, p);
    first = false;
  }
  hc_buffer_text(b, "}");
}

static void say_kind(hc_buffer *b, const hc_registry *r, hc_kind k)
{
  const char *kind = hc_kind_name(r, k);
  const hc_component *c;
  hc_buffer_printf(b, ",\n\"%s\":{\"description\":", kind);
  hc_say_json(b, hc_registry_kind(r, k)->text);
  hc_buffer_text(b, ",\"anyOf\":[");
  if (k == HC_KIND_READER || k == HC_KIND_POLICY) hc_buffer_text(b, "{\"type\":\"string\"},");
  hc_buffer_text(b, "{\"enum\":[");
  for (size_t i = 0; (c = hc_registry_at(r, k, i)); i++)
    hc_buffer_printf(b, "%s\"%s\"", i ? "," : "", c->name);
  hc_buffer_text(b, "]}");
  for (size_t i = 0; (c = hc_registry_at(r, k, i)); i++)
    hc_buffer_printf(b, ",{\"$ref\":\"#/$defs/%s.%s\"%s}", kind, c->name,
                     hc_registry_at(r, k, 1) && strcmp(c->name, kind) != 0 ? ",\"required\":[\"use\"]" : "");
  hc_buffer_text(b, "]}");
  for (size_t i = 0; (c = hc_registry_at(r, k, i)); i++) {
    hc_buffer_printf(b, ",\n\"%s.%s\":{", kind, c->name);
    say_object(b, r, c);
    hc_buffer_text(b, "}");
  }
}

/* The members of an object whose keys a file of its own kind has; `base` of a study is a run. */
static void say_keys(hc_buffer *b, const hc_file_key *keys, const char *required)
{
  hc_buffer_printf(
      b, "\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"%s\"],\"properties\":{",
      required);
  for (const hc_file_key *k = keys; k->name; k++) {
    const bool is_run = strcmp(k->name, "base") == 0;
    hc_buffer_printf(b, "%s\n  \"%s\":{%s\"description\":", k == keys ? "" : ",", k->name,
                     is_run ? "\"anyOf\":[{\"$ref\":\"#/$defs/run\"},{\"required\":[\"file\"]}]," : "");
    hc_say_json(b, k->help);
    hc_buffer_text(b, "}");
  }
  hc_buffer_text(b, "}");
}

hc_rc hc_schema(const hc_registry *r, const hc_sink *out, hc_error *e)
{
  const hc_component *run = hc_registry_find(r, HC_KIND_RUN, "run");
  hc_buffer b;
  if (!run) return hc_fail(e, HC_ENOTFOUND, "", 0, 0, "the registry has no component \"run\"");
  hc_buffer_init(&b, r->allocator);
  hc_buffer_text(
      &b,
      "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\n"
      "\"title\":\"hindcast: a run, a study, or statements about a study\",\n"
      "\"type\":\"object\",\"if\":{\"required\":[\"study\"]},\"then\":{\"$ref\":\"#/$defs/file.study\"},\n"
      "\"else\":{\"if\":{\"required\":[\"claims\"]},\"then\":{\"$ref\":\"#/$defs/file.claims\"},"
      "\"else\":{\"$ref\":\"#/$defs/run\"}},\n\"$defs\":{\n\"run\":{");
  say_object(&b, r, run);
  hc_buffer_text(
      &b,
      "},\n\"file.study\":{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{\"study\":{");
  say_keys(&b, hc_study_keys(), "base");
  hc_buffer_text(&b, "}}},\n\"file.claims\":{");
  say_keys(&b, hc_claims_keys(), "claims");
  hc_buffer_text(&b, "}");
  for (unsigned k = 0; k < HC_KIND_LIMIT; k++) {
    if (k != HC_KIND_RUN && hc_registry_kind(r, (hc_kind)k)) say_kind(&b, r, (hc_kind)k);
  }
  hc_buffer_text(&b, "}}\n");
  return hc_send(&b, out, e);
}
