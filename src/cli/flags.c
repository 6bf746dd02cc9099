/* flags.c -- arguments by tables, and the configuration that they make.
 *
 * --name value, --name=value, -n value, -nvalue; `--` ends the flags; a number behind a blank is never a
 * flag. Flags that carry a configuration path are handed to the configuration in the order in which they
 * stand, after files and --set, whatever their order on the line: a flag wins. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

#define CLAIMED 90 /* of 100: a reader that is this sure is right */

const cli_flag cli_common_flags[] = {
    {.name = "help", .letter = 'h', .help = "Show this help."},
    {.name = NULL},
};

const cli_flag cli_format_flags[] = {
    {.name = "json", .help = "Write JSON."},
    {.name = "csv", .help = "Write CSV."},
    {.name = NULL},
};

const cli_flag cli_config_flags[] = {
    {.name = "set",
     .letter = 's',
     .metavar = "PATH=VALUE",
     .many = true,
     .complete = CLI_KEYS,
     .help = "Set any key of the configuration, such as policy.select.depth=2; the value is YAML. `hindcast "
             "describe run` lists the keys."},
    {.name = "compat",
     .metavar = "NAME",
     .path = "compat",
     .complete = "kind:compat",
     .help = "Take another simulator's semantics as defaults."},
    {.name = "strict",
     .path = "strict",
     .value = "true",
     .help = "The first row that cannot be used is an error, instead of being counted."},
    {.name = "rejected",
     .metavar = "FILE",
     .path = "rejected",
     .complete = CLI_FILE,
     .help = "Write every rejected row, with file, line and reason, to this file."},
    CLI_FLAG_FORCE,
    {.name = "plugin",
     .metavar = "FILE.so",
     .path = "plugin",
     .many = true,
     .complete = CLI_FILE,
     .help = "Load components from a shared object."},
    {.name = NULL},
};

#define TRANSFORM(words) .path = "transforms", .many = true, .wrap = words

const cli_flag cli_transform_flags[] = {
    {.name = "first",
     .metavar = "N",
     TRANSFORM("{use: first, count: %s}"),
     .help = "Only the first N tasks."},
    {.name = "where",
     .metavar = "EXPR",
     TRANSFORM("{use: filter, where: %q}"),
     .help = "Only tasks for which the expression is true: 'procs > 1 && user == 7'."},
    {.name = "repeat",
     .metavar = "N",
     TRANSFORM("{use: repeat, times: %s}"),
     .help = "The whole workload N times over, end to end."},
    {.name = "load",
     .metavar = "X",
     TRANSFORM("{use: load, to: %s}"),
     .help =
         "Scale times between arrivals so that the offered load is X (the machine's size must be known)."},
    {.name = "scale",
     .metavar = "X",
     TRANSFORM("{use: scale, factor: %s}"),
     .help = "Scale times between arrivals by this factor of load: 1.2 brings a fifth more work per time."},
    {.name = "sample",
     .metavar = "X",
     TRANSFORM("{use: sample, fraction: %s}"),
     .help = "A random share of the tasks."},
    {.name = "shift",
     .path = "transforms",
     .many = true,
     .value = "shift",
     .help = "Let the first submission be at time zero."},
    {.name = "renumber",
     .path = "transforms",
     .many = true,
     .value = "renumber",
     .help = "Number the jobs 1, 2, 3 ..."},
    {.name = "transform",
     .metavar = "SPEC",
     .path = "transforms",
     .many = true,
     .yaml = true,
     .complete = "kind:transform",
     .help = "Any transform with its options, such as {use: clamp, run: 1d} (`hindcast list transform`). "
             "Transforms are applied in the order in which they stand."},
    {.name = NULL},
};

const cli_flag cli_policy_flags[] = {
    {.name = "policy",
     .letter = 'p',
     .metavar = "NAME",
     .path = "policy",
     .complete = "kind:select",
     .help =
         "The policy, or parts of the batch policy joined by +: easy, sjf+easy, fcfs+conservative+best_fit."},
    {.name = "order",
     .metavar = "NAME",
     .path = "policy.order",
     .complete = "kind:order",
     .help = "How the queue is sorted."},
    {.name = "select",
     .metavar = "NAME",
     .path = "policy.select",
     .complete = "kind:select",
     .help = "How far to look past a task that does not fit."},
    {.name = "place",
     .metavar = "NAME",
     .path = "policy.place",
     .complete = "kind:place",
     .help = "Which processors a task gets."},
    {.name = NULL},
};

