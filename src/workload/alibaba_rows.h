/* alibaba_rows.h -- names, states, times and amounts that the tables of Alibaba's traces share, for writing
 * them. */
#ifndef HC_WORKLOAD_ALIBABA_ROWS_H
#define HC_WORKLOAD_ALIBABA_ROWS_H

#include "base/wide.h"
#include "table/pen.h"

#define HC_ALIBABA_PREDECESSORS 256 /* most that a name is given: a row must fit HC_OUT_ROOM */

#define HC_ALIBABA_NUMBER 999999999 /* largest that a name is given: what is larger is a hash */

/** Whether it is a task of a job, with a number that a name can have. */
static inline bool hc_alibaba_is_member(const hc_task_spec *t)
{
  return t->job >= 0 && t->id > 0 && t->id <= HC_ALIBABA_NUMBER;
}

/** "M3_1_2": number 3 of its job, after 1 and 2; "task_3" if it is of no job or its number is none that a
 *  name can have. What the name cannot say of its predecessors goes into `*lost`, else AFTER is taken out. */
char *hc_alibaba_put_graph(char *p, const hc_task_spec *t, const hc_lexicon *l, uint64_t *lost);
static inline char *hc_alibaba_put_task(char *p, const hc_task_spec *t, const hc_lexicon *l, uint64_t *lost)
{
  if (!hc_alibaba_is_member(t)) {
    memcpy(p, "task_", 5);
    return hc_put_uint(p + 5, (uint64_t)HC_MAX(t->id, 0));
  }
  p = hc_put_uint(hc_put_char(p, 'M'), (uint64_t)t->id);
  return t->more == 0 ? p : hc_alibaba_put_graph(p, t, l, lost);
}
/** The number of its job, or its own. */
static inline int64_t hc_alibaba_job(const hc_task_spec *t)
{
  return t->job >= 0 ? t->job : HC_MAX(t->id, 0);
}
/** "Terminated", "Failed", "Running", "Waiting". A row of a task that had not ended has no end: its RUN is
 *  lost. @param cancelled  "Cancelled" is a state of this table, too */
const char *hc_alibaba_state(const hc_task_spec *t, bool cancelled, uint64_t *lost);

/** How many instances it is: a bundle's tasks, each on all its hosts. INT64_MAX if there are more. */
static inline int64_t hc_alibaba_instances(const hc_slots *s)
{
  int64_t n;
  return __builtin_mul_overflow(s->count, s->hosts, &n) ? INT64_MAX : n;
}

/** What is added to times where 0 says that it is not known, if the user chose nothing: a second, if the
 *  first task comes before one. @param first  the first task that is written */
static inline void hc_alibaba_settle(hc_time *offset, const hc_task_spec *first)
{
  if (*offset == HC_UNKNOWN) *offset = first->submit < HC_SECOND ? HC_SECOND : 0;
}

/** The memory of a slot in a column of shares, of which `whole` are `scale` bytes. A larger one is lost. */
char *hc_alibaba_put_part(char *p, int64_t memory, int64_t scale, uint64_t whole, uint64_t *lost);

/** Bytes as a share of a machine's, in hundredths of a per cent, which is as exact as it is written; -1: not
 *  known. Its reader rounds up: the share that it takes for so many bytes is exact. @param scale  bytes of
 *  the machine; @param per_byte  hundredths of a per cent that a byte is */
static inline int64_t hc_alibaba_share(int64_t memory, int64_t scale, double per_byte, uint64_t *lost)
{
  const double share = (double)memory * per_byte;
  const int64_t n = share < 9e15 ? (int64_t)(share + 0.5) : (int64_t)9000000000000000;
  const hc_int128 over = (hc_int128)memory * 10000 - (hc_int128)n * scale;
  if (memory < 0) return -1;
  if (over < 0 || over >= 10000) *lost |= HC_FACT_BIT(PRECISION);
  if (n > 10000) *lost |= HC_FACT_BIT(MEMORY); /* readers take it for one that is not known */
  return n;
}

