/* activity.c -- what tasks did while they ran, and lengths of profiles that nothing shared.
 *
 * A result that was asked for rows of the metric `activity` says of each attempt of a task with a profile how
 * long it worked, for how long it computed, sent and used disks, and, with `contention`, how long it takes
 * where nothing else runs. Three things are held to that:
 *
 *   - a row is of an attempt that is in the records, worked as long as this took (less, if it was suspended),
 *     and its parts lie within that time; counts and sums of the summary are the rows'.
 *   - a task beside which no other used what it used took exactly as long as alone. Cores are a task's own.
 *     So this holds for each that neither sent nor used disks, whatever ran beside it; for one that sent, if
 *     no other that did ran at any time between its start and its end; and for disks likewise.
 *   - a task that did one thing at a time is never shorter than alone: its only flow, or operation of a disk,
 *     has at most the rate that it has where all links are free, and what follows begins when it is done. Of
 *     tasks that do several things at once that does not follow: where another slows one of its flows, a
 *     second has more of the link that both cross, and what waits for this one begins earlier than alone.
 *
 * What a task waited for its data items (`item_time`) is no part of what it takes alone; items cross links of
 * which no row tells, so that in a run with items none that sent is known to have shared nothing. Files stay
 * when their task is gone, and may make another one longer or shorter: where there are any, tasks that used
 * disks are left. So are tasks that were suspended. Times are compared to the nanosecond, as far as the 15
 * digits of the table go. Cost: O(n log n). */
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "base/text.h"
#include "base/util.h"
#include "verify/parts.h"

static const char *const columns[HC_VERIFY_DID_COUNT] = {
    [HC_VERIFY_END] = "end",
    [HC_VERIFY_WORKED] = "worked",
    [HC_VERIFY_ALONE] = "alone",
    [HC_VERIFY_SLOWDOWN] = "slowdown",
    [HC_VERIFY_COMPUTE] = "compute_time",
    [HC_VERIFY_NETWORK] = "network_time",
    [HC_VERIFY_DISK] = "disk_time",
    [HC_VERIFY_IDLE] = "idle_time",
    [HC_VERIFY_ITEMS] = "item_time",
    [HC_VERIFY_AT_ONCE] = "at_once",
    [HC_VERIFY_WAITS_CORES] = "waits_cores",
    [HC_VERIFY_WAITS_NETWORK] = "waits_network",
    [HC_VERIFY_WAITS_DISK] = "waits_disk",
    [HC_VERIFY_OVERLAP] = "overlap",
    [HC_VERIFY_SENT] = "sent",
    [HC_VERIFY_READ] = "read",
    [HC_VERIFY_WRITTEN] = "written",
};

/* ---- the table ---- */

typedef struct reading {
  const hc_allocator *allocator;
  hc_verify_activity *out;
  hc_verify_act *rows;
  size_t cap;
  char metric[64]; /* "metrics.1." of the one that is `activity` */
  bool is_asked;
} reading;

static bool begins(const char *text, const char *head)
{
  return strncmp(text, head, strlen(head)) == 0;
}

static bool ends(const char *text, const char *tail)
{
  const size_t n = strlen(text), m = strlen(tail);
  return n >= m && strcmp(text + n - m, tail) == 0;
}

/* Of `execution.disks.0.` and the like. */
static void hear_disk(hc_verify_activity *out, const char *path, const char *value)
{
  const char *dot = strchr(path + strlen("execution.disks."), '.');
  if (!dot) out->has_files |= strcmp(value, "disk") != 0 && strcmp(value, "striped") != 0;
  else if (strcmp(dot, ".mount") == 0) out->has_files |= value[0] != '\0';
  else out->has_tables |= begins(dot, ".read_by.") || begins(dot, ".write_by.");
}

