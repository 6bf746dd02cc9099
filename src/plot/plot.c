/* plot.c -- a picture from request to bytes: the chart's options, the page, and what is left when it is
 * drawn. */
#include <string.h>

#include "base/util.h"
#include "plot/job.h"
#include "setup/config.h"

hc_rc hc_job_open(hc_plot_job *j, double height, hc_error *e)
{
  const hc_plot_request *q = j->request;
  if (q->height > 0) height = q->height * HC_MM;
  else if (q->title) height += j->font * 2;
  j->height = (double)(int64_t)(height * 10 + 0.5) / 10;
  if (q->form == HC_PLOT_SVG) {
    TRY(hc_svg_new(j->allocator, j->width, j->height, &j->svg));
    j->surface = hc_svg_surface(j->svg);
    return 0;
  }
  TRY(hc_cairo_new(j->allocator, q->form, j->width, j->height, q->dpi > 0 ? q->dpi : 300, &j->cairo, e));
  j->surface = hc_cairo_surface(j->cairo);
  return 0;
}

hc_rc hc_job_say(hc_plot_job *j, const char *title, const char *detail)
{
  j->title = hc_arena_text(&j->arena, title, strlen(title));
  j->detail = hc_arena_text(&j->arena, detail, strlen(detail));
  return j->title && j->detail ? 0 : HC_ENOMEM;
}

hc_rc hc_job_colour(hc_plot_job *j, const char *name, uint32_t *out, hc_error *e)
{
  const hc_rc rc = hc_colours_of(&j->colours, name, out);
  if (rc == HC_ELIMIT)
    return hc_fail(e, rc, "plot", 0, 0, "the picture has too many names; choose some with `show` or `where`");
  return rc;
}

static hc_rc finish(hc_plot_job *j, hc_rc rc, const hc_sink *out, hc_error *e)
{
  const hc_picture_words words = {j->request->title ? j->request->title : j->title, j->detail};
  if (j->svg) return hc_svg_end(j->svg, rc, &words, out, e);
  return j->cairo ? hc_cairo_end(j->cairo, rc, &words, out, e) : rc;
}

static hc_rc draw(hc_plot_job *j, const hc_sink *out, hc_error *e)
{
  const hc_plot_request *q = j->request;
  const hc_settings chosen_by = {.kind = HC_KIND_PLOT,
                                 .name = q->chart,
                                 .settings = q->settings,
                                 .count = q->setting_count,
                                 .flag = "--set",
                                 .expected = "parameter=value, such as figure=wait_mean",
                                 .path = "chart"};
  hc_chosen chosen = {0};
  if (q->colours)
    TRY(hc_colours_read(&j->colours, q->colours, q->colours_size,
                        q->colours_name ? q->colours_name : "colours", e));
  TRY(hc_resolve_settings(&(hc_resolver){.registry = j->registry, .arena = &j->arena}, &chosen_by, &chosen,
                          e));
  hc_rc rc = ((const hc_plot_type *)chosen.type)->draw(j, chosen.options, e);
  for (size_t i = 0; i < j->result_count && rc >= 0; i++) rc = hc_result_check(j->results[i].result, e);
  rc = finish(j, rc, out, e);
  if (rc >= 0 && q->colours_out) hc_colours_write(&j->colours, q->colours_out);
  return rc;
}

hc_rc hc_plot(const hc_allocator *a, const hc_registry *registry, const hc_plot_request *q,
              const hc_sink *out, hc_error *e)
{
  hc_plot_job j = {.allocator = a, .registry = registry, .request = q};
  j.width = (q->width > 0 ? q->width : 84) * HC_MM;
  j.font = q->font > 0 ? q->font : 8;
  hc_arena_init(&j.arena, a);
  hc_colours_init(&j.colours, a);
  hc_rc rc = q->file_count > 0
                 ? draw(&j, out, e)
                 : hc_fail(e, HC_EUSAGE, "plot", 0, 0, "of which file? Name a result or a study");
  hc_job_close_inputs(&j);
  hc_colours_fini(&j.colours);
  hc_arena_fini(&j.arena);
  if (rc == HC_ENOMEM) (void)hc_fail(e, rc, "plot", 0, 0, "out of memory for the picture");
  return rc < 0 ? rc : 0;
}
