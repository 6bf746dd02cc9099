/* dslab.c -- monitoring in the layout of DSLab-CS: what it writes as load.csv, scheduler_info.csv and
 * fair_share.csv.
 *
 *   load    time,name,cpu_load,memory_load,disk_load    TOTAL, group-CLASS, host-NAME
 *   queue   time,queue_size,user                        TOTAL, or a user's number
 *   share   time,user,share
 *
 * A row is the mean over one piece of time, and `time` is where that ends. They come from the tables that
 * the metrics host_load, queue_load and dominant_share keep. DSLab never writes the last piece, which the
 * run covers in part; here it is a row like the others, a mean over that part. Pieces before the first
 * change, where all would be 0, are not written. Its other mode, every change with absolute amounts, has
 * no counterpart. A disk's load is its claims, where DSLab always writes 0. Source: DSLab-CS, monitoring. */
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "output/emit.h"

enum { LOAD, QUEUE, SHARE };
enum { VALUES = 3 };

typedef struct options {
  int table;
  bool header;
} options;

/* What each table is made of: the cells' table and, behind a colon, of what; and the figures of a row. */
typedef struct layout {
  const char *header, *metric;
  const char *figures[VALUES];
} layout;

static const layout layouts[] = {
    {"time,name,cpu_load,memory_load,disk_load\n", "host_load", {"cpu", "memory", "disk"}},
    {"time,queue_size,user\n", "queue_load", {"tasks", NULL, NULL}},
    {"time,user,share\n", "dominant_share", {"share", NULL, NULL}},
};

/* The row that is being gathered: cells of one row follow each other. */
typedef struct writer {
  hc_emit emit;
  hc_result *result;
  int table;
  const layout *layout;
  bool found, open;
  char name[320], key[32], until[32]; /* of the cells' table; where the piece begins and ends */
  char values[VALUES][32];
} writer;

static void put(char *to, size_t size, const char *from)
{
  size_t n = from ? strlen(from) : 0;
  n = HC_MIN(n, size - 1);
  memcpy(to, from ? from : "", n);
  to[n] = '\0';
}

/* A user's name, if it is known. */
static const char *user_name(const writer *w, const char *number)
{
  int64_t user;
  const char *name = NULL;
  if (hc_parse_int(number, strlen(number), &user) == 0)
    name = hc_result_name(w->result, HC_CALLED_USER, user);
  return name ? name : number;
}

/* What a row is about, spelt as DSLab does; false: it does not write such rows. */
static bool whose(const writer *w, const char **prefix, const char **name)
{
  const char *s = w->name + strlen(w->layout->metric);
  *prefix = "";
  *name = "TOTAL";
  if (*s == '\0') return w->table != SHARE;
  if (strncmp(s, ":user:", 6) == 0) *name = user_name(w, s + 6);
  else if (strncmp(s, ":class:", 7) == 0) *prefix = "group-", *name = s + 7;
  else if (strncmp(s, ":host:", 6) == 0) *prefix = "host-", *name = s + 6;
  else return false;
  return true;
}

static void name_field(writer *w, const char *prefix, const char *name)
{
  hc_buffer whole;
  hc_buffer_init(&whole, w->emit.text.allocator);
  hc_buffer_text(&whole, prefix);
  hc_buffer_text(&whole, name);
  if (whole.failed) w->emit.text.failed = true;
  else if (whole.size > 0) hc_csv_field(&w->emit.text, whole.data, whole.size);
  hc_buffer_fini(&whole);
}

static hc_rc end_row(writer *w)
{
  hc_buffer *text = &w->emit.text;
  const char *prefix, *name;
  bool was_open = w->open;
  w->open = false;
  if (!was_open || !whose(w, &prefix, &name)) return 0;
  hc_buffer_printf(text, "%s,", w->until);
  if (w->table == QUEUE) hc_buffer_printf(text, "%s,", w->values[0]);
  name_field(w, prefix, name);
  if (w->table == SHARE) hc_buffer_printf(text, ",%s", w->values[0]);
  for (int i = 0; i < VALUES && w->table == LOAD; i++)
    hc_buffer_printf(text, ",%s", w->values[i][0] ? w->values[i] : "0");
  hc_buffer_text(text, "\n");
  return hc_emit_row(&w->emit);
}

/* values: scope, table, key, name, unit, value. */
static hc_rc hear(void *ctx, const char *const *values)
{
  writer *w = ctx;
  size_t n = strlen(w->layout->metric);
  const char *table = values[1] ? values[1] : "", *figure = values[3] ? values[3] : "";
  if (!values[0] || strcmp(values[0], "all") != 0) return 0;
  if (strncmp(table, w->layout->metric, n) != 0 || (table[n] != '\0' && table[n] != ':')) return 0;
  if (strcmp(table, w->name) != 0 || !values[2] || strcmp(values[2], w->key) != 0) {
    TRY(end_row(w));
    put(w->name, sizeof w->name, table);
    put(w->key, sizeof w->key, values[2]);
    memset(w->values, 0, sizeof w->values);
  }
  w->found = true;
  if (strcmp(figure, "until") == 0) put(w->until, sizeof w->until, values[5]);
  for (int i = 0; i < VALUES; i++) {
    if (!w->layout->figures[i] || strcmp(figure, w->layout->figures[i]) != 0) continue;
    put(w->values[i], sizeof w->values[i], values[5]);
    w->open = true;
  }
  return 0;
}

static hc_rc run(const hc_allocator *a, const void *opts, hc_result *r, const hc_sink *out, hc_error *e)
{
  const options *o = opts;
  writer w = {.result = r, .table = o->table, .layout = &layouts[o->table]};
  hc_rc rc;
  hc_emit_init(&w.emit, a, out, e);
  if (o->header) hc_buffer_text(&w.emit.text, w.layout->header);
  rc = hc_result_rows(r, "cells", 6, hear, &w, e);
  if (rc >= 0) rc = end_row(&w);
  if (rc >= 0 && !w.found)
    rc = hc_fail(e, HC_EUSAGE, hc_result_path(r), 0, 0,
                 "the result has no table '%s'; run it with the metric `%s`", w.layout->metric,
                 w.layout->metric);
  return hc_emit_end(&w.emit, rc);
}

static const hc_param params[] = {
    HC_PARAM(
        CHOICE, options, table, "load|queue|share", "load",
        "Which of DSLab-CS's files. load: load.csv, from the metric host_load. queue: scheduler_info.csv, "
        "from the metric queue_load. share: fair_share.csv, from the metric dominant_share."),
    HC_PARAM(BOOL, options, header, "true", "Begin with a line of column names."),
    {.name = NULL},
};

const hc_exporter_type hc_exporter_dslab = {
    .component =
        {HC_COMPONENT_HEAD(hc_exporter_type, HC_KIND_EXPORTER), .name = "dslab",
         .summary = "load, queue or shares over time in the layout of DSLab-CS",
         .detail = "Values are means over the pieces of time of the metric that was run; `time` is the end "
                   "of a piece. The last piece, which DSLab leaves out, is a mean over the part that the run "
                   "covers. Groups are classes of hosts, and users have their names where these are known.",
         .source = "DSLab-CS (github.com/nogokama/dslab-cluster-simulator, 2024), monitoring",
         .params = params, .options_size = sizeof(options)},
    .run = run,
};
