/* concerned.h -- which tasks a slowdown is about: all of them, or those of some models, which are known by a
 * name that tasks say of themselves.
 *
 * A name is the lexicon's; what its source only numbers goes by its number. */
#ifndef HC_EXECUTION_CONCERNED_H
#define HC_EXECUTION_CONCERNED_H

#include "hindcast/execution.h"

typedef struct hc_concerned_options {
  hc_list tasks; /* const char * */
  int by;
} hc_concerned_options;

#define HC_CONCERNED_PARAMS(options, member) \
  HC_PARAM_AS( \
      TEXTS, "tasks", options, member.tasks, NULL, \
      "Names, or numbers, of the models whose tasks this entry is about: [resnet50, lm]. Each model may " \
      "have an entry of its own. Default: all tasks."), \
      HC_PARAM_AS( \
          CHOICE, "by", options, member.by, "executable|user|group|queue", "executable", \
          "Which name of a task is compared with `tasks`. executable: its program, or the name of its job. " \
          "user: its user. group: its group or account. queue: its queue.")

typedef struct hc_concerned {
  const hc_concerned_options *o;
  hc_lexicon *lexicon;
  int64_t (*number_of)(const char *name);
} hc_concerned;

/** @param o borrowed for its life @return 0, HC_ENOMEM. A name that no task has is told at the end. */
hc_rc hc_concerned_init(hc_concerned *c, const hc_slowdown_context *context, const hc_concerned_options *o);
/** Is it about this task? Cost: O(names). */
bool hc_concerns(const hc_concerned *c, const hc_slowdown_task *t);

#endif
