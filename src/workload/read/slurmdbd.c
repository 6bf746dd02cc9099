/* slurmdbd.c -- the table of jobs of Slurm's database, CLUSTER_job_table, as mysqldump or a client writes it
 * out.
 *
 * A dump is SQL: `CREATE TABLE` says the order of the columns, `INSERT INTO ... VALUES (...),(...)` has the
 * rows, a line for many of them or for each; other tables of the dump are passed over. Otherwise the file is
 * a table with titles, between commas or tabs (mysql --batch, SELECT ... INTO OUTFILE with a header):
 * columns are found by their names. NULL and \N are nothing. The table of the plug-in jobcomp/mysql
 * (jobcomp_table) has columns of its own, which are known as well.
 *
 * Times are Unix seconds, 0 where nothing was; time limits are minutes, from 0xfffffffe on none. States are
 * numbers, of which the lowest eight bits count. mem_req has bit 63 where it is of each processor, in MiB.
 * tres_alloc is "1=4,2=2000,4=1": 1 processors, 2 memory in MiB, 4 nodes; which of the numbers from 1001 on
 * are GPUs tres_table says, and the option gpu_tres. A row that was deleted is none; the row of an array
 * that waits stands for its tasks. A job that was requeued has several rows.
 *
 * A dump may have the tables of several clusters, all of which are read. Users are known by number (id_user)
 * and QOS by theirs, reservations by their names where resv_table tells these (slurm_resv_table.c). What else
 * was asked on the command line submit_line has. jobcomp_table does not know submissions: a job is submitted
 * there when it started. Does not read the tables of steps, nor of events (nodes that were down). Source:
 * slurmdbd of Slurm 22.05, whose tables are made by its plug-in as_mysql. Cost: about 2 us a row. */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "workload/slurm_log.h"
#include "workload/slurm_resv_table.h"
#include "workload/sql_values.h"
#include "workload/writing.h"

#define MOST_COLUMNS 128
#define LONGEST_NAME ((size_t)64)

typedef struct options {
  hc_slurm_log_options common;
  const char *table, *reservations;
  int64_t gpu_tres;
} options;

/* Columns of the two tables; each may be there or not. */
#define FIELDS(X) \
  X(DELETED, "deleted", NULL) \
  X(JOB, "id_job", "jobid") \
  X(ARRAY_JOB, "id_array_job", NULL) \
  X(ARRAY_TASK, "id_array_task", NULL) \
  X(ARRAY_TASKS, "array_task_str", NULL) \
  X(HET_JOB, "het_job_id", "pack_job_id") \
  X(HET_OFFSET, "het_job_offset", "pack_job_offset") \
  X(UID, "id_user", "uid") \
  X(USER, "user_name", "user") \
  X(GID, "id_group", "gid") \
  X(GROUP, "group_name", NULL) \
  X(ACCOUNT, "account", "acct") \
  X(PARTITION, "partition", NULL) \
  X(QOS, "id_qos", "qos") \
  X(RESERVATION, "id_resv", NULL) \
  X(RESERVATIONS, "resv_req", NULL) \
  X(SUBMIT_LINE, "submit_line", NULL) \
  X(NAME, "job_name", "name") \
  X(SUBMIT, "time_submit", "submittime") \
  X(ELIGIBLE, "time_eligible", "eligibletime") \
  X(START, "time_start", "starttime") \
  X(END, "time_end", "endtime") \
  X(SUSPENDED, "time_suspended", NULL) \
  X(LIMIT, "timelimit", NULL) \
  X(STATE, "state", NULL) \
  X(CPUS, "cpus_req", "proc_cnt") \
  X(MEMORY, "mem_req", NULL) \
  X(NODES, "nodes_alloc", "nodecnt") \
  X(NODE_LIST, "nodelist", NULL) \
  X(PRIORITY, "priority", NULL) \
  X(TRES_ALLOC, "tres_alloc", NULL) \
  X(TRES_REQ, "tres_req", NULL)

