/* scheduler.c -- which host gets an invocation. None of them gives it to a host that could never have it.
 * Cost: O(containers of the application that have room), and O(hosts) unless it goes round or draws. */
#include "base/util.h"
#include "functions/world.h"

/* Note which hosts have a container of the application with room, and whether it is up. */
static void look(hc_world *w, uint32_t application)
{
  w->choices++;
  for (uint32_t i = w->applications[application].first_open; i != HC_FN_NONE; i = w->containers[i].after) {
    const hc_fn_container *c = &w->containers[i];
    hc_fn_host *h = &w->hosts[c->host];
    if (h->seen != w->choices) h->has_warm = false;
    h->seen = w->choices;
    h->has_warm |= c->phase != HC_FN_STARTING;
  }
}

static bool has_open(const hc_world *w, size_t host)
{
  return w->hosts[host].seen == w->choices;
}

static bool has_warm(const hc_world *w, size_t host)
{
  return has_open(w, host) && w->hosts[host].has_warm;
}

static uint32_t first_able(const hc_world *w, uint32_t application, size_t from)
{
  for (size_t i = 0; i < w->host_count; i++) {
    const size_t host = (from + i) % w->host_count;
    if (hc_fn_host_can_ever(w, (uint32_t)host, application)) return (uint32_t)host;
  }
  return 0; /* never: it was looked at before the run */
}

uint32_t hc_fn_first_with_room(const hc_world *w, uint32_t application)
{
  for (uint32_t i = 0; i < w->host_count; i++) {
    if (hc_fn_host_has_room(w, i, application) && hc_fn_host_can_ever(w, i, application)) return i;
  }
  return HC_FN_NONE;
}

static uint32_t first_fit(hc_world *w, uint32_t application)
{
  uint32_t best = HC_FN_NONE;
  for (uint32_t i = w->applications[application].first_open; i != HC_FN_NONE; i = w->containers[i].after)
    best = HC_MIN(best, w->containers[i].host);
  if (best == HC_FN_NONE) best = hc_fn_first_with_room(w, application);
  return best == HC_FN_NONE ? first_able(w, application, 0) : best;
}

/* The least load of those where it would not be queued, if that counts, else of all; of equals one with a
 * warm container, if that counts; the first. */
static uint32_t least_loaded(hc_world *w, uint32_t application)
{
  const hc_fn_options *o = w->options;
  uint32_t best = HC_FN_NONE;
  double least = 0;
  bool is_free = false;
  look(w, application);
  for (uint32_t i = 0; i < w->host_count; i++) {
    const hc_fn_host *h = &w->hosts[i];
    const double load = o->load == HC_FN_SHARES ? h->load : (double)h->invocations;
    const bool goes_on = o->avoid_queueing && (has_open(w, i) || hc_fn_host_has_room(w, i, application));
    if (!hc_fn_host_can_ever(w, i, application)) continue;
    if (best != HC_FN_NONE) {
      const bool is_equal = load - least < 1e-9 && least - load < 1e-9;
      if (goes_on != is_free ? is_free : !is_equal && load > least) continue;
      if (goes_on == is_free && is_equal && !(o->prefer_warm && has_warm(w, i) && !has_warm(w, best)))
        continue;
    }
    best = i;
    least = load;
    is_free = goes_on;
  }
  return best;
}

static uint32_t draw(hc_world *w, uint32_t invocation)
{
  const uint32_t application = w->invocations[invocation].application;
  hc_draws d = {
      .seed = w->seed, .replication = w->replication, .entity = invocation, .purpose = HC_PURPOSE_PLACE};
  uint64_t able = 0, k;
  for (uint32_t i = 0; i < w->host_count; i++) able += hc_fn_host_can_ever(w, i, application);
  k = hc_random_below(&d, able);
  for (uint32_t i = 0; i < w->host_count; i++) {
    if (hc_fn_host_can_ever(w, i, application) && k-- == 0) return i;
  }
  return 0;
}

static uint32_t hash(hc_world *w, uint32_t application)
{
  const hc_fn_options *o = w->options;
  const size_t begin = application % w->host_count, step = (size_t)o->hash_step % w->host_count;
  uint32_t room = HC_FN_NONE;
  size_t host = begin;
  look(w, application);
  do {
    if (hc_fn_host_can_ever(w, (uint32_t)host, application)) {
      if (o->warm_first && has_warm(w, host)) return (uint32_t)host;
      if (room == HC_FN_NONE && hc_fn_host_has_room(w, (uint32_t)host, application)) room = (uint32_t)host;
      if (room != HC_FN_NONE && !o->warm_first) return room;
    }
    host = (host + step) % w->host_count;
  } while (host != begin);
  return room == HC_FN_NONE ? first_able(w, application, begin) : room;
}

uint32_t hc_fn_choose(hc_world *w, uint32_t invocation)
{
  const uint32_t application = w->invocations[invocation].application;
  switch ((hc_fn_scheduler)w->options->scheduler) {
    case HC_FN_FIRST_FIT: return first_fit(w, application);
    case HC_FN_LEAST_LOADED: return least_loaded(w, application);
    case HC_FN_ROUND_ROBIN: {
      const uint32_t host = first_able(w, application, w->turn);
      w->turn = (host + (size_t)1) % w->host_count;
      return host;
    }
    case HC_FN_RANDOM: return draw(w, invocation);
    case HC_FN_HASH: return hash(w, application);
  }
  return 0;
}
