/* report_engine.c -- what a page that runs again holds beside its data: the engine, the inputs, what to run.
 *
 * The engine is the core as a WebAssembly module (tools/engine), built into the command where Emscripten was,
 * or named by --engine. Engine and inputs are scripts of type text/plain, which no browser runs: base64 of
 * what is packed as their attribute says. The script of the page (report/src/engine.ts) unpacks them. */
#include <string.h>

#include "cli/report.h"

#define ENGINE_MOST ((uint64_t)64 << 20)

/* Packed by zstd; none where the build had no Emscripten. */
static const unsigned char built_in[] = {
#include "cli/engine_bytes.h"
    0};

hc_rc cli_report_engine_open(cli_report *x)
{
  static const char begin[] = {0, 'a', 's', 'm'};
  cli *c = x->c;
  const char *path = cli_value(c, "engine");
  hc_buffer module;
  hc_rc rc = 0;
  if (!path && sizeof built_in == 1)
    return cli_fail(
        c, HC_EUNSUPPORTED,
        "--interactive: this build has no engine in it; `./dev engine` installs Emscripten and builds "
        "one in, or --engine names the hindcast.wasm of another build of this version");
  x->engine_packing = path ? "deflate" : "zstd";
  if (!path) {
    hc_buffer_add(&x->engine, built_in, sizeof built_in - 1);
    return x->engine.failed ? HC_ENOMEM : 0;
  }
  hc_buffer_init(&module, c->allocator);
  rc = hc_file_text(c->allocator, path, ENGINE_MOST, &module, &c->error);
  if (rc >= 0 && (module.size < sizeof begin || memcmp(module.data, begin, sizeof begin) != 0))
    rc = hc_fail(&c->error, HC_EINPUT, path, 0, 0,
                 "it is no WebAssembly module; `./dev wasm` builds build/wasm/hindcast.wasm");
  if (rc >= 0) rc = hc_pack(c->allocator, module.data, module.size, &x->engine);
  hc_buffer_fini(&module);
  return rc;
}

/* ---- what to run: a script of JSON ---- */

static void put_components(cli *c, hc_kind kind, const char *key, hc_json_writer *j)
{
  const hc_component *t;
  hc_json_enter(j, key, '[');
  for (size_t i = 0; (t = hc_registry_at(c->registry, kind, i)) != NULL; i++) {
    if (kind == HC_KIND_POLICY && strcmp(t->name, "outside") == 0) continue; /* there is no program to ask */
    hc_json_enter(j, NULL, '[');
    hc_json_put_text(j, NULL, t->name);
    hc_json_put_text(j, NULL, t->summary);
    hc_json_leave(j, ']');
  }
  hc_json_leave(j, ']');
}

/* Where a result lies is not the run's. */
static hc_rc put_key(void *ctx, const char *const *v)
{
  static const char *const others[] = {"name", "output", "rejected", "threads", "task_rows"};
  hc_json_writer *j = ctx;
  if (!v[0]) return 0;
  for (size_t i = 0; i < CLI_LEN(others); i++)
    if (strcmp(v[0], others[i]) == 0) return 0;
  hc_json_enter(j, NULL, '[');
  hc_json_put_text(j, NULL, v[0]);
  hc_json_put_text(j, NULL, v[1] ? v[1] : "");
  hc_json_leave(j, ']');
  return 0;
}

static hc_rc put_base(cli_report *x, size_t i, hc_json_writer *j)
{
  const cli_report_run *run = &x->runs[i];
  hc_result *r = run->schedule.result;
  hc_json_enter(j, NULL, '{');
  hc_json_put_int(j, "run", (int64_t)i);
  hc_json_put_text(j, "schedule", run->schedule_digest);
  hc_json_put_int(j, "processors", cli_result_fact(x->c, r, "processors", 0));
  hc_json_put_text(j, "config", run->config.data ? run->config.data : "");
  hc_json_enter(j, "inputs", '[');
  for (size_t k = 0; k < run->input_count; k++) hc_json_put_int(j, NULL, (int64_t)run->inputs[k]);
  hc_json_leave(j, ']');
  hc_json_enter(j, "keys", '[');
  CLI_TRY(hc_result_rows(r, "configuration", 3, put_key, j, &x->c->error));
  hc_json_leave(j, ']');
  hc_json_leave(j, '}');
  return 0;
}

static hc_rc put_all(cli_report *x, hc_json_writer *j)
{
  hc_json_enter(j, NULL, '{');
  hc_json_put_text(j, "file", CLI_REPORT_RUN_FILE);
  hc_json_enter(j, "settings", '[');
  for (size_t i = 0; cli_rerun_settings[i]; i++) hc_json_put_text(j, NULL, cli_rerun_settings[i]);
  hc_json_leave(j, ']');
  hc_json_enter(j, "inputs", '[');
  for (size_t i = 0; i < x->text_count; i++) hc_json_put_text(j, NULL, x->texts[i].name);
  hc_json_leave(j, ']');
  put_components(x->c, HC_KIND_POLICY, "policies", j);
  put_components(x->c, HC_KIND_ORDER, "orders", j);
  put_components(x->c, HC_KIND_SELECT, "selects", j);
  hc_json_enter(j, "bases", '[');
  for (size_t i = 0; i < x->count; i++)
    if (x->runs[i].can_run) CLI_TRY(put_base(x, i, j));
  hc_json_leave(j, ']');
  hc_json_leave(j, '}');
  return j->out->failed ? HC_ENOMEM : 0;
}

hc_rc cli_report_engine_head(cli_report *x, hc_buffer *out)
{
  hc_json_writer j = {.out = out, .compact = true};
  return put_all(x, &j);
}

/* ---- bytes as scripts ---- */

static hc_rc write_script(cli_report *x, const char *id, const char *packing, const void *data, size_t size,
                          const hc_sink *out)
{
  hc_buffer b;
  hc_buffer_init(&b, x->c->allocator);
  hc_buffer_printf(&b, "<script type=\"text/plain\" id=\"%s\" data-packing=\"%s\">", id, packing);
  hc_base64(&b, data, size);
  hc_buffer_text(&b, "</script>\n");
  hc_rc rc = b.failed ? HC_ENOMEM : out->write(out->ctx, b.data, b.size);
  hc_buffer_fini(&b);
  return rc < 0 && rc != HC_ENOMEM ? cli_fail(x->c, rc, "the report could not be written") : rc;
}

static hc_rc write_input(cli_report *x, size_t i, const hc_sink *out)
{
  const cli_report_text *t = &x->texts[i];
  char id[32];
  hc_buffer packed;
  hc_buffer_init(&packed, x->c->allocator);
  (void)snprintf(id, sizeof id, "input-%zu", i);
  hc_rc rc = hc_pack(x->c->allocator, t->text.size ? t->text.data : "", t->text.size, &packed);
  if (rc >= 0) rc = write_script(x, id, "deflate", packed.data, packed.size, out);
  hc_buffer_fini(&packed);
  return rc;
}

hc_rc cli_report_engine_write(cli_report *x, const hc_sink *out)
{
  CLI_TRY(write_script(x, "engine", x->engine_packing, x->engine.data, x->engine.size, out));
  for (size_t i = 0; i < x->text_count; i++) CLI_TRY(write_input(x, i, out));
  return 0;
}
