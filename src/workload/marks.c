/* marks.c -- rows of a fixed number of fields, found by where their separators are.
 *
 * Places of a block of 64 characters are written twelve at a time, whether there are as many or not: a
 * branch on their number would be guessed wrong once a block. Cost: about 12 ns for a row of 88
 * characters. */
#include "workload/marks.h"

#include "base/port.h"
#include "base/util.h"

#define LEAST_REACH 4

void hc_marks_init(hc_marks *m, hc_input *in, char separator, uint32_t columns)
{
  m->in = in;
  m->separator = separator;
  m->columns = columns;
  m->text = NULL;
  m->next = m->count = 0;
  m->reach = LEAST_REACH;
}

static void tell(hc_marks *m)
{
  if (m->next > 0) hc_input_take(m->in, (size_t)(m->at[m->next] + 1), hc_marks_taken(m));
  m->next = m->count = 0;
}

void hc_marks_tell(hc_marks *m)
{
  tell(m);
  m->reach = LEAST_REACH;
}

bool hc_marks_find(hc_marks *m)
{
  size_t size, before, blocks;
  uint32_t count = 0;
  tell(m);
  size = hc_input_at_hand(m->in, &m->text, &before);
  /* A block more than is looked at, so that what lies behind a place can be read. */
  blocks = before >= 8 ? size / 64 : 0;
  if (blocks < 2) return false;
  blocks = HC_MIN(blocks - 1, (size_t)m->reach);
  m->reach = HC_MIN(2 * m->reach, (uint32_t)HC_MARKS_BLOCKS);
  m->at[0] = -1;
  for (size_t b = 0; b < blocks; b++) {
    int32_t *out = m->at + 1 + count;
    const int32_t base = (int32_t)(64 * b);
    uint32_t n;
    uint64_t bits = hc_match64(m->text + 64 * b, m->separator, '\n', &n);
    for (int i = 0; i < HC_MARKS_SPARE; i++) {
      out[i] =
          base + __builtin_ctzll(bits | UINT64_C(1) << 63); /* what lies past the n-th counts for nothing */
      bits &= bits - 1;
    }
    for (int i = HC_MARKS_SPARE; bits; i++, bits &= bits - 1) out[i] = base + __builtin_ctzll(bits);
    count += n;
  }
  m->count = count;
  return count >= m->columns;
}
