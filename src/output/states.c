/* states.c -- machines by state over time. See states.h. */
#include "output/states.h"

#include <inttypes.h>
#include <string.h>

#include "base/sort.h"
#include "hindcast/cell.h"
#include "output/machines.h"
#include "output/pieces.h"

typedef enum change_kind {
  GIVEN, /* a task has `amount` machines from `machine` on no more */
  LEFT,
  CAME,
  POWERED, /* `amount` is an hc_power_state */
  TAKEN
} change_kind;

typedef struct change {
  hc_time at;
  uint32_t machine, kind;
  int64_t amount;
  int64_t id; /* GIVEN, TAKEN: of the task */
} change;

typedef struct machine {
  uint32_t tasks;
  uint8_t power;
  bool is_away;
} machine;

typedef struct states {
  hc_emit *emit;
  const hc_allocator *allocator;
  hc_machines machines;
  hc_pieces pieces;
  change *changes;
  size_t count, cap;
  machine *all; /* [machine_count]; NULL: they are only counted */
  size_t machine_count;
  uint32_t amounts;
  int64_t id; /* of the task that is gathered */
  hc_time last;
  hc_machine_counts now;
  hc_rc (*each_machine)(void *ctx, hc_time at, uint32_t machine, hc_machine_state state); /* NULL: not told */
  void *ctx;
  hc_rc told; /* what it returned first that was not 0 */
} states;

/* ---- gathering ---- */

static hc_rc add(states *s, change c)
{
  TRY(hc_reserve(s->allocator, (void **)&s->changes, &s->cap, s->count + 1, sizeof c));
  s->changes[s->count++] = c;
  s->last = HC_MAX(s->last, c.at);
  return 0;
}

static hc_rc span(states *s, hc_time from, hc_time to, int64_t first, int64_t count)
{
  if (s->all && (first < 0 || count < 0 || (uint64_t)first + (uint64_t)count > s->machine_count))
    return hc_fail(s->emit->error, HC_EINPUT, "", 0, 0,
                   "the result is damaged: a task had machine %" PRId64 " of %zu", first + count - 1,
                   s->machine_count);
  if (to != HC_UNKNOWN && to <= from) return 0;
  change c = {.at = from, .machine = (uint32_t)first, .kind = TAKEN, .amount = count, .id = s->id};
  TRY(add(s, c));
  if (to == HC_UNKNOWN) return 0; /* it still ran when the run ended */
  c.at = to;
  c.kind = GIVEN;
  return add(s, c);
}

/* What a task had by the tables of what it had at its end. */
static hc_rc own_span(states *s, const hc_task_record *t, hc_time from, hc_time to)
{
  size_t n;
  const hc_machine_range *ranges = hc_machines_of(&s->machines, t->serial, &n);
  if (!s->all) return span(s, from, to, 0, hc_emit_whole_processors(s->emit, t->units));
  for (size_t i = 0; i < n; i++) TRY(span(s, from, to, ranges[i].first, ranges[i].count));
  return 0;
}

static hc_rc piece_span(states *s, const hc_piece *p, hc_time from, hc_time to)
{
  if (!s->all) return span(s, from, to, 0, hc_emit_whole_processors(s->emit, p->units));
  for (size_t i = 0; i < p->count; i++)
    TRY(span(s, from, to, p->rows[i].host, s->machines.are_hosts ? 1 : p->rows[i].slots));
  return 0;
}

static hc_rc keep_task(void *ctx, const hc_task_record *t)
{
  states *s = ctx;
  const hc_piece *of;
  hc_rc n;
  if (t->start == HC_UNKNOWN || t->final == HC_FINAL_REJECTED) return 0;
  s->id = t->id;
  TRY(n = hc_pieces_of(&s->pieces, t, &of));
  if (n == 0) return own_span(s, t, t->start, t->end);
  for (hc_rc i = 0; i < n; i++) {
    const hc_time to = i + 1 < n ? of[i + 1].from : t->end;
    if (of[i].count > 0) TRY(piece_span(s, &of[i], of[i].from, to));
    else TRY(own_span(s, t, of[i].from, to));
  }
  return 0;
}

static hc_rc keep_change(void *ctx, const char *const *values)
{
  states *s = ctx;
  int64_t at, host, what;
  TRY(hc_emit_number(s->emit, "host_changes", values[0], INT64_MIN, INT64_MAX, &at));
  TRY(hc_emit_number(s->emit, "host_changes", values[1], 0, (int64_t)s->machine_count - 1, &host));
  TRY(hc_emit_number(s->emit, "host_changes", values[2], 0, UINT32_MAX, &what));
  if (what != HC_HOST_UP && what != HC_HOST_DOWN) return 0;
  return add(s, (change){.at = at, .machine = (uint32_t)host, .kind = what == HC_HOST_UP ? CAME : LEFT});
}

