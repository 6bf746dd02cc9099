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
  uint64_t serial;          /* its own, as hc_trace_task has it */
  int64_t row;              /* which of its rows is being written, from 0 */
  hc_slots slots;           /* of it; of a format of batch systems its `count` alone */
  bool is_labelled;         /* it or its job has a label */
  int64_t repeat;           /* rows that the task becomes; `fill` may change it */
  int64_t origin;           /* of dates: Unix seconds */
  uint64_t held;            /* a bit for each fact that columns say */
  void *own;                /* [format->pen_size] the format's */
};

/** A fact is lost if it is said and the row does not. */
static inline void hc_pen_lose(uint64_t *lost, uint64_t fact, bool is_lost)
{
  if (is_lost) *lost |= fact;
}
/** What a column that names several models of GPU says, "V100M16|V100M32": constraints that are alternatives
 * for gpu_model and nothing else; nothing if there are none, or more than `most`, which are lost then. */
char *hc_pen_models(char *p, const hc_lexicon *l, const hc_task_spec *t, size_t most, uint64_t *lost);
/** Whether a time of submission can be written: not before 0, and known. */
static inline bool hc_is_time(hc_time t)
{
  return t >= 0 && t < HC_NEVER / 4;
}

/* ---- amounts ---- */

/** An amount as the shortest decimal of units of num / den that a reader, who rounds up, takes for it.
 *  @param lost  gets PRECISION if there is none: beyond 2^52, or with more than 18 digits */
char *hc_put_decimal(char *p, int64_t amount, uint64_t num, uint64_t den, uint64_t *lost);

char *hc_put_moment(char *p, const hc_pen *w, hc_time t, uint64_t *lost);

/** What a number of a column of names is called, if the form can say it, or the number. */
char *hc_pen_name(char *p, const hc_pen *w, const hc_column *c, int64_t number, uint64_t *lost);
/** The same of a kind, in a column that is written by hand. */
char *hc_pen_called(char *p, const hc_pen *w, hc_called kind, int64_t number, uint64_t *lost);
/** Write what the source called the task, or its job, in the column of that, if the form can say it.
 *  @return whether it was written */
bool hc_pen_label(char **p, const hc_pen *w, const hc_column *c, uint64_t *lost);
/** Whether the name will be said, of what is written later. */
void hc_pen_tell(const hc_pen *w, hc_called kind, int64_t number, uint64_t *lost);
/** How texts stand in the fields of a form. */
hc_text_rules hc_pen_rules(const hc_pen *w, uint32_t flags);

/* ---- rows ----
 *
 * HC_PEN_CALLS makes a function of these for each format, in which columns are constants: the compiler makes
 * of the table what would have been written by hand. */

#define HC_UNFOLDED static inline __attribute__((always_inline))

/* A number with a point in it. */
static inline char *hc_as_real(const char *start, char *end)
{
  if (end == start || memchr(start, '.', (size_t)(end - start))) return end;
  memcpy(end, ".0", 2);
  return end + 2;
}

/* Exact, or in whole units, upwards. */
HC_UNFOLDED char *hc_put_amount(char *p, const hc_column *c, int64_t v, uint64_t *lost)
{
  uint64_t num = (uint64_t)(c->num ? c->num : 1), den = (uint64_t)(c->den ? c->den : 1);
  char *start = p;
  if (v < 0 || v == HC_NEVER) return p;
  if (num % den == 0) {
    num /= den;
    den = 1;
  }
  const uint64_t whole = (uint64_t)v / num;
  const bool is_whole = whole * num == (uint64_t)v;
  if (!(c->flags & (HC_EXACT | HC_POINTED))) {
    if (!is_whole) *lost |= HC_FACT_BIT(PRECISION);
    return hc_put_uint(p, whole + !is_whole);
  }
  p = den == 1 && is_whole ? hc_put_uint(p, whole) : hc_put_decimal(p, v, num, den, lost);
  return c->flags & HC_POINTED ? hc_as_real(start, p) : p;
}

HC_UNFOLDED char *hc_put_seconds(char *p, const hc_column *c, hc_time t, uint64_t *lost)
{
  char *start = p;
  if (t == HC_UNKNOWN || t == HC_NEVER || (t < 0 && c->how == HC_IS_LENGTH)) return p;
  const hc_time whole = t / HC_SECOND;
  if (t >= 0 && t == whole * HC_SECOND) p = hc_put_uint(p, (uint64_t)whole);
  else if (!(c->flags & (HC_EXACT | HC_POINTED))) p = hc_put_int(p, hc_whole(t, HC_SECOND, lost));
  else p = hc_put_parts(p, t, HC_SECOND);
  return c->flags & HC_POINTED ? hc_as_real(start, p) : p;
}

HC_UNFOLDED char *hc_put_word(char *p, const hc_column *c, int64_t v, uint64_t *lost)
{
  for (const hc_word *w = c->words; w->text; w++)
    if (w->value == v) return hc_put_text(p, w->text);
  if (c->to && v != HC_UNKNOWN && v != -1) *lost |= UINT64_C(1) << (c->to - 1);
  return p;
}

