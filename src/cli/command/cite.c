/* cite.c -- `hindcast cite`: what a paper has to say of a result, as a paragraph or as BibTeX.
 *
 * The paragraph is made of the result alone: workload and its checksum, machine, policy, keys that are not at
 * their defaults, what was left out, how means and intervals are made, version, commit and digest. The
 * entries are one for the program, and one for each log whose header says whose it is; for these the log is
 * opened, if it is still the one that was read. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#define WIDTH 80

static const cli_flag own_flags[] = {
    {.name = "bibtex",
     .help = "Print BibTeX entries instead: of Hindcast, and of each log whose header says whose it is."},
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags, NULL};

typedef struct citing {
  cli *c;
  hc_result *r;
  hc_buffer text;    /* the paragraph, unwrapped */
  hc_buffer changed; /* paths of inputs that are other files now, each with its 0 */
  hc_buffer list;    /* of what is gathered, ", " between items */
  hc_buffer keys;    /* of entries, in small letters, each with its 0 */
  const char *path;  /* that is looked for */
  bool is_found;
} citing;

/* ---- gathering ---- */

static void add_item(citing *x, const char *before, const char *name, const char *between, const char *value)
{
  hc_buffer *b = &x->list;
  hc_buffer_printf(b, "%s%s", b->size ? ", " : "", before);
  hc_shown_text(b, name, strlen(name), "");
  hc_buffer_text(b, between);
  hc_shown_text(b, value, strlen(value), "");
}

/* What was gathered ends a sentence that begins so; nothing, if there is nothing. */
static void say_list(citing *x, const char *before, const char *after)
{
  if (x->list.size) hc_buffer_printf(&x->text, "%s%s%s", before, x->list.data, after);
  x->list.size = 0;
}

static hc_rc hear_input(void *ctx, const char *const *v)
{
  citing *x = ctx;
  char more[128];
  if (!v[0]) return 0;
  (void)snprintf(more, sizeof more, " (%s bytes, checksum %s)", v[1] ? v[1] : "?", v[2] ? v[2] : "none");
  add_item(x, "", cli_file_name(v[0]), "", more);
  return 0;
}

static hc_rc hear_left_out(void *ctx, const char *const *v)
{
  citing *x = ctx;
  if (!v[0] || !v[1] || strcmp(v[1], "0") == 0 || strcmp(v[0], "read") == 0 || strcmp(v[0], "used") == 0)
    return 0;
  add_item(x, "", v[1], " ", v[0]);
  return 0;
}

static hc_rc hear_final(void *ctx, const char *const *v)
{
  citing *x = ctx;
  if (v[0] && v[1] && strcmp(v[1], "0") != 0) add_item(x, "", v[1], " ", v[0]);
  return 0;
}

static bool is_change(const char *path)
{
  return strncmp(path, "changes.", 8) == 0;
}

/* Keys that say where something lies, or what is told elsewhere in the paragraph. */
static bool is_told(const char *path)
{
  static const char *const told[] = {"name",         "output", "rejected", "policy",
                                     "architecture", "world",  "threads",  "event_queue"};
  const char *last = strrchr(path, '.');
  for (size_t i = 0; i < CLI_LEN(told); i++)
    if (strcmp(path, told[i]) == 0) return true;
  return is_change(path) || (last && strcmp(last, ".file") == 0);
}

static hc_rc match_input(void *ctx, const char *const *v)
{
  citing *x = ctx;
  x->is_found |= v[0] && strcmp(v[0], x->path) == 0;
  return 0;
}

static hc_rc hear_key(void *ctx, const char *const *v)
{
  citing *x = ctx;
  if (!v[0] || !v[1] || v[1][0] == '\0' || is_told(v[0])) return 0;
  if (v[3] ? strcmp(v[1], v[3]) == 0 : v[2] && strcmp(v[2], "default") == 0) return 0;
  x->path = v[1];
  x->is_found = false;
  CLI_TRY(hc_result_rows(x->r, "inputs", 3, match_input, x, &x->c->error));
  add_item(x, "", v[0], " = ", x->is_found ? cli_file_name(v[1]) : v[1]);
  return 0;
}

