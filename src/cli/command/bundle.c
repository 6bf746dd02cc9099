/* bundle.c -- `hindcast bundle`: results with all that it takes to carry their runs out again.
 *
 * A bundle is a folder: run files, results, the files that the runs read (or their checksums alone), a script
 * with the commands, and a manifest (bundle.h). It is made under another name and takes its own when it is
 * whole. An input is copied only if the copy has the checksum that the result recorded. A file that a key
 * names lies in inputs/N/, with N for each name; a folder, or a pattern of names, likewise with what is in
 * it. bundle_check.c is the other way round.
 *
 * Cost: a copy and a checksum of each file; beside them O(inputs x keys that name files) for each result. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/bundle.h"

#define PATH_SIZE 4096

static const cli_flag own_flags[] = {
    {.name = "output",
     .letter = 'o',
     .metavar = "FOLDER|FILE.tar",
     .complete = CLI_FILE,
     .help = "Write a folder that is not there yet, or one archive. Default: bundle."},
    {.name = "no-inputs", .help = "Leave the inputs out, and keep their sizes and checksums."},
    {.name = "force",
     .help =
         "Replace an archive's file that this command would not have written. A folder is never replaced."},
    CLI_FLAG_QUIET,
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags, NULL};

/* A value of a key that names a file, a folder or a pattern of files. */
typedef struct named {
  char *value;
  char placed[CLI_BUNDLE_PATH]; /* what it is called within the bundle */
  size_t folder;                /* as much of that is the folder: inputs/N */
  size_t result;                /* that named it last, from 1 */
} named;

typedef struct packed {
  char *path; /* within the bundle */
  char sum[33];
  bool is_executable, is_absent;
} packed;

/* A row of a result's table of inputs. */
typedef struct recorded {
  char *path, *bytes, *sum;
} recorded;

typedef struct making {
  cli *c;
  hc_result *r;
  const char *result; /* its path */
  char folder[PATH_SIZE];
  named *names; /* [name_count] */
  size_t name_count, name_cap;
  packed **files; /* [file_count] in the order of the manifest */
  size_t file_count, file_cap, absent_count;
  void *by_path;         /* the same, for tfind() */
  cli_bundle_keys *keys; /* of the result at hand */
  recorded *inputs;      /* [input_count] of the result at hand */
  size_t input_count, input_cap, result_count;
  hc_buffer manifest, script;
  const char *input; /* that is looked for */
  size_t found;      /* how many names cover it */
  bool is_exact;     /* of values that need be no paths, only those count that are the input's path */
} making;

static hc_rc no_memory(cli *c)
{
  return cli_fail(c, HC_ENOMEM, "out of memory");
}

/* ---- files of the bundle ---- */

static hc_rc path_of(making *x, const char *path, char *out)
{
  if (snprintf(out, PATH_SIZE, "%s/%s", x->folder, path) < PATH_SIZE) return 0;
  return cli_fail(x->c, HC_ELIMIT, "%.300s: the path within the bundle is too long", path);
}

/* The folders that a path within the bundle lies in. */
static hc_rc make_folders(making *x, const char *path)
{
  char whole[PATH_SIZE];
  CLI_TRY(path_of(x, path, whole));
  for (char *slash = whole + strlen(x->folder) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
    *slash = '\0';
    if (mkdir(whole, 0777) != 0 && errno != EEXIST)
      return cli_fail(x->c, HC_EIO, "cannot make the folder %.300s: %s", whole, strerror(errno));
    *slash = '/';
  }
  return 0;
}

static int by_path(const void *a, const void *b)
{
  return strcmp(((const packed *)a)->path, ((const packed *)b)->path);
}

/* NULL: there is none of this name. */
static const packed *find_packed(const making *x, char *path)
{
  const packed key = {.path = path};
  packed *const *at = tfind(&key, &x->by_path, by_path);
  return at ? *at : NULL;
}

static hc_rc keep_packed(making *x, packed file)
{
  if (x->file_count == x->file_cap) {
    const size_t cap = x->file_cap ? 2 * x->file_cap : 16;
    packed **files = realloc(x->files, cap * sizeof *files);
    if (!files) return no_memory(x->c);
    x->files = files;
    x->file_cap = cap;
  }
  packed *f = malloc(sizeof *f);
  if (!f) return no_memory(x->c);
  *f = file;
  f->path = strdup(file.path);
  x->files[x->file_count++] = f;
  if (!f->path || !tsearch(f, &x->by_path, by_path) || x->manifest.failed) return no_memory(x->c);
  x->absent_count += f->is_absent;
  return 0;
}

