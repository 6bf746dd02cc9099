/* transport.h -- how a message gets to a scheduler and its answer back: one file a way.
 *
 * A transport knows bytes and nothing of what they say. It sends one message, then gives one answer. */
#ifndef HC_REMOTE_TRANSPORT_H
#define HC_REMOTE_TRANSPORT_H

#include "base/mem.h"
#include "hindcast/remote.h"

typedef struct hc_transport hc_transport; /* a transport's state */

typedef struct hc_transport_type {
  const char *name;
  hc_rc (*open)(const hc_allocator *a, const hc_remote_options *o, hc_transport **out, hc_error *e);
  hc_rc (*send)(hc_transport *t, const char *data, size_t size, hc_error *e);
  /** Wait for the answer, a moment at the most. @param data borrowed until the next call; it ends with a NUL
   *  that `size` does not count @param took ns of the wall clock; as it was: the transport does not know
   *  @return 1; 0: none has come yet; HC_EIO: none will; HC_EPOLICY: it is too large, or in parts */
  hc_rc (*receive)(hc_transport *t, const char **data, size_t *size, hc_time *took, hc_error *e);
  void (*close)(hc_transport *t); /* NULL is fine */
  /** The last message has been sent, and is not answered: wait for the scheduler's end, a moment at the most.
   *  NULL: it does not end with the session. @param status out: 0, or how it failed
   *  @return 1; 0: it is still there; HC_EPOLICY: it says something more */
  hc_rc (*end)(hc_transport *t, int *status, hc_error *e);
} hc_transport_type;

#define HC_MOMENT (HC_SECOND / 4) /* that `receive` waits */

extern const hc_transport_type hc_transport_zeromq;
extern const hc_transport_type hc_transport_recorded;
extern const hc_transport_type hc_transport_edc;
extern const hc_transport_type hc_transport_process;

#endif
