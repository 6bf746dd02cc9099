/* names.c -- what the tasks of a run are called, for its result: setup/namer.h, with the rows that a run
 * keeps. A run without a store keeps what policies ask for, no more. */
#include "engine/names.h"

#include "engine/observe.h"

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

hc_rc hc_names_check(const hc_engine *e, hc_error *error)
{
  return e->options->strict ? hc_lexicon_refuse_unmet(e->lexicon, e->allocator, error) : 0;
}

hc_rc hc_names_note(const hc_engine *e, hc_buffer *out)
{
  hc_namer_note(&e->names, out);
  return 0;
}
