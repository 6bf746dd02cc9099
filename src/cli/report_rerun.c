/* report_rerun.c -- what a run takes to be made again where there is nothing but a browser: its configuration
 * as one text, and its inputs as texts by the names that it opens them by.
 *
 * An input goes in only if it has the checksum that the result recorded, and unpacked, since the engine of a
 * page has no decoders. Then the run is made once more here, of these texts alone, and its schedule must be
 * the result's to the last bit: a page that cannot give what it shows is not written. What no page can run
 * (shared objects, XML) is refused before. */
#include <stdlib.h>
#include <string.h>

#include "cli/bundle.h"
#include "cli/report.h"

#define TEXTS_MOST ((uint64_t)96 << 20) /* of all inputs, unpacked: a million tasks have 60 to 90 MiB */

/* Keys whose value makes no difference to a schedule, as a page needs them. */
const char *const cli_rerun_settings[] = {"threads=1", "task_rows=all", NULL};

static hc_rc cannot(cli *c, const cli_report_run *run, const char *text)
{
  return hc_fail(&c->error, HC_EUNSUPPORTED, run->schedule.path, 0, 0, "--interactive: %s", text);
}

/* ---- inputs ---- */

typedef struct taking {
  cli_report *x;
  cli_report_run *run;
} taking;

static cli_report_text *find_text(cli_report *x, const char *name, const char *sum)
{
  for (size_t i = 0; i < x->text_count; i++)
    if (strcmp(x->texts[i].name, name) == 0 && strcmp(x->texts[i].sum, sum) == 0) return &x->texts[i];
  return NULL;
}

static hc_rc add_text(cli_report *x, const char *name, const char *sum)
{
  if (x->text_count == x->text_cap) {
    const size_t cap = x->text_cap * 2 + 8;
    cli_report_text *texts = realloc(x->texts, cap * sizeof *texts);
    if (!texts) return HC_ENOMEM;
    x->texts = texts;
    x->text_cap = cap;
  }
  cli_report_text *t = &x->texts[x->text_count];
  *t = (cli_report_text){.name = malloc(strlen(name) + 1)};
  if (!t->name) return HC_ENOMEM;
  memcpy(t->name, name, strlen(name) + 1);
  (void)snprintf(t->sum, sizeof t->sum, "%s", sum);
  hc_buffer_init(&t->text, x->c->allocator);
  x->text_count++;
  return 0;
}

/* The text of the input that was added last. */
static hc_rc read_text(cli_report *x, const cli_report_run *run)
{
  cli *c = x->c;
  cli_report_text *t = &x->texts[x->text_count - 1];
  char sum[33];
  uint64_t bytes;
  CLI_TRY(hc_file_checksum(c->allocator, t->name, &bytes, sum, &c->error));
  if (strcmp(sum, t->sum) != 0)
    return hc_fail(&c->error, HC_EINPUT, t->name, 0, 0,
                   "--interactive: it is not the file that %.200s was made from (checksum %s, it was %.40s); "
                   "put that one back, or run it again",
                   run->schedule.path, sum, t->sum);
  const hc_rc rc = hc_file_text(c->allocator, t->name, TEXTS_MOST - x->text_bytes, &t->text, &c->error);
  if (rc == HC_ELIMIT)
    return hc_fail(
        &c->error, rc, t->name, 0, 0,
        "--interactive: the inputs have more than %llu MiB unpacked, which is too much for a page; "
        "run a part of the log (--first N, or `hindcast trace split`) and report that",
        (unsigned long long)(TEXTS_MOST >> 20));
  CLI_TRY(rc);
  x->text_bytes += t->text.size;
  const char *p = t->text.size ? t->text.data : "";
  if (strncmp(p + strspn(p, " \t\r\n"), "<?xml", 5) == 0)
    return hc_fail(
        &c->error, HC_EUNSUPPORTED, t->name, 0, 0,
        "--interactive: it is XML, which the engine of a page does not read; say the machine and its "
        "network in the configuration, and run it again");
  return 0;
}

static hc_rc take_input(void *ctx, const char *const *v)
{
  taking *k = ctx;
  cli_report *x = k->x;
  if (!v[0]) return 0;
  if (strcmp(v[0], "-") == 0 || !v[2] || !v[2][0])
    return cannot(x->c, k->run,
                  "it was made from standard input, which cannot be read again; run it from a file");
  for (size_t i = 0; i < x->text_count; i++)
    if (strcmp(x->texts[i].name, v[0]) == 0 && strcmp(x->texts[i].sum, v[2]) != 0)
      return cannot(x->c, k->run,
                    "an input of it has changed since another of these results was made; run both again");
  if (!find_text(x, v[0], v[2])) {
    CLI_TRY(add_text(x, v[0], v[2]));
    CLI_TRY(read_text(x, k->run));
  }
  if (k->run->input_count == CLI_REPORT_INPUTS)
    return cannot(x->c, k->run, "it has more than 64 inputs, which is too much for a page");
  k->run->inputs[k->run->input_count++] = (size_t)(find_text(x, v[0], v[2]) - x->texts);
  return 0;
}