/* A file is whole: a line of the manifest. @param more  further fields; "" */
static hc_rc enter(making *x, const char *kind, char *path, const char *more, char sum[33])
{
  char whole[PATH_SIZE];
  uint64_t bytes;
  packed file = {.path = path, .is_executable = strcmp(kind, "script") == 0};
  CLI_TRY(path_of(x, path, whole));
  CLI_TRY(hc_file_checksum(x->c->allocator, whole, &bytes, sum, &x->c->error));
  hc_buffer_printf(&x->manifest, "%s\t%llu\t%s\t%s%s\n", kind, (unsigned long long)bytes, sum, path, more);
  memcpy(file.sum, sum, 33);
  return keep_packed(x, file);
}

static hc_rc enter_absent(making *x, const recorded *in, char *path)
{
  packed file = {.path = path, .is_absent = true};
  (void)snprintf(file.sum, sizeof file.sum, "%s", in->sum);
  hc_buffer_printf(&x->manifest, "absent\t%s\t%s\t%s\n", in->bytes, in->sum, path);
  return keep_packed(x, file);
}

static hc_rc open_new(making *x, const char *path, FILE **out)
{
  char whole[PATH_SIZE];
  CLI_TRY(make_folders(x, path));
  CLI_TRY(path_of(x, path, whole));
  *out = fopen(whole, "wbx");
  return *out ? 0 : cli_fail(x->c, HC_EIO, "cannot write %.300s: %s", whole, strerror(errno));
}

static hc_rc close_new(making *x, const char *path, FILE *f, hc_rc rc)
{
  const bool failed = ferror(f) || fflush(f) != 0;
  const int why = errno;
  if ((fclose(f) != 0 || failed) && rc >= 0)
    return cli_fail(x->c, HC_EIO, "cannot write %.300s: %s", path, strerror(why));
  return rc;
}

static hc_rc write_text(making *x, const char *path, const hc_buffer *text)
{
  FILE *f;
  if (text->failed) return no_memory(x->c);
  CLI_TRY(open_new(x, path, &f));
  if (text->size) (void)fwrite(text->data, 1, text->size, f);
  return close_new(x, path, f, 0);
}

static hc_rc copy_file(making *x, const char *from, const char *to)
{
  char data[65536];
  size_t n;
  hc_rc rc = 0;
  FILE *in = fopen(from, "rb"), *out;
  if (!in)
    return hc_fail(&x->c->error, HC_EIO, from, 0, 0,
                   "cannot read it: %s; paths are from the folder in which the run was made",
                   strerror(errno));
  rc = open_new(x, to, &out);
  if (rc >= 0) {
    while (rc >= 0 && (n = fread(data, 1, sizeof data, in)) > 0 && fwrite(data, 1, n, out) == n)
      if (cli_interrupted()) rc = HC_ECANCELLED;
    if (rc >= 0 && ferror(in)) rc = hc_fail(&x->c->error, HC_EIO, from, 0, 0, "cannot read it");
    rc = close_new(x, to, out, rc);
  }
  (void)fclose(in);
  return rc;
}

/* ---- inputs ---- */

/* What of an input's path is below a name: behind the folder, or behind the folder of a pattern. @return
 * false: the name does not cover it */
static bool covers(const char *name, const char *input, const char **below)
{
  const char *last = cli_file_name(name);
  size_t n = strlen(name);
  if (strcmp(name, input) == 0) {
    *below = last;
    return true;
  }
  if (strpbrk(last, "*?[")) n = (size_t)(last - name);
  else if (n > 0 && name[n - 1] != '/') n++;
  if (n == 0 && last == name && strpbrk(last, "*?[") && !strchr(input, '/')) { /* of this very folder */
    *below = input;
    return true;
  }
  if (n == 0 || strlen(input) <= n || strncmp(name, input, n - 1) != 0 || input[n - 1] != '/') return false;
  *below = input + n;
  return cli_bundle_is_within(*below);
}

