/* slurm_resv_table.c -- see slurm_resv_table.h. */
#include "workload/slurm_resv_table.h"

#include <string.h>

#include "base/input.h"
#include "base/lexer.h"
#include "base/util.h"
#include "workload/ledger.h"
#include "workload/names.h"
#include "workload/sql_values.h"

#define ENDING "_resv_table"
#define MOST_COLUMNS 64

/* The file as it is read. */
typedef struct reading {
  hc_slurm_resv_table *t;
  hc_lexicon *l;
  const char *name;
  uint64_t id_at, name_at, width; /* columns, from 1; 0: there is none */
  char cluster[64];
  bool is_it, in_create, in_insert, was_there;
  hc_slice id, called; /* of the row at hand */
} reading;

void hc_slurm_resv_table_init(hc_slurm_resv_table *t, const hc_allocator *a)
{
  *t = (hc_slurm_resv_table){.is_read = false};
  hc_map_init(&t->names, a);
}

void hc_slurm_resv_table_fini(hc_slurm_resv_table *t)
{
  hc_map_fini(&t->names);
}

static uint64_t key_of(hc_slice cluster, int64_t number)
{
  const uint64_t of = cluster.n > 0 ? (uint64_t)hc_name_hashed(cluster.s, cluster.n) : 0;
  return of << 32 ^ (uint64_t)number;
}

uint32_t hc_slurm_resv_table_name(const hc_slurm_resv_table *t, hc_slice cluster, int64_t number)
{
  const uint32_t own = hc_map_get(&t->names, key_of(cluster, number));
  const uint32_t any = own == HC_MAP_NONE ? hc_map_get(&t->names, key_of((hc_slice){0}, number)) : own;
  return any == HC_MAP_NONE ? HC_NO_NAME : any;
}

/* ---- columns and rows ---- */

static void map_column(reading *x, hc_slice name, uint64_t number)
{
  if (hc_slurm_is(name, "id_resv")) x->id_at = number;
  if (hc_slurm_is(name, "resv_name")) x->name_at = number;
}

static void take_value(void *ctx, uint64_t number, hc_slice v)
{
  reading *x = ctx;
  if (number == x->id_at) x->id = v;
  if (number == x->name_at) x->called = v;
}

static hc_rc take_row(reading *x, hc_error *e)
{
  int64_t number;
  if (hc_slurm_count(x->id, &number) != HC_SLURM_VALUE || x->called.n == 0) return 0;
  const uint32_t word = hc_lexicon_name(x->l, x->called.s, x->called.n);
  const hc_slice cluster = {x->cluster, strlen(x->cluster)};
  if (word == HC_NO_NAME || hc_map_set(&x->t->names, key_of(cluster, number), word) < 0)
    return hc_fail(e, HC_ENOMEM, x->name, 0, 0, "out of memory for the names of reservations");
  return 0;
}

/* ---- a dump ---- */

/* Is it the table of a cluster? That becomes the one at hand. */
static bool choose(reading *x, hc_slice table)
{
  const size_t n = strlen(ENDING);
  x->is_it = table.n > n && table.n - n < sizeof x->cluster && memcmp(table.s + table.n - n, ENDING, n) == 0;
  if (!x->is_it) return false;
  memset(x->cluster, 0, sizeof x->cluster);
  memcpy(x->cluster, table.s, table.n - n);
  return true;
}

static void forget_columns(reading *x)
{
  x->id_at = x->name_at = x->width = 0;
}

static hc_rc take_tuples(reading *x, char *p, hc_error *e)
{
  for (;;) {
    uint64_t count;
    while (*p == ' ' || *p == ',') p++;
    if (*p != '(') break;
    x->id = x->called = (hc_slice){0};
    p = hc_sql_tuple(p, take_value, x, &count);
    if (!p) return 0;
    TRY(take_row(x, e));
  }
  if (*p == ';') x->in_insert = false;
  return 0;
}

