/* edc_hear.c -- what decision components of Batsim 5 say: JSON of FlatBuffers' tables, in which a value of a
 * union stands beside a member that names its type, and a value of an enumeration is its name or its number.
 *
 * A job runs on as many whole machines as it asks for, executor k on the k-th of them. Another placement of
 * executors is refused; SpreadOverHostsFirst is that one, and so is FillOneHostCoresFirst for a job of one
 * machine. Source: Batsim 5.0.0-rc2, its server; batprotocol, the definition of its messages. */
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "remote/edc.h"

static bool is_word(const hc_batsim_text *t, const char *word)
{
  return t->kind == '"' && t->size == strlen(word) && memcmp(t->text, word, t->size) == 0;
}

static bool is_true(const hc_batsim_text *t)
{
  return t->kind == 't' && t->size == 4 && memcmp(t->text, "true", 4) == 0;
}

static bool is_there(const hc_batsim_text *t)
{
  return t->text && !(t->kind == 't' && t->size == 4 && memcmp(t->text, "null", 4) == 0);
}

/* Which of the names a value of an enumeration, or a union's type, is; one that is not said is the first.
 * @param least the number of the first @return its index; -1: none of them */
static int choice(const hc_batsim_text *t, const char *const *names, int count, int64_t least)
{
  int64_t n;
  if (!is_there(t)) return 0;
  for (int i = 0; i < count; i++)
    if (is_word(t, names[i])) return i;
  if (t->kind != '0' || hc_parse_int(t->text, t->size, &n) < 0 || n < least || n - least >= count) return -1;
  return (int)(n - least);
}

/* A whole number from 0 on; one that is not said is 0. */
static bool whole(const hc_batsim_text *t, int64_t *out)
{
  *out = 0;
  return !is_there(t) || (t->kind == '0' && hc_parse_int(t->text, t->size, out) == 0 && *out >= 0);
}

/* ---- where a job is to run ---- */

typedef struct placed {
  hc_batsim_text hosts, type, how, strategy, mapping;
} placed;

/* Executor k on machine k. @return NULL, or what is wrong, with `rc` */
static const char *check_mapping(const hc_batsim_text *list, int64_t count, hc_rc *rc)
{
  hc_jsonline j;
  hc_jsonline_token t;
  int64_t k = 0, n;
  *rc = HC_EPOLICY;
  if (list->kind != '[') return "its executor_placement has no list `mapping`";
  hc_jsonline_begin(&j, list->text, list->size);
  (void)hc_jsonline_next(&j);
  for (; (t = hc_jsonline_next(&j)).kind == HC_JSONLINE_NUMBER; k++) {
    if (hc_parse_int(t.text, t.size, &n) == 0 && n == k) continue;
    *rc = HC_EUNSUPPORTED;
    return HC_BATSIM_MAPPED;
  }
  if (t.kind != HC_JSONLINE_END) return "`mapping` is no list of numbers";
  if (k != count) return "`mapping` has another number of executors than the job";
  *rc = 0;
  return NULL;
}

static const char *check_placement(const placed *p, const hc_batsim_job *job, hc_rc *rc)
{
  static const char *const types[] = {"PredefinedExecutorPlacementStrategyWrapper",
                                      "CustomExecutorToHostMapping"};
  static const char *const strategies[] = {"SpreadOverHostsFirst", "FillOneHostCoresFirst"};
  const int type = is_there(&p->type) ? choice(&p->type, types, 2, 1) : -1;
  *rc = HC_EPOLICY;
  if (type < 0) return "its allocation has no `executor_placement_type` that is known";
  if (type == 1) return check_mapping(&p->mapping, job->res, rc);
  const int strategy = choice(&p->strategy, strategies, 2, 0);
  if (strategy < 0) return "its executor_placement has a `strategy` that is not known";
  *rc = strategy == 1 && job->res > 1 ? HC_EUNSUPPORTED : 0;
  return *rc < 0 ? "FillOneHostCoresFirst puts several executors on a machine: " HC_BATSIM_MAPPED : NULL;
}

