/* reserve.h -- when will there be room: what running tasks are expected to give back, and what is promised to
 * queued ones.
 *
 * The engine says what is taken and given back, and until when; it asks for the earliest start of a task, for
 * hosts at a time, and whether a start would leave all promises possible. Which of the implementations
 * answers is settled when the run is built:
 *
 *   none           no policy plans: nothing is kept, whatever fits is allowed
 *   counts         processors that are counted, or stand in ranges; a promise takes an amount for a time (counts.c)
 *   windows        hosts; a promise is a time, and perhaps hosts that others may use until then (windows.c)
 *   host_timeline  hosts; a promise takes amounts on named hosts for as long as the task is believed to run
 *
 * All of it is about believed ends. Questions change nothing that a policy could hear of.
 *
 * The room knows tasks by their number and asks the engine for the rest (hc_reserve_context). Memory: in
 * proportion to what runs and what is promised, and to the hosts where there are any. */
#ifndef HC_RESERVE_RESERVE_H
#define HC_RESERVE_RESERVE_H

#include "base/util.h"
#include "cluster/cell.h"
#include "hindcast/view.h"
#include "reserve/advance.h"
#include "reserve/ahead.h"

typedef struct hc_reserve_book hc_reserve_book;

#define HC_RESERVE_PAST INT64_MIN /* when what runs was taken */

/** What the engine tells of its tasks and its cell. Pointers are borrowed for the room's life. */
typedef struct hc_reserve_context {
  void *ctx;
  const hc_allocator *allocator;
  hc_arena *scratch;
  const hc_time *now;
  hc_cell *cell; /* as it is now, with the open plan applied */
  const hc_cell_spec *spec;
  hc_lexicon *lexicon;
  uint64_t seed, replication;
  const hc_hosts_gate *gate;
  const hc_advance *advance; /* NULL: there are no advance reservations */
  bool is_contiguous;        /* processors of a task must be one range */
  hc_request (*request)(void *ctx, hc_task t);
  int64_t (*units)(void *ctx, hc_task t);
  hc_time (*estimate)(void *ctx, hc_task t); /* while it is queued, on a host of speed 1 */
  hc_time (*on)(void *ctx, hc_task t, const hc_grant *grants, size_t count); /* the same on these hosts */
  hc_time (*at_speed)(hc_time work, double speed);
  /** What a task holds that runs or that the open plan has started. @param one room for a single grant */
  hc_rc (*held)(void *ctx, hc_task t, hc_grant *one, const hc_grant **grants, size_t *count);
  bool (*is_overdue)(void *ctx, hc_task t); /* it runs past the end that was expected at first */
  /** Call `f` for each such task, with its expected end. @return what a call returned that failed, or 0 */
  hc_rc (*running)(void *ctx, hc_rc (*f)(void *self, hc_task t, hc_time end), void *self);
  /** Tasks with a reservation, in no order, and their times. */
  size_t (*reserved)(void *ctx, const hc_task **tasks);
  hc_time (*reserved_at)(void *ctx, hc_task t); /* HC_NEVER: it has none */
  /** Is what it was promised known to the policy that asks? Where several schedulers promise, each sees its
   *  own. */
  bool (*is_seen)(void *ctx, hc_task t);
  /** A task loses its reservation, because a host of it went away. */
  hc_rc (*lose)(void *ctx, hc_task t);
  /** The hosts that the open view may use. @return 0: all */
  size_t (*scope)(void *ctx, const hc_range **hosts);
  /** Ask the placement where a task would go on these hosts, which have what they have at another time.
   *  @param at that time: only hosts are chosen that are not kept from the task before it would end there
   *  @param length it would run for so long; HC_UNKNOWN: each host's own @param free the most that any task
   *  could get there @param stamp another one when anything there has changed; 0: what placements look at
   *  besides amounts is told of the cell as it is now @param scope [count] only these; 0: all
   *  @param grants borrowed until the next choice @return how many grants; 0: it does not fit; HC_ENOMEM */
  hc_rc (*choose)(void *ctx, hc_hosts *on, hc_time at, hc_time length, int64_t free, uint64_t stamp,
                  hc_task t, const hc_range *scope, size_t count, const hc_grant **grants);
  /** Does this task fit wherever it did, once more is free? */
  bool (*rises)(void *ctx, hc_task t);
  /** Is a host away until announced downtime is over, when it returns? Where it is looked at at later times
   * it is there, and kept from all tasks until then. NULL: none is. */
  bool (*returns)(void *ctx, uint32_t host);
  void (*note)(void *ctx, hc_rc rc); /* a failure that a question cannot return */
} hc_reserve_context;