static hc_rc hear_key(void *ctx, const char *const *values)
{
  reading *r = ctx;
  const char *path = values[0], *value = values[1];
  if (!path || !value) return 0;
  if (begins(path, "execution.disks.")) hear_disk(r->out, path, value);
  if (begins(path, "metrics.") && !strchr(path + 8, '.') && strcmp(value, "activity") == 0)
    (void)snprintf(r->metric, sizeof r->metric, "%s.", path);
  else if (r->metric[0] != '\0' && begins(path, r->metric) && ends(path, ".rows"))
    r->is_asked |= strcmp(value, "true") == 0;
  return 0;
}

static hc_rc begin_row(reading *r, const char *key)
{
  hc_verify_act *x;
  TRY(hc_reserve(r->allocator, (void **)&r->rows, &r->cap, r->out->count + 1, sizeof *r->rows));
  x = &r->rows[r->out->count];
  TRY(hc_numbers_of(&key, 1, &x->serial));
  for (int k = 0; k < HC_VERIFY_DID_COUNT; k++) x->value[k] = __builtin_nan("");
  r->out->count++;
  return 0;
}

/* Cells stand in the order of their rows, of which each begins with its end. */
static hc_rc hear_cell(void *ctx, const char *const *values)
{
  reading *r = ctx;
  int column = -1;
  double value = __builtin_nan("");
  if (!values[0] || !values[1] || !values[3] || strcmp(values[1], "activity") != 0 ||
      strcmp(values[0], "all") != 0)
    return 0;
  for (int k = 0; k < HC_VERIFY_DID_COUNT; k++)
    if (strcmp(values[3], columns[k]) == 0) column = k;
  if (column < 0) return 0; /* of a later program */
  if (column == HC_VERIFY_END) TRY(begin_row(r, values[2]));
  if (values[5] && hc_parse_real(values[5], strlen(values[5]), &value) < 0) return HC_EINPUT;
  if (r->out->count == 0) return HC_EINPUT;
  r->rows[r->out->count - 1].value[column] = value;
  return 0;
}

hc_rc hc_verify_activity_read(const hc_allocator *a, hc_result *r, hc_verify_activity *out, hc_error *e)
{
  reading x = {.allocator = a, .out = out};
  *out = (hc_verify_activity){0};
  hc_rc rc = hc_result_rows(r, "configuration", 3, hear_key, &x, e);
  if (rc >= 0 && x.is_asked) rc = hc_result_rows(r, "cells", 6, hear_cell, &x, e);
  if (rc >= 0) rc = hc_fit(a, (void **)&x.rows, &x.cap, out->count, sizeof *x.rows);
  out->rows = x.rows;
  if (rc >= 0) return x.is_asked;
  hc_free(a, x.rows, x.cap * sizeof *x.rows);
  *out = (hc_verify_activity){0};
  return hc_fail(e, rc, hc_result_path(r), 0, 0, "its table of activity cannot be read: %s", hc_rc_text(rc));
}

void hc_verify_activity_free(const hc_allocator *a, hc_verify_activity *x)
{
  hc_free(a, (void *)(uintptr_t)x->rows, x->count * sizeof *x->rows);
  *x = (hc_verify_activity){0};
}

/* ---- attempts ---- */

typedef struct attempt {
  int64_t serial;
  hc_time end, start;
} attempt;

HC_SORT(sort_attempts, attempt,
        a->serial != b->serial ? a->serial < b->serial
        : a->end != b->end     ? a->end < b->end
                               : a->start < b->start)

/* Something of a task that used the network, or disks, at some time between these. */
typedef struct user {
  hc_time from, until;
  size_t row; /* SIZE_MAX: of none */
} user;

HC_SORT(sort_users, user,
        a->from != b->from     ? a->from < b->from
        : a->until != b->until ? a->until < b->until
                               : a->row < b->row)

enum { NETWORK, DISKS, KINDS };

