/* yt_nodes.c -- the node groups of YTsaurus's scheduler simulator, as YSON text or JSON:
 *
 *   [{count=2; resource_limits={cpu=16.; memory=68719476736; network=100; user_slots=32}; tags=[internal]}]
 *
 * Nodes are hosts node1, node2 ... through the groups, which become classes. user_slots and network are dimensions of their
 * own; a tag is an attribute. A node's disk location and the expressions of tags are not taken. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "base/util.h"
#include "cluster/host_builder.h"

#define MOST_TAGS 256

typedef struct options {
  const char *file;
} options;

typedef struct reading {
  hc_json *in;
  hc_host_builder b;
  int64_t count; /* of the group at hand */
  hc_host_class class;
  hc_attribute tags[MOST_TAGS];
  uint32_t groups;
} reading;

static hc_rc wrong(const reading *r, const hc_json_token *t, const char *what, hc_error *e)
{
  return hc_fail(e, HC_EINPUT, hc_json_name(r->in), t->line, t->column, "%s", what);
}

/* The next value. @return 0 or an error */
static hc_rc value_of(reading *r, hc_json_token *t, hc_error *e)
{
  const hc_rc rc = hc_json_next(r->in, t, e);
  return rc < 0 ? rc : 0;
}

static hc_rc read_limits(reading *r, const hc_json_token *begin, hc_error *e)
{
  hc_json_token t;
  hc_rc rc;
  if (begin->kind != HC_JSON_OBJECT)
    return wrong(r, begin, "resource_limits must be a map: {cpu=16.; memory=68719476736; user_slots=32}", e);
  while ((rc = hc_json_next(r->in, &t, e)) == 1) {
    const int d = hc_lexicon_dimension(r->b.c->lexicon, t.text, t.size);
    double amount;
    if (d < 0) return wrong(r, &t, "more than 64 resources: leave out those that no task asks for", e);
    TRY(value_of(r, &t, e));
    if (t.kind != HC_JSON_NUMBER || hc_parse_real(t.text, t.size, &amount) < 0 ||
        !(amount >= 0 && amount <= 0x1p42 * (d == HC_DIM_MEMORY || d == HC_DIM_DISK ? 1024 : 1)))
      return wrong(r, &t, "expected an amount, a number from 0 on", e);
    if (d == HC_DIM_CPU || d == HC_DIM_GPU) amount *= 1000;
    r->class.capacity[d] = (int64_t)(amount + 0.5);
    if (d == HC_DIM_GPU) r->class.devices = (uint32_t)(r->class.capacity[d] / HC_DEVICE);
    if (r->class.devices > HC_DEVICES) return wrong(r, &t, "more than 128 GPUs in a node", e);
  }
  return rc;
}

static hc_rc read_tags(reading *r, const hc_json_token *begin, hc_error *e)
{
  hc_json_token t;
  hc_rc rc;
  if (begin->kind != HC_JSON_ARRAY) return wrong(r, begin, "tags must be a list of words", e);
  while ((rc = hc_json_next(r->in, &t, e)) == 1) {
    uint32_t name;
    if (t.kind != HC_JSON_STRING) return wrong(r, &t, "a tag must be a word", e);
    if (r->class.attribute_count == MOST_TAGS) return wrong(r, &t, "more than 256 tags", e);
    name = hc_lexicon_name(r->b.c->lexicon, t.text, t.size);
    if (name == HC_NO_NAME) return HC_ENOMEM;
    r->tags[r->class.attribute_count++] = (hc_attribute){.name = name, .value = 1};
  }
  return rc;
}

static hc_rc add_hosts(reading *r, uint32_t class, hc_error *e)
{
  for (int64_t i = 0; i < r->count; i++) {
    char name[32];
    uint32_t id;
    const int n = snprintf(name, sizeof name, "node%zu", r->b.names.count + 1);
    const hc_rc rc = hc_builder_host(&r->b, name, (size_t)n, class, &id, e);
    if (rc < 0) return rc;
  }
  return 0;
}

