/* tables.c -- what can be asked of the list of tables. */
#include "output/tables.h"

#include <string.h>

const hc_table_spec *hc_table_at(hc_table t)
{
  static const hc_table_spec tables[] = {
#define X(name, columns, sql, rows) {#name, columns, sql, rows},
      HC_TABLES(X)
#undef X
  };
  return &tables[t];
}

hc_table hc_table_find(const char *name)
{
  for (int t = 0; t < HC_TABLE_COUNT; t++) {
    const char *x = hc_table_at((hc_table)t)->name;
    if (x[0] == name[0] && strcmp(x, name) == 0) return (hc_table)t; /* asked for each row that is kept */
  }
  return HC_TABLE_COUNT;
}

size_t hc_table_least(hc_table t)
{
  return t == HC_TABLE_configuration ? 3 : hc_table_at(t)->columns;
}

int64_t hc_table_code(hc_table t)
{
  switch (t) {
    case HC_TABLE_hosts: return 1;
    case HC_TABLE_host_changes: return 2;
    case HC_TABLE_demands: return 3;
    case HC_TABLE_grants: return 4;
    case HC_TABLE_stop_grants: return 5;
    case HC_TABLE_regrants: return 6;
    case HC_TABLE_resizes: return 7;
    case HC_TABLE_open_demands: return 8;
    case HC_TABLE_open_grants: return 9;
    default: return 0;
  }
}

size_t hc_table_base(hc_table t)
{
  static const char last[] = " d7";
  const hc_table_spec *s = hc_table_at(t);
  const size_t n = strlen(s->sql), m = sizeof last - 1;
  return n > m && memcmp(s->sql + n - m, last, m) == 0 ? s->columns - HC_TABLE_AMOUNTS : 0;
}

/* The list says so in SQL, where a column with a type of its own turns text into it: "count INTEGER". */
bool hc_table_is_whole(hc_table t, size_t column)
{
  static const char word[] = " INTEGER";
  const char *sql = hc_table_at(t)->sql, *end;
  for (; column > 0; column--) sql = strchr(sql, ',') + 1;
  end = strchr(sql, ',');
  const size_t n = end ? (size_t)(end - sql) : strlen(sql), m = sizeof word - 1;
  return n > m && memcmp(sql + n - m, word, m) == 0;
}
