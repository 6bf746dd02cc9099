/* exchange.c -- each process reads from, and writes to, one storage host, all at one rate. */
#include "hindcast/profile.h"

typedef struct options {
  const char *storage;
  double read, write;
} options;

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  HC_PROFILE_BEGIN(p);
  (void)p->calls->exchange(p, o->storage, o->read, o->write, 0);
  HC_WAIT_ALL(p);
  HC_PROFILE_END(p);
}

static void joins(const void *given, uint32_t processes, hc_profile_joins *out)
{
  const options *o = given;
  (void)processes;
  out->is_outside = true;
  out->storage = o->storage;
  out->from_storage = o->read;
  out->to_storage = o->write;
}

static const hc_param params[] = {
    HC_PARAM(TEXT, options, storage, NULL,
             "Name of the storage host. Default, also where no host has the name: the cell's only host "
             "without cores."),
    HC_PARAM(REAL, options, read, "B", "0", 0, 1e300, "Bytes from the storage host to each process."),
    HC_PARAM(REAL, options, write, "B", "0", 0, 1e300, "Bytes from each process to the storage host."),
    {0}};

const hc_profile_type hc_profile_exchange = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "exchange",
                  .summary = "processes read from and write to a storage host, at one rate",
                  .detail = "A parallel task without work: alone it takes the longest latency of its routes, "
                            "and then the longest of bytes / bandwidth over links.",
                  .source = "Batsim 4, profile parallel_homogeneous_pfs", .params = params,
                  .options_size = sizeof(options)},
    .resume = resume,
    .joins = joins};
