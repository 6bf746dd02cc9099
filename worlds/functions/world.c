/* world.c -- the world is made from its options, and goes on event by event. See world.h.
 *
 * Within an instant: what ends, then containers that have started, that expire and that are made ahead, then
 * what arrives; each in the order of its numbers. So what is freed at a time is there for what arrives then,
 * and a container that expires then is not. What is queued on a host is looked at after each event there.
 *
 * The world is over when nothing is left to happen: invocations have ended, containers have expired. */
#include "functions/world.h"
#include "base/sort.h"

#define WHERE "world functions"
#define MOST_HOSTS 1000000
#define MOST_APPLICATIONS 1000000
#define MOST_INVOCATIONS 100000000

/* ---- hosts ---- */

static hc_rc make_hosts(hc_world *w, hc_error *e)
{
  const hc_chosen *nodes = w->options->nodes.items;
  size_t count = 0;
  for (size_t i = 0; i < w->options->nodes.count; i++)
    count += (size_t)((const hc_fn_node_options *)nodes[i].options)->count;
  if (count == 0)
    return hc_fail(e, HC_EUSAGE, WHERE, 0, 0,
                   "there are no hosts: name some, such as `nodes: [{count: 10, cores: 16, memory: 64GiB}]`");
  if (count > MOST_HOSTS) return hc_fail(e, HC_ELIMIT, WHERE, 0, 0, "more than %d hosts", MOST_HOSTS);
  w->hosts = hc_alloc(w->allocator, count * sizeof *w->hosts);
  if (!w->hosts) return HC_ENOMEM;
  w->host_cap = count;
  for (size_t i = 0; i < w->options->nodes.count; i++) {
    const hc_fn_node_options *o = nodes[i].options;
    for (int64_t k = 0; k < o->count; k++)
      w->hosts[w->host_count++] = (hc_fn_host){.memory = o->memory,
                                               .free = o->memory,
                                               .cores = (double)o->cores,
                                               .first = HC_FN_NONE,
                                               .last = HC_FN_NONE,
                                               .event = HC_NO_EVENT,
                                               .first_waiting = HC_FN_NONE,
                                               .last_waiting = HC_FN_NONE};
  }
  return 0;
}

/* ---- applications ---- */

static const hc_fn_application_options *application_at(const hc_world *w, size_t i)
{
  return ((const hc_chosen *)w->options->applications.items)[i].options;
}

static hc_rc add_application(hc_world *w, const char *name, size_t size, const hc_fn_application_options *o,
                             uint32_t *out)
{
  TRY(hc_names_add(&w->names, name, size, out));
  if (*out < w->application_count) return 0;
  TRY(hc_reserve(w->allocator, (void **)&w->applications, &w->application_cap, w->application_count + 1,
                 sizeof *w->applications));
  w->applications[w->application_count++] = (hc_fn_application){.name = w->names.names[*out],
                                                                .share = o->share,
                                                                .memory = o->memory,
                                                                .start = o->start,
                                                                .concurrency = (uint32_t)o->concurrency,
                                                                .first_open = HC_FN_NONE,
                                                                .idle_since = HC_UNKNOWN,
                                                                .is_any = strcmp(o->name, "*") == 0};
  return 1;
}

static bool is_any(const hc_fn_application_options *o)
{
  return strcmp(o->name, "*") == 0;
}

static hc_rc make_applications(hc_world *w, hc_error *e)
{
  for (size_t i = 0; i < w->options->applications.count; i++) {
    const hc_fn_application_options *o = application_at(w, i);
    uint32_t at;
    hc_rc rc;
    if (is_any(o)) continue;
    rc = add_application(w, o->name, strlen(o->name), o, &at);
    if (rc == 0) return hc_fail(e, HC_EUSAGE, WHERE, 0, 0, "two applications are called \"%.80s\"", o->name);
    TRY(rc);
  }
  return 0;
}

