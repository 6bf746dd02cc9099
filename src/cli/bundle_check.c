/* bundle_check.c -- `hindcast bundle check`: a bundle's files against its manifest, its results against
 * themselves, and its runs carried out again.
 *
 * A run is carried out in memory and nothing is written. Its digest must be that of the result, which is as
 * much as to say that every row is the same; or, for a result of an earlier schema version, that of the
 * schedule.
 * It is carried out only if its run file, and every input that the result recorded, are here with their
 * checksums: a run loads the shared objects that are among them. Else the line says what is missing. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/bundle.h"

#define STRIDE 2048
#define FIELDS 6

static const cli_flag own_flags[] = {
    {.name = "no-runs", .help = "Look at files and results alone, and carry no run out."},
    CLI_FLAG_QUIET,
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags, NULL};

typedef enum state { UNKNOWN, GOOD, BAD, ABSENT } state;

/* A line of the manifest. */
typedef struct entry {
  char *fields[FIELDS];
  state is; /* of its file */
} entry;

typedef struct checking {
  cli *c;
  char *text;   /* of the manifest, cut into fields */
  entry *lines; /* [count] that name a path */
  size_t count, cap;
  uint64_t good, bad, absent;
  state worst; /* of the files that a run needs */
} checking;

static void say(checking *x, bool is_good, const char *path, const char *text)
{
  if (is_good) x->good++;
  else x->bad++;
  if (is_good && cli_has(x->c, "quiet")) return;
  hc_buffer_printf(&x->c->out, "%s: %s\n", path, text);
}

bool cli_bundle_is_within(const char *path)
{
  if (path[0] == '\0' || path[0] == '/') return false;
  for (;;) {
    const size_t n = strcspn(path, "/");
    if (n == 2 && path[0] == '.' && path[1] == '.') return false;
    if (path[n] == '\0') return true;
    path += n + 1;
  }
}

/* ---- a file ---- */

static hc_rc check_file(checking *x, entry *l)
{
  char *const *f = l->fields;
  char sum[33], text[300];
  uint64_t bytes;
  hc_error why = {0};
  const hc_rc rc = hc_file_checksum(x->c->allocator, f[3], &bytes, sum, &why);
  if (rc == HC_ENOMEM) return cli_fail(x->c, rc, "out of memory");
  if (rc < 0 && strcmp(f[0], "absent") == 0 && access(f[3], F_OK) != 0) {
    l->is = ABSENT;
    x->absent++;
    hc_buffer_printf(&x->c->out, "%s: left out; put the file of %s bytes with the checksum %s there\n", f[3],
                     f[1], f[2]);
    return 0;
  }
  if (rc >= 0 && strcmp(sum, f[2]) == 0) {
    l->is = GOOD;
    x->good++;
    return 0;
  }
  l->is = BAD;
  if (rc < 0) (void)snprintf(text, sizeof text, "DIFFERS: %.200s", why.text);
  else (void)snprintf(text, sizeof text, "DIFFERS: its checksum is %s, it was %.40s", sum, f[2]);
  say(x, false, f[3], text);
  return 0;
}

/* ---- a result ---- */

static void hear(void *ctx, const hc_violation *v)
{
  char *first = ctx;
  if (!first[0]) (void)snprintf(first, 200, "%s, job %lld: %.120s", v->rule, (long long)v->id, v->text);
}

static hc_rc check_schedule(checking *x, const char *path, hc_result *r)
{
  const hc_verify_request request = {.promise = -1};
  hc_verify_report report = {0};
  char first[200] = "", text[400];
  hc_error why = {0};
  const hc_rc rc = hc_verify_result(x->c->allocator, r, &request, hear, first, &report, &why);
  if (rc == HC_EUNSUPPORTED || rc == HC_EUSAGE) {
    if (!cli_has(x->c, "quiet"))
      hc_buffer_printf(&x->c->out, "%s: schedule not checked: %s\n", path, why.text);
    return 0;
  }
  if (rc < 0 && rc != HC_EREFUTED) {
    x->c->error = why;
    return rc;
  }
  (void)snprintf(text, sizeof text, rc == 0 ? "schedule holds" : "schedule REFUTED: %s", first);
  say(x, rc == 0, path, text);
  return 0;
}

