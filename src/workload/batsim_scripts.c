/* batsim_scripts.c -- profiles of a Batsim workload as texts that tasks carry.
 *
 * Each type of Batsim 4 becomes a profile of this tree: delay a delay, parallel a parallel_task,
 * parallel_homogeneous and parallel_homogeneous_total a parallel_homogeneous, composed a sequence,
 * parallel_homogeneous_pfs an exchange with a storage host, data_staging a staging between two, and traces a
 * replay of their ranks (batsim_traces.c). One whose return code is not 0 is a sequence that ends with a
 * failure. Names of parts are written out, so a text says all; it is made when the first job asks for it,
 * and what is wrong with a profile that no job has is not found.
 *
 * Profiles that talk with the scheduler (send, recv) are refused: there is no such protocol here. Of Batsim
 * 5 all types are known that it carries out, but for storage whose bytes are spread over processes.
 * Source: Batsim 4.2.1 and 5.0.0-rc2. */
#include "workload/batsim_scripts.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "workload/batsim_traces.h"
#include "workload/reading.h"
#include "workload/writing.h"

#define NEEDS_NUMBER "its type needs `%s`, a number from 0 on"
#define AMOUNT_MOST 1e300 /* of `cpu` and `com` of a parallel_homogeneous */

struct hc_batsim_script {
  const hc_value *tree;
  const char *text; /* NULL: not asked for yet */
  size_t size;
};

void hc_batsim_scripts_init(hc_batsim_scripts *s, const hc_allocator *a, const hc_book *book,
                            const hc_profiles *p, const char *file)
{
  *s = (hc_batsim_scripts){
      .allocator = a, .book = book, .profiles = p, .file = file, .unit = HC_SECOND, .report = 4};
  hc_arena_init(&s->lasting, a);
  hc_arena_init(&s->scratch, a);
  hc_buffer_init(&s->text, a);
}

void hc_batsim_scripts_fini(hc_batsim_scripts *s)
{
  hc_free(s->allocator, s->all, s->count * sizeof *s->all);
  hc_buffer_fini(&s->text);
  hc_arena_fini(&s->scratch);
  hc_arena_fini(&s->lasting);
}

/* ---- trees ---- */

static hc_rc put_text(hc_batsim_scripts *s, hc_value *map, const char *key, const char *text, bool quoted)
{
  hc_value *v = hc_value_scalar(s->trees, text, HC_FROM_FILE);
  if (!v) return HC_ENOMEM;
  v->quoted = quoted;
  return hc_value_put(s->trees, map, key, v);
}

static hc_value *new_profile(hc_batsim_scripts *s, const char *use)
{
  hc_value *map = hc_value_map(s->trees);
  return map && put_text(s, map, "use", use, false) == 0 ? map : NULL;
}

/* A copy of the head: a value is in one map or list. */
static hc_rc put_copy(hc_batsim_scripts *s, hc_value *map, const char *key, const hc_value *v)
{
  hc_value *copy = hc_arena_alloc(s->trees, sizeof *copy);
  if (!copy) return HC_ENOMEM;
  *copy = *v;
  return hc_value_put(s->trees, map, key, copy);
}

static hc_rc append_copy(hc_batsim_scripts *s, hc_value *list, const hc_value *v)
{
  hc_value *copy = hc_arena_alloc(s->trees, sizeof *copy);
  if (!copy) return HC_ENOMEM;
  *copy = *v;
  return hc_value_append(s->trees, list, copy);
}

static hc_value *new_list(hc_batsim_scripts *s)
{
  hc_value *list = hc_value_map(s->trees);
  if (list) list->kind = HC_VALUE_LIST;
  return list;
}

static hc_rc wrong(const hc_batsim_scripts *s, const hc_batsim_facts *f, hc_rc rc, const char *what,
                   hc_error *e)
{
  return hc_fail(e, rc, s->file, f->line, f->column, "profile \"%.60s\": %s", f->name, what);
}

/* ---- types ---- */

