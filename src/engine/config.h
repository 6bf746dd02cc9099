/* config.h -- what the engine sees of a configuration. */
#ifndef HC_ENGINE_CONFIG_H
#define HC_ENGINE_CONFIG_H

#include "base/value.h"
#include "engine/options.h"

/** The filled options of a resolved configuration. Borrowed. */
const hc_run_options *hc_config_options(const hc_config *c);
/** Checksum of the resolved keys, for snapshots. */
void hc_config_checksum(const hc_config *c, uint64_t out[2]);

/** Fill the options struct of any component from a value: `easy`, or `{use: easy, depth: 2}`; NULL value: all
 *  defaults. Defaults come from the compat preset first (`compat`, may be NULL), then from the descriptor.
 *  Unknown keys, wrong types, values out of range: HC_EUSAGE with place, line, caret and the nearest known
 *  name.
 *  @param path "policy.select", for messages and for the record; @param record hears every key as it is
 *  decided: path, value as text, origin; may be NULL. */
typedef struct hc_resolver {
  const hc_registry *registry;
  hc_arena *arena;
  const hc_component *compat;
  hc_rc (*record)(void *ctx, const char *path, const char *value, hc_origin origin);
  void *record_ctx;
} hc_resolver;
hc_rc hc_resolve(const hc_resolver *r, const hc_component *type, const hc_value *value, const char *path,
                 void **options, hc_error *e);
/** Choose a component of a kind from a value (its `use`, or the scalar), and resolve its options. */
hc_rc hc_resolve_component(const hc_resolver *r, hc_kind kind, const hc_value *value, const char *path,
                           hc_chosen *out, hc_error *e);

#endif
