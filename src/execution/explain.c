/* explain.c -- what a running task is about, in words: what goes on in it, and what holds that back.
 *
 * Of each kind of activity one sentence: how many of them go on, and of transfers and disk operations the one
 * that will be done last at the rates of now, since the others are not what the task waits for. Between which
 * hosts a flow goes is noted where tasks are measured (measure.h), which a run that explains is. Rates,
 * bottlenecks and how many share them are the solver's. Cost: O(activities of the task). */
#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"
#include "base/util.h"
#include "execution/measure.h"
#include "execution/saves.h"

enum { NAME = 80, WORDS = 640 };

typedef struct saying {
  hc_doings *d;
  hc_running *r;
  void (*say)(void *ctx, const char *text);
  void *ctx;
} saying;

/* The one of its kind that will be done last. */
typedef struct longest {
  uint32_t act, count; /* HC_NO_ONE: there is none */
  double left;         /* s; infinite while it stands still */
} longest;

static const char *host_name(const hc_doings *d, uint32_t host, char out[NAME])
{
  if (host == HC_NO_ONE) (void)snprintf(out, NAME, "a processor");
  else if (d->host_names) (void)snprintf(out, NAME, "%.70s", d->host_names[host]);
  else (void)snprintf(out, NAME, "host %" PRIu32, host);
  return out;
}

static const char *size_words(double bytes, char out[40])
{
  out[hc_format_size((int64_t)HC_MIN(bytes, 9e18), out)] = '\0';
  return out;
}

static const char *time_words(hc_time at, char out[40])
{
  out[hc_format_seconds(at, out)] = '\0';
  return out;
}

static const char *rate_words(double rate, char out[56])
{
  char size[40];
  (void)snprintf(out, 56, "%s/s", size_words(rate, size));
  return out;
}

/* ---- time and cores ---- */

static void say_until(const saying *s, hc_doing_kind kind, const char *what)
{
  uint32_t count = 0;
  hc_time last = HC_UNKNOWN;
  char text[WORDS], at[40];
  for (uint32_t i = s->r->acts; i != HC_NO_ONE; i = s->d->acts[i].after) {
    const hc_doing *x = &s->d->acts[i];
    if (x->kind != kind) continue;
    last = count++ == 0 ? x->at : HC_MAX(last, x->at);
  }
  if (count == 0) return;
  if (last == HC_NEVER) (void)snprintf(text, sizeof text, "%s, without an end", what);
  else (void)snprintf(text, sizeof text, "%s until %s s", what, time_words(last, at));
  s->say(s->ctx, text);
}

static void say_sleep(const saying *s)
{
  say_until(s, HC_DOING_SLEEP, "lets time pass");
  say_until(s, HC_DOING_GPUS, "computes on GPUs");
}

/* Processes that compute, the last time at which one of them is done with something, and the most that share
 * the cores of one. */
static void say_compute(const saying *s)
{
  const uint32_t meters = s->r->meters ? s->r->place_count : 1;
  uint32_t busy = 0, most = 0, which = 0;
  hc_time last = s->d->now;
  char text[WORDS], at[40], name[NAME], shared[64] = "";
  for (uint32_t i = 0; i < meters; i++) {
    const hc_meter *l = hc_meter_of(s->r, i);
    if (l->count == 0) continue;
    busy++;
    which = i;
    most = HC_MAX(most, l->count);
    if (l->timed != HC_NO_ONE) last = HC_MAX(last, s->d->acts[l->timed].at);
  }
  if (busy == 0) return;
  if (most > 1) (void)snprintf(shared, sizeof shared, " (%" PRIu32 " at once share the cores)", most);
  if (s->r->is_one && s->r->place_count > 1)
    (void)snprintf(text, sizeof text, "computes on all of its %" PRIu32 " processes%s until %s s",
                   s->r->place_count, shared, time_words(last, at));
  else if (busy == 1)
    (void)snprintf(text, sizeof text, "computes on %s%s until %s s",
                   host_name(s->d, hc_place_of(s->r, which)->host, name), shared, time_words(last, at));
  else
    (void)snprintf(text, sizeof text, "computes on %" PRIu32 " of %" PRIu32 " processes%s until %s s", busy,
                   s->r->place_count, shared, time_words(last, at));
  s->say(s->ctx, text);
}

