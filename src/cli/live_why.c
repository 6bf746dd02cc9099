/* live_why.c -- why the tasks that are seen wait. A run explains one task at a time: after each frame those
 * on the screen are asked about in turn, an instant each, and then nothing is until the next one. */
#include <string.h>

#include "cli/live.h"

static const cli_reason *find(const cli_reasons *x, uint64_t serial)
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
  cli_reason *r = x->at < x->count ? &x->items[x->at] : NULL;
  if (!r || r->serial != w->serial || strncmp(w->text, "starts", 6) == 0 ||
      strncmp(w->text, "passed by", 9) == 0)
    return;
  if (r->is_new) r->place[0] = r->reason[0] = '\0';
  r->is_new = false;
  if (w->what != HC_NOTE_NONE && w->what != HC_NOTE_PROMISE)
    (void)snprintf(r->reason, sizeof r->reason, "%s", w->text);
  else (void)snprintf(r->place, sizeof r->place, "%s", without_place(w->text));
}

/* Those that are not seen any more are forgotten. */
void cli_reasons_see(cli_reasons *x, const hc_seen *seen)
{
  const cli_reasons old = *x;
  x->count = 0;
  for (size_t i = 0; i < seen->queued_count && i < CLI_LIVE_TASKS; i++) {
    const cli_reason *r = find(&old, seen->queued[i].serial);
    x->items[x->count++] = r ? *r : (cli_reason){.serial = seen->queued[i].serial};
  }
  if (x->at >= old.count || x->at >= x->count) x->at = 0;
}

hc_rc cli_reasons_ask(cli_reasons *x, hc_run *run)
{
  const uint64_t next = x->at < x->count ? x->items[x->at].serial : UINT64_MAX;
  if (next == x->asked) return 0;
  x->asked = next;
  if (next != UINT64_MAX) x->items[x->at].is_new = true;
  return hc_run_explain_waits(run, next, next != UINT64_MAX ? hear : NULL, x);
}

const char *cli_reasons_of(const cli_reasons *x, uint64_t serial)
{
  const cli_reason *r = find(x, serial);
  return !r ? NULL : r->reason[0] ? r->reason : r->place[0] ? r->place : NULL;
}
