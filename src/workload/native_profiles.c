/* native_profiles.c -- profiles of the native format, as far as they come to a length of time.
 *
 *   idle, delay          {time}              a length of time
 *   compute-homogenous   {compute_work}      on each process compute_work / (speed x cores)
 *   compute-vector       {compute_work: []}  the same with a work for each process; the longest counts
 *   sequence             {profiles, repeat}  the sum of its parts, repeated
 *   parallel             {profiles, repeat}  of times: the longest; of computations: their sum, since those
 *                                            of one process share its cores
 *   part                 {profile}           that of what is in it
 *
 * What communicates or touches a disk has no length without a model of these, nor has what an expression
 * says (4e12 / num_hosts), nor a parallel of times with computations: its length is `other`. A sequence or
 * parallel with one such part is so too.
 *
 * A named profile is defined above those that name it, which rules out that one contains itself. Each is
 * worked out once, when it is read, so that nesting costs nothing: 32 bytes a profile and its name. Source:
 * DSLab-CS, its built-in profiles; the thesis that describes it, table 4.4. */
#include <string.h>

#include "base/util.h"
#include "execution/expressions.h"
#include "workload/native.h"

enum { DELAY, COMPUTE, VECTOR, SEQUENCE, PARALLEL, PART, OTHER };

static const hc_native_key kinds[] = {{"idle", DELAY},
                                      {"delay", DELAY},
                                      {"compute-homogenous", COMPUTE},
                                      {"compute-homogeneous", COMPUTE},
                                      {"compute-vector", VECTOR},
                                      {"compute-matrix", VECTOR},
                                      {"sequence", SEQUENCE},
                                      {"parallel", PARALLEL},
                                      {"part", PART},
                                      {"communication-homogenous", OTHER},
                                      {"communication-homogeneous", OTHER},
                                      {"communication-matrix", OTHER},
                                      {"communication-src-dst", OTHER},
                                      {"communication-external", OTHER},
                                      {"disk-ops", OTHER},
                                      {"disk-read", OTHER},
                                      {"disk-write", OTHER},
                                      {"master-workers", OTHER},
                                      {"compute_homogeneous", COMPUTE}, /* as `execution` has them */
                                      {"compute_vector", VECTOR},
                                      {"communication_homogeneous", OTHER},
                                      {"communication_matrix", OTHER},
                                      {"communication_src_dst", OTHER},
                                      {"communication_external", OTHER},
                                      {"disk_ops", OTHER},
                                      {"master_workers", OTHER},
                                      {"parallel_task", OTHER},
                                      {"parallel_homogeneous", OTHER},
                                      {"file_read", OTHER},
                                      {"file_write", OTHER},
                                      {"file_copy", OTHER},
                                      {"file_delete", OTHER},
                                      {"all_to_all", OTHER},
                                      {"gather", OTHER},
                                      {"scatter", OTHER},
                                      {"broadcast", OTHER},
                                      {"reduce", OTHER},
                                      {"ring", OTHER},
                                      {"stencil", OTHER},
                                      {"tree", OTHER},
                                      {"exchange", OTHER},
                                      {"staging", OTHER},
                                      {"coupled", OTHER},
                                      {"storage_mapping", OTHER},
                                      {"fail", OTHER},
                                      {"replay", OTHER},
                                      {"trace_rank", OTHER},
                                      {"rank_transfer", OTHER},
                                      {"phase", OTHER},
                                      {"point", OTHER},
                                      {"ranks", OTHER},
                                      {"gpus", OTHER},
                                      {NULL, 0}};

void hc_native_profiles_init(hc_native_profiles *p, const hc_allocator *a, const hc_native_units *u)
{
  *p = (hc_native_profiles){.allocator = a, .units = u};
  hc_names_init(&p->names, a, (size_t)HC_NATIVE_TASKS);
}

