/* bind.c -- see bind.h.
 *
 * A set of hosts may say which partitions of the log it is (`of`): by the name that the source has for them,
 * or by their number. A task of one of them runs on hosts of that set and nowhere else; one whose source
 * names its set itself, as native tasks may, has that. What no set names is of the set of `*`; without one it
 * is an error, since a task that runs anywhere although its partition was left out of a list is a mistake
 * that no figure shows. A task without a partition is of
 * `*`, or may run anywhere. One of several partitions ("a,b", sbatch -p a,b) may run on hosts of the set of
 * each of them.
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

/* Several partitions of one task, as Slurm writes them: "a,b". Each is sought by itself.
 * @return 1 with `sets`; 0: it is no such list, or one of them is of no set; HC_ELIMIT: more than
 * HC_TASK_SETS; HC_ENOMEM */
static hc_rc find_all(const hc_admission *o, hc_lexicon *l, const char *called, hc_bound *out)
{
  const hc_host_set *rest = find(o, l, -1);
  char one[256];
  out->set_count = 0;
  if (!called || !strchr(called, ',')) return 0;
  for (const char *at = called; *at;) {
    const size_t n = strcspn(at, ",");
    const hc_host_set *set = rest;
    if (n == 0 || n >= sizeof one) return 0;
    memcpy(one, at, n);
    one[n] = '\0';
    for (size_t i = 0; i < o->set_count; i++)
      if (names(&o->sets[i], one)) set = &o->sets[i];
    if (!set) return 0;
    const uint32_t id = hc_lexicon_name(l, set->name, strlen(set->name));
    bool is_there = false;
    if (id == HC_NO_NAME) return HC_ENOMEM;
    for (size_t i = 0; i < out->set_count; i++) is_there |= out->sets[i] == id;
    if (!is_there && out->set_count == HC_TASK_SETS) return HC_ELIMIT;
    if (!is_there) out->sets[out->set_count++] = id;
    at += n + (at[n] == ',');
  }
  out->set = out->sets[0];
  return out->set_count > 0;
}

static hc_rc look_up(const hc_admission *o, hc_lexicon *l, hc_bound *last, const char *name,
                     const hc_task_spec *t, hc_error *e)
{
  const char *called = t->partition < 0 ? NULL : hc_lexicon_called(l, HC_CALLED_PARTITION, t->partition);
  const hc_host_set *set = find(o, l, t->partition);
  *last = (hc_bound){.partition = t->partition, .set = HC_NO_NAME, .is_known = true};
  if (!set || names(set, "*")) {
    const hc_rc several = find_all(o, l, called, last);
    if (several == HC_ELIMIT)
      return hc_fail(e, HC_EINPUT, name, hc_line_number(t->line), 0,
                     "task %" PRId64 " is of more than %d partitions: name fewer", t->id, HC_TASK_SETS);
    if (several != 0) return HC_MIN(several, 0);
    last->set = HC_NO_NAME;
  }
  if (!set && t->partition >= 0) {
    return hc_fail(e, HC_EINPUT, name, hc_line_number(t->line), 0,
                   "task %" PRId64 " is of partition %" PRId64
                   "%s%.80s%s, which is in `of` of no set: add it to "
                   "one, or \"*\" to the set of all the rest",
                   t->id, t->partition, called ? " (" : "", called ? called : "", called ? ")" : "");
  }
  if (!set) return 0;
  last->set_count = 0;
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
  if (last->set_count > 1) {
    m.sets = last->sets + 1;
    m.set_count = last->set_count - 1;
  }
  const uint32_t handle = hc_lexicon_keep(l, &m);
  if (handle == 0) return HC_ENOMEM;
  if (t->more != 0) hc_lexicon_calls_of(l)->drop(l, t->more);
  t->more = handle;
  return 0;
}