/* ---- transfers and parallel tasks ---- */

/* Seconds until it is done at its rate of now. */
static hc_rc left_of(hc_doings *d, uint32_t act, double *rate, double *left)
{
  double done;
  TRY(hc_fluid_rate(d->flows.fluid, d->now, d->acts[act].flow, rate));
  TRY(hc_fluid_done(d->flows.fluid, d->now, d->acts[act].flow, &done));
  *left = (d->measure->acts[act].work - done) / *rate;
  return 0;
}

static hc_rc find_longest(hc_doings *d, const hc_running *r, bool joint, longest *out)
{
  *out = (longest){.act = HC_NO_ONE};
  for (uint32_t i = r->acts; i != HC_NO_ONE; i = d->acts[i].after) {
    double rate, left;
    if (d->acts[i].kind != HC_DOING_FLOW || i >= d->measure->act_count) continue;
    if ((d->measure->acts[i].from == HC_NO_ONE) != joint) continue;
    TRY(left_of(d, i, &rate, &left));
    if (out->count++ > 0 && !(left > out->left)) continue;
    out->act = i;
    out->left = left;
  }
  return 0;
}

/* What holds a flow back. */
static hc_rc holder_words(const saying *s, uint32_t act, double rate, bool joint, char *out, size_t size)
{
  const hc_network_of_run *n = &s->d->flows.network;
  uint32_t link;
  char name[NAME];
  TRY(hc_fluid_bottleneck(s->d->flows.fluid, s->d->now, s->d->acts[act].flow, &link));
  if (rate == 0) {
    (void)snprintf(out, size, "in its latency");
  } else if (link == UINT32_MAX) {
    (void)snprintf(out, size,
                   joint ? "held back by its own work and routes" : "as fast as its route lets any");
  } else {
    const uint32_t flows = hc_fluid_members(s->d->flows.fluid, link);
    n->type->link_name(n->self, link, name, sizeof name);
    if (flows > 1)
      (void)snprintf(out, size, "bottleneck: link %.60s, shared by %" PRIu32 " flows", name, flows);
    else (void)snprintf(out, size, "bottleneck: link %.60s, which no other flow uses", name);
  }
  return 0;
}

static hc_rc say_transfers(const saying *s)
{
  char text[WORDS], holder[160], from[NAME], to[NAME], size[40], speed[56], many[64] = "";
  double rate, left;
  longest l;
  TRY(find_longest(s->d, s->r, false, &l));
  if (l.count == 0) return 0;
  const hc_measured_act *x = &s->d->measure->acts[l.act];
  TRY(left_of(s->d, l.act, &rate, &left));
  TRY(holder_words(s, l.act, rate, false, holder, sizeof holder));
  (void)rate_words(rate, speed);
  if (l.count > 1) (void)snprintf(many, sizeof many, "the longest of %" PRIu32 " transfers: ", l.count);
  (void)snprintf(text, sizeof text, "%stransfer of %s from %s to %s%s%s, %s", many, size_words(x->work, size),
                 host_name(s->d, x->from, from), host_name(s->d, x->to, to), rate > 0 ? " at " : "",
                 rate > 0 ? speed : "", holder);
  s->say(s->ctx, text);
  return 0;
}

static hc_rc say_joint(const saying *s)
{
  char text[WORDS], holder[160], at[40];
  double rate, left;
  longest l;
  TRY(find_longest(s->d, s->r, true, &l));
  if (l.count == 0) return 0;
  TRY(left_of(s->d, l.act, &rate, &left));
  TRY(holder_words(s, l.act, rate, true, holder, sizeof holder));
  if (left < 9e9)
    (void)snprintf(text, sizeof text, "computes and sends at one rate, until %s s at that of now, %s",
                   time_words(hc_time_add(s->d->now, (hc_time)(left * 1e9 + 0.5)), at), holder);
  else (void)snprintf(text, sizeof text, "computes and sends at one rate, %s", holder);
  s->say(s->ctx, text);
  return 0;
}

