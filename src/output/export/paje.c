/* paje.c -- the run as a trace in Paje's format: what each host does, and how much of each link is used.
 *
 * A trace says its own events first (%EventDef), then types, containers and what happens to them, in order
 * of time: a container for the cell, one in it for each host with a state, and one for each link that was
 * used with a variable, its share of use. States change as those of batsim_machine_states do; shares are
 * means over the pieces of time of the metric resource_use, which the run must have counted with `detail:
 * series`: without it there are no links.
 *
 * Memory: 32 bytes for each change. Source: L. Mello Schnorr, Paje Trace File Format, 2014. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/text.h"
#include "output/states.h"

#define SERIES "link_series:"

enum {
  DEFINE_CONTAINER,
  DEFINE_STATE,
  DEFINE_VARIABLE,
  DEFINE_VALUE,
  CREATE,
  DESTROY,
  SET_STATE,
  SET_VARIABLE
};

/* What happens: a host comes into a state, or a link's share is another. */
typedef struct event {
  hc_time at;
  double value; /* a state, or a share */
  uint32_t is_link, id;
  size_t order; /* in which it was gathered: of one time and thing the last counts */
} event;

/* A link that was used, and until when its last piece of time lasts. */
typedef struct link {
  char *name;
  size_t size;
  hc_time from, until; /* of the piece that is read; HC_UNKNOWN */
} link;

typedef struct trace {
  hc_emit emit;
  const hc_allocator *allocator;
  hc_result *result;
  event *events;
  size_t count, cap;
  link *links;
  size_t link_count, link_cap;
  hc_time last;
} trace;

static const char *const states[] = {[HC_MACHINE_SLEEPING] = "sleeping",
                                     [HC_MACHINE_SWITCHING_ON] = "switching_on",
                                     [HC_MACHINE_SWITCHING_OFF] = "switching_off",
                                     [HC_MACHINE_IDLE] = "idle",
                                     [HC_MACHINE_COMPUTING] = "busy",
                                     [HC_MACHINE_AWAY] = "away"};

/* ---- gathering ---- */

static hc_rc add(trace *t, event x)
{
  TRY(hc_reserve(t->allocator, (void **)&t->events, &t->cap, t->count + 1, sizeof x));
  x.order = t->count;
  t->events[t->count++] = x;
  t->last = HC_MAX(t->last, x.at);
  return 0;
}

static hc_rc keep_state(void *ctx, hc_time at, uint32_t machine, hc_machine_state s)
{
  return add(ctx, (event){.at = at, .value = (double)s, .id = machine});
}

static hc_rc link_of(trace *t, const char *name, uint32_t *out)
{
  for (size_t i = t->link_count; i-- > 0;)
    if (strcmp(t->links[i].name, name) == 0) {
      *out = (uint32_t)i;
      return 0;
    }
  TRY(hc_reserve(t->allocator, (void **)&t->links, &t->link_cap, t->link_count + 1, sizeof *t->links));
  link x = {.size = strlen(name) + 1, .until = HC_UNKNOWN};
  x.name = hc_alloc(t->allocator, x.size);
  if (!x.name) return HC_ENOMEM;
  memcpy(x.name, name, x.size);
  *out = (uint32_t)t->link_count;
  t->links[t->link_count++] = x;
  return 0;
}

static hc_time time_of(const char *text)
{
  const double seconds = text ? strtod(text, NULL) : 0;
  return seconds > -9e9 && seconds < 9e9 ? (hc_time)(seconds * 1e9 + (seconds < 0 ? -0.5 : 0.5)) : 0;
}

/* A piece of time in which a link was used: from, until, use, one after the other. Between two that do not
 * touch it was not used. */
