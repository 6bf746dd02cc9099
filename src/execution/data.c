/* data.c -- data items of tasks: where they lie, and how they come to where they are read.
 *
 * An item has an *origin*, the first host of the task that made it, or the storage host of one that no task
 * makes. A task reads copies on its first host: those that are not there are brought, and what it does
 * begins when the last of them has come. A copy is brought once for all that read it there, whether a task
 * waits for it or a plan has asked for it before (fetch). Directly it comes from the origin; over a master
 * first one copy is brought there, as soon as the item is made, and each other one comes from that, also on
 * the host that made it. What a task delivers, since no task reads it, is brought to the storage host, and
 * the task ends when it is there.
 *
 * Transfers are flows of the run's network and share it with all others. They belong to no task: those of a
 * task that is stopped or suspended go on. Items outlive an outage of their host and can be read during it.
 *
 * State is three arrays of plain structs: items by the engine's numbers, copies, and who waits for them. A
 * task that was stopped and waits again has another stamp, by which what it waited for before is known to
 * be over. Cost: a look at the copies of an item for each that is read. Source: DSLab's transfer modes. */
#include <string.h>

#include "base/math.h"
#include "base/slots.h"
#include "base/state.h"
#include "base/util.h"
#include "execution/running.h"

#define NONE HC_MAP_NONE

/* ---- what there is ---- */

static hc_rc find_host(const hc_model_context *c, const char *key, const char *name, uint32_t *out,
                       hc_error *e)
{
  *out = c->storage_host;
  if (!name) return 0;
  for (uint32_t h = 0; c->host_names && h < c->host_count; h++) {
    if (strcmp(c->host_names[h], name) != 0) continue;
    *out = h;
    return 0;
  }
  return hc_fail(e, HC_EUSAGE, "execution", 0, 0, "%s is \"%.80s\", and the cell has no host of that name",
                 key, name);
}

hc_rc hc_data_init(hc_doings *d, const hc_model_context *c, const hc_flow_options *o, hc_error *e)
{
  hc_data *a = &d->data;
  *a = (hc_data){.vacant_copy = NONE,
                 .vacant_want = NONE,
                 .carrier = HC_NO_ONE,
                 .storage = HC_NO_ONE,
                 .relay = HC_NO_ONE};
  if (o->via_master) TRY(find_host(c, "data_master", o->master, &a->relay, e));
  else if (o->master)
    return hc_fail(
        e, HC_EUSAGE, "execution", 0, 0,
        "data_master has no effect with `data_transfers: direct`: leave it out, or say via_master");
  TRY(find_host(c, "data_storage", o->store ? o->store : o->master, &a->storage, e));
  if (o->via_master && a->relay == HC_NO_ONE)
    return hc_fail(
        e, HC_EUSAGE, "execution", 0, 0,
        "`data_transfers: via_master` needs a master: name it in data_master, or let just one host "
        "of the cell have no cores");
  return 0;
}

void hc_data_fini(hc_doings *d)
{
  hc_data *a = &d->data;
  hc_free(d->allocator, a->stocks, a->stock_cap * sizeof *a->stocks);
  hc_free(d->allocator, a->copies, a->copy_cap * sizeof *a->copies);
  hc_free(d->allocator, a->wants, a->want_cap * sizeof *a->wants);
}

static void out_of_memory(hc_doings *d)
{
  (void)hc_doings_fail(d, HC_NO_ONE, HC_ENOMEM, "no room for another data item");
}

static uint32_t new_want(hc_doings *d, const hc_want *w)
{
  hc_data *a = &d->data;
  uint32_t at = NONE;
  if (HC_SLOT_TAKE(d->allocator, hc_want, next, a->wants, a->want_count, a->want_cap, a->vacant_want, &at) <
      0)
    out_of_memory(d);
  else a->wants[at] = *w;
  return at;
}

static void drop_wants(hc_data *a, uint32_t first)
{
  for (uint32_t at = first, next; at != NONE; at = next) {
    next = a->wants[at].next;
    a->wants[at] = (hc_want){.running = HC_NO_ONE};
    HC_SLOT_GIVE(hc_want, next, a->wants, a->vacant_want, at);
  }
}

