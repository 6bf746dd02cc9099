/* plain.h -- profiles of numbers alone, read without a tree. See plain.c. */
#ifndef HC_EXECUTION_PLAIN_H
#define HC_EXECUTION_PLAIN_H

#include "execution/book.h"

/** Fill a profile from its text, {"use":"NAME","parameter":number, ...}, if it is as plain as that: its
 *  options are in the arena then, and the same as hc_book.resolve fills.
 *  @return false: it is not, or something is wrong with it; the general way finds out what */
bool hc_plain_read(const hc_book *b, hc_arena *a, const char *text, size_t size, hc_chosen *out);

#endif