/* What was said of a file is a line of this check, and it goes on; unless it is about memory or signals. */
static hc_rc note_failure(checking *x, const char *path, hc_rc rc)
{
  char text[600];
  if (rc == HC_ENOMEM || rc == HC_ECANCELLED) return rc;
  (void)snprintf(text, sizeof text, "FAILED: %.160s: %.380s", x->c->error.where, x->c->error.text);
  x->c->error = (hc_error){0};
  say(x, false, path, text);
  return 0;
}

static hc_rc look_at_result(checking *x, char *const *f)
{
  hc_result *r;
  char digest[33], text[160];
  CLI_TRY(cli_result_open(x->c, f[3], &r));
  hc_rc rc = hc_result_digest(r, digest, &x->c->error);
  if (rc >= 0 && strcmp(digest, f[4]) != 0) {
    (void)snprintf(text, sizeof text, "DIFFERS: its digest is %s, the manifest says %.40s", digest, f[4]);
    say(x, false, f[3], text);
  }
  if (rc >= 0) rc = check_schedule(x, f[3], r);
  cli_result_close(x->c, r);
  return rc;
}

static hc_rc check_result(checking *x, char *const *f)
{
  const hc_rc rc = look_at_result(x, f);
  return rc < 0 ? note_failure(x, f[3], rc) : 0;
}

/* ---- a run ---- */

static hc_rc carry_out(cli *c, hc_run *run)
{
  cli_progress line;
  hc_rc rc;
  cli_watch(run);
  cli_progress_begin(&line, c, "running again");
  while ((rc = hc_run_advance(run, HC_NEVER, STRIDE, &c->error)) == 1) {
    cli_progress_run(&line, run);
    if (cli_interrupted()) hc_run_cancel(run);
  }
  cli_progress_end(&line);
  cli_watch(NULL);
  return rc < 0 ? rc : hc_run_finish(run, &c->error);
}

/* Digests of a result: of all of it, by the rule of its schema version, and of what happened alone. */
typedef struct digests {
  char whole[33], schedule[33];
  int schema;
} digests;

static hc_rc digests_of(cli *c, hc_result *r, digests *out)
{
  out->schema = hc_result_schema(r);
  CLI_TRY(hc_result_digest(r, out->whole, &c->error));
  return hc_result_schedule_digest(r, out->schedule, &c->error);
}

static hc_rc digests_of_file(cli *c, const char *path, digests *out)
{
  hc_result *r;
  CLI_TRY(cli_result_open(c, path, &r));
  const hc_rc rc = digests_of(c, r, out);
  cli_result_close(c, r);
  return rc;
}

/* Of what a run file gives. */
static hc_rc digests_of_run(cli *c, const char *file, digests *out)
{
  hc_config *config = NULL;
  hc_store *store = NULL;
  hc_run *run = NULL;
  hc_result *r = NULL;
  if (!cli_registry(c)) return HC_ENOMEM;
  hc_rc rc = hc_config_new(c->allocator, c->registry, &config, &c->error);
  if (rc >= 0) rc = hc_config_file(config, file, &c->error);
  if (rc >= 0) rc = hc_store_new(c->allocator, NULL, &store, &c->error);
  if (rc >= 0) rc = hc_run_new(c->allocator, config, store, &run, &c->error);
  if (rc >= 0) rc = carry_out(c, run);
  if (rc >= 0) rc = hc_result_of_store(store, &r, &c->error);
  if (rc >= 0) rc = digests_of(c, r, out);
  hc_result_free(r);
  hc_run_free(run);
  hc_store_free(store);
  hc_config_free(config);
  return rc;
}

static void need(checking *x, state is)
{
  if (is > x->worst) x->worst = is;
}

/* An input is here if files with the checksum that the result recorded are, all of them. */
static hc_rc need_input(void *ctx, const char *const *v)
{
  checking *x = ctx;
  bool is_named = false;
  for (size_t i = 0; v[2] && i < x->count; i++) {
    const entry *l = &x->lines[i];
    const bool is_input = strcmp(l->fields[0], "input") == 0 || strcmp(l->fields[0], "absent") == 0;
    if (!is_input || strcmp(l->fields[2], v[2]) != 0) continue;
    is_named = true;
    need(x, l->is);
  }
  if (!is_named) need(x, BAD);
  return 0;
}

