/* tetris.c -- the candidate whose task goes best with a host. See tetris.h. */
#include "policy/share/tetris.h"

#include "base/util.h"
#include "policy/share/rule.h"

enum { FEW = 32 }; /* candidates: then a walk is as good as anything */

hc_rc hc_tetris_check(const hc_tetris_options *o, const char *where, const char *what, hc_error *e)
{
  if (!hc_tetris_mixes(o)) return 0;
  if (o->knob >= 1)
    return hc_fail(
        e, HC_EUSAGE, where, 0, 0,
        "mix, barrier and remote_penalty choose among the tasks of several %ss, and with knob: 1 there is "
        "one %s: set a knob below 1, such as 0.25",
        what, what);
  if (o->heads)
    return hc_fail(
        e, HC_EUSAGE, where, 0, 0,
        "mix, barrier and remote_penalty look at every task of a candidate that fits: leave `task` "
        "at first_fit");
  if (o->stops)
    return hc_fail(e, HC_EUSAGE, where, 0, 0,
                   "mix, barrier and remote_penalty look at every task of a candidate that fits: leave "
                   "`misfit` at next");
  if ((o->mix > 0 || o->remote > 0) && !hc_packing_aligns((hc_packing)o->score))
    return hc_fail(
        e, HC_EUSAGE, where, 0, 0,
        "mix and remote_penalty are of an alignment, which is greater for what goes better: set score: "
        "dot, or cosine");
  return 0;
}

void hc_tetris_init(hc_tetris *x, const hc_allocator *a, const hc_tetris_options *o)
{
  *x = (hc_tetris){.allocator = a, .o = *o};
}

void hc_tetris_fini(hc_tetris *x)
{
  if (!x->allocator) return;
  hc_free(x->allocator, x->fits, x->fit_cap * sizeof *x->fits);
  hc_free(x->allocator, x->drawn, x->drawn_cap * sizeof *x->drawn);
  hc_free(x->allocator, x->pairs, x->pair_cap * sizeof *x->pairs);
  hc_free(x->allocator, x->score, x->score_cap * sizeof *x->score);
  hc_free(x->allocator, x->stamp, x->stamp_cap * sizeof *x->stamp);
}

/* How many of so many users are candidates. */
static uint32_t candidates_of(const hc_tetris_options *o, uint32_t users)
{
  const double x = (1 - o->knob) * users;
  uint32_t n = (uint32_t)x;
  const double above = x - n;
  if (o->rounding == HC_TETRIS_DOUBLE) n += above > 0;
  else n += above > 1e-9 * users; /* the knob is a decimal: what is a whole number on paper is one here */
  return HC_MIN(HC_MAX(n, 1), users);
}

/* ---- a host ---- */

typedef struct target {
  uint32_t host;
  const int64_t *free;
  hc_shares shares;              /* of the host, for a task that needs nothing */
  double weighed[HC_DIMENSIONS]; /* what is free, times its weight */
} target;

static void aim(const hc_tetris *x, const hc_turns *t, const hc_tetris_offer *f, uint32_t host, target *out)
{
  static const int64_t nothing[HC_DIMENSIONS] = {0};
  hc_cell_totals totals = {.hosts = 1};
  hc_host_view h = {
      .host = host, .dimensions = t->books.dims, .which = t->which, .need = nothing, .cell = &totals};
  for (uint32_t d = 0; d < t->books.dims; d++) totals.capacity[t->which[d]] = t->capacity[d];
  out->host = host;
  out->free = h.free = f->services->host_free(f->view, host, &h.capacity);
  hc_shares_read(&x->o.scale, NULL, &h, &out->shares);
  for (uint32_t i = 0; i < out->shares.count; i++)
    out->weighed[i] = out->shares.at[i].weight * out->shares.at[i].free;
}

/* What is compared: less is better. */
static double badness(hc_tetris *x, const target *to, const hc_shape *shape)
{
  double need[HC_DIMENSIONS], out;
  if (x->stamp[shape->kind] == x->look) return x->score[shape->kind];
  for (uint32_t i = 0; i < to->shares.count; i++) {
    const hc_share *s = &to->shares.at[i];
    need[i] = s->weight * ((double)shape->need[s->dimension] / s->divisor);
  }
  out = hc_packing_of((hc_packing)x->o.score, to->shares.count, need, to->weighed);
  x->stamp[shape->kind] = x->look;
  x->score[shape->kind] = out;
  return out;
}

static bool holds(uint32_t dims, const int64_t *need, const int64_t *free)
{
  for (uint32_t d = 0; d < dims; d++)
    if (need[d] > free[d]) return false;
  return true;
}

/* ---- a user ---- */

