/* lines.h -- a policy that is another program, told and asked by lines of JSON: the parts of it. The protocol
 * is in docs/process.md. */
#ifndef HC_REMOTE_LINES_H
#define HC_REMOTE_LINES_H

#include "hindcast/policy.h"
#include "remote/spoken.h"

#define HC_LINES_VERSION 1
#define HC_LINES_PLACE "policy process"

typedef struct hc_lines_options {
  hc_chosen place, eligibility;
  hc_list command; /* const char * */
  hc_list asks;    /* int */
  int think;
  hc_time timeout;
  int64_t most;
  const char *record, *replay;
} hc_lines_options;

/* What the program knows of a task: nothing, that it waits, that it runs. */
enum { HC_LINES_UNKNOWN, HC_LINES_WAITS, HC_LINES_RUNS };

/* A task of the policy's queue, by its number in the run. */
typedef struct hc_lines_task {
  uint64_t serial;
  uint8_t known;
  bool is_here;   /* the number is this task's */
  bool is_queued; /* it is in the queue, now */
  bool is_changed;
} hc_lines_task;

typedef struct hc_lines_change {
  uint64_t serial; /* of the task whose number it is now */
  hc_task task;
} hc_lines_change;

struct hc_policy {
  const hc_services *s;
  const hc_allocator *allocator;
  const hc_lines_options *o;
  const hc_cell_spec *cell;
  hc_lexicon *lexicon;
  uint64_t seed, replication;
  int64_t unix_start;
  uint32_t flags;
  const char **command; /* [o->command.count + 1] */
  hc_spoken with; /* the program */
  bool is_over;
  int status;           /* with which it ended */
  hc_lines_task *tasks; /* [task_count] */
  size_t task_count, task_cap;
  hc_map by_serial;         /* of those that are known, or were changed: their numbers */
  hc_lines_change *changed; /* [changed_count] */
  size_t changed_count, changed_cap;
  uint64_t *gone; /* [gone_count] serials of known tasks whose numbers others have */
  size_t gone_count, gone_cap;
  int64_t *free; /* [hosts][dimensions] as it was told last */
  size_t free_cap;
  hc_buffer part; /* of the message */
  hc_range *ranges; /* [range_cap] of the `on` that is at hand */
  size_t range_cap;
  /* state */
  uint64_t decisions;
  hc_time thought;
};

/* ---- what is told (lines_say.c) ---- */

/** The first message: who asks, and the machine. In self->with.message. */
void hc_lines_say_hello(hc_policy *self, const hc_view *v);
/** What has changed since the last one. In self->with.message. @param is_more the program asked to go on
 *  @return 0 or HC_ENOMEM */
hc_rc hc_lines_say_decide(hc_policy *self, hc_view *v, const hc_why *why, bool is_more);
void hc_lines_say_bye(hc_policy *self);

/* ---- what is heard (lines_hear.c) ---- */

/** Does it speak this version? @return 0 or HC_EPOLICY */
hc_rc hc_lines_hear_hello(hc_policy *self, const char *text, size_t size);
/** Do what an answer says. @param has_more out: it wants to be asked again at once
 *  @return 0; HC_EPOLICY with what is wrong; HC_ENOMEM */
hc_rc hc_lines_hear_plan(hc_policy *self, hc_view *v, hc_plan *p, const char *text, size_t size,
                         bool *has_more);

#endif
