/* batsim_profiles.c -- the profiles of a Batsim workload, as far as they are a length of time.
 *
 * A delay is its length; a sequence of such is their sum, as often as it repeats, up to the first part that
 * fails (`ret` other than 0). A sequence with one part of any other type is of another type itself. A
 * sequence may name what is defined behind it, so sums are made when everything is read, each once.
 *
 * Names of both generations are known: `delay` and `DelayProfile`, `composed` and
 * `SequentialCompositionProfile`. Members that are not looked at are passed over. What other types say is
 * kept for those that carry profiles out: work and bytes, which a workload may have by the million, as their
 * texts, all else as trees. Memory: 88 bytes a profile, its name, 4 bytes for each part.
 * Source: Batsim 4.2.1 and 5.0.0-rc2. */
#include "workload/batsim_profiles.h"

#include <string.h>

#include "base/text.h"
#include "base/util.h"

#define NESTING 64 /* sequences within each other */

struct hc_batsim_profile {
  hc_time time; /* of a delay, of one round of a sequence; once resolved, of all */
  hc_time delay;
  int64_t repeat;
  const char *type;
  const char *amounts[HC_BATSIM_AMOUNTS]; /* of other types, if they are kept; as in hc_batsim_facts */
  hc_value *members;
  size_t first_child;
  uint32_t child_count, line, column;
  uint8_t kind;    /* hc_profile_kind */
  uint8_t written; /* the kind, before sums are made */
  bool fails, fails_itself;
  bool under_way, done;
};

void hc_profiles_init(hc_profiles *p, const hc_allocator *a)
{
  *p = (hc_profiles){.allocator = a};
  hc_names_init(&p->names, a, HC_PROFILE_LIMIT);
  hc_arena_init(&p->kept, a);
}

void hc_profiles_fini(hc_profiles *p)
{
  hc_names_fini(&p->names);
  hc_arena_fini(&p->kept);
  hc_free(p->allocator, p->all, p->cap * sizeof *p->all);
  hc_free(p->allocator, p->children, p->child_cap * sizeof *p->children);
}

hc_rc hc_profiles_id(hc_profiles *p, const hc_json *j, const hc_json_token *name, uint32_t *id, hc_error *e)
{
  const size_t before = p->names.count;
  const hc_rc rc = hc_names_add(&p->names, name->text, name->size, id);
  if (rc == HC_ELIMIT)
    return hc_fail(e, HC_EINPUT, hc_json_name(j), name->line, name->column,
                   "more than 16,777,216 profiles are named: split the workload");
  TRY(rc);
  if (p->names.count == before) return 0;
  TRY(hc_reserve(p->allocator, (void **)&p->all, &p->cap, p->names.count, sizeof *p->all));
  p->all[*id] = (hc_batsim_profile){.repeat = 1};
  return 0;
}

/* ---- reading ---- */

/* What one profile's members say. */
typedef struct members {
  hc_time delay;
  bool has_delay, has_seq, bad_delay, bad_repeat, bad_seq;
} members;

static hc_rc read_children(hc_profiles *p, hc_json *j, hc_batsim_profile *f, members *m, hc_error *e)
{
  hc_json_token t;
  hc_rc rc;
  f->first_child = p->child_count;
  while ((rc = hc_json_next(j, &t, e)) == 1) {
    uint32_t id;
    if (t.kind != HC_JSON_STRING) {
      m->bad_seq = true;
      TRY(hc_json_skip(j, &t, e));
      continue;
    }
    TRY(hc_profiles_id(p, j, &t, &id, e));
    TRY(hc_reserve(p->allocator, (void **)&p->children, &p->child_cap, p->child_count + 1,
                   sizeof *p->children));
    p->children[p->child_count++] = id;
  }
  f->child_count = (uint32_t)(p->child_count - f->first_child);
  return rc;
}

static uint8_t kind_of(const hc_json_token *t)
{
  const char *const delays[] = {"delay", "DelayProfile"};
  const char *const sequences[] = {"composed", "SequentialCompositionProfile"};
  for (size_t i = 0; t->kind == HC_JSON_STRING && i < HC_ARRAY_LEN(delays); i++) {
    if (strcmp(t->text, delays[i]) == 0) return HC_PROFILE_DELAY;
    if (strcmp(t->text, sequences[i]) == 0) return HC_PROFILE_SEQUENCE;
  }
  return HC_PROFILE_OTHER;
}

