/* pick.h -- which machines a job's tasks get.
 *
 * Probing is the original's randomised first fit. A picker has a permutation of the machines, which stays
 * from job to job: of the first `left` it draws one; if the task fits it is placed, and the machine may be
 * drawn again; if not, the machine is exchanged with the last of them and `left` goes down. A search that
 * ends without a place has looked at every machine once, and has shuffled them all.
 *
 * Choosing takes, for each task, one of the machines on which it fits, all equally likely, without probing:
 * the same distribution, since a probing search leaves out exactly those that do not fit. */
#ifndef HC_OMEGA_PICK_H
#define HC_OMEGA_PICK_H

#include "base/math.h"
#include "omega/cell.h"

/* What all pickers of a run share. */
typedef struct hc_omega_magic {
  uint64_t *of; /* [machines + 1] see hc_java_magic */
} hc_omega_magic;

typedef struct hc_omega_picker {
  bool probes;
  uint32_t machines, blacklisted; /* so many at the end of the pool are never used */
  uint64_t state;                 /* of java.util.Random */
  uint32_t *pool;                 /* [machines] probing: the permutation */
  uint16_t *small_pool;           /* instead, if that is enough: it stays in the nearest cache */
  const hc_omega_magic *magic;
  hc_draw_block draws; /* choosing */
  uint64_t *forbidden; /* [words] machines that it may not use; NULL: none */
  uint32_t *found;     /* [machines] scratch */
  uint64_t misses;     /* probes in vain of the last search */
} hc_omega_picker;

/* A task's place, and the machine's sequence number as it was read. */
typedef struct hc_omega_place {
  uint32_t machine, sequence;
} hc_omega_place;

/* Places that were found, in order. */
typedef struct hc_omega_places {
  hc_omega_place *items;
  size_t count, cap;
} hc_omega_places;

/** Find places for up to `wanted` tasks, taking them in the cell. @return 0 or HC_ENOMEM */
hc_rc hc_omega_pick(hc_omega_picker *p, hc_omega_cell *c, hc_omega_amounts task, uint32_t wanted,
                    hc_omega_places *out);

#endif
