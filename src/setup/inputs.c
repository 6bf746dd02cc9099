/* inputs.c -- what was read, so that a result says of which bytes it is: path, size and a fast 128-bit
 * checksum.
 *
 * The parameters of a component that name files say so (HC_PARAM of FILE); one may name a directory, or a
 * pattern of files, and then each of these is an input. The checksum is of the file as it lies there, packed
 * or not; standard input has none. Not cryptographic.
 *
 * A file that its reader has read whole was summed on the way (base/sums.h): of 77 bytes a task, to read them
 * once more costs 15 ns, which is a tenth of a fast run. All others are read when the run is finished: those
 * of which a run took only the first rows, or went on from a snapshot, and those of readers that do not sum.
 * */
#include "setup/inputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/util.h"
#include "hindcast/workload.h"
#include "setup/config.h"

static void write_sum(const hc_hash *hash, char sum[33])
{
  uint64_t words[2];
  hc_hash_end(hash, words);
  (void)snprintf(sum, 33, "%016" PRIx64 "%016" PRIx64, words[0], words[1]);
}

hc_rc hc_inputs_sum(const hc_allocator *a, const char *path, uint64_t *bytes, char sum[33], hc_error *error)
{
  hc_hash hash;
  hc_error why = {0};
  const hc_rc rc = hc_files_sum(a, path, bytes, &hash, &why);
  if (rc < 0) return hc_fail(error, rc, path, 0, 0, "was read, but at the end of the run it %s", why.text);
  write_sum(&hash, sum);
  return 0;
}

hc_rc hc_file_checksum(const hc_allocator *a, const char *path, uint64_t *bytes, char text[33], hc_error *e)
{
  hc_hash hash;
  hc_error why = {0};
  const hc_rc rc = hc_files_sum(a, path, bytes, &hash, &why);
  if (rc < 0) return hc_fail(e, rc, path, 0, 0, "%s", why.text);
  write_sum(&hash, text);
  return 0;
}

/* ---- names ---- */

typedef struct expanding {
  const char *name;
  hc_input_visit each;
  void *ctx;
  hc_error *error;
  bool has_failed;
} expanding;

static hc_rc expand_to(void *ctx, const char *path, hc_file_kind kind, uint64_t size, hc_error *e)
{
  expanding *x = ctx;
  HC_UNUSED(size);
  HC_UNUSED(e);
  if (kind == HC_FILE_OTHER && strcmp(path, x->name) != 0) return 0; /* a pipe in a directory */
  const hc_rc rc = x->each(x->ctx, path, x->error);
  x->has_failed = rc < 0;
  return rc;
}

hc_rc hc_inputs_expand(const hc_allocator *a, const char *name, hc_input_visit each, void *ctx,
                       hc_error *error)
{
  expanding x = {name, each, ctx, error, false};
  hc_error none = {0}; /* no file in a directory: what read it has said so */
  const hc_rc rc = hc_files_expand(a, name, expand_to, &x, &none);
  return rc == HC_EIO && !x.has_failed ? 0 : rc;
}

typedef struct naming {
  const hc_allocator *allocator;
  bool profiles; /* they are carried out */
  hc_input_visit each;
  void *ctx;
  hc_rc rc; /* of what was told last of a workload's files */
} naming;

static hc_rc named_by(naming *n, const hc_chosen *c, hc_error *error);

/* Files of the components that one is made of: a source within a source, the workloads of a world. */
static hc_rc named_within(naming *n, const hc_param *p, const char *at, hc_error *error)
{
  hc_chosen one;
  hc_list several = {&one, 1};
  memcpy(p->list ? (void *)&several : (void *)&one, at, p->list ? sizeof several : sizeof one);
  for (size_t i = 0; i < several.count; i++) TRY(named_by(n, &((const hc_chosen *)several.items)[i], error));
  return 0;
}

/* A workload may name what no task of it needs: that may be missing. */
static hc_rc tell_if_there(void *ctx, const char *path, hc_error *error)
{
  naming *n = ctx;
  const hc_files *files = hc_files_of(n->allocator);
  if (files->look(files->ctx, path, NULL) != HC_FILE_ABSENT) n->rc = n->each(n->ctx, path, error);
  return n->rc;
}

