/* preferred.c -- see preferred.h. Nothing here is state: names are looked up again after a run is loaded. */
#include "policy/preferred.h"

#include <string.h>

#include "base/util.h"

void hc_preferred_init(hc_preferred *p, const hc_policy_context *c, const hc_zone_level *level)
{
  *p = (hc_preferred){.allocator = c->allocator,
                      .services = c->services,
                      .lexicon = c->lexicon,
                      .cell = c->cell,
                      .level = level};
  hc_names_init(&p->hosts, c->allocator, HC_MAP_NONE);
  hc_names_init(&p->zones, c->allocator, HC_MAP_NONE);
}

void hc_preferred_fini(hc_preferred *p)
{
  if (!p->allocator) return;
  hc_names_fini(&p->hosts);
  hc_names_fini(&p->zones);
}

/* Names are numbered as they come, which is as hosts and zones are. */
static hc_rc learn_names(hc_preferred *p)
{
  uint32_t id;
  for (uint32_t h = 0; h < p->cell->units; h++)
    TRY(hc_names_add(&p->hosts, p->cell->host_names[h], strlen(p->cell->host_names[h]), &id));
  for (uint32_t z = 0; p->level && z < p->level->zone_count; z++)
    TRY(hc_names_add(&p->zones, p->level->zone_names[z], strlen(p->level->zone_names[z]), &id));
  p->has_names = true;
  return 0;
}

static uint32_t zone_of(const hc_preferred *p, uint32_t host)
{
  return p->level ? p->level->zone_of[host] : HC_NO_NAME;
}

static hc_nearness near_to(const hc_preferred *p, const char *name, uint32_t host)
{
  const size_t length = strlen(name);
  const uint32_t there = hc_names_find(&p->hosts, name, length);
  const uint32_t zone = there == HC_MAP_NONE ? hc_names_find(&p->zones, name, length) : zone_of(p, there);
  if (there == host) return HC_NEAR_HOST;
  if (zone == HC_NO_NAME || zone != zone_of(p, host)) return HC_NEAR_NOT;
  return HC_NEAR_RACK;
}

hc_nearness hc_preferred_near(hc_preferred *p, const hc_view *v, hc_task t, uint32_t host)
{
  size_t count;
  const uint32_t *names = p->services->prefers(v, t, &count);
  return hc_preferred_of(p, names, names ? count : 0, host);
}

hc_nearness hc_preferred_of(hc_preferred *p, const uint32_t *names, size_t count, uint32_t host)
{
  hc_nearness near = HC_NEAR_NOT;
  if (count == 0) return HC_NEAR_UNSAID;
  if (!p->has_names && learn_names(p) < 0) return HC_NEAR_NOT;
  for (size_t i = 0; i < count && near > HC_NEAR_HOST; i++)
    near = HC_MIN(near, near_to(p, hc_lexicon_text(p->lexicon, names[i]), host));
  return near;
}

bool hc_preferred_is_known(const hc_preferred *p, const hc_view *v, hc_task t)
{
  size_t count;
  const uint32_t *names = p->services->prefers(v, t, &count);
  for (size_t i = 0; names && i < count; i++) {
    const char *name = hc_lexicon_text(p->lexicon, names[i]);
    if (hc_names_find(&p->hosts, name, strlen(name)) == HC_MAP_NONE &&
        hc_names_find(&p->zones, name, strlen(name)) == HC_MAP_NONE)
      return false;
  }
  return true;
}
