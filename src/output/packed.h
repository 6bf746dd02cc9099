/* packed.h -- a column of whole numbers as a member of a JSON document, small enough for a page.
 *
 * {"name": "submit", "count": 3, "low": -1, "width": 2, "delta": true, "missing": true, "data": "..."}
 *
 * `data` is base64 of the bytes, deflated (zlib's format) if "deflated" is true. Of `count` numbers of
 * `width` bytes (0: all are `low`) first come the lowest bytes of all, then the next ones. With `delta`
 * each but the first is the difference to the one before it, written so that its sign is the lowest bit (0,
 * -1, 1, -2 ... are 0, 1, 2, 3 ...); without, a number is what is added to `low`. With `missing` what is
 * not known is the number low, and what is known is above it.
 *
 * Numbers up to 2^53 are exact for readers that have doubles only. Which way is smaller is decided by the
 * bytes that numbers take. */
#ifndef HC_OUTPUT_PACKED_H
#define HC_OUTPUT_PACKED_H

#include "output/emit.h"

typedef struct hc_packed {
  const hc_allocator *allocator;
  hc_json_writer *json;
  int64_t *values; /* [cap] of the column that is being written; HC_UNKNOWN: not known */
  size_t count, cap;
  hc_buffer bytes, packed;
} hc_packed;

void hc_packed_init(hc_packed *p, const hc_allocator *a, hc_json_writer *json);
void hc_packed_fini(hc_packed *p);
/** Begin a column. @return 0 or HC_ENOMEM */
hc_rc hc_packed_begin(hc_packed *p, size_t count);
static inline void hc_packed_add(hc_packed *p, int64_t value)
{
  p->values[p->count++] = value;
}
/** Write it as the next element of an array. @return 0 or HC_ENOMEM */
hc_rc hc_packed_end(hc_packed *p, const char *name);

#endif