static hc_rc named_by_workload(naming *n, const hc_chosen *c, hc_error *error)
{
  const hc_reader_type *reader = (const hc_reader_type *)c->type;
  hc_error none = {0}; /* what is wrong with it is said where it is read */
  if (!n->profiles || !c->type || c->type->kind != HC_KIND_READER || !reader->names) return 0;
  n->rc = 0;
  const hc_rc rc = reader->names(n->allocator, c->options, tell_if_there, n, &none);
  if (n->rc < 0 && error) *error = none;
  return n->rc < 0 || rc == HC_ENOMEM ? rc : 0;
}

static hc_rc named_by(naming *n, const hc_chosen *c, hc_error *error)
{
  const hc_param *p = c->type ? c->type->params : NULL;
  for (; p && p->name; p++) {
    const char *at = (const char *)c->options + p->offset, *path;
    hc_list paths;
    if (p->type == HC_COMPONENT) TRY(named_within(n, p, at, error));
    if (!hc_param_names_files(p)) continue;
    if (!p->list) {
      memcpy(&path, at, sizeof path);
      if (path) TRY(n->each(n->ctx, path, error));
      continue;
    }
    memcpy(&paths, at, sizeof paths);
    for (size_t i = 0; i < paths.count; i++) {
      path = ((const char *const *)paths.items)[i];
      if (path) TRY(n->each(n->ctx, path, error));
    }
  }
  return named_by_workload(n, c, error);
}

hc_rc hc_inputs_named(const hc_allocator *a, const hc_run_options *o, hc_input_visit each, void *ctx,
                      hc_error *error)
{
  const hc_list lists[] = {o->source, o->transforms, o->events, o->reservations, o->local_load};
  const hc_chosen ones[] = {o->execution, o->predictor, o->policy, o->architecture, o->world};
  naming n = {.allocator = a, .profiles = o->execution.type != NULL, .each = each, .ctx = ctx};
  for (size_t i = 0; i < HC_ARRAY_LEN(lists); i++)
    for (size_t j = 0; j < lists[i].count; j++)
      TRY(named_by(&n, &((const hc_chosen *)lists[i].items)[j], error));
  for (size_t i = 0; i < HC_ARRAY_LEN(ones); i++) TRY(named_by(&n, &ones[i], error));
  return o->world.type ? 0 : named_by(&n, &o->cell, error); /* a world is its own cell */
}

/* ---- what no output may take the place of ---- */

static hc_rc each_plugin(const hc_run_options *o, hc_input_visit each, void *ctx, hc_error *error)
{
  const char *const *paths = o->plugins.items;
  for (size_t i = 0; i < o->plugins.count; i++)
    if (paths[i]) TRY(each(ctx, paths[i], error));
  return 0;
}

typedef struct protecting {
  const hc_allocator *allocator;
  const hc_files *files;
  const char *output;
} protecting;

static hc_rc refuse_input(void *ctx, const char *input, hc_error *error)
{
  const protecting *p = ctx;
  if (!p->files->same(p->files->ctx, p->output, input)) return 0;
  return hc_fail(error, HC_EUSAGE, p->output, 0, 0,
                 "this is an input of the same run (%.300s), which no output replaces; choose another path",
                 input);
}

static hc_rc refuse_named(void *ctx, const char *name, hc_error *error)
{
  return hc_inputs_expand(((const protecting *)ctx)->allocator, name, refuse_input, ctx, error);
}

/* Whether an output may take the place of a file that is there. */
static bool may_replace(const protecting *p)
{
  return p->files->same && p->files->look(p->files->ctx, p->output, NULL) == HC_FILE_PLAIN;
}

hc_rc hc_config_protect(const hc_config *c, const char *path, hc_error *e)
{
  const hc_run_options *o = hc_config_options(c);
  const hc_allocator *a = hc_config_allocator(c);
  protecting objects = {a, hc_system_files(), path}, inputs = {a, hc_files_of(a), path};
  if (path && may_replace(&objects)) TRY(each_plugin(o, refuse_input, &objects, e));
  if (!path || !may_replace(&inputs)) return 0;
  TRY(hc_config_files(c, refuse_input, &inputs, e));
  return hc_inputs_named(a, o, refuse_named, &inputs, e);
}

