/* alibaba_v2018_containers.c -- writes container_meta.csv of Alibaba's trace of 2018: a task becomes a
 * container.
 *
 *   container_id, machine_id, time_stamp, app_du, status, cpu_request, cpu_limit, mem_size
 *
 * No header. A container is "started" when its task started, and "stopped" when that ended; the two rows
 * stand together, as in the published file. One that had not ended has no second row: it stays until the
 * trace ends. Its machine is not known. cpu is 100 for a core, mem_size a share of the largest
 * machine's memory, 0 to 100, exact.
 *
 * Rows of one name are those of one container, so that each needs a name of its own: c_17 is the first task
 * of number 17, c_17_2 the third task of all whose number had been taken (its reader makes a hash of it: the
 * number is lost). Source: https://github.com/alibaba/clusterdata, cluster-trace-v2018. Cost: about 0.4 us a
 * task; 20 to 40 bytes each. */
#include "workload/alibaba_rows.h"

#define MOST_CONTAINERS ((uint64_t)1 << 22) /* that their reader takes */

typedef struct options {
  int64_t memory_scale;
  hc_time trace_end;
} options;

struct hc_writer {
  hc_rows rows;
  const options *o;
  hc_map seen; /* numbers that are taken */
  uint64_t twins;
};

static void containers_close(hc_writer *w)
{
  if (w) hc_map_fini(&w->seen);
  hc_rows_close(w);
}

static hc_rc containers_open(const hc_writer_context *c, const void *given, hc_writer **out, hc_error *e)
{
  HC_UNUSED(e);
  TRY(hc_rows_open(c, sizeof **out, NULL, out));
  (*out)->o = given;
  hc_map_init(&(*out)->seen, c->allocator);
  return 0;
}

/* "c_17". @return its end, or NULL if there is no memory. */
static char *put_container(char *p, hc_writer *w, int64_t id, uint64_t *lost)
{
  p = hc_put_uint(hc_put_text(p, "c_"), (uint64_t)HC_MAX(id, 0));
  if (id >= 0 && hc_map_get(&w->seen, (uint64_t)id) == HC_MAP_NONE)
    return hc_map_set(&w->seen, (uint64_t)id, 0) < 0 ? NULL : p;
  if (id >= 0) *lost |= HC_FACT_BIT(ID);
  return hc_put_uint(hc_put_char(p, '_'), w->twins++);
}

static char *put_row(char *p, const char *name, size_t size, int64_t at, const hc_task_spec *t,
                     const char *state)
{
  memcpy(p, name, size);
  p = hc_put_text(p + size, ",,");
  p = hc_put_char(hc_put_int(p, at), ',');
  p = hc_put_char(hc_alibaba_put_name(p, "app_", t->group), ',');
  return hc_put_text(p, state);
}

/* What it asks for: the same in both rows. */
static char *put_needs(char *p, const hc_writer *w, const hc_slots *s, uint64_t *lost)
{
  p = hc_put_char(hc_alibaba_put_cpu(hc_put_char(p, ','), s->need[HC_DIM_CPU]), ',');
  p = hc_put_char(hc_alibaba_put_cpu(p, s->need[HC_DIM_CPU]), ',');
  return hc_put_char(hc_alibaba_put_part(p, s->need[HC_DIM_MEMORY], w->o->memory_scale, 100, lost), '\n');
}

/* The reader of one that has not ended takes it to run until the trace ends. */
static void say_status(const hc_writer *w, const hc_task_spec *t, bool stops, uint64_t *lost)
{
  const int32_t said = stops ? HC_STATUS_COMPLETED : HC_STATUS_UNKNOWN;
  if (t->status == said) *lost &= ~HC_FACT_BIT(STATUS);
  if (!stops && (hc_end_of(t) != w->o->trace_end || !(t->flags & HC_SPEC_NO_END))) *lost |= HC_FACT_BIT(RUN);
}