/* ---- the paragraph ---- */

static void say_program(citing *x)
{
  char version[64], commit[128];
  hc_buffer_printf(
      &x->text, "with Hindcast %s (commit %s)",
      cli_result_info(x->c, x->r, "run_info", "version", version, sizeof version) ? version : "unknown",
      cli_result_info(x->c, x->r, "run_info", "commit", commit, sizeof commit) ? commit : "unknown");
}

static hc_rc count_row(void *ctx, const char *const *values)
{
  (void)values;
  ++*(uint64_t *)ctx;
  return 0;
}

/* A world says itself what it is made of; its tables of hosts are empty. */
static hc_rc say_machine(citing *x)
{
  uint64_t hosts = 0;
  char machine[256];
  cli_decider d;
  const int64_t processors = cli_result_fact(x->c, x->r, "processors", -1);
  cli_result_decider(x->c, x->r, &d);
  if (d.world) {
    hc_buffer_printf(&x->text, " in the world %s", d.world);
    if (cli_result_info(x->c, x->r, "hindcast", "machine", machine, sizeof machine))
      hc_buffer_printf(&x->text, " (%s)", machine);
    return 0;
  }
  CLI_TRY(hc_result_rows(x->r, "hosts", 4 + hc_result_amounts(x->r), count_row, &hosts, &x->c->error));
  if (hosts)
    hc_buffer_printf(&x->text, " on a model of %llu host%s", (unsigned long long)hosts,
                     hosts == 1 ? "" : "s");
  else if (processors >= 0)
    hc_buffer_printf(&x->text, " on a model of %lld processor%s", (long long)processors,
                     processors == 1 ? "" : "s");
  return 0;
}

/* The policy by name, and of one that is made of parts, its parts, whether written or not, as far as they
 * act; an architecture other than the plainest. */
static void say_decider(citing *x)
{
  cli_decider d;
  cli_result_decider(x->c, x->r, &d);
  const char *const items[][2] = {{"policy", d.policy},
                                  {"order", d.order},
                                  {"select", d.select},
                                  {"placement", d.place},
                                  {"architecture", d.architecture}};
  for (size_t i = 0; i < CLI_LEN(items); i++)
    if (items[i][1] && items[i][1][0]) add_item(x, "", items[i][0], " ", items[i][1]);
  say_list(x, " under the ", "");
}

/* What is set otherwise from some time on: a branch, or the key `changes`. */
static hc_rc hear_change(void *ctx, const char *const *v)
{
  citing *x = ctx;
  const char *last = v[0] ? strrchr(v[0], '.') : NULL;
  if (!last || !v[1] || !is_change(v[0])) return 0;
  if (strcmp(last, ".at") == 0) {
    hc_buffer_text(&x->text, ", and from ");
    hc_shown_text(&x->text, v[1], strlen(v[1]), "");
    hc_buffer_text(&x->text, v[1][strspn(v[1], "0123456789.")] == '\0' ? " s on with " : " on with ");
    x->is_found = false;
  } else if (strstr(v[0], ".set.")) {
    if (x->is_found) hc_buffer_text(&x->text, ", ");
    hc_shown_text(&x->text, v[1], strlen(v[1]), "");
    x->is_found = true;
  }
  return 0;
}

