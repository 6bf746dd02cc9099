/* edc_say.c -- what decision components of Batsim 5 are told: JSON of FlatBuffers' tables.
 *
 * A component reads it by the definition of messages that it was built with: such a reader takes no member
 * that it does not know, and misses those that must be there. So what batprotocol 0 and 1 have otherwise goes
 * by the version that the component has named: `rigid`, and a walltime of -1 for a job without one, are of 0;
 * null for it, and the version of the simulator, of 1. Enumerations are told by name, times with six
 * decimals. A return code is unsigned there: -1 is 4294967295.
 *
 * Profiles go as tables of their types, whichever names the workload's file has for them; one of a type that
 * Batsim 5 does not have (send, recv) is left out. Source: Batsim 5.0.0-rc2, its server; batprotocol, the
 * definition of its messages. */
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "remote/edc.h"

static void begin(hc_batsim_message *m, hc_time at, const char *type)
{
  hc_batsim_say_begin(m, at, "event_type", type, "event");
}

static void say_word(hc_batsim_message *m, const char *key, const char *word)
{
  hc_batsim_say_text(m, key, word, strlen(word));
}

static void say_time(hc_batsim_message *m, const char *key, hc_time t)
{
  hc_batsim_say_key(m, key);
  hc_batsim_put_time(&m->events, t);
}

/* "w0!NAME" @param is_json the name is JSON already, without its quotes */
static void say_full_name(hc_batsim_message *m, const char *key, const char *name, size_t size, bool is_json)
{
  /* one that was registered has its workload's name */
  const bool is_full = m->terms->is_dynamic && memchr(name, '!', size);
  const char *before = is_full ? "\"" : "\"" HC_BATSIM_WORKLOAD "!";
  hc_buffer *b = &m->events;
  hc_batsim_say_key(m, key);
  hc_buffer_text(b, before);
  const size_t at = b->size;
  if (is_json) {
    hc_buffer_add(b, name, size);
    hc_buffer_text(b, "\"");
    return;
  }
  hc_json_string(b, name, size);
  if (b->failed) return;
  memmove(b->data + at, b->data + at + 1, b->size - at - 1); /* its own first quote */
  b->size--;
}

static void say_value(hc_batsim_message *m, const char *key, const hc_batsim_text *value)
{
  const char quote = value->kind == '"' ? '"' : '\0';
  hc_batsim_say_key(m, key);
  if (quote) hc_buffer_add(&m->events, &quote, 1);
  hc_buffer_add(&m->events, value->text, value->size);
  if (quote) hc_buffer_add(&m->events, &quote, 1);
}

/* ---- profiles ---- */

typedef struct parts {
  hc_batsim_text type, delay, cpu, com, seq, repeat, storage, host, to_read, to_write, bytes, from, to, trace;
  hc_batsim_text strategy, trace_type;
} parts;

static const hc_batsim_member members[] = {
    {"type", offsetof(parts, type)},
    {"delay", offsetof(parts, delay)},
    {"cpu", offsetof(parts, cpu)},
    {"com", offsetof(parts, com)},
    {"seq", offsetof(parts, seq)},
    {"repeat", offsetof(parts, repeat)},
    {"storage", offsetof(parts, storage)},
    {"host", offsetof(parts, host)},
    {"bytes_to_read", offsetof(parts, to_read)},
    {"bytes_to_write", offsetof(parts, to_write)},
    {"nb_bytes", offsetof(parts, bytes)},
    {"from", offsetof(parts, from)},
    {"to", offsetof(parts, to)},
    {"trace", offsetof(parts, trace)},
    {"filename", offsetof(parts, trace)},
    {"generation_strategy", offsetof(parts, strategy)},
    {"trace_type", offsetof(parts, trace_type)},
};

/* A member of a table, and where its value is found. */
typedef struct column {
  const char *name;
  size_t offset; /* in `parts` */
} column;