/* A storage host for each name: there is one, or the run's source says which. */
static const char *check_storage(const hc_batsim_text *list, const hc_batsim_machines *m, hc_rc *rc)
{
  static const hc_batsim_member members[] = {{"host_id", 0}};
  hc_jsonline j;
  *rc = HC_EPOLICY;
  if (list->kind != '[') return "`storage_placement` is no list";
  hc_jsonline_begin(&j, list->text, list->size);
  (void)hc_jsonline_next(&j);
  for (;;) {
    hc_batsim_text one, host = {0};
    int64_t n;
    hc_jsonline ahead = j;
    if (hc_jsonline_next(&ahead).kind == HC_JSONLINE_END) break;
    if (!hc_batsim_take(&j, &one) || !hc_batsim_members(&one, members, 1, &host) || !whole(&host, &n))
      return "`storage_placement` has an item without a number `host_id`";
    if (m->storage_count == 1 && n == m->count) continue;
    *rc = HC_EUNSUPPORTED;
    return HC_BATSIM_STORAGE_MAPPED;
  }
  *rc = 0;
  return NULL;
}

static const char *take_allocation(const hc_batsim_event *x, const hc_batsim_job *job,
                                   const hc_batsim_machines *m, hc_batsim_text *alloc, hc_rc *rc)
{
  static const hc_batsim_member members[] = {
      {"host_allocation", offsetof(placed, hosts)},
      {"executor_placement_type", offsetof(placed, type)},
      {"executor_placement", offsetof(placed, how)},
  };
  static const hc_batsim_member of_placement[] = {
      {"strategy", offsetof(placed, strategy)},
      {"mapping", offsetof(placed, mapping)},
  };
  placed p = {.hosts = {0}};
  const char *what;
  *rc = HC_EPOLICY;
  if (!hc_batsim_members(&x->alloc, members, HC_ARRAY_LEN(members), &p) || p.hosts.kind != '"')
    return "it has no `allocation` with a text `host_allocation`";
  if (is_there(&p.how) && !hc_batsim_members(&p.how, of_placement, HC_ARRAY_LEN(of_placement), &p))
    return "its `executor_placement` is no object";
  *alloc = p.hosts;
  if ((what = check_placement(&p, job, rc))) return what;
  if (is_there(&x->overrides) && !(x->overrides.kind == '[' && x->overrides.size == 2)) {
    *rc = HC_EUNSUPPORTED;
    return "`profile_allocation_override`: parts of a profile run where the whole does";
  }
  if (is_there(&x->storage_mapping) && (what = check_storage(&x->storage_mapping, m, rc))) return what;
  *rc = 0;
  return NULL;
}

/* ---- calls ---- */

typedef struct called {
  hc_batsim_text time, unit, period, offset, mode_type, mode, times;
} called;

static const char *take_when(const hc_batsim_event *x, hc_batsim_when *out)
{
  static const char *const types[] = {"OneShot", "Periodic"}, *const units[] = {"Second", "Millisecond"};
  static const char *const modes[] = {"Infinite", "FinitePeriodNumber"};
  static const hc_batsim_member members[] = {
      {"time", offsetof(called, time)},           {"time_unit", offsetof(called, unit)},
      {"period", offsetof(called, period)},       {"offset", offsetof(called, offset)},
      {"mode_type", offsetof(called, mode_type)}, {"mode", offsetof(called, mode)},
  };
  static const hc_batsim_member of_mode[] = {{"nb_periods", offsetof(called, times)}};
  called c = {.time = {0}};
  int64_t time, period, offset, times;
  *out = (hc_batsim_when){.at = 0};
  if (x->call_id.kind != '"') return "it has no text `call_me_later_id`";
  if (!is_there(&x->when_type) || !hc_batsim_members(&x->when, members, HC_ARRAY_LEN(members), &c) ||
      (is_there(&c.mode) && !hc_batsim_members(&c.mode, of_mode, 1, &c)))
    return "it has no `when` with a `when_type`";
  const int type = choice(&x->when_type, types, 2, 1), unit = choice(&c.unit, units, 2, 0);
  if (type < 0 || unit < 0)
    return "its `when_type` is neither OneShot nor Periodic, or its unit of time not known";
  const hc_time one = unit == 1 ? HC_MS : HC_SECOND;
  if (!whole(&c.time, &time) || !whole(&c.period, &period) || !whole(&c.offset, &offset) ||
      !whole(&c.times, &times))
    return "its times are not whole numbers from 0 on";
  if (time > HC_NEVER / one - 1) return "its `time` is later than there is any: 292 years";
  out->at = time * one;
  if (type == 0) return NULL;
  const int mode = is_there(&c.mode_type) ? choice(&c.mode_type, modes, 2, 1) : -1;
  if (mode < 0) return "its `mode_type` is neither Infinite nor FinitePeriodNumber";
  if (period < 1 || period > HC_NEVER / one / 4) return "its `period` is 0, or too long";
  if (offset != 0) return "its `offset` is not 0, which Batsim 5 has not either";
  if (mode == 1 && times < 1) return "its `nb_periods` is 0";
  out->period = period * one;
  out->times = mode == 1 ? (uint64_t)times : 0;
  return NULL;
}

