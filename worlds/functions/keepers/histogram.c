/* histogram.c -- the hybrid histogram policy of "Serverless in the Wild".
 *
 * Of each application the idle times are counted in bins of a minute, up to a range of four hours: the time
 * from when it has no invocation left to its next one. The container ends as soon as it is idle, another is
 * made ahead at the head of the distribution (its 5th percentile, rounded down to a bin), and kept up to its
 * tail (the 99th, rounded up), with a margin of a tenth at either side; a head within the first bin keeps the
 * container instead. Where the histogram says too little, containers are kept for the range: few idle times
 * have been seen, too many of them lay beyond the range, or the counts of the bins vary too little (the
 * coefficient of variation of all of them, empty ones included).
 *
 * Left out: the forecast by ARIMA for applications most of whose idle times are beyond the range, which are
 * kept for the range here; and that histograms are forgotten after some days.
 *
 * Cost: a word a bin and application, O(1) an idle time, O(bins) a container that is idle. Source: Shahrad et
 * al., USENIX ATC 2020, section 4.2, https://www.usenix.org/conference/atc20/presentation/shahrad. */
#include <string.h>

#include "base/math.h"
#include "base/mem.h"
#include "base/util.h"
#include "functions/functions.h"

#define WHERE "keeper histogram"
#define MOST_BINS 100000

typedef struct options {
  hc_time bin, range;
  double head, tail, margin, variation, beyond;
  int64_t samples;
} options;

typedef struct seen {
  uint32_t *counts; /* [bins]; NULL: nothing was seen */
  uint64_t within, beyond;
  double squares; /* sum over bins of their counts' squares */
} seen;

struct hc_keeper {
  const hc_allocator *allocator;
  const options *o;
  uint32_t bins;
  seen *of; /* [count] by application */
  size_t count, cap;
};

static void fini(hc_keeper *self)
{
  const hc_allocator *a = self->allocator;
  for (size_t i = 0; i < self->count; i++)
    if (self->of[i].counts) hc_free(a, self->of[i].counts, self->bins * sizeof *self->of[i].counts);
  hc_free(a, self->of, self->cap * sizeof *self->of);
  hc_free(a, self, sizeof *self);
}

static hc_rc check(const options *o, hc_error *e)
{
  if (o->range / o->bin > MOST_BINS)
    return hc_fail(e, HC_EUSAGE, WHERE, 0, 0, "range: more than %d bins: take longer ones", MOST_BINS);
  if (o->range % o->bin != 0 || o->range == 0)
    return hc_fail(e, HC_EUSAGE, WHERE, 0, 0, "range: it has to be a whole number of bins, 1 or more");
  if (o->head > o->tail)
    return hc_fail(e, HC_EUSAGE, WHERE, 0, 0, "head: %g percent is more than the tail's %g", o->head,
                   o->tail);
  return 0;
}

static hc_rc init(const hc_allocator *a, const void *opts, hc_keeper **out, hc_error *e)
{
  const options *o = opts;
  TRY(check(o, e));
  hc_keeper *self = hc_alloc(a, sizeof *self);
  if (!self) return HC_ENOMEM;
  *self = (hc_keeper){.allocator = a, .o = o, .bins = (uint32_t)(o->range / o->bin)};
  *out = self;
  return 0;
}

static hc_rc make_room(hc_keeper *self, uint32_t application)
{
  const size_t count = (size_t)application + 1;
  if (count > self->count) {
    TRY(hc_reserve(self->allocator, (void **)&self->of, &self->cap, count, sizeof *self->of));
    memset(self->of + self->count, 0, (count - self->count) * sizeof *self->of);
    self->count = count;
  }
  if (self->of[application].counts) return 0;
  self->of[application].counts = hc_alloc(self->allocator, self->bins * sizeof(uint32_t));
  return self->of[application].counts ? 0 : HC_ENOMEM;
}

static hc_rc idle(hc_keeper *self, uint32_t application, hc_time time)
{
  TRY(make_room(self, application));
  seen *s = &self->of[application];
  const int64_t bin = time / self->o->bin;
  if (bin >= self->bins) {
    s->beyond++;
    return 0;
  }
  s->squares += 2 * (double)s->counts[bin] + 1;
  s->counts[bin]++;
  s->within++;
  return 0;
}

