/* algorithm_say.c -- what an algorithm of ElastiSim is told: an invocation, with all jobs and nodes that have
 * changed since the last, by their numbers, and at first with all nodes. Times are seconds, exactly; -1.0 is
 * one that has not come. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "hindcast/activity.h"
#include "remote/algorithm.h"

enum { CODE_INVOKE = 0, CODE_END = 0xFF };
#define CODES UINT64_C(0xFFEC4400)

static void put_code(hc_buffer *out, uint64_t code)
{
  out->size = 0;
  hc_buffer_printf(out, "{\"code\":%" PRIu64, CODES + code);
}

/* A real number of JSON. */
static void put_seconds(hc_buffer *out, const char *key, hc_time t)
{
  char text[40];
  size_t n = t == HC_UNKNOWN ? 0 : hc_format_seconds(t, text);
  text[n] = '\0';
  hc_buffer_printf(out, ",\"%s\":%s%s", key, n > 0 ? text : "-1", strchr(text, '.') ? "" : ".0");
}

static hc_time since(hc_time from, hc_time to)
{
  return from == HC_UNKNOWN || to == HC_UNKNOWN ? HC_UNKNOWN : to - from;
}

/* Names and texts. */
static void put_map(hc_buffer *out, const char *key, const hc_value *map)
{
  if (!map || map->count == 0) return;
  hc_buffer_printf(out, ",\"%s\":{", key);
  for (size_t i = 0; i < map->count; i++) {
    const hc_value *v = map->items[i];
    const char *text = v->kind == HC_VALUE_SCALAR ? v->text : "";
    if (i > 0) hc_buffer_text(out, ",");
    hc_json_string(out, v->key, strlen(v->key));
    hc_buffer_text(out, ":");
    hc_json_string(out, text, strlen(text));
  }
  hc_buffer_text(out, "}");
}

static void put_job(const hc_algorithm_job *j, hc_buffer *out)
{
  hc_buffer_printf(out, "{\"id\":%" PRId64 ",\"type\":%d,\"state\":%d,\"walltime\":%s", j->id, j->type,
                   j->state, j->told.walltime);
  if (j->type == HC_JOB_RIGID)
    hc_buffer_printf(out, ",\"num_nodes\":%" PRIu32 ",\"num_gpus_per_node\":%" PRIu32, j->most, j->gpus);
  else
    hc_buffer_printf(out,
                     ",\"num_nodes_min\":%" PRIu32 ",\"num_nodes_max\":%" PRIu32
                     ",\"num_gpus_per_node_min\":%" PRIu32 ",\"num_gpus_per_node_max\":%" PRIu32,
                     j->least, j->most, j->told.gpus_least, j->told.gpus_most);
  put_seconds(out, "submit_time", j->submit);
  put_seconds(out, "start_time", j->start);
  put_seconds(out, "end_time", j->end);
  put_seconds(out, "wait_time", since(j->submit, j->start));
  put_seconds(out, "makespan", since(j->start, j->end));
  put_seconds(out, "turnaround_time", since(j->submit, j->end));
  hc_buffer_text(out, ",\"assigned_nodes\":[");
  for (size_t i = 0; i < j->node_count; i++)
    hc_buffer_printf(out, "%s%" PRIu32, i > 0 ? "," : "", j->nodes[i]);
  hc_buffer_printf(out, "],\"assigned_num_gpus_per_node\":%" PRIu32, j->gpus);
  put_map(out, "arguments", hc_value_get(j->told.value, "arguments"));
  put_map(out, "attributes", hc_value_get(j->told.value, "attributes"));
  if (j->arguments) hc_buffer_printf(out, ",\"runtime_arguments\":%s", j->arguments);
  hc_buffer_printf(out, ",\"total_phase_count\":%" PRIu64 ",\"completed_phases\":%" PRIu64 "}",
                   j->phases.total, j->done);
}

static void put_jobs(hc_policy *self, hc_buffer *out)
{
  bool is_first = true;
  hc_buffer_text(out, ",\"jobs\":[");
  for (size_t i = 0; i < self->touched_count; i++) {
    hc_algorithm_job *j = &self->jobs[self->touched[i]];
    if (!is_first) hc_buffer_text(out, ",");
    is_first = false;
    put_job(j, out);
    j->is_modified = false;
  }
  self->touched_count = 0;
  hc_buffer_text(out, "]");
}

