/* activity.c -- what tasks did while they ran: how long they computed, sent, read and wrote, how many bytes,
 * and how much longer they took than alone.
 *
 * A task may do several of these at once. Its *phases* are the times in which it did each, and overlap; its
 * *waits* are the times in which it did nothing but one, so that it could not go on before that was done:
 * with the time in which it did several and the one in which it did none they make up the whole.
 *
 * Of every attempt, stopped ones included; contention only of those that came to their end. Times are exact;
 * sums of bytes and ratios as those of other families. Cost: a few additions an attempt, and with `rows` 120
 * bytes. */
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/sum128.h"

typedef struct options {
  bool contention, rows;
} options;

enum { BYTES_SENT, BYTES_READ, BYTES_WRITTEN, BYTES };

typedef struct sums {
  uint64_t attempts, compared, slowed;
  uint64_t with_items;
  hc_wide worked, items;
  hc_wide times[HC_DOES_SETS];
  hc_real_sum bytes[BYTES];
  hc_wide took, alone; /* of those that are compared */
  hc_real_sum slowdown;
  double slowdown_most;
} sums;

struct hc_metric {
  hc_family family;
  bool contention, keeps_rows;
  sums s;
  hc_did_record *rows;
  size_t count, cap;
};

static hc_rc init(const hc_metric_context *c, const void *chosen, hc_metric **out, hc_error *e)
{
  TRY(hc_family_new(c, sizeof(hc_metric), out, e));
  (*out)->contention = ((const options *)chosen)->contention;
  (*out)->keeps_rows = ((const options *)chosen)->rows;
  return 0;
}

static void fini(hc_metric *self)
{
  if (self) hc_free(self->family.context.allocator, self->rows, self->cap * sizeof *self->rows);
  hc_family_free(self);
}

/* One that takes no time alone, and took none, was not slowed; NaN: nothing to compare. */
static double slowdown_of(const hc_did_record *r)
{
  if (r->alone == HC_UNKNOWN || (r->alone == 0 && r->worked > 0)) return __builtin_nan("");
  return r->alone > 0 ? (double)r->worked / (double)r->alone : 1;
}

static hc_rc did(hc_metric *self, const hc_did_record *r)
{
  sums *s = &self->s;
  const double slowdown = slowdown_of(r);
  s->attempts++;
  hc_wide_add(&s->worked, r->worked);
  s->with_items += r->items != HC_UNKNOWN;
  if (r->items != HC_UNKNOWN) hc_wide_add(&s->items, r->items);
  for (int k = 0; k < HC_DOES_SETS; k++) hc_wide_add(&s->times[k], r->times[k]);
  hc_real_sum_add(&s->bytes[BYTES_SENT], r->sent);
  hc_real_sum_add(&s->bytes[BYTES_READ], r->read);
  hc_real_sum_add(&s->bytes[BYTES_WRITTEN], r->written);
  if (slowdown >= 0) {
    s->compared++;
    s->slowed += r->worked > r->alone;
    hc_wide_add(&s->took, r->worked);
    hc_wide_add(&s->alone, r->alone);
    hc_real_sum_add(&s->slowdown, slowdown);
    s->slowdown_most = HC_MAX(s->slowdown_most, slowdown);
  }
  if (!self->keeps_rows) return 0;
  TRY(hc_reserve(self->family.context.allocator, (void **)&self->rows, &self->cap, self->count + 1,
                 sizeof *self->rows));
  self->rows[self->count++] = *r;
  return 0;
}

static bool asks_alone(const hc_metric *self)
{
  return self->contention;
}

/* ---- figures ---- */

static const struct {
  const char *phase, *waits; /* of the summary; behind "activity_" of a row */
  int does;
} kinds[] = {{"activity_compute_time", "activity_waits_cores", HC_DOES_COMPUTE},
             {"activity_network_time", "activity_waits_network", HC_DOES_NETWORK},
             {"activity_disk_time", "activity_waits_disk", HC_DOES_DISK}};

static const char *of_row(const char *name)
{
  return name + sizeof "activity_" - 1;
}

/* Several of them at once. */
static bool is_several(int set)
{
  return (set & (set - 1)) != 0;
}