enum {
#define X(name, column, other) name,
  FIELDS(X)
#undef X
      FIELD_COUNT
};

static const char *const fields[FIELD_COUNT][2] = {
#define X(name, column, other) [name] = {column, other},
    FIELDS(X)
#undef X
};

enum { UNKNOWN_FORM, SQL, TABLE };

struct hc_source {
  hc_slurm_log log; /* first */
  const options *o;
  hc_slurm_resv_table reservations;
  struct { /* plain state */
    uint64_t form;
    uint64_t at[FIELD_COUNT];     /* number of a column, from 1; 0: there is none */
    uint64_t width, column;       /* columns; of a table that is being made, those so far */
    char table[LONGEST_NAME];     /* at hand, if it is read; "": another one */
    char described[LONGEST_NAME]; /* whose columns are known */
    bool in_create, in_insert;
    char separator, unused[5];
  } s;
};

/* A row as it is looked at. */
typedef struct record {
  hc_slurm_cells cells;
  hc_slice said[FIELD_COUNT];
  hc_slurm_id id;
  char tres[2][512], memory[32];
} record;

/* ---- columns ---- */

static void map_column(hc_source *s, hc_slice name, uint64_t number)
{
  for (int k = 0; k < FIELD_COUNT; k++)
    for (int i = 0; i < 2; i++)
      if (fields[k][i] && hc_slurm_is(name, fields[k][i]) && s->s.at[k] == 0) s->s.at[k] = number;
}

static void forget_columns(hc_source *s)
{
  memset(s->s.at, 0, sizeof s->s.at);
  s->s.width = s->s.column = 0;
}

static bool ends_in(const char *name, const char *ending)
{
  const size_t n = strlen(name), m = strlen(ending);
  return n >= m && strcmp(name + n - m, ending) == 0;
}

/* Whether a table is read; its name becomes that at hand. */
static bool choose_table(hc_source *s, hc_slice name)
{
  char text[LONGEST_NAME] = "";
  if (name.n < sizeof text) memcpy(text, name.s, name.n);
  const bool is_wanted = s->o->table && s->o->table[0]
                             ? strcmp(text, s->o->table) == 0
                             : ends_in(text, "_job_table") || strcmp(text, "jobcomp_table") == 0;
  memset(s->s.table, 0, sizeof s->s.table);
  if (is_wanted) memcpy(s->s.table, text, sizeof text);
  return is_wanted;
}

/* ---- a row ---- */

static bool number_of(const record *r, int field, uint64_t *out)
{
  const hc_slice v = r->said[field];
  uint64_t n = 0;
  if (v.n == 0 || v.n > 20) return false;
  for (size_t i = 0; i < v.n; i++) {
    if (!hc_is_digit(v.s[i]) || __builtin_mul_overflow(n, 10, &n) ||
        __builtin_add_overflow(n, (uint64_t)(v.s[i] - '0'), &n))
      return false;
  }
  *out = n;
  return true;
}

#define NO_VALUE UINT64_C(0xfffffffe)

/* A number that is not one of those that mean none; -1. */
static int64_t value_of(const record *r, int field)
{
  uint64_t n;
  return number_of(r, field, &n) && n < NO_VALUE ? (int64_t)n : -1;
}

static bool read_id(record *r)
{
  const int64_t job = value_of(r, JOB), array = value_of(r, ARRAY_JOB), task = value_of(r, ARRAY_TASK);
  const int64_t het = value_of(r, HET_JOB), offset = value_of(r, HET_OFFSET);
  r->id = (hc_slurm_id){.job = job, .task = -1, .component = -1};
  r->cells.unique = job;
  if (array > 0 && task >= 0) r->id = (hc_slurm_id){.job = array, .task = task, .component = -1};
  else if (array > 0 && r->said[ARRAY_TASKS].n > 0) {
    const hc_slice list = r->said[ARRAY_TASKS];
    const char *percent = memchr(list.s, '%', list.n);
    r->id.list = (hc_slice){list.s, percent ? (size_t)(percent - list.s) : list.n};
    r->cells.unique = -1;
  }
  if (het > 0 && offset >= 0) r->id = (hc_slurm_id){.job = het, .task = -1, .component = offset};
  r->cells.id = &r->id;
  return job >= 0;
}