static hc_rc keep_cell(void *ctx, const char *const *v)
{
  trace *t = ctx;
  uint32_t id;
  if (strcmp(v[0], "all") != 0 || strncmp(v[1], SERIES, sizeof SERIES - 1) != 0) return 0;
  TRY(link_of(t, v[1] + sizeof SERIES - 1, &id));
  link *x = &t->links[id];
  if (strcmp(v[3], "from") == 0) {
    x->from = time_of(v[5]);
    if (x->until != HC_UNKNOWN && x->until != x->from)
      return add(t, (event){.at = x->until, .is_link = true, .id = id});
  } else if (strcmp(v[3], "until") == 0) {
    x->until = time_of(v[5]);
  } else if (strcmp(v[3], "use") == 0) {
    return add(t, (event){.at = x->from, .value = v[5] ? strtod(v[5], NULL) : 0, .is_link = true, .id = id});
  }
  return 0;
}

static hc_rc gather(trace *t)
{
  TRY(hc_machine_changes(&t->emit, t->allocator, t->result, "paje", keep_state, t));
  TRY(hc_result_rows(t->result, "cells", 6, keep_cell, t, t->emit.error));
  for (uint32_t i = 0; i < t->link_count; i++)
    TRY(add(t, (event){.at = t->links[i].until, .is_link = true, .id = i}));
  return 0;
}

/* ---- writing ---- */

static const char *const header =
    "%EventDef PajeDefineContainerType 0\n%  Alias string\n%  Type string\n%  Name string\n%EndEventDef\n"
    "%EventDef PajeDefineStateType 1\n%  Alias string\n%  Type string\n%  Name string\n%EndEventDef\n"
    "%EventDef PajeDefineVariableType 2\n%  Alias string\n%  Type string\n%  Name string\n%  Color color\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineEntityValue 3\n%  Alias string\n%  Type string\n%  Name string\n%  Color color\n"
    "%EndEventDef\n"
    "%EventDef PajeCreateContainer 4\n%  Time date\n%  Alias string\n%  Type string\n%  Container string\n"
    "%  Name string\n%EndEventDef\n"
    "%EventDef PajeDestroyContainer 5\n%  Time date\n%  Type string\n%  Name string\n%EndEventDef\n"
    "%EventDef PajeSetState 6\n%  Time date\n%  Type string\n%  Container string\n%  Value string\n"
    "%EndEventDef\n"
    "%EventDef PajeSetVariable 7\n%  Time date\n%  Type string\n%  Container string\n%  Value double\n"
    "%EndEventDef\n";

static void write_types(trace *t)
{
  static const char *const colours[] = {
      [HC_MACHINE_SLEEPING] = "0.3 0.3 0.5",      [HC_MACHINE_SWITCHING_ON] = "0.9 0.7 0.2",
      [HC_MACHINE_SWITCHING_OFF] = "0.7 0.5 0.2", [HC_MACHINE_IDLE] = "0.9 0.9 0.9",
      [HC_MACHINE_COMPUTING] = "0.2 0.6 0.3",     [HC_MACHINE_AWAY] = "0.5 0.5 0.5"};
  hc_buffer *b = &t->emit.text;
  hc_buffer_text(b, header);
  hc_buffer_printf(b, "%d C 0 Cell\n%d H C Host\n%d L C Link\n", DEFINE_CONTAINER, DEFINE_CONTAINER,
                   DEFINE_CONTAINER);
  hc_buffer_printf(b, "%d S H State\n%d U L Use \"0.8 0.3 0.2\"\n", DEFINE_STATE, DEFINE_VARIABLE);
  for (size_t s = 0; s < HC_ARRAY_LEN(states); s++)
    hc_buffer_printf(b, "%d s%zu S %s \"%s\"\n", DEFINE_VALUE, s, states[s], colours[s]);
  hc_buffer_printf(b, "%d 0.000000 c C 0 cell\n", CREATE);
}

/* A name between quotes, without what would end it. */
static void write_name(trace *t, const char *name)
{
  hc_buffer *b = &t->emit.text;
  hc_buffer_add(b, "\"", 1);
  for (; *name; name++)
    hc_buffer_add(b, *name == '"' || *name == '\\' || (unsigned char)*name < ' ' ? "_" : name, 1);
  hc_buffer_add(b, "\"\n", 2);
}

static hc_rc create_host(void *ctx, const char *const *v)
{
  trace *t = ctx;
  hc_buffer_printf(&t->emit.text, "%d 0.000000 h%s H c ", CREATE, v[0]);
  write_name(t, v[1] ? v[1] : v[0]);
  return hc_emit_row(&t->emit);
}

