/* changes.h -- the changes that an engine would have told, made from the records of its tasks. */
#ifndef HC_METRIC_CHANGES_H
#define HC_METRIC_CHANGES_H

#include "hindcast/cell.h"
#include "hindcast/record.h"

/* What a task asked for in each of its slots. */
typedef struct hc_story_asked {
  int64_t serial;
  uint32_t slots;
  bool whole;
  const int64_t *amount; /* [width] by the lexicon's number, like all amounts here */
} hc_story_asked;

/* What it had on a host. */
typedef struct hc_story_held {
  int64_t serial;
  uint32_t host, padding;
  hc_devices devices;
  const int64_t *amount; /* [width] */
} hc_story_held;

/* Who had what of hosts. */
typedef struct hc_host_story {
  const hc_story_asked *asked; /* [asked_count] ascending by serial */
  size_t asked_count;
  const hc_story_held *held; /* [held_count] ascending by serial */
  size_t held_count;
  const hc_change *changes; /* [change_count] of kind HOST, in order of time */
  size_t change_count;
  uint32_t width; /* amounts are of so many dimensions */
} hc_host_story;

typedef hc_rc (*hc_change_hearer)(void *ctx, const hc_change *changes, size_t count);

/** Derive what changed from what is known of each task, and report it in order of time, from the first to the
 * last.
 *
 *  A task waits from its submission to its start, or to its end if it was withdrawn, and holds what it had
 * from start to end; one that was still waiting or running at the end does so for ever; one that was
 * rejected, or held for ever, is never there. Within an instant: what is given back, hosts, what begins to
 * wait, what ends to, what is taken. What a task really used is not known.
 *
 *  @param hosts NULL: the cell counts processors, each 1000 of HC_DIM_CPU
 *  @return 0; HC_EUNSUPPORTED: with hosts, a task that waited or ran of which they do not say what it asked
 * for or had, and `*serial` is its; HC_ENOMEM; what `each` returned. Cost: a sort of four events a task, and
 * a search in the story for each. */
hc_rc hc_metric_replay_changes(const hc_allocator *a, const hc_cell_spec *cell, const hc_task_record *records,
                               size_t n, const hc_host_story *hosts, hc_change_hearer each, void *ctx,
                               int64_t *serial);

#endif