static named *find_name(making *x, const char *value)
{
  for (size_t i = 0; i < x->name_count; i++)
    if (strcmp(x->names[i].value, value) == 0) return &x->names[i];
  return NULL;
}

/* The place of a value that is a path: inputs/N/NAME, of a folder inputs/N. */
static hc_rc add_name(making *x, const char *value, const char *input)
{
  if (x->name_count == x->name_cap) {
    const size_t cap = x->name_cap ? 2 * x->name_cap : 16;
    named *names = realloc(x->names, cap * sizeof *names);
    if (!names) return no_memory(x->c);
    x->names = names;
    x->name_cap = cap;
  }
  named *name = &x->names[x->name_count];
  const bool is_folder = strcmp(value, input) != 0 && !strpbrk(cli_file_name(value), "*?[");
  const int n = snprintf(name->placed, sizeof name->placed, "inputs/%zu%s%s", x->name_count + 1,
                         is_folder ? "" : "/", is_folder ? "" : cli_file_name(value));
  if (n >= (int)sizeof name->placed) return cli_fail(x->c, HC_ELIMIT, "%.300s: the name is too long", value);
  name->folder = 7 + strcspn(name->placed + 7, "/");
  name->value = strdup(value);
  if (!name->value) return no_memory(x->c);
  x->name_count++;
  return 0;
}

static hc_rc match_value(void *ctx, const char *value, bool is_certain)
{
  making *x = ctx;
  const char *below;
  if (x->is_exact && !is_certain ? strcmp(value, x->input) != 0 : !covers(value, x->input, &below)) return 0;
  x->found++;
  if (!find_name(x, value)) CLI_TRY(add_name(x, value, x->input));
  find_name(x, value)->result = x->result_count;
  return 0;
}

static hc_rc match_input(making *x, const recorded *in)
{
  x->input = in->path;
  x->found = 0;
  for (int pass = 0; pass < 2 && x->found == 0; pass++) {
    x->is_exact = pass == 0;
    CLI_TRY(cli_bundle_keys_paths(x->keys, match_value, x));
  }
  return 0;
}

static hc_rc keep_input(void *ctx, const char *const *v)
{
  making *x = ctx;
  if (!v[0]) return 0;
  if (strcmp(v[0], "-") == 0 || !v[2] || v[2][0] == '\0')
    return hc_fail(&x->c->error, HC_EUNSUPPORTED, x->result, 0, 0,
                   "it was made from standard input, which cannot be read again; run it from a file");
  if (x->input_count == x->input_cap) {
    const size_t cap = x->input_cap ? 2 * x->input_cap : 16;
    recorded *inputs = realloc(x->inputs, cap * sizeof *inputs);
    if (!inputs) return no_memory(x->c);
    x->inputs = inputs;
    x->input_cap = cap;
  }
  recorded *in = &x->inputs[x->input_count++];
  *in = (recorded){strdup(v[0]), strdup(v[1] ? v[1] : ""), strdup(v[2])};
  return in->path && in->bytes && in->sum ? 0 : no_memory(x->c);
}

static void drop_inputs(making *x)
{
  for (size_t i = 0; i < x->input_count; i++) {
    free(x->inputs[i].path);
    free(x->inputs[i].bytes);
    free(x->inputs[i].sum);
  }
  x->input_count = 0;
}

static hc_rc refuse_other(const making *x, const recorded *in, const packed *is)
{
  return hc_fail(
      &x->c->error, HC_EINPUT, in->path, 0, 0,
      "%.200s was made from another file of this name (checksum %.40s) than a result before it (%s), "
      "and a bundle has one of them; bundle them apart, or run one again",
      x->result, in->sum, is->sum);
}

static hc_rc pack_input(making *x, const named *name, const char *below, const recorded *in)
{
  char path[CLI_BUNDLE_PATH], sum[33];
  const int n = snprintf(path, sizeof path, "%.*s/%s", (int)name->folder, name->placed, below);
  if (n >= (int)sizeof path || strpbrk(path, "\t\n\r"))
    return hc_fail(&x->c->error, HC_EUNSUPPORTED, in->path, 0, 0,
                   "a manifest cannot have this name; rename the file and run it again");
  const packed *is = find_packed(x, path);
  if (is) return strcmp(is->sum, in->sum) == 0 ? 0 : refuse_other(x, in, is);
  if (cli_has(x->c, "no-inputs")) return enter_absent(x, in, path);
  CLI_TRY(copy_file(x, in->path, path));
  CLI_TRY(enter(x, "input", path, "", sum));
  if (strcmp(sum, in->sum) == 0) return 0;
  return hc_fail(
      &x->c->error, HC_EINPUT, in->path, 0, 0,
      "it is not the file that %.200s was made from (checksum %s, it was %.40s); put that one back, "
      "or run it again",
      x->result, sum, in->sum);
}