typedef enum type {
  DELAY,
  PARALLEL,
  HOMOGENEOUS,
  TOTAL,
  SPREAD, /* Batsim 5 divides what is communicated by pairs */
  PFS,
  STAGING,
  SEQUENCE,
  USAGE,
  SMPI,
  TALK,
  STRATEGY, /* one that is not known, or of storage */
  UNKNOWN
} type;

static const hc_value *member(const hc_batsim_facts *f, const char *key)
{
  return f->members ? hc_value_get(f->members, key) : NULL;
}

static bool says(const hc_batsim_facts *f, const char *key, const char *text)
{
  const hc_value *v = member(f, key);
  return v && v->kind == HC_VALUE_SCALAR && v->quoted && strcmp(v->text, text) == 0;
}

/* A type of Batsim 5 whose name stands for several of Batsim 4. */
static type by_strategy(const hc_batsim_facts *f, type t)
{
  static const char key[] = "generation_strategy";
  if (!member(f, key) || says(f, key, "DefinedAmountsUsedForEachValue")) return t;
  return t == HOMOGENEOUS && says(f, key, "DefinedAmountsSpreadUniformly") ? SPREAD : STRATEGY;
}

static bool is_storage_of_5(const hc_batsim_facts *f)
{
  return strcmp(f->type, "ParallelTaskOnStorageHomogeneousProfile") == 0;
}

static type type_of(const hc_batsim_facts *f)
{
  static const struct {
    const char *name;
    type type;
  } all[] = {{"parallel", PARALLEL},
             {"ParallelTaskProfile", PARALLEL},
             {"parallel_homogeneous", HOMOGENEOUS},
             {"parallel_homogeneous_total", TOTAL},
             {"parallel_homogeneous_pfs", PFS},
             {"data_staging", STAGING},
             {"ParallelTaskDataStagingBetweenStoragesProfile", STAGING},
             {"usage_trace", USAGE},
             {"smpi", SMPI},
             {"send", TALK},
             {"recv", TALK}};
  if (f->is_delay) return DELAY;
  if (f->is_sequence) return SEQUENCE;
  if (!f->type) return UNKNOWN;
  for (size_t i = 0; i < HC_ARRAY_LEN(all); i++)
    if (strcmp(all[i].name, f->type) == 0) return all[i].type;
  if (strcmp(f->type, "ParallelTaskHomogeneousProfile") == 0) return by_strategy(f, HOMOGENEOUS);
  if (is_storage_of_5(f)) return by_strategy(f, PFS);
  if (strcmp(f->type, "TraceReplayProfile") != 0) return UNKNOWN;
  if (says(f, "trace_type", "SMPI")) return SMPI;
  return says(f, "trace_type", "FractionalComputation") ? USAGE : UNKNOWN;
}

/* An amount that is there, and that the profile of this tree takes as it is. */
static bool is_fine(const char *amount)
{
  double x;
  return amount && hc_parse_real(amount, strlen(amount), &x) == 0 && x >= 0 && x <= AMOUNT_MOST;
}

/* One of the two amounts, which must be there. */
static hc_rc need_amount(hc_batsim_scripts *s, const hc_batsim_facts *f, size_t which, hc_value *map,
                         hc_error *e)
{
  static const char *const keys[] = {"cpu", "com"};
  char what[96];
  double x;
  const char *text = f->amounts[which];
  if (text && hc_parse_real(text, strlen(text), &x) == 0 && x >= 0)
    return put_text(s, map, keys[which], text, false);
  (void)snprintf(what, sizeof what, NEEDS_NUMBER, keys[which]);
  return wrong(s, f, HC_EINPUT, what, e);
}

/* A number that must be there. */
static hc_rc need_number(hc_batsim_scripts *s, const hc_batsim_facts *f, const char *from, hc_value *map,
                         const char *to, hc_error *e)
{
  const hc_value *v = member(f, from);
  double x;
  char what[96];
  if (v && v->kind == HC_VALUE_SCALAR && !v->quoted && hc_parse_real(v->text, strlen(v->text), &x) == 0 &&
      x >= 0)
    return put_copy(s, map, to, v);
  (void)snprintf(what, sizeof what, NEEDS_NUMBER, from);
  return wrong(s, f, HC_EINPUT, what, e);
}

