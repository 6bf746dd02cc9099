/* live_why.c -- why the tasks that are seen wait. A run explains one task at a time: one of those on the screen is
 * asked about until something was said of it, then the next. */
#include <string.h>

#include "cli/live.h"

static cli_reason *find(cli_reasons *x, uint64_t serial)
{
  for (size_t i = 0; i < x->count; i++)
    if (x->items[i].serial == serial) return &x->items[i];
  return NULL;
}

/* "waits at place 2 of 3: wants 4 processors, 1 free" is shown beside the place. */
static const char *without_place(const char *text)
{
  const char *colon = strncmp(text, "waits at place", 14) == 0 ? strstr(text, ": ") : NULL;
  return colon ? colon + 2 : text;
}

static void hear(void *ctx, const hc_why_record *w)
{
  cli_reasons *x = ctx;
  cli_reason *r = find(x, w->serial);
  if (!r || strncmp(w->text, "starts", 6) == 0 || strncmp(w->text, "passed by", 9) == 0) return;
  if (r->is_new) r->place[0] = r->reason[0] = '\0';
  r->is_new = false;
  x->is_heard = true;
  if (w->what != HC_NOTE_NONE) (void)snprintf(r->reason, sizeof r->reason, "%s", w->text);
  else (void)snprintf(r->place, sizeof r->place, "%s", without_place(w->text));
}

/* Those that are not seen any more are forgotten. */
static void take_seen(cli_reasons *x, const hc_seen *seen)
{
  cli_reasons old = *x;
  x->count = 0;
  for (size_t i = 0; i < seen->queued_count && i < CLI_LIVE_TASKS; i++) {
    const cli_reason *r = find(&old, seen->queued[i].serial);
    x->items[x->count++] = r ? *r : (cli_reason){.serial = seen->queued[i].serial};
  }
}

hc_rc cli_reasons_ask(cli_reasons *x, hc_run *run, const hc_seen *seen)
{
  size_t at = 0;
  take_seen(x, seen);
  while (at < x->count && x->items[at].serial != x->asked) at++;
  if (at < x->count && !x->is_heard) return 0;
  if (x->count == 0 && x->asked == UINT64_MAX) return 0;
  x->is_heard = false;
  at = at + 1 < x->count ? at + 1 : 0;
  x->asked = x->count > 0 ? x->items[at].serial : UINT64_MAX;
  if (x->count > 0) x->items[at].is_new = true;
  return hc_run_explain(run, x->asked, x->count > 0 ? hear : NULL, x);
}

const char *cli_reasons_of(const cli_reasons *x, uint64_t serial)
{
  for (size_t i = 0; i < x->count; i++) {
    const cli_reason *r = &x->items[i];
    if (r->serial == serial) return r->reason[0] ? r->reason : r->place[0] ? r->place : NULL;
  }
  return NULL;
}
