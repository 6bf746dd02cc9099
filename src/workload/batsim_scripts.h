/* batsim_scripts.h -- profiles of a Batsim workload as texts that tasks carry, for a run that carries them
 * out (execution/book.h). */
#ifndef HC_WORKLOAD_BATSIM_SCRIPTS_H
#define HC_WORKLOAD_BATSIM_SCRIPTS_H

#include "execution/book.h"
#include "workload/batsim_profiles.h"

typedef struct hc_batsim_script hc_batsim_script;

typedef struct hc_batsim_scripts {
  const hc_allocator *allocator;
  const hc_book *book;
  const hc_profiles *profiles;
  const char *file;       /* of the workload: traces stand beside it */
  hc_time unit;           /* what one second of a delay is; set behind init, as is the next */
  double report;          /* bytes of the report of a rank of a trace */
  const hc_list *mapping; /* texts "label=host": which storage host a label of a profile means; may be NULL */
  hc_batsim_script *all;  /* [count] by id, made when first asked for */
  size_t count;
  hc_arena lasting, scratch; /* scratch: while one text is made */
  hc_arena *trees;           /* of these that for trees */
  hc_buffer text;
} hc_batsim_scripts;

void hc_batsim_scripts_init(hc_batsim_scripts *s, const hc_allocator *a, const hc_book *book,
                            const hc_profiles *p, const char *file);
void hc_batsim_scripts_fini(hc_batsim_scripts *s);
/** A label of the mapping that no profile names is a slip. Once all are read. @return 0, HC_EUSAGE */
hc_rc hc_batsim_labels(const hc_batsim_scripts *s, hc_error *e);
/** The text of one; it lasts until the next is asked for.
 *  @return 0; HC_EINPUT, HC_EUNSUPPORTED, HC_ELIMIT with the place of the profile, HC_EIO of a trace,
 *  HC_ENOMEM. */
hc_rc hc_batsim_script_of(hc_batsim_scripts *s, uint32_t id, const char **text, size_t *size, hc_error *e);

#endif