static void put_node(const hc_policy *self, uint32_t n, hc_buffer *out)
{
  enum { FREE, ALLOCATED, RESERVED };
  const hc_algorithm_node *x = &self->nodes[n];
  const hc_host_class *of = &self->cell->classes[self->cell->class_of[x->host]];
  const uint32_t gpus = of->devices > 0 ? of->devices : (uint32_t)(of->capacity[HC_DIM_GPU] / HC_DEVICE);
  const hc_algorithm_job *j = x->job == HC_NO_JOB ? NULL : &self->jobs[x->job];
  const int state = j || x->is_away ? ALLOCATED : x->expected != HC_NO_JOB ? RESERVED : FREE;
  hc_buffer_printf(out, "{\"id\":%" PRIu32 ",\"type\":%d,\"state\":%d,\"assigned_jobs\":[", n, x->has_buffer,
                   state);
  if (j) hc_buffer_printf(out, "%" PRId64, j->id);
  hc_buffer_text(out, "],\"gpus\":[");
  for (uint32_t i = 0; i < gpus; i++)
    hc_buffer_printf(out, "%s{\"id\":%" PRIu32 ",\"state\":%d}", i > 0 ? "," : "", i, j && i < j->gpus);
  hc_buffer_text(out, "]}");
}

static void put_nodes(hc_policy *self, hc_buffer *out)
{
  bool is_first = true;
  hc_buffer_text(out, ",\"nodes\":[");
  for (uint32_t n = 0; n < self->node_count; n++) {
    if (!self->nodes[n].is_modified) continue;
    if (!is_first) hc_buffer_text(out, ",");
    is_first = false;
    put_node(self, n, out);
    self->nodes[n].is_modified = false;
  }
  hc_buffer_text(out, "]");
}

/* ---- the file system ---- */

/* The links of these names. @return 0; HC_EUSAGE: there is none of a name; HC_ENOMEM */
static hc_rc find_links(hc_policy *self, const hc_use_look *u, const hc_list *names, const char *member,
                        int which)
{
  for (size_t k = 0; k < names->count; k++) {
    const char *name = ((const char *const *)names->items)[k];
    char text[256] = "";
    uint32_t i = 0;
    for (; i < u->link_count; i++) {
      u->link_name(u->names, i, text, sizeof text);
      if (strcmp(text, name) == 0) break;
    }
    if (i == u->link_count) {
      if (i > 0) u->link_name(u->names, 0, text, sizeof text);
      return hc_fail(&self->with.error, HC_EUSAGE, HC_ALGORITHM_PLACE, 0, 0,
                     "%s: no link of the network is called \"%.100s\"; the first of its %" PRIu32
                     " is \"%.100s\"",
                     member, name, i, text);
    }
    TRY(hc_reserve(self->allocator, (void **)&self->links[which], &self->link_cap[which],
                   self->link_count[which] + 1, sizeof(uint32_t)));
    self->links[which][self->link_count[which]++] = i;
  }
  return 0;
}

static void put_real(hc_buffer *out, const char *key, double x)
{
  char text[40];
  text[hc_format_real(x, text)] = '\0';
  hc_buffer_printf(out, ",\"%s\":%s", key, text);
}

/* Bandwidths of all its links together, and what is taken of them, in bytes/s. */
static hc_rc put_file_system(hc_policy *self, hc_buffer *out)
{
  static const char *const keys[2][2] = {{"pfs_read_bw", "pfs_read_utilization"},
                                         {"pfs_write_bw", "pfs_write_utilization"}};
  hc_use_look u;
  TRY(self->s->look(self->open, &u));
  if (self->invocations == 0) {
    TRY(find_links(self, &u, &self->o->pfs_read, "pfs_read", 0));
    TRY(find_links(self, &u, &self->o->pfs_write, "pfs_write", 1));
  }
  for (int w = 0; w < 2; w++) {
    double bandwidth = 0, taken = 0, rate;
    for (size_t i = 0; i < self->link_count[w]; i++) {
      bandwidth += u.link_bandwidth[self->links[w][i]];
      TRY(u.link_rate(u.rates, self->links[w][i], &rate));
      taken += rate;
    }
    put_real(out, keys[w][0], bandwidth);
    put_real(out, keys[w][1], taken);
  }
  return 0;
}

/* ---- messages ---- */

hc_rc hc_algorithm_say(hc_policy *self, hc_invocation what, uint32_t job, int64_t wants)
{
  hc_buffer *out = &self->with.message;
  put_code(out, CODE_INVOKE);
  put_seconds(out, "time", self->s->now(self->with.view));
  hc_buffer_printf(out, ",\"invocation_type\":%d", (int)what);
  if (job != HC_NO_JOB) hc_buffer_printf(out, ",\"job_id\":%" PRId64, self->jobs[job].id);
  if (what == HC_INVOKE_EVOLVING_REQUEST) hc_buffer_printf(out, ",\"evolving_request\":%" PRId64, wants);
  put_jobs(self, out);
  put_nodes(self, out);
  if (self->o->io_information) TRY(put_file_system(self, out));
  hc_buffer_text(out, "}");
  return out->failed ? HC_ENOMEM : 0;
}

void hc_algorithm_say_end(hc_policy *self)
{
  put_code(&self->with.message, CODE_END);
  hc_buffer_text(&self->with.message, "}");
}
