/* batsim_schedule.c -- the sums of a schedule, as Batsim's `_schedule.csv`: a row of names and one of values;
 * or as the `schedule.json` of Batsim 5, an object of the same names.
 *
 * Its means divide by all jobs, the rejected ones among them; a slowdown is turnaround over execution
 * time, and killed jobs count in it. The makespan is when the last job ended; in Batsim 5 how long that is
 * after the first submission. Machine-seconds go from 0 to
 * the last change of a machine. What a result does not know is empty: joules without the metric energy, and
 * the wall time that a scheduler beside the simulator took. Source: Batsim 4.2.1 and 5.0.0-rc2. */
#include <string.h>

#include "base/text.h"
#include "output/states.h"

typedef struct options {
  int version;
} options;

enum { AS_4, AS_5 };

typedef struct sums {
  hc_emit emit;
  uint64_t jobs, successful, killed, rejected;
  uint64_t switches, grouped_switches;
  double wait, turnaround, slowdown;
  hc_time makespan, first, wait_most, turnaround_most;
  double slowdown_most;
  double machine_seconds[HC_MACHINE_STATES];
  double joules; /* NaN: not known */
  int64_t machines;
} sums;

static hc_rc add_task(void *ctx, const hc_task_record *t)
{
  sums *x = ctx;
  const bool is_rejected = t->final == HC_FINAL_REJECTED;
  const bool has_run = t->final == HC_FINAL_COMPLETED || t->final == HC_FINAL_KILLED;
  if (!is_rejected && !has_run) return 0;
  x->jobs++;
  x->rejected += is_rejected;
  if (t->submit != HC_UNKNOWN) x->first = HC_MIN(x->first, t->submit);
  if (is_rejected || t->start == HC_UNKNOWN || t->end == HC_UNKNOWN) return 0;
  const hc_time wait = t->start - t->submit, turnaround = t->end - t->submit, run = t->end - t->start;
  x->successful += t->final == HC_FINAL_COMPLETED;
  x->killed += t->final == HC_FINAL_KILLED;
  x->wait += (double)wait / 1e9;
  x->turnaround += (double)turnaround / 1e9;
  x->wait_most = HC_MAX(x->wait_most, wait);
  x->turnaround_most = HC_MAX(x->turnaround_most, turnaround);
  x->makespan = HC_MAX(x->makespan, t->end);
  if (run > 0) {
    const double slowdown = (double)turnaround / (double)run;
    x->slowdown += slowdown;
    x->slowdown_most = HC_MAX(x->slowdown_most, slowdown);
  }
  return 0;
}

static hc_rc add_states(void *ctx, const hc_machine_counts *c)
{
  sums *x = ctx;
  const double seconds = (double)(c->to - c->from) / 1e9;
  x->machines = 0;
  for (int s = 0; s < HC_MACHINE_STATES; s++) {
    x->machine_seconds[s] += (double)c->in[s] * seconds;
    x->machines += c->in[s];
  }
  x->switches += c->switched;
  x->grouped_switches += c->switched > 0;
  return 0;
}

#define COLUMNS(WORD, COUNT, REAL, KNOWN) \
  WORD(batsim_version, "hindcast " HC_VERSION) \
  KNOWN(consumed_joules, x->joules) \
  REAL(makespan, (double)x->makespan / 1e9) \
  REAL(max_slowdown, x->slowdown_most) \
  REAL(max_turnaround_time, (double)x->turnaround_most / 1e9) \
  REAL(max_waiting_time, (double)x->wait_most / 1e9) \
  REAL(mean_slowdown, x->slowdown / jobs) \
  REAL(mean_turnaround_time, x->turnaround / jobs) \
  REAL(mean_waiting_time, x->wait / jobs) \
  COUNT(nb_computing_machines, x->machines) \
  COUNT(nb_grouped_switches, x->grouped_switches) \
  COUNT(nb_jobs, x->jobs) \
  COUNT(nb_jobs_finished, x->successful + x->killed) \
  COUNT(nb_jobs_killed, x->killed) \
  COUNT(nb_jobs_rejected, x->rejected) \
  COUNT(nb_jobs_success, x->successful) \
  COUNT(nb_machine_switches, x->switches) \
  WORD(scheduling_time, "") \
  WORD(simulation_time, "") \
  REAL(success_rate, (double)x->successful / jobs) \
  REAL(time_computing, x->machine_seconds[HC_MACHINE_COMPUTING]) \
  REAL(time_idle, x->machine_seconds[HC_MACHINE_IDLE]) \
  REAL(time_sleeping, x->machine_seconds[HC_MACHINE_SLEEPING]) \
  REAL(time_switching_off, x->machine_seconds[HC_MACHINE_SWITCHING_OFF]) \
  REAL(time_switching_on, x->machine_seconds[HC_MACHINE_SWITCHING_ON]) \
  REAL(time_unavailable, x->machine_seconds[HC_MACHINE_AWAY])

