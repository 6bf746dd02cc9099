/* saves.h -- checkpoints of tasks that do what their profiles say. See saves.c. */
#ifndef HC_EXECUTION_SAVES_H
#define HC_EXECUTION_SAVES_H

#include "execution/running.h"

#define HC_SAVER (UINT32_MAX - 1) /* hc_doing.owner: it belongs to a checkpoint of its task */

typedef enum hc_save_level { HC_SAVE_LOCAL, HC_SAVE_GLOBAL, HC_SAVE_LEVELS } hc_save_level;

typedef enum hc_saver_state {
  HC_SAVER_IDLE,    /* its task works */
  HC_SAVER_REPLAYS, /* it comes to where its checkpoint was, at one time */
  HC_SAVER_WRITES,
  HC_SAVER_READS
} hc_saver_state;

/* Something that went on when a checkpoint was written. */
typedef struct hc_open_act {
  double left, all; /* work, bytes, or the part of a parallel task; of so much */
  hc_time time;     /* of what has an event: what is left until then; HC_NEVER: it has none */
  uint32_t ordinal; /* in the order in which its task began them, from 1 */
  uint32_t member;  /* of a computation on each process: which; HC_NO_ONE: all of it, or another kind */
} hc_open_act;

/* A checkpoint. */
typedef struct hc_snap {
  uint64_t number;      /* from 1; 0: there is none */
  hc_time work, worked; /* that it holds, of all attempts, at speed 1 and in real time */
  hc_time writing;      /* of the attempt that wrote it, up to then */
  uint64_t level;       /* hc_save_level, as it is read */
  uint64_t places;      /* that its task had */
  size_t log_count;     /* entries of the log that lie before it */
  hc_open_act *open;
  size_t open_count, open_cap;
} hc_snap;

/* What is known of the checkpoints of a task, in all of its attempts. */
typedef struct hc_saver {
  uint64_t serial; /* of its task */
  hc_saving rule;
  uint32_t *log; /* what its profiles were told, in order */
  size_t log_count, log_cap, replayed;
  hc_snap snaps[HC_SAVE_LEVELS];           /* the one that the attempt began with stands as the global one */
  uint64_t number;                         /* of the next checkpoint */
  hc_time base, had;                       /* work, and time worked, that earlier attempts have saved */
  hc_time began;                           /* what it writes or reads now */
  hc_time writing, reading;                /* of this attempt */
  hc_time lasted;                          /* time that it worked in the attempt, once it is over */
  uint32_t ordinal;                        /* of the activity that its profiles began last */
  uint32_t state, level;                   /* hc_saver_state; hc_save_level of what is written or read */
  uint32_t moves;                          /* bytes; before them it takes its fixed time */
  uint32_t going;                          /* activities that write or read now */
  uint32_t is_suspended, is_late, padding; /* is_late: one is due, and the task is at a scheduling point */
} hc_saver;

/* Of an activity, beside its hc_doing. */
typedef struct hc_ordinal {
  double all, begun; /* work or bytes of all of it, and of what was left when it began */
  uint32_t ordinal, padding;
} hc_ordinal;

/* All of it: nothing of it is there where no task writes checkpoints. */
struct hc_saves {
  char paths[HC_SAVE_LEVELS][HC_PROFILE_PATH]; /* of stores; "": what is there without a path */
  bool stores[HC_SAVE_LEVELS];
  hc_saver **of; /* [of_cap] by task; NULL: it has none */
  size_t of_cap;
  hc_ordinal *ordinals; /* [ordinal_cap] by activity */
  size_t ordinal_cap;
  uint32_t replays; /* running tasks that come to their checkpoints */
  uint32_t latest;  /* that was found to do so; no state */
  bool passes;      /* what a replay tells is told */
  hc_ready *held;   /* what was to be told in a replay before its turn; empty between calls */
  size_t held_count, held_cap;
};

hc_rc hc_saves_open(hc_doings *d, const char *store, const char *local, hc_error *e);
void hc_saves_fini(hc_doings *d);
hc_rc hc_saves_visit(hc_doings *d, hc_visitor *v);

/* -- only if d->saves -- */

/** A task begins, with what earlier attempts of it have left if it writes checkpoints. */
hc_rc hc_saves_begin(hc_doings *d, const hc_activity *a);
/** @return NULL: it writes none */
hc_saver *hc_saver_of(const hc_doings *d, uint32_t running);
/** What it does is to begin. @return true: it reads its last checkpoint first, and then hc_doings_work is
 *  called */
bool hc_saves_go(hc_doings *d, uint32_t running);
/** It has come to its end: what it has saved is not needed any more. */
void hc_saves_over(hc_doings *d, uint32_t running);
/** Its attempt is over. */
void hc_saves_leave(hc_doings *d, uint32_t running);
/** The time between two checkpoints is over. */
void hc_saves_due(hc_doings *d, uint32_t act);
/** The task goes on from a scheduling point. */
void hc_saves_point_over(hc_doings *d, uint32_t running);
/** A part of what is written or read is over. */
void hc_saves_done(hc_doings *d, uint32_t running, hc_act_end how);
/** A plan suspends it while it writes or reads. @return false: it does not */
bool hc_saves_suspend(hc_doings *d, uint32_t running, bool is_suspended);
/** Does an activity belong to a checkpoint? */
bool hc_saves_owns(const hc_doings *d, uint32_t act);
/** And is it one that is being written? */
bool hc_saves_writes(const hc_doings *d, uint32_t act);
/** An activity has begun; it is given its ordinal. */
hc_rc hc_saves_number(hc_doings *d, uint32_t act);
/** Something is to be told to an instance. @return true: not now */
bool hc_saves_hold(hc_doings *d, const hc_ready *x);
/** It is told. */
void hc_saves_log(hc_doings *d, const hc_ready *x);
/** One step of tasks that come to their checkpoints. @return false: none does */
bool hc_saves_replay(hc_doings *d);

/* How an activity begins. */
typedef enum hc_begins {
  HC_BEGINS,     /* as it is */
  HC_BEGINS_DRY, /* not at all: it was over when the checkpoint was written, and its end will be told */
  HC_BEGINS_REST /* with what is left of it */
} hc_begins;
/** Of so much work, or so many bytes, what is left; the whole of it is kept. */
double hc_saves_rest(hc_doings *d, uint32_t act, double all, const hc_open_act *open);
hc_begins hc_saves_begins_now(const hc_doings *d, uint32_t act, const hc_open_act **open);
/** @param open out: what is left, with HC_BEGINS_REST; valid until its task writes its next checkpoint */
static inline hc_begins hc_saves_begins(const hc_doings *d, uint32_t act, const hc_open_act **open)
{
  return d->saves && act != HC_NO_ONE ? hc_saves_begins_now(d, act, open) : HC_BEGINS;
}

void hc_saves_tell(const hc_doings *d, hc_time now, uint32_t task, bool locals, hc_work_saved *out);
void hc_saves_lose(hc_doings *d, uint32_t task, bool all);

#endif
