/* figure_sets.c -- sets of figures by one word, for --figures; and what a log does not say.
 *
 * A set is what one question asks for: `waits,outcomes` are columns of both. What a log must say for a figure
 * to have a value stands here too, in the words of the sacct that would have printed it, so that an empty
 * column is a sentence and not a dash. */
#include <string.h>

#include "cli/groups.h"

static const struct {
  const char *word, *figures;
} sets[] = {
    {"waits", "tasks,wait_mean,wait_p50,wait_p90,wait_p95,wait_p99,wait_max"},
    {"eligible", "tasks,held_mean,eligible_wait_mean,eligible_wait_p50,eligible_wait_p90,eligible_wait_p95,"
                 "eligible_wait_p99,eligible_wait_max"},
    {"efficiency", "tasks,core_hours,asked_core_hours,limit_used,cpu_used,memory_used,idle_core_hours,"
                   "lost_core_hours,wasted_core_hours"},
    {"limits", "tasks,cut,asked_p50,covers_50,covers_90,covers_99,asked_core_hours,limit_used"},
    {"outcomes", "tasks,completed,failed,timeout,out_of_memory,node_fail,cancelled,other_ends"},
    {"pseudo_cluster", "tasks,average_queue_time,average_congestion,used_time,aborted,queue_to_limit_time"},
};

/* What a figure needs that a log may lack. Figures by their beginnings. */
static const struct {
  const char *begins[9], *lacks;
} needs[] = {
    {{"held_mean", "eligible_wait"},
     "when tasks were eligible (sacct's Eligible); waits from submission are `waits`"},
    {{"asked_core_hours", "limit_used", "asked_p50"}, "how long tasks asked for (sacct's Timelimit)"},
    {{"used_time", "queue_to_limit_time"}, "how long tasks asked for (sacct's Timelimit)"},
    {{"cpu_used", "idle_core_hours", "wasted_core_hours"},
     "the processor time of tasks (sacct's TotalCPU, which is 0 where the cluster does not gather it)"},
    {{"memory_used"},
     "the memory of tasks that was asked for and used (sacct's ReqMem; MaxRSS and NTasks, or TRESUsageInTot, "
     "of steps, so without --allocations)"},
    {{"lost_core_hours", "completed", "failed", "timeout", "out_of_memory", "node_fail", "cancelled",
      "other_ends"},
     "how tasks ended (sacct's State)"},
};

/* ---- sets ---- */

static bool is_word(const char *word, const char *s, size_t n)
{
  return strlen(word) == n && memcmp(word, s, n) == 0;
}

/* Whether a list with commas has the word. */
static bool has(const char *list, const char *s, size_t n)
{
  for (const char *p = list; *p; p += *p == ',') {
    const size_t m = strcspn(p, ",");
    if (m == n && memcmp(p, s, n) == 0) return true;
    p += m;
  }
  return false;
}

static void add(hc_buffer *list, const char *s, size_t n)
{
  if (list->data && has(list->data, s, n)) return;
  if (list->size > 0) hc_buffer_text(list, ",");
  hc_buffer_add(list, s, n);
}

static void add_all(hc_buffer *list, const char *figures)
{
  for (const char *s = figures; *s; s += *s == ',') {
    const size_t n = strcspn(s, ",");
    add(list, s, n);
    s += n;
  }
}

hc_rc cli_figures_read(cli *c, const char *usual, cli_figures *out)
{
  const char *asked = cli_value(c, "figures");
  hc_buffer_init(&out->all, c->allocator);
  hc_buffer_init(&out->named, c->allocator);
  for (const char *s = asked ? asked : usual; *s; s += *s == ',') {
    s += strspn(s, " ");
    size_t n = strcspn(s, ","), i = 0;
    const size_t whole = n;
    while (n > 0 && s[n - 1] == ' ') n--;
    while (i < CLI_LEN(sets) && !is_word(sets[i].word, s, n)) i++;
    if (i < CLI_LEN(sets)) add_all(&out->all, sets[i].figures);
    else {
      add(&out->all, s, n);
      add(&out->named, s, n);
    }
    s += whole;
  }
  return out->all.failed || out->named.failed ? cli_fail(c, HC_ENOMEM, "out of memory") : 0;
}

void cli_figures_free(cli_figures *f)
{
  hc_buffer_fini(&f->all);
  hc_buffer_fini(&f->named);
}

bool cli_figures_named(const cli_figures *f, const char *figure)
{
  return f->named.data && has(f->named.data, figure, strlen(figure));
}

/* ---- what a log lacks ---- */

const char *cli_figure_lacks(const char *figure)
{
  for (size_t i = 0; i < CLI_LEN(needs); i++)
    for (size_t k = 0; k < CLI_LEN(needs[i].begins) && needs[i].begins[k]; k++)
      if (strncmp(figure, needs[i].begins[k], strlen(needs[i].begins[k])) == 0) return needs[i].lacks;
  return NULL;
}
