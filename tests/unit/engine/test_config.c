/* test_config.c -- layers, resolving, and what is said about mistakes. What is at its default is in
 * test_config_defaults.c. */
#include "config_fixture.h"

static void flag(hc_config *c, const char *path, const char *value)
{
  hc_error e = {0};
  if (hc_config_flag(c, path, value, false, &e) < 0) fail_msg("%s", e.text);
}

typedef struct wanted {
  const char *path;
  char value[128], origin[16];
  bool found;
} wanted;

static hc_rc look(void *ctx, const char *path, const char *value, const char *origin)
{
  wanted *w = ctx;
  if (strcmp(path, w->path) != 0) return 0;
  assert_false(w->found); /* every key is told once */
  w->found = true;
  (void)snprintf(w->value, sizeof w->value, "%s", value);
  (void)snprintf(w->origin, sizeof w->origin, "%s", origin);
  return 0;
}

static void assert_key(const hc_config *c, const char *path, const char *value, const char *origin)
{
  wanted w = {.path = path};
  assert_int_equal(hc_config_each(c, look, &w), 0);
  if (!w.found) fail_msg("no key %s", path);
  assert_string_equal(w.value, value);
  assert_string_equal(w.origin, origin);
}

static const select_options *select_of(const hc_run_options *o)
{
  const batch_options *b = o->policy.options;
  return b->select.options;
}

/* ---- what is right ---- */

static void test_defaults(void **state)
{
  hc_config *c = ((fixture *)*state)->config;
  const hc_run_options *o;
  read_text(c, "source: {use: swf, file: a.swf}\n");
  o = resolve(c);
  assert_int_equal(o->seed, 1);
  assert_int_equal(o->source.count, 1); /* a single item where a list is wanted */
  assert_string_equal(((hc_chosen *)o->source.items)->type->name, "swf");
  assert_string_equal(((file_options *)((hc_chosen *)o->source.items)->options)->file, "a.swf");
  assert_int_equal(o->transforms.count, 0);
  assert_int_equal(o->sort_window, 131072);
  assert_int_equal(o->overrun, 0); /* kill */
  assert_true(o->until == HC_NEVER);
  assert_true(o->unix_start == HC_UNKNOWN);
  assert_true(o->assumed_limit == HC_UNKNOWN);
  assert_null(o->name);
  assert_null(o->output);
  assert_null(o->trim.type);
  assert_true(o->metrics.count > 5);
  assert_string_equal(o->policy.type->name, "batch");
  assert_int_equal(select_of(o)->depth, 1);
  assert_true(select_of(o)->share == 0.25); /* the default component's own parameters */
  assert_null(select_of(o)->candidates.type);
  assert_true(select_of(o)->window == HC_UNKNOWN);
  assert_key(c, "seed", "1", "default");
  assert_key(c, "name", "", "default");
  assert_key(c, "transforms", "[]", "default");
  assert_key(c, "source.0", "swf", "file");
  assert_key(c, "source.0.file", "a.swf", "file");
  assert_key(c, "policy.select", "easy", "default");
  assert_key(c, "policy.select.depth", "1", "default");
  assert_key(c, "until", "never", "default");
  assert_key(c, "unix_start", "unknown", "default");
}

static void test_values(void **state)
{
  hc_config *c = ((fixture *)*state)->config;
  const hc_run_options *o;
  const first_options *first;
  read_text(
      c, "name: 2024\nsource: [{use: swf, file: a}, {use: swf, file: b}]\nuntil: 1h30m\n"
         "cell: {use: count, processors: 128, memory: 1GiB}\nstrict: yes\noverrun: run_on\nunix_start: 1e9\n"
         "transforms:\n  - {use: first, n: 5, users: [3, 4]}\n  - first\nmetrics: wait\nseed:\n");
  o = resolve(c);
  assert_string_equal(o->name, "2024"); /* a text, although it looks like a number */
  assert_int_equal(o->source.count, 2);
  assert_true(o->until == 90 * HC_MINUTE);
  assert_int_equal(((cell_options *)o->cell.options)->processors, 128);
  assert_int_equal(((cell_options *)o->cell.options)->memory, 1073741824);
  assert_true(o->strict);
  assert_int_equal(o->overrun, 1);
  assert_int_equal(o->unix_start, 1000000000);
  assert_int_equal(o->transforms.count, 2);
  first = ((hc_chosen *)o->transforms.items)[0].options;
  assert_int_equal(first->n, 5);
  assert_int_equal(first->users.count, 2);
  assert_int_equal(((int64_t *)first->users.items)[1], 4);
  first = ((hc_chosen *)o->transforms.items)[1].options;
  assert_int_equal(first->n, 10);
  assert_int_equal(o->metrics.count, 1);
  assert_int_equal(o->seed, 1); /* a key without a value takes its default */
  assert_key(c, "until", "5400", "file");
  assert_key(c, "transforms.0.users.1", "4", "file");
  assert_key(c, "metrics.0", "wait", "file");
}