static void write(sums *x)
{
  hc_buffer *out = &x->emit.text;
  const double jobs = (double)HC_MAX(x->jobs, UINT64_C(1));
  const char *before = "";
#define TITLE(name, value) \
  hc_buffer_printf(out, "%s" #name, before); \
  before = ",";
  COLUMNS(TITLE, TITLE, TITLE, TITLE)
  before = "\n";
#define BEFORE() (hc_buffer_text(out, before), (void)(before = ","))
#define WORD(name, value) \
  BEFORE(); \
  hc_buffer_text(out, value);
#define COUNT(name, value) \
  BEFORE(); \
  hc_emit_int(&x->emit, (int64_t)(value));
#define REAL(name, value) \
  BEFORE(); \
  hc_emit_real_fixed(&x->emit, value);
#define KNOWN(name, value) \
  BEFORE(); \
  if ((value) >= 0) hc_emit_real_fixed(&x->emit, value);
  COLUMNS(WORD, COUNT, REAL, KNOWN)
  hc_buffer_add(out, "\n", 1);
}

#undef TITLE
#undef BEFORE
#undef WORD
#undef COUNT
#undef REAL
#undef KNOWN

/* An object, a member a line. What is not known, and what Batsim 5 has in another file, is left out. */
static void write_object(sums *x)
{
  hc_buffer *out = &x->emit.text;
  const double jobs = (double)HC_MAX(x->jobs, UINT64_C(1));
  const char *before = "{\n  \"";
  if (x->first <= x->makespan) x->makespan -= x->first;
#define NAME(name) \
  hc_buffer_printf(out, "%s" #name "\": ", before); \
  before = ",\n  \"";
#define WORD(name, value) \
  if (*(value)) { \
    NAME(name) \
    hc_json_string(out, value, strlen(value)); \
  }
#define COUNT(name, value) \
  NAME(name) \
  hc_emit_int(&x->emit, (int64_t)(value));
#define REAL(name, value) \
  NAME(name) \
  hc_emit_real_fixed(&x->emit, value);
#define KNOWN(name, value) \
  if ((value) >= 0) { REAL(name, value) }
  COLUMNS(WORD, COUNT, REAL, KNOWN)
  hc_buffer_text(out, "\n}\n");
}

static hc_rc run(const hc_allocator *a, const void *chosen, hc_result *r, const hc_sink *out, hc_error *e)
{
  const options *o = chosen;
  sums x = {.jobs = 0, .first = HC_NEVER, .joules = hc_result_figure(r, "all", "energy")};
  hc_emit_init(&x.emit, a, out, e);
  hc_rc rc = hc_machine_states(&x.emit, a, r, "batsim_schedule", add_states, &x);
  if (rc >= 0) rc = hc_emit_tasks(&x.emit, r, HC_EMIT_STORED, add_task, &x);
  if (rc >= 0) (o->version == AS_5 ? write_object : write)(&x);
  return hc_emit_end(&x.emit, rc);
}

static const hc_param params[] = {
    HC_PARAM(
        CHOICE, options, version, "4|5", "4",
        "Version of Batsim whose file is written. 4: _schedule.csv. 5: schedule.json, an object with the "
        "same names but without empty values, in which the makespan counts from the first submission."),
    {.name = NULL},
};

const hc_exporter_type hc_exporter_batsim_schedule = {
    .component =
        {HC_COMPONENT_HEAD(hc_exporter_type, HC_KIND_EXPORTER), .name = "batsim_schedule",
         .summary = "the sums of a schedule, as Batsim's _schedule.csv",
         .detail =
             "A row of 26 names in alphabetical order and a row of values: the numbers of jobs by how they "
             "ended; means and greatest values of wait, turnaround and slowdown (turnaround / execution "
             "time; means divide by all jobs, rejected ones among them); the end of the last job; and the "
             "seconds that machines spent in each state, from 0 to the last change. consumed_joules is the "
             "figure `energy`, and empty without that metric; scheduling_time and simulation_time are empty. "
             "Machines, and the results that are refused, are those of batsim_machine_states.",
         .source = "Batsim 4.2.1 and 5.0.0-rc2", .params = params, .options_size = sizeof(options)},
    .run = run,
};