typedef struct checking {
  hc_check *c;
  const hc_verify_activity *given;
  attempt *attempts; /* [attempt_count] that were not their task's last, by serial and end */
  size_t attempt_count, room;
  user *users[KINDS]; /* [user_count] by start */
  size_t user_count[KINDS], user_room;
  bool *is_beside[KINDS]; /* [rows] another one used that at some time of its run */
  bool has_items;
} checking;

static hc_time ns(double seconds)
{
  if (seconds != seconds) return HC_UNKNOWN;
  if (__builtin_fabs(seconds) > 9e9) return seconds > 0 ? HC_NEVER : 0;
  return (hc_time)(seconds * 1e9 + (seconds < 0 ? -0.5 : 0.5));
}

static double seconds(hc_time t)
{
  return (double)t / 1e9;
}

/* The same time, to a nanosecond and the digits of the table. */
static double close_to(double x)
{
  return 1.5e-9 + 8e-15 * __builtin_fabs(x);
}

static bool is_same(double x, double y)
{
  return __builtin_fabs(x - y) <= close_to(HC_MAX(__builtin_fabs(x), __builtin_fabs(y)));
}

static hc_rc gather(checking *k)
{
  const hc_check *c = k->c;
  const hc_verify_stops *stops = c->as_given->stops;
  const size_t losses = c->options->told ? c->options->told->loss_count : 0;
  k->room = losses + (stops ? stops->count : 0);
  k->attempts = hc_alloc(c->allocator, k->room * sizeof *k->attempts + 1);
  if (!k->attempts) return HC_ENOMEM;
  for (size_t i = 0; i < losses; i++) {
    const hc_verify_loss *x = &c->options->told->losses[i];
    k->attempts[k->attempt_count++] = (attempt){x->serial, x->end, x->start};
  }
  for (size_t i = 0; stops && i < stops->count; i++) {
    const hc_verify_stop *x = &stops->stops[i];
    k->attempts[k->attempt_count++] = (attempt){x->serial, x->end, x->start};
  }
  sort_attempts(k->attempts, k->attempt_count);
  return 0;
}

