/* claims.c -- published statements, each decided over a study: confirmed, not confirmed, or undecidable.
 *
 * The file is read statement by statement; what one lacks (a figure that was not kept, a level that was not
 * run) makes it undecidable and says so, while a mistake in the file is an error with its place. No statement
 * is ever tuned: the vocabulary has no way to name a number that the study should have. */
#include "study/claims.h"

#include <string.h>

#include "base/util.h"

const char *hc_claim_verdict_name(hc_claim_verdict v)
{
  switch (v) {
    case HC_CLAIM_CONFIRMED: return "confirmed";
    case HC_CLAIM_NOT_CONFIRMED: return "not confirmed";
    case HC_CLAIM_UNDECIDABLE: return "undecidable";
  }
  return "?";
}

typedef struct checked {
  hc_claims found; /* first: what the caller holds */
  hc_arena arena;
  hc_arena file; /* the tree */
} checked;

static hc_rc read_expected(hc_claim_work *w, const hc_value *v, hc_claim_verdict *out)
{
  if (!v) return 0;
  for (int i = HC_CLAIM_CONFIRMED; i <= HC_CLAIM_UNDECIDABLE; i++) {
    if (v->kind == HC_VALUE_SCALAR && strcmp(v->text, hc_claim_verdict_name((hc_claim_verdict)i)) == 0) {
      *out = (hc_claim_verdict)i;
      return 0;
    }
  }
  return hc_value_fail(v, w->error, HC_EINPUT, "expected confirmed, not confirmed or undecidable");
}

static hc_rc read_text(hc_claim_work *w, const hc_value *map, const char *key, const char *fallback,
                       const char **out)
{
  const hc_value *v = hc_value_get(map, key);
  *out = fallback;
  if (!v) return 0;
  if (v->kind != HC_VALUE_SCALAR) return hc_value_fail(v, w->error, HC_EINPUT, "expected a text");
  *out = hc_arena_text(w->arena, v->text, strlen(v->text));
  return *out ? 0 : HC_ENOMEM;
}

static hc_rc check_one(hc_claim_work *w, const hc_value *map, const hc_claim_scope *outer, hc_statement *out)
{
  hc_claim_line *lines;
  if (map->kind != HC_VALUE_MAP)
    return hc_value_fail(map, w->error, HC_EINPUT, "expected a statement: id, text and a test");
  TRY(read_text(w, map, "id", "", &out->id));
  TRY(read_text(w, map, "text", "", &out->text));
  TRY(read_text(w, map, "source", NULL, &out->source));
  TRY(read_expected(w, hc_value_get(map, "expect"), &out->expected));
  w->line_count = w->node_count = 0;
  w->why = NULL;
  TRY(hc_claim_compare(w, map, outer, 0));
  TRY(hc_claim_decide(w, &out->verdict));
  out->why = w->why;
  if (!out->why && w->line_count == 0) out->why = "the study has no points that it speaks of";
  lines = hc_arena_alloc(w->arena, (w->line_count + 1) * sizeof *lines);
  if (!lines) return HC_ENOMEM;
  if (w->line_count) memcpy(lines, w->lines, w->line_count * sizeof *lines);
  out->lines = lines;
  out->count = (uint32_t)w->line_count;
  return 0;
}

static hc_rc read_level(hc_claim_work *w, const hc_value *v)
{
  w->level = 0.95;
  if (!v) return 0;
  if (v->kind != HC_VALUE_SCALAR || hc_parse_real(v->text, strlen(v->text), &w->level) < 0 ||
      !(w->level > 0) || !(w->level < 1))
    return hc_value_fail(v, w->error, HC_EINPUT, "expected a level above 0 and below 1, as 0.95");
  return 0;
}