/* Types of profiles, by the names that workloads of Batsim 4 and 5 have for them. */
static const struct {
  const char *name[2], *type, *word, *value; /* word, value: a member of an enumeration; NULL: none */
  column columns[4];                         /* with a name */
} profile_types[] = {
    {{"delay", "DelayProfile"}, "DelayProfile", NULL, NULL, {{"delay", offsetof(parts, delay)}}},
    {{"parallel", "ParallelTaskProfile"},
     "ParallelTaskProfile",
     NULL,
     NULL,
     {{"computation_vector", offsetof(parts, cpu)}, {"communication_matrix", offsetof(parts, com)}}},
    {{"parallel_homogeneous", "ParallelTaskHomogeneousProfile"},
     "ParallelTaskHomogeneousProfile",
     "generation_strategy",
     "DefinedAmountsUsedForEachValue",
     {{"computation_amount", offsetof(parts, cpu)}, {"communication_amount", offsetof(parts, com)}}},
    {{"parallel_homogeneous_total", NULL},
     "ParallelTaskHomogeneousProfile",
     "generation_strategy",
     "DefinedAmountsSpreadUniformly",
     {{"computation_amount", offsetof(parts, cpu)}, {"communication_amount", offsetof(parts, com)}}},
    {{"composed", "SequentialCompositionProfile"},
     "SequentialCompositionProfile",
     NULL,
     NULL,
     {{"repetition_count", offsetof(parts, repeat)}}},
    {{"parallel_homogeneous_pfs", "ParallelTaskOnStorageHomogeneousProfile"},
     "ParallelTaskOnStorageHomogeneousProfile",
     "generation_strategy",
     "DefinedAmountsUsedForEachValue",
     {{"storage_name", offsetof(parts, storage)},
      {"bytes_to_read", offsetof(parts, to_read)},
      {"bytes_to_write", offsetof(parts, to_write)}}},
    {{"data_staging", "ParallelTaskDataStagingBetweenStoragesProfile"},
     "ParallelTaskDataStagingBetweenStoragesProfile",
     NULL,
     NULL,
     {{"bytes_to_transfer", offsetof(parts, bytes)},
      {"emitter_storage_name", offsetof(parts, from)},
      {"receiver_storage_name", offsetof(parts, to)}}},
    {{"smpi", "TraceReplayProfile"},
     "TraceReplayProfile",
     "trace_type",
     "SMPI",
     {{"filename", offsetof(parts, trace)}}},
    {{"usage_trace", NULL},
     "TraceReplayProfile",
     "trace_type",
     "FractionalComputation",
     {{"filename", offsetof(parts, trace)}}},
};

static size_t type_of(const hc_batsim_text *name)
{
  size_t k = 0;
  for (; k < HC_ARRAY_LEN(profile_types); k++)
    for (int i = 0; i < 2; i++) {
      const char *known = profile_types[k].name[i];
      if (known && strlen(known) == name->size && memcmp(known, name->text, name->size) == 0) return k;
    }
  return k;
}

static void say_parts(hc_batsim_message *m, const hc_batsim_text *list)
{
  hc_jsonline j;
  hc_jsonline_token t;
  hc_batsim_say_open(m, "profile_ids", '[');
  hc_jsonline_begin(&j, list->text, list->size);
  (void)hc_jsonline_next(&j);
  while ((t = hc_jsonline_next(&j)).kind == HC_JSONLINE_TEXT) say_full_name(m, NULL, t.text, t.size, true);
  hc_batsim_say_close(m, ']');
}

/* {"id", "profile_type", "profile"} @param key NULL: in a list */
static void say_profile(hc_batsim_message *m, const char *key, const char *name, const char *json)
{
  const hc_batsim_text all = {.text = json, .size = strlen(json), .kind = '{'};
  parts p = {.type = {0}};
  if (!hc_batsim_members(&all, members, HC_ARRAY_LEN(members), &p) || p.type.kind != '"') return;
  const size_t k = type_of(&p.type);
  if (k == HC_ARRAY_LEN(profile_types)) return;
  if (!p.storage.text) p.storage = p.host;
  hc_batsim_say_open(m, key, '{');
  say_full_name(m, "id", name, strlen(name), false);
  say_word(m, "profile_type", profile_types[k].type);
  hc_batsim_say_open(m, "profile", '{');
  for (const column *c = profile_types[k].columns; c < profile_types[k].columns + 4 && c->name; c++) {
    const hc_batsim_text *value = (const hc_batsim_text *)((const char *)&p + c->offset);
    if (value->text) say_value(m, c->name, value);
  }
  const hc_batsim_text *said = p.strategy.kind == '"' ? &p.strategy : &p.trace_type; /* of Batsim 5 */
  if (profile_types[k].word && said->kind == '"') say_value(m, profile_types[k].word, said);
  else if (profile_types[k].word) say_word(m, profile_types[k].word, profile_types[k].value);
  if (p.seq.kind == '[') say_parts(m, &p.seq);
  hc_batsim_say_close(m, '}');
  hc_batsim_say_close(m, '}');
}

