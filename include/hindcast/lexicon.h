/** @file lexicon.h The names of one run: its sources and its cell say the same thing with the same number.
 *
 *  Texts (hosts, features, users, queues), dimensions, and the rare facts of tasks, each kept once for all
 *  that are equal. */
#ifndef HINDCAST_LEXICON_H
#define HINDCAST_LEXICON_H

#include "hindcast/task.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Names, dimensions and rare facts of one run: its sources and its cell say the same thing with the same
 *  number. Reached through its first member, so that a component in a shared object can use it too. */
typedef struct hc_lexicon hc_lexicon;

/** What sources number, and may have names for. */
typedef enum hc_called {
  HC_CALLED_USER,
  HC_CALLED_GROUP,
  HC_CALLED_EXECUTABLE,
  HC_CALLED_QUEUE,
  HC_CALLED_PARTITION,
  HC_CALLED_COUNT
} hc_called;

typedef struct hc_lexicon_calls {
  uint32_t size, abi;
  uint32_t (*name)(hc_lexicon *l, const char *text, size_t n);
  const char *(*text)(const hc_lexicon *l, uint32_t name);
  int (*dimension)(hc_lexicon *l, const char *name, size_t n);
  const char *(*dimension_name)(const hc_lexicon *l, uint32_t dimension);
  uint32_t (*keep)(hc_lexicon *l, const hc_task_extras *m);
  const hc_task_extras *(*more)(const hc_lexicon *l, uint32_t handle);
  void (*hold)(hc_lexicon *l, uint32_t handle);
  void (*drop)(hc_lexicon *l, uint32_t handle);
  /* -- what users, queues ... are called -- */
  hc_rc (*call)(hc_lexicon *l, hc_called kind, int64_t number, const char *text, size_t n);
  const char *(*called)(const hc_lexicon *l, hc_called kind, int64_t number);
  void (*users_of_run)(hc_lexicon *l);
} hc_lexicon_calls;

static inline const hc_lexicon_calls *hc_lexicon_calls_of(const hc_lexicon *l)
{
  return *(const hc_lexicon_calls *const *)(const void *)l;
}
/** The number of a text: the same for the same text, a new one for a new one. Meant for what repeats
 *  (users, queues, features), not for the names of tasks. @return HC_NO_NAME: out of memory, or 2^24 names
 *  are known. */
static inline uint32_t hc_lexicon_name(hc_lexicon *l, const char *text, size_t n)
{
  return hc_lexicon_calls_of(l)->name(l, text, n);
}
/** The text of a number; "?" for a number that is none. Borrowed for the run's life. */
static inline const char *hc_lexicon_text(const hc_lexicon *l, uint32_t name)
{
  return hc_lexicon_calls_of(l)->text(l, name);
}
/** Say what a user, a queue ... is called: the source that numbers names does, once for each. Where two
 *  sources give one number to two names the first stays. Of a run with one source, executables are not kept:
 *  there may be as many as tasks. @return 0, HC_ENOMEM, HC_ELIMIT. */
static inline hc_rc hc_lexicon_call(hc_lexicon *l, hc_called kind, int64_t number, const char *text, size_t n)
{
  return hc_lexicon_calls_of(l)->call(l, kind, number, text, n);
}
/** What it is called; NULL if only its number is known. Borrowed for the run's life. */
static inline const char *hc_lexicon_called(const hc_lexicon *l, hc_called kind, int64_t number)
{
  return hc_lexicon_calls_of(l)->called(l, kind, number);
}
/** The run file itself says which users a source has (`user: ann` of a generator): ann is the same wherever
 *  it says so, and no other source's. Said while the source is opened. */
static inline void hc_lexicon_users_of_run(hc_lexicon *l)
{
  hc_lexicon_calls_of(l)->users_of_run(l);
}
/** The number of a dimension: cpu, memory, disk, gpu, or one that is new. @return -1: there is no room for
 *  another. */
static inline int hc_lexicon_dimension(hc_lexicon *l, const char *name, size_t n)
{
  return hc_lexicon_calls_of(l)->dimension(l, name, n);
}
/** The name of a dimension; NULL if there is none of that number. */
static inline const char *hc_lexicon_dimension_name(const hc_lexicon *l, uint32_t dimension)
{
  return hc_lexicon_calls_of(l)->dimension_name(l, dimension);
}
/** Keep rare facts, one copy of equal ones, until the handle is dropped. The arrays are copied.
 *  @return a handle; 0: out of memory. */
static inline uint32_t hc_lexicon_keep(hc_lexicon *l, const hc_task_extras *m)
{
  return hc_lexicon_calls_of(l)->keep(l, m);
}
/** What a handle stands for; NULL for 0. Borrowed until the handle is dropped. */
static inline const hc_task_extras *hc_lexicon_more(const hc_lexicon *l, uint32_t handle)
{
  return handle == 0 ? NULL : hc_lexicon_calls_of(l)->more(l, handle);
}

#ifdef __cplusplus
}
#endif
#endif
