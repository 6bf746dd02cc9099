/* native_recorded.c -- what a log recorded of a task, in the native format: how it went in reality, which a
 * run over the log does not need, but metrics, transforms and other formats do.
 *
 *   recorded: {wait: 5, held: 2, status: failed, procs_used: 3, memory_used: 1GiB, cpu_time: 90,
 *              preceding: 7, think: 60, at_start: true, no_end: true, prefill: true, started: true}
 *
 * `held`: so much of the wait was before it might be planned. `at_start`: its submission is when it started,
 * since when it arrived is not known. `no_end`: it had not ended when the log did. `prefill`: it ran before
 * the run begins, and its run time is what it has left. `started`: it failed or was cancelled and ran for no
 * time, but it did start. */
#include <string.h>

#include "base/util.h"
#include "workload/native.h"

enum {
  WAIT,
  HELD,
  STATUS,
  PROCS_USED,
  MEMORY_USED,
  CPU_TIME,
  PRECEDING,
  THINK,
  AT_START,
  NO_END,
  PREFILL,
  STARTED,
  KEYS
};

static const hc_native_key keys[] = {{"wait", WAIT},
                                     {"held", HELD},
                                     {"status", STATUS},
                                     {"procs_used", PROCS_USED},
                                     {"memory_used", MEMORY_USED},
                                     {"cpu_time", CPU_TIME},
                                     {"preceding", PRECEDING},
                                     {"think", THINK},
                                     {"at_start", AT_START},
                                     {"no_end", NO_END},
                                     {"prefill", PREFILL},
                                     {"started", STARTED},
                                     {NULL, 0}};

static hc_rc read_status(const hc_value *v, hc_task_spec *t, hc_error *e)
{
  hc_recorded is = HC_RECORDED_COUNT;
  hc_field f;
  if (hc_native_scalar(v, &f)) is = hc_recorded_of(f.text, f.length);
  if (is == HC_RECORDED_COUNT)
    return hc_value_fail(
        v, e, HC_EINPUT,
        "status is completed, failed, cancelled, timeout, out_of_memory, node_fail or another "
        "word that `hindcast describe native` lists");
  hc_spec_record(t, is);
  return 0;
}

static hc_rc read_flag(const hc_value *v, uint32_t flag, hc_task_spec *t, hc_error *e)
{
  bool is_set = false;
  hc_field f;
  if (!v) return 0;
  if (!hc_native_scalar(v, &f) || hc_parse_bool(f.text, f.length, &is_set) < 0)
    return hc_value_fail(v, e, HC_EINPUT, "%.20s is true or false", v->key);
  if (is_set) t->flags |= flag;
  return 0;
}

static hc_rc read_length(const hc_native *n, const hc_value *v, hc_time *out, hc_error *e)
{
  return v ? hc_native_time(v, v->key, n->units.time, out, e) : 0;
}

hc_rc hc_native_read_recorded(hc_native *n, const hc_value *v, hc_task_spec *t, hc_error *e)
{
  const hc_value *at[KEYS];
  hc_field f;
  if (v->kind != HC_VALUE_MAP)
    return hc_value_fail(v, e, HC_EINPUT, "what was recorded is a map: {wait: 5, status: completed}");
  TRY(hc_native_members(v, keys, at, KEYS, NULL, NULL, &n->is_fatal, e));
  TRY(read_length(n, at[WAIT], &t->wait, e));
  TRY(read_length(n, at[HELD], &t->held, e));
  TRY(read_length(n, at[CPU_TIME], &t->cpu_time, e));
  TRY(read_length(n, at[THINK], &t->think, e));
  if (at[STATUS]) TRY(read_status(at[STATUS], t, e));
  if (at[PROCS_USED])
    TRY(hc_native_whole(at[PROCS_USED], "procs_used", 0, HC_NATIVE_AMOUNT, &t->procs_used, e));
  if (at[PRECEDING]) TRY(hc_native_whole(at[PRECEDING], "preceding", 0, INT64_MAX, &t->preceding, e));
  if (at[MEMORY_USED] &&
      (!hc_native_scalar(at[MEMORY_USED], &f) || !hc_field_size(&f, n->units.memory, &t->memory_used)))
    return hc_value_fail(at[MEMORY_USED], e, HC_EINPUT, "memory_used is a size, of each processor: 4GiB");
  TRY(read_flag(at[AT_START], HC_SPEC_AT_START, t, e));
  TRY(read_flag(at[NO_END], HC_SPEC_NO_END, t, e));
  TRY(read_flag(at[STARTED], HC_SPEC_STARTED, t, e));
  return read_flag(at[PREFILL], HC_SPEC_PREFILL, t, e);
}
