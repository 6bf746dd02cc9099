/* fuzz_slurm.c -- any bytes as associations and QOS of Slurm, and as a slurm.conf with its parameters of
 * priority: no crash, no endless loop, and what comes out is a tree whose usage, shares, limits and
 * priorities are numbers.
 *
 * Each input is read as both; associations are read twice over, as a second file may change what the first
 * said. Then some jobs run for some users. Memory is bounded, and given back. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/util.h"
#include "bounded.h"
#include "claims.h"
#include "policy/slurm/limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_MEMORY ((size_t)64 << 20)
#define NODES 16

/* ---- what comes out ---- */

static void check_tree(const hc_slurm_assocs *b)
{
  uint32_t users = 0;
  for (uint32_t i = 0; i < b->count; i++) {
    const hc_slurm_assoc *x = &b->items[i];
    check(i == 0 ? x->parent == HC_SLURM_NONE : x->parent < i, "parents come before children");
    check(x->depth <= HC_SLURM_DEEPEST + 1, "a tree is not deeper than it may be");
    check(x->user == NULL || x->first_child == HC_SLURM_NONE, "nothing is in a user");
    check(x->shares >= HC_SLURM_PARENT_SHARES, "shares are a number or the parent's");
    check(x->default_qos == HC_SLURM_NONE || x->default_qos < b->qos_count,
          "a QOS is one of those there are");
    users += x->user != NULL;
    if (!x->user) check(hc_slurm_assocs_account(b, x->account) == i, "an account is found by its name");
    if (x->user) check(hc_slurm_assocs_find(b, x->account, x->user, x->partition) == i, "so is a user");
  }
  check(users == b->user_count, "users are counted");
}

static void check_shares(const hc_slurm_usage *u)
{
  for (uint32_t i = 0; i < u->b->count; i++) {
    const hc_slurm_standing *s = &u->standing[i];
    check(s->factor >= 0 && s->factor <= 1, "a factor is between 0 and 1");
    check(s->norm_shares >= 0 && s->norm_shares <= 1, "so is a part of shares");
    check(u->used[i].raw >= 0, "usage is not negative");
    check(!u->b->items[i].user || u->o.sharing != HC_SLURM_FAIR_TREE || s->factor > 0,
          "each user has a rank");
  }
}

static void run_one(hc_slurm_usage *u, hc_slurm_limits *l, const hc_slurm_priority *p, uint32_t assoc,
                    hc_time now)
{
  const hc_slurm_assocs *b = u->b;
  const hc_range nodes = {assoc % (NODES - 1), 2};
  const hc_slurm_asked job = {.assoc = assoc,
                              .qos = hc_slurm_assocs_default_qos(b, assoc),
                              .part_qos = b->qos_count > 1 ? (uint32_t)b->qos_count - 1 : HC_SLURM_NONE,
                              .limit = HC_HOUR,
                              .part_limit = HC_NEVER,
                              .amounts = {{assoc % 7, 1 << 20, 0, 2, 3}},
                              .nodes = &nodes,
                              .node_ranges = 1};
  const hc_slurm_running r = {.assoc = assoc,
                              .qos = job.qos,
                              .part_qos = job.part_qos,
                              .start = now,
                              .limit = HC_HOUR,
                              .billing = 3,
                              .amounts = job.amounts};
  const hc_slurm_scale scale = {.b = b, .nodes = NODES, .cpus = 64};
  const hc_slurm_ranked ranked = {.min_nodes = 2,
                                  .cpus = 3,
                                  .limit = HC_HOUR,
                                  .assoc = assoc,
                                  .qos = job.qos,
                                  .fair_share = hc_slurm_usage_factor(u, assoc),
                                  .amounts = &job.amounts};
  hc_slurm_factors f;
  hc_slurm_verdict v;
  uint32_t handle;
  check(hc_slurm_limits_submit(l, &job, 3, &v) == (v.reason == NULL), "what is refused has a reason");
  check(hc_slurm_limits_before(l, &job, &v) == (v.reason == NULL), "what waits has a reason");
  check(hc_slurm_limits_after(l, &job, &v) == (v.reason == NULL), "what waits has a reason");
  (void)hc_slurm_limits_wall(l, &job);
  hc_slurm_priority_of(p, &scale, &ranked, now + HC_HOUR, &f);
  check(f.priority >= 1, "a priority is at least 1");
  if (hc_slurm_limits_started(l, &job) < 0) return;
  if (hc_slurm_usage_start(u, &r, &handle) == 0) hc_slurm_usage_end(u, handle, now + HC_MINUTE);
  hc_slurm_limits_ended(l, &job);
}

