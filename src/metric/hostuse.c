/* hostuse.c -- an account of each host in each known dimension. See hostuse.h. */
#include "metric/hostuse.h"

#include <stdio.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "metric/sum128.h"

static size_t bytes_of(const hc_host_table *t)
{
  return HC_HOST_KNOWN * t->machine.hosts * t->size;
}

hc_rc hc_host_table_init(hc_host_table *t, const hc_metric_context *c, size_t size)
{
  *t = (hc_host_table){.last = HC_UNKNOWN, .size = size};
  TRY(hc_machine_init(&t->machine, c));
  t->accounts = t->machine.hosts > 0 ? hc_alloc(c->allocator, bytes_of(t)) : NULL;
  return t->machine.hosts == 0 || t->accounts ? 0 : HC_ENOMEM;
}

void hc_host_table_fini(hc_host_table *t)
{
  if (t->accounts) hc_free(t->machine.context->allocator, t->accounts, bytes_of(t));
  hc_machine_fini(&t->machine);
}

hc_rc hc_host_table_visit(hc_host_table *t, hc_visitor *v)
{
  HC_VISIT(v, t->last);
  return t->machine.hosts > 0 ? hc_visit_bytes(v, t->accounts, bytes_of(t)) : 0;
}

hc_rc hc_host_table_changes(hc_metric *self, const hc_change *changes, size_t count,
                            hc_rc (*claims)(hc_metric *self, const hc_claim_record *c))
{
  for (size_t i = 0; i < count; i++) {
    const hc_change *c = &changes[i];
    const hc_claim_record claim = {.at = c->at,
                                   .serial = c->serial,
                                   .user = c->user,
                                   .kind = c->kind,
                                   .host_count = 1,
                                   .hosts = &c->host,
                                   .amount = c->amount};
    if (c->kind == HC_CHANGE_CLAIMED || c->kind == HC_CHANGE_RELEASED) TRY(claims(self, &claim));
  }
  return 0;
}

typedef struct spread {
  double mean, variance;
} spread;

/* @param shares [machine.hosts] room */
static spread measure(const hc_host_table *t, uint32_t d, double *shares, const hc_metric *self,
                      double (*share_of)(const hc_metric *self, uint32_t host, uint32_t dimension))
{
  hc_real_sum sum = {0}, squares = {0};
  uint64_t n = 0;
  for (uint32_t h = 0; h < t->machine.hosts; h++) {
    if (hc_host_amount(t, h, d) <= 0) continue;
    shares[n] = share_of(self, h, d);
    hc_real_sum_add(&sum, shares[n++]);
  }
  const double mean = hc_mean_real(sum, n);
  for (uint64_t i = 0; i < n; i++) hc_real_sum_add(&squares, (shares[i] - mean) * (shares[i] - mean));
  return (spread){mean, hc_mean_real(squares, n)};
}

hc_rc hc_host_table_find(const hc_host_table *t, hc_findings *f, const char *word, const hc_metric *self,
                         double (*share_of)(const hc_metric *self, uint32_t host, uint32_t dimension))
{
  static const char *const names[HC_HOST_KNOWN] = {"cpu", "memory", "disk", "gpu"};
  const hc_allocator *a = t->machine.context->allocator;
  const size_t room = ((size_t)t->machine.hosts + 1) * sizeof(double);
  double *shares = hc_alloc(a, room);
  hc_rc rc = shares ? 0 : HC_ENOMEM;
  for (uint32_t d = 0; d < HC_HOST_KNOWN && rc >= 0; d++) {
    spread x = {__builtin_nan(""), __builtin_nan("")};
    char name[64];
    if (t->machine.spec && t->last > 0) x = measure(t, d, shares, self, share_of);
    (void)snprintf(name, sizeof name, "host_mean_%s%s", word, names[d]);
    rc = hc_find_real(f, name, "1", x.mean);
    (void)snprintf(name, sizeof name, "host_variance_%s%s", word, names[d]);
    if (rc >= 0) rc = hc_find_real(f, name, "1", x.variance);
  }
  hc_free(a, shares, room);
  return rc;
}
