/* batsim_states.c -- states of power of machines, as properties of the platform's hosts say: which of them
 * compute, which one sleeps, and how long the way there and back takes.
 *
 * `sleep_pstates` is SLEEP:OFF:ON, or several of these. A machine on its way into SLEEP is in the state OFF
 * for as long as that takes one flop, on its way back in ON. The first of several counts. Source: Batsim
 * 4.2.1. */
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "remote/batsim.h"

bool hc_batsim_speed(const char *s, size_t n, double *out)
{
  static const char prefixes[] = "kMGTPE";
  size_t used = n;
  while (used > 0 && hc_parse_real(s, used, out) < 0) used--;
  const char *prefix = used > 0 && used < n ? strchr(prefixes, s[used]) : NULL;
  if (used == 0) return false;
  if (prefix) used++;
  const double step = prefix && used < n && s[used] == 'i' ? 1024 : 1000;
  if (step == 1024) used++;
  double times = 1;
  for (const char *p = prefixes; prefix && p <= prefix; p++) times *= step;
  *out *= times;
  const size_t left = n - used;
  return left == 0 || (left == 1 && s[used] == 'f') || (left == 5 && memcmp(s + used, "flops", 5) == 0);
}

/* The text of an attribute of hosts; NULL: they have none, or it is a number. */
static const char *text_of(const hc_host_class *c, const hc_lexicon *lexicon, const char *name)
{
  for (uint32_t i = 0; i < c->attribute_count; i++) {
    const hc_attribute *a = &c->attributes[i];
    if (a->is_text && strcmp(hc_lexicon_text(lexicon, a->name), name) == 0)
      return hc_lexicon_text(lexicon, (uint32_t)a->value);
  }
  return NULL;
}

/* The speed of a state. @return false: there is no such state */
static bool speed_in(const char *list, uint32_t state, double *out)
{
  const char *s = list ? list + strspn(list, ", \t\n") : "";
  for (uint32_t i = 0; *s != '\0'; i++, s += strspn(s, ", \t\n")) {
    const size_t n = strcspn(s, ", \t\n");
    if (i == state) return hc_batsim_speed(s, n, out);
    s += n;
  }
  return false;
}

/* The next of the numbers of a list of SLEEP:OFF:ON. */
static bool next_number(const char **s, uint32_t *out)
{
  const char *at = *s + strspn(*s, ":, \t\n");
  const size_t n = strcspn(at, ":, \t\n");
  int64_t k;
  if (n == 0 || hc_parse_int(at, n, &k) < 0 || k < 0 || k >= UINT32_MAX) return false;
  *out = (uint32_t)k;
  *s = at + n;
  return true;
}

/* A flop at this speed. */
static hc_time flop(double speed)
{
  return speed > 1e-9 ? (hc_time)(1e9 / speed + 0.5) : HC_NEVER;
}

void hc_batsim_states_of(const hc_host_class *c, const hc_lexicon *lexicon, hc_batsim_states *out)
{
  const char *speeds = text_of(c, lexicon, "flops_per_state"), *sleeps = text_of(c, lexicon, "sleep_pstates");
  uint32_t state[3];
  double speed;
  *out = (hc_batsim_states){.sleep = UINT32_MAX, .stops = HC_NEVER, .starts = HC_NEVER};
  while (speed_in(speeds, out->count, &speed)) out->count++;
  out->count = HC_MAX(out->count, 1u);
  if (!sleeps) return;
  const char *at = sleeps;
  for (int k = 0; k < 3; k++)
    if (!next_number(&at, &state[k])) return;
  out->sleep = state[0];
  out->passes = sleeps;
  if (speed_in(speeds, state[1], &speed)) out->stops = flop(speed);
  if (speed_in(speeds, state[2], &speed)) out->starts = flop(speed);
}

hc_batsim_state_kind hc_batsim_state_is(const hc_batsim_states *x, uint32_t state)
{
  const char *at = x->passes;
  uint32_t number;
  if (state >= x->count) return HC_STATE_NONE;
  if (state == x->sleep) return HC_STATE_SLEEPS;
  for (int k = 0; at && next_number(&at, &number); k++)
    if (number == state) return k % 3 == 0 ? HC_STATE_OTHER_SLEEP : HC_STATE_PASSES;
  return HC_STATE_COMPUTES;
}