void hc_native_profiles_fini(hc_native_profiles *p)
{
  hc_names_fini(&p->names);
  hc_free(p->allocator, p->all, p->cap * sizeof *p->all);
}

/* ---- lengths ---- */

static hc_rc too_long(const hc_value *v, hc_error *e)
{
  return hc_value_fail(v, e, HC_EINPUT,
                       "this profile takes longer than 292 years, the longest time there is");
}

/* An expression (4e12 / num_hosts) is known when the task runs, which takes a model. */
static bool is_formula(const hc_value *v)
{
  static const hc_param number = {.name = "compute_work", .type = HC_REAL};
  hc_field f;
  return hc_native_scalar(v, &f) && hc_expression_is(&number, v->text);
}

/* Both are for any number of processes, or for the same. */
static hc_rc meet_processes(const hc_value *v, hc_native_length *sum, const hc_native_length *part,
                            hc_error *e)
{
  if (part->processes == 0) return 0;
  if (sum->processes != 0 && sum->processes != part->processes)
    return hc_value_fail(v, e, HC_EINPUT, "this part is for %u processes, one before it for %u",
                         part->processes, sum->processes);
  sum->processes = part->processes;
  return 0;
}

static hc_rc read_vector(const hc_value *v, hc_native_length *out, hc_error *e)
{
  if (v->kind != HC_VALUE_LIST || v->count == 0)
    return hc_value_fail(v, e, HC_EINPUT, "compute_work is a list with the work of each process");
  for (size_t i = 0; i < v->count; i++) {
    double work = 0;
    if (is_formula(v->items[i])) out->other = true;
    else TRY(hc_native_work(v->items[i], "compute_work", &work, e));
    out->work = HC_MAX(out->work, work);
  }
  out->processes = (uint32_t)v->count;
  return 0;
}

static hc_rc read_sequence(const hc_native_profiles *p, const hc_value *list, hc_native_length *out,
                           hc_error *e)
{
  for (size_t i = 0; i < list->count; i++) {
    const hc_value *v = list->items[i];
    hc_native_length part;
    TRY(hc_native_length_of(p, v, &part, e));
    TRY(meet_processes(v, out, &part, e));
    out->fixed = hc_time_add(out->fixed, part.fixed);
    out->work += part.work;
    out->other |= part.other;
  }
  return 0;
}

static hc_rc read_parallel(const hc_native_profiles *p, const hc_value *list, hc_native_length *out,
                           hc_error *e)
{
  bool times = false, works = false;
  for (size_t i = 0; i < list->count; i++) {
    const hc_value *v = list->items[i];
    hc_native_length part;
    TRY(hc_native_length_of(p, v, &part, e));
    TRY(meet_processes(v, out, &part, e));
    times |= part.fixed > 0;
    works |= part.work > 0;
    out->fixed = HC_MAX(out->fixed, part.fixed);
    out->work += part.work;
    out->other |= part.other || (part.processes > 0 && list->count > 1);
  }
  out->other |= times && works;
  return 0;
}

static hc_rc repeat(const hc_value *v, int64_t times, hc_native_length *l, hc_error *e)
{
  if (l->other) return 0;
  if (__builtin_mul_overflow(l->fixed, times, &l->fixed) || l->fixed == HC_NEVER) return too_long(v, e);
  l->work *= (double)times;
  return 0;
}

static hc_rc read_parts(const hc_native_profiles *p, const hc_value *v, int kind, const hc_value *list,
                        const hc_value *times, hc_native_length *out, hc_error *e)
{
  int64_t n = 1;
  if (!list || list->kind != HC_VALUE_LIST)
    return hc_value_fail(v, e, HC_EINPUT, "a sequence or parallel needs `profiles`, a list of profiles");
  if (times && is_formula(times)) out->other = true;
  else if (times) TRY(hc_native_whole(times, "repeat", 1, (int64_t)1 << 40, &n, e));
  if (kind == SEQUENCE) TRY(read_sequence(p, list, out, e));
  else TRY(read_parallel(p, list, out, e));
  if (out->fixed == HC_NEVER) return too_long(v, e);
  return repeat(v, n, out, e);
}