hc_rc cli_fail(cli *c, hc_rc rc, const char *format, ...)
{
  char text[sizeof c->error.text];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return hc_fail(&c->error, rc, "", 0, 0, "%s", text);
}

hc_registry *cli_registry(cli *c)
{
  if (!c->registry && hc_registry_new(c->allocator, &c->registry) < 0)
    (void)cli_fail(c, HC_ENOMEM, "out of memory for the components");
  return c->registry;
}

/* ---- names ---- */

static size_t near_limit(const char *word)
{
  size_t n = (strlen(word) + 2) / 3;
  return n < 3 ? n : 3;
}

const cli_command *cli_find(const cli_command *const *list, const char *name)
{
  for (size_t i = 0; list[i]; i++) {
    if (strcmp(list[i]->name, name) == 0) return list[i];
  }
  if (strcmp(name, "analyse") == 0) return cli_find(list, "analyze"); /* both spellings are English */
  return NULL;
}

const char *cli_nearest_command(const cli_command *const *list, const char *word)
{
  size_t best = near_limit(word) + 1;
  const char *near = NULL;
  for (size_t i = 0; list[i]; i++) {
    size_t distance = hc_edit_distance(word, list[i]->name, best);
    if (distance >= best) continue;
    best = distance;
    near = list[i]->name;
  }
  return near;
}

static const cli_flag *find_flag(const cli_command *command, const char *name, size_t n, char letter)
{
  for (size_t t = 0; command->flags && command->flags[t]; t++) {
    for (const cli_flag *f = command->flags[t]; f->name; f++) {
      if (letter ? f->letter == letter : strlen(f->name) == n && memcmp(f->name, name, n) == 0) return f;
    }
  }
  for (const cli_flag *f = cli_common_flags; f->name; f++) {
    if (letter ? f->letter == letter : strlen(f->name) == n && memcmp(f->name, name, n) == 0) return f;
  }
  return NULL;
}

static const char *full_name(const cli *c, char *out, size_t size)
{
  (void)snprintf(out, size, "%s%s%s", c->parent ? c->parent->name : "", c->parent ? " " : "",
                 c->command->name);
  return out;
}

static hc_rc unknown_flag(cli *c, const char *word)
{
  size_t n = strcspn(word, "="), best;
  char name[64], command[64];
  const char *near = NULL;
  (void)snprintf(name, sizeof name, "%.*s", (int)(n < 60 ? n : 60), word);
  best = near_limit(name) + 1;
  for (size_t t = 0; c->command->flags && c->command->flags[t]; t++) {
    for (const cli_flag *f = c->command->flags[t]; f->name; f++) {
      size_t distance = hc_edit_distance(name + 2, f->name, best);
      if (name[0] != '-' || name[1] != '-' || distance >= best) continue;
      best = distance;
      near = f->name;
    }
  }
  full_name(c, command, sizeof command);
  if (near)
    return cli_fail(c, HC_EUSAGE, "hindcast %s has no flag \"%s\"; did you mean \"--%s\"?", command, name,
                    near);
  return cli_fail(c, HC_EUSAGE, "hindcast %s has no flag \"%s\"; `hindcast %s --help` lists them", command,
                  name, command);
}

/* ---- parsing ---- */

static hc_rc take_flag(cli *c, const cli_flag *f, const char *value)
{
  if (!f->many && f->metavar && cli_value(c, f->name))
    return cli_fail(c, HC_EUSAGE, "--%s was given twice; leave one out", f->name);
  c->given[c->given_count++] = (cli_given){f, value};
  if (strcmp(f->name, "json") == 0) c->format = CLI_JSON;
  if (strcmp(f->name, "csv") == 0) c->format = CLI_CSV;
  return 0;
}