/* How a name leads to a file: it is the file's, or that of a folder or pattern; or another file, which stands
 * beside it, names it in turn. */
typedef enum leads { BY_NAME, FROM_BESIDE, LEADS } leads;

static bool leads_to(const named *name, const char *input, leads how, const char **below)
{
  const size_t n = (size_t)(cli_file_name(name->value) - name->value);
  switch (how) {
    case BY_NAME: return covers(name->value, input, below);
    case FROM_BESIDE:
      *below = input + n;
      return n > 0 && strncmp(name->value, input, n) == 0 && cli_bundle_is_within(*below);
    case LEADS: break;
  }
  return false;
}

static hc_rc pack_named(making *x, const recorded *in)
{
  const char *below;
  size_t count = 0;
  for (int how = BY_NAME; how < LEADS && count == 0; how++)
    for (size_t i = 0; i < x->name_count; i++) {
      const named *name = &x->names[i];
      if (name->result != x->result_count || !leads_to(name, in->path, (leads)how, &below)) continue;
      CLI_TRY(pack_input(x, name, below, in));
      count++;
    }
  if (count > 0) return 0;
  return hc_fail(
      &x->c->error, HC_EUNSUPPORTED, x->result, 0, 0,
      "no key of its configuration leads to the input %.300s, so that no run file can say where it "
      "lies; put it beside the file that names it and run it again",
      in->path);
}

static hc_rc pack_inputs(making *x)
{
  CLI_TRY(hc_result_rows(x->r, "inputs", 3, keep_input, x, &x->c->error));
  for (size_t i = 0; i < x->input_count; i++) CLI_TRY(match_input(x, &x->inputs[i]));
  for (size_t i = 0; i < x->input_count; i++) CLI_TRY(pack_named(x, &x->inputs[i]));
  return 0;
}

static const char *place_of(void *ctx, const char *value)
{
  const making *x = ctx;
  const named *name = find_name(ctx, value);
  return name && name->result == x->result_count ? name->placed : NULL;
}

/* ---- results ---- */

static hc_rc refuse_others(making *x)
{
  if (cli_result_is_recorded(x->c, x->r))
    return hc_fail(&x->c->error, HC_EUNSUPPORTED, x->result, 0, 0,
                   "it holds what a log recorded, and no run that could be carried out again; bundle results "
                   "of `hindcast run`");
  return 0;
}

static hc_rc pack_result(making *x)
{
  char name[208], config[256], path[256], sum[33], digest[33], more[400];
  hc_buffer text;
  cli_stem(x->result, name, sizeof name);
  for (char *p = name; *p; p++) /* names that a shell and a manifest take as they are */
    if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *p)) *p = '_';
  if (name[0] == '-') name[0] = '_';
  (void)snprintf(config, sizeof config, "%s.yaml", name);
  (void)snprintf(path, sizeof path, "results/%s.db", name);
  if (find_packed(x, path))
    return hc_fail(&x->c->error, HC_EUSAGE, x->result, 0, 0,
                   "another result of the bundle is called %s too; rename one of them", name);
  CLI_TRY(refuse_others(x));
  CLI_TRY(hc_result_digest(x->r, digest, &x->c->error));
  CLI_TRY(cli_bundle_keys_read(x->c, x->r, &x->keys));
  CLI_TRY(pack_inputs(x));
  hc_buffer_init(&text, x->c->allocator);
  hc_rc rc = cli_bundle_keys_write(x->keys, place_of, x, &text);
  if (rc >= 0) rc = write_text(x, config, &text);
  hc_buffer_fini(&text);
  if (rc >= 0) rc = enter(x, "config", config, "", sum);
  if (rc >= 0) rc = copy_file(x, x->result, path);
  (void)snprintf(more, sizeof more, "\t%s\t%s", digest, config);
  if (rc >= 0) rc = enter(x, "result", path, more, sum);
  hc_buffer_printf(&x->script, "\"$hindcast\" run %s --quiet --output again/%s.db\n", config, name);
  hc_buffer_printf(&x->script, "same %s\n", name);
  return rc;
}

