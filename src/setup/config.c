/* config.c -- the layers of a configuration, laid over each other and resolved into the options of a run.
 *
 *   files, in the order in which they were read  <  --set, in order  <  flags, in order
 *
 * Below them lie the preset and the tables' defaults, which resolve.c adds parameter by parameter. Files
 * are merged key by key. Settings and flags are kept as (path, value) until everything is known, so that
 * `--set source.0.file=x` can point into a list that a file wrote, whatever came first on the command
 * line.
 *
 * A configuration can be changed and resolved again; a run borrows what was resolved when it was made. */
#include "setup/config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/text.h"
#include "base/util.h"
#include "setup/elastisim.h"
#include "setup/shorthand.h"

#define NO_LIMIT_ASSUME 2 /* index into the choices of no_limit */

typedef struct setting {
  const char *path;
  const hc_value *value;
  bool is_laid; /* by hc_config_put: a later word than what it is laid upon, whatever file it stands in */
} setting;

struct hc_config {
  const hc_allocator *allocator;
  hc_registry *registry;
  hc_arena arena;
  bool light;            /* see config.h: resolved over and over */
  hc_arena work;         /* of a light one: what lives until it is cleared */
  hc_defaults *defaults; /* of a light one; borrowed */
  const hc_value *files; /* merged; NULL if there was none */
  hc_elastisim_run elastisim; /* of one of them; all NULL: none is ElastiSim's */
  const char *note;           /* what of that plays no part; NULL */
  const hc_value *tree;  /* files with all that was laid upon them, as resolved; NULL in a light one */
  const char **read;     /* their paths */
  size_t read_count, read_cap;
  bool replaces;        /* outputs may take the place of files that are none of ours */
  setting *settings[2]; /* --set, flags */
  size_t setting_count[2], setting_cap[2];
  hc_key *records;
  size_t record_count, record_cap;
  hc_run_options *options; /* NULL until resolved */
};

static hc_rc no_memory(hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory for the configuration");
}

hc_rc hc_config_new(const hc_allocator *a, hc_registry *r, hc_config **out, hc_error *e)
{
  hc_config *c = hc_alloc(a, sizeof *c);
  if (!c) return no_memory(e);
  c->allocator = a;
  c->registry = r;
  hc_arena_init(&c->arena, a);
  hc_arena_init(&c->work, a);
  *out = c;
  return 0;
}

hc_rc hc_config_new_light(const hc_allocator *a, hc_registry *r, const hc_value *base, hc_defaults *defaults,
                          hc_config **out, hc_error *e)
{
  TRY(hc_config_new(a, r, out, e));
  (*out)->light = true;
  (*out)->files = base;
  (*out)->defaults = defaults;
  return 0;
}

void hc_config_clear(hc_config *c)
{
  HC_ASSERT(c->light);
  c->setting_count[0] = c->setting_count[1] = 0;
  c->options = NULL;
  hc_arena_reset(&c->work);
}

size_t hc_config_size(const hc_config *c)
{
  return sizeof *c + hc_arena_size(&c->arena) + hc_arena_size(&c->work) +
         (c->setting_cap[0] + c->setting_cap[1]) * sizeof(setting) + c->record_cap * sizeof(hc_key);
}

/* Where what lives until the next resolution is kept. */
static hc_arena *work_of(hc_config *c)
{
  return c->light ? &c->work : &c->arena;
}

void hc_config_free(hc_config *c)
{
  if (!c) return;
  for (int i = 0; i < 2; i++) hc_free(c->allocator, c->settings[i], c->setting_cap[i] * sizeof(setting));
  hc_free(c->allocator, c->records, c->record_cap * sizeof(hc_key));
  hc_free(c->allocator, c->read, c->read_cap * sizeof *c->read);
  hc_arena_fini(&c->arena);
  hc_arena_fini(&c->work);
  hc_free(c->allocator, c, sizeof *c);
}

/* ---- layers ---- */

