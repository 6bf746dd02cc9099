/* matrix.c -- rows of columns, and packing into them. See matrix.h. */
#include "policy/matrix.h"

#include <string.h>

#include "base/state.h"
#include "base/util.h"

void hc_matrix_init(hc_matrix *m, const hc_allocator *a, uint32_t columns, hc_packing packing)
{
  *m = (hc_matrix){.allocator = a, .packing = packing, .columns = columns, .words = (columns + 63) / 64};
}

void hc_matrix_fini(hc_matrix *m)
{
  hc_free(m->allocator, m->taken, m->taken_cap * sizeof *m->taken);
  hc_free(m->allocator, m->room, m->room_cap * sizeof *m->room);
}

hc_rc hc_matrix_visit(hc_matrix *m, hc_visitor *v)
{
  HC_VISIT_ARRAY(v, m->room, m->rows, m->room_cap);
  HC_VISIT_ARRAY(v, m->taken, m->taken_count, m->taken_cap);
  return m->taken_count == m->rows * m->words ? 0 : HC_EINPUT;
}

/* ---- sets of columns ---- */

/* The bits of one word that a range covers. */
static uint64_t bits_of(hc_range r, uint32_t word)
{
  const uint64_t low = HC_MAX((uint64_t)r.first, (uint64_t)word * 64);
  const uint64_t high = HC_MIN((uint64_t)r.first + r.count, (uint64_t)word * 64 + 64);
  if (low >= high) return 0;
  return (high - low == 64 ? ~UINT64_C(0) : (UINT64_C(1) << (high - low)) - 1) << (low % 64);
}

static uint32_t last_word(hc_range r)
{
  return (r.first + r.count - 1) / 64;
}

bool hc_columns_meet(const uint64_t *set, const hc_range *columns, size_t count)
{
  for (size_t i = 0; i < count; i++)
    for (uint32_t w = columns[i].first / 64; w <= last_word(columns[i]); w++)
      if (set[w] & bits_of(columns[i], w)) return true;
  return false;
}

void hc_columns_set(uint64_t *set, const hc_range *columns, size_t count, bool is_in)
{
  for (size_t i = 0; i < count; i++)
    for (uint32_t w = columns[i].first / 64; w <= last_word(columns[i]); w++) {
      if (is_in) set[w] |= bits_of(columns[i], w);
      else set[w] &= ~bits_of(columns[i], w);
    }
}

static uint64_t *row_of(const hc_matrix *m, size_t row)
{
  return m->taken + row * m->words;
}

/* ---- rows ---- */

hc_rc hc_matrix_add_row(hc_matrix *m)
{
  TRY(hc_reserve(m->allocator, (void **)&m->room, &m->room_cap, m->rows + 1, sizeof *m->room));
  TRY(hc_reserve(m->allocator, (void **)&m->taken, &m->taken_cap, (m->rows + 1) * m->words,
                 sizeof *m->taken));
  memset(row_of(m, m->rows), 0, m->words * sizeof *m->taken);
  m->room[m->rows++] = m->columns;
  m->taken_count = m->rows * m->words;
  return 0;
}

void hc_matrix_remove_row(hc_matrix *m, size_t row)
{
  m->rows--;
  memmove(&m->room[row], &m->room[row + 1], (m->rows - row) * sizeof *m->room);
  memmove(row_of(m, row), row_of(m, row + 1), (m->rows - row) * m->words * sizeof *m->taken);
  m->taken_count = m->rows * m->words;
}

bool hc_matrix_is_disjoint(const hc_matrix *m, size_t row, size_t other)
{
  const uint64_t *x = row_of(m, row), *y = row_of(m, other);
  for (uint32_t w = 0; w < m->words; w++)
    if (x[w] & y[w]) return false;
  return true;
}

void hc_matrix_merge(hc_matrix *m, size_t into, size_t row)
{
  uint64_t *x = row_of(m, into), *y = row_of(m, row);
  for (uint32_t w = 0; w < m->words; w++) {
    x[w] |= y[w];
    y[w] = 0;
  }
  m->room[into] -= m->columns - m->room[row];
  m->room[row] = m->columns;
}

/* ---- packing ---- */

