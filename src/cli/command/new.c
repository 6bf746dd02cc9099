/* new.c -- `hindcast new`: a part of one's own to begin with.
 *
 * What is written is an example of its kind under another name: one that the tests compile and run
 * (cli/templates.def). Beside it go a run file that uses it and a test; in a tree of Hindcast the line of its
 * list in place of the shared object's entry. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/template_bytes.h"

#define NAME_LIMIT 40

typedef struct template
{
  const char *kind, *macro, *name; /* macro: HC_SELECT, of the line in its list */
  hc_kind number;
  const char *list; /* below src */
  const char *runs;         /* lines of a run file; %s is its name */
  const char *limit, *twin; /* settings that make one schedule, with it and without; NULL: none do */
  const char *text;
}
template;

static const template templates[] = {
#define HC_TEMPLATE(kind, KIND, name, list, runs, limit, twin) \
  {#kind, "HC_" #KIND, #name, HC_KIND_##KIND, #list, runs, limit, twin, template_##name},
#include "cli/templates.def"
#undef HC_TEMPLATE
};

/* The text names its example in five ways: `NAME.c`, "NAME" and "NAME| as texts, and as the end of an
 * identifier, hc_select_NAME. Where the word is one of the language nothing of this is around it. */
static bool is_name(const char *text, const char *at, size_t length)
{
  char before = at > text ? at[-1] : ' ', after = at[length];
  if (before == '"') return after == '"' || after == '|';
  if (before == '_') return !((after >= 'a' && after <= 'z') || after == '_');
  return (before == ' ' || before == '/') && after == '.' && at[length + 1] == 'c';
}

/* @param of_tree  without what only a shared object needs */
static void write_part(const template *t, const char *name, bool of_tree, hc_buffer *out)
{
  static const char entry[] = "\n/* Only a shared object needs",
                    include[] = "#include \"hindcast/plugin.h\"\n";
  const char *end = of_tree ? strstr(t->text, entry) : NULL;
  const size_t length = strlen(t->name);
  if (!end) end = t->text + strlen(t->text);
  for (const char *s = t->text; s < end;) {
    if (of_tree && strncmp(s, include, sizeof include - 1) == 0) s += sizeof include - 1;
    else if (strncmp(s, t->name, length) == 0 && is_name(t->text, s, length)) {
      hc_buffer_text(out, name);
      s += length;
    } else hc_buffer_add(out, s++, 1);
  }
}

/* A reader comes with a log that it reads, others take the jobs of a model. */
static bool has_log(const template *t)
{
  return t->number == HC_KIND_READER;
}

/* In no order, as logs are that are written when jobs end; a user may be unknown. */
static void write_log(hc_buffer *out)
{
  hc_buffer_text(out, "# submit;id;procs;run;limit;user\n"
                      "0;1;2;100;120;ann\n"
                      "30;3;1;40.5;60;bob\n"
                      "10;2;4;60;60;ann\n"
                      "35;4;2;10;60;\n"
                      "35;5;1;200;100;cid\n"
                      "90;6;3;25;30;bob\n");
}

static void write_run(const template *t, const char *name, bool of_tree, hc_buffer *out)
{
  if (has_log(t)) hc_buffer_printf(out, "# A log, as the reader %s reads it.\nname: %s\n", name, name);
  else
    hc_buffer_printf(out, "# Five hundred jobs of a model under the %s %s.\nname: %s\n", t->kind, name, name);
  if (!of_tree) hc_buffer_printf(out, "plugin: $here/%s.so\n", name);
  if (!has_log(t)) hc_buffer_text(out, "source: {use: lublin, tasks: 500, procs: 64}\n");
  for (const char *s = t->runs; *s;) {
    if (s[0] == '%' && s[1] == 's') {
      hc_buffer_text(out, name);
      s += 2;
    } else hc_buffer_add(out, s++, 1);
  }
}

/* What another reader makes of the same lines, and what becomes of them packed. */
static void write_comparison(const char *name, hc_buffer *out)
{
  hc_buffer_printf(
      out,
      "# csv, told which column is which, gives the same schedule; so does the log packed, and read ahead.\n"
      "csv=\"use: csv, file: %s.log, header: false, separator: semicolon, comment: '#', submit: 1, id: 2\"\n"
      "\"$hindcast\" run %s.yaml --set \"source={$csv, procs: 3, run: 4, limit: 5, user: 6}\" \\\n"
      "  --quiet --output \"$scratch/csv.db\"\n"
      "gzip -c %s.log >\"$scratch/packed\"\n"
      "\"$hindcast\" run %s.yaml --set \"source={use: %s, file: $scratch/packed}\" --set threads=2 \\\n"
      "  --quiet --output \"$scratch/packed.db\"\n"
      "schedules=$(\"$hindcast\" digest --schedule \"$scratch\"/*.db | cut -d' ' -f1 | sort -u | wc -l)\n"
      "[ \"$schedules\" -eq 1 ] || { echo \"%s and csv read %s.log differently\"; exit 1; }\n",
      name, name, name, name, name, name, name);
}

/* At an end of its range the part does what a known one does. */
static void write_twin(const template *t, const char *name, hc_buffer *out)
{
  hc_buffer_printf(
      out,
      "# What the %s is to do: at an end of its range what a known part does. Say here what yours\n"
      "# comes to.\n"
      "\"$hindcast\" run %s.yaml --set '%s' --quiet --output \"$scratch/limit.db\"\n"
      "\"$hindcast\" run %s.yaml --set '%s' --quiet --output \"$scratch/twin.db\"\n"
      "schedules=$(\"$hindcast\" digest --schedule \"$scratch/limit.db\" \"$scratch/twin.db\" |\n"
      "  cut -d' ' -f1 | sort -u | wc -l)\n"
      "[ \"$schedules\" -eq 1 ] || { echo \"%s: %s and %s make two schedules\"; exit 1; }\n",
      t->kind, name, t->limit, name, t->twin, name, t->limit, t->twin);
}

static void write_count(const char *name, hc_buffer *out)
{
  hc_buffer_printf(
      out,
      "# What the metric is to find: here as many tasks as waited for more than 30 s, by the rows.\n"
      "found=$(\"$hindcast\" show \"$scratch/1.db\" --all --csv | awk -F, '$2 == \"%s\" { print $4 }')\n"
      "counted=$(\"$hindcast\" export \"$scratch/1.db\" | awk -F, '\n"
      "  NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }\n"
      "  NR > 1 && $at[\"start\"] - $at[\"submit\"] > 30' | wc -l)\n"
      "[ \"$found\" = \"$counted\" ] || { echo \"%s is $found, and the rows have $counted\"; exit 1; }\n",
      name, name);
}

static void write_test(const template *t, const char *name, hc_buffer *out)
{
  hc_buffer_printf(
      out,
      "#!/bin/sh\n"
      "# test_%s.sh -- compile %s.c, run it twice: the same result both times, and a schedule that holds.\n"
      "# HINDCAST: the command; HINDCAST_INCLUDE: the folder of its headers, where it is not installed.\n"
      "set -eu\n"
      "cd \"$(dirname \"$0\")\"\n"
      "hindcast=${HINDCAST:-hindcast}\n"
      "flags=${HINDCAST_INCLUDE:+-I$HINDCAST_INCLUDE}\n"
      "[ -n \"$flags\" ] || flags=$(pkg-config --cflags hindcast 2>/dev/null) || {\n"
      "  echo \"pkg-config does not find hindcast.pc. PKG_CONFIG_PATH=FOLDER sh $0 says where it is, as\"\n"
      "  echo \"PREFIX/lib/pkgconfig; where it is not installed: HINDCAST_INCLUDE=SOURCES/include sh $0\"\n"
      "  exit 2\n"
      "} >&2\n"
      "${CC:-cc} -std=c17 -O2 -Wall -Wextra -fPIC -shared $flags -o %s.so %s.c\n"
      "scratch=$(mktemp -d)\n"
      "trap 'rm -rf \"$scratch\"' EXIT\n"
      "for run in 1 2; do \"$hindcast\" run %s.yaml --quiet --output \"$scratch/$run.db\"; done\n"
      "digests=$(\"$hindcast\" digest \"$scratch\"/[12].db | cut -d' ' -f1 | sort -u | wc -l)\n"
      "[ \"$digests\" -eq 1 ] ||\n"
      "  { echo \"%s: two runs of one file differ: does it keep something from run to run?\"; exit 1; }\n",
      name, name, name, name, name, name);
  if (has_log(t)) write_comparison(name, out);
  if (t->limit) write_twin(t, name, out);
  if (t->number == HC_KIND_METRIC) write_count(name, out);
  hc_buffer_text(out, "\"$hindcast\" verify \"$scratch/1.db\"\n");
}

static void write_golden(const template *t, const char *name, hc_buffer *out)
{
  hc_buffer_printf(out,
                   "# The %s %s: what it does to some jobs, and what is said of it.\ncat >run.yaml <<'END'\n",
                   t->kind, name);
  write_run(t, name, true, out);
  if (has_log(t)) {
    hc_buffer_printf(out, "END\ncat >%s.log <<'END'\n", name);
    write_log(out);
  }
  hc_buffer_printf(out,
                   "END\nhindcast run run.yaml --output r.db --quiet\nhindcast verify r.db\n"
                   "hindcast show r.db\nhindcast describe %s/%s\nrm run.yaml r.db%s%s%s\n",
                   t->kind, name, has_log(t) ? " " : "", has_log(t) ? name : "", has_log(t) ? ".log" : "");
}

/* ---- files ---- */

static hc_rc check_absent(cli *c, const char *path)
{
  FILE *f = cli_has(c, "force") ? NULL : fopen(path, "rb");
  if (!f) return 0;
  (void)fclose(f);
  return hc_fail(&c->error, HC_EUSAGE, path, 0, 0,
                 "it is there already; choose another name, or say --force to replace it");
}

static hc_rc write_file(cli *c, const char *path, hc_buffer *text)
{
  cli_file file = {.c = c};
  hc_rc rc = cli_file_open(c, path, &file);
  if (rc >= 0) rc = cli_file_send(&file, text);
  if (rc >= 0) rc = cli_file_commit(&file);
  else cli_file_drop(&file);
  if (rc >= 0) hc_buffer_printf(&c->out, "  %s\n", path);
  return rc;
}

static hc_rc add_line(cli *c, const char *path, const char *macro, const char *name)
{
  FILE *f = fopen(path, "rb");
  hc_buffer text;
  int byte;
  if (!f)
    return hc_fail(&c->error, HC_EUSAGE, path, 0, 0, "%s; --tree names a tree of Hindcast's sources",
                   strerror(errno));
  hc_buffer_init(&text, c->allocator);
  while ((byte = fgetc(f)) != EOF) {
    char one = (char)byte;
    hc_buffer_add(&text, &one, 1);
  }
  (void)fclose(f);
  hc_buffer_printf(&text, "%s(%s)\n", macro, name);
  hc_rc rc = write_file(c, path, &text);
  hc_buffer_fini(&text);
  return rc;
}

/* The one that this file is to be in. */
static hc_rc make_folder(cli *c, const char *path)
{
  char folder[4096];
  (void)snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
  if (mkdir(folder, 0777) == 0 || errno == EEXIST) return 0;
  return hc_fail(&c->error, HC_EIO, folder, 0, 0, "cannot make the folder: %s", strerror(errno));
}

/* ---- the two ways ---- */

static hc_rc make_beside(cli *c, const template *t, const char *name)
{
  const char *folder = cli_value(c, "to") ? cli_value(c, "to") : ".";
  char path[4][4096];
  const size_t files = has_log(t) ? 4 : 3;
  hc_buffer text;
  hc_rc rc = 0;
  (void)snprintf(path[0], sizeof path[0], "%s/%s.c", folder, name);
  (void)snprintf(path[1], sizeof path[1], "%s/%s.yaml", folder, name);
  (void)snprintf(path[2], sizeof path[2], "%s/test_%s.sh", folder, name);
  (void)snprintf(path[3], sizeof path[3], "%s/%s.log", folder, name);
  for (size_t i = 0; i < files; i++) CLI_TRY(check_absent(c, path[i]));
  hc_buffer_init(&text, c->allocator);
  hc_buffer_text(&c->out, "written:\n");
  for (size_t i = 0; rc >= 0 && i < files; i++) {
    if (i == 0) write_part(t, name, false, &text);
    if (i == 1) write_run(t, name, false, &text);
    if (i == 2) write_test(t, name, &text);
    if (i == 3) write_log(&text);
    rc = write_file(c, path[i], &text);
  }
  hc_buffer_fini(&text);
  hc_buffer_printf(
      &c->out,
      "to build it, in that folder, and to test it:\n"
      "  cc -std=c17 -O2 -fPIC -shared $(pkg-config --cflags hindcast) -o %s.so %s.c\n"
      "  hindcast run %s.yaml\n  sh test_%s.sh\n"
      "where pkg-config does not find Hindcast: PKG_CONFIG_PATH=PREFIX/lib/pkgconfig of the installation\n"
      "where it is not installed: -I SOURCES/include, and HINDCAST_INCLUDE=SOURCES/include\n",
      name, name, name, name);
  return rc;
}

static hc_rc make_in_tree(cli *c, const template *t, const char *name, const char *tree)
{
  char path[4][4096], case_name[NAME_LIMIT + 32];
  hc_buffer text;
  const char *folder = strcmp(t->kind, "metric") == 0         ? "family"
                       : strcmp(t->kind, "reader") == 0       ? "format"
                       : strcmp(t->kind, "architecture") == 0 ? "kind"
                                                              : t->kind;
  const int room = (int)(strchr(t->list, '/') - t->list);
  (void)snprintf(path[0], sizeof path[0], "%s/src/%.*s/%s/%s.c", tree, room, t->list, folder, name);
  (void)snprintf(path[1], sizeof path[1], "%s/tests/golden/good/%s_%s/cmd", tree, t->kind, name);
  (void)snprintf(path[2], sizeof path[2], "%s/src/%s", tree, t->list);
  (void)snprintf(path[3], sizeof path[3], "%s/tests/golden/CMakeLists.txt", tree);
  (void)snprintf(case_name, sizeof case_name, "good/%s_%s", t->kind, name);
  for (size_t i = 0; i < 2; i++) CLI_TRY(check_absent(c, path[i]));
  hc_buffer_init(&text, c->allocator);
  hc_buffer_text(&c->out, "written:\n");
  write_part(t, name, true, &text);
  hc_rc rc = write_file(c, path[0], &text);
  if (rc >= 0) rc = add_line(c, path[2], t->macro, name);
  write_golden(t, name, &text);
  if (rc >= 0) rc = make_folder(c, path[1]);
  if (rc >= 0) rc = write_file(c, path[1], &text);
  if (rc >= 0) rc = add_line(c, path[3], "hc_golden_test", case_name);
  hc_buffer_fini(&text);
  hc_buffer_printf(
      &c->out,
      "to build it, to look at what its test prints and keep that, and to make the documents anew:\n"
      "  cmake --build build/release\n  tools/bless %s\n  ./dev docs\n"
      "docs/adding-a-part.md says what else belongs to it.\n",
      case_name);
  return rc;
}

static hc_rc check_name(cli *c, const template *t, const char *name)
{
  const hc_registry *r = cli_registry(c);
  bool is_good = name[0] >= 'a' && name[0] <= 'z' && strlen(name) <= NAME_LIMIT;
  for (const char *s = name; *s; s++)
    is_good = is_good && ((*s >= 'a' && *s <= 'z') || (*s >= '0' && *s <= '9') || *s == '_');
  if (!is_good)
    return cli_fail(c, HC_EUSAGE,
                    "\"%s\" is no name of a part: small letters, digits and _, at most %d of them", name,
                    NAME_LIMIT);
  if (!r) return HC_ENOMEM;
  if (hc_registry_find(r, t->number, name))
    return cli_fail(c, HC_EUSAGE, "%s \"%s\" is there already (hindcast describe %s/%s); choose another name",
                    t->kind, name, t->kind, name);
  return 0;
}

static hc_rc run(cli *c)
{
  const char *tree = cli_value(c, "tree");
  for (size_t i = 0; i < CLI_LEN(templates); i++) {
    const template *t = &templates[i];
    if (strcmp(t->kind, c->operands[0]) != 0) continue;
    CLI_TRY(check_name(c, t, c->operands[1]));
    return tree ? make_in_tree(c, t, c->operands[1], tree) : make_beside(c, t, c->operands[1]);
  }
  return cli_fail(
      c, HC_EUSAGE,
      "there is no part \"%s\" to begin with; there are order, select, place, policy, metric, architecture, "
      "reader",
      c->operands[0]);
}

static const cli_flag own_flags[] = {
    {.name = "to",
     .metavar = "FOLDER",
     .help = "Write there. Default: the current folder.",
     .complete = CLI_FILE},
    {.name = "tree",
     .metavar = "FOLDER",
     .help =
         "Write into this tree of Hindcast's sources: the file in its room, the line in its list, a golden "
         "test.",
     .complete = CLI_FILE},
    CLI_FLAG_FORCE,
    {.name = NULL}};
static const cli_flag *const flags[] = {own_flags, NULL};

const cli_command cli_command_new = {
    .name = "new",
    .operands = "KIND NAME",
    .summary = "Write a part of your own to begin with: its file, a run file, a test.",
    .detail =
        "KIND is order, select, place, policy, metric, architecture, or reader (a trace format). What is "
        "written works as it stands and does what an example does: change it. Without --tree it becomes a "
        "shared object, which `plugin` of a run file loads.",
    .examples = "hindcast new policy mine          # mine.c, mine.yaml, test_mine.sh\n"
                "hindcast new reader site          # and site.log, which it reads\n"
                "sh test_mine.sh                   # compiles it, runs it, verifies its schedule\n"
                "hindcast new order mine --tree .  # in the tree: src/policy/order/mine.c and its line",
    .flags = flags,
    .min = 2,
    .max = 2,
    .complete = "order|select|place|policy|metric|architecture|reader",
    .run = run,
};
