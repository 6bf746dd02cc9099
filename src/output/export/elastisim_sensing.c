/* elastisim_sensing.c -- what was used at each sample, as the four files that ElastiSim's sensing writes.
 *
 *   cpu, gpu   cpu_utilization.csv, gpu_utilization.csv: Time, and a column for each node: the share of its
 *              cores, and of its GPUs, that computes
 *   network    network_activity.csv: Time, Utilization: the mean over links of what is taken of each
 *   pfs        pfs_utilization.csv: Time, Read, Write, Read (rel.), Write (rel.): of the file system's links,
 *              in bytes/s, and of their bandwidths
 *
 * A row for each sample of the metric sensing, which the run must have counted. Shares of nodes have six
 * decimals, as there; times and all else are exact, where ElastiSim prints six digits. Hosts without cores
 * are no nodes. What is not named as a link of the file system is 0, and so is its part of no bandwidth.
 *
 * Memory: 24 bytes for each value that differs from that of the sample before. Source: ElastiSim,
 * src/system/Sensing.cpp. */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/text.h"
#include "output/emit.h"

enum { CPU, GPU, NETWORK, PFS };

typedef struct options {
  int file;
} options;

/* Which value is this from a sample on. */
typedef struct change {
  int64_t sample;
  double value;
  uint32_t column;
  uint32_t order; /* in which it was told */
} change;

typedef struct writer {
  hc_emit emit;
  const hc_allocator *allocator;
  hc_result *result;
  int file;
  uint32_t *column_of; /* [host_count] of nodes; HC_NO_COLUMN */
  size_t host_count, host_cap;
  change *changes; /* [count] */
  size_t count, cap;
  double *now; /* [columns] at the sample at hand */
  uint32_t columns;
} writer;
#define HC_NO_COLUMN UINT32_MAX

HC_SORT(sort_changes, change, a->sample != b->sample ? a->sample < b->sample : a->order < b->order)

/* ---- reading ---- */

/* Nodes, whose names are written as they come: the head of the file. */
static hc_rc keep_host(void *ctx, const char *const *v)
{
  writer *w = ctx;
  int64_t host, cores = 0;
  TRY(hc_emit_number(&w->emit, "hosts", v[0], 0, UINT32_MAX - 1, &host));
  if (v[4]) TRY(hc_emit_number(&w->emit, "hosts", v[4], 0, INT64_MAX, &cores));
  TRY(hc_reserve(w->allocator, (void **)&w->column_of, &w->host_cap, (size_t)host + 1, sizeof(uint32_t)));
  while (w->host_count <= (size_t)host) w->column_of[w->host_count++] = HC_NO_COLUMN;
  if (cores == 0) return 0;
  w->column_of[host] = w->columns++;
  hc_buffer_text(&w->emit.text, ",");
  hc_buffer_text(&w->emit.text, v[1] ? v[1] : "");
  return hc_emit_row(&w->emit);
}

/* The column of a cell; HC_NO_COLUMN: it is of another file. */
static uint32_t column_of(const writer *w, const char *table, const char *name)
{
  static const char *const pfs[] = {"pfs_read", "pfs_write"}, *const nodes[] = {"sensing_cpu:",
                                                                                "sensing_gpu:"};
  if (w->file >= NETWORK) {
    if (strcmp(table, "sensing") != 0) return HC_NO_COLUMN;
    if (w->file == NETWORK) return strcmp(name, "network") == 0 ? 0 : HC_NO_COLUMN;
    return strcmp(name, pfs[0]) == 0 ? 0 : strcmp(name, pfs[1]) == 0 ? 1 : HC_NO_COLUMN;
  }
  const size_t n = strlen(nodes[w->file]);
  int64_t host;
  if (strncmp(table, nodes[w->file], n) != 0) return HC_NO_COLUMN;
  if (hc_parse_int(table + n, strlen(table + n), &host) < 0 || host < 0 || (uint64_t)host >= w->host_count)
    return HC_NO_COLUMN;
  return w->column_of[host];
}

static hc_rc keep_cell(void *ctx, const char *const *v)
{
  writer *w = ctx;
  if (strcmp(v[0], "all") != 0 || !v[1] || !v[3]) return 0;
  change x = {.column = column_of(w, v[1], v[3]), .value = v[5] ? strtod(v[5], NULL) : 0};
  if (x.column == HC_NO_COLUMN) return 0;
  TRY(hc_emit_number(&w->emit, "cells", v[2], 0, INT64_MAX, &x.sample));
  x.order = (uint32_t)w->count;
  TRY(hc_reserve(w->allocator, (void **)&w->changes, &w->cap, w->count + 1, sizeof x));
  w->changes[w->count++] = x;
  return 0;
}