static const char *state_of(uint64_t state)
{
  static const char *const words[] = {"PENDING",   "RUNNING",   "SUSPENDED", "COMPLETED",
                                      "CANCELLED", "FAILED",    "TIMEOUT",   "NODE_FAIL",
                                      "PREEMPTED", "BOOT_FAIL", "DEADLINE",  "OUT_OF_MEMORY"};
  if (state & 0x400) return "REQUEUED";
  return (state & 0xff) < HC_ARRAY_LEN(words) ? words[state & 0xff] : "";
}

/* "1=4,2=2000,4=1" as sacct has it: "cpu=4,mem=2000M,node=1". */
static void say_tres(const hc_source *s, record *r, int field, hc_slurm_column column, char out[512])
{
  const hc_slice v = r->said[field];
  char *p = out;
  for (size_t i = 0; i < v.n && p - out < 400;) {
    const char *comma = memchr(v.s + i, ',', v.n - i);
    const size_t end = comma ? (size_t)(comma - v.s) : v.n;
    const char *equals = memchr(v.s + i, '=', end - i);
    int64_t id = 0, n = 0;
    if (equals && hc_slurm_count((hc_slice){v.s + i, (size_t)(equals - v.s) - i}, &id) == HC_SLURM_VALUE &&
        hc_slurm_count((hc_slice){equals + 1, (size_t)(v.s + end - equals) - 1}, &n) == HC_SLURM_VALUE) {
      const char *name = id == 1                ? "cpu"
                         : id == 2              ? "mem"
                         : id == 4              ? "node"
                         : id == s->o->gpu_tres ? "gres/gpu"
                                                : NULL;
      if (name) {
        p = hc_put_uint(hc_put_char(hc_put_text(p, name), '='), (uint64_t)n);
        p = hc_put_text(p, id == 2 ? "M," : ",");
      }
    }
    i = end + 1;
  }
  if (p > out) hc_slurm_say(&r->cells, column, out, (size_t)(p - out) - 1);
}

/* In MiB, of each node; with bit 63 of each processor. */
static void say_memory(record *r)
{
  uint64_t n;
  if (!number_of(r, MEMORY, &n)) return;
  const bool of_cpu = n >> 63;
  n &= ~(UINT64_C(1) << 63);
  if (n == 0 || n >= NO_VALUE) return;
  char *p = hc_put_text(hc_put_uint(r->memory, n), of_cpu ? "Mc" : "Mn");
  hc_slurm_say(&r->cells, HC_SLURM_REQ_MEM, r->memory, (size_t)(p - r->memory));
}

static void say_times(const hc_source *s, record *r)
{
  hc_slurm_cells *c = &r->cells;
  const int64_t start = value_of(r, START), end = value_of(r, END), suspended = value_of(r, SUSPENDED);
  c->at_start = s->s.at[SUBMIT] == 0;
  hc_slurm_say_number(c, HC_SLURM_SUBMIT, value_of(r, c->at_start ? START : SUBMIT));
  hc_slurm_say_number(c, HC_SLURM_ELIGIBLE, value_of(r, ELIGIBLE));
  hc_slurm_say_number(c, HC_SLURM_START, start);
  hc_slurm_say_number(c, HC_SLURM_END, end);
  if (start > 0 && end >= start && suspended > 0 && suspended <= end - start)
    hc_slurm_say_number(c, HC_SLURM_ELAPSED_RAW, end - start - suspended);
}

