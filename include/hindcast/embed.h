/** @file embed.h A run in a dozen calls, of texts that lie in memory: for other languages, and for web pages.
 *
 *  Everything is a pointer, a text or a small number, so that it can be called from JavaScript (WebAssembly),
 *  Python (ctypes) or any other language. What failed is a code, and a text until the next call
 *  (hc_embed_error).
 *
 *      hc_embedded *x = hc_embed_new(NULL);
 *      hc_embed_text(x, "log.swf", log, log_size);
 *      hc_embed_text(x, "run.yaml", "source: log.swf\npolicy: easy\n", 29);
 *      hc_embed_configure(x, "run.yaml");
 *      hc_embed_begin(x);
 *      while ((rc = hc_embed_step(x, 1000)) == 1) show(hc_embed_progress(x));
 *      wait = hc_embed_figure(x, "all", "wait_mean");
 *      hc_embed_free(x);
 *
 *  Inputs are these texts and nothing else, in the whole library too. Results stay in memory. */
#ifndef HINDCAST_EMBED_H
#define HINDCAST_EMBED_H

#include "hindcast/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Inputs, a configuration, and a run of it. */
typedef struct hc_embedded hc_embedded;

/** @param a  borrowed for its life; its files are not looked at; NULL: the C library's memory. @return
 *  NULL without memory. */
HC_API hc_embedded *hc_embed_new(const hc_allocator *a);
/** NULL is fine. */
HC_API void hc_embed_free(hc_embedded *x);
/** Give an input a name; it is copied. One that has the name already is replaced, unless a run reads it.
 *  @param size bytes. @return 0, HC_EUSAGE (no name, or a run has begun), HC_ENOMEM. */
HC_API hc_rc hc_embed_text(hc_embedded *x, const char *name, const char *text, size_t size);
/** Lay one of the texts, as a run file, over the configuration so far. @return as hc_config_file;
 *  HC_EUSAGE if a run has begun. */
HC_API hc_rc hc_embed_configure(hc_embedded *x, const char *name);
/** Set a key: "policy.select=easy". @return as hc_config_set; HC_EUSAGE if a run has begun. */
HC_API hc_rc hc_embed_set(hc_embedded *x, const char *assignment);
/** Forget the configuration, the run and its result; the texts stay. @return 0 or HC_ENOMEM. */
HC_API hc_rc hc_embed_reset(hc_embedded *x);
/** Make the run. @return as hc_run_new; HC_EUSAGE if one has begun. */
HC_API hc_rc hc_embed_begin(hc_embedded *x);
/** Go on for so many instants (0: to the end); when nothing is left to do, finish the result.
 *  @return 1 if there is more to do, 0 when the result is there, as hc_run_advance and hc_run_finish;
 *  HC_EUSAGE if no run has begun. After an error the run is over without a result. */
HC_API hc_rc hc_embed_step(hc_embedded *x, uint32_t instants);
/** How much of its input the run has read, from 0 to 1; NaN if that is not known. */
HC_API double hc_embed_progress(const hc_embedded *x);
/** A figure of the summary: scope "all" or "trimmed". NaN if there is none. */
HC_API double hc_embed_figure(hc_embedded *x, const char *scope, const char *name);
/** The digest of the result, or of its schedule alone: what `hindcast digest` prints. Borrowed until the
 *  next call; NULL after an error. */
HC_API const char *hc_embed_digest(hc_embedded *x, bool schedule_only);
/** The result in another format ("csv", "json", "gantt", "swf" ...). @param setting  an option of the
 *  exporter ("table=tasks"), or NULL. @return a text, borrowed until the next call; NULL after an error. */
HC_API const char *hc_embed_export(hc_embedded *x, const char *format, const char *setting);
/** Why a task of the finished run waited: its configuration is run again up to the task's start, and what is
 *  said of the task is heard (hc_run_explain), each thing once until it changes. @param serial  of the task
 *  @return JSON, a list of [seconds of virtual time, text], with the seconds of the start behind a text that
 *  promises one; borrowed until the next call; NULL after an error: no result, no such task, or as hc_run_new
 *  and hc_run_advance. Cost: that of the run up to then. Since 0.3. */
HC_API const char *hc_embed_why(hc_embedded *x, uint32_t serial);
/** Every key of the configuration so far, resolved, as hc_config_each tells it. @return JSON, a list of
 *  [path, value, origin], borrowed until the next call; NULL after an error: as hc_config_resolve;
 *  HC_EUSAGE if a run has begun. Since 0.3. */
HC_API const char *hc_embed_keys(hc_embedded *x);
/** The page of what a word asks for, as `hindcast describe` prints it: "easy", "order/sjf", "run", or a kind.
 *  @param as_json  for programs, else for people @return a text, borrowed until the next call; NULL after an
 *  error, as hc_describe_word. Since 0.3. */
HC_API const char *hc_embed_describe(hc_embedded *x, const char *word, bool as_json);
/** What the last call that failed said, as the command says it: "log.swf:12: ...", "run.yaml:3:1: ...".
 *  Borrowed until the next call. "" if none failed. */
HC_API const char *hc_embed_error(const hc_embedded *x);

#ifdef __cplusplus
}
#endif
#endif