static void test_layers(void **state)
{
  hc_config *c = ((fixture *)*state)->config;
  const hc_run_options *o;
  flag(c, "seed", "9");
  set(c, "seed=8");
  set(c, "policy.select.depth=4");
  set(c, "replication=3");
  set(c, "source.0.file=other.swf"); /* points into a list that the file, read later, writes */
  read_text(c, "seed: 7\nreplication: 2\nsort_window: 5\nsource: [{use: swf, file: a.swf}]\n"
               "policy: easy\ncompat: pyss\n");
  o = resolve(c);
  assert_int_equal(o->seed, 9);
  assert_int_equal(o->replication, 3);
  assert_int_equal(o->sort_window, 5);
  assert_int_equal(select_of(o)->depth, 4);
  assert_int_equal(o->processors, 1); /* used */
  assert_key(c, "seed", "9", "flag");
  assert_key(c, "replication", "3", "set");
  assert_key(c, "sort_window", "5", "file");
  assert_key(c, "processors", "used", "compat");
  assert_key(c, "architecture.call", "per_event", "compat");
  assert_key(c, "strict", "false", "default");
  assert_key(c, "policy.select.depth", "4", "set");
  assert_key(c, "source.0.file", "other.swf", "set");
}

static void test_files_merge(void **state)
{
  hc_config *c = ((fixture *)*state)->config;
  const hc_run_options *o;
  read_text(c, "source: a.swf\npolicy: {select: {use: easy, depth: 3, strict: true}}\n");
  read_text(c, "policy: {select: {depth: 5}}\n");
  o = resolve(c);
  assert_int_equal(select_of(o)->depth, 5);
  assert_true(select_of(o)->strict);
  read_text(c, "policy: {select: scan}\n"); /* another component: the old one's parameters are void */
  o = resolve(c);
  assert_null(((const batch_options *)o->policy.options)->select.type->params);
}

static void test_preset_can_be_overridden(void **state)
{
  hc_config *c = ((fixture *)*state)->config;
  const hc_run_options *o;
  read_text(c, "source: a.swf\ncompat: cqsim\nbelieve_waiting: limit\n");
  o = resolve(c);
  assert_string_equal(o->compat.type->name, "cqsim");
  assert_true(o->oracle);
  assert_int_equal(o->believe_waiting, 0);
  assert_key(c, "oracle", "true", "compat");
  assert_key(c, "believe_waiting", "limit", "file");
}

static void test_preset_reaches_nested_components(void **state)
{
  hc_config *c = ((fixture *)*state)->config;
  static const hc_preset_entry entries[] = {
      {"easy", "strict", "true"}, {"batch", "order", "sjf"}, {NULL, NULL, NULL}};
  static const hc_compat_type own = {
      .component = {HC_COMPONENT_HEAD(hc_compat_type, HC_KIND_COMPAT), .name = "own", .summary = "s"},
      .entries = entries};
  hc_error e = {0};
  assert_int_equal(hc_registry_add(((fixture *)*state)->registry, &own.component, &e), 0);
  read_text(c, "source: a.swf\ncompat: own\n");
  assert_true(select_of(resolve(c))->strict);
  assert_key(c, "policy.select.strict", "true", "compat");
  assert_key(c, "policy.order", "sjf", "compat");
}

/* ---- shorthands ---- */

static void test_policy_parts(void **state)
{
  hc_config *c = ((fixture *)*state)->config;
  const batch_options *b;
  read_text(c, "source: a.swf\npolicy: best_fit+sjf+easy\n"); /* in any order */
  b = resolve(c)->policy.options;
  assert_string_equal(b->order.type->name, "sjf");
  assert_string_equal(b->select.type->name, "easy");
  assert_string_equal(b->place.type->name, "best_fit");
  assert_key(c, "policy", "batch", "file");
  assert_key(c, "policy.order", "sjf", "file");
  flag(c, "policy", "random+random"); /* first an order, then a placement */
  b = resolve(c)->policy.options;
  assert_string_equal(b->order.type->name, "random");
  assert_string_equal(b->place.type->name, "random");
  assert_key(c, "policy.select", "easy", "default");
}

