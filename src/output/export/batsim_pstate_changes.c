/* batsim_pstate_changes.c -- which machines came into which state of power and when, as Batsim's
 * `_pstate_changes.csv`, which evalys draws beside a schedule.
 *
 * At time 0 all machines are on. One that a plan switches has -1 while it starts and -2 while it stops,
 * as in Batsim, and then the number of the state that it has come into: that into which a plan has put
 * it, or `on` or `off`, which are numbers of the platform's states there. Machines that change alike at
 * one time are one row. Source: Batsim 4.2.1. */
#include "base/mem.h"
#include "hindcast/cell.h"
#include "output/emit.h"

enum { SWITCHING_ON = -1, SWITCHING_OFF = -2 };

typedef struct batsim_pstate_options {
  int64_t on, off;
} batsim_pstate_options;

typedef struct writer {
  hc_emit emit;
  const batsim_pstate_options *options;
  int64_t hosts;
  hc_time at;
  int64_t pstate;
  int64_t first, last; /* machines that are not written yet; first -1: none */
  bool is_open;        /* a row is */
} writer;

static void range(writer *w)
{
  if (w->first < 0) return;
  if (!w->is_open) hc_emit_fixed(&w->emit, w->at);
  hc_buffer_text(&w->emit.text, w->is_open ? " " : ",");
  w->is_open = true;
  hc_emit_int(&w->emit, w->first);
  if (w->last > w->first) hc_buffer_printf(&w->emit.text, "-%lld", (long long)w->last);
  w->first = -1;
}

static hc_rc end_row(writer *w)
{
  range(w);
  if (!w->is_open) return 0;
  w->is_open = false;
  hc_buffer_printf(&w->emit.text, ",%lld\n", (long long)w->pstate);
  return hc_emit_row(&w->emit);
}

static hc_rc put(writer *w, hc_time at, int64_t machine, int64_t pstate)
{
  if (at != w->at || pstate != w->pstate) TRY(end_row(w));
  w->at = at;
  w->pstate = pstate;
  if (w->first >= 0 && machine != w->last + 1) range(w);
  if (w->first < 0) w->first = machine;
  w->last = machine;
  return 0;
}

/* @param code  as the table `power` has it */
static int64_t pstate_of(const writer *w, uint32_t code)
{
  const uint32_t pstate = hc_pstate_of_code(code);
  switch (hc_power_of_code(code)) {
    case HC_POWER_ON: return pstate < HC_POWER_STATES ? pstate : w->options->on;
    case HC_POWER_STOPPING: return SWITCHING_OFF;
    case HC_POWER_OFF: return w->options->off;
    case HC_POWER_STARTING: return SWITCHING_ON;
  }
  return w->options->on;
}

static hc_rc take(void *ctx, const char *const *values)
{
  writer *w = ctx;
  int64_t at, host, state;
  TRY(hc_emit_number(&w->emit, "power", values[0], INT64_MIN, INT64_MAX, &at));
  TRY(hc_emit_number(&w->emit, "power", values[1], 0, w->hosts - 1, &host));
  TRY(hc_emit_number(&w->emit, "power", values[2], 0, UINT8_MAX, &state));
  return put(w, at, host, pstate_of(w, (uint32_t)state));
}

static hc_rc write_all(writer *w, hc_result *r, hc_error *e)
{
  const int64_t hosts = hc_emit_fact(r, "hosts"), processors = hc_emit_fact(r, "processors");
  w->hosts = hosts != HC_UNKNOWN ? hosts : processors;
  if (w->hosts <= 0)
    return hc_fail(e, HC_EINPUT, hc_result_path(r), 0, 0,
                   "the result does not say how many machines there were");
  w->last = w->hosts - 1; /* at time 0 all are on */
  w->pstate = w->options->on;
  TRY(end_row(w));
  TRY(hc_result_rows(r, "power", 3, take, w, e));
  return end_row(w);
}

static hc_rc run(const hc_allocator *a, const void *options, hc_result *r, const hc_sink *out, hc_error *e)
{
  writer w = {.options = options};
  hc_emit_init(&w.emit, a, out, e);
  hc_buffer_text(&w.emit.text, "time,machine_id,new_pstate\n");
  return hc_emit_end(&w.emit, write_all(&w, r, e));
}

static const hc_param params[] = {
    HC_PARAM(INT, batsim_pstate_options, on, NULL, "0", 0, 1e6,
             "Number of the state of power of machines that are on."),
    HC_PARAM(INT, batsim_pstate_options, off, NULL, "1", 0, 1e6,
             "Number of the state of power of machines that are off."),
    {.name = NULL},
};

const hc_exporter_type hc_exporter_batsim_pstate_changes = {
    .component = {HC_COMPONENT_HEAD(hc_exporter_type, HC_KIND_EXPORTER), .name = "batsim_pstate_changes",
                  .summary = "which machines were switched off and on, as Batsim's _pstate_changes.csv",
                  .detail =
                      "time, machine_id, new_pstate: a row for time 0, when all machines are on, and then a "
                      "row for all machines that come into the same state at the same time: -2 while they "
                      "stop, `off`, -1 while they start, `on`, or a state of power that a plan gave them. "
                      "Machines are written as \"0-3 7\": hosts on a cell of hosts, else processors, which "
                      "nothing switches. Times are in seconds with six decimals (Batsim writes six digits).",
                  .source = "Batsim 4.2.1", .params = params, .options_size = sizeof(batsim_pstate_options)},
    .run = run,
};
