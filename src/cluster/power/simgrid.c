/* simgrid.c -- as SimGrid's plug-in host_energy has it: from the properties of a platform's hosts. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "cluster/platform.h"
#include "hindcast/cell.h"

typedef struct options {
  hc_power_options power;
  int64_t pstate;
  bool sleeps;
} options;

/* The text of an attribute, or its number, which is written to `number`. @return NULL: there is none */
static const char *find(const hc_power_host *h, const char *name, char number[24])
{
  for (uint32_t i = 0; h->of && i < h->of->attribute_count; i++) {
    const hc_attribute *a = &h->of->attributes[i];
    if (strcmp(hc_lexicon_text(h->lexicon, a->name), name) != 0) continue;
    if (a->is_text) return hc_lexicon_text(h->lexicon, (uint32_t)a->value);
    (void)snprintf(number, 24, "%" PRId64, a->value);
    return number;
  }
  return NULL;
}

static hc_rc read_number(const char *s, size_t n, double *out)
{
  while (n > 0 && strchr(" \t\n", s[0])) s++, n--;
  while (n > 0 && strchr(" \t\n", s[n - 1])) n--;
  return hc_parse_real(s, n, out) == 0 && *out >= 0 && *out <= 1e9 ? 0 : HC_EINPUT;
}

/* "idle:least:peak", or "idle:peak". */
static hc_rc read_state(const char *s, size_t n, hc_power_levels *out)
{
  double w[3];
  size_t count = 0;
  for (size_t from = 0; from <= n; count++) {
    const char *colon = memchr(s + from, ':', n - from);
    const size_t to = colon ? (size_t)(colon - s) : n;
    if (count == 3 || read_number(s + from, to - from, &w[count]) < 0) return HC_EINPUT;
    from = to + 1;
  }
  if (count < 2) return HC_EINPUT;
  out->idle = w[0];
  out->least = count == 3 ? w[1] : w[0];
  out->peak = w[count - 1];
  return 0;
}

/* The n-th item of a list, and its length. @return NULL: it has fewer */
static const char *item(const char *list, uint32_t n, size_t *length)
{
  for (; list && n > 0; n--) {
    list = strchr(list, ',');
    if (list) list++;
  }
  if (!list) return NULL;
  list += strspn(list, " \t\n");
  *length = strcspn(list, ",");
  while (*length > 0 && strchr(" \t\n", list[*length - 1])) --*length;
  return list;
}

/* flop/s in a state. @return 0: it is not said */
static double speed_in(const char *list, uint32_t state)
{
  size_t n;
  const char *s = item(list, state, &n);
  char one[64];
  double out;
  if (!s || n >= sizeof one) return 0;
  memcpy(one, s, n);
  one[n] = '\0';
  return hc_platform_speed(one, &out) == 0 ? out : 0;
}

/* Draws of one of the states by which a host sleeps, with so many of its cores computing. */
static hc_rc draws_in(const hc_power_host *host, const char *drawn, const char *speeds, uint32_t state,
                      double cores, double *out)
{
  const double all = host->of && host->of->cores > 0 ? (double)host->of->cores : 1;
  hc_power_levels l = {0};
  size_t n;
  const char *one = item(drawn, state, &n);
  if (!one || read_state(one, n, &l) < 0) return HC_EINPUT;
  if (!(speed_in(speeds, state) > 0)) cores = all; /* as SimGrid takes it */
  *out = cores > 0 ? l.least + (l.peak - l.least) * HC_MIN(cores / all, 1.0) : l.idle;
  return 0;
}

/* Asleep it computes nothing; on the way there, and back, one of its cores does. */
static hc_rc sleeping(const hc_power_host *host, const char *drawn, hc_power_levels *out, hc_error *e)
{
  char number[2][24];
  const char *sleeps = find(host, "sleep_pstates", number[0]);
  const char *speeds = find(host, "flops_per_state", number[1]);
  double *const to[] = {&out->off, &out->stopping, &out->starting};
  hc_rc rc = 0;
  if (!sleeps) return 0;
  const char *at = sleeps;
  for (int k = 0; k < 3 && rc == 0; k++) {
    int64_t state;
    at += strspn(at, " \t\n");
    const size_t n = strcspn(at, " \t\n:,");
    rc = hc_parse_int(at, n, &state) == 0 && state >= 0 && state < UINT32_MAX
             ? draws_in(host, drawn, speeds, (uint32_t)state, k == 0 ? 0 : 1, to[k])
             : HC_EINPUT;
    at += n + strspn(at + n, " \t\n");
    const bool goes_on = *at == ':', is_last = *at == '\0' || *at == ',';
    if (k < 2 ? !goes_on : !is_last) rc = HC_EINPUT;
    at += goes_on;
  }
  if (rc == 0) return 0;
  return hc_fail(e, rc, "power", 0, 0,
                 "simgrid: sleep_pstates \"%.60s\" is not SLEEP:OFF:ON, three states that "
                 "wattage_per_state has",
                 sleeps);
}

