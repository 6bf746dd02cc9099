/* elastisim_nodes.c -- which jobs each node has over time, as ElastiSim's node_utilization.csv.
 *
 * A row for each node at time 0, which is free, and one for each job that comes to a node or leaves it, with
 * the jobs that are there then. What leaves in an instant comes before what comes, then by node; ElastiSim's
 * rows of an instant are in the order in which its actors were told. No node is ever reserved, nor expected
 * by a job: a resize takes what is free. Hosts without cores, such as that of a parallel file system, are no
 * nodes. Times are exact seconds; ElastiSim prints six digits.
 *
 * Memory: 40 bytes for each node that a job had. Source: ElastiSim, src/system/Node.cpp. */
#include "base/sort.h"
#include "output/states.h"

/* A job comes to a node, or leaves it. */
typedef struct move {
  hc_time at;
  int64_t id;
  uint32_t node, order; /* in which it is told, of one instant */
  bool has;
} move;

typedef struct node {
  hc_buffer name;
  int64_t *jobs; /* [count] ascending */
  size_t count, cap;
  bool is_node; /* it has cores */
} node;

typedef struct writer {
  hc_emit emit;
  const hc_allocator *allocator;
  hc_result *result;
  node *nodes; /* [node_count] */
  size_t node_count, node_cap;
  move *moves; /* [count] */
  size_t count, cap;
} writer;

HC_SORT(sort_by_pair, move,
        a->at != b->at       ? a->at < b->at
        : a->node != b->node ? a->node < b->node
        : a->id != b->id     ? a->id < b->id
                             : a->order < b->order)
HC_SORT(sort_by_time, move, a->at != b->at ? a->at < b->at : a->order < b->order)

/* ---- nodes ---- */

static node *node_of(writer *w, uint32_t number)
{
  while (w->node_count <= number) {
    if (hc_reserve(w->allocator, (void **)&w->nodes, &w->node_cap, w->node_count + 1, sizeof *w->nodes) < 0)
      return NULL;
    w->nodes[w->node_count] = (node){.is_node = false};
    hc_buffer_init(&w->nodes[w->node_count++].name, w->allocator);
  }
  return &w->nodes[number];
}

static hc_rc keep_host(void *ctx, const char *const *v)
{
  writer *w = ctx;
  int64_t host, cores = 0;
  TRY(hc_emit_number(&w->emit, "hosts", v[0], 0, UINT32_MAX - 1, &host));
  if (v[4]) TRY(hc_emit_number(&w->emit, "hosts", v[4], 0, INT64_MAX, &cores));
  node *n = node_of(w, (uint32_t)host);
  if (!n) return HC_ENOMEM;
  n->is_node = cores > 0;
  hc_buffer_text(&n->name, v[1] ? v[1] : "");
  return n->name.failed ? HC_ENOMEM : 0;
}

/* Of a cell of processors each is a node, called by its number. */
static hc_rc read_nodes(writer *w)
{
  const int64_t processors = hc_emit_fact(w->result, "processors");
  TRY(hc_result_rows(w->result, "hosts", 4 + hc_result_amounts(w->result), keep_host, w, w->emit.error));
  for (int64_t i = 0; w->node_count == 0 || (i > 0 && i < processors); i++) {
    node *n = node_of(w, (uint32_t)i);
    if (!n) return HC_ENOMEM;
    n->is_node = true;
    hc_buffer_printf(&n->name, "%lld", (long long)i);
    if (n->name.failed) return HC_ENOMEM;
  }
  return 0;
}

/* ---- moves ---- */

static hc_rc keep_move(void *ctx, const hc_machine_holder *h)
{
  writer *w = ctx;
  TRY(hc_reserve(w->allocator, (void **)&w->moves, &w->cap, w->count + h->count, sizeof *w->moves));
  for (uint32_t i = 0; i < h->count; i++) {
    w->moves[w->count] = (move){h->at, h->id, h->machine + i, (uint32_t)w->count, h->has};
    w->count++;
  }
  return 0;
}

