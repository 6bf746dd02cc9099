/** @file study.h
 *  Many runs from one file, what they found, and how sure it is.
 *
 *  A study is a configuration and axes: keys of it that take several values. Its points are the product of
 *  the axes, less what it excludes, times its replications. A point is a run without a store of its own: what
 *  is kept of it are figures. All of them come to one table, `hc_study_data`, in the order of the points,
 *  whatever carried them out and in whatever order. */
#ifndef HINDCAST_STUDY_H
#define HINDCAST_STUDY_H

#include "hindcast/component.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what a study found ---- */

/** What became of a point. */
typedef enum hc_point_state {
  HC_POINT_OPEN, /* not carried out yet */
  HC_POINT_DONE,
  HC_POINT_FAILED,  /* its run ended with an error, which is kept */
  HC_POINT_CRASHED, /* its process died */
  HC_POINT_LATE     /* it passed the limit of time and was stopped */
} hc_point_state;

/** One axis: a key, or several that change together. The axis `replication`, if there is more than one, is
 *  the last. */
typedef struct hc_study_axis {
  const char *name;          /* "policy.order", or the name that the study gives it */
  uint32_t count;            /* levels */
  const char *const *labels; /* [count] "sjf" */
  const double *numbers;     /* [count] the value where it is a number, else NaN */
} hc_study_axis;

/** One figure that was kept. */
typedef struct hc_study_figure {
  const char *name, *unit; /* "wait_mean", "s" */
  int direction;           /* 1 higher is better, -1 lower is, 0 neither, or it is not known */
} hc_study_figure;

/** What a study file says is to be compared with what. No axis: it says nothing. */
typedef struct hc_study_asked {
  const char *const *axes;    /* [axis_count] whose levels are told apart */
  const char *const *figures; /* [figure_count] none: the first */
  size_t axis_count, figure_count;
  const char *baseline; /* label of a choice; NULL: the first */
} hc_study_asked;

/** A whole study in memory. Point p has level[p * axis_count + a] on axis a; a figure that a point does not
 *  have is NaN. */
typedef struct hc_study_data {
  const char *name;
  uint32_t axis_count, figure_count;
  uint64_t point_count;
  const hc_study_axis *axes;
  const hc_study_figure *figures;
  const uint32_t *level;      /* [point_count * axis_count] */
  const uint8_t *state;       /* [point_count] hc_point_state */
  const double *const *value; /* [figure_count][point_count] */
  hc_study_asked asked;       /* by its file */
} hc_study_data;

/** Read a study's store. It owns what it gives; free it with hc_study_data_free.
 *  @return 0, HC_EIO, HC_EVERSION, HC_EINPUT (no store of a study), HC_ENOMEM. */
HC_API hc_rc hc_study_data_load(const hc_allocator *a, const char *path, hc_study_data **out, hc_error *e);
HC_API void hc_study_data_free(const hc_allocator *a, hc_study_data *d);

/* ---- a study that is to be carried out ---- */

/** A study as its file says it, checked: docs/studies.md has the form. */
typedef struct hc_study hc_study;

/** What a command lays upon a study file. Zeroed: nothing. */
typedef struct hc_study_laid {
  uint64_t
      shakes; /* so many shaken copies of each workload beside it, whatever the file says; 0: as it says */
  /* Over what the file has: keys of the study, "replications=20", "axes.load=[0.5, 0.9]", "stop.max=50" (a
   * value that is empty leaves the key out), and keys of the base, "policy.select.depth=4"; the value is
   * YAML. A key of the base that an axis sets too is an error. */
  const char *const *set; /* [set_count] */
  size_t set_count;
} hc_study_laid;

/** Read a study file, and find everything that can be wrong with it before anything runs: unknown keys, axes
 *  over keys that no run has (each level is laid on the base and resolved once), an empty product, axes of
 *  unequal length that go together, more than 10^9 points. Shared objects that the base names are loaded into
 *  the registry, which is borrowed.
 *  @param laid  what is laid upon the file, and belongs to the study from then on; NULL: nothing
 *  @return 0, HC_EIO, HC_EINPUT (no YAML), HC_EUSAGE or HC_ELIMIT with place and remedy, HC_EUNSUPPORTED,
 *  HC_ENOMEM. */
HC_API hc_rc hc_study_read(const hc_allocator *a, hc_registry *r, const char *path, const hc_study_laid *laid,
                           hc_study **out, hc_error *e);
