/* labelled.h -- how long labelled parts of profiles take on each host of their task. See labelled.c. */
#ifndef HC_EXECUTION_LABELLED_H
#define HC_EXECUTION_LABELLED_H

#include "execution/running.h"

/* On a host of the task. */
typedef struct hc_label_place {
  hc_time began, ended; /* ended: of the last thing there that was only some hosts' */
  uint32_t host, padding;
} hc_label_place;

/* A labelled part that goes on. */
typedef struct hc_labelled {
  uint64_t born;          /* of its instance; 0: there is none here */
  hc_time all;            /* when the last thing ended in which all of its hosts took part */
  hc_label_place *places; /* [count] those of its task from `first` on */
  uint32_t first, count;
} hc_labelled;

typedef struct hc_labelled_all {
  hc_labelled *of; /* [count] by instance */
  size_t count, cap;
  uint64_t told; /* parts that are over */
} hc_labelled_all;

/* All are for hc_doings.measure alone, and do nothing where it is not asked (hc_measuring.labelled). */

void hc_labelled_fini(hc_doings *d);
/** Is each of its hosts to have a clock of its own, since times of them are told? */
bool hc_labelled_wanted(hc_doings *d, uint32_t script);
/** An instance has begun; it has come to its end, and is told; it is there no more. */
void hc_labelled_begin(hc_doings *d, uint32_t instance);
void hc_labelled_over(hc_doings *d, uint32_t instance);
void hc_labelled_drop(hc_doings *d, uint32_t instance);
/** An activity ends. */
void hc_labelled_act(hc_doings *d, uint32_t act);
/** A task has other hosts: of those that it has no more it is told, and new ones begin. */
void hc_labelled_resize(hc_doings *d, uint32_t running);
hc_rc hc_labelled_visit(hc_doings *d, hc_visitor *v);

#endif