/* A node that a job keeps while others of it change is not told of. */
static void leave_out_kept(writer *w)
{
  size_t n = 0;
  sort_by_pair(w->moves, w->count);
  for (size_t i = 0; i < w->count; i++) {
    const move *x = &w->moves[i], *y = i + 1 < w->count ? x + 1 : NULL;
    if (y && !x->has && y->has && x->at == y->at && x->node == y->node && x->id == y->id) i++;
    else w->moves[n++] = *x;
  }
  w->count = n;
  sort_by_time(w->moves, w->count);
}

/* ---- rows ---- */

static hc_rc write_row(writer *w, hc_time at, const node *n)
{
  hc_emit *m = &w->emit;
  hc_emit_seconds(m, at, "");
  hc_buffer_text(&m->text, ",");
  hc_buffer_add(&m->text, n->name.data, n->name.size);
  hc_buffer_text(&m->text, n->count > 0 ? ",allocated," : ",free,");
  for (size_t i = 0; i < n->count; i++) {
    if (i > 0) hc_buffer_text(&m->text, ";");
    hc_emit_int(m, n->jobs[i]);
  }
  hc_buffer_text(&m->text, n->count > 0 ? ",none\n" : "none,none\n");
  return hc_emit_row(m);
}

static hc_rc change(writer *w, const move *x)
{
  node *n = node_of(w, x->node);
  if (!n) return HC_ENOMEM;
  TRY(hc_reserve(w->allocator, (void **)&n->jobs, &n->cap, n->count + 1, sizeof *n->jobs));
  size_t at = 0;
  while (at < n->count && n->jobs[at] < x->id) at++;
  if (x->has) {
    for (size_t i = n->count++; i > at; i--) n->jobs[i] = n->jobs[i - 1];
    n->jobs[at] = x->id;
  } else if (at < n->count && n->jobs[at] == x->id) {
    for (n->count--; at < n->count; at++) n->jobs[at] = n->jobs[at + 1];
  }
  return n->is_node ? write_row(w, x->at, n) : 0;
}

static hc_rc write_all(writer *w)
{
  TRY(hc_machine_holders(&w->emit, w->allocator, w->result, "elastisim_nodes", keep_move, w));
  TRY(read_nodes(w));
  leave_out_kept(w);
  hc_buffer_text(&w->emit.text, "Time,Node,State,Running jobs,Expected jobs\n");
  for (size_t i = 0; i < w->node_count; i++)
    if (w->nodes[i].is_node) TRY(write_row(w, 0, &w->nodes[i]));
  for (size_t i = 0; i < w->count; i++) TRY(change(w, &w->moves[i]));
  return 0;
}

static hc_rc run(const hc_allocator *a, const void *options, hc_result *r, const hc_sink *out, hc_error *e)
{
  writer w = {.allocator = a, .result = r};
  HC_UNUSED(options);
  hc_emit_init(&w.emit, a, out, e);
  const hc_rc rc = write_all(&w);
  for (size_t i = 0; i < w.node_count; i++) {
    hc_buffer_fini(&w.nodes[i].name);
    hc_free(a, w.nodes[i].jobs, w.nodes[i].cap * sizeof *w.nodes[i].jobs);
  }
  hc_free(a, w.nodes, w.node_cap * sizeof *w.nodes);
  hc_free(a, w.moves, w.cap * sizeof *w.moves);
  return hc_emit_end(&w.emit, rc);
}

const hc_exporter_type hc_exporter_elastisim_nodes = {
    .component = {HC_COMPONENT_HEAD(hc_exporter_type, HC_KIND_EXPORTER), .name = "elastisim_nodes",
                  .summary = "which jobs each node has over time, as ElastiSim's node_utilization.csv",
                  .detail =
                      "Time (s), Node, State (free or allocated), Running jobs (ids between semicolons, or "
                      "none), Expected jobs (always none: no node is reserved). A row for each node at time "
                      "0, and for each job that comes to a node or leaves it; at one time jobs that leave "
                      "come first. Results with tasks that were stopped, suspended or lost are refused, "
                      "since they do not contain which nodes these had before.",
                  .source = "ElastiSim 2024"},
    .run = run,
};
