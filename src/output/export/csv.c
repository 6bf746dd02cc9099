/* csv.c -- one table of a result as comma-separated values (RFC 4180, a header line, lines end in LF).
 *
 * Tasks come with times in exact seconds, with the waits that are computed next, and with the states'
 * names; what is not known is an empty field. Other tables come as they are stored. Cost: 1 us a task. */
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "output/emit.h"

typedef struct csv_options {
  int table;
  bool header;
  int formulas, names;
} csv_options;

enum { FORMULAS_QUOTE, FORMULAS_KEEP };
enum { NAMES_SHOWN, NAMES_NUMBERS };

typedef struct csv_table {
  const char *name;
  size_t columns;
  const char *header;
} csv_table;

typedef struct csv_writer {
  hc_emit emit;
  hc_result *of, *result; /* result: whose names are shown; NULL: numbers are */
  size_t columns;
  size_t more;      /* amounts beyond those of the table's own header */
  bool is_plain;    /* no cell is a formula */
  bool has_besides; /* some task has an account or a QOS beside: two more columns */
  bool adds_name;   /* of the host that the second column numbers */
  hc_buffer names;  /* of all hosts, each with a NUL */
  size_t *name_at;  /* [host_count] */
  size_t host_count, name_cap;
  const hc_allocator *allocator;
} csv_writer;

static const hc_param params[] = {
    HC_PARAM(
        CHOICE, csv_options, table,
        "tasks|summary|cells|rejected|configuration|inputs|rows|finals|run_info|jobs|hosts|grants|attempts|"
        "host_changes|resizes|regrants|regrant_devices|resize_rates|molds|reservations|announcements|"
        "overruns|power|silent_failures|conflicts|names|task_names|task_accounts",
        "tasks",
        "Which table. tasks: a row for each task. summary: the figures. cells: the tables by user, by day "
        "and so on. rejected: rows of the sources that are no tasks. configuration, inputs: what was run. "
        "rows, finals: the two ledgers. run_info: facts of the computation. jobs: a row for each job of a "
        "closed world, times in ns. hosts: the hosts of the cell. grants: what each task had of which host. "
        "attempts: attempts that lost a host. host_changes: what happened to hosts. Times are in ns, amounts "
        "in thousandths of a core, bytes of memory, bytes of disk, thousandths of a GPU, units. resizes, "
        "regrants, regrant_devices, resize_rates: tasks that were resized, and what they had from then on. "
        "molds: starts in another size than the task asks for. reservations: advance reservations, a row for "
        "each window and range of hosts. overruns: what tasks still had when a reservation began; serial -1: "
        "so many processors. announcements: other announced changes of hosts; kind 1: they drain, 2: they "
        "return at the end, 3: they change in size. power: hosts that plans switched, with the state from "
        "then on: 0 on, 1 stopping, 2 off, 3 starting, 4 (k + 1) on in state of power k. silent_failures: "
        "hosts that failed unseen by the scheduler. conflicts: placements that were refused, one by one. "
        "names: what users, queues and so on are called. task_names: what tasks are called, by serial. "
        "task_accounts: numbers of a task's account and QOS, where its source has them beside a group and a "
        "queue."),
    HC_PARAM(BOOL, csv_options, header, "true", "Whether the first line names the columns."),
    HC_PARAM(CHOICE, csv_options, formulas, "quote|keep", "quote",
             "What becomes of texts that a spreadsheet would run as a formula: they begin with =, +, -, @, a "
             "tab or a carriage return, and are no numbers. quote: they get an apostrophe before them. keep: "
             "they stay as they are, for programs."),
    HC_PARAM(
        CHOICE, csv_options, names, "shown|numbers", "shown",
        "What the columns id, user, group, executable, queue, partition, account and qos of tasks contain. "
        "shown: the name in the source, or the number where it has no name. numbers: always the number."),
    {.name = NULL},
};

#define AMOUNTS "cpu,memory,disk,gpu,other4,other5,other6,other7"
enum { GRANTS = 11 };

