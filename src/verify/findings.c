/* findings.c -- what can be found, as rules and in words; and the tables of rules and of what no record says.
 *
 * A finding is small, so that a wholly wrong schedule does not fill the memory: texts are made when all is
 * known. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "verify/parts.h"

/* ---- tables ---- */

const hc_verify_rule *hc_verify_rule_at(size_t i)
{
  static const hc_verify_rule rules[] = {
#define X(name, word, text) {word, text},
      HC_RULES(X)
#undef X
  };
  return i < HC_ARRAY_LEN(rules) ? &rules[i] : NULL;
}

const char *hc_verify_gap_at(size_t i)
{
  static const char *const gaps[] = {
#define X(name, where, text) text,
      HC_GAPS(X)
#undef X
  };
  return i < HC_ARRAY_LEN(gaps) ? gaps[i] : NULL;
}

hc_rule hc_rule_of(hc_found what)
{
  static const hc_rule rules[] = {
#define X(name, rule, words) HC_RULE_##rule,
      HC_FINDINGS(X)
#undef X
  };
  return rules[what];
}

/* ---- finding ---- */

hc_rc hc_find(hc_check *c, hc_found what, hc_time at, uint32_t rank, uint32_t other, int64_t a, int64_t b)
{
  TRY(hc_reserve(c->allocator, (void **)&c->findings, &c->finding_cap, c->finding_count + 1,
                 sizeof *c->findings));
  c->findings[c->finding_count++] =
      (hc_finding){.at = at, .what = what, .rank = rank, .other = other, .a = a, .b = b};
  c->report.found[hc_rule_of(what)]++;
  return 0;
}

hc_rc hc_find_on(hc_check *c, hc_found what, hc_time at, uint32_t rank, uint32_t host, uint32_t dimension,
                 int64_t a, int64_t b)
{
  TRY(hc_find(c, what, at, rank, UINT32_MAX, a, b));
  c->findings[c->finding_count - 1].host = host;
  c->findings[c->finding_count - 1].dimension = dimension;
  return 0;
}

hc_rc hc_find_word(hc_check *c, hc_found what, const char *word, uint32_t rank, int64_t a, int64_t b)
{
  TRY(hc_find(c, what, HC_UNKNOWN, rank, UINT32_MAX, a, b));
  c->findings[c->finding_count - 1].word = word;
  return 0;
}

/* ---- in words ---- */

/* What stands for a letter in the words of a finding. */
static void fill_in(const hc_check *c, const hc_finding *f, char letter, char out[96])
{
  const bool has_other = f->other != UINT32_MAX;
  switch (letter) {
    case 'a': (void)hc_format_seconds(f->a, out); return;
    case 'b': (void)hc_format_seconds(f->b, out); return;
    case 'A': (void)snprintf(out, 96, "%lld", (long long)f->a); return;
    case 'B': (void)snprintf(out, 96, "%lld", (long long)f->b); return;
    case 'h': (void)snprintf(out, 96, "%u", f->host); return;
    case 'd': (void)snprintf(out, 96, "%u", f->dimension); return;
    case 'w': (void)snprintf(out, 96, "%s", f->word ? f->word : ""); return;
    case 'o':
      (void)snprintf(out, 96, "%lld", has_other ? (long long)c->records[c->tasks[f->other].record].id : -1LL);
      return;
    default: out[0] = '\0';
  }
}

void hc_finding_text(const hc_check *c, const hc_finding *f, char *text, size_t size)
{
  static const char *const all[] = {
#define X(name, rule, words) words,
      HC_FINDINGS(X)
#undef X
  };
  size_t n = 0;
  for (const char *w = all[f->what]; *w != '\0' && n + 1 < size; w++) {
    char part[96] = {*w, '\0'};
    if (*w == '{') {
      fill_in(c, f, w[1], part);
      w += 2;
    }
    for (const char *p = part; *p != '\0' && n + 1 < size; p++) text[n++] = *p;
  }
  text[n] = '\0';
}