static hc_rc add_file(hc_config *c, hc_value *v, hc_error *e)
{
  if (v->kind == HC_VALUE_NULL) return 0; /* an empty file says nothing */
  if (v->kind != HC_VALUE_MAP)
    return hc_value_fail(
        v, e, HC_EUSAGE, "a configuration is made of keys and values, such as `source: log.swf`; this is %s",
        v->kind == HC_VALUE_LIST
            ? "a list, which as a list of tasks is read by `source: {use: native, file: ...}`"
            : "a single text");
  if (c->files)
    v = hc_value_merge(&c->arena, (hc_value *)(uintptr_t)c->files, v); /* which writes to neither */
  c->files = v;
  c->options = NULL;
  return c->files ? 0 : no_memory(e);
}

static hc_rc note_file(hc_config *c, const char *path, hc_error *e)
{
  const char *copy = hc_arena_text(&c->arena, path, strlen(path));
  if (!copy || hc_reserve(c->allocator, (void **)&c->read, &c->read_cap, c->read_count + 1, sizeof copy) < 0)
    return no_memory(e);
  c->read[c->read_count++] = copy;
  return 0;
}

/* What `metrics` is by default. */
static const char *usual_metrics(void)
{
  const hc_param *p = hc_component_run.params;
  while (strcmp(p->name, "metrics") != 0) p++;
  return p->fallback;
}

hc_rc hc_config_file(hc_config *c, const char *path, hc_error *e)
{
  hc_value *v;
  TRY(hc_value_parse_file(&c->arena, path, &v, e));
  TRY(note_file(c, path, e));
  if (hc_elastisim_is_configuration(v)) {
    TRY(hc_elastisim_configuration(&c->arena, v, path, usual_metrics(), &c->elastisim, e));
    v = c->elastisim.keys;
  }
  return add_file(c, v, e);
}

hc_rc hc_config_files(const hc_config *c, hc_rc (*each)(void *ctx, const char *path, hc_error *e), void *ctx,
                      hc_error *e)
{
  for (size_t i = 0; i < c->read_count; i++) TRY(each(ctx, c->read[i], e));
  return 0;
}

void hc_config_replace(hc_config *c, bool may)
{
  c->replaces = may;
}

const hc_allocator *hc_config_allocator(const hc_config *c)
{
  return c->allocator;
}

bool hc_config_replaces(const hc_config *c)
{
  return c->replaces;
}

hc_rc hc_config_text(hc_config *c, const char *yaml, size_t size, const char *name, hc_error *e)
{
  hc_value *v;
  TRY(hc_value_parse(&c->arena, yaml, size, name, &v, e));
  return add_file(c, v, e);
}

/* The path is tried out on an empty tree, so that a malformed one is refused where it was written. */
static hc_rc add_setting(hc_config *c, hc_origin origin, const char *path, hc_value *v, hc_error *e)
{
  int layer = origin == HC_FROM_FLAG;
  hc_value *trial = hc_value_map(&c->arena), *leaf = hc_value_scalar(&c->arena, "", origin);
  if (!trial || !leaf) return no_memory(e);
  TRY(hc_value_set_path(&c->arena, trial, path, leaf, e));
  if (hc_reserve(c->allocator, (void **)&c->settings[layer], &c->setting_cap[layer],
                 c->setting_count[layer] + 1, sizeof(setting)) < 0)
    return no_memory(e);
  hc_shorthand_mark(v, origin);
  c->settings[layer][c->setting_count[layer]++] = (setting){.path = path, .value = v};
  c->options = NULL;
  return 0;
}

hc_rc hc_config_set(hc_config *c, const char *assignment, hc_error *e)
{
  const char *path;
  hc_value *v;
  TRY(hc_value_parse_setting(&c->arena, assignment, "--set", "path=value, such as policy.select.depth=2",
                             &path, &v, e));
  return add_setting(c, HC_FROM_SET, path, v, e);
}

