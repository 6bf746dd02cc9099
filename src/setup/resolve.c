/* resolve.c -- from a tree of values to the filled options of components, by the components' own tables.
 *
 * For each parameter, in the order of its table: what was written; else what the preset says for that
 * component; else the table's default, spelt as a user would spell it. All three take the same way through
 * here, so a default that is out of its own range is found like a user's mistake. A map without `use` is
 * laid on the default of the parameter that it is for: `select: {depth: 2}` changes the depth of whatever
 * `select` is by default. Where there is no default and the kind has exactly one component, or one that is
 * called as the kind, it is that one's: `classes: [{name: c, count: 5}]`.
 *
 * Every decided key is told to the resolver's `record`: its path, its value as a user would write it, the
 * value that it would have if nothing was said, its origin. Feeding these records back as settings gives the
 * same options. Cost: O(keys x parameters of a component).
 *
 * What a key is by default follows from the tables alone, never from a preset: beside each value stands
 * `usual`, what would have been there. Inside a component that is the usual one, the usual values are those
 * that the default lays into it (`{use: easy, depth: 2}`); inside another one they are those of its own
 * table. A list is the usual one as a whole or not at all: an item of another list has no default. So what
 * is not at its default tells, with the tables, all the rest. */
#include <string.h>

#include <inttypes.h>

#include "base/text.h"
#include "base/util.h"
#include "setup/shorthand.h"

#define DEPTH_LIMIT 32     /* components inside components; also ends a default that names itself */
#define LIST_LIMIT 100000u /* items of one list */
#define NAMES_SHOWN 16u    /* more known names than this are not listed in an error */

/* What is decided at one place: what is said there, and what would be there if nothing was said; NULL: it
 * has no default, or none is asked for. */
typedef struct said {
  const hc_value *value, *usual;
} said;

static hc_rc resolve_options(const hc_resolver *r, const hc_component *type, said v, const char *path,
                             int depth, void **options, hc_error *e);
static hc_rc resolve_chosen(const hc_resolver *r, hc_kind kind, said v, const char *path, int depth,
                            hc_chosen *out, hc_error *e);

static hc_rc no_memory(hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory while the configuration was resolved");
}

static hc_rc tell(const hc_resolver *r, hc_key key)
{
  return r->record ? r->record(r->record_ctx, &key) : 0;
}

/* A key without a value, and an empty text from a flag, count as not written. */
static bool is_absent(const hc_value *v)
{
  return !v || v->kind == HC_VALUE_NULL || (v->kind == HC_VALUE_SCALAR && !v->quoted && v->text[0] == '\0');
}

static const char *join(const hc_resolver *r, const char *path, const char *name)
{
  const size_t n = strlen(path), m = strlen(name);
  char *text;
  if (n == 0) return name;
  text = hc_arena_alloc(r->arena, n + m + 2);
  if (!text) return NULL;
  memcpy(text, path, n);
  text[n] = '.';
  memcpy(text + n + 1, name, m);
  return text;
}

/* An item of a list, whose path is not empty. */
static const char *numbered(const hc_resolver *r, const char *path, size_t i)
{
  char digits[24], *at = digits + sizeof digits - 1;
  *at = '\0';
  do *--at = (char)('0' + i % 10);
  while ((i /= 10) > 0);
  return join(r, path, at);
}

/* ---- what was expected ---- */

static bool in_range(const hc_param *p, double x)
{
  return (p->min == 0 && p->max == 0) || (x >= p->min && x <= p->max);
}

static const char *range_text(const hc_resolver *r, const hc_param *p)
{
  char low[32], high[32];
  bool has_low = p->min > -1e15, has_high = p->max < 9e15;
  if (p->min == 0 && p->max == 0) return "";
  (void)hc_format_real(p->min, low);
  (void)hc_format_real(p->max, high);
  if (p->type == HC_TIME) has_high = p->max < 9e9; /* seconds: beyond that lies never */
  if (p->type == HC_TIME && has_low && p->min > 0 && p->min < 1e-6) return ", more than 0";
  if (has_low && has_high) return hc_arena_printf(r->arena, " from %s to %s", low, high);
  if (has_low) return hc_arena_printf(r->arena, ", at least %s", low);
  if (has_high) return hc_arena_printf(r->arena, ", at most %s", high);
  return "";
}