/* One that is not declared is as the declared "*" says. */
static hc_rc find_application(void *ctx, const char *name, size_t size, uint32_t *out)
{
  hc_world *w = ctx;
  *out = hc_names_find(&w->names, name, size);
  if (*out != HC_MAP_NONE) return 1;
  for (size_t i = 0; i < w->options->applications.count; i++) {
    if (is_any(application_at(w, i))) return add_application(w, name, size, application_at(w, i), out);
  }
  return 0;
}

static hc_rc check_application(const hc_world *w, uint32_t at, hc_error *e)
{
  const hc_fn_application *a = &w->applications[at];
  char n[40];
  for (uint32_t i = 0; i < w->host_count; i++) {
    if (hc_fn_host_can_ever(w, i, at)) return 0;
  }
  n[hc_format_size(a->memory, n)] = '\0';
  return hc_fail(e, HC_EUSAGE, WHERE, 0, 0,
                 "a container of the application \"%.80s\" takes %s of memory%s, and no host has so much",
                 a->name, n, w->options->cpu == HC_FN_ISOLATED ? ", and its share of cores for itself" : "");
}

/* ---- invocations ---- */

static hc_rc take_invocation(void *ctx, uint32_t application, hc_time arrival, hc_time duration)
{
  hc_world *w = ctx;
  if (w->invocation_count == MOST_INVOCATIONS) return HC_ELIMIT;
  TRY(hc_reserve(w->allocator, (void **)&w->invocations, &w->invocation_cap, w->invocation_count + 1,
                 sizeof *w->invocations));
  w->invocations[w->invocation_count++] = (hc_fn_invocation){.arrival = arrival,
                                                             .duration = duration,
                                                             .start = HC_UNKNOWN,
                                                             .end = HC_UNKNOWN,
                                                             .placed = HC_UNKNOWN,
                                                             .application = application,
                                                             .host = HC_FN_NONE,
                                                             .container = HC_FN_NONE,
                                                             .next = HC_FN_NONE,
                                                             .state = HC_FN_ARRIVES};
  return 0;
}

static void take_memory(void *ctx, uint32_t application, int64_t bytes)
{
  hc_fn_application *a = &((hc_world *)ctx)->applications[application];
  if (a->is_any) a->memory = bytes;
}

static void reject(void *ctx, hc_reason why, uint64_t count)
{
  ((hc_world *)ctx)->rejected[why] += count;
}

HC_SORT_STABLE(sort_by_arrival, hc_fn_invocation, a->arrival < b->arrival)

static hc_rc sort_invocations(hc_world *w)
{
  const size_t n = w->invocation_count;
  hc_fn_invocation *room = hc_alloc(w->allocator, (n / 2 + 1) * sizeof *room);
  if (!room) return HC_ENOMEM;
  sort_by_arrival(w->invocations, n, room);
  hc_free(w->allocator, room, (n / 2 + 1) * sizeof *room);
  return 0;
}

static hc_rc make_invocations(hc_world *w, hc_error *e)
{
  const hc_chosen *chosen = w->options->invocations.items;
  for (size_t i = 0; i < w->options->invocations.count; i++) {
    const hc_invocations_type *type = (const hc_invocations_type *)chosen[i].type;
    const hc_invocations_context context = {.allocator = w->allocator,
                                            .seed = w->seed,
                                            .replication = w->replication,
                                            .number = (uint32_t)i,
                                            .ctx = w,
                                            .application = find_application,
                                            .invoke = take_invocation,
                                            .memory = take_memory,
                                            .reject = reject};
    TRY(type->make(&context, chosen[i].options, e));
  }
  if (w->invocation_count == 0)
    return hc_fail(e, HC_EUSAGE, WHERE, 0, 0,
                   "nothing is invoked: say by what, such as `invocations: {use: table, file: calls.csv}`");
  w->ended = hc_alloc(w->allocator, w->invocation_count * sizeof *w->ended);
  if (!w->ended) return HC_ENOMEM;
  TRY(sort_invocations(w));
  for (uint32_t i = 0; i < w->application_count; i++) TRY(check_application(w, i, e));
  return 0;
}

