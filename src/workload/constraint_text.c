/* constraint_text.c -- constraints on hosts as people write them. */
#include "workload/constraint_text.h"

#include <string.h>

#include "base/util.h"

static bool is_word(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '/' || c == ':' || c == '-';
}

static void skip_blanks(const char **s, const char *end)
{
  while (*s < end && (**s == ' ' || **s == '\t')) ++*s;
}

static size_t word_length(const char *s, const char *end)
{
  size_t n = 0;
  while (s + n < end && is_word(s[n])) n++;
  return n;
}

/* The comparison at `*s`, which moves past it. False if there is none. */
static bool compare_of(const char **s, const char *end, uint32_t *out)
{
  static const struct {
    const char *text;
    hc_compare compare;
  } all[] = {{"==", HC_EQUAL}, {"!=", HC_UNEQUAL}, {"<=", HC_AT_MOST}, {">=", HC_AT_LEAST},
             {"=", HC_EQUAL},  {"<", HC_LESS},     {">", HC_GREATER}};
  for (size_t i = 0; i < HC_ARRAY_LEN(all); i++) {
    const size_t n = strlen(all[i].text);
    if ((size_t)(end - *s) < n || memcmp(*s, all[i].text, n) != 0) continue;
    *s += n;
    *out = all[i].compare;
    return true;
  }
  return false;
}

static bool to_whole(const char *s, size_t n, int64_t *out)
{
  const bool negative = n > 1 && s[0] == '-';
  int64_t v = 0;
  if (n - negative > 18) return false;
  for (size_t i = negative; i < n; i++) {
    if (s[i] < '0' || s[i] > '9') return false;
    v = v * 10 + (s[i] - '0');
  }
  *out = negative ? -v : v;
  return true;
}

/* One constraint; NULL, or what is wrong. */
static const char *read_one(hc_lexicon *l, const char **s, const char *end, hc_constraint *c)
{
  const bool absent = *s < end && **s == '!';
  size_t n;
  *s += absent;
  skip_blanks(s, end);
  n = word_length(*s, end);
  if (n == 0) return "where the name of an attribute is expected";
  c->attribute = hc_lexicon_name(l, *s, n);
  if (c->attribute == HC_NO_NAME) return "";
  *s += n;
  skip_blanks(s, end);
  c->compare = absent ? HC_ABSENT : HC_PRESENT;
  if (absent || !compare_of(s, end, &c->compare)) return NULL;
  skip_blanks(s, end);
  n = word_length(*s, end);
  if (n == 0) return "where a value is expected";
  if (!to_whole(*s, n, &c->value)) {
    const uint32_t name = hc_lexicon_name(l, *s, n);
    if (name == HC_NO_NAME) return "";
    if (c->compare != HC_EQUAL && c->compare != HC_UNEQUAL) return "where texts are put in order";
    c->is_text = 1;
    c->value = name;
  }
  *s += n;
  skip_blanks(s, end);
  return NULL;
}

const char *hc_constraints_read(const hc_allocator *a, hc_lexicon *l, const char *s, size_t n,
                                hc_constraint **out, size_t *count, size_t *cap)
{
  const char *end = s + n;
  uint32_t group = 0;
  *count = 0;
  for (;;) {
    hc_constraint c = {.group = group};
    skip_blanks(&s, end);
    const char *wrong = read_one(l, &s, end, &c);
    if (wrong) return wrong;
    if (*count == HC_CONSTRAINT_LIMIT) return "with more than 1024 constraints";
    if (hc_reserve(a, (void **)out, cap, *count + 1, sizeof **out) < 0) return "";
    (*out)[(*count)++] = c;
    if (s == end) return NULL;
    if (*s != '|' && *s != '&' && *s != ',' && *s != ';') return "where & or | is expected";
    group += *s != '|';
    s++;
  }
}
