/* lanes.h -- sixteen rows of four numbers of 16 bits, compared all at once.
 *
 * An index of bounds asks two things of a block of sixteen rows: which of them are nowhere less than a need,
 * and what is the greatest of each column. On x86-64 a register holds two rows, and either question costs
 * some thirty instructions (SSE2, which every such processor has); elsewhere loops say the same. Numbers are
 * signed; a row is a uint64_t whose lowest 16 bits are the first. */
#ifndef HC_BASE_LANES_H
#define HC_BASE_LANES_H

#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>

#include "hindcast/base.h"
#endif

enum { HC_LANE_ROWS = 16 };

#ifdef __SSE2__

/* Two rows that stand `stride` words apart. */
static inline __m128i hc_lanes_two(const uint64_t *rows, uint32_t stride)
{
  return stride == 1 ? _mm_loadu_si128((const __m128i *)(const void *)rows)
                     : _mm_set_epi64x((int64_t)rows[stride], (int64_t)rows[0]);
}

/* Of four rows, 32 bits each: all ones where the row is nowhere less than `need`. */
static inline __m128i hc_lanes_four(const uint64_t *rows, uint32_t stride, __m128i need)
{
  const __m128i a = _mm_cmpgt_epi16(need, hc_lanes_two(rows, stride));
  const __m128i b = _mm_cmpgt_epi16(need, hc_lanes_two(rows + 2 * stride, stride));
  return _mm_cmpeq_epi32(_mm_packs_epi16(a, b), _mm_setzero_si128());
}

/** Bit i: row i, at rows[i * stride], is nowhere less than `need`. */
static inline uint32_t hc_lanes_cover(const uint64_t *rows, uint32_t stride, uint64_t need)
{
  const __m128i n = _mm_set1_epi64x((int64_t)need);
  const __m128i a =
      _mm_packs_epi32(hc_lanes_four(rows, stride, n), hc_lanes_four(rows + 4 * stride, stride, n));
  const __m128i b = _mm_packs_epi32(hc_lanes_four(rows + 8 * stride, stride, n),
                                    hc_lanes_four(rows + 12 * stride, stride, n));
  return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(a, b));
}

/** The greater of each column of two rows. */
static inline uint64_t hc_lanes_greater(uint64_t a, uint64_t b)
{
  return (uint64_t)_mm_cvtsi128_si64(
      _mm_max_epi16(_mm_cvtsi64_si128((int64_t)a), _mm_cvtsi64_si128((int64_t)b)));
}

/** The greatest of each column of sixteen rows, as a row. */
static inline uint64_t hc_lanes_greatest(const uint64_t *rows, uint32_t stride)
{
  __m128i most = hc_lanes_two(rows, stride);
  for (uint32_t i = 2; i < HC_LANE_ROWS; i += 2)
    most = _mm_max_epi16(most, hc_lanes_two(rows + i * stride, stride));
  return (uint64_t)_mm_cvtsi128_si64(_mm_max_epi16(most, _mm_unpackhi_epi64(most, most)));
}

#else

static inline int16_t hc_lane(uint64_t row, uint32_t i)
{
  return (int16_t)(uint16_t)(row >> (16 * i));
}

static inline uint32_t hc_lanes_cover(const uint64_t *rows, uint32_t stride, uint64_t need)
{
  uint32_t bits = 0;
  for (uint32_t i = 0; i < HC_LANE_ROWS; i++) {
    uint32_t fits = 1;
    for (uint32_t n = 0; n < 4; n++) fits &= hc_lane(rows[i * stride], n) >= hc_lane(need, n);
    bits |= fits << i;
  }
  return bits;
}

static inline uint64_t hc_lanes_greater(uint64_t a, uint64_t b)
{
  uint64_t out = 0;
  for (uint32_t n = 0; n < 4; n++) {
    const uint64_t column = UINT64_C(0xffff) << (16 * n);
    out |= (hc_lane(a, n) > hc_lane(b, n) ? a : b) & column;
  }
  return out;
}

static inline uint64_t hc_lanes_greatest(const uint64_t *rows, uint32_t stride)
{
  uint64_t most = rows[0];
  for (uint32_t i = 1; i < HC_LANE_ROWS; i++) most = hc_lanes_greater(most, rows[i * stride]);
  return most;
}

#endif

#endif
