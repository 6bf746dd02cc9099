/* scale.h -- an axis: where a value lies on the page, and which values have a mark with a label.
 *
 * Linear axes have marks at 1, 2 or 5 times a power of ten; logarithmic ones at powers of ten, between them
 * at 2 and 5 where there is room; time has those of clocks and calendars. As many marks as have room: no two
 * labels touch. Seconds are said in the unit that suits their range. */
#ifndef HC_OUTPUT_SCALE_H
#define HC_OUTPUT_SCALE_H

#include "hindcast/base.h"

enum { HC_TICKS = 64 };

typedef enum hc_scale_kind {
  HC_SCALE_LINEAR,
  HC_SCALE_LOG,
  HC_SCALE_TIME,    /* values are seconds from the run's origin */
  HC_SCALE_STANDING /* values are 0, 1, 2 ...: things that have names */
} hc_scale_kind;

typedef struct hc_tick {
  double at;
  char label[40]; /* empty: a mark alone */
} hc_tick;

/** When a result's origin was, for time. No date known: unix_start HC_UNKNOWN. */
typedef struct hc_calendar_of_site {
  int64_t unix_start;
  int32_t offset;
  const hc_allocator *allocator;
  char zone[64];
} hc_calendar_of_site;

typedef struct hc_scale {
  hc_scale_kind kind;
  double low, high; /* values at its ends */
  double from, to;  /* places of these on the page */
  char unit[16];    /* of the labels; empty: they have none, or each has its own */
  double per;       /* how many of the values' unit are one of the labels' */
  hc_tick ticks[HC_TICKS];
  size_t count;
} hc_scale;

/** How much room there is for marks. */
typedef struct hc_room {
  double length;  /* of the axis, points */
  double size;    /* of the font */
  bool is_across; /* labels stand beside each other, and not above */
} hc_room;

/** Where a value lies; beyond the ends it goes on, but for what a logarithm has not, which lies at the low
 *  end. */
double hc_scale_at(const hc_scale *s, double value);
/** Choose the marks of low ... high, and the unit. @param of  their unit: "s", "B", "1" ...
 *  @param is_wide  the ends move out to the next marks (not of time) */
void hc_scale_mark(hc_scale *s, const char *of, const hc_room *room, bool is_wide);
/** Marks at these values, which ascend, in place of round ones, if their labels have room; else nothing is
 *  changed. Of a linear or logarithmic scale that is marked. */
void hc_scale_mark_points(hc_scale *s, const double *values, size_t count, const hc_room *room);
/** The same of time. @return 0 or HC_ENOMEM */
hc_rc hc_scale_mark_time(hc_scale *s, const hc_calendar_of_site *c, const hc_room *room);
/** The same of things with names. @param names [count] */
void hc_scale_mark_names(hc_scale *s, const char *const *names, size_t count, const hc_room *room);
/** Saturdays and Sundays of a time axis. @param out [cap][2] values. @return how many */
size_t hc_scale_weekends(const hc_scale *s, const hc_calendar_of_site *c, double (*out)[2], size_t cap);
/** A value to three digits, in the unit of the labels. @param out [40] */
void hc_scale_value(const hc_scale *s, double value, char *out);
/** A number as a label has it: "0.5", "10k", "3M". @param out [40] */
void hc_scale_label(double value, char *out);

#endif
