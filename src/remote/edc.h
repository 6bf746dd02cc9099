/* edc.h -- the parts of version 5 of Batsim's protocol: what components are told (edc_say.c), what they say
 * first (edc_hear.c). */
#ifndef HC_REMOTE_EDC_H
#define HC_REMOTE_EDC_H

#include "remote/batsim.h"

/** As the members of hc_batsim_dialect. */
void hc_edc_say_begins(hc_batsim_message *m, const hc_batsim_machines *machines, const hc_policy_context *c);
void hc_edc_say_submitted(hc_batsim_message *m, hc_time at, const hc_batsim_job *job);
void hc_edc_say_ended(hc_batsim_message *m, hc_time at, const hc_batsim_job *job, hc_batsim_end how,
                      int64_t code);
void hc_edc_say_killed(hc_batsim_message *m, hc_time at, const hc_batsim_job *const *jobs, size_t count);
void hc_edc_say_switched(hc_batsim_message *m, hc_time at, const hc_batsim_request *r);
void hc_edc_say_called(hc_batsim_message *m, hc_time at, const char *id, bool is_last);
void hc_edc_say_all_submitted(hc_batsim_message *m, hc_time at);
void hc_edc_say_occurs(hc_batsim_message *m, hc_time at, const hc_batsim_occurrence *x);
void hc_edc_say_all_occurred(hc_batsim_message *m, hc_time at);
void hc_edc_say_ends(hc_batsim_message *m, hc_time at);

/** What a session says first; a transport makes a call, or bytes, of it. */
void hc_edc_greeting(hc_buffer *out, const hc_edc *x);
/** Take what answers it. @param t out: what holds from now on @param scratch of answers
 *  @return 0; HC_EPOLICY; HC_EUNSUPPORTED: it asks for what is not modelled; HC_ENOMEM */
hc_rc hc_edc_greeted(hc_batsim_terms *t, hc_batsim_answer *scratch, const char *text, size_t size,
                     hc_error *e);

#endif
