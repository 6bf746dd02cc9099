/* pieces.c -- see pieces.h. */
#include "output/pieces.h"

#include "base/sort.h"

typedef struct reading {
  hc_pieces *pieces;
  hc_emit *emit;
  uint32_t dimension, amounts; /* amounts: how many a row has */
} reading;

/* ---- reading ---- */

/* What a dimension that the cell does not have holds is NULL. */
static hc_rc read_amount(const reading *x, const char *table, const char *const *values, int64_t *out)
{
  *out = 0;
  if (x->dimension >= x->amounts || !values[x->dimension]) return 0;
  return hc_emit_number(x->emit, table, values[x->dimension], 0, INT64_MAX, out);
}

static hc_rc keep(reading *x, hc_piece_row row)
{
  hc_pieces *p = x->pieces;
  row.place = p->count;
  TRY(hc_reserve(p->allocator, (void **)&p->rows, &p->cap, p->count + 1, sizeof *p->rows));
  p->rows[p->count++] = row;
  return 0;
}

static hc_rc hear_regrant(void *ctx, const char *const *values)
{
  reading *x = ctx;
  hc_piece_row row;
  TRY(hc_emit_number(x->emit, "regrants", values[0], 0, INT64_MAX, &row.serial));
  TRY(hc_emit_number(x->emit, "regrants", values[1], INT64_MIN, INT64_MAX, &row.at));
  TRY(hc_emit_number(x->emit, "regrants", values[2], 0, INT64_MAX, &row.number));
  TRY(hc_emit_number(x->emit, "regrants", values[3], 0, INT64_MAX, &row.units));
  TRY(hc_emit_number(x->emit, "regrants", values[4], 0, UINT32_MAX, &row.host));
  TRY(hc_emit_number(x->emit, "regrants", values[5], 0, UINT32_MAX, &row.slots));
  TRY(read_amount(x, "regrants", values + 6, &row.amount));
  return keep(x, row);
}

static hc_rc hear_resize(void *ctx, const char *const *values)
{
  reading *x = ctx;
  hc_piece_row row = {.number = 1, .units = -1, .slots = 1};
  TRY(hc_emit_number(x->emit, "resizes", values[0], 0, INT64_MAX, &row.serial));
  TRY(hc_emit_number(x->emit, "resizes", values[1], INT64_MIN, INT64_MAX, &row.at));
  TRY(hc_emit_number(x->emit, "resizes", values[2], 0, UINT32_MAX, &row.host));
  TRY(read_amount(x, "resizes", values + 3, &row.amount));
  return keep(x, row);
}

HC_SORT(sort_rows, hc_piece_row, a->serial != b->serial ? a->serial < b->serial : a->place < b->place)

hc_rc hc_pieces_read(hc_pieces *p, hc_emit *m, hc_result *r, uint32_t dimension)
{
  reading x = {p, m, dimension, hc_result_amounts(r)};
  *p = (hc_pieces){.allocator = m->text.allocator};
  TRY(hc_result_rows(r, "regrants", 6 + x.amounts, hear_regrant, &x, m->error));
  TRY(hc_result_rows(r, "resizes", 3 + x.amounts, hear_resize, &x, m->error));
  if (p->count > 1) sort_rows(p->rows, p->count);
  return 0;
}

void hc_pieces_fini(hc_pieces *p)
{
  if (!p->allocator) return;
  hc_free(p->allocator, p->rows, p->cap * sizeof *p->rows);
  hc_free(p->allocator, p->of, p->of_cap * sizeof *p->of);
}

/* ---- of a task ---- */

static size_t first_of(const hc_pieces *p, int64_t serial)
{
  size_t low = 0, high = p->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (p->rows[middle].serial < serial) low = middle + 1;
    else high = middle;
  }
  return low;
}

static hc_rc add(hc_pieces *p, size_t n, hc_piece piece)
{
  TRY(hc_reserve(p->allocator, (void **)&p->of, &p->of_cap, n + 1, sizeof *p->of));
  p->of[n] = piece;
  return 0;
}

/* The first row of its last attempt: number 0 is what an attempt began with, in the table that has numbers.
 * Of the other table rows of earlier attempts lie before its start. */
static size_t begin_of(const hc_pieces *p, const hc_task_record *t)
{
  const size_t first = first_of(p, t->serial);
  size_t end = first, at = SIZE_MAX;
  for (; end < p->count && p->rows[end].serial == t->serial; end++)
    if (p->rows[end].number == 0 && (end == first || p->rows[end - 1].number > 0)) at = end;
  if (at != SIZE_MAX) return p->rows[at].at == t->start ? at : end;
  for (at = first; at < end && p->rows[at].at < t->start;) at++;
  return at;
}

hc_rc hc_pieces_of(hc_pieces *p, const hc_task_record *t, const hc_piece **out)
{
  hc_rc n = 0;
  if (t->start == HC_UNKNOWN) return 0;
  size_t i = begin_of(p, t);
  for (size_t end = i; i < p->count && p->rows[i].serial == t->serial; i = end) {
    const hc_piece_row *first = &p->rows[i];
    if (n == INT32_MAX - 1) return HC_ELIMIT;
    if (n == 0 && first->number > 0) TRY(add(p, (size_t)n++, (hc_piece){.from = t->start, .units = -1}));
    while (end < p->count && p->rows[end].serial == t->serial && p->rows[end].at == first->at &&
           p->rows[end].number == first->number)
      end++;
    TRY(add(p, (size_t)n++, (hc_piece){first->at, first->units, first, end - i}));
  }
  *out = p->of;
  return n;
}
