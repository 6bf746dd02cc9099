/* use.h -- measurements of what tasks used, gathered until each task is told, as steps of bounded number.
 *
 * A measurement is a mean over [from, until). A task keeps at most `most` of them: when there would be more,
 * each two neighbours become one, their mean weighted by their lengths, so that the integral stays what it
 * was. They lie in rooms of `most` places in one array; a room that is given back is used again.
 * Cost: 32 bytes x `most` for each task that was measured; a measurement is O(1), amortised. */
#ifndef HC_WORKLOAD_USE_H
#define HC_WORKLOAD_USE_H

#include "base/mem.h"
#include "hindcast/lexicon.h"

typedef struct hc_use_row {
  hc_time from, until;
  double cpu, memory; /* cores, bytes; negative: not known */
} hc_use_row;

typedef struct hc_use_store {
  const hc_allocator *allocator;
  size_t most; /* rows of a room, even */
  hc_use_row *rows;
  size_t row_count, row_cap;
  uint64_t vacant; /* a free room + 1, whose first `from` is the next; 0: none */
} hc_use_store;

/* The rows of a task; zeroed: none. */
typedef struct hc_use_room {
  uint32_t room, count; /* room + 1 */
} hc_use_room;

/** @param most  rows a task; 0: nothing is kept; odd numbers are one less, 1 is 2 */
void hc_use_init(hc_use_store *s, const hc_allocator *a, size_t most);
void hc_use_fini(hc_use_store *s);
/** Add a measurement; those of a task come in order of `from`, and what overlaps the one before is cut.
 *  @return 0 or HC_ENOMEM. */
hc_rc hc_use_put(hc_use_store *s, hc_use_room *of, const hc_use_row *row);
void hc_use_drop(hc_use_store *s, hc_use_room *of);
/** As steps since `start`; times between measurements are not known.
 *  @param out  [2 x most] @return how many there are. */
size_t hc_use_steps(const hc_use_store *s, const hc_use_room *of, hc_time start, hc_use_step *out);
/** Whether a room is one of this store, or none. */
bool hc_use_is_sound(const hc_use_store *s, const hc_use_room *of);
hc_rc hc_use_visit(hc_use_store *s, hc_visitor *v);

/** Add steps to what a task holds of the lexicon. @return 0 or HC_ENOMEM. */
hc_rc hc_use_keep(hc_lexicon *l, uint32_t *more, const hc_use_step *steps, size_t count);

#endif
