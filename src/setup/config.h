/* config.h -- what runs and studies see of a configuration. */
#ifndef HC_SETUP_CONFIG_H
#define HC_SETUP_CONFIG_H

#include "base/mem.h"
#include "base/value.h"
#include "hindcast/output.h"
#include "hindcast/setup.h"
#include "setup/options.h"

/** The filled options of a resolved configuration. Borrowed. */
const hc_run_options *hc_config_options(const hc_config *c);
/** The files that were laid over each other. @return 0, or what `each` returned. */
hc_rc hc_config_files(const hc_config *c, hc_rc (*each)(void *ctx, const char *path, hc_error *e), void *ctx,
                      hc_error *e);
const hc_allocator *hc_config_allocator(const hc_config *c);
/** Processors of the machine that a configuration has for its trace, and of hosts their cores.
 *  @return 0: it has none, or their number cannot be said */
int64_t hc_trace_processors(const hc_allocator *a, const hc_config *c, hc_trace *t);
bool hc_config_replaces(const hc_config *c); /* as hc_config_replace said */
/** Give an error about an expression, which a part has found when it was made, the place of the
 *  expression. */
void hc_config_place(const hc_config *c, hc_error *e);
/** Tasks and hosts that are told as shares of a machine assume the same of a share (scales.c).
 *  @return 0, HC_EUSAGE with the key to set, HC_ENOMEM. */
hc_rc hc_scales_check(const hc_config *c, hc_error *error);
/** Every key as a row of the result's table `configuration`. @return as hc_store_row. */
hc_rc hc_config_store(const hc_config *c, hc_store *s, hc_error *e);
/** A resolved one ends its run at another time, as if `until` had said so; later than it says: as it says.
 *  @param until ns @return 0 or HC_ENOMEM */
hc_rc hc_config_stop(hc_config *c, hc_time until, hc_error *e);
/** Lay a resolved key upon a configuration as hc_config_each told it: with what it was told of, in the same
 *  order, the same keys resolve again. What a default or a preset said is left to them.
 *  @return as hc_config_set */
hc_rc hc_config_keep(hc_config *c, const char *path, const char *value, const char *origin, hc_error *e);
/** A configuration of its own with settings laid upon all that this one has, as "policy.select.depth=2", and
 *  resolved. It borrows from this one. @return as hc_config_set, hc_config_resolve */
hc_rc hc_config_derive(const hc_config *c, const char *const *sets, size_t count, hc_config **out,
                       hc_error *e);
/** Are all keys that are this one, or stand under it, the same in both? */
bool hc_config_agree(const hc_config *a, const hc_config *b, const char *key);
/** The first key that is not the same in both and neither is this one nor stands under it; NULL. Borrowed. */
const char *hc_config_differs(const hc_config *a, const hc_config *b, const char *but);
/** Checksum of the resolved keys but `changes`, for snapshots. */
void hc_config_checksum(const hc_config *c, uint64_t out[2]);

/** Defaults that are lists or maps ("[a, b]"), parsed once for many resolutions: it knows them by the address
 *  of their text, which lives as long as the component that says it. */
typedef struct hc_defaults {
  hc_arena arena;
  hc_map places; /* address of the text, and whether it is a list -> number in `values` */
  hc_value **values;
  size_t count, cap;
} hc_defaults;
void hc_defaults_init(hc_defaults *d, const hc_allocator *a);
void hc_defaults_fini(hc_defaults *d);

/** A configuration that is changed and resolved over and over, for studies: of one tree that stays as it is,
 *  with settings laid upon it each time. It keeps no record of its keys (hc_config_each tells nothing),
 *  parses no text, and has its memory back at each hc_config_clear.
 *  @param base  a map, borrowed; @param defaults  borrowed, may serve several of them
 *  @return 0 or HC_ENOMEM */
hc_rc hc_config_new_light(const hc_allocator *a, hc_registry *r, const hc_value *base, hc_defaults *defaults,
                          hc_config **out, hc_error *e);
/** About how many bytes it has: what keeps many of them asks. */
size_t hc_config_size(const hc_config *c);
/** Where its components are found. */
const hc_registry *hc_config_registry(const hc_config *c);
/** Forget the settings and what was resolved. Only of a light one. */
void hc_config_clear(hc_config *c);
/** As hc_config_set with a path and a value at hand: both are borrowed until the next clear.
 *  @return 0, HC_EUSAGE (a malformed path), HC_ENOMEM. */
hc_rc hc_config_put(hc_config *c, const char *path, const hc_value *v, hc_error *e);
/** Give a resolved configuration other random draws, without resolving it again; HC_UNKNOWN: those that it
 *  has. Not while a run has it. */
void hc_config_draws(hc_config *c, int64_t seed, int64_t replication);
/** Whether a name is what `wanted` says, in which * stands for any text. */
bool hc_figure_name_matches(const char *wanted, const char *name);
/** Leave out of a resolved configuration the metrics that declare none of these figures; * stands for any
 *  text.
 *  @param found  [count] out, may be NULL: set to true for each that some metric declares */
void hc_config_keep_figures(hc_config *c, const char *const *names, size_t count, bool *found);

/** A key as it was decided. */
typedef struct hc_key {
  const char *path, *value; /* value: as a user would write it */
  const char *usual;        /* by default; NULL: it has none */
  hc_origin origin;
  bool is_file; /* the value names files to be read */
} hc_key;

/** Fill the options struct of any component from a value: `easy`, or `{use: easy, depth: 2}`; NULL value: all
 *  defaults. Defaults come from the compat preset first (`compat`, may be NULL), then from the descriptor.
 *  Unknown keys, wrong types, values out of range: HC_EUSAGE with place, line, caret and the nearest known
 *  name.
 *  @param path "policy.select", for messages and for the record; @param record hears every key as it is
 *  decided, borrowed for the call; may be NULL. */
typedef struct hc_resolver {
  const hc_registry *registry;
  hc_arena *arena;
  const hc_component *compat;
  hc_rc (*record)(void *ctx, const hc_key *key);
  void *record_ctx;
  hc_defaults *defaults; /* NULL: every default is parsed where it is met */
} hc_resolver;
hc_rc hc_resolve(const hc_resolver *r, const hc_component *type, const hc_value *value, const char *path,
                 void **options, hc_error *e);
/** Choose a component of a kind from a value (its `use`, or the scalar), and resolve its options. */
hc_rc hc_resolve_component(const hc_resolver *r, hc_kind kind, const hc_value *value, const char *path,
                           hc_chosen *out, hc_error *e);

/** Settings of one component, as a command takes them ("table=summary"), laid onto its defaults. */
typedef struct hc_settings {
  hc_kind kind;
  const char *name;            /* of the component */
  const char *const *settings; /* [count] NAME=VALUE */
  size_t count;
  const char *flag, *expected; /* what gave the settings, and their shape, for errors */
  const char *path;            /* what its keys are under, for errors: "format" */
} hc_settings;
/** Choose the component so named, and resolve its options from its defaults and the settings, of which the
 *  later win. @return 0, HC_EUSAGE (no such component or key, a bad value, no =), HC_ENOMEM. */
hc_rc hc_resolve_settings(const hc_resolver *r, const hc_settings *s, hc_chosen *out, hc_error *e);

#endif
