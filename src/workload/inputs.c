/* inputs.c -- which file a chosen source names. */
#include "workload/inputs.h"

#include <string.h>

#include "base/util.h"

const char *hc_source_name(const hc_chosen *c)
{
  for (const hc_param *p = c->type->params; p && p->name; p++) {
    const char *file;
    if (p->type != HC_TEXT || p->list || strcmp(p->name, "file") != 0) continue;
    memcpy(&file, (const char *)c->options + p->offset, sizeof file);
    if (file) return strcmp(file, "-") == 0 ? "standard input" : file;
  }
  return c->type->name;
}

/* A source may have one within, and that one within; they were written out, so there are few. */
static size_t readers_of_standard_input(const hc_chosen *c)
{
  size_t n = strcmp(hc_source_name(c), "standard input") == 0;
  for (const hc_param *p = c->type->params; p && p->name; p++) {
    hc_chosen inner;
    if (p->type != HC_COMPONENT || p->list || p->kind != HC_KIND_READER) continue;
    memcpy(&inner, (const char *)c->options + p->offset, sizeof inner);
    if (inner.type) n += readers_of_standard_input(&inner);
  }
  return n;
}

hc_rc hc_check_standard_input(const hc_chosen *sources, size_t count, hc_error *e)
{
  size_t n = 0;
  for (size_t i = 0; i < count; i++) n += readers_of_standard_input(&sources[i]);
  if (n < 2) return 0;
  return hc_fail(e, HC_EUSAGE, "standard input", 0, 0,
                 "%zu sources are to read it, and only one can: save it to a file first", n);
}
