/* embed.c -- a run of texts in memory, in a dozen calls of plain types.
 *
 * It owns all that the rest of the API would have a program keep: the texts, the registry, the configuration,
 * the store, the run, the result, the last error. It adds nothing to what they do. Cost: a copy of the
 * inputs. */
#include "hindcast/embed.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/util.h"
#include "hindcast/files.h"
#include "hindcast/plugin.h"
#include "hindcast/run.h"

struct hc_embedded {
  hc_allocator own; /* the caller's, with the texts as files */
  const hc_allocator *below;
  hc_texts *texts;
  hc_registry *registry;
  hc_config *config;
  hc_store *store;
  hc_run *run;
  hc_result *result; /* NULL until the run is finished */
  bool has_failed;   /* the run, which cannot go on */
  hc_buffer text;    /* what was asked for last: an export, keys, a page, a story */
  char digest[33], said[1100];
};

/* Keep what failed as one text with its place. */
static hc_rc say(hc_embedded *x, hc_rc rc, const hc_error *e)
{
  const char *text = e->rc ? e->text : hc_rc_text(rc);
  if (rc >= 0) return rc;
  if (e->where[0] && e->line > 0 && e->column > 0)
    (void)snprintf(x->said, sizeof x->said, "%s:%" PRIu32 ":%" PRIu32 ": %s", e->where, e->line, e->column,
                   text);
  else if (e->where[0] && e->line > 0)
    (void)snprintf(x->said, sizeof x->said, "%s:%" PRIu32 ": %s", e->where, e->line, text);
  else (void)snprintf(x->said, sizeof x->said, "%s%s%s", e->where, e->where[0] ? ": " : "", text);
  return rc;
}

static hc_rc not_now(hc_embedded *x, const char *text)
{
  hc_error e = {0};
  return say(x, hc_fail(&e, HC_EUSAGE, "", 0, 0, "%s", text), &e);
}

static void drop_run(hc_embedded *x)
{
  hc_result_free(x->result);
  hc_run_free(x->run);
  hc_store_free(x->store);
  x->result = NULL;
  x->run = NULL;
  x->store = NULL;
  x->has_failed = false;
}

hc_embedded *hc_embed_new(const hc_allocator *a)
{
  const hc_allocator *below = a ? a : hc_default_allocator();
  hc_embedded *x = hc_alloc(below, sizeof *x);
  hc_error e = {0};
  if (!x) return NULL;
  x->own = *below;
  x->below = below;
  x->own.files = NULL;
  hc_buffer_init(&x->text, below);
  hc_rc rc = hc_texts_new(below, &x->texts);
  if (rc >= 0) x->own.files = hc_texts_files(x->texts);
  if (rc >= 0) rc = hc_registry_new(&x->own, &x->registry);
  if (rc >= 0) rc = hc_config_new(&x->own, x->registry, &x->config, &e);
  if (rc >= 0) return x;
  hc_embed_free(x);
  return NULL;
}

void hc_embed_free(hc_embedded *x)
{
  if (!x) return;
  drop_run(x);
  hc_config_free(x->config);
  hc_registry_free(x->registry);
  hc_texts_free(x->texts);
  hc_buffer_fini(&x->text);
  hc_free(x->below, x, sizeof *x);
}

hc_rc hc_embed_text(hc_embedded *x, const char *name, const char *text, size_t size)
{
  hc_error e = {0};
  if (x->run) return not_now(x, "a run has begun, and reads the texts as they are; hc_embed_reset ends it");
  return say(x, hc_texts_copy(x->texts, name, text, size, &e), &e);
}

hc_rc hc_embed_configure(hc_embedded *x, const char *name)
{
  hc_error e = {0};
  if (x->run) return not_now(x, "a run has begun of the configuration as it is; hc_embed_reset ends it");
  return say(x, hc_config_file(x->config, name, &e), &e);
}

hc_rc hc_embed_set(hc_embedded *x, const char *assignment)
{
  hc_error e = {0};
  if (x->run) return not_now(x, "a run has begun of the configuration as it is; hc_embed_reset ends it");
  return say(x, hc_config_set(x->config, assignment, &e), &e);
}