static hc_rc say_left_out(citing *x)
{
  const char *trim = hc_result_config(x->r, "trim"), *rows = hc_result_config(x->r, "task_rows");
  char read[32], used[32];
  (void)snprintf(read, sizeof read, "0");
  (void)snprintf(used, sizeof used, "0");
  (void)cli_result_info(x->c, x->r, "rows", "read", read, sizeof read);
  (void)cli_result_info(x->c, x->r, "rows", "used", used, sizeof used);
  hc_buffer_printf(&x->text, " Of %s rows read %s were used", read, used);
  CLI_TRY(hc_result_rows(x->r, "rows", 2, hear_left_out, x, &x->c->error));
  say_list(x, "; left out: ", "");
  hc_buffer_text(&x->text, ".");
  CLI_TRY(hc_result_rows(x->r, "finals", 2, hear_final, x, &x->c->error));
  say_list(x, " Final states of tasks: ", ".");
  if (trim && trim[0] && strcmp(trim, "none") != 0)
    hc_buffer_printf(
        &x->text,
        " Figures of the scope \"trimmed\" leave out warm-up and cool-down by the rule %s; those "
        "of the scope \"all\" leave out nothing.",
        trim);
  else hc_buffer_text(&x->text, " No warm-up or cool-down was left out.");
  if (rows && strcmp(rows, "all") != 0)
    hc_buffer_printf(&x->text, " Rows of single tasks were kept by task_rows: %s.", rows);
  return 0;
}

static hc_rc write_paragraph(citing *x)
{
  hc_buffer *b = &x->text;
  char digest[33];
  const bool is_record = cli_result_is_recorded(x->c, x->r);
  CLI_TRY(hc_result_digest(x->r, digest, &x->c->error));
  CLI_TRY(hc_result_rows(x->r, "inputs", 3, hear_input, x, &x->c->error));
  if (x->list.size == 0) hc_buffer_text(&x->list, "none: the workload is generated from the seed");
  say_list(x, "Inputs: ", ". ");
  hc_buffer_text(b, is_record ? "The recorded schedule was counted " : "It was simulated ");
  say_program(x);
  CLI_TRY(say_machine(x));
  if (!is_record) {
    say_decider(x);
    CLI_TRY(hc_result_rows(x->r, "configuration", 3, hear_change, x, &x->c->error));
  }
  hc_buffer_text(b, ".");
  CLI_TRY(hc_result_rows(x->r, "configuration", 4, hear_key, x, &x->c->error));
  say_list(x, " Parameters that differ from their defaults: ", ".");
  CLI_TRY(say_left_out(x));
  hc_buffer_text(b,
                 " Means weigh each task alike unless their name says otherwise. Intervals of one run that "
                 "compare and report print are 95 % confidence intervals by batch means: Student's t over "
                 "30 batches of tasks in order of submission.");
  hc_buffer_printf(
      b, " Digest of the result: %s; a run of the same configuration and inputs has the same one.", digest);
  return b->failed || x->list.failed ? cli_fail(x->c, HC_ENOMEM, "out of memory") : 0;
}

static void begin(cli *c, hc_result *r, citing *x)
{
  *x = (citing){.c = c, .r = r};
  hc_buffer_init(&x->text, c->allocator);
  hc_buffer_init(&x->changed, c->allocator);
  hc_buffer_init(&x->list, c->allocator);
  hc_buffer_init(&x->keys, c->allocator);
}

static void end(citing *x)
{
  hc_buffer_fini(&x->text);
  hc_buffer_fini(&x->changed);
  hc_buffer_fini(&x->list);
  hc_buffer_fini(&x->keys);
}

hc_rc cli_cite(cli *c, hc_result *r, hc_buffer *out)
{
  citing x;
  begin(c, r, &x);
  const hc_rc rc = write_paragraph(&x);
  if (rc >= 0) hc_buffer_add(out, x.text.data, x.text.size);
  end(&x);
  return rc;
}

/* ---- entries ---- */

/* What TeX reads as something else is escaped. */
static void put_text(hc_buffer *out, const char *text)
{
  for (; *text; text++) {
    const unsigned char byte = (unsigned char)*text;
    if (byte < ' ' || byte == 0x7f) hc_buffer_text(out, " ");
    else if (byte == '\\') hc_buffer_text(out, "\\textbackslash{}");
    else if (byte == '~') hc_buffer_text(out, "\\textasciitilde{}");
    else if (byte == '^') hc_buffer_text(out, "\\textasciicircum{}");
    else {
      if (strchr("{}%&#_$", byte)) hc_buffer_text(out, "\\");
      hc_buffer_add(out, text, 1);
    }
  }
}

