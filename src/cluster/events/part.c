/* part.c -- only a part of the cell is there, from the beginning and for good.
 *
 * hosts: each n-th host stays, beginning with number `which`, and the others leave: as many in the end as the hosts
 * allow, host % n = which. scaled: all hosts stay, each with 1 / n of each amount, rounded down: the same cell, only
 * smaller, in which large tasks may fit nowhere. Licences stay as they are. What a user would have had in a cell of its
 * own, one run says.
 * Source: the static split against which sharing is measured: Ghodsi et al., NSDI 2011. */
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "hindcast/cell.h"

enum { HOSTS, SCALED };

typedef struct options {
  int64_t of, which;
  int how;
} options;

struct hc_events {
  const hc_allocator *allocator;
  const hc_cell_spec *cell;
  options o;
  uint64_t host; /* the next one: state */
};

static hc_rc part_open(const hc_events_context *c, const void *given, hc_events **out, hc_error *e)
{
  const options *o = given;
  if (o->which >= o->of)
    return hc_fail(e, HC_EUSAGE, "events part", 0, 0, "which is %lld of %lld: parts are numbered from 0",
                   (long long)o->which, (long long)o->of);
  if (o->how == HOSTS && (uint64_t)o->of > c->cell->units)
    return hc_fail(e, HC_EUSAGE, "events part", 0, 0,
                   "%u hosts cannot be split among %lld: take how: scaled, or a smaller number",
                   c->cell->units, (long long)o->of);
  *out = hc_alloc(c->allocator, sizeof **out);
  if (!*out) return hc_fail(e, HC_ENOMEM, "events part", 0, 0, "out of memory");
  **out = (hc_events){.allocator = c->allocator, .cell = c->cell, .o = *o};
  return 0;
}

static hc_rc part_next(hc_events *self, hc_host_event *out, hc_error *e)
{
  const uint64_t n = (uint64_t)self->o.of;
  HC_UNUSED(e);
  while (self->o.how == HOSTS && self->host < self->cell->units && self->host % n == (uint64_t)self->o.which)
    self->host++;
  if (self->host >= self->cell->units || n == 1) return 0;
  *out = (hc_host_event){.host = (uint32_t)self->host,
                         .change = self->o.how == HOSTS ? HC_HOST_DOWN : HC_HOST_RESIZE};
  for (int d = 0; d < HC_DIMENSIONS; d++)
    out->capacity[d] = self->o.how == HOSTS
                           ? HC_UNKNOWN
                           : self->cell->classes[self->cell->class_of[self->host]].capacity[d] / self->o.of;
  self->host++;
  return 1;
}

static hc_rc part_visit(hc_events *self, hc_visitor *v)
{
  HC_VISIT(v, self->host);
  return self->host <= self->cell->units ? 0 : HC_EINPUT;
}

static void part_close(hc_events *self)
{
  if (self) hc_free(self->allocator, self, sizeof *self);
}

static const hc_param params[] = {
    HC_PARAM(INT, options, of, "parts", "2", 1, 16777216, "Number of parts into which the cell is split."),
    HC_PARAM(INT, options, which, NULL, "0", 0, 16777215, "With how: hosts, the number of the part, from 0."),
    HC_PARAM(CHOICE, options, how, "hosts|scaled", "hosts",
             "How the cell is split. hosts: each n-th host stays as it is, n = `of`. scaled: all hosts stay, "
             "each with the n-th part of its amounts."),
    {.name = NULL},
};

const hc_events_type hc_events_part = {
    .component =
        {HC_COMPONENT_HEAD(hc_events_type, HC_KIND_EVENTS), .name = "part",
         .summary = "only a part of the cell is there",
         .detail =
             "The rest is away from the beginning and for good. hosts: the hosts stay of which the number, "
             "from 0, modulo `of` is `which`. scaled: each amount of each host is divided by `of`, rounded "
             "down.",
         .source = "the static split of Ghodsi et al., NSDI 2011", .params = params,
         .options_size = sizeof(options)},
    .open = part_open,
    .next = part_next,
    .visit = part_visit,
    .close = part_close,
};