hc_rc hc_config_put(hc_config *c, const char *path, const hc_value *v, hc_error *e)
{
  if (hc_reserve(c->allocator, (void **)&c->settings[0], &c->setting_cap[0], c->setting_count[0] + 1,
                 sizeof(setting)) < 0)
    return no_memory(e);
  c->settings[0][c->setting_count[0]++] = (setting){.path = path, .value = v, .is_laid = true};
  c->options = NULL;
  return 0;
}

hc_rc hc_config_flag(hc_config *c, const char *path, const char *value, bool yaml, hc_error *e)
{
  const char *copy = hc_arena_text(&c->arena, path, strlen(path));
  hc_value *v;
  if (!copy) return no_memory(e);
  if (yaml) TRY(hc_value_parse(&c->arena, value, strlen(value), copy, &v, e));
  else v = hc_value_scalar(&c->arena, value, HC_FROM_FLAG);
  if (!v) return no_memory(e);
  return add_setting(c, HC_FROM_FLAG, copy, v, e);
}

static const char *origin_name(hc_origin o)
{
  switch (o) {
    case HC_FROM_DEFAULT: return "default";
    case HC_FROM_COMPAT: return "compat";
    case HC_FROM_FILE: return "file";
    case HC_FROM_SET: return "set";
    case HC_FROM_FLAG: return "flag";
  }
  return "?";
}

hc_rc hc_config_keep(hc_config *c, const char *path, const char *value, const char *origin, hc_error *e)
{
  const char *copy = hc_arena_text(&c->arena, path, strlen(path));
  const char *text = hc_arena_text(&c->arena, value, strlen(value));
  hc_value *v;
  for (int o = HC_FROM_FILE; o <= HC_FROM_FLAG; o++) {
    if (strcmp(origin_name((hc_origin)o), origin) != 0) continue;
    v = copy && text ? hc_value_scalar(&c->arena, text, (hc_origin)o) : NULL;
    if (!v) return no_memory(e);
    v->quoted = value[0] == '\0'; /* an empty text, not nothing */
    return add_setting(c, (hc_origin)o, copy, v, e);
  }
  return 0;
}

static hc_rc copy_settings(const hc_config *from, hc_config *to, hc_error *e)
{
  for (int i = 0; i < 2; i++) {
    const size_t n = from->setting_count[i];
    if (hc_reserve(to->allocator, (void **)&to->settings[i], &to->setting_cap[i], n, sizeof(setting)) < 0)
      return no_memory(e);
    if (n > 0) memcpy(to->settings[i], from->settings[i], n * sizeof(setting));
    to->setting_count[i] = n;
  }
  return 0;
}

static hc_rc derive(const hc_config *c, hc_config *d, const char *const *sets, size_t count, hc_error *e)
{
  const char *path;
  hc_value *v;
  d->files = c->files;
  d->elastisim = c->elastisim;
  TRY(copy_settings(c, d, e));
  for (size_t i = 0; i < count; i++) {
    TRY(hc_value_parse_setting(&d->arena, sets[i], "changes", "path=value, such as policy.select.depth=2",
                               &path, &v, e));
    TRY(add_setting(d, HC_FROM_FLAG, path, v, e)); /* later than all that was said before */
  }
  return hc_config_resolve(d, e);
}

hc_rc hc_config_derive(const hc_config *c, const char *const *sets, size_t count, hc_config **out,
                       hc_error *e)
{
  hc_config *d = NULL;
  hc_rc rc;
  TRY(hc_config_new(c->allocator, c->registry, &d, e));
  rc = derive(c, d, sets, count, e);
  if (rc < 0) hc_config_free(d);
  else *out = d;
  return rc;
}

/* ---- one tree ---- */

/* A copy that can be written to. Depth is bounded by the parser and by the length of paths. */
static hc_value *copy_tree(hc_arena *a, const hc_value *v)
{
  hc_value *copy = hc_arena_alloc(a, sizeof *copy);
  if (!copy) return NULL;
  *copy = *v;
  copy->items = NULL;
  copy->count = copy->cap = 0;
  for (size_t i = 0; i < v->count; i++) {
    hc_value *item = copy_tree(a, v->items[i]);
    if (!item || hc_value_append(a, copy, item) < 0) return NULL;
  }
  return copy;
}

