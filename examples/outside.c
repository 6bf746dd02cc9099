/* outside.c -- a program that decides in the policy's place: EASY backfilling, in thirty lines.
 *
 *     cc outside.c $(pkg-config --cflags --libs hindcast) && ./a.out my-log.swf
 *
 * The log is run twice: with the policy easy, and with the policy outside and the plans of this program. The
 * two schedules must be the same, and their digest is printed. */
#include <stdio.h>
#include <string.h>

#include "hindcast/hindcast.h"

/* Start heads until one does not fit; promise that one the earliest start that there is; then start whatever
 * fits and breaks no promise. */
static hc_rc decide(const hc_decision *d)
{
  const hc_services *s = d->services;
  const hc_filter may_fit = {.max_units = INT64_MAX, .max_estimate = HC_NEVER};
  hc_cursor at = {0};
  hc_task head, t;
  hc_slot slot;
  hc_rc rc = s->unreserve_all(d->plan); /* of the last decision */
  if (rc >= 0) rc = s->start_heads(d->plan, &head);
  if (rc < 0 || head == HC_NO_TASK) return rc;
  slot = s->earliest(d->view, head, s->now(d->view));
  if (slot.at != HC_NEVER) rc = s->reserve_hosts(d->plan, head, slot.at);
  s->behind(d->view, HC_LIST_QUEUE, head, &at);
  while (rc >= 0 && (t = s->next(d->view, HC_LIST_QUEUE, &at, &may_fit)) != HC_NO_TASK)
    if (s->fits(d->view, t) && s->harmless(d->view, t)) rc = s->start(d->plan, t, NULL, 0);
  return rc;
}

static hc_rc carry_out(hc_run *run, hc_error *e)
{
  hc_decision d;
  hc_rc rc;
  while ((rc = hc_run_wait_decision(run, HC_NEVER, &d, e)) == HC_RUN_DECISION) {
    rc = decide(&d);
    if (rc >= 0) rc = hc_run_decide(run, e);
    if (rc < 0) return rc;
  }
  return rc;
}

static hc_rc digest_of(hc_store *store, char digest[33], hc_error *e)
{
  hc_result *result;
  hc_rc rc = hc_result_of_store(store, &result, e);
  if (rc < 0) return rc;
  rc = hc_result_schedule_digest(result, digest, e);
  hc_result_free(result);
  return rc;
}

/* One run of the log. @param is_ours its plans are this program's */
static hc_rc run_log(hc_registry *registry, const char *log, const char *policy, bool is_ours,
                     char digest[33], hc_error *e)
{
  const hc_allocator *a = hc_default_allocator();
  char text[1024];
  hc_config *config = NULL;
  hc_store *store = NULL;
  hc_run *run = NULL;
  hc_rc rc = hc_config_new(a, registry, &config, e);
  (void)snprintf(text, sizeof text, "source: {use: swf, file: \"%s\"}\npolicy: %s\n", log, policy);
  if (rc >= 0) rc = hc_config_text(config, text, strlen(text), "outside.c", e);
  if (rc >= 0) rc = hc_store_new(a, NULL, &store, e);
  if (rc >= 0) rc = hc_run_new(a, config, store, &run, e);
  if (rc >= 0) rc = is_ours ? carry_out(run, e) : hc_run_advance(run, HC_NEVER, 0, e);
  if (rc >= 0) rc = hc_run_finish(run, e);
  if (rc >= 0) rc = digest_of(store, digest, e);
  hc_run_free(run);
  hc_store_free(store);
  hc_config_free(config);
  return rc;
}

int main(int argc, char **argv)
{
  static const char ours[] =
      "{use: outside, asks: [needs_estimate, needs_timeline, makes_reservations, asks_harmless]}";
  char theirs[33], mine[33];
  hc_registry *registry;
  hc_error e = {0};
  if (argc != 2 || hc_registry_new(hc_default_allocator(), &registry) < 0) return 2;
  hc_rc rc = run_log(registry, argv[1], "easy", false, theirs, &e);
  if (rc >= 0) rc = run_log(registry, argv[1], ours, true, mine, &e);
  hc_registry_free(registry);
  if (rc < 0) (void)fprintf(stderr, "%s: %s\n", e.where, e.text);
  if (rc < 0) return 1;
  (void)printf("%s easy\n%s outside\n", theirs, mine);
  return strcmp(theirs, mine) == 0 ? 0 : 1;
}
