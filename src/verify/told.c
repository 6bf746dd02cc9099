/* told.c -- what else a result says: what it counted, where tasks were, what was lost, and under which
 * options it ran.
 *
 * Of the configuration only what decides whether a rule can be held against a schedule is read. What is not
 * known to keep a rule is not held to it: a source, a policy or an architecture that is not named here may do
 * anything. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "verify/parts.h"

typedef struct reading {
  const hc_allocator *allocator;
  hc_verify_told *out;
  hc_verify_counted *counted;
  hc_verify_place *places;
  hc_verify_loss *losses;
  hc_verify_window *windows;
  hc_verify_announcement *announcements;
  hc_verify_guest *guests;
  hc_verify_overrun *overruns;
  hc_verify_power *power;
  hc_verify_mold *molds;
  hc_verify_resize_rate *resize_rates;
  hc_verify_silent *silent;
  double *speeds;
  hc_time *changes, *evictions;
  hc_time event_at;    /* `at` of the change of hosts at hand */
  int64_t class_count; /* hosts of the class at hand */
  size_t counted_cap, place_cap, loss_cap, window_cap, announcement_cap, guest_cap, overrun_cap, power_cap,
      mold_cap, resize_rate_cap, silent_cap, speed_cap, change_cap, eviction_cap;
  const char *words[HC_DIMENSIONS];  /* names of dimensions, in `names` */
  hc_map named[HC_CALLED_COUNT + 1]; /* numbers that have a name; of tasks, serials */
  char names[HC_DIMENSIONS][64], units_of[64];
  bool on_hosts, knows_sources, all_rows, all_plain, no_cancels, has_sets, has_plugins;
  bool is_batch, is_fair, has_shares, is_monolithic, is_direct, think, calls_always, calls_else, hears_all;
  bool is_contiguous, is_eligible, has_load, is_selector, keeps_cancelled;
  bool wakes_none; /* EASY's head may be left waiting when its reservation is past */
} reading;

static bool is_one_of(const char *word, const char *const *words)
{
  for (; *words; words++)
    if (strcmp(word, *words) == 0) return true;
  return false;
}

/* ---- tables that count ---- */

static hc_rc add_count(reading *r, hc_counter table, const char *name, const char *value)
{
  hc_verify_counted *k;
  TRY(hc_reserve(r->allocator, (void **)&r->counted, &r->counted_cap, r->out->counted_count + 1,
                 sizeof *r->counted));
  k = &r->counted[r->out->counted_count++];
  *k = (hc_verify_counted){.table = table, .value = __builtin_nan("")};
  (void)snprintf(k->name, sizeof k->name, "%s", name ? name : "");
  if (!value) return 0;
  if (hc_parse_int(value, strlen(value), &k->n) < 0) k->n = INT64_MIN;
  if (hc_parse_real(value, strlen(value), &k->value) < 0) k->value = __builtin_nan("");
  return 0;
}

static hc_rc hear_row(void *ctx, const char *const *values)
{
  return add_count(ctx, HC_COUNTS_ROWS, values[0], values[1]);
}

static hc_rc hear_final(void *ctx, const char *const *values)
{
  return add_count(ctx, HC_COUNTS_FINALS, values[0], values[1]);
}

static hc_rc hear_figure(void *ctx, const char *const *values)
{
  if (!values[0] || strcmp(values[0], "all") != 0) return 0;
  return add_count(ctx, HC_COUNTS_FIGURES, values[1], values[3]);
}

static hc_rc hear_fact(void *ctx, const char *const *values)
{
  reading *r = ctx;
  const char *key = values[0], *value = values[1];
  int64_t d;
  if (!key || !value) return 0;
  if (strcmp(key, "made_by") == 0 && strcmp(value, "analyze") == 0) r->out->by_run = false;
  if (strcmp(key, "hosts") == 0) r->on_hosts = true;
  if (strcmp(key, "speeds_differ") == 0) r->out->speeds_differ = true;
  if (strcmp(key, "units_of") == 0) (void)snprintf(r->units_of, sizeof r->units_of, "%s", value);
  if (strncmp(key, "dimension_", 10) == 0 && hc_parse_int(key + 10, strlen(key + 10), &d) >= 0 && d >= 0 &&
      d < HC_DIMENSIONS)
    (void)snprintf(r->names[d], sizeof r->names[0], "%s", value);
  return add_count(r, HC_COUNTS_FACTS, key, value);
}

