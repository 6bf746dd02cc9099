/* replay.c -- ranks of a trace, each on its process, that report their ends to the first one.
 *
 * The host of process 0 takes one report at a time, as soon as it is there; of those that wait it takes the
 * one of lowest rank. The profile ends with the last report. */
#include "hindcast/profile.h"

enum { MOST = 384, WORDS = MOST / 64, REPORT = MOST };

typedef struct options {
  hc_list ranks;
  double report;
} options;

typedef struct state {
  uint64_t waits[WORDS]; /* ranks that are done and have not reported, a bit each */
  uint64_t busy;         /* a report is on its way */
} state;

static hc_rc check(const void *given, uint32_t processes, hc_error *e)
{
  const options *o = given;
  (void)processes;
  if (o->ranks.count <= MOST) return 0;
  return hc_fail(e, HC_ELIMIT, "", 0, 0, "replay has %zu ranks, and at most %d are possible", o->ranks.count,
                 MOST);
}

static void report_next(hc_profile *p, state *s, double bytes)
{
  for (uint32_t w = 0; w < WORDS && !s->busy; w++) {
    if (s->waits[w] == 0) continue;
    const uint32_t rank = w * 64 + (uint32_t)__builtin_ctzll(s->waits[w]);
    s->waits[w] &= s->waits[w] - 1;
    s->busy = 1;
    (void)hc_profile_transfer(p, rank % p->processes, 0, bytes, REPORT);
  }
}

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  const hc_chosen *ranks = o->ranks.items;
  state *s = p->state;
  HC_PROFILE_BEGIN(p);
  for (uint32_t i = 0; i < o->ranks.count; i++) (void)hc_profile_start(p, &ranks[i], i);
  while (p->active > 0) {
    HC_WAIT_ANY(p);
    if (!(o->report > 0)) continue;
    if (p->ended.tag == REPORT) s->busy = 0;
    else s->waits[p->ended.tag / 64] |= UINT64_C(1) << p->ended.tag % 64;
    report_next(p, s, o->report);
  }
  HC_PROFILE_END(p);
}

static const hc_param params[] = {
    HC_PARAM(COMPONENTS, options, ranks, HC_KIND_PROFILE, NULL, "What each rank does, from rank 0 on."),
    HC_PARAM(REAL, options, report, "B", "0", 0, 1e300,
             "Bytes that each rank sends to the host of process 0 when it has ended, one rank at a time. 0: "
             "nothing is sent, and the profile ends with the last rank."),
    {0}};

const hc_profile_type hc_profile_replay = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "replay",
                  .summary = "the ranks of a trace, each on a process",
                  .detail = "Rank r is on process r modulo the number of processes. At most 384 ranks.",
                  .source = "Batsim 4, profiles smpi and usage_trace", .params = params,
                  .options_size = sizeof(options)},
    .state_size = sizeof(state),
    .check = check,
    .resume = resume};