/* What stands at a path, NULL if nothing does. */
static hc_value *find_path(hc_arena *a, hc_value *v, const char *path)
{
  while (v) {
    size_t n = strcspn(path, ".");
    const char *step = hc_arena_text(a, path, n);
    int64_t i;
    if (!step) return NULL;
    if (v->kind == HC_VALUE_LIST)
      v = hc_parse_int(step, n, &i) == 0 && i >= 0 && (uint64_t)i < v->count ? v->items[i] : NULL;
    else v = hc_value_get(v, step);
    if (path[n] == '\0') break;
    path += n + 1;
  }
  return v;
}

/* Maps that a path made on its way get the origin of the setting, so that errors name the right layer. */
static void mark_path(hc_arena *a, hc_value *v, const char *path, hc_origin origin)
{
  for (const char *p = strchr(path, '.'); p; p = strchr(p + 1, '.')) {
    const char *step = hc_arena_text(a, path, (size_t)(p - path));
    hc_value *at = step ? find_path(a, v, step) : NULL;
    if (at && at->kind == HC_VALUE_MAP && !at->file) at->origin = origin;
  }
}

/* Parameters of a component that is named only by a later setting: `--set policy.order=sjf --policy easy`. */
static bool needs_name(const hc_value *v)
{
  int64_t n;
  if (v->kind != HC_VALUE_MAP || v->count == 0 || hc_value_get(v, "use")) return false;
  return hc_parse_int(v->items[0]->key, strlen(v->items[0]->key), &n) < 0; /* 0, 1, 2: items of a list */
}

/* Its place in its file stays, for errors. */
static void say_later(hc_value *v)
{
  v->origin = HC_FROM_SET;
  for (size_t i = 0; i < v->count; i++) say_later(v->items[i]);
}

static hc_rc apply(hc_config *c, hc_value *tree, const setting *s, hc_error *e)
{
  hc_arena *a = work_of(c);
  hc_value *item = copy_tree(a, s->value), *under = find_path(a, tree, s->path);
  const hc_origin origin = s->is_laid ? HC_FROM_SET : s->value->origin;
  if (item && s->is_laid) say_later(item);
  if (item && under && needs_name(under) && item->kind == HC_VALUE_SCALAR) item = hc_shorthand_map(a, item);
  if (item && under) item = hc_value_merge(a, under, item);
  if (!item) return no_memory(e);
  item->key_line = item->key_column = 0;
  item->key_source_line = NULL;
  TRY(hc_value_set_path(a, tree, s->path, item, e));
  mark_path(a, tree, s->path, origin);
  return 0;
}

static hc_rc build_tree(hc_config *c, hc_value **out, hc_error *e)
{
  hc_arena *a = work_of(c);
  hc_value *tree = c->files ? copy_tree(a, c->files) : hc_value_map(a);
  bool invited;
  if (!tree) return no_memory(e);
  for (int layer = 0; layer < 2; layer++) {
    for (size_t i = 0; i < c->setting_count[layer]; i++) TRY(apply(c, tree, &c->settings[layer][i], e));
  }
  if (hc_elastisim_invite(a, &c->elastisim, tree, &invited) < 0) return no_memory(e);
  c->note = invited ? c->elastisim.with_algorithm : c->elastisim.note;
  *out = tree;
  return 0;
}

/* ---- resolving ---- */

static hc_rc add_record(void *ctx, const hc_key *key)
{
  hc_config *c = ctx;
  hc_key x = *key;
  x.path = hc_arena_text(&c->arena, key->path, strlen(key->path));
  x.value = hc_arena_text(&c->arena, key->value, strlen(key->value));
  if (!x.path || !x.value) return HC_ENOMEM;
  if (key->usual)
    x.usual = strcmp(key->usual, key->value) == 0 ? x.value
                                                  : hc_arena_text(&c->arena, key->usual, strlen(key->usual));
  if (key->usual && !x.usual) return HC_ENOMEM;
  TRY(hc_reserve(c->allocator, (void **)&c->records, &c->record_cap, c->record_count + 1, sizeof x));
  c->records[c->record_count++] = x;
  return 0;
}

