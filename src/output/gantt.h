/* gantt.h -- the picture of a schedule: what is read of a result, where it is in the picture, and what is
 * drawn of it.
 *
 * gantt_read.c reads, gantt_draw.c has the scale and the boxes, gantt_hosts.c the bands of hosts,
 * gantt_areas.c what is drawn where tasks are narrower than a pixel; what stands
 * around it, and the picture as a whole, is output/export/gantt.c. Lengths are hundredths of a pixel unless
 * said otherwise. */
#ifndef HC_OUTPUT_GANTT_H
#define HC_OUTPUT_GANTT_H

#include "base/util.h"
#include "output/legend.h"
#include "output/palette.h"
#include "output/pieces.h"
#include "output/scale.h"

typedef struct hc_gantt_options {
  hc_time from, to;
  int64_t width, height;
  int hosts, colour, detail;
  bool legend, labels;
} hc_gantt_options;

enum { HC_GANTT_DETAIL_AUTO, HC_GANTT_DETAIL_TASKS, HC_GANTT_DETAIL_AREAS };
enum { HC_GANTT_HOSTS_AUTO, HC_GANTT_HOSTS_ALL, HC_GANTT_HOSTS_USED };
enum {
  HC_GANTT_COLOUR_USER,
  HC_GANTT_COLOUR_GROUP,
  HC_GANTT_COLOUR_EXECUTABLE,
  HC_GANTT_COLOUR_QUEUE,
  HC_GANTT_COLOUR_PARTITION,
  HC_GANTT_COLOUR_TASK
};

typedef struct hc_gantt_placed {
  int64_t serial;
  uint32_t first, count;
} hc_gantt_placed;

/* What a task had on a host. */
typedef struct hc_gantt_grant {
  int64_t serial, amount; /* of the first dimension */
  uint32_t host;
} hc_gantt_grant;

/* A part of a host that is taken until `end`. */
typedef struct hc_gantt_part {
  int64_t from, size;
  hc_time end;
} hc_gantt_part;

/* A rectangle or several: a task, or of a resized one the stretch in which it held the same. */
typedef struct hc_gantt_stretch {
  hc_time start, end;
  size_t task; /* in picture.tasks */
  int64_t units;
  uint32_t piece, padding; /* which of the task's; 0: it has none, and is drawn by its grants or placements */
} hc_gantt_stretch;

typedef struct hc_gantt_band {
  char *name;
  size_t name_size;
  int64_t capacity;
  hc_gantt_part *parts; /* [count] by `from` */
  size_t count, cap;
  hc_time away; /* since when it is, or drains; HC_UNKNOWN: neither */
  int64_t row;  /* from the top; -1: not drawn */
  bool drains;
} hc_gantt_band;

typedef struct hc_gantt {
  hc_emit emit;
  hc_result *result;
  const hc_gantt_options *o;
  const hc_allocator *allocator;
  hc_task_record *tasks; /* [count] that overlap the window, by start */
  size_t count, cap;
  hc_gantt_stretch *stretches; /* [stretch_count] that are drawn, by start */
  size_t stretch_count, stretch_cap;
  hc_pieces pieces;
  hc_gantt_placed *placements; /* [placement_count] by serial; none if processors have no names */
  size_t placement_count, placement_cap;
  hc_time *free_from;   /* [processors] */
  hc_gantt_band *bands; /* [band_count] hosts; none on a cell of processors */
  size_t band_count, band_cap;
  int64_t rows;           /* bands that are drawn */
  hc_gantt_grant *grants; /* [grant_count] by serial */
  size_t grant_count, grant_cap;
  bool *used; /* [used_count] by reservation: some user may use it */
  size_t used_count, used_cap;
  uint32_t amounts; /* that its tables have */
  int dimension;    /* that heights are shares of */
  char dimension_name[32];
  int64_t left;  /* margin */
  bool by_task;  /* colours */
  bool is_areas; /* in place of rectangles */
  hc_map totals; /* number of a user (queue ...) to its place in `total` */
  double *total; /* [total_count] what each has of the whole schedule, unit seconds */
  size_t total_count, total_cap;
  int64_t coloured[HC_SERIES]; /* [coloured_count] the numbers that have a colour, by its place */
  size_t coloured_count;
  hc_calendar_of_site calendar;
  hc_legend legend;
  hc_time from, to;
  int64_t processors;
  hc_time first, last; /* of all tasks */
} hc_gantt;

