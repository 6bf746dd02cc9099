/* claims.h -- what fuzzers claim of what they see: a claim that does not hold ends the program, which is how
 * a fuzzer tells a failure. */
#ifndef HC_TESTS_FUZZ_CLAIMS_H
#define HC_TESTS_FUZZ_CLAIMS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static inline void check(bool claim, const char *what)
{
  if (claim) return;
  fprintf(stderr, "does not hold: %s\n", what);
  abort();
}

#endif