static hc_rc read_group(reading *r, const hc_json_token *begin, hc_error *e)
{
  const hc_json_token place = *begin;
  char name[32];
  hc_json_token t;
  uint32_t class;
  int64_t sum = 0;
  hc_rc rc;
  if (begin->kind != HC_JSON_OBJECT)
    return wrong(r, begin,
                 "a group of nodes is a map: {count=2; resource_limits={cpu=16.; memory=68719476736}}", e);
  (void)snprintf(name, sizeof name, "group%u", ++r->groups);
  r->class = (hc_host_class){.name = name, .speed = 1, .attributes = r->tags};
  r->count = 1;
  while ((rc = hc_json_next(r->in, &t, e)) == 1) {
    const bool is_count = strcmp(t.text, "count") == 0, is_tags = strcmp(t.text, "tags") == 0;
    const bool is_limits = strcmp(t.text, "resource_limits") == 0;
    TRY(value_of(r, &t, e));
    if (is_count && (t.kind != HC_JSON_NUMBER || hc_parse_int(t.text, t.size, &r->count) < 0 ||
                     r->count < 0 || r->count > (int64_t)HC_MOST_HOSTS))
      return wrong(r, &t, "count must be a whole number from 0 to 16,777,216", e);
    if (is_limits) TRY(read_limits(r, &t, e));
    else if (is_tags) TRY(read_tags(r, &t, e));
    else TRY(hc_json_skip(r->in, &t, e));
  }
  if (rc < 0) return rc;
  for (int d = 0; d < HC_DIMENSIONS; d++) sum |= r->class.capacity[d];
  if (sum == 0)
    return wrong(r, &place, "its nodes have nothing: say resource_limits={cpu=16.; memory=68719476736}", e);
  TRY(hc_builder_class(&r->b, &r->class, &class, e));
  return add_hosts(r, class, e);
}

static hc_rc read_file(reading *r, hc_cell_spec *out, hc_error *e)
{
  hc_json_token t;
  hc_rc rc, inner;
  while ((rc = hc_json_next(r->in, &t, e)) == 1) {
    if (t.kind != HC_JSON_ARRAY) {
      TRY(read_group(r, &t, e));
      continue;
    }
    while ((inner = hc_json_next(r->in, &t, e)) == 1) TRY(read_group(r, &t, e));
    if (inner < 0) return inner;
  }
  return rc < 0 ? rc : hc_builder_finish(&r->b, out, e);
}

static hc_rc describe(const hc_cell_context *c, const void *p, hc_cell_spec *out, hc_error *e)
{
  const options *o = p;
  reading r = {.in = NULL};
  hc_rc rc;
  if (!o->file)
    return hc_fail(e, HC_EUSAGE, "cell yt_nodes", 0, 0,
                   "which file? Say it with file, as in cell: {use: yt_nodes, file: node_groups.yson}");
  hc_builder_init(&r.b, c, "cell yt_nodes");
  rc = hc_json_open_yson(c->allocator, o->file, &r.in, e);
  if (rc >= 0) rc = read_file(&r, out, e);
  hc_json_free(r.in);
  hc_builder_fini(&r.b);
  return rc;
}

static const hc_param params[] = {
    HC_PARAM(FILE, options, file, NULL, "Path of the node groups, YSON text or JSON. Required."), {0}};

const hc_cell_type hc_cell_yt_nodes = {
    .component =
        {HC_COMPONENT_HEAD(hc_cell_type, HC_KIND_CELL), .name = "yt_nodes",
         .summary = "the node groups of YTsaurus's scheduler simulator",
         .detail =
             "Groups {count, resource_limits, tags} become classes group1, group2 ...; nodes are hosts "
             "node1, node2 ... cpu is in cores, memory in bytes; user_slots, network and others are "
             "dimensions of their own. A tag is a feature of the host. Other keys are ignored.",
         .source = "the scheduler simulator of YTsaurus", .params = params, .options_size = sizeof(options)},
    .describe = describe,
};
