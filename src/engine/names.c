/* names.c -- what the tasks of a run are called, for its result: setup/namer.h, with the rows that a run
 * keeps. A run without a store keeps what policies ask for, no more. */
#include "engine/names.h"

#include <string.h>

#include "engine/observe.h"
#include "engine/rows.h"
#include "engine/tasks.h"
#include "workload/names.h"

void hc_names_open(hc_engine *e)
{
  hc_namer_init(&e->names, e->allocator, e->store, e->lexicon, e->options->name_limit);
  if (e->store) hc_lexicon_limit(e->lexicon, (size_t)e->options->name_limit);
  if (!e->store || e->options->task_rows == HC_ROWS_NONE) hc_lexicon_refuse_labels(e->lexicon);
}

hc_rc hc_names_met(hc_engine *e, uint64_t serial, const hc_task_spec *t, hc_error *error)
{
  const bool has_row = e->options->task_rows == HC_ROWS_ALL || hc_observe_samples(e, (int64_t)serial);
  TRY(hc_namer_meet(&e->names, (int64_t)serial, t, has_row, error));
  hc_lexicon_drop(e->lexicon, t->label);
  hc_lexicon_drop(e->lexicon, t->job_label);
  return 0;
}

/* The number of a partition that is called so, and one of its own where no task is of it alone. */
static hc_rc number_of(hc_engine *e, const char *name, int64_t *out)
{
  const size_t n = strlen(name);
  if (hc_lexicon_number(e->lexicon, HC_CALLED_PARTITION, name, out)) return 0;
  *out = hc_name_hashed(name, n);
  return hc_lexicon_call(e->lexicon, HC_CALLED_PARTITION, *out, name, n);
}

hc_rc hc_names_started_in(hc_engine *e, hc_task id, uint32_t set, hc_error *error)
{
  const int64_t serial = (int64_t)hc_live_of(e, id)->serial, asked = hc_cold_of(e, id)->partition;
  const int64_t row[2] = {serial, asked};
  hc_task_spec t = hc_task_spec_none();
  if (asked < 0) return 0; /* it names sets alone */
  TRY(number_of(e, hc_lexicon_text(e->lexicon, set), &t.partition));
  if (t.partition == asked) return 0;
  TRY(hc_tasks_need_cold(e));
  e->tasks.cold[id].partition = t.partition;
  TRY(hc_namer_meet(&e->names, serial, &t, false, error));
  const char *called = hc_lexicon_called(e->lexicon, HC_CALLED_PARTITION, asked);
  if (!hc_keeps_rows(e) || !called || !strchr(called, ',')) return 0; /* one that was started before */
  return hc_store_numbers(e->store, "several_partitions", 2, row, error);
}

hc_rc hc_names_check(const hc_engine *e, hc_error *error)
{
  return e->options->strict ? hc_lexicon_refuse_unmet(e->lexicon, e->allocator, error) : 0;
}

hc_rc hc_names_note(const hc_engine *e, hc_buffer *out)
{
  hc_namer_note(&e->names, out);
  return 0;
}