/* ---- one profile ---- */

/* A label changes nothing. */
static hc_rc read_part(const hc_native_profiles *p, const hc_value *v, const hc_value *args,
                       hc_native_length *out, hc_error *e)
{
  const hc_value *within = args ? hc_value_get(args, "profile") : NULL;
  if (args && args->kind != HC_VALUE_MAP)
    return hc_value_fail(v, e, HC_EINPUT, "a part is {label: NAME, profile: PROFILE}");
  return within ? hc_native_length_of(p, within, out, e) : 0;
}

static hc_rc read_args(const hc_native_profiles *p, const hc_value *v, int kind, const hc_value *args,
                       hc_native_length *out, hc_error *e)
{
  enum { TIME, WORK, SPEEDUP, PROFILES, REPEAT, ARGS };
  static const hc_native_key delay[] = {{"time", TIME}, {"delay", TIME}, {NULL, 0}},
                             compute[] = {{"compute_work", WORK},
                                          {"work", WORK},
                                          {"matrix", WORK},
                                          {"speedup", SPEEDUP},
                                          {NULL, 0}},
                             parts[] = {{"profiles", PROFILES}, {"repeat", REPEAT}, {NULL, 0}};
  const hc_value *at[ARGS] = {0};
  bool unknown;
  if (kind == PART) return read_part(p, v, args, out, e);
  if (args && args->kind == HC_VALUE_MAP)
    TRY(hc_native_members(args,
                          kind == DELAY    ? delay
                          : kind <= VECTOR ? compute
                                           : parts,
                          at, ARGS, NULL, NULL, &unknown, e));
  else at[kind == DELAY ? TIME : kind <= VECTOR ? WORK : PROFILES] = args; /* {delay: 10} */
  if (kind == DELAY) {
    if (!at[TIME])
      return hc_value_fail(v, e, HC_EINPUT, "a delay needs its `time`: {type: delay, args: {time: 10}}");
    out->other = is_formula(at[TIME]);
    if (!out->other) TRY(hc_native_time(at[TIME], "the time of a delay", p->units->time, &out->fixed, e));
    return out->fixed == HC_NEVER ? too_long(v, e) : 0;
  }
  if (kind > VECTOR) return read_parts(p, v, kind, at[PROFILES], at[REPEAT], out, e);
  out->other = at[SPEEDUP] != NULL; /* a law that may be a library's: a model of execution knows it */
  if (!at[WORK]) return hc_value_fail(v, e, HC_EINPUT, "a computation needs its `compute_work`");
  if (kind == VECTOR) return read_vector(at[WORK], out, e);
  if (is_formula(at[WORK])) {
    out->other = true;
    return 0;
  }
  return hc_native_work(at[WORK], "compute_work", &out->work, e);
}

static hc_rc read_name(const hc_native_profiles *p, const hc_value *v, hc_native_length *out, hc_error *e)
{
  const uint32_t id = hc_names_find(&p->names, v->text, strlen(v->text));
  if (id != HC_MAP_NONE) {
    *out = p->all[id];
    return 0;
  }
  return hc_value_fail(
      v, e, HC_EINPUT,
      "no profile \"%.60s\" is defined: define it in the file of profiles, above those that name it",
      v->text);
}

static int kind_of(const char *word)
{
  const hc_native_key *k = kinds;
  while (k->name && strcmp(k->name, word) != 0) k++;
  return k->name ? k->what : -1;
}

