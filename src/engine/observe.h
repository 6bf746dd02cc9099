/* observe.h -- what metrics and the store are told. observe.c gathers records and hands them over, results.c
 * says what a run came to, trimmed.c what its trimmed summary is, notes.c what is worth a sentence. */
#ifndef HC_ENGINE_OBSERVE_H
#define HC_ENGINE_OBSERVE_H

#include "engine/state.h"

hc_metric_context hc_observe_context(const hc_engine *e);
const char *hc_observe_zone(const hc_engine *e); /* tz database name; NULL: none is known */
/** With task_rows: sample, whether a task's row is kept: by serial and seed alone. */
bool hc_observe_samples(const hc_engine *e, int64_t serial);
/** What hosts draw, as the run's `power` says: policies may ask it. @return 0, HC_EUSAGE, HC_EINPUT,
 *  HC_ENOMEM */
hc_rc hc_observe_watts(hc_engine *e, hc_error *error);
hc_rc hc_observe_init(hc_engine *e, hc_error *error);
hc_rc hc_observe_final(hc_engine *e, hc_task t, hc_final final, hc_time end, hc_error *error);
/** J that all hosts have drawn since the run's origin, as a metric counts it. @param out < 0: none does
 *  @return 0 or HC_ENOMEM, or what a metric returned */
hc_rc hc_observe_drawn(hc_engine *e, double *out);

hc_rc hc_observe_catch_up(hc_engine *e, hc_time at, hc_error *error); /* of hc_observe_come */
/** The run comes to an instant at which something may happen to a task or a host: metrics that look at times
 *  up to it do so first. Figures end at the last of these (e->told), not with timers after it that move
 *  nothing. @return 0, or what the looks return */
static inline hc_rc hc_observe_come(hc_engine *e, hc_time at, hc_error *error)
{
  const hc_observers *o = &e->observers;
  if (o->standing_count > 0 || at >= o->look_at) return hc_observe_catch_up(e, at, error);
  e->told = at;
  return 0;
}
/** A plan is about to do something: so now is such an instant, whatever woke the policy. */
static inline hc_rc hc_observe_act(hc_engine *e, hc_error *error)
{
  return e->told < e->now ? hc_observe_come(e, e->now, error) : 0;
}
hc_rc hc_observe_instant(hc_engine *e,
                         hc_error *error); /* close the interval that ended now, if anything changed */
/** A change of queues, claims or hosts, for metrics that follow them; nothing if none does. */
hc_rc hc_observe_queue(hc_engine *e, hc_task t, hc_change_kind kind);
hc_rc hc_observe_claims(hc_engine *e, hc_task t, hc_change_kind kind, const hc_grant *grants, size_t count);
hc_rc hc_observe_host(hc_engine *e, uint32_t host);
/** A plan has switched it. */
hc_rc hc_observe_power(hc_engine *e, uint32_t host, uint32_t code);
/** So many more billionths of the host's cores compute. */
hc_rc hc_observe_computes(hc_engine *e, uint32_t host, int64_t more, int64_t more_gpus);
/** Does the run's model of execution tell that? */
bool hc_observe_knows_computes(const hc_engine *e);
hc_rc hc_observe_attempt(hc_engine *e, const hc_attempt_record *r);
hc_rc hc_observe_stop(hc_engine *e, const hc_stop_record *r);
hc_rc hc_observe_rate(hc_engine *e, const hc_rate_record *r);
hc_rc hc_observe_flush(hc_engine *e, hc_error *error);
hc_rc hc_observe_close(hc_engine *e, hc_error *error);  /* all that was told is handed over */
hc_rc hc_observe_finish(hc_engine *e, hc_error *error); /* results.c */
hc_rc hc_observe_figures(hc_engine *e, hc_findings *findings, hc_error *error);
hc_rc hc_observe_visit(hc_engine *e, hc_visitor *v);
hc_rc hc_notes_store(hc_engine *e, hc_error *error); /* notes.c */
void hc_observe_fini(hc_engine *e);

hc_rc hc_trimmed_check(const hc_engine *e,
                       hc_error *error); /* before the run: can its rows say what is asked? */
hc_rc hc_trimmed_finish(hc_engine *e, hc_findings *findings, hc_error *error);

#endif