static void say_limit(record *r)
{
  uint64_t n;
  if (!number_of(r, LIMIT, &n)) {
    if (r->said[LIMIT].n > 0) hc_slurm_say(&r->cells, HC_SLURM_LIMIT_RAW, r->said[LIMIT].s, r->said[LIMIT].n);
  } else if (n >= NO_VALUE) hc_slurm_say_word(&r->cells, HC_SLURM_LIMIT_RAW, "UNLIMITED");
  else hc_slurm_say_number(&r->cells, HC_SLURM_LIMIT_RAW, (int64_t)n);
}

static void say_names(const hc_source *s, record *r)
{
  static const struct {
    hc_slurm_column column;
    int field;
  } names[] = {{HC_SLURM_USER, USER},         {HC_SLURM_UID, UID},         {HC_SLURM_GROUP, GROUP},
               {HC_SLURM_GID, GID},           {HC_SLURM_ACCOUNT, ACCOUNT}, {HC_SLURM_PARTITION, PARTITION},
               {HC_SLURM_QOS, QOS},           {HC_SLURM_JOB_NAME, NAME},   {HC_SLURM_NODE_LIST, NODE_LIST},
               {HC_SLURM_PRIORITY, PRIORITY}, {HC_SLURM_REQ_CPUS, CPUS}};
  for (size_t i = 0; i < HC_ARRAY_LEN(names); i++) {
    const hc_slice v = r->said[names[i].field];
    if (v.n > 0) hc_slurm_say(&r->cells, names[i].column, v.s, v.n);
  }
  if (ends_in(s->s.table, "_job_table"))
    hc_slurm_say(&r->cells, HC_SLURM_CLUSTER, s->s.table, strlen(s->s.table) - strlen("_job_table"));
}

/* What its reservation is called; by its number where no table says it. The table stands behind that of the
 * jobs in a dump, which is therefore read a second time once a job has one. */
static hc_rc say_reservation(hc_source *s, record *r, hc_error *e)
{
  hc_slurm_cells *c = &r->cells;
  const int64_t number = value_of(r, RESERVATION);
  hc_lexicon *l = s->log.context->lexicon;
  const char *file = s->o->reservations && s->o->reservations[0] ? s->o->reservations : NULL;
  if (r->said[SUBMIT_LINE].n > 0)
    hc_slurm_say(c, HC_SLURM_SUBMIT_LINE, r->said[SUBMIT_LINE].s, r->said[SUBMIT_LINE].n);
  if (r->said[RESERVATIONS].n > 0) {
    hc_slurm_say(c, HC_SLURM_RESERVATION, r->said[RESERVATIONS].s, r->said[RESERVATIONS].n);
    return 0;
  }
  if (number <= 0 || !l) return 0;
  if (!s->reservations.is_read && (file || (s->s.form == SQL && hc_input_seekable(s->log.in))))
    TRY(hc_slurm_resv_table_read(&s->reservations, l, file ? file : s->o->common.file,
                                 file ? s->log.context->sums : NULL, file != NULL, e));
  const uint32_t name = hc_slurm_resv_table_name(&s->reservations, c->at[HC_SLURM_CLUSTER], number);
  if (name != HC_NO_NAME) hc_slurm_say_word(c, HC_SLURM_RESERVATION, hc_lexicon_text(l, name));
  else hc_slurm_say(c, HC_SLURM_RESERVATION, r->said[RESERVATION].s, r->said[RESERVATION].n);
  return 0;
}