/* "a|b|c" as "a, b, c". */
static const char *choices_text(const hc_resolver *r, const hc_param *p)
{
  hc_buffer b;
  const char *text;
  hc_buffer_init(&b, r->arena->allocator);
  for (const char *s = p->choices; *s; s++) {
    if (*s == '|') hc_buffer_text(&b, ", ");
    else hc_buffer_add(&b, s, 1);
  }
  text = b.failed ? NULL : hc_arena_text(r->arena, b.data ? b.data : "", b.size);
  hc_buffer_fini(&b);
  return text;
}

static const char *expected_text(const hc_resolver *r, const hc_param *p)
{
  const char *unit = p->unit && strcmp(p->unit, "1") != 0 ? hc_arena_printf(r->arena, " (%s)", p->unit) : "";
  const char *range = range_text(r, p);
  switch (p->type) {
    case HC_INT: return hc_arena_printf(r->arena, "a whole number%s%s", unit, range);
    case HC_REAL:
      if (hc_amount_examples(p->unit))
        return hc_arena_printf(r->arena, "an amount (%s)%s", hc_amount_examples(p->unit), range);
      return hc_arena_printf(r->arena, "a number%s%s", unit, range);
    case HC_TIME: /* what is bounded is not never */
      return hc_arena_printf(r->arena, "a time (90s, 1h30m, 2d%s, or a number of seconds)%s",
                             in_range(p, (double)HC_NEVER / 1e9) ? ", never" : "", range);
    case HC_SIZE: return hc_arena_printf(r->arena, "a size (64MiB, 1GB, or a number of bytes)%s", range);
    case HC_BOOL: return "true or false";
    case HC_TEXT: return "a text";
    case HC_CHOICE: return hc_arena_printf(r->arena, "one of %s", choices_text(r, p));
    case HC_COMPONENT:
      return hc_arena_printf(r->arena, "the name of a component of kind %s",
                             hc_kind_name(r->registry, p->kind));
  }
  return "another type";
}

static hc_rc not_expected(const hc_resolver *r, const hc_param *p, const char *path, const hc_value *v,
                          hc_error *e)
{
  const char *expected = expected_text(r, p), *got = "nothing";
  if (v->kind == HC_VALUE_MAP) got = "a map";
  if (v->kind == HC_VALUE_LIST) got = v->count == 0 ? "an empty list" : "a list";
  if (v->kind == HC_VALUE_SCALAR)
    got = hc_arena_printf(r->arena, "\"%.80s\"%s", v->text, v->quoted ? " in quotes" : "");
  if (!expected || !got) return no_memory(e);
  return hc_value_fail(v, e, HC_EUSAGE, "%s: expected %s, got %s", path, expected, got);
}

/* ---- scalars ---- */

/* How near a misspelling may be: a third of the word, three edits at most. */
static size_t near_limit(const char *word)
{
  size_t n = (strlen(word) + 2) / 3;
  return HC_MIN(n, 3);
}

/* Index of a word in "a|b|c", or -1. `near` is the choice nearest to the word, NULL if none is near. */
static int find_choice(const hc_resolver *r, const hc_param *p, const char *word, const char **near)
{
  size_t best = near_limit(word) + 1;
  int i = 0;
  *near = NULL;
  for (const char *s = p->choices;; i++) {
    size_t n = strcspn(s, "|");
    const char *choice = hc_arena_text(r->arena, s, n);
    size_t distance;
    if (!choice) return -2;
    if (strcmp(choice, word) == 0) return i;
    distance = hc_edit_distance(word, choice, best);
    if (distance < best) {
      best = distance;
      *near = choice;
    }
    if (s[n] == '\0') return -1;
    s += n + 1;
  }
}

/* Tables may spell "not known" as a default; then users may write it too. */
static bool is_unknown_word(const hc_param *p, const char *text)
{
  return p->fallback && strcmp(p->fallback, "unknown") == 0 && strcmp(text, "unknown") == 0;
}

