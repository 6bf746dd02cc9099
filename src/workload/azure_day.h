/* azure_day.h -- a day of the Azure Functions dataset of 2019: how often each function is invoked in each
 * minute.
 *
 * A day is three tables: invocations a minute of each function (HashOwner, HashApp, HashFunction, Trigger, 1
 * to 1440), percentiles of its durations in milliseconds, and percentiles of the memory of each application
 * in megabytes. When in its minute an invocation comes, and how long it takes, is not in them: the first is
 * at even distances or drawn, the second is drawn from a distribution whose quantiles are the percentiles,
 * on straight lines between them. Draws are by the row and the invocation's rank in it, so that none depends
 * on which others are taken.
 *
 * Memory: 16 bytes for each minute in which a function is invoked, some 100 bytes a function and its names.
 * Source: github.com/Azure/AzurePublicDataset, AzureFunctionsDataset2019.md; Shahrad et al., USENIX ATC
 * 2020. */
#ifndef HC_WORKLOAD_AZURE_DAY_H
#define HC_WORKLOAD_AZURE_DAY_H

#include "base/math.h"
#include "base/mem.h"

#define HC_AZURE_POINTS 7

typedef enum hc_azure_spread { HC_AZURE_DRAWN, HC_AZURE_EVEN } hc_azure_spread;

/* What users say of a day. */
typedef struct hc_azure_options {
  const char *file, *durations, *memory;
  int spread, memory_is;
  double share;
  hc_time least;
} hc_azure_options;

#define HC_AZURE_PARAMS(options, member) \
  HC_PARAM_AS(FILE, "file", options, member.file, NULL, \
              "Invocations of each function by minute, invocations_per_function_md.anon.dNN.csv, plain or " \
              "packed."), \
      HC_PARAM_AS(FILE, "durations", options, member.durations, NULL, \
                  "Percentiles of durations, function_durations_percentiles.anon.dNN.csv. Required."), \
      HC_PARAM_AS( \
          FILE, "memory", options, member.memory, NULL, \
          "Percentiles of memory, app_memory_percentiles.anon.dNN.csv. Default: none, and memory is not " \
          "known from the dataset."), \
      HC_PARAM_AS(CHOICE, "spread", options, member.spread, "drawn|even", "drawn", \
                  "When in its minute an invocation arrives. drawn: at a uniformly drawn time. even: at " \
                  "equal distances, the k-th of n at (k - 1/2) / n of the minute."), \
      HC_PARAM_AS(CHOICE, "memory_is", options, member.memory_is, "average|pct50|pct99|pct100", "average", \
                  "Which column of `memory` counts."), \
      HC_PARAM_AS(REAL, "share", options, member.share, "1", "1", 0, 1, \
                  "Share of the applications that is taken; which ones is drawn."), \
      HC_PARAM_AS(TIME, "least", options, member.least, "s", "1ms", 0, 1e9, \
                  "Shorter durations are raised to this.")

#define HC_AZURE_DETAIL \
  "A duration is drawn from the distribution whose quantiles are percentile_Average_0, 1, 25, 50, 75, 99 " \
  "and 100, with straight lines between them; a percentile below the one before it is raised to that. Of " \
  "several rows of one function's durations, or of one application's memory, the first counts. Invocations " \
  "of functions without durations are left out, and counted as incomplete. For several days give several " \
  "sources."
#define HC_AZURE_SOURCE \
  "github.com/Azure/AzurePublicDataset, AzureFunctionsDataset2019.md; Shahrad et al., Serverless in the " \
  "Wild, USENIX ATC 2020"

/* A row of the first table. */
typedef struct hc_azure_function {
  uint32_t owner, application, function; /* numbers of their names */
  uint32_t lengths;                      /* HC_MAP_NONE: none are known */
} hc_azure_function;

typedef struct hc_azure_count {
  uint32_t minute, row, count, before; /* count > 0; before: of the row in earlier minutes */
} hc_azure_count;

typedef struct hc_azure_day {
  const hc_allocator *allocator;
  const hc_azure_options *o;
  hc_names owners, applications, functions; /* by all hashes that say which, each ended by a newline */
  hc_azure_function *rows;                  /* [row_count] */
  size_t row_count, row_cap;
  hc_azure_count *counts; /* [count] by row, then by minute */
  size_t count, cap;
  double (*lengths)[HC_AZURE_POINTS]; /* [length_count] ms, by the number of the function */
  size_t length_count, length_cap;
  int64_t *bytes; /* [byte_count] by application; others are not known */
  size_t byte_count, byte_cap;
} hc_azure_day;

/** Read the tables. @param where for errors, "source azure_functions" @return 0; HC_EUSAGE: no file is named;
 *  HC_EINPUT or HC_EIO with the place; HC_ENOMEM. Close it even if this failed. */
hc_rc hc_azure_read(const hc_allocator *a, const hc_azure_options *o, const char *where, hc_azure_day *out,
                    hc_error *e);
void hc_azure_close(hc_azure_day *d);

/** Is an application taken? @param stream what the draws are of, its purpose set here */
bool hc_azure_takes(const hc_azure_day *d, uint32_t application, const hc_draws *stream);
/** Invocation number `i` of a count, whose row has durations.
 *  @param stream seed, replication and, as the entity's highest bits, which source
 *  @param place out: when, as a part of the minute, 0 to 1 @param length out: ns */
void hc_azure_draw(const hc_azure_day *d, const hc_azure_count *c, uint32_t i, const hc_draws *stream,
                   double *place, hc_time *length);
/** HashApp of an application. @param size out, bytes; it ends with a newline and not with a NUL */
const char *hc_azure_name(const hc_azure_day *d, uint32_t application, size_t *size);
/** Bytes of an application's memory, -1 if they are not known. */
static inline int64_t hc_azure_memory(const hc_azure_day *d, uint32_t application)
{
  return application < d->byte_count ? d->bytes[application] : -1;
}

#endif