/* ---- what cannot be run ---- */

static hc_rc look_at_key(void *ctx, const char *const *v)
{
  taking *k = ctx;
  if (v[0] && strncmp(v[0], "plugin.", 7) == 0)
    return cannot(
        k->x->c, k->run,
        "it has components from a shared object, which a page cannot load; leave --interactive out, "
        "or run it with components that are built in");
  return 0;
}

static bool is_record(cli *c, const cli_report_run *run)
{
  char made[32];
  return cli_result_info(c, run->schedule.result, "hindcast", "made_by", made, sizeof made) &&
         strcmp(made, "analyze") == 0;
}

/* ---- once more, here ---- */

static const char *no_place(void *ctx, const char *value)
{
  (void)ctx;
  (void)value;
  return NULL;
}

static hc_rc give(const cli_report *x, const cli_report_run *run, hc_embedded *e)
{
  hc_rc rc = 0;
  for (size_t i = 0; rc >= 0 && i < run->input_count; i++) {
    const cli_report_text *t = &x->texts[run->inputs[i]];
    rc = hc_embed_text(e, t->name, t->text.size ? t->text.data : "", t->text.size);
  }
  if (rc >= 0)
    rc = hc_embed_text(e, CLI_REPORT_RUN_FILE, run->config.data ? run->config.data : "", run->config.size);
  if (rc >= 0) rc = hc_embed_configure(e, CLI_REPORT_RUN_FILE);
  for (size_t i = 0; rc >= 0 && cli_rerun_settings[i]; i++) rc = hc_embed_set(e, cli_rerun_settings[i]);
  return rc;
}

static hc_rc carry_out(cli_report *x, cli_report_run *run, hc_embedded *e)
{
  cli *c = x->c;
  hc_rc rc = give(x, run, e);
  if (rc >= 0) rc = hc_embed_begin(e);
  if (rc >= 0) rc = hc_embed_step(e, 0);
  const char *digest = rc >= 0 ? hc_embed_digest(e, true) : NULL;
  if (!digest)
    return hc_fail(&c->error, rc < 0 ? rc : HC_EUNSUPPORTED, run->schedule.path, 0, 0,
                   "--interactive: its run cannot be made again: %.300s", hc_embed_error(e));
  if (strcmp(digest, run->schedule_digest) == 0) return 0;
  return hc_fail(
      &c->error, HC_EUNSUPPORTED, run->schedule.path, 0, 0,
      "--interactive: made again, its run has the schedule %s, it was %s: another version of the program "
      "made it, or a branch, or it was cut short; run it again by this one",
      digest, run->schedule_digest);
}

static hc_rc make_again(cli_report *x, cli_report_run *run)
{
  hc_embedded *e = hc_embed_new(x->c->allocator);
  const hc_rc rc = e ? carry_out(x, run, e) : HC_ENOMEM;
  hc_embed_free(e);
  return rc;
}

/* The run file that gives the run again. Its paths are what the page's files are called. */
static hc_rc write_config(cli *c, hc_result *r, hc_buffer *out)
{
  cli_bundle_keys *keys = NULL;
  hc_rc rc = cli_bundle_keys_read(c, r, &keys);
  if (rc >= 0) rc = cli_bundle_keys_write(keys, no_place, NULL, out);
  cli_bundle_keys_free(keys);
  return rc;
}

/* ---- the whole ---- */

static hc_rc gather(cli_report *x, cli_report_run *run)
{
  cli *c = x->c;
  hc_result *r = run->schedule.result;
  taking k = {x, run};
  if (!run->has_rows)
    return cannot(c, run,
                  "it does not have a row for every task, so that nothing could be compared with it; run it "
                  "again with `task_rows: all`");
  CLI_TRY(hc_result_rows(r, "configuration", 3, look_at_key, &k, &c->error));
  CLI_TRY(hc_result_rows(r, "inputs", 3, take_input, &k, &c->error));
  CLI_TRY(hc_result_schedule_digest(r, run->schedule_digest, &c->error));
  CLI_TRY(write_config(c, r, &run->config));
  run->can_run = true;
  return run->config.failed ? HC_ENOMEM : 0;
}

hc_rc cli_report_rerun(cli_report *x)
{
  size_t bases = 0;
  for (size_t i = 0; i < x->count; i++) {
    if (is_record(x->c, &x->runs[i])) continue; /* what really happened stands beside runs */
    CLI_TRY(gather(x, &x->runs[i]));
    bases++;
  }
  if (bases == 0)
    return cannot(
        x->c, &x->runs[0],
        "it holds what a log recorded, and no run that could be made again; put a result of `hindcast "
        "run` beside it");
  return 0;
}

hc_rc cli_report_rerun_check(cli_report *x)
{
  for (size_t i = 0; i < x->count; i++)
    if (x->runs[i].can_run) CLI_TRY(make_again(x, &x->runs[i]));
  return 0;
}

void cli_report_rerun_drop(cli_report *x)
{
  for (size_t i = 0; i < x->text_count; i++) {
    free(x->texts[i].name);
    hc_buffer_fini(&x->texts[i].text);
  }
  free(x->texts);
}
