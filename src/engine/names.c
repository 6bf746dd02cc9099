/* names.c -- what tasks, their users, queues and so on are called, for the result.
 *
 * A name is written when the first task comes that has it, and a task's own name with the task, so that a
 * result can be read while it is made, holds no name of a task that was left out, and needs no memory but the
 * lexicon's, which is limited (`name_limit`): beyond it numbers stay numbers, and tasks without a name are
 * counted. Nothing of this reaches a policy. A run without a store keeps what policies ask for, no more.
 *
 * Cost: of a task whose source has names a look-up for each kind; of a task's own name a row. */
#include "engine/names.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/util.h"
#include "engine/observe.h"

#define OF_TASK HC_CALLED_COUNT /* in `left` */

void hc_names_open(hc_engine *e)
{
  e->names.are_kept = e->store != NULL;
  if (e->store) hc_lexicon_limit(e->lexicon, (size_t)e->options->name_limit);
  if (!e->store || e->options->task_rows == HC_ROWS_NONE) hc_lexicon_refuse_labels(e->lexicon);
}

static hc_rc name_task(hc_engine *e, uint64_t serial, const hc_task_spec *t, hc_error *error)
{
  const bool is_kept = e->options->task_rows == HC_ROWS_ALL || hc_observe_samples(e, (int64_t)serial);
  hc_rc rc = 0;
  if (is_kept && e->names.tasks >= (uint64_t)e->options->name_limit) {
    e->names.left[OF_TASK]++;
  } else if (is_kept) {
    e->names.tasks++;
    rc = hc_store_task_name(e->store, (int64_t)serial, hc_lexicon_label_text(e->lexicon, t->label, NULL),
                            hc_lexicon_label_text(e->lexicon, t->job_label, NULL), error);
  }
  hc_lexicon_drop(e->lexicon, t->label);
  hc_lexicon_drop(e->lexicon, t->job_label);
  return rc;
}

static hc_rc name_numbers(hc_engine *e, const hc_task_spec *t, hc_error *error)
{
  const int64_t numbers[HC_CALLED_COUNT] = {[HC_CALLED_USER] = t->user,
                                            [HC_CALLED_GROUP] = t->group,
                                            [HC_CALLED_EXECUTABLE] = t->executable,
                                            [HC_CALLED_QUEUE] = t->queue,
                                            [HC_CALLED_PARTITION] = t->partition,
                                            [HC_CALLED_ACCOUNT] = t->account,
                                            [HC_CALLED_QOS] = t->qos};
  const char *names[HC_CALLED_COUNT];
  uint32_t unknown, met = hc_lexicon_meet(e->lexicon, numbers, names, &unknown);
  for (; met != 0; met &= met - 1) {
    const int k = __builtin_ctz(met);
    TRY(hc_store_name(e->store, hc_called_word((hc_called)k), numbers[k], names[k], error));
  }
  for (; unknown != 0; unknown &= unknown - 1) e->names.left[__builtin_ctz(unknown)]++;
  return 0;
}

hc_rc hc_names_met(hc_engine *e, uint64_t serial, const hc_task_spec *t, hc_error *error)
{
  if ((t->label | t->job_label) != 0) TRY(name_task(e, serial, t, error));
  if ((t->account > 0 || t->qos > 0) && e->options->task_rows == HC_ROWS_ALL) {
    const int64_t row[] = {(int64_t)serial, t->account > 0 ? t->account : HC_UNKNOWN,
                           t->qos > 0 ? t->qos : HC_UNKNOWN};
    TRY(hc_store_numbers(e->store, "task_accounts", HC_ARRAY_LEN(row), row, error));
  }
  return name_numbers(e, t, error);
}

/* ---- at the end ---- */

static const char *word_of(int kind)
{
  return kind == OF_TASK ? "task" : hc_called_word((hc_called)kind);
}

hc_rc hc_names_store(hc_engine *e, hc_error *error)
{
  char key[48], count[24];
  for (int k = 0; k < HC_CALLED_COUNT; k++) {
    const char *row[] = {key, hc_lexicon_title_of(e->lexicon, (hc_called)k)};
    (void)snprintf(key, sizeof key, "%s_is_called", word_of(k));
    if (strcmp(row[1], word_of(k)) != 0) TRY(hc_store_row(e->store, "hindcast", 2, row, error));
  }
  for (int k = 0; k <= OF_TASK; k++) {
    const char *row[] = {key, count};
    if (e->names.left[k] == 0) continue;
    (void)snprintf(key, sizeof key, "unnamed_%s", word_of(k));
    (void)snprintf(count, sizeof count, "%" PRIu64, e->names.left[k]);
    TRY(hc_store_row(e->store, "hindcast", 2, row, error));
  }
  return 0;
}

hc_rc hc_names_note(const hc_engine *e, hc_buffer *out)
{
  for (int k = 0; k <= OF_TASK; k++) {
    if (e->names.left[k] == 0) continue;
    if (out->size > 0) hc_buffer_text(out, " ");
    const bool one = e->names.left[k] == 1;
    if (k == OF_TASK)
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