/** An implementation. A member that is NULL has nothing to do, or answers as `none` does. */
typedef struct hc_reserve_type {
  const char *name;
  size_t size; /* of what begins with hc_reserve_book */
  /** A reservation holds hosts for as long as the task is believed to run, rather than stand as a time. */
  bool holds_hosts;
  hc_rc (*init)(hc_reserve_book *r, hc_error *e);
  void (*fini)(hc_reserve_book *r);
  hc_rc (*visit)(hc_reserve_book *r, hc_visitor *v);
  void (*check)(hc_reserve_book *r); /* every invariant, walked */
  void (*ask)(hc_reserve_book *r);   /* a view is opened: forget what was found for another */
  /* what happens */
  hc_rc (*take)(hc_reserve_book *r, hc_task t, hc_time end, const hc_grant *grants, size_t count);
  hc_rc (*give)(hc_reserve_book *r, hc_task t, hc_time end, const hc_grant *grants, size_t count);
  hc_rc (*overdue)(hc_reserve_book *r, hc_task t, int64_t units, hc_time was, hc_time end);
  hc_rc (*moved)(hc_reserve_book *r, hc_task t, hc_time was, hc_time end, const hc_grant *grants,
                 size_t count);
  hc_rc (*host_changed)(hc_reserve_book *r, const hc_host_event *event, bool worse);
  hc_rc (*resized)(hc_reserve_book *r, hc_task t, const hc_request *had, const int64_t *to,
                   const hc_grant *grants, size_t count);
  hc_rc (*announced)(hc_reserve_book *r, size_t window);
  hc_rc (*passed)(hc_reserve_book *r, size_t window);
  /* promises */
  hc_rc (*promise)(hc_reserve_book *r, hc_task t, hc_time at, const hc_grant *grants, size_t count);
  hc_rc (*release)(hc_reserve_book *r, hc_task t, hc_time at);
  hc_rc (*hosts_of)(hc_reserve_book *r, hc_task t, const hc_grant **grants, size_t *count);
  /* questions */
  hc_slot (*earliest)(hc_reserve_book *r, hc_task t, hc_time from);
  int64_t (*least_free)(hc_reserve_book *r, hc_task t, hc_time from, hc_time to);
  bool (*begins)(hc_reserve_book *r, hc_task t, hc_time length);
  hc_rc (*ready)(hc_reserve_book *r); /* what it looks at later times on is there */
  /** Of each host whose amounts are known to change while the task would run from `at` on, the least that
   *  will be free there then, into r->ahead, which is empty. @param length HC_UNKNOWN: each host's own */
  hc_rc (*ahead)(hc_reserve_book *r, hc_task t, hc_time at, hc_time length);
  hc_rc (*place)(hc_reserve_book *r, hc_task t, hc_time at, const hc_grant **grants, size_t *count);
  bool (*holds)(hc_reserve_book *r, hc_task t, hc_time at, const hc_grant *grants, size_t count);
  bool (*allows)(hc_reserve_book *r, hc_task t, hc_time length, const hc_grant *grants, size_t count);
  bool (*leaves)(hc_reserve_book *r, hc_task t, uint32_t host);
  /* a start, where it is not the placement alone that chooses */
  hc_rc (*choose)(hc_reserve_book *r, hc_task t, const hc_grant **grants, size_t *count);
  void (*chosen)(hc_reserve_book *r, hc_task t);
} hc_reserve_type;