static hc_rc take_record(hc_source *s, record *r, const char *line, hc_error *e)
{
  hc_slurm_log *l = &s->log;
  const uint64_t number = hc_input_lines(l->in);
  uint64_t state = 3, n;
  r->cells.has = UINT64_C(1) << HC_SLURM_START | UINT64_C(1) << HC_SLURM_END;
  if (number_of(r, DELETED, &n) && n > 0)
    return hc_slurm_log_reject(l, NULL, number, HC_REASON_NOT_A_TASK, e);
  if (!read_id(r)) return hc_slurm_log_malformed(l, line, number, hc_slurm_place(&r->cells, r->said[JOB]), e);
  say_times(s, r);
  say_limit(r);
  say_names(s, r);
  TRY(say_reservation(s, r, e));
  say_memory(r);
  say_tres(s, r, TRES_ALLOC, HC_SLURM_ALLOC_TRES, r->tres[0]);
  say_tres(s, r, TRES_REQ, HC_SLURM_REQ_TRES, r->tres[1]);
  if (value_of(r, NODES) > 0) hc_slurm_say_number(&r->cells, HC_SLURM_NODES, value_of(r, NODES));
  if (s->s.at[TRES_ALLOC] == 0) hc_slurm_say(&r->cells, HC_SLURM_CPUS, r->said[CPUS].s, r->said[CPUS].n);
  if (number_of(r, STATE, &state)) hc_slurm_say_word(&r->cells, HC_SLURM_STATE, state_of(state));
  else hc_slurm_say(&r->cells, HC_SLURM_STATE, r->said[STATE].s, r->said[STATE].n);
  return hc_slurm_log_row(l, &r->cells, number, false, e);
}

/* The value of a column, by its number from 1. */
static void take_value(const hc_source *s, record *r, uint64_t number, hc_slice v)
{
  for (int k = 0; k < FIELD_COUNT; k++)
    if (s->s.at[k] == number) r->said[k] = v;
}

/* The same of a list of SQL. */
typedef struct tuple {
  const hc_source *s;
  record *r;
} tuple;

static void take_of_tuple(void *ctx, uint64_t number, hc_slice v)
{
  const tuple *t = ctx;
  take_value(t->s, t->r, number, v);
}

static void begin_record(record *r, const char *line, size_t n)
{
  hc_slurm_cells_begin(&r->cells, line, n);
  memset(r->said, 0, sizeof r->said);
}

/* ---- SQL ---- */

static hc_rc take_tuples(hc_source *s, char *line, char *p, size_t n, hc_error *e)
{
  hc_slurm_log *l = &s->log;
  record r;
  for (;;) {
    uint64_t count;
    while (*p == ' ' || *p == ',') p++;
    if (*p != '(') break;
    begin_record(&r, line, n);
    char *next = hc_sql_tuple(p, take_of_tuple, &(tuple){s, &r}, &count);
    if (!next || (s->s.width > 0 && count != s->s.width)) {
      TRY(hc_slurm_log_malformed(l, NULL, hc_input_lines(l->in),
                                 (uint32_t)HC_MIN((size_t)(p - line), (size_t)UINT32_MAX - 1) + 1, e));
      if (!next) return 0;
    } else TRY(take_record(s, &r, NULL, e));
    p = next;
  }
  if (*p == ';') s->s.in_insert = false;
  return 0;
}

static hc_rc sql_insert(hc_source *s, char *line, size_t n, hc_error *e)
{
  hc_slice name;
  char *p = hc_sql_name(line + strlen("INSERT INTO "), &name);
  if (!choose_table(s, name)) {
    s->s.in_insert = false;
    return 0;
  }
  s->s.in_insert = true;
  while (*p == ' ') p++;
  if (*p == '(') { /* columns are named */
    forget_columns(s);
    while (*p && *p != ')') {
      p = hc_sql_name(p + 1, &name);
      map_column(s, name, ++s->s.width);
      while (*p == ' ') p++;
    }
    p += *p == ')';
  } else if (s->s.width == 0 || strcmp(s->s.described, s->s.table) != 0)
    return hc_fail(
        e, HC_EINPUT, s->log.name, (uint32_t)hc_input_lines(s->log.in), 1,
        "no CREATE TABLE `%s` stands before its rows, so that their columns are not known: dump it without "
        "--no-create-info, or with --complete-insert",
        s->s.table);
  while (*p == ' ') p++;
  if (hc_sql_begins(p, "VALUES")) p += strlen("VALUES");
  return take_tuples(s, line, p, n, e);
}