/* ---- what is registered ---- */

/* Members of profiles, as workloads have them. */
static const struct {
  const char *theirs, *ours;
} members_of_profiles[] = {{"computation_vector", "cpu"},   {"communication_matrix", "com"},
                           {"computation_amount", "cpu"},   {"communication_amount", "com"},
                           {"repetition_count", "repeat"},  {"profile_ids", "seq"},
                           {"storage_name", "storage"},     {"bytes_to_transfer", "nb_bytes"},
                           {"emitter_storage_name", "from"}, {"receiver_storage_name", "to"}};

static void put_key(hc_buffer *out, const hc_jsonline_token *key)
{
  size_t k = 0;
  hc_buffer_text(out, ",\"");
  while (k < HC_ARRAY_LEN(members_of_profiles) &&
         (strlen(members_of_profiles[k].theirs) != key->size ||
          memcmp(members_of_profiles[k].theirs, key->text, key->size) != 0))
    k++;
  if (k < HC_ARRAY_LEN(members_of_profiles)) hc_buffer_text(out, members_of_profiles[k].ours);
  else hc_buffer_add(out, key->text, key->size);
  hc_buffer_text(out, "\":");
}

/* {"type": "DelayProfile", "delay": 10} @return false: it is no object */
static bool put_profile(hc_buffer *out, const hc_batsim_text *type, const hc_batsim_text *object)
{
  hc_jsonline j;
  hc_jsonline_token key;
  if (type->kind != '"' || object->kind != '{') return false;
  hc_buffer_text(out, "{\"type\":\"");
  hc_buffer_add(out, type->text, type->size);
  hc_buffer_text(out, "\"");
  hc_jsonline_begin(&j, object->text, object->size);
  (void)hc_jsonline_next(&j);
  while ((key = hc_jsonline_next(&j)).kind == HC_JSONLINE_KEY) {
    hc_batsim_text value;
    if (!hc_batsim_take(&j, &value)) return false;
    if (!is_there(&value)) continue;
    put_key(out, &key);
    if (value.kind == '"') hc_buffer_text(out, "\"");
    hc_buffer_add(out, value.text, value.size);
    if (value.kind == '"') hc_buffer_text(out, "\"");
  }
  hc_buffer_text(out, "}");
  return key.kind == HC_JSONLINE_END;
}

typedef struct profile_members {
  hc_batsim_text id, type, profile;
} profile_members;

static const char *take_profile(const hc_batsim_event *x, hc_buffer *text, hc_batsim_registered *out)
{
  static const hc_batsim_member of_profile[] = {{"id", offsetof(profile_members, id)},
                                                {"profile_type", offsetof(profile_members, type)},
                                                {"profile", offsetof(profile_members, profile)}};
  profile_members p = {.id = {0}};
  if (!hc_batsim_members(&x->profile, of_profile, HC_ARRAY_LEN(of_profile), &p))
    return "it has no object `profile`";
  const char *mark = p.id.kind == '"' ? memchr(p.id.text, '!', p.id.size) : NULL;
  if (!mark || mark == p.id.text) return "the `id` of its profile is no \"WORKLOAD!NAME\"";
  text->size = 0;
  if (!put_profile(text, &p.type, &p.profile)) return "its profile has no name of a type, or is no object";
  const size_t size = (size_t)(mark - p.id.text);
  out->workload = (hc_batsim_text){.text = p.id.text, .size = size, .kind = '"'};
  out->name = (hc_batsim_text){.text = mark + 1, .size = p.id.size - size - 1, .kind = '"'};
  out->object = (hc_batsim_text){.text = text->data, .size = text->size, .kind = '{'};
  return NULL;
}

