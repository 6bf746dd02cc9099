/* due.c -- reads lists of what users are due. See due.h. */
#include "policy/share/due.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"

static const char *const titles[HC_DUE_LISTS] = {"weights", "quotas", "limits", "guarantees"};

static hc_rc wrong(const hc_dues *d, hc_error *e, hc_due_list which, const char *entry, const char *what)
{
  static const char *const examples[HC_DUE_LISTS] = {
      "ann=2, or ann=cpu:1 memory:2", "ann=25%, or ann=cpu:16 memory:64GB",
      "ann=25%, or ann=cpu:16 memory:64GB", "ann=30%, or ann=cpu:30% memory:10%"};
  return hc_fail(e, HC_EUSAGE, d->where, 0, 0, "%s: \"%s\" %s; write it as %s", titles[which], entry, what,
                 examples[which]);
}

static hc_due nothing(void)
{
  hc_due out = {0};
  for (int k = 0; k < HC_DUE_LISTS; k++)
    for (int d = 0; d < HC_DIMENSIONS; d++) out.of[k].share[d] = out.of[k].amount[d] = -1;
  return out;
}

hc_rc hc_dues_init(hc_dues *d, const hc_allocator *a, const hc_lexicon *lexicon, const char *where)
{
  *d = (hc_dues){.allocator = a, .lexicon = lexicon, .where = where, .nothing = nothing()};
  hc_names_init(&d->names, a, (size_t)1 << 24);
  return 0;
}

void hc_dues_fini(hc_dues *d)
{
  if (!d->allocator) return;
  hc_names_fini(&d->names);
  hc_free(d->allocator, d->rows, d->row_cap * sizeof *d->rows);
  hc_free(d->allocator, d->seen, d->seen_cap * sizeof *d->seen);
  *d = (hc_dues){0};
}

static hc_rc row_of(hc_dues *d, const char *text, size_t n, hc_due **out)
{
  const size_t known = d->names.count;
  uint32_t id;
  TRY(hc_names_add(&d->names, text, n, &id));
  if (id == known) {
    TRY(hc_reserve(d->allocator, (void **)&d->rows, &d->row_cap, known + 1, sizeof *d->rows));
    TRY(hc_reserve(d->allocator, (void **)&d->seen, &d->seen_cap, known + 1, sizeof *d->seen));
    d->rows[id] = nothing();
    d->seen[id] = false;
  }
  *out = &d->rows[id];
  return 0;
}

int hc_dues_dimension(const hc_lexicon *l, const char *name, size_t n)
{
  for (uint32_t d = 0; d < HC_DIMENSIONS; d++) {
    const char *known = l ? hc_lexicon_dimension_name(l, d) : NULL;
    if (known && strlen(known) == n && memcmp(known, name, n) == 0) return (int)d;
  }
  return -1;
}

/* ---- values ---- */

/* A number, or an amount of dimension `d` with its unit; with % it is a share. @return NULL, or what is
 * wrong */
static const char *read_number(hc_due_list which, int d, const char *text, size_t n, double *share,
                               double *amount)
{
  const bool is_percent = n > 1 && text[n - 1] == '%' && which != HC_DUE_WEIGHT;
  const bool is_plain = which == HC_DUE_WEIGHT || which == HC_DUE_GUARANTEE || d < 0 || is_percent;
  double x;
  int64_t bytes;
  if (is_plain) {
    if (hc_parse_real(text, is_percent ? n - 1 : n, &x) < 0) return "has a value that is no number";
    if (is_percent) x /= 100;
    if (which == HC_DUE_WEIGHT && x == 0) return "is a weight of zero, which would never be served";
    if (x < 0) return "is negative";
    if (which == HC_DUE_WEIGHT && !(x >= 1e-9 && x <= 1e9)) return "is no weight from 1e-9 to 1e9";
    if (which != HC_DUE_WEIGHT && x > 1) return "is more than the whole cell, and a share is from 0 to 1";
    *share = x;
    return NULL;
  }
  if (d == HC_DIM_MEMORY || d == HC_DIM_DISK) {
    if (n > 0 && text[0] == '-') return "is negative";
    if (hc_parse_size(text, n, &bytes) < 0) return "has a value that is no size";
    *amount = (double)bytes;
    return NULL;
  }
  if (hc_parse_real(text, n, &x) < 0) return "has a value that is no number";
  if (x < 0) return "is negative";
  if (x > 1e12) return "is beyond any cell";
  *amount = d == HC_DIM_CPU || d == HC_DIM_GPU ? x * 1000 : x;
  return NULL;
}