static hc_rc read_all(writer *w)
{
  if (w->file == NETWORK) hc_buffer_text(&w->emit.text, "Time,Utilization");
  else if (w->file == PFS) hc_buffer_text(&w->emit.text, "Time,Read,Write,Read (rel.),Write (rel.)");
  else hc_buffer_text(&w->emit.text, "Time");
  w->columns = w->file == NETWORK ? 1 : w->file == PFS ? 2 : 0;
  if (w->file < NETWORK)
    TRY(hc_result_rows(w->result, "hosts", 4 + hc_result_amounts(w->result), keep_host, w, w->emit.error));
  hc_buffer_text(&w->emit.text, "\n");
  TRY(hc_result_rows(w->result, "cells", 6, keep_cell, w, w->emit.error));
  sort_changes(w->changes, w->count);
  w->now = hc_alloc(w->allocator, (w->columns + 1) * sizeof *w->now);
  for (uint32_t i = 0; w->now && i < w->columns; i++) w->now[i] = 0;
  return w->now ? 0 : HC_ENOMEM;
}

/* ---- writing ---- */

static void write_real(writer *w, double x)
{
  char text[40];
  hc_buffer_text(&w->emit.text, ",");
  hc_buffer_add(&w->emit.text, text, hc_format_real(x, text));
}

static hc_rc write_sample(writer *w, hc_time at, const double *bandwidth)
{
  hc_emit_seconds(&w->emit, at, "");
  for (uint32_t i = 0; i < w->columns; i++) {
    if (w->file >= NETWORK) write_real(w, w->now[i]);
    else {
      hc_buffer_text(&w->emit.text, ",");
      hc_emit_real_fixed(&w->emit, w->now[i]);
    }
  }
  for (uint32_t i = 0; w->file == PFS && i < w->columns; i++)
    write_real(w, bandwidth[i] > 0 ? w->now[i] / bandwidth[i] : 0);
  hc_buffer_text(&w->emit.text, "\n");
  return hc_emit_row(&w->emit);
}

static hc_rc write_all(writer *w, int64_t samples)
{
  const double every = hc_result_figure(w->result, "all", "sensing_every"),
               bandwidth[2] = {hc_result_figure(w->result, "all", "sensing_pfs_read_bandwidth"),
                               hc_result_figure(w->result, "all", "sensing_pfs_write_bandwidth")};
  const hc_time step = (hc_time)(every * 1e9 + 0.5);
  size_t next = 0;
  TRY(read_all(w));
  for (int64_t k = 0; k < samples; k++) {
    for (; next < w->count && w->changes[next].sample <= k; next++)
      w->now[w->changes[next].column] = w->changes[next].value;
    TRY(write_sample(w, k * step, bandwidth));
  }
  return 0;
}

static hc_rc run(const hc_allocator *a, const void *given, hc_result *r, const hc_sink *out, hc_error *e)
{
  writer w = {.allocator = a, .result = r, .file = ((const options *)given)->file};
  const double samples = hc_result_figure(r, "all", "sensing_samples");
  TRY(hc_result_check(r, e));
  if (!(samples >= 0 && samples < 9e15))
    return hc_fail(
        e, HC_EUSAGE, hc_result_path(r), 0, 0,
        "elastisim_sensing: the result has no samples; run it with the metric sensing, as in --set "
        "'metrics=[wait, {use: sensing, every: 1s}]'");
  hc_emit_init(&w.emit, a, out, e);
  const hc_rc rc = write_all(&w, (int64_t)samples);
  hc_free(a, w.column_of, w.host_cap * sizeof *w.column_of);
  hc_free(a, w.changes, w.cap * sizeof *w.changes);
  if (w.now) hc_free(a, w.now, (w.columns + 1) * sizeof *w.now);
  return hc_emit_end(&w.emit, rc);
}

static const hc_param params[] = {
    HC_PARAM(CHOICE, options, file, "cpu|gpu|network|pfs", "cpu",
             "Which of ElastiSim's files. cpu: cpu_utilization.csv. gpu: gpu_utilization.csv. network: "
             "network_activity.csv. pfs: pfs_utilization.csv."),
    {.name = NULL},
};

const hc_exporter_type hc_exporter_elastisim_sensing = {
    .component =
        {HC_COMPONENT_HEAD(hc_exporter_type, HC_KIND_EXPORTER), .name = "elastisim_sensing",
         .summary =
             "used shares of nodes, links and file system over time, as the files of ElastiSim's sensing",
         .detail = "A row for each sample of the metric sensing, which the run must have counted. cpu and "
                   "gpu: Time, and a column for each node in the order of hosts, with the share of its "
                   "cores, or GPUs, that compute, with six decimals; a node without GPUs has 0. network: "
                   "Time, Utilization: the mean over links of the used share of bandwidth. pfs: Time, Read, "
                   "Write, Read (rel.), Write (rel.): bytes/s over the links that the metric names as the "
                   "file system's, and their shares of these links' bandwidths. Times are exact seconds.",
         .source = "ElastiSim 2024", .params = params, .options_size = sizeof(options)},
    .run = run,
};