/* The state of what a run needs: its result, the run file, and the inputs that the result names. */
static hc_rc look_at_needs(checking *x, char *const *f)
{
  hc_result *r;
  state of_run_file = BAD; /* a manifest that does not have it says nothing of it */
  x->worst = GOOD;
  for (size_t i = 0; i < x->count; i++) {
    if (strcmp(x->lines[i].fields[3], f[5]) == 0) of_run_file = x->lines[i].is;
    if (strcmp(x->lines[i].fields[3], f[3]) == 0) need(x, x->lines[i].is);
  }
  need(x, of_run_file);
  CLI_TRY(cli_result_open(x->c, f[3], &r));
  const hc_rc rc = hc_result_rows(r, "inputs", 3, need_input, x, &x->c->error);
  cli_result_close(x->c, r);
  return rc < 0 ? rc : x->c->error.rc;
}

/* A result of an earlier schema version has a digest by another rule: then what happened must be the same.
 */
static hc_rc check_run(checking *x, char *const *f)
{
  digests was, is;
  char text[160];
  hc_rc rc = look_at_needs(x, f);
  if (rc >= 0 && x->worst != GOOD) {
    hc_buffer_printf(&x->c->out, "%s: not run again: %s\n", f[5],
                     x->worst == ABSENT ? "inputs are not here"
                                        : "a file that it needs is not what was packed");
    return 0;
  }
  if (rc >= 0) rc = digests_of_file(x->c, f[3], &was);
  if (rc >= 0) rc = digests_of_run(x->c, f[5], &is);
  if (rc < 0) return note_failure(x, f[5], rc);
  const bool is_same = strcmp(was.whole, is.whole) == 0;
  const bool is_like = is_same || (was.schema != is.schema && strcmp(was.schedule, is.schedule) == 0);
  if (is_same) (void)snprintf(text, sizeof text, "run again: the same");
  else if (is_like)
    (void)snprintf(text, sizeof text,
                   "run again: the same schedule and figures; the digest is of an earlier version's rule");
  else
    (void)snprintf(text, sizeof text, "DIFFERS: run again its digest is %s, it was %s", is.whole, was.whole);
  say(x, is_like, f[5], text);
  return 0;
}

/* ---- the manifest ---- */

static hc_rc damaged(cli *c, size_t line, const char *text)
{
  return hc_fail(&c->error, HC_EINPUT, CLI_BUNDLE_MANIFEST, (uint32_t)line, 0, "%s", text);
}

static hc_rc keep_line(checking *x, const entry *l, size_t number)
{
  char *const *f = l->fields;
  if (x->count == x->cap) {
    const size_t cap = x->cap ? 2 * x->cap : 64;
    entry *lines = realloc(x->lines, cap * sizeof *lines);
    if (!lines) return cli_fail(x->c, HC_ENOMEM, "out of memory");
    x->lines = lines;
    x->cap = cap;
  }
  if (!cli_bundle_is_within(f[3]) || (f[5] && !cli_bundle_is_within(f[5])))
    return damaged(x->c, number, "the path of this line leads out of the folder: it is none of a bundle");
  x->lines[x->count++] = *l;
  return 0;
}

/* @param end  out: whether it is the last line */
static hc_rc read_line(checking *x, char *at, size_t number, bool *end)
{
  static const struct {
    const char *name;
    size_t fields;
  } kinds[] = {{"input", 4}, {"absent", 4}, {"config", 4}, {"script", 4}, {"result", 6}};
  entry l = {.is = UNKNOWN};
  char count[24];
  size_t n = 0;
  while (at && n < FIELDS) l.fields[n++] = strsep(&at, "\t");
  (void)snprintf(count, sizeof count, "%zu", x->count);
  *end = n == 2 && !at && strcmp(l.fields[0], CLI_BUNDLE_END) == 0;
  if (*end && strcmp(l.fields[1], count) == 0) return 0;
  if (*end) return damaged(x->c, number, "lines of it are missing: the bundle is damaged; unpack it again");
  if (n == 2 && !at && strcmp(l.fields[0], "made_by") == 0) return 0;
  for (size_t k = 0; k < CLI_LEN(kinds); k++)
    if (!at && n == kinds[k].fields && strcmp(l.fields[0], kinds[k].name) == 0)
      return keep_line(x, &l, number);
  return damaged(x->c, number, "this line is none of a manifest: the bundle is damaged; unpack it again");
}