static hc_rc containers_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  const hc_task_spec *t = &task->spec;
  const hc_slots s = hc_slots_of(t);
  const hc_time start = hc_start_of(t), end = hc_end_of(t);
  const int64_t rows = hc_alibaba_instances(&s);
  int64_t from, until;
  char name[64], needs[160];
  bool stops;
  if (!hc_is_time(start) || t->run < 0) return 1;
  TRY(hc_rows_allowed(t, rows, "alibaba_v2018_containers", e));
  if (w->seen.count + w->twins + (uint64_t)rows > MOST_CONTAINERS)
    return hc_fail(
        e, HC_ELIMIT, "alibaba_v2018_containers", 0, 0,
        "more than %llu containers, which no reader takes: choose fewer tasks (--first, --where, --from)",
        (unsigned long long)MOST_CONTAINERS);
  from = hc_whole(start, HC_SECOND, lost);
  until = hc_is_time(end) ? hc_whole(end, HC_SECOND, lost) : from;
  stops = !(t->flags & HC_SPEC_NO_END) && until > from;
  const size_t size = (size_t)(put_needs(needs, w, &s, lost) - needs);
  for (int64_t i = 0; i < rows; i++) {
    const char *name_end = put_container(name, w, t->id, lost);
    const size_t name_size = (size_t)(name_end ? name_end - name : 0);
    char *p;
    if (!name_end) return HC_ENOMEM;
    TRY(hc_out_row(&w->rows.out, &p));
    p = put_row(p, name, name_size, from, t, "started");
    memcpy(p, needs, size);
    p += size;
    if (stops) {
      p = put_row(p, name, name_size, until, t, "stopped");
      memcpy(p, needs, size);
      p += size;
    }
    hc_out_end(&w->rows.out, p);
  }
  say_status(w, t, stops, lost);
  *lost &= ~hc_slots_say(t, &s);
  if (t->wait > 0) *lost |= HC_FACT_BIT(SUBMIT);
  else *lost &= ~HC_FACT_BIT(WAIT);
  return 0;
}

static const hc_param params[] = {
    HC_ALIBABA_MEMORY_SCALE(options, "100 of mem_size"),
    HC_PARAM(TIME, options, trace_end, "s", "8d", 0, 1e9,
             "When the trace ends, up to which its reader has a container run that has not stopped: a task "
             "that had not ended keeps its run time only if it was seen until then."),
    {.name = NULL},
};

const hc_writer_type hc_writer_alibaba_v2018_containers = {
    .component =
        {HC_COMPONENT_HEAD(hc_writer_type, HC_KIND_WRITER), .name = "alibaba_v2018_containers",
         .summary = "container_meta.csv of Alibaba's trace of 2018: each task as a container",
         .detail =
             "8 columns, no header, whole seconds: a row when it started, and one when it ended, unless it had not. "
             "container_id is c_ and the number, or the number with a rank if it is taken; app_du is app_ and the group; "
             "machine_id is empty; cpu_request and cpu_limit are 100 for a core; mem_size is 0 to 100 of memory_scale, "
             "with the decimals that it takes to be exact. A task becomes a container for each of its hosts and for each "
             "of a bundle. One that never ran, or started at a time before 0 or at an unknown one, is left out.",
         .source = "https://github.com/alibaba/clusterdata, cluster-trace-v2018", .params = params,
         .options_size = sizeof(options)},
    .holds = HC_FACT_BIT(ID) | HC_FACT_BIT(SUBMIT) | HC_FACT_BIT(RUN) | HC_FACT_BIT(GROUP) |
             HC_FACT_BIT(CPU) | HC_FACT_BIT(MEMORY) | HC_FACT_BIT(BUNDLE) | HC_FACT_BIT(AT_START) |
             HC_FACT_BIT(NO_END),
    .ending = ".csv",
    .open = containers_open,
    .task = containers_task,
    .finish = hc_rows_finish,
    .close = containers_close,
};