static void test_policy_parts_keep_parameters(void **state)
{
  hc_config *c = ((fixture *)*state)->config;
  const hc_run_options *o;
  read_text(c, "source: a.swf\n");
  set(c, "policy.select.depth=7");
  flag(c, "policy", "sjf+easy");
  o = resolve(c);
  assert_int_equal(select_of(o)->depth, 7);
  assert_string_equal(((const batch_options *)o->policy.options)->order.type->name, "sjf");
}

static void test_map_without_use_is_the_default_component(void **state)
{
  hc_config *c = ((fixture *)*state)->config;
  const hc_run_options *o;
  read_text(c, "source: a.swf\npolicy: {select: {depth: 2}}\n");
  o = resolve(c);
  assert_int_equal(select_of(o)->depth, 2);
  assert_true(select_of(o)->share == 0.25); /* the rest of the default stays */
}

static void test_source_paths(void **state)
{
  hc_config *c = ((fixture *)*state)->config;
  const hc_chosen *s;
  FILE *file = fopen("test_config.tmp", "w");
  assert_non_null(file);
  (void)fputs("; Magic\n1 2 3\n", file);
  (void)fclose(file);
  read_text(c, "source: [logs/a.swf.gz, test_config.tmp, {use: b.swf, file: c.swf}, '-']\n");
  s = resolve(c)->source.items;
  (void)remove("test_config.tmp");
  assert_string_equal(s[0].type->name, "swf"); /* by its name: there is no such file */
  assert_string_equal(((file_options *)s[0].options)->file, "logs/a.swf.gz");
  assert_string_equal(s[1].type->name, "magic");                      /* by its content */
  assert_string_equal(((file_options *)s[2].options)->file, "c.swf"); /* what is written beside wins */
  assert_string_equal(s[3].type->name, "swf");                        /* standard input: the first reader */
  assert_key(c, "source.0.file", "logs/a.swf.gz", "file");
}

/* ---- what is wrong ---- */

typedef struct bad_case {
  const char *yaml;
  uint32_t line, column;
  const char *text;
} bad_case;

#define SOURCE "source: a.swf\n"