HC_UNFOLDED char *hc_put_column(char *p, hc_pen *w, const hc_column *c, int64_t v, uint64_t *lost)
{
  if (c->put) return c->put(p, w, w->task, lost);
  switch (c->how) {
    case HC_IS_TEXT: return c->text ? hc_put_text(p, c->text) : p;
    case HC_IS_NAME: return hc_pen_name(p, w, c, v, lost);
    case HC_IS_NUMBERED:
      if (w->is_labelled && hc_pen_label(&p, w, c, lost)) return p;
      return v < 0 ? p : hc_put_uint(c->text ? hc_put_text(p, c->text) : p, (uint64_t)v);
    case HC_IS_WHOLE:
      if ((c->flags & HC_OR_ROW) && w->is_labelled && hc_pen_label(&p, w, c, lost)) return p;
      if (c->num > 1) return hc_put_amount(p, c, v, lost);
      return v == HC_UNKNOWN ? p : hc_put_int(p, v);
    case HC_IS_AMOUNT:
    case HC_IS_DECIMAL: return hc_put_amount(p, c, v, lost);
    case HC_IS_SECONDS:
    case HC_IS_LENGTH: return hc_put_seconds(p, c, v, lost);
    case HC_IS_MOMENT: return hc_put_moment(p, w, v, lost);
    case HC_IS_WORD: return hc_put_word(p, c, v, lost);
  }
  return p;
}

/* What a column says by itself: in the terms of batch systems if the format has numbers of processors. */
HC_UNFOLDED int64_t hc_pen_fact(const hc_pen *w, const hc_task_spec *t, uint32_t to, const hc_batch *b)
{
  switch ((int)to - 1) {
#define SAYS(fact, is) \
  case HC_FACT_##fact: return (is)
    SAYS(ID, t->id);
    SAYS(SUBMIT, t->submit);
    SAYS(WAIT, t->wait);
    SAYS(RUN, t->run);
    SAYS(LIMIT, t->limit);
    SAYS(CPU_TIME, t->cpu_time);
    SAYS(THINK, t->think);
    SAYS(CANCEL_AT, t->cancel_at);
    SAYS(PROCS_USED, b ? b->procs_used : t->procs_used);
    SAYS(PROCS_ASKED, b ? b->procs_asked : t->procs_asked);
    SAYS(MEMORY_USED, b ? b->memory_used : t->memory_used);
    SAYS(MEMORY_ASKED, b ? b->memory_asked : t->memory_asked);
    SAYS(PRECEDING, t->preceding);
    SAYS(USER, t->user);
    SAYS(GROUP, t->group);
    SAYS(EXECUTABLE, t->executable);
    SAYS(QUEUE, t->queue);
    SAYS(PARTITION, t->partition);
    SAYS(PRIORITY, t->priority);
    SAYS(STATUS, t->status);
    SAYS(JOB, t->job);
    SAYS(NOT_BEFORE, t->not_before);
    SAYS(HOSTS, w->slots.hosts);
    SAYS(CPU, (b ? t->need : w->slots.need)[HC_DIM_CPU]);
    SAYS(MEMORY, (b ? t->need : w->slots.need)[HC_DIM_MEMORY]);
    SAYS(DISK, (b ? t->need : w->slots.need)[HC_DIM_DISK]);
    SAYS(GPU, (b ? t->need : w->slots.need)[HC_DIM_GPU]);
    SAYS(BUNDLE, w->slots.count);
#undef SAYS
    default: return HC_UNKNOWN;
  }
}

#define HC_ALL_COLUMNS(c_, columns_, count_) \
  _Pragma("GCC unroll 32") for (uint32_t c_ = 0; c_ < (count_); \
                                c_++) if (!((columns_)[c_].flags & HC_READ_ONLY))

HC_UNFOLDED char *hc_pen_row(char *p, hc_pen *w, const hc_table_format *f, const hc_column *columns,
                             uint32_t count, char separator, const int64_t *value, uint64_t *lost)
{
  HC_ALL_COLUMNS(c, columns, count)
  {
    char *start = p;
    p = hc_put_column(p, w, &columns[c], value[c], lost);
    if (p == start && f->none) p = hc_put_text(p, f->none);
    *p++ = separator;
  }
  p[-1] = '\n';
  return p;
}

/* The slots of a task, as hc_slots_of has them; most say nothing of processors. */
HC_UNFOLDED void hc_pen_slots(hc_pen *w, const hc_task_spec *t)
{
  if (t->procs_asked > 0 || t->procs_used > 0) {
    w->slots = hc_slots_of(t);
    return;
  }
  w->slots.count = t->count > 1 ? t->count : 1;
  w->slots.hosts = t->hosts > 0 ? t->hosts : 1;
  memcpy(w->slots.need, t->need, sizeof w->slots.need);
}

