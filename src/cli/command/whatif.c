/* whatif.c -- `hindcast whatif`: records of a site again, with one thing changed: which users win and lose.
 *
 * The base and each variant run over the workload as it is and over copies in which submissions and run
 * times are moved a little (the transform shake, as in a study): a difference that depends on such accidents
 * shows in the spread over copies, of which the intervals are made. Copies are paired: a variant is compared
 * with the base over the same copy, job by job. Where the log has starts, the base is first compared with
 * them (whatif_calibrate.c). */
#include <stdlib.h>
#include <string.h>

#include "cli/compare.h"
#include "cli/many.h"
#include "cli/whatif.h"

#define SHAKES 10
#define TAU 10.0 /* s, of the bounded slowdown */
#define WITHIN (60 * HC_SECOND)
#define SHAKE "{use: shake, submit: 1m, run: 0.01}"

static const cli_flag own_flags[] = {
    {.name = "change",
     .metavar = "[NAME:]CHANGE",
     .many = true,
     .complete = "path",
     .help = "What a variant changes: PATH=VALUE as --set takes it; a line of slurm.conf, as "
             "\"PartitionName=long MaxTime=2-0\", laid over that of the cell and the policy; or a command, "
             "\"sacctmgr modify account a set fairshare=30\". Changes with the same NAME make one variant."},
    {.name = "shakes",
     .metavar = "N",
     .help = "Copies of the workload, submissions moved by up to a minute and run times by up to 1 %, that "
             "intervals are made of, beside the workload as it is. Default: 10."},
    {.name = "by",
     .metavar = "WHAT",
     .complete = CLI_BY_WORDS,
     .many = true,
     .help =
         "Whose waits are compared, each by itself. Default: user, account, partition, size, where there are "
         "several."},
    {.name = "limit", .metavar = "N", .help = "Show the N groups that gain or lose most hours. Default: 8."},
    CLI_FLAG_SIZES,
    CLI_FLAG_ESTIMATES,
    {.name = "within",
     .metavar = "TIME",
     .help = "A start so near to the recorded one is the same. Default: 1m."},
    CLI_FLAG_JOBS,
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags, cli_transform_flags, cli_config_flags, cli_format_flags,
                                        NULL};

/* ---- configurations ---- */

typedef struct transforms {
  size_t count;
} transforms;

static hc_rc count_transform(void *ctx, const char *path, const char *value, const char *origin)
{
  transforms *t = ctx;
  static const char start[] = "transforms.";
  (void)value;
  (void)origin;
  if (strncmp(path, start, sizeof start - 1) == 0 && !strchr(path + sizeof start - 1, '.')) t->count++;
  return 0;
}

/* Every task's row is wanted, in memory, and nothing else is written. */
static hc_rc set_usual(cli *c, hc_config *config)
{
  CLI_TRY(hc_config_flag(config, "task_rows", "all", false, &c->error));
  return hc_config_flag(config, "rejected", "", true, &c->error);
}

static hc_rc set_copy(cli *c, hc_config *config, size_t copy)
{
  transforms t = {0};
  char path[40], number[24];
  if (copy == 0) return 0;
  CLI_TRY(hc_config_each(config, count_transform, &t));
  (void)snprintf(path, sizeof path, "transforms.%zu", t.count);
  (void)snprintf(number, sizeof number, "%zu", copy);
  CLI_TRY(hc_config_flag(config, path, SHAKE, true, &c->error));
  CLI_TRY(hc_config_flag(config, "replication", number, false, &c->error));
  return hc_config_resolve(config, &c->error);
}

/* The configuration of a variant over a copy, resolved. @param base  NULL: this is it */
static hc_rc configure(cli *c, const cli_variant *v, const hc_config *base, size_t copy, hc_config **out)
{
  hc_config *config;
  hc_rc rc;
  CLI_TRY(cli_config(c, &config));
  rc = set_usual(c, config);
  if (rc >= 0 && base) rc = cli_variant_lay(c, v, base, config);
  if (rc >= 0) rc = hc_config_resolve(config, &c->error);
  if (rc >= 0) rc = set_copy(c, config, copy);
  if (rc < 0) hc_config_free(config);
  else *out = config;
  return rc;
}

/* ---- what came of a run ---- */

/* A run is one of the base over the workload as it is, or one of the others: all variants over a copy, then
 * over the next. */
static void place_of(const cli_whatif *w, size_t which, size_t *variant, size_t *copy)
{
  *variant = (which + 1) % w->variants.count;
  *copy = (which + 1) / w->variants.count;
}

static double slowdown_of(const hc_task_record *r)
{
  const double wait = (double)(r->start - r->submit) / 1e9, run = (double)(r->end - r->start) / 1e9,
               x = (wait + run) / (run > TAU ? run : TAU);
  return x > 1 ? x : 1;
}