/* Which shape the user would start, or HC_MAP_NONE. */
static uint32_t shape_of(const hc_tetris *x, const hc_turns *t, const hc_tetris_offer *f, uint32_t user)
{
  uint32_t at = HC_MAP_NONE;
  if (!x->o.heads) at = hc_turns_first(t, user, f->most, f->number);
  if (at == HC_MAP_NONE && (x->o.heads || x->o.stops)) at = hc_turns_first(t, user, NULL, UINT64_MAX);
  return at;
}

static bool has_tree(const hc_turns *t)
{
  return hc_share_does(t->o.rule, HC_SHARE_TREE);
}

/* A tree has no line: what was drawn first comes first. */
static bool is_before(const hc_turns *t, uint32_t user, uint32_t rank, const hc_tetris_choice *best)
{
  return has_tree(t) ? rank < best->rank : hc_turns_before(t, user, best->user);
}

static void compare(hc_tetris *x, const hc_turns *t, const target *to, uint32_t user, uint32_t rank,
                    uint32_t shape, hc_tetris_choice *best)
{
  const hc_shape *s = &t->books.shapes[shape];
  double b;
  if (!x->o.stops && !holds(t->books.dims, s->need, to->free)) return;
  b = badness(x, to, s);
  if (best->user != HC_NOBODY && !(b < best->badness) &&
      !(b == best->badness && is_before(t, user, rank, best)))
    return;
  *best = (hc_tetris_choice){user, shape, to->host, rank, b};
}

/* ---- a walk along the candidates ---- */

/* The first users of a tree: whose turn it is, whose turn it would be without that one, and so on. They stand
 * back while they are drawn. */
static hc_rc draw_from_tree(hc_tetris *x, hc_turns *t, const hc_tetris_offer *f, uint32_t n, size_t *count)
{
  const int64_t *free = x->o.stops ? NULL : f->most;
  size_t taken = 0, kept = 0;
  TRY(hc_reserve(x->allocator, (void **)&x->drawn, &x->drawn_cap, n, sizeof *x->drawn));
  while (taken < n) {
    const uint32_t user = hc_turns_next(t, free);
    if (user == HC_NOBODY) break;
    x->drawn[taken++] = (hc_candidate){user, HC_MAP_NONE};
    hc_turns_leave(t, user, true);
  }
  for (size_t i = 0; i < taken; i++) hc_turns_leave(t, x->drawn[i].user, false);
  for (size_t i = 0; i < taken; i++) {
    const uint32_t user = x->drawn[i].user,
                   shape = hc_tetris_mixes(&x->o) ? HC_MAP_NONE : shape_of(x, t, f, user);
    if (hc_tetris_mixes(&x->o) || shape != HC_MAP_NONE) x->drawn[kept++] = (hc_candidate){user, shape};
  }
  *count = kept;
  return 0;
}

/* Members of a ranking that have not left. */
static uint32_t ranked(const hc_turns *t)
{
  uint32_t n = 0;
  for (size_t i = 0; i < t->ranking.count; i++) n += !t->books.members[t->ranking.order[i]].is_out;
  return n;
}

/* The first of a ranking that may use the host, which is the only one. */
static hc_rc draw_from_ranking(hc_tetris *x, const hc_turns *t, const hc_tetris_offer *f, uint32_t n,
                               size_t *count)
{
  const bool mixes = hc_tetris_mixes(&x->o);
  TRY(hc_reserve(x->allocator, (void **)&x->drawn, &x->drawn_cap, n, sizeof *x->drawn));
  for (size_t i = 0; i < t->ranking.count && n > 0; i++) {
    const uint32_t member = t->ranking.order[i];
    const hc_member *m = &t->books.members[member];
    uint32_t shape;
    if (m->is_out || (f->most && !holds(t->books.dims, m->least, f->most))) continue;
    if (t->keeper->admits && !t->keeper->admits(t, member, f->hosts[0].first)) continue;
    n--;
    shape = mixes ? HC_MAP_NONE : shape_of(x, t, f, member);
    if (shape != HC_MAP_NONE || mixes) x->drawn[(*count)++] = (hc_candidate){member, shape};
  }
  return 0;
}

