/* native.c -- writes the native format: a YAML list with an entry for each task, which the reader `native`
 * makes the same task again.
 *
 *   - id: 7
 *     submit_time: 12.5
 *     resources: {nodes_count: 2, cpu_per_node: 0.5, memory_per_node: 8192, gpu: 0.25, "fpga": 1}
 *     profile: {type: idle, args: {time: 300}}
 *     wall_time_limit: 600
 *     priority: 3
 *     collection_id: 2
 *     execution_index: 7
 *     user: {4: "ann"}
 *     start_after: [{job: 2, task: 1}]
 *     constraints: ["ssd|gpu_model=V100", {attribute: "a=b", is: ">=", value: 5}]
 *     recorded: {wait: 5, status: completed}
 *
 * A task of a batch log has `procs` and `memory_per_proc` in place of resources. Amounts are exact (memory
 * counts in units of `memory_unit`, rounded up). What is not known is left out, and what follows from other
 * keys is not said again. A task says what it does by how long it takes. A user or queue keeps its number,
 * and its name beside it.
 *
 * What cannot be said: a submission before time 0 (the task is left out), amounts from 2^52, numbers of tasks
 * and jobs from 10^18 that are no hashes of names, names of dimensions that mean something else, and lists so
 * long that the entry would pass the reader's limit of 1 MiB.
 *
 * `dialect: dslab` keeps to what DSLab-CS itself reads: whole cores, rounded up, one slot for a batch
 * task, none of the keys that are ours; a task without run time is left out, and a bundle becomes as many
 * entries, without ids, since ids are taken once there. Source: DSLab-CS. Cost: about 0.3 us per task. */
#include "workload/native.h"
#include "workload/constraint_text.h"
#include "workload/spec.h"
#include "workload/writing.h"

typedef enum dialect { FULL, DSLAB } dialect;

typedef struct options {
  int dialect;
  int64_t memory_unit;
} options;

struct hc_writer {
  hc_rows rows; /* which begins as every writer's that gathers rows */
  const options *o;
  hc_buffer item, part; /* the entry at hand, and the members of a map in it */
  bool any;
};

#define DSLAB_HOLDS \
  (HC_FACT_BIT(ID) | HC_FACT_BIT(SUBMIT) | HC_FACT_BIT(RUN) | HC_FACT_BIT(LIMIT) | HC_FACT_BIT(PRIORITY) | \
   HC_FACT_BIT(JOB) | HC_FACT_BIT(HOSTS) | HC_FACT_BIT(CPU) | HC_FACT_BIT(MEMORY) | HC_FACT_BIT(BUNDLE))
#define LISTS \
  (HC_FACT_BIT(AFTER) | HC_FACT_BIT(CONSTRAINTS) | HC_FACT_BIT(NAMED_HOSTS) | HC_FACT_BIT(CHUNKS) | \
   HC_FACT_BIT(USE) | HC_FACT_BIT(RESIZES) | HC_FACT_BIT(DATA) | HC_FACT_BIT(HOST_COUNT) | \
   HC_FACT_BIT(AT_ONCE) | HC_FACT_BIT(TERMS) | HC_FACT_BIT(AGAIN))
/* Every fact but the last two, which only writers know, and names, each of which is kept if it is a text. */
#define ALL_FACTS ((HC_FACT_BIT(FRACTION) - 1) & ~HC_FACTS_NAMES)

static void native_close(hc_writer *w)
{
  if (w) hc_buffer_fini(&w->item);
  if (w) hc_buffer_fini(&w->part);
  hc_rows_close(w);
}

static hc_rc native_open(const hc_writer_context *c, const void *given, hc_writer **out, hc_error *e)
{
  hc_writer *w;
  hc_rc rc;
  HC_UNUSED(e);
  TRY(hc_rows_open(c, sizeof *w, NULL, &w));
  w->o = given;
  hc_buffer_init(&w->item, c->allocator);
  hc_buffer_init(&w->part, c->allocator);
  if (c->note) hc_buffer_printf(&w->item, "# %s\n", c->note);
  if (c->info && c->info->unix_start != HC_UNKNOWN)
    hc_buffer_printf(&w->item, "# time 0 is the Unix time %lld: the reader's `origin`\n",
                     (long long)c->info->unix_start);
  rc = w->item.failed ? HC_ENOMEM : hc_out_add(&w->rows.out, w->item.data, w->item.size);
  if (rc < 0) native_close(w);
  else *out = w;
  return rc;
}

/* ---- for DSLab-CS ---- */

static int64_t whole_units(int64_t n, int64_t unit, uint64_t *lost)
{
  if (n < 0) return 0;
  if (n % unit != 0) *lost |= HC_FACT_BIT(PRECISION);
  return n / unit + (n % unit != 0);
}

