/* lanes.h -- where things lie in a picture that has a lane for each processor, or for each part of a host.
 *
 * A store of processors that have no names says how many a task had and not which. Lanes are for looking:
 * each stretch gets lanes that are free while it lasts, in one piece where there is one (the smallest gap
 * that holds it, the lowest of equal ones), else the lowest free ones. Lanes are in bands, one for each
 * host, or one for all processors; a stretch asks for an amount of one band. What a band has not, since
 * hosts shrink and may be overcommitted, gets no lanes.
 *
 * Stretches are told by their starts. Cost: a walk over the gaps of a band. Memory: 16 bytes a gap, 32 a
 * stretch that goes on. */
#ifndef HC_OUTPUT_LANES_H
#define HC_OUTPUT_LANES_H

#include "base/mem.h"

typedef struct hc_lane_gap {
  int64_t first, count;
} hc_lane_gap;

typedef struct hc_lane_band {
  hc_lane_gap *gaps; /* [count] free lanes, ascending; those of a band that was not asked yet are not made */
  size_t count, cap;
  int64_t first, size; /* its lanes among all */
  bool is_open;
} hc_lane_band;

typedef struct hc_lane_held {
  hc_time end;
  int64_t first, count;
  uint32_t band;
} hc_lane_held;

typedef struct hc_lanes {
  const hc_allocator *allocator;
  hc_lane_band *bands; /* [band_count] */
  size_t band_count, band_cap;
  int64_t total;      /* lanes of all bands */
  hc_lane_held *held; /* [held_count] a heap by end */
  size_t held_count, held_cap;
  hc_lane_gap *given; /* [given_count] what the last stretch got */
  size_t given_count, given_cap;
} hc_lanes;

void hc_lanes_init(hc_lanes *l, const hc_allocator *a);
void hc_lanes_fini(hc_lanes *l);
/** Add a band behind the others. @return 0 or HC_ENOMEM */
hc_rc hc_lanes_add(hc_lanes *l, int64_t size);
/** Lanes for a stretch, into `given`; they are free again at its end. Starts never go back.
 *  @return 0 or HC_ENOMEM */
hc_rc hc_lanes_take(hc_lanes *l, uint32_t band, hc_time start, hc_time end, int64_t amount);

#endif