static hc_rc draw(hc_tetris *x, hc_turns *t, const hc_tetris_offer *f, uint32_t n, size_t *count)
{
  const int64_t *free = x->o.stops || n == t->in_line ? NULL : f->most;
  const size_t kinds = t->line.needs.count;
  hc_line_walk walk = {0};
  *count = 0;
  if (t->is_ranked) return draw_from_ranking(x, t, f, n, count);
  if (has_tree(t)) return draw_from_tree(x, t, f, n, count);
  TRY(hc_reserve(x->allocator, (void **)&x->fits, &x->fit_cap, kinds, sizeof *x->fits));
  for (uint32_t k = 0; k < kinds; k++)
    x->fits[k] = !free || holds(t->books.dims, hc_needs_of(&t->line.needs, k), free);
  TRY(hc_reserve(x->allocator, (void **)&x->drawn, &x->drawn_cap, n, sizeof *x->drawn));
  while (n > 0) {
    const uint32_t user = hc_line_next(&t->line, &walk);
    uint32_t shape;
    if (user == HC_NOBODY) break;
    if (!x->fits[t->line.kind[user]]) continue;
    n--;
    shape = hc_tetris_mixes(&x->o) ? HC_MAP_NONE : shape_of(x, t, f, user);
    if (shape != HC_MAP_NONE || hc_tetris_mixes(&x->o)) x->drawn[(*count)++] = (hc_candidate){user, shape};
  }
  return 0;
}

/* ---- all are candidates ---- */

/* The first in the line of those who would start something of this kind, if it is better than `best`. */
static void ask_kind(hc_tetris *x, const hc_turns *t, const hc_tetris_offer *f, const target *to,
                     uint32_t kind, hc_tetris_choice *best)
{
  for (uint32_t i = t->books.kin[kind]; i != HC_MAP_NONE; i = t->books.shapes[i].kin) {
    const uint32_t user = t->books.shapes[i].user;
    if (!hc_line_has(&t->line, user)) continue;
    if (best->user != HC_NOBODY && best->badness == x->score[kind] && !hc_turns_before(t, user, best->user))
      continue;
    if (shape_of(x, t, f, user) == i) compare(x, t, to, user, 0, i, best);
  }
}

/* Kinds are asked from the best on, until a user is found; equal ones together. */
static void ask_kinds(hc_tetris *x, const hc_turns *t, const hc_tetris_offer *f, const target *to,
                      hc_tetris_choice *best)
{
  double above = -__builtin_inf();
  while (best->user == HC_NOBODY) {
    double next = __builtin_inf();
    bool is_any = false;
    for (uint32_t k = 0; k < t->books.kin_count; k++) {
      const uint32_t shape = t->books.kin[k];
      double b;
      if (shape == HC_MAP_NONE ||
          (!x->o.stops && !holds(t->books.dims, t->books.shapes[shape].need, to->free)))
        continue;
      b = badness(x, to, &t->books.shapes[shape]);
      if (!(b > above) || (is_any && !(b < next))) continue;
      next = b;
      is_any = true;
    }
    if (!is_any) return;
    for (uint32_t k = 0; k < t->books.kin_count; k++)
      if (t->books.kin[k] != HC_MAP_NONE && x->stamp[k] == x->look && x->score[k] == next)
        ask_kind(x, t, f, to, k, best);
    above = next;
  }
}

/* ---- remaining work, and barriers ---- */

/* Do others wait for the task's like, and is so much of these over? */
static bool is_awaited(const hc_tetris *x, const hc_tetris_offer *f, hc_task task)
{
  uint64_t over, all;
  if (x->o.barrier >= 1 || !f->services->stage(f->view, task, &over, &all)) return false;
  return (double)over >= x->o.barrier * (double)all;
}

static double alignment(const hc_tetris *x, const hc_tetris_offer *f, const target *to, const hc_shape *shape)
{
  double need[HC_DIMENSIONS], a;
  for (uint32_t i = 0; i < to->shares.count; i++) {
    const hc_share *s = &to->shares.at[i];
    need[i] = s->weight * ((double)shape->need[s->dimension] / s->divisor);
  }
  a = hc_packing_alignment((hc_packing)x->o.score, to->shares.count, need, to->weighed);
  if (x->o.remote > 0 &&
      hc_preferred_near(f->preferred, f->view, shape->heap[0].task, to->host) > HC_NEAR_HOST)
    a -= x->o.remote * a;
  return a;
}

static void weights_of(const hc_tetris *x, const hc_turns *t, double *out)
{
  const hc_list *w = &x->o.scale.weights;
  for (uint32_t d = 0; d < t->books.dims; d++)
    out[d] = w->count == 0 ? 1 : t->which[d] < w->count ? ((const double *)w->items)[t->which[d]] : 0;
}

/* All tasks of a user that could start there. */
static hc_rc pair_up(hc_tetris *x, hc_turns *t, const hc_tetris_offer *f, const target *to, uint32_t user,
                     uint32_t rank)
{
  const hc_member *m = &t->books.members[user];
  double weight[HC_DIMENSIONS];
  weights_of(x, t, weight);
  TRY(hc_reserve(x->allocator, (void **)&x->pairs, &x->pair_cap, x->pair_count + m->shape_count,
                 sizeof *x->pairs));
  for (size_t k = 0; k < m->shape_count; k++) {
    const uint32_t at = m->shapes[k];
    const hc_shape *s = &t->books.shapes[at];
    if (s->tried == f->number || !holds(t->books.dims, s->need, to->free)) continue;
    if (!hc_turns_has_room(t, at) || !hc_turns_allows(t, at)) continue;
    x->pairs[x->pair_count++] = (hc_pairing){
        .user = user,
        .shape = at,
        .host = to->host,
        .rank = rank,
        .alignment = x->o.mix > 0 || hc_packing_aligns((hc_packing)x->o.score) ? alignment(x, f, to, s)
                                                                               : -badness(x, to, s),
        .work = x->o.mix > 0 ? hc_works_left(t->works, s->work, t->capacity, weight) : 0,
        .is_awaited = is_awaited(x, f, s->heap[0].task)};
  }
  return 0;
}