static char *put_dslab(char *p, const hc_writer *w, const hc_task_spec *t, int64_t i, uint64_t *lost)
{
  const hc_slots s = hc_slots_of(t);
  if (t->count <= 1) p = hc_put_int(hc_put_text(p, "- id: "), t->id);
  else p = hc_put_int(hc_put_text(hc_put_int(hc_put_text(p, "- name: \""), t->id), ":"), i);
  p = hc_put_text(p, t->count > 1 ? "\"\n  submit_time: " : "\n  submit_time: ");
  p = hc_put_parts(p, t->submit, HC_SECOND);
  p = hc_put_int(hc_put_text(p, "\n  resources: {nodes_count: "), s.hosts);
  p = hc_put_int(hc_put_text(p, ", cpu_per_node: "), whole_units(s.need[HC_DIM_CPU], 1000, lost));
  p = hc_put_int(hc_put_text(p, ", memory_per_node: "),
                 whole_units(s.need[HC_DIM_MEMORY], w->o->memory_unit, lost));
  p = hc_put_parts(hc_put_text(p, "}\n  profile: {type: idle, args: {time: "), t->run, HC_SECOND);
  p = hc_put_text(p, "}}\n");
  if (t->limit >= 0 && t->limit != HC_NEVER)
    p = hc_put_char(hc_put_parts(hc_put_text(p, "  wall_time_limit: "), t->limit, HC_SECOND), '\n');
  if (t->priority != 0) p = hc_put_char(hc_put_int(hc_put_text(p, "  priority: "), t->priority), '\n');
  if (t->job >= 0) {
    p = hc_put_int(hc_put_text(p, "  collection_id: "), t->job);
    p = hc_put_char(hc_put_int(hc_put_text(p, "\n  execution_index: "), t->id), '\n');
  }
  *lost &= ~hc_slots_say(t, &s);
  return p;
}

static hc_rc write_dslab(hc_writer *w, const hc_task_spec *t, uint64_t *lost, hc_error *e)
{
  const int64_t rows = t->count > 1 ? t->count : 1;
  *lost |= hc_task_facts(t, w->rows.context->lexicon) & ~DSLAB_HOLDS;
  TRY(hc_rows_allowed(t, rows, "native", e));
  for (int64_t i = 0; i < rows; i++) {
    char *row;
    TRY(hc_out_row(&w->rows.out, &row));
    hc_out_end(&w->rows.out, put_dslab(row, w, t, i, lost));
  }
  w->any = true;
  return 0;
}

/* ---- one key, or one member: each begins with what is put before it ---- */

/* Ends a line, if one was begun. */
static void end_line(hc_buffer *b)
{
  if (b->size > 0 && b->data[b->size - 1] != '\n') hc_buffer_text(b, "\n");
}

/* The members in `part`, each of which begins with ", ", as a map. */
static void add_part(hc_writer *w, const char *before)
{
  if (w->part.failed) w->item.failed = true;
  if (w->part.size == 0 || w->part.failed) return;
  hc_buffer_text(&w->item, before);
  hc_buffer_add(&w->item, w->part.data + 2, w->part.size - 2);
  hc_buffer_text(&w->item, "}");
}

static void add_parts(hc_buffer *b, const char *before, int64_t n, int64_t unit)
{
  char text[48];
  hc_buffer_text(b, before);
  hc_buffer_add(b, text, (size_t)(hc_put_parts(text, n, unit) - text));
}

static void add_time(hc_buffer *b, const char *before, hc_time t)
{
  if (t >= 0 && t != HC_NEVER) add_parts(b, before, t, HC_SECOND);
}

/* An amount in units of `unit`; one that the reader refuses is lost. False: nothing was said. */
static bool add_amount(hc_buffer *b, const char *before, int64_t n, int64_t unit, uint64_t fact,
                       uint64_t *lost)
{
  if (n < 0) return false;
  if (n >= HC_NATIVE_AMOUNT) {
    *lost |= fact;
    return false;
  }
  if (unit == 1000) add_parts(b, before, n, unit);
  else hc_add_int(b, before, whole_units(n, unit, lost));
  return true;
}

/* A number that may have a name. */
static void add_called(hc_writer *w, const char *before, hc_called kind, int64_t n, uint64_t *lost)
{
  const char *name = hc_called_of(w->rows.context, kind, n);
  hc_buffer *b = &w->item;
  if (n < 0) return;
  if (name && !hc_is_plain_text(name)) {
    *lost |= hc_name_fact(kind);
    name = NULL;
  }
  if (!name) {
    hc_add_int(b, before, n);
    hc_buffer_text(b, "\n");
    return;
  }
  *lost &= ~hc_name_fact(kind);
  hc_buffer_text(b, before);
  hc_add_int(b, "{", n);
  hc_add_string(b, ": ", name);
  hc_buffer_text(b, "}\n");
}

/* ---- what it needs ---- */

