/* writing.h -- what the writers of traces share: rows gathered in one large buffer, numbers as text, and a
 * task's demand in the terms of batch systems or of data centres, whichever its source spoke in. */
#ifndef HC_WORKLOAD_WRITING_H
#define HC_WORKLOAD_WRITING_H

#include <string.h>

#include "base/mem.h"
#include "base/util.h"
#include "hindcast/lexicon.h"
#include "hindcast/workload.h"

#define HC_OUT_SIZE ((size_t)1 << 19)  /* bytes gathered before they are written */
#define HC_OUT_ROOM ((size_t)1 << 18)  /* a row has at least so many to itself: eight of the longest names */
#define HC_NAME_MOST ((size_t)3 << 12) /* bytes of the longest name that is written */

/* What both archives' formats of batch logs can say. */
#define HC_HOLDS_BATCH \
  (HC_FACT_BIT(ID) | HC_FACT_BIT(SUBMIT) | HC_FACT_BIT(WAIT) | HC_FACT_BIT(RUN) | HC_FACT_BIT(LIMIT) | \
   HC_FACT_BIT(CPU_TIME) | HC_FACT_BIT(PROCS_USED) | HC_FACT_BIT(PROCS_ASKED) | HC_FACT_BIT(MEMORY_USED) | \
   HC_FACT_BIT(MEMORY_ASKED) | HC_FACT_BIT(USER) | HC_FACT_BIT(GROUP) | HC_FACT_BIT(EXECUTABLE) | \
   HC_FACT_BIT(QUEUE) | HC_FACT_BIT(PARTITION) | HC_FACT_BIT(STATUS))

/* Names, whatever they are of. */
#define HC_FACTS_NAMES \
  (HC_FACT_BIT(USER_NAME) | HC_FACT_BIT(GROUP_NAME) | HC_FACT_BIT(EXECUTABLE_NAME) | \
   HC_FACT_BIT(QUEUE_NAME) | HC_FACT_BIT(PARTITION_NAME) | HC_FACT_BIT(ACCOUNT_NAME) | \
   HC_FACT_BIT(QOS_NAME) | HC_FACT_BIT(LABEL) | HC_FACT_BIT(JOB_LABEL))

/* ---- rows ---- */

typedef struct hc_out {
  const hc_allocator *allocator;
  hc_sink sink;
  char *data; /* [HC_OUT_SIZE] */
  size_t size;
} hc_out;

/** @return 0 or HC_ENOMEM. Close it in any case. */
hc_rc hc_out_open(hc_out *o, const hc_writer_context *c);
void hc_out_close(hc_out *o);
/** Hand what was gathered to the sink. @return 0 or what the sink returned. */
hc_rc hc_out_flush(hc_out *o);
/** Append a text of any length. @return as hc_out_flush. */
hc_rc hc_out_add(hc_out *o, const void *data, size_t size);

/** Where the next row goes: HC_OUT_ROOM bytes. @return as hc_out_flush. */
static inline hc_rc hc_out_row(hc_out *o, char **row)
{
  if (o->size + HC_OUT_ROOM > HC_OUT_SIZE) TRY(hc_out_flush(o));
  *row = o->data + o->size;
  return 0;
}

/** The row ends here. */
static inline void hc_out_end(hc_out *o, const char *end)
{
  o->size = (size_t)(end - o->data);
}

/* ---- writers that gather rows: the struct of each begins with this ---- */

typedef struct hc_rows {
  const hc_writer_context *context;
  hc_out out;
  size_t size; /* of the whole writer */
} hc_rows;

/** A writer of `size` bytes, zero but for its head. @param titles written first; NULL: none
 *  @return 0, HC_ENOMEM, or what the sink returned, with nothing left behind */
hc_rc hc_rows_open(const hc_writer_context *c, size_t size, const char *titles, hc_writer **out);
hc_rc hc_rows_finish(hc_writer *w, hc_error *e);
void hc_rows_close(hc_writer *w); /* NULL is fine */

/* ---- text: each writes at `p` and returns the end ---- */

extern const char hc_digit_pairs[200]; /* "00" to "99" */