/* eps: as much of the mean alignment as there is of the mean work. */
static double exchange_rate(const hc_tetris *x)
{
  double alignments = 0, works = 0;
  size_t n = 0;
  for (size_t i = 0; i < x->pair_count; i++) {
    if (x->pairs[i].work == __builtin_inf()) continue; /* without an estimate: after all others */
    alignments += x->pairs[i].alignment;
    works += x->pairs[i].work;
    n++;
  }
  return n > 0 && works > 0 ? x->o.mix * (alignments / works) : 0;
}

static double score_of(const hc_pairing *p, double eps)
{
  if (p->work == __builtin_inf()) return -__builtin_inf();
  return p->alignment - eps * p->work;
}

/* Ties go to the earlier user, then to the earlier task, then to the lower host. */
static bool is_better(const hc_turns *t, const hc_pairing *a, const hc_pairing *b, double eps)
{
  const double x = score_of(a, eps), y = score_of(b, eps);
  const hc_waiter *p = t->books.shapes[a->shape].heap, *q = t->books.shapes[b->shape].heap;
  if (a->is_awaited != b->is_awaited) return a->is_awaited;
  if (x != y) return x > y;
  if (a->rank != b->rank) return a->rank < b->rank;
  if (p->key != q->key) return p->key < q->key;
  if (p->serial != q->serial) return p->serial < q->serial;
  return a->host < b->host;
}

static void pick(const hc_tetris *x, const hc_turns *t, hc_tetris_choice *best)
{
  const double eps = x->o.mix > 0 ? exchange_rate(x) : 0;
  size_t at = 0;
  if (x->pair_count == 0) return;
  for (size_t i = 1; i < x->pair_count; i++)
    if (is_better(t, &x->pairs[i], &x->pairs[at], eps)) at = i;
  *best = (hc_tetris_choice){x->pairs[at].user, x->pairs[at].shape, x->pairs[at].host, x->pairs[at].rank, 0};
}

/* ---- the choice ---- */

static hc_rc ready(hc_tetris *x, const hc_turns *t)
{
  const size_t kinds = t->books.kin_count;
  TRY(hc_reserve(x->allocator, (void **)&x->score, &x->score_cap, kinds, sizeof *x->score));
  TRY(hc_reserve(x->allocator, (void **)&x->stamp, &x->stamp_cap, kinds, sizeof *x->stamp));
  while (x->score_count < kinds) x->stamp[x->score_count++] = 0;
  return 0;
}

hc_rc hc_tetris_choose(hc_tetris *x, hc_turns *t, const hc_tetris_offer *f, hc_tetris_choice *best)
{
  const bool mixes = hc_tetris_mixes(&x->o);
  bool by_kind;
  uint32_t n;
  size_t count = 0;
  *best = (hc_tetris_choice){.user = HC_NOBODY};
  if (t->is_ranked) TRY(hc_ranking_sort(&t->ranking));
  else if (!x->o.stops && hc_line_first(&t->line, f->most) == HC_NOBODY) return 0; /* no user fits */
  n = candidates_of(&x->o, t->is_ranked ? ranked(t) : t->in_line);
  by_kind = n == t->in_line && n > FEW && f->host_count == 1 && f->hosts[0].count == 1 && !mixes &&
            !has_tree(t) && !t->is_ranked;
  TRY(ready(x, t));
  if (!by_kind) TRY(draw(x, t, f, n, &count));
  x->pair_count = 0;
  for (size_t i = 0; i < f->host_count; i++)
    for (uint32_t k = 0; k < f->hosts[i].count; k++) {
      target to;
      x->look++;
      aim(x, t, f, f->hosts[i].first + k, &to);
      if (by_kind) ask_kinds(x, t, f, &to, best);
      for (size_t c = 0; c < count; c++) {
        if (mixes) TRY(pair_up(x, t, f, &to, x->drawn[c].user, (uint32_t)c));
        else compare(x, t, &to, x->drawn[c].user, (uint32_t)c, x->drawn[c].shape, best);
      }
    }
  if (mixes) pick(x, t, best);
  return 0;
}
