/* random.h -- the draws of Python's module random: MT19937, and what it makes of it.
 *
 * Source: Matsumoto & Nishimura 1998, doi:10.1145/272991.272995, with the initialisation by an array of 2002;
 * the documentation of Python's random for what is made of the words. */
#ifndef HC_IRMASIM_RANDOM_H
#define HC_IRMASIM_RANDOM_H

#include <stddef.h>
#include <stdint.h>

typedef struct hc_irm_random {
  uint32_t state[624];
  uint32_t next; /* of it */
} hc_irm_random;

void hc_irm_seed(hc_irm_random *r, uint32_t seed);                /* random.seed */
double hc_irm_unit(hc_irm_random *r);                             /* random.random(): [0, 1), 53 bits */
uint32_t hc_irm_below(hc_irm_random *r, uint32_t n);              /* 0 .. n-1; n > 0 */
void hc_irm_shuffle(hc_irm_random *r, uint32_t *items, size_t n); /* random.shuffle */

#endif