/* The new one first: if there is no memory for it, the old one stays. */
hc_rc hc_embed_reset(hc_embedded *x)
{
  hc_config *fresh;
  hc_error e = {0};
  TRY(say(x, hc_config_new(&x->own, x->registry, &fresh, &e), &e));
  drop_run(x);
  hc_config_free(x->config);
  x->config = fresh;
  return 0;
}

hc_rc hc_embed_begin(hc_embedded *x)
{
  hc_error e = {0};
  if (x->run) return not_now(x, "a run has begun already; hc_embed_reset ends it");
  hc_rc rc = x->store ? 0 : hc_store_new(&x->own, NULL, &x->store, &e);
  if (rc >= 0) rc = hc_run_new(&x->own, x->config, x->store, &x->run, &e);
  if (rc < 0) drop_run(x);
  return say(x, rc, &e);
}

hc_rc hc_embed_step(hc_embedded *x, uint32_t instants)
{
  hc_error e = {0};
  if (!x->run) return not_now(x, "no run has begun; hc_embed_begin makes one");
  if (x->has_failed) return not_now(x, "the run has failed and cannot go on; hc_embed_reset ends it");
  if (x->result) return 0;
  hc_rc rc = hc_run_advance(x->run, HC_NEVER, instants, &e);
  if (rc == 1) return 1;
  if (rc >= 0) rc = hc_run_finish(x->run, &e);
  if (rc >= 0) rc = hc_result_of_store(x->store, &x->result, &e);
  x->has_failed = rc < 0;
  return say(x, rc, &e);
}

double hc_embed_progress(const hc_embedded *x)
{
  hc_progress p;
  if (x->result) return 1;
  if (!x->run) return 0;
  hc_run_progress(x->run, &p);
  return p.source_total > 0 ? (double)p.source_done / (double)p.source_total : __builtin_nan("");
}

/* The result is asked for before it is there. */
static bool has_result(hc_embedded *x)
{
  if (!x->result) (void)not_now(x, "there is no result yet: hc_embed_step returns 0 when it is there");
  return x->result != NULL;
}

double hc_embed_figure(hc_embedded *x, const char *scope, const char *name)
{
  return has_result(x) ? hc_result_figure(x->result, scope, name) : __builtin_nan("");
}

const char *hc_embed_digest(hc_embedded *x, bool schedule_only)
{
  hc_error e = {0};
  if (!has_result(x)) return NULL;
  const hc_rc rc = schedule_only ? hc_result_schedule_digest(x->result, x->digest, &e)
                                 : hc_result_digest(x->result, x->digest, &e);
  return say(x, rc, &e) < 0 ? NULL : x->digest;
}

static hc_rc write_text(void *ctx, const void *data, size_t size)
{
  hc_buffer *text = ctx;
  hc_buffer_add(text, data, size);
  return text->failed ? HC_ENOMEM : 0;
}

/* The text that was asked for, from nothing. */
static hc_sink begin_text(hc_embedded *x)
{
  hc_buffer_fini(&x->text);
  hc_buffer_init(&x->text, x->below);
  return (hc_sink){&x->text, write_text};
}

static const char *end_text(hc_embedded *x, hc_rc rc, const hc_error *e)
{
  if (say(x, rc >= 0 && x->text.failed ? HC_ENOMEM : rc, e) < 0 || x->text.failed) return NULL;
  return x->text.data ? x->text.data : "";
}

const char *hc_embed_export(hc_embedded *x, const char *format, const char *setting)
{
  hc_error e = {0};
  if (!has_result(x)) return NULL;
  const hc_sink out = begin_text(x);
  const hc_rc rc =
      hc_export_result(&x->own, x->registry, format, &setting, setting ? 1 : 0, x->result, &out, &e);
  return end_text(x, rc, &e);
}

/* ---- what there is to set ---- */

const char *hc_embed_describe(hc_embedded *x, const char *word, bool as_json)
{
  hc_error e = {0};
  const hc_sink out = begin_text(x);
  return end_text(x, hc_describe_word(x->registry, word, as_json ? HC_PAGE_JSON : HC_PAGE_TEXT, &out, &e),
                  &e);
}