/* One argument that begins with a dash; moves `*i` past a value that stands in the next argument. */
static hc_rc parse_flag(cli *c, int argc, char **argv, int *i)
{
  const char *word = argv[*i], *value = NULL;
  const cli_flag *f;
  if (word[1] == '-') {
    size_t n = strcspn(word + 2, "=");
    f = find_flag(c->command, word + 2, n, 0);
    if (f && word[2 + n] == '=') value = word + 3 + n;
  } else {
    f = find_flag(c->command, NULL, 0, word[1]);
    if (f && word[2] != '\0') value = word + 2;
  }
  if (!f) return unknown_flag(c, word);
  if (!f->metavar && value)
    return cli_fail(c, HC_EUSAGE, "--%s takes no value, got \"%.100s\"", f->name, value);
  if (f->metavar && !value) {
    if (*i + 1 >= argc)
      return cli_fail(c, HC_EUSAGE, "--%s wants a value: --%s %s", f->name, f->name, f->metavar);
    value = argv[++*i];
  }
  return take_flag(c, f, f->metavar ? value : "");
}

static hc_rc check_operands(cli *c)
{
  const cli_command *command = c->command;
  char name[64];
  if (cli_has(c, "help")) return 0;
  if (cli_has(c, "json") && cli_has(c, "csv")) return cli_fail(c, HC_EUSAGE, "--json or --csv, not both");
  full_name(c, name, sizeof name);
  if ((int)c->operand_count < command->min)
    return cli_fail(c, HC_EUSAGE, "usage: hindcast %s %s (`hindcast %s --help` says more)", name,
                    command->operands, name);
  if (command->max >= 0 && (int)c->operand_count > command->max)
    return cli_fail(c, HC_EUSAGE, "\"%.100s\" is one argument too many; usage: hindcast %s %s",
                    c->operands[command->max], name, command->operands);
  return 0;
}

hc_rc cli_parse(cli *c, int argc, char **argv)
{
  bool flags_end = false;
  c->operands = calloc((size_t)argc + 1, sizeof *c->operands);
  c->given = calloc((size_t)argc + 1, sizeof *c->given);
  if (!c->operands || !c->given) return cli_fail(c, HC_ENOMEM, "out of memory for the arguments");
  for (int i = 0; i < argc; i++) {
    const char *word = argv[i];
    bool is_number = word[0] == '-' && word[1] >= '0' && word[1] <= '9';
    if (!flags_end && strcmp(word, "--") == 0) {
      flags_end = true;
    } else if (!flags_end && word[0] == '-' && word[1] != '\0' && !is_number) {
      CLI_TRY(parse_flag(c, argc, argv, &i));
    } else {
      c->operands[c->operand_count++] = word;
    }
  }
  return check_operands(c);
}

const char *cli_value(const cli *c, const char *name)
{
  const char *value = NULL;
  for (size_t i = 0; i < c->given_count; i++) {
    if (strcmp(c->given[i].flag->name, name) == 0) value = c->given[i].value;
  }
  return value;
}

bool cli_has(const cli *c, const char *name)
{
  return cli_value(c, name) != NULL;
}

hc_rc cli_int(cli *c, const char *name, int64_t low, int64_t high, int64_t *out)
{
  const char *value = cli_value(c, name);
  int64_t n;
  if (!value) return 0;
  if (hc_parse_int(value, strlen(value), &n) < 0 || n < low || n > high) {
    if (high == INT64_MAX)
      return cli_fail(c, HC_EUSAGE, "--%s: expected a whole number, at least %lld, got \"%.80s\"", name,
                      (long long)low, value);
    return cli_fail(c, HC_EUSAGE, "--%s: expected a whole number from %lld to %lld, got \"%.80s\"", name,
                    (long long)low, (long long)high, value);
  }
  *out = n;
  return 0;
}

/* ---- configuration ---- */

/* Whether a reader claims the first bytes of a file as its format. */
static bool is_claimed(cli *c, const char *path)
{
  const hc_registry *registry = cli_registry(c);
  const hc_component *reader;
  char head[4096];
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* not fopen: that needs memory */
  const ssize_t got = fd < 0 ? -1 : read(fd, head, sizeof head);
  const size_t n = got > 0 ? (size_t)got : 0;
  if (fd >= 0) (void)close(fd);
  for (size_t i = 0; registry && n > 0 && (reader = hc_registry_at(registry, HC_KIND_READER, i)); i++) {
    const hc_reader_type *t = (const hc_reader_type *)reader;
    if (t->recognise && t->recognise(path, head, n) >= CLAIMED) return true;
  }
  return false;
}