static hc_rc sql_line(hc_source *s, char *line, size_t n, hc_error *e)
{
  hc_slice name;
  if (hc_sql_begins(line, "CREATE TABLE ")) {
    (void)hc_sql_name(line + strlen("CREATE TABLE "), &name);
    s->s.in_create = choose_table(s, name);
    if (s->s.in_create) {
      forget_columns(s);
      memcpy(s->s.described, s->s.table, sizeof s->s.table);
    }
    return 0;
  }
  if (s->s.in_create) {
    while (*line == ' ') line++;
    if (*line == '`') {
      (void)hc_sql_name(line, &name);
      map_column(s, name, ++s->s.width);
    } else if (*line == ')') s->s.in_create = false;
    return 0;
  }
  if (hc_sql_begins(line, "INSERT INTO ")) return sql_insert(s, line, n, e);
  return s->s.in_insert && *line == '(' ? take_tuples(s, line, line, n, e) : 0;
}

/* ---- tables ---- */

static hc_rc table_titles(hc_source *s, const char *line, size_t n, hc_error *e)
{
  const char separator = hc_lexer_guess(line, n);
  const hc_lexer lexer = {.separator = separator, .quotes = true, .one_line = true};
  hc_field f[MOST_COLUMNS];
  s->s.form = TABLE;
  s->s.separator = separator;
  forget_columns(s);
  s->s.width = HC_MIN(hc_lexer_cut(&lexer, line, n, f, MOST_COLUMNS), (size_t)MOST_COLUMNS);
  for (size_t i = 0; i < s->s.width; i++) map_column(s, (hc_slice){f[i].text, f[i].length}, i + 1);
  if (s->s.at[JOB] && (s->s.at[SUBMIT] || s->s.at[START]) && s->s.at[END]) return 0;
  return hc_fail(
      e, HC_EINPUT, s->log.name, (uint32_t)hc_input_lines(s->log.in), 0,
      "this is no table of slurmdbd: its first line must name the columns, id_job, time_submit, time_start "
      "and time_end among them (mysql --batch prints them), or it is what mysqldump writes");
}

static hc_rc table_row(hc_source *s, const char *line, size_t n, hc_error *e)
{
  const hc_lexer lexer = {.separator = s->s.separator, .quotes = true, .one_line = true};
  hc_slurm_log *l = &s->log;
  hc_field f[MOST_COLUMNS];
  record r;
  const size_t count = hc_lexer_cut(&lexer, line, n, f, MOST_COLUMNS);
  if (count != s->s.width) return hc_slurm_log_malformed(l, line, hc_input_lines(l->in), 0, e);
  begin_record(&r, line, n);
  for (size_t i = 0; i < count; i++) {
    hc_slice v = {f[i].text, f[i].length};
    if (hc_slurm_is(v, "NULL") || hc_slurm_is(v, "\\N")) v.n = 0;
    take_value(s, &r, i + 1, v);
  }
  return take_record(s, &r, line, e);
}

/* ---- the reader ---- */

static hc_rc slurmdbd_read(hc_source *s, hc_error *e)
{
  hc_slurm_log *l = &s->log;
  char *line;
  size_t n;
  const hc_rc rc = hc_slurm_log_line(l, &line, &n, e);
  if (rc <= 0) return rc < 0 ? rc : hc_slurm_log_end(l, e);
  l->s.begun = true;
  if (s->s.form == UNKNOWN_FORM && !hc_sql_is_dump(line)) return table_titles(s, line, n, e);
  if (s->s.form == UNKNOWN_FORM) s->s.form = SQL;
  return s->s.form == SQL ? sql_line(s, line, n, e) : table_row(s, line, n, e);
}

static const hc_slurm_log_type slurmdbd_log = {
    .who = "source slurmdbd",
    .empty = "a dump of a table CLUSTER_job_table",
    .advice = "no row can be read as a job of slurmdbd: this one is the first",
    .separator = '_',
    .words = {"account", "qos", "job_name"},
    .read = slurmdbd_read};

