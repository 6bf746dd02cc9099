/* fixture.c -- shared objects for test_registry.c: one good, the others each wrong in one way.
 *
 * Built once for each FIXTURE_*; see tests/CMakeLists.txt. As any plugin, it links against nothing of
 * ours. */
#include "hindcast/plugin.h"
#include "hindcast/policy.h"

typedef struct lifo_options {
  int64_t depth;
} lifo_options;

static const hc_param params[] = {
    {.name = "depth",
     .type = HC_INT,
#ifdef FIXTURE_PARAMS
     .offset = 4096, /* past the options */
#else
     .offset = offsetof(lifo_options, depth),
#endif
     .fallback = "3",
     .min = 1,
     .max = 9,
     .help = "How deep."},
    {.name = NULL},
};

static int64_t key(const hc_policy *self, const hc_order_input *task)
{
  (void)self;
  return -(int64_t)task->serial;
}

static const hc_order_type lifo = {
    .component = {HC_COMPONENT_HEAD(hc_order_type, HC_KIND_ORDER), .name = "fixture_lifo",
                  .summary = "last come, first served", .params = params,
                  .options_size = sizeof(lifo_options)},
    .key = key,
};

static const hc_component *const components[] = {
    &lifo.component,
#ifdef FIXTURE_TWICE
    &lifo.component,
#endif
    NULL,
};

#ifdef FIXTURE_SYMBOL
#define ENTRY some_other_name
#else
#define ENTRY hc_plugin_entry
#endif

extern HC_API const hc_plugin ENTRY;
const hc_plugin ENTRY = {
    .size = (uint32_t)sizeof(hc_plugin),
#ifdef FIXTURE_ABI
    .abi = HC_ABI + 1,
#else
    .abi = HC_ABI,
#endif
    .name = "fixture",
    .components = components,
};