/* @param count  of `need`: of so many dimensions, in the order of the lexicon */
static void add_group(hc_writer *w, int64_t hosts, const int64_t *need, uint32_t count, uint64_t *lost)
{
  static const struct {
    const char *before;
    uint64_t fact;
  } known[HC_DIM_OTHER] = {{", cpu_per_node: ", HC_FACT_BIT(CPU)},
                           {", memory_per_node: ", HC_FACT_BIT(MEMORY)},
                           {", disk: ", HC_FACT_BIT(DISK)},
                           {", gpu: ", HC_FACT_BIT(GPU)}};
  const int64_t units[HC_DIM_OTHER] = {1000, w->o->memory_unit, w->o->memory_unit, HC_DEVICE};
  hc_buffer *b = &w->item;
  if (hosts > 0) hc_add_int(b, "{nodes_count: ", hosts);
  else hc_buffer_text(b, "{nodes_count: unknown");
  for (int d = 0; d < HC_DIM_OTHER; d++)
    (void)add_amount(b, known[d].before, need[d], units[d], known[d].fact, lost);
  for (uint32_t d = HC_DIM_OTHER; d < count; d++) {
    const char *name = hc_lexicon_dimension_name(w->rows.context->lexicon, d);
    if (need[d] < 0 || !name) continue;
    if (!hc_native_is_dimension(name) || need[d] >= HC_NATIVE_AMOUNT) {
      *lost |= HC_FACT_BIT(OTHER);
      continue;
    }
    hc_add_string(b, ", ", name);
    hc_add_int(b, ": ", need[d]);
  }
  hc_buffer_text(b, "}");
}

static bool has_need(const int64_t *need)
{
  for (int d = 0; d < HC_DIMENSIONS; d++)
    if (need[d] >= 0) return true;
  return false;
}

/* Hosts that are not said are one, unless processors say how many slots there are and no vector does. */
static int64_t hosts_of(const hc_task_spec *t)
{
  const bool packed = t->need[HC_DIM_CPU] > 0 || t->need[HC_DIM_MEMORY] > 0 || t->need[HC_DIM_GPU] > 0;
  return t->hosts > 0 ? t->hosts : packed || (t->procs_asked <= 0 && t->procs_used <= 0) ? 1 : HC_UNKNOWN;
}

/* How many processors it would count as where only these count: what is known, else its cores, slot by
 * slot. */
static int64_t units_of(const hc_task_spec *t)
{
  int64_t units;
  if (t->procs_asked > 0 || t->procs_used > 0 || t->need[HC_DIM_CPU] <= 1000)
    return t->procs_asked > 0 ? t->procs_asked : t->procs_used > 0 ? HC_UNKNOWN : HC_MAX(t->hosts, 1);
  units = t->need[HC_DIM_CPU] / 1000 + (t->need[HC_DIM_CPU] % 1000 != 0);
  return __builtin_mul_overflow(units, HC_MAX(t->hosts, 1), &units) ? HC_UNKNOWN : units;
}

/* Processors, and memory for each, where they are not what its resources come to. */
static void add_processors(hc_writer *w, const hc_task_spec *t, const hc_task_spec *derived, uint64_t *lost)
{
  hc_buffer *b = &w->item;
  const int64_t unit = w->o->memory_unit;
  const bool alone = derived->procs_asked == HC_UNKNOWN;
  if (alone || derived->procs_asked != units_of(t)) {
    if (!add_amount(b, "  procs: ", t->procs_asked, 1, HC_FACT_BIT(PROCS_ASKED), lost))
      hc_buffer_text(b, "  procs: unknown");
    end_line(b);
  }
  if (t->memory_asked == derived->memory_asked || (t->procs_asked <= 0 && t->memory_asked == HC_UNKNOWN))
    return;
  if (!add_amount(b, "  memory_per_proc: ", t->memory_asked, unit, HC_FACT_BIT(MEMORY_ASKED), lost))
    hc_buffer_text(b, "  memory_per_proc: unknown");
  end_line(b);
}

static void add_needs(hc_writer *w, const hc_task_spec *t, const hc_task_extras *m, uint64_t *lost)
{
  hc_task_spec derived = *t;
  hc_buffer *b = &w->item;
  const int64_t hosts = hosts_of(t);
  int64_t all = HC_MAX(hosts, 1), need[HC_DIMENSIONS];
  hc_spec_needs(t, w->rows.context->lexicon, need);
  derived.procs_asked = derived.memory_asked = HC_UNKNOWN;
  if (t->hosts > 0 || has_need(need) || m->chunk_count > 0) {
    derived.hosts = hosts;
    hc_native_derive(&derived, m->chunks, m->chunk_count);
    hc_buffer_text(b, m->chunk_count ? "  resources: [" : "  resources: ");
    add_group(w, hosts, need, HC_DIMENSIONS, lost);
    for (size_t i = 0; i < m->chunk_count; i++) {
      hc_buffer_text(b, ", ");
      add_group(w, m->chunks[i].hosts, m->chunks[i].need, HC_DIMENSIONS, lost);
      all += m->chunks[i].hosts;
    }
    hc_buffer_text(b, m->chunk_count ? "]\n" : "\n");
  }
  add_processors(w, t, &derived, lost);
  if ((all > 1) != ((t->flags & HC_SPEC_SPREAD) != 0))
    hc_buffer_text(b, t->flags & HC_SPEC_SPREAD ? "  spread: true\n" : "  spread: false\n");
}

