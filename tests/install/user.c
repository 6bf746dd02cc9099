/* user.c -- the first program that uses an installed library. */
#include <stdio.h>

#include <hindcast/hindcast.h>

#include "hindcast/plugin.h"

int main(void)
{
  hc_registry *registry;
  if (hc_registry_new(hc_default_allocator(), &registry) < 0) return 1;
  const hc_component *easy = hc_registry_find(registry, HC_KIND_SELECT, "easy");
  (void)printf("hindcast %s: %s\n", HC_VERSION, easy ? easy->summary : "?");
  hc_registry_free(registry);
  return easy ? 0 : 1;
}