/** The same from a text. @param name what errors call it. @return as hc_study_read. */
HC_API hc_rc hc_study_parse(const hc_allocator *a, hc_registry *r, const char *text, size_t size,
                            const char *name, hc_study **out, hc_error *e);
HC_API void hc_study_free(hc_study *s); /* NULL is fine */

/** What a study comes to. */
typedef struct hc_study_facts {
  const char *name;
  const hc_study_axis *axes; /* [axis_count] borrowed from the study */
  uint32_t axis_count;
  uint64_t product, points; /* of the axes; less what is excluded */
  uint64_t replications;    /* at most, if it stops by itself */
  bool stops;               /* some replications may not be needed */
} hc_study_facts;
HC_API void hc_study_facts_of(const hc_study *s, hc_study_facts *out);
/** The levels of number `number` of the product (the last axis runs fastest). @param levels [axis_count] out
 *  @return false: there is no such number, or it is excluded. */
HC_API bool hc_study_has_point(const hc_study *s, uint64_t number, uint32_t *levels);

/** What some points cost. */
typedef struct hc_study_trial {
  uint64_t points, failed;
  double seconds;    /* a point, on average, on one core; reading or making its workload included */
  char failure[256]; /* of the first that failed */
  bool is_cut; /* the trial ended before all were tried; with one point: it takes longer than `seconds` */
} hc_study_trial;
/** Carry out a few points, spread over the study and at most 64, in a process of their own and for at most
 *  ten seconds, and keep nothing of them.
 *  @return 0, HC_EIO (no process). A point that fails, crashes or passes the study's limit of time is
 *  counted. */
HC_API hc_rc hc_study_try(hc_study *s, uint64_t points, hc_study_trial *out, hc_error *e);

/** How far a study has come. */
typedef struct hc_study_progress {
  uint64_t points; /* that are wanted, of this shard */
  uint64_t done, failed, crashed, late;
  uint64_t before;   /* of these, from an earlier time */
  char failure[512]; /* of the first point in order that has one, "policy=easy, load=0.9: why"; empty: none */
  char note[128];    /* what a carrier has to say, "slurm job 17: 3 running, 5 waiting (Priority)"; empty */
} hc_study_progress;

/** A file that a study reads. */
typedef struct hc_study_input {
  const char *path;
  uint64_t bytes;
  char checksum[33]; /* fast, 128 bits, hexadecimal */
  bool is_known;     /* false: it could not be read, and has neither */
} hc_study_input;

/** How a study is carried out. Zeroed but for `out`: here, on every core. */
typedef struct hc_study_carrying {
  const char *out; /* the store; what is known so far is beside it, in OUT.points */
  /* The carrier: its name, or `{use: slurm, partition: short}`. NULL: as the study says; a shard: "local". */
  const char *via;
  const char *const *with; /* [with_count] options of the carrier, "partition=short", laid upon these */
  size_t with_count;
  uint32_t jobs;          /* of them; 0: one a core */
  uint64_t shard, shards; /* this part (from 1) of so many, and no store: see hc_study_merge. 0: all of it */
  double time_limit, cpu_limit; /* s a point; 0: as the study says */
  bool resume;                  /* go on with what OUT.points has; else a study that was begun is an error */
  bool again;                   /* forget it */
  bool retry;                   /* resume, and carry out again what failed, crashed or was late */
  /** Told some ten times a second. @return false: stop. May be NULL. */
  bool (*tick)(void *ctx, const hc_study_progress *p);
  void *ctx;
} hc_study_carrying;

/** What a carrier has to carry out: its shape is for the carriers of this library alone. */
typedef struct hc_task_list hc_task_list;
/** A carrier: who carries points out. One file in src/study and one line in carriers.def. */
typedef struct hc_carrier_type {
  hc_component component;
  /** See that every open point of the list becomes known. @return 0, HC_ECANCELLED, HC_EUSAGE, HC_EIO,
   *  HC_ENOMEM */
  hc_rc (*carry)(hc_task_list *t, const void *options, hc_error *e);
} hc_carrier_type;

/** A key of a study file (below `study:`) or of a file of statements, and what it says. */
typedef struct hc_file_key {
  const char *name, *help;
} hc_file_key;
/** The keys that there are, the last with a NULL name; constant. */
HC_API const hc_file_key *hc_study_keys(void);
HC_API const hc_file_key *hc_claims_keys(void);