/* ---- rare facts ---- */

static void add_after(hc_buffer *b, const hc_task_extras *m, uint64_t *lost)
{
  static const char *const keys[] = {[HC_AFTER_ENDED] = "  start_after: [{job: ",
                                     [HC_AFTER_COMPLETED] = "  after_ok: [{job: ",
                                     [HC_AFTER_FAILED] = "  after_not_ok: [{job: ",
                                     [HC_AFTER_STARTED] = "  after_start: [{job: ",
                                     [HC_AFTER_ARRIVED] = "  after_arrival: [{job: "};
  for (size_t how = 0; how < HC_ARRAY_LEN(keys); how++) {
    bool any = false;
    for (size_t i = 0; i < m->after_count; i++) {
      const hc_after *a = &m->after[i];
      if (a->how != how) continue;
      if (!hc_name_holds(a->job) || (a->task != HC_UNKNOWN && !hc_name_holds(a->task))) {
        *lost |= HC_FACT_BIT(AFTER);
        continue;
      }
      hc_add_int(b, any ? ", {job: " : keys[how], a->job);
      if (a->task != HC_UNKNOWN) hc_add_int(b, ", task: ", a->task);
      hc_buffer_text(b, "}");
      any = true;
    }
    if (any) hc_buffer_text(b, "]\n");
  }
}

/* Alternatives as one text, those that are features first. False: they have signs in them. */
static bool add_as_text(hc_buffer *b, const hc_lexicon *l, const hc_constraint *c, size_t n)
{
  char text[HC_CONSTRAINT_ROOM];
  const char *between = "\"";
  for (size_t i = 0; i < n; i++)
    if (!hc_constraint_put(text, l, &c[i])) return false;
  for (int features = 1; features >= 0; features--)
    for (size_t i = 0; i < n; i++) {
      if ((c[i].compare == HC_PRESENT) != features) continue;
      hc_buffer_text(b, between);
      hc_buffer_add(b, text, (size_t)(hc_constraint_put(text, l, &c[i]) - text));
      between = "|";
    }
  hc_buffer_text(b, "\"");
  return true;
}

static void add_as_map(hc_buffer *b, const hc_lexicon *l, const hc_constraint *c)
{
  static const char *const words[] = {"=", "!=", "<", ">", ">=", "<=", "present", "absent"};
  hc_add_string(b, "{attribute: ", hc_lexicon_text(l, c->attribute));
  hc_add_string(b, ", is: ", words[c->compare]);
  if (c->compare < HC_PRESENT && c->is_text)
    hc_add_string(b, ", value: ", hc_lexicon_text(l, (uint32_t)c->value));
  else if (c->compare < HC_PRESENT) hc_add_int(b, ", value: ", c->value);
  hc_buffer_text(b, "}");
}

static void add_constraints(hc_buffer *b, const hc_lexicon *l, const hc_task_extras *m)
{
  for (size_t i = 0, n; i < m->constraint_count; i += n) {
    const hc_constraint *c = &m->constraints[i];
    for (n = 1; i + n < m->constraint_count && c[n].group == c->group;) n++;
    hc_buffer_text(b, i > 0 ? ", " : "  constraints: [");
    if (add_as_text(b, l, c, n)) continue;
    for (size_t k = 0; k < n; k++) {
      hc_buffer_text(b, n > 1 && k == 0 ? "{any: [" : k > 0 ? ", " : "");
      add_as_map(b, l, &c[k]);
    }
    if (n > 1) hc_buffer_text(b, "]}");
  }
  if (m->constraint_count > 0) hc_buffer_text(b, "]\n");
}

static void add_usage(hc_writer *w, const hc_task_extras *m, uint64_t *lost)
{
  hc_buffer *p = &w->part;
  for (size_t i = 0; i < m->use_count; i++) {
    const hc_use_step *u = &m->uses[i];
    p->size = 0;
    add_time(p, ", until: ", u->until);
    (void)add_amount(p, ", cpu: ", u->cpu, 1000, HC_FACT_BIT(USE), lost);
    (void)add_amount(p, ", memory: ", u->memory, w->o->memory_unit, HC_FACT_BIT(USE), lost);
    if (p->size == 0) hc_buffer_text(&w->item, i > 0 ? ", {}" : "  usage: [{}");
    else add_part(w, i > 0 ? ", {" : "  usage: [{");
  }
  if (m->use_count > 0) hc_buffer_text(&w->item, "]\n");
}

