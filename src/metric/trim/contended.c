/* contended.c -- the part of a run in which users compete: from the first instant at which a first task of
 * theirs fits on no host, until a user has no more tasks.
 *
 * Before it every user is served at once; after it a user that is left has more than its share because others
 * are gone, and neither tells how a policy divides a machine. A user has no more tasks when its last one
 * leaves the queue; one without queued tasks before the window begins does not end it. The bounds depend on
 * the policy: compare over fixed ones (window.c) too. A policy that stops at a task that does not fit may
 * never fill the machine, so that with `fits: none` there is no window, or a late one; `fits: not_all` begins
 * when the machine first has no room for a task. Source: section 5.2 of the thesis on DSLab-CS, which
 * measures so. */
#include "base/util.h"
#include "hindcast/metric.h"

typedef struct options {
  int fits; /* index into contended_from */
} options;

static bool keeps(const void *chosen, const hc_trim_input *in, uint64_t rank, const hc_task_record *task)
{
  const int i = ((const options *)chosen)->fits;
  HC_UNUSED(rank);
  return in->contended_from[i] != HC_UNKNOWN && task->start >= in->contended_from[i] &&
         task->start <= in->contended_to[i];
}

static void window(const void *chosen, const hc_trim_input *in, hc_time *from, hc_time *to)
{
  const int i = ((const options *)chosen)->fits;
  const bool ever = in->contended_from[i] != HC_UNKNOWN;
  *from = ever ? in->contended_from[i] : in->last_submit;
  *to = ever ? in->contended_to[i] : in->last_submit;
}

static const hc_param params[] = {
    HC_PARAM(CHOICE, options, fits, "not_all|none", "none",
             "When the window begins. none: no user's first queued task fits on any host; not_all: some "
             "user's first queued task fits on no host."),
    {.name = NULL},
};

const hc_trim_type hc_trim_contended = {
    .component =
        {HC_COMPONENT_HEAD(hc_trim_type, HC_KIND_TRIM), .name = "contended",
         .summary = "while users compete: nothing fits, and no user has run out of tasks",
         .detail =
             "The window begins at the first instant after which the first queued tasks of users, by "
             "submission, fit on no host (`fits`). It ends at the first instant at which the last task of a "
             "user leaves the queue, or with the run; users without queued tasks at its beginning do not end "
             "it. Keeps tasks that started in the window. Integrals run over the window. No task counts if "
             "there always was room.",
         .source = "the thesis on DSLab-CS (Development of a simulator of a computing cluster, HSE "
                   "University), section 5.2: the window of its fairness experiment", .params = params,
         .options_size = sizeof(options)},
    .keeps = keeps,
    .window = window,
    .needs_contention = true,
};
