/* yt_modules.h -- modules of hosts, and which of them an operation that takes whole hosts is bound to.
 *
 * Operations that train over many GPU hosts want all of them in one data centre (YTsaurus: full-host
 * operations bound to a scheduling module). A tick that admits an operation of which every task takes all
 * GPUs of a host, and which wants so many GPUs in all, finds it *large*. A large operation is offered
 * hosts of its module only, and none before it has one: the room of a module is the GPUs of its hosts less
 * what operations bound to it hold and want: what else is on the hosts does not count.
 *
 * At each tick, in this order: priority operations that have waited for a module for longer than
 * `patience` are bound, if need be in the place of others; then all that fit, those of most GPUs first;
 * then those that are bound, and have waited for a start for longer than `timeout`, move to another module
 * that has room. One that moves or has lost its module starts nothing until what it holds is stopped
 * (yt_stopping.c), each task at the next offer of its host.
 *
 * One that wants more than any module has is as any other operation, which is counted. Cost of a tick:
 * O(operations), and O(modules) for each that waits for a module; a byte count of a number for each host. */
#ifndef HC_POLICY_SHARE_YT_MODULES_H
#define HC_POLICY_SHARE_YT_MODULES_H

#include "policy/share/yt.h"

#define HC_YT_NO_MODULE UINT32_MAX

/* Of several modules that have room: the one that is left most, or least; the one of which the least part is
 * taken. */
#define HC_YT_MODULE_CHOICES "most_room|least_room|least_loaded" /* in the order of hc_yt_module_choice */
typedef enum hc_yt_module_choice {
  HC_YT_MODULE_MOST_ROOM,
  HC_YT_MODULE_LEAST_ROOM,
  HC_YT_MODULE_LEAST_LOADED
} hc_yt_module_choice;

typedef struct hc_yt_module {
  const char *name;
  int64_t gpus;     /* that its hosts have now: state */
  int64_t largest;  /* of one host of it: state */
  int64_t reserved; /* by operations that are bound to it, at the last tick */
} hc_yt_module;

/* Operation of which a decision is made, while a tick lasts. */
typedef struct hc_yt_bidder {
  int64_t demand;
  uint64_t birth;
  uint32_t op, padding;
} hc_yt_bidder;

typedef struct hc_yt_modules {
  hc_yt_module *items; /* [count] */
  uint32_t count;
  uint32_t *of_host; /* [units] */
  int64_t *whole;    /* [whole_count] GPUs of the classes of hosts that are in modules */
  uint32_t whole_count;
  bool *is_priority;     /* [pools] */
  hc_yt_bidder *bidders; /* scratch */
  size_t bidder_cap;
  hc_time at;      /* when a wait of one of them is over; HC_NEVER: state */
  uint32_t moving; /* operations that have to be stopped somewhere */
  struct {
    uint64_t bound, moved, evicted, oversized;
  } n; /* state */
} hc_yt_modules;

/* After the pools are read. @return 0, HC_EUSAGE (with the remedy), HC_EUNSUPPORTED, HC_ENOMEM. */
hc_rc hc_yt_modules_init(hc_yt *y, hc_error *e);
void hc_yt_modules_fini(hc_yt *y);
/* Add up what hosts have. @return is it another amount than before? */
bool hc_yt_modules_measure(hc_yt *y, const hc_view *v);
/* The tick at `at`, after operations have come and gone. */
hc_rc hc_yt_modules_tick(hc_yt *y, hc_time at);
/* An operation is admitted. */
void hc_yt_modules_admit(hc_yt *y, uint32_t op, hc_time at);
bool hc_yt_modules_admits(const hc_yt *y, uint32_t op, uint32_t host);
/* What is to be said of an operation and its module: "" if it is bound to none and needs none. */
void hc_yt_modules_say(const hc_yt *y, uint32_t op, char *out, size_t size);
/* Does a task of the operation have to go from its host? */
static inline bool hc_yt_is_moving(const hc_yt *y, uint32_t op)
{
  return y->ops[op].is_moving;
}
hc_rc hc_yt_modules_visit(hc_yt *y, hc_visitor *v);
hc_rc hc_yt_modules_find(const hc_yt *y, hc_findings *f);

#endif
