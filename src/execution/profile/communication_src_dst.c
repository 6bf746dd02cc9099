/* communication_src_dst.c -- some processes send as much to some: the product of two lists. */
#include "hindcast/profile.h"

typedef struct options {
  hc_list src, dst;
  double size;
} options;

static hc_rc check_list(const hc_list *l, const char *name, uint32_t processes, hc_error *e)
{
  const int64_t *items = l->items;
  for (size_t i = 0; i < l->count; i++)
    if (items[i] >= (int64_t)processes)
      return hc_fail(e, HC_EINPUT, "", 0, 0, "%s names process %lld, and the task's are numbered 0 to %u",
                     name, (long long)items[i], processes - 1);
  return 0;
}

static hc_rc check(const void *given, uint32_t processes, hc_error *e)
{
  const options *o = given;
  const hc_rc rc = check_list(&o->src, "src", processes, e);
  return rc < 0 ? rc : check_list(&o->dst, "dst", processes, e);
}

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  const int64_t *from = o->src.items, *to = o->dst.items;
  HC_PROFILE_BEGIN(p);
  for (size_t i = 0; i < o->src.count; i++)
    for (size_t j = 0; j < o->dst.count; j++)
      if (hc_profile_transfer(p, (uint32_t)from[i], (uint32_t)to[j], o->size, 0) == HC_NO_ACT)
        return HC_PROFILE_FAILED;
  HC_WAIT_ALL(p);
  HC_PROFILE_END(p);
}

static const hc_param params[] = {
    HC_PARAM(INTS, options, src, "processes", NULL, 0, 4e9,
             "Numbers of the processes that send, from 0. Default: none."),
    HC_PARAM(INTS, options, dst, "processes", NULL, 0, 4e9,
             "Numbers of the processes that receive, from 0. Default: none."),
    HC_PARAM(REAL, options, size, "B", NULL, 0, 1e300,
             "Bytes from each sending process to each receiving process. Default: 0."),
    {0}};

const hc_profile_type hc_profile_communication_src_dst = {
    .component =
        {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "communication_src_dst",
         .summary = "each sending process sends the same number of bytes to each receiving process",
         .source =
             "DSLab-CS (github.com/nogokama/dslab-cluster-simulator, 2024), profile communication-src-dst",
         .params = params, .options_size = sizeof(options)},
    .check = check,
    .resume = resume};