/* What storage_mapping says of a label, "label=host"; NULL: nothing. */
static const char *mapped(const hc_batsim_scripts *s, const char *label)
{
  const char *const *items = s->mapping ? s->mapping->items : NULL;
  const size_t n = strlen(label);
  for (size_t i = 0; s->mapping && i < s->mapping->count; i++)
    if (strncmp(items[i], label, n) == 0 && items[i][n] == '=') return items[i];
  return NULL;
}

/* A storage host by what a profile calls it: what storage_mapping says, or that name itself. */
static hc_rc put_storage(hc_batsim_scripts *s, hc_value *map, const char *to, const hc_value *v)
{
  const char *is = mapped(s, v->text);
  return is ? put_text(s, map, to, is + strlen(v->text) + 1, true) : put_copy(s, map, to, v);
}

static hc_rc need_name(hc_batsim_scripts *s, const hc_batsim_facts *f, const char *from, hc_value *map,
                       const char *to, hc_error *e)
{
  const hc_value *v = member(f, from);
  char what[96];
  if (v && v->kind == HC_VALUE_SCALAR && v->quoted && v->text[0]) return put_storage(s, map, to, v);
  (void)snprintf(what, sizeof what, "its type needs `%s`, the name of a storage host", from);
  return wrong(s, f, HC_EINPUT, what, e);
}

static hc_rc make_delay(hc_batsim_scripts *s, const hc_batsim_facts *f, hc_value **out, hc_error *e)
{
  char text[48];
  hc_time delay = f->delay, *const times[] = {&delay};
  if (!hc_reading_in_units(s->unit, times, 1)) return wrong(s, f, HC_EINPUT, "its delay is too long", e);
  *out = new_profile(s, "delay");
  if (!*out) return HC_ENOMEM;
  *hc_put_parts(text, delay, HC_SECOND) = '\0';
  return put_text(s, *out, "time", text, false);
}

static hc_rc make_parallel(hc_batsim_scripts *s, const hc_batsim_facts *f, hc_value **out, hc_error *e)
{
  static const char *const keys[] = {"cpu", "com"};
  *out = new_profile(s, "parallel_task");
  if (!*out) return HC_ENOMEM;
  for (size_t i = 0; i < HC_ARRAY_LEN(keys); i++) {
    const hc_value *v = member(f, keys[i]);
    if (!v && !f->amounts[i]) continue;
    if (f->amounts[i] || v->kind != HC_VALUE_LIST)
      return wrong(s, f, HC_EINPUT, "`cpu` and `com` of a parallel profile are lists of numbers", e);
    if (v->count > 0) TRY(put_copy(s, *out, keys[i], v));
  }
  return 0;
}

static hc_rc make_homogeneous(hc_batsim_scripts *s, const hc_batsim_facts *f, type t, hc_value **out,
                              hc_error *e)
{
  *out = new_profile(s, "parallel_homogeneous");
  if (!*out) return HC_ENOMEM;
  TRY(need_amount(s, f, HC_BATSIM_CPU, *out, e));
  TRY(need_amount(s, f, HC_BATSIM_COM, *out, e));
  if (t == SPREAD) TRY(put_text(s, *out, "by_pairs", "true", false));
  return t == HOMOGENEOUS ? 0 : put_text(s, *out, "total", "true", false);
}

/* {storage_mapping: {mapping: [label=host], profile: ...}}: a host that is named for a label must be there,
 * where that of a label alone may be the only one without cores. */
