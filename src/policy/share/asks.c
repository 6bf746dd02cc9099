/* asks.c -- users who share, as rules of preemption see them. See asks.h. */
#include "policy/share/asks.h"

static uint32_t count(void *ctx)
{
  return (uint32_t)((const hc_turns *)ctx)->books.member_count;
}

static void member(void *ctx, uint32_t i, hc_preempt_member *out)
{
  const hc_turns *t = ctx;
  const hc_member *m = &t->books.members[i];
  *out = (hc_preempt_member){m->id, t->claims ? t->claims[i].weight : 1, m->waiting, m->used, m->wanted};
}

static int64_t capacity(void *ctx, uint32_t d)
{
  return ((const hc_turns *)ctx)->capacity[d];
}

static uint32_t dimensions(void *ctx)
{
  return ((const hc_turns *)ctx)->books.dims;
}

/* A member that stands back for this offer keeps its place. */
static bool before(void *ctx, uint32_t x, uint32_t y)
{
  return hc_turns_before(ctx, x, y);
}

static hc_task first(void *ctx, uint32_t i, const int64_t *room)
{
  const hc_books *b = &((const hc_turns *)ctx)->books;
  const uint32_t shape = hc_turns_first(ctx, i, room, UINT64_MAX);
  return shape == HC_MAP_NONE ? HC_NO_TASK : b->shapes[shape].heap[0].task;
}

hc_preempt_asks hc_turns_asks(hc_turns *t)
{
  return (hc_preempt_asks){t, count, member, capacity, dimensions, before, first};
}