/* A value as a tree. Nesting is bounded where tokens are read. */
static hc_rc read_tree(hc_profiles *p, hc_json *j, const hc_json_token *first, hc_value **out, hc_error *e)
{
  static const char *const words[] = {"null", "false", "true"};
  const hc_json_token t = *first;
  hc_json_token item;
  hc_rc rc;
  const bool is_word = t.kind <= HC_JSON_TRUE;
  hc_value *v = t.kind == HC_JSON_OBJECT
                    ? hc_value_map(&p->kept)
                    : hc_value_scalar(&p->kept, is_word ? words[t.kind] : t.text, HC_FROM_FILE);
  if (!v) return HC_ENOMEM;
  *out = v;
  v->line = t.line;
  v->column = t.column;
  v->quoted = t.kind == HC_JSON_STRING;
  if (t.kind != HC_JSON_OBJECT && t.kind != HC_JSON_ARRAY) return 0;
  v->kind = t.kind == HC_JSON_OBJECT ? HC_VALUE_MAP : HC_VALUE_LIST;
  while ((rc = hc_json_next(j, &item, e)) == 1) {
    hc_value *part;
    const char *key = NULL;
    if (item.kind == HC_JSON_KEY) {
      key = hc_arena_text(&p->kept, item.text, item.size);
      if (!key) return HC_ENOMEM;
      TRY(hc_json_next(j, &item, e));
    }
    TRY(read_tree(p, j, &item, &part, e));
    TRY(key ? hc_value_put(&p->kept, v, key, part) : hc_value_append(&p->kept, v, part));
  }
  return rc;
}

/* What only those that carry profiles out want to know: amounts first. */
static const char *const others[] = {
    "cpu", "com", "bytes_to_read", "bytes_to_write",      "storage",    "host",    "nb_bytes",
    "from", "to", "trace",         "generation_strategy", "trace_type", "filename"};

/* A text that is kept; often it is that of the profile before. */
static hc_rc keep_text(hc_profiles *p, const hc_json_token *t, const char **last, const char **out)
{
  if (!*last || strcmp(*last, t->text) != 0) *last = hc_arena_text(&p->kept, t->text, t->size);
  *out = *last;
  return *last ? 0 : HC_ENOMEM;
}

static hc_rc keep_member(hc_profiles *p, hc_json *j, hc_batsim_profile *f, size_t which,
                         const hc_json_token *t, hc_error *e)
{
  hc_value *v;
  if (which < HC_BATSIM_AMOUNTS) f->amounts[which] = NULL; /* what is said last counts */
  if (which < HC_BATSIM_AMOUNTS && t->kind == HC_JSON_NUMBER)
    return keep_text(p, t, &p->last_amounts[which], &f->amounts[which]);
  if (!f->members) f->members = hc_value_map(&p->kept);
  if (!f->members) return HC_ENOMEM;
  TRY(read_tree(p, j, t, &v, e));
  return hc_value_put(&p->kept, f->members, others[which], v);
}

static hc_rc read_members(hc_profiles *p, hc_json *j, hc_batsim_profile *f, members *m, hc_error *e)
{
  enum { TYPE, DELAY, REPEAT, SEQ, RET, NONE, ALL = NONE + HC_ARRAY_LEN(others) };
  static const char *const known[] = {
      "type",     "delay",         "repeat",         "seq",     "ret",  "cpu",
      "com",      "bytes_to_read", "bytes_to_write", "storage", "host", "nb_bytes",
      "from",     "to",            "trace",          "generation_strategy",
      "trace_type", "filename"};
  hc_json_token t;
  hc_rc rc;
  size_t which;
  while ((rc = hc_json_member(j, known, p->keeps ? ALL : NONE, &which, &t, e)) == 1) {
    int64_t ret = 0;
    const bool is_number = t.kind == HC_JSON_NUMBER;
    if (which >= NONE && which < ALL && p->keeps) {
      TRY(keep_member(p, j, f, which - NONE, &t, e));
      continue;
    }
    if (which == TYPE) {
      f->kind = kind_of(&t);
      if (p->keeps) TRY(keep_text(p, &t, &p->last_type, &f->type));
    }
    if (which == DELAY) {
      m->has_delay = true;
      m->bad_delay = !is_number || hc_parse_seconds(t.text, t.size, &m->delay) < 0 || m->delay < 0;
    }
    if (which == REPEAT)
      m->bad_repeat = !is_number || hc_parse_int(t.text, t.size, &f->repeat) < 0 || f->repeat < 1;
    if (which == RET) f->fails = is_number && (hc_parse_int(t.text, t.size, &ret) < 0 || ret != 0);
    if (which == SEQ && t.kind == HC_JSON_ARRAY) {
      m->has_seq = true;
      TRY(read_children(p, j, f, m, e));
    } else {
      TRY(hc_json_skip(j, &t, e));
    }
  }
  return rc;
}

static const char *what_is_wrong(const hc_batsim_profile *f, const members *m)
{
  if (f->kind == HC_PROFILE_DELAY) {
    if (!m->has_delay || m->bad_delay)
      return "a delay needs `delay`, a number of seconds that is not negative";
    if (m->delay == HC_NEVER) return "its `delay` is longer than 292 years, the longest time there is";
  }
  if (f->kind == HC_PROFILE_SEQUENCE) {
    if (!m->has_seq || m->bad_seq) return "a sequence needs `seq`, a list of the names of other profiles";
    if (m->bad_repeat) return "`repeat` must be a whole number from 1 on";
  }
  return NULL;
}

