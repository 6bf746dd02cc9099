/* pen.h -- a table being written: what the hooks of a format see, and the members of hc_writer_type. */
#ifndef HC_TABLE_PEN_H
#define HC_TABLE_PEN_H

#include "table/column.h"
#include "workload/writing.h"

struct hc_pen {
  hc_rows rows; /* first */
  const hc_table_format *format;
  const hc_table_form *form;
  const void *options;
  const hc_task_spec *task; /* at hand */
  hc_slots slots;           /* of it */
  int64_t repeat;           /* rows that the task becomes; `fill` may change it */
  int64_t origin;           /* of dates: Unix seconds */
  uint64_t held;            /* a bit for each fact that columns say */
  struct {
    uint64_t num, den;
  } unit[HC_TABLE_COLUMNS];
  uint32_t written[HC_TABLE_COLUMNS]; /* [written_count] columns, in their order */
  uint32_t written_count;
  void *own; /* [format->pen_size] the format's */
};

/** A fact is lost if it is said and the row does not. */
static inline void hc_pen_lose(uint64_t *lost, uint64_t fact, bool is_lost)
{
  if (is_lost) *lost |= fact;
}
/** What a column that names several models of GPU says, "V100M16|V100M32": constraints that are alternatives
 * for gpu_model and nothing else; nothing if there are none, or more than `most`, which are lost then. */
char *hc_pen_models(char *p, const hc_pen *w, const hc_task_spec *t, size_t most, uint64_t *lost);
/** Whether a time of submission can be written: not before 0, and known. */
static inline bool hc_is_time(hc_time t)
{
  return t >= 0 && t < HC_NEVER / 4;
}

/* ---- amounts ---- */

/** An amount as the shortest decimal of units of num / den that a reader, who rounds up, takes for it.
 *  @param lost  gets PRECISION if there is none: beyond 2^52, or with more than 18 digits */
char *hc_put_decimal(char *p, int64_t amount, uint64_t num, uint64_t den, uint64_t *lost);

/* ---- the members of hc_writer_type ---- */

hc_rc hc_pen_open(const hc_table_format *f, const hc_writer_context *c, const void *options, hc_writer **out,
                  hc_error *e);
hc_rc hc_pen_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e);
void hc_pen_close(hc_writer *w);

#define HC_PEN_CALLS(format_) \
  static hc_rc pen_open(const hc_writer_context *c, const void *o, hc_writer **out, hc_error *e) \
  { \
    return hc_pen_open(&(format_), c, o, out, e); \
  }
/* `holds` is left out: what a row says follows from the columns. */
#define HC_TABLE_WRITER .open = pen_open, .task = hc_pen_task, .finish = hc_rows_finish, .close = hc_pen_close

#endif
