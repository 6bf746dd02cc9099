/* marks.h -- rows of a fixed number of fields, found by where their separators are: the fast way to read a
 * table.
 *
 * The separators and line ends of some 4 KiB are found at once; a row is then a list of places. Nothing is
 * cut, copied or converted: that is for the reader, which knows what stands where. What is not such a row,
 * or may not be one, is left to hc_input_line: both take turns on one input. */
#ifndef HC_WORKLOAD_MARKS_H
#define HC_WORKLOAD_MARKS_H

#include "base/input.h"

#define HC_MARKS_BLOCKS 64 /* of 64 characters, looked at together */
#define HC_MARKS_SPARE 12  /* places written beyond the last */

typedef struct hc_marks {
  hc_input *in; /* borrowed */
  uint32_t columns;
  char separator;
  const char *text;     /* where the places count from */
  uint32_t next, count; /* places of the next row begin at `next`; so many are known */
  uint32_t reach;       /* blocks to look at next: few behind a row that was none */
  int32_t at[1 + HC_MARKS_BLOCKS * 64 + HC_MARKS_SPARE]; /* the first is the end of the row before */
} hc_marks;

/** @param columns  fields of a row, at least 2 */
void hc_marks_init(hc_marks *m, hc_input *in, char separator, uint32_t columns);
/** Look further. @return false if no row lies at hand: ask hc_input_line. */
bool hc_marks_find(hc_marks *m);
/** Tell the input how far reading has come, before anything else is asked of it. */
void hc_marks_tell(hc_marks *m);

/** The next row: field i lies behind place i - 1 and before place i of the result, where place -1 is the
 * character before the row; places count from m->text. 8 characters before the row and as many behind any
 * place but the last may be read. Which of the places are separators, and whether the last is a line's
 * end, is for the reader to see. @return NULL if no row lies at hand. */
static inline const int32_t *hc_marks_row(hc_marks *m)
{
  if (m->next + m->columns > m->count && !hc_marks_find(m)) return NULL;
  return m->at + m->next + 1;
}

/** The row was good: go on behind it. */
static inline void hc_marks_take(hc_marks *m)
{
  m->next += m->columns;
}

/** Rows taken of which the input does not know yet. */
static inline uint64_t hc_marks_taken(const hc_marks *m)
{
  return m->next / m->columns;
}

#endif
