/* emit.h -- what exporters write with: text gathered and handed to the sink in pieces, tasks read in blocks.
 * */
#ifndef HC_OUTPUT_EMIT_H
#define HC_OUTPUT_EMIT_H

#include "base/mem.h"
#include "base/util.h"
#include "hindcast/output.h"

typedef struct hc_emit {
  hc_buffer text;
  const hc_sink *sink;
  hc_error *error;
  int64_t per_processor; /* a task's units that make one; see hc_emit_units */
} hc_emit;

void hc_emit_init(hc_emit *m, const hc_allocator *a, const hc_sink *sink, hc_error *e);
/** Hand over what is left and free the text. @return `rc` if it is an error, else 0, HC_ENOMEM, or what the
 *  sink said. */
hc_rc hc_emit_end(hc_emit *m, hc_rc rc);
/** Hand over what has gathered, if that is much. Call it once a row. */
hc_rc hc_emit_row(hc_emit *m);

void hc_emit_int(hc_emit *m, int64_t n);
/** Find out what the result counts units in: on hosts they are thousandths of a processor (or of a GPU,
 *  where hosts have no processors). hc_emit_tasks does it too; call it where units are written before. */
hc_rc hc_emit_units(hc_emit *m, hc_result *r);
void hc_emit_processors(hc_emit *m, int64_t units); /* exact: "3", "0.25"; nothing for what is not known */
/** Rounded up, for formats that know whole processors only; HC_UNKNOWN and -1 stay. */
int64_t hc_emit_whole_processors(const hc_emit *m, int64_t units);
void hc_emit_seconds(hc_emit *m, hc_time t,
                     const char *missing); /* exact; `missing` for HC_UNKNOWN and HC_NEVER */
void hc_emit_fixed(hc_emit *m, hc_time t); /* six decimals, rounded half up */
void hc_emit_real_fixed(hc_emit *m, double value); /* the same of a number from 0; whole above 9e9 */

/** Whether some task has an account beside its group, or a QOS beside its queue. A failure is kept for
 *  hc_result_check(). */
bool hc_emit_has_besides(hc_result *r);
/** What a number is called, else the number itself in `buf`, else "" (-1 and HC_UNKNOWN). A name is text from
 *  outside: it is to be escaped. */
const char *hc_emit_called(hc_result *r, hc_called kind, int64_t number, char buf[24]);
/** The same of a task, by its serial and its id. */
const char *hc_emit_task_called(hc_result *r, const hc_task_record *t, char buf[24]);

/** How tasks come: as stored, which is the order in which they ended, or by submission. */
typedef enum hc_emit_order { HC_EMIT_STORED, HC_EMIT_BY_SUBMIT } hc_emit_order;
/** Each task of a result. @param each returns 0 to go on. Memory for one block. */
hc_rc hc_emit_tasks(hc_emit *m, hc_result *r, hc_emit_order order,
                    hc_rc (*each)(void *ctx, const hc_task_record *t), void *ctx);

/** Refuse a result without task rows; with `every`, one that holds only a sample, which is no schedule. */
hc_rc hc_emit_need_tasks(hc_result *r, bool every, hc_error *e);

/** A fact of the run that is a number, from the table `hindcast`: "processors", "nodes", "unix_start" (Unix
 *  time of virtual time 0, s). @return HC_UNKNOWN if the result does not say. */
int64_t hc_emit_fact(hc_result *r, const char *key);
/** A number of a row that was read. @param table  for the error; @param text  may be NULL, which is none
 *  @return 0, HC_EINPUT. */
hc_rc hc_emit_number(hc_emit *m, const char *table, const char *text, int64_t low, int64_t high,
                     int64_t *out);

/** The time between start and end; HC_UNKNOWN if one of them is. */
static inline hc_time hc_emit_held(const hc_task_record *t)
{
  return t->start == HC_UNKNOWN || t->end == HC_UNKNOWN ? HC_UNKNOWN : t->end - t->start;
}

/** Of it, how long it was suspended, or lost by working at another rate; HC_UNKNOWN if one is. Where it
 *  was stopped and started again, its start is that of its last attempt, and this is 0 at least. */
static inline hc_time hc_emit_suspended(const hc_task_record *t)
{
  const hc_time held = hc_emit_held(t);
  if (held == HC_UNKNOWN || !(t->flags & HC_TASK_RATED)) return HC_MIN(held, 0);
  return HC_MAX(held - t->run, 0);
}

#endif