static hc_rc put_key(void *ctx, const char *path, const char *value, const char *origin)
{
  hc_json_writer *j = ctx;
  hc_json_enter(j, NULL, '[');
  hc_json_put_text(j, NULL, path);
  hc_json_put_text(j, NULL, value ? value : "");
  hc_json_put_text(j, NULL, origin);
  hc_json_leave(j, ']');
  return 0;
}

const char *hc_embed_keys(hc_embedded *x)
{
  hc_json_writer j = {.out = &x->text, .compact = true};
  hc_error e = {0};
  if (x->run) {
    (void)not_now(x, "a run has begun of the configuration; hc_embed_reset ends it");
    return NULL;
  }
  (void)begin_text(x);
  hc_rc rc = hc_config_resolve(x->config, &e);
  hc_json_enter(&j, NULL, '[');
  if (rc >= 0) rc = hc_config_each(x->config, put_key, &j);
  hc_json_leave(&j, ']');
  return end_text(x, rc, &e);
}

/* ---- why a task waited ---- */

typedef struct story {
  hc_result *result;
  hc_json_writer json;
  char last[480];
} story;

/* The same words again and again, as the queue moves, are said once. */
static void hear(void *ctx, const hc_why_record *w)
{
  story *x = ctx;
  char seconds[40];
  if (strcmp(x->last, w->text) == 0) return;
  (void)snprintf(x->last, sizeof x->last, "%s", w->text);
  seconds[hc_format_seconds(w->time, seconds)] = '\0';
  hc_json_enter(&x->json, NULL, '[');
  hc_json_put_raw(&x->json, NULL, seconds);
  hc_json_put_text(&x->json, NULL, w->text);
  if (w->what == HC_NOTE_PROMISE) {
    seconds[hc_format_seconds(w->at, seconds)] = '\0';
    hc_json_put_raw(&x->json, NULL, seconds);
  }
  hc_json_leave(&x->json, ']');
}

static const char *task_name(void *ctx, uint64_t serial)
{
  return hc_result_task_name(((const story *)ctx)->result, (int64_t)serial);
}

static hc_rc find_task(hc_embedded *x, uint32_t serial, hc_task_record *out, hc_error *e)
{
  hc_task_record block[256];
  size_t count = 1;
  for (bool first = true; count > 0; first = false) {
    TRY(hc_result_tasks(x->result, first, block, HC_ARRAY_LEN(block), &count, e));
    for (size_t i = 0; i < count; i++) {
      if (block[i].serial != (int64_t)serial) continue;
      *out = block[i];
      return 0;
    }
  }
  return hc_fail(e, HC_ENOTFOUND, "", 0, 0, "the result has no task with the serial %" PRIu32, serial);
}

/* Tasks do what their profiles say, and what they wait for while they run can be told. */
static hc_time until(hc_embedded *x, const hc_task_record *task)
{
  const char *model = hc_result_config(x->result, "execution");
  if (task->start != HC_UNKNOWN && !(model && model[0])) return task->start;
  return task->end != HC_UNKNOWN ? task->end : HC_NEVER;
}

static hc_rc run_again(hc_embedded *x, uint32_t serial, story *of, hc_error *e)
{
  hc_task_record task = {0};
  hc_run *run;
  const char *world = hc_result_config(x->result, "world");
  if (world && world[0])
    return hc_fail(e, HC_EUNSUPPORTED, "", 0, 0, "a closed world tells no reasons of single tasks");
  TRY(find_task(x, serial, &task, e));
  TRY(hc_run_new(&x->own, x->config, NULL, &run, e));
  hc_rc rc = hc_run_explain(run, serial, hear, of);
  hc_run_explain_names(run, task_name);
  if (rc >= 0) rc = hc_run_advance(run, until(x, &task), 0, e);
  hc_run_free(run);
  return rc;
}

const char *hc_embed_why(hc_embedded *x, uint32_t serial)
{
  story of = {.result = x->result, .json = {.out = &x->text, .compact = true}};
  hc_error e = {0};
  if (!has_result(x)) return NULL;
  (void)begin_text(x);
  hc_json_enter(&of.json, NULL, '[');
  const hc_rc rc = run_again(x, serial, &of, &e);
  hc_json_leave(&of.json, ']');
  return end_text(x, rc, &e);
}

const char *hc_embed_error(const hc_embedded *x)
{
  return x->said;
}