/** See whether the files that a study reads are there, before anything runs.
 *  @param tell  told a sentence of each file that some points need and that cannot be read; returns 0 to go
 *  on
 *  @return 0; HC_EINPUT (a file that every point needs cannot be read); or what `tell` returned. Cost: one
 *  system call a file. */
HC_API hc_rc hc_study_look_at_inputs(const hc_study *s, hc_rc (*tell)(void *ctx, const char *text), void *ctx,
                                     hc_error *e);
/** Carry it out. Points that fail do not stop it: they are in the store with their reasons. When every point
 *  has come to its end the store is written in one go and takes its name; its bytes depend on the study and
 *  its inputs alone, not on jobs, shards, interruptions or order.
 *  @param p out: how far it came, also if it fails
 *  @return 0; HC_ECANCELLED (`tick` said so; OUT.points has what is done); HC_EUSAGE (begun before, another
 *  study of that name, or an input that has changed since; with the remedy); HC_EINPUT (an input that changed
 *  meanwhile); HC_EIO, HC_ENOMEM. */
HC_API hc_rc hc_study_carry_out(hc_study *s, const hc_study_carrying *how, hc_study_progress *p, hc_error *e);
/** How far OUT.points says that a study has come, while it is carried out or after. @param path the store or
 *  that file
 *  @return 0, HC_EIO, HC_EINPUT (no such file), HC_EVERSION, HC_ENOMEM. */
HC_API hc_rc hc_study_status(const hc_allocator *a, hc_registry *r, const char *path, hc_study_progress *out,
                             hc_error *e);
/** Read a study's store, or, while there is none, what is known so far: points that are not known are open.
 *  It may be carried out meanwhile. Free it with hc_study_data_free.
 *  @param r     for what its file names; NULL: one of its own
 *  @param path  the store, OUT.points, or a part of a shard
 *  @param p     out: how far all of it has come; points 0: there is its store
 *  @return as hc_study_data_load and hc_study_status. Nothing is written. Since 0.2. */
HC_API hc_rc hc_study_data_so_far(const hc_allocator *a, hc_registry *r, const char *path,
                                  hc_study_data **out, hc_study_progress *p, hc_error *e);
/** Whether there is no store at `path` but what is known of the points of one, or `path` is that. */
HC_API bool hc_study_is_open(const char *path);
/** The files that a study was begun with, by path. @param path  the store, the file beside it, or a part of a
 *  shard
 *  @param each  told each of them, borrowed for the call; returns 0 to go on
 *  @return as hc_study_status, or what `each` returned. Since 0.1. */
HC_API hc_rc hc_study_inputs_each(const hc_allocator *a, const char *path,
                                  hc_rc (*each)(void *ctx, const hc_study_input *input), void *ctx,
                                  hc_error *e);
/** Write the store from the parts that shards made, in any order. @param paths [count] of them
 *  @param partial  points that are in no part stay open; else that is an error
 *  @return 0; HC_EUSAGE (parts of different studies or of different inputs, a part that is missing); as
 *  hc_study_status. */
HC_API hc_rc hc_study_merge(const hc_allocator *a, hc_registry *r, const char *const *paths, size_t count,
                            const char *out, bool partial, hc_study_progress *p, hc_error *e);

/* ---- how sure a figure is ---- */

/** A mean and how sure it is. */
typedef struct hc_estimate {
  uint64_t count;   /* values */
  uint32_t batches; /* means that the interval is made of */
  double mean;
  double half_width; /* of the 95 % interval, in the values' unit; NaN below two batches */
} hc_estimate;

/** Mean of a correlated series and its 95 % confidence interval by batch means: the series is cut into
 * `batches` consecutive parts of equal length (the first ones longer by one), whose means are taken as
 * independent, and the interval is Student's t over them. Fewer values than batches: each is a batch.
 *  @param values [count] in order of submission; @param batches 2 to 1000, 30 is usual
 *  @return 0, or HC_EUSAGE if `batches` is out of range. Cost: O(count), no memory. Deterministic.
 *  Source: Law and Kelton, Simulation Modeling and Analysis, section 9.5.3. */
HC_API hc_rc hc_estimate_mean(const double *values, size_t count, uint32_t batches, hc_estimate *out);

