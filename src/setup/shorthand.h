/* shorthand.h -- what users may write in place of `{use: ..., ...}`: a file, the parts of a policy. */
#ifndef HC_SETUP_SHORTHAND_H
#define HC_SETUP_SHORTHAND_H

#include "setup/config.h"

/** The scalar that names a component: the value itself, or its `use`. NULL if it names none. */
const hc_value *hc_shorthand_name(const hc_value *v);
/** Write out a value whose name is not a component of the kind: `log.swf` as `{use: swf, file: log.swf}`,
 *  `sjf+easy` as `{use: batch, order: {use: sjf}, select: {use: easy}}`; other keys of the value are kept.
 *  @param out NULL if the kind has no shorthand or the name does not look like one.
 *  @return 0, HC_EUSAGE (it was one, and wrong; with place and remedy), HC_ENOMEM. */
hc_rc hc_shorthand_expand(const hc_resolver *r, hc_kind kind, const hc_value *v, const char *path,
                          hc_value **out, hc_error *e);
/** `{use: NAME}` for a scalar, and the value itself if it is a map: what a map of parameters is laid upon. */
hc_value *hc_shorthand_map(hc_arena *a, hc_value *v);
/** A scalar that stands where `like` stands and has its origin. NULL if out of memory. */
hc_value *hc_shorthand_scalar(hc_arena *a, const hc_value *like, const char *text);
/** Give a whole tree an origin, and take its place away: it does not stand in a file. */
void hc_shorthand_mark(hc_value *v, hc_origin origin);

#endif
