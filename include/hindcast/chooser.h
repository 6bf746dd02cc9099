/** @file chooser.h How hosts are chosen: what is asked of each host in question, for one slot of a task, and
 *  what is known of many at once, so that most need not be asked about. */
#ifndef HINDCAST_CHOOSER_H
#define HINDCAST_CHOOSER_H

#include "hindcast/task.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What the hosts that are up have together, now. */
typedef struct hc_cell_totals {
  int64_t capacity[HC_DIMENSIONS]; /* by the lexicon's number; without what belongs to the cell as a whole */
  uint32_t hosts, padding;
} hc_cell_totals;

/** A host as a placement sees it, for one slot of a task. Arrays are by the cell's own dimensions: those that
 *  any of its hosts has, ascending by the lexicon's number. */
typedef struct hc_host_view {
  uint32_t host, class_id;
  uint32_t dimensions;     /* how many */
  uint32_t device_count;   /* GPUs of this host */
  const uint8_t *which;    /* [dimensions] the lexicon's number of each */
  const int64_t *need;     /* [dimensions] of one slot */
  const int64_t *free;     /* [dimensions] before it is placed; at least `need` */
  const int64_t *capacity; /* [dimensions] of the host */
  const int32_t *devices;  /* [device_count] free thousandths of each GPU */
  const double *load;      /* [dimensions] local load, 0 to 1; NULL: there is none */
  double speed;            /* of its class */
  double past; /* mean share of its first dimension that tasks have held so far; 0 if it is not counted */
  hc_time now; /* ns */
  hc_time estimate; /* of the task, at speed 1; HC_NEVER: none */
  hc_time window;   /* how long until it is reserved for another, from now; HC_NEVER: not at all */
  const hc_cell_totals *cell;
  const uint32_t *held; /* [hosts of the cell] how many grants are on each (`reads_held`); NULL: not known */
  uint64_t stamp;       /* another one whenever that may have changed; never 0 */
  const uint32_t *prefers; /* [prefer_count] the lexicon's numbers of hosts and zones that the task prefers */
  size_t prefer_count;
} hc_host_view;

/** Hosts among which one is sought: every one of them has at least `low` and at most `high` free. */
typedef struct hc_host_box {
  uint32_t dimensions, class_id; /* HC_NO_NAME: of several classes */
  const uint8_t *which;
  const int64_t *need, *low, *high;
  const int64_t *capacity_low, *capacity_high;
  const hc_cell_totals *cell;
} hc_host_box;

typedef enum hc_choice {
  HC_CHOOSE_FIRST,  /* the lowest host that fits */
  HC_CHOOSE_NEXT,   /* the first that fits behind the one chosen last, round and round */
  HC_CHOOSE_BEST,   /* the highest score; the lowest host of equal ones */
  HC_CHOOSE_SAMPLE, /* the highest score among `sample` hosts that fit, drawn with the task's own stream;
                      without a score: the first drawn */
  HC_CHOOSE_SET     /* several at once, as `arrange` says */
} hc_choice;

/** A host with room for slots of a task. */
typedef struct hc_host_room {
  uint32_t host, slots;
} hc_host_room;

/** Where the slots of a task go, all at once. */
typedef struct hc_arrangement {
  hc_host_room *rooms; /* [count] ascending by host: how many slots would find room there, at least 1 */
  size_t count;
  uint32_t wanted; /* slots, at least 1, and no more than there is room for */
  const uint32_t
      *placed; /* [placed_count] hosts that the task has already, in this choice: of other needs, or
                             one by one where what it says of zones or rivals depends on the others */
  size_t placed_count;
} hc_arrangement;

/** How a placement chooses among hosts. */
typedef struct hc_chooser {
  hc_choice how;
  uint32_t sample;
  void *self;
  /** How good a host is; higher is better. */
  double (*score)(void *self, const hc_host_view *h);
  /** No host in the box scores higher than this; NULL: not known, so that all that fit are looked at. */
  double (*bound)(void *self, const hc_host_box *b);
  /** Which GPUs a slot takes. NULL: the fullest that fit for a part of one, the lowest that
   *  are free for whole ones. */
  hc_devices (*devices)(void *self, const hc_host_view *h, int64_t amount);
  /** Among hosts of one score, the higher; NULL: the lower host. Heard with HC_CHOOSE_BEST and no bound. */
  double (*tie)(void *self, const hc_host_view *h);
  bool reads_past; /* looks at `past`, which is kept only then */
  bool reads_load; /* looks at `load` */
  bool reads_held; /* looks at `held`, which is told only then */
  /** Told before hosts are scored: first NULL, then each host that fits and may be used. For scores that are
   *  relative to those of the others. With HC_CHOOSE_BEST and no bound; NULL: not told. */
  void (*meet)(void *self, const hc_host_view *h);
  bool is_share; /* the score lies between 0 and 1, and can be held against another's */
  bool is_fixed; /* the score is a host's own: neither what is free, nor time, nor the task changes it */
  /** With HC_CHOOSE_SET: turn each room into what the task gets there, `wanted` in all. */
  void (*arrange)(void *self, hc_arrangement *a);
} hc_chooser;

#ifdef __cplusplus
}
#endif
#endif