/** Mean of independent values, and Student's t interval. Values that are NaN are left out and not counted. */
typedef struct hc_stat_mean {
  uint64_t count;
  double mean;
  double deviation;  /* sample standard deviation; NaN below two values, as what follows */
  double half_width; /* of the interval, in the values' unit */
  double relative;   /* half_width / |mean| */
  double low, high;  /* mean -+ half_width; or the bootstrap's, if that was asked for */
} hc_stat_mean;

/** @param values [count]; @param level 0.95 for 95 %, above 0 and below 1
 *  @return 0, or HC_EUSAGE if the level is out of range. Cost: O(count), no memory. Deterministic.
 *  Source: Law and Kelton, Simulation Modeling and Analysis, section 4.5. Since 0.1. */
HC_API hc_rc hc_stat_mean_of(const double *values, size_t count, double level, hc_stat_mean *out);

/** How an interval of a mean is made. */
typedef enum hc_stat_interval {
  HC_STAT_T,          /* Student's t */
  HC_STAT_PERCENTILE, /* bootstrap, percentiles of the resampled means */
  HC_STAT_BCA,        /* bootstrap, bias-corrected and accelerated */
  /* Student, of one further sample and not of the mean: t s sqrt(1 + 1/n); for a single published run */
  HC_STAT_PREDICTION
} hc_stat_interval;

/** A bootstrap: B resamples of the values with replacement, their means sorted, and the (B + 1) p-th of them,
 *  between neighbours in proportion. */
typedef struct hc_stat_bootstrap {
  hc_stat_interval kind; /* HC_STAT_PERCENTILE or HC_STAT_BCA */
  double level;          /* 0.95 */
  uint32_t resamples;    /* B, 99 to 1000000; 0: 1999 */
  uint64_t seed, entity; /* name the random stream: (seed, resample, entity, bootstrap) */
} hc_stat_bootstrap;

/** Interval of the mean of `values` [count] by the bootstrap. NaN are left out; below two values the bounds
 *  are NaN.
 *  @return 0, HC_EUSAGE (level, resamples or kind), HC_ENOMEM. Cost: O(B count + B log B). Deterministic.
 *  Source: Efron and Tibshirani, An Introduction to the Bootstrap, chapters 13 and 14. Since 0.1. */
HC_API hc_rc hc_stat_bootstrap_mean(const hc_allocator *a, const double *values, size_t count,
                                    const hc_stat_bootstrap *b, double *low, double *high);

/** Paired differences x - y under common random numbers, and three tests that there is none. */
typedef struct hc_stat_pairs {
  hc_stat_mean difference; /* of the pairs of which both are numbers */
  uint64_t above, below;   /* pairs with x > y, x < y */
  double t;                /* mean / (deviation / sqrt(count)) */
  double rank_sum;         /* Wilcoxon's W+, the sum of ranks of the positive differences; zeros left out */
  double p_t, p_sign, p_wilcoxon; /* two-sided */
  bool is_exact;                  /* p_wilcoxon: every assignment of signs was counted; else normal */
} hc_stat_pairs;

/** Wilcoxon's distribution is exact up to 50 differences that are not zero, ties included (mid-ranks, all 2^n
 *  signs counted); beyond, normal with the correction for ties and for continuity. The sign test is exact. If
 *  all differences are equal, t is infinite and p_t 0, or 1 if they are zero.
 *  @param x, y [count], pair i is (x[i], y[i]); @return 0, HC_EUSAGE (level), HC_ENOMEM.
 *  Cost: O(count log count). Deterministic. Source: Conover, Practical Nonparametric Statistics, sections 3.4
 *  and 5.7; Wilcoxon 1945, doi:10.2307/3001968. Since 0.1. */
HC_API hc_rc hc_stat_pairs_of(const hc_allocator *a, const double *x, const double *y, size_t count,
                              double level, hc_stat_pairs *out);

/** Correction of p values for having asked several questions. */
typedef enum hc_stat_adjustment {
  HC_STAT_HOLM,       /* step-down; bounds the chance of any false finding */
  HC_STAT_BONFERRONI, /* p times their number */
  HC_STAT_BENJAMINI,  /* Benjamini-Hochberg; bounds the expected share of false findings */
  HC_STAT_NONE
} hc_stat_adjustment;

/** Adjusted p values, to be compared with the wanted level as they are. NaN stay NaN and are not counted.
 *  @param p, adjusted [count]; may be the same array. @return 0 or HC_ENOMEM. Cost: O(count log count).
 *  Source: Holm 1979 (Scandinavian Journal of Statistics 6); Benjamini and Hochberg 1995,
 *  doi:10.1111/j.2517-6161.1995.tb02031.x. Since 0.1. */
