/* constraint_text.h -- constraints on hosts as people write them:
 * "gpu_model=V100|A100 & ssd & memory_gb>=64". */
#ifndef HC_WORKLOAD_CONSTRAINT_TEXT_H
#define HC_WORKLOAD_CONSTRAINT_TEXT_H

#include "base/mem.h"
#include "hindcast/lexicon.h"

#define HC_CONSTRAINT_LIMIT 1024 /* of one task */

/** Read constraints: `name`, `!name`, or name, one of = == != < > <= >=, and a value; each with & , or ;
 *  before the next, | where either will do (| binds closer). Behind a bar a value may stand alone: it is
 *  another one of the attribute before it, and of a != none of them will do. A name has no blanks, a value
 *  may have some inside; a value that is a whole number is one, everything else is a text.
 *  @param out, cap  an array that grows;  @param count  in: how many it holds, which stay; out: then
 *  @return NULL, or what is wrong with it, for people; "" : out of memory. */
const char *hc_constraints_read(const hc_allocator *a, hc_lexicon *l, const char *s, size_t n,
                                hc_constraint **out, size_t *count, size_t *cap);

/** Write one, at most HC_CONSTRAINT_ROOM bytes, so that it is read as itself. A feature comes first of its
 *  alternatives: behind a value it would be read as another value. @return the end; NULL: it has signs in its
 *  name or value that mean something here, or is a text that would be read as a number. */
#define HC_CONSTRAINT_ROOM ((size_t)128)
char *hc_constraint_put(char *p, const hc_lexicon *l, const hc_constraint *c);

#endif
