/* turns.c -- whose turn it is. See turns.h.
 *
 * Shares are computed from whole amounts, never added up: books that hold the same give the same order,
 * however they came about. */
#include "base/state.h"
#include "policy/share/rule.h"

hc_rc hc_turns_init(hc_turns *t, const hc_policy_context *c, const hc_turns_options *o, hc_error *e)
{
  *t = (hc_turns){.allocator = c->allocator,
                  .services = c->services,
                  .keeper = o->rule->keeper ? o->rule->keeper : &hc_share_claims,
                  .o = *o,
                  .line = {.is_ordered = o->walks}};
  t->is_ranked = hc_share_does(o->rule, HC_SHARE_ONE_HOST);
  hc_ranking_init(&t->ranking, c->allocator);
  hc_books_init(&t->books, c->allocator);
  TRY(hc_dues_init(&t->dues, c->allocator, o->lexicon, o->where));
  return t->keeper->init(t, e);
}

void hc_turns_fini(hc_turns *t)
{
  if (!t->allocator) return;
  t->keeper->fini(t);
  hc_dues_fini(&t->dues);
  hc_pool_list_fini(&t->pools);
  hc_books_fini(&t->books);
  hc_line_fini(&t->line);
  hc_ranking_fini(&t->ranking);
}

/* ---- the line ---- */

static hc_rc stand_in_line(hc_turns *t, uint32_t member, double key, uint64_t tie, bool is_in)
{
  hc_rc rc;
  t->in_line -= hc_line_has(&t->line, member);
  rc = hc_line_set(&t->line, member, key, tie, is_in ? t->books.members[member].least : NULL);
  t->in_line += hc_line_has(&t->line, member);
  if (rc == 0 && t->has_tree) rc = hc_forest_stand(t, member, is_in);
  return rc;
}

void hc_turns_stand(hc_turns *t, uint32_t member)
{
  const hc_member *m = &t->books.members[member];
  const bool may = m->waiting > 0 && (t->is_ranked || !m->is_out);
  double key;
  uint64_t tie;
  const bool is_in = t->keeper->stands(t, member, may, &key, &tie);
  const hc_rc rc = t->is_ranked ? hc_ranking_set(&t->ranking, member, key, tie, is_in)
                                : stand_in_line(t, member, key, tie, is_in);
  t->is_broken |= rc < 0;
  hc_turns_rewind(t);
}

void hc_turns_leave(hc_turns *t, uint32_t member, bool is_out)
{
  if (t->books.members[member].is_out == is_out) return;
  t->books.members[member].is_out = is_out;
  if (!t->is_ranked) hc_turns_stand(t, member);
  else if (!is_out) hc_turns_rewind(t);
}

bool hc_turns_before(const hc_turns *t, uint32_t x, uint32_t y)
{
  return t->is_ranked ? hc_ranking_before(&t->ranking, x, y) : hc_line_before(&t->line, x, y);
}

/* The first in the ranking that has not left, and fits. */
static uint32_t walk(hc_turns *t, const int64_t *free)
{
  const uint32_t dims = t->books.dims;
  if (t->ranking.is_unsorted) {
    t->is_broken |= hc_ranking_sort(&t->ranking) < 0;
    hc_turns_rewind(t);
  }
  for (; t->cursor < t->ranking.count; t->cursor++) {
    const hc_member *m = &t->books.members[t->ranking.order[t->cursor]];
    uint32_t d = 0;
    if (m->is_out) continue;
    while (free && d < dims && m->least[d] <= free[d]) d++;
    if (!free || d == dims) return t->ranking.order[t->cursor];
  }
  return HC_NOBODY;
}

uint32_t hc_turns_next(hc_turns *t, const int64_t *free)
{
  uint32_t first;
  if (t->is_ranked) return walk(t, free);
  first = hc_line_first(&t->line, free);
  return first == HC_NOBODY || !hc_share_does(t->o.rule, HC_SHARE_TREE) ? first : hc_forest_next(t, free);
}

/* What the member may have beside what it has. @return false: there is no limit */
static bool room_of(const hc_turns *t, uint32_t member, int64_t *room)
{
  const hc_claimant *c = t->claims ? &t->claims[member] : NULL;
  const hc_member *m = &t->books.members[member];
  if (!c || !c->has_most) return false;
  for (uint32_t d = 0; d < t->books.dims; d++)
    room[d] = c->most[d] == INT64_MAX ? INT64_MAX : c->most[d] - m->used[d];
  return true;
}

uint32_t hc_turns_first(const hc_turns *t, uint32_t member, const int64_t *free, uint64_t number)
{
  int64_t room[HC_DIMENSIONS];
  const bool is_limited = room_of(t, member, room);
  return hc_books_first(&t->books, member, free, number, is_limited ? room : NULL);
}

