/* native_jobs.c -- the jobs of the native format (DSLab-CS calls them collections), and the names that become
 * numbers.
 *
 * A job gives its tasks what they do not say themselves: user, group, queue, priority, and when they arrive;
 * and it makes them wait for other jobs. All jobs are held, 88 bytes each, since any task may name any of
 * them. */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "workload/native.h"
#include "workload/spec.h"

enum { ID, SUBMIT, USER, GROUP, QUEUE, PRIORITY, AFTER, NAME, KEYS };

static const hc_native_key keys[] = {{"id", ID},           {"collection_id", ID},
                                     {"time", SUBMIT},     {"submit_time", SUBMIT},
                                     {"user", USER},       {"group", GROUP},
                                     {"queue", QUEUE},     {"priority", PRIORITY},
                                     {"after_job", AFTER}, {"start_after_collection_ids", AFTER},
                                     {"name", NAME},       {NULL, 0}};

void hc_native_init(hc_native *n, const hc_source_context *c)
{
  memset(n, 0, sizeof *n);
  n->context = c;
  hc_native_profiles_init(&n->profiles, c->allocator, &n->units);
  hc_native_scripts_init(&n->scripts, c->allocator, c->profiles);
  for (int i = 0; i < HC_NATIVE_LISTS; i++) hc_interned_init(&n->lists[i], c->allocator, false);
  n->lists[HC_NATIVE_USERS].lexicon = n->lists[HC_NATIVE_QUEUES].lexicon = c->lexicon;
  n->lists[HC_NATIVE_QUEUES].what = HC_CALLED_QUEUE;
  n->lists[HC_NATIVE_GROUPS].lexicon = c->lexicon;
  n->lists[HC_NATIVE_GROUPS].what = HC_CALLED_GROUP;
  n->lists[HC_NATIVE_PARTITIONS].lexicon = c->lexicon;
  n->lists[HC_NATIVE_PARTITIONS].what = HC_CALLED_PARTITION;
  n->lists[HC_NATIVE_ACCOUNTS].lexicon = n->lists[HC_NATIVE_QOSES].lexicon = c->lexicon;
  n->lists[HC_NATIVE_ACCOUNTS].what = HC_CALLED_ACCOUNT;
  n->lists[HC_NATIVE_QOSES].what = HC_CALLED_QOS;
  for (int i = 0; i < HC_NATIVE_LISTS; i++) n->lists[i].ledger = c->ledger;
  hc_buffer_init(&n->scratch, c->allocator);
  hc_map_init(&n->by_id, c->allocator);
}

void hc_native_fini(hc_native *n)
{
  const hc_allocator *a = n->context->allocator;
  hc_native_profiles_fini(&n->profiles);
  hc_native_scripts_fini(&n->scripts);
  for (int i = 0; i < HC_NATIVE_LISTS; i++) hc_interned_fini(&n->lists[i]);
  hc_buffer_fini(&n->scratch);
  hc_map_fini(&n->by_id);
  hc_free(a, n->jobs, n->job_cap * sizeof *n->jobs);
  hc_free(a, n->after, n->after_cap * sizeof *n->after);
  hc_free(a, n->afters, n->afters_cap * sizeof *n->afters);
  hc_free(a, n->constraints, n->constraints_cap * sizeof *n->constraints);
  hc_free(a, n->hosts, n->hosts_cap * sizeof *n->hosts);
  hc_free(a, n->sets, n->sets_cap * sizeof *n->sets);
  hc_free(a, n->prefers, n->prefers_cap * sizeof *n->prefers);
  hc_free(a, n->chunks, n->chunks_cap * sizeof *n->chunks);
  hc_free(a, n->uses, n->uses_cap * sizeof *n->uses);
  hc_free(a, n->executors, n->executors_cap * sizeof *n->executors);
  hc_free(a, n->resizes, n->resizes_cap * sizeof *n->resizes);
  hc_free(a, n->sizes, n->sizes_cap * sizeof *n->sizes);
  hc_free(a, n->items, n->items_cap * sizeof *n->items);
}