static hc_rc read_part(const hc_dues *dues, hc_due_list which, hc_due_vector *v, const char *entry,
                       const char *part, size_t n, hc_error *e)
{
  const char *colon = memchr(part, ':', n), *bad;
  double share = -1, amount = -1;
  int d = -1;
  if (colon) {
    d = hc_dues_dimension(dues->lexicon, part, (size_t)(colon - part));
    if (d < 0) return wrong(dues, e, which, entry, "names a dimension that this run has not");
    if (v->share[d] >= 0 || v->amount[d] >= 0) return wrong(dues, e, which, entry, "says a dimension twice");
    n -= (size_t)(colon - part) + 1;
    part = colon + 1;
  }
  bad = read_number(which, d, part, n, &share, &amount);
  if (bad) return wrong(dues, e, which, entry, bad);
  if (d >= 0) {
    v->share[d] = share;
    v->amount[d] = amount;
    return 0;
  }
  for (int i = 0; i < HC_DIMENSIONS; i++) {
    if (v->share[i] >= 0 || v->amount[i] >= 0) return wrong(dues, e, which, entry, "says a dimension twice");
    v->share[i] = share;
  }
  return 0;
}

static hc_rc read_entry(hc_dues *d, hc_due_list which, const char *entry, hc_error *e)
{
  const char *equal = strrchr(entry, '='), *part;
  hc_due *row;
  if (!equal || equal == entry) return wrong(d, e, which, entry, "is not a user and its value");
  if (which == HC_DUE_GUARANTEE && equal == entry + 1 && entry[0] == '*')
    return wrong(d, e, which, entry, "guarantees something to users whose number is not known: name each");
  TRY(row_of(d, entry, (size_t)(equal - entry), &row));
  if (row->said[which])
    return wrong(d, e, which, entry, "is the second entry of this user: leave one of them");
  row->said[which] = 1;
  part = equal + 1;
  while (*part) {
    const size_t n = strcspn(part, " ");
    if (n > 0) TRY(read_part(d, which, &row->of[which], entry, part, n, e));
    part += n + (part[n] == ' ');
  }
  for (int i = 0; i < HC_DIMENSIONS; i++)
    if (row->of[which].share[i] >= 0 || row->of[which].amount[i] >= 0) return 0;
  return wrong(d, e, which, entry, "has no value");
}

hc_rc hc_dues_read(hc_dues *d, hc_due_list which, const hc_list *list, hc_error *e)
{
  for (size_t i = 0; i < list->count; i++)
    TRY(read_entry(d, which, ((const char *const *)list->items)[i], e));
  return 0;
}

hc_rc hc_dues_pool(hc_dues *d, const char *user, uint32_t pool, hc_error *e)
{
  hc_due *row;
  TRY(row_of(d, user, strlen(user), &row));
  if (row->pool > 0)
    return hc_fail(e, HC_EUSAGE, d->where, 0, 0, "pools: user %s is in two pools; leave it in one", user);
  row->pool = pool;
  return 0;
}

hc_rc hc_dues_one_weight(const hc_dues *d, hc_error *e)
{
  for (size_t i = 0; i < d->names.count; i++) {
    const double *x = d->rows[i].of[HC_DUE_WEIGHT].share;
    for (int k = 1; k < HC_DIMENSIONS; k++)
      if (x[k] != x[0])
        return hc_fail(
            e, HC_EUSAGE, d->where, 0, 0,
            "weights: %s has one for each dimension, which are not compared here: give it one for all",
            d->names.names[i]);
  }
  return 0;
}