static hc_rc too_long(const hc_param *p, const char *path, const hc_value *v, double seconds, hc_error *e)
{
  char given[32], most[32];
  given[hc_format_real(seconds, given)] = '\0';
  most[hc_format_real(p->max, most)] = '\0';
  return hc_value_fail(v, e, HC_EUSAGE, "%s: \"%.80s\" is %s s, which is too long: at most %s s", path,
                       v->text, given, most);
}

/* Int, time and size: all int64_t. */
static hc_rc read_whole(const hc_resolver *r, const hc_param *p, const char *path, const hc_value *v,
                        int64_t *out, const char **spelt, hc_error *e)
{
  size_t n = strlen(v->text);
  char buffer[32];
  int64_t x = HC_UNKNOWN;
  double amount;
  hc_rc rc;
  *spelt = "unknown";
  *out = x;
  if (is_unknown_word(p, v->text)) return 0;
  if (p->type == HC_INT) rc = v->quoted ? HC_EINPUT : hc_parse_int(v->text, n, &x);
  else rc = p->type == HC_TIME ? hc_parse_time(v->text, n, &x) : hc_parse_size(v->text, n, &x);
  amount = p->type == HC_TIME ? (double)x / 1e9 : (double)x;
  if (rc == 0 && p->type == HC_TIME && x != HC_NEVER && p->max != 0 && amount > p->max)
    return too_long(p, path, v, amount, e);
  if (rc < 0 || !in_range(p, amount)) return not_expected(r, p, path, v, e);
  *out = x;
  if (!r->record) return 0; /* how it is spelt is not told */
  if (p->type == HC_TIME) (void)hc_format_seconds(x, buffer);
  *spelt = p->type == HC_TIME ? hc_arena_text(r->arena, buffer, strlen(buffer))
                              : hc_arena_printf(r->arena, "%" PRId64, x);
  return *spelt ? 0 : no_memory(e);
}

static hc_rc read_real(const hc_resolver *r, const hc_param *p, const char *path, const hc_value *v,
                       double *out, const char **spelt, hc_error *e)
{
  char buffer[32];
  const bool is_amount = hc_amount_examples(p->unit) != NULL; /* may be quoted, as sizes may */
  if ((v->quoted && !is_amount) || hc_parse_amount(v->text, strlen(v->text), p->unit, out) < 0 ||
      !in_range(p, *out))
    return not_expected(r, p, path, v, e);
  *spelt = "";
  if (!r->record) return 0;
  (void)hc_format_real(*out, buffer);
  *spelt = hc_arena_text(r->arena, buffer, strlen(buffer));
  return *spelt ? 0 : no_memory(e);
}

static hc_rc read_choice(const hc_resolver *r, const hc_param *p, const char *path, const hc_value *v,
                         int *out, const char **spelt, hc_error *e)
{
  const char *near, *choices;
  int i = find_choice(r, p, v->text, &near);
  if (i == -2) return no_memory(e);
  if (i < 0 && !near) return not_expected(r, p, path, v, e);
  if (i < 0) {
    choices = choices_text(r, p);
    if (!choices) return no_memory(e);
    return hc_value_fail(v, e, HC_EUSAGE, "%s: expected one of %s, got \"%.80s\"; did you mean \"%s\"?", path,
                         choices, v->text, near);
  }
  *out = i;
  *spelt = v->text;
  return 0;
}

/* Read one scalar into the member of the options struct that `slot` is. */
static hc_rc read_scalar(const hc_resolver *r, const hc_param *p, const char *path, const hc_value *v,
                         void *slot, const char **spelt, hc_error *e)
{
  if (v->kind != HC_VALUE_SCALAR) return not_expected(r, p, path, v, e);
  switch (p->type) {
    case HC_INT:
    case HC_TIME:
    case HC_SIZE: return read_whole(r, p, path, v, slot, spelt, e);
    case HC_REAL: return read_real(r, p, path, v, slot, spelt, e);
    case HC_CHOICE: return read_choice(r, p, path, v, slot, spelt, e);
    case HC_BOOL:
      if (v->quoted || hc_parse_bool(v->text, strlen(v->text), slot) < 0)
        return not_expected(r, p, path, v, e);
      *spelt = *(bool *)slot ? "true" : "false";
      return 0;
    case HC_TEXT:
      *spelt = hc_arena_text(r->arena, v->text, strlen(v->text));
      if (!*spelt) return no_memory(e);
      *(const char **)slot = *spelt;
      return 0;
    case HC_COMPONENT: break;
  }
  return not_expected(r, p, path, v, e);
}

