/* prices.h -- what energy costs, and what its making emits, over time.
 *
 * Both are steps: a row of the table holds until the next, the last one to the end, and the first one
 * before its time too. The table is CSV with titles: a column of times (at, time, timestamp, or one that
 * begins with datetime), in seconds since the run's origin or dates in UTC, and `price`, `carbon` (or a
 * title that begins with it, as Electricity Maps' and OpenDC's do), or both. */
#ifndef HC_BASE_PRICES_H
#define HC_BASE_PRICES_H

#include "hindcast/base.h"

/* From a time on. */
typedef struct hc_price_step {
  hc_time at;
  double price, carbon; /* of a kWh: in some currency; g of CO2 equivalent */
} hc_price_step;

typedef struct hc_prices {
  const hc_allocator *allocator;
  hc_price_step *steps; /* [count] ascending in time */
  size_t count, cap;
} hc_prices;

/** @param p  with its allocator, and no steps @param column  title of the carbon; NULL: the first that is one
 *  @param unix_start  of the run's origin; HC_UNKNOWN: dates are refused
 *  @return 0; HC_EIO, HC_EINPUT, HC_EUSAGE with the place and the reason; HC_ENOMEM */
hc_rc hc_prices_read(hc_prices *p, const char *file, const char *column, int64_t unix_start, hc_error *e);
/** One more step, later than all. @return 0 or HC_ENOMEM */
hc_rc hc_prices_add(hc_prices *p, hc_price_step step);
void hc_prices_fini(hc_prices *p);
/** The step that holds at a time. O(log steps) */
size_t hc_prices_at(const hc_prices *p, hc_time at);

#endif