static hc_rc read_lines(checking *x, const hc_buffer *manifest)
{
  bool end = false;
  size_t number = 1, results = 0;
  x->text = manifest->size ? strndup(manifest->data, manifest->size) : strdup("");
  if (!x->text) return cli_fail(x->c, HC_ENOMEM, "out of memory");
  if (strlen(x->text) != manifest->size)
    return damaged(x->c, 1, "it has bytes that are no text: the bundle is damaged; unpack it again");
  char *rest = x->text, *first = strsep(&rest, "\n");
  if (strcmp(first, CLI_BUNDLE_HEAD) != 0)
    return damaged(x->c, 1,
                   manifest->size == 0 ? "it is empty: the bundle is damaged; unpack it again"
                                       : "it begins otherwise than a manifest of this version does");
  while (!end && rest && *rest) CLI_TRY(read_line(x, strsep(&rest, "\n"), ++number, &end));
  if (!end || !rest || *rest)
    return damaged(x->c, number,
                   "it does not end as a manifest does: the bundle is damaged; unpack it again");
  for (size_t i = 0; i < x->count; i++) results += strcmp(x->lines[i].fields[0], "result") == 0;
  if (results == 0) return damaged(x->c, number, "there is no result in it, so there is nothing to check");
  return 0;
}

static hc_rc read_manifest(cli *c, hc_buffer *out)
{
  char data[4096];
  size_t n;
  FILE *f = fopen(CLI_BUNDLE_MANIFEST, "rb");
  if (!f)
    return hc_fail(&c->error, HC_EUSAGE, c->operands[0], 0, 0,
                   "there is no " CLI_BUNDLE_MANIFEST
                   " in it, so it is no bundle; `hindcast bundle` makes one");
  while ((n = fread(data, 1, sizeof data, f)) > 0) hc_buffer_add(out, data, n);
  const bool failed = ferror(f);
  (void)fclose(f);
  if (failed) return hc_fail(&c->error, HC_EIO, CLI_BUNDLE_MANIFEST, 0, 0, "cannot read it");
  return out->failed ? cli_fail(c, HC_ENOMEM, "out of memory") : 0;
}

static hc_rc check_all(checking *x, const hc_buffer *manifest)
{
  hc_rc (*const results[])(checking * x, char *const *f) = {check_result, check_run};
  CLI_TRY(read_lines(x, manifest));
  for (size_t i = 0; i < x->count; i++) CLI_TRY(check_file(x, &x->lines[i]));
  for (size_t pass = 0; pass < (cli_has(x->c, "no-runs") ? 1 : CLI_LEN(results)); pass++)
    for (size_t i = 0; i < x->count; i++) {
      char *const *f = x->lines[i].fields;
      if (strcmp(f[0], "result") == 0 && access(f[3], R_OK) == 0) CLI_TRY(results[pass](x, f));
    }
  if (x->bad > 0) {
    x->c->problems = true;
    return cli_fail(x->c, HC_EREFUTED, "%llu of %llu checks found something else than was packed",
                    (unsigned long long)x->bad, (unsigned long long)(x->bad + x->good));
  }
  if (!cli_has(x->c, "quiet"))
    hc_buffer_printf(&x->c->out, "%llu checks, all as it was packed%s\n", (unsigned long long)x->good,
                     x->absent ? "; what was left out was not checked" : "");
  return 0;
}

static hc_rc run(cli *c)
{
  checking x = {.c = c};
  hc_buffer manifest;
  if (chdir(c->operands[0]) != 0)
    return hc_fail(&c->error, HC_EUSAGE, c->operands[0], 0, 0,
                   "it is no folder that can be entered; an archive is unpacked first (tar xf)");
  cli_listen();
  hc_buffer_init(&manifest, c->allocator);
  hc_rc rc = read_manifest(c, &manifest);
  if (rc >= 0) rc = check_all(&x, &manifest);
  hc_buffer_fini(&manifest);
  free(x.lines);
  free(x.text);
  return rc;
}

const cli_command cli_bundle_check = {
    .name = "check",
    .operands = "FOLDER",
    .summary = "Check a bundle: its files, its results, and its runs, which are carried out again.",
    .detail =
        "Each file is compared with its checksum, each result is verified, and each run file is carried "
        "out in memory: its digest must be the result's. A run of which a file is missing, or differs, is "
        "not carried out. Exit status 3: something differs, and the lines say what.",
    .examples = "hindcast bundle check artefact\nhindcast bundle check artefact --no-runs",
    .flags = flags,
    .min = 1,
    .max = 1,
    .complete = CLI_FILE,
    .run = run,
};
