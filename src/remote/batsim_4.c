/* batsim_4.c -- what schedulers of Batsim 4 are told and say: JSON of {"timestamp", "type", "data"}.
 *
 * Source: Batsim 4.2.1, its protocol. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "remote/batsim.h"

static void begin(hc_batsim_message *m, hc_time at, const char *type)
{
  hc_batsim_say_begin(m, at, "type", type, "data");
}

/* ---- the beginning ---- */

static void say_config(hc_batsim_message *m, const hc_batsim_options *o)
{
  const char *given = o->scheduler_config ? o->scheduler_config : "";
  hc_batsim_say_open(m, "config", '{');
  hc_batsim_say_bool(m, "redis-enabled", false);
  hc_batsim_say_raw(m, "redis-hostname", "\"127.0.0.1\"");
  hc_batsim_say_int(m, "redis-port", 6379);
  hc_batsim_say_raw(m, "redis-prefix", "\"default\"");
  hc_batsim_say_bool(m, "profiles-forwarded-on-submission", m->terms->profiles_with_jobs);
  hc_batsim_say_bool(m, "dynamic-jobs-enabled", m->terms->is_dynamic);
  hc_batsim_say_bool(m, "dynamic-jobs-acknowledged", m->terms->acknowledges);
  hc_batsim_say_bool(m, "profile-reuse-enabled", o->reuses_profiles);
  hc_batsim_say_text(m, "sched-config", given, strlen(given));
  hc_batsim_say_bool(m, "forward-unknown-events", o->forwards_unknown);
  hc_batsim_say_close(m, '}');
}

static void say_property(hc_batsim_message *m, const char *name, const char *value)
{
  hc_batsim_say_text(m, name, value, strlen(value));
}

static void say_machines(hc_batsim_message *m, const char *key, const hc_batsim_machines *machines,
                         uint32_t from, uint32_t to, const hc_policy_context *c)
{
  hc_batsim_say_open(m, key, '[');
  for (uint32_t i = from; i < to; i++) {
    const uint32_t host = machines->hosts[i];
    hc_batsim_say_open(m, NULL, '{');
    hc_batsim_say_int(m, "id", i);
    hc_batsim_say_text(m, "name", c->cell->host_names[host], strlen(c->cell->host_names[host]));
    hc_batsim_say_raw(m, "state", "\"idle\"");
    hc_batsim_say_open(m, "properties", '{');
    hc_batsim_each_property(m, &c->cell->classes[c->cell->class_of[host]], c->lexicon, say_property);
    hc_batsim_say_close(m, '}');
    hc_batsim_say_raw(m, "zone_properties", "{}");
    hc_batsim_say_close(m, '}');
  }
  hc_batsim_say_close(m, ']');
}

static void say_begins(hc_batsim_message *m, const hc_batsim_machines *machines, const hc_policy_context *c)
{
  const uint32_t all = machines->count + machines->storage_count;
  const hc_batsim_book *b = m->terms->book;
  const hc_batsim_options *o = m->terms->o;
  begin(m, 0, "SIMULATION_BEGINS");
  hc_batsim_say_int(m, "nb_resources", all);
  hc_batsim_say_int(m, "nb_compute_resources", machines->count);
  hc_batsim_say_int(m, "nb_storage_resources", machines->storage_count);
  hc_batsim_say_bool(m, "allow_compute_sharing", false);
  hc_batsim_say_bool(m, "allow_storage_sharing", true);
  say_config(m, o);
  say_machines(m, "compute_resources", machines, 0, machines->count, c);
  say_machines(m, "storage_resources", machines, machines->count, all, c);
  hc_batsim_say_open(m, "workloads", '{');
  hc_batsim_say_text(m, HC_BATSIM_WORKLOAD, o->workload, strlen(o->workload));
  hc_batsim_say_close(m, '}');
  hc_batsim_say_open(m, "profiles", '{');
  hc_batsim_say_open(m, HC_BATSIM_WORKLOAD, '{');
  for (size_t i = 0; i < b->profile_count; i++)
    if (b->profiles[i].json) hc_batsim_say_raw(m, b->profile_names.names[i], b->profiles[i].json);
  hc_batsim_say_close(m, '}');
  hc_batsim_say_close(m, '}');
  hc_batsim_say_end(m);
}