static hc_rc keep_power(void *ctx, const char *const *values)
{
  states *s = ctx;
  change c = {.kind = POWERED};
  int64_t host;
  TRY(hc_emit_number(s->emit, "power", values[0], INT64_MIN, INT64_MAX, &c.at));
  TRY(hc_emit_number(s->emit, "power", values[1], 0, (int64_t)s->machine_count - 1, &host));
  TRY(hc_emit_number(s->emit, "power", values[2], 0, UINT8_MAX, &c.amount));
  c.amount = hc_power_of_code((uint32_t)c.amount);
  c.machine = (uint32_t)host;
  return add(s, c);
}

/* A host that is declared without any amounts comes later. */
static hc_rc keep_host(void *ctx, const char *const *values)
{
  states *s = ctx;
  int64_t host, amount;
  bool has_any = false;
  TRY(hc_emit_number(s->emit, "hosts", values[0], 0, (int64_t)s->machine_count - 1, &host));
  for (uint32_t d = 0; d < s->amounts; d++) {
    if (!values[4 + d]) continue;
    TRY(hc_emit_number(s->emit, "hosts", values[4 + d], 0, INT64_MAX, &amount));
    has_any |= amount > 0;
  }
  s->all[host].is_away = !has_any;
  return 0;
}

static hc_rc found(void *ctx, const char *const *values)
{
  (void)values;
  *(bool *)ctx = true;
  return 0;
}

/* Columns of the table stops: serial, times, start, end, how ... What a plan has ended for good had its
 * machines to its end, as any other task. */
static hc_rc found_stop(void *ctx, const char *const *values)
{
  static const char kill[] = "1"; /* HC_STOP_KILL */
  if (values[4] && strcmp(values[4], kill) == 0) return 0;
  return found(ctx, values);
}

static hc_rc refuse_attempts(states *s, hc_result *r, const char *name)
{
  static const struct {
    const char *table, *what;
    size_t columns;
  } kinds[] = {{"attempts", "lost with a host", 4}, {"stops", "stopped", 7}, {"rates", "suspended", 4}};
  for (size_t i = 0; i < HC_ARRAY_LEN(kinds); i++) {
    bool any = false;
    const bool is_of_stops = strcmp(kinds[i].table, "stops") == 0;
    TRY(hc_result_rows(r, kinds[i].table, kinds[i].columns, is_of_stops ? found_stop : found, &any,
                       s->emit->error));
    if (any)
      return hc_fail(s->emit->error, HC_EUNSUPPORTED, name, 0, 0,
                     "tasks of %.200s were %s, and which machines they had before is not in it; "
                     "--format csv --set table=%s has when",
                     hc_result_path(r), kinds[i].what, kinds[i].table);
  }
  return 0;
}

static hc_rc gather(states *s, hc_result *r, const char *name)
{
  hc_error *e = s->emit->error;
  const int64_t processors = hc_emit_fact(r, "processors"), hosts = hc_emit_fact(r, "hosts");
  TRY(hc_emit_need_tasks(r, true, e));
  TRY(hc_emit_units(s->emit, r));
  TRY(refuse_attempts(s, r, name));
  TRY(hc_machines_read(&s->machines, s->emit, s->allocator, r));
  TRY(hc_pieces_read(&s->pieces, s->emit, r, 0));
  s->machine_count = (size_t)(s->machines.are_hosts ? hosts : processors);
  if (hosts != HC_UNKNOWN && !s->machines.are_hosts) s->machine_count = (size_t)hosts;
  if ((int64_t)s->machine_count <= 0)
    return hc_fail(e, HC_EINPUT, hc_result_path(r), 0, 0,
                   "the result does not say how many machines there were");
  if (s->machines.count > 0 || s->machines.are_hosts) {
    s->all = hc_alloc(s->allocator, s->machine_count * sizeof *s->all);
    if (!s->all) return HC_ENOMEM;
  }
  s->amounts = hc_result_amounts(r);
  if (s->machines.are_hosts) {
    TRY(hc_result_rows(r, "hosts", 4 + s->amounts, keep_host, s, e));
    TRY(hc_result_rows(r, "host_changes", 3 + s->amounts, keep_change, s, e));
    TRY(hc_result_rows(r, "power", 3, keep_power, s, e));
  }
  return hc_emit_tasks(s->emit, r, HC_EMIT_STORED, keep_task, s);
}

/* ---- counting ---- */

HC_SORT(sort_changes, change, a->at != b->at ? a->at < b->at : a->kind < b->kind)
HC_SORT(sort_holders, change,
        a->at != b->at             ? a->at < b->at
        : a->kind != b->kind       ? a->kind < b->kind
        : a->machine != b->machine ? a->machine < b->machine
                                   : a->id < b->id)

/* One that sleeps is away for tasks, and a host that left while it slept sleeps on. */
static hc_machine_state state_of(const machine *x)
{
  switch ((hc_power_state)x->power) {
    case HC_POWER_ON: break;
    case HC_POWER_STOPPING: return HC_MACHINE_SWITCHING_OFF;
    case HC_POWER_OFF: return HC_MACHINE_SLEEPING;
    case HC_POWER_STARTING: return HC_MACHINE_SWITCHING_ON;
  }
  if (x->is_away) return HC_MACHINE_AWAY;
  return x->tasks > 0 ? HC_MACHINE_COMPUTING : HC_MACHINE_IDLE;
}