static hc_rc read_one(hc_profiles *p, hc_json *j, uint32_t id, const hc_json_token *key, hc_error *e)
{
  hc_batsim_profile f = {.repeat = 1, .kind = HC_PROFILE_OTHER, .line = key->line, .column = key->column};
  members m = {0};
  hc_json_token t;
  const char *what;
  TRY(hc_json_next(j, &t, e));
  if (t.kind != HC_JSON_OBJECT)
    return hc_fail(e, HC_EINPUT, hc_json_name(j), t.line, t.column,
                   "a profile is an object: {\"type\": \"delay\", \"delay\": 10}");
  TRY(read_members(p, j, &f, &m, e));
  what = what_is_wrong(&f, &m);
  if (what)
    return hc_fail(e, HC_EINPUT, hc_json_name(j), f.line, f.column, "profile \"%.60s\": %s",
                   p->names.names[id], what);
  f.time = f.delay = m.delay;
  f.written = f.kind;
  f.fails_itself = f.fails;
  p->all[id] = f;
  return 0;
}

hc_rc hc_profiles_read(hc_profiles *p, hc_json *j, hc_error *e)
{
  hc_json_token key;
  hc_rc rc;
  while ((rc = hc_json_next(j, &key, e)) == 1) {
    uint32_t id;
    TRY(hc_profiles_id(p, j, &key, &id, e));
    if (p->all[id].kind != HC_PROFILE_UNDEFINED)
      return hc_fail(e, HC_EINPUT, hc_json_name(j), key.line, key.column,
                     "profile \"%.60s\" is defined a second time, first in line %u; rename one",
                     p->names.names[id], p->all[id].line);
    TRY(read_one(p, j, id, &key, e));
  }
  return rc;
}

/* ---- sums ---- */

static hc_rc broken(const hc_profiles *p, uint32_t id, const char *name, const char *what, uint32_t part,
                    hc_error *e)
{
  const hc_batsim_profile *f = &p->all[id];
  return hc_fail(e, HC_EINPUT, name, f->line, f->column, "profile \"%.60s\" %s \"%.60s\"", p->names.names[id],
                 what, p->names.names[part]);
}

static hc_time times(hc_time t, int64_t n)
{
  hc_time product;
  return t == HC_NEVER || __builtin_mul_overflow(t, n, &product) ? HC_NEVER : product;
}

static hc_rc resolve(hc_profiles *p, uint32_t id, int level, const char *name, hc_error *e)
{
  hc_batsim_profile *f = &p->all[id];
  bool stopped = false;
  if (f->done || f->kind != HC_PROFILE_SEQUENCE) return 0;
  f->under_way = true;
  for (size_t i = 0; i < f->child_count; i++) {
    const uint32_t part = p->children[f->first_child + i];
    const hc_batsim_profile *c = &p->all[part];
    if (c->kind == HC_PROFILE_UNDEFINED)
      return broken(p, id, name, "names one that is not defined:", part, e);
    if (c->under_way) return broken(p, id, name, "contains itself, by way of", part, e);
    if (level == NESTING && c->kind == HC_PROFILE_SEQUENCE && !c->done)
      return broken(p, id, name, "is nested deeper than 64 levels, with", part, e);
    TRY(resolve(p, part, level + 1, name, e));
    if (c->kind == HC_PROFILE_OTHER) f->kind = HC_PROFILE_OTHER;
    if (stopped) continue;
    f->time = hc_time_add(f->time, c->time);
    stopped = c->fails;
  }
  f->under_way = false;
  f->done = true;
  if (f->kind == HC_PROFILE_OTHER) return 0;
  f->kind = HC_PROFILE_DELAY;
  if (!stopped) f->time = times(f->time, f->repeat);
  f->fails = f->fails || stopped;
  if (f->time == HC_NEVER)
    return broken(p, id, name, "takes longer than 292 years, the longest time there is:", id, e);
  return 0;
}

hc_rc hc_profiles_resolve(hc_profiles *p, const char *name, hc_error *e)
{
  for (size_t id = 0; id < p->names.count; id++) TRY(resolve(p, (uint32_t)id, 1, name, e));
  return 0;
}

hc_profile_kind hc_profiles_get(const hc_profiles *p, uint32_t id, hc_time *time, bool *fails)
{
  *time = p->all[id].time;
  *fails = p->all[id].fails;
  return (hc_profile_kind)p->all[id].kind;
}

void hc_profiles_facts(const hc_profiles *p, uint32_t id, hc_batsim_facts *out)
{
  const hc_batsim_profile *f = &p->all[id];
  *out = (hc_batsim_facts){.name = p->names.names[id],
                           .type = f->type,
                           .amounts = {f->amounts[0], f->amounts[1]},
                           .members = f->members,
                           .delay = f->delay,
                           .repeat = f->repeat,
                           .parts = p->children + f->first_child,
                           .part_count = f->child_count,
                           .line = f->line,
                           .column = f->column,
                           .is_delay = f->written == HC_PROFILE_DELAY,
                           .is_sequence = f->written == HC_PROFILE_SEQUENCE,
                           .fails = f->fails_itself};
}