static hc_rc write_script(making *x)
{
  char path[PATH_SIZE], name[] = "run", sum[33];
  CLI_TRY(write_text(x, name, &x->script));
  CLI_TRY(path_of(x, name, path));
  (void)chmod(path, 0755);
  return enter(x, "script", name, "", sum);
}

static hc_rc fill(making *x)
{
  char program[128];
  cli_program(program);
  hc_buffer_printf(&x->manifest, "%s\nmade_by\t%s\n", CLI_BUNDLE_HEAD, program);
  hc_buffer_printf(
      &x->script,
      "#!/bin/sh\n"
      "# run [HINDCAST] -- carries out every run of this folder anew, into again/, and compares digests of\n"
      "# schedules.\n"
      "# `hindcast bundle check .` does it too, keeps nothing, and looks at every file.\n"
      "# made by %s\n"
      "set -eu\n"
      "hindcast=${1:-hindcast}\n"
      "case $hindcast in /*) ;; */*) hindcast=$PWD/$hindcast ;; esac\n"
      "cd \"$(dirname \"$0\")\"\n"
      "mkdir -p again\n\n"
      "same()\n"
      "{\n"
      "  was=$(\"$hindcast\" digest --schedule \"results/$1.db\" | cut -d' ' -f1)\n"
      "  is=$(\"$hindcast\" digest --schedule \"again/$1.db\" | cut -d' ' -f1)\n"
      "  [ \"$was\" = \"$is\" ] || { echo \"$1: the digest is $is, it was $was\"; exit 1; }\n"
      "  echo \"$1: $is\"\n"
      "}\n\n",
      program);
  for (size_t i = 0; i < x->c->operand_count; i++) {
    x->result = x->c->operands[i];
    CLI_TRY(cli_result_open(x->c, x->result, &x->r));
    x->result_count++;
    const hc_rc rc = pack_result(x);
    cli_bundle_keys_free(x->keys);
    x->keys = NULL;
    drop_inputs(x);
    cli_result_close(x->c, x->r);
    x->r = NULL;
    CLI_TRY(rc);
  }
  CLI_TRY(write_script(x));
  hc_buffer_printf(&x->manifest, CLI_BUNDLE_END "\t%zu\n", x->file_count);
  return write_text(x, CLI_BUNDLE_MANIFEST, &x->manifest);
}

/* ---- the whole, under its name ---- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
  (void)st;
  (void)type;
  (void)ftw;
  return remove(path);
}

static void drop(const making *x)
{
  (void)nftw(x->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* The folder within an archive: the archive's name without its end. */
static void stem_of(const char *output, char *out, size_t size)
{
  const char *name = cli_file_name(output);
  (void)snprintf(out, size, "%.*s", (int)(strlen(name) - 4), name);
}

static hc_rc pack_archive(making *x, const char *output)
{
  char stem[208], name[PATH_SIZE], path[PATH_SIZE];
  cli_file file;
  hc_rc rc = 0;
  stem_of(output, stem, sizeof stem);
  CLI_TRY(cli_file_open(x->c, output, &file));
  for (size_t i = 0; rc >= 0 && i <= x->file_count; i++) {
    const bool is_manifest = i == 0;
    const char *within = is_manifest ? CLI_BUNDLE_MANIFEST : x->files[i - 1]->path;
    if (!is_manifest && x->files[i - 1]->is_absent) continue;
    rc = path_of(x, within, path);
    (void)snprintf(name, sizeof name, "%s/%s", stem, within);
    if (rc >= 0) rc = cli_tar_add(&file, path, name, !is_manifest && x->files[i - 1]->is_executable);
  }
  if (rc >= 0) rc = cli_tar_end(&file);
  if (rc >= 0) return cli_file_commit(&file);
  cli_file_drop(&file);
  return rc;
}

/* All files of the folder at once: it takes its name when they are on the disk. */
static bool reaches_disk(const char *folder)
{
  const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool is_done = fd >= 0 && syncfs(fd) == 0;
  const int why = errno;
  if (fd >= 0) (void)close(fd);
  errno = why;
  return is_done;
}

