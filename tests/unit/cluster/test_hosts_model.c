/* test_hosts_model.c -- the hosts cell against a model that looks at every host, in thousands of random
 * steps.
 *
 * It must give the same grants, to the bit, whatever the chooser, with devices, constraints, zones, limits,
 * whole hosts, chunks, amounts of the whole cell, and hosts that come, go and change. */
#include "hosts_model.h"
#include "sample.h"

/* ---- steps ---- */

static void digest(hc_hosts *h, uint64_t out[2])
{
  hc_hash hash;
  hc_visitor v = {.calls = &hc_state_calls, .mode = HC_VISIT_HASH, .hash = &hash};
  hc_hash_init(&hash);
  assert_int_equal(hc_hosts_visit(h, &v), 0);
  hc_hash_end(&hash, out);
}

static void same_state(world *w)
{
  const model *m = &the_model;
  const uint32_t dims = hc_hosts_dimensions(w->hosts);
  int64_t capacity[HC_DIMENSIONS] = {0}, free[HC_DIMENSIONS] = {0};
  uint32_t up = 0, idle = 0;
  hc_hosts_check(w->hosts);
  for (uint32_t i = 0; i < w->spec.units; i++) {
    up += m->up[i];
    idle += is_idle(m, i);
    assert_int_equal(hc_hosts_is_up(w->hosts, i), m->up[i]);
    for (uint32_t d = 0; d < dims; d++) {
      assert_int_equal(hc_hosts_capacity_of(w->hosts, i)[d], m->up[i] ? m->capacity[i][d] : 0);
      assert_int_equal(hc_hosts_free_of(w->hosts, i)[d], free_on(m, i, d));
      capacity[d] += m->up[i] ? m->capacity[i][d] : 0;
      free[d] += m->up[i] ? free_on(m, i, d) : 0;
    }
  }
  assert_int_equal(hc_hosts_up(w->hosts), up);
  assert_int_equal(hc_hosts_idle(w->hosts), idle);
  for (uint32_t d = 0; d < dims; d++) {
    const int64_t shared = w->spec.shared[hc_hosts_which(w->hosts)[d]];
    assert_int_equal(hc_hosts_capacity(w->hosts, d), hc_hosts_is_shared(w->hosts, d) ? shared : capacity[d]);
    assert_int_equal(hc_hosts_free_sum(w->hosts, d),
                     hc_hosts_is_shared(w->hosts, d) ? shared - m->shared[d] : free[d]);
  }
}

/* Saved, loaded into a new cell, and on with that one. */
static void move_house(world *w)
{
  hc_buffer out;
  hc_visitor save = {.calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .out = &out}, load;
  hc_hosts *next;
  hc_error e = {0};
  uint64_t before[2], after[2];
  hc_buffer_init(&out, hc_default_allocator());
  digest(w->hosts, before);
  assert_int_equal(hc_hosts_visit(w->hosts, &save), 0);
  assert_int_equal(hc_hosts_new(hc_default_allocator(), &w->spec, w->lexicon, SEED, REPLICATION, &next, &e),
                   0);
  load = (hc_visitor){.calls = &hc_state_calls,
                      .mode = HC_VISIT_LOAD,
                      .allocator = hc_default_allocator(),
                      .in = (const uint8_t *)out.data,
                      .left = out.size};
  assert_int_equal(hc_hosts_visit(next, &load), 0);
  assert_int_equal(load.left, 0);
  digest(next, after);
  assert_memory_equal(before, after, sizeof before);
  hc_buffer_fini(&out);
  hc_hosts_free(w->hosts);
  w->hosts = next;
}

static void give_one(world *w)
{
  size_t i;
  claim *c;
  if (w->live_count == 0) return;
  i = below(&w->s, (uint32_t)w->live_count);
  c = &w->live[i];
  c->r.need = c->need;
  hc_hosts_give(w->hosts, &c->r, c->grants, c->count);
  count_claim(w, c, -1);
  hc_lexicon_drop(w->lexicon, c->r.more);
  *c = w->live[--w->live_count];
}