/* Margins, pixels. */
enum {
  HC_GANTT_TOP = 40,
  HC_GANTT_FOOT = 30,
  HC_GANTT_LEFT = 60,
  HC_GANTT_LEFT_OF_HOSTS = 120,
  HC_GANTT_RIGHT = 35
};
enum { HC_GANTT_RESERVED = HC_INK_RAMP + 2 }; /* ink of advance reservations */
enum { HC_GANTT_STRIP = 80 };                 /* height of the strip of waiting tasks */

/* ---- gantt_read.c ---- */

/** What of the result is in the window, and what is drawn of it. @return 0; HC_EINPUT, HC_EUSAGE: nothing ran
 *  in the window; HC_ELIMIT: too much for one picture; HC_ENOMEM */
hc_rc hc_gantt_read(hc_gantt *p, hc_result *r, hc_error *e);
void hc_gantt_fini(hc_gantt *p);
/** Is such a time in the window? */
bool hc_gantt_is_drawn(const hc_gantt *p, hc_time start, hc_time end);
/** What a stretch held. @return 1; 0: what its grants or placements say; or an error */
hc_rc hc_gantt_rows_of(hc_gantt *p, const hc_gantt_stretch *s, const hc_piece **out);
/** The first grant of a task: its place in `grants`, whether it is one of the task's or not. */
size_t hc_gantt_first_grant(const hc_gantt *p, int64_t serial);

/* ---- gantt_draw.c ---- */

/** Write a length in pixels. */
void hc_gantt_number(hc_gantt *p, int64_t hundredths);
/** From the field's left edge. Exact enough: the window is at most as wide. */
int64_t hc_gantt_x(const hc_gantt *p, hc_time t);
/** Where the picture ends and its legend begins, in pixels. */
int64_t hc_gantt_bottom(const hc_gantt *p);
/** In pixels. */
int64_t hc_gantt_field_height(const hc_gantt *p);
/** From the top; processor 0 is the lowest. */
int64_t hc_gantt_y(const hc_gantt *p, int64_t processor);
/** What colours go by: a user, a queue ... */
int64_t hc_gantt_number_of(const hc_gantt *p, const hc_task_record *t);
/** The colour of a number, as attributes. @param ctx  the picture */
void hc_gantt_colour(void *ctx, int64_t number);
/** What a task is filled with. */
hc_ink hc_gantt_ink(const hc_gantt *p, const hc_task_record *t);
/** Write the attributes of a filled thing: a class, by which dark ground has its ink, and the light one. */
void hc_gantt_fill(hc_gantt *p, hc_ink ink);
/** Begin a rectangle: the attribute after its height is the caller's to end. */
void hc_gantt_box(hc_gantt *p, hc_time from, hc_time to, int64_t top, int64_t bottom);
/** A task's rectangle, with what it says when it is pointed at. @param host  its name; NULL */
hc_rc hc_gantt_tile(hc_gantt *p, const hc_gantt_stretch *s, const char *host, int64_t top, int64_t bottom);

/* ---- gantt_areas.c ---- */

/** Whether the picture is areas: as the option says, or most tasks are narrower than a pixel. */
bool hc_gantt_wants_areas(const hc_gantt *p);
hc_rc hc_gantt_draw_areas(hc_gantt *p);

/* ---- gantt_hosts.c ---- */

/** The band of each host that is drawn, its name where there is room for it, and when it was away. */
hc_rc hc_gantt_draw_bands(hc_gantt *p, hc_result *r);
/** A stretch on its hosts, on the lowest parts that are free when it begins: by start, one after the other. */
hc_rc hc_gantt_draw_on_hosts(hc_gantt *p, const hc_gantt_stretch *s);
/** Advance reservations and announced downtime, on hosts or processors. */
hc_rc hc_gantt_draw_reservations(hc_gantt *p, hc_result *r);

#endif
