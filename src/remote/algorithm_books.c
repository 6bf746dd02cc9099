/* algorithm_books.c -- which jobs run where and what is kept for which, as an algorithm of ElastiSim sees it.
 *
 * A node runs one job at most, and is kept (`expected`) for one at most: for a job that was assigned it while
 * it runs, until it comes to its next scheduling point. */
#include "base/util.h"
#include "remote/algorithm.h"

hc_rc hc_algorithm_touch(hc_policy *self, uint32_t job)
{
  if (self->jobs[job].is_modified) return 0;
  TRY(hc_reserve(self->allocator, (void **)&self->touched, &self->touched_cap, self->touched_count + 1,
                 sizeof *self->touched));
  size_t at = self->touched_count++;
  for (; at > 0 && self->jobs[self->touched[at - 1]].id > self->jobs[job].id; at--)
    self->touched[at] = self->touched[at - 1];
  self->touched[at] = job;
  self->jobs[job].is_modified = true;
  return 0;
}

static void set_job(hc_policy *self, uint32_t node, uint32_t job)
{
  self->nodes[node].job = job;
  self->nodes[node].is_modified = true;
}

static void expect(hc_policy *self, uint32_t node, uint32_t job)
{
  self->nodes[node].expected = job;
  self->nodes[node].is_modified = true;
}

hc_rc hc_algorithm_assign(hc_policy *self, uint32_t job, uint32_t node)
{
  hc_algorithm_job *j = &self->jobs[job];
  TRY(hc_reserve(self->allocator, (void **)&j->nodes, &j->node_cap, j->node_count + 1, sizeof *j->nodes));
  size_t at = j->node_count++;
  for (; at > 0 && j->nodes[at - 1] > node; at--) j->nodes[at] = j->nodes[at - 1];
  j->nodes[at] = node;
  if (j->state != HC_JOB_PENDING && self->nodes[node].job != job) expect(self, node, job);
  return 0;
}

void hc_algorithm_unassign(hc_policy *self, uint32_t job)
{
  hc_algorithm_job *j = &self->jobs[job];
  for (size_t i = 0; i < j->node_count; i++)
    if (self->nodes[j->nodes[i]].expected == job) expect(self, j->nodes[i], HC_NO_JOB);
  j->node_count = 0;
}

bool hc_algorithm_is_settled(const hc_policy *self, uint32_t job)
{
  const hc_algorithm_job *j = &self->jobs[job];
  if (j->node_count != j->holds) return false;
  for (size_t i = 0; i < j->node_count; i++)
    if (self->nodes[j->nodes[i]].job != job) return false;
  return true;
}

static void leave(hc_policy *self, uint32_t job)
{
  for (uint32_t n = 0; self->jobs[job].holds > 0 && n < self->node_count; n++)
    if (self->nodes[n].job == job) set_job(self, n, HC_NO_JOB);
  self->jobs[job].holds = 0;
}

hc_rc hc_algorithm_hold(hc_policy *self, uint32_t job)
{
  hc_algorithm_job *j = &self->jobs[job];
  leave(self, job);
  for (size_t i = 0; i < j->node_count; i++) {
    set_job(self, j->nodes[i], job);
    if (self->nodes[j->nodes[i]].expected == job) expect(self, j->nodes[i], HC_NO_JOB);
  }
  j->holds = j->node_count;
  return hc_algorithm_touch(self, job);
}

hc_rc hc_algorithm_free(hc_policy *self, uint32_t job)
{
  hc_algorithm_unassign(self, job);
  leave(self, job);
  return hc_algorithm_touch(self, job);
}