/* The block that a request gets; 0: it takes a whole row. */
static uint32_t block_of(const hc_matrix *m, uint32_t units)
{
  uint32_t block = 1;
  while (block < units && block <= m->columns / 2) block *= 2;
  return block >= units ? block : 0;
}

/* The first column of the lowest aligned block that is free; `columns` if there is none. */
static uint32_t find_block(const hc_matrix *m, size_t row, uint32_t block)
{
  if (block == 0) return m->room[row] == m->columns ? 0 : m->columns;
  if (m->room[row] < block) return m->columns;
  for (uint32_t at = 0; at + block <= m->columns; at += block) {
    const hc_range r = {at, block};
    if (!hc_columns_meet(row_of(m, row), &r, 1)) return at;
  }
  return m->columns;
}

uint32_t hc_matrix_most(const hc_matrix *m)
{
  uint32_t most = 0;
  for (size_t r = 0; r < m->rows; r++) most = HC_MAX(most, m->room[r]);
  return most;
}

size_t hc_matrix_find(const hc_matrix *m, uint32_t units)
{
  const uint32_t block = m->packing == HC_PACK_BUDDY ? block_of(m, units) : 0;
  size_t best = m->rows;
  for (size_t r = 0; r < m->rows; r++) {
    if (m->packing == HC_PACK_BUDDY) {
      if (find_block(m, r, block) < m->columns) return r;
      continue;
    }
    if (m->room[r] < units) continue;
    if (m->packing == HC_PACK_FIRST_FIT) return r;
    if (best == m->rows || m->room[r] < m->room[best]) best = r;
  }
  return best;
}

static hc_rc add_range(const hc_matrix *m, hc_columns *out, size_t from, hc_range r)
{
  hc_range *last = out->count > from ? &out->items[out->count - 1] : NULL;
  if (last && last->first + last->count == r.first) {
    last->count += r.count;
    return 0;
  }
  TRY(hc_reserve(m->allocator, (void **)&out->items, &out->cap, out->count + 1, sizeof *out->items));
  out->items[out->count++] = r;
  return 0;
}

/* The lowest that are free: runs of zeros, word by word. */
static hc_rc take_lowest(hc_matrix *m, size_t row, uint32_t units, hc_columns *out)
{
  const uint64_t *taken = row_of(m, row);
  const size_t from = out->count;
  for (uint32_t w = 0; units > 0; w++) {
    uint64_t open = ~taken[w];
    while (open && units > 0) {
      const uint32_t low = (uint32_t)__builtin_ctzll(open);
      const uint64_t rest = ~(open >> low);
      uint32_t run = rest ? (uint32_t)__builtin_ctzll(rest) : 64 - low;
      run = HC_MIN(run, units);
      TRY(add_range(m, out, from, (hc_range){w * 64 + low, run}));
      units -= run;
      open &= ~bits_of((hc_range){low, run}, 0);
    }
  }
  return 0;
}

hc_rc hc_matrix_take(hc_matrix *m, size_t row, uint32_t units, hc_columns *out, uint32_t *block)
{
  const size_t from = out->count;
  hc_range all = {0, 0};
  *block = 0;
  if (m->packing == HC_PACK_BUDDY) {
    *block = block_of(m, units);
    all.first = find_block(m, row, *block);
    if (*block == 0) *block = m->columns;
    all.count = *block;
    TRY(add_range(m, out, from, (hc_range){all.first, units}));
    hc_columns_set(row_of(m, row), &all, 1, true);
    m->room[row] -= *block;
    return 0;
  }
  const hc_rc rc = take_lowest(m, row, units, out);
  if (rc < 0) {
    out->count = from;
    return rc;
  }
  hc_columns_set(row_of(m, row), out->items + from, out->count - from, true);
  m->room[row] -= units;
  return 0;
}

void hc_matrix_give(hc_matrix *m, size_t row, const hc_range *columns, size_t count, uint32_t block)
{
  const hc_range all = {columns->first, block};
  uint32_t units = block;
  if (block > 0) hc_columns_set(row_of(m, row), &all, 1, false);
  else hc_columns_set(row_of(m, row), columns, count, false);
  for (size_t i = 0; block == 0 && i < count; i++) units += columns[i].count;
  m->room[row] += units;
}