/* ---- the beginning ---- */

static void say_property(hc_batsim_message *m, const char *name, const char *value)
{
  hc_batsim_say_open(m, NULL, '{');
  say_word(m, "key", name);
  say_word(m, "value", value);
  hc_batsim_say_close(m, '}');
}

/* Speeds of a host in each of its states of power, as the platform has them ("1.5Gf, 500Mf"), in flop/s.
 * @return how many */
static uint32_t say_text_speeds(hc_batsim_message *m, const char *s)
{
  uint32_t count = 0;
  for (; *(s += strspn(s, ", \t\n")) != '\0'; count++) {
    const size_t n = strcspn(s, ", \t\n");
    double speed = 0;
    char text[32];
    if (!hc_batsim_speed(s, n, &speed)) return count; /* what a user has called so */
    hc_batsim_say_key(m, NULL);
    hc_buffer_add(&m->events, text, hc_format_real(speed, text));
    s += n;
  }
  return count;
}

static uint32_t say_speeds(hc_batsim_message *m, const hc_host_class *c, const hc_lexicon *lexicon)
{
  static const char *const names[] = {"flops_per_state", "flops"};
  for (size_t k = 0; k < HC_ARRAY_LEN(names); k++)
    for (uint32_t i = 0; i < c->attribute_count; i++) {
      const hc_attribute *a = &c->attributes[i];
      if (strcmp(hc_lexicon_text(lexicon, a->name), names[k]) != 0) continue;
      if (a->is_text) return say_text_speeds(m, hc_lexicon_text(lexicon, (uint32_t)a->value));
      hc_batsim_say_int(m, NULL, a->value);
      return 1;
    }
  return 0;
}

static void say_host(hc_batsim_message *m, uint32_t id, uint32_t host, const hc_policy_context *c)
{
  const hc_host_class *class = &c->cell->classes[c->cell->class_of[host]];
  const int64_t cores = class->cores > 0 ? class->cores : HC_MAX(class->capacity[HC_DIM_CPU] / 1000, 1);
  hc_batsim_say_open(m, NULL, '{');
  hc_batsim_say_int(m, "id", id);
  say_word(m, "name", c->cell->host_names[host]);
  hc_batsim_say_int(m, "pstate", 0);
  hc_batsim_say_open(m, "computation_speed", '[');
  const uint32_t states = say_speeds(m, class, c->lexicon);
  hc_batsim_say_close(m, ']');
  hc_batsim_say_int(m, "pstate_count", HC_MAX(states, 1u));
  say_word(m, "state", "IDLE");
  hc_batsim_say_open(m, "properties", '[');
  hc_batsim_each_property(m, class, c->lexicon, say_property);
  hc_batsim_say_close(m, ']');
  hc_batsim_say_raw(m, "zone_properties", "[]");
  hc_batsim_say_int(m, "core_count", cores);
  hc_batsim_say_close(m, '}');
}

static void say_hosts(hc_batsim_message *m, const char *number, const char *list,
                      const hc_batsim_machines *machines, uint32_t from, uint32_t to,
                      const hc_policy_context *c)
{
  hc_batsim_say_int(m, number, to - from);
  hc_batsim_say_open(m, list, '[');
  for (uint32_t i = from; i < to; i++) say_host(m, i, machines->hosts[i], c);
  hc_batsim_say_close(m, ']');
}

