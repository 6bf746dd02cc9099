/* tariff.h -- what energy costs, and what its making emits, by the time of its use. See tariff.c. */
#ifndef HC_METRIC_TARIFF_H
#define HC_METRIC_TARIFF_H

#include "base/prices.h"
#include "hindcast/component.h"
#include "metric/sum128.h"

/* Members of a family's options. */
typedef struct hc_tariff_options {
  double price, carbon; /* of a kWh: in some currency; g */
  const char *file;     /* NULL: these hold all the time */
  const char *column;   /* of carbon in the file; NULL: the first that is one */
} hc_tariff_options;

typedef struct hc_tariff {
  hc_prices prices;
  struct {
    hc_time since; /* counted up to here; HC_UNKNOWN: nothing is drawn yet */
    int64_t draws; /* microwatts */
    uint64_t step; /* that holds at `since` */
    hc_real_sum cost, carbon;
  } s;
} hc_tariff;

/** @param unix_start of the run's origin; HC_UNKNOWN: dates cannot be read
 *  @return 0; HC_EIO, HC_EINPUT, HC_EUSAGE with the place and the reason; HC_ENOMEM */
hc_rc hc_tariff_init(hc_tariff *t, const hc_allocator *a, const hc_tariff_options *o, int64_t unix_start,
                     hc_error *e);
void hc_tariff_fini(hc_tariff *t);
/** From `at` on so much is drawn, in microwatts. The first call is where counting begins. */
void hc_tariff_draws(hc_tariff *t, hc_time at, int64_t draws);
/* Between two looks so much was drawn beside that, in J; `from` is the first, and the second no later than
 * hc_tariff_next of it. */
void hc_tariff_drew(hc_tariff *t, hc_time from, double joules);
/* When it is another after `at`; HC_NEVER: not any more. */
hc_time hc_tariff_next(const hc_tariff *t, hc_time at);
hc_rc hc_tariff_visit(hc_tariff *t, hc_visitor *v);

#define HC_TARIFF_PARAMS(options, member) \
  HC_PARAM_AS(REAL, "price", options, member.price, "currency/kWh", "0", -1e9, 1e9, \
              "Price of a kilowatt-hour, at all times."), \
      HC_PARAM_AS(REAL, "carbon", options, member.carbon, "g/kWh", "0", 0, 1e9, \
                  "Mass of CO2 (equivalent) emitted for a kilowatt-hour, at all times."), \
      HC_PARAM_AS( \
          FILE, "tariff", options, member.file, NULL, \
          "A table with titles that says how price and carbon change over time: a column of times (at, " \
          "time, timestamp, or one whose title begins with datetime), `price` and `carbon` (or one whose " \
          "title begins with carbon intensity), at least one of the two. A time is seconds since the run's " \
          "origin, or a date and time in UTC, 2024-01-31T06:00, for which it must be known when the run " \
          "begins (`unix_start`). A row holds until the next, the last one to the end, and the first one " \
          "before its time too. May be packed (.gz, .zst, .xz). Default: none."), \
      HC_PARAM_AS(TEXT, "carbon_column", options, member.column, NULL, \
                  "Title of the column of `tariff` that has the carbon, of several. Default: the first.")

#endif
