/* spec.c -- words for how a task ended, and what one says of a dimension.
 *
 * The amounts of the first HC_NEEDS dimensions of a run stand in the spec itself, others with its rare facts:
 * a run with few dimensions pays nothing for what others may have. Cost of the latter: what rare facts
 * cost. */
#include "workload/spec.h"

#include <string.h>

/* ---- how it ended, as its log says it ---- */

static const struct {
  const char *word, *text;
} recorded[] = {
#define X(name, word, status, text) {word, text},
    HC_RECORDED(X)
#undef X
};

const char *hc_recorded_name(hc_recorded r)
{
  return (unsigned)r < HC_RECORDED_COUNT ? recorded[r].word : "?";
}

const char *hc_recorded_text(hc_recorded r)
{
  return (unsigned)r < HC_RECORDED_COUNT ? recorded[r].text : "?";
}

/* ---- dimensions ---- */

int64_t hc_spec_need(const hc_task_spec *t, const hc_lexicon *l, uint32_t dimension)
{
  if (dimension < HC_NEEDS) return t->need[dimension];
  const hc_task_extras *m = t->more != 0 && l ? hc_lexicon_more(l, t->more) : NULL;
  for (size_t i = 0; m && i < m->further_count; i++)
    if (m->further[i].dimension == dimension) return m->further[i].amount;
  return HC_UNKNOWN;
}

void hc_spec_needs(const hc_task_spec *t, const hc_lexicon *l, int64_t *out)
{
  const hc_task_extras *m = t->more != 0 && l ? hc_lexicon_more(l, t->more) : NULL;
  memcpy(out, t->need, sizeof t->need);
  for (int d = HC_NEEDS; d < HC_DIMENSIONS; d++) out[d] = HC_UNKNOWN;
  for (size_t i = 0; m && i < m->further_count; i++) out[m->further[i].dimension] = m->further[i].amount;
}

size_t hc_further_of(const int64_t *need, hc_amount *out)
{
  size_t n = 0;
  for (uint32_t d = HC_NEEDS; d < HC_DIMENSIONS; d++)
    if (need[d] != HC_UNKNOWN) out[n++] = (hc_amount){.dimension = d, .amount = need[d]};
  return n;
}

hc_rc hc_spec_say(hc_task_spec *t, hc_lexicon *l, uint32_t dimension, int64_t amount)
{
  if (dimension < HC_NEEDS) {
    t->need[dimension] = amount;
    return 0;
  }
  const hc_task_extras *had = t->more != 0 ? hc_lexicon_more(l, t->more) : NULL;
  hc_task_extras m = had ? *had : hc_task_extras_none();
  hc_amount further[HC_DIMENSIONS];
  int64_t need[HC_DIMENSIONS];
  hc_spec_needs(t, l, need);
  need[dimension] = amount;
  m.further = further;
  m.further_count = hc_further_of(need, further);
  const uint32_t handle = hc_lexicon_keep(l, &m);
  if (handle == 0) return HC_ENOMEM;
  if (t->more != 0) hc_lexicon_calls_of(l)->drop(l, t->more);
  t->more = handle;
  return 0;
}