static hc_rc levels(const void *given, const hc_power_host *host, hc_power_levels *out, hc_error *e)
{
  const options *o = given;
  const char *of = host->of && host->of->name ? host->of->name : "processors";
  char number[24];
  const char *s = find(host, "wattage_per_state", number), *off;
  if (!s) s = find(host, "watt_per_state", number);
  if (!s)
    return hc_fail(
        e, HC_EUSAGE, "power", 0, 0,
        "simgrid: hosts of the class %s have no attribute `wattage_per_state`: it is a property of hosts "
        "in SimGrid's platforms. For others use linear, or another curve",
        of);
  const char *all = s;
  for (int64_t i = 0; i < o->pstate; i++) {
    s = strchr(s, ',');
    if (!s)
      return hc_fail(e, HC_EUSAGE, "power", 0, 0,
                     "simgrid: `pstate` %" PRId64 ": wattage_per_state of %s has %" PRId64
                     " states, from 0 on",
                     o->pstate, of, i + 1);
    s++;
  }
  if (read_state(s, strcspn(s, ","), out) < 0)
    return hc_fail(e, HC_EINPUT, "power", 0, 0,
                   "simgrid: wattage_per_state of %s: \"%.60s\" is not idle:least:peak, nor idle:peak, in W",
                   of, s);
  out->stopping = out->starting = out->idle;
  off = find(host, "wattage_off", number);
  if (off && read_number(off, strlen(off), &out->off) < 0)
    return hc_fail(e, HC_EINPUT, "power", 0, 0, "simgrid: wattage_off of %s: \"%.60s\" is no number of W", of,
                   off);
  return o->sleeps ? sleeping(host, all, out, e) : 0;
}

/* In Batsim's platforms the states of `sleep_pstates` stand for sleeping, and for the way there and back. */
static bool is_asleep(const char *list, uint32_t state)
{
  size_t n;
  char text[16];
  const char *s;
  (void)snprintf(text, sizeof text, "%" PRIu32, state);
  for (const char *at = list; at; at = strpbrk(at, ":,") ? strpbrk(at, ":,") + 1 : NULL) {
    s = at + strspn(at, " \t\n");
    n = strcspn(s, " \t\n:,");
    if (n == strlen(text) && memcmp(s, text, n) == 0) return true;
  }
  return false;
}

/* Is the state of the option `pstate` the one whose speed hosts have? */
static bool is_first(const hc_power_host *host, double first)
{
  char number[24];
  const char *s = find(host, "flops", number);
  double flops;
  if (!s) return true;
  return hc_parse_real(s, strlen(s), &flops) == 0 && flops <= first * (1 + 1e-9) &&
         flops >= first * (1 - 1e-9);
}

/* The first states, as far as they have a speed and what is drawn at it, and are not faster than the one that
 * hosts begin in; none where that is not the one of the platform's `pstate`. */
static hc_rc state(const void *given, const hc_power_host *host, uint32_t state_, hc_power_levels *out,
                   double *speed, hc_error *e)
{
  const options *o = given;
  char number[3][24]; /* of those that are one number */
  const char *drawn = find(host, "wattage_per_state", number[0]), *one;
  const char *speeds = find(host, "flops_per_state", number[1]);
  const char *sleeps = find(host, "sleep_pstates", number[2]);
  size_t n;
  HC_UNUSED(e);
  if (!drawn) drawn = find(host, "watt_per_state", number[0]);
  if (!speeds || is_asleep(sleeps, state_) || !(one = item(drawn, state_, &n))) return 0;
  const double first = speed_in(speeds, (uint32_t)o->pstate), here = speed_in(speeds, state_);
  if (!(here > 0) || !(first > 0) || here > first || !is_first(host, first)) return 0;
  if (read_state(one, n, out) < 0) return 0;
  *speed = here / first;
  return 1;
}

static double watts(const void *options_, const hc_power_levels *l, double load)
{
  (void)options_;
  return hc_power_between(l, load);
}

static const hc_param params[] = {HC_POWER_CLASSES_PARAM(options),
                                  HC_PARAM(INT, options, pstate, NULL, "0", 0, 1000,
                                           "State of `wattage_per_state` that hosts begin in, from 0."),
                                  HC_PARAM(BOOL, options, sleeps, "false",
                                           "Are hosts that are off in the state SLEEP of `sleep_pstates` "
                                           "(SLEEP:OFF:ON, the first triple), and pass through OFF and ON "
                                           "while they are switched, as in Batsim? Hosts without it draw "
                                           "`wattage_off`."),
                                  {0}};

const hc_power_type hc_power_simgrid = {
    .component =
        {HC_COMPONENT_HEAD(hc_power_type, HC_KIND_POWER), .name = "simgrid",
         .summary = "as SimGrid: from the properties of a platform's hosts",
         .detail =
             "Attributes of hosts: `wattage_per_state` (or watt_per_state), a list of idle:least:peak in W, "
             "one a state of power; with two numbers, idle:peak, least is idle. `wattage_off`: W of a host "
             "that is off. P(u) = least + (peak - least) u for a load u > 0, and idle for none. Where hosts "
             "have a speed for each state (`flops_per_state`) policies such as capped may put them into "
             "other states: the first ones of the list, up to one that is faster than the state that hosts "
             "begin in, or that Batsim's `sleep_pstates` names. The cell simgrid makes attributes of the "
             "properties of hosts; those of a cell of hosts can be written by hand.",
         .source = "SimGrid 3.36, plug-in host_energy; Batsim 4.2.1", .params = params,
         .options_size = sizeof(options)},
    .levels = levels,
    .watts = watts,
    .may_fall = true,
    .state = state};