/** The share with two decimals, as far as they are needed; nothing if not known. */
static inline char *hc_alibaba_put_share(char *p, int64_t share)
{
  uint64_t whole, left;
  if (share < 0) return p;
  whole = (uint64_t)share / 100;
  left = (uint64_t)share - whole * 100;
  p = hc_put_uint(p, whole);
  if (left == 0) return p;
  *p = '.';
  memcpy(p + 1, hc_digit_pairs + 2 * left, 2);
  return p + 2 + (left % 10 != 0);
}

/* ---- what the two tables of batch tasks of 2018 share ---- */

typedef struct hc_alibaba_pen_options {
  int64_t memory_scale;
  hc_time offset;
} hc_alibaba_pen_options;

typedef struct hc_alibaba_pen {
  hc_time offset;
  double per_byte; /* hundredths of a per cent of the memory that 100 stands for */
  int64_t share;   /* of the task at hand */
} hc_alibaba_pen;

static inline hc_rc hc_alibaba_begun(hc_pen *w, hc_buffer *head, hc_error *e)
{
  const hc_alibaba_pen_options *o = w->options;
  hc_alibaba_pen *own = w->own;
  HC_UNUSED(head);
  HC_UNUSED(e);
  own->offset = o->offset;
  own->per_byte = 10000.0 / (double)o->memory_scale;
  return 0;
}

/** What a task of no job, or of no number, is called, if its reader will take it for a name. */
bool hc_alibaba_put_label(char **p, const hc_pen *w, const hc_task_spec *t, uint64_t *lost);

static inline char *hc_alibaba_put_task_name(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  if (w->is_labelled && hc_alibaba_put_label(&p, w, t, lost)) return p;
  return hc_alibaba_put_task(p, t, w->rows.context->lexicon, lost);
}

static inline char *hc_alibaba_put_task_state(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  HC_UNUSED(w);
  return hc_put_text(p, hc_alibaba_state(t, false, lost));
}

#define HC_ALIBABA_STATUS \
  "status", .to = 1 + HC_FACT_STATUS, .note = HC_ALIBABA_STATES, .put = hc_alibaba_put_task_state

static inline char *hc_alibaba_put_memory(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  HC_UNUSED(t);
  HC_UNUSED(lost);
  return hc_alibaba_put_share(p, ((const hc_alibaba_pen *)w->own)->share);
}

/** Its share of memory, and when it started and ended, of which 0 says that it is not known. A submission
 *  has no place: rows are in its order. */
static inline void hc_alibaba_fill(hc_pen *w, const hc_task_spec *t, int64_t memory, int64_t *start,
                                   int64_t *end, uint64_t *lost)
{
  hc_alibaba_pen *own = w->own;
  hc_time from = hc_start_of(t), until = HC_UNKNOWN;
  hc_alibaba_settle(&own->offset, t);
  if (from != HC_UNKNOWN && t->run >= 0) until = hc_time_add(hc_time_add(from, t->run), own->offset);
  from = hc_time_add(from, own->offset);
  if (until == HC_UNKNOWN || from < 0) {
    hc_pen_lose(lost, HC_FACT_BIT(RUN), t->run >= 0);
    from = until = 0;
  }
  *start = HC_MIN(from, HC_NEVER - 1);
  *end = t->flags & HC_SPEC_NO_END ? 0 : HC_MIN(until, HC_NEVER - 1);
  own->share = hc_alibaba_share(memory, ((const hc_alibaba_pen_options *)w->options)->memory_scale,
                                own->per_byte, lost);
  hc_pen_lose(lost, HC_FACT_BIT(SUBMIT), t->wait > 0 && t->submit != HC_UNKNOWN);
  if (t->wait <= 0) *lost &= ~HC_FACT_BIT(WAIT);
}

/* ---- parameters that several writers have ---- */

#define HC_ALIBABA_MEMORY_SCALE(struct_, of_) \
  HC_PARAM(SIZE, struct_, memory_scale, "B", "512GiB", 1, 1125899906842624.0, \
           "Bytes that " of_ " stands for: the memory of the largest machine.")

#define HC_ALIBABA_OFFSET(struct_) \
  HC_PARAM(TIME, struct_, offset, "s", NULL, 0, 1e9, \
           "Time in the file that stands for the trace's origin. Default: 0, or 1s if the first task is " \
           "submitted before 1s, since a time of 0 means an unknown time.")

#endif
