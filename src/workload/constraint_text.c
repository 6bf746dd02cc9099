/* constraint_text.c -- constraints on hosts as people write them, for every format that has them as a text.
 *
 * An alternative without a sign of its own is another value of the attribute before it, if that had a sign:
 * "gpu_model=V100|A100" is one of the two models, and "a!=1|2" is neither 1 nor 2, as one would say it. The
 * latter are two demands and no alternatives, so they stand alone: "a!=1|2|b=3" is refused rather than
 * guessed at. A feature that is an alternative to a value comes first: "ssd|gpu_model=V100". */
#include "workload/constraint_text.h"

#include <string.h>

#include "base/fields.h"
#include "base/util.h"
#include "workload/writing.h"

/* What is being read. */
typedef struct text {
  const char *at, *end;
  hc_lexicon *lexicon;
} text;

static bool is_blank(char c)
{
  return c == ' ' || c == '\t';
}

/* What ends a name and a value: signs, and what stands between constraints. */
static bool is_mark(char c)
{
  return c != '\0' && strchr("=<>!|&,;", c) != NULL;
}

static void skip_blanks(text *t)
{
  while (t->at < t->end && is_blank(*t->at)) t->at++;
}

/* A word up to the next mark, without the blanks around it. */
static hc_field take_word(text *t, bool with_blanks)
{
  hc_field f;
  skip_blanks(t);
  f.text = t->at;
  while (t->at < t->end && !is_mark(*t->at) && (with_blanks || !is_blank(*t->at))) t->at++;
  f.length = (size_t)(t->at - f.text);
  f.doubled = false;
  while (f.length > 0 && is_blank(f.text[f.length - 1])) f.length--;
  skip_blanks(t);
  return f;
}

/* The comparison that comes next, which is then behind us. False if there is none. */
static bool take_sign(text *t, uint32_t *out)
{
  static const struct {
    const char *text;
    hc_compare compare;
  } all[] = {{"==", HC_EQUAL}, {"!=", HC_UNEQUAL}, {"<=", HC_AT_MOST}, {">=", HC_AT_LEAST},
             {"=", HC_EQUAL},  {"<", HC_LESS},     {">", HC_GREATER}};
  for (size_t i = 0; i < HC_ARRAY_LEN(all); i++) {
    const size_t n = strlen(all[i].text);
    if ((size_t)(t->end - t->at) < n || memcmp(t->at, all[i].text, n) != 0) continue;
    t->at += n;
    *out = all[i].compare;
    return true;
  }
  return false;
}

/* Whether the next alternative is a value and nothing else. */
static bool is_bare(text t)
{
  skip_blanks(&t);
  (void)take_word(&t, true);
  return t.at == t.end || (is_mark(*t.at) && !strchr("=<>!", *t.at));
}

static const char *read_value(text *t, hc_constraint *c)
{
  const hc_field f = take_word(t, true);
  if (f.length == 0) return "where a value is expected";
  c->is_text = !hc_field_whole(&f, &c->value);
  if (!c->is_text) return NULL;
  if (c->compare != HC_EQUAL && c->compare != HC_UNEQUAL) return "where texts are put in order";
  const uint32_t name = hc_lexicon_name(t->lexicon, f.text, f.length);
  c->value = name;
  return name == HC_NO_NAME ? "" : NULL;
}

/* One alternative that names its attribute; NULL, or what is wrong. */
static const char *read_named(text *t, hc_constraint *c)
{
  skip_blanks(t);
  const bool is_absent = t->at < t->end && *t->at == '!';
  t->at += is_absent;
  const hc_field f = take_word(t, false);
  if (f.length == 0) return "where the name of an attribute is expected";
  c->attribute = hc_lexicon_name(t->lexicon, f.text, f.length);
  if (c->attribute == HC_NO_NAME) return "";
  c->compare = is_absent ? HC_ABSENT : HC_PRESENT;
  c->is_text = 0;
  c->value = 0;
  return is_absent || !take_sign(t, &c->compare) ? NULL : read_value(t, c);
}

/* The array that grows. */
typedef struct list {
  const hc_allocator *allocator;
  hc_constraint **items;
  size_t *count, *cap;
} list;

/* Alternatives up to the next mark that is no bar. `*group` comes in as theirs and goes out as the next
 * one. */
static const char *read_alternatives(text *t, list *l, uint32_t *group)
{
  hc_constraint c = {.group = *group};
  bool neither = false; /* several values of one !=: a group for each */
  for (size_t i = 0;; i++, t->at++) {
    const bool is_value = i > 0 && c.compare < HC_PRESENT && is_bare(*t);
    const bool is_chain = is_value && c.compare == HC_UNEQUAL;
    if (i > 0 && (neither != is_chain) && !(is_chain && i == 1))
      return "where != with several values has other alternatives";
    neither = is_chain;
    c.group += is_chain;
    const char *wrong = is_value ? read_value(t, &c) : read_named(t, &c);
    if (wrong) return wrong;
    if (*l->count >= HC_CONSTRAINT_LIMIT) return "with more than 1024 constraints";
    if (hc_reserve(l->allocator, (void **)l->items, l->cap, *l->count + 1, sizeof **l->items) < 0) return "";
    (*l->items)[(*l->count)++] = c;
    *group = c.group + 1;
    if (t->at == t->end || *t->at != '|') return NULL;
  }
}

const char *hc_constraints_read(const hc_allocator *a, hc_lexicon *l, const char *s, size_t n,
                                hc_constraint **out, size_t *count, size_t *cap)
{
  text t = {.at = s, .end = s + n, .lexicon = l};
  list to = {.allocator = a, .items = out, .count = count, .cap = cap};
  uint32_t group = *count > 0 ? (*out)[*count - 1].group + 1 : 0;
  for (;; t.at++) {
    const char *wrong = read_alternatives(&t, &to, &group);
    if (wrong) return wrong;
    if (t.at == t.end) return NULL;
    if (*t.at != '&' && *t.at != ',' && *t.at != ';') return "where & or | is expected";
  }
}

/* ---- writing ---- */

#define WORD_MOST 48 /* bytes of a name or value */

/* Whether a text can stand in a constraint and come back as itself. */
static bool is_word(const char *s)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:-";
  const size_t n = strspn(s, letters);
  return n > 0 && n <= WORD_MOST && s[n] == '\0';
}

static bool is_number(const char *s)
{
  const hc_field f = {.text = s, .length = strlen(s)};
  int64_t ignored;
  return hc_field_whole(&f, &ignored);
}

char *hc_constraint_put(char *p, const hc_lexicon *l, const hc_constraint *c)
{
  static const char *const signs[] = {[HC_EQUAL] = "=",   [HC_UNEQUAL] = "!=",  [HC_LESS] = "<",
                                      [HC_GREATER] = ">", [HC_AT_LEAST] = ">=", [HC_AT_MOST] = "<="};
  const char *name = hc_lexicon_text(l, c->attribute), *value;
  if (!is_word(name)) return NULL;
  if (c->compare == HC_PRESENT) return hc_put_text(p, name);
  if (c->compare == HC_ABSENT) return hc_put_text(hc_put_char(p, '!'), name);
  if (c->compare > HC_AT_MOST) return NULL;
  p = hc_put_text(hc_put_text(p, name), signs[c->compare]);
  if (!c->is_text) return hc_put_int(p, c->value);
  value = hc_lexicon_text(l, (uint32_t)c->value);
  return is_word(value) && !is_number(value) ? hc_put_text(p, value) : NULL;
}