static void change_one(world *w)
{
  hc_host_event e = {.host = below(&w->s, w->spec.units), .change = below(&w->s, 4)};
  model *m = &the_model;
  const uint8_t *which = hc_hosts_which(w->hosts);
  if (e.change != HC_HOST_UP && one_in(&w->s, 2)) e.change = HC_HOST_UP;
  for (uint32_t d = 0; d < HC_DIMENSIONS; d++) e.capacity[d] = HC_UNKNOWN;
  switch ((hc_host_change)e.change) {
    case HC_HOST_UP:
      m->up[e.host] = true;
      m->drains[e.host] = false;
      break;
    case HC_HOST_DOWN: m->up[e.host] = m->drains[e.host] = false; break;
    case HC_HOST_DRAIN: m->drains[e.host] = m->up[e.host]; break;
    case HC_HOST_EVICT:
    case HC_HOST_FAIL: break;
    case HC_HOST_RESIZE:
      for (uint32_t d = 0; d < hc_hosts_dimensions(w->hosts); d++) {
        if (hc_hosts_is_shared(w->hosts, d)) continue;
        const int64_t was = w->classes[w->class_of[e.host]].capacity[which[d]];
        if (one_in(&w->s, 3)) e.capacity[which[d]] = was * below(&w->s, 4) / 2;
        if (which[d] == HC_DIM_GPU && e.capacity[which[d]] > (int64_t)HC_DEVICES * HC_DEVICE &&
            w->classes[w->class_of[e.host]].devices > 0)
          e.capacity[which[d]] = (int64_t)HC_DEVICES * HC_DEVICE; /* the most that there can be */
        if (e.capacity[which[d]] != HC_UNKNOWN) m->capacity[e.host][d] = e.capacity[which[d]];
      }
      break;
  }
  assert_int_equal(hc_hosts_change(w->hosts, &e), 0);
}

static size_t random_scope(world *w, hc_range out[3])
{
  uint32_t at = 0;
  size_t n = 0;
  if (!one_in(&w->s, 4)) return 0;
  for (; n < 3 && at < w->spec.units; n++) {
    const uint32_t first = at + below(&w->s, w->spec.units - at);
    out[n] = (hc_range){first, 1 + below(&w->s, w->spec.units - first)};
    at = out[n].first + out[n].count;
  }
  return n;
}

static void forget_more(world *w)
{
  const uint32_t i = below(&w->s, MORES);
  hc_lexicon_drop(w->lexicon, w->mores[i]);
  w->mores[i] = random_more(w, one_in(&w->s, 2));
}

static void enter(world *w, const claim *from)
{
  claim *c = &w->live[w->live_count++];
  *c = *from;
  c->r.need = c->need;
  hc_lexicon_hold(w->lexicon, c->r.more);
  count_claim(w, c, 1);
}

static void take_it(world *w, const claim *c)
{
  uint64_t before[2], after[2];
  digest(w->hosts, before);
  assert_int_equal(hc_hosts_take(w->hosts, &c->r, c->grants, c->count), 0);
  hc_hosts_give(w->hosts, &c->r, c->grants, c->count); /* undone to the bit */
  digest(w->hosts, after);
  assert_memory_equal(before, after, sizeof before);
  assert_int_equal(hc_hosts_take(w->hosts, &c->r, c->grants, c->count), 0);
  enter(w, c);
}

/* What was chosen a while ago: all of it is still free, or none is taken. */
static void take_stale(world *w)
{
  claim *c = &w->stale;
  uint64_t before[2], after[2];
  bool free = true;
  if (c->count == 0 || w->live_count == LIVE) return;
  c->r.need = c->need;
  digest(w->hosts, before);
  for (size_t i = 0; i < c->count && free; i++) free = hc_hosts_is_up(w->hosts, c->grants[i].host);
  if (hc_hosts_take(w->hosts, &c->r, c->grants, c->count) == 0) {
    assert_true(free);
    enter(w, c);
  } else {
    digest(w->hosts, after);
    assert_memory_equal(before, after, sizeof before);
  }
  hc_lexicon_drop(w->lexicon, c->r.more);
  c->count = 0;
}

