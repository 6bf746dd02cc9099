/* elastisim_model.h -- application models of ElastiSim as profiles of rigid jobs, texts that tasks carry
 * (execution/book.h). See elastisim_model.c. */
#ifndef HC_WORKLOAD_ELASTISIM_MODEL_H
#define HC_WORKLOAD_ELASTISIM_MODEL_H

#include "base/value.h"
#include "execution/book.h"
#include "hindcast/task.h"

/* What a job says beside its model. */
typedef struct hc_elastisim_job {
  int64_t nodes, gpus;       /* gpus: of each node */
  int64_t least, most;       /* nodes, of one that is not rigid */
  uint32_t changes;          /* of hc_size_change; 0: it is rigid */
  const hc_value *arguments; /* a map of numbers by name; NULL: none */
} hc_elastisim_job;

typedef struct hc_elastisim_models {
  const hc_allocator *allocator;
  const hc_book *book;
  const char *pfs, *burst_buffer; /* paths that its I/O tasks read and write */
  double unit;                    /* s, of a delay */
  double gpu_bandwidth;           /* bytes/s between two GPUs of a node; 0: not known */
  bool labels;                    /* each task is a part under its name, whose times are told */
  hc_names names;                 /* of files */
  hc_value **all;                 /* [names.count] read once each */
  size_t cap;
  hc_arena lasting, scratch;
  hc_buffer text;
} hc_elastisim_models;

void hc_elastisim_init(hc_elastisim_models *m, const hc_allocator *a, const hc_book *book);
void hc_elastisim_fini(hc_elastisim_models *m);
/** What a job of this model does, as text, borrowed until the next call. @return 0; HC_EINPUT,
 *  HC_EUNSUPPORTED, HC_ELIMIT with the place in the model; HC_EIO, HC_ENOMEM */
hc_rc hc_elastisim_profile(hc_elastisim_models *m, const char *file, const hc_elastisim_job *job,
                           const char **text, size_t *size, hc_error *e);
/** The same of a job that is not rigid: what it does on any number of nodes. */
hc_rc hc_elastisim_elastic(hc_elastisim_models *m, const char *file, const hc_elastisim_job *job,
                           const char **text, size_t *size, hc_error *e);
/** The model of a file, read once. */
hc_rc hc_elastisim_read(hc_elastisim_models *m, const char *file, const hc_value **out, hc_error *e);
/** A profile as text. @param model, nodes  for errors */
hc_rc hc_elastisim_text(hc_elastisim_models *m, const hc_value *tree, const hc_value *model, int64_t nodes,
                        const char **text, size_t *size, hc_error *e);

#endif