static void tell_machine(states *s, hc_time at, const machine *x)
{
  if (s->each_machine && s->told == 0)
    s->told = s->each_machine(s->ctx, at, (uint32_t)(x - s->all), state_of(x));
}

static void change_machine(states *s, const change *c, machine *x)
{
  const hc_machine_state before = state_of(x);
  s->now.in[before]--;
  switch ((change_kind)c->kind) {
    case GIVEN: x->tasks -= x->tasks > 0; break;
    case LEFT: x->is_away = true; break;
    case CAME: x->is_away = false; break;
    case POWERED:
      s->now.switched += c->amount == HC_POWER_STOPPING || c->amount == HC_POWER_STARTING;
      x->power = (uint8_t)c->amount;
      break;
    case TAKEN: x->tasks++; break;
  }
  s->now.in[state_of(x)]++;
  if (state_of(x) != before) tell_machine(s, c->at, x);
}

static void apply(states *s, const change *c)
{
  const bool is_span = c->kind == GIVEN || c->kind == TAKEN;
  if (s->all) {
    for (int64_t i = 0; i < (is_span ? c->amount : 1); i++) change_machine(s, c, &s->all[c->machine + i]);
  } else {
    const int64_t more = c->kind == TAKEN ? c->amount : -c->amount;
    s->now.in[HC_MACHINE_COMPUTING] += more;
    s->now.in[HC_MACHINE_IDLE] -= more;
  }
}

static hc_rc tell(states *s, hc_rc (*each)(void *ctx, const hc_machine_counts *c), void *ctx)
{
  size_t i = 0;
  if (s->all)
    for (size_t k = 0; k < s->machine_count; k++) s->now.in[state_of(&s->all[k])]++;
  else s->now.in[HC_MACHINE_IDLE] = (int64_t)s->machine_count;
  for (hc_time at = 0;;) {
    s->now.switched = 0;
    for (; i < s->count && s->changes[i].at <= at; i++) apply(s, &s->changes[i]);
    s->now.from = at;
    s->now.to = i < s->count ? s->changes[i].at : at;
    TRY(each(ctx, &s->now));
    if (i == s->count) return 0;
    at = s->changes[i].at;
  }
}

static hc_rc tell_machines(states *s)
{
  for (size_t k = 0; k < s->machine_count && s->all; k++) tell_machine(s, 0, &s->all[k]);
  for (size_t i = 0; i < s->count && s->told == 0; i++) apply(s, &s->changes[i]);
  return s->told;
}

static void drop(states *s)
{
  hc_free(s->allocator, s->all, s->machine_count * sizeof *s->all);
  hc_free(s->allocator, s->changes, s->cap * sizeof *s->changes);
  hc_pieces_fini(&s->pieces);
  hc_machines_fini(&s->machines);
}

hc_rc hc_machine_changes(hc_emit *m, const hc_allocator *a, hc_result *r, const char *name,
                         hc_rc (*each)(void *ctx, hc_time at, uint32_t machine, hc_machine_state s),
                         void *ctx)
{
  states s = {.emit = m,
              .allocator = a,
              .machines = {.allocator = a},
              .pieces = {.allocator = a},
              .each_machine = each,
              .ctx = ctx};
  hc_rc rc = gather(&s, r, name);
  sort_changes(s.changes, s.count);
  if (rc >= 0) rc = tell_machines(&s);
  drop(&s);
  return rc;
}

hc_rc hc_machine_states(hc_emit *m, const hc_allocator *a, hc_result *r, const char *name,
                        hc_rc (*each)(void *ctx, const hc_machine_counts *c), void *ctx)
{
  states s = {.emit = m, .allocator = a, .machines = {.allocator = a}, .pieces = {.allocator = a}};
  hc_rc rc = gather(&s, r, name);
  sort_changes(s.changes, s.count);
  if (rc >= 0) rc = tell(&s, each, ctx);
  drop(&s);
  return rc;
}

static hc_rc tell_holders(states *s, const char *name, hc_rc (*each)(void *ctx, const hc_machine_holder *h),
                          void *ctx)
{
  if (!s->all)
    return hc_fail(s->emit->error, HC_EUNSUPPORTED, name, 0, 0,
                   "processors were only counted, so that none has a number: set `cell.granularity: "
                   "intervals`, or make it a cell of hosts");
  sort_holders(s->changes, s->count);
  for (size_t i = 0; i < s->count; i++) {
    const change *c = &s->changes[i];
    if (c->kind != GIVEN && c->kind != TAKEN) continue;
    TRY(each(ctx, &(hc_machine_holder){c->at, c->id, c->machine, (uint32_t)c->amount, c->kind == TAKEN}));
  }
  return 0;
}

hc_rc hc_machine_holders(hc_emit *m, const hc_allocator *a, hc_result *r, const char *name,
                         hc_rc (*each)(void *ctx, const hc_machine_holder *h), void *ctx)
{
  states s = {.emit = m, .allocator = a, .machines = {.allocator = a}, .pieces = {.allocator = a}};
  hc_rc rc = gather(&s, r, name);
  if (rc >= 0) rc = tell_holders(&s, name, each, ctx);
  drop(&s);
  return rc;
}