HC_API hc_rc hc_stat_adjust(const hc_allocator *a, hc_stat_adjustment how, const double *p, size_t count,
                            double *adjusted);

/** One choice against the best of the others: simultaneous bounds of (its mean - the best other mean), turned
 *  so that more is better. */
typedef struct hc_stat_choice {
  double mean;
  double low, high; /* low <= 0 <= high; low is 0 for a sole winner */
  bool may_be_best; /* its upper bound is not below zero */
} hc_stat_choice;

/** Multiple comparisons with the best (Hsu 1984), with paired differences whose widths are Bonferroni's: with
 *  probability `level` the best choice is among those that may be best, whatever the dependence between
 *  choices, so common random numbers make it sharper and never wrong.
 *  @param values [choices][count], sample i of every choice under the same random numbers; NaN: none
 *  @return 0, HC_EUSAGE (no choice, level), HC_ENOMEM. Cost: O(choices^2 count). Deterministic.
 *  Source: Hsu 1984, doi:10.1214/aos/1176346732; Nelson and Matejcik 1995, doi:10.1287/mnsc.41.12.1935. Since
 *  0.2. */
HC_API hc_rc hc_stat_best(const hc_allocator *a, const double *const *values, size_t choices, size_t count,
                          double level, bool higher, hc_stat_choice *out);

/** Wilson's interval of a share, `hits` of `count`. NaN if count is 0. Source: Wilson 1927,
 *  doi:10.1080/01621459.1927.10502953. Since 0.1. */
HC_API void hc_stat_wilson(uint64_t hits, uint64_t count, double level, double *low, double *high);

/** How many replications a wanted precision takes. */
typedef enum hc_stat_rule {
  HC_STAT_SEQUENTIAL, /* Chow-Robbins: replicate until the t interval of all values so far is narrow enough */
  HC_STAT_TWO_STAGE   /* Stein: the first `first` values alone decide how many there will be */
} hc_stat_rule;

typedef struct hc_stat_precision {
  hc_stat_rule rule;
  double level;      /* 0.95 */
  double half_width; /* wanted, in the values' unit; 0: no such wish */
  double relative;   /* wanted half width / |mean|, 0.05; 0: no such wish. Both: both */
  uint32_t first;    /* replications before anything is decided, at least 2; 0: 10 */
  uint32_t most;     /* never more than this; 0: no limit */
} hc_stat_precision;

/** Pure: the same values give the same answer. Sequential: `*needed` <= count says stop; else it is what the
 *  present deviation foretells, more than `count`, to be asked again on the way (do not jump there at once:
 *  take half of what is missing). Two-stage: final; max(first, ceil((t s / d)^2)) with t and s of the first
 *  values, which guarantees the level for normal values. A relative wish r is tested as r / (1 + r), because
 *  the mean is estimated too. @param values [count] in order of replication, none of them NaN
 *  @return 0, or HC_EUSAGE (no wish, a value out of range). Cost: O(count), no memory.
 *  Source: Chow and Robbins 1965, doi:10.1214/aoms/1177700156; Stein 1945, doi:10.1214/aoms/1177731088; Law
 *  and Kelton, section 9.4.1, for the relative wish. Since 0.1. */
HC_API hc_rc hc_stat_needed(const double *values, size_t count, const hc_stat_precision *wish,
                            uint64_t *needed);

/* ---- questions to a study ---- */

/** What a question is about. The levels of `axes` are what is told apart: each combination is a choice, named
 *  by its labels with " " between. `where` fixes or restricts axes: "load>=0.5", "scenario=1",
 *  "policy=easy,fcfs", "policy!=rfs", "file==a,b.swf" (one label, comma and all); all of them must hold. The
 *  levels of the axes in `over` are the samples, paired between choices: a sample is the mean of the figure
 *  over all axes that are neither told apart nor sampled. A combination of these that a choice never has is
 *  left out of its mean; a sample that lacks one that others have does not count (`holes`). A difference
 *  between two choices is taken over the combinations that both have. */
