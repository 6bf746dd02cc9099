/* vms.h -- a cloud of virtual machines: what a run file can say of it, and its state. The parts and their
 * files:
 *
 *   world.c    birth, the events
 *   migrator.c which virtual machines should be elsewhere
 *   cloud.c    what schedulers, the placement store and hosts do
 *   report.c   figures, rows
 *   vms.c      the table of keys
 *   records.c  hosts, virtual machines, migrations
 *
 * Everything is a dense array and known by its number. Times are whole nanoseconds. */
#ifndef HC_VMS_VMS_H
#define HC_VMS_VMS_H

#include "base/mem.h"
#include "base/wide.h"
#include "hindcast/world.h"
#include "kernel/queue.h"

/* The kinds of this library, after those of the core and of the other worlds; each is a record. */
#define HC_KIND_VM_HOST ((hc_kind)(HC_KIND_OWN + 11))
#define HC_KIND_VM ((hc_kind)(HC_KIND_OWN + 12))
#define HC_KIND_MIGRATION ((hc_kind)(HC_KIND_OWN + 13))

#define HC_KIND_MIGRATOR ((hc_kind)(HC_KIND_OWN + 14))

typedef enum hc_vm_place { HC_VM_FIRST_FIT, HC_VM_BEST_FIT, HC_VM_WORST_FIT } hc_vm_place;

typedef struct hc_vm_options {
  hc_list hosts, vms, migrations; /* hc_chosen of the kinds above */
  hc_chosen migrator;             /* HC_KIND_MIGRATOR; no type: none */
  const char *file;
  int place; /* hc_vm_place */
  int64_t schedulers, throughput;
  hc_time boot, stop, message_delay, retry, timeout, report_period;
} hc_vm_options;

typedef struct hc_vm_host_options {
  int64_t count, cpus, memory;
} hc_vm_host_options;

typedef struct hc_vm_vm_options {
  int64_t count, cpus, memory;
  hc_time arrival, lifetime;
  double load;
} hc_vm_vm_options;

typedef struct hc_vm_migration_options {
  int64_t vm, host;
  hc_time at;
} hc_vm_migration_options;

typedef struct hc_vm_migrator_options {
  hc_time interval;
  double overload, underload;
} hc_vm_migrator_options;

#define HC_VM_NONE UINT32_MAX

typedef enum hc_vm_state {
  HC_VM_COMES,
  HC_VM_WAITS,    /* for a host, or for word of it */
  HC_VM_BOOTS,    /* on its host, which it holds from here on */
  HC_VM_RUNS,     /* its lifetime goes on */
  HC_VM_MIGRATES, /* the same; `target` holds for it too */
  HC_VM_STOPS,    /* its lifetime is over */
  HC_VM_GONE,     /* its host is free of it */
  HC_VM_REJECTED  /* no host was found in time */
} hc_vm_state;

typedef struct hc_vm {
  hc_time arrival, lifetime;
  hc_time held, started, finished, freed; /* HC_UNKNOWN: not yet */
  int64_t cpus, memory;
  double load;
  uint32_t scheduler, host, target;
  uint32_t migrations; /* that were done */
  hc_event_handle copied,
      arrived;   /* of the migration that goes on: when the source may go, when it is there */
  uint8_t state; /* hc_vm_state */
} hc_vm;

typedef struct hc_vm_room {
  int64_t cpus, memory; /* free, as something believes */
} hc_vm_room;

typedef struct hc_vm_done {
  double used; /* cpu ns */
  hc_time active, overloaded;
} hc_vm_done;

typedef struct hc_vm_host {
  hc_vm_room all, free;
  uint32_t held; /* virtual machines */
  double load;   /* cpus that they use */
  hc_time since; /* until when that is summed up in */
  hc_vm_done done;
  hc_vm_room room; /* while the migrator looks: what would be free */
  double planned;  /* and what would be used */
  bool gives, takes;
} hc_vm_host;

struct hc_world {
  const hc_allocator *allocator;
  const hc_vm_options *options;
  hc_vm_host *hosts;
  size_t host_count;
  hc_vm *vms; /* by arrival */
  size_t vm_count, vm_cap, next;
  size_t first;      /* of those that are not over */
  hc_vm_room *rooms; /* [schedulers + 1][hosts] what each scheduler believes; last the placement store */
  size_t believers;
  uint32_t *ended; /* in the order in which they were gone, or rejected */
  size_t ended_count;
  hc_queue *events;
  hc_time now, last_freed, last_seen;
  uint64_t happened, held; /* held: that were, ever */
  uint64_t retries, conflicts, migrations, refused, cancelled;
};

/* ---- events. Within an instant: ends, then what is ready, then arrivals, then what is said ---- */

typedef enum hc_vm_event {
  HC_VM_FREED,     /* its host is free of a vm */
  HC_VM_LEFT,      /* so is a host that it has migrated from */
  HC_VM_OVER,      /* its lifetime is */
  HC_VM_COPIED,    /* its memory is on the target */
  HC_VM_STARTED,   /* it has booted */
  HC_VM_ARRIVED,   /* and it runs there */
  HC_VM_MIGRATE,   /* a migration is asked for: its number stands for a vm's */
  HC_VM_ASK,       /* a scheduler looks for a host */
  HC_VM_COMMIT,    /* the store hears what was chosen */
  HC_VM_CREATE,    /* the host hears it */
  HC_VM_KNOWN,     /* schedulers hear that the store has it there */
  HC_VM_REFUSED,   /* the scheduler hears that it has not */
  HC_VM_TAKE,      /* its target hears of it: the same */
  HC_VM_TAKEN,     /* the store hears that it has begun */
  HC_VM_MOVED,     /* schedulers hear that */
  HC_VM_RELEASED,  /* the store hears that a host is free of it */
  HC_VM_FORGOTTEN, /* schedulers hear that */
  HC_VM_SENT,      /* the target hears what the migrator wants */
  HC_VM_LOOK       /* the migrator looks */
} hc_vm_event;

hc_rc hc_vm_push(hc_world *w, hc_vm_event what, hc_time at, uint32_t vm, uint32_t host,
                 hc_event_handle *handle);
/** What happens to a vm on a host. @return 0, HC_ENOMEM */
hc_rc hc_vm_happen(hc_world *w, hc_vm_event what, uint32_t vm, uint32_t host);
/** The migrator looks, sends, and looks again as long as there are virtual machines. @return 0, HC_ENOMEM */
hc_rc hc_vm_look(hc_world *w);
/** A scheduler looks for a host for it, or for the last time does not. */
hc_rc hc_vm_ask(hc_world *w, uint32_t vm);
/** What a host did until now; nothing changes. */
hc_vm_done hc_vm_done_by(const hc_world *w, uint32_t host);
/** When the end of a vm's lifetime is seen: with the next report of its host, and a message. */
hc_time hc_vm_seen(const hc_world *w, const hc_vm *x);

extern const char *const hc_vm_figures[];
hc_rc hc_vm_finish(hc_world *w, hc_findings *f, hc_store *store, hc_error *e);

hc_rc hc_vm_new(const hc_world_context *c, const void *options, hc_world **out, hc_error *e);
hc_rc hc_vm_advance(hc_world *w, hc_time until, uint64_t events, hc_error *e);
void hc_vm_progress(const hc_world *w, hc_world_progress *p);
void hc_vm_free(hc_world *w);

#endif
