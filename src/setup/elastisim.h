/* elastisim.h -- ElastiSim's configuration.json as the configuration of a run. See elastisim.c. */
#ifndef HC_SETUP_ELASTISIM_H
#define HC_SETUP_ELASTISIM_H

#include "base/value.h"

/** Is a file that was read one of ElastiSim: a map with jobs_file and platform_file? */
bool hc_elastisim_is_configuration(const hc_value *v);
/** What a run says in its place; all of it in the arena. */
typedef struct hc_elastisim_run {
  hc_value *keys;             /* a map */
  hc_value *algorithm;        /* a map: options of the policy elastisim, should the run have that */
  const char *note;           /* what of the file plays no part, a sentence */
  const char *with_algorithm; /* the same with that policy */
} hc_elastisim_run;
/** @param v  the file @param path  where it is @param metrics  default of the run's key of that name
 *  @return 0; HC_EUSAGE: a key that ElastiSim has not, a wrong value, or one that misses; HC_EUNSUPPORTED:
 *  what cannot be had here; each with its place. HC_EIO, HC_EINPUT of the platform; HC_ENOMEM */
hc_rc hc_elastisim_configuration(hc_arena *a, const hc_value *v, const char *path, const char *metrics,
                                 hc_elastisim_run *out, hc_error *e);
/** Of a run whose policy is elastisim, give that what the file says of it, unless it is said otherwise, and
 *  take away when the policy in its place would be called. @param tree  all that is said of the run
 *  @param is  out: it is such a run @return 0 or HC_ENOMEM */
hc_rc hc_elastisim_invite(hc_arena *a, const hc_elastisim_run *run, hc_value *tree, bool *is);

#endif