/* ---- birth and end ---- */

/* A key that the chosen scheduler does not look at would be ignored in silence. */
static hc_rc check_keys(const hc_fn_options *o, hc_error *e)
{
  const bool of_load = o->prefer_warm || o->avoid_queueing || o->load != HC_FN_SHARES;
  const bool of_hash = !o->warm_first || o->hash_step != 1;
  if (of_load && o->scheduler != HC_FN_LEAST_LOADED)
    return hc_fail(
        e, HC_EUSAGE, WHERE, 0, 0,
        "`load`, `prefer_warm` and `avoid_queueing` are of `scheduler: least_loaded`: leave them out");
  if (of_hash && o->scheduler != HC_FN_HASH)
    return hc_fail(e, HC_EUSAGE, WHERE, 0, 0,
                   "`hash_step` and `warm_first` are of `scheduler: hash`: leave them out");
  if (o->keeper.type && (o->keep_alive != HC_FN_KEEP_ALIVE || !o->reset || o->prewarm != 0))
    return hc_fail(e, HC_EUSAGE, WHERE, 0, 0,
                   "the keeper %s says how long containers are kept: leave out `keep_alive`, `reset` and "
                   "`prewarm`, or `keeper`",
                   o->keeper.type->name);
  return 0;
}

static hc_rc make_keeper(hc_world *w, hc_error *e)
{
  w->keeper = (const hc_keeper_type *)w->options->keeper.type;
  return w->keeper ? w->keeper->init(w->allocator, w->options->keeper.options, &w->kept_by, e) : 0;
}

static hc_rc build(hc_world *w, hc_error *e)
{
  TRY(check_keys(w->options, e));
  TRY(make_keeper(w, e));
  TRY(hc_queue_new(w->allocator, HC_QUEUE_HEAP, &w->events));
  TRY(make_hosts(w, e));
  TRY(make_applications(w, e));
  return make_invocations(w, e);
}

hc_rc hc_fn_new(const hc_world_context *c, const void *options, hc_world **out, hc_error *e)
{
  hc_world *w = hc_alloc(c->allocator, sizeof *w);
  hc_rc rc;
  if (!w) return HC_ENOMEM;
  w->allocator = c->allocator;
  w->options = options;
  w->seed = c->seed;
  w->replication = c->replication;
  w->vacant = HC_FN_NONE;
  hc_names_init(&w->names, w->allocator, MOST_APPLICATIONS);
  rc = build(w, e);
  if (rc < 0) {
    hc_fn_free(w);
    return rc == HC_ENOMEM ? rc : hc_fail(e, rc, WHERE, 0, 0, "%s", hc_rc_text(rc));
  }
  *out = w;
  return 0;
}

void hc_fn_free(hc_world *w)
{
  const hc_allocator *a = w->allocator;
  for (size_t i = 0; i < w->host_count; i++)
    hc_free(a, w->hosts[i].heap, w->hosts[i].heap_cap * sizeof *w->hosts[i].heap);
  hc_free(a, w->hosts, w->host_cap * sizeof *w->hosts);
  hc_names_fini(&w->names);
  hc_free(a, w->applications, w->application_cap * sizeof *w->applications);
  hc_free(a, w->ended, w->ended ? w->invocation_count * sizeof *w->ended : 0);
  hc_free(a, w->invocations, w->invocation_cap * sizeof *w->invocations);
  hc_free(a, w->containers, w->container_cap * sizeof *w->containers);
  hc_free(a, w->expected, w->expected_cap * sizeof *w->expected);
  if (w->events) hc_queue_free(w->events);
  if (w->kept_by) w->keeper->fini(w->kept_by);
  hc_free(a, w, sizeof *w);
}