static void slurmdbd_close(hc_source *s)
{
  if (s) hc_slurm_resv_table_fini(&s->reservations);
  hc_slurm_log_close(s, sizeof *s);
}

static hc_rc slurmdbd_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  TRY(hc_slurm_log_open(&slurmdbd_log, c, given, sizeof **out, true, out, e));
  (*out)->o = given;
  hc_slurm_resv_table_init(&(*out)->reservations, c->allocator);
  return 0;
}

static hc_rc slurmdbd_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  TRY(hc_visit_bytes(v, &s->s, sizeof s->s));
  return hc_slurm_log_visit(s, v, e);
}

static int slurmdbd_recognise(const char *name, const char *head, size_t size)
{
  size_t n;
  bool whole;
  const char *line = hc_lexer_first(head, size, "", &n, &whole);
  HC_UNUSED(name);
  if (!line) return 0;
  if (hc_head_holds(head, size, "_job_table`") || hc_head_holds(head, size, "`jobcomp_table`")) return 95;
  const bool times = hc_head_holds(line, n, "time_submit") && hc_head_holds(line, n, "time_start");
  return times && hc_head_holds(line, n, "id_job") ? 96 : 0;
}

static const hc_param params[] = {
    HC_SLURM_LOG_FILE(options,
                      "Path of the dump or the table, plain, .gz, .zst or .xz; - is standard input."),
    HC_SLURM_LOG_ZONE(options),
    HC_SLURM_LOG_TIMES(options),
    HC_PARAM(TEXT, options, table, NULL,
             "Name of the table of a dump that is read. Default: each table whose name ends in _job_table, "
             "and jobcomp_table."),
    HC_PARAM(FILE, options, reservations, NULL,
             "Path of CLUSTER_resv_table, as mysqldump or a client writes it, with the names of "
             "reservations. Default: the dump itself, which is read a second time if a job has a "
             "reservation; without such a table reservations are named by their numbers."),
    HC_PARAM(INT, options, gpu_tres, NULL, "1001", 1, 1e9,
             "Number of GPUs in tres_alloc and tres_req, as tres_table of the database has it (type gres, "
             "name gpu)."),
    HC_SLURM_LOG_UNITS(options, "1= in tres_alloc, and cpus_req", "nodes_alloc, or 4= in tres_alloc"),
    HC_SLURM_LOG_DEMAND(options, " (tres_alloc)"),
    HC_SLURM_LOG_WAIT(options, "time_eligible"),
    HC_SLURM_LOG_RUN(options, "without time_suspended"),
    HC_SLURM_LOG_REQUEUES(options, ", one for each run"),
    HC_SLURM_LOG_AHEAD(options),
    {.name = NULL},
};

const hc_reader_type hc_reader_slurmdbd = {
    .component = {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "slurmdbd",
                  .summary = "the table of jobs of Slurm's database, as mysqldump or a client writes it",
                  .detail =
                      "CLUSTER_job_table as SQL of mysqldump (with its CREATE TABLE, or with "
                      "--complete-insert), or as a table with titles and with commas or tabs between "
                      "columns. jobcomp_table is read too; its jobs arrive at their start, since it does not "
                      "contain submissions. Times are Unix seconds. Users and QOS are numbers. resv_table "
                      "gives the names of reservations; --time-min, --switches and --no-requeue are taken "
                      "from submit_line. Deleted rows are not_a_task. All else is as for the reader sacct.",
                  .source = "https://slurm.schedmd.com/accounting.html", .params = params,
                  .options_size = sizeof(options)},
    .open = slurmdbd_open,
    .next = hc_slurm_log_next,
    .info = hc_slurm_log_info,
    .visit = slurmdbd_visit,
    .progress = hc_slurm_log_progress,
    .close = slurmdbd_close,
    .recognise = slurmdbd_recognise,
};
