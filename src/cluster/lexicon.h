/* lexicon.h -- names, dimensions and rare facts of one run, each kept once.
 *
 * Names are for what repeats: users, queues, features, hosts. Dimensions are few and fixed in number. Rare
 * facts (hc_task_extras: constraints, predecessors, explicit hosts) are counted by reference: equal ones
 * share a handle, and one that no task holds is forgotten, so that a run over 10^9 tasks keeps only those of
 * live tasks. The number of a name is the order in which it was first asked for: the same input gives the
 * same numbers. Labels, which name single tasks, go with the tasks that hold them. The public face
 * (hc_lexicon_calls) is in hindcast/lexicon.h. */
#ifndef HC_CLUSTER_LEXICON_H
#define HC_CLUSTER_LEXICON_H

#include "base/mem.h"
#include "hindcast/component.h"
#include "hindcast/lexicon.h"

hc_rc hc_lexicon_new(const hc_allocator *a, hc_lexicon **out);
/** That of one of several sources: what its numbers are called is its own, all else `run`'s, which outlives
 *  it. Made after hc_lexicon_share, if that is called. */
hc_rc hc_lexicon_new_within(hc_lexicon *run, hc_lexicon **out);
/** Is something of this kind called so? @param near out: else the name most like it, NULL if none is; borrowed */
bool hc_lexicon_knows(const hc_lexicon *l, hc_called kind, const char *text, const char **near);
/** The number of what is called so. @return false: nothing of this kind is */
bool hc_lexicon_number(const hc_lexicon *l, hc_called kind, const char *text, int64_t *number);
bool hc_lexicon_has_users_of_run(const hc_lexicon *l); /* hc_lexicon_users_of_run was called */
void hc_lexicon_free(hc_lexicon *l);
/** Two threads will call: every call locks from now on. Before there are two. */
void hc_lexicon_share(hc_lexicon *l);
/** How many dimensions are named so far: at least HC_DIM_OTHER. */
uint32_t hc_lexicon_dimensions(const hc_lexicon *l);
/** What a dimension is called from now on where its name is asked; it is found by its own name, as before.
 *  @return 0, HC_ENOMEM */
hc_rc hc_lexicon_show_dimension(hc_lexicon *l, uint32_t d, const char *text, size_t n);
/** How many names are known so far: 0, 1, ... */
uint32_t hc_lexicon_names(const hc_lexicon *l);
/** Say of every number what another lexicon calls it. @return 0, HC_ENOMEM, HC_ELIMIT. */
hc_rc hc_lexicon_call_all(hc_lexicon *l, const hc_lexicon *from);
/** As hc_lexicon_call, of a name that is made where none was said: of the number and its source ("b/7"). */
hc_rc hc_lexicon_call_made(hc_lexicon *l, hc_called kind, int64_t number, const char *text, size_t n);
bool hc_lexicon_is_made(const hc_lexicon *l, hc_called kind, int64_t number);
/** Keep at most so many names of each kind from now on, and those of executables too; what is called beyond
 *  that has no name, and is counted. At first (0) the limit is 2^24, and beyond it lies an error; executables
 *  are kept only of one source among several. */
void hc_lexicon_limit(hc_lexicon *l, size_t most);
/** Whether something was called at all, and whether a kind had more names than are kept. */
bool hc_lexicon_has_names(const hc_lexicon *l);
bool hc_lexicon_is_full(const hc_lexicon *l, hc_called kind);
/** What of a task's numbers (negative: none; of accounts and QOS 0, too) is met for the first time and has a
 *  name: a bit for each kind; `names` has these. @param unknown  out: a bit for each that has no name, though
 *  there were more than are kept @return the bits */
uint32_t hc_lexicon_meet(hc_lexicon *l, const int64_t numbers[HC_CALLED_COUNT],
                         const char *names[HC_CALLED_COUNT], uint32_t *unknown);
/** Names of executables are asked for: they are kept from now on. */
void hc_lexicon_keep_programs(hc_lexicon *l);
/** A sentence about names that were expected (hc_lexicon_expect) and that no source has, behind what `out`
 *  holds; nothing if there are none. */
void hc_lexicon_note_expected(const hc_lexicon *l, hc_buffer *out);
/** The same as an error, for `strict`. @return 0, HC_EUSAGE, HC_ENOMEM */
hc_rc hc_lexicon_refuse_unmet(const hc_lexicon *l, const hc_allocator *a, hc_error *e);
/** Labels are of no use: none is made from now on. */
void hc_lexicon_refuse_labels(hc_lexicon *l);
/** How many rare facts and labels are held now. */
size_t hc_lexicon_held(const hc_lexicon *l);
/** One more holder of a handle, and one less; 0 is no handle. */
void hc_lexicon_hold(hc_lexicon *l, uint32_t handle);
void hc_lexicon_drop(hc_lexicon *l, uint32_t handle);
/** Everything: names, dimensions, facts and how often each is held. @return 0, HC_ENOMEM, HC_EINPUT. */
hc_rc hc_lexicon_visit(hc_lexicon *l, hc_visitor *v);
hc_rc hc_lexicon_visit_called(hc_lexicon *l, hc_visitor *v); /* what numbers are called, alone */

#endif