/* ---- rows ---- */

static hc_rc hear_place(void *ctx, const char *const *values)
{
  reading *r = ctx;
  int64_t n[3];
  TRY(hc_numbers_of(values, 3, n));
  TRY(hc_reserve(r->allocator, (void **)&r->places, &r->place_cap, r->out->place_count + 1,
                 sizeof *r->places));
  r->places[r->out->place_count++] = (hc_verify_place){n[0], n[1], n[2]};
  return 0;
}

/* On hosts hosts.c reads them; with named processors they are places as any. */
static hc_rc hear_open(void *ctx, const char *const *values)
{
  reading *r = ctx;
  r->out->keeps_standing = true;
  return r->on_hosts ? 0 : hear_place(ctx, values);
}

static hc_rc hear_loss(void *ctx, const char *const *values)
{
  reading *r = ctx;
  int64_t n[4];
  TRY(hc_numbers_of(values, 4, n));
  TRY(hc_reserve(r->allocator, (void **)&r->losses, &r->loss_cap, r->out->loss_count + 1, sizeof *r->losses));
  r->losses[r->out->loss_count++] = (hc_verify_loss){n[0], n[1], n[2], n[3]};
  return 0;
}

/* ---- the configuration ---- */

static bool ends_in(const char *path, const char *tail)
{
  const size_t n = strlen(path), m = strlen(tail);
  return n >= m && strcmp(path + n - m, tail) == 0;
}

static bool is_numbered(const char *path, const char *head)
{
  const size_t n = strlen(head);
  return strncmp(path, head, n) == 0 && path[n] >= '0' && path[n] <= '9' && !strchr(path + n, '.');
}

static void hear_source(reading *r, const char *use)
{
  static const char *const rows[] = {"swf", "lublin", "feitelson96", "jann97", "downey97", NULL};
  static const char *const plain[] = {"swf",       "lublin",    "feitelson96", "jann97",       "downey97",
                                      "polezhaev", "synthetic", "random",      "alibaba_like", NULL};
  r->knows_sources = true;
  r->all_rows &= is_one_of(use, rows);
  r->all_plain &= is_one_of(use, plain);
}

static void hear_family(reading *r, const char *name)
{
  static const char *const known[HC_FAMILIES] = {"tasks", "makespan", "wait", "response"};
  for (int f = 0; f < HC_FAMILIES; f++) r->out->families[f] |= strcmp(name, known[f]) == 0;
}

static void hear_parts(reading *r, const char *path, const char *value)
{
  /* those in which no scheduler gives a job up */
  static const char *const direct[] = {"monolithic", "two_pass", "heartbeat", NULL};
  static const char *const selectors[] = {"blocking", "easy", "conservative", "scan", "slack", NULL};
  if (strcmp(path, "policy") == 0) {
    r->is_batch = strcmp(value, "batch") == 0;
    r->is_fair = strcmp(value, "fair") == 0;
    r->has_shares = !r->is_batch && strcmp(value, "gang") != 0;
  } else if (strcmp(path, "architecture") == 0) {
    r->is_monolithic = strcmp(value, "monolithic") == 0;
    r->is_direct = is_one_of(value, direct);
  } else if (strcmp(path, "policy.select") == 0) r->is_selector = is_one_of(value, selectors);
  else if (strcmp(path, "policy.select.retry") == 0) r->wakes_none = strcmp(value, "after_reservation") == 0;
  else if (strcmp(path, "policy.place") == 0) r->is_contiguous = strcmp(value, "contiguous") == 0;
  else if (strcmp(path, "policy.eligibility") == 0) r->is_eligible = strcmp(value, "always") == 0;
  else if (strcmp(path, "architecture.think") == 0) r->think = strcmp(value, "0") != 0;
  else if (strcmp(path, "architecture.call.0") == 0) r->calls_always = strcmp(value, "instant") == 0;
  else if (strcmp(path, "architecture.call.1") == 0) r->calls_else = true;
  else if (strcmp(path, "architecture.apart") == 0) r->calls_else |= strcmp(value, "0") != 0;
  else if (strcmp(path, "architecture.triggers.2") == 0) r->hears_all = true;
}

