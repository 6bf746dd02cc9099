/* curve.h -- how much of each resource a user takes when offered a share: non-decreasing, piecewise linear,
 * with jumps.
 *
 * An element of a tree of pools takes F(f) at *fit factor* f. Offered s, it may go as far as M(s), the
 * largest f with F_r(f) <= min(limit_r, guarantee_r + s) for every r, and takes B(s) = F(M(s)). A curve holds
 * B and M together, as knots over s in [0, 1]. F is not stored: it is drawn, piece by piece from f = 0, and
 * each piece adds the knots of B at which another resource becomes the one that counts.
 *
 * Where F jumps, B first stands still and then jumps too; two knots at one s are a jump. `after` tells which
 * side is meant, and a knot's `after` on which side of a jump of the children its f lies. */
#ifndef HC_POLICY_SHARE_CURVE_H
#define HC_POLICY_SHARE_CURVE_H

#include "hindcast/task.h"

#define HC_CURVE_SNAP 1e-12  /* s nearer than this to a knot is at the knot */
#define HC_CURVE_SLACK 1e-12 /* F may exceed a limit by this: sums are rounded */

typedef struct hc_knot {
  double s, f;
  bool after;
  double value[HC_DIMENSIONS], slope[HC_DIMENSIONS]; /* slope: of B, to the next knot */
} hc_knot;

typedef struct hc_curve {
  hc_knot *knots;
  size_t count, cap;
} hc_curve;

/* Where the drawing is. With `curve` NULL it is a root's: only the last point is kept, and a straight piece
 * also stops where it uses a resource up to the limit, even if F would not grow any more in it. */
typedef struct hc_pen {
  const hc_allocator *allocator;
  uint32_t dims;
  const double *limit, *guarantee; /* [dims] */
  hc_curve *curve;
  bool stopped; /* at a limit */
  bool after;
  double f, s, value[HC_DIMENSIONS];
} hc_pen;

/* Begin at F(0). `limit`, `guarantee`, `curve` and `dims` are set. @return 0 or HC_ENOMEM, as the next
 * two. */
hc_rc hc_pen_begin(hc_pen *p, const double *value);
/* A straight piece to (f, value), f above the last; or a jump, f the same. Nothing once it has stopped. */
hc_rc hc_pen_line(hc_pen *p, double f, const double *value);
hc_rc hc_pen_jump(hc_pen *p, const double *value);
/* Computes the slopes. */
void hc_pen_end(hc_pen *p);

/* B(s), M(s) and the side of M(s). `after`: just after s, if it is a jump there. Cost: O(log knots). */
void hc_curve_at(const hc_curve *c, uint32_t dims, double s, bool after, double *value, double *f,
                 bool *f_after);

#endif
