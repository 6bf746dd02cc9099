/* native_terms.c -- terms on which a task of the native format starts: a reservation, few switches, hosts
 * for itself or its user, tasks to start with, a limit that may be cut, and whether it may be run again. */
#include <string.h>

#include "base/util.h"
#include "workload/native.h"

/* switches: 1, or [1, 30min] */
static hc_rc read_switches(hc_native *n, const hc_value *v, hc_task_extras *m, hc_error *e)
{
  const bool two = v->kind == HC_VALUE_LIST && v->count == 2;
  int64_t most;
  if (v->kind == HC_VALUE_LIST && !two && v->count != 1)
    return hc_value_fail(v, e, HC_EINPUT, "switches is a number, or [number, how long to wait for it]");
  const hc_value *first = v->kind == HC_VALUE_LIST ? v->items[0] : v;
  TRY(hc_native_whole(first, "switches", 1, HC_NATIVE_TASKS, &most, e));
  if (two) TRY(hc_native_time(v->items[1], "how long to wait", n->units.time, &m->switch_wait, e));
  m->switches = (uint32_t)most;
  return 0;
}

/* exclusive: true, user, or never */
static hc_rc read_exclusive(const hc_value *v, hc_task_extras *m, hc_error *e)
{
  bool is_alone;
  hc_field f;
  if (!hc_native_scalar(v, &f))
    return hc_value_fail(v, e, HC_EINPUT, "exclusive is true, false, user or never");
  if (f.length == 4 && memcmp(f.text, "user", 4) == 0) m->exclusive = HC_EXCLUSIVE_USER;
  else if (f.length == 5 && memcmp(f.text, "never", 5) == 0) m->exclusive = HC_EXCLUSIVE_NEVER;
  else if (hc_parse_bool(f.text, f.length, &is_alone) < 0)
    return hc_value_fail(v, e, HC_EINPUT, "exclusive is true, false, user or never");
  else m->exclusive = is_alone ? HC_EXCLUSIVE_HOST : HC_EXCLUSIVE_NOT;
  return 0;
}

/* component: 0, of the tasks of its collection_id that start together */
static hc_rc read_component(const hc_value *v, const hc_task_spec *t, hc_task_extras *m, hc_error *e)
{
  int64_t number;
  if (t->job < 0)
    return hc_value_fail(
        v, e, HC_EINPUT,
        "component is a task's number among those of its job that start together: this one has no "
        "collection_id");
  TRY(hc_native_whole(v, "component", 0, HC_NATIVE_TASKS - 1, &number, e));
  m->component = (uint32_t)number + 1;
  return 0;
}

/* A name, or a list of names of which any will do: one text with commas between them. */
static hc_rc read_reservation(hc_native *n, const hc_value *v, hc_task_extras *m, hc_error *e)
{
  if (v->kind != HC_VALUE_LIST) return hc_native_lexicon_name(n, v, "reservation", &m->reservation, e);
  if (v->count == 0 || v->count > HC_TASK_RESERVATIONS)
    return hc_value_fail(v, e, HC_EINPUT, "reservation is a name, or a list of 1 to %d names",
                         HC_TASK_RESERVATIONS);
  n->scratch.size = 0;
  for (size_t i = 0; i < v->count; i++) {
    hc_field f;
    if (!hc_native_scalar(v->items[i], &f) || f.length == 0 || memchr(f.text, ',', f.length))
      return hc_value_fail(v->items[i], e, HC_EINPUT, "a reservation is a name without a comma");
    if (i > 0) hc_buffer_text(&n->scratch, ",");
    hc_buffer_add(&n->scratch, f.text, f.length);
  }
  if (n->scratch.failed) return HC_ENOMEM;
  m->reservation = hc_lexicon_name(n->context->lexicon, n->scratch.data, n->scratch.size);
  return m->reservation == HC_NO_NAME ? HC_ENOMEM : 0;
}

static hc_rc read_requeue(const hc_value *v, hc_task_extras *m, hc_error *e)
{
  bool again;
  hc_field f;
  if (!hc_native_scalar(v, &f) || hc_parse_bool(f.text, f.length, &again) < 0)
    return hc_value_fail(v, e, HC_EINPUT, "requeue is true or false: may the task be run again?");
  m->again = again ? HC_AGAIN_ALWAYS : HC_AGAIN_NEVER;
  return 0;
}

hc_rc hc_native_read_terms(hc_native *n, const hc_native_terms *at, const hc_task_spec *t, hc_task_extras *m,
                           hc_error *e)
{
  if (at->reservation) TRY(read_reservation(n, at->reservation, m, e));
  if (at->switches) TRY(read_switches(n, at->switches, m, e));
  if (at->exclusive) TRY(read_exclusive(at->exclusive, m, e));
  if (at->component) TRY(read_component(at->component, t, m, e));
  if (at->requeue) TRY(read_requeue(at->requeue, m, e));
  if (!at->least_limit) return 0;
  TRY(hc_native_time(at->least_limit, "least_limit", n->units.time, &m->least_limit, e));
  if (t->limit != HC_UNKNOWN && m->least_limit <= t->limit) return 0;
  return hc_value_fail(
      at->least_limit, e, HC_EINPUT,
      "least_limit is what wall_time_limit may be cut to: it is no more than that, which the "
      "task needs to have");
}
