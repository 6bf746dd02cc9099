/* activities.c -- tasks that do what their profiles say: sleep, compute on their processes, send bytes over a
 * network that they share. What goes on is execution/running.c's; here is what the engine asks. */
#include "base/mem.h"
#include "base/util.h"
#include "execution/measure.h"
#include "execution/saves.h"

typedef struct options {
  int64_t max_activities;
  double cpu_speed, gpu_speed;
  hc_chosen network;
  int sharing;
  hc_list disks; /* hc_chosen */
  int delay_at_limit, data_transfers;
  const char *data_master, *data_storage;
  hc_list overcommit; /* const char * */
  int cores, victim, admission;
  double threshold;
} options;

enum { MAX_MIN, BOTTLENECK };
enum { DONE, KILLED };
enum { REQUEST, USE };
enum { DIRECT, VIA_MASTER };

struct hc_model {
  hc_doings d;
  hc_model_context context;
  const options *options;
};

static hc_flow_options flows_of(const options *o)
{
  return (hc_flow_options){.network = &o->network,
                           .together = o->sharing == BOTTLENECK,
                           .disks = &o->disks,
                           .cores = o->cores,
                           .victim = o->victim,
                           .via_master = o->data_transfers == VIA_MASTER,
                           .master = o->data_master,
                           .store = o->data_storage};
}

static void fini(hc_model *self)
{
  const hc_allocator *a = self->d.allocator;
  hc_doings_fini(&self->d);
  hc_free(a, self, sizeof *self);
}

static hc_rc init(const hc_model_context *c, const void *given, hc_model **out, hc_error *e)
{
  const options *o = given;
  hc_model *self;
  if (o->overcommit.count == 0 && (o->cores != 0 || o->victim != 0 || o->threshold != 1))
    return hc_fail(e, HC_EUSAGE, "execution", 0, 0,
                   "core_sharing, memory_victim and threshold are about hosts that are promised more than "
                   "once: say of what (`overcommit: [cpu=2, memory=1.2]`)");
  self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  const hc_flow_options flows = flows_of(o);
  const hc_rc rc = hc_doings_init(&self->d, c, &flows, e);
  self->context = *c;
  self->options = o;
  self->d.most = o->max_activities;
  self->d.speed = o->cpu_speed / 1e9;
  self->d.gpu_speed = o->gpu_speed / 1e9;
  self->d.delays_end_late = o->delay_at_limit == KILLED;
  if (rc < 0) fini(self);
  else *out = self;
  return rc;
}

static hc_rc begin(hc_model *self, hc_time now, const hc_activity *a, hc_error *e)
{
  return hc_doings_begin(&self->d, now, a, e);
}

static hc_rc change(hc_model *self, hc_time now, uint32_t task, int64_t rate, hc_error *e)
{
  if (rate != 0 && rate != HC_RATE_ONE)
    return hc_fail(
        e, HC_EUNSUPPORTED, "execution", 0, 0,
        "a policy lets a task work at another rate, and the model activities knows how fast tasks are "
        "by what they do: it can suspend them and let them go on");
  return hc_doings_suspend(&self->d, now, task, rate == 0, e);
}

static hc_rc end(hc_model *self, hc_time now, uint32_t task)
{
  return hc_doings_stop(&self->d, now, task);
}

static hc_time done(const hc_model *self, hc_time now, uint32_t task)
{
  return hc_doings_worked(&self->d, now, task);
}

static hc_time next(hc_model *self)
{
  return hc_doings_next(&self->d);
}

static hc_rc advance(hc_model *self, hc_time now, hc_ended *ended, hc_error *e)
{
  return hc_doings_advance(&self->d, now, ended, e);
}

static hc_rc go_on(hc_model *self, hc_time now, uint32_t task, const hc_activity *a, hc_error *e)
{
  return hc_doings_go_on(&self->d, now, task, a, e);
}

static hc_rc visit(hc_model *self, hc_visitor *v)
{
  return hc_doings_visit(&self->d, v);
}

static hc_rc may_save(const hc_model *self, hc_error *e)
{
  return hc_doings_may_save(&self->d, e);
}

static hc_rc measure(hc_model *self, const hc_measuring *m, hc_error *e)
{
  const hc_flow_options flows = flows_of(self->options);
  HC_UNUSED(e);
  return hc_measure_new(&self->d, &self->context, &flows, m);
}

static bool network_draws(const hc_model *self, double *links, double *switches)
{
  const hc_network_of_run *n = &self->d.flows.network;
  if (!n->type || !n->facts.draws) return false;
  *links = 0;
  *switches = n->facts.switch_watts;
  for (uint32_t id = 0; id < n->facts.links; id++) {
    hc_link_watts w;
    hc_network_watts_of(n, id, &w);
    *links += w.idle;
  }
  return true;
}

