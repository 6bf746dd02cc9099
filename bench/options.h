/* options.h -- options of a component for a benchmark that calls it by itself, filled in as by a run. */
#ifndef HC_BENCH_OPTIONS_H
#define HC_BENCH_OPTIONS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "hindcast/plugin.h"

static inline int bench_choice(const char *choices, const char *word)
{
  int i = 0;
  for (const char *p = choices; *p; i++) {
    const size_t n = strcspn(p, "|");
    if (n == strlen(word) && strncmp(p, word, n) == 0) return i;
    p += n + (p[n] == '|');
  }
  return -1;
}

/* Lists and components stay empty. */
static inline void bench_set_option(const hc_param *p, const char *text, char *options)
{
  void *at = options + p->offset;
  const size_t n = strlen(text);
  hc_rc rc = 0;
  if (p->list) return;
  switch (p->type) {
    case HC_INT: rc = hc_parse_int(text, n, at); break;
    case HC_REAL: rc = hc_parse_real(text, n, at); break;
    case HC_TIME: rc = hc_parse_time(text, n, at); break;
    case HC_SIZE: rc = hc_parse_size(text, n, at); break;
    case HC_BOOL: rc = hc_parse_bool(text, n, at); break;
    case HC_TEXT: memcpy(at, &text, sizeof text); break;
    case HC_CHOICE: *(int *)at = bench_choice(p->choices, text); break;
    case HC_COMPONENT: break;
  }
  if (rc < 0) printf("%s: %s\n", p->name, text);
}

/* @param set  "name=value" over the defaults; NULL, or a NULL behind the last
 * @return  the caller's to free; NULL: no memory */
static inline char *bench_options(const hc_component *c, const char *const *set)
{
  char *options = calloc(1, c->options_size + 1);
  if (!options) return NULL;
  for (const hc_param *p = c->params; p && p->name; p++) {
    const hc_time unknown = HC_UNKNOWN;
    if (p->fallback) bench_set_option(p, p->fallback, options);
    else if (p->type == HC_TIME) memcpy(options + p->offset, &unknown, sizeof unknown);
    for (const char *const *s = set; s && *s; s++) {
      const size_t n = strcspn(*s, "=");
      if (strlen(p->name) == n && strncmp(p->name, *s, n) == 0) bench_set_option(p, *s + n + 1, options);
    }
  }
  return options;
}

#endif