/* Four digits, zeros in front included; below 10,000. */
static inline char *hc_put_four(char *p, uint32_t n)
{
  const uint32_t high = n * 5243 >> 19; /* n / 100 */
  memcpy(p, hc_digit_pairs + 2 * high, 2);
  memcpy(p + 2, hc_digit_pairs + 2 * (n - high * 100), 2);
  return p + 4;
}

/* Below 10,000, no zeros in front. */
static inline char *hc_put_few(char *p, uint32_t n)
{
  const uint32_t high = n * 5243 >> 19;
  if (n < 10) {
    *p = (char)('0' + n);
    return p + 1;
  }
  if (n < 100) {
    memcpy(p, hc_digit_pairs + 2 * n, 2);
    return p + 2;
  }
  if (n < 1000) {
    *p = (char)('0' + high);
    memcpy(p + 1, hc_digit_pairs + 2 * (n - high * 100), 2);
    return p + 3;
  }
  return hc_put_four(p, n);
}

char *hc_put_many(char *p, uint64_t n); /* from 10^8 */

/** A whole number: at most 20 bytes. Cost: 1 to 4 ns. */
static inline char *hc_put_uint(char *p, uint64_t n)
{
  if (n < 10000) return hc_put_few(p, (uint32_t)n);
  if (n >= 100000000) return hc_put_many(p, n);
  const uint32_t high = (uint32_t)n / 10000;
  return hc_put_four(hc_put_few(p, high), (uint32_t)n - high * 10000);
}

static inline char *hc_put_int(char *p, int64_t n)
{
  if (n >= 0) return hc_put_uint(p, (uint64_t)n);
  *p++ = '-';
  return hc_put_uint(p, 0 - (uint64_t)n);
}

static inline char *hc_put_char(char *p, char c)
{
  *p = c;
  return p + 1;
}

/** A short text without its NUL; the caller knows that it fits. */
static inline char *hc_put_text(char *p, const char *s)
{
  const size_t n = strlen(s);
  memcpy(p, s, n);
  return p + n;
}

/** `n` of `unit` parts of one: "12", "0.5", with the decimals that it takes, and no zeros at the end. `unit`
 *  is a power of ten, or of two up to 1024; at most 40 bytes. */
char *hc_put_parts(char *p, int64_t n, int64_t unit);
/** The same of a part of one, rounded to so many decimals. */
char *hc_put_rounded(char *p, double x, int decimals);
/** "2024-01-31 09:30:00" or with another separator than the blank, UTC. `t` counts ns from 1970. */
char *hc_put_date(char *p, int64_t unix_seconds, char separator);

/** How it ended, in the words of batch systems: "TIMEOUT"; nothing where that is not known, or where it is
 *  one of several executions, which is lost then. A finer state is said, and no longer lost. */
char *hc_put_state(char *p, const hc_task_spec *t, uint64_t *lost);

/* ---- names ---- */

/* How a format of lines has a text in a field. */
typedef struct hc_text_rules {
  char separator;             /* ' ': any run of blanks */
  bool quotes;                /* a field may be quoted, with its quotes doubled, */
  bool joined;                /* and then hold line breaks */
  bool or_numbers;            /* what looks like a number is one, and no name */
  bool any_case;              /* of the next ones */
  const char *const *missing; /* words that say that nothing is known, up to a NULL; NULL: none but no text */
} hc_text_rules;

/** Whether a format can say a text so that it is read as this text; not if it is longer than HC_NAME_MOST. */
bool hc_field_says(const hc_text_rules *r, const char *text);
/** Write one that it can say, quoted where that is needed. @return the end; NULL: it cannot. */
char *hc_put_field(char *p, const hc_text_rules *r, const char *text);
/** A text that is one in quotes, with escapes, as JSON has it: at most six bytes for each, and two. */
char *hc_put_json(char *p, const char *text);
/** Whether formats that are UTF-8 with escapes (JSON, YAML) can say a text: it is UTF-8, and no longer than
 *  HC_NAME_MOST. */
bool hc_is_plain_text(const char *text);
/** What a number is called: NULL if it has no name. */
const char *hc_called_of(const hc_writer_context *c, hc_called kind, int64_t number);
/** The name of a number as a field, which is then no longer lost; else the number. Of a name that the format
 *  cannot say its hash, so that it meets no other. Nothing of a number below 0. */