static void keep_stale(world *w, const claim *c)
{
  if (w->stale.count > 0) hc_lexicon_drop(w->lexicon, w->stale.r.more);
  w->stale = *c;
  hc_lexicon_hold(w->lexicon, c->r.more);
}

static void ask_one(world *w)
{
  claim c = {0};
  hc_range scope[3];
  const hc_chooser chooser = random_chooser(w), first = {.how = HC_CHOOSE_FIRST};
  const size_t scopes = random_scope(w, scope);
  const hc_grant *out;
  hc_rc n;
  random_request(w, &c.r, c.need);
  if (scopes > 0 && one_in(&w->s, 3)) {
    n = hc_hosts_choose_on(w->hosts, &c.r, scope, scopes, &out);
    assert_int_equal(n, answer(w, &the_model, &c.r, &first, scope, scopes));
  } else {
    n = hc_hosts_choose(w->hosts, &c.r, &chooser, scope, scopes, &out);
    assert_int_equal(n, answer(w, &the_model, &c.r, &chooser, scope, scopes));
    if (n > 0) the_model.turn = ask.m.turn;
    assert_int_equal(hc_hosts_turn(w->hosts), the_model.turn);
  }
  for (hc_rc i = 0; i < n; i++) assert_memory_equal(&out[i], &ask.grants[i], sizeof *out);
  if (n == 0 || n > 64 || w->live_count == LIVE) return;
  c.count = (size_t)n;
  memcpy(c.grants, ask.grants, c.count * sizeof *ask.grants);
  if (one_in(&w->s, 5)) keep_stale(w, &c);
  else take_it(w, &c);
}

/* The first fit of an idle cell in which all hosts are up says whether it could ever run. */
static void never_one(world *w)
{
  static model idle;
  const hc_chooser first = {.how = HC_CHOOSE_FIRST};
  const uint8_t *which = hc_hosts_which(w->hosts);
  const size_t live = w->live_count;
  hc_request r;
  int64_t need[HC_DIMENSIONS] = {0};
  const hc_task_extras *m;
  hc_never said;
  memset(&idle, 0, sizeof idle);
  for (uint32_t i = 0; i < w->spec.units; i++) {
    for (uint32_t d = 0; d < hc_hosts_dimensions(w->hosts); d++)
      idle.capacity[i][d] = w->classes[w->class_of[i]].capacity[which[d]];
    idle.up[i] = true;
  }
  random_request(w, &r, need);
  m = hc_lexicon_more(w->lexicon, r.more);
  said = hc_hosts_never(w->hosts, &r);
  assert_int_equal(said, hc_hosts_never(w->hosts, &r)); /* remembered or not */
  w->live_count = 0;                                    /* no task is a rival */
  if (answer(w, &idle, &r, &first, NULL, 0) > 0) assert_int_equal(said, HC_NEVER_FALSE);
  else if (names_nobody(w, m)) assert_int_equal(said, HC_NEVER_NO_HOST);
  else if (!m || (m->chunk_count == 0 && (m->differ == HC_NO_NAME || (r.spread && m->same == HC_NO_NAME))))
    assert_true(said == HC_NEVER_TOO_LARGE || said == HC_NEVER_CONSTRAINT);
  if (said == HC_NEVER_CONSTRAINT || said == HC_NEVER_TOO_LARGE) {
    hc_request plain = r;
    plain.more = 0;
    if (!m || m->chunk_count == 0)
      assert_int_equal(said == HC_NEVER_CONSTRAINT, answer(w, &idle, &plain, &first, NULL, 0) > 0);
  }
  w->live_count = live;
}