static const bad_case bad_cases[] = {
    {SOURCE "polcy: easy\n", 2, 1, "unknown key \"polcy\"; did you mean \"policy\"?\npolcy: easy\n^"},
    {SOURCE "frobnicate: 1\n", 2, 1,
     "unknown key \"frobnicate\"; `hindcast describe run` lists the keys\nfrobnicate: 1\n^"},
    {SOURCE "use: run\n", 2, 1, "unknown key \"use\"; `hindcast describe run` lists the keys\nuse: run\n^"},
    {SOURCE "policy: {select: {use: easy, dpth: 2}}\n", 2, 30,
     "unknown key \"dpth\" of select easy; did you mean \"depth\"?\npolicy: {select: {use: easy, dpth: 2}}\n"
     "                             ^"},
    {SOURCE "policy:\n  select:\n    zzzzzz:\n      a: 1\n", 4, 5,
     "unknown key \"zzzzzz\" of select easy; it takes depth, strict, retry, share, window, candidates\n"
     "    zzzzzz:\n    ^"},
    {SOURCE "policy: {order: {use: sjf, tau: 1}}\n", 2, 28,
     "unknown key \"tau\" of order sjf; it has no parameters\npolicy: {order: {use: sjf, tau: 1}}\n"
     "                           ^"},
    {SOURCE "seed: two\n", 2, 7,
     "seed: expected a whole number, at least 0, got \"two\"\nseed: two\n      ^"},
    {SOURCE "seed: 1.5\n", 2, 7,
     "seed: expected a whole number, at least 0, got \"1.5\"\nseed: 1.5\n      ^"},
    {SOURCE "seed: \"1\"\n", 2, 7,
     "seed: expected a whole number, at least 0, got \"1\" in quotes\nseed: \"1\"\n      ^"},
    {SOURCE "seed: -1\n", 2, 7, "seed: expected a whole number, at least 0, got \"-1\"\nseed: -1\n      ^"},
    {SOURCE "seed: [1]\n", 2, 7, "seed: expected a whole number, at least 0, got a list\nseed: [1]\n      ^"},
    {SOURCE "sort_window: 0\n", 2, 14,
     "sort_window: expected a whole number (rows) from 1 to 1000000000, got \"0\"\n"
     "sort_window: 0\n             ^"},
    {SOURCE "policy: {select: {depth: 1001}}\n", 2, 26,
     "policy.select.depth: expected a whole number (tasks) from 1 to 1000, got \"1001\"\n"
     "policy: {select: {depth: 1001}}\n                         ^"},
    {SOURCE "policy: {select: {share: 2}}\n", 2, 26,
     "policy.select.share: expected a number from 0 to 1, got \"2\"\npolicy: {select: {share: 2}}\n"
     "                         ^"},
    {SOURCE "until: 5 parsecs\n", 2, 8,
     "until: expected a time (90s, 1h30m, 2d, never, or a number of seconds), at least 0, got \"5 parsecs\"\n"
     "until: 5 parsecs\n       ^"},
    {SOURCE "cell: {use: count, memory: 3 apples}\n", 2, 28,
     "cell.memory: expected a size (64MiB, 1GB, or a number of bytes), got \"3 apples\"\n"
     "cell: {use: count, memory: 3 apples}\n                           ^"},
    {SOURCE "strict: maybe\n", 2, 9,
     "strict: expected true or false, got \"maybe\"\nstrict: maybe\n        ^"},
    {SOURCE "overrun: kil\n", 2, 10,
     "overrun: expected one of kill, run_on, extend, kill_planned_long, got \"kil\"; did you mean \"kill\"?\n"
     "overrun: kil\n         ^"},
    {SOURCE "overrun: sometimes\n", 2, 10,
     "overrun: expected one of kill, run_on, extend, kill_planned_long, got \"sometimes\"\noverrun: "
     "sometimes\n         ^"},
    {SOURCE "name: {a: 1}\n", 2, 7, "name: expected a text, got a map\nname: {a: 1}\n      ^"},
    {SOURCE "policy: {order: sjff}\n", 2, 17,
     "policy.order: unknown order \"sjff\"; did you mean \"sjf\"?\npolicy: {order: sjff}\n                ^"},
    {SOURCE "policy: {order: zzzzzz}\n", 2, 17,
     "policy.order: unknown order \"zzzzzz\"; there is fcfs, sjf, random\n"
     "policy: {order: zzzzzz}\n                ^"},
    {SOURCE "policy: {select: {scan: {depth: 2}}}\n", 2, 19,
     "unknown key \"scan\" of select easy; it takes depth, strict, retry, share, window, candidates\n"
     "policy: {select: {scan: {depth: 2}}}\n                  ^"},
    {SOURCE "policy: sjf+esy\n", 2, 9,
     "policy: \"esy\" is no policy, and no order, select or place; did you mean \"easy\"?\n"
     "policy: sjf+esy\n        ^"},
    {SOURCE "policy: sjf++easy\n", 2, 9,
     "policy: \"sjf++easy\" has an empty part; write ORDER+SELECT+PLACE, such as sjf+easy\n"
     "policy: sjf++easy\n        ^"},
    {SOURCE "policy: sjf+fcfs\n", 2, 9,
     "policy: \"fcfs\" is a second order beside \"sjf\"; leave one of them out\npolicy: sjf+fcfs\n        ^"},
    {SOURCE "policy: wonderful\n", 2, 9,
     "policy: \"wonderful\" is no policy, and no order, select or place; `hindcast list policy`, `order`, "
     "`select` and `place` name them\npolicy: wonderful\n        ^"},
    {SOURCE "policy: [easy]\n", 2, 9,
     "policy: which policy? write its name, or {use: NAME, ...} with its parameters\n"
     "policy: [easy]\n        ^"},
    {SOURCE "metrics: [{n: 3}]\n", 2, 11,
     "metrics.0: which metric? write its name, or {use: NAME, ...} with its parameters\n"
     "metrics: [{n: 3}]\n          ^"},
    {SOURCE "transforms: [first: 3]\n", 2, 14,
     "transforms.0: which transform? write {use: first, ...} with its parameters beside `use`\n"
     "transforms: [first: 3]\n             ^"},
    {SOURCE "transforms: [{use: first, users: [1, x]}]\n", 2, 38,
     "transforms.0.users.1: expected a whole number, got \"x\"\ntransforms: [{use: first, users: [1, x]}]\n"
     "                                     ^"},
    {"source: swff\n", 1, 9,
     "source.0: unknown reader \"swff\"; did you mean \"swf\"?\nsource: swff\n        ^"},
    {"source: logs/a.xyz\n", 1, 9,
     "source.0: no reader recognises \"logs/a.xyz\", a file that cannot be opened; say which format it has: "
     "--set source.0.use=FORMAT, in a run file {use: FORMAT, file: ...} (`hindcast list reader` names "
     "them)\nsource: logs/a.xyz\n        ^"},
    {"source: []\n", 1, 9,
     "source: nothing to run: name a log, such as `source: log.swf`, or give one to `hindcast run`\nsource: "
     "[]\n        ^"},
    {SOURCE "compat: piss\n", 2, 9,
     "compat: unknown compat \"piss\"; did you mean \"pyss\"?\ncompat: piss\n        ^"},
    {SOURCE "believe_waiting: run\n", 2, 18,
     "believe_waiting: true run times are told only if the run says `oracle: true`\nbelieve_waiting: run\n"
     "                 ^"},
    {SOURCE "no_limit: assume\n", 2, 11,
     "no_limit: assume needs to know what: add `assumed_limit: 1h`, or another time\n"
     "no_limit: assume\n          ^"},
    {SOURCE "assumed_limit: 0\n", 2, 16,
     "assumed_limit: expected a time (90s, 1h30m, 2d, never, or a number of seconds), more than 0, got "
     "\"0\"\nassumed_limit: 0\n               ^"},
    {SOURCE "name: a/b\n", 2, 7,
     "name: it names a file in results/ and cannot be a path; `output` takes one\nname: a/b\n      ^"},
    {SOURCE "metrics: [wait, []]\n", 2, 17,
     "metrics.1: which metric? write its name, or {use: NAME, ...} with its parameters\nmetrics: [wait, []]\n"
     "                ^"},
};

