/* philly_attempts.h -- the attempts of a job of Philly's log: how long they took, and what the first had. */
#ifndef HC_WORKLOAD_PHILLY_ATTEMPTS_H
#define HC_WORKLOAD_PHILLY_ATTEMPTS_H

#include "base/fields.h"
#include "base/json.h"
#include "hindcast/workload.h"

/* Keys of an attempt and of a machine, both ways. */
enum { HC_PHILLY_START, HC_PHILLY_END, HC_PHILLY_DETAIL, HC_PHILLY_ATTEMPT_KEYS };
extern const char *const hc_philly_attempt_keys[HC_PHILLY_ATTEMPT_KEYS];
extern const char hc_philly_gpus[];

/* Attempts as far as they have been read; zero at first but for the times, which are HC_UNKNOWN. */
typedef struct hc_philly_attempts {
  const char *wrong;                 /* what is; NULL */
  uint32_t machines[HC_DEVICES + 1]; /* of the first attempt with any: how many had so many GPUs */
  bool has_machines;
  bool is_open;             /* the last one started and did not end */
  uint64_t count, timed;    /* how many there are, and how many have a start and an end */
  hc_time start;            /* of the first one */
  hc_time first, last, sum; /* lengths */
} hc_philly_attempts;

/** Read the value of `attempts`, whose first token is `begin`. @param zone  of dates
 *  @return 0, or as hc_json_next. */
hc_rc hc_philly_read_attempts(hc_json *j, const hc_zone *zone, const hc_json_token *begin,
                              hc_philly_attempts *out, hc_error *e);

/* Which attempts a run time is made of. */
typedef enum hc_philly_which { HC_PHILLY_SUM, HC_PHILLY_FIRST, HC_PHILLY_LAST } hc_philly_which;

/** How long they took. @return false: it is not known yet, since the last one had not ended */
bool hc_philly_run(const hc_philly_attempts *a, hc_philly_which which, hc_time *out);
/** A number of GPUs alone: whole hosts, and one with the rest. */
void hc_philly_cut_gpus(hc_philly_attempts *a, int64_t gpus, int64_t per_host);

/** null, and what scripts write for it */
bool hc_philly_is_missing(const hc_json_token *t);
/** A date or a Unix time; HC_UNKNOWN if it is missing. @return false: it is none */
bool hc_philly_moment(const hc_zone *zone, const hc_json_token *t, hc_time *out);

static inline hc_field hc_philly_field(const hc_json_token *t)
{
  return (hc_field){.text = t->text, .length = t->size};
}

#endif