/* ---- guarantees ---- */

hc_rc hc_dues_guarantees(hc_dues *d, bool scales, hc_error *e)
{
  double most = 1;
  int worst = -1;
  for (int r = 0; r < HC_DIMENSIONS; r++) {
    double sum = 0;
    for (size_t i = 0; i < d->names.count; i++) sum += HC_MAX(d->rows[i].of[HC_DUE_GUARANTEE].share[r], 0);
    if (!(sum > 1 + 1e-9)) continue;
    d->oversold[r] = sum;
    if (sum > most) worst = r;
    most = HC_MAX(most, sum);
  }
  if (worst < 0) return 0;
  if (!scales) {
    const char *name = d->lexicon ? hc_lexicon_dimension_name(d->lexicon, (uint32_t)worst) : NULL;
    return hc_fail(e, HC_EUSAGE, d->where, 0, 0,
                   "guarantees: %.4g %% of %s are promised; promise 100 %% at most, or set `oversold: scale`",
                   most * 100, name ? name : "everything");
  }
  for (size_t i = 0; i < d->names.count; i++) /* by one factor, so that all stay in proportion */
    for (int r = 0; r < HC_DIMENSIONS; r++)
      if (d->rows[i].of[HC_DUE_GUARANTEE].share[r] > 0) d->rows[i].of[HC_DUE_GUARANTEE].share[r] /= most;
  return 0;
}

/* ---- what one user is due ---- */

static void lay(hc_due *out, const hc_due *row)
{
  for (int k = 0; k < HC_DUE_LISTS; k++) {
    if (out->said[k] || !row->said[k]) continue;
    out->of[k] = row->of[k];
    out->said[k] = 1;
  }
  if (out->pool == 0) out->pool = row->pool;
}

static void lay_named(hc_dues *d, const char *text, hc_due *out)
{
  const uint32_t id = text ? hc_names_find(&d->names, text, strlen(text)) : HC_MAP_NONE;
  if (id == HC_MAP_NONE) return;
  d->seen[id] = true;
  lay(out, &d->rows[id]);
}

const hc_due *hc_dues_called(hc_dues *d, const char *name, int64_t number)
{
  char text[32];
  if (d->names.count == 0) return &d->nothing;
  d->answer = d->nothing;
  lay_named(d, name, &d->answer);
  (void)snprintf(text, sizeof text, "%" PRId64, number);
  lay_named(d, text, &d->answer);
  lay_named(d, "*", &d->answer);
  return &d->answer;
}

const hc_due *hc_dues_of(hc_dues *d, int64_t user)
{
  return hc_dues_called(d, d->lexicon ? hc_lexicon_called(d->lexicon, HC_CALLED_USER, user) : NULL, user);
}

/* ---- at the end ---- */

static void note_unknown(const hc_dues *d, hc_buffer *out)
{
  size_t count = 0;
  for (size_t i = 0; i < d->names.count; i++) {
    if (d->seen[i] || strcmp(d->names.names[i], "*") == 0) continue;
    count++;
    if (count <= 5)
      hc_buffer_printf(out, "%s%s", count == 1 ? "no task came from user " : ", ", d->names.names[i]);
  }
  if (count == 0) return;
  if (count > 5) hc_buffer_printf(out, " and %zu more", count - 5);
  hc_buffer_printf(
      out,
      ", which the %s names: a user goes by the name that the source has, or by its number; correct "
      "the list",
      d->where);
}

void hc_dues_note(const hc_dues *d, hc_buffer *out)
{
  double most = 0;
  for (int r = 0; r < HC_DIMENSIONS; r++) most = HC_MAX(most, d->oversold[r]);
  note_unknown(d, out);
  if (most > 0)
    hc_buffer_printf(out, "%sguarantees summed to %.4g %% of what there is, and were scaled to fit",
                     out->size > 0 ? "; " : "", most * 100);
}