static hc_rc load_plugin(hc_config *c, const hc_value *v, hc_error *e)
{
  hc_error why = {0};
  hc_rc rc;
  if (v->kind != HC_VALUE_SCALAR || v->text[0] == '\0')
    return 0; /* refused when the key itself is resolved */
  rc = hc_registry_load(c->registry, v->text, &why);
  return rc < 0 ? hc_value_fail(v, e, rc, "%s: %s", v->text, why.text) : 0;
}

const hc_registry *hc_config_registry(const hc_config *c)
{
  return c->registry;
}

/* Shared objects first: everything else may name what they bring. */
static hc_rc load_plugins(hc_config *c, const hc_value *tree, hc_error *e)
{
  const hc_value *v = hc_value_get(tree, "plugin");
  if (!v) return 0;
  if (v->kind == HC_VALUE_SCALAR) return strcmp(v->text, "[]") == 0 ? 0 : load_plugin(c, v, e);
  for (size_t i = 0; i < v->count; i++) TRY(load_plugin(c, v->items[i], e));
  return 0;
}

/* The preset next: it holds the defaults of all the rest. */
static hc_rc find_preset(hc_config *c, const hc_value *tree, const hc_component **out, hc_error *e)
{
  const hc_resolver r = {.registry = c->registry, .arena = work_of(c), .defaults = c->defaults};
  const hc_value *v = hc_value_get(tree, "compat");
  hc_chosen chosen = {0};
  *out = NULL;
  if (!v || v->kind == HC_VALUE_NULL || (v->kind == HC_VALUE_SCALAR && v->text[0] == '\0')) return 0;
  TRY(hc_resolve_component(&r, HC_KIND_COMPAT, v, "compat", &chosen, e));
  *out = chosen.type;
  return 0;
}

/* An error about a key of the run itself, at the place where it was written. */
static hc_rc wrong(const hc_value *tree, const char *key, hc_error *e, const char *text)
{
  const hc_value *v = hc_value_get(tree, key);
  if (v) return hc_value_fail(v, e, HC_EUSAGE, "%s: %s", key, text);
  return hc_fail(e, HC_EUSAGE, "", 0, 0, "%s: %s", key, text);
}

/* What no single parameter can say of itself. */
static hc_rc check_together(const hc_run_options *o, const hc_value *tree, hc_error *e)
{
  if (o->source.count == 0 && !o->world.type)
    return wrong(tree, "source", e,
                 "nothing to run: name a log, such as `source: log.swf`, or give one to `hindcast run`");
  if (o->no_limit == NO_LIMIT_ASSUME && o->assumed_limit == HC_UNKNOWN)
    return wrong(tree, "no_limit", e, "assume needs to know what: add `assumed_limit: 1h`, or another time");
  if (!o->oracle && o->believe_waiting != 0)
    return wrong(tree, "believe_waiting", e, "true run times are told only if the run says `oracle: true`");
  if (!o->oracle && o->believe_running != 0)
    return wrong(tree, "believe_running", e, "true run times are told only if the run says `oracle: true`");
  if (o->name && (strchr(o->name, '/') || strcmp(o->name, "..") == 0 || strcmp(o->name, ".") == 0))
    return wrong(tree, "name", e, "it names a file in results/ and cannot be a path; `output` takes one");
  return 0;
}