/* ---- transfers ---- */

/* The place whose activities they are. */
static bool has_carrier(hc_doings *d)
{
  hc_data *a = &d->data;
  if (a->carrier != HC_NO_ONE) return true;
  if (hc_reserve(d->allocator, (void **)&d->running, &d->running_cap, d->running_count + 1,
                 sizeof *d->running) < 0) {
    out_of_memory(d);
    return false;
  }
  a->carrier = (uint32_t)d->running_count++;
  d->running[a->carrier] = (hc_running){
      .task = HC_CARRIER, .root = HC_NO_ONE, .script = HC_NO_SCRIPT, .acts = HC_NO_ONE, .makes = HC_NO_ONE};
  return true;
}

static void send(hc_doings *d, uint32_t copy, uint32_t from)
{
  hc_copy *c = &d->data.copies[copy];
  const double bytes = (double)d->data.stocks[c->item].bytes;
  if (from != c->host && bytes > 0 && !d->flows.network.type) {
    (void)hc_doings_fail(d, HC_NO_ONE, HC_EUNSUPPORTED,
                         "a data item is to be brought from host %u to host %u, and the run has no network: "
                         "say which under execution.network",
                         from, c->host);
    return;
  }
  c->state = HC_COPY_COMING;
  if (from == c->host) {
    hc_data_arrived(d, copy);
    return;
  }
  if (!has_carrier(d)) return;
  const uint32_t act = hc_doing_new(d, d->data.carrier, HC_NO_ONE, HC_DOING_FLOW, copy);
  if (act == HC_NO_ONE) return;
  d->data.copies[copy].act = act;
  hc_flow_start(d, act, from, d->data.copies[copy].host, bytes);
}

static uint32_t find_copy(const hc_data *a, uint32_t item, uint32_t host)
{
  uint32_t at = a->stocks[item].copies;
  while (at != NONE && a->copies[at].host != host) at = a->copies[at].next;
  return at;
}

static uint32_t want(hc_doings *d, uint32_t item, uint32_t host);

/* It can be brought now, or stays wanted. */
static void feed(hc_doings *d, uint32_t copy)
{
  const hc_data *a = &d->data;
  const hc_copy c = a->copies[copy];
  const uint32_t origin = a->stocks[c.item].origin;
  if (c.state != HC_COPY_WANTED || origin == HC_NO_ONE) return;
  if (a->relay == HC_NO_ONE || c.host == a->relay) {
    send(d, copy, origin);
    return;
  }
  const uint32_t relayed = want(d, c.item, a->relay);
  if (relayed != NONE && d->data.copies[relayed].state == HC_COPY_THERE &&
      d->data.copies[copy].state == HC_COPY_WANTED)
    send(d, copy, d->data.relay);
}

/* A copy of an item on a host, which is there, on its way, or comes when there is something to bring.
 * @return NONE: d->failed says why */
static uint32_t want(hc_doings *d, uint32_t item, uint32_t host)
{
  hc_data *a = &d->data;
  uint32_t at = find_copy(a, item, host);
  if (at != NONE || d->failed < 0) return at;
  if (HC_SLOT_TAKE(d->allocator, hc_copy, next, a->copies, a->copy_count, a->copy_cap, a->vacant_copy, &at) <
      0) {
    out_of_memory(d);
    return NONE;
  }
  a->copies[at] = (hc_copy){.item = item,
                            .host = host,
                            .next = a->stocks[item].copies,
                            .state = HC_COPY_WANTED,
                            .waiters = NONE,
                            .act = HC_NO_ONE};
  a->stocks[item].copies = at;
  feed(d, at);
  return at;
}

/* All that is wanted of an item, if it can be brought now. */
static void feed_all(hc_doings *d, uint32_t item)
{
  for (uint32_t at = d->data.stocks[item].copies; at != NONE && d->failed == 0; at = d->data.copies[at].next)
    feed(d, at);
}

/* A task has one less to wait for. */
static void less(hc_doings *d, const hc_want *w)
{
  hc_running *r = &d->running[w->running];
  if (r->stamp != w->stamp || r->missing == 0 || --r->missing > 0) return;
  if (r->stage == HC_STAGE_STORING) (void)hc_doings_over(d, w->running, HC_ENDED_DONE);
  else if (r->since == HC_NEVER) r->stage = HC_STAGE_READY;
  else hc_doings_go(d, w->running);
}