/* In the order of the choices. */
static const csv_table tables[] = {
    {"tasks", 0,
     "serial,id,submit,start,end,wait,held,response,processors,limit,estimate,run,user,group,executable,"
     "queue,partition,state,backfilled,clamped,no_limit,suspended"},
    {"summary", 4, "scope,name,unit,value"},
    {"cells", 6, "scope,table,key,name,unit,value"},
    {"rejected", 4, "file,line,reason,text"},
    {"configuration", 5, "path,value,origin,default,names"},
    {"inputs", 3, "path,bytes,checksum"},
    {"rows", 2, "reason,count"},
    {"finals", 2, "state,count"},
    {"run_info", 2, "key,value"},
    {"jobs", 16,
     "job,workload,scheduler,submit,tasks,duration,attempts,task_attempts,wait_first,wait_full,useful,wasted,unscheduled,"
     "first_start,full,given_up"},
    {"hosts", 12, "host,name,class,devices," AMOUNTS},
    {"grants", 12, "serial,host,slots,devices," AMOUNTS ",name"},
    {"attempts", 4, "serial,attempt,start,end"},
    {"host_changes", 11, "at,host,change," AMOUNTS},
    {"resizes", 11, "serial,at,host," AMOUNTS},
    {"regrants", 14, "serial,at,resize,units,host,slots," AMOUNTS},
    {"regrant_devices", 6, "serial,at,resize,host,devices,further_devices"},
    {"resize_rates", 5, "serial,at,resize,rate,pause"},
    {"molds", 6, "serial,start,asked,size,asked_estimate,estimate"},
    {"reservations", 6, "reservation,start,end,units,first,count"},
    {"announcements", 6, "kind,start,end,announced,first,count"},
    {"overruns", 4, "reservation,at,serial,units"},
    {"power", 3, "at,host,state"},
    {"silent_failures", 2, "at,host"},
    {"conflicts", 13,
     "at,attempt,scheduler,name,action,serial,job,host,reason,against,against_name,against_serial,"
     "against_job"},
    {"names", 3, "number,kind,name"},
    {"task_names", 3, "serial,id,job"},
    {"task_accounts", 3, "serial,account,qos"},
};

static void comma(hc_emit *m)
{
  hc_buffer_add(&m->text, ",", 1);
}

static void time_field(hc_emit *m, hc_time t)
{
  comma(m);
  hc_emit_seconds(m, t, "");
}

static hc_time between(hc_time from, hc_time to)
{
  return from == HC_UNKNOWN || to == HC_UNKNOWN ? HC_UNKNOWN : to - from;
}

static hc_rc keep_name(void *ctx, const char *const *values)
{
  csv_writer *w = ctx;
  const char *name = values[1] ? values[1] : "";
  TRY(hc_reserve(w->allocator, (void **)&w->name_at, &w->name_cap, w->host_count + 1, sizeof *w->name_at));
  w->name_at[w->host_count++] = w->names.size;
  hc_buffer_add(&w->names, name, strlen(name) + 1);
  return w->names.failed ? HC_ENOMEM : 0;
}

/* A spreadsheet takes a cell that begins so for a formula, and runs it. Numbers with a sign are numbers. */
static bool is_formula(const char *text)
{
  double ignored;
  if (!text[0] || !text[1] || !strchr("=+-@\t\r", text[0])) return false;
  return hc_parse_real(text, strlen(text), &ignored) < 0;
}

static void text_field(csv_writer *w, const char *text)
{
  hc_buffer quoted;
  if (!w->is_plain || !is_formula(text)) {
    hc_csv_field(&w->emit.text, text, strlen(text));
    return;
  }
  hc_buffer_init(&quoted, w->allocator);
  hc_buffer_text(&quoted, "'");
  hc_buffer_text(&quoted, text);
  hc_csv_field(&w->emit.text, quoted.data ? quoted.data : "", quoted.size);
  w->emit.text.failed |= quoted.failed;
  hc_buffer_fini(&quoted);
}

static void number_field(hc_emit *m, int64_t n)
{
  comma(m);
  if (n != -1 && n != HC_UNKNOWN) hc_emit_int(m, n);
}

static void called_field(csv_writer *w, hc_called kind, int64_t number)
{
  const char *name = w->result ? hc_result_name(w->result, kind, number) : NULL;
  if (!name) {
    number_field(&w->emit, number);
    return;
  }
  comma(&w->emit);
  text_field(w, name);
}

static void task_field(csv_writer *w, const hc_task_record *t)
{
  const char *name = w->result ? hc_result_task_name(w->result, t->serial) : NULL;
  if (!name) {
    number_field(&w->emit, t->id);
    return;
  }
  comma(&w->emit);
  text_field(w, name);
}

static void beside_fields(csv_writer *w, int64_t serial)
{
  hc_beside b = {-1, -1};
  (void)hc_result_beside(w->of, serial, &b);
  called_field(w, HC_CALLED_ACCOUNT, b.account);
  called_field(w, HC_CALLED_QOS, b.qos);
}

