/** @file plugin.h
 *  The registry of components, and components in shared objects.
 *
 *  A shared object exports one symbol, `hc_plugin_entry`, an hc_plugin: its ABI and its components. It links
 *  against nothing of ours. Loading checks size, ABI and names before anything of it is called. */
#ifndef HINDCAST_PLUGIN_H
#define HINDCAST_PLUGIN_H

#include <stdarg.h>
#include <stdio.h>

#include "hindcast/component.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A member of a kind's struct that its components cannot do without. */
typedef struct hc_needed {
  const char *name;
  size_t offset;
} hc_needed;

/** What is known of a kind: enough to check a component before anything of it is called. */
typedef struct hc_kind_type {
  hc_kind kind;
  const char *word, *text; /* "order", "sorts a queue" */
  size_t size;             /* of the struct that its components have, bytes */
  bool is_record;          /* has one component, whose options others read by heart */
  const hc_needed
      *needed; /* functions and tables that must be set; ends with a row without name; NULL: none */
} hc_kind_type;

/** What a shared object exports, as `const hc_plugin hc_plugin_entry`. */
typedef struct hc_plugin {
  uint32_t size, abi;
  const char *name;
  const hc_component *const *components; /* NULL-terminated */
  /** Kinds of its own, numbered from HC_KIND_OWN; ends with a row without word. Two plug-ins that use the
   *  same number cannot be loaded together. NULL: none. */
  const hc_kind_type *kinds;
} hc_plugin;

/** hc_fail, for components in shared objects, which cannot call that: fill `e` (may be NULL) unless it holds
 *  an error already; return `rc`. A component that fails without it is named as one that gave no reason.
 *  @param where  "site.log", "policy mine"; @param line, column  1-based, 0: not of a file. Since 0.3. */
static inline hc_rc hc_plugin_fail(hc_error *e, hc_rc rc, const char *where, uint32_t line, uint32_t column,
                                   const char *text, ...) __attribute__((format(printf, 6, 7)));
static inline hc_rc hc_plugin_fail(hc_error *e, hc_rc rc, const char *where, uint32_t line, uint32_t column,
                                   const char *text, ...)
{
  va_list args;
  if (!e || e->rc != 0) return rc;
  e->rc = rc;
  e->line = line;
  e->column = column;
  (void)snprintf(e->where, sizeof e->where, "%s", where ? where : "");
  va_start(args, text);
  (void)vsnprintf(e->text, sizeof e->text, text, args);
  va_end(args);
  return rc;
}

/** A registry with every built-in component. @return 0 or HC_ENOMEM. */
HC_API hc_rc hc_registry_new(const hc_allocator *a, hc_registry **out);
/** Free it, and close the shared objects it loaded: nothing of theirs may be in use. */
HC_API void hc_registry_free(hc_registry *r);
/** Add one component, as a program that embeds the library does. Borrowed for the registry's life.
 *  @return 0, HC_EUSAGE (a name that is taken, a component that is not complete), HC_EVERSION (of another
 *  ABI), HC_ENOMEM. */
HC_API hc_rc hc_registry_add(hc_registry *r, const hc_component *c, hc_error *e);
/** What is known of a kind. @return NULL if the registry has no such kind. Cost: constant. */
HC_API const hc_kind_type *hc_registry_kind(const hc_registry *r, hc_kind k);
/** The kind that a word names ("order", or "orders"); HC_KIND_LIMIT if none. */
HC_API hc_kind hc_kind_find(const hc_registry *r, const char *word);
/** Add the kinds and components of a library: all of them, or none. Borrowed for the registry's life.
 *  @return as hc_registry_load, and 0. @param where who brings them, for messages. */
HC_API hc_rc hc_registry_take(hc_registry *r, const hc_plugin *plugin, const char *where, hc_error *e);

/* ---- what the components say of themselves, for people and for programs ---- */

typedef enum hc_page { HC_PAGE_TEXT, HC_PAGE_JSON } hc_page;

/** Write the names and summaries of a kind's components. @param kind a kind's word, or NULL: all kinds.
 *  @return 0, HC_EUSAGE (no such kind, with the nearest), HC_ENOMEM, or what the sink returned. */
HC_API hc_rc hc_list_components(const hc_registry *r, const char *kind, hc_page page, const hc_sink *out,
                                hc_error *e);
/** Write the manual page of a component: what it does, its source, its parameters, a metric's figures, a
 *  preset's defaults. @param kind NULL: every kind that has that name. @return 0, HC_ENOTFOUND (with the
 *  nearest name), HC_EUSAGE, HC_ENOMEM, or what the sink returned. */
HC_API hc_rc hc_describe(const hc_registry *r, const char *kind, const char *name, hc_page page,
                         const hc_sink *out, hc_error *e);
/** Write what a word asks for: the manual page of a component ("easy", "order/sjf"), of a kind the list of
 *  its components ("order"), or the page of the only one that it has ("run"); "" asks for the list of all.
 *  @return as hc_describe and hc_list_components. Since 0.3. */
HC_API hc_rc hc_describe_word(const hc_registry *r, const char *word, hc_page page, const hc_sink *out,
                              hc_error *e);
/** Write the JSON Schema (draft 2020-12) of a run's configuration, for editors: every key of every component.
 *  @return 0, HC_ENOMEM, or what the sink returned. */
HC_API hc_rc hc_schema(const hc_registry *r, const hc_sink *out, hc_error *e);
/** Write the reference page of a kind in Markdown. @param kind NULL: all kinds, one after the other.
 *  @return 0, HC_EUSAGE (no such kind, with the nearest), HC_ENOMEM, or what the sink returned. */
HC_API hc_rc hc_manual(const hc_registry *r, const char *kind, const hc_sink *out, hc_error *e);

#ifdef __cplusplus
}
#endif
#endif