void hc_edc_say_begins(hc_batsim_message *m, const hc_batsim_machines *machines, const hc_policy_context *c)
{
  const uint32_t all = machines->count + machines->storage_count;
  const hc_batsim_terms *t = m->terms;
  const hc_edc *x = t->o->remote.edc;
  begin(m, 0, "SimulationBeginsEvent");
  hc_batsim_say_int(m, "host_number", all);
  say_hosts(m, "computation_host_number", "computation_hosts", machines, 0, machines->count, c);
  say_hosts(m, "storage_host_number", "storage_hosts", machines, machines->count, all, c);
  hc_batsim_say_open(m, "batsim_arguments", '[');
  for (size_t i = 0; i < x->argument_count; i++) say_word(m, NULL, x->arguments[i]);
  hc_batsim_say_close(m, ']');
  say_word(m, "batsim_execution_context_json", "{}");
  if (!t->is_early) say_word(m, "batsim_version", "5.0.0 (hindcast)"); /* no own: records outlive it */
  hc_batsim_say_open(m, "workloads", '[');
  hc_batsim_say_open(m, NULL, '{');
  say_word(m, "name", HC_BATSIM_WORKLOAD);
  say_word(m, "filename", t->o->workload);
  hc_batsim_say_close(m, '}');
  hc_batsim_say_close(m, ']');
  if (t->profiles_at_first) {
    hc_batsim_say_open(m, "profiles", '[');
    for (size_t i = 0; i < t->book->profile_count; i++)
      if (t->book->profiles[i].json)
        say_profile(m, NULL, t->book->profile_names.names[i], t->book->profiles[i].json);
    hc_batsim_say_close(m, ']');
  }
  hc_batsim_say_end(m);
}

/* ---- events ---- */

/* A text, or an object or list, which is then a text of JSON; "" where a job has none. */
static void say_extra_data(hc_batsim_message *m, const hc_batsim_text *x)
{
  if (x->kind == '"') say_value(m, "extra_data", x);
  else
    hc_batsim_say_text(m, "extra_data", x->kind == '{' || x->kind == '[' ? x->text : "",
                       x->kind == '{' || x->kind == '[' ? x->size : 0);
}

void hc_edc_say_submitted(hc_batsim_message *m, hc_time at, const hc_batsim_job *job)
{
  struct {
    hc_batsim_text walltime, extra_data;
  } x = {{0}, {0}};
  static const hc_batsim_member of_job[] = {{"walltime", 0}, {"extra_data", sizeof(hc_batsim_text)}};
  const hc_batsim_text all = {.text = job->json, .size = strlen(job->json), .kind = '{'};
  const hc_batsim_book *b = m->terms->book;
  const char *name = job->profile < b->profile_names.count ? b->profile_names.names[job->profile] : "";
  double walltime = -1;
  (void)hc_batsim_members(&all, of_job, HC_ARRAY_LEN(of_job), &x);
  if (x.walltime.kind == '0') (void)hc_parse_real(x.walltime.text, x.walltime.size, &walltime);
  begin(m, at, "JobSubmittedEvent");
  say_word(m, "job_id", job->id);
  hc_batsim_say_open(m, "job", '{');
  hc_batsim_say_int(m, "resource_request", job->res);
  if (walltime > 0) say_value(m, "walltime", &x.walltime);
  else hc_batsim_say_raw(m, "walltime", m->terms->is_early ? "-1.0" : "null");
  say_extra_data(m, &x.extra_data);
  if (m->terms->is_early) hc_batsim_say_bool(m, "rigid", true);
  say_full_name(m, "profile_id", name, strlen(name), false);
  hc_batsim_say_close(m, '}');
  say_time(m, "submission_time", job->submit);
  if (m->terms->profiles_with_jobs && job->profile < b->profile_count && b->profiles[job->profile].json)
    say_profile(m, "profile", name, b->profiles[job->profile].json);
  hc_batsim_say_end(m);
}