/* "matlab=50". Of two licences of one name both count. */
static void hear_licence(reading *r, const char *value)
{
  const char *is = strchr(value, '=');
  int64_t n;
  if (!is || hc_parse_int(is + 1, strlen(is + 1), &n) < 0 || n < 0) return;
  for (int d = 0; d < HC_DIMENSIONS; d++) {
    const size_t length = strlen(r->names[d]);
    if (length == 0 || length != (size_t)(is - value) || strncmp(r->names[d], value, length) != 0) continue;
    if (r->out->licences[d] < 0) r->out->licences[d] = 0;
    if (__builtin_add_overflow(r->out->licences[d], n, &r->out->licences[d])) r->out->licences[d] = INT64_MAX;
  }
}

/* What a policy promises does not depend on these: how many reservations there are beside the first, how
 * strictly and in which order others may pass, where tasks go. */
static bool is_promised_alike(const char *set)
{
  static const char *const keys[] = {
      "policy.place",        "policy.select.depth",      "policy.select.window",
      "policy.select.extra", "policy.select.candidates", NULL};
  for (size_t i = 0; keys[i]; i++) {
    const size_t n = strlen(keys[i]);
    if (strncmp(set, keys[i], n) == 0 && (set[n] == '=' || set[n] == '.')) return true;
  }
  return false;
}

/* "changes.0.at", then what it sets. Keys of the policy are those at first. */
static hc_rc hear_change(reading *r, const char *path, const char *value)
{
  hc_verify_told *t = r->out;
  hc_time at;
  if (ends_in(path, ".at")) {
    if (hc_parse_seconds(value, strlen(value), &at) < 0) return HC_EINPUT;
    TRY(hc_reserve(r->allocator, (void **)&r->changes, &r->change_cap, t->change_count + 1, sizeof at));
    r->changes[t->change_count++] = at;
  } else if (strstr(path, ".set.") && t->change_count > 0 && !is_promised_alike(value)) {
    t->promises_until = HC_MIN(t->promises_until, r->changes[t->change_count - 1]);
  }
  return 0;
}

/* "events.0.changes.1.at", then `evict_after`: tasks are stopped then, whatever the policy is. */
static hc_rc hear_event(reading *r, const char *path, const char *value)
{
  hc_time after;
  if (ends_in(path, ".at") && hc_parse_seconds(value, strlen(value), &r->event_at) < 0)
    r->event_at = HC_NEVER;
  if (!ends_in(path, ".evict_after") || hc_parse_seconds(value, strlen(value), &after) < 0) return 0;
  TRY(hc_reserve(r->allocator, (void **)&r->evictions, &r->eviction_cap, r->out->eviction_count + 1,
                 sizeof after));
  r->evictions[r->out->eviction_count++] = hc_time_add(r->event_at, after);
  return 0;
}

/* Cells that are read from files may have hosts of any speed; a slurm.conf says nothing of that. */
static void hear_cell(reading *r, const char *value)
{
  static const char *const plain[] = {"auto", "count", "intervals", "hosts", "slurm", NULL};
  if (!is_one_of(value, plain)) r->out->plain_limits = false;
  if (strcmp(value, "intervals") == 0) r->out->has_places = true;
}

/* Classes stand in the order of their hosts, and each says how many it has before how fast they are. */
static hc_rc hear_class(reading *r, const char *path, const char *value)
{
  double speed;
  if (ends_in(path, ".count") && hc_parse_int(value, strlen(value), &r->class_count) < 0) r->class_count = 0;
  if (!ends_in(path, ".speed") || hc_parse_real(value, strlen(value), &speed) < 0) return 0;
  for (int64_t i = 0; i < r->class_count && r->out->speed_count < UINT32_MAX; i++) {
    TRY(hc_reserve(r->allocator, (void **)&r->speeds, &r->speed_cap, r->out->speed_count + 1, sizeof speed));
    r->speeds[r->out->speed_count++] = speed;
  }
  return 0;
}