static bool ends_in(const char *path, const char *end)
{
  const size_t n = strlen(path), m = strlen(end);
  return n > m && strcmp(path + n - m, end) == 0;
}

/* A run file, by its name; but some logs are JSON as well. */
static bool is_config(cli *c, const char *path)
{
  if (ends_in(path, ".json")) return !is_claimed(c, path);
  return ends_in(path, ".yaml") || ends_in(path, ".yml");
}

const char *cli_file_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash && slash[1] ? slash + 1 : path;
}

void cli_stem(const char *path, char *out, size_t size)
{
  static const char *const ends[] = {".gz", ".zst", ".xz", ".swf", ".txt", ".yaml", ".yml", ".json", ".db"};
  const char *slash = strrchr(path, '/');
  size_t n;
  path = slash ? slash + 1 : path;
  n = strlen(path);
  for (size_t i = 0; i < CLI_LEN(ends); i++) {
    size_t m = strlen(ends[i]);
    if (n > m && memcmp(path + n - m, ends[i], m) == 0) n -= m;
  }
  (void)snprintf(out, size, "%.*s", (int)(n < 200 ? n : 200), path);
  if (out[0] == '\0' || strcmp(out, "-") == 0) (void)snprintf(out, size, "run");
}

/* The value in the YAML that its flag wraps it into. */
static void wrap_value(hc_buffer *out, const char *wrap, const char *value)
{
  for (; *wrap; wrap++) {
    if (wrap[0] == '%' && wrap[1] == 's') {
      hc_buffer_text(out, value);
      wrap++;
    } else if (wrap[0] == '%' && wrap[1] == 'q') {
      hc_json_string(out, value, strlen(value)); /* YAML reads JSON's quotes */
      wrap++;
    } else {
      hc_buffer_add(out, wrap, 1);
    }
  }
}

static hc_rc set_flag(cli *c, hc_config *config, const cli_given *given, const char *path)
{
  const cli_flag *f = given->flag;
  const char *value = f->metavar ? given->value : f->value;
  bool yaml = f->yaml || value[0] == '{' || value[0] == '[';
  hc_buffer b;
  hc_rc rc;
  if (!f->wrap) return hc_config_flag(config, path, value, yaml, &c->error);
  hc_buffer_init(&b, c->allocator);
  wrap_value(&b, f->wrap, value);
  rc = b.failed ? cli_fail(c, HC_ENOMEM, "out of memory for a flag")
                : hc_config_flag(config, path, b.data, true, &c->error);
  hc_buffer_fini(&b);
  return rc;
}

static hc_rc set_flags(cli *c, hc_config *config)
{
  char path[64];
  for (size_t i = 0; i < c->given_count; i++) {
    const cli_flag *f = c->given[i].flag;
    size_t number = 0;
    if (!f->path) continue;
    for (size_t j = 0; j < i; j++)
      number += c->given[j].flag->path && strcmp(c->given[j].flag->path, f->path) == 0;
    if (f->many) (void)snprintf(path, sizeof path, "%s.%zu", f->path, number);
    else (void)snprintf(path, sizeof path, "%s", f->path);
    CLI_TRY(set_flag(c, config, &c->given[i], path));
  }
  return 0;
}

/* Where the key of the only log on the line begins: it may be said without its number, 0. @return NULL: it is
 * no such key */
static const char *key_of_only_log(const char *text, size_t logs)
{
  static const char start[] = "source.";
  if (logs != 1 || strncmp(text, start, sizeof start - 1) != 0) return NULL;
  text += sizeof start - 1;
  return *text >= '0' && *text <= '9' ? NULL : text;
}

static hc_rc set_one(cli *c, hc_config *config, const char *text, size_t logs)
{
  const char *key = key_of_only_log(text, logs);
  hc_buffer b;
  hc_rc rc;
  if (!key) return hc_config_set(config, text, &c->error);
  hc_buffer_init(&b, c->allocator);
  hc_buffer_printf(&b, "source.0.%s", key);
  rc = b.failed ? cli_fail(c, HC_ENOMEM, "out of memory for a flag")
                : hc_config_set(config, b.data, &c->error);
  hc_buffer_fini(&b);
  return rc;
}