static hc_rc insert(reading *x, char *line, uint64_t number, hc_error *e)
{
  hc_slice name;
  char *p = hc_sql_name(line + strlen("INSERT INTO "), &name);
  x->in_insert = choose(x, name);
  if (!x->in_insert) return 0;
  x->was_there = true;
  while (*p == ' ') p++;
  if (*p == '(') { /* columns are named */
    forget_columns(x);
    while (*p && *p != ')') {
      p = hc_sql_name(p + 1, &name);
      map_column(x, name, ++x->width);
      while (*p == ' ') p++;
    }
    p += *p == ')';
  }
  if (x->id_at == 0 || x->name_at == 0)
    return hc_fail(
        e, HC_EINPUT, x->name, hc_line_number(number), 1,
        "no CREATE TABLE with id_resv and resv_name stands before these rows, so that their columns "
        "are not known: dump the table without --no-create-info, or with --complete-insert");
  while (*p == ' ') p++;
  if (hc_sql_begins(p, "VALUES")) p += strlen("VALUES");
  return take_tuples(x, p, e);
}

static hc_rc dump_line(reading *x, char *line, uint64_t number, hc_error *e)
{
  hc_slice name;
  if (hc_sql_begins(line, "CREATE TABLE ")) {
    (void)hc_sql_name(line + strlen("CREATE TABLE "), &name);
    x->in_create = choose(x, name);
    x->was_there |= x->in_create;
    if (x->in_create) forget_columns(x);
    return 0;
  }
  if (x->in_create) {
    while (*line == ' ') line++;
    if (*line == '`') {
      (void)hc_sql_name(line, &name);
      map_column(x, name, ++x->width);
    } else if (*line == ')') x->in_create = false;
    return 0;
  }
  if (hc_sql_begins(line, "INSERT INTO ")) return insert(x, line, number, e);
  return x->in_insert && *line == '(' ? take_tuples(x, line, e) : 0;
}

static hc_rc read_dump(reading *x, hc_input *in, char *line, hc_error *e)
{
  size_t n;
  hc_rc rc = 1;
  for (; rc == 1; rc = hc_input_line(in, &line, &n, e)) TRY(dump_line(x, line, hc_input_lines(in), e));
  return rc;
}

/* ---- a table ---- */

static hc_rc read_table(reading *x, hc_input *in, const char *line, size_t n, hc_error *e)
{
  const hc_lexer lexer = {.separator = hc_lexer_guess(line, n), .quotes = true, .one_line = true};
  hc_field f[MOST_COLUMNS];
  char *next;
  hc_rc rc;
  size_t count = HC_MIN(hc_lexer_cut(&lexer, line, n, f, MOST_COLUMNS), (size_t)MOST_COLUMNS);
  for (size_t i = 0; i < count; i++) map_column(x, (hc_slice){f[i].text, f[i].length}, i + 1);
  x->was_there = x->id_at > 0 && x->name_at > 0;
  while (x->was_there && (rc = hc_input_line(in, &next, &n, e)) != 0) {
    if (rc < 0) return rc;
    count = HC_MIN(hc_lexer_cut(&lexer, next, n, f, MOST_COLUMNS), (size_t)MOST_COLUMNS);
    x->id = x->called = (hc_slice){0};
    for (size_t i = 0; i < count; i++) take_value(x, i + 1, (hc_slice){f[i].text, f[i].length});
    TRY(take_row(x, e));
  }
  return 0;
}

hc_rc hc_slurm_resv_table_read(hc_slurm_resv_table *t, hc_lexicon *l, const char *path, hc_sums *sums,
                               bool needed, hc_error *e)
{
  reading x = {.t = t, .l = l};
  hc_input *in;
  char *line;
  size_t n;
  t->is_read = true;
  TRY(hc_input_open(t->names.allocator, path, &in, e));
  hc_input_sum(in, sums);
  x.name = hc_input_name(in);
  hc_rc rc = hc_input_line(in, &line, &n, e);
  if (rc == 1) rc = hc_sql_is_dump(line) ? read_dump(&x, in, line, e) : read_table(&x, in, line, n, e);
  if (rc >= 0 && needed && !x.was_there)
    rc =
        hc_fail(e, HC_EINPUT, x.name, 1, 0,
                "this is no table of reservations of slurmdbd: give a dump of CLUSTER_resv_table, or a table "
                "whose first line has id_resv and resv_name");
  hc_input_free(in);
  return rc;
}
