/* master_workers.c -- process 0 sends each other one its data; each computes as soon as it has them, and the
 * master when all have. On a single process: the master's work alone. */
#include "hindcast/profile.h"

typedef struct options {
  double master_compute_work, worker_compute_work, data_transfer_size;
  hc_chosen speedup;
} options;

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  HC_PROFILE_BEGIN(p);
  for (uint32_t w = 1; w < p->processes; w++)
    if (hc_profile_transfer(p, 0, w, o->data_transfer_size, w) == HC_NO_ACT) return HC_PROFILE_FAILED;
  while (p->active > 0) {
    HC_WAIT_ANY(p);
    if (p->ended.tag > 0 && p->ended.how == HC_ACT_OK)
      (void)hc_profile_compute_by(p, p->ended.tag, o->worker_compute_work, &o->speedup, 0);
  }
  (void)hc_profile_compute_by(p, 0, o->master_compute_work, &o->speedup, 0);
  HC_WAIT_ALL(p);
  HC_PROFILE_END(p);
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, master_compute_work, "work", "0", 0, 1e300,
             "Work of the master (process 0), which begins when all workers have ended theirs."),
    HC_PARAM(REAL, options, worker_compute_work, "work", "0", 0, 1e300,
             "Work of each worker (the other processes), which begins when its data have come."),
    HC_PARAM(REAL, options, data_transfer_size, "B", "0", 0, 1e300,
             "Bytes from the master to each worker; all transfers begin at once."),
    HC_PARAM(COMPONENT, options, speedup, HC_KIND_SPEEDUP, NULL,
             "How much faster a process computes on more cores. Default: linear."),
    {0}};

const hc_profile_type hc_profile_master_workers = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "master_workers",
                  .summary = "a master sends data to workers, which compute; then the master computes",
                  .source =
                      "DSLab-CS (github.com/nogokama/dslab-cluster-simulator, 2024), profile master-workers",
                  .params = params, .options_size = sizeof(options)},
    .resume = resume};