static bool says(const bad_case *b, hc_rc rc, const hc_error *e)
{
  if (rc == HC_EUSAGE && e->rc == HC_EUSAGE && e->line == b->line && e->column == b->column &&
      strcmp(e->where, "run.yaml") == 0 && strcmp(e->text, b->text) == 0)
    return true;
  print_error("%swas to say %u:%u: %s\nand said %d %s:%u:%u: %s\n", b->yaml, b->line, b->column, b->text, rc,
              e->where, e->line, e->column, e->text);
  return false;
}

static void test_bad(void **state)
{
  size_t wrong = 0;
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(bad_cases); i++) {
    void *inner;
    hc_config *c;
    hc_error e = {0};
    hc_rc rc;
    (void)setup(&inner);
    c = ((fixture *)inner)->config;
    read_text(c, bad_cases[i].yaml);
    rc = hc_config_resolve(c, &e);
    wrong += !says(&bad_cases[i], rc, &e) || hc_config_options(c);
    (void)teardown(&inner);
  }
  assert_int_equal(wrong, 0);
}

static void test_not_a_map(void **state)
{
  hc_config *c = ((fixture *)*state)->config;
  hc_error e = {0};
  assert_int_equal(hc_config_text(c, "- a\n", 4, "run.yaml", &e), HC_EUSAGE);
  assert_string_equal(
      e.text,
      "a configuration is made of keys and values, such as `source: log.swf`; this is a list, which as a "
      "list of tasks is read by `source: {use: native, file: ...}`\n- a\n^");
  read_text(c, ""); /* an empty file says nothing, and is no error */
}

static void test_bad_settings(void **state)
{
  hc_config *c = ((fixture *)*state)->config;
  hc_error e = {0};
  assert_int_equal(hc_config_set(c, "seed", &e), HC_EUSAGE);
  assert_string_equal(e.text, "expected path=value, such as policy.select.depth=2, got \"seed\"");
  e = (hc_error){0};
  assert_int_equal(hc_config_set(c, "policy..depth=2", &e), HC_EUSAGE);
  assert_string_equal(e.where, "policy..depth");
  e = (hc_error){0};
  assert_int_equal(hc_config_set(c, "name=[a", &e), HC_EINPUT);
  assert_string_equal(e.where, "--set name");
}

