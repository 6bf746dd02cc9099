/* alibaba_rows.c -- names, states and amounts of the tables of Alibaba's traces. See alibaba_rows.h.
 *
 * The trace of 2018 hides a job's graph in the names of its tasks: letters, the task's own number, and the numbers of
 * those that it waits for. A name can say "after all of that task ended", of tasks of the same job, and
 * nothing else. Source: https://github.com/alibaba/clusterdata, cluster-trace-v2018.
 *
 * Amounts are shares of a machine or of a unit, as decimals. What is written is the shortest one that is read back as
 * the same amount, so that nothing is lost, and a published value comes out as it went in. */
#include "workload/alibaba_rows.h"

#define MOST_MODELS ((size_t)4096)               /* bytes of a list of models */
#define MOST_AMOUNT ((int64_t)1 << 52)           /* that readers take */
#define MOST_DIGITS INT64_C(1000000000000000000) /* 18 digits */

static bool is_number(int64_t n)
{
  return n > 0 && n <= HC_ALIBABA_NUMBER;
}

static bool can_say(const hc_task_spec *t, const hc_after *a)
{
  return a->job == t->job && is_number(a->task) && (a->how == HC_AFTER_ENDED || a->how == HC_AFTER_COMPLETED);
}

char *hc_alibaba_put_graph(char *p, const hc_task_spec *t, const hc_lexicon *l, uint64_t *lost)
{
  const hc_task_extras *m = hc_lexicon_more(l, t->more);
  size_t said = 0;
  for (size_t i = 0; m && i < m->after_count && said < HC_ALIBABA_PREDECESSORS; i++) {
    if (!can_say(t, &m->after[i])) continue;
    p = hc_put_uint(hc_put_char(p, '_'), (uint64_t)m->after[i].task);
    said++;
  }
  if (m && said == m->after_count) *lost &= ~HC_FACT_BIT(AFTER);
  return p;
}

bool hc_alibaba_put_models(char **p, const hc_lexicon *l, const hc_task_spec *t, size_t most)
{
  const hc_task_extras *m = t->more != 0 ? hc_lexicon_more(l, t->more) : NULL;
  char *start = *p;
  if (!m || m->constraint_count == 0 || m->constraint_count > most) return false;
  for (size_t i = 0; i < m->constraint_count; i++) {
    const hc_constraint *c = &m->constraints[i];
    const char *text = c->is_text ? hc_lexicon_text(l, (uint32_t)c->value) : NULL;
    if (!text || c->compare != HC_EQUAL || c->group != m->constraints[0].group ||
        strcmp(hc_lexicon_text(l, c->attribute), "gpu_model") != 0 || strpbrk(text, ",|\"\n\r") ||
        (size_t)(*p - start) + strlen(text) + 1 > MOST_MODELS) {
      *p = start;
      return false;
    }
    if (i > 0) *p = hc_put_char(*p, '|');
    *p = hc_put_text(*p, text);
  }
  return true;
}

const char *hc_alibaba_state(const hc_task_spec *t, bool cancelled, uint64_t *lost)
{
  if ((t->flags & HC_SPEC_NO_END) || t->run == HC_NEVER) {
    *lost |= HC_FACT_BIT(RUN);
    return "Running";
  }
  if (cancelled && t->status == HC_STATUS_CANCELLED) return "Cancelled";
  if (t->run < 0) {
    if (t->status != HC_STATUS_UNKNOWN) *lost |= HC_FACT_BIT(STATUS);
    return "Waiting";
  }
  if (t->status == HC_STATUS_COMPLETED || t->status == HC_STATUS_UNKNOWN) return "Terminated";
  if (t->status != HC_STATUS_FAILED) *lost |= HC_FACT_BIT(STATUS);
  return "Failed";
}

/* ---- amounts and times ---- */

/* A number with a point in it. */
static char *as_real(const char *start, char *end)
{
  if (end == start || memchr(start, '.', (size_t)(end - start))) return end;
  memcpy(end, ".0", 2);
  return end + 2;
}

char *hc_alibaba_put_seconds(char *p, hc_time t)
{
  return hc_alibaba_is_time(t) ? as_real(p, hc_put_parts(p, t, HC_SECOND)) : p;
}

/* A reader takes the decimal d for the amount if d x num / den, rounded up, is the amount: of those with so many places
 * the largest that is not more. */
char *hc_alibaba_put_amount(char *p, int64_t amount, uint64_t num, uint64_t den, uint64_t *lost)
{
  const int64_t held = HC_MIN(amount, MOST_AMOUNT);
  hc_uint128 wanted = (hc_uint128)(uint64_t)held * den, one = den, digits = 0;
  int64_t unit = 1;
  if (amount < 0) return p;
  if (amount > MOST_AMOUNT) *lost |= HC_FACT_BIT(PRECISION);
  for (; held > 0; wanted *= 10, one *= 10, unit *= 10) {
    digits = wanted / num;
    if (digits * num > wanted - one) break;
    if (digits < MOST_DIGITS / 10 && unit < MOST_DIGITS) continue;
    digits += digits * num < wanted; /* rounded up, as nothing else holds what is held in part */
    *lost |= HC_FACT_BIT(PRECISION);
    break;
  }
  return hc_put_parts(p, (int64_t)digits, unit);
}

char *hc_alibaba_put_real(char *p, int64_t amount, uint64_t num, uint64_t den, uint64_t *lost)
{
  return as_real(p, hc_alibaba_put_amount(p, amount, num, den, lost));
}

char *hc_alibaba_put_part(char *p, int64_t memory, int64_t scale, uint64_t whole, uint64_t *lost)
{
  if (memory <= scale) return hc_alibaba_put_amount(p, memory, (uint64_t)scale, whole, lost);
  *lost |= HC_FACT_BIT(MEMORY);
  return p;
}