static hc_rc wrap_mapping(hc_batsim_scripts *s, const char *is, hc_value **tree)
{
  hc_value *list = new_list(s), *map = new_profile(s, "storage_mapping");
  hc_value *text = hc_value_scalar(s->trees, is, HC_FROM_FILE);
  if (!list || !map || !text) return HC_ENOMEM;
  text->quoted = true;
  TRY(hc_value_append(s->trees, list, text));
  TRY(hc_value_put(s->trees, map, "mapping", list));
  TRY(hc_value_put(s->trees, map, "profile", *tree));
  *tree = map;
  return 0;
}

static hc_rc make_pfs(hc_batsim_scripts *s, const hc_batsim_facts *f, hc_value **out, hc_error *e)
{
  static const hc_value pfs = {.kind = HC_VALUE_SCALAR, .quoted = true, .text = "pfs"};
  const hc_value *label = member(f, "storage") ? member(f, "storage") : member(f, "host");
  *out = new_profile(s, "exchange");
  if (!*out) return HC_ENOMEM;
  if (!label) label = &pfs;
  const bool is_5 = is_storage_of_5(f); /* which wants one of the two */
  const bool reads = member(f, "bytes_to_read"), writes = member(f, "bytes_to_write");
  if (!is_5 || reads || !writes) TRY(need_number(s, f, "bytes_to_read", *out, "read", e));
  if (!is_5 || writes) TRY(need_number(s, f, "bytes_to_write", *out, "write", e));
  if (label->kind != HC_VALUE_SCALAR || !label->quoted || !label->text[0])
    return wrong(s, f, HC_EINPUT, "its type needs `storage`, the name of a storage host", e);
  TRY(put_copy(s, *out, "storage", label));
  return mapped(s, label->text) ? wrap_mapping(s, mapped(s, label->text), out) : 0;
}

static hc_rc make_staging(hc_batsim_scripts *s, const hc_batsim_facts *f, hc_value **out, hc_error *e)
{
  *out = new_profile(s, "staging");
  if (!*out) return HC_ENOMEM;
  TRY(need_number(s, f, "nb_bytes", *out, "bytes", e));
  TRY(need_name(s, f, "from", *out, "from", e));
  return need_name(s, f, "to", *out, "to", e);
}

static hc_rc make_trace(hc_batsim_scripts *s, const hc_batsim_facts *f, bool smpi, hc_value **out,
                        hc_error *e)
{
  const bool is_5 = strcmp(f->type, "TraceReplayProfile") == 0;
  const hc_value *v = member(f, is_5 ? "filename" : "trace");
  hc_error mine = {0};
  if (!v || v->kind != HC_VALUE_SCALAR || !v->quoted || !v->text[0])
    return wrong(s, f, HC_EINPUT,
                 is_5 ? "its type needs `filename`, a file that lists one trace a rank"
                      : "its type needs `trace`, a file that lists one trace a rank",
                 e);
  const hc_rc rc = hc_batsim_trace(s->trees, s->allocator, s->file, v->text, smpi, s->report, out, &mine);
  if (rc >= 0) return rc;
  if (rc == HC_ENOMEM || mine.where[0]) { /* with a place of its own */
    if (e) *e = mine;
    return rc;
  }
  return wrong(s, f, rc, mine.text[0] ? mine.text : hc_rc_text(rc), e);
}

static hc_rc make(hc_batsim_scripts *s, uint32_t id, hc_error *e);

static hc_rc make_sequence(hc_batsim_scripts *s, const hc_batsim_facts *f, size_t *size, hc_value **out,
                           hc_error *e)
{
  char text[32];
  hc_value *list = new_list(s);
  *out = new_profile(s, "sequence");
  if (!*out || !list) return HC_ENOMEM;
  for (size_t i = 0; i < f->part_count; i++) {
    TRY(make(s, f->parts[i], e));
    TRY(append_copy(s, list, s->all[f->parts[i]].tree));
    *size += s->all[f->parts[i]].size + 2;
    if (*size > HC_PROFILE_TEXT)
      return wrong(s, f, HC_ELIMIT,
                   "it is longer than 1 MiB when the names in it are written out: nest less, or use `repeat`",
                   e);
  }
  *hc_put_int(text, f->repeat) = '\0';
  TRY(hc_value_put(s->trees, *out, "profiles", list));
  return f->repeat == 1 ? 0 : put_text(s, *out, "repeat", text, false);
}

