/* fragments.h -- what of a host's free GPUs tasks cannot use: fragments, and the typical tasks that they are
 * of.
 *
 * What is free of a host's GPUs is a fragment for a task that could not use it. With typical tasks m of
 * popularity p_m, the fragment of a host is F = sum of p_m F(m), where F(m) is everything that is free of its
 * GPUs if m needs none or cannot run there, and else what is free of those GPUs that have too little for m.
 *
 * Typical tasks are given, or learned: slots of equal need are counted as tasks arrive, and the most popular
 * are taken, `step` more at a time, until they are `popularity` of all. The list is made anew when an eighth
 * more slots have arrived. At most 4096 different needs are counted, those that came first. Popularities are
 * whole numbers (counts), so F times their sum is exact.
 *
 * Source: Weng et al., Beware of fragmentation: scheduling GPU-sharing workloads with fragmentation gradient
 * descent, USENIX ATC 2023, which knows the whole workload beforehand, and which models of GPU a task
 * accepts. */
#ifndef HC_CLUSTER_FRAGMENTS_H
#define HC_CLUSTER_FRAGMENTS_H

#include "base/mem.h"
#include "base/wide.h"
#include "hindcast/task.h"

/* ---- typical tasks ---- */

typedef struct hc_typical_options {
  int64_t popularity, step;
  bool cpu_only;
  int by;          /* cpu_gpu, all */
  hc_list typical; /* const char * */
} hc_typical_options;

#define HC_TYPICAL_PARAMS(options, member) \
  HC_PARAM_AS(INT, "popularity", options, member.popularity, "%", "60", 1, 100, \
              "Typical are the most popular demands of tasks, as many as make up this percentage of all " \
              "tasks. The source's experiments take 95."), \
      HC_PARAM_AS(INT, "step", options, member.step, "tasks", "10", 1, 4096, \
                  "How many demands are added at a time until `popularity` is reached. The source's " \
                  "experiments take 1."), \
      HC_PARAM_AS(BOOL, "cpu_only", options, member.cpu_only, "true", \
                  "Tasks without GPUs are counted too: to them all that is free of GPUs is a fragment."), \
      HC_PARAM_AS( \
          CHOICE, "by", options, member.by, "cpu_gpu|all", "cpu_gpu", \
          "Which dimensions make a typical task, and may be lacking on a host: cores and GPUs, as in " \
          "the source, or all of them."), \
      HC_PARAM_AS( \
          TEXTS, "typical", options, member.typical, NULL, \
          "Typical tasks, in place of learning them: each \"CORES GPUS POPULARITY\", such as \"8 0.5 " \
          "0.2\". Popularities are relative to each other.")

typedef struct hc_typical {
  int64_t need[HC_NEEDS]; /* by the lexicon's number: further dimensions do not tell tasks apart */
  uint64_t count;
} hc_typical;

/* The part that is saved, with the needs counted, and the typical ones with the counts that they had when
 * they were chosen. */
typedef struct hc_typical_counts {
  uint64_t slots, next; /* that arrived; when to look again */
  uint32_t needs, typical;
} hc_typical_counts;

typedef struct hc_typicals {
  const hc_allocator *allocator;
  const hc_typical_options *options;
  hc_typical_counts counts;
  hc_typical *typical; /* [counts.typical], by need of GPUs */
  uint32_t typical_cap;
  uint64_t weight; /* sum of their counts; 0: nothing is typical yet */
  /* NULL if they are given: */
  hc_typical *needs; /* in order of arrival */
  uint32_t *table;   /* index + 1 by hash */
} hc_typicals;

/* @param options borrowed. @param who asks, for errors ("place fgd"). @return 0, HC_EUSAGE (a typical task
 * that is none), HC_ELIMIT, HC_ENOMEM; what it has is to be freed in any case. */
hc_rc hc_typicals_init(hc_typicals *t, const hc_allocator *a, const hc_typical_options *options,
                       const char *who, hc_error *e);
void hc_typicals_fini(hc_typicals *t);
/* A task has arrived: `slots` times `need` (by the lexicon's number). @return true: other tasks are typical
 * now. */
bool hc_typicals_arrived(hc_typicals *t, const int64_t *need, int64_t slots);
hc_rc hc_typicals_visit(hc_typicals *t, hc_visitor *v);

/* ---- fragments ---- */

/* What is free on a host. */
typedef struct hc_free_gpus {
  int64_t free[HC_NEEDS];      /* by the lexicon's number */
  int64_t devices[HC_DEVICES]; /* one for all if the host's GPUs are divisible at will */
  uint32_t count;
  bool divisible;
} hc_free_gpus;

/* How many GPUs a need is made of, and how much of each. */
uint32_t hc_free_gpus_wanted(const hc_free_gpus *r, int64_t need, int64_t *each);
/* F x weight, in thousandths of a GPU. Cost: typical tasks x GPUs. */
hc_wide hc_fragments(const hc_typicals *t, const hc_free_gpus *r);

#endif
