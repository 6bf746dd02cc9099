/* json.h -- a JSON file as a tree, for files whose members come in any order.
 *
 * All of it lies in an arena: about 48 bytes and its text for each value. */
#ifndef HC_IRMASIM_JSON_H
#define HC_IRMASIM_JSON_H

#include "base/json.h"
#include "irmasim/number.h"

typedef struct hc_irm_json hc_irm_json;
struct hc_irm_json {
  hc_json_kind kind; /* HC_JSON_ARRAY, _OBJECT, or of a scalar */
  uint32_t line, column;
  const char *key;          /* in its object; NULL */
  const char *text;         /* of a number or a string; else "" */
  const hc_irm_json *first; /* what it holds */
  const hc_irm_json *next;  /* beside it */
};

/** @return 0, HC_EIO, HC_EINPUT (no JSON, or no object at its top), HC_ENOMEM */
hc_rc hc_irm_json_read(hc_arena *a, const char *path, const hc_irm_json **out, hc_error *e);
/** The last member of that name, as Python has it; NULL if there is none, or `object` is none. */
const hc_irm_json *hc_irm_member(const hc_irm_json *object, const char *key);
/** Its text, of a string; NULL if there is none or it is no string. */
const char *hc_irm_string(const hc_irm_json *object, const char *key);
/** @return whether it is a number; `out` untouched if not */
bool hc_irm_number_of(const hc_irm_json *v, hc_irm_number *out);

#endif
