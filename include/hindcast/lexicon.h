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

/** What sources number, and may have names for: members of hc_task_spec of the same name. What a source has
 *  under another word goes where policies look for its meaning, and the source may say the word
 *  (hc_lexicon_title): Slurm's account is the group, its QOS the queue, its job name the executable. Only
 *  where a source has two things for one of them (a Unix group and an account; a queue and a QOS) does it
 *  use both numbers; policies see the first.
 *
 *  Jobs and tasks have no kind: their names are as many as they are, and belong to the task
 *  (hc_lexicon_label, hc_task_spec.label). */
typedef enum hc_called {
  HC_CALLED_USER,
  HC_CALLED_GROUP,      /* or account */
  HC_CALLED_EXECUTABLE, /* or job name: the program, as far as the source tells programs apart */
  HC_CALLED_QUEUE,      /* or QOS */
  HC_CALLED_PARTITION,
  HC_CALLED_ACCOUNT, /* beside a group */
  HC_CALLED_QOS,     /* beside a queue */
  HC_CALLED_COUNT
} hc_called;

/** The general word for a kind: "user", "group", "executable", "queue", "partition", "account", "qos". */
HC_API const char *hc_called_word(hc_called kind);

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
  /* -- what a source calls its columns, and its tasks -- */
  hc_rc (*title)(hc_lexicon *l, hc_called kind, const char *word);
  const char *(*title_of)(const hc_lexicon *l, hc_called kind);
  hc_rc (*label)(hc_lexicon *l, const char *text, size_t n, uint32_t *handle);
  const char *(*label_text)(const hc_lexicon *l, uint32_t handle, size_t *n);
  void (*ask)(hc_lexicon *l, hc_called kind);
  hc_rc (*expect)(hc_lexicon *l, hc_called kind, const char *text);
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
/** Names of this kind will be asked for: those of executables are kept from now on, as they are not in every
 *  run. Said while a component is born. */
static inline void hc_lexicon_ask(hc_lexicon *l, hc_called kind)
{
  hc_lexicon_calls_of(l)->ask(l, kind);
}
/** A filter or a weight asks for this name: if no source of the run has it when all is read, the summary says so, and
 *  which one is like it. Said while a component is born. @param text  copied @return 0, HC_ENOMEM. */
static inline hc_rc hc_lexicon_expect(hc_lexicon *l, hc_called kind, const char *text)
{
  return hc_lexicon_calls_of(l)->expect(l, kind, text);
}
/** Say what a source calls a column: "account" of HC_CALLED_GROUP. Said while the source is opened, or when
 *  its columns are known, before its first task; the last word holds. Where several sources use different
 *  words, the run uses the general one. @param word  of at most 31 bytes of a-z, 0-9, _ ; copied
 *  @return 0, HC_EUSAGE (no such word). */
static inline hc_rc hc_lexicon_title(hc_lexicon *l, hc_called kind, const char *word)
{
  return hc_lexicon_calls_of(l)->title(l, kind, word);
}
/** What the column is called: as the source said, else "user", "group", "executable", "queue", "partition",
 *  "account", "qos". Borrowed until the next title. */
static inline const char *hc_lexicon_title_of(const hc_lexicon *l, hc_called kind)
{
  return hc_lexicon_calls_of(l)->title_of(l, kind);
}
/** Hold the name of one task, or of one job, as its source writes it, where the number that it has in the
 *  run is not that name: "123_4", a UUID, "j_2752/task_1". Not looked for among others, so that it costs a
 *  copy, and is gone with the task: for hc_task_spec.label and job_label. A handle as hc_lexicon_keep
 *  gives: `hold` and `drop` serve for both.
 *  @param handle  out: held once; 0: it would be of no use, or there is no text @return 0 or HC_ENOMEM */
static inline hc_rc hc_lexicon_label(hc_lexicon *l, const char *text, size_t n, uint32_t *handle)
{
  return hc_lexicon_calls_of(l)->label(l, text, n, handle);
}
/** The text of a label, which ends in a NUL that `n` (may be NULL) does not count. NULL for 0. Borrowed
 *  until the handle is dropped. */
static inline const char *hc_lexicon_label_text(const hc_lexicon *l, uint32_t handle, size_t *n)
{
  return handle == 0 ? NULL : hc_lexicon_calls_of(l)->label_text(l, handle, n);
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
/** One more holder of a handle of rare facts or of a label, and one less; 0 is no handle. */
static inline void hc_lexicon_hold_handle(hc_lexicon *l, uint32_t handle)
{
  if (handle != 0) hc_lexicon_calls_of(l)->hold(l, handle);
}
static inline void hc_lexicon_drop_handle(hc_lexicon *l, uint32_t handle)
{
  if (handle != 0) hc_lexicon_calls_of(l)->drop(l, handle);
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