static void add_resizes(hc_writer *w, const hc_task_extras *m, uint64_t *lost)
{
  for (size_t i = 0; i < m->resize_count; i++) {
    add_time(&w->item, i > 0 ? ", {after: " : "  resizes: [{after: ", m->resizes[i].after);
    hc_buffer_text(&w->item, ", resources: ");
    add_group(w, 1, m->resizes[i].need, HC_NEEDS, lost);
    hc_buffer_text(&w->item, "}");
  }
  if (m->resize_count > 0) hc_buffer_text(&w->item, "]\n");
}

static const char *const whens[] = {"start", "running", "itself"}; /* of hc_size_change, bit by bit */

/* A list of shapes says nothing of while it runs; a law of all sizes, which such a task has, is written as
 * what it says of each. */
static bool is_listed(const hc_task_extras *m)
{
  return m->size_count > 0 && m->changes == HC_SIZED_AT_START;
}

static void add_malleable(hc_buffer *b, const hc_task_extras *m)
{
  if (m->of == 0 || is_listed(m)) return;
  hc_add_int(b, "  malleable: {min: ", m->least);
  hc_add_int(b, ", max: ", m->most);
  if (m->preferred > 0) hc_add_int(b, ", preferred: ", m->preferred);
  for (size_t i = 0; i < m->size_count; i++)
    hc_buffer_printf(b, "%s%.17g", i > 0 ? ", " : ", speeds: [", m->sizes[i].speed);
  if (m->size_count > 0) hc_buffer_text(b, "]");
  if (m->changes) hc_buffer_text(b, ", when: [");
  for (uint32_t k = 0, n = 0; k < HC_ARRAY_LEN(whens); k++) {
    if (!(m->changes >> k & 1)) continue;
    if (n++ > 0) hc_buffer_text(b, ", ");
    hc_buffer_text(b, whens[k]);
  }
  hc_buffer_text(b, m->changes ? "]}\n" : "}\n");
}

static void add_sizes(hc_writer *w, const hc_task_extras *m)
{
  for (size_t i = 0; is_listed(m) && i < m->size_count; i++) {
    const hc_task_size *s = &m->sizes[i];
    hc_add_int(&w->item, i > 0 ? ", {slots: " : "  shapes: [{slots: ", s->size);
    if (s->speed > 0) hc_buffer_printf(&w->item, ", speedup: %.17g", s->speed);
    else add_time(&w->item, ", time: ", s->run);
    if (s->limit != HC_UNKNOWN) add_time(&w->item, ", limit: ", s->limit);
    if (s->estimate != HC_UNKNOWN) add_time(&w->item, ", estimate: ", s->estimate);
    if (s->size == m->preferred) hc_buffer_text(&w->item, ", preferred: true");
    hc_buffer_text(&w->item, "}");
  }
  if (is_listed(m)) hc_buffer_text(&w->item, "]\n");
}

static void add_cores(hc_writer *w, const hc_task_extras *m, uint64_t *lost)
{
  if (m->most_cpu > 0 &&
      add_amount(&w->item, "  max_cores: ", m->most_cpu, 1000, HC_FACT_BIT(MALLEABLE), lost))
    hc_buffer_text(&w->item, "\n");
}

static void add_executors(hc_buffer *b, const hc_task_extras *m)
{
  for (size_t i = 0; i < m->executor_count; i++)
    hc_add_int(b, i > 0 ? ", " : "  executors: [", m->executors[i]);
  if (m->executor_count > 0) hc_buffer_text(b, "]\n");
}

static void add_host_count(hc_buffer *b, const hc_task_extras *m)
{
  if (m->at_once > 0) {
    hc_add_int(b, "  at_once: ", m->at_once);
    hc_buffer_text(b, "\n");
  }
  if (m->least_hosts == 0 && m->most_hosts == 0) return;
  hc_add_int(b, "  host_count: [", HC_MAX(m->least_hosts, 1));
  hc_add_int(b, ", ", m->most_hosts > 0 ? m->most_hosts : HC_NATIVE_TASKS);
  hc_buffer_text(b, "]\n");
}

static void add_rivals(hc_buffer *b, const hc_lexicon *l, const hc_task_extras *m, uint64_t *lost)
{
  if (m->per_host == 0 && m->per_zone == 0) return;
  if (!hc_name_holds(m->rival)) {
    *lost |= HC_FACT_BIT(RIVALS);
    return;
  }
  hc_add_int(b, "  rivals: {of: ", m->rival);
  if (m->per_host > 0) hc_add_int(b, ", per_host: ", HC_MIN(m->per_host, HC_NATIVE_TASKS));
  if (m->per_zone > 0) {
    hc_add_int(b, ", per_zone: ", HC_MIN(m->per_zone, HC_NATIVE_TASKS));
    hc_add_string(b, ", level: ", hc_lexicon_text(l, m->zone_level));
  }
  hc_buffer_text(b, "}\n");
}

static void add_line(hc_buffer *b, const char *before, const hc_lexicon *l, uint32_t name)
{
  if (name == HC_NO_NAME) return;
  hc_add_string(b, before, hc_lexicon_text(l, name));
  hc_buffer_text(b, "\n");
}

