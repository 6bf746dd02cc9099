/* page_cairo.c -- a surface that writes PDF or PNG, by cairo.
 *
 * Cairo is loaded when a PDF or PNG is asked for, and not before: it brings some twenty libraries, whose
 * loading costs more than most commands take, and neither building nor anything else needs it. So the
 * functions that are called are declared here, as cairo 1.10 and everything since has them (its ABI is that
 * of libcairo.so.2). Inks are the light ones: paper is white.
 *
 * Bytes: the creation date of a PDF is fixed; fonts are those of the machine, of the family Helvetica or
 * what stands in for it. Memory is cairo's own. Source: www.cairographics.org/manual. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "plot/job.h"

#define PI 3.14159265358979323846

/* ---- cairo's functions ---- */

typedef struct picture picture; /* cairo_t */
typedef struct sheet sheet;     /* cairo_surface_t */
typedef int (*write_function)(void *ctx, const unsigned char *data, unsigned size);
/* constants of its enumerations */
enum {
  RGB24 = 1,
  STATUS_SUCCESS = 0,
  STATUS_WRITE_ERROR = 11,
  CAP_BUTT = 0,
  CAP_ROUND = 1,
  JOIN_ROUND = 1,
  METADATA_TITLE = 0,
  METADATA_CREATE_DATE = 5,
  WEIGHT_NORMAL = 0,
  WEIGHT_BOLD = 1
};

/* X(name, result, parameters) */
#define FUNCTIONS(X) \
  X(pdf_surface_create_for_stream, sheet *, (write_function write, void *ctx, double width, double height)) \
  X(image_surface_create, sheet *, (int format, int width, int height)) \
  X(surface_write_to_png_stream, int, (sheet * s, write_function write, void *ctx)) \
  X(surface_finish, void, (sheet * s)) \
  X(surface_status, int, (sheet * s)) \
  X(surface_destroy, void, (sheet * s)) \
  X(create, picture *, (sheet * s)) \
  X(destroy, void, (picture * p)) \
  X(status, int, (picture * p)) \
  X(scale, void, (picture * p, double x, double y)) \
  X(save, void, (picture * p)) \
  X(restore, void, (picture * p)) \
  X(rotate, void, (picture * p, double angle)) \
  X(translate, void, (picture * p, double x, double y)) \
  X(new_path, void, (picture * p)) \
  X(move_to, void, (picture * p, double x, double y)) \
  X(line_to, void, (picture * p, double x, double y)) \
  X(close_path, void, (picture * p)) \
  X(rectangle, void, (picture * p, double x, double y, double width, double height)) \
  X(arc, void, (picture * p, double x, double y, double radius, double from, double to)) \
  X(clip, void, (picture * p)) \
  X(fill_preserve, void, (picture * p)) \
  X(stroke, void, (picture * p)) \
  X(paint, void, (picture * p)) \
  X(set_line_width, void, (picture * p, double width)) \
  X(set_line_cap, void, (picture * p, int cap)) \
  X(set_line_join, void, (picture * p, int join)) \
  X(set_dash, void, (picture * p, const double *dashes, int count, double offset)) \
  X(set_source_rgba, void, (picture * p, double red, double green, double blue, double alpha)) \
  X(select_font_face, void, (picture * p, const char *family, int slant, int weight)) \
  X(set_font_size, void, (picture * p, double size)) \
  X(text_extents, void, (picture * p, const char *utf8, double *extents)) \
  X(show_text, void, (picture * p, const char *utf8))

typedef struct functions {
#define X(name, result, parameters) result(*name) parameters;
  FUNCTIONS(X)
#undef X
  void (*set_metadata)(sheet *s, int what, const char *utf8); /* NULL: before 1.16, which dates files */
} functions;

struct hc_cairo {
  hc_surface surface; /* first: what drawers hold */
  const hc_allocator *allocator;
  void *library;
  functions call;
  sheet *sheet;
  picture *picture;
  hc_buffer bytes;
  hc_plot_form form;
  bool is_clipped;
};

static hc_cairo *cairo_of(hc_surface *s)
{
  return (hc_cairo *)(void *)s;
}

/* ---- drawing ---- */

static void set_ink(hc_cairo *c, hc_ink ink, double opacity)
{
  const uint32_t x = hc_ink_light(ink);
  c->call.set_source_rgba(c->picture, (double)(x >> 16) / 255, (double)(x >> 8 & 255) / 255,
                          (double)(x & 255) / 255, opacity);
}