static hc_rc look(hc_model *self, hc_time at, hc_use_look *out)
{
  return hc_measure_look(&self->d, at, out);
}

static hc_rc visit_measured(hc_model *self, hc_visitor *v)
{
  return hc_measure_visit(&self->d, v);
}

static hc_rc explain(hc_model *self, hc_time now, uint32_t task, void (*say)(void *ctx, const char *text),
                     void *ctx)
{
  return hc_doings_explain(&self->d, now, task, say, ctx);
}

static const hc_chosen *network(const void *given)
{
  return &((const options *)given)->network;
}

static hc_rc link_load(hc_model *self, hc_time now, uint32_t link, double *out)
{
  return hc_flows_load(&self->d, now, link, out);
}

/* ---- checkpoints ---- */

static hc_rc saves(hc_model *self, const char *store, const char *local_store, hc_error *e)
{
  return hc_saves_open(&self->d, store, local_store, e);
}

static hc_rc save_takes(hc_model *self, const hc_activity *a, double bytes, bool is_local, double *seconds,
                        hc_error *e)
{
  const char *path = self->d.saves->paths[is_local ? HC_SAVE_LOCAL : HC_SAVE_GLOBAL];
  return hc_storage_takes(&self->d, a, path[0] ? path : NULL, bytes, seconds, e);
}

static void saved(const hc_model *self, hc_time now, uint32_t task, bool locals, hc_work_saved *out)
{
  hc_saves_tell(&self->d, now, task, locals, out);
}

static void lose(hc_model *self, uint32_t task, bool all)
{
  hc_saves_lose(&self->d, task, all);
}

/* ---- items ---- */

static hc_rc item_add(hc_model *self, hc_time now, uint32_t item, int64_t bytes, bool is_given, hc_error *e)
{
  return hc_data_add(&self->d, now, item, bytes, is_given, e);
}

static hc_rc item_drop(hc_model *self, hc_time now, uint32_t item)
{
  return hc_data_drop(&self->d, now, item);
}

static hc_rc item_fetch(hc_model *self, hc_time now, uint32_t item, uint32_t host, hc_error *e)
{
  return hc_data_fetch(&self->d, now, item, host, e);
}

static uint32_t item_where(const hc_model *self, uint32_t item)
{
  return hc_data_where(&self->d, item);
}

static double item_takes(hc_model *self, uint32_t from, uint32_t to, double bytes)
{
  return hc_data_takes(&self->d, from, to, bytes);
}

static uint32_t item_storage(const hc_model *self)
{
  return self->d.data.storage;
}

static const hc_data_calls data_calls = {item_add,   item_drop,  item_fetch,
                                         item_where, item_takes, item_storage};

static double cpu_speed(const void *given)
{
  return ((const options *)given)->cpu_speed;
}

static const hc_list *overcommit(const void *given)
{
  return &((const options *)given)->overcommit;
}

static double admits_up_to(const void *given)
{
  const options *o = given;
  return o->admission == USE ? o->threshold : 0;
}

static void used(const hc_model *self, uint32_t host, hc_used *out)
{
  const hc_crowd *h = self->d.contention.hosts ? &self->d.contention.hosts[host] : NULL;
  *out = (hc_used){0};
  if (h) *out = (hc_used){h->use * 1000, h->memory_use, h->asked * 1000, h->memory_asked};
}

static hc_rc finish(hc_model *self, hc_findings *f)
{
  const hc_contention *x = &self->d.contention;
  if (!x->hosts) return 0;
  TRY(hc_find_count(f, "slowed_tasks", "tasks", (int64_t)x->found.slowed));
  TRY(hc_find_real(f, "contended_time", "s", x->found.contended / 1e9));
  TRY(hc_find_real(f, "cpu_load_max", "1", x->found.cpu_load_max));
  TRY(hc_find_count(f, "memory_kills", "tasks", (int64_t)x->found.kills));
  return hc_find_real(f, "memory_load_max", "1", x->found.memory_load_max);
}

static const char *const figures[] = {
    "slowed_tasks|tasks|none, usual|attempts that got fewer cores than they would use (with overcommit)",
    "contended_time|s|none|sum over hosts of the time in which their tasks would use more cores",
    "cpu_load_max|1|none|greatest share of a host's cores that was in use at one time",
    "memory_kills|tasks|lower, usual|attempts that were ended because their host had too little memory",
    "memory_load_max|1|none|greatest share of a host's memory in use, after tasks were ended for want of it",
    NULL};