static hc_rc find_row(hc_findings *f, const hc_did_record *r)
{
  const int64_t key = (int64_t)r->serial;
  const double worked = r->worked > 0 ? (double)r->worked : __builtin_nan("");
  hc_time several = 0;
  TRY(hc_find_cell(f, "activity", key, "end", "s", hc_seconds(r->at)));
  TRY(hc_find_cell(f, "activity", key, "worked", "s", hc_seconds(r->worked)));
  if (r->alone != HC_UNKNOWN) {
    TRY(hc_find_cell(f, "activity", key, "alone", "s", hc_seconds(r->alone)));
    TRY(hc_find_cell(f, "activity", key, "slowdown", "1", slowdown_of(r)));
  }
  for (size_t k = 0; k < HC_ARRAY_LEN(kinds); k++) {
    hc_time phase = 0;
    for (int set = 0; set < HC_DOES_SETS; set++) phase += set & kinds[k].does ? r->times[set] : 0;
    TRY(hc_find_cell(f, "activity", key, of_row(kinds[k].phase), "s", hc_seconds(phase)));
  }
  TRY(hc_find_cell(f, "activity", key, "idle_time", "s", hc_seconds(r->times[0])));
  if (r->items != HC_UNKNOWN) TRY(hc_find_cell(f, "activity", key, "item_time", "s", hc_seconds(r->items)));
  TRY(hc_find_cell(f, "activity", key, "at_once", "activities", r->at_once));
  for (size_t k = 0; k < HC_ARRAY_LEN(kinds); k++)
    TRY(hc_find_cell(f, "activity", key, of_row(kinds[k].waits), "1",
                     (double)r->times[kinds[k].does] / worked));
  for (int set = 0; set < HC_DOES_SETS; set++) several += is_several(set) ? r->times[set] : 0;
  TRY(hc_find_cell(f, "activity", key, "overlap", "1", (double)several / worked));
  TRY(hc_find_cell(f, "activity", key, "sent", "B", r->sent));
  TRY(hc_find_cell(f, "activity", key, "read", "B", r->read));
  return hc_find_cell(f, "activity", key, "written", "B", r->written);
}

static hc_rc find_times(const sums *s, hc_findings *f)
{
  hc_wide several = {0};
  TRY(hc_find_real(f, "activity_worked", "s", hc_wide_seconds(s->worked)));
  for (size_t k = 0; k < HC_ARRAY_LEN(kinds); k++) {
    hc_wide phase = {0};
    for (int set = 0; set < HC_DOES_SETS; set++)
      if (set & kinds[k].does) hc_wide_add_wide(&phase, s->times[set]);
    TRY(hc_find_real(f, kinds[k].phase, "s", hc_wide_seconds(phase)));
  }
  TRY(hc_find_real(f, "activity_idle_time", "s", hc_wide_seconds(s->times[0])));
  if (s->with_items > 0) TRY(hc_find_real(f, "activity_item_time", "s", hc_wide_seconds(s->items)));
  for (size_t k = 0; k < HC_ARRAY_LEN(kinds); k++)
    TRY(hc_find_real(f, kinds[k].waits, "1", hc_wide_ratio(s->times[kinds[k].does], s->worked)));
  for (int set = 0; set < HC_DOES_SETS; set++)
    if (is_several(set)) hc_wide_add_wide(&several, s->times[set]);
  return hc_find_real(f, "activity_overlap", "1", hc_wide_ratio(several, s->worked));
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  const sums *s = &self->s;
  TRY(hc_find_count(f, "activity_attempts", "attempts", (int64_t)s->attempts));
  TRY(find_times(s, f));
  TRY(hc_find_real(f, "activity_sent", "B", hc_real_sum_value(s->bytes[BYTES_SENT])));
  TRY(hc_find_real(f, "activity_read", "B", hc_real_sum_value(s->bytes[BYTES_READ])));
  TRY(hc_find_real(f, "activity_written", "B", hc_real_sum_value(s->bytes[BYTES_WRITTEN])));
  if (self->contention) {
    TRY(hc_find_count(f, "activity_slowed", "tasks", (int64_t)s->slowed));
    TRY(hc_find_real(f, "activity_alone", "s", hc_wide_seconds(s->alone)));
    TRY(hc_find_real(f, "activity_lost", "s", hc_wide_seconds(s->took) - hc_wide_seconds(s->alone)));
    TRY(hc_find_real(f, "activity_slowdown_mean", "1", hc_mean_real(s->slowdown, s->compared)));
    TRY(hc_find_real(f, "activity_slowdown_max", "1",
                     s->compared > 0 ? s->slowdown_most : __builtin_nan("")));
  }
  for (size_t i = 0; i < self->count; i++) TRY(find_row(f, &self->rows[i]));
  return 0;
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  HC_VISIT(v, self->s);
  HC_VISIT_ARRAY(v, self->rows, self->count, self->cap);
  return 0;
}

