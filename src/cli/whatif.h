/* whatif.h -- what the files of `hindcast whatif` share. */
#ifndef HC_CLI_WHATIF_H
#define HC_CLI_WHATIF_H

#include "cli/groups.h"

/* ---- changes: whatif_change.c ---- */

/** What is changed at once, under one name. */
typedef struct cli_variant {
  char name[64];
  const char **changes; /* [count] each behind its name, borrowed from the line */
  size_t count;
} cli_variant;

typedef struct cli_variants {
  cli_variant *items; /* [count] the first is the base, with no change */
  size_t count;
} cli_variants;

/** Read every --change of the line. Close it even if this failed. @return 0, HC_EUSAGE, HC_ENOMEM */
hc_rc cli_variants_read(cli *c, cli_variants *out);
void cli_variants_close(cli_variants *v);
/** Lay the changes of a variant upon a configuration. @param base  the base's, resolved
 *  @return 0; HC_EUSAGE: a change that this base has no place for; as hc_config_set */
hc_rc cli_variant_lay(cli *c, const cli_variant *v, const hc_config *base, hc_config *config);

/* ---- the runs ---- */

typedef struct cli_whatif {
  cli *c;
  cli_variants variants;
  size_t copies; /* of the workload: itself, and those that are shaken */
  hc_store *store;
  hc_result *base;   /* of the base over the workload as it is */
  cli_records tasks; /* [count] of it */
  hc_result_facts facts;
  double *waits;     /* [variants][copies][tasks], s; NaN: it did not start and end. See cli_waits_of */
  hc_time *recorded; /* [tasks] starts in the log, ns; HC_UNKNOWN */
  hc_time *ran;      /* [tasks] how long it ran there */
  double *utilisation, *slowdown; /* [variants][copies]; NaN: not known */
} cli_whatif;

/** The waits of a variant over a copy. [tasks] */
static inline double *cli_waits_of(const cli_whatif *w, size_t variant, size_t copy)
{
  return w->waits + (variant * w->copies + copy) * w->tasks.count;
}

/* ---- calibration: whatif_calibrate.c ---- */

/* Why a job of the model does not start when it did. */
#define CLI_CAUSES(X) \
  X(SAME, "same", "as recorded") \
  X(HELD, "held", "earlier: the record held it though room was free and later jobs of its size started") \
  X(CLOSED, "closed", "earlier: the record started none of its size though room was free by count") \
  X(FULL, "full", "earlier: the record had no room then") \
  X(SMALL, "small", "later: the record ran more at once than this machine has") \
  X(BUSY, "busy", "later: the model has no room then") \
  X(BARRED, "barred", "later: the model has room, but its rules start it later") \
  X(NEVER, "never", "not at all: it does not start and end in the model")

typedef enum cli_cause {
#define X(name, word, text) CLI_CAUSE_##name,
  CLI_CAUSES(X)
#undef X
      CLI_CAUSE_COUNT
} cli_cause;

/* Of one comparison with the record. */
typedef struct cli_fit {
  double same, near;  /* shares of starts within `within`; within that or a tenth of the recorded wait */
  double error, wait; /* means of |error| and of the model's wait, s */
} cli_fit;

typedef struct cli_calibration {
  uint64_t jobs;      /* that the log has a start of, and the model takes */
  uint64_t without;   /* tasks of the model that it has none of */
  uint64_t waited;    /* jobs that waited longer than `within`, in the record or in the model */
  double waited_near; /* share of them that start near the record; NaN: there is none */
  hc_time within;     /* what counts as the same start */
  uint64_t count[CLI_CAUSE_COUNT];
  double error[CLI_CAUSE_COUNT]; /* mean of the model's start less the record's, s */
  cli_fit fit;                   /* of the workload as it is */
  hc_stat_mean shaken[4];        /* the same over the shaken copies, in the order of its members */
  double error_at[3];            /* quantiles 0.5, 0.9, 0.95 of |error|, s */
  double recorded_mean;
  double recorded_at[3], model_at[3]; /* quantiles of the wait */
} cli_calibration;

/** Compare the base with the record. @return 0, HC_ENOMEM */
hc_rc cli_calibrate(const cli_whatif *w, hc_time within, cli_calibration *out);
const char *cli_cause_word(cli_cause cause);
const char *cli_cause_text(cli_cause cause);
/** Whether the base explains too little of the record for its differences to be relied on. */
bool cli_calibration_warns(const cli_calibration *k);

/* ---- saying so: whatif_say.c ---- */

/** Look at the words of --by before anything else runs. @return as cli_whatif_say */
hc_rc cli_whatif_words(cli_whatif *w);
/** Show all. @param k  NULL: the log has no starts @return 0, HC_EUSAGE (a word of --by), HC_ENOMEM */
hc_rc cli_whatif_say(cli_whatif *w, const cli_calibration *k);

#endif