static hc_rc publish(making *x, const char *output, bool is_archive)
{
  if (is_archive) {
    CLI_TRY(pack_archive(x, output));
    drop(x);
    return 0;
  }
  if (!reaches_disk(x->folder))
    return cli_fail(x->c, HC_EIO, "cannot write %.300s: %s", output, strerror(errno));
  if (rename(x->folder, output) == 0) return 0;
  return cli_fail(x->c, errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR ? HC_EUSAGE : HC_EIO,
                  "%.300s: the bundle cannot take this name: %s; choose another folder", output,
                  strerror(errno));
}

static hc_rc make(making *x, const char *output)
{
  struct stat st;
  char stem[208];
  const size_t n = strlen(output);
  const bool is_archive = n >= 4 && strcmp(output + n - 4, ".tar") == 0;
  if (n == 0 || n > PATH_SIZE / 2) return cli_fail(x->c, HC_EUSAGE, "--output: no such name can be given");
  if (is_archive) stem_of(output, stem, sizeof stem);
  if (is_archive && stem[strspn(stem, ".")] == '\0' && strlen(stem) < 3)
    return hc_fail(
        &x->c->error, HC_EUSAGE, output, 0, 0,
        "what stands before .tar names the folder within the archive, and \"%s\" is no name of one; "
        "choose another, such as bundle.tar",
        stem);
  if (!is_archive && stat(output, &st) == 0)
    return hc_fail(&x->c->error, HC_EUSAGE, output, 0, 0,
                   "it is there already; choose another folder, or remove it");
  (void)snprintf(x->folder, sizeof x->folder, "%.*s.partial-%ld", (int)(output[n - 1] == '/' ? n - 1 : n),
                 output, (long)getpid());
  if (mkdir(x->folder, 0777) != 0)
    return hc_fail(&x->c->error, HC_EIO, output, 0, 0, "cannot make the folder: %s", strerror(errno));
  hc_rc rc = fill(x);
  if (rc >= 0) rc = publish(x, output, is_archive);
  if (rc < 0) drop(x);
  return rc;
}

static hc_rc run(cli *c)
{
  making x = {.c = c};
  const char *output = cli_value(c, "output") ? cli_value(c, "output") : "bundle";
  if (c->operand_count == 0)
    return cli_fail(
        c, HC_EUSAGE,
        "which results? `hindcast bundle RESULT... -o FOLDER`, or `hindcast bundle check FOLDER`");
  cli_listen();
  hc_buffer_init(&x.manifest, c->allocator);
  hc_buffer_init(&x.script, c->allocator);
  const hc_rc rc = make(&x, output);
  if (rc >= 0 && !cli_has(c, "quiet"))
    hc_buffer_printf(&c->out,
                     "%s: %zu results, %zu files in all; `hindcast bundle check` carries them out again\n",
                     output, c->operand_count, x.file_count - x.absent_count + 1);
  for (size_t i = 0; i < x.name_count; i++) free(x.names[i].value);
  for (size_t i = 0; i < x.file_count; i++) {
    (void)tdelete(x.files[i], &x.by_path, by_path);
    free(x.files[i]->path);
    free(x.files[i]);
  }
  free(x.names);
  free(x.files);
  free(x.inputs);
  hc_buffer_fini(&x.manifest);
  hc_buffer_fini(&x.script);
  return rc;
}

static const cli_command *const commands[] = {&cli_bundle_check, NULL};

const cli_command cli_command_bundle = {
    .name = "bundle",
    .operands = "RESULT...",
    .summary = "Put results into a folder with all that it takes to carry their runs out again.",
    .detail =
        "The folder has a run file of each result, with every key that was not at its default and paths "
        "within the folder; the files that it was made from, shared objects too, each only if it has the "
        "checksum that the result recorded; the results; a script `run` with the commands; and a manifest "
        "with sizes and checksums. It appears only when it is whole. A name that ends in .tar is one archive "
        "of it.",
    .examples = "hindcast bundle results/easy.db results/sjf.db -o artefact\n"
                "hindcast bundle results/easy.db --no-inputs -o artefact.tar\n"
                "hindcast bundle check artefact",
    .flags = flags,
    .commands = commands,
    .min = 0,
    .max = -1,
    .complete = CLI_FILE,
    .run = run,
};