/* ---- values ---- */

static size_t item_size(hc_type t)
{
  switch (t) {
    case HC_INT:
    case HC_SIZE: return sizeof(int64_t);
    case HC_REAL: return sizeof(double);
    case HC_TIME: return sizeof(hc_time);
    case HC_BOOL: return sizeof(bool);
    case HC_TEXT: return sizeof(const char *);
    case HC_CHOICE: return sizeof(int);
    case HC_COMPONENT: return sizeof(hc_chosen);
  }
  return 0;
}

static hc_rc resolve_item(const hc_resolver *r, const hc_param *p, said v, const char *path, int depth,
                          void *slot, hc_error *e)
{
  const char *spelt = "", *usual = NULL;
  if (p->type == HC_COMPONENT) return resolve_chosen(r, p->kind, v, path, depth, slot, e);
  TRY(read_scalar(r, p, path, v.value, slot, &spelt, e));
  if (v.usual == v.value) {
    usual = spelt;
  } else if (v.usual) {
    union {
      int64_t whole;
      double real;
      const char *text;
    } unused;
    TRY(read_scalar(r, p, path, v.usual, &unused, &usual, e));
  }
  return tell(r, (hc_key){path, spelt, usual, v.value->origin, hc_param_names_files(p)});
}

/* Settings such as `source.0.file=x` make a map whose keys are 0, 1, 2 ...: a list by another spelling. */
static bool is_numbered(const hc_value *v)
{
  if (v->kind != HC_VALUE_MAP || v->count == 0) return false;
  for (size_t i = 0; i < v->count; i++) {
    int64_t n;
    if (hc_parse_int(v->items[i]->key, strlen(v->items[i]->key), &n) < 0 || n != (int64_t)i) return false;
  }
  return true;
}

static bool is_empty_list(const hc_value *v)
{
  return (v->kind == HC_VALUE_LIST && v->count == 0) ||
         (v->kind == HC_VALUE_SCALAR && !v->quoted && strcmp(v->text, "[]") == 0);
}

static hc_rc resolve_items(const hc_resolver *r, const hc_param *p, const hc_value *v, bool is_usual,
                           const char *path, int depth, hc_list *out, hc_error *e)
{
  bool many = v->kind == HC_VALUE_LIST || is_numbered(v);
  size_t size = item_size(p->type);
  out->count = many ? v->count : 1;
  if (out->count > LIST_LIMIT)
    return hc_value_fail(v, e, HC_ELIMIT, "%s: a list of %zu items; at most %u are taken", path, out->count,
                         LIST_LIMIT);
  out->items = hc_arena_alloc(r->arena, out->count * size);
  if (!out->items) return no_memory(e);
  for (size_t i = 0; i < out->count; i++) {
    const hc_value *item = many ? v->items[i] : v;
    const char *at = numbered(r, path, i);
    if (!at) return no_memory(e);
    if (is_absent(item)) return not_expected(r, p, at, item, e);
    TRY(resolve_item(r, p, (said){item, is_usual ? item : NULL}, at, depth, (char *)out->items + i * size,
                     e));
  }
  return 0;
}

static hc_rc hash_told(void *ctx, const hc_key *key)
{
  hc_hash_add(ctx, key->path, strlen(key->path) + 1);
  hc_hash_add(ctx, key->value, strlen(key->value) + 1);
  return 0;
}

/* Of what a list tells when it is resolved. */
static hc_rc checksum_of(const hc_resolver *r, const hc_param *p, const hc_value *v, const char *path,
                         int depth, uint64_t out[2], hc_error *e)
{
  hc_resolver aside = *r;
  hc_list unused = {0};
  hc_hash h;
  hc_hash_init(&h);
  aside.record = hash_told;
  aside.record_ctx = &h;
  TRY(resolve_items(&aside, p, v, false, path, depth, &unused, e));
  hc_hash_end(&h, out);
  return 0;
}