static hc_rc write_task(void *ctx, const hc_task_record *t)
{
  csv_writer *w = ctx;
  hc_emit *m = &w->emit;
  hc_emit_int(m, t->serial);
  task_field(w, t);
  time_field(m, t->submit);
  time_field(m, t->start);
  time_field(m, t->end);
  time_field(m, between(t->submit, t->start));
  time_field(m, between(t->start, t->end));
  time_field(m, t->start == HC_UNKNOWN ? HC_UNKNOWN : between(t->submit, t->end));
  comma(m);
  hc_emit_processors(m, t->units);
  time_field(m, t->limit);
  time_field(m, t->estimate);
  time_field(m, t->run);
  called_field(w, HC_CALLED_USER, t->user);
  called_field(w, HC_CALLED_GROUP, t->group);
  called_field(w, HC_CALLED_EXECUTABLE, t->executable);
  called_field(w, HC_CALLED_QUEUE, t->queue);
  called_field(w, HC_CALLED_PARTITION, t->partition);
  comma(m);
  hc_buffer_text(&m->text, hc_final_name((hc_final)t->final));
  hc_buffer_text(&m->text, t->flags & HC_TASK_BACKFILLED ? ",1" : ",0");
  hc_buffer_text(&m->text, t->flags & HC_TASK_CLAMPED ? ",1" : ",0");
  hc_buffer_text(&m->text, t->flags & HC_TASK_NO_LIMIT ? ",1" : ",0");
  time_field(m, hc_emit_suspended(t));
  if (w->has_besides) beside_fields(w, t->serial);
  hc_buffer_text(&m->text, "\n");
  return 0;
}

static void name_field(csv_writer *w, const char *number)
{
  int64_t host = -1;
  comma(&w->emit);
  if (!number || hc_parse_int(number, strlen(number), &host) < 0 || host < 0 ||
      (uint64_t)host >= w->host_count)
    return;
  const char *name = w->names.data + w->name_at[host];
  text_field(w, name);
}

static hc_rc write_row(void *ctx, const char *const *values)
{
  csv_writer *w = ctx;
  for (size_t i = 0; i < w->columns + w->more; i++) {
    if (i > 0) comma(&w->emit);
    if (values[i]) text_field(w, values[i]);
  }
  if (w->adds_name) name_field(w, values[1]);
  hc_buffer_text(&w->emit.text, "\n");
  return hc_emit_row(&w->emit);
}

/* Further amounts, and devices, stand behind the first eight, before the name. */
static void write_header(csv_writer *w, const char *header)
{
  hc_buffer *b = &w->emit.text;
  const char *end = strstr(header, AMOUNTS);
  const size_t n = end ? (size_t)(end - header) + sizeof AMOUNTS - 1 : strlen(header);
  hc_buffer_add(b, header, n);
  for (size_t d = HC_NEEDS; d < HC_NEEDS + w->more; d++)
    hc_buffer_printf(b, d < HC_DIMENSIONS ? ",other%zu" : ",devices%zu",
                     d < HC_DIMENSIONS ? d : 32 * (d - HC_DIMENSIONS + 1));
  hc_buffer_text(b, header + n);
  if (w->has_besides) hc_buffer_text(b, ",account,qos");
  hc_buffer_text(b, "\n");
}

static hc_rc run(const hc_allocator *a, const void *options, hc_result *r, const hc_sink *out, hc_error *e)
{
  const csv_options *o = options;
  const csv_table *table = &tables[o->table];
  csv_writer w = {.columns = table->columns,
                  .allocator = a,
                  .of = r,
                  .result = o->names == NAMES_SHOWN ? r : NULL,
                  .is_plain = o->formulas == FORMULAS_QUOTE,
                  .adds_name = o->table == GRANTS};
  hc_rc rc = 0;
  if (table->columns == 0) {
    TRY(hc_emit_need_tasks(r, false, e));
    w.has_besides = hc_emit_has_besides(r);
  }
  hc_buffer_init(&w.names, a);
  if (strstr(table->header, AMOUNTS)) w.more = hc_result_amounts(r) - HC_NEEDS;
  if (w.adds_name) rc = hc_result_rows(r, "hosts", tables[GRANTS - 1].columns, keep_name, &w, e);
  hc_emit_init(&w.emit, a, out, e);
  if (o->header) {
    write_header(&w, table->header);
  }
  if (rc == 0 && table->columns == 0) {
    rc = hc_emit_tasks(&w.emit, r, HC_EMIT_STORED, write_task, &w);
  } else if (rc == 0) {
    rc = hc_result_rows(r, table->name, table->columns + w.more, write_row, &w, e);
  }
  hc_buffer_fini(&w.names);
  hc_free(a, w.name_at, w.name_cap * sizeof *w.name_at);
  return hc_emit_end(&w.emit, rc);
}

const hc_exporter_type hc_exporter_csv = {
    .component =
        {HC_COMPONENT_HEAD(hc_exporter_type, HC_KIND_EXPORTER), .name = "csv",
         .summary = "one table as comma-separated values",
         .detail =
             "Times of tasks are exact seconds from the run's origin; held = end - start, of which a task "
             "was suspended for `suspended`; unknown values are empty. The columns `account` and `qos` exist "
             "if some task has an account beside its group, or a QOS beside its queue. On hosts the number "
             "of processors may be a fraction, such as 0.25; a task that was resized has the mean of its "
             "sizes, which the table regrants lists one by one. Tasks come in the order in which they ended.",
         .source = "RFC 4180", .params = params, .options_size = sizeof(csv_options)},
    .run = run,
};
