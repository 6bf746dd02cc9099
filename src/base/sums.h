/* sums.h -- checksums of files, noted by those who read them anyway.
 *
 * A result says of which bytes it is. To read a file once more for that costs as much as a tenth of a fast
 * run, so what reads it whole, from its first byte to its last, sums it block by block while it lies in
 * the processor's cache (hc_input_sum), and notes it here. Threads may note and ask at the same time. */
#ifndef HC_BASE_SUMS_H
#define HC_BASE_SUMS_H

#include "base/mem.h"

typedef struct hc_sums hc_sums;

hc_rc hc_sums_new(const hc_allocator *a, hc_sums **out); /* 0 or HC_ENOMEM */
void hc_sums_free(hc_sums *s);                           /* NULL is fine */
/** Note what a file of this name was; what was noted before is forgotten. Without memory for it nothing is
 *  noted. */
void hc_sums_note(hc_sums *s, const char *path, uint64_t bytes, const hc_hash *hash);
/** @param hash out, of all its bytes. @return whether it was noted: otherwise it has to be read */
bool hc_sums_find(hc_sums *s, const char *path, uint64_t *bytes, hc_hash *hash);

#endif