/* Profiles and jobs are what the files say. */
hc_rc hc_native_visit(hc_native *n, hc_visitor *v)
{
  for (int i = 0; i < HC_NATIVE_LISTS; i++) TRY(hc_interned_visit(&n->lists[i], v));
  HC_VISIT(v, n->programs);
  HC_VISIT(v, n->partitions);
  return 0;
}

hc_rc hc_native_number(hc_native *n, hc_native_list which, const hc_value *v, const char *what, int64_t *out,
                       hc_error *e)
{
  hc_field f;
  if (!hc_native_scalar(v, &f) || f.length == 0)
    return hc_value_fail(v, e, HC_EINPUT, "%s is a name or a number", what);
  const hc_rc rc = hc_interned_number(&n->lists[which], &f, &n->scratch, out);
  return rc < 0 ? rc : 0;
}

/* Several names are called as Slurm writes them: "a,b". */
static bool join(const hc_value *v, char *text, size_t size, hc_field *out)
{
  size_t n = 0;
  hc_field f;
  for (size_t i = 0; v->kind == HC_VALUE_LIST && i < v->count; i++) {
    if (!hc_native_scalar(v->items[i], &f) || n + f.length + 2 > size) return false;
    if (i > 0) text[n++] = ',';
    memcpy(text + n, f.text, f.length);
    n += f.length;
  }
  text[n] = '\0';
  *out = (hc_field){.text = text, .length = n};
  return n > 0;
}

hc_rc hc_native_called(hc_native *n, hc_native_list which, const hc_value *v, const char *what, int64_t *out,
                       hc_error *e)
{
  hc_lexicon *l = n->lists[which].lexicon;
  const hc_called kind = n->lists[which].what;
  hc_value number = {.kind = HC_VALUE_SCALAR, .line = v->line, .column = v->column};
  hc_field f;
  if (v->kind != HC_VALUE_MAP) return hc_native_number(n, which, v, what, out, e);
  if (v->count == 1) number.text = v->items[0]->key;
  if (v->count == 1) f = (hc_field){.text = number.text, .length = strlen(number.text)};
  char joined[1024];
  if (v->count != 1 || !hc_field_whole(&f, out) ||
      (v->items[0]->kind != HC_VALUE_NULL && !hc_native_scalar(v->items[0], &f) &&
       !(which == HC_NATIVE_PARTITIONS && join(v->items[0], joined, sizeof joined, &f))))
    return hc_value_fail(v, e, HC_EINPUT, "%s with a number and a name is {3: ann}", what);
  TRY(hc_native_number(n, which, &number, what, out, e));
  if (!l || v->items[0]->kind == HC_VALUE_NULL || hc_lexicon_called(l, kind, *out)) return 0;
  return hc_lexicon_call(l, kind, *out, f.text, f.length);
}

const hc_native_job *hc_native_job_of(const hc_native *n, int64_t id)
{
  const uint32_t i = hc_map_get(&n->by_id, (uint64_t)id);
  return i == HC_MAP_NONE ? NULL : &n->jobs[i];
}

/* ---- the file ---- */

static hc_rc add_after(hc_native *n, const hc_value *v, hc_error *e)
{
  int64_t id;
  TRY(hc_native_name(v, "a job that it waits for", &id, e));
  TRY(hc_reserve(n->context->allocator, (void **)&n->after, &n->after_cap, n->after_count + 1,
                 sizeof *n->after));
  n->after[n->after_count++] = id;
  return 0;
}