static hc_rc hear_key(void *ctx, const char *const *values)
{
  reading *r = ctx;
  const char *path = values[0], *value = values[1];
  if (!path || !value) return 0;
  if (strncmp(path, "changes.", 8) == 0) return hear_change(r, path, value);
  if (strncmp(path, "events.", 7) == 0) return hear_event(r, path, value);
  if (is_numbered(path, "source.")) hear_source(r, value);
  else if (is_numbered(path, "cell.licences.")) hear_licence(r, value);
  else if (is_numbered(path, "metrics.")) hear_family(r, value);
  else if (is_numbered(path, "cell.sets.")) r->has_sets = true;
  else if (is_numbered(path, "plugin.")) r->has_plugins = true;
  else if (is_numbered(path, "local_load.")) r->has_load = true;
  else if (strcmp(path, "host_shrinks") == 0) r->out->evicts = strcmp(value, "keep") != 0;
  else if (strcmp(path, "overrun") == 0) r->out->kills = strncmp(value, "kill", 4) == 0;
  else if (strcmp(path, "cancelled") == 0) r->keeps_cancelled = strcmp(value, "skip") != 0;
  else if (strcmp(path, "cell") == 0) hear_cell(r, value);
  else if (strcmp(path, "cell.granularity") == 0) r->out->has_places |= strcmp(value, "intervals") == 0;
  else if (strcmp(path, "until") == 0 && hc_parse_seconds(value, strlen(value), &r->out->until) < 0)
    r->out->until = HC_NEVER;
  else hear_parts(r, path, value);
  if (strncmp(path, "cell.classes.", 13) == 0) TRY(hear_class(r, path, value));
  /* Of a policy it settles sizes, and a limit is that of the size. */
  if ((strncmp(path, "cell.", 5) == 0 && ends_in(path, ".speed") && strcmp(value, "1") != 0) ||
      (ends_in(path, ".mold") && *value && strncmp(path, "policy.", 7) != 0) ||
      (ends_in(path, "_factor") && !strstr(path, "network.")))
    r->out->plain_limits = false;
  if (strcmp(path, "execution") == 0 && *value)
    r->out->plain_times = false; /* tasks slow each other, fail, and run out of memory */
  return 0;
}

/* ---- what can be held against it ---- */

int64_t hc_told_fact(const hc_verify_told *t, const char *name)
{
  for (size_t i = 0; t && i < t->counted_count; i++)
    if (t->counted[i].table == HC_COUNTS_FACTS && strcmp(t->counted[i].name, name) == 0)
      return t->counted[i].n;
  return 0;
}

static uint32_t gaps_of(const reading *r)
{
  bool gone = false, runs = false;
  uint32_t gaps = 0;
  for (size_t i = 0; i < r->out->counted_count; i++) {
    const hc_verify_counted *k = &r->counted[i];
    runs |= k->table == HC_COUNTS_FINALS && k->n > 0 && strcmp(k->name, "running") == 0;
    gone |= k->table == HC_COUNTS_FINALS && k->n > 0 &&
            (strcmp(k->name, "withdrawn") == 0 || strcmp(k->name, "rejected") == 0);
  }
  const bool where[] = {
      [HC_GAP_ON_HOSTS] = r->on_hosts && !r->out->plain_tasks,
      [HC_GAP_OF_LOST] = r->out->loss_count > 0,
      [HC_GAP_OF_STOPPED] = !r->on_hosts && r->out->has_places && hc_told_fact(r->out, "preempted") > 0,
      [HC_GAP_OF_HELD] = hc_told_fact(r->out, "held_back") > 0,
      [HC_GAP_OF_GONE] = gone,
      [HC_GAP_OF_THINKING] = r->think || !r->is_monolithic,
      [HC_GAP_OF_RUNNING] = runs && !r->out->keeps_standing && (r->on_hosts || r->out->has_places),
      [HC_GAP_OF_SHARES] = r->has_shares,
      [HC_GAP_OF_CONTENTION] = false, /* activity.c knows */
      [HC_GAP_OF_SETS] = false,       /* sets.c knows */
      [HC_GAP_OF_POLICY] = false,     /* verify.c knows what is checked of it */
  };
#define X(name, place, text) gaps |= where[place] ? UINT32_C(1) << HC_GAP_##name : 0;
  HC_GAPS(X)
#undef X
  return gaps;
}