static hc_rc resolve_list(const hc_resolver *r, const hc_param *p, said v, const char *path, int depth,
                          hc_list *out, hc_error *e)
{
  const bool usually_empty = is_absent(v.usual) || is_empty_list(v.usual);
  bool is_usual = v.usual == v.value;
  if (is_empty_list(v.value))
    return tell(r, (hc_key){path, "[]", usually_empty ? "[]" : NULL, v.value->origin, false});
  if (r->record && !is_usual && !usually_empty) {
    uint64_t its[2], usual[2];
    TRY(checksum_of(r, p, v.value, path, depth, its, e));
    TRY(checksum_of(r, p, v.usual, path, depth, usual, e));
    is_usual = its[0] == usual[0] && its[1] == usual[1];
  }
  return resolve_items(r, p, v.value, is_usual, path, depth, out, e);
}

/* ---- parameters ---- */

/* A text of a table or preset as a value: a scalar, or flow YAML; "a, b" will do for a list. */
static hc_rc parse_spelt(const hc_resolver *r, const hc_component *owner, const hc_param *p, const char *text,
                         hc_origin origin, hc_value **out, hc_error *e)
{
  bool is_flow = text[0] == '[' || text[0] == '{';
  if (p->list && !is_flow && strchr(text, ',')) {
    text = hc_arena_printf(r->arena, "[%s]", text);
    if (!text) return no_memory(e);
    is_flow = true;
  }
  if (is_flow) {
    const char *where =
        hc_arena_printf(r->arena, "default of %s %s", hc_kind_name(r->registry, owner->kind), owner->name);
    if (!where) return no_memory(e);
    TRY(hc_value_parse(r->arena, text, strlen(text), where, out, e));
  } else {
    *out = hc_value_scalar(r->arena, text, origin);
    if (!*out) return no_memory(e);
  }
  hc_shorthand_mark(*out, origin);
  return 0;
}

/* The same, from the defaults that were parsed before if there are such. */
static hc_rc spelt_value(const hc_resolver *r, const hc_component *owner, const hc_param *p, const char *text,
                         hc_origin origin, hc_value **out, hc_error *e)
{
  hc_defaults *d = r->defaults;
  const uint64_t place = (uint64_t)(uintptr_t)text * 2 + p->list;
  hc_resolver lasting = *r;
  uint32_t at;
  if (!d) return parse_spelt(r, owner, p, text, origin, out, e);
  at = hc_map_get(&d->places, place);
  if (at != HC_MAP_NONE) {
    *out = d->values[at];
    return 0;
  }
  lasting.arena = &d->arena;
  TRY(parse_spelt(&lasting, owner, p, text, origin, out, e));
  if (hc_reserve(d->arena.allocator, (void **)&d->values, &d->cap, d->count + 1, sizeof *d->values) < 0 ||
      hc_map_set(&d->places, place, (uint32_t)d->count) < 0)
    return no_memory(e);
  d->values[d->count++] = *out;
  return 0;
}

/* What a parameter is if it was not written: from the preset, or from its table. NULL: absent. */
static hc_rc default_value(const hc_resolver *r, const hc_component *owner, const hc_param *p, hc_value **out,
                           hc_error *e)
{
  const hc_compat_type *preset = (const hc_compat_type *)r->compat;
  *out = NULL;
  for (const hc_preset_entry *x = preset ? preset->entries : NULL; x && x->component; x++) {
    if (strcmp(x->component, owner->name) != 0 || strcmp(x->param, p->name) != 0) continue;
    return spelt_value(r, owner, p, x->value, HC_FROM_COMPAT, out, e);
  }
  return p->fallback ? spelt_value(r, owner, p, p->fallback, HC_FROM_DEFAULT, out, e) : 0;
}

/* What only a run of several sources can say. */
static bool is_of_several(const hc_component *owner, const hc_param *p)
{
  return owner->kind == HC_KIND_RUN && (strcmp(p->name, "users") == 0 || strcmp(p->name, "prefix") == 0);
}

/* NULL: nothing is. */
static hc_value *written(const hc_value *map, const hc_param *p)
{
  return map && map->kind == HC_VALUE_MAP ? hc_value_get(map, p->name) : NULL;
}

/* What a parameter of `map` is: what is written there, or its default, or, of a component of which only some
 * keys are written, these laid upon its default. */