/* What all implementations begin with. */
struct hc_reserve_book {
  const hc_reserve_type *type;
  hc_reserve_context c;
  hc_time *window;   /* [hosts] from when on each is promised; NULL: none ever was */
  size_t promised;   /* hosts that are promised from a time on */
  uint64_t voided;   /* promises lost with a host */
  hc_ahead ahead;    /* of the last question; no state */
  bool promises_all; /* some selector plans every task: a promise is kept only where there is room for it */
};

/** @param expects some policy plans with expected ends @param promises_all and promises every task a start
 *  @return 0, HC_ENOMEM, or what the second cell's making returns */
hc_rc hc_reserve_new(const hc_reserve_context *c, bool expects, bool promises_all, hc_reserve_book **out,
                     hc_error *e);
void hc_reserve_free(hc_reserve_book *r);

/** When a promise of that length ends: a task of no length needs its processors at one time too, else others
 *  would be planned across it for ever. */
static inline hc_time hc_promised_until(hc_time at, hc_time length)
{
  return hc_time_add(at, HC_MAX(length, 1));
}

#define HC_RESERVE_TELL(r, what, ...) ((r)->type->what ? (r)->type->what((r), __VA_ARGS__) : 0)

/** A task takes what it asks for, after the cell gave it, until its expected end. @return 0 or HC_ENOMEM */
static inline hc_rc hc_reserve_take(hc_reserve_book *r, hc_task t, hc_time end, const hc_grant *grants,
                                    size_t count)
{
  return HC_RESERVE_TELL(r, take, t, end, grants, count);
}
/** It has given back what it had until then: undoes hc_reserve_take. @return 0 or HC_ENOMEM */
static inline hc_rc hc_reserve_give(hc_reserve_book *r, hc_task t, hc_time end, const hc_grant *grants,
                                    size_t count)
{
  return HC_RESERVE_TELL(r, give, t, end, grants, count);
}
/** Tasks past their expected end are believed to end together, at `end`; before they were at `was`. @param t
 *  the one that joins them; HC_NO_TASK: all of them @param units that they hold @return 0 or HC_ENOMEM */
static inline hc_rc hc_reserve_overdue(hc_reserve_book *r, hc_task t, int64_t units, hc_time was, hc_time end)
{
  return HC_RESERVE_TELL(r, overdue, t, units, was, end);
}
/** The expected end of a task moves, since it works at another rate. @return 0 or HC_ENOMEM */
static inline hc_rc hc_reserve_moved(hc_reserve_book *r, hc_task t, hc_time was, hc_time end,
                                     const hc_grant *grants, size_t count)
{
  return HC_RESERVE_TELL(r, moved, t, was, end, grants, count);
}
/** A host has changed. @param worse what is promised on it is void @return 0 or HC_ENOMEM */
static inline hc_rc hc_reserve_host_changed(hc_reserve_book *r, const hc_host_event *event, bool worse)
{
  return HC_RESERVE_TELL(r, host_changed, event, worse);
}
/** What a task holds where it is has become `to` in each of its slots. @return 0 or HC_ENOMEM */
static inline hc_rc hc_reserve_resized(hc_reserve_book *r, hc_task t, const hc_request *had,
                                       const int64_t *to, const hc_grant *grants, size_t count)
{
  return HC_RESERVE_TELL(r, resized, t, had, to, grants, count);
}
/** A window of an advance reservation is known from now on. @return 0 or HC_ENOMEM */
static inline hc_rc hc_reserve_announced(hc_reserve_book *r, size_t window)
{
  return HC_RESERVE_TELL(r, announced, window);
}
/** A window of an advance reservation is over. @return 0 or HC_ENOMEM */
static inline hc_rc hc_reserve_passed(hc_reserve_book *r, size_t window)
{
  return HC_RESERVE_TELL(r, passed, window);
}
/** Promise a queued task that has no promise a start. @param grants [count] its hosts; none: 0 @return 0 or
 *  HC_ENOMEM */