hc_rc hc_config_resolve(hc_config *c, hc_error *e)
{
  hc_resolver r = {.registry = c->registry,
                   .arena = work_of(c),
                   .record = c->light ? NULL : add_record,
                   .record_ctx = c,
                   .defaults = c->defaults};
  hc_value *tree = NULL;
  void *options;
  if (c->options) return 0;
  c->record_count = 0;
  TRY(build_tree(c, &tree, e));
  TRY(load_plugins(c, tree, e));
  TRY(find_preset(c, tree, &r.compat, e));
  TRY(hc_resolve(&r, &hc_component_run, tree, "", &options, e));
  TRY(check_together(options, tree, e));
  c->tree = c->light ? NULL : tree;
  c->options = options;
  return 0;
}

/* ---- places of what parts refuse later ---- */

/* The scalar that the error shows as its second line. */
static const hc_value *find_shown(const hc_value *v, const char *text)
{
  char line[520];
  if (v->kind == HC_VALUE_SCALAR && v->file && v->text[0]) {
    (void)snprintf(line, sizeof line, "\n%s\n", v->text);
    return strstr(text, line) ? v : NULL;
  }
  for (size_t i = 0; i < v->count; i++) {
    const hc_value *found = find_shown(v->items[i], text);
    if (found) return found;
  }
  return NULL;
}

void hc_config_place(const hc_config *c, hc_error *e)
{
  const hc_value *v;
  if (!e || e->rc == 0 || !c->tree || strcmp(e->where, "expression") != 0) return;
  v = find_shown(c->tree, e->text);
  if (!v) return;
  (void)snprintf(e->where, sizeof e->where, "%s", v->file);
  e->line = v->line;
  e->column = v->column;
}

/* ---- over and over ---- */

void hc_defaults_init(hc_defaults *d, const hc_allocator *a)
{
  *d = (hc_defaults){0};
  hc_arena_init(&d->arena, a);
  hc_map_init(&d->places, a);
}

void hc_defaults_fini(hc_defaults *d)
{
  hc_free(d->arena.allocator, d->values, d->cap * sizeof *d->values);
  hc_map_fini(&d->places);
  hc_arena_fini(&d->arena);
}

void hc_config_draws(hc_config *c, int64_t seed, int64_t replication)
{
  if (seed != HC_UNKNOWN) c->options->seed = seed;
  if (replication != HC_UNKNOWN) c->options->replication = replication;
}

bool hc_figure_name_matches(const char *wanted, const char *name)
{
  return hc_text_matches(name, wanted);
}

/* Is a figure of this name, with * for any text, declared? */
static bool declares(const hc_component *c, const char *name)
{
  char declared[256];
  for (const char *const *line = c->figures; line && *line; line++) {
    const size_t n = strcspn(*line, "|");
    if (n >= sizeof declared || memchr(*line, '.', n)) continue; /* a cell of a table */
    memcpy(declared, *line, n);
    declared[n] = '\0';
    if (hc_text_matches(declared, name) || hc_text_matches(name, declared)) return true;
  }
  return false;
}

/* Is it declared by what was chosen, or by one of its parts? */
static bool parts_declare(const hc_chosen *chosen, const char *name)
{
  if (!chosen->type) return false;
  if (declares(chosen->type, name)) return true;
  for (const hc_param *p = chosen->type->params; p && p->name; p++) {
    const char *at = (const char *)chosen->options + p->offset;
    const hc_list one = {(void *)at, 1}, *parts = p->list ? (const hc_list *)at : &one;
    for (size_t i = 0; p->type == HC_COMPONENT && i < parts->count; i++)
      if (parts_declare((const hc_chosen *)parts->items + i, name)) return true;
  }
  return false;
}

void hc_config_keep_figures(hc_config *c, const char *const *names, size_t count, bool *found)
{
  hc_chosen *metrics = c->options->metrics.items;
  size_t kept = 0;
  if (c->options->world.type) { /* which says what it finds when it is done */
    for (size_t k = 0; found && k < count; k++) found[k] = true;
    return;
  }
  for (size_t i = 0; i < c->options->metrics.count; i++) {
    bool wanted = false;
    for (size_t k = 0; k < count; k++) {
      if (!declares(metrics[i].type, names[k])) continue;
      wanted = true;
      if (found) found[k] = true;
    }
    if (wanted) metrics[kept++] = metrics[i];
  }
  c->options->metrics.count = kept;
  for (size_t k = 0; found && k < count; k++)
    found[k] |=
        parts_declare(&c->options->architecture, names[k]) || parts_declare(&c->options->policy, names[k]);
}