static size_t first_of(const checking *k, int64_t serial)
{
  size_t low = 0, high = k->attempt_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (k->attempts[middle].serial < serial) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* When the attempt began of which a row says how it ended. @return HC_UNKNOWN: there is none */
static hc_time start_of(const checking *k, const hc_verify_act *x, const hc_task_record *t)
{
  if (t->start == HC_UNKNOWN) return HC_UNKNOWN;
  if (t->end != HC_UNKNOWN && is_same(x->value[HC_VERIFY_END], seconds(t->end))) return t->start;
  for (size_t i = first_of(k, x->serial); i < k->attempt_count && k->attempts[i].serial == x->serial; i++)
    if (is_same(x->value[HC_VERIFY_END], seconds(k->attempts[i].end))) return k->attempts[i].start;
  return HC_UNKNOWN;
}

/* ---- a row ---- */

static bool within(double x, double least, double most)
{
  return x >= least - close_to(most) && x <= most + close_to(most);
}

/* What it did for how long, and what of that beside nothing else. */
static hc_rc check_parts(checking *k, uint32_t rank, const hc_verify_act *x)
{
  static const int parts[][2] = {{HC_VERIFY_COMPUTE, HC_VERIFY_WAITS_CORES},
                                 {HC_VERIFY_NETWORK, HC_VERIFY_WAITS_NETWORK},
                                 {HC_VERIFY_DISK, HC_VERIFY_WAITS_DISK}};
  const double *v = x->value, worked = v[HC_VERIFY_WORKED], room = 4e-15 * worked;
  const char *wrong = NULL;
  double all = v[HC_VERIFY_IDLE] + v[HC_VERIFY_OVERLAP] * worked;
  for (size_t i = 0; i < HC_ARRAY_LEN(parts); i++) {
    const double only = v[parts[i][1]] * worked, part = v[parts[i][0]];
    all += only;
    if (worked > 0 ? !within(part, only - room, only + v[HC_VERIFY_OVERLAP] * worked + room) : part != 0)
      wrong = columns[parts[i][0]];
  }
  if (worked > 0 ? !within(all, worked - room, worked + room) : v[HC_VERIFY_IDLE] != 0)
    wrong = columns[HC_VERIFY_IDLE];
  if (v[HC_VERIFY_ITEMS] == v[HC_VERIFY_ITEMS] && !within(v[HC_VERIFY_ITEMS], 0, v[HC_VERIFY_IDLE]))
    wrong = columns[HC_VERIFY_ITEMS];
  for (int i = HC_VERIFY_SENT; i <= HC_VERIFY_WRITTEN; i++)
    if (!(v[i] >= 0)) wrong = columns[i];
  if (v[HC_VERIFY_SENT] > 0 && !(v[HC_VERIFY_NETWORK] > 0)) wrong = columns[HC_VERIFY_SENT];
  if (v[HC_VERIFY_AT_ONCE] < 1 && /* results of earlier programs do not say it */
      !(v[HC_VERIFY_AT_ONCE] == 0 && v[HC_VERIFY_COMPUTE] + v[HC_VERIFY_NETWORK] + v[HC_VERIFY_DISK] == 0))
    wrong = columns[HC_VERIFY_AT_ONCE];
  if (!wrong) return 0;
  return hc_find_word(k->c, HC_FOUND_OTHER_PARTS, wrong, rank, ns(worked), 0);
}

static hc_rc check_slowdown(checking *k, uint32_t rank, const hc_verify_act *x, const hc_task_record *t)
{
  const double *v = x->value, alone = v[HC_VERIFY_ALONE], worked = v[HC_VERIFY_WORKED];
  const char *wrong = NULL;
  if (alone != alone) {
    if (v[HC_VERIFY_SLOWDOWN] == v[HC_VERIFY_SLOWDOWN]) wrong = "slowdown";
  } else if (alone > 0) {
    if (!(__builtin_fabs(v[HC_VERIFY_SLOWDOWN] * alone - worked) <= 1e-9 + 1e-12 * worked))
      wrong = "slowdown";
  } else if (alone < 0) wrong = "alone";
  if (alone == alone && t->final != HC_FINAL_COMPLETED) wrong = "alone";
  return wrong ? hc_find_word(k->c, HC_FOUND_OTHER_SLOWDOWN, wrong, rank, ns(worked), ns(alone)) : 0;
}

static hc_rc check_row(checking *k, size_t row)
{
  hc_check *c = k->c;
  const hc_verify_act *x = &k->given->rows[row];
  const uint32_t record = hc_record_with(c, x->serial);
  const double worked = x->value[HC_VERIFY_WORKED];
  if (record == UINT32_MAX) return hc_find_word(c, HC_FOUND_NO_TASK, "activity", UINT32_MAX, x->serial, 0);
  const hc_task_record *t = &c->given[record];
  const uint32_t rank = c->ranks[record];
  const hc_time start = start_of(k, x, t);
  const bool is_rated = (t->flags & HC_TASK_RATED) != 0;
  hc_held_to(c, HC_RULE_ACTIVITY, 1);
  if (start == HC_UNKNOWN && !is_rated)
    return hc_find(c, HC_FOUND_NO_ATTEMPT, HC_UNKNOWN, rank, UINT32_MAX, ns(x->value[HC_VERIFY_END]), 0);
  const double took = x->value[HC_VERIFY_END] - seconds(start == HC_UNKNOWN ? t->submit : start);
  const double room = close_to(x->value[HC_VERIFY_END]);
  if (!(worked >= 0) || worked > took + room || (!is_rated && worked < took - room))
    return hc_find(c, HC_FOUND_OTHER_WORK, start, rank, UINT32_MAX, ns(worked), ns(took));
  TRY(check_parts(k, rank, x));
  return check_slowdown(k, rank, x, t);
}

/* ---- what was beside it ---- */

static void add_user(checking *k, int kind, hc_time from, hc_time until, size_t row)
{
  k->users[kind][k->user_count[kind]++] = (user){from, until, row};
}

/* Rows, and tasks that still run, of which there is none: they may use anything. */
static void add_users(checking *k)
{
  const hc_check *c = k->c;
  for (size_t i = 0; i < k->given->count; i++) {
    const hc_verify_act *x = &k->given->rows[i];
    const uint32_t record = hc_record_with(c, x->serial);
    k->has_items |= x->value[HC_VERIFY_ITEMS] == x->value[HC_VERIFY_ITEMS];
    if (record == UINT32_MAX) continue;
    const hc_task_record *t = &c->given[record];
    const hc_time start = start_of(k, x, t), from = start == HC_UNKNOWN ? t->submit : start;
    const hc_time until = ns(x->value[HC_VERIFY_END]);
    if (x->value[HC_VERIFY_NETWORK] != 0) add_user(k, NETWORK, from, until, i);
    if (x->value[HC_VERIFY_DISK] != 0) add_user(k, DISKS, from, until, i);
  }
  for (size_t i = 0; i < c->report.tasks; i++) {
    const hc_task_record *t = &c->given[i];
    if (t->final != HC_FINAL_RUNNING || t->start == HC_UNKNOWN) continue;
    for (int kind = 0; kind < KINDS; kind++) add_user(k, kind, t->start, HC_NEVER, SIZE_MAX);
  }
}

/* Those beside which another one runs at some time. */
static void mark_beside(checking *k, int kind)
{
  const user *all = k->users[kind];
  hc_time before = INT64_MIN;
  for (size_t i = 0; i < k->user_count[kind]; i++) {
    const bool meets_next = i + 1 < k->user_count[kind] && all[i + 1].from < all[i].until;
    if (all[i].row != SIZE_MAX) k->is_beside[kind][all[i].row] = before > all[i].from || meets_next;
    before = HC_MAX(before, all[i].until);
  }
}

static hc_rc find_beside(checking *k)
{
  const size_t rows = k->given->count;
  k->user_room = (rows + (size_t)k->c->report.tasks) * sizeof(user) + 1;
  for (int kind = 0; kind < KINDS; kind++) {
    k->users[kind] = hc_alloc(k->c->allocator, k->user_room);
    k->is_beside[kind] = hc_alloc(k->c->allocator, rows * sizeof(bool) + 1);
    if (!k->users[kind] || !k->is_beside[kind]) return HC_ENOMEM;
    memset(k->is_beside[kind], 0, rows * sizeof(bool));
  }
  add_users(k);
  for (int kind = 0; kind < KINDS; kind++) {
    sort_users(k->users[kind], k->user_count[kind]);
    mark_beside(k, kind);
  }
  return 0;
}

/* Does nothing that another one did bear upon it? */
static bool shares_nothing(const checking *k, size_t row)
{
  const double *v = k->given->rows[row].value;
  const bool sends = v[HC_VERIFY_NETWORK] != 0, has_disks = v[HC_VERIFY_DISK] != 0;
  if (sends && (k->has_items || k->is_beside[NETWORK][row])) return false;
  return !has_disks || !(k->given->has_files || k->is_beside[DISKS][row]);
}

/* Is it never faster for what others do? */
static bool is_one_by_one(const checking *k, size_t row)
{
  const double *v = k->given->rows[row].value;
  if (v[HC_VERIFY_DISK] != 0 && (k->given->has_files || k->given->has_tables)) return false;
  return v[HC_VERIFY_AT_ONCE] <= 1;
}

static hc_rc check_alone(checking *k, size_t row)
{
  hc_check *c = k->c;
  const hc_verify_act *x = &k->given->rows[row];
  const uint32_t record = hc_record_with(c, x->serial);
  const double alone = x->value[HC_VERIFY_ALONE], items = x->value[HC_VERIFY_ITEMS];
  const double took = x->value[HC_VERIFY_WORKED] - (items == items ? items : 0);
  const double room = close_to(x->value[HC_VERIFY_WORKED]);
  if (record == UINT32_MAX || alone != alone) return 0;
  const hc_task_record *t = &c->given[record];
  const bool exactly = shares_nothing(k, row);
  if ((t->flags & HC_TASK_RATED) != 0 || (!exactly && !is_one_by_one(k, row))) {
    c->report.gaps |= UINT32_C(1) << HC_GAP_CONTENTION;
    return 0;
  }
  hc_held_to(c, HC_RULE_ALONE, 1);
  if (exactly ? __builtin_fabs(took - alone) <= room : took >= alone - room) return 0;
  return hc_find(c, exactly ? HC_FOUND_NOT_AS_ALONE : HC_FOUND_TOO_SHORT, t->start, c->ranks[record],
                 UINT32_MAX, ns(took), ns(alone));
}

/* ---- the summary ---- */

static double sum_of(const hc_verify_activity *a, int column)
{
  double sum = 0;
  for (size_t i = 0; i < a->count; i++)
    if (a->rows[i].value[column] == a->rows[i].value[column]) sum += a->rows[i].value[column];
  return sum;
}

static hc_rc check_sums(checking *k)
{
  static const int sums[] = {HC_VERIFY_WORKED,  HC_VERIFY_COMPUTE, HC_VERIFY_NETWORK, HC_VERIFY_DISK,
                             HC_VERIFY_IDLE,    HC_VERIFY_ITEMS,   HC_VERIFY_SENT,    HC_VERIFY_READ,
                             HC_VERIFY_WRITTEN, HC_VERIFY_ALONE};
  static const char head[] = "activity_";
  const hc_verify_told *told = k->c->options->told;
  for (size_t i = 0; told && i < told->counted_count; i++) {
    const hc_verify_counted *f = &told->counted[i];
    double is = 0;
    bool known = false;
    if (f->table != HC_COUNTS_FIGURES || !begins(f->name, head)) continue;
    const char *name = f->name + sizeof head - 1;
    for (size_t j = 0; j < HC_ARRAY_LEN(sums) && !known; j++) {
      known = strcmp(name, columns[sums[j]]) == 0;
      if (known) is = sum_of(k->given, sums[j]);
    }
    if (strcmp(name, "attempts") == 0) is = (double)k->given->count;
    else if (!known) continue;
    hc_held_to(k->c, HC_RULE_ACTIVITY, 1);
    if (k->c->report.figures_left > 0) k->c->report.figures_left--;
    if (!(__builtin_fabs(f->value - is) <= 1e-9 + 1e-12 * __builtin_fabs(is)))
      TRY(hc_find_word(k->c, HC_FOUND_OTHER_SUM, f->name, UINT32_MAX, 0, 0));
  }
  return 0;
}

static hc_rc check_all(checking *k)
{
  TRY(gather(k));
  TRY(find_beside(k));
  for (size_t i = 0; i < k->given->count; i++) {
    TRY(check_row(k, i));
    TRY(check_alone(k, i));
  }
  return check_sums(k);
}

hc_rc hc_check_activity(hc_check *c)
{
  const hc_allocator *a = c->allocator;
  checking k = {.c = c, .given = c->as_given->activity};
  if (!c->serials || !c->ranks) return 0;
  const hc_rc rc = check_all(&k);
  hc_free(a, k.attempts, k.room * sizeof *k.attempts + 1);
  for (int kind = 0; kind < KINDS; kind++) {
    hc_free(a, k.users[kind], k.user_room);
    hc_free(a, k.is_beside[kind], k.given->count * sizeof(bool) + 1);
  }
  return rc;
}
