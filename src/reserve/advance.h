/* advance.h -- advance reservations: hosts, or an amount of processors, kept free for some users at known
 * times.
 *
 * A reservation has one window or several (it may recur). In a window its users have at least what it keeps:
 * a task of others may hold a reserved host, or what the users leave of the rest of the processors, only
 * until the window begins as far as its estimate goes. Its users need not name it: a task of theirs may
 * start wherever there is room, and on processors what they hold counts first as part of what is kept for
 * them. (In Slurm a job names its reservation; traces do not say which, so use is implicit here.) What a
 * task of others holds past its estimate when a window begins it keeps.
 *
 * A window may be announced late: until then no question here knows of it.
 *
 * Other changes of hosts that are known ahead are windows too, of other kinds: hosts that drain, that are
 * away and will return, that will have other amounts (ahead.h).
 *
 * Here is what is known of hosts, without the state of a run: a question is a binary search in the windows
 * of a host. What is left of counted processors is beside.h. The room knows tasks by number alone: `may`
 * says whether one is of a reservation's users. Cost: memory in proportion to windows times their hosts. */
#ifndef HC_RESERVE_ADVANCE_H
#define HC_RESERVE_ADVANCE_H

#include "base/mem.h"
#include "cluster/cell.h"
#include "hindcast/view.h"

typedef enum hc_advance_kind {
  HC_ADVANCE_KEPT,  /* hosts or processors are kept from tasks of others, and away if it is downtime */
  HC_ADVANCE_DRAIN, /* nothing starts on the hosts; what runs there runs on */
  HC_ADVANCE_AWAY,  /* the hosts are away, and known to return at its end */
  HC_ADVANCE_RESIZE /* an instant: from then on the hosts have other amounts */
} hc_advance_kind;

typedef struct hc_advance_window {
  hc_time start, end;
  hc_time announced;    /* policies know of it from then on */
  uint32_t reservation; /* its reservation */
  bool is_known;        /* has been announced */
  int64_t units;        /* processors; 0: hosts */
  uint32_t first;       /* of hc_advance.hosts */
  uint32_t count;
  hc_advance_kind kind;
  const int64_t *capacity; /* RESIZE: [HC_DIMENSIONS] as in hc_host_event; borrowed */
} hc_advance_window;

typedef struct hc_advance {
  const hc_allocator *allocator;
  void *ctx;
  bool (*may)(void *ctx, uint32_t reservation, hc_task t); /* is it a task of the reservation's users? */
  bool (*is_away)(void *ctx, uint32_t host); /* now, and known to return; asked of windows AWAY */
  hc_advance_window *windows;                /* [count] by start, then as they were declared */
  size_t count, cap;
  hc_range *hosts;
  size_t host_count, host_cap;
  hc_time *ends;   /* [count] ascending */
  uint32_t *first; /* [units + 1] windows of a host, by start, are on[first[host]] to on[first[host + 1]] */
  uint32_t *on;
  size_t on_count;
  uint32_t units;   /* hosts of the cell; 0: processors */
  bool has_others;  /* windows of other kinds than KEPT */
  bool has_resizes; /* and RESIZE among them */
} hc_advance;

/** Add a window. @param hosts [count] ascending and disjoint; none: processors @return 0 or HC_ENOMEM */
hc_rc hc_advance_add(hc_advance *a, const hc_advance_window *w, const hc_range *hosts, size_t count);
/** All are there. @param clash two that have one host at one time @return 0; HC_EUSAGE: `clash` is set;
 *  HC_ENOMEM */
hc_rc hc_advance_settle(hc_advance *a, uint32_t units, const hc_advance_window *clash[2]);
void hc_advance_fini(hc_advance *a);

/** Does a window keep a task out, as far as is known? */
static inline bool hc_advance_bars_task(const hc_advance *a, size_t window, hc_task t)
{
  const hc_advance_window *w = &a->windows[window];
  return w->is_known && !a->may(a->ctx, w->reservation, t);
}

/** The first time from `at` on at which a host is kept from a task; `at`: it is now; HC_NEVER. */
hc_time hc_advance_closes(const hc_advance *a, hc_task t, uint32_t host, hc_time at);
/** Are these hosts open to a task during [from, to), at least the instant `from`? */
bool hc_advance_is_open(const hc_advance *a, hc_task t, hc_time from, hc_time to, const hc_grant *grants,
                        size_t count);
/** The first end of a window after a time, when hosts open, or have other amounts; HC_NEVER: none. */
hc_time hc_advance_opens(const hc_advance *a, hc_time after);
/** The last end of a window at or before a time. @return false: none */
bool hc_advance_opened(const hc_advance *a, hc_time by, hc_time *at);
/** From `from` on a task so long that fits stays fitting, if nothing is taken, until some window comes into
 *  its way: the first such time after `from`; HC_NEVER. All windows are KEPT. */
hc_time hc_advance_bars(const hc_advance *a, hc_task t, hc_time from, hc_time length);

#endif
