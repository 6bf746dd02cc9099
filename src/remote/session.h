/* session.h -- what is said between a run and a scheduler: message and answer by turns, within bounds,
 * written down if that is asked for. It knows no protocol. */
#ifndef HC_REMOTE_SESSION_H
#define HC_REMOTE_SESSION_H

#include "remote/transport.h"

typedef struct hc_session {
  const hc_allocator *allocator;
  hc_remote_options kept; /* with defaults filled in */
  const hc_transport_type *type;
  hc_transport *transport;
  hc_remote_report *report;
  hc_partial record;
  hc_buffer lines; /* of the record, not written yet */
} hc_session;

/** Open it: no message goes before the first hc_session_ask. @param report is counted in
 *  @return 0, as the transport's open, HC_EIO (the record cannot be written), HC_ENOMEM. */
hc_rc hc_session_open(hc_session *s, const hc_allocator *a, const hc_remote_options *o,
                      hc_remote_report *report, hc_error *e);
/** Say something and wait for the answer. @param answer out, with a NUL behind `size`; borrowed until the
 *  next call @param took out: ns of the wall clock @return 0; HC_EIO: the scheduler has gone, or was silent
 *  too long; HC_EPOLICY: no such answer may be; HC_ECANCELLED, HC_ENOMEM. */
hc_rc hc_session_ask(hc_session *s, const char *message, size_t size, const char **answer,
                     size_t *answer_size, hc_time *took, hc_error *e);
/** Say the last thing, which is not answered, and wait for the end of a scheduler that ends with the session.
 *  @param status out: 0, or how it failed @return 0, or as hc_session_ask */
hc_rc hc_session_end(hc_session *s, const char *message, size_t size, int *status, hc_error *e);
/** How long a decision takes in the run's time, as the options say: 0 where the answer says it.
 *  @param took ns of the wall clock */
hc_time hc_session_think(const hc_session *s, hc_time took);
/* ---- of policies that are other programs ---- */

/** A record takes the place of no file: not of what another run, or another scheduler of this one, records.
 *  @param place  who says so @return 0; HC_EUSAGE: it is there already; HC_EIO */
hc_rc hc_session_claim(const char *path, const char *place, hc_error *e);
hc_time hc_session_wall_ns(void *unused); /* hc_remote_options.clock */

/** Close it; the record gets its name, also of a session that failed. @return 0 or HC_EIO */
hc_rc hc_session_close(hc_session *s, hc_error *e);

#endif