/* It ends as one that has failed. */
static hc_rc make_failing(hc_batsim_scripts *s, hc_value **tree)
{
  hc_value *list = new_list(s), *both = new_profile(s, "sequence"), *fail = new_profile(s, "fail");
  if (!list || !both || !fail) return HC_ENOMEM;
  TRY(append_copy(s, list, *tree));
  TRY(hc_value_append(s->trees, list, fail));
  *tree = both;
  return hc_value_put(s->trees, both, "profiles", list);
}

static hc_rc make_type(hc_batsim_scripts *s, const hc_batsim_facts *f, size_t *size, hc_value **out,
                       hc_error *e)
{
  switch (type_of(f)) {
    case DELAY: return make_delay(s, f, out, e);
    case PARALLEL: return make_parallel(s, f, out, e);
    case HOMOGENEOUS:
    case TOTAL:
    case SPREAD: return make_homogeneous(s, f, type_of(f), out, e);
    case PFS: return make_pfs(s, f, out, e);
    case STAGING: return make_staging(s, f, out, e);
    case SEQUENCE: return make_sequence(s, f, size, out, e);
    case USAGE: return make_trace(s, f, false, out, e);
    case SMPI: return make_trace(s, f, true, out, e);
    case TALK:
      return wrong(s, f, HC_EUNSUPPORTED,
                   "it talks with the scheduler (send, recv), which policies here do not: leave out its jobs",
                   e);
    case STRATEGY:
      return wrong(s, f, HC_EUNSUPPORTED,
                   "its `generation_strategy` is neither DefinedAmountsUsedForEachValue nor, but for "
                   "storage, DefinedAmountsSpreadUniformly",
                   e);
    case UNKNOWN: break;
  }
  return wrong(s, f, HC_EUNSUPPORTED,
               "its type is none of delay, parallel, parallel_homogeneous, parallel_homogeneous_total, "
               "parallel_homogeneous_pfs, data_staging, composed, usage_trace and smpi, nor one of these as "
               "Batsim 5 names it",
               e);
}

/* ---- texts ---- */

/* What a workload may have a million different ones of: delays and equal processes, whose options were looked
 * at here, are written without a tree, anew for each job. @return whether it is one of these; its text is in
 * s->text */
static bool write_plain(hc_batsim_scripts *s, const hc_batsim_facts *f)
{
  char time[48];
  hc_time delay = f->delay, *const times[] = {&delay};
  if (f->fails) return false;
  switch (type_of(f)) {
    case DELAY:
      if (!hc_reading_in_units(s->unit, times, 1)) return false;
      *hc_put_parts(time, delay, HC_SECOND) = '\0';
      hc_buffer_text(&s->text, "{\"use\":\"delay\",\"time\":");
      hc_buffer_text(&s->text, time);
      break;
    case HOMOGENEOUS:
      if (!is_fine(f->amounts[HC_BATSIM_CPU]) || !is_fine(f->amounts[HC_BATSIM_COM])) return false;
      hc_buffer_text(&s->text, "{\"use\":\"parallel_homogeneous\",\"cpu\":");
      hc_buffer_text(&s->text, f->amounts[HC_BATSIM_CPU]);
      hc_buffer_text(&s->text, ",\"com\":");
      hc_buffer_text(&s->text, f->amounts[HC_BATSIM_COM]);
      break;
    default: return false;
  }
  hc_buffer_text(&s->text, "}");
  return true;
}

/* Of a part of a sequence its tree is asked for, of a job's profile its text. Trees of sequences and of their
 * parts last; the tree of another, and what is only filled to be checked, goes with the next. */
