/* bill.h -- who answers for the energy that hosts draw while tasks hold their cores. See bill.c. */
#ifndef HC_METRIC_BILL_H
#define HC_METRIC_BILL_H

#include "base/mem.h"
#include "base/wide.h"
#include "hindcast/record.h"

/* A host: what holding a thousandth of a core on it has cost. */
typedef struct hc_bill_host {
  hc_wide price; /* microwatts x ns, up to `since` */
  hc_time since;
  int64_t held, draws; /* thousandths of cores, by tasks; microwatts */
} hc_bill_host;

/* What a task holds on one host. */
typedef struct hc_bill_claim {
  hc_wide price; /* of its host when it began */
  int64_t held;
  uint32_t host, next; /* of the task, in the order in which they came; of vacant ones */
} hc_bill_claim;

/* A task, until its record has come and it holds nothing. */
typedef struct hc_bill_task {
  uint64_t serial;
  int64_t key;
  hc_wide energy;       /* microwatts x ns */
  hc_wide settled;      /* of it, that of attempts of which it was said what was lost */
  uint32_t first, last; /* claims; HC_MAP_NONE */
  uint32_t is_over, next;
} hc_bill_task;

/* What was told of a task at once, until the changes of its time have come: they come in blocks. */
typedef struct hc_bill_told {
  hc_time at;
  uint64_t serial;
  double share;  /* of its attempt that was lost; below 0: it is over */
  int64_t key;   /* over: whose it is */
  int64_t tasks; /* over: 1 if it counts */
} hc_bill_told;

typedef struct hc_bill_row {
  int64_t key;
  uint64_t tasks;
  hc_wide energy;
} hc_bill_row;

typedef struct hc_bill {
  const hc_allocator *allocator;
  hc_bill_host *hosts; /* [host_count] */
  uint32_t host_count;
  uint32_t vacant_claim, vacant_task, padding;
  hc_bill_claim *claims;
  size_t claim_count, claim_cap;
  hc_bill_task *tasks;
  size_t task_count, task_cap;
  hc_map by_serial; /* serial -> place in tasks */
  hc_bill_row *rows;
  size_t row_count, row_cap;
  hc_map by_key; /* key -> place in rows */
  hc_bill_told *told; /* [told_count] in order of time; those before told_first are done with */
  size_t told_count, told_cap;
  uint64_t told_first;
} hc_bill;

#define HC_BILL_LOST (-2) /* the key of what was lost */

/** @param hosts of the cell; 1 for all processors of one that counts @return 0 or HC_ENOMEM */
hc_rc hc_bill_init(hc_bill *b, const hc_allocator *a, uint32_t hosts);
void hc_bill_fini(hc_bill *b);
/** From `at` on the host draws this, in microwatts. */
void hc_bill_draws(hc_bill *b, uint32_t host, hc_time at, int64_t draws);
/** A task holds so many thousandths of a host's cores more, or fewer: what it had in one claim.
 *  @param key whose it is as far as is known; -1 @return 0, HC_ELIMIT or HC_ENOMEM */
hc_rc hc_bill_hold(hc_bill *b, uint64_t serial, int64_t key, uint32_t host, hc_time at, int64_t milli);
/** The task has come to its end at `at`, and its energy is that of a key. @return the same */
hc_rc hc_bill_over(hc_bill *b, uint64_t serial, hc_time at, int64_t key, bool counts);
/** An attempt of the task is over at `at`, and this share of it, 0 to 1, was for nothing: so much of what the
 *  task has taken since its attempt before is HC_BILL_LOST's, and not its own. Calls come in order of time.
 *  @return 0 or HC_ENOMEM */
hc_rc hc_bill_lose(hc_bill *b, uint64_t serial, hc_time at, double share);
/** Of a key, microwatts x ns. */
hc_wide hc_bill_of(const hc_bill *b, int64_t key);
/** The run ends: tasks that run answer for what they have taken so far. @return the same */
hc_rc hc_bill_close(hc_bill *b, hc_time at);
hc_rc hc_bill_visit(hc_bill *b, hc_visitor *v);

#endif