static const hc_file_key claims_keys[] = {
    {"name", "Name of the file of statements; nothing is done with it."},
    {"level", "Level of the tests and intervals. Default: 0.95."},
    {"over", "Axes whose levels are the samples. Default: replication."},
    {"where", "Conditions on the points, as load>=0.5, for every statement."},
    {"figure", "Figure of the statements that name none."},
    {"axis", "Axis of the statements that name none."},
    {"margin", "Share within which two values are a tie. Default: 0.05."},
    {"margin_of",
     "What the margin is a share of: mean (of the first) or range (of the means of all levels). Default: "
     "mean."},
    {"test", "Whose p values decide: t or wilcoxon. Default: t."},
    {"claims", "The statements: each with id, text, source and a test."},
    {NULL, NULL}};

const hc_file_key *hc_claims_keys(void)
{
  return claims_keys;
}

static hc_rc check_keys(hc_claim_work *w, const hc_value *root)
{
  for (size_t i = 0; i < root->count; i++) {
    bool found = false;
    for (const hc_file_key *k = claims_keys; k->name; k++) found |= strcmp(root->items[i]->key, k->name) == 0;
    if (!found)
      return hc_value_fail_key(
          root->items[i], w->error, HC_EINPUT,
          "unknown key \"%.60s\"; a file of statements has level, over, where, figure, axis, margin, "
          "margin_of, test, claims",
          root->items[i]->key);
  }
  return 0;
}

static hc_rc check_all(hc_claim_work *w, const hc_value *root, hc_claims *found)
{
  const hc_value *list = hc_value_get(root, "claims");
  const hc_claim_scope nothing = {.margin = 0.05};
  hc_claim_scope scope;
  hc_statement *claims;
  if (root->kind != HC_VALUE_MAP || !list || list->kind != HC_VALUE_LIST)
    return hc_value_fail(root, w->error, HC_EINPUT, "expected a map with a list `claims`");
  TRY(check_keys(w, root));
  TRY(read_level(w, hc_value_get(root, "level")));
  TRY(hc_claim_scope_read(w, root, &nothing, &scope));
  claims = hc_arena_alloc(w->arena, (list->count + 1) * sizeof *claims);
  if (!claims) return HC_ENOMEM;
  found->level = w->level;
  found->claims = claims;
  for (size_t i = 0; i < list->count; i++) {
    TRY(check_one(w, list->items[i], &scope, &claims[i]));
    found->count++;
    found->verdicts[claims[i].verdict]++;
    found->unexpected += claims[i].verdict != claims[i].expected;
  }
  return 0;
}

/* A mistake in these is the asker's, and no statement's. */
static hc_rc check_firm(hc_claim_work *w)
{
  uint8_t **keep;
  return hc_study_where(w->arena, w->data, w->firm, w->firm_count, &keep, w->error);
}

hc_rc hc_claims_check(const hc_allocator *a, const hc_study_data *d, const char *path,
                      const char *const *where, size_t where_count, hc_claims **out, hc_error *e)
{
  checked *c = hc_alloc(a, sizeof *c);
  hc_claim_work w = {.allocator = a, .data = d, .firm = where, .firm_count = where_count, .error = e};
  hc_value *root;
  hc_rc rc;
  if (!c) return hc_fail(e, HC_ENOMEM, path, 0, 0, "out of memory");
  hc_arena_init(&c->arena, a);
  hc_arena_init(&c->file, a);
  w.arena = &c->arena;
  c->found.name = d->name;
  rc = check_firm(&w);
  if (rc >= 0) rc = hc_value_parse_file(&c->file, path, &root, e);
  if (rc >= 0) rc = check_all(&w, root, &c->found);
  if (w.lines) hc_free(a, w.lines, w.line_cap * sizeof *w.lines);
  if (w.nodes) hc_free(a, w.nodes, w.node_cap * sizeof *w.nodes);
  if (rc < 0) {
    hc_claims_free(a, &c->found);
    return hc_fail(e, rc, path, 0, 0, "%s", hc_rc_text(rc));
  }
  *out = &c->found;
  return 0;
}

void hc_claims_free(const hc_allocator *a, hc_claims *found)
{
  checked *c = (checked *)(void *)found;
  if (!c) return;
  hc_arena_fini(&c->arena);
  hc_arena_fini(&c->file);
  hc_free(a, c, sizeof *c);
}
