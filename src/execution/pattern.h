/* pattern.h -- patterns of communication: messages that are numbered and not listed.
 *
 * A pattern is a function from a number to a message (hc_message_of) and says how many numbers there are: a
 * ring of n has n, a stencil n times its neighbours. Its messages go each by itself, as flows that end when
 * they are done and share links with all others; or all together, as one activity that takes of each link
 * what all of them do and progresses at one rate. The second costs one activity whatever their number. */
#ifndef HC_EXECUTION_PATTERN_H
#define HC_EXECUTION_PATTERN_H

#include "hindcast/profile.h"

#define HC_TOGETHER_HELP \
  "How messages progress. false: each by itself, sharing links with all others. true: all at one rate, as " \
  "one activity (a parallel task), which max_activities counts once."

/** Start all messages. @return false: one could not be */
static inline bool hc_pattern_start(hc_profile *p, hc_message_of of, const void *ctx, uint64_t count,
                                    bool together)
{
  if (together) return p->calls->messages(p, of, ctx, count, 0) != HC_NO_ACT;
  for (uint64_t i = 0; i < count; i++) {
    hc_message m;
    if (of(ctx, i, &m) && hc_profile_transfer(p, m.from, m.to, m.bytes, 0) == HC_NO_ACT) return false;
  }
  return true;
}

/** Is the number of a process one of the task's? @return 0; HC_EINPUT with "`what` names process ..." */
static inline hc_rc hc_pattern_check(const char *what, int64_t process, uint32_t processes, hc_error *e)
{
  if (process < (int64_t)processes) return 0;
  return hc_fail(e, HC_EINPUT, "", 0, 0, "%s names process %lld, and the task's are numbered 0 to %u", what,
                 (long long)process, processes - 1);
}

/* ---- which processes ---- */

#define HC_PROCESSES_HELP "Numbers of the processes that do it, from 0. Default: all."
#define HC_PATH_HELP \
  "Path of the file, below a mount of the process's host: \"/scratch/result\". {task} and {process} stand " \
  "for the numbers of the task and of the process. Required."

#define HC_RANKS "all|root|even|odd"
#define HC_RANKS_HELP \
  "Which processes do it, where `processes` names none; for tasks whose number of hosts changes. all: each " \
  "process. root: process 0. even: those with even numbers. odd: those with odd numbers."
typedef enum hc_ranks { HC_RANKS_ALL, HC_RANKS_ROOT, HC_RANKS_EVEN, HC_RANKS_ODD } hc_ranks;

static inline bool hc_ranks_has(hc_ranks ranks, uint32_t process)
{
  switch (ranks) {
    case HC_RANKS_ROOT: return process == 0;
    case HC_RANKS_EVEN: return process % 2 == 0;
    case HC_RANKS_ODD: return process % 2 == 1;
    case HC_RANKS_ALL: break;
  }
  return true;
}

static inline uint32_t hc_processes_count(const hc_profile *p, const hc_list *processes)
{
  return processes->count > 0 ? (uint32_t)processes->count : p->processes;
}
static inline uint32_t hc_processes_at(const hc_list *processes, uint32_t i)
{
  return processes->count > 0 ? (uint32_t)((const int64_t *)processes->items)[i] : i;
}
static inline hc_rc hc_processes_check(const hc_list *list, uint32_t processes, hc_error *e)
{
  const int64_t *items = list->items;
  for (size_t i = 0; i < list->count; i++) {
    const hc_rc rc = hc_pattern_check("processes", items[i], processes, e);
    if (rc < 0) return rc;
  }
  return 0;
}

/** Each of them does the same to a file, and all are waited for.
 *  `io` is read before the first wait alone: it may lie on the caller's stack. */
static inline hc_rc hc_processes_file(hc_profile *p, const hc_list *processes, hc_ranks ranks,
                                      const hc_file_io *io)
{
  HC_PROFILE_BEGIN(p);
  for (uint32_t i = 0; i < hc_processes_count(p, processes); i++)
    if ((processes->count > 0 || hc_ranks_has(ranks, i)) &&
        p->calls->file(p, hc_processes_at(processes, i), io, 0) == HC_NO_ACT)
      return HC_PROFILE_FAILED;
  HC_WAIT_ALL(p);
  HC_PROFILE_END(p);
}

/** A process by its distance from the root, around all of them. */
static inline uint32_t hc_pattern_from(int64_t root, uint32_t distance, uint32_t processes)
{
  return (uint32_t)(((uint64_t)root + distance) % processes);
}

#endif
