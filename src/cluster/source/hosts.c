/* hosts.c -- hosts as the user describes them: classes of hosts that are alike, zones, sets, licences. */
#include "base/util.h"
#include "cluster/host_rules.h"

typedef struct options {
  hc_list classes, zones, sets; /* hc_chosen */
  hc_list licences;             /* const char * */
} options;

static hc_rc build(hc_host_builder *b, const options *o, hc_cell_spec *out, hc_error *e)
{
  const hc_chosen *classes = o->classes.items;
  for (size_t i = 0; i < o->classes.count; i++) TRY(hc_rules_class(b, classes[i].options, i + 1, e));
  TRY(hc_rules_levels(b, &o->zones, e));
  TRY(hc_builder_finish(b, out, e));
  TRY(hc_rules_sets(b, &o->sets, out, e));
  return hc_rules_licences(b, &o->licences, out, e);
}

static hc_rc describe(const hc_cell_context *c, const void *p, hc_cell_spec *out, hc_error *e)
{
  const options *o = p;
  hc_host_builder b;
  hc_rc rc;
  if (o->classes.count == 0) {
    return hc_fail(
        e, HC_EUSAGE, "cell hosts", 0, 0,
        "which hosts? Say it with classes, as in cell: {use: hosts, classes: [{name_prefix: c, count: 5, "
        "cpus: 20, memory: 20GiB}]}");
  }
  hc_builder_init(&b, c, "cell hosts");
  rc = build(&b, o, out, e);
  hc_builder_fini(&b);
  return rc;
}

static const hc_param params[] = {
    HC_PARAM(COMPONENTS, options, classes, HC_KIND_CLASS, NULL,
             "Hosts, class by class; their numbers are from 0 in this order. Required."),
    HC_PARAM(COMPONENTS, options, zones, HC_KIND_LEVEL, NULL, "Levels of places: racks, rows, rooms."),
    HC_SETS_PARAM(options),
    HC_LICENCES_PARAM(options),
    {0}};

const hc_cell_type hc_cell_hosts = {
    .component =
        {HC_COMPONENT_HEAD(hc_cell_type, HC_KIND_CELL), .name = "hosts",
         .summary = "hosts, each with its own amounts, described class by class",
         .detail = "At most 2^24 hosts. Cores and GPUs are counted in thousandths, memory and disk in bytes. "
                   "`hindcast describe` class/host_class, level/zone_level and set/host_set says what the "
                   "entries of each list take.",
         .params = params, .options_size = sizeof(options)},
    .describe = describe,
};