static void add_items(hc_buffer *b, const char *key, const hc_data_item *items, size_t count, uint64_t *lost)
{
  for (size_t i = 0; i < count; i++) {
    if (!hc_name_holds(items[i].name)) *lost |= HC_FACT_BIT(DATA);
    hc_buffer_text(b, i > 0 ? ", " : key);
    hc_add_int(b, "{name: ", items[i].name);
    if (items[i].bytes != HC_UNKNOWN) hc_add_int(b, ", size: ", items[i].bytes);
    hc_buffer_text(b, "}");
  }
  if (count > 0) hc_buffer_text(b, "]\n");
}

static void add_more(hc_writer *w, const hc_task_extras *m, uint64_t *lost)
{
  const hc_lexicon *l = w->rows.context->lexicon;
  hc_buffer *b = &w->item;
  add_after(b, m, lost);
  add_constraints(b, l, m);
  for (size_t i = 0; i < m->host_count; i++)
    hc_add_string(b, i > 0 ? ", " : "  hosts: [", hc_lexicon_text(l, m->hosts[i]));
  if (m->host_count > 0) hc_buffer_text(b, "]\n");
  for (size_t i = 0; i < m->prefer_count; i++)
    hc_add_string(b, i > 0 ? ", " : "  prefers: [", hc_lexicon_text(l, m->prefers[i]));
  if (m->prefer_count > 0) hc_buffer_text(b, "]\n");
  add_line(b, "  same: ", l, m->same);
  add_line(b, "  differ: ", l, m->differ);
  add_rivals(b, l, m, lost);
  add_usage(w, m, lost);
  add_resizes(w, m, lost);
  add_malleable(b, m);
  add_sizes(w, m);
  add_cores(w, m, lost);
  add_executors(b, m);
  add_host_count(b, m);
  add_items(b, "  inputs: [", m->inputs, m->input_count, lost);
  add_items(b, "  outputs: [", m->outputs, m->output_count, lost);
}

/* ---- who, when, and what became of it ---- */

static void add_who(hc_writer *w, const hc_task_spec *t, uint64_t *lost)
{
  hc_buffer *b = &w->item;
  if (hc_name_holds(t->job)) hc_add_int(b, "  collection_id: ", t->job);
  else if (t->job >= 0) *lost |= HC_FACT_BIT(JOB);
  end_line(b);
  if (hc_name_holds(t->job) && hc_name_holds(t->id)) hc_add_int(b, "  execution_index: ", t->id);
  end_line(b);
  if (hc_name_holds(t->executable)) hc_add_int(b, "  name: ", t->executable);
  else if (t->executable >= 0) *lost |= HC_FACT_BIT(EXECUTABLE);
  end_line(b);
  add_called(w, "  user: ", HC_CALLED_USER, t->user, lost);
  add_called(w, "  group: ", HC_CALLED_GROUP, t->group, lost);
  add_called(w, "  queue: ", HC_CALLED_QUEUE, t->queue, lost);
  add_called(w, "  account: ", HC_CALLED_ACCOUNT, t->account > 0 ? t->account : -1, lost);
  add_called(w, "  qos: ", HC_CALLED_QOS, t->qos > 0 ? t->qos : -1, lost);
}

/* A text of a number that stands elsewhere, if it can be said. */
static void add_text(hc_writer *w, const char *before, const char *text, uint64_t fact, uint64_t *lost)
{
  if (!text) return;
  if (!hc_is_plain_text(text)) {
    *lost |= fact;
    return;
  }
  *lost &= ~fact;
  hc_add_string(&w->part, before, text);
}

static void add_names(hc_writer *w, const hc_task_spec *t, uint64_t *lost)
{
  const hc_writer_context *c = w->rows.context;
  w->part.size = 0;
  if (hc_name_holds(t->executable))
    add_text(w, ", executable: ", hc_called_of(c, HC_CALLED_EXECUTABLE, t->executable),
             HC_FACT_BIT(EXECUTABLE_NAME), lost);
  add_text(w, ", partition: ", hc_called_of(c, HC_CALLED_PARTITION, t->partition),
           HC_FACT_BIT(PARTITION_NAME), lost);
  if (c->lexicon) {
    add_text(w, ", id: ", hc_lexicon_label_text(c->lexicon, t->label, NULL), HC_FACT_BIT(LABEL), lost);
    add_text(w, ", job: ", hc_lexicon_label_text(c->lexicon, t->job_label, NULL), HC_FACT_BIT(JOB_LABEL),
             lost);
  }
  add_part(w, "  called: {");
  end_line(&w->item);
}

/* The set, or the list of those of which any will do. */
static void add_sets(hc_buffer *b, const hc_lexicon *l, const hc_task_extras *m)
{
  if (m->set_count == 0) {
    hc_add_string(b, "", hc_lexicon_text(l, m->set));
    return;
  }
  hc_add_string(b, "[", hc_lexicon_text(l, m->set));
  for (size_t i = 0; i < m->set_count; i++) hc_add_string(b, ", ", hc_lexicon_text(l, m->sets[i]));
  hc_buffer_text(b, "]");
}

