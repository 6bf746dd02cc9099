/* spoken.h -- what policies share whose decisions another program says: the session with it, which begins
 * with the first decision, and what goes wrong in it. */
#ifndef HC_REMOTE_SPOKEN_H
#define HC_REMOTE_SPOKEN_H

#include "base/mem.h"
#include "hindcast/policy.h"
#include "remote/session.h"

typedef struct hc_spoken {
  const hc_services *s;
  const hc_allocator *allocator;
  const char *place; /* of errors that have none: "policy process" */
  hc_session session;
  hc_remote_report report;
  hc_error error;
  const hc_view *view; /* at hand; NULL: the policy is not being called */
  hc_buffer message;   /* to be said */
  hc_hash said;        /* all that was said, both ways */
  bool is_open;
  bool has_failed; /* nothing that it says is believed any more */
} hc_spoken;

void hc_spoken_init(hc_spoken *with, const hc_policy_context *c, const char *place);
void hc_spoken_fini(hc_spoken *with); /* also of one that is closed */
/** Begin: no message goes before the first hc_spoken_ask. @param how  what the policy's options say of it
 *  @return as hc_session_open */
hc_rc hc_spoken_open(hc_spoken *with, hc_remote_options how);
/** Say the message, and hear what is answered. @return as hc_session_ask */
hc_rc hc_spoken_ask(hc_spoken *with, const char **answer, size_t *size, hc_time *took);
/** Say the message, which is the last. @return as hc_session_end */
hc_rc hc_spoken_end(hc_spoken *with, int *status);
/** What is wrong with the session, or with what was said in it, is said of the call at hand. @return rc */
hc_rc hc_spoken_failed(hc_spoken *with, hc_rc rc);
/** @return 0, also of one that is not open, or as hc_session_close */
hc_rc hc_spoken_close(hc_spoken *with);

#endif