typedef struct hc_study_query {
  const char *figure;
  const char *const *axes; /* [axis_count] */
  size_t axis_count;
  const char *const *where; /* [where_count] */
  size_t where_count;
  const char *const *over; /* [over_count]; none: "replication" */
  size_t over_count;
  double level;              /* of intervals; 0: 0.95 */
  int direction;             /* 1: higher is better; -1: lower is; 0: as the figure's declaration says */
  hc_stat_interval interval; /* of means */
  uint32_t resamples;        /* of the bootstrap; 0: 1999 */
  uint64_t seed;             /* of the bootstrap */
} hc_study_query;

/** One choice of a table. */
typedef struct hc_study_cell {
  const char *label;     /* "sjf easy" */
  const uint32_t *level; /* [axis_count] */
  hc_stat_mean stat;     /* count 0: no point */
  uint64_t holes;        /* samples that are incomplete: points failed, or not carried out yet */
  uint32_t parts;        /* combinations of the other axes that it is averaged over */
  uint64_t missing;      /* points that failed, or were not carried out yet */
} hc_study_cell;

typedef struct hc_study_cells {
  const char *figure, *unit;
  int direction;
  uint32_t axis_count, count;
  const uint32_t *axis;       /* [axis_count] number of the axis in the study */
  const hc_study_cell *cells; /* [count] the last axis runs fastest; all levels of the axes, in their order */
} hc_study_cells;

/** Means of one figure for each choice. Free with hc_study_cells_free.
 *  @return 0; HC_EUSAGE with the nearest name (no such axis, level or figure; an axis told apart and
 *  sampled); HC_ELIMIT (more than 2^28 combinations); HC_ENOMEM. Deterministic. Since 0.1. */
HC_API hc_rc hc_study_table(const hc_allocator *a, const hc_study_data *d, const hc_study_query *q,
                            hc_study_cells **out, hc_error *e);
HC_API void hc_study_cells_free(const hc_allocator *a, hc_study_cells *c);

/** What a comparison says. */
typedef enum hc_study_verdict {
  HC_VERDICT_BETTER,  /* significantly better than the baseline */
  HC_VERDICT_WORSE,   /* significantly worse */
  HC_VERDICT_SAME,    /* every sample is the same, or the interval lies within the margin */
  HC_VERDICT_DIFFERS, /* significantly different, of a figure that is neither better high nor low */
  HC_VERDICT_UNCLEAR, /* the interval holds zero and more than the margin */
  HC_VERDICT_NO_DATA  /* fewer than two pairs that differ in more than chance can say */
} hc_study_verdict;
HC_API const char *hc_study_verdict_name(hc_study_verdict v); /* "better" ... */

typedef enum hc_stat_test { HC_STAT_TEST_T, HC_STAT_TEST_SIGN, HC_STAT_TEST_WILCOXON } hc_stat_test;

typedef struct hc_study_against {
  const char *baseline; /* label of a choice; NULL: the first that has points */
  hc_stat_test test;    /* whose p value decides */
  hc_stat_adjustment adjustment;
  double margin; /* relative to the baseline's mean: differences within it do not matter; 0: none */
} hc_study_against;

typedef struct hc_study_difference {
  const char *label;
  hc_stat_mean stat;   /* of the choice itself, over all that it ran */
  hc_stat_pairs pairs; /* choice - baseline */
  double p, adjusted;  /* of the test that decides */
  hc_study_verdict verdict;
} hc_study_difference;

typedef struct hc_study_differences {
  const char *figure, *unit, *baseline;
  int direction;
  hc_stat_mean stat; /* of the baseline */
  uint32_t count;
  const hc_study_difference
      *rows; /* [count] in order of the axes, without the baseline and what has no point */
} hc_study_differences;

/** Every choice against a baseline, paired by sample. @return as hc_study_table. Since 0.1. */
HC_API hc_rc hc_study_compare(const hc_allocator *a, const hc_study_data *d, const hc_study_query *q,
                              const hc_study_against *against, hc_study_differences **out, hc_error *e);
HC_API void hc_study_differences_free(const hc_allocator *a, hc_study_differences *c);

/** One pair of choices under shaking: how often their order is not the one of their means. */
typedef struct hc_study_flip {
  const char *better, *worse;   /* by their means */
  uint64_t flips, ties, shakes; /* samples where the order is the other one; where both are equal; all */
  double share, low, high;      /* flips / shakes and Wilson's interval */
} hc_study_flip;