static void use(const hc_slurm_assocs *b, const hc_slurm_priority *p, const hc_allocator *a)
{
  hc_slurm_usage_options o = p->usage;
  for (o.sharing = HC_SLURM_FAIR_TREE; o.sharing <= HC_SLURM_DEPTH_OBLIVIOUS; o.sharing++) {
    hc_slurm_usage u = {0};
    hc_slurm_limits l = {0};
    if (hc_slurm_usage_init(&u, b, &o, a) == 0 &&
        hc_slurm_limits_init(&l, &u, p->enforce | HC_SLURM_ENFORCE_LIMITS, NODES, a) == 0) {
      hc_slurm_usage_period(&u, 0);
      check_shares(&u);
      for (uint32_t i = 0; i < b->count && i < 40; i++)
        if (b->items[i].user) run_one(&u, &l, p, i, HC_SECOND);
      hc_slurm_usage_period(&u, 5 * HC_MINUTE);
      check_shares(&u);
    }
    hc_slurm_limits_fini(&l);
    hc_slurm_usage_fini(&u);
  }
}

/* ---- reading ---- */

static void read_assocs(hc_slurm_assocs *b, const hc_slurm_priority *p, const char *path)
{
  hc_error e = {0};
  hc_buffer note;
  hc_rc rc = hc_slurm_assocs_read(b, path, &e);
  if (rc == 0) rc = hc_slurm_assocs_read(b, path, &e);
  if (rc == 0) rc = hc_slurm_assocs_settle(b, &e);
  check(rc == 0 || (rc < 0 && e.text[0]), "an error says what is wrong");
  if (rc < 0) return;
  check_tree(b);
  use(b, p, b->allocator);
  hc_buffer_init(&note, b->allocator);
  hc_slurm_assocs_note(b, &note);
  hc_buffer_fini(&note);
}

static void read_conf(hc_slurm_priority *p, hc_slurm_assocs *b, const char *path)
{
  hc_error e = {0};
  hc_buffer note;
  hc_conf c;
  hc_rc rc = hc_conf_read(b->allocator, path, &c, &e);
  if (rc == 0) rc = hc_slurm_priority_read(p, &c, b, &e);
  check(rc == 0 || (rc < 0 && e.text[0]), "an error says what is wrong");
  hc_buffer_init(&note, b->allocator);
  if (rc == 0) hc_slurm_priority_note(p, &c, &note);
  if (rc < 0) *p = (hc_slurm_priority){.age = 1};
  hc_buffer_fini(&note);
  hc_conf_close(&c, b->allocator);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  bounds memory = {.most = MOST_MEMORY};
  const hc_allocator a = {&memory, bounded, NULL};
  hc_slurm_assocs b;
  hc_slurm_priority p;
  char path[64];
  const int fd = memfd_create("associations", MFD_CLOEXEC);
  if (fd < 0 || (size > 0 && write(fd, data, size) != (ssize_t)size)) abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  check(hc_slurm_assocs_init(&b, &a) == 0, "there is memory");
  read_conf(&p, &b, path);
  read_assocs(&b, &p, path);
  hc_slurm_assocs_fini(&b);
  check(memory.used == 0, "everything is given back");
  close(fd);
  return 0;
}