static const char *take_registered(const hc_batsim_event *x, hc_buffer *text, hc_batsim_registered *out)
{
  static const hc_batsim_member of_job[] = {{"resource_request", offsetof(hc_batsim_registered, res)},
                                            {"walltime", offsetof(hc_batsim_registered, limit)},
                                            {"profile_id", offsetof(hc_batsim_registered, profile)}};
  *out = (hc_batsim_registered){.workload = {0}};
  if (x->type == HC_HEARD_REGISTER_PROFILE) return take_profile(x, text, out);
  out->name = x->job_id;
  out->object = x->job;
  return hc_batsim_members(&x->job, of_job, HC_ARRAY_LEN(of_job), out) ? NULL : "it has no object `job`";
}

/* ---- the greeting ---- */

void hc_edc_greeting(hc_buffer *out, const hc_edc *x)
{
  hc_buffer_text(out, "{\"edc_init\":");
  hc_json_string(out, x->init ? x->init : "", x->init_size);
  hc_buffer_text(out, "}");
}

typedef struct hello {
  hc_batsim_text version, features, constraints;
  hc_batsim_text registers, acknowledges, with_jobs, with_kills, at_first;
  hc_batsim_text shares, shares_storage;
} hello;

static hc_rc refused(hc_rc rc, const char *what, hc_error *e)
{
  return hc_fail(e, rc, "scheduler", 0, 0, "what it says first %s", what);
}

static hc_rc take_hello(hc_batsim_terms *t, const hc_batsim_text *data, hc_error *e)
{
  static const hc_batsim_member members[] = {
      {"batprotocol_version", offsetof(hello, version)},
      {"requested_simulation_features", offsetof(hello, features)},
      {"scheduling_constraints", offsetof(hello, constraints)},
  };
  static const hc_batsim_member of_features[] = {
      {"dynamic_registration", offsetof(hello, registers)},
      {"acknowledge_dynamic_jobs", offsetof(hello, acknowledges)},
      {"forward_profiles_on_job_submission", offsetof(hello, with_jobs)},
      {"forward_profiles_on_jobs_killed", offsetof(hello, with_kills)},
      {"forward_profiles_on_simulation_begins", offsetof(hello, at_first)},
  };
  static const hc_batsim_member of_constraints[] = {
      {"compute_sharing", offsetof(hello, shares)},
      {"storage_sharing", offsetof(hello, shares_storage)},
  };
  hello h = {.version = {0}};
  if (!hc_batsim_members(data, members, HC_ARRAY_LEN(members), &h) ||
      (is_there(&h.features) &&
       !hc_batsim_members(&h.features, of_features, HC_ARRAY_LEN(of_features), &h)) ||
      (is_there(&h.constraints) &&
       !hc_batsim_members(&h.constraints, of_constraints, HC_ARRAY_LEN(of_constraints), &h)))
    return refused(HC_EPOLICY, "has features or constraints that are no objects", e);
  t->is_early = h.version.kind == '"' && h.version.size >= 2 && memcmp(h.version.text, "0.", 2) == 0;
  t->profiles_with_jobs = is_true(&h.with_jobs);
  t->profiles_at_first = is_true(&h.at_first);
  t->is_dynamic = is_true(&h.registers);
  t->acknowledges = t->is_dynamic && is_true(&h.acknowledges);
  if (is_true(&h.with_kills))
    return refused(
        HC_EUNSUPPORTED,
        "asks for forward_profiles_on_jobs_killed: which profile a job has it is told with the job", e);
  if (is_true(&h.shares))
    return refused(HC_EUNSUPPORTED,
                   "asks for compute_sharing: a machine is given to one job at a time, whole", e);
  if (is_there(&h.shares_storage) && !is_true(&h.shares_storage))
    return refused(HC_EUNSUPPORTED, "forbids storage_sharing: storage hosts serve all jobs at once", e);
  if (t->is_early && t->profiles_with_jobs)
    return refused(
        HC_EUNSUPPORTED,
        "asks for forward_profiles_on_job_submission, for which its version of batprotocol, 0, has no "
        "member",
        e);
  return 0;
}