/* ---- disks ---- */

static const char *link_words(const saying *s, uint32_t link, char *name)
{
  s->d->flows.network.type->link_name(s->d->flows.network.self, link, name, NAME);
  return name;
}

static void op_words(const saying *s, const hc_disk_situation *x, uint32_t host, char *out, size_t size)
{
  const char *what = x->way == HC_DISK_WRITE ? "write" : "read";
  char name[NAME], bytes[40], speed[56];
  (void)host_name(s->d, host, name);
  (void)size_words(x->bytes, bytes);
  if (x->waits)
    (void)snprintf(out, size,
                   "%s of %s on the disk of %s waits for its turn: %" PRIu32 " of %" PRIu32 " go on", what,
                   bytes, name, x->going, x->going + x->waiting);
  else if (x->bottleneck < s->d->flows.network.facts.links)
    (void)snprintf(out, size, "%s of %s at %s, bottleneck: link %.60s on the way to its disk", what, bytes,
                   rate_words(x->rate, speed), link_words(s, x->bottleneck, name));
  else if (x->sharing > 1)
    (void)snprintf(out, size, "%s of %s on the disk of %s at %s, which %" PRIu32 " %ss share", what, bytes,
                   name, rate_words(x->rate, speed), x->sharing, what);
  else
    (void)snprintf(out, size, "%s of %s on the disk of %s at %s, which no other %s shares", what, bytes, name,
                   rate_words(x->rate, speed), what);
}

static hc_rc say_disks(const saying *s)
{
  hc_disk_situation slowest = {0}, x;
  uint32_t count = 0, host = HC_NO_ONE;
  double most = -1;
  char text[WORDS], one[256];
  for (uint32_t i = s->r->acts; i != HC_NO_ONE; i = s->d->acts[i].after) {
    const hc_doing *act = &s->d->acts[i];
    if ((act->kind != HC_DOING_DISK && act->kind != HC_DOING_FILE) || act->of == HC_NO_ONE) continue;
    TRY(hc_disk_look(s->d->storage.disks, s->d->now, act->of, &x));
    const double left = x.waits ? __builtin_inf() : x.left / x.rate;
    if (count++ > 0 && !(left > most)) continue;
    most = left;
    slowest = x;
    host = hc_place_of(s->r, act->meter)->host;
  }
  if (count == 0) return 0;
  op_words(s, &slowest, host, one, sizeof one);
  if (count > 1)
    (void)snprintf(text, sizeof text, "the longest of %" PRIu32 " disk operations: %s", count, one);
  s->say(s->ctx, count > 1 ? text : one);
  return 0;
}

hc_rc hc_doings_explain(hc_doings *d, hc_time now, uint32_t task, void (*say)(void *ctx, const char *text),
                        void *ctx)
{
  if (!d->measure || task >= d->of_cap || d->of[task] == HC_NO_ONE) return 0;
  saying s = {.d = d, .r = &d->running[d->of[task]], .say = say, .ctx = ctx};
  d->now = now;
  const hc_saver *saver = d->saves ? hc_saver_of(d, d->of[task]) : NULL;
  if (saver && !saver->is_suspended && (saver->state == HC_SAVER_WRITES || saver->state == HC_SAVER_READS)) {
    say(ctx, saver->state == HC_SAVER_WRITES ? "writes a checkpoint, and does nothing else"
                                             : "reads the checkpoint that it goes on from");
    return say_disks(&s);
  }
  if (s.r->since == HC_NEVER) return 0; /* suspended, which the engine has said */
  if (s.r->point != HC_NO_ONE) say(ctx, "is at a scheduling point, and waits for the hosts that it asks for");
  say_compute(&s);
  TRY(say_joint(&s));
  TRY(say_transfers(&s));
  TRY(say_disks(&s));
  say_sleep(&s);
  return 0;
}
