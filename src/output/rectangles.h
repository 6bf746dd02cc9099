/* rectangles.h -- a schedule as rectangles: from when to when which lanes belong to which task.
 *
 * A task has one rectangle for each piece of lanes that it has, and more than those if it was resized or
 * suspended; an attempt that was stopped has its own, and a task that runs when the run ends has one until
 * then. On a cell of hosts each host is a band of lanes, as many as it had at most of the dimension that is
 * shown (the first that any host has: cores, unless there are none); processors that have names lie where they
 * lie; others where lanes.h puts them.
 *
 * Where a result does not say which lanes were held there is no rectangle: of attempts that were lost with a
 * host, and on processors with names of attempts that were stopped. What a host has not, since it shrank, is
 * not shown.
 *
 * Memory: 40 bytes a rectangle, 24 a grant. Cost: O(rows log rows), and what lanes.h says. */
#ifndef HC_OUTPUT_RECTANGLES_H
#define HC_OUTPUT_RECTANGLES_H

#include "output/emit.h"
#include "output/lanes.h"
#include "output/pieces.h"

/* What a task does in it. HELD: it is suspended and keeps what it has; one that gives it back has none. */
enum { HC_RECTANGLE_RUN, HC_RECTANGLE_STOPPED, HC_RECTANGLE_HELD };

typedef struct hc_rectangle {
  hc_time start, end;
  int64_t first, count; /* lanes */
  uint32_t row;         /* of the tasks that were given */
  uint32_t kind;
} hc_rectangle;

/* Lanes of one host. */
typedef struct hc_rectangle_host {
  char *name;
  size_t name_size;
  int64_t first, size;
} hc_rectangle_host;

typedef struct hc_rectangle_grant {
  int64_t serial, amount;
  uint32_t host, times; /* times: of an attempt that was stopped, from 1; 0: of the last one */
} hc_rectangle_grant;

/* A plan suspended it, or set its rate. */
typedef struct hc_rectangle_rate {
  int64_t serial;
  hc_time at;
  size_t place;      /* as it was read: several of one instant follow each other */
  bool works, holds; /* from then on */
} hc_rectangle_rate;

typedef struct hc_rectangle_stretch {
  hc_time start, end;
  uint32_t row, piece; /* piece: from 1; 0: as its grants say */
  uint32_t times, kind;
  int64_t units;
} hc_rectangle_stretch;

typedef struct hc_rectangles {
  const hc_allocator *allocator;
  hc_emit *emit;
  hc_result *result;
  const hc_task_record *tasks; /* [task_count] borrowed for hc_rectangles_read */
  size_t task_count;
  hc_rectangle *items; /* [count] by start */
  size_t count, cap;
  hc_rectangle_host *hosts; /* [host_count]; none: processors */
  size_t host_count, host_cap;
  hc_rectangle_grant
      *grants; /* [grant_count] by serial and times; ranges of named processors are grants, too */
  size_t grant_count, grant_cap;
  hc_rectangle_rate *rates; /* [rate_count] by serial, then as stored: in order of time */
  size_t rate_count, rate_cap;
  hc_rectangle_stretch *stretches; /* [stretch_count] */
  size_t stretch_count, stretch_cap;
  hc_pieces pieces;
  hc_lanes lanes;
  hc_map rows;         /* of the tasks, by serial */
  hc_time end;         /* when the run ended, as far as anything says it */
  int64_t lane_count;  /* of all bands */
  int64_t lane_amount; /* what all amounts are multiples of: one lane for people */
  int dimension;       /* of hosts; -1: none */
  uint32_t amounts;    /* that tables have */
  bool are_named;      /* processors have names: a grant is a range, `host` its first */
} hc_rectangles;

/** @param tasks  every task of the result
 *  @return 0, HC_EINPUT (a damaged file), HC_ENOMEM; hc_rectangles_fini is called in either case */
hc_rc hc_rectangles_read(hc_rectangles *x, hc_emit *m, const hc_allocator *a, hc_result *r,
                         const hc_task_record *tasks, size_t count);
void hc_rectangles_fini(hc_rectangles *x);

#endif
