/* slurm_json.c -- see slurm_json.h. */
#include "workload/slurm_json.h"

#include <string.h>

#include "base/util.h"

hc_rc hc_slurm_json_number(hc_json *j, const hc_json_token *t, int64_t *out, bool *infinite, hc_error *e)
{
  static const char *const members[] = {"set", "infinite", "number"};
  hc_json_token value;
  size_t which;
  hc_rc rc;
  bool is_set = true;
  *out = -1;
  *infinite = false;
  if (t->kind == HC_JSON_NUMBER) {
    const hc_slice text = {t->text, strcspn(t->text, ".")};
    (void)hc_slurm_count(text, out);
    return 0;
  }
  if (t->kind != HC_JSON_OBJECT) return hc_json_skip(j, t, e);
  while ((rc = hc_json_member(j, members, 3, &which, &value, e)) == 1) {
    if (which == 0) is_set = value.kind == HC_JSON_TRUE;
    if (which == 1) *infinite = value.kind == HC_JSON_TRUE;
    if (which == 2 && value.kind == HC_JSON_NUMBER)
      (void)hc_slurm_count((hc_slice){value.text, strcspn(value.text, ".")}, out);
    TRY(hc_json_skip(j, &value, e));
  }
  if (!is_set || *infinite) *out = -1;
  return rc;
}
