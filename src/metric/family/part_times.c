/* part_times.c -- how long labelled parts of profiles took on each host, as ElastiSim's task times.
 *
 * * A part (the profile `part`) is told when it is over, once for each run of hosts that follow each other
 * and took as long. Kept and told as they come, in the order in which parts were over. Times are exact.
 * Memory: 56 bytes a row. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/sum128.h"

#define ROWS_MAX (UINT32_C(1) << 26)
#define TABLE "part_times:"

typedef struct row {
  hc_time began, ended;
  uint64_t serial, number;
  uint32_t host, hosts, label, padding;
} row;

typedef struct text {
  char text[HC_LABEL];
} text;

struct hc_metric {
  hc_family family;
  uint64_t parts; /* that are over */
  row *rows;
  size_t count, cap;
  text *labels;
  size_t label_count, label_cap;
};

static hc_rc init(const hc_metric_context *c, const void *options, hc_metric **out, hc_error *e)
{
  HC_UNUSED(options);
  return hc_family_new(c, sizeof(hc_metric), out, e);
}

static void fini(hc_metric *self)
{
  if (self) hc_free(self->family.context.allocator, self->rows, self->cap * sizeof *self->rows);
  if (self) hc_free(self->family.context.allocator, self->labels, self->label_cap * sizeof *self->labels);
  hc_family_free(self);
}

/* There are as many as authors of profiles thought of. */
static hc_rc number_of(hc_metric *self, const char *label, uint32_t *out)
{
  text own = {""};
  (void)snprintf(own.text, sizeof own.text, "%s", label);
  for (*out = 0; *out < self->label_count; (*out)++)
    if (strcmp(self->labels[*out].text, own.text) == 0) return 0;
  TRY(hc_reserve(self->family.context.allocator, (void **)&self->labels, &self->label_cap,
                 self->label_count + 1, sizeof *self->labels));
  self->labels[self->label_count++] = own;
  return 0;
}

static hc_rc labelled(hc_metric *self, const hc_labelled_record *r)
{
  row x = {.began = r->began,
           .ended = r->ended,
           .serial = r->serial,
           .number = r->number,
           .host = r->host,
           .hosts = r->hosts};
  if (self->count >= ROWS_MAX) return HC_ELIMIT;
  TRY(number_of(self, r->label, &x.label));
  TRY(hc_reserve(self->family.context.allocator, (void **)&self->rows, &self->cap, self->count + 1,
                 sizeof *self->rows));
  self->rows[self->count++] = x;
  self->parts = r->number + 1;
  return 0;
}

/* ---- figures ---- */

static hc_rc find_row(hc_findings *f, const char *table, int64_t key, const row *x)
{
  TRY(hc_find_cell(f, table, key, "task", "1", (double)x->serial));
  TRY(hc_find_cell(f, table, key, "part", "1", (double)x->number));
  TRY(hc_find_cell(f, table, key, "host", "1", x->host));
  TRY(hc_find_cell(f, table, key, "hosts", "hosts", x->hosts));
  TRY(hc_find_cell(f, table, key, "end", "s", hc_seconds(x->ended)));
  return hc_find_cell(f, table, key, "duration", "s", hc_seconds(x->ended - x->began));
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  char table[sizeof TABLE + HC_LABEL] = TABLE;
  TRY(hc_find_count(f, "part_times_parts", "parts", (int64_t)self->parts));
  for (size_t i = 0; i < self->count; i++) {
    const row *x = &self->rows[i];
    memcpy(table + sizeof TABLE - 1, self->labels[x->label].text, HC_LABEL);
    TRY(find_row(f, table, (int64_t)i, x));
  }
  return 0;
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  HC_VISIT(v, self->parts);
  HC_VISIT_ARRAY(v, self->rows, self->count, self->cap);
  HC_VISIT_ARRAY(v, self->labels, self->label_count, self->label_cap);
  for (size_t i = 0; i < self->count; i++)
    if (self->rows[i].label >= self->label_count) return HC_EINPUT;
  for (size_t i = 0; i < self->label_count; i++) self->labels[i].text[HC_LABEL - 1] = '\0';
  return 0;
}

#define OF_ROW "; the key is the number of the row, from 0"

static const char *const figures[] = {
    "part_times_parts|parts|none|labelled parts of profiles that are over",
    "part_times:*.task|1|none|serial of the task whose part of that label is over" OF_ROW,
    "part_times:*.part|1|none|number of the part, from 0 in the order in which they were over" OF_ROW,
    "part_times:*.host|1|none|number of the first host that the row is about" OF_ROW,
    "part_times:*.hosts|hosts|none|how many hosts it is about, whose numbers follow each other" OF_ROW,
    "part_times:*.end|s|none|when the part was over on these hosts" OF_ROW,
    "part_times:*.duration|s|none|how long it had taken there" OF_ROW,
    NULL,
};

const hc_metric_type hc_metric_part_times = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "part_times",
         .summary = "how long labelled parts of profiles took on each host, as ElastiSim's task times",
         .detail =
             "For runs with `execution` on a cell of hosts. A part is what the profile `part` does, or a "
             "task of ElastiSim's application models (task_times of the reader elastisim). On a host a part "
             "is over when the last activity is over in which that host took part: its own computations, "
             "reads and writes, its messages, and what all hosts do together; on a host that took part in "
             "nothing the part took no time. Time in which the task was suspended counts. Where the hosts "
             "change at a scheduling point within a part, hosts that leave get their rows then. Parts that "
             "failed, were stopped, or still go on at the end of the run have no rows; a part within which a "
             "task goes on from a checkpoint counts from there. There are at most 67108864 rows. The "
             "exporter elastisim_task_times writes ElastiSim's file of it.",
         .source = "ElastiSim 2024, log_task_times, https://elastisim.github.io"},
    HC_FAMILY_CALLS,
    .needs_use = true,
    .labelled = labelled,
};