void hc_data_arrived(hc_doings *d, uint32_t copy)
{
  hc_data *a = &d->data;
  const uint32_t item = a->copies[copy].item, first = a->copies[copy].waiters;
  const bool is_relay = a->copies[copy].host == a->relay;
  a->copies[copy].state = HC_COPY_THERE;
  a->copies[copy].act = HC_NO_ONE;
  a->copies[copy].waiters = NONE;
  for (uint32_t at = first; at != NONE && d->failed == 0; at = d->data.wants[at].next) {
    const hc_want w = d->data.wants[at];
    less(d, &w);
  }
  drop_wants(&d->data, first);
  if (is_relay) feed_all(d, item);
}

/* An item lies on a host from now on. */
static void lay(hc_doings *d, uint32_t item, uint32_t host)
{
  hc_data *a = &d->data;
  if (a->stocks[item].origin != HC_NO_ONE) return;
  a->stocks[item].origin = host;
  feed_all(d, item);
  (void)want(d, item, a->relay == HC_NO_ONE ? host : a->relay);
}

/* ---- tasks ---- */

/* @return it has to wait for that copy */
static bool wait_for(hc_doings *d, uint32_t running, uint32_t item, uint32_t host)
{
  const uint32_t copy = want(d, item, host);
  if (copy == NONE || d->data.copies[copy].state == HC_COPY_THERE) return false;
  const uint32_t first = d->data.copies[copy].waiters;
  const hc_want w = {d->running[running].stamp, running, item, first, 0};
  const uint32_t at = new_want(d, &w);
  if (at == NONE) return false;
  d->data.copies[copy].waiters = at;
  return true;
}

bool hc_data_begin(hc_doings *d, uint32_t running, const hc_activity *a)
{
  const uint32_t host = hc_place_of(&d->running[running], 0)->host;
  uint32_t missing = 0;
  if (a->input_count + a->output_count == 0) return true;
  d->running[running].stamp = ++d->born;
  const uint32_t own = a->process_count > 0 ? a->processes[0].host : host;
  for (size_t i = a->output_count; i-- > 0;) {
    const hc_want w = {.stamp = d->running[running].stamp,
                       .running = own,
                       .item = a->outputs[i].item,
                       .next = d->running[running].makes,
                       .is_final = a->outputs[i].is_final};
    const uint32_t at = new_want(d, &w);
    if (at == NONE) return false;
    d->running[running].makes = at;
  }
  d->running[running].stage = HC_STAGE_FETCHING;
  for (size_t i = 0; i < a->input_count; i++) missing += wait_for(d, running, a->inputs[i], own);
  d->running[running].missing = missing;
  return missing == 0 && d->failed == 0;
}

bool hc_data_made(hc_doings *d, uint32_t running)
{
  const hc_data *a = &d->data;
  const uint32_t first = d->running[running].makes;
  uint32_t missing = 0;
  if (first == HC_NO_ONE) return true;
  d->running[running].makes = HC_NO_ONE;
  d->running[running].stage = HC_STAGE_STORING;
  d->running[running].missing = 0;
  for (uint32_t at = first; at != NONE && d->failed == 0; at = d->data.wants[at].next) {
    const hc_want w = d->data.wants[at];
    lay(d, w.item, w.running);
    if (w.is_final && a->storage != HC_NO_ONE) missing += wait_for(d, running, w.item, a->storage);
  }
  drop_wants(&d->data, first);
  d->running[running].missing = missing;
  return missing == 0 || d->failed < 0;
}

void hc_data_leave(hc_doings *d, uint32_t running)
{
  drop_wants(&d->data, d->running[running].makes);
  d->running[running].makes = HC_NO_ONE;
}

/* ---- what the engine says and asks ---- */

