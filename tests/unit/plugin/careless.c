/* careless.c -- components that fail without a reason, and, with CALLS, one that calls a function of the
 * library: bad_plugin/no_reason and bad_plugin/calls_library load them. */
#include "hindcast/metric.h"
#include "hindcast/plugin.h"
#include "hindcast/policy.h"
#include "hindcast/workload.h"

typedef struct options {
  const char *file;
} options;

static hc_rc open_source(const hc_source_context *c, const void *o, hc_source **out, hc_error *e)
{
  (void)c, (void)o, (void)out;
#ifdef CALLS
  return hc_fail(e, HC_EINPUT, "careless", 0, 0, "no");
#else
  (void)e;
  return HC_EUNSUPPORTED;
#endif
}

static hc_rc next_job(hc_source *s, hc_job *job, hc_error *e)
{
  (void)s, (void)job, (void)e;
  return 0;
}

static const hc_trace_info *info(hc_source *s)
{
  (void)s;
  return NULL;
}

static hc_rc visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  (void)s, (void)v, (void)e;
  return 0;
}

static void close_source(hc_source *s)
{
  (void)s;
}

static const hc_param params[] = {HC_PARAM(FILE, options, file, NULL, "Path of a file."), {0}};

static const hc_reader_type reader = {
    .component = {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "careless_reader",
                  .summary = "fails", .params = params, .options_size = sizeof(options)},
    .open = open_source, .next = next_job, .info = info, .visit = visit, .close = close_source};

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  (void)self, (void)v, (void)p, (void)why;
  return HC_EUNSUPPORTED;
}

static hc_rc init(const hc_policy_context *c, const void *o, hc_policy **out, hc_error *e)
{
  (void)c, (void)o, (void)out, (void)e;
  return HC_EUSAGE;
}

/* It says why, by snprintf alone, with what a terminal would obey. */
static hc_rc say(const hc_policy_context *c, const void *o, hc_policy **out, hc_error *e)
{
  (void)c, (void)o, (void)out;
  (void)snprintf(e->text, sizeof e->text, "a \033[31mreason");
  return HC_EUSAGE;
}

/* Numbers as the library reads and writes them, said with a place. */
static hc_rc say_numbers(const hc_number_calls *n, const char *of, hc_error *e)
{
  int64_t bytes = 0;
  hc_time date = 0, limit = 0;
  double share = 0;
  char text[32];
  if (n->parse_size("64MiB", 5, &bytes) < 0 || n->parse_date("2024-02-29T12:00:00+01:00", 25, &date) < 0 ||
      n->parse_time("1h30m", 5, &limit) < 0 || n->parse_real("1e-3", 4, &share) < 0 ||
      n->parse_date("2024-02-30", 10, &date) == 0 || n->parse_int("12x", 3, &bytes) == 0)
    return HC_EUSAGE;
  const hc_calendar c = n->calendar_of(date / HC_SECOND, 0);
  text[n->format_seconds(limit, text)] = '\0';
  return hc_plugin_fail(e, HC_EUSAGE, of, 7, 3, "%lld bytes, Unix %lld, hour %d of weekday %d, %s s, %g",
                        (long long)bytes, (long long)(date / HC_SECOND), c.hour, c.weekday, text, share);
}

static hc_rc init_numbers(const hc_policy_context *c, const void *o, hc_policy **out, hc_error *e)
{
  (void)o, (void)out;
  return say_numbers(c->numbers, "policy", e);
}

static hc_rc init_metric(const hc_metric_context *c, const void *o, hc_metric **out, hc_error *e)
{
  (void)o, (void)out;
  return say_numbers(c->numbers, "metric", e);
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  (void)self, (void)f;
  return 0;
}

static void fini_metric(hc_metric *self)
{
  (void)self;
}

static void fini(hc_policy *self)
{
  (void)self;
}

#define SELECT(name_) \
  .component = {HC_COMPONENT_HEAD(hc_select_type, HC_KIND_SELECT), .name = (name_), .summary = "fails"}

static const hc_select_type late = {SELECT("careless_late"), .decide = decide};
static const hc_select_type early = {SELECT("careless_early"), .init = init, .decide = decide, .fini = fini};
static const hc_select_type said = {SELECT("careless_said"), .init = say, .decide = decide, .fini = fini};

static const hc_select_type numbers = {
    SELECT("careless_numbers"), .init = init_numbers, .decide = decide, .fini = fini};

static const char *const figures[] = {"careless_figure|1|none|nothing", NULL};
static const hc_metric_type metric = {.component = {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC),
                                                    .name = "careless_metric", .summary = "fails",
                                                    .figures = figures},
                                      .init = init_metric, .finish = finish, .fini = fini_metric};

static const hc_component *const components[] = {&reader.component, &late.component, &early.component,
                                                 &said.component, &numbers.component, &metric.component,
                                                 NULL};
HC_API extern const hc_plugin hc_plugin_entry;
const hc_plugin hc_plugin_entry = {
    .size = sizeof(hc_plugin), .abi = HC_ABI, .name = "careless", .components = components};