char *hc_put_called(char *p, const hc_text_rules *r, const hc_writer_context *c, hc_called kind,
                    int64_t number, uint64_t *lost);
/** The fact that a task has a name of a kind. */
static inline uint64_t hc_name_fact(hc_called kind)
{
  switch (kind) {
    case HC_CALLED_USER: return HC_FACT_BIT(USER_NAME);
    case HC_CALLED_GROUP: return HC_FACT_BIT(GROUP_NAME);
    case HC_CALLED_EXECUTABLE: return HC_FACT_BIT(EXECUTABLE_NAME);
    case HC_CALLED_QUEUE: return HC_FACT_BIT(QUEUE_NAME);
    case HC_CALLED_PARTITION: return HC_FACT_BIT(PARTITION_NAME);
    case HC_CALLED_ACCOUNT: return HC_FACT_BIT(ACCOUNT_NAME);
    case HC_CALLED_QOS: return HC_FACT_BIT(QOS_NAME);
    case HC_CALLED_COUNT: break;
  }
  return 0;
}

/* ---- rows of any length: each appends a text, and then ---- */

void hc_add_int(hc_buffer *b, const char *before, int64_t n);
/** A text in quotes, with escapes, as JSON and YAML have it. */
void hc_add_string(hc_buffer *b, const char *before, const char *text);

/* ---- what a task needs ---- */

/** In the terms of data centres: so many tasks of so many slots, and what each slot needs; HC_UNKNOWN where
 *  that is not known. A batch task is one slot with all its processors and all their memory. */
typedef struct hc_slots {
  int64_t count, hosts;
  int64_t need[HC_NEEDS]; /* of further dimensions: hc_spec_need */
} hc_slots;
hc_slots hc_slots_of(const hc_task_spec *t);
/** The facts of a batch task that its slots say too, where a format holds cpu and memory of slots. */
uint64_t hc_slots_say(const hc_task_spec *t, const hc_slots *s);

/** In the terms of batch systems: processors, and memory for each. A task that has a vector gets ceil(cores)
 *  of each slot; what that expresses is taken out of `*lost`, and what it rounds put in. */
typedef struct hc_batch {
  int64_t procs_used, procs_asked, memory_used, memory_asked;
} hc_batch;
hc_batch hc_batch_of(const hc_task_spec *t, uint64_t *lost);

/** Most rows that one task may become, where a format has no bundles or no tasks of several hosts. */
#define HC_ROWS_PER_TASK 10000000

/** @return 0, or HC_ELIMIT: the task would be more rows than HC_ROWS_PER_TASK. */
hc_rc hc_rows_allowed(const hc_task_spec *t, int64_t rows, const char *format, hc_error *e);

/** When it started and ended, with a wait of 0 if none is known; HC_UNKNOWN if it has no run time. */
static inline hc_time hc_start_of(const hc_task_spec *t)
{
  if (t->submit == HC_UNKNOWN) return HC_UNKNOWN;
  return t->wait > 0 ? hc_time_add(t->submit, t->wait) : t->submit;
}
static inline hc_time hc_end_of(const hc_task_spec *t)
{
  const hc_time start = hc_start_of(t);
  return start == HC_UNKNOWN || t->run < 0 ? HC_UNKNOWN : hc_time_add(start, t->run);
}

/** Round a time to whole units, halves up, and note in `*lost` that it was. Not of HC_UNKNOWN. */
static inline int64_t hc_whole(hc_time t, hc_time unit, uint64_t *lost)
{
  const int64_t n = hc_floor_div(t, unit), rest = t - n * unit;
  if (rest != 0) *lost |= HC_FACT_BIT(FRACTION);
  return n + (2 * rest >= unit);
}

/** Whole devices of an amount of GPUs, rounded up; 0 of none. Noted in `*lost` if it was no whole number. */
static inline int64_t hc_whole_gpus(int64_t need, uint64_t *lost)
{
  if (need <= 0) return 0;
  if (need % HC_DEVICE != 0) *lost |= HC_FACT_BIT(PRECISION);
  return need / HC_DEVICE + (need % HC_DEVICE != 0);
}

#endif