void hc_fn_progress(const hc_world *w, hc_world_progress *p)
{
  *p = (hc_world_progress){.now = w->now,
                           .submitted = w->next,
                           .started = w->started,
                           .ended = w->ended_count,
                           .waiting = w->next - w->started,
                           .running = w->running,
                           .events = w->happened};
}

/* ---- the loop ---- */

#define NUMBERS 62 /* bits of a number; above them the rank of what happens to containers */

hc_rc hc_fn_push(hc_world *w, hc_fn_event what, hc_time at, uint64_t number, uint32_t payload,
                 hc_event_handle *handle)
{
  const bool is_end = what == HC_FN_ENDS || what == HC_FN_MOVES;
  const uint64_t rank = is_end ? 0 : (uint64_t)what - HC_FN_UP;
  const hc_event x = {.time = at,
                      .key = rank << NUMBERS | number,
                      .phase = is_end ? HC_PHASE_END : HC_PHASE_CELL,
                      .payload = payload};
  return hc_queue_push(w->events, &x, handle);
}

/* What was expected may have come meanwhile; and no host may have room. */
static hc_rc prewarm(hc_world *w, uint64_t number, uint32_t application)
{
  uint32_t host;
  if (w->applications[application].sums.invoked != w->expected[number]) return 0;
  host = hc_fn_first_with_room(w, application);
  return host == HC_FN_NONE ? 0 : hc_fn_container_prewarmed(w, host, application);
}

static hc_rc happen(hc_world *w, const hc_event *x)
{
  const uint64_t number = x->key & ((UINT64_C(1) << NUMBERS) - 1);
  if (x->phase == HC_PHASE_END)
    return w->options->cpu == HC_FN_CONTENDED ? hc_fn_cpu_moves(w, x->payload)
                                              : hc_fn_host_ends(w, x->payload);
  switch ((hc_fn_event)((x->key >> NUMBERS) + HC_FN_UP)) {
    case HC_FN_UP: return hc_fn_container_up(w, x->payload);
    case HC_FN_EXPIRES: return hc_fn_container_expires(w, x->payload);
    case HC_FN_PREWARM: return prewarm(w, number, x->payload);
    case HC_FN_ENDS:
    case HC_FN_MOVES: break;
  }
  return 0;
}

/* @return 1, 0 if nothing is left, or what went wrong. @param until nothing after it: then *is_due is
 * false */
static hc_rc step(hc_world *w, hc_time until, bool *is_due)
{
  const bool arrives = w->next < w->invocation_count;
  const hc_time arrival = arrives ? w->invocations[w->next].arrival : HC_NEVER;
  hc_event x;
  const bool any = hc_queue_peek(w->events, &x);
  const bool is_arrival = arrives && (!any || arrival < x.time);
  if (!arrives && !any) return 0;
  *is_due = (is_arrival ? arrival : x.time) <= until;
  if (!*is_due) return 1;
  w->happened++;
  if (is_arrival) {
    const uint32_t i = (uint32_t)w->next++;
    w->now = arrival;
    TRY(hc_fn_host_takes(w, hc_fn_choose(w, i), i));
    return 1;
  }
  (void)hc_queue_pop(w->events, &x);
  w->now = x.time;
  TRY(happen(w, &x));
  return 1;
}

hc_rc hc_fn_advance(hc_world *w, hc_time until, uint64_t events, hc_error *e)
{
  for (uint64_t n = 0; events == 0 || n < events; n++) {
    bool is_due = true;
    const hc_rc rc = step(w, until, &is_due);
    if (rc < 0) return hc_fail(e, rc, WHERE, 0, 0, "%s", hc_rc_text(rc));
    if (rc == 0) return 0;
    if (is_due) continue;
    w->now = HC_MAX(w->now, until);
    return 1;
  }
  return 1;
}