static void conclude(reading *r)
{
  hc_verify_told *t = r->out;
  t->counted = r->counted;
  const bool known = r->knows_sources && !r->has_plugins;
  t->row_a_task = known && r->all_rows && t->by_run && t->until == HC_NEVER;
  t->plain_tasks = known && r->all_plain && !r->has_sets;
  t->plain_limits &= !r->has_plugins && !t->speeds_differ;
  t->plain_times &= t->plain_limits;
  t->may_withdraw = !known || !r->all_rows || r->keeps_cancelled;
  t->may_reject = r->has_plugins || r->is_fair || !r->is_batch || !r->is_direct;
  t->starts_heads = known && t->change_count == 0 && r->is_batch && r->is_monolithic && r->calls_always &&
                    !r->calls_else && r->hears_all && !r->think && !r->is_contiguous && r->is_eligible &&
                    !r->has_load && t->window_count + t->announcement_count == 0;
  t->starts_all =
      t->starts_heads && r->is_selector && !r->wakes_none && hc_told_fact(r->out, "held_back") == 0;
  t->units_dimension = -1;
  for (int d = 0; d < HC_DIMENSIONS; d++)
    if (r->units_of[0] && strcmp(r->names[d], r->units_of) == 0) t->units_dimension = d;
  t->gaps = gaps_of(r);
}

/* ---- advance reservations ---- */

static hc_rc hear_window(void *ctx, const char *const *values)
{
  reading *r = ctx;
  int64_t n[6];
  const size_t count = r->out->window_count;
  TRY(hc_numbers_of(values, 6, n));
  TRY(hc_reserve(r->allocator, (void **)&r->windows, &r->window_cap, count + 1, sizeof *r->windows));
  r->windows[count] = (hc_verify_window){n[0], n[1], n[2], n[3], n[4], n[5], 0};
  if (n[3] < 0 || n[5] < 0 || (count > 0 && n[1] < r->windows[count - 1].start)) return HC_EINPUT;
  r->out->window_count++;
  return 0;
}

static hc_rc hear_notice(void *ctx, const char *const *values)
{
  reading *r = ctx;
  int64_t n[2];
  TRY(hc_numbers_of(values, 2, n));
  for (size_t i = 0; i < r->out->window_count; i++)
    if (r->windows[i].reservation == n[0]) r->windows[i].announced = n[1];
  return 0;
}

static hc_rc hear_announcement(void *ctx, const char *const *values)
{
  reading *r = ctx;
  int64_t n[6];
  const size_t count = r->out->announcement_count;
  TRY(hc_numbers_of(values, 6, n));
  if (n[5] < 0) return HC_EINPUT;
  TRY(hc_reserve(r->allocator, (void **)&r->announcements, &r->announcement_cap, count + 1,
                 sizeof *r->announcements));
  r->announcements[count] = (hc_verify_announcement){n[0], n[1], n[2], n[3], n[4], n[5]};
  r->out->announcement_count++;
  return 0;
}

static hc_rc hear_guest(void *ctx, const char *const *values)
{
  reading *r = ctx;
  int64_t n[3];
  TRY(hc_numbers_of(values, 3, n));
  TRY(hc_reserve(r->allocator, (void **)&r->guests, &r->guest_cap, r->out->guest_count + 1,
                 sizeof *r->guests));
  r->guests[r->out->guest_count++] = (hc_verify_guest){n[0], n[1], n[2]};
  return 0;
}