static hc_rc make(hc_batsim_scripts *s, uint32_t id, hc_error *e)
{
  hc_batsim_script *x = &s->all[id];
  hc_batsim_facts f;
  hc_value *tree;
  hc_chosen unused;
  hc_error mine = {0};
  size_t size = 0;
  if (x->tree || (x->text && s->trees == &s->scratch)) return 0;
  hc_profiles_facts(s->profiles, id, &f);
  if (f.is_sequence) s->trees = &s->lasting;
  TRY(make_type(s, &f, &size, &tree, e));
  if (f.fails) TRY(make_failing(s, &tree));
  const hc_rc rc = s->book->resolve(s->book, &s->scratch, tree, &unused, &mine);
  if (rc < 0) return wrong(s, &f, rc, mine.text[0] ? mine.text : hc_rc_text(rc), e);
  s->text.size = 0;
  hc_value_write_json(tree, &s->text, false);
  if (s->text.failed) return HC_ENOMEM;
  if (s->text.size > HC_PROFILE_TEXT) return wrong(s, &f, HC_ELIMIT, "it is longer than 1 MiB", e);
  x->tree = s->trees == &s->lasting ? tree : NULL;
  x->size = s->text.size;
  if (x->text) return 0; /* as a job's own */
  x->text = hc_arena_text(&s->lasting, s->text.data, s->text.size);
  return x->text ? 0 : HC_ENOMEM;
}

/* Does a profile call a storage host so? */
static bool has_label(const hc_batsim_facts *f, const char *label, size_t n)
{
  static const char *const keys[] = {"storage", "host", "from", "to"};
  bool says = false;
  for (size_t i = 0; i < HC_ARRAY_LEN(keys); i++) {
    const hc_value *v = member(f, keys[i]);
    if (!v || v->kind != HC_VALUE_SCALAR) continue;
    says |= i < 2;
    if (strlen(v->text) == n && memcmp(v->text, label, n) == 0) return true;
  }
  return !says && type_of(f) == PFS && n == 3 && memcmp(label, "pfs", 3) == 0;
}

hc_rc hc_batsim_labels(const hc_batsim_scripts *s, hc_error *e)
{
  const char *const *items = s->mapping->items;
  for (size_t i = 0; i < s->mapping->count; i++) {
    const size_t n = strcspn(items[i], "=");
    bool is_there = false;
    for (uint32_t id = 0; id < s->profiles->names.count && !is_there; id++) {
      hc_batsim_facts f;
      hc_profiles_facts(s->profiles, id, &f);
      is_there = has_label(&f, items[i], n);
    }
    if (!is_there)
      return hc_fail(
          e, HC_EUSAGE, "source batsim", 0, 0,
          "storage_mapping: no profile of %.200s names the storage \"%.*s\"; correct the label, or "
          "leave it out",
          s->file, (int)HC_MIN(n, (size_t)80), items[i]);
  }
  return 0;
}

/* Profiles may come while a run goes on. */
static hc_rc room_for_all(hc_batsim_scripts *s)
{
  const size_t count = s->profiles->names.count;
  hc_batsim_script *all = hc_alloc(s->allocator, count * sizeof *all);
  if (!all) return HC_ENOMEM;
  if (s->count > 0) memcpy(all, s->all, s->count * sizeof *all);
  hc_free(s->allocator, s->all, s->count * sizeof *s->all);
  s->all = all;
  s->count = count;
  return 0;
}

hc_rc hc_batsim_script_of(hc_batsim_scripts *s, uint32_t id, const char **text, size_t *size, hc_error *e)
{
  hc_batsim_facts f;
  hc_profiles_facts(s->profiles, id, &f);
  s->text.size = 0;
  if (write_plain(s, &f)) {
    *text = s->text.data;
    *size = s->text.size;
    return s->text.failed ? HC_ENOMEM : 0;
  }
  if (s->count < s->profiles->names.count) TRY(room_for_all(s));
  hc_arena_reset(&s->scratch);
  s->trees = &s->scratch;
  TRY(make(s, id, e));
  *text = s->all[id].text;
  *size = s->all[id].size;
  return 0;
}
