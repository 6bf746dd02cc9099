/* dealt.h -- work that is dealt out to as many processes as there are: a rule of ranks and gpus. */
#ifndef HC_EXECUTION_DEALT_H
#define HC_EXECUTION_DEALT_H

#include "hindcast/profile.h"

typedef enum hc_dealt {
  HC_DEALT_UNIFORM,
  HC_DEALT_TOTAL,
  HC_DEALT_ROOT,
  HC_DEALT_EVEN,
  HC_DEALT_ODD
} hc_dealt;
#define HC_DEALT_CHOICES "uniform|total|root|even|odd"
#define HC_DEALT_HELP \
  "How work is dealt out. uniform: all of it to each process. total: an equal part to each process. root: " \
  "all of it to process 0. even, odd: an equal part to each process with an even, or an odd, number."

/** What one of `n` processes has of `work`. */
static inline double hc_dealt_work(hc_dealt how, double work, uint32_t n, uint32_t process)
{
  const uint32_t odd = n / 2, even = n - odd;
  switch (how) {
    case HC_DEALT_UNIFORM: return work;
    case HC_DEALT_TOTAL: return work / n;
    case HC_DEALT_ROOT: return process == 0 ? work : 0;
    case HC_DEALT_EVEN: return process % 2 == 0 ? work / even : 0;
    case HC_DEALT_ODD: return process % 2 == 1 ? work / odd : 0;
  }
  return 0;
}

#endif