/* ---- why it does not fit ---- */

/* By looking: the first filter that refuses one slot there, in the order of hc_refusal. */
static hc_refusal refusal_of(world *w, const hc_request *r, uint32_t host, uint32_t *d)
{
  const model *m = &the_model;
  const hc_task_extras *x = hc_lexicon_more(w->lexicon, r->more);
  const uint32_t dims = hc_hosts_dimensions(w->hosts);
  *d = 0;
  if (!m->up[host] || m->drains[host] || m->whole[host]) return HC_REFUSED_AWAY;
  if (x) { /* each rule by itself */
    hc_task_extras set = *x, name = *x, constraint = *x;
    set.constraint_count = set.host_count = 0;
    name.constraint_count = 0;
    name.set = constraint.set = HC_NO_NAME;
    constraint.host_count = 0;
    if (!is_allowed(w, &set, host)) return HC_REFUSED_SET;
    if (!is_allowed(w, &name, host)) return HC_REFUSED_NAME;
    if (!is_allowed(w, &constraint, host)) return HC_REFUSED_CONSTRAINT;
    if ((level(w, x->same) && level(w, x->same)[host] == HC_NO_NAME) ||
        (level(w, x->differ) && level(w, x->differ)[host] == HC_NO_NAME))
      return HC_REFUSED_ZONE;
  }
  if (r->whole && !is_idle(m, host)) return HC_REFUSED_BUSY;
  for (*d = 0; !r->whole && *d < dims; ++*d)
    if (!hc_hosts_is_shared(w->hosts, *d) && r->need[*d] > m->capacity[host][*d]) return HC_REFUSED_SMALL;
  for (*d = 0; !r->whole && *d < dims; ++*d)
    if (!hc_hosts_is_shared(w->hosts, *d) && r->need[*d] > free_on(m, host, *d)) return HC_REFUSED_FULL;
  *d = 0;
  if (!r->whole && !fits(w, m, host, r->need)) return HC_REFUSED_DEVICES;
  if (x && x->per_host > 0 && rivals(w, x, host, false) >= x->per_host) return HC_REFUSED_RIVALS;
  if (x && x->per_zone > 0 && level(w, x->zone_level)[host] != HC_NO_NAME &&
      rivals(w, x, host, true) >= x->per_zone)
    return HC_REFUSED_RIVALS;
  return HC_REFUSED_NOT;
}

typedef struct refusing {
  world *w;
  const hc_request *r;
  uint32_t next, refused[HC_REFUSED_GATE + 1];
} refusing;

static void hear_refusal(void *ctx, uint32_t host, hc_refusal why, uint32_t d)
{
  refusing *x = ctx;
  uint32_t dimension_of;
  assert_int_equal(host, x->next++); /* each host once */
  assert_int_equal(why, refusal_of(x->w, x->r, host, &dimension_of));
  if (why == HC_REFUSED_SMALL || why == HC_REFUSED_FULL) assert_int_equal(d, dimension_of);
  x->refused[why]++;
}

/* Refused by filter and fitting sum to all hosts; a task of one slot finds a host if and only if one fits;
 * and the host with the best score of these is the one that is chosen. */
