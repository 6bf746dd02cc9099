/* plan.h -- a study as it was read: its base, its axes, its points, and what is wanted of them.
 *
 * A point's number is its place in the product of the axes, the last axis changing fastest; the axis
 * `replication` is last. What is excluded has a number too, and is not a point. Nothing here knows how runs
 * are carried out. */
#ifndef HC_STUDY_PLAN_H
#define HC_STUDY_PLAN_H

#include "base/expr.h"
#include "base/value.h"
#include "hindcast/study.h"

#define HC_STUDY_POINTS UINT64_C(1000000000)
#define HC_STUDY_AXES 64

/* A key of the run that a level sets. */
typedef struct hc_patch {
  const char *path;
  const hc_value *value;
} hc_patch;

typedef struct hc_level {
  const char *label;
  double number; /* NaN if it is none */
  const hc_patch *patches;
  size_t patch_count;
  const hc_value *place; /* where it stands; NULL: made here */
} hc_level;

typedef struct hc_axis {
  const char *name;
  hc_level *levels;
  size_t count, cap;
  const hc_value *place;
  bool only_draws; /* sets seed or replication and nothing else */
  bool workload;   /* changes what arrives: the sources, or their draws */
  bool totals;     /* may change what a first pass over that comes to, before the last transform */
  bool is_shake;
} hc_axis;

/* What is left out: every item that is not empty must hold. */
typedef struct hc_exclusion {
  uint8_t **wanted; /* [axis_count] of [levels]: which levels it is about; NULL: any */
  hc_expr *when;    /* over the numbers of the axes; NULL */
} hc_exclusion;

typedef struct hc_study_stop {
  const char *figure; /* NULL: every replication is made */
  double half_width;
  bool relative; /* to the mean */
  uint64_t min, max;
} hc_study_stop;

/* A file that the study reads, or (in `named`) what a configuration calls one: perhaps a directory or a
 * pattern. */
typedef struct hc_noted_input {
  const char *path;
  uint64_t bytes;
  char checksum[33]; /* empty: it could not be read */
  uint64_t size;     /* and time of the last change, ns: as the system said when it was read */
  int64_t changed;
} hc_noted_input;

struct hc_study {
  const hc_allocator *allocator;
  hc_registry *registry;
  bool inputs_vary; /* an axis changes which files are read: one that is missing costs some points, not all */
  hc_arena arena;
  const char *file, *name;
  hc_value *tree, *base; /* {study: ...} with the base in it; the base */
  hc_value *via;         /* who carries it out; NULL: the study does not say */
  hc_axis *axes;
  size_t axis_count, axis_cap;
  uint64_t product, count; /* of the axes; less what is excluded */
  hc_exclusion *exclusions;
  size_t exclusion_count, exclusion_cap;
  const char **keep, **plain; /* [keep_count]; none: all. As wanted, and without HC_TRIMMED */
  size_t keep_count;
  double time_limit, cpu_limit; /* s a point; 0: none */
  hc_study_stop stop;
  hc_study_asked asked; /* without axes: nothing */
  const char **set;     /* [set_count] paths of keys of the base that the command set */
  size_t set_count;
  uint64_t shakes;
  hc_time shake_by;               /* ns: submissions */
  double shake_run;               /* share: run times */
  hc_noted_input *named, *inputs; /* [named_count], [input_count] */
  size_t named_count, named_cap, input_count, input_cap;
  size_t replication_axis; /* axis_count: none */
  hc_study_axis *shown;    /* [axis_count] */
};

/* levels.c */
hc_rc hc_study_read_axes(hc_study *s, const hc_value *axes, hc_error *e);
hc_rc hc_study_zip(hc_study *s, const hc_value *zip, hc_error *e);
/** An axis whose levels all set a key which an earlier one sets, or all of what that is part of, is an error.
 *  */
hc_rc hc_study_check_overlaps(hc_study *s, hc_error *e);
/** What a value is called as a level; NULL if out of memory. */
const char *hc_study_label(hc_study *s, const hc_value *v);
/** An axis of whole numbers that sets one key, or none (`path` NULL). */
hc_rc hc_study_count_axis(hc_study *s, const char *name, const char *path, uint64_t from, uint64_t count,
                          hc_error *e);
/** An axis with no level yet; NULL if out of memory. */
hc_axis *hc_study_add_axis(hc_study *s, const char *name, const hc_value *place);

/* asked.c */
/** What `compare` of a study file says. The texts are the value's. */
hc_rc hc_study_read_asked(hc_arena *a, const hc_value *v, hc_study_asked *out, hc_error *e);
/** Into the study, whose axes are complete; what it has not is an error. */
hc_rc hc_study_check_asked(hc_study *s, const hc_value *v, hc_error *e);

/* exclude.c */
hc_rc hc_study_read_exclusions(hc_study *s, const hc_value *exclude, hc_error *e);
bool hc_study_is_excluded(const hc_study *s, uint64_t point);

/* check.c */
/** Resolve the base, and it with each level once. */
hc_rc hc_study_check(hc_study *s, hc_error *e);

/* laid.c */
extern const char *const hc_study_dropped[]; /* up to a NULL: keys of a run that a point has not */
/** Of what the command sets: keys of the study, before it is read; keys of the base, once there is one; and
 *  whether an axis takes one of those away again. @return 0, HC_EUSAGE, HC_EINPUT, HC_ENOMEM */
hc_rc hc_study_lay_keys(hc_study *s, hc_value *study, const hc_study_laid *laid, hc_error *e);
hc_rc hc_study_lay_base(hc_study *s, const hc_study_laid *laid, hc_error *e);
hc_rc hc_study_check_laid(const hc_study *s, hc_error *e);

/* plan.c */
/** The known word nearest to one, NULL if none is near. */
const char *hc_study_nearest(const char *word, const char *const *words, size_t count);
hc_rc hc_study_check_keys(const hc_value *map, const char *what, const char *const *known, size_t count,
                          hc_error *e);
hc_axis *hc_study_axis_named(const hc_study *s, const char *name);
/** A figure's name without the word for the trimmed summary. */
const char *hc_study_plain(const char *name);
/** Digit of a point on an axis. */
uint32_t hc_study_digit(const hc_study *s, uint64_t point, size_t axis);
/** The study as JSON, on one line: what a journal keeps of it. Without what may change between two parts of
 *  one carrying out (limits, via). */
hc_rc hc_study_text(const hc_study *s, hc_buffer *out);
/** What a journal begins with: that, and on lines of their own the inputs. */
hc_rc hc_study_heading(const hc_study *s, hc_buffer *out);

#endif