typedef struct hc_study_fragility {
  const char *figure;
  int direction;
  const char *winner;      /* by its mean */
  uint64_t wins, shakes;   /* samples in which none is better than the winner; all complete ones */
  double share, low, high; /* wins / shakes: the chance that the winner stays the winner */
  uint32_t count;
  const hc_study_flip *flips; /* [count] every pair, most fragile first */
} hc_study_fragility;

/** How fragile a ranking is when its input is shaken: the samples (`over`, usually an axis `shake`) are
 *  perturbed copies of one input. @return as hc_study_table. Source: Tsafrir, Ouaknine and Feitelson, MASCOTS
 *  2007 (input shaking). Since 0.1. */
HC_API hc_rc hc_study_shake(const hc_allocator *a, const hc_study_data *d, const hc_study_query *q,
                            hc_study_fragility **out, hc_error *e);
HC_API void hc_study_fragility_free(const hc_allocator *a, hc_study_fragility *f);

/** Which combination is best, by Polezhaev's eight steps. The levels of `group` (what selects tasks) are each
 *  given their best level of `choice` (what places them), for each figure by itself; these winners are laid
 *  over each other; the overall choice is made by the primary figures. */
typedef struct hc_best_query {
  const char *group, *choice; /* axes; choice NULL: none */
  const char *scene;          /* axis of scenarios, each judged by itself; NULL: none */
  const char *const *primary, *const *performance, *const *secondary; /* names of figures */
  size_t primary_count, performance_count, secondary_count;
  const char *const *where, *const *over; /* as in hc_study_query */
  size_t where_count, over_count;
  const char *const *higher, *const *lower; /* figures whose direction is said here */
  size_t higher_count, lower_count;
  double level; /* 0: 0.95 */
} hc_best_query;

typedef enum hc_best_role { HC_BEST_PRIMARY, HC_BEST_PERFORMANCE, HC_BEST_SECONDARY } hc_best_role;
/** "primary", "performance", "secondary"; "?" for what is none. Constant text. */
HC_API const char *hc_best_role_name(hc_best_role r);

/** Steps 4 and 5: one group with the choice that suits it best by one figure. */
typedef struct hc_best_row {
  const char *group, *choice; /* labels; choice "" if there is none */
  const char *ties;           /* choices that cannot be told from it, the best one first, with " " between */
  hc_stat_mean stat;
  uint32_t rank;    /* among the rows, from 1; equal means share one */
  bool may_be_best; /* cannot be told from the best row: hc_stat_best */
} hc_best_row;

typedef struct hc_best_figure {
  const char *name, *unit;
  int direction;
  hc_best_role role;
  uint32_t count;
  const hc_best_row *rows; /* [count] best first */
} hc_best_figure;

/** Step 7: a combination that may be the best by some primary figure. */
typedef struct hc_best_candidate {
  const char *label, *group, *choice;
  uint32_t firsts; /* primary figures by which it may be the best of the candidates */
  uint32_t primary_ranks, performance_ranks; /* sums of its ranks among the candidates */
  bool is_chosen; /* as many firsts as the first one: the primary figures do not tell them apart */
} hc_best_candidate;

/** Step 8: a chosen combination beside the champion of a secondary figure. */
typedef struct hc_best_beside {
  const char *figure, *unit, *chosen, *champion; /* labels */
  hc_stat_mean of_chosen, of_champion;
  hc_stat_pairs pairs; /* chosen - champion */
  double adjusted;     /* p of t, Holm over the scene's rows of this kind */
  hc_study_verdict verdict;
} hc_best_beside;

/** How often a level of `choice` suits a group best, or cannot be told from the best: over groups and primary
 *  figures. */
typedef struct hc_best_vote {
  const char *choice;
  uint32_t best, tied, of;
} hc_best_vote;

typedef struct hc_best_scene {
  const char *label; /* "" if there is one only */
  uint32_t figure_count, candidate_count, beside_count, vote_count;
  const hc_best_figure *figures;
  const hc_best_candidate *candidates; /* best first: firsts, then primary ranks, then performance ranks */
  const hc_best_beside *beside;
  const hc_best_vote *votes;
} hc_best_scene;

typedef struct hc_best_found {
  uint32_t scene_count, common_count, common_group_count;
  const hc_best_scene *scenes;
  const char *const *common;       /* labels chosen in every scene */
  const char *const *common_group; /* groups chosen in every scene, whatever their choice */
} hc_best_found;

/** @return as hc_study_table. Deterministic. Source: Polezhaev 2010, "the best algorithm of a scenario",
 *  steps 1 to 8, with stated ties in place of looking at graphs. Since 0.1. */