static void refuse_one(world *w)
{
  const hc_chooser chooser = random_chooser(w);
  hc_request r;
  int64_t need[HC_DIMENSIONS] = {0};
  refusing x = {.w = w, .r = &r};
  uint32_t sum = 0;
  random_request(w, &r, need);
  const hc_task_extras *m = hc_lexicon_more(w->lexicon, r.more);
  if (names_nobody(w, m) || (m && m->chunk_count > 0)) return;
  assert_int_equal(hc_hosts_refusals(w->hosts, &r, hear_refusal, &x), 0);
  for (uint32_t k = 0; k <= HC_REFUSED_GATE; k++) sum += x.refused[k];
  assert_int_equal(sum, w->spec.units);
  if (r.slots != 1 || r.whole) return;
  const hc_grant *out;
  const uint32_t turn = hc_hosts_turn(w->hosts);
  const hc_rc n = hc_hosts_choose(w->hosts, &r, &chooser, NULL, 0, &out);
  hc_hosts_ranked ranked;
  hc_hosts_set_turn(w->hosts, turn);
  if (n > 0) assert_true(x.refused[HC_REFUSED_NOT] > 0);
  if (n != 1) return;
  assert_int_equal(hc_hosts_rank(w->hosts, &r, &chooser, NULL, 0, out[0].host, &ranked), 0);
  assert_int_equal(ranked.fitting, x.refused[HC_REFUSED_NOT]);
  assert_int_equal(ranked.next == HC_NO_HOST, ranked.fitting == 1);
  assert_int_equal(ranked.has_score, chooser.score != NULL);
  if (ranked.fitting == 1 || !chooser.score || chooser.how != HC_CHOOSE_BEST || (m && m->same != HC_NO_NAME))
    return;
  ask.w = w;
  ask.m = the_model;
  ask.r = &r;
  ask.c = &chooser;
  assert_true(ranked.score == score(&ask, out[0].host, r.need));
  assert_true(ranked.next_score == score(&ask, ranked.next, r.need));
  assert_true(ranked.next_score <= ranked.score);
}

static void walk(uint64_t seed, uint32_t n, bool gpus, bool shared, bool wide, uint32_t steps)
{
  world *w = test_malloc(sizeof *w);
  make_world(w, seed, n, gpus, shared, wide);
  begin_model(w);
  for (uint32_t i = 0; i < MORES; i++) w->mores[i] = random_more(w, i % 2 == 0);
  for (uint32_t i = 0; i < steps; i++) {
    const uint32_t dice = below(&w->s, 100);
    const bool full = i / 200 % 3 != 2; /* it fills, and drains again */
    if (dice < (full ? 75 : 30)) ask_one(w);
    else if (dice < 88) give_one(w);
    else if (dice < 93) change_one(w);
    else if (dice < 96) never_one(w);
    else if (dice < 97) forget_more(w);
    else if (dice < 99) take_stale(w);
    else if (one_in(&w->s, 5)) move_house(w);
    if (i % 16 == 0) same_state(w);
    if (i % 64 == 0) refuse_one(w);
  }
  while (w->live_count > 0) give_one(w);
  same_state(w);
  free_world(w);
  test_free(w);
}

static void small_cells_agree_with_the_model(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= hc_test_cases(12, 4); seed++)
    walk(seed, 1 + (uint32_t)seed * 3, seed % 2 == 0, seed % 3 == 0, false, 2500);
}

static void middling_cells_agree_with_the_model(void **state)
{
  (void)state;
  for (uint64_t seed = 21; seed <= hc_test_cases(24, 21); seed++)
    walk(seed, 70, seed % 2 == 0, seed % 3 == 0, false, 2000);
}

static void large_cells_agree_with_the_model(void **state)
{
  (void)state;
  for (uint64_t seed = 31; seed <= hc_test_cases(34, 31); seed++)
    walk(seed, HOSTS, seed % 2 == 0, seed % 3 == 0, false, 600);
}

/* 63 dimensions of hosts, one of them shared in some, and up to 128 devices on a host. */
static void wide_cells_agree_with_the_model(void **state)
{
  static const uint32_t hosts[] = {3, 14, 40, 70, 200};
  (void)state;
  for (uint64_t seed = 41; seed <= hc_test_cases(50, 43); seed++)
    walk(seed, hosts[seed % 5], seed % 4 != 0, seed % 3 == 0, true, 600);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_cells_agree_with_the_model),
      cmocka_unit_test(middling_cells_agree_with_the_model),
      cmocka_unit_test(large_cells_agree_with_the_model),
      cmocka_unit_test(wide_cells_agree_with_the_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
