/* partitions.c -- the cell is cut up: each scheduler has hosts of its own, and no other uses them.
 *
 * What a scheduler does not need, nobody gets: that is what the cut costs. Each decides at the end of its thought, on its
 * own hosts as they are then, so that nothing is ever refused. Source: Schwarzkopf et al., Omega, EuroSys 2013,
 * doi:10.1145/2465351.2465386, section 3.2. */
#include <stdlib.h>
#include <string.h>

#include "architecture/desks.h"
#include "base/util.h"

typedef struct options {
  hc_desks_options desks;
} options;

/* The hosts of one scheduler of the list. */
typedef struct part {
  hc_range *ranges;
  size_t count;
} part;

struct hc_architecture {
  hc_desks desks;
  part *parts; /* [kind_count] */
};

static uint32_t kind_of_desk(const hc_desks *d, uint32_t desk)
{
  uint32_t k = 0;
  while (desk >= d->first[k + 1]) k++;
  return k;
}

static hc_rc hear(hc_architecture *self, const hc_signal *sig, hc_error *e)
{
  const part *p;
  hc_attempt a;
  uint32_t desk;
  TRY(hc_desks_hear(&self->desks, sig, &desk, e));
  if (desk == HC_NO_WORK) return 0;
  p = &self->parts[kind_of_desk(&self->desks, desk)];
  TRY(hc_desks_decide(&self->desks, desk, p->ranges, p->count, true, &a, e));
  return hc_desks_done(&self->desks, desk, &a, e);
}

static hc_rc decide(hc_architecture *self, hc_error *e)
{
  HC_UNUSED(e);
  for (uint32_t i = 0; i < self->desks.count; i++) {
    const hc_rc rc = hc_desks_begin(&self->desks, i);
    if (rc < 0) return rc;
    if (rc > 0) TRY(hc_desks_timer(&self->desks, i));
  }
  return 0;
}

/* ---- which hosts ---- */

static hc_rc complain(const hc_scheduler_options *o, const char *text, const char *what, uint32_t hosts,
                      hc_error *e)
{
  return hc_fail(e, HC_EUSAGE, "architecture partitions", 0, 0,
                 "scheduler %s: \"%s\" %s; the cell has hosts 0 to %u, written as \"17\" or \"0-99\"",
                 o->name, text, what, hosts - 1);
}

static int by_first(const void *a, const void *b)
{
  const hc_range *x = a, *y = b;
  return x->first < y->first ? -1 : x->first > y->first;
}

static hc_rc read_range(const hc_scheduler_options *o, const char *text, uint32_t hosts, hc_range *out,
                        hc_error *e)
{
  char *end;
  const unsigned long long first = strtoull(text, &end, 10),
                           last = *end == '-' ? strtoull(end + 1, &end, 10) : first;
  if (*text < '0' || *text > '9' || *end) return complain(o, text, "is no range of hosts", hosts, e);
  if (first > last || last >= hosts) return complain(o, text, "is not within the cell", hosts, e);
  *out = (hc_range){(uint32_t)first, (uint32_t)(last - first + 1)};
  return 0;
}

static hc_rc read_part(hc_desks *d, const hc_scheduler_options *o, uint32_t hosts, part *p, hc_error *e)
{
  const char *const *texts = o->hosts.items;
  p->ranges = hc_arena_alloc(&d->build, o->hosts.count * sizeof *p->ranges);
  if (!p->ranges) return HC_ENOMEM;
  for (; p->count < o->hosts.count; p->count++)
    TRY(read_range(o, texts[p->count], hosts, &p->ranges[p->count], e));
  qsort(p->ranges, p->count, sizeof *p->ranges, by_first);
  return 0;
}

/* Nobody said who has which: each gets as many as the others, one behind the other. */
static hc_rc cut_evenly(hc_architecture *self, uint32_t hosts)
{
  hc_desks *d = &self->desks;
  for (uint32_t k = 0; k < d->kind_count; k++) {
    const uint32_t from = (uint32_t)((uint64_t)hosts * k / d->kind_count);
    const uint32_t to = (uint32_t)((uint64_t)hosts * (k + 1) / d->kind_count);
    self->parts[k].ranges = hc_arena_alloc(&d->build, sizeof(hc_range));
    if (!self->parts[k].ranges) return HC_ENOMEM;
    self->parts[k].ranges[0] = (hc_range){from, to - from};
    self->parts[k].count = 1;
  }
  return 0;
}