static const hc_param params[] = {
    HC_PARAM(REAL, options, cpu_speed, "work/s", "1000", 1e-9, 1e18,
             "Work that a core of a host of speed 1 does in a second. DSLab's default is 1000; for Batsim's "
             "profiles, whose work is in flops, it is the core's flop/s."),
    HC_PARAM(REAL, options, gpu_speed, "work/s", "0", 0, 1e21,
             "Work that a GPU does in a second. 0: GPUs do no work, and a task that computes on GPUs ends "
             "the run with an error."),
    HC_PARAM(
        COMPONENT, options, network, HC_KIND_NETWORK, NULL,
        "The network between hosts. Default: none, and a task that sends bytes ends the run with an error."),
    HC_PARAM(CHOICE, options, sharing, "max_min|bottleneck", "max_min",
             "How flows share links. max_min: max-min fairly; no flow could be faster unless one that is not "
             "faster were slowed. bottleneck: as SimGrid's model L07 shares among parallel tasks."),
    HC_PARAM(
        COMPONENTS, options, disks, HC_KIND_DISK, NULL,
        "The disks of hosts. Default: none, and a task that reads or writes ends the run with an error."),
    HC_PARAM(CHOICE, options, delay_at_limit, "done|killed", "done",
             "What becomes of a task whose delay ends exactly at its limit. done: it is completed. killed: "
             "it is killed at its limit. Work and transfers that end exactly at the limit are always done."),
    HC_PARAM(TEXTS, options, overcommit, NULL,
             "Factors by which the scheduler may promise more than hosts have: cpu=2, memory=1.2, or for one "
             "class of hosts fat: cpu=1.5. Tasks that would use more cores than there are slow each other. "
             "Default: none."),
    HC_PARAM_AS(CHOICE, "core_sharing", options, cores, "proportional|equal", "proportional",
                "How the tasks of a host share its cores where they would use more than it has. "
                "proportional: each gets the same part of what it would use. equal: each gets as many as any "
                "other, and none more than it would use."),
    HC_PARAM_AS(CHOICE, "memory_victim", options, victim, "last_started|largest|most_over", "last_started",
                "Which task is ended where a host's tasks use more memory than it has. last_started: the one "
                "that started last. largest: the one that uses most. most_over: the one that uses most "
                "beyond what it asked for."),
    HC_PARAM(CHOICE, options, admission, "request|use", "request",
             "When a task may start on a host with `overcommit`. request: when the requests of all its tasks "
             "fit into what the host may promise. use: only if besides what its tasks use at the time, plus "
             "the request of the new one, is at most `threshold` of what the host has."),
    HC_PARAM(REAL, options, threshold, "1", "1", 1e-9, 1000,
             "With `admission: use`: the greatest use of a host, as a part of what it has."),
    HC_PARAM(INT, options, max_activities, "activities", "1000000", 1, 4e9,
             "Greatest number of activities of one task at one time; a task with more ends the run with an "
             "error."),
    HC_PARAM(
        CHOICE, options, data_transfers, "direct|via_master", "direct",
        "How data items of tasks (inputs, outputs) go from where they lie to where they are read. direct: "
        "from host to host; an item stays on the host where it was made. via_master: to the master when it "
        "has been made, and from there to each host that reads it, also to the one where it was made."),
    HC_PARAM(TEXT, options, data_master, NULL,
             "Name of the host through which items go with `data_transfers: via_master`. Default: the only "
             "host without cores."),
    HC_PARAM(TEXT, options, data_storage, NULL,
             "Name of the host where items lie that no task makes, and to which items are sent that no task "
             "reads. Default: the master; with `data_transfers: direct` the only host without cores, and "
             "without such a host items that no task reads stay where they were made."),
    {0}};

const hc_model_type hc_model_activities = {
    .component =
        {HC_COMPONENT_HEAD(hc_model_type, HC_KIND_MODEL), .name = "activities",
         .summary = "tasks do what their profiles say: compute, send, wait",
         .detail =
             "A task has a process on each of its hosts, with the cores that it holds there; computations of "
             "one process at the same time share these evenly. A task without a profile takes its run time / "
             "the speed of the slowest of its hosts. Limits count the time in which the task works, and a "
             "task at its limit is killed. A profile that fails ends its task as killed, marked as failed. A "
             "task that is stopped and queued again begins anew.",
         .source = "DSLab-CS (github.com/nogokama/dslab-cluster-simulator, 2024) and the thesis that "
                   "describes it, chapters 3 and 4; Batsim 4.2.1, its profiles",
         .params = params, .options_size = sizeof(options), .figures = figures},
    .takes_profiles = true,
    .cpu_speed = cpu_speed,
    .init = init,
    .fini = fini,
    .begin = begin,
    .change = change,
    .end = end,
    .done = done,
    .next = next,
    .advance = advance,
    .visit = visit,
    .may_save = may_save,
    .measure = measure,
    .look = look,
    .visit_measured = visit_measured,
    .explain = explain,
    .network = network,
    .link_load = link_load,
    .overcommit = overcommit,
    .admits_up_to = admits_up_to,
    .used = used,
    .finish = finish,
    .data = &data_calls,
    .go_on = go_on,
    .network_draws = network_draws,
    .saves = saves,
    .save_takes = save_takes,
    .saved = saved,
    .lose = lose};
