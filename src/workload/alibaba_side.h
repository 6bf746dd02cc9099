/* alibaba_side.h -- another table, read along: its rows by a key, as many as are allowed. */
#ifndef HC_WORKLOAD_ALIBABA_SIDE_H
#define HC_WORKLOAD_ALIBABA_SIDE_H

#include "base/mem.h"

#define HC_SIDE_VALUES 4

typedef struct hc_side_row {
  uint64_t key;
  int64_t value[HC_SIDE_VALUES];
} hc_side_row;

typedef struct hc_side {
  const hc_allocator *allocator;
  /** The next row, and when it is of. @return 1, 0 at the end, or an error. */
  hc_rc (*read)(void *ctx, hc_side_row *row, hc_time *at, hc_error *e);
  void *ctx;
  size_t limit; /* rows that are held */
  hc_side_row *rows;
  size_t count, cap;
  hc_map places; /* key -> place */
  struct {       /* plain state */
    uint64_t seen;
    hc_time last; /* of the row read last */
    uint64_t at_end;
  } s;
} hc_side;

void hc_side_init(hc_side *s, const hc_allocator *a, size_t limit);
void hc_side_fini(hc_side *s);
/** The row with a key: one that is held, or one further down. Where all that is allowed is held, rows are
 *  read on as long as they are not later than `until`, and take the place of those read first: so two tables
 *  in order of time find each other whatever their length, and short ones in any order.
 *  @return 1, 0 if there is none, or an error. `*out` is borrowed until the next call. */
hc_rc hc_side_find(hc_side *s, uint64_t key, hc_time until, const hc_side_row **out, hc_error *e);
hc_rc hc_side_visit(hc_side *s, hc_visitor *v);

/** One key of two numbers. */
static inline uint64_t hc_side_key(int64_t a, int64_t b)
{
  uint64_t x = (uint64_t)a * UINT64_C(0x9e3779b97f4a7c15) ^ ((uint64_t)b + UINT64_C(0x632be59bd9b4e019));
  x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
  return x ^ x >> 32;
}

#endif