static inline hc_rc hc_reserve_promise(hc_reserve_book *r, hc_task t, hc_time at, const hc_grant *grants,
                                       size_t count)
{
  return HC_RESERVE_TELL(r, promise, t, at, grants, count);
}
/** Take back what it was promised for `at`. @return 0 or HC_ENOMEM */
static inline hc_rc hc_reserve_release(hc_reserve_book *r, hc_task t, hc_time at)
{
  return HC_RESERVE_TELL(r, release, t, at);
}
/** The hosts of its promise, in the scratch arena. *count is 0 if it names none. @return 0 or HC_ENOMEM */
hc_rc hc_reserve_hosts_of(hc_reserve_book *r, hc_task t, const hc_grant **grants, size_t *count);
/** The earliest start from `from` on as expected ends and promises have it; .at HC_NEVER: none. */
hc_slot hc_reserve_earliest(hc_reserve_book *r, hc_task t, hc_time from);
/** The least that is free of what tasks are counted by, during [from, to).
 *  @param t to this task, which may be of the users of an advance reservation; HC_NO_TASK: to any */
int64_t hc_reserve_least_free(hc_reserve_book *r, hc_task t, hc_time from, hc_time to);
bool hc_reserve_has_room(hc_reserve_book *r, hc_task t, hc_time length, const hc_grant *grants, size_t count);
/** May it run here (processors: anywhere) from now on for so long, beside advance reservations? Whatever is
 *  promised; there must be room at all. */
static inline bool hc_reserve_begins(hc_reserve_book *r, hc_task t, hc_time length, const hc_grant *grants,
                                     size_t count)
{
  return !r->c.advance || hc_reserve_has_room(r, t, length, grants, count);
}
/** Be ready to hear of what is given back and taken for a question alone. @return 0 or HC_ENOMEM */
static inline hc_rc hc_reserve_ready(hc_reserve_book *r)
{
  return r->type->ready ? r->type->ready(r) : 0;
}
/** Until hc_reserve_widen the cell's hosts have no more free than they will have while the task runs from now
 *  on. @param length HC_UNKNOWN: each host's own @return 0 or HC_ENOMEM, and nothing is to be widened */
hc_rc hc_reserve_narrow(hc_reserve_book *r, hc_task t, hc_time length);
void hc_reserve_widen(hc_reserve_book *r);
/** Where the placement would put it at `at`. @param grants borrowed until the next question
 *  @return 0; HC_EPOLICY: nowhere; HC_ENOMEM */
hc_rc hc_reserve_place(hc_reserve_book *r, hc_task t, hc_time at, const hc_grant **grants, size_t *count);
/** Could these hosts still be promised to it for that time? */
static inline bool hc_reserve_holds(hc_reserve_book *r, hc_task t, hc_time at, const hc_grant *grants,
                                    size_t count)
{
  return !r->type->holds || r->type->holds(r, t, at, grants, count);
}
/** Would every promise stay possible if it ran on these hosts from now on for so long? */
static inline bool hc_reserve_allows(hc_reserve_book *r, hc_task t, hc_time length, const hc_grant *grants,
                                     size_t count)
{
  return !r->type->allows || r->type->allows(r, t, length, grants, count);
}
/** Do the promises to others leave room for one slot of the task on this host, from now on for as long as it
 *  is believed to run there? For explanations. */
static inline bool hc_reserve_leaves(hc_reserve_book *r, hc_task t, uint32_t host)
{
  return !r->type->leaves || r->type->leaves(r, t, host);
}
/** From when on a host is promised; HC_NEVER. */
static inline hc_time hc_reserve_window(const hc_reserve_book *r, uint32_t host)
{
  return r->window ? r->window[host] : HC_NEVER;
}

/** What will be free, or kept for good, after all expected ends and promises, of processors; HC_UNKNOWN:
 * that is not counted. */
int64_t hc_counts_in_the_end(const hc_reserve_book *r);

/* windows.c: only where hosts are promised from a time on */
/** Would running on these hosts until `end` break a promise to another task? */
bool hc_windows_breaks(const hc_reserve_book *r, hc_task t, const hc_grant *grants, size_t count,
                       hc_time end);
bool hc_windows_names(const hc_reserve_book *r, hc_task t); /* is it promised hosts? */
bool hc_windows_all_name(const hc_reserve_book *r);         /* is every task that has a promise? */

#endif