/* Outputs are files of the system, whatever inputs are. */
static bool is_one_file(const char *a, const char *b)
{
  const hc_files *files = hc_system_files();
  return strcmp(a, b) == 0 || (files->same && files->same(files->ctx, a, b));
}

hc_rc hc_outputs_check(const hc_config *c, const hc_store *store, hc_error *e)
{
  const char *result = store ? hc_store_path(store) : NULL, *rejected = hc_config_options(c)->rejected;
  TRY(hc_config_protect(c, result, e));
  TRY(hc_config_protect(c, rejected, e));
  if (result && rejected && is_one_file(result, rejected))
    return hc_fail(e, HC_EUSAGE, rejected, 0, 0,
                   "the result and the rejected rows have one name; choose another path for one of them");
  return 0;
}

/* ---- of a run ---- */

typedef struct storing {
  const hc_allocator *allocator;
  hc_sums *sums;
  hc_store *store;
  hc_names *told; /* files that have their row: a platform may be a cell and a network too */
} storing;

static hc_rc store_file(void *ctx, const char *path, hc_error *error)
{
  const storing *s = ctx;
  char bytes[32], sum[33];
  uint64_t size;
  uint32_t id;
  hc_hash hash;
  if (hc_names_find(s->told, path, strlen(path)) != HC_MAP_NONE) return 0;
  if (hc_names_add(s->told, path, strlen(path), &id) < 0)
    return hc_fail(error, HC_ENOMEM, path, 0, 0, "out of memory for the inputs of the result");
  if (strcmp(path, "-") == 0)
    return hc_store_row(s->store, "inputs", 3, (const char *[]){path, NULL, NULL}, error);
  if (s->sums && hc_sums_find(s->sums, path, &size, &hash)) write_sum(&hash, sum);
  else TRY(hc_inputs_sum(s->allocator, path, &size, sum, error));
  (void)snprintf(bytes, sizeof bytes, "%" PRIu64, size);
  return hc_store_row(s->store, "inputs", 3, (const char *[]){path, bytes, sum}, error);
}

static hc_rc store_name(void *ctx, const char *name, hc_error *error)
{
  return hc_inputs_expand(((const storing *)ctx)->allocator, name, store_file, ctx, error);
}

hc_rc hc_inputs_store(const hc_allocator *a, const hc_run_options *o, hc_sums *sums, hc_store *store,
                      hc_error *e)
{
  hc_allocator with_system = *a; /* shared objects are the system's, whatever inputs are */
  hc_names told;
  storing s = {a, sums, store, &told}, objects = {&with_system, NULL, store, &told};
  with_system.files = NULL;
  hc_names_init(&told, a, SIZE_MAX);
  hc_rc rc = hc_inputs_named(a, o, store_name, &s, e);
  if (rc >= 0) rc = each_plugin(o, store_file, &objects, e);
  hc_names_fini(&told);
  return rc;
}

/* ---- of a stored result ---- */

typedef struct comparing {
  const hc_allocator *allocator;
  hc_rc (*each)(void *ctx, const char *path, bool is_there);
  void *ctx;
} comparing;

static hc_rc compare_input(void *ctx, const char *const *row)
{
  const comparing *x = ctx;
  hc_error ignored = {0};
  uint64_t size;
  char sum[33];
  hc_rc rc;
  if (!row[0] || !row[2] || strcmp(row[0], "-") == 0) return 0;
  rc = hc_inputs_sum(x->allocator, row[0], &size, sum, &ignored);
  if (rc == HC_ENOMEM) return rc;
  return rc == 0 && strcmp(sum, row[2]) == 0 ? 0 : x->each(x->ctx, row[0], rc == 0);
}

hc_rc hc_result_changed_inputs(const hc_allocator *a, hc_result *r,
                               hc_rc (*each)(void *ctx, const char *path, bool is_there), void *ctx,
                               hc_error *e)
{
  comparing x = {a, each, ctx};
  return hc_result_rows(r, "inputs", 3, compare_input, &x, e);
}
