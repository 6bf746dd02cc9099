/** @file figure.h A figure: a number that a run finds out, with a name, a unit and a direction.
 *
 *  A component declares its figures (hc_component.figures) and tells them to an hc_findings when the run is
 *  over. What is asked of a declaration, its direction and its roles, is asked of the registry. */
#ifndef HINDCAST_FIGURE_H
#define HINDCAST_FIGURE_H

#include "hindcast/component.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where a component says what it found: functions, so that one in a shared object needs no symbol of ours.
 *  Rows come out in the order of the calls. NULL: what it would be told is of no use. */
typedef struct hc_findings {
  void *ctx;
  /** A figure of the summary: `count` is its exact value if `is_count`, and `value` the same as a real. */
  hc_rc (*figure)(void *ctx, const char *name, const char *unit, double value, bool is_count, int64_t count);
  /** A cell of a table. */
  hc_rc (*cell)(void *ctx, const char *table, int64_t key, const char *name, const char *unit, double value);
  /** Whether a figure of the summary is wanted: one that is not need not be found, nor worked for. NULL: all
   *  are. */
  bool (*wants)(void *ctx, const char *name);
} hc_findings;

/** Before work that is for some figures only. Finding them all the same does no harm. */
static inline bool hc_find_wants(const hc_findings *f, const char *name)
{
  return !f->wants || f->wants(f->ctx, name);
}

/** One figure of the summary. @param name "wait_mean"; @param unit "s", "1"; NaN is stored as NULL.
 *  @return 0, or what keeping it returned. */
static inline hc_rc hc_find_real(hc_findings *f, const char *name, const char *unit, double value)
{
  return f->figure ? f->figure(f->ctx, name, unit, value, false, 0) : 0;
}
/** The same for a whole number, which stays exact. */
static inline hc_rc hc_find_count(hc_findings *f, const char *name, const char *unit, int64_t value)
{
  return f->figure ? f->figure(f->ctx, name, unit, (double)value, true, value) : 0;
}
/** A cell of a table: table "by_user", key 17 (or a time), figure "wait_mean". */
static inline hc_rc hc_find_cell(hc_findings *f, const char *table, int64_t key, const char *name,
                                 const char *unit, double value)
{
  return f->cell ? f->cell(f->ctx, table, key, name, unit, value) : 0;
}

/* ---- what is declared of a figure ---- */

/** Before the name of a figure of the trimmed summary, where it stands beside the others
 *  ("trimmed.wait_mean"). */
#define HC_TRIMMED "trimmed."

/** Which way a figure is good, as the component that finds it declares: 1 higher is better, -1 lower is, 0
 *  neither, or no component declares it. @param name with HC_TRIMMED before it or not. Cost: one pass over
 *  all declarations. */
HC_API int hc_figure_direction(const hc_registry *r, const char *name);
/** Where a figure is shown or used without being asked for: the words behind the direction in its
 *  declaration. */
typedef enum hc_figure_role {
  HC_FIGURE_USUAL = 1,      /* "usual": of one run */
  HC_FIGURE_COMPARED = 2,   /* "compared": of several runs side by side */
  HC_FIGURE_PRIMARY = 4,    /* "primary": how well the machine was used, when choices are ranked */
  HC_FIGURE_PERFORMANCE = 8 /* "performance": how users fared, when choices are ranked */
} hc_figure_role;
/** Whether the component that finds a figure declares the role. Cost: as hc_figure_direction. */
HC_API bool hc_figure_has(const hc_registry *r, const char *name, hc_figure_role role);
/** The same of one line of a component's `figures`. */
HC_API bool hc_figure_line_has(const char *line, hc_figure_role role);
/** "higher", "lower", "none"; constant. */
HC_API const char *hc_figure_direction_name(int direction);

#ifdef __cplusplus
}
#endif
#endif