static void drop_copies(hc_doings *d, uint32_t item)
{
  hc_data *a = &d->data;
  for (uint32_t at = a->stocks[item].copies, next; at != NONE; at = next) {
    hc_copy *c = &a->copies[at];
    next = c->next;
    if (c->act != HC_NO_ONE) hc_doing_drop(d, c->act);
    drop_wants(a, c->waiters);
    *c = (hc_copy){.item = NONE};
    HC_SLOT_GIVE(hc_copy, next, a->copies, a->vacant_copy, at);
  }
  a->stocks[item] = (hc_stock){.origin = HC_NO_ONE, .copies = NONE};
}

hc_rc hc_data_add(hc_doings *d, hc_time now, uint32_t item, int64_t bytes, bool is_given, hc_error *e)
{
  hc_data *a = &d->data;
  d->now = now;
  if (d->host_count == 0)
    return hc_fail(
        e, HC_EUNSUPPORTED, "execution", 0, 0,
        "data items of tasks lie on hosts, and this cell counts processors: say `cell: {use: hosts, "
        "...}`, or leave `execution` out, and they only order tasks");
  if (is_given && a->storage == HC_NO_ONE)
    return hc_fail(e, HC_EUSAGE, "execution", 0, 0,
                   "a task reads an item that no task makes, and it is not said where that lies: name a host "
                   "in data_storage, or let just one host of the cell have no cores");
  TRY(hc_reserve(d->allocator, (void **)&a->stocks, &a->stock_cap, (size_t)item + 1, sizeof *a->stocks));
  for (; a->stock_count <= item; a->stock_count++)
    a->stocks[a->stock_count] = (hc_stock){.origin = HC_NO_ONE, .copies = NONE};
  a->stocks[item] = (hc_stock){.bytes = bytes, .origin = HC_NO_ONE, .copies = NONE};
  if (is_given) lay(d, item, a->storage);
  return hc_doings_failed(d, e);
}

hc_rc hc_data_drop(hc_doings *d, hc_time now, uint32_t item)
{
  d->now = now;
  if (item < d->data.stock_count) drop_copies(d, item);
  return 0;
}

hc_rc hc_data_fetch(hc_doings *d, hc_time now, uint32_t item, uint32_t host, hc_error *e)
{
  d->now = now;
  (void)want(d, item, host);
  (void)hc_instances_go_on(d);
  return hc_doings_failed(d, e);
}

uint32_t hc_data_where(const hc_doings *d, uint32_t item)
{
  return item < d->data.stock_count ? d->data.stocks[item].origin : HC_NO_ONE;
}

static double leg(hc_doings *d, uint32_t from, uint32_t to, double bytes)
{
  const hc_network_of_run *n = &d->flows.network;
  hc_route r;
  if (from == to) return 0;
  if (!n->type) return bytes > 0 ? __builtin_inf() : 0;
  if (hc_network_route_of(n, from, to, d->flows.links, &r) < 0) return __builtin_inf();
  return r.delay + (r.bound < HC_FLUID_FREE ? bytes / (r.bound * n->facts.rules.bandwidth_factor) : 0);
}

double hc_data_takes(hc_doings *d, uint32_t from, uint32_t to, double bytes)
{
  const uint32_t relay = d->data.relay;
  if (relay == HC_NO_ONE) return leg(d, from, to, bytes);
  return leg(d, from, relay, bytes) + leg(d, relay, to, bytes);
}

/* ---- state ---- */

hc_rc hc_data_visit(hc_doings *d, hc_visitor *v)
{
  hc_data *a = &d->data;
  HC_VISIT_ARRAY(v, a->stocks, a->stock_count, a->stock_cap);
  HC_VISIT_ARRAY(v, a->copies, a->copy_count, a->copy_cap);
  HC_VISIT_ARRAY(v, a->wants, a->want_count, a->want_cap);
  HC_VISIT(v, a->vacant_copy);
  HC_VISIT(v, a->vacant_want);
  HC_VISIT(v, a->carrier);
  if (!hc_visit_loading(v)) return 0;
  if (!HC_SLOTS_ARE_SOUND(hc_copy, next, a->copies, a->copy_count, a->vacant_copy) ||
      !HC_SLOTS_ARE_SOUND(hc_want, next, a->wants, a->want_count, a->vacant_want))
    return HC_EINPUT;
  return 0;
}
