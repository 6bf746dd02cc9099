/* bind.c -- see bind.h.
 *
 * A set of hosts may say which partitions of the log it is (`of`): by the name that the source has for them,
 * or by their number. A task of one of them runs on hosts of that set and nowhere else; one whose source
 * names its set itself, as native tasks may, has that. What no set names is of the set of `*`; without one it
 * is an error, since a task that runs anywhere although its partition was left out of a list is a mistake
 * that no figure shows. A task without a partition is of
 * `*`, or may run anywhere.
 *
 * Cost: for a task of another partition than the one before it, a comparison with each partition that sets
 * name; else, if it has no rare facts, one look-up of the set's. Source: partitions of Slurm (PartitionName,
 * Nodes). */
#include "workload/bind.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "workload/ledger.h"

static bool names(const hc_host_set *set, const char *text)
{
  for (size_t i = 0; text && i < set->of_count; i++)
    if (strcmp(set->of[i], text) == 0) return true;
  return false;
}

static const hc_host_set *find(const hc_admission *o, const hc_lexicon *l, int64_t partition)
{
  const char *called = partition < 0 ? NULL : hc_lexicon_called(l, HC_CALLED_PARTITION, partition);
  const hc_host_set *rest = NULL;
  char number[32];
  (void)snprintf(number, sizeof number, "%" PRId64, partition);
  for (size_t i = 0; i < o->set_count; i++) {
    const hc_host_set *set = &o->sets[i];
    if (partition >= 0 && (names(set, called) || names(set, number))) return set;
    if (names(set, "*")) rest = set;
  }
  return rest;
}

static hc_rc look_up(const hc_admission *o, hc_lexicon *l, hc_bound *last, const char *name,
                     const hc_task_spec *t, hc_error *e)
{
  const hc_host_set *set = find(o, l, t->partition);
  if (!set && t->partition >= 0) {
    const char *called = hc_lexicon_called(l, HC_CALLED_PARTITION, t->partition);
    return hc_fail(e, HC_EINPUT, name, hc_line_number(t->line), 0,
                   "task %" PRId64 " is of partition %" PRId64
                   "%s%.80s%s, which is in `of` of no set: add it to "
                   "one, or \"*\" to the set of all the rest",
                   t->id, t->partition, called ? " (" : "", called ? called : "", called ? ")" : "");
  }
  *last = (hc_bound){t->partition, HC_NO_NAME, true};
  if (!set) return 0;
  last->set = hc_lexicon_name(l, set->name, strlen(set->name));
  return last->set == HC_NO_NAME ? HC_ENOMEM : 0;
}

hc_rc hc_bind_task(const hc_admission *o, hc_lexicon *l, hc_bound *last, const char *name, hc_task_spec *t,
                   hc_error *e)
{
  const hc_task_extras *had = t->more != 0 ? hc_lexicon_more(l, t->more) : NULL;
  if (had && had->set != HC_NO_NAME) return 0;
  if (!last->is_known || last->partition != t->partition) TRY(look_up(o, l, last, name, t, e));
  if (last->set == HC_NO_NAME) return 0;
  hc_task_extras m = had ? *had : hc_task_extras_none();
  m.set = last->set;
  const uint32_t handle = hc_lexicon_keep(l, &m);
  if (handle == 0) return HC_ENOMEM;
  if (t->more != 0) hc_lexicon_calls_of(l)->drop(l, t->more);
  t->more = handle;
  return 0;
}