static hc_rc read_type(const hc_native_profiles *p, const hc_value *v, const hc_value *type,
                       hc_native_length *out, hc_error *e)
{
  hc_field f;
  if (!hc_native_scalar(type, &f))
    return hc_value_fail(type, e, HC_EINPUT, "the type of a profile is a name");
  const int kind = kind_of(type->text);
  if (kind == OTHER) out->other = true;
  if (kind == OTHER) return 0;
  if (kind >= 0) return read_args(p, v, kind, hc_value_get(v, "args"), out, e);
  if (hc_names_find(&p->names, f.text, f.length) != HC_MAP_NONE) return read_name(p, type, out, e);
  const char *near = hc_native_nearest(kinds, type->text);
  return hc_value_fail(type, e, HC_EINPUT, "no type of profile \"%.60s\" is known%s%s%s", type->text,
                       near ? "; did you mean \"" : "", near ? near : "",
                       near ? "\"?" : ": define a profile of that name");
}

hc_rc hc_native_length_of(const hc_native_profiles *p, const hc_value *v, hc_native_length *out, hc_error *e)
{
  *out = (hc_native_length){0};
  if (v->kind == HC_VALUE_SCALAR) return read_name(p, v, out, e);
  if (v->kind == HC_VALUE_MAP) {
    const hc_value *type = hc_value_get(v, "type");
    const int kind = v->count == 1 ? kind_of(v->items[0]->key) : -1;
    if (type) return read_type(p, v, type, out, e);
    if (kind == OTHER) out->other = true;
    if (kind == OTHER) return 0;
    if (kind >= 0) return read_args(p, v, kind, v->items[0], out, e);
  }
  return hc_value_fail(v, e, HC_EINPUT,
                       "a profile is the name of one, {type: ..., args: {...}}, or {delay: 10} for short");
}

/* ---- the file ---- */

static hc_rc define(hc_native_profiles *p, const hc_value *v, hc_error *e)
{
  hc_native_length l;
  uint32_t id;
  TRY(hc_native_length_of(p, v, &l, e));
  const hc_rc rc = hc_names_add(&p->names, v->key, strlen(v->key), &id);
  if (rc == HC_ELIMIT) return hc_value_fail_key(v, e, rc, "more than 16,777,216 profiles are defined");
  TRY(rc);
  TRY(hc_reserve(p->allocator, (void **)&p->all, &p->cap, (size_t)id + 1, sizeof *p->all));
  p->all[id] = l;
  return 0;
}

hc_rc hc_native_profiles_read(hc_native_profiles *p, const char *path, hc_error *e)
{
  hc_arena arena;
  hc_value *root;
  hc_arena_init(&arena, p->allocator);
  hc_rc rc = hc_value_parse_file(&arena, path, &root, e);
  if (rc == 0 && root->kind != HC_VALUE_MAP && root->kind != HC_VALUE_NULL)
    rc = hc_value_fail(root, e, HC_EINPUT,
                       "a file of profiles maps names to profiles: \"short: {delay: 10}\"");
  for (size_t i = 0; rc == 0 && i < root->count; i++) rc = define(p, root->items[i], e);
  hc_arena_fini(&arena);
  return rc;
}

/* ---- a task's run time ---- */

hc_rc hc_native_run(const hc_native_length *l, const hc_native_units *u, int64_t hosts, int64_t milli,
                    bool uneven, hc_time *out, const char **what)
{
  *out = l->fixed;
  if (l->other) return 0;
  if (l->processes > 0 && l->processes != hosts) {
    *what = "its profile is for another number of processes than it asks for hosts";
    return HC_EINPUT;
  }
  if (!(l->work > 0)) return 1;
  if (milli <= 0 || (l->processes > 0 && uneven)) return 0;
  const double ns = l->work * 1000 * (double)u->time / (u->speed * (double)milli);
  *what = "it would run longer than 292 years, the longest time there is";
  if (!(ns < 9e18)) return HC_EINPUT;
  *out = hc_time_add(l->fixed, (hc_time)ns + ((double)(hc_time)ns < ns));
  return *out == HC_NEVER ? HC_EINPUT : 1;
}