/* What the demand of slots says of one that was given in processors. */
static inline uint64_t hc_said_by_slots(const hc_pen *w, const hc_task_spec *t)
{
  if (t->procs_asked <= 0 && t->procs_used <= 0) return 0;
  if (!(w->held & HC_FACT_BIT(CPU)) || w->held & HC_FACT_BIT(PROCS_ASKED)) return 0;
  const uint64_t said = hc_slots_say(t, &w->slots);
  return w->held & HC_FACT_BIT(MEMORY) ? said : said & ~HC_FACT_BIT(MEMORY_ASKED);
}

/* How many rows a task becomes. */
static inline int64_t hc_pen_rows(const hc_slots *s, hc_rows_of rows)
{
  int64_t n;
  if (rows == HC_ROW_A_TASK) return 1;
  if (rows == HC_ROW_OF_A_BUNDLE) return s->count;
  return __builtin_mul_overflow(s->count, s->hosts, &n) ? INT64_MAX : n;
}

/** As hc_writer_type has it, for a format whose columns are constants. */
HC_UNFOLDED hc_rc hc_pen_task(hc_pen *w, const hc_table_format *f, const hc_column *columns, uint32_t count,
                              char separator, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  const hc_task_spec *t = w->task = &task->spec;
  int64_t value[HC_TABLE_COLUMNS];
  bool is_batch = false;
  hc_batch batch;
  w->serial = (uint64_t)task->serial;
  w->is_labelled = (t->label | t->job_label) != 0;
  *lost &= ~w->held;
  HC_ALL_COLUMNS(c, columns, count) is_batch |= columns[c].to == 1 + HC_FACT_PROCS_ASKED;
  if (is_batch) batch = hc_batch_of(t, lost);
  if (is_batch) w->slots.count = t->count > 1 ? t->count : 1;
  else hc_pen_slots(w, t);
  w->repeat = hc_pen_rows(&w->slots, f->rows);
  HC_ALL_COLUMNS(c, columns, count) value[c] = hc_pen_fact(w, t, columns[c].to, is_batch ? &batch : NULL);
  if (f->fill) {
    const hc_rc rc = f->fill(w, t, value, lost, e);
    if (rc != 0) return rc;
  }
  if (w->repeat > HC_ROWS_PER_TASK) TRY(hc_rows_allowed(t, w->repeat, f->name, e));
  for (w->row = 0; w->row < w->repeat; w->row++) {
    char *row;
    TRY(hc_out_row(&w->rows.out, &row));
    hc_out_end(&w->rows.out, hc_pen_row(row, w, f, columns, count, separator, value, lost));
  }
  *lost &= ~hc_said_by_slots(w, t);
  return 0;
}

/* ---- the members of hc_writer_type ---- */

hc_rc hc_pen_open(const hc_table_format *f, const hc_writer_context *c, const void *options, hc_writer **out,
                  hc_error *e);
void hc_pen_close(hc_writer *w);

static inline hc_pen *hc_pen_of(hc_writer *w)
{
  return (hc_pen *)(void *)w;
}

hc_rc hc_pen_finish(hc_writer *w, hc_error *e);
/** A bit for each fact that a row of a form says, by its columns or by hooks. */
uint64_t hc_format_holds(const hc_table_format *f, const hc_table_form *form);

/* A task, by the columns of the form that is written. */
#define HC_PEN_TASK(format_, columns_, separator_) \
  hc_pen_task(hc_pen_of(w), &(format_), (columns_), HC_ARRAY_LEN(columns_), separator_, task, lost, e)
/* Which form that is. */
static inline size_t hc_pen_form(hc_writer *w)
{
  return (size_t)(hc_pen_of(w)->form - hc_pen_of(w)->format->forms);
}

/* The writer of a format, with the members that must know it. `holds` is left out: what a row says follows
 * from the columns. What follows are members of its component: a summary, details, a source. */
#define HC_TABLE_WRITER(name_, format_, columns_, separator_, ending_, ...) \
  static hc_rc pen_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e) \
  { \
    return HC_PEN_TASK(format_, columns_, separator_); \
  } \
  HC_TABLE_WRITER_OF(name_, format_, ending_, __VA_ARGS__)
/* The same for one of several forms: it has a function pen_task, which says HC_PEN_TASK for each. */
#define HC_TABLE_WRITER_OF(name_, format_, ending_, ...) \
  static hc_rc pen_open(const hc_writer_context *c, const void *o, hc_writer **out, hc_error *e) \
  { \
    return hc_pen_open(&(format_), c, o, out, e); \
  } \
  const hc_writer_type hc_writer_##name_ = { \
      .component = {HC_COMPONENT_HEAD(hc_writer_type, HC_KIND_WRITER), .name = #name_, __VA_ARGS__}, \
      .ending = ending_, \
      .open = pen_open, \
      .task = pen_task, \
      .finish = hc_pen_finish, \
      .close = hc_pen_close, \
      .table = &(format_)}

#endif