static void test_errors_name_their_layer(void **state)
{
  hc_config *c = ((fixture *)*state)->config;
  hc_error e = {0};
  read_text(c, "source: a.swf\npolicy: easy\n");
  set(c, "polcy.select=easy");
  assert_int_equal(hc_config_resolve(c, &e), HC_EUSAGE);
  assert_string_equal(e.where, "--set");
  assert_string_equal(e.text, "unknown key \"polcy\"; did you mean \"policy\"?");
  assert_int_equal(e.line, 0);
}

static void test_errors_name_the_command_line(void **state)
{
  hc_config *c = ((fixture *)*state)->config;
  hc_error e = {0};
  flag(c, "source", "a.swf");
  flag(c, "policy", "sjf+foo_bar");
  assert_int_equal(hc_config_resolve(c, &e), HC_EUSAGE);
  assert_string_equal(e.where, "command line");
  flag(c, "policy", "sjf"); /* corrected: the same configuration can be resolved again */
  (void)resolve(c);
}

static void test_no_source(void **state)
{
  hc_config *c = ((fixture *)*state)->config;
  hc_error e = {0};
  assert_int_equal(hc_config_resolve(c, &e), HC_EUSAGE);
  assert_string_equal(e.text, "source: nothing to run: name a log, such as `source: log.swf`, or give one to "
                              "`hindcast run`");
}

static void test_missing_plugin(void **state)
{
  hc_config *c = ((fixture *)*state)->config;
  hc_error e = {0};
  read_text(c, "source: a.swf\nplugin: ./no_such.so\n");
  assert_int_equal(hc_config_resolve(c, &e), HC_EIO);
  assert_string_equal(e.where, "run.yaml");
  assert_int_equal(e.line, 2);
  assert_non_null(strstr(e.text, "./no_such.so: cannot be loaded: "));
}

/* ---- records ---- */

static hc_rc replay(void *ctx, const char *path, const char *value, const char *origin)
{
  hc_error e = {0};
  HC_UNUSED(origin);
  return hc_config_flag(ctx, path, value, false, &e);
}

/* What a result stores makes the same run again. */
static void test_records_round_trip(void **state)
{
  fixture *f = *state;
  hc_config *again;
  hc_error e = {0};
  uint64_t first[2], second[2];
  read_text(f->config,
            "source: [a.swf, {use: magic, file: \"b: c.swf\"}]\npolicy: sjf+easy+best_fit\ncompat: cqsim\n"
            "transforms: [first, {use: first, users: [1, 2]}]\nuntil: 2d\ntrim: pyss\nname: x\n");
  (void)resolve(f->config);
  hc_config_checksum(f->config, first);
  assert_int_equal(hc_config_new(hc_default_allocator(), f->registry, &again, &e), 0);
  assert_int_equal(hc_config_each(f->config, replay, again), 0);
  (void)resolve(again);
  hc_config_checksum(again, second);
  assert_memory_equal(first, second, sizeof first);
  assert_key(again, "source.1.file", "b: c.swf", "flag");
  assert_key(again, "transforms.1.users.1", "2", "flag");
  assert_key(again, "policy.select.candidates", "", "default");
  hc_config_free(again);
}

static void test_checksum(void **state)
{
  hc_config *c = ((fixture *)*state)->config;
  uint64_t a[2], b[2];
  read_text(c, "source: a.swf\n");
  (void)resolve(c);
  hc_config_checksum(c, a);
  set(c, "name=other");
  set(c, "output=elsewhere.db");
  set(c, "seed=1"); /* the default, said aloud */
  (void)resolve(c);
  hc_config_checksum(c, b);
  assert_memory_equal(a, b, sizeof a);
  set(c, "seed=2");
  (void)resolve(c);
  hc_config_checksum(c, b);
  assert_memory_not_equal(a, b, sizeof a);
}

/* Keys of the parts stand behind the key of the run that they belong to. A world and advance reservations are
 * told of only where there are some, and how sources are told apart only where it is said. */
static hc_rc collect(void *ctx, const char *path, const char *value, const char *origin)
{
  const hc_param **at = ctx;
  size_t n = strcspn(path, ".");
  HC_UNUSED(value);
  HC_UNUSED(origin);
  if (strlen((*at)->name) != n || strncmp((*at)->name, path, n) != 0) (*at)++;
  while ((*at)->name && (strcmp((*at)->name, "world") == 0 || strcmp((*at)->name, "users") == 0 ||
                         strcmp((*at)->name, "reservations") == 0 || strcmp((*at)->name, "prefix") == 0 ||
                         strcmp((*at)->name, "changes") == 0))
    (*at)++;
  assert_non_null((*at)->name);
  assert_int_equal(strlen((*at)->name), n);
  assert_memory_equal(path, (*at)->name, n);
  return 0;
}