static hc_rc value_of(const hc_resolver *r, const hc_component *owner, const hc_param *p, const hc_value *map,
                      const hc_value **out, hc_error *e)
{
  hc_value *v = written(map, p), *fallback = NULL;
  const bool is_partial = !is_absent(v) && p->type == HC_COMPONENT && !p->list && v->kind == HC_VALUE_MAP &&
                          !hc_value_get(v, "use");
  *out = v;
  if (!is_absent(v) && !is_partial) return 0;
  TRY(default_value(r, owner, p, &fallback, e));
  if (!is_partial) {
    *out = fallback;
  } else if (!is_absent(fallback)) {
    hc_value *under = hc_shorthand_map(r->arena, fallback);
    *out = under ? hc_value_merge(r->arena, under, v) : NULL;
    if (!*out) return no_memory(e);
  }
  return 0;
}

/* Both. One that is not heard of is not looked for; a preset changes values, and not what is usual. */
static hc_rc both_values(const hc_resolver *r, const hc_component *owner, const hc_param *p, said of,
                         said *out, hc_error *e)
{
  hc_resolver plain = *r;
  TRY(value_of(r, owner, p, of.value, &out->value, e));
  if (!r->record) return 0;
  plain.compat = NULL;
  if (!r->compat && is_absent(written(of.value, p)) && is_absent(written(of.usual, p))) {
    out->usual = out->value; /* both are what the table says */
    return 0;
  }
  return value_of(&plain, owner, p, of.usual, &out->usual, e);
}

static hc_rc resolve_param(const hc_resolver *r, const hc_component *owner, const hc_param *p, said of,
                           const char *path, int depth, void *options, hc_error *e)
{
  void *slot = (char *)options + p->offset;
  said v = {NULL, NULL};
  TRY(both_values(r, owner, p, of, &v, e));
  path = join(r, path, p->name);
  if (!path) return no_memory(e);
  if (is_absent(v.usual)) v.usual = NULL;
  if (is_absent(v.value)) {
    const char *none = p->list ? "[]" : "";
    if (p->type == HC_TIME && !p->list) *(hc_time *)slot = HC_UNKNOWN;
    if (p->kind == HC_KIND_WORLD || p->kind == HC_KIND_RESERVATION || p->kind == HC_KIND_SETTING ||
        is_of_several(owner, p))
      return 0; /* most runs have none, and then do not list it */
    return tell(r, (hc_key){path, none, v.usual ? NULL : none, HC_FROM_DEFAULT, false});
  }
  if (p->list) return resolve_list(r, p, v, path, depth, slot, e);
  return resolve_item(r, p, v, path, depth, slot, e);
}

/* ---- components ---- */

static const hc_param *find_param(const hc_component *type, const char *name)
{
  for (const hc_param *p = type->params; p && p->name; p++) {
    if (strcmp(p->name, name) == 0) return p;
  }
  return NULL;
}

/* "; did you mean ...?" or the list of what there is. */
static void add_known_keys(hc_buffer *b, const hc_component *type, const char *word)
{
  const char *near = NULL;
  size_t best = near_limit(word) + 1, count = 0;
  for (const hc_param *p = type->params; p && p->name; p++, count++) {
    size_t distance = hc_edit_distance(word, p->name, best);
    if (distance >= best) continue;
    best = distance;
    near = p->name;
  }
  if (near) {
    hc_buffer_printf(b, "; did you mean \"%s\"?", near);
  } else if (count == 0) {
    hc_buffer_text(b, "; it has no parameters");
  } else if (count > NAMES_SHOWN) {
    hc_buffer_printf(b, "; `hindcast describe %s` lists the keys", type->name);
  } else {
    hc_buffer_text(b, "; it takes ");
    for (const hc_param *p = type->params; p->name; p++)
      hc_buffer_printf(b, "%s%s", p == type->params ? "" : ", ", p->name);
  }
}