static bool says_enough(const hc_keeper *self, const seen *s)
{
  const options *o = self->o;
  const uint64_t all = s->within + s->beyond;
  if (s->within == 0 || all < (uint64_t)o->samples || (double)s->beyond > o->beyond * (double)all)
    return false;
  const double mean = (double)s->within / self->bins;
  const double variance = s->squares / self->bins - mean * mean;
  return variance >= o->variation * o->variation * mean * mean;
}

/* The first bin up to which so many percent of the idle times within the range lie. */
static uint32_t percentile(const hc_keeper *self, const seen *s, double percent)
{
  const double wanted = percent / 100 * (double)s->within * (1 - 1e-12);
  double sum = 0;
  for (uint32_t i = 0; i < self->bins; i++) {
    sum += s->counts[i];
    if (sum > 0 && sum >= wanted) return i;
  }
  return self->bins - 1;
}

static hc_keeper_windows windows(const hc_keeper *self, uint32_t application)
{
  const options *o = self->o;
  const seen *s = application < self->count ? &self->of[application] : NULL;
  if (!s || !s->counts || !says_enough(self, s)) return (hc_keeper_windows){.keep = o->range};
  const hc_time head = percentile(self, s, o->head) * o->bin,
                tail = (percentile(self, s, o->tail) + 1) * o->bin;
  const hc_time ahead = (hc_time)((double)head * (1 - o->margin));
  return (hc_keeper_windows){
      .ahead = ahead, .keep = (hc_time)((double)tail * (1 + o->margin)) - ahead, .is_learned = true};
}

static const hc_param params[] = {
    HC_PARAM(TIME, options, bin, "s", "1m", 1e-3, 1e9, "Width of a bin of idle times."),
    HC_PARAM(TIME, options, range, "s", "4h", 1e-3, 1e9,
             "Longest idle time that is counted in a bin, a whole number of bins; also how long a container "
             "is kept whose application is not known well enough."),
    HC_PARAM(REAL, options, head, "%", "5", 0, 100,
             "Percentile of idle times before which no container is kept, rounded down to a bin."),
    HC_PARAM(REAL, options, tail, "%", "99", 0, 100,
             "Percentile of idle times until which a container is kept, rounded up to a bin."),
    HC_PARAM(REAL, options, margin, "1", "0.1", 0, 1,
             "Share by which the head is shortened and the tail is lengthened."),
    HC_PARAM(REAL, options, variation, "1", "2", 0, 1e6,
             "Least coefficient of variation of the counts of all bins with which the histogram is used."),
    HC_PARAM(REAL, options, beyond, "1", "0.5", 0, 1,
             "Largest share of idle times beyond the range with which the histogram is used."),
    HC_PARAM(INT, options, samples, "idle times", "10", 1, 1e9,
             "Fewest idle times with which the histogram is used."),
    {0}};

const hc_keeper_type hc_keeper_histogram = {
    .component =
        {HC_COMPONENT_HEAD(hc_keeper_type, HC_KIND_KEEPER), .name = "histogram",
         .summary = "a histogram of each application's idle times: a container ends when idle, another is "
                    "made at the head and kept until the tail",
         .detail =
             "The idle time of an application begins when it has no invocation left and ends with its next "
             "invocation. An idle container ends at once. When its application becomes idle, another "
             "container is made after head x (1 - margin), and kept until tail x (1 + margin), both from the "
             "begin of the idle time; head and tail are percentiles of the idle times within the range. With "
             "a head of 0 the idle container is kept instead. If the application has fewer than `samples` "
             "idle times, if more than the share `beyond` of them are beyond the range, or if the counts of "
             "all bins have a coefficient of variation below `variation`, the idle container is kept for "
             "`range`. The paper's forecast by ARIMA is left out.",
         .source = "Shahrad et al., Serverless in the Wild, USENIX ATC 2020, section 4.2", .params = params,
         .options_size = sizeof(options)},
    .init = init,
    .fini = fini,
    .idle = idle,
    .windows = windows};