/* Hosts by name; processors by number. */
static hc_rc create_all(trace *t)
{
  const uint32_t amounts = hc_result_amounts(t->result);
  TRY(hc_result_rows(t->result, "hosts", 4 + amounts, create_host, t, t->emit.error));
  if (hc_emit_fact(t->result, "hosts") == HC_UNKNOWN)
    for (int64_t i = 0; i < hc_emit_fact(t->result, "processors"); i++) {
      hc_buffer_printf(&t->emit.text, "%d 0.000000 h%" PRId64 " H c \"%" PRId64 "\"\n", CREATE, i, i);
      TRY(hc_emit_row(&t->emit));
    }
  for (size_t i = 0; i < t->link_count; i++) {
    hc_buffer_printf(&t->emit.text, "%d 0.000000 l%zu L c ", CREATE, i);
    write_name(t, t->links[i].name);
    TRY(hc_emit_row(&t->emit));
  }
  return 0;
}

HC_SORT(sort_events, event,
        a->at != b->at             ? a->at < b->at
        : a->is_link != b->is_link ? a->is_link < b->is_link
        : a->id != b->id           ? a->id < b->id
                                   : a->order < b->order)

/* Of several states of a host at one time the last is written. */
static bool is_passed(const trace *t, size_t i)
{
  const event *x = &t->events[i], *next = x + 1;
  return i + 1 < t->count && next->at == x->at && next->is_link == x->is_link && next->id == x->id;
}

static hc_rc write_events(trace *t)
{
  hc_buffer *b = &t->emit.text;
  char number[40];
  for (size_t i = 0; i < t->count; i++) {
    const event *x = &t->events[i];
    if (is_passed(t, i)) continue;
    hc_buffer_printf(b, "%d ", x->is_link ? SET_VARIABLE : SET_STATE);
    hc_emit_fixed(&t->emit, x->at);
    if (x->is_link) {
      number[hc_format_real(x->value, number)] = '\0';
      hc_buffer_printf(b, " U l%" PRIu32 " %s\n", x->id, number);
    } else {
      hc_buffer_printf(b, " S h%" PRIu32 " s%d\n", x->id, (int)x->value);
    }
    TRY(hc_emit_row(&t->emit));
  }
  hc_buffer_printf(b, "%d ", DESTROY);
  hc_emit_fixed(&t->emit, t->last);
  hc_buffer_text(b, " C c\n");
  return 0;
}

static hc_rc write_all(trace *t)
{
  TRY(gather(t));
  sort_events(t->events, t->count);
  write_types(t);
  TRY(create_all(t));
  return write_events(t);
}

static hc_rc run(const hc_allocator *a, const void *options, hc_result *r, const hc_sink *out, hc_error *e)
{
  trace t = {.allocator = a, .result = r};
  HC_UNUSED(options);
  hc_emit_init(&t.emit, a, out, e);
  const hc_rc rc = hc_emit_end(&t.emit, write_all(&t));
  for (size_t i = 0; i < t.link_count; i++) hc_free(a, t.links[i].name, t.links[i].size);
  hc_free(a, t.links, t.link_cap * sizeof *t.links);
  hc_free(a, t.events, t.cap * sizeof *t.events);
  return rc;
}

const hc_exporter_type hc_exporter_paje = {
    .component =
        {HC_COMPONENT_HEAD(hc_exporter_type, HC_KIND_EXPORTER), .name = "paje",
         .summary = "states of hosts and use of links over time, as a trace in Paje's format",
         .detail = "A container for each host (or processor that has a number) with a state: idle, busy "
                   "while a task has any part of it, away, sleeping, switching_on, switching_off; and a "
                   "container for each link that was used, with the used share of its bandwidth in each "
                   "piece of time, if the run counted the metric resource_use with `detail: series`. Times "
                   "are in seconds with six decimals. Results with tasks that were stopped, suspended or "
                   "lost are refused, since they do not contain which hosts these had before.",
         .source = "Schnorr, Paje Trace File Format, 2014"},
    .run = run,
};