static hc_rc keep(cli_whatif *w, size_t variant, size_t copy, hc_result *r, const cli_records *tasks)
{
  const cli_schedule a = {.records = w->tasks}, b = {.records = *tasks};
  double *waits = cli_waits_of(w, variant, copy), slowdown = 0, count = 0;
  cli_pairing p;
  CLI_TRY(cli_match(w->c, &a, &b, &p));
  for (size_t i = 0; i < w->tasks.count; i++) waits[i] = (double)__builtin_nanf("");
  for (size_t i = 0; i < p.count; i++) {
    const hc_task_record *x = p.pairs[i].b;
    if (!cli_ended(x)) continue;
    waits[p.pairs[i].a - w->tasks.items] = (double)(x->start - x->submit) / 1e9;
    slowdown += slowdown_of(x);
    count++;
  }
  free(p.pairs);
  w->utilisation[variant * w->copies + copy] = hc_result_figure(r, "all", "utilisation");
  w->slowdown[variant * w->copies + copy] = slowdown / count;
  return 0;
}

static hc_rc take(void *ctx, size_t which, hc_result *r, const cli_records *tasks)
{
  cli_whatif *w = ctx;
  size_t variant, copy;
  place_of(w, which, &variant, &copy);
  return keep(w, variant, copy, r, tasks);
}

/* ---- the record ---- */

static hc_rc read_rows(cli_whatif *w, hc_trace *trace)
{
  hc_trace_task t;
  cli_progress line;
  uint64_t rows = 0;
  size_t at = 0;
  hc_rc rc;
  cli_progress_begin(&line, w->c, "reading the record");
  while ((rc = hc_trace_next(trace, &t, &w->c->error)) == 1) {
    if (!cli_progress_trace(&line, trace, ++rows)) rc = HC_ECANCELLED;
    if (rc < 0) break;
    while (at < w->tasks.count && w->tasks.items[at].serial < t.serial) at++;
    if (at == w->tasks.count || w->tasks.items[at].serial != t.serial) continue;
    if (t.spec.wait == HC_UNKNOWN || t.spec.wait < 0 || t.run < 0 ||
        w->tasks.items[at].submit != t.spec.submit)
      continue;
    w->recorded[at] = t.spec.submit + t.spec.wait;
    w->ran[at] = t.run;
  }
  cli_progress_end(&line);
  return rc;
}

/* What the log says of each task: those of the base again, without a run. */
static hc_rc read_record(cli_whatif *w, hc_config *base)
{
  const hc_trace_options o = {.mode = HC_TRACE_TASKS};
  hc_trace *trace;
  hc_rc rc;
  w->recorded = malloc((w->tasks.count + 1) * sizeof *w->recorded);
  w->ran = calloc(w->tasks.count + 1, sizeof *w->ran);
  if (!w->recorded || !w->ran) return cli_fail(w->c, HC_ENOMEM, "out of memory for the record");
  for (size_t i = 0; i < w->tasks.count; i++) w->recorded[i] = HC_UNKNOWN;
  rc = hc_trace_open(w->c->allocator, base, &o, &trace, &w->c->error);
  if (rc >= 0) {
    rc = read_rows(w, trace);
    hc_trace_close(trace);
  }
  if (rc != HC_EINPUT && rc != HC_EUNSUPPORTED && rc != HC_EUSAGE) return rc;
  /* The run has read it; without one, tasks of which only an execution knows how long they are cannot be. */
  if (w->c->format == CLI_TEXT)
    hc_buffer_printf(&w->c->out, "note: the record cannot be read without a run: %s\n", w->c->error.text);
  w->c->error = (hc_error){0};
  for (size_t i = 0; i < w->tasks.count; i++) w->recorded[i] = HC_UNKNOWN;
  return 0;
}

static bool has_record(const cli_whatif *w)
{
  for (size_t i = 0; i < w->tasks.count; i++)
    if (w->recorded[i] != HC_UNKNOWN) return true;
  return false;
}

/* ---- the whole ---- */

static hc_rc make_room(cli_whatif *w)
{
  const size_t runs = w->variants.count * w->copies;
  w->waits = malloc((runs * w->tasks.count + 1) * sizeof *w->waits);
  w->utilisation = malloc(runs * sizeof *w->utilisation);
  w->slowdown = malloc(runs * sizeof *w->slowdown);
  return w->waits && w->utilisation && w->slowdown
             ? 0
             : cli_fail(w->c, HC_ENOMEM, "out of memory for the waits of %zu runs", runs);
}

static hc_rc run_base(cli_whatif *w, hc_config *base)
{
  CLI_TRY(cli_one_run(w->c, base, &w->store, &w->base, &w->tasks));
  if (w->tasks.count == 0)
    return cli_fail(w->c, HC_EUSAGE, "no task of %.200s runs: `hindcast run` says why", w->c->operands[0]);
  hc_result_facts_of(w->base, &w->facts);
  CLI_TRY(make_room(w));
  return keep(w, 0, 0, w->base, &w->tasks);
}

