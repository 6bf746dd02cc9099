/* explain_running.c -- what the task that was asked about is about while it runs, and what that waits for.
 *
 * The model of execution says it (execution/explain.c); it is asked at the end of each instant, and what is
 * no other than before is not said again. Cost: a question an instant while the task runs. */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "engine/explain.h"
#include "engine/measures.h"
#include "engine/part.h"

/* Sentences of an instant become one. */
typedef struct story {
  char text[HC_EXPLAIN_TEXT];
  size_t size;
} story;

static void add(void *ctx, const char *text)
{
  story *s = ctx;
  const size_t room = sizeof s->text - s->size;
  const int n = snprintf(s->text + s->size, room, "%s%s", s->size > 0 ? "; " : "", text);
  if (n > 0) s->size += HC_MIN((size_t)n, room - 1);
}

static bool is_asked(const hc_engine *e, hc_task id)
{
  return id < e->tasks.count && e->tasks.live[id].serial == e->explained;
}

static hc_rc on(hc_engine *e, const hc_notice *n)
{
  const hc_task id = n->kind == HC_ON_INSTANT ? e->noted.task : n->task;
  story s = {.size = 0};
  if (!is_asked(e, id)) return 0;
  if (n->kind == HC_ON_GONE) {
    if (e->tasks.live[id].start != HC_UNKNOWN) hc_explain_text(e, id, n->completed ? "ends" : "is ended");
    return 0;
  }
  if (e->tasks.live[id].state != HC_TASK_RUNNING && e->tasks.live[id].state != HC_TASK_SUSPENDED) return 0;
  TRY(e->model_type->explain(e->model, e->now, id, add, &s));
  if (s.size > 0) hc_explain_text(e, id, "%s", s.text);
  return 0;
}

static bool wanted(const hc_engine *e)
{
  return hc_explaining(e) && !e->explains_waits && e->model && e->model_type->explain &&
         e->observers.is_measuring;
}

const hc_part hc_part_explain_running = {
    .name = "explain_running", .wanted = wanted, .hears = HC_HEARS(INSTANT) | HC_HEARS(GONE), .on = on};
