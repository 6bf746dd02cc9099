/* ranks.c -- work and bytes that are dealt out by a rule, on as many processes as there are: what a task of a
 * size that changes computes and sends.
 *
 * With S to be dealt out on n processes:
 *
 *   compute  uniform S on each; total S / n; root S on process 0; even, odd: S by their number, on each
 *   send     all_to_all S / (n (n - 1)) for each pair; gather, scatter S / n from or to each other than 0;
 * ring
 *            S / (2 n) each way, clockwise and counter S / n; master_worker 2 S / (n - 1) each way between 0
 *            and each other (4 S in all, as ElastiSim has it)
 *
 * Messages progress at one rate; coupled, so does the work beside them. Alone a process sends nothing. */
#include "execution/dealt.h"

typedef enum talk { NONE, ALL, GATHER, SCATTER, RING, CLOCKWISE, COUNTER, MASTER } talk;

typedef struct options {
  double work, size;
  int compute, send;
  bool coupled;
} options;

typedef struct dealing {
  const options *o;
  uint32_t n;
  double each; /* bytes of a message */
} dealing;

static double work_of(const void *ctx, uint32_t process)
{
  const dealing *d = ctx;
  return hc_dealt_work((hc_dealt)d->o->compute, d->o->work, d->n, process);
}

static double bytes_of(const options *o, double n)
{
  switch ((talk)o->send) {
    case ALL: return o->size / (n * (n - 1));
    case RING: return o->size / (2 * n);
    case MASTER: return 2 * o->size / (n - 1);
    case GATHER:
    case SCATTER:
    case CLOCKWISE:
    case COUNTER: return o->size / n;
    case NONE: break;
  }
  return 0;
}

static uint64_t count_of(const options *o, uint64_t n)
{
  switch ((talk)o->send) {
    case ALL: return n * n;
    case RING: return 2 * n;
    case CLOCKWISE:
    case COUNTER: return n;
    case GATHER:
    case SCATTER: return n - 1;
    case MASTER: return 2 * (n - 1);
    case NONE: break;
  }
  return 0;
}

static bool message_of(const void *ctx, uint64_t i, hc_message *out)
{
  const dealing *d = ctx;
  const uint32_t n = d->n, k = (uint32_t)(i % n), others = n - 1;
  out->bytes = d->each;
  switch ((talk)d->o->send) {
    case ALL:
      out->from = (uint32_t)(i / n);
      out->to = k;
      return out->from != out->to;
    case GATHER:
    case SCATTER:
      out->from = d->o->send == GATHER ? (uint32_t)i + 1 : 0;
      out->to = d->o->send == GATHER ? 0 : (uint32_t)i + 1;
      return true;
    case RING:
    case CLOCKWISE:
    case COUNTER:
      out->from = k;
      out->to = i >= n || d->o->send == COUNTER ? (k + n - 1) % n : (k + 1) % n;
      return true;
    case MASTER:
      out->from = i < others ? 0 : (uint32_t)(i - others) + 1;
      out->to = i < others ? (uint32_t)i + 1 : 0;
      return true;
    case NONE: break;
  }
  return false;
}

static bool is_alike(const options *o)
{
  return o->compute == HC_DEALT_UNIFORM || o->compute == HC_DEALT_TOTAL || !(o->work > 0);
}

static void compute(hc_profile *p, const dealing *d)
{
  for (uint32_t i = 0; i < d->n; i++) {
    const double work = work_of(d, i);
    if (work > 0) (void)hc_profile_compute(p, i, work, 0);
  }
}

static void start(hc_profile *p)
{
  const options *o = p->options;
  const dealing d = {.o = o, .n = p->processes, .each = bytes_of(o, p->processes)};
  const bool sends = o->send != NONE && p->processes > 1 && o->size > 0;
  const double own = sends && o->coupled && o->work > 0 ? work_of(&d, 0) : 0;
  if (!sends || !o->coupled) compute(p, &d);
  if (!sends) return;
  if (o->send == ALL && (is_alike(o) || !o->coupled)) (void)p->calls->alike(p, own, d.each, 0);
  else
    (void)p->calls->joined(p, o->coupled && o->work > 0 ? work_of : NULL, message_of, &d,
                           count_of(o, p->processes), 0);
}

static hc_rc resume(hc_profile *p)
{
  HC_PROFILE_BEGIN(p);
  start(p);
  HC_WAIT_ALL(p);
  HC_PROFILE_END(p);
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, work, "work", "0", 0, 1e300, "Work that is dealt out. 0: nothing is computed."),
    HC_PARAM(CHOICE, options, compute, HC_DEALT_CHOICES, "uniform", HC_DEALT_HELP),
    HC_PARAM(REAL, options, size, "B", "0", 0, 1e300, "Bytes that are dealt out."),
    HC_PARAM(
        CHOICE, options, send, "none|all_to_all|gather|scatter|ring|clockwise|counter|master_worker", "none",
        "How bytes are dealt out on n processes. none: no process sends. all_to_all: size / (n (n - 1)) from "
        "each process to each other. gather, scatter: size / n from or to each but process 0. ring: size / "
        "(2 n) from each process to each of its two neighbours. clockwise, counter: size / n to the next, or "
        "to the one before. master_worker: 2 size / (n - 1) from process 0 to each other, and as much back."),
    HC_PARAM(BOOL, options, coupled, "false", "Work and messages progress at one rate."),
    {0}};

const hc_profile_type hc_profile_ranks = {
    .component =
        {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "ranks",
         .summary = "work and messages that a rule deals out to any number of processes",
         .detail =
             "For tasks whose number of hosts changes: amounts follow from the number of processes when the "
             "profile begins. All messages progress at one rate; without `coupled` work goes on beside them.",
         .source = "ElastiSim 2024, tasks of type cpu and their patterns", .params = params,
         .options_size = sizeof(options)},
    .resume = resume};
