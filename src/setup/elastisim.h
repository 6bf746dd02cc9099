/* elastisim.h -- ElastiSim's configuration.json as the configuration of a run. See elastisim.c. */
#ifndef HC_SETUP_ELASTISIM_H
#define HC_SETUP_ELASTISIM_H

#include "base/value.h"

/** Is a file that was read one of ElastiSim: a map with jobs_file and platform_file? */
bool hc_elastisim_is_configuration(const hc_value *v);
/** What a run says in its place.
 *  @param v  the file @param path  where it is @param metrics  default of the run's key of that name
 *  @param out  out: a map, in the arena @param note  out: what of it plays no part, a sentence; in the arena
 *  @return 0; HC_EUSAGE: a key that ElastiSim has not, a wrong value, or one that misses; HC_EUNSUPPORTED:
 *  what cannot be had here; each with its place. HC_EIO, HC_EINPUT of the platform; HC_ENOMEM */
hc_rc hc_elastisim_configuration(hc_arena *a, const hc_value *v, const char *path, const char *metrics,
                                 hc_value **out, const char **note, hc_error *e);

#endif
