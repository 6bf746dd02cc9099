/* tetris.c -- the candidate whose task goes best with a host. See tetris.h. */
#include "policy/share/tetris.h"

#include "base/util.h"

enum { FEW = 32 }; /* candidates: then a walk is as good as anything */

void hc_tetris_init(hc_tetris *x, const hc_allocator *a, const hc_tetris_options *o)
{
  *x = (hc_tetris){.allocator = a, .o = *o};
}

void hc_tetris_fini(hc_tetris *x)
{
  if (!x->allocator) return;
  hc_free(x->allocator, x->fits, x->fit_cap * sizeof *x->fits);
  hc_free(x->allocator, x->drawn, x->drawn_cap * sizeof *x->drawn);
  hc_free(x->allocator, x->score, x->score_cap * sizeof *x->score);
  hc_free(x->allocator, x->stamp, x->stamp_cap * sizeof *x->stamp);
}

/* How many of so many users are candidates. */
static uint32_t candidates_of(const hc_tetris_options *o, uint32_t users)
{
  const double x = (1 - o->knob) * users;
  uint32_t n = (uint32_t)x;
  const double above = x - n;
  if (o->rounds_doubles) n += above > 0;
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
  hc_shares_read(x->o.scale, NULL, &h, &out->shares);
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
  out = hc_packing_of(x->o.score, to->shares.count, need, to->weighed);
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

static void compare(hc_tetris *x, const hc_turns *t, const target *to, uint32_t user, uint32_t shape,
                    hc_tetris_choice *best)
{
  const hc_shape *s = &t->books.shapes[shape];
  double b;
  if (!x->o.stops && !holds(t->books.dims, s->need, to->free)) return;
  b = badness(x, to, s);
  if (best->user != HC_NOBODY && !(b < best->badness) &&
      !(b == best->badness && hc_turns_before(t, user, best->user)))
    return;
  *best = (hc_tetris_choice){user, shape, to->host, b};
}

/* ---- a walk along the candidates ---- */

static hc_rc draw(hc_tetris *x, hc_turns *t, const hc_tetris_offer *f, uint32_t n, size_t *count)
{
  const int64_t *free = x->o.stops || n == t->in_line ? NULL : f->most;
  const size_t kinds = t->line.needs.count;
  hc_line_walk walk = {0};
  *count = 0;
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
    shape = shape_of(x, t, f, user);
    if (shape != HC_MAP_NONE) x->drawn[(*count)++] = (hc_candidate){user, shape};
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
    if (shape_of(x, t, f, user) == i) compare(x, t, to, user, i, best);
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
  const uint32_t n = candidates_of(&x->o, t->in_line);
  const bool by_kind = n == t->in_line && n > FEW && f->host_count == 1 && f->hosts[0].count == 1;
  size_t count = 0;
  *best = (hc_tetris_choice){.user = HC_NOBODY};
  if (!x->o.stops && hc_line_first(&t->line, f->most) == HC_NOBODY) return 0; /* no user fits */
  TRY(ready(x, t));
  if (!by_kind) TRY(draw(x, t, f, n, &count));
  for (size_t i = 0; i < f->host_count; i++)
    for (uint32_t k = 0; k < f->hosts[i].count; k++) {
      target to;
      x->look++;
      aim(x, t, f, f->hosts[i].first + k, &to);
      if (by_kind) ask_kinds(x, t, f, &to, best);
      for (size_t c = 0; c < count; c++) compare(x, t, &to, x->drawn[c].user, x->drawn[c].shape, best);
    }
  return 0;
}
