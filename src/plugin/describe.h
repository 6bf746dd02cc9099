/* describe.h -- what pages and the schema share: how a parameter is spelt for people. */
#ifndef HC_PLUGIN_DESCRIBE_H
#define HC_PLUGIN_DESCRIBE_H

#include "plugin/registry.h"

/** "whole number", "list of text", "component of kind order". */
void hc_say_type(const hc_registry *r, hc_buffer *b, const hc_param *p);
/** "from 1 to 10", "at least 1", "one of a, b"; nothing if any value will do. */
void hc_say_range(hc_buffer *b, const hc_param *p);
bool hc_has_low(const hc_param *p);  /* its range has a least value worth saying */
bool hc_has_high(const hc_param *p); /* its range has a greatest value worth saying */
/** One declared figure, "name|unit|direction, role ...|formula", cut up; sizes in bytes. */
typedef struct hc_figure {
  const char *name, *unit, *formula;
  size_t name_size, unit_size;
  int direction;  /* 1 higher is better, -1 lower is, 0 neither */
  uint32_t roles; /* bits of hc_figure_role */
  bool has_direction;
} hc_figure;
hc_figure hc_figure_cut(const char *line);
/** Append a JSON string, or null. */
void hc_say_json(hc_buffer *b, const char *s);
/** Hand a finished text to the sink and free it. @return HC_ENOMEM (incomplete text), or the sink's. */
hc_rc hc_send(hc_buffer *b, const hc_sink *out, hc_error *e);
/** The kind that a word names. @return 0 or HC_EUSAGE with the known words. */
hc_rc hc_kind_read(const hc_registry *r, const char *word, hc_kind *out, hc_error *e);

#endif