/* ---- events ---- */

static void say_submitted(hc_batsim_message *m, hc_time at, const hc_batsim_job *job)
{
  const hc_batsim_book *b = m->terms->book;
  begin(m, at, "JOB_SUBMITTED");
  hc_batsim_say_text(m, "job_id", job->id, strlen(job->id));
  hc_batsim_say_raw(m, "job", job->json);
  if (m->terms->profiles_with_jobs && job->profile < b->profile_count && b->profiles[job->profile].json)
    hc_batsim_say_raw(m, "profile", b->profiles[job->profile].json);
  hc_batsim_say_end(m);
}

static void say_ended(hc_batsim_message *m, hc_time at, const hc_batsim_job *job, hc_batsim_end how,
                      int64_t code)
{
  begin(m, at, "JOB_COMPLETED");
  hc_batsim_say_text(m, "job_id", job->id, strlen(job->id));
  hc_batsim_say_text(m, "job_state", hc_batsim_ends[how], strlen(hc_batsim_ends[how]));
  hc_batsim_say_int(m, "return_code", code);
  hc_batsim_say_text(m, "alloc", job->alloc, strlen(job->alloc));
  hc_batsim_say_end(m);
}

/* How far it was, where that is known. */
static void say_progress(hc_batsim_message *m, const hc_batsim_job *job)
{
  const hc_batsim_book *b = m->terms->book;
  const char *name = job->profile < b->profile_names.count ? b->profile_names.names[job->profile] : "";
  const hc_time progress = hc_batsim_progress(b, job);
  hc_batsim_say_open(m, job->id, '{');
  hc_batsim_say_text(m, "profile_name", name, strlen(name));
  if (progress >= 0) {
    hc_batsim_say_key(m, "progress");
    hc_batsim_put_time(&m->events, progress); /* six decimals */
  }
  hc_batsim_say_close(m, '}');
}

static void say_killed(hc_batsim_message *m, hc_time at, const hc_batsim_job *const *jobs, size_t count)
{
  begin(m, at, "JOB_KILLED");
  hc_batsim_say_open(m, "job_ids", '[');
  for (size_t i = 0; i < count; i++) hc_batsim_say_text(m, NULL, jobs[i]->id, strlen(jobs[i]->id));
  hc_batsim_say_close(m, ']');
  hc_batsim_say_open(m, "job_progress", '{');
  for (size_t i = 0; i < count; i++)
    if (jobs[i]->is_killed) say_progress(m, jobs[i]);
  hc_batsim_say_close(m, '}');
  hc_batsim_say_end(m);
}

static void say_called(hc_batsim_message *m, hc_time at, const char *id, bool is_last)
{
  HC_UNUSED(id);
  HC_UNUSED(is_last);
  begin(m, at, "REQUESTED_CALL");
  hc_batsim_say_end(m);
}

static void say_switched(hc_batsim_message *m, hc_time at, const hc_batsim_request *r)
{
  char state[24];
  (void)snprintf(state, sizeof state, "%" PRId64, r->state);
  begin(m, at, "RESOURCE_STATE_CHANGED");
  hc_batsim_say_text(m, "resources", r->machines, strlen(r->machines));
  hc_batsim_say_text(m, "state", state, strlen(state));
  hc_batsim_say_end(m);
}

static void say_energy(hc_batsim_message *m, hc_time at, double joules)
{
  begin(m, at, "ANSWER");
  hc_batsim_say_key(m, "consumed_energy");
  hc_buffer_printf(&m->events, "%.6f", joules);
  hc_batsim_say_end(m);
}

static void say_all_submitted(hc_batsim_message *m, hc_time at)
{
  begin(m, at, "NOTIFY");
  hc_batsim_say_raw(m, "type", "\"no_more_static_job_to_submit\"");
  hc_batsim_say_end(m);
}