static hc_rc run_others(cli_whatif *w, const hc_config *base)
{
  const size_t count = w->variants.count * w->copies - 1;
  hc_config **configs = calloc(count + 1, sizeof *configs);
  cli_many m = {.configs = configs, .count = count, .what = "running", .take = take, .ctx = w};
  hc_rc rc = 0;
  if (!configs) return cli_fail(w->c, HC_ENOMEM, "out of memory for %zu runs", count);
  for (size_t i = 0; rc >= 0 && i < count; i++) {
    size_t variant, copy;
    place_of(w, i, &variant, &copy);
    rc = configure(w->c, &w->variants.items[variant], base, copy, &configs[i]);
  }
  w->c->started = rc >= 0;
  if (rc >= 0) rc = cli_many_run(w->c, &m);
  for (size_t i = 0; i < count; i++) hc_config_free(configs[i]);
  free(configs);
  if (rc == HC_EUNSUPPORTED && w->copies > 1) { /* closed loops, tasks that do what profiles say */
    const size_t n = strlen(w->c->error.text);
    (void)snprintf(w->c->error.text + n, sizeof w->c->error.text - n,
                   "; copies of it cannot be shaken so: say --shakes 0");
  }
  return rc;
}

/* The variants' keys are looked at before anything runs. */
static hc_rc try_variants(cli_whatif *w, const hc_config *base)
{
  for (size_t v = 1; v < w->variants.count; v++) {
    hc_config *config;
    CLI_TRY(configure(w->c, &w->variants.items[v], base, 0, &config));
    hc_config_free(config);
  }
  return 0;
}

static hc_rc carry_out(cli_whatif *w, hc_config *base, hc_time within)
{
  cli_calibration k;
  CLI_TRY(try_variants(w, base));
  CLI_TRY(run_base(w, base));
  CLI_TRY(cli_whatif_words(w));
  CLI_TRY(read_record(w, base));
  CLI_TRY(run_others(w, base));
  const bool is_recorded = has_record(w);
  if (is_recorded) CLI_TRY(cli_calibrate(w, within, &k));
  return cli_whatif_say(w, is_recorded ? &k : NULL);
}

static hc_rc read_flags(cli_whatif *w, hc_time *within)
{
  const char *word = cli_value(w->c, "within");
  int64_t shakes = SHAKES;
  CLI_TRY(cli_int(w->c, "shakes", 0, 1000, &shakes));
  w->copies = (size_t)shakes + 1;
  if (word && (hc_parse_time(word, strlen(word), within) < 0 || *within < 0 || *within == HC_NEVER))
    return cli_fail(w->c, HC_EUSAGE, "--within: expected a time, such as 1m, got \"%.80s\"", word);
  return cli_variants_read(w->c, &w->variants);
}

static hc_rc run(cli *c)
{
  cli_whatif w = {.c = c};
  hc_config *base = NULL;
  hc_time within = WITHIN;
  hc_rc rc = read_flags(&w, &within);
  if (rc >= 0) rc = configure(c, NULL, NULL, 0, &base);
  if (rc >= 0) rc = carry_out(&w, base, within);
  cli_records_fini(c, &w.tasks);
  hc_result_free(w.base);
  hc_store_free(w.store);
  hc_config_free(base);
  cli_variants_close(&w.variants);
  free(w.waits);
  free(w.recorded);
  free(w.ran);
  free(w.utilisation);
  free(w.slowdown);
  return rc;
}

const cli_command cli_command_whatif = {
    .name = "whatif",
    .operands = "SITE.yaml --change CHANGE ...",
    .summary = "Change something over a site's own records, and see which users win and which lose.",
    .detail =
        "SITE.yaml is a run file: the site's records, its machine, its scheduler. First the base, without "
        "any change, "
        "is compared with the recorded starts (the calibration), with a warning where it explains too few "
        "of them; "
        "without --change that is all. Then each variant is compared with the base: figures, and mean "
        "waits by "
        "user, account, partition and size. Intervals are 95 %, Student's t over shaken copies of the "
        "workload; p "
        "values are Holm's over the groups of a table. docs/whatif.md says more.",
    .examples =
        "hindcast whatif site.yaml  # the calibration alone\n"
        "hindcast whatif site.yaml --change policy.scheduler_parameters=\"bf_interval=60\"\n"
        "hindcast whatif site.yaml --change 'nodes:NodeName=m[01-16] CPUs=64' --change "
        "'nodes:PartitionName=batch Nodes=n[01-64],m[01-16]'\n"
        "hindcast whatif site.yaml --change 'a30:sacctmgr modify account a set fairshare=30' --by account",
    .flags = flags,
    .min = 1,
    .max = -1,
    .complete = CLI_FILE,
    .run = run,
};