/* Two texts between braces. They are whole: a cut could halve a letter. */
static void put_field(hc_buffer *out, const char *name, const char *before, const char *text)
{
  hc_buffer_printf(out, "  %s = {", name);
  put_text(out, before);
  put_text(out, text);
  hc_buffer_text(out, "},\n");
}

static bool has_text(const hc_buffer *texts, const char *text)
{
  const char *at = texts->data, *end = texts->size ? at + texts->size : at;
  while (at < end && strcmp(at, text) != 0) at += strlen(at) + 1;
  return at < end;
}

/* The letters and digits of a name, and a number behind those that were there before; BibTeX takes letters of
 * either case as the same. */
static void put_key(citing *x, const char *kind, const char *name)
{
  char stem[128], key[160], small[160];
  size_t n = 0;
  for (; *name && n + 1 < sizeof stem; name++)
    if ((*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || (*name >= '0' && *name <= '9'))
      stem[n++] = *name;
  stem[n] = '\0';
  if (n == 0) (void)snprintf(stem, sizeof stem, "log");
  for (unsigned k = 1; k == 1 || has_text(&x->keys, small); k++) {
    if (k == 1) (void)snprintf(key, sizeof key, "%s", stem);
    else (void)snprintf(key, sizeof key, "%s-%u", stem, k);
    for (n = 0; key[n]; n++) small[n] = (char)(key[n] >= 'A' && key[n] <= 'Z' ? key[n] - 'A' + 'a' : key[n]);
    small[n] = '\0';
  }
  hc_buffer_add(&x->keys, small, n + 1);
  hc_buffer_printf(&x->c->out, "@%s{%s,\n", kind, key);
}

/* A line that BibTeX passes over. */
static void put_comment(citing *x, const char *before, const char *path, const char *after)
{
  const char *name = cli_file_name(path);
  hc_buffer_printf(&x->c->out, "\n%% %s", before);
  hc_shown_text(&x->c->out, name, strlen(name), "");
  hc_buffer_printf(&x->c->out, "%s\n", after);
}

static void put_program(citing *x)
{
  char version[64] = HC_VERSION, commit[128] = "unknown";
  (void)cli_result_info(x->c, x->r, "run_info", "version", version, sizeof version);
  (void)cli_result_info(x->c, x->r, "run_info", "commit", commit, sizeof commit);
  hc_buffer *out = &x->c->out;
  put_key(x, "software", "hindcast");
  put_field(out, "title", "", "Hindcast: a cluster's history under any scheduler");
  put_field(out, "author", "", "The Hindcast authors");
  put_field(out, "year", "", "2026");
  put_field(out, "version", "", version);
  put_field(out, "note", "commit ", commit);
  hc_buffer_text(out, "}\n");
}

static hc_rc keep_changed(void *ctx, const char *path, bool is_there)
{
  citing *x = ctx;
  (void)is_there;
  hc_buffer_add(&x->changed, path, strlen(path) + 1);
  return 0;
}

static hc_rc match_source(void *ctx, const char *const *v)
{
  citing *x = ctx;
  const char *last = v[0] ? strrchr(v[0], '.') : NULL;
  x->is_found |= last && v[1] && strncmp(v[0], "source.", 7) == 0 && strcmp(last, ".file") == 0 &&
                 strcmp(v[1], x->path) == 0;
  return 0;
}

/* The address behind "Information:" in a header. */
static void put_address(hc_buffer *out, const char *header)
{
  const char *at = header ? strstr(header, "Information:") : NULL;
  char url[256];
  at = at ? strstr(at, "http") : NULL;
  if (!at) return;
  const size_t n = strcspn(at, " \t\r\n");
  if (n >= sizeof url) return;
  memcpy(url, at, n);
  url[n] = '\0';
  put_field(out, "howpublished", "", url);
}

static void put_log(citing *x, const hc_trace_info *i)
{
  hc_buffer *out = &x->c->out;
  char name[256], title[300];
  cli_stem(x->path, name, sizeof name);
  (void)snprintf(title, sizeof title, "Workload log %s%s", name, i->computer ? " of " : "");
  hc_buffer_text(out, "\n");
  put_key(x, "misc", name);
  put_field(out, "title", title, i->computer ? i->computer : "");
  if (i->installation) put_field(out, "organization", "", i->installation);
  put_address(out, i->header);
  if (i->acknowledge) put_field(out, "note", "its header acknowledges: ", i->acknowledge);
  hc_buffer_text(out, "}\n");
}

/* What a log's header says of it; a log that cannot be opened by its name alone says nothing. */
static void cite_log(citing *x)
{
  const hc_trace_options options = {.mode = HC_TRACE_ROWS};
  const hc_trace_info *info = NULL;
  hc_config *config = NULL;
  hc_trace *trace = NULL;
  hc_trace_task task;
  hc_error ignored = {0};
  const hc_error before = x->c->error;
  if (cli_config_log(x->c, x->path, &config) >= 0 &&
      hc_trace_open(x->c->allocator, config, &options, &trace, &ignored) >= 0 &&
      hc_trace_next(trace, &task, &ignored) >= 0)
    info = hc_trace_facts(trace);
  x->c->error = before;
  if (info && (info->acknowledge || info->installation)) put_log(x, info);
  else put_comment(x, "the format of ", x->path, " says nothing of whose it is");
  if (trace) hc_trace_close(trace);
  hc_config_free(config);
}

static hc_rc cite_input(void *ctx, const char *const *v)
{
  citing *x = ctx;
  if (!v[0]) return 0;
  x->path = v[0];
  x->is_found = false;
  CLI_TRY(hc_result_rows(x->r, "configuration", 3, match_source, x, &x->c->error));
  if (!x->is_found) return 0;
  if (!has_text(&x->changed, v[0])) cite_log(x);
  else put_comment(x, "", v[0], " is not the log that was read: its reference is not known");
  return 0;
}

static hc_rc write_entries(citing *x)
{
  put_program(x);
  if (!cli_registry(x->c)) return HC_ENOMEM;
  CLI_TRY(hc_result_changed_inputs(x->c->allocator, x->r, keep_changed, x, &x->c->error));
  CLI_TRY(hc_result_rows(x->r, "inputs", 3, cite_input, x, &x->c->error));
  return x->changed.failed || x->keys.failed ? cli_fail(x->c, HC_ENOMEM, "out of memory") : 0;
}

static hc_rc run(cli *c)
{
  hc_result *r;
  citing x;
  CLI_TRY(cli_result_open(c, c->operands[0], &r));
  begin(c, r, &x);
  const hc_rc rc = cli_has(c, "bibtex") ? write_entries(&x) : write_paragraph(&x);
  if (rc >= 0 && !cli_has(c, "bibtex")) cli_wrap(&c->out, x.text.data, 0, 0, WIDTH);
  end(&x);
  cli_result_close(c, r);
  return rc;
}

const cli_command cli_command_cite = {
    .name = "cite",
    .operands = "RESULT",
    .summary = "Write what a paper has to say of a result: a paragraph, or BibTeX.",
    .detail =
        "The paragraph says what was run: inputs with checksums, version and commit, machine, policy, keys "
        "that are not at their defaults, what was left out, how means and intervals are made, and the "
        "digest. It is made of the result alone. With --bibtex a log is opened for its header, if it is "
        "still the file that was read.",
    .examples = "hindcast cite results/KTH-easy.db\nhindcast cite results/KTH-easy.db --bibtex >> paper.bib",
    .flags = flags,
    .min = 1,
    .max = 1,
    .complete = CLI_FILE,
    .run = run,
};