static void add_terms(hc_buffer *b, const hc_lexicon *l, const hc_task_extras *m)
{
  add_line(b, "  reservation: ", l, m->reservation);
  if (m->switches > 0) {
    hc_add_int(b, "  switches: [", m->switches);
    add_time(b, ", ", m->switch_wait);
    hc_buffer_text(b, "]\n");
  }
  if (m->least_limit > 0) {
    add_time(b, "  least_limit: ", m->least_limit);
    hc_buffer_text(b, "\n");
  }
  static const char *const beside[] = {
      [HC_EXCLUSIVE_HOST] = "true", [HC_EXCLUSIVE_USER] = "user", [HC_EXCLUSIVE_NEVER] = "never"};
  if (m->exclusive > 0) hc_buffer_printf(b, "  exclusive: %s\n", beside[m->exclusive]);
  if (m->component > 0) {
    hc_add_int(b, "  component: ", m->component - 1);
    hc_buffer_text(b, "\n");
  }
  if (m->again != HC_AGAIN_UNSAID)
    hc_buffer_text(b, m->again == HC_AGAIN_ALWAYS ? "  requeue: true\n" : "  requeue: false\n");
}

/* A partition keeps its number, and beside it the set of hosts that it means, if it means one. */
static void add_place(hc_writer *w, const hc_task_spec *t, const hc_task_extras *m)
{
  const hc_lexicon *l = w->rows.context->lexicon;
  hc_buffer *b = &w->item;
  if (t->partition < 0) {
    if (m->set == HC_NO_NAME) return;
    hc_buffer_text(b, "  set: ");
    add_sets(b, l, m);
    hc_buffer_text(b, "\n");
    return;
  }
  hc_add_int(b, "  partition: {", t->partition);
  if (m->set == HC_NO_NAME) hc_buffer_text(b, ": null");
  else {
    hc_buffer_text(b, ": ");
    add_sets(b, l, m);
  }
  hc_buffer_text(b, "}\n");
}

static void add_recorded(hc_writer *w, const hc_task_spec *t, uint64_t *lost)
{
  hc_buffer *p = &w->part;
  const hc_recorded is = hc_spec_recorded(t);
  const char *status = is == HC_RECORDED_UNKNOWN ? NULL : hc_recorded_name(is);
  p->size = 0;
  add_time(p, ", wait: ", t->wait);
  add_time(p, ", held: ", t->held);
  if (status) hc_buffer_text(p, ", status: ");
  if (status) hc_buffer_text(p, status);
  (void)add_amount(p, ", procs_used: ", t->procs_used, 1, HC_FACT_BIT(PROCS_USED), lost);
  (void)add_amount(p, ", memory_used: ", t->memory_used, w->o->memory_unit, HC_FACT_BIT(MEMORY_USED), lost);
  add_time(p, ", cpu_time: ", t->cpu_time);
  if (t->preceding >= 0) hc_add_int(p, ", preceding: ", t->preceding);
  add_time(p, ", think: ", t->think);
  hc_buffer_text(p, t->flags & HC_SPEC_AT_START ? ", at_start: true" : "");
  hc_buffer_text(p, t->flags & HC_SPEC_NO_END ? ", no_end: true" : "");
  hc_buffer_text(p, t->flags & HC_SPEC_PREFILL ? ", prefill: true" : "");
  hc_buffer_text(p, t->flags & HC_SPEC_STARTED ? ", started: true" : "");
  add_part(w, "  recorded: {");
  end_line(&w->item);
}

/* Of a task whose size is settled when it starts, or that has a law, a profile would say how long it is in
 * each. */
static bool offers_sizes(const hc_writer *w, const hc_task_spec *t)
{
  const hc_task_extras *m = t->more ? hc_lexicon_more(w->rows.context->lexicon, t->more) : NULL;
  return m && m->of > 0 && (m->changes & HC_SIZED_AT_START || m->size_count > 0) && m->profile_size == 0;
}

static void add_run(hc_writer *w, const hc_task_spec *t)
{
  hc_buffer *b = &w->item;
  if (t->run < 0) {
    hc_buffer_text(b, "  delay: unknown\n");
  } else if (offers_sizes(w, t)) {
    add_parts(b, "  delay: ", t->run, HC_SECOND);
    hc_buffer_text(b, "\n");
  } else {
    add_parts(b, "  profile: {type: idle, args: {time: ", t->run, HC_SECOND);
    hc_buffer_text(b, "}}\n");
  }
}