/* ---- what was resolved ---- */

const hc_run_options *hc_config_options(const hc_config *c)
{
  return c->options;
}

hc_rc hc_config_each(const hc_config *c,
                     hc_rc (*each)(void *ctx, const char *path, const char *value, const char *origin),
                     void *ctx)
{
  for (size_t i = 0; i < c->record_count; i++) {
    const hc_key *x = &c->records[i];
    hc_rc rc = each(ctx, x->path, x->value, origin_name(x->origin));
    if (rc != 0) return rc;
  }
  return 0;
}

hc_rc hc_config_store(const hc_config *c, hc_store *s, hc_error *e)
{
  for (size_t i = 0; i < c->record_count; i++) {
    const hc_key *x = &c->records[i];
    const char *const row[] = {x->path, x->value, origin_name(x->origin), x->usual,
                               x->is_file ? "file" : NULL};
    TRY(hc_store_row(s, "configuration", HC_ARRAY_LEN(row), row, e));
  }
  return c->note ? hc_store_row(s, "hindcast", 2, (const char *[]){"configuration_note", c->note}, e) : 0;
}

hc_rc hc_config_stop(hc_config *c, hc_time until, hc_error *e)
{
  char text[40];
  const char *value;
  if (until >= c->options->until) return 0;
  value = hc_arena_text(work_of(c), text, hc_format_seconds(until, text));
  if (!value) return no_memory(e);
  for (size_t i = 0; i < c->record_count; i++)
    if (strcmp(c->records[i].path, "until") == 0) {
      c->records[i].value = value;
      c->records[i].origin = HC_FROM_FLAG;
    }
  c->options->until = until;
  return 0;
}

static bool is_under(const char *path, const char *key)
{
  const size_t n = strlen(key);
  return strncmp(path, key, n) == 0 && (path[n] == '\0' || path[n] == '.');
}

/* The next key of `c` from `at` on that is under `key`, or, if not `under`, is not. */
static size_t next_key(const hc_config *c, size_t at, const char *key, bool under)
{
  while (at < c->record_count && is_under(c->records[at].path, key) != under) at++;
  return at;
}

static const char *first_difference(const hc_config *a, const hc_config *b, const char *key, bool under)
{
  for (size_t i = 0, k = 0;; i++, k++) {
    i = next_key(a, i, key, under);
    k = next_key(b, k, key, under);
    if (i == a->record_count) return k == b->record_count ? NULL : b->records[k].path;
    if (k == b->record_count || strcmp(a->records[i].path, b->records[k].path) != 0 ||
        strcmp(a->records[i].value, b->records[k].value) != 0)
      return a->records[i].path;
  }
}

bool hc_config_agree(const hc_config *a, const hc_config *b, const char *key)
{
  return first_difference(a, b, key, true) == NULL;
}

const char *hc_config_differs(const hc_config *a, const hc_config *b, const char *but)
{
  return first_difference(a, b, but, false);
}

/* Where a value came from, and what the result is called, do not change the run. */
void hc_config_checksum(const hc_config *c, uint64_t out[2])
{
  hc_hash h;
  hc_hash_init(&h);
  for (size_t i = 0; i < c->record_count; i++) {
    const hc_key *x = &c->records[i];
    if (strcmp(x->path, "name") == 0 || strcmp(x->path, "output") == 0) continue;
    if (is_under(x->path, "changes"))
      continue; /* those that are over are in the snapshot, the others to come */
    hc_hash_add(&h, x->path, strlen(x->path) + 1);
    hc_hash_add(&h, x->value, strlen(x->value) + 1);
  }
  hc_hash_end(&h, out);
}