/* Everything but files: --set in order, then the flags. @param logs  how many the line names */
static hc_rc set_all(cli *c, hc_config *config, size_t logs)
{
  for (size_t i = 0; i < c->given_count; i++) {
    if (strcmp(c->given[i].flag->name, "set") == 0) CLI_TRY(set_one(c, config, c->given[i].value, logs));
  }
  return set_flags(c, config);
}

static hc_rc new_config(cli *c, hc_config **out)
{
  hc_registry *registry = cli_registry(c);
  CLI_TRY(registry ? hc_config_new(c->allocator, registry, out, &c->error) : HC_ENOMEM);
  hc_config_replace(*out, cli_has(c, "force"));
  return 0;
}

/* Whether --set says which reader the log with this number is for; then it need not be recognised. */
static bool has_reader(const cli *c, size_t log, size_t logs)
{
  char key[40];
  (void)snprintf(key, sizeof key, "source.%zu.use=", log);
  for (size_t i = 0; i < c->given_count; i++) {
    if (strcmp(c->given[i].flag->name, "set") != 0) continue;
    const char *only = key_of_only_log(c->given[i].value, logs);
    if (strncmp(c->given[i].value, key, strlen(key)) == 0 || (only && strncmp(only, "use=", 4) == 0))
      return true;
  }
  return false;
}

static size_t count_logs(cli *c)
{
  size_t logs = 0;
  for (size_t i = 0; i < c->operand_count; i++) logs += !is_config(c, c->operands[i]);
  return logs;
}

hc_rc cli_config(cli *c, hc_config **out)
{
  hc_config *config;
  const size_t count = count_logs(c);
  size_t logs = 0;
  char path[40];
  hc_rc rc = 0;
  CLI_TRY(new_config(c, &config));
  for (size_t i = 0; i < c->operand_count; i++) {
    if (!is_config(c, c->operands[i])) continue;
    rc = hc_config_file(config, c->operands[i], &c->error);
    if (rc < 0) goto fail;
  }
  /* logs on the line take the place of all that files name */
  if (count > 0) rc = hc_config_set(config, "source=", &c->error);
  if (rc == 0) rc = set_all(c, config, count);
  for (size_t i = 0; rc == 0 && i < c->operand_count; i++) {
    if (is_config(c, c->operands[i])) continue;
    (void)snprintf(path, sizeof path, "source.%zu%s", logs, has_reader(c, logs, count) ? ".file" : "");
    logs++;
    rc = hc_config_flag(config, path, c->operands[i], false, &c->error);
  }
  if (rc < 0) goto fail;
  *out = config;
  return 0;
fail:
  hc_config_free(config);
  return rc;
}

hc_rc cli_with_config(cli *c, hc_rc (*work)(cli *c, hc_config *config))
{
  hc_config *config;
  hc_rc rc;
  CLI_TRY(cli_config(c, &config));
  rc = work(c, config);
  hc_config_free(config);
  return rc;
}

hc_rc cli_config_log(cli *c, const char *log, hc_config **out)
{
  hc_config *config;
  hc_rc rc;
  CLI_TRY(new_config(c, &config));
  rc = hc_config_flag(config, "source", log, false, &c->error);
  if (rc == 0) rc = set_all(c, config, 0);
  if (rc < 0) hc_config_free(config);
  else *out = config;
  return rc;
}

typedef struct wanted {
  const char *path;
  char *buffer;
  size_t size;
  bool found;
} wanted;

static hc_rc match_key(void *ctx, const char *path, const char *value, const char *origin)
{
  wanted *w = ctx;
  (void)origin;
  if (strcmp(path, w->path) != 0 || value[0] == '\0') return 0;
  (void)snprintf(w->buffer, w->size, "%s", value);
  w->found = true;
  return 0;
}

const char *cli_config_value(const hc_config *config, const char *path, char *buffer, size_t size)
{
  wanted w = {path, buffer, size, false};
  (void)hc_config_each(config, match_key, &w);
  return w.found ? buffer : NULL;
}
