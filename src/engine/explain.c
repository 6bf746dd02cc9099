/* explain.c -- why a task waited: what it saw at each decision, in words.
 *
 * Nothing is recorded unless a task was asked about before the run began. What the engine can see for
 * itself is said here (its place in the queue, what it wants and what is free, who started past it); what
 * only a selector knows (the reservation that it would have delayed) the selector says. A sentence that
 * repeats the last one is dropped. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "engine/advance.h"
#include "engine/explain.h"
#include "engine/part.h"
#include "engine/queues.h"
#include "engine/tasks.h"

bool hc_explaining(const hc_engine *e)
{
  return e->explain != NULL;
}

/* The number that the log has for a task, by its serial. @return false: it is not live. */
static bool job_of(const hc_engine *e, uint64_t serial, int64_t *out)
{
  for (size_t i = 0; i < e->tasks.count; i++) {
    if (e->tasks.live[i].state == HC_TASK_FREE || e->tasks.live[i].serial != serial) continue;
    *out = e->tasks.identities[i].id;
    return true;
  }
  return false;
}

/* What a policy says in its own terms, in the user's: `#17`, a serial, is the number of that job; `17 units`
 * is an amount of what the cell counts first. */
static void put_in_words(const hc_engine *e, const char *said, char *out, size_t size)
{
  size_t n = 0;
  while (*said && n + 1 < size) {
    const char *digits = said + (*said == '#');
    const size_t length = strspn(digits, "0123456789");
    int64_t number, job;
    char amount[64];
    int put = -1;
    if (length > 0 && hc_parse_int(digits, length, &number) == 0) {
      if (*said == '#' && job_of(e, (uint64_t)number, &job)) {
        put = snprintf(out + n, size - n, "%" PRId64, job);
        said = digits + length;
      } else if (*said != '#' && strncmp(digits + length, " units", 6) == 0) {
        put = snprintf(out + n, size - n, "%s", hc_explain_amount(e, number, amount));
        said = digits + length + 6;
      } else {
        put = snprintf(out + n, size - n, "%.*s", (int)(digits + length - said), said);
        said = digits + length;
      }
    }
    if (put < 0) out[n++] = *said++;
    else n = HC_MIN(n + (size_t)put, size - 1);
  }
  out[n] = '\0';
}

void hc_explain_args(const hc_engine *e, hc_task t, const char *format, va_list args)
{
  char said[512], text[512];
  if (!e->explain || t >= e->tasks.count || e->tasks.live[t].serial != e->explained) return;
  (void)vsnprintf(said, sizeof said, format, args);
  put_in_words(e, said, text, sizeof text);
  e->explain(e->explain_ctx, &(hc_why_record){e->now, e->explained, text});
}

void hc_explain_text(const hc_engine *e, hc_task t, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  hc_explain_args(e, t, format, args);
  va_end(args);
}

static hc_task find_explained(const hc_engine *e)
{
  for (size_t i = 0; i < e->tasks.count; i++)
    if (e->tasks.live[i].serial == e->explained && e->tasks.live[i].state == HC_TASK_WAITING)
      return (hc_task)i;
  return HC_NO_TASK;
}

/* How many stand before it. A walk, but only while one task is asked about. */
static size_t rank_of(const hc_engine *e, hc_task id)
{
  hc_waitlist *list = e->queues[e->tasks.live[id].queue].sorting[HC_LIST_QUEUE].list;
  hc_cursor at = {0};
  size_t rank = 0;
  for (hc_task t; (t = hc_waitlist_next(list, &at, NULL)) != HC_NO_TASK && t != id;) rank++;
  return rank;
}

static const char *plural(int64_t n)
{
  return n == 1 ? "" : "s";
}

const char *hc_explain_amount(const hc_engine *e, int64_t n, char out[64])
{
  const uint32_t d = e->cell.hosts ? e->gauge.which[0] : HC_DIMENSIONS;
  char text[32];
  if (d == HC_DIM_CPU) {
    (void)hc_format_real((double)n / 1000, text);
    (void)snprintf(out, 64, "%s core%s", text, plural(n == 1000 ? 1 : 2));
  } else if (d == HC_DIM_MEMORY || d == HC_DIM_DISK) {
    (void)hc_format_size(n, text);
    (void)snprintf(out, 64, "%s of %s", text, hc_lexicon_dimension_name(e->lexicon, d));
  } else if (d < HC_DIMENSIONS) {
    (void)snprintf(out, 64, "%lld of %s", (long long)n, hc_lexicon_dimension_name(e->lexicon, d));
  } else {
    (void)snprintf(out, 64, "%lld processor%s", (long long)n, plural(n));
  }
  return out;
}

static void explain_deferred(const hc_engine *e, hc_task id)
{
  const hc_time reserved = hc_reserved_of(e, id);
  char may[32], will[32];
  (void)hc_format_seconds(hc_cold_of(e, id)->eligible, may);
  (void)hc_format_seconds(reserved, will);
  if (reserved == HC_NEVER)
    hc_explain_text(e, id, "may not start before t=%s s: at place %zu of %zu", may, rank_of(e, id) + 1,
                    (size_t)e->waiting);
  else
    hc_explain_text(e, id, "may not start before t=%s s: at place %zu of %zu, planned for t=%s s", may,
                    rank_of(e, id) + 1, (size_t)e->waiting, will);
}

void hc_explain_decision(hc_engine *e)
{
  const hc_live *t;
  char wants[64], has[64];
  hc_task id;
  if (!e->explain || (id = find_explained(e)) == HC_NO_TASK) return;
  t = &e->tasks.live[id];
  if (t->deferred) {
    explain_deferred(e, id);
    return;
  }
  for (size_t i = 0; i < e->plan.count; i++) {
    const hc_action *a = &e->plan.actions[i];
    if (a->kind != HC_ACTION_START || a->serial <= t->serial) continue;
    hc_explain_text(e, id, "passed by task %lld (%s), which came later",
                    (long long)e->tasks.identities[a->task].id,
                    hc_explain_amount(e, e->tasks.live[a->task].units, wants));
  }
  hc_advance_explain(e, id);
  (void)hc_explain_amount(e, t->units, wants);
  (void)hc_explain_amount(e, e->cell.free, has);
  if (!e->cell.hosts) (void)snprintf(has, sizeof has, "%lld", (long long)e->cell.free);
  if (t->units > e->cell.free)
    hc_explain_text(e, id, "waits at place %zu of %zu: wants %s, %s free", rank_of(e, id) + 1,
                    (size_t)e->waiting, wants, has);
  else if (e->cell.hosts)
    hc_explain_text(e, id, "waits at place %zu of %zu: wants %s, %s free on all hosts together",
                    rank_of(e, id) + 1, (size_t)e->waiting, wants, has);
  else
    hc_explain_text(
        e, id, "waits at place %zu of %zu: would fit (wants %u, %lld free), but not by the policy's rules",
        rank_of(e, id) + 1, (size_t)e->waiting, t->units, (long long)e->cell.free);
}

static hc_rc on(hc_engine *e, const hc_notice *n)
{
  char wants[64];
  if (n->kind == HC_ON_STARTED) hc_explain_text(e, n->task, "starts");
  else
    hc_explain_text(e, n->task, "arrives: wants %s",
                    hc_explain_amount(e, hc_live_of(e, n->task)->units, wants));
  return 0;
}

const hc_part hc_part_explain = {
    .name = "explain", .wanted = hc_explaining, .hears = HC_HEARS(ARRIVED) | HC_HEARS(STARTED), .on = on};
