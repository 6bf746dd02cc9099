/* alibaba_job.c -- jobs of Alibaba's trace of 2018, as the names of their tasks tell them.
 *
 * The graph of a job is hidden in the names of its tasks. Real names wait for tasks that the job does not
 * have, for themselves, and in circles (job j_1053726 has a task 5 after 1 and a task 1 after 5), and two
 * rows may have one number: a wait for it is for both, so that circles are sought among numbers, not
 * rows.
 *
 * A circle needs a wait for a number that is not smaller than one's own. Most jobs have none, and are not
 * searched. The search is a walk in depth with a stack of its own, so that no job, however long, runs out of
 * another. Source: https://github.com/alibaba/clusterdata, cluster-trace-v2018/trace_2018.md, section 2.3. */
#include "workload/alibaba_job.h"

#include <string.h>

#include "base/sort.h"
#include "base/util.h"
#include "table/sheet.h"

#define CUT INT64_MIN /* in place of a predecessor that is dropped */

typedef enum colour { UNSEEN, ON_THE_WAY, DONE } colour;

/* All rows with one number. */
typedef struct node {
  int64_t number;
  uint32_t first, count; /* of its rows, in `order` */
  uint32_t row;          /* where the walk is: row of them, and predecessor of it */
  uint32_t colour;
  size_t edge;
} node;

/* ---- names ---- */

static bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static size_t digits(const char *p, const char *end)
{
  size_t n = 0;
  while (p + n < end && p[n] >= '0' && p[n] <= '9') n++;
  return n;
}

static hc_rc add_number(hc_alibaba_numbers *n, int64_t number)
{
  TRY(hc_reserve(n->allocator, (void **)&n->items, &n->cap, n->count + 1, sizeof *n->items));
  n->items[n->count++] = number;
  return 0;
}

/* Letters, and digits behind them. @return how many these are; 0: the name is of another form */
static size_t own_number(const char *s, const char *end, const char **first)
{
  const char *p = s;
  while (p < end && is_letter(*p)) p++;
  const size_t own = digits(p, end);
  *first = p;
  return p == s || (p + own < end && p[own] != '_') ? 0 : own;
}

static int64_t other_number(const char *s, size_t n)
{
  return hc_sheet_number(&(hc_column){HC_NUMBERED("task_")}, &(hc_field){.text = s, .length = n});
}

int64_t hc_alibaba_name_hash(const char *s, size_t n)
{
  const char *first;
  const int64_t number = own_number(s, s + n, &first) > 0 ? 0 : other_number(s, n);
  return hc_name_is_hash(number) ? number : 0;
}

hc_rc hc_alibaba_task_name(const char *s, size_t n, int64_t *number, hc_alibaba_numbers *after)
{
  const char *p, *end = s + n;
  const size_t own = own_number(s, end, &p);
  hc_rc odd = 0;
  if (own == 0) {
    *number = other_number(s, n);
    return 0;
  }
  *number = hc_name_number(p, own);
  for (p += own; p < end;) {
    const char *part = ++p;
    const size_t m = digits(part, end);
    while (p < end && *p != '_') p++;
    if (m > 0 && part + m == p) TRY(add_number(after, hc_name_number(part, m)));
    else odd++;
  }
  return odd;
}

/* ---- the graph ---- */

void hc_alibaba_graph_init(hc_alibaba_graph *g, const hc_allocator *a)
{
  *g = (hc_alibaba_graph){.allocator = a, .after.allocator = a};
}

void hc_alibaba_graph_fini(hc_alibaba_graph *g)
{
  const hc_allocator *a = g->allocator;
  if (!a) return;
  hc_free(a, g->tasks, g->cap * sizeof *g->tasks);
  hc_free(a, g->after.items, g->after.cap * sizeof *g->after.items);
  hc_free(a, g->nodes, g->node_cap * sizeof *g->nodes);
  hc_free(a, g->order, g->order_cap * sizeof *g->order);
  hc_free(a, g->stack, g->stack_cap * sizeof *g->stack);
  hc_alibaba_graph_init(g, a);
}

void hc_alibaba_graph_reset(hc_alibaba_graph *g)
{
  g->count = g->after.count = 0;
}

hc_rc hc_alibaba_graph_add(hc_alibaba_graph *g, int64_t number)
{
  TRY(hc_reserve(g->allocator, (void **)&g->tasks, &g->cap, g->count + 1, sizeof *g->tasks));
  g->tasks[g->count++] = (hc_alibaba_member){.number = number, .first = g->after.count};
  return 0;
}

void hc_alibaba_graph_close(hc_alibaba_graph *g)
{
  hc_alibaba_member *t = &g->tasks[g->count - 1];
  t->count = g->after.count - t->first;
}

HC_SORT(sort_numbers, int64_t, *a < *b)

/* Each predecessor once, and not oneself. @return whether one is left, and whether one has a larger
 * number. */
static bool tidy(hc_alibaba_graph *g, hc_alibaba_doubts *d, bool *upwards)
{
  size_t kept = 0;
  *upwards = false;
  for (size_t i = 0; i < g->count && g->after.count > 0; i++) {
    hc_alibaba_member *t = &g->tasks[i];
    int64_t *from = g->after.items + t->first;
    const size_t n = t->count, first = kept;
    sort_numbers(from, n);
    for (size_t k = 0; k < n; k++) {
      if (kept > first && g->after.items[kept - 1] == from[k]) continue;
      d->self += from[k] == t->number;
      if (from[k] == t->number) continue;
      *upwards |= from[k] > t->number;
      g->after.items[kept++] = from[k];
    }
    t->first = first;
    t->count = kept - first;
  }
  g->after.count = kept;
  return kept > 0;
}