static hc_rc hear_overrun(void *ctx, const char *const *values)
{
  reading *r = ctx;
  int64_t n[4];
  TRY(hc_numbers_of(values, 4, n));
  TRY(hc_reserve(r->allocator, (void **)&r->overruns, &r->overrun_cap, r->out->overrun_count + 1,
                 sizeof *r->overruns));
  r->overruns[r->out->overrun_count++] = (hc_verify_overrun){n[0], n[1], n[2], n[3]};
  return 0;
}

static hc_rc hear_power(void *ctx, const char *const *values)
{
  reading *r = ctx;
  const size_t count = r->out->power_count;
  int64_t n[3];
  TRY(hc_numbers_of(values, 3, n));
  if (count > 0 && n[0] < r->power[count - 1].at) return HC_EINPUT;
  TRY(hc_reserve(r->allocator, (void **)&r->power, &r->power_cap, count + 1, sizeof *r->power));
  r->power[r->out->power_count++] = (hc_verify_power){n[0], n[1], n[2]};
  return 0;
}

static hc_rc hear_mold(void *ctx, const char *const *values)
{
  reading *r = ctx;
  const size_t count = r->out->mold_count;
  int64_t n[6];
  TRY(hc_numbers_of(values, 6, n));
  TRY(hc_reserve(r->allocator, (void **)&r->molds, &r->mold_cap, count + 1, sizeof *r->molds));
  r->molds[r->out->mold_count++] = (hc_verify_mold){n[0], n[1], n[3], n[2]};
  return 0;
}

static hc_rc hear_resize_rate(void *ctx, const char *const *values)
{
  reading *r = ctx;
  const size_t count = r->out->resize_rate_count;
  int64_t n[5];
  TRY(hc_numbers_of(values, 5, n));
  if (count > 0 && n[2] <= r->resize_rates[count - 1].number) return HC_EINPUT;
  if (n[3] < 0 || n[3] > HC_RATE_MOST || n[4] < 0) return HC_EINPUT;
  TRY(hc_reserve(r->allocator, (void **)&r->resize_rates, &r->resize_rate_cap, count + 1,
                 sizeof *r->resize_rates));
  r->resize_rates[r->out->resize_rate_count++] = (hc_verify_resize_rate){n[2], n[3], n[4]};
  return 0;
}

static hc_rc hear_silent(void *ctx, const char *const *values)
{
  reading *r = ctx;
  const size_t count = r->out->silent_count;
  int64_t n[2];
  TRY(hc_numbers_of(values, 2, n));
  if (count > 0 && n[0] < r->silent[count - 1].at) return HC_EINPUT;
  TRY(hc_reserve(r->allocator, (void **)&r->silent, &r->silent_cap, count + 1, sizeof *r->silent));
  r->silent[r->out->silent_count++] = (hc_verify_silent){n[0], n[1]};
  return 0;
}

static hc_rc note_name(reading *r, int kind, const char *number)
{
  const char *word = kind == HC_CALLED_COUNT ? "the task with the serial" : hc_called_word((hc_called)kind);
  hc_verify_told *t = r->out;
  int64_t n;
  TRY(hc_numbers_of(&number, 1, &n));
  t->names++;
  if (hc_map_get(&r->named[kind], (uint64_t)n) == HC_MAP_NONE)
    return hc_map_set(&r->named[kind], (uint64_t)n, 1);
  if (t->twice_count == HC_ARRAY_LEN(t->named_twice)) return 0;
  t->named_twice[t->twice_count].word = word;
  t->named_twice[t->twice_count++].number = n;
  return 0;
}

static hc_rc hear_name(void *ctx, const char *const *values)
{
  for (int k = 0; values[1] && k < HC_CALLED_COUNT; k++)
    if (strcmp(values[1], hc_called_word((hc_called)k)) == 0) return note_name(ctx, k, values[0]);
  return 0; /* of a kind that a later program has */
}

static hc_rc hear_task_name(void *ctx, const char *const *values)
{
  return note_name(ctx, HC_CALLED_COUNT, values[0]);
}

