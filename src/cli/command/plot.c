/* plot.c -- `hindcast plot`: a chart of results or of a study, for papers.
 *
 * Flags that are a parameter of the chart are handed to it by their names; a flag that it does not have is an
 * error that says which it has. The others are of the page. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* Each is a parameter of some chart. */
static const cli_flag chart_flags[] = {
    {.name = "figure", .letter = 'f', .metavar = "FIGURE", .help = "Which figure, such as wait_mean."},
    {.name = "x", .metavar = "AXIS", .help = "What lies across: an axis of the study, or a trait of tasks."},
    {.name = "y", .metavar = "AXIS", .help = "What lies upwards."},
    {.name = "by", .metavar = "AXIS", .help = "What has a line, a bar or a row for each of its values."},
    {.name = "of",
     .metavar = "EXPRESSION",
     .help = "What is drawn of each task: wait, 'slowdown', 'end - submit'."},
    {.name = "baseline", .metavar = "LABEL", .help = "What is compared against."},
    {.name = "show",
     .metavar = "NAME",
     .many = true,
     .help = "What has a colour and a name; may be given again."},
    {.name = "where",
     .metavar = "CONDITION",
     .many = true,
     .help = "Only points of the study for which it holds: load>=0.5. May be given again."},
    {.name = "over", .metavar = "AXIS", .many = true, .help = "The axis whose levels are the samples."},
    {.name = "level", .metavar = "SHARE", .help = "Level of the intervals. Default: 0.95."},
    {.name = "log", .metavar = "AXES", .complete = "none|x|y|xy", .help = "Which axes are logarithmic."},
    {.name = NULL},
};

static const cli_flag own_flags[] = {
    {.name = "set",
     .letter = 's',
     .metavar = "PARAMETER=VALUE",
     .many = true,
     .help = "Any parameter of the chart (`hindcast describe curve`)."},
    CLI_FLAG_WRITE_HERE,
    CLI_FLAG_FORCE,
    {.name = "format",
     .metavar = "svg|pdf|png",
     .complete = "svg|pdf|png",
     .help = "Form of the picture. Default: by the file's name, else svg."},
    {.name = "width",
     .metavar = "LENGTH",
     .help = "Of the picture: 84mm, 8.4cm, 3.3in, 240pt. Default: 84mm."},
    {.name = "height", .metavar = "LENGTH", .help = "Of the picture. Default: what the chart needs."},
    {.name = "font", .metavar = "POINTS", .help = "Size of its text. Default: 8."},
    {.name = "dpi", .metavar = "N", .help = "Dots per inch of PNG. Default: 300."},
    {.name = "title",
     .metavar = "TEXT",
     .help = "Above the picture. Default: none, since a paper has a caption."},
    {.name = "x-title", .metavar = "TEXT", .help = "Below the axis across, in place of the chart's."},
    {.name = "y-title", .metavar = "TEXT", .help = "Above the axis upwards, in place of the chart's."},
    {.name = "colours",
     .metavar = "FILE",
     .help =
         "A list of names, a line each, whose n-th has the n-th colour. Names that it lacks are appended, "
         "and "
         "it is made if it is not there: pictures that share it have one colour for each name."},
    {.name = "plugin",
     .metavar = "FILE.so",
     .many = true,
     .complete = CLI_FILE,
     .help = "Load components from a shared object first."},
    {.name = NULL},
};
static const cli_flag *const flags[] = {chart_flags, own_flags, NULL};

typedef struct asked {
  hc_plot_request request;
  hc_study_progress so_far; /* of a study that is carried out just now */
  hc_buffer texts[64];      /* of settings */
  const char *settings[64];
  size_t count;
  hc_buffer colours;
} asked;

/* ---- the chart's parameters ---- */

static const hc_param *find_param(const hc_component *chart, const char *name)
{
  for (const hc_param *p = chart->params; p && p->name; p++)
    if (strcmp(p->name, name) == 0) return p;
  return NULL;
}

static bool is_chart_flag(const cli_flag *flag)
{
  return flag >= chart_flags && flag < chart_flags + CLI_LEN(chart_flags);
}

/* "--y: curve has no y; it has --x, --by ..." */
static hc_rc refuse(cli *c, const hc_component *chart, const cli_flag *flag)
{
  hc_buffer has;
  hc_buffer_init(&has, c->allocator);
  for (const cli_flag *f = chart_flags; f->name; f++)
    if (find_param(chart, f->name)) hc_buffer_printf(&has, "%s--%s", has.size ? ", " : "", f->name);
  const hc_rc rc = cli_fail(c, HC_EUSAGE, "--%s is nothing that the chart %s has; it has %s", flag->name,
                            chart->name, has.data ? has.data : "none of these flags");
  hc_buffer_fini(&has);
  return rc;
}