/* Of the path at hand. */
static void finish_shape(hc_cairo *c, const hc_style *x)
{
  double dash[6];
  if (x->fill > 0) {
    set_ink(c, x->area, x->fill);
    c->call.fill_preserve(c->picture);
  }
  if (x->width > 0) {
    for (size_t i = 0; i < x->dashes; i++) dash[i] = x->dash[i] * x->width;
    set_ink(c, x->line, 1);
    c->call.set_line_width(c->picture, x->width);
    c->call.set_line_cap(c->picture, x->dashes > 0 ? CAP_BUTT : CAP_ROUND);
    c->call.set_dash(c->picture, dash, (int)x->dashes, 0);
    c->call.stroke(c->picture);
  }
  c->call.new_path(c->picture);
}

static bool is_known(const hc_point *p)
{
  return p->x == p->x && p->y == p->y;
}

static void path(hc_surface *s, const hc_point *p, size_t n, bool is_closed, const hc_style *x)
{
  hc_cairo *c = cairo_of(s);
  bool is_down = false;
  for (size_t i = 0; i < n; i++) {
    if (is_known(&p[i])) {
      (is_down ? c->call.line_to : c->call.move_to)(c->picture, p[i].x, p[i].y);
      if (!is_down && !is_closed && (i + 1 == n || !is_known(&p[i + 1])))
        c->call.line_to(c->picture, p[i].x, p[i].y); /* alone: a dot */
    }
    is_down = is_known(&p[i]);
  }
  if (is_closed) c->call.close_path(c->picture);
  finish_shape(c, x);
}

static void rect(hc_surface *s, const hc_box *r, const hc_style *x)
{
  hc_cairo *c = cairo_of(s);
  c->call.rectangle(c->picture, r->x, r->y, HC_MAX(r->width, 0.0), HC_MAX(r->height, 0.0));
  finish_shape(c, x);
}

static void disc(hc_surface *s, double x, double y, double radius, const hc_style *style)
{
  hc_cairo *c = cairo_of(s);
  c->call.arc(c->picture, x, y, radius, 0, 2 * PI);
  finish_shape(c, style);
}

static void text(hc_surface *s, double x, double y, const char *words, const hc_text_style *t)
{
  hc_cairo *c = cairo_of(s);
  double extents[6] = {0}; /* x and y of the ink, width, height, then how far the pen moves */
  c->call.save(c->picture);
  c->call.select_font_face(c->picture, "Helvetica", 0, t->is_bold ? WEIGHT_BOLD : WEIGHT_NORMAL);
  c->call.set_font_size(c->picture, t->size);
  c->call.text_extents(c->picture, words, extents);
  const double before = t->anchor == HC_ANCHOR_START ? 0
                        : t->anchor == HC_ANCHOR_END ? extents[4]
                                                     : extents[4] / 2;
  c->call.translate(c->picture, x, y);
  if (t->is_upward) c->call.rotate(c->picture, -PI / 2);
  set_ink(c, t->ink, 1);
  c->call.move_to(c->picture, -before, 0);
  c->call.show_text(c->picture, words);
  c->call.restore(c->picture);
  c->call.new_path(c->picture);
}

static void clip(hc_surface *s, const hc_box *b)
{
  hc_cairo *c = cairo_of(s);
  if (c->is_clipped) c->call.restore(c->picture);
  c->is_clipped = b != NULL;
  if (!b) return;
  c->call.save(c->picture);
  c->call.rectangle(c->picture, b->x, b->y, b->width, b->height);
  c->call.clip(c->picture);
  c->call.new_path(c->picture);
}

/* Paper cannot be pointed at. */
static void tip(hc_surface *s, const char *words)
{
  HC_UNUSED(s);
  HC_UNUSED(words);
}

/* ---- the page ---- */

static int take_bytes(void *ctx, const unsigned char *data, unsigned size)
{
  hc_buffer *b = ctx;
  hc_buffer_add(b, data, size);
  return b->failed ? STATUS_WRITE_ERROR : STATUS_SUCCESS;
}

/* ISO C has no way from an object's address to a function's; POSIX has it by copying the bytes. */
static void find_function(void *library, const char *name, void *function)
{
  void *found = dlsym(library, name);
  memcpy(function, &found, sizeof found);
}