bool hc_turns_has_room(const hc_turns *t, uint32_t shape)
{
  const hc_shape *s = &t->books.shapes[shape];
  int64_t room[HC_DIMENSIONS];
  return !room_of(t, s->user, room) || hc_books_has_room(&t->books, s, room);
}

bool hc_turns_allows(const hc_turns *t, uint32_t shape)
{
  return !t->keeper->allows || t->keeper->allows(t, shape);
}

/* ---- what happens ---- */

static hc_rc learn(hc_turns *t, const hc_view *v)
{
  t->books.dims = t->services->dimensions(v);
  for (uint32_t d = 0; d < t->books.dims; d++) t->which[d] = (uint8_t)t->services->dimension_id(v, d);
  return t->keeper->learn(t, v);
}

static hc_rc member_of(hc_turns *t, const hc_view *v, hc_task task, uint32_t *member)
{
  bool is_new;
  TRY(hc_books_member(&t->books, t->keeper->whose(t, v, task), member, &is_new));
  if (!is_new) return 0;
  if (!t->is_ranked) TRY(hc_line_grow(&t->line, t->allocator, t->books.dims, *member + 1));
  return t->keeper->welcome(t, v, task, *member);
}

static hc_rc move_task(hc_turns *t, const hc_view *v, hc_task task, uint32_t member, bool joins)
{
  int64_t need[HC_DIMENSIONS];
  for (uint32_t d = 0; d < t->books.dims; d++) need[d] = HC_MAX(t->services->demand(v, task, d), 0);
  return t->keeper->move_task(t, v, task, member, need, joins);
}

static hc_rc move_claim(hc_turns *t, const hc_view *v, hc_task task, uint32_t member, const int64_t *amounts,
                        int64_t sign)
{
  hc_member *m = &t->books.members[member];
  for (uint32_t d = 0; d < t->books.dims; d++) m->used[d] += sign * amounts[d];
  m->holding += (uint64_t)sign;
  return t->keeper->move_claim(t, v, task, member, amounts, sign);
}

static hc_rc hear(hc_turns *t, const hc_view *v, hc_task_event what, hc_task task, const int64_t *amounts,
                  uint32_t *member)
{
  if (t->books.dims == 0) TRY(learn(t, v));
  TRY(t->keeper->advance(t, v));
  TRY(member_of(t, v, task, member));
  switch (what) {
    case HC_TASK_EVENT_QUEUED: return move_task(t, v, task, *member, true);
    case HC_TASK_EVENT_DEQUEUED: return move_task(t, v, task, *member, false);
    case HC_TASK_EVENT_ALLOCATED: return move_claim(t, v, task, *member, amounts, 1);
    case HC_TASK_EVENT_RELEASED: return move_claim(t, v, task, *member, amounts, -1);
  }
  return 0;
}

hc_rc hc_turns_hear(hc_turns *t, const hc_view *v, hc_task_event what, hc_task task, const int64_t *amounts,
                    uint32_t *member)
{
  hc_rc rc;
  if (t->is_broken) return HC_ENOMEM;
  rc = hear(t, v, what, task, amounts, member);
  t->is_broken |= rc < 0;
  TRY(rc);
  hc_turns_stand(t, *member);
  return 0;
}

hc_rc hc_turns_cell_changed(hc_turns *t, const hc_view *v)
{
  if (t->books.dims == 0 || !t->keeper->cell_changed) return 0; /* the first member's task looks at it */
  return t->keeper->cell_changed(t, v);
}

hc_rc hc_turns_open(hc_turns *t, const hc_view *v)
{
  return t->is_broken ? HC_ENOMEM : t->keeper->open(t, v);
}

void hc_turns_note(const hc_turns *t, hc_buffer *out)
{
  hc_dues_note(&t->dues, out);
  if (t->extra > 0)
    hc_buffer_printf(out, "%smore users came than `expected`: those beyond stood behind all others",
                     out->size > 0 ? "; " : "");
}

/* ---- state ---- */

hc_rc hc_turns_visit(hc_turns *t, hc_visitor *v)
{
  TRY(hc_books_visit(&t->books, v));
  if (t->books.dims > HC_DIMENSIONS) return HC_EINPUT;
  HC_VISIT(v, t->capacity);
  HC_VISIT(v, t->which);
  TRY(t->keeper->visit(t, v));
  if (!hc_visit_loading(v)) return 0;
  t->in_line = 0;
  hc_line_fini(&t->line);
  hc_ranking_fini(&t->ranking);
  if (t->books.member_count > 0 && !t->is_ranked)
    TRY(hc_line_grow(&t->line, t->allocator, t->books.dims, (uint32_t)t->books.member_count));
  for (uint32_t i = 0; i < t->books.member_count; i++) hc_turns_stand(t, i);
  return 0;
}