HC_API hc_rc hc_study_best(const hc_allocator *a, const hc_study_data *d, const hc_best_query *q,
                           hc_best_found **out, hc_error *e);
HC_API void hc_best_found_free(const hc_allocator *a, hc_best_found *f);

/* ---- published statements as checks ---- */

typedef enum hc_claim_verdict {
  HC_CLAIM_CONFIRMED,
  HC_CLAIM_NOT_CONFIRMED,
  HC_CLAIM_UNDECIDABLE
} hc_claim_verdict;
/** "confirmed", "not confirmed", "undecidable"; "?" for what is none. Constant text. */
HC_API const char *hc_claim_verdict_name(hc_claim_verdict v);

/** One comparison that a statement rests on. For "better" and "gap" the difference is turned so that more is
 *  better. */
typedef struct hc_claim_line {
  const char *figure, *unit, *where;   /* where: the conditions, with ", " between */
  const char *left, *relation, *right; /* "backfill" "better than" "fcfs" */
  hc_stat_mean of_left, of_right;
  hc_stat_pairs pairs;
  double margin;           /* of "tie", in the figure's unit */
  double p_for, p_against; /* one-sided, Holm over the statement: that it holds, that the contrary holds */
  hc_claim_verdict verdict;
  hc_stat_test test; /* whose p values these are */
} hc_claim_line;

typedef struct hc_statement {
  const char *id, *text, *source;
  const char *why; /* what is missing from the study; NULL */
  hc_claim_verdict verdict, expected;
  uint32_t count;
  const hc_claim_line *lines;
} hc_statement;

typedef struct hc_claims {
  const char *name;
  double level;
  uint32_t count, verdicts[3], unexpected;
  const hc_statement *claims;
} hc_claims;

/** Decide the statements of a YAML file over a study. The file:
 *
 *      level: 0.95            # of intervals, and 1 - level of all decisions within one statement
 *      over: replication      # axes that are sampled
 *      where: [load>=0.5]     # conditions of all statements
 *      claims:
 *        - id: 2
 *          text: MPFS Scan is best by utilisation, Backfill next
 *          figure: utilisation             # or a list: each of them
 *          axis: selection                 # what A and B are levels of; a list: "selection placement"
 *          where: [scenario=1]             # takes the place of conditions on the same axis
 *          order: [mpfs_scan, backfill, [fcfs_scan, lwjf_scan]]
 *
 *  Tests: `equal: [A, B]` or `equal: every` (the same in each sample); `tie:` likewise (within `margin`, a
 *  share of the second's mean, 0.05); `order:` (each is better than what follows it; a list within stands on
 *  one step); `best:` and `worst:` (the named against all other levels, without those in `besides`); `gap:
 *  {between: [A, B], smaller: CONDITIONS, larger: CONDITIONS}` (the relative lead of A over B is larger there
 *  than here); `most: {better: A, than: B}` (by more than half of the figures); `value: {of: A, least: x,
 *  most: y}` (the figure lies between them); `ratio: {of: A, to: B, least: x, most: y}` (and so many times
 *  B's); `all: [...]` (several of these, which inherit the rest). `each: axis` repeats a test at every level.
 *  `direction: higher` turns a figure; `test: wilcoxon` takes the p values of Wilcoxon's signed ranks in
 *  place of Student's t (`test: t`); `expect: not confirmed` says what is known beforehand.
 *
 *  A comparison holds if its one-sided p value, corrected by Holm over the statement, is below half of 1 -
 *  level, and its contrary likewise. A statement is confirmed if all its comparisons hold, not confirmed if
 *  the contrary of one holds, else undecidable.
 *  @param where  [where_count] conditions that hold for every statement beside its own, as in hc_study_query;
 *  no statement takes their place. NULL with 0: none
 *  @return 0; HC_EINPUT with file, line and column; HC_EUSAGE (a condition of `where` that names nothing);
 *  HC_EIO; HC_ENOMEM. What the study has not makes a statement undecidable, with the reason. Since 0.1. */
HC_API hc_rc hc_claims_check(const hc_allocator *a, const hc_study_data *d, const char *path,
                             const char *const *where, size_t where_count, hc_claims **out, hc_error *e);
HC_API void hc_claims_free(const hc_allocator *a, hc_claims *c);

#ifdef __cplusplus
}
#endif
#endif
