/* family.c -- birth and death of a family's state, and the words for the states of tasks. */
#include "metric/family.h"

#include "base/mem.h"
#include "base/util.h"

_Static_assert(HC_FINAL_COMPLETED == 0 && HC_FINAL_KILLED == 1, "hc_task_counts compares");

hc_rc hc_family_new(const hc_metric_context *c, size_t size, hc_metric **out, hc_error *e)
{
  hc_family *head = hc_alloc(c->allocator, size);
  if (!head) return hc_fail(e, HC_ENOMEM, "metric", 0, 0, "no memory for the state of a metric");
  head->context = *c;
  head->size = size;
  *out = (hc_metric *)head;
  return 0;
}

hc_rc hc_family_born(hc_metric *self, hc_rc rc, void (*fini)(hc_metric *), hc_metric **out, hc_error *e)
{
  if (rc >= 0) {
    *out = self;
    return 0;
  }
  fini(self);
  return hc_fail(e, rc, "metric", 0, 0, "%s",
                 rc == HC_ENOMEM ? "no memory for the state of a metric" : hc_rc_text(rc));
}

void hc_family_free(hc_metric *self)
{
  hc_family *head = (hc_family *)self;
  if (head) hc_free(head->context.allocator, head, head->size);
}

const char *hc_final_name(hc_final f)
{
  static const char *const names[] = {
#define X(name, word, text) [HC_FINAL_##name] = word,
      HC_FINALS(X)
#undef X
  };
  return (size_t)f < HC_ARRAY_LEN(names) ? names[f] : "?";
}

const char *hc_final_text(hc_final f)
{
  static const char *const texts[] = {
#define X(name, word, text) [HC_FINAL_##name] = text,
      HC_FINALS(X)
#undef X
  };
  return (size_t)f < HC_ARRAY_LEN(texts) ? texts[f] : "?";
}