void hc_edc_say_ended(hc_batsim_message *m, hc_time at, const hc_batsim_job *job, hc_batsim_end how,
                      int64_t code)
{
  begin(m, at, "JobCompletedEvent");
  say_word(m, "job_id", job->id);
  say_word(m, "state", hc_batsim_ends[how]);
  hc_batsim_say_int(m, "return_code", (int64_t)(uint32_t)code);
  hc_batsim_say_end(m);
}

/* -1 where it is not known, as Batsim 5 has it for traces. */
static void say_progress(hc_batsim_message *m, const hc_batsim_job *job)
{
  const hc_batsim_book *b = m->terms->book;
  const char *name = job->profile < b->profile_names.count ? b->profile_names.names[job->profile] : "";
  const hc_time progress = hc_batsim_progress(b, job);
  hc_batsim_say_open(m, NULL, '{');
  say_word(m, "job_id", job->id);
  hc_batsim_say_open(m, "wrapper", '{');
  say_word(m, "kill_progress_type", "KillProgressAtomicProfile");
  hc_batsim_say_open(m, "kill_progress", '{');
  say_full_name(m, "profile_id", name, strlen(name), false);
  if (progress >= 0) say_time(m, "progress", progress);
  else hc_batsim_say_raw(m, "progress", "-1.0");
  hc_batsim_say_close(m, '}');
  hc_batsim_say_close(m, '}');
  hc_batsim_say_close(m, '}');
}

void hc_edc_say_killed(hc_batsim_message *m, hc_time at, const hc_batsim_job *const *jobs, size_t count)
{
  begin(m, at, "JobsKilledEvent");
  hc_batsim_say_open(m, "job_ids", '[');
  for (size_t i = 0; i < count; i++) say_word(m, NULL, jobs[i]->id);
  hc_batsim_say_close(m, ']');
  hc_batsim_say_open(m, "progresses", '[');
  for (size_t i = 0; i < count; i++)
    if (jobs[i]->is_killed) say_progress(m, jobs[i]);
  hc_batsim_say_close(m, ']');
  hc_batsim_say_end(m);
}

void hc_edc_say_switched(hc_batsim_message *m, hc_time at, const hc_batsim_request *r)
{
  const bool is_pstate = r->type == HC_HEARD_CHANGE_PSTATE;
  begin(m, at, is_pstate ? "HostsPStateChangedEvent" : "HostsTurnedOnOffEvent");
  say_word(m, "host_ids", r->machines);
  hc_batsim_say_int(m, is_pstate ? "pstate" : "state", r->state);
  hc_batsim_say_end(m);
}

void hc_edc_say_called(hc_batsim_message *m, hc_time at, const char *id, bool is_last)
{
  begin(m, at, "RequestedCallEvent");
  /* as it was asked for: JSON already, without its quotes */
  say_value(m, "call_me_later_id", &(hc_batsim_text){.text = id, .size = strlen(id), .kind = '"'});
  hc_batsim_say_bool(m, "last_periodic_call", is_last);
  hc_batsim_say_end(m);
}

void hc_edc_say_all_submitted(hc_batsim_message *m, hc_time at)
{
  begin(m, at, "AllStaticJobsHaveBeenSubmittedEvent");
  hc_batsim_say_end(m);
}

void hc_edc_say_occurs(hc_batsim_message *m, hc_time at, const hc_batsim_occurrence *x)
{
  begin(m, at, "ExternalEventOccurredEvent");
  hc_batsim_say_key(m, "id");
  hc_buffer_printf(&m->events, "\"ee%u!%zu\"", (unsigned)x->list, x->number);
  say_word(m, "external_event_type", "GenericExternalEvent");
  hc_batsim_say_open(m, "external_event", '{');
  say_value(m, "data", &(hc_batsim_text){.text = x->text, .size = strlen(x->text), .kind = '"'});
  hc_batsim_say_close(m, '}');
  hc_batsim_say_end(m);
}

void hc_edc_say_all_occurred(hc_batsim_message *m, hc_time at)
{
  begin(m, at, "AllStaticExternalEventsHaveBeenInjectedEvent");
  hc_batsim_say_end(m);
}

void hc_edc_say_ends(hc_batsim_message *m, hc_time at)
{
  begin(m, at, "SimulationEndsEvent");
  hc_batsim_say_end(m);
}