static const char *load(hc_cairo *c)
{
  const char *missing = NULL;
  c->library = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!c->library) c->library = dlopen("libcairo.2.dylib", RTLD_NOW | RTLD_LOCAL);
  if (!c->library) return "libcairo.so.2";
#define X(name, result, parameters) \
  find_function(c->library, "cairo_" #name, &c->call.name); \
  if (!c->call.name) missing = "cairo_" #name;
  FUNCTIONS(X)
#undef X
  find_function(c->library, "cairo_pdf_surface_set_metadata", &c->call.set_metadata);
  return missing;
}

static void open_sheet(hc_cairo *c, double dpi)
{
  const double scale = c->form == HC_PLOT_PNG ? dpi / 72 : 1;
  if (c->form == HC_PLOT_PDF) {
    c->sheet =
        c->call.pdf_surface_create_for_stream(take_bytes, &c->bytes, c->surface.width, c->surface.height);
    if (c->call.set_metadata) c->call.set_metadata(c->sheet, METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
  } else {
    c->sheet = c->call.image_surface_create(RGB24, (int)(c->surface.width * scale + 0.5),
                                            (int)(c->surface.height * scale + 0.5));
  }
  c->picture = c->call.create(c->sheet);
  c->call.scale(c->picture, scale, scale);
  set_ink(c, HC_INK_GROUND, 1);
  if (c->form == HC_PLOT_PNG) c->call.paint(c->picture);
  c->call.set_line_join(c->picture, JOIN_ROUND);
}

static void free_it(hc_cairo *c)
{
  if (c->picture) c->call.destroy(c->picture);
  if (c->sheet) c->call.surface_destroy(c->sheet);
  hc_buffer_fini(&c->bytes); /* the library stays: what it keeps for itself would be lost with it */
  hc_free(c->allocator, c, sizeof *c);
}

hc_rc hc_cairo_new(const hc_allocator *a, hc_plot_form form, double width, double height, double dpi,
                   hc_cairo **out, hc_error *e)
{
  hc_cairo *c = hc_alloc(a, sizeof *c);
  if (!c) return HC_ENOMEM;
  *c = (hc_cairo){.allocator = a, .form = form};
  c->surface = (hc_surface){.width = width,
                            .height = height,
                            .path = path,
                            .rect = rect,
                            .disc = disc,
                            .text = text,
                            .clip = clip,
                            .tip = tip};
  hc_buffer_init(&c->bytes, a);
  const char *missing = load(c);
  if (missing) {
    const hc_rc rc =
        hc_fail(e, HC_EUNSUPPORTED, "plot", 0, 0,
                "%s is written by cairo, and %s is not found here: install it (Debian: libcairo2), or "
                "write SVG (-o FILE.svg), which needs nothing",
                form == HC_PLOT_PDF ? "PDF" : "PNG", missing);
    free_it(c);
    return rc;
  }
  open_sheet(c, dpi);
  *out = c;
  return 0;
}

hc_surface *hc_cairo_surface(hc_cairo *c)
{
  return &c->surface;
}

hc_rc hc_cairo_end(hc_cairo *c, hc_rc rc, const hc_picture_words *words, const hc_sink *sink, hc_error *e)
{
  char title[256];
  clip(&c->surface, NULL);
  if (rc >= 0 && c->form == HC_PLOT_PDF && c->call.set_metadata && words->title) {
    hc_text_fit(words->title, 1, false, 0, title);
    c->call.set_metadata(c->sheet, METADATA_TITLE, title);
  }
  if (rc >= 0 && c->call.status(c->picture) != STATUS_SUCCESS)
    rc = hc_fail(e, HC_EIO, "plot", 0, 0, "cairo could not draw the picture (its status %d); write SVG",
                 c->call.status(c->picture));
  if (rc >= 0 && c->form == HC_PLOT_PNG)
    (void)c->call.surface_write_to_png_stream(c->sheet, take_bytes, &c->bytes);
  else c->call.surface_finish(c->sheet);
  if (rc >= 0 &&
      (c->bytes.failed || c->bytes.size == 0 || c->call.surface_status(c->sheet) == STATUS_WRITE_ERROR))
    rc = hc_fail(e, HC_ENOMEM, "plot", 0, 0, "out of memory for the picture");
  if (rc >= 0) rc = sink->write(sink->ctx, c->bytes.data, c->bytes.size);
  free_it(c);
  return rc;
}