static void say_occurs(hc_batsim_message *m, hc_time at, const hc_batsim_occurrence *x)
{
  if (x->kind == HC_OCCURS_GENERIC) {
    hc_batsim_say_event(m, at, "type", "NOTIFY", "data", x->text);
    return;
  }
  begin(m, at, "NOTIFY");
  hc_batsim_say_raw(m, "type",
                    x->kind == HC_OCCURS_AVAILABLE ? "\"event_machine_available\""
                                                   : "\"event_machine_unavailable\"");
  hc_batsim_say_text(m, "resources", x->text, strlen(x->text));
  hc_batsim_say_end(m);
}

static void say_all_occurred(hc_batsim_message *m, hc_time at)
{
  begin(m, at, "NOTIFY");
  hc_batsim_say_raw(m, "type", "\"no_more_external_event_to_occur\"");
  hc_batsim_say_end(m);
}

static void say_ends(hc_batsim_message *m, hc_time at)
{
  begin(m, at, "SIMULATION_ENDS");
  hc_batsim_say_end(m);
}

/* ---- what is heard ---- */

/* Members of an object whose values are numbers, or texts of numbers: how many have the value that is to be.
 * @return 0, HC_EPOLICY (it is no such object), HC_EUNSUPPORTED (one has another value) */
static hc_rc each_number(const hc_batsim_text *object,
                         bool (*is_fine)(int64_t key, int64_t value, int64_t arg), int64_t arg,
                         int64_t *count)
{
  hc_jsonline j;
  hc_jsonline_token key, value;
  int64_t n, k;
  *count = 0;
  if (object->kind != '{') return HC_EPOLICY;
  hc_jsonline_begin(&j, object->text, object->size);
  (void)hc_jsonline_next(&j);
  while ((key = hc_jsonline_next(&j)).kind == HC_JSONLINE_KEY) {
    value = hc_jsonline_next(&j);
    if ((value.kind != HC_JSONLINE_NUMBER && value.kind != HC_JSONLINE_TEXT) ||
        hc_parse_int(value.text, value.size, &n) < 0)
      return HC_EPOLICY;
    if (hc_parse_int(key.text, key.size, &k) < 0) k = -1;
    if (!is_fine(k, n, arg)) return HC_EUNSUPPORTED;
    (*count)++;
  }
  return key.kind == HC_JSONLINE_END ? 0 : HC_EPOLICY;
}

static bool is_as_it_is(int64_t executor, int64_t machine, int64_t arg)
{
  HC_UNUSED(arg);
  return executor == machine;
}

/* @param storage the number of the only storage host; -1: there is not just one */
static bool is_the_storage(int64_t label, int64_t machine, int64_t storage)
{
  HC_UNUSED(label);
  return storage >= 0 && machine == storage;
}

static const char *take_allocation(const hc_batsim_event *x, const hc_batsim_job *job,
                                   const hc_batsim_machines *m, hc_batsim_text *alloc, hc_rc *rc)
{
  int64_t count;
  *alloc = x->alloc;
  *rc = HC_EPOLICY;
  if (x->alloc.kind != '"') return "it has no text `alloc`";
  if (x->mapping.text && (*rc = each_number(&x->mapping, is_as_it_is, 0, &count)) < 0)
    return *rc == HC_EPOLICY ? "`mapping` is no object of numbers" : HC_BATSIM_MAPPED;
  *rc = HC_EPOLICY;
  if (x->mapping.text && count != job->res) return "`mapping` has another number of executors than the job";
  const int64_t storage = m->storage_count == 1 ? (int64_t)m->count : -1;
  if (x->storage_mapping.text &&
      (*rc = each_number(&x->storage_mapping, is_the_storage, storage, &count)) < 0)
    return *rc == HC_EPOLICY ? "`storage_mapping` is no object of numbers" : HC_BATSIM_STORAGE_MAPPED;
  *rc = HC_EUNSUPPORTED;
  if (x->overrides.kind == '{')
    return "`additional_io_job`: what a job reads and writes beside its profile is not modelled";
  *rc = 0;
  return NULL;
}

static const char *take_when(const hc_batsim_event *x, hc_batsim_when *out)
{
  *out = (hc_batsim_when){.at = 0};
  if (x->when.kind != '0' || hc_parse_seconds(x->when.text, x->when.size, &out->at) < 0 ||
      out->at == HC_NEVER)
    return "it has no `timestamp` in seconds";
  return NULL;
}