static void test_order_of_records(void **state)
{
  hc_config *c = ((fixture *)*state)->config;
  const hc_param *at = hc_component_run.params;
  read_text(c, "zone: UTC\nsource: {use: swf, file: a}\nmetrics: []\nseed: 3\n");
  (void)resolve(c);
  assert_int_equal(hc_config_each(c, collect, &at), 0);
  assert_null(at[1].name); /* every key of the table was told, in its order */
}

/* A map needs no `use` where the kind has one component: here there is one transform, and there are two
 * cells. */
static void test_only_one(void **state)
{
  hc_config *c = ((fixture *)*state)->config;
  const hc_run_options *o;
  const hc_chosen *t;
  hc_error e = {0};
  read_text(c, "source: {use: swf, file: a}\ntransforms: [{n: 5}, {use: first, n: 6}, {}]\n");
  set(c, "transforms.0.users=[3]");
  o = resolve(c);
  t = o->transforms.items;
  assert_int_equal(o->transforms.count, 3);
  for (size_t i = 0; i < 3; i++) assert_string_equal(t[i].type->name, "first");
  assert_int_equal(((first_options *)t[0].options)->n, 5);
  assert_int_equal(((first_options *)t[0].options)->users.count, 1);
  assert_int_equal(((first_options *)t[1].options)->n, 6);
  assert_int_equal(((first_options *)t[2].options)->n, 10);
  assert_key(c, "transforms.0", "first", "file"); /* what is recorded is what would be written in full */
  assert_key(c, "transforms.0.n", "5", "file");
  set(c, "transforms.0.speed=1");
  assert_int_equal(hc_config_resolve(c, &e), HC_EUSAGE);
  assert_non_null(strstr(e.text, "unknown key \"speed\" of transform first; it takes n, users"));
}

/* ---- memory ---- */

typedef struct failing {
  size_t left;
} failing;

static void *fail_later(void *ctx, void *p, size_t old_size, size_t new_size)
{
  failing *f = ctx;
  const hc_allocator *a = hc_default_allocator();
  if (new_size > 0 && f->left-- == 0) {
    f->left = 0;
    return NULL;
  }
  return a->resize(a->ctx, p, old_size, new_size);
}

/* Every allocation in turn fails: an error, and nothing leaks. */
static void test_out_of_memory(void **state)
{
  static const char yaml[] = "source: {use: swf, file: a}\npolicy: sjf+easy\ntransforms: [first]\n";
  fixture *f = *state;
  for (size_t n = 0;; n++) {
    failing left = {.left = n};
    const hc_allocator a = {&left, fail_later, NULL};
    hc_config *c = NULL;
    hc_error e = {0};
    hc_rc rc = hc_config_new(&a, f->registry, &c, &e);
    if (rc == 0) rc = hc_config_text(c, yaml, sizeof yaml - 1, "run.yaml", &e);
    if (rc == 0) rc = hc_config_set(c, "policy.select.depth=3", &e);
    if (rc == 0) rc = hc_config_resolve(c, &e);
    hc_config_free(c);
    if (rc == 0) break;
    assert_int_equal(rc, HC_ENOMEM);
    assert_int_equal(e.rc, HC_ENOMEM);
    assert_true(n < 10000);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_defaults),
      TEST(test_values),
      TEST(test_layers),
      TEST(test_files_merge),
      TEST(test_preset_can_be_overridden),
      TEST(test_preset_reaches_nested_components),
      TEST(test_policy_parts),
      TEST(test_policy_parts_keep_parameters),
      TEST(test_map_without_use_is_the_default_component),
      TEST(test_source_paths),
      TEST(test_bad),
      TEST(test_not_a_map),
      TEST(test_bad_settings),
      TEST(test_errors_name_their_layer),
      TEST(test_errors_name_the_command_line),
      TEST(test_no_source),
      TEST(test_missing_plugin),
      TEST(test_records_round_trip),
      TEST(test_checksum),
      TEST(test_order_of_records),
      TEST(test_only_one),
      TEST(test_out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
