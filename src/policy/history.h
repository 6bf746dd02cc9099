/* history.h -- what has been learned of tasks that are alike: predictors by history.
 *
 * Tasks are alike by one of several templates (the same user, the same user and executable ...), which are
 * tried in turn: the first whose history is long enough answers. A predictor that is made of this has a
 * struct of options that begins with hc_history_options, one function that makes a prediction of a history,
 * and the calls of HC_HISTORY_CALLS.
 *
 * There are at most HC_HISTORIES_MOST histories, and at most HC_RUNS_MOST run times in their windows: what
 * comes later than that has none, and the note says how many. Cost: a look into a hash table for each
 * template that is tried. Memory: 72 bytes a history and 8 a run time in a window.
 * Source: templates as in Gibbons, JSSPP 1997, doi:10.1007/3-540-63574-2_16, and Smith, Foster and Taylor,
 * JSSPP 1998, doi:10.1007/BFb0053984. */
#ifndef HC_POLICY_HISTORY_H
#define HC_POLICY_HISTORY_H

#include "base/set.h"
#include "base/util.h"
#include "base/wide.h"
#include "hindcast/predictor.h"

#define HC_HISTORIES_MOST ((size_t)1 << 20)
#define HC_RUNS_MOST ((size_t)1 << 24)

enum { HC_HISTORY_KEY = 4 };

/* All of 64 bits: it is visited as it is. */
typedef struct hc_history {
  int64_t key[HC_HISTORY_KEY]; /* the template and up to three numbers; -1: not used */
  uint64_t count;              /* of ended tasks */
  hc_time last, before;        /* the run times of the last two, ns; HC_UNKNOWN: fewer have ended */
  hc_wide sum;                 /* of all, ns */
} hc_history;

typedef struct hc_history_options {
  hc_list by;    /* int: templates, in the order in which they are tried */
  int64_t least; /* so many tasks must have ended */
  double factor; /* of the prediction */
  bool renew;
} hc_history_options;

/** @param window [n] the last run times of a history, in no order; n: 0 without a window
 *  @return a prediction in ns, >= 0; HC_UNKNOWN: none */
typedef hc_time (*hc_history_answer)(const hc_history *h, const hc_time *window, size_t n,
                                     const void *options);

#define HC_HISTORY_BY "user|group|executable|queue|user_executable|user_units|user_limit|class|all"
#define HC_HISTORY_BY_HELP \
  "Which tasks count as alike (templates); several are tried in turn, and the first one with a history " \
  "that is long enough is used. user: those of the same user. group: of the same group or account. " \
  "executable: of the same program or job name. queue: of the same queue. user_executable: of the same " \
  "user and program. user_units: of the same user, and as wide. user_limit: of the same user, and asking " \
  "for the same time. class: of the same user and program, and as wide. all: every task. A task for which " \
  "the source does not give such a property has no history by it."
#define HC_HISTORY_PARAMS(struct_, head, default_by, default_least) \
  HC_PARAM_AS(CHOICES, "by", struct_, head.by, HC_HISTORY_BY, default_by, HC_HISTORY_BY_HELP), \
      HC_PARAM_AS(INT, "least", struct_, head.least, "tasks", default_least, 1, 1e9, \
                  "Number of such tasks that must have ended; else the next template of `by` is tried, and " \
                  "after the last the prediction is the task's limit."), \
      HC_PARAM_AS(REAL, "factor", struct_, head.factor, "1", "1", 1e-6, 1e6, \
                  "Predictions are multiplied by this."), \
      HC_PARAM_AS(BOOL, "renew", struct_, head.renew, "false", \
                  "Are predictions of queued tasks made anew whenever other tasks have ended, until they " \
                  "start? Orders by estimate sort them anew then, and promises are kept where there is " \
                  "still room. false: a task is predicted once, when it is submitted.")
#define HC_HISTORY_DETAIL \
  "Only tasks that have ended by then, by themselves or at their limits, count. A prediction of a second " \
  "or more is rounded down to whole seconds, and none is above the task's limit; for a task without a " \
  "history the prediction is its limit. At most 2^20 histories are kept, with 2^24 run times in windows; " \
  "tasks beyond that have no history, and the result says how many these were."

/** @param options lives as long as the predictor @param window run times that are kept of a history; 0 */
hc_rc hc_history_new(const hc_allocator *a, const void *options, size_t window, hc_history_answer answer,
                     hc_predictor **out, hc_error *e);
hc_time hc_history_predict(const hc_predictor *self, const hc_predictor_task *t);
hc_rc hc_history_learn(hc_predictor *self, const hc_predictor_task *t, hc_time run);
hc_rc hc_history_visit(hc_predictor *self, hc_visitor *v);
void hc_history_free(hc_predictor *self);
hc_rc hc_history_note(const hc_predictor *self, hc_buffer *out);
bool hc_history_renews(const void *options);

#define HC_HISTORY_CALLS \
  .init = init, .predict = hc_history_predict, .learn = hc_history_learn, .visit = hc_history_visit, \
  .fini = hc_history_free, .note = hc_history_note, .renews = hc_history_renews

#endif