static const hc_param params[] = {
    HC_PARAM(BOOL, options, contention, "false",
             "Finds out how much longer tasks took than alone: each task is run once more by itself when it "
             "has come to its end, which costs as much as running it."),
    HC_PARAM(BOOL, options, rows, "false", "A table with a row for each attempt, by the serial of its task."),
    {.name = NULL},
};

#define KEY "by serial of the task: "

static const char *const figures[] = {
    "activity_attempts|attempts|none|attempts of tasks with profiles that are over",
    "activity_worked|s|none|sum of the times that they ran, without suspension",
    "activity_compute_time|s|none|sum of times with at least one computation",
    "activity_network_time|s|none|sum of times with at least one transfer, in its latency or under way",
    "activity_disk_time|s|none|sum of times with at least one read or write, under way or waiting",
    "activity_idle_time|s|lower|sum of times with none of these",
    "activity_item_time|s|lower|sum of the idle times in which data items were brought or delivered, where "
    "there are any",
    "activity_waits_cores|1|none|share of their time in which they only computed",
    "activity_waits_network|1|lower|share of their time in which they only sent",
    "activity_waits_disk|1|lower|share of their time in which they only read or wrote",
    "activity_overlap|1|none|share of their time in which they did several of these at once",
    "activity_sent|B|none|bytes that have come from one host to another",
    "activity_read|B|none|bytes that were read from disks",
    "activity_written|B|none|bytes that were written on disks",
    "activity_slowed|tasks|lower|with `contention`: tasks that took longer than alone",
    "activity_alone|s|none|with `contention`: sum of what those that came to their end take alone",
    "activity_lost|s|lower|with `contention`: sum of what they took, less that",
    "activity_slowdown_mean|1|lower|with `contention`: mean of time / time alone",
    "activity_slowdown_max|1|lower|with `contention`: the greatest time / time alone",
    "activity.end|s|none|" KEY "end of the attempt",
    "activity.worked|s|none|" KEY "how long the attempt ran, without suspension",
    "activity.alone|s|none|" KEY "with `contention`: how long the attempt takes alone",
    "activity.slowdown|1|lower|" KEY "worked / alone",
    "activity.compute_time|s|none|" KEY "time with at least one computation",
    "activity.network_time|s|none|" KEY "time with at least one transfer",
    "activity.disk_time|s|none|" KEY "time with at least one read or write",
    "activity.idle_time|s|none|" KEY "time with none of these",
    "activity.item_time|s|none|" KEY "idle time in which data items were brought or delivered, if any",
    "activity.at_once|activities|none|" KEY "most activities of the attempt at a time; computations of all "
    "its processes count as one",
    "activity.waits_cores|1|none|" KEY "share of the time in which it only computed",
    "activity.waits_network|1|none|" KEY "share of the time in which it only sent",
    "activity.waits_disk|1|none|" KEY "share of the time in which it only read or wrote",
    "activity.overlap|1|none|" KEY "share of the time in which it did several of these at once",
    "activity.sent|B|none|" KEY "bytes sent from one host to another",
    "activity.read|B|none|" KEY "bytes read from disks",
    "activity.written|B|none|" KEY "bytes written on disks",
    NULL,
};

const hc_metric_type hc_metric_activity = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "activity",
         .summary = "what tasks did while they ran: phases, bytes, and how contention slowed them",
         .detail =
             "Counts tasks with profiles in a run with `execution`, stopped attempts included. Alone means: "
             "on the same hosts with the same cores, with nothing else on any link or disk, disks empty, "
             "without a limit. Tasks that still run when the run ends do not count.",
         .params = params, .options_size = sizeof(options)},
    HC_FAMILY_CALLS,
    .needs_use = true,
    .did = did,
    .asks_alone = asks_alone,
};