static hc_rc check_apart(const hc_architecture *self, uint32_t hosts, hc_error *e)
{
  const hc_desks *d = &self->desks;
  uint32_t *owner = hc_alloc(d->c.allocator, hosts * sizeof *owner);
  hc_rc rc = owner ? 0 : HC_ENOMEM;
  for (uint32_t k = 0; k < d->kind_count && rc == 0; k++)
    for (size_t i = 0; i < self->parts[k].count && rc == 0; i++)
      for (uint32_t h = 0; h < self->parts[k].ranges[i].count && rc == 0; h++) {
        uint32_t *at = &owner[self->parts[k].ranges[i].first + h];
        if (*at != 0)
          rc = hc_fail(e, HC_EUSAGE, "architecture partitions", 0, 0,
                       "host %u belongs to %s and to %s: partitions may not overlap",
                       self->parts[k].ranges[i].first + h, d->kinds[*at - 1]->name, d->kinds[k]->name);
        *at = k + 1;
      }
  hc_free(d->c.allocator, owner, hosts * sizeof *owner);
  return rc;
}

static hc_rc read_parts(hc_architecture *self, hc_error *e)
{
  hc_desks *d = &self->desks;
  const uint32_t hosts = d->c.services->hosts(d->c.engine);
  uint32_t named = 0;
  if (hosts < d->kind_count)
    return hc_fail(
        e, HC_EUNSUPPORTED, "architecture partitions", 0, 0,
        "the cell has %u hosts for %u schedulers: use a cell of hosts, as `cell: {use: hosts, classes: "
        "[{count: 100, cpus: 16}]}`",
        hosts, d->kind_count);
  self->parts = hc_arena_alloc(&d->build, d->kind_count * sizeof *self->parts);
  if (!self->parts) return HC_ENOMEM;
  for (uint32_t k = 0; k < d->kind_count; k++) named += d->kinds[k]->hosts.count > 0;
  if (named == 0) return cut_evenly(self, hosts);
  for (uint32_t k = 0; k < d->kind_count; k++) {
    if (d->kinds[k]->hosts.count == 0)
      return hc_fail(
          e, HC_EUSAGE, "architecture partitions", 0, 0,
          "scheduler %s has no `hosts`, and others have: name everybody's, or nobody's for equal parts",
          d->kinds[k]->name);
    TRY(read_part(d, d->kinds[k], hosts, &self->parts[k], e));
  }
  return check_apart(self, hosts, e);
}

/* ---- life ---- */

static hc_rc init(const hc_architecture_context *c, const void *opts, hc_architecture **out, hc_error *e)
{
  const options *o = opts;
  hc_architecture *self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  *out = self;
  TRY(hc_desks_init(&self->desks, c, &o->desks, false, e));
  TRY(hc_desks_never_mold(&self->desks, "it sees hosts of its own alone", e));
  return read_parts(self, e);
}

static void fini(hc_architecture *self)
{
  const hc_allocator *a = self->desks.c.allocator;
  hc_desks_fini(&self->desks);
  hc_free(a, self, sizeof *self);
}

static const hc_param params[] = {HC_DESKS_PARAMS(options, desks), {0}};

const hc_architecture_type hc_architecture_partitions = {
    .component =
        {HC_COMPONENT_HEAD(hc_architecture_type, HC_KIND_ARCHITECTURE), .figures = hc_desks_figures,
         .name = "partitions", .summary = "the cell is cut up: each scheduler has hosts of its own",
         .detail =
             "`hosts` of each scheduler says which; if nobody has it, each gets as many as the others, by "
             "number. It decides at the end of its thought, so nothing is refused.",
         .source = "Schwarzkopf et al., EuroSys 2013, doi:10.1145/2465351.2465386, section 3.2",
         .params = params, .options_size = sizeof(options)},
    .init = init,
    .signal = hear,
    .decide = decide,
    .visit = hc_desks_kind_visit,
    .fini = fini,
    .finish = hc_desks_kind_finish,
    .asks_jobs = true,
    .offers_hosts = true,
};