hc_rc hc_edc_greeted(hc_batsim_terms *t, hc_batsim_answer *scratch, const char *text, size_t size,
                     hc_error *e)
{
  TRY(hc_batsim_hear(scratch, &hc_batsim_5, text, size, 0, e));
  if (scratch->count != 1 || scratch->events[0].type != HC_HEARD_HELLO)
    return refused(HC_EPOLICY, "is not one EDCHelloEvent", e);
  return take_hello(t, &scratch->events[0].data, e);
}

/* ---- the version ---- */

static const char *const types[HC_HEARD_TYPES] = {
    [HC_HEARD_EXECUTE_JOB] = "ExecuteJobEvent",
    [HC_HEARD_REJECT_JOB] = "RejectJobEvent",
    [HC_HEARD_KILL_JOB] = "KillJobsEvent",
    [HC_HEARD_CALL_ME_LATER] = "CallMeLaterEvent",
    [HC_HEARD_STOP_CALL] = "StopCallMeLaterEvent",
    [HC_HEARD_FINISH_REGISTRATION] = "FinishRegistrationEvent",
    [HC_HEARD_HELLO] = "EDCHelloEvent",
    [HC_HEARD_CHANGE_PSTATE] = "ChangeHostsPStateEvent",
    [HC_HEARD_TURN_ON_OFF] = "TurnOnOffHostsEvent",
    [HC_HEARD_REGISTER_JOB] = "RegisterJobEvent",
    [HC_HEARD_REGISTER_PROFILE] = "RegisterProfileEvent",
    [HC_HEARD_FORCE_STOP] = "ForceSimulationStopEvent",
    [HC_HEARD_CREATE_PROBE] = "CreateProbeEvent",
    [HC_HEARD_STOP_PROBE] = "StopProbeEvent",
    [HC_HEARD_TRIGGER_PROBE] = "TriggerProbeEvent",
    [HC_HEARD_RESET_PROBE] = "ResetProbeEvent",
};

static const hc_batsim_member members[] = {
    HC_BATSIM_MEMBER("job_id", job_id),
    HC_BATSIM_MEMBER("allocation", alloc),
    HC_BATSIM_MEMBER("profile_allocation_override", overrides),
    HC_BATSIM_MEMBER("storage_placement", storage_mapping),
    HC_BATSIM_MEMBER("job_ids", job_ids),
    HC_BATSIM_MEMBER("call_me_later_id", call_id),
    HC_BATSIM_MEMBER("when_type", when_type),
    HC_BATSIM_MEMBER("when", when),
    HC_BATSIM_MEMBER("host_ids", machines),
    HC_BATSIM_MEMBER("job", job),
    HC_BATSIM_MEMBER("profile", profile),
    HC_BATSIM_MEMBER("pstate", state),
    HC_BATSIM_MEMBER("state", state),
};

const hc_batsim_dialect hc_batsim_5 = {
    .name = "Batsim 5",
    .types = types,
    .type_key = "event_type",
    .data_key = "event",
    .incomplete = "has an event without an `event_type`, a `timestamp` in seconds, or an object `event`",
    .unknown = "has an event of a type that components of Batsim 5 do not send",
    .members = members,
    .member_count = HC_ARRAY_LEN(members),
    .begins = hc_edc_say_begins,
    .submitted = hc_edc_say_submitted,
    .ended = hc_edc_say_ended,
    .killed = hc_edc_say_killed,
    .called = hc_edc_say_called,
    .switched = hc_edc_say_switched,
    .all_submitted = hc_edc_say_all_submitted,
    .occurs = hc_edc_say_occurs,
    .all_occurred = hc_edc_say_all_occurred,
    .ends = hc_edc_say_ends,
    .registered = take_registered,
    .allocation = take_allocation,
    .when = take_when,
};
