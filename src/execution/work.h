/* work.h -- how much work a task has and how fast it is done: the one record of it, and all that is computed
 * from it. See work.c. */
#ifndef HC_EXECUTION_WORK_H
#define HC_EXECUTION_WORK_H

#include "base/wide.h"

/* Times of work are those at speed 1; `ran` and `length` are those at the speed of the attempt, at its own
 * rate. */
typedef struct hc_work {
  hc_time run, estimate; /* at speed 1, of an attempt at another speed; HC_UNKNOWN: its speed is 1 */
  double speed;          /* of the attempt: of its slowest host, by its pace, by its width */
  double pace;           /* so many times as long where its plan starts it; 0: as long */
  hc_wide done;          /* of the attempt, up to `since`: length x HC_RATE_ONE */
  hc_time since;         /* HC_UNKNOWN: since the attempt began; later than now: it pauses until then */
  int64_t rate;          /* in force since then, of HC_RATE_ONE; suspended: 0 */
  int64_t set;     /* what a plan has set, open or not: in force unless it is suspended, or from now on */
  hc_time pause;   /* before that it does nothing for so long; 0 once that has happened */
  hc_time saved;   /* in earlier attempts: its run is what is left */
  hc_time restart; /* of its run, what goes to starting again */
  hc_wide area;    /* units x ns of the attempt, up to `sized` */
  hc_time sized;   /* HC_UNKNOWN: its size has not changed in this attempt */
  int64_t mean;    /* units of an attempt that is over, if its size changed; HC_UNKNOWN */
  uint32_t width;  /* slots that it asks for by itself, if it was molded, or is resized; 0: neither */
  uint32_t times;  /* that it was stopped and waited again */
} hc_work;

/* What is lost, in real time, if an attempt that ran so long is stopped: see hc_work_stop. */
typedef struct hc_work_loss {
  hc_time restart; /* went to starting again */
  hc_time lost;    /* is to be done again */
} hc_work_loss;

/* How long something takes at another speed: rounded up to a whole ns. */
hc_time hc_work_length(hc_time nominal, double speed);
/* The attempt begins, at this speed. @param length, estimate of speed 1; what they are there instead. */
void hc_work_begin(hc_work *w, double speed, hc_time *length, hc_time *estimate);
/* It is over, or was only tried: both are again what they were. */
void hc_work_end(hc_work *w, hc_time *length, hc_time *estimate);

/* What is done of the attempt by now. */
hc_wide hc_work_done(const hc_work *w, hc_time start, hc_time now);
/* The same in whole ns. */
hc_time hc_work_ran(const hc_work *w, hc_time start, hc_time now);
/* From now on it goes on at this rate, after its pause. A pause that is not over goes on. */
void hc_work_change(hc_work *w, hc_time start, hc_time now, int64_t rate);
/* When an attempt of this length ends: the first whole ns at which all of it is done, at the rate that is
 * set. As long as that is the one in force, and whatever `now` is, the answer is the same. @return HC_NEVER:
 * it does not */
hc_time hc_work_until(const hc_work *w, hc_time start, hc_time length, hc_time now);

/* Of the task's work, what an attempt that ran so long has done. @param run what it has to do in all, at
 * speed 1 */
hc_time hc_work_gained(const hc_work *w, hc_time ran, hc_time run);
/* What it costs to stop it, of which `saved` is kept. */
hc_work_loss hc_work_stop(const hc_work *w, hc_time ran, hc_time run, hc_time saved);
/* It waits again with so much saved, and will start again at this cost. @return how much less it has to do
 * then */
hc_time hc_work_save(hc_work *w, hc_time saved, hc_time overhead);
/* A run or estimate that has become so much less, and more by what starting again takes. */
hc_time hc_work_less(hc_time time, hc_time by, hc_time more);
/* What a record says of a task's run or estimate: with what earlier attempts did. @param length of the
 * attempt, or HC_UNKNOWN if it never began */
hc_time hc_work_whole(const hc_work *w, hc_time left, hc_time length);

/* From now on it has another size. @param units the one that it had */
void hc_work_resize(hc_work *w, hc_time start, hc_time now, int64_t units);
/* Its mean size over an attempt that ends now; HC_UNKNOWN: it was always the same. */
int64_t hc_work_size(const hc_work *w, hc_time start, hc_time now, int64_t units);

#endif