static hc_rc read_after(hc_native *n, const hc_value *v, hc_native_job *j, hc_error *e)
{
  j->first_after = n->after_count;
  if (v->kind != HC_VALUE_LIST) TRY(add_after(n, v, e));
  for (size_t i = 0; v->kind == HC_VALUE_LIST && i < v->count; i++) TRY(add_after(n, v->items[i], e));
  j->after_count = n->after_count - j->first_after;
  for (size_t i = 0; i < j->after_count; i++)
    if (n->after[j->first_after + i] == j->id)
      return hc_value_fail(v, e, HC_EINPUT, "this job waits for itself");
  if (n->refers != HC_REFERS_ANY)
    return hc_value_fail(v, e, HC_EINPUT,
                         "this job waits for others, which `refers` rules out: set it to any");
  return 0;
}

static hc_rc pass_over(void *ctx, const hc_value *v, hc_error *e)
{
  HC_UNUSED(ctx);
  HC_UNUSED(v);
  HC_UNUSED(e);
  return 0;
}

static hc_rc read_job(hc_native *n, const hc_value *v, hc_error *e)
{
  const hc_value *at[KEYS];
  hc_native_job j = {.id = -1, .user = -1, .group = -1, .queue = -1, .submit = HC_UNKNOWN};
  bool unknown = false;
  if (v->kind != HC_VALUE_MAP) return hc_value_fail(v, e, HC_EINPUT, "a job is a map: {id: 1, user: alice}");
  TRY(hc_native_members(v, keys, at, KEYS, n->ignore_unknown ? pass_over : NULL, NULL, &unknown, e));
  if (!at[ID]) return hc_value_fail(v, e, HC_EINPUT, "this job has no `id`, by which tasks name it");
  TRY(hc_native_name(at[ID], "the id of a job", &j.id, e));
  if (hc_native_job_of(n, j.id))
    return hc_value_fail(at[ID], e, HC_EINPUT, "a job with this id stands above; rename one");
  if (at[SUBMIT]) TRY(hc_native_time(at[SUBMIT], "the time of a job", n->units.time, &j.submit, e));
  if (at[USER]) TRY(hc_native_called(n, HC_NATIVE_USERS, at[USER], "user", &j.user, e));
  if (at[GROUP]) TRY(hc_native_called(n, HC_NATIVE_GROUPS, at[GROUP], "group", &j.group, e));
  if (at[QUEUE]) TRY(hc_native_called(n, HC_NATIVE_QUEUES, at[QUEUE], "queue", &j.queue, e));
  j.has_priority = at[PRIORITY] != NULL;
  if (at[PRIORITY])
    TRY(hc_native_whole(at[PRIORITY], "priority", -HC_NATIVE_PRIORITY, HC_NATIVE_PRIORITY, &j.priority, e));
  if (at[AFTER]) TRY(read_after(n, at[AFTER], &j, e));
  TRY(hc_reserve(n->context->allocator, (void **)&n->jobs, &n->job_cap, n->job_count + 1, sizeof *n->jobs));
  TRY(hc_map_set(&n->by_id, (uint64_t)j.id, (uint32_t)n->job_count));
  n->jobs[n->job_count++] = j;
  return 0;
}

static hc_rc read_jobs(hc_native *n, hc_items *l, hc_error *e)
{
  hc_rc rc;
  while ((rc = hc_items_next(l, e)) == 1) {
    hc_error mine = {0};
    hc_value *v;
    TRY(hc_items_parse(l, &v, e));
    if (n->job_count == (size_t)HC_NATIVE_TASKS)
      return hc_fail(e, HC_ELIMIT, l->name, (uint32_t)l->line, 0,
                     "more than 16,777,216 jobs, which are held in memory: split the workload");
    rc = read_job(n, v, &mine);
    if (rc == 0) continue;
    hc_items_place(l, &mine.line, &mine.column);
    if (e && e->rc == 0) *e = mine;
    return rc;
  }
  return rc;
}

hc_rc hc_native_jobs_read(hc_native *n, const char *path, hc_error *e)
{
  hc_items l;
  hc_rc rc = hc_items_open(&l, n->context->allocator, path, e);
  if (rc == 0) rc = read_jobs(n, &l, e);
  hc_items_close(&l);
  return rc;
}
