/* hostlist.c -- see hostlist.h. Source: https://slurm.schedmd.com/slurm.conf.html, "NodeName". */
#include "base/hostlist.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"

#define MOST_BRACKETS 4
#define MOST_NAME ((size_t)1024)
#define NUMBER_DIGITS 9

/* Digits at `s`. @return how many; 0: none, or too many. */
static size_t number(const char *s, uint32_t *out)
{
  uint32_t x = 0;
  size_t n = 0;
  for (; s[n] >= '0' && s[n] <= '9'; n++) {
    if (n == NUMBER_DIGITS) return 0;
    x = x * 10 + (uint32_t)(s[n] - '0');
  }
  *out = x;
  return n;
}

size_t hc_hostlist_range(const char *s, uint32_t *first, uint32_t *last, size_t *width)
{
  size_t n = number(s, first), m;
  *last = *first;
  *width = n;
  if (n == 0 || s[n] != '-') return n;
  m = number(s + n + 1, last);
  return m == 0 ? 0 : n + 1 + m;
}

/* A list while its names are written out. */
typedef struct walk {
  const hc_hostlist *l;
  uint64_t names; /* so far */
  hc_error *e;
} walk;

static hc_rc wrong(const walk *w, const char *what)
{
  const hc_hostlist *l = w->l;
  return hc_fail(w->e, l->wrong, l->where, l->line, l->column, "\"%.80s\": %s", l->text, what);
}

static hc_rc no_range(const walk *w, const char *at)
{
  char what[80];
  (void)snprintf(what, sizeof what, "expected a number or a range such as 0-4 at \"%.20s\"", at);
  return wrong(w, what);
}

static hc_rc too_long(const walk *w)
{
  return hc_fail(w->e, HC_ELIMIT, w->l->where, w->l->line, w->l->column,
                 "\"%.80s\" is too long for a host's name", w->l->text);
}

static hc_rc take(walk *w, const char *name)
{
  const hc_hostlist *l = w->l;
  if (name[0] == '\0') return 0;
  if (++w->names > HC_HOSTLIST_MOST)
    return hc_fail(w->e, HC_ELIMIT, l->where, l->line, l->column, "\"%.80s\" stands for more than %llu hosts",
                   l->text, (unsigned long long)HC_HOSTLIST_MOST);
  return l->take(l->ctx, name, w->e);
}

static hc_rc take_pattern(walk *w, const char *done, const char *pattern, int depth);

/* A range in brackets. @return 0, or what ended it */
static hc_rc take_range(walk *w, const char *done, const char *at, const char *behind, int depth)
{
  uint32_t first, last;
  size_t width;
  hc_rc rc = 0;
  (void)hc_hostlist_range(at, &first, &last, &width);
  if (last < first) {
    char what[80];
    (void)snprintf(what, sizeof what, "the range %u-%u ends before it begins", first, last);
    return wrong(w, what);
  }
  for (uint32_t i = first; i <= last && rc == 0; i++) {
    char name[MOST_NAME];
    const int n = snprintf(name, sizeof name, "%s%0*" PRIu32, done, (int)width, i);
    rc = n < 0 || (size_t)n >= sizeof name ? too_long(w) : take_pattern(w, name, behind, depth);
  }
  return rc;
}

/* What a list in brackets stands for, from behind the bracket. */
static hc_rc take_brackets(walk *w, const char *done, const char *list, int depth)
{
  const char *close = strchr(list, ']'), *at = list;
  if (depth == MOST_BRACKETS)
    return wrong(w, "brackets hold numbers and ranges, as in c-[0-4,7]; at most four pairs of them");
  if (!close || close == list) return wrong(w, "brackets hold numbers and ranges, as in c-[0-4,7]");
  for (;;) {
    uint32_t first, last;
    size_t width;
    const size_t used = hc_hostlist_range(at, &first, &last, &width);
    if (used == 0 || (at[used] != ',' && at + used != close)) return no_range(w, at);
    const hc_rc rc = take_range(w, done, at, close + 1, depth + 1);
    at += used;
    if (rc != 0 || at == close) return rc;
    at++;
  }
}

/* What a name stands for of which `done` is written out. It ends at a comma outside of brackets. */
static hc_rc take_pattern(walk *w, const char *done, const char *pattern, int depth)
{
  char name[MOST_NAME];
  const size_t n = strcspn(pattern, "[,");
  if (strlen(done) + n >= sizeof name) return too_long(w);
  (void)snprintf(name, sizeof name, "%s%.*s", done, (int)n, pattern);
  return pattern[n] == '[' ? take_brackets(w, name, pattern + n + 1, depth) : take(w, name);
}

/* The first comma outside of brackets, or the end. */
static const char *end_of_name(const char *s)
{
  for (bool inside = false; *s && (inside || *s != ','); s++)
    if (*s == '[' || *s == ']') inside = *s == '[';
  return s;
}

hc_rc hc_hostlist_each(const hc_hostlist *l, hc_error *e)
{
  walk w = {.l = l, .e = e};
  for (const char *at = l->text;;) {
    const char *end = end_of_name(at);
    const hc_rc rc = take_pattern(&w, "", at, 0);
    if (rc != 0 || *end == '\0') return rc;
    at = end + 1;
  }
}

static hc_rc is_it(void *ctx, const char *name, hc_error *e)
{
  HC_UNUSED(e);
  return strcmp(ctx, name) == 0;
}

hc_rc hc_hostlist_has(const hc_hostlist *l, const char *name, hc_error *e)
{
  hc_hostlist asked = *l;
  asked.take = is_it;
  asked.ctx = (void *)(uintptr_t)name; /* read only */
  return hc_hostlist_each(&asked, e);
}