static hc_buffer *next_setting(cli *c, asked *a)
{
  if (a->count == CLI_LEN(a->texts)) return NULL;
  hc_buffer_init(&a->texts[a->count], c->allocator);
  return &a->texts[a->count++];
}

/* Texts are quoted, so that no letter of them is YAML's; all values of one flag are one list. */
static hc_rc add_flag(cli *c, asked *a, const hc_component *chart, const cli_flag *flag)
{
  const hc_param *p = find_param(chart, flag->name);
  hc_buffer *b;
  bool is_first = true;
  if (!p) return refuse(c, chart, flag);
  b = next_setting(c, a);
  if (!b) return cli_fail(c, HC_EUSAGE, "more than %zu settings", CLI_LEN(a->texts));
  hc_buffer_printf(b, "%s=%s", flag->name, p->list ? "[" : "");
  for (size_t i = 0; i < c->given_count; i++) {
    const char *value = c->given[i].value;
    if (c->given[i].flag != flag) continue;
    if (!p->list) b->size = strlen(flag->name) + 1; /* the last one counts */
    if (!is_first && p->list) hc_buffer_text(b, ",");
    is_first = false;
    if (p->type == HC_TEXT) hc_json_string(b, value, strlen(value));
    else hc_buffer_text(b, value);
  }
  if (p->list) hc_buffer_text(b, "]");
  return 0;
}

static hc_rc read_settings(cli *c, asked *a)
{
  const hc_component *chart = hc_registry_find(c->registry, HC_KIND_PLOT, c->operands[0]);
  a->request.chart = c->operands[0];
  for (size_t i = 0; i < c->given_count; i++) {
    const cli_given *g = &c->given[i];
    bool is_done = false;
    for (size_t k = 0; k < i; k++) is_done |= c->given[k].flag == g->flag;
    if (strcmp(g->flag->name, "set") == 0) {
      hc_buffer *b = next_setting(c, a);
      if (!b) return cli_fail(c, HC_EUSAGE, "more than %zu settings", CLI_LEN(a->texts));
      hc_buffer_text(b, g->value);
    } else if (is_chart_flag(g->flag) && !is_done && chart) {
      CLI_TRY(add_flag(c, a, chart, g->flag));
    }
  }
  for (size_t i = 0; i < a->count; i++) {
    if (a->texts[i].failed) return cli_fail(c, HC_ENOMEM, "out of memory");
    a->settings[i] = a->texts[i].data;
  }
  a->request.settings = a->settings;
  a->request.setting_count = a->count;
  return 0;
}

/* ---- the page ---- */

static hc_rc read_length(cli *c, const char *flag, double *out)
{
  static const struct {
    const char *word;
    double mm;
  } units[] = {{"mm", 1}, {"cm", 10}, {"in", 25.4}, {"pt", 25.4 / 72}, {"", 1}};
  const char *value = cli_value(c, flag);
  const size_t n = value ? strlen(value) : 0;
  if (!value) return 0;
  for (size_t i = 0; i < CLI_LEN(units); i++) {
    const size_t m = strlen(units[i].word);
    double x;
    if (n <= m || strcmp(value + n - m, units[i].word) != 0) continue;
    if (hc_parse_real(value, n - m, &x) < 0) break;
    *out = x * units[i].mm;
    if (*out >= 20 && *out <= 2000) return 0;
    return cli_fail(c, HC_EUSAGE, "--%s: a picture is 20mm to 2000mm, got \"%.40s\"", flag, value);
  }
  return cli_fail(c, HC_EUSAGE, "--%s: expected a length such as 84mm, 8.4cm, 3.3in or 240pt, got \"%.40s\"",
                  flag, value);
}

static hc_rc read_number(cli *c, const char *flag, double low, double high, double *out)
{
  const char *value = cli_value(c, flag);
  if (!value) return 0;
  if (hc_parse_real(value, strlen(value), out) == 0 && *out >= low && *out <= high) return 0;
  return cli_fail(c, HC_EUSAGE, "--%s: expected a number from %g to %g, got \"%.40s\"", flag, low, high,
                  value);
}

static hc_rc read_form(cli *c, hc_plot_form *out)
{
  static const char *const words[] = {"svg", "pdf", "png"};
  const char *said = cli_value(c, "format"), *file = cli_value(c, "output");
  const char *dot = !said && file ? strrchr(file, '.') : NULL;
  const char *word = said ? said : dot ? dot + 1 : "svg";
  for (size_t i = 0; i < CLI_LEN(words); i++) {
    if (strcmp(word, words[i]) != 0) continue;
    *out = (hc_plot_form)i;
    return 0;
  }
  return cli_fail(c, HC_EUSAGE,
                  "a picture is svg, pdf or png, and \"%.40s\" is none of them; say --format svg", word);
}

