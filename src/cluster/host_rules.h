/* host_rules.h -- from what a user wrote (record.h) to parts of a cell of hosts: classes, levels, sets,
 * licences. */
#ifndef HC_CLUSTER_HOST_RULES_H
#define HC_CLUSTER_HOST_RULES_H

#include "cluster/host_builder.h"
#include "cluster/record.h"

/** Amounts by the names that people use: cpus (cores), memory and disk (sizes), gpus (whole), any other
 *  dimension (whole units, or a size). A part of a unit is never nothing.
 *  @param where  who asks, for errors ("class c")
 *  @return 0, HC_EUSAGE (no amount), HC_ELIMIT (too much, too many dimensions). */
hc_rc hc_rules_amount(hc_lexicon *l, const char *name, size_t name_size, const char *value, const char *where,
                      uint32_t *dimension, int64_t *amount, hc_error *e);
/** The same from NAME=AMOUNT. */
hc_rc hc_rules_amount_text(hc_lexicon *l, const char *text, const char *where, uint32_t *dimension,
                           int64_t *amount, hc_error *e);

/** A feature, or an attribute NAME=VALUE with a value that is a whole number or a text.
 *  @return 0, HC_EUSAGE (it has one of that name), HC_ENOMEM. */
typedef struct hc_attribute_list {
  hc_attribute *items;
  size_t count, cap;
} hc_attribute_list;
hc_rc hc_rules_attribute(hc_host_builder *b, hc_attribute_list *list, const char *name, size_t name_size,
                         const char *value, const char *where, hc_error *e); /* value NULL: a feature */

/** The hosts of a class record. @param number  which one it is, from 1. @return 0, HC_EUSAGE, HC_ELIMIT,
 *  HC_ENOMEM. */
hc_rc hc_rules_class(hc_host_builder *b, const hc_host_class_options *o, size_t number, hc_error *e);
/** Zones of the hosts that there are: list of hc_chosen of kind level. @return 0, HC_EUSAGE, HC_ENOMEM. */
hc_rc hc_rules_levels(hc_host_builder *b, const hc_list *levels, hc_error *e);
/** Sets (hc_chosen of kind set) and licences (texts NAME=AMOUNT) of a finished spec, whose hosts are all
 *  of the builder's. @return 0, HC_EUSAGE, HC_ELIMIT, HC_ENOMEM. */
hc_rc hc_rules_sets(hc_host_builder *b, const hc_list *sets, hc_cell_spec *spec, hc_error *e);
hc_rc hc_rules_licences(hc_host_builder *b, const hc_list *licences, hc_cell_spec *spec, hc_error *e);

/* Parameters that cells share which a user describes: members `sets` and `licences` of their options. */
#define HC_SETS_PARAM(options) \
  HC_PARAM(COMPONENTS, options, sets, HC_KIND_SET, NULL, \
           "Named sets of hosts: partitions, failure domains, any other.")
#define HC_LICENCES_PARAM(options) \
  HC_PARAM(TEXTS, options, licences, NULL, \
           "NAME=AMOUNT that the whole cell has, such as matlab=50: a task takes its demand of it " \
           "once, wherever it runs.")

#endif