static const char *take_registered(const hc_batsim_event *x, hc_buffer *text, hc_batsim_registered *out)
{
  static const hc_batsim_member of_job[] = {{"id", offsetof(hc_batsim_registered, own_id)},
                                            {"res", offsetof(hc_batsim_registered, res)},
                                            {"walltime", offsetof(hc_batsim_registered, limit)},
                                            {"profile", offsetof(hc_batsim_registered, profile)}};
  HC_UNUSED(text);
  *out = (hc_batsim_registered){.workload = x->workload};
  if (x->type == HC_HEARD_REGISTER_PROFILE) {
    out->name = x->profile_name;
    out->object = x->profile;
    return NULL;
  }
  out->name = x->job_id;
  out->object = x->job;
  return hc_batsim_members(&x->job, of_job, HC_ARRAY_LEN(of_job), out) ? NULL : "it has no object `job`";
}

static const char *const types[HC_HEARD_TYPES] = {
    [HC_HEARD_EXECUTE_JOB] = "EXECUTE_JOB",
    [HC_HEARD_REJECT_JOB] = "REJECT_JOB",
    [HC_HEARD_KILL_JOB] = "KILL_JOB",
    [HC_HEARD_CALL_ME_LATER] = "CALL_ME_LATER",
    [HC_HEARD_SET_JOB_METADATA] = "SET_JOB_METADATA",
    [HC_HEARD_NOTIFY] = "NOTIFY",
    [HC_HEARD_SET_RESOURCE_STATE] = "SET_RESOURCE_STATE",
    [HC_HEARD_CHANGE_JOB_STATE] = "CHANGE_JOB_STATE",
    [HC_HEARD_REGISTER_JOB] = "REGISTER_JOB",
    [HC_HEARD_REGISTER_PROFILE] = "REGISTER_PROFILE",
    [HC_HEARD_TO_JOB_MSG] = "TO_JOB_MSG",
    [HC_HEARD_QUERY] = "QUERY",
    [HC_HEARD_ANSWER] = "ANSWER",
};

static const hc_batsim_member members[] = {
    HC_BATSIM_MEMBER("job_id", job_id),
    HC_BATSIM_MEMBER("alloc", alloc),
    HC_BATSIM_MEMBER("mapping", mapping),
    HC_BATSIM_MEMBER("storage_mapping", storage_mapping),
    HC_BATSIM_MEMBER("additional_io_job", overrides),
    HC_BATSIM_MEMBER("job_ids", job_ids),
    HC_BATSIM_MEMBER("timestamp", when),
    HC_BATSIM_MEMBER("metadata", metadata),
    HC_BATSIM_MEMBER("type", notice),
    HC_BATSIM_MEMBER("resources", machines),
    HC_BATSIM_MEMBER("state", state),
    HC_BATSIM_MEMBER("requests", queries),
    HC_BATSIM_MEMBER("job", job),
    HC_BATSIM_MEMBER("job_state", job_state),
    HC_BATSIM_MEMBER("workload_name", workload),
    HC_BATSIM_MEMBER("profile_name", profile_name),
    HC_BATSIM_MEMBER("profile", profile),
};

const hc_batsim_dialect hc_batsim_4 = {
    .name = "Batsim 4",
    .types = types,
    .type_key = "type",
    .data_key = "data",
    .incomplete = "has an event without a `type`, a `timestamp` in seconds, or an object `data`",
    .unknown = "has an event of a type that Batsim 4 does not have",
    .members = members,
    .member_count = HC_ARRAY_LEN(members),
    .begins = say_begins,
    .submitted = say_submitted,
    .ended = say_ended,
    .killed = say_killed,
    .called = say_called,
    .switched = say_switched,
    .energy = say_energy,
    .all_submitted = say_all_submitted,
    .occurs = say_occurs,
    .all_occurred = say_all_occurred,
    .ends = say_ends,
    .registered = take_registered,
    .allocation = take_allocation,
    .when = take_when,
};