static hc_rc read_page(cli *c, asked *a)
{
  hc_plot_request *q = &a->request;
  CLI_TRY(read_form(c, &q->form));
  CLI_TRY(read_length(c, "width", &q->width));
  CLI_TRY(read_length(c, "height", &q->height));
  CLI_TRY(read_number(c, "font", 3, 72, &q->font));
  CLI_TRY(read_number(c, "dpi", 30, 2400, &q->dpi));
  q->title = cli_value(c, "title");
  q->x_title = cli_value(c, "x-title");
  q->y_title = cli_value(c, "y-title");
  q->so_far = &a->so_far;
  q->files = c->operands + 1;
  q->file_count = c->operand_count - 1;
  return 0;
}

/* ---- colours ---- */

static hc_rc read_colours(cli *c, asked *a)
{
  const char *path = cli_value(c, "colours");
  char block[4096];
  size_t n;
  if (!path) return 0;
  FILE *file = fopen(path, "r");
  a->request.colours = "";
  a->request.colours_name = path;
  if (!file && errno == ENOENT) return 0;
  if (!file)
    return hc_fail(&c->error, HC_EIO, path, 0, 0, "the list of colours cannot be read: %s", strerror(errno));
  while ((n = fread(block, 1, sizeof block, file)) > 0) hc_buffer_add(&a->colours, block, n);
  (void)fclose(file);
  if (a->colours.failed) return cli_fail(c, HC_ENOMEM, "out of memory for the list of colours");
  if (a->colours.size > 0) a->request.colours = a->colours.data;
  a->request.colours_size = a->colours.size;
  return 0;
}

static hc_rc write_colours(cli *c, const asked *a, hc_buffer *list)
{
  cli_file file;
  if (!cli_value(c, "colours")) return 0;
  if (list->size == a->colours.size &&
      (list->size == 0 || memcmp(list->data, a->colours.data, list->size) == 0))
    return 0;
  CLI_TRY(cli_file_open(c, cli_value(c, "colours"), &file));
  file.may_replace = true; /* it was read, and is a list */
  const hc_rc rc = cli_file_send(&file, list);
  if (rc >= 0) return cli_file_commit(&file);
  cli_file_drop(&file);
  return rc;
}

/* ---- the command ---- */

static hc_rc draw(cli *c, asked *a)
{
  cli_file file;
  hc_buffer list;
  CLI_TRY(cli_file_open(c, cli_value(c, "output"), &file));
  hc_buffer_init(&list, c->allocator);
  a->request.colours_out = &list;
  hc_rc rc = hc_plot(c->allocator, c->registry, &a->request, &file.sink, &c->error);
  if (rc >= 0) rc = cli_file_commit(&file);
  else cli_file_drop(&file);
  if (rc >= 0) rc = write_colours(c, a, &list);
  hc_buffer_fini(&list);
  return rc;
}

static hc_rc run(cli *c)
{
  asked *a = calloc(1, sizeof *a);
  hc_rc rc = a && cli_registry(c) ? 0 : HC_ENOMEM;
  if (a) hc_buffer_init(&a->colours, c->allocator);
  for (size_t i = 0; rc == 0 && i < c->given_count; i++)
    if (strcmp(c->given[i].flag->name, "plugin") == 0)
      rc = hc_registry_load(c->registry, c->given[i].value, &c->error);
  if (rc >= 0) rc = read_page(c, a);
  if (rc >= 0) rc = read_settings(c, a);
  if (rc >= 0) rc = read_colours(c, a);
  if (rc >= 0) rc = draw(c, a);
  if (rc >= 0) cli_study_note(c->operands[1], &a->so_far);
  for (size_t i = 0; a && i < a->count; i++) hc_buffer_fini(&a->texts[i]);
  if (a) hc_buffer_fini(&a->colours);
  free(a);
  return rc;
}

const cli_command cli_command_plot = {
    .name = "plot",
    .operands = "CHART FILE...",
    .summary = "Draw results or a study as a figure for a paper: SVG, PDF or PNG.",
    .detail =
        "`hindcast list plot` says which charts there are, `hindcast describe curve` what one of them draws "
        "of "
        "what. Files are results, or one study, or for curve and bars its table as CSV (- is standard "
        "input). Of a study that is carried out just now it draws the points that are known so far.",
    .examples = "hindcast plot curve study.db --x load --by policy --figure wait_mean -o wait.svg\n"
                "hindcast plot ecdf results/*.db --of wait --log x -o ecdf.pdf\n"
                "hindcast plot series results/KTH-easy.db --width 170mm -o use.svg",
    .flags = flags,
    .min = 2,
    .max = -1,
    .complete = CLI_FILE,
    .run = run,
};
