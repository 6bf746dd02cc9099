/* names.c -- what the tasks of a run are called, for its result: setup/namer.h, with the rows that a run
 * keeps. A run without a store keeps what policies ask for, no more. */
#include "engine/names.h"

#include <inttypes.h>

#include "engine/observe.h"

void hc_names_open(hc_engine *e)
{
  e->names = (hc_namer){.store = e->store, .lexicon = e->lexicon, .limit = e->options->name_limit};
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

hc_rc hc_names_note(const hc_engine *e, hc_buffer *out)
{
  for (int k = 0; k <= HC_NAMES_OF_TASKS; k++) {
    if (e->names.left[k] == 0) continue;
    if (out->size > 0) hc_buffer_text(out, " ");
    const bool one = e->names.left[k] == 1;
    if (k == HC_NAMES_OF_TASKS)
      hc_buffer_printf(out, "%" PRIu64 " %s a number in place of %s name", e->names.left[k],
                       one ? "task has" : "tasks have", one ? "its" : "their");
    else
      hc_buffer_printf(out, "%" PRIu64 " %s a %s whose name was not kept", e->names.left[k],
                       one ? "task has" : "tasks have", hc_lexicon_title_of(e->lexicon, (hc_called)k));
    hc_buffer_printf(out,
                     ": there are more than %" PRId64
                     ", and what is configured by such a name does not hold for them; name_limit raises it.",
                     e->options->name_limit);
  }
  return 0;
}