static hc_rc unknown_key(const hc_resolver *r, const hc_component *type, const hc_value *item, hc_error *e)
{
  hc_buffer b;
  hc_rc rc;
  hc_buffer_init(&b, r->arena->allocator);
  hc_buffer_printf(&b, "unknown key \"%.80s\"", item->key);
  if (type->kind != HC_KIND_RUN)
    hc_buffer_printf(&b, " of %s %s", hc_kind_name(r->registry, type->kind), type->name);
  if (type->kind == HC_KIND_READER && strcmp(item->key, "prefix") == 0)
    hc_buffer_text(&b, "; it stands beside `source`, with one for each: `prefix: [a/, b/]`");
  else if (type->kind == HC_KIND_READER && strcmp(item->key, "users") == 0)
    hc_buffer_text(
        &b, "; it stands beside `source`, for all or with one for each: `users: [shared, shared, apart]`");
  else if (type->kind == HC_KIND_RUN && strcmp(item->key, "study") == 0)
    hc_buffer_text(&b, "; a study is a file of many runs, which `hindcast study run` makes; "
                       "give the keys of one run");
  else add_known_keys(&b, type, item->key);
  rc = b.failed ? no_memory(e) : hc_value_fail_key(item, e, HC_EUSAGE, "%s", b.data);
  hc_buffer_fini(&b);
  return rc;
}

static hc_rc resolve_options(const hc_resolver *r, const hc_component *type, said v, const char *path,
                             int depth, void **options, hc_error *e)
{
  const hc_value *value = v.value;
  bool is_map = value && value->kind == HC_VALUE_MAP;
  if (depth >= DEPTH_LIMIT)
    return hc_fail(e, HC_ELIMIT, path, 0, 0, "components are nested more than %d deep", DEPTH_LIMIT);
  for (size_t i = 0; is_map && i < value->count; i++) {
    const char *key = value->items[i]->key;
    if (type->kind != HC_KIND_RUN && strcmp(key, "use") == 0) continue;
    if (!find_param(type, key)) return unknown_key(r, type, value->items[i], e);
  }
  *options = hc_arena_alloc(r->arena, type->options_size);
  if (!*options) return no_memory(e);
  for (const hc_param *p = type->params; p && p->name; p++)
    TRY(resolve_param(r, type, p, v, path, depth, *options, e));
  return 0;
}

static hc_rc unknown_component(const hc_resolver *r, hc_kind kind, const hc_value *name, const char *path,
                               hc_error *e)
{
  const char *word = hc_kind_name(r->registry, kind),
             *near = hc_registry_nearest(r->registry, kind, name->text);
  const hc_component *c;
  hc_buffer b;
  hc_rc rc;
  if (near)
    return hc_value_fail(name, e, HC_EUSAGE, "%s: unknown %s \"%.80s\"; did you mean \"%s\"?", path, word,
                         name->text, near);
  hc_buffer_init(&b, r->arena->allocator);
  hc_buffer_printf(&b, "%s: unknown %s \"%.80s\"; ", path, word, name->text);
  if (hc_registry_at(r->registry, kind, NAMES_SHOWN)) {
    hc_buffer_printf(&b, "`hindcast list %s` names them", word);
  } else {
    hc_buffer_text(&b, "there is ");
    for (size_t i = 0; (c = hc_registry_at(r->registry, kind, i)); i++)
      hc_buffer_printf(&b, "%s%s", i ? ", " : "", c->name);
    if (!hc_registry_at(r->registry, kind, 0)) hc_buffer_text(&b, "none");
  }
  rc = b.failed ? no_memory(e) : hc_value_fail(name, e, HC_EUSAGE, "%s", b.data);
  hc_buffer_fini(&b);
  return rc;
}

/* No name was given. Often it stands as the key of a map: `select: {easy: {...}}`. */
static hc_rc nameless(const hc_resolver *r, hc_kind kind, const hc_value *v, const char *path, hc_error *e)
{
  const char *word = hc_kind_name(r->registry, kind);
  if (v->kind == HC_VALUE_MAP && v->count == 1 && hc_registry_find(r->registry, kind, v->items[0]->key))
    return hc_value_fail_key(v->items[0], e, HC_EUSAGE,
                             "%s: which %s? write {use: %s, ...} with its parameters beside `use`", path,
                             word, v->items[0]->key);
  return hc_value_fail(v, e, HC_EUSAGE,
                       "%s: which %s? write its name, or {use: NAME, ...} with its parameters", path, word);
}

/* A map without `use`, of a kind that leaves no choice, or whose first component has the kind's name. One
 * that names the component as a key is a slip. */
