/* notes.c -- what policies and the architecture say of a run at its end, in a sentence or two: stored, and
 * shown with the result. What has nothing to say leaves no row. */
#include <inttypes.h>

#include "base/util.h"
#include "engine/advance.h"
#include "engine/names.h"
#include "engine/observe.h"
#include "engine/points.h"
#include "engine/predict.h"
#include "engine/queues.h"
#include "engine/resizing.h"
#include "engine/state.h"

static hc_rc ask_policies(const hc_engine *e, hc_buffer *out)
{
  for (uint32_t i = 0; i < e->queue_count; i++) {
    const hc_wait_queue *q = &e->queues[i];
    if (q->hearing && q->hearing->note) TRY(q->hearing->note(q->hearer, out));
  }
  return 0;
}

static hc_rc ask_architecture(const hc_engine *e, hc_buffer *out)
{
  const hc_architecture_type *t = e->architecture_type;
  return t->note ? t->note(e->architecture, out) : 0;
}

static hc_rc store(hc_engine *e, const char *key, hc_rc (*ask)(const hc_engine *, hc_buffer *),
                   hc_error *error)
{
  hc_buffer text;
  hc_rc rc;
  hc_buffer_init(&text, e->allocator);
  rc = ask(e, &text);
  if (rc >= 0 && text.failed) rc = HC_ENOMEM;
  if (rc >= 0 && text.size > 0)
    rc = hc_store_row(e->store, "hindcast", 2, (const char *[]){key, text.data}, error);
  hc_buffer_fini(&text);
  return rc;
}

/* Only a policy that names hosts itself can keep to it. */
static hc_rc ask_host_counts(const hc_engine *e, hc_buffer *out)
{
  if (e->policy_flags & HC_KEEPS_HOST_COUNTS) return 0;
  if (e->counters.at_once > 0)
    hc_buffer_printf(out,
                     "%" PRIu64
                     " tasks say how many of their job may run at once (at_once), and any number does: "
                     "of the policies slurm keeps to it%s",
                     e->counters.at_once, e->counters.host_counts > 0 ? "; " : "");
  if (e->counters.host_counts == 0) return 0;
  hc_buffer_printf(out,
                   "%" PRIu64
                   " tasks say on how many hosts they may lie (host_count), and lie on any number: "
                   "of the policies slurm keeps to it",
                   e->counters.host_counts);
  return 0;
}

static hc_rc ask_terms(const hc_engine *e, hc_buffer *out)
{
  const uint64_t terms = e->policy_flags & HC_KEEPS_TERMS ? 0 : e->counters.terms,
                 sets = e->policy_flags & HC_KEEPS_TERMS ? 0 : e->counters.several_sets;
  if (terms > 0)
    hc_buffer_printf(
        out,
        "%" PRIu64
        " tasks name a reservation, a least limit, a bound on switches, hosts for themselves or their user "
        "alone, or tasks to start together with, which play no part: of the policies slurm looks at them",
        terms);
  if (sets > 0)
    hc_buffer_printf(
        out,
        "%s%" PRIu64
        " tasks are of several partitions, and run on hosts of any of them: of the policies slurm "
        "tries one after the other",
        terms > 0 ? "; " : "", sets);
  if (e->counters.made_again > 0)
    hc_buffer_printf(out,
                     "%s%" PRIu64
                     " attempts were stopped and made again, of tasks that say that they are not to be "
                     "(requeue: false): of the policies slurm looks at that, and the loss of a host does",
                     terms + sets > 0 ? "; " : "", e->counters.made_again);
  return 0;
}

static hc_rc ask_prefill(const hc_engine *e, hc_buffer *out)
{
  if (e->counters.prefilled > 0)
    hc_buffer_printf(
        out,
        "%" PRIu64
        " %s ran before the run begins, and queued like others: of the architectures monolithic and "
        "those with schedulers of their own give such tasks their place at once",
        e->counters.prefilled, e->counters.prefilled == 1 ? "task" : "tasks");
  return 0;
}

hc_rc hc_notes_store(hc_engine *e, hc_error *error)
{
  TRY(store(e, "policy_note", ask_policies, error));
  TRY(store(e, "reservation_note", hc_advance_note, error));
  TRY(store(e, "predictor_note", hc_predict_note, error));
  TRY(store(e, "names_note", hc_names_note, error));
  TRY(store(e, "hosts_note", ask_host_counts, error));
  TRY(store(e, "terms_note", ask_terms, error));
  TRY(store(e, "prefill_note", ask_prefill, error));
  TRY(store(e, "points_note", hc_points_note, error));
  TRY(store(e, "resize_note", hc_resize_note, error));
  return store(e, "architecture_note", ask_architecture, error);
}