static inline int64_t number_of(const hc_alibaba_graph *g, uint32_t row)
{
  return g->tasks[row].number;
}

HC_SORT_STABLE_OF(sort_rows, uint32_t, number_of(of, *a) < number_of(of, *b))

/* One node for each number, ascending, and the rows by node. @return 0 or HC_ENOMEM. */
static hc_rc make_nodes(hc_alibaba_graph *g)
{
  const uint32_t *order;
  size_t n = 0;
  TRY(hc_reserve(g->allocator, (void **)&g->order, &g->order_cap, g->count + g->count / 2, sizeof *g->order));
  TRY(hc_reserve(g->allocator, (void **)&g->nodes, &g->node_cap, g->count, sizeof *g->nodes));
  TRY(hc_reserve(g->allocator, (void **)&g->stack, &g->stack_cap, g->count, sizeof *g->stack));
  for (size_t i = 0; i < g->count; i++) g->order[i] = (uint32_t)i;
  sort_rows(g->order, g->count, g->order + g->count, g);
  order = g->by_node = g->order;
  for (size_t i = 0; i < g->count; i++) {
    const int64_t number = number_of(g, order[i]);
    if (n == 0 || g->nodes[n - 1].number != number)
      g->nodes[n++] = (node){.number = number, .first = (uint32_t)i};
    g->nodes[n - 1].count++;
  }
  g->node_count = n;
  return 0;
}

static node *find_node(const hc_alibaba_graph *g, int64_t number)
{
  size_t low = 0, high = g->node_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (g->nodes[middle].number < number) low = middle + 1;
    else high = middle;
  }
  return low < g->node_count && g->nodes[low].number == number ? &g->nodes[low] : NULL;
}

static void cut_missing(hc_alibaba_graph *g, hc_alibaba_doubts *d)
{
  for (size_t i = 0; i < g->after.count; i++) {
    if (find_node(g, g->after.items[i])) continue;
    g->after.items[i] = CUT;
    d->missing++;
  }
}

/* The next predecessor of a node, all its rows in turn; NULL past the last. */
static int64_t *next_edge(hc_alibaba_graph *g, node *v)
{
  for (; v->row < v->count; v->row++, v->edge = 0) {
    const hc_alibaba_member *t = &g->tasks[g->by_node[v->first + v->row]];
    if (v->edge < t->count) return &g->after.items[t->first + v->edge++];
  }
  return NULL;
}

/* Walk from one node on; a predecessor that is on the way already closes a circle. */
static void walk(hc_alibaba_graph *g, node *from, hc_alibaba_doubts *d)
{
  size_t depth = 0;
  from->colour = ON_THE_WAY;
  g->stack[depth++] = (uint32_t)(from - g->nodes);
  while (depth > 0) {
    node *v = &g->nodes[g->stack[depth - 1]], *to = NULL;
    int64_t *edge = next_edge(g, v);
    if (!edge) {
      v->colour = DONE;
      depth--;
      continue;
    }
    if (*edge != CUT) to = find_node(g, *edge);
    if (!to || to->colour == DONE) continue;
    if (to->colour == ON_THE_WAY) {
      *edge = CUT;
      d->cycles++;
      continue;
    }
    to->colour = ON_THE_WAY;
    g->stack[depth++] = (uint32_t)(to - g->nodes);
  }
}

static void drop_cut(hc_alibaba_graph *g)
{
  size_t kept = 0;
  for (size_t i = 0; i < g->count; i++) {
    hc_alibaba_member *t = &g->tasks[i];
    const size_t first = kept;
    for (size_t k = 0; k < t->count; k++)
      if (g->after.items[t->first + k] != CUT) g->after.items[kept++] = g->after.items[t->first + k];
    t->first = first;
    t->count = kept - first;
  }
  g->after.count = kept;
}

hc_rc hc_alibaba_graph_settle(hc_alibaba_graph *g, bool whole, hc_alibaba_doubts *d)
{
  bool upwards;
  g->node_count = 0;
  if (!tidy(g, d, &upwards)) return 0;
  TRY(make_nodes(g));
  if (whole) cut_missing(g, d);
  for (size_t i = 0; upwards && i < g->count; i++) {
    node *v = find_node(g, number_of(g, (uint32_t)i));
    if (v->colour == UNSEEN) walk(g, v, d);
  }
  drop_cut(g);
  return 0;
}

const uint32_t *hc_alibaba_graph_rows(const hc_alibaba_graph *g, int64_t number, size_t *count)
{
  const node *v = find_node(g, number);
  *count = v ? v->count : 0;
  return v ? g->by_node + v->first : NULL;
}

hc_rc hc_alibaba_keep(hc_lexicon *l, const hc_allocator *a, int64_t job, const int64_t *numbers, size_t count,
                      uint32_t *more)
{
  hc_task_extras extras = hc_task_extras_none();
  hc_after *after;
  *more = 0;
  if (count == 0) return 0;
  after = hc_alloc(a, count * sizeof *after);
  if (!after) return HC_ENOMEM;
  for (size_t i = 0; i < count; i++)
    after[i] = (hc_after){.job = job, .task = numbers[i], .how = HC_AFTER_ENDED};
  extras.after = after;
  extras.after_count = count;
  *more = hc_lexicon_keep(l, &extras);
  hc_free(a, after, count * sizeof *after);
  return *more == 0 ? HC_ENOMEM : 0;
}