static hc_rc read_names(reading *r, hc_result *from, hc_error *e)
{
  for (int k = 0; k <= HC_CALLED_COUNT; k++) hc_map_init(&r->named[k], r->allocator);
  hc_rc rc = hc_result_rows(from, "names", 3, hear_name, r, e);
  if (rc >= 0) rc = hc_result_rows(from, "task_names", 3, hear_task_name, r, e);
  for (int k = 0; k <= HC_CALLED_COUNT; k++) hc_map_fini(&r->named[k]);
  return rc < 0 ? rc : 0;
}

static hc_rc read_all(reading *r, hc_result *from, hc_error *e)
{
  hc_verify_told *t = r->out;
  TRY(hc_result_rows(from, "hindcast", 2, hear_fact, r, e));
  TRY(hc_result_rows(from, "rows", 2, hear_row, r, e));
  TRY(hc_result_rows(from, "finals", 2, hear_final, r, e));
  TRY(hc_result_rows(from, "summary", 4, hear_figure, r, e));
  TRY(hc_result_rows(from, "configuration", 3, hear_key, r, e));
  TRY(hc_result_rows(from, "placements", 3, hear_place, r, e));
  TRY(hc_result_rows(from, "open_grants", 4 + HC_NEEDS, hear_open, r, e));
  TRY(hc_result_rows(from, "attempts", 4, hear_loss, r, e));
  TRY(hc_result_rows(from, "reservations", 6, hear_window, r, e));
  TRY(hc_result_rows(from, "reservation_notices", 2, hear_notice, r, e));
  TRY(hc_result_rows(from, "announcements", 6, hear_announcement, r, e));
  TRY(hc_result_rows(from, "reservation_users", 3, hear_guest, r, e));
  TRY(hc_result_rows(from, "overruns", 4, hear_overrun, r, e));
  TRY(hc_result_rows(from, "power", 3, hear_power, r, e));
  TRY(hc_result_rows(from, "silent_failures", 2, hear_silent, r, e));
  TRY(hc_result_rows(from, "molds", 6, hear_mold, r, e));
  TRY(hc_result_rows(from, "resize_rates", 5, hear_resize_rate, r, e));
  TRY(read_names(r, from, e));
  conclude(r);
  TRY(hc_fit(r->allocator, (void **)&r->counted, &r->counted_cap, t->counted_count, sizeof *r->counted));
  TRY(hc_fit(r->allocator, (void **)&r->places, &r->place_cap, t->place_count, sizeof *r->places));
  TRY(hc_fit(r->allocator, (void **)&r->losses, &r->loss_cap, t->loss_count, sizeof *r->losses));
  TRY(hc_fit(r->allocator, (void **)&r->windows, &r->window_cap, t->window_count, sizeof *r->windows));
  TRY(hc_fit(r->allocator, (void **)&r->announcements, &r->announcement_cap, t->announcement_count,
             sizeof *r->announcements));
  TRY(hc_fit(r->allocator, (void **)&r->guests, &r->guest_cap, t->guest_count, sizeof *r->guests));
  TRY(hc_fit(r->allocator, (void **)&r->overruns, &r->overrun_cap, t->overrun_count, sizeof *r->overruns));
  TRY(hc_fit(r->allocator, (void **)&r->power, &r->power_cap, t->power_count, sizeof *r->power));
  TRY(hc_fit(r->allocator, (void **)&r->silent, &r->silent_cap, t->silent_count, sizeof *r->silent));
  TRY(hc_fit(r->allocator, (void **)&r->molds, &r->mold_cap, t->mold_count, sizeof *r->molds));
  TRY(hc_fit(r->allocator, (void **)&r->resize_rates, &r->resize_rate_cap, t->resize_rate_count,
             sizeof *r->resize_rates));
  TRY(hc_fit(r->allocator, (void **)&r->changes, &r->change_cap, t->change_count, sizeof *r->changes));
  TRY(hc_fit(r->allocator, (void **)&r->evictions, &r->eviction_cap, t->eviction_count,
             sizeof *r->evictions));
  TRY(hc_fit(r->allocator, (void **)&r->speeds, &r->speed_cap, t->speed_count, sizeof *r->speeds));
  return 0;
}

