/* items.h -- a list in a file, one item at a time: a YAML list of maps, a JSON array of objects, or objects
 * one after the other (JSON Lines). */
#ifndef HC_WORKLOAD_ITEMS_H
#define HC_WORKLOAD_ITEMS_H

#include "base/input.h"
#include "base/value.h"

#define HC_ITEM_LIMIT ((size_t)1 << 20) /* bytes of one item */

/* A list being read. */
typedef struct hc_items {
  const hc_allocator *allocator;
  hc_input *in; /* owned */
  const char *name;
  const char *at, *end; /* what is left of the block at hand */
  hc_buffer text;       /* the item at hand, as it stands */
  hc_buffer ahead;      /* YAML: the first line of the next item, if it was read */
  bool has_ahead;
  hc_arena arena;                              /* its values */
  uint64_t line, column;                       /* where the item at hand begins, from 1 */
  struct {                                     /* plain state */
    uint64_t position, next_line, next_column; /* unpacked bytes taken, and where the next of them stands */
    uint64_t ahead_position, ahead_line;       /* of the line ahead */
    uint64_t form, expects, in_array, indent;
  } s;
} hc_items;

/** Open `path` ("-": standard input). @return 0, HC_EIO, HC_ENOMEM. Close it even if this failed. */
hc_rc hc_items_open(hc_items *l, const hc_allocator *a, const char *path, hc_error *e);
void hc_items_close(hc_items *l);

/** Cut off the next item: `text` is what stands in the file. @return 1, 0 at the end, HC_EINPUT (no list, an
 *  item longer than HC_ITEM_LIMIT, a list that is not closed; as hc_input_block), HC_EIO, HC_ENOMEM. */
hc_rc hc_items_next(hc_items *l, hc_error *e);
/** Read the item at hand as values, borrowed until the next call. Their places count from the item's begin:
 *  see hc_items_place. @return as hc_value_parse, with a place in the file. */
hc_rc hc_items_parse(hc_items *l, hc_value **out, hc_error *e);
/** Turn a place in the item into one in the file. */
void hc_items_place(const hc_items *l, uint32_t *line, uint32_t *column);

/** Where reading stands; as hc_reader_type.visit. */
hc_rc hc_items_visit(hc_items *l, hc_visitor *v, hc_error *e);

#endif