static void add_when(hc_writer *w, const hc_task_spec *t, uint64_t *lost)
{
  hc_buffer *b = &w->item;
  add_run(w, t);
  add_time(b, "  wall_time_limit: ", t->limit);
  end_line(b);
  add_time(b, "  schedule_after: ", t->not_before);
  end_line(b);
  add_time(b, "  cancel_at: ", t->cancel_at);
  end_line(b);
  if (t->priority < -HC_NATIVE_PRIORITY || t->priority > HC_NATIVE_PRIORITY) *lost |= HC_FACT_BIT(PRIORITY);
  else if (t->priority != 0) hc_add_int(b, "  priority: ", t->priority);
  end_line(b);
  if (t->count > 1) hc_add_int(b, "  count: ", t->count);
  end_line(b);
}

/* The entry. @param lists with those that may be long */
static void make_item(hc_writer *w, const hc_task_spec *t, bool lists, uint64_t *lost)
{
  const hc_task_extras *m = hc_lexicon_more(w->rows.context->lexicon, t->more);
  hc_task_extras more = m ? *m : hc_task_extras_none();
  hc_buffer *b = &w->item;
  b->size = 0;
  if (!lists) {
    *lost |= hc_task_facts(t, w->rows.context->lexicon) & LISTS;
    more.after_count = more.constraint_count = more.host_count = more.chunk_count = more.use_count =
        more.resize_count = more.prefer_count = more.executor_count = 0;
    more.least_hosts = more.most_hosts = more.at_once = more.switches = more.exclusive = more.component = 0;
    more.least_limit = 0;
    more.again = HC_AGAIN_UNSAID;
    more.reservation = HC_NO_NAME;
    more.input_count = more.output_count = 0;
  }
  if (hc_name_holds(t->id)) hc_add_int(b, "- id: ", t->id);
  else hc_buffer_text(b, "- id: null");
  if (t->id >= 0 && !hc_name_holds(t->id)) *lost |= HC_FACT_BIT(ID);
  end_line(b);
  add_time(b, "  submit_time: ", t->submit);
  end_line(b);
  add_needs(w, t, &more, lost);
  add_when(w, t, lost);
  add_who(w, t, lost);
  add_names(w, t, lost);
  add_place(w, t, &more);
  add_terms(b, w->rows.context->lexicon, &more);
  add_more(w, &more, lost);
  add_recorded(w, t, lost);
}

static hc_rc native_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  const hc_task_spec *t = &task->spec;
  if ((t->submit < 0 && t->submit != HC_UNKNOWN) || t->run == HC_NEVER) return 1;
  if (w->o->dialect == DSLAB) return t->submit < 0 || t->run < 0 ? 1 : write_dslab(w, t, lost, e);
  if (t->count > HC_NATIVE_TASKS || t->hosts > HC_NATIVE_TASKS)
    return hc_rows_allowed(t, HC_MAX((int64_t)t->count, t->hosts), "native", e);
  make_item(w, t, true, lost);
  if (w->item.size >= HC_ITEM_LIMIT) make_item(w, t, false, lost);
  if (w->item.failed) return HC_ENOMEM;
  w->any = true;
  return hc_out_add(&w->rows.out, w->item.data, w->item.size);
}

static hc_rc native_finish(hc_writer *w, hc_error *e)
{
  if (!w->any) TRY(hc_out_add(&w->rows.out, "[]\n", 3));
  return hc_rows_finish(w, e);
}

static const hc_param params[] = {
    HC_PARAM(CHOICE, options, dialect, "full|dslab", "full",
             "Whose format is written. full: everything that the reader `native` reads. dslab: what DSLab-CS "
             "itself reads, with whole cores and without Hindcast's further keys; the rest is lost."),
    HC_PARAM(
        SIZE, options, memory_unit, "B", "1", 1, 1e18,
        "Bytes of one unit of memory or disk, to which amounts are rounded up: the reader's memory_unit."),
    {.name = NULL},
};

const hc_writer_type hc_writer_native = {
    .component =
        {HC_COMPONENT_HEAD(hc_writer_type, HC_KIND_WRITER), .name = "native",
         .summary = "Hindcast's native YAML workload, with everything that is known of each task; or that of "
                    "DSLab-CS",
         .detail = "A list with an entry for each task, from which the reader `native` makes the same task: "
                   "submit_time, resources (any dimension, fractions, chunks) or procs, a profile that idles "
                   "for the run time, wall_time_limit, schedule_after, cancel_at, priority, collection_id "
                   "and execution_index, count, user and queue with their numbers and names, partition, "
                   "predecessors, constraints, hosts, zones, rivals, usage, resizes, and what was recorded "
                   "(wait, status ...). Times are in seconds, amounts are exact. Left out: tasks submitted "
                   "before time 0. Lost: amounts of 2^52 and more, numbers of jobs from 10^18 on, names of "
                   "dimensions that are keys of the format, and the lists of an entry of more than 1 MiB.",
         .source = "DSLab-CS, https://github.com/nogokama/dslab-cluster-simulator (native workload)",
         .params = params, .options_size = sizeof(options)},
    .holds = ALL_FACTS,
    .ending = ".yaml",
    .open = native_open,
    .task = native_task,
    .finish = native_finish,
    .close = native_close,
};
