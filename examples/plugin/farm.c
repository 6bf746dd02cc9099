/* farm.c -- a profile in a shared object: a master hands out pieces of work, one to each worker and the next to
 * the one that is done first. Each piece is sent, worked on, and sent back. */
#include <stdio.h>

#include "hindcast/plugin.h"
#include "hindcast/profile.h"

typedef struct options {
  int64_t pieces;
  double size, work;
} options;

typedef struct state {
  int64_t sent;
} state;

enum { SENT, WORKED, RETURNED }; /* what has ended: a tag is that, and the worker */

static void hand_out(hc_profile *p, const options *o, state *s, uint32_t worker)
{
  if (s->sent++ < o->pieces) hc_profile_transfer(p, 0, worker, o->size, worker * 3 + SENT);
}

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  state *s = p->state;
  HC_PROFILE_BEGIN(p);
  for (uint32_t w = 1; w < p->processes; w++) hand_out(p, o, s, w);
  while (p->active > 0) {
    HC_WAIT_ANY(p);
    const uint32_t w = p->ended.tag / 3, what = p->ended.tag % 3;
    if (what == SENT) hc_profile_compute(p, w, o->work, w * 3 + WORKED);
    if (what == WORKED) hc_profile_transfer(p, w, 0, o->size, w * 3 + RETURNED);
    if (what == RETURNED) hand_out(p, o, s, w);
  }
  HC_PROFILE_END(p);
}

static hc_rc check(const void *given, uint32_t processes, hc_error *e)
{
  (void)given;
  if (processes > 1) return 0;
  (void)snprintf(e->text, sizeof e->text, "a farm has a master and workers: ask for two hosts at least");
  return HC_EINPUT;
}

static const hc_param params[] = {
    HC_PARAM(INT, options, pieces, NULL, "100", 0, 1e9, "Number of pieces."),
    HC_PARAM(REAL, options, size, "B", "0", 0, 1e18, "Bytes of a piece, each way."),
    HC_PARAM(REAL, options, work, "work", "0", 0, 1e300, "Work on a piece."), {0}};

static const hc_profile_type farm = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "farm",
                  .summary = "a master hands out pieces to the workers that are free", .params = params,
                  .options_size = sizeof(options)},
    .state_size = sizeof(state),
    .check = check,
    .resume = resume};

static const hc_component *const components[] = {&farm.component, NULL};
HC_API extern const hc_plugin hc_plugin_entry;
const hc_plugin hc_plugin_entry = {
    .size = sizeof(hc_plugin), .abi = HC_ABI, .name = "farm", .components = components};