hc_rc hc_told_read(const hc_allocator *a, hc_result *from, hc_verify_told *out, hc_error *e)
{
  reading r = {.allocator = a, .out = out, .all_rows = true, .all_plain = true, .is_eligible = true};
  hc_rc rc;
  *out = (hc_verify_told){.by_run = true,
                          .plain_limits = true,
                          .plain_times = true,
                          .until = HC_NEVER,
                          .promises_until = HC_NEVER};
  for (int d = 0; d < HC_DIMENSIONS; d++) out->licences[d] = -1;
  rc = read_all(&r, from, e);
  out->counted = r.counted;
  out->places = r.places;
  out->losses = r.losses;
  out->windows = r.windows;
  out->announcements = r.announcements;
  out->guests = r.guests;
  out->overruns = r.overruns;
  out->power = r.power;
  out->silent = r.silent;
  out->molds = r.molds;
  out->resize_rates = r.resize_rates;
  out->speeds = r.speeds;
  out->changes = r.changes;
  out->evictions = r.evictions;
  if (rc >= 0) return 0;
  hc_free(a, r.counted, r.counted_cap * sizeof *r.counted);
  hc_free(a, r.places, r.place_cap * sizeof *r.places);
  hc_free(a, r.losses, r.loss_cap * sizeof *r.losses);
  hc_free(a, r.windows, r.window_cap * sizeof *r.windows);
  hc_free(a, r.announcements, r.announcement_cap * sizeof *r.announcements);
  hc_free(a, r.guests, r.guest_cap * sizeof *r.guests);
  hc_free(a, r.overruns, r.overrun_cap * sizeof *r.overruns);
  hc_free(a, r.power, r.power_cap * sizeof *r.power);
  hc_free(a, r.silent, r.silent_cap * sizeof *r.silent);
  hc_free(a, r.molds, r.mold_cap * sizeof *r.molds);
  hc_free(a, r.resize_rates, r.resize_rate_cap * sizeof *r.resize_rates);
  hc_free(a, r.speeds, r.speed_cap * sizeof *r.speeds);
  hc_free(a, r.changes, r.change_cap * sizeof *r.changes);
  hc_free(a, r.evictions, r.eviction_cap * sizeof *r.evictions);
  *out = (hc_verify_told){0};
  return hc_fail(e, rc, hc_result_path(from), 0, 0, "its tables cannot be read: %s", hc_rc_text(rc));
}

void hc_told_free(const hc_allocator *a, hc_verify_told *t)
{
  hc_free(a, (void *)(uintptr_t)t->counted, t->counted_count * sizeof *t->counted);
  hc_free(a, (void *)(uintptr_t)t->places, t->place_count * sizeof *t->places);
  hc_free(a, (void *)(uintptr_t)t->losses, t->loss_count * sizeof *t->losses);
  hc_free(a, (void *)(uintptr_t)t->windows, t->window_count * sizeof *t->windows);
  hc_free(a, (void *)(uintptr_t)t->announcements, t->announcement_count * sizeof *t->announcements);
  hc_free(a, (void *)(uintptr_t)t->guests, t->guest_count * sizeof *t->guests);
  hc_free(a, (void *)(uintptr_t)t->overruns, t->overrun_count * sizeof *t->overruns);
  hc_free(a, (void *)(uintptr_t)t->power, t->power_count * sizeof *t->power);
  hc_free(a, (void *)(uintptr_t)t->silent, t->silent_count * sizeof *t->silent);
  hc_free(a, (void *)(uintptr_t)t->molds, t->mold_count * sizeof *t->molds);
  hc_free(a, (void *)(uintptr_t)t->resize_rates, t->resize_rate_count * sizeof *t->resize_rates);
  hc_free(a, (void *)(uintptr_t)t->speeds, t->speed_count * sizeof *t->speeds);
  hc_free(a, (void *)(uintptr_t)t->changes, t->change_count * sizeof *t->changes);
  hc_free(a, (void *)(uintptr_t)t->evictions, t->eviction_count * sizeof *t->evictions);
  *t = (hc_verify_told){0};
}
