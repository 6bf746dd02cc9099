/* sql_values.h -- names and values in the statements that mysqldump writes. */
#ifndef HC_WORKLOAD_SQL_VALUES_H
#define HC_WORKLOAD_SQL_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "workload/slurm_text.h"

/** A name between ` signs, or without. @return what follows it */
char *hc_sql_name(char *p, hc_slice *out);
/** Values of "(1,NULL,'a')", told by their number from 1; NULL is an empty one. Escapes are taken out where
 *  they stand. @param count  out: of them  @return what follows; NULL: it is no list of values */
char *hc_sql_tuple(char *p, void (*take)(void *ctx, uint64_t number, hc_slice value), void *ctx,
                   uint64_t *count);
bool hc_sql_begins(const char *line, const char *word);
/** Is that a line of a dump? */
bool hc_sql_is_dump(const char *line);

#endif