static bool is_only_one(const hc_resolver *r, hc_kind kind, const hc_value *v)
{
  const hc_component *only = hc_registry_at(r->registry, kind, 0);
  if (!only) return false;
  if (hc_registry_at(r->registry, kind, 1) && strcmp(only->name, hc_kind_name(r->registry, kind)) != 0)
    return false;
  return v->kind == HC_VALUE_MAP && !hc_value_get(v, "use") && !hc_value_get(v, only->name);
}

/* Which component a value chooses. @param value  in: as written; out: with its shorthand written out
 *  @param origin  out, of the name */
static hc_rc choose(const hc_resolver *r, hc_kind kind, const hc_value **value, const char *path,
                    const hc_component **out, hc_origin *origin, hc_error *e)
{
  const hc_value *name = hc_shorthand_name(*value);
  hc_value *written_out = NULL;
  *origin = (*value)->origin;
  if (!name && is_only_one(r, kind, *value)) {
    *out = hc_registry_at(r->registry, kind, 0);
    return 0;
  }
  if (!name || name->text[0] == '\0') return nameless(r, kind, *value, path, e);
  *out = hc_registry_find(r->registry, kind, name->text);
  if (!*out) {
    TRY(hc_shorthand_expand(r, kind, *value, path, &written_out, e));
    if (!written_out) return unknown_component(r, kind, name, path, e);
    *value = written_out;
    name = hc_shorthand_name(written_out);
    *out = hc_registry_find(r->registry, kind, name->text);
    if (!*out) return unknown_component(r, kind, name, path, e);
  }
  *origin = name->origin;
  return 0;
}

static hc_rc resolve_chosen(const hc_resolver *r, hc_kind kind, said v, const char *path, int depth,
                            hc_chosen *out, hc_error *e)
{
  const hc_component *usual = NULL;
  const bool is_usual = v.value == v.usual;
  hc_origin origin, unused;
  TRY(choose(r, kind, &v.value, path, &out->type, &origin, e));
  if (is_usual) {
    v.usual = v.value;
    usual = out->type;
  } else if (v.usual) {
    TRY(choose(r, kind, &v.usual, path, &usual, &unused, e));
  }
  if (usual != out->type) v.usual = NULL;
  TRY(tell(r, (hc_key){path, out->type->name, usual ? usual->name : NULL, origin, false}));
  return resolve_options(r, out->type, v, path, depth + 1, &out->options, e);
}

hc_rc hc_resolve(const hc_resolver *r, const hc_component *type, const hc_value *value, const char *path,
                 void **options, hc_error *e)
{
  hc_rc rc;
  if (value && value->kind == HC_VALUE_LIST)
    return hc_value_fail(value, e, HC_EUSAGE, "%s: expected keys and values, got a list",
                         path[0] ? path : "configuration");
  rc = resolve_options(r, type, (said){value, NULL}, path, 0, options, e);
  return rc == HC_ENOMEM ? no_memory(e) : rc;
}

hc_rc hc_resolve_component(const hc_resolver *r, hc_kind kind, const hc_value *value, const char *path,
                           hc_chosen *out, hc_error *e)
{
  hc_rc rc;
  if (is_absent(value))
    return hc_fail(e, HC_EUSAGE, path, 0, 0, "which %s? `hindcast list %s` names them",
                   hc_kind_name(r->registry, kind), hc_kind_name(r->registry, kind));
  rc = resolve_chosen(r, kind, (said){value, NULL}, path, 0, out, e);
  return rc == HC_ENOMEM ? no_memory(e) : rc;
}

hc_rc hc_resolve_settings(const hc_resolver *r, const hc_settings *s, hc_chosen *out, hc_error *e)
{
  hc_value *map = hc_value_map(r->arena), *name = hc_value_scalar(r->arena, s->name, HC_FROM_FLAG);
  if (!map || !name || hc_value_put(r->arena, map, "use", name) < 0) return no_memory(e);
  for (size_t i = 0; i < s->count; i++) {
    const char *path;
    hc_value *v;
    TRY(hc_value_parse_setting(r->arena, s->settings[i], s->flag, s->expected, &path, &v, e));
    TRY(hc_value_set_path(r->arena, map, path, v, e));
  }
  return hc_resolve_component(r, s->kind, map, s->path, out, e);
}
