/* news.c -- what a scheduler outside is told: gathered here by what happens, asked for by the architecture
 * that brings it (hc_engine_services.next_news), which tells it in its own time (tell).
 *
 * The state is that of outside.c, of which this knows nothing else. */
#include "engine/news.h"

#include <string.h>

#include "base/util.h"
#include "engine/tasks.h"

bool hc_news_is_outside(const hc_engine *e)
{
  return (e->policy_flags & HC_DECIDED_OUTSIDE) != 0;
}

static hc_rc append(hc_engine *e, hc_news **items, size_t *count, size_t *cap, const hc_news *one)
{
  TRY(hc_reserve(e->allocator, (void **)items, cap, *count + 1, sizeof **items));
  (*items)[(*count)++] = *one;
  return 0;
}

hc_rc hc_news_tell(hc_engine *e, const hc_news *news)
{
  hc_outside *o = &e->outside;
  hc_news one = *news;
  if (!hc_news_is_outside(e)) return 0;
  if (one.kind == HC_NEWS_SUBMITTED) {
    one.serial = hc_live_of(e, one.task)->serial;
    one.id = e->tasks.identities[one.task].id;
  }
  return append(e, &o->news, &o->news_count, &o->news_cap, &one);
}

bool hc_news_next(hc_engine *e, hc_news *out)
{
  hc_outside *o = &e->outside;
  if (o->happened_count == 0) return false;
  *out = o->happened[0];
  memmove(o->happened, o->happened + 1, --o->happened_count * sizeof *o->happened);
  return true;
}

hc_rc hc_news_note(hc_engine *e, const hc_news *news)
{
  hc_outside *o = &e->outside;
  return append(e, &o->happened, &o->happened_count, &o->happened_cap, news);
}

hc_time hc_news_rest(const hc_engine *e)
{
  return e->outside.rest;
}

bool hc_news_are_heard(const hc_engine *e)
{
  return hc_news_is_outside(e) && e->architecture_type->brings_news;
}

bool hc_news_is_own_task(const hc_engine *e)
{
  return e->outside.is_submitting;
}
