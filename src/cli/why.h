/* why.h -- the story of a task: what blocked it, when, and who passed it; and its summary. For `hindcast why`
 * and `report`. */
#ifndef HC_CLI_WHY_H
#define HC_CLI_WHY_H

#include "cli/cli.h"

/* When a line is said, and for when it promises the task its start; HC_NEVER: it promises nothing. */
typedef struct cli_story_time {
  hc_time at, promised;
} cli_story_time;

typedef struct cli_story {
  cli_table lines;       /* time, text; as many as were asked for */
  cli_story_time *times; /* [lines] */
  size_t time_cap;
  uint64_t heard; /* how many there are */
} cli_story;

/* ---- the summary ---- */

/* Other tasks, by when they began to hold what the task waited for. Each is in one part. */
typedef enum cli_why_part {
  CLI_WHY_RUNNING, /* started before it came to its queue, or in that instant */
  CLI_WHY_AHEAD,   /* stood before it in its queue then */
  CLI_WHY_LATER,   /* were submitted after it, and started before it */
  CLI_WHY_OTHER,   /* were submitted before it, stood elsewhere or behind it, and started before it */
  CLI_WHY_PARTS
} cli_why_part;

/* Tasks, and what they held during the wait: units x seconds. */
typedef struct cli_why_held {
  uint64_t tasks;
  double held;
} cli_why_held;

typedef struct cli_why_user {
  int64_t user; /* -1: not known */
  cli_why_held of;
} cli_why_user;

/* The start that it is promised, as the lines of the story have it. */
typedef struct cli_why_promise {
  bool was_given, is_given;
  hc_time told, first, earliest, last; /* when it was given first; the starts promised */
  uint64_t moved, later, dropped;      /* to another start; of these to a later one; taken away */
  hc_time moved_at, from, to;          /* the first move to a later start; HC_UNKNOWN: there was none */
  uint64_t movers;                     /* tasks submitted later that started in that instant; needs rows */
  int64_t mover, mover_id;             /* the first of them: its serial, its number */
} cli_why_promise;

typedef struct cli_why_summary {
  hc_time submit, left;    /* its wait: up to its start, or to where it left the queue, or the run ended */
  hc_time queued;          /* the instant at whose end it stood in a queue first; HC_UNKNOWN: at none */
  int64_t *ahead;          /* [ahead_count] serials of those before it in its queue then, ascending */
  size_t ahead_count;
  hc_time first;           /* from then on it was first in its queue; HC_UNKNOWN: at its end it was not */
  hc_time none, few, many; /* of its wait: nothing free; less than it wants; as much as it wants, or more */
  double capacity, held;   /* units x seconds of its wait: of what was there, and in use */
  uint64_t held_exact;     /* the same in ns, modulo 2^64: what task rows have to come to */
  bool has_rows;           /* every task has a row: parts have tasks */
  bool adds_up;            /* and what rows say comes to what was held: parts have times */
  cli_why_held parts[CLI_WHY_PARTS];
  cli_why_held left_behind; /* of those ahead: the tasks that had not started when its wait ended */
  cli_why_user *users;      /* [user_count] of those ahead, the one that held most first */
  size_t user_count;
  cli_why_promise promise;
  /* while the run is watched */
  int64_t units, serial;
  hc_time at;   /* the last look; HC_UNKNOWN: there was none */
  hc_seen seen; /* what it saw */
} cli_why_summary;

/** Begin, before the run comes to the task's submission. Free it in any case. */
void cli_why_begin(cli_why_summary *s, const hc_task_record *task);
/** Look at the run at the end of an instant, from the task's submission on, each instant until it starts.
 *  @return 0, HC_ENOMEM */
hc_rc cli_why_look(cli_why_summary *s, hc_run *run);
/** A record of the story, also one whose words are not said again. */
void cli_why_hear(cli_why_summary *s, const hc_why_record *w);
/** Close it with the result's task rows, if it has one for each task. @return 0, HC_EIO, HC_EINPUT, HC_ENOMEM
 */
hc_rc cli_why_end(cli *c, hc_result *r, cli_why_summary *s);
void cli_why_summary_free(cli_why_summary *s);
/** Say it: for people, and as a member `summary` of an object.
 *  @param unit "processors", "cores" ... @param per  units to one of them */
void cli_why_say(cli *c, hc_result *r, const cli_why_summary *s, const char *unit, double per);
void cli_why_member(hc_result *r, const cli_why_summary *s, double per, hc_json_writer *j);

/* ---- the story ---- */

/** The task that a word means: its number, its name or that of its job, or # and a serial.
 *  @return 0, HC_EUSAGE (it names none, or several), HC_ENOTFOUND, HC_EIO, HC_ENOMEM */
hc_rc cli_why_task(cli *c, hc_result *r, const char *word, hc_task_record *out);

/** Run a result's configuration again up to a task's start, and hear what is said of that task.
 *  @param limit  lines that are kept  @param out  the caller's to free, also after a failure
 *  @param summary  begun; NULL: none is made
 *  @return 0; HC_EUSAGE (a log was recorded, not run), HC_EUNSUPPORTED (a closed world), HC_EINPUT (an input
 *  has changed or gone), or what the run says. Cost: that of the run up to then, and for a summary a look at
 *  each instant of the wait */
hc_rc cli_why_tell(cli *c, hc_result *r, const hc_task_record *task, int64_t limit, cli_story *out,
                   cli_why_summary *summary);
void cli_story_free(cli_story *s);

#endif
