/* spread.c -- a task whose parts are far from each other takes longer: it waits for its network.
 *
 * A factor for being on more than one host, and one for each level of zones (racks, rooms) of which its hosts
 * are in more than one zone; the largest of those that apply is the task's. A host in no zone of a level is
 * in one of its own there. What it models is data-parallel training, whose steps end with an exchange among
 * all workers: how much slower it is is measured, model by model, and each model has an entry of its own
 * (`tasks`), or one number is for all. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/util.h"
#include "execution/concerned.h"
#include "hindcast/cell.h"
#include "hindcast/execution.h"

typedef struct options {
  hc_concerned_options about;
  double hosts;
  hc_list levels; /* const char * */
} options;

typedef struct level {
  const hc_zone_level *zones;
  double factor;
} level;

typedef struct spread {
  hc_concerned about;
  double hosts;
  size_t count;
  level *levels; /* [count] */
} spread;

static hc_rc read_level(const hc_cell_spec *cell, const char *word, level *out, hc_error *e)
{
  const char *equals = strchr(word, '=');
  if (!equals || hc_parse_real(equals + 1, strlen(equals + 1), &out->factor) < 0 || !(out->factor >= 1) ||
      !(out->factor <= 1e9))
    return hc_fail(e, HC_EUSAGE, "slowdown spread", 0, 0,
                   "levels: \"%s\" is not LEVEL=FACTOR with a factor of at least 1: write [rack=1.4]", word);
  for (uint32_t l = 0; l < cell->level_count; l++)
    if (strlen(cell->levels[l].name) == (size_t)(equals - word) &&
        memcmp(cell->levels[l].name, word, (size_t)(equals - word)) == 0)
      out->zones = &cell->levels[l];
  if (out->zones) return 0;
  return hc_fail(e, HC_EUSAGE, "slowdown spread", 0, 0,
                 "levels: the cell has no level of zones \"%.*s\": declare it in `zones` of the cell",
                 (int)(equals - word), word);
}

static hc_rc init(const hc_slowdown_context *c, const void *given, void **out, hc_error *e)
{
  const options *o = given;
  const char *const *words = o->levels.items;
  spread *self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  *out = self;
  TRY(hc_concerned_init(&self->about, c, &o->about));
  self->hosts = o->hosts;
  self->levels = hc_alloc(c->allocator, (o->levels.count + 1) * sizeof *self->levels);
  if (!self->levels) return HC_ENOMEM;
  self->count = o->levels.count;
  for (size_t i = 0; i < self->count; i++) TRY(read_level(c->cell, words[i], &self->levels[i], e));
  return 0;
}

static bool crosses(const hc_zone_level *z, const hc_slowdown_part *parts, size_t count)
{
  for (size_t i = 1; i < count; i++) {
    const uint32_t zone = z ? z->zone_of[parts[i].host] : HC_NO_NAME;
    if (parts[i].host == parts[0].host) continue;
    if (zone == HC_NO_NAME || zone != z->zone_of[parts[0].host]) return true;
  }
  return false;
}

static double times(const void *state, const hc_slowdown_task *task, const hc_slowdown_part *parts,
                    size_t count)
{
  const spread *self = state;
  double most = 1;
  if (!hc_concerns(&self->about, task)) return 1;
  if (crosses(NULL, parts, count)) most = self->hosts;
  for (size_t i = 0; i < self->count; i++)
    if (self->levels[i].factor > most && crosses(self->levels[i].zones, parts, count))
      most = self->levels[i].factor;
  return most;
}

static double least(const void *state)
{
  HC_UNUSED(state);
  return 1;
}

static void fini(const hc_allocator *a, void *state)
{
  spread *self = state;
  hc_free(a, self->levels, (self->count + 1) * sizeof *self->levels);
  hc_free(a, self, sizeof *self);
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, hosts, "1", "1", 1, 1e9,
             "Factor of the run time of a task on more than one host. 1: no longer."),
    HC_PARAM(TEXTS, options, levels, NULL,
             "Factors for tasks whose hosts are in more than one zone of a level, LEVEL=FACTOR each, at "
             "least 1: rack=1.4."),
    HC_CONCERNED_PARAMS(options, about),
    {0}};

const hc_slowdown_type hc_slowdown_spread = {
    .component = {HC_COMPONENT_HEAD(hc_slowdown_type, HC_KIND_SLOWDOWN), .name = "spread",
                  .summary = "tasks on several hosts, racks or rooms take longer",
                  .detail = "Of the factors that apply to a task the largest counts: `hosts` if it has more "
                            "than one host, and the factor of each level in `levels` if its hosts are in "
                            "more than one zone of that level. A host in no zone counts as a zone of its "
                            "own. Tasks that `tasks` does not name take no longer.",
                  .params = params, .options_size = sizeof(options)},
    .init = init,
    .times = times,
    .least = least,
    .fini = fini};
