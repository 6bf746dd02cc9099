/* sql_values.c -- see sql_values.h. */
#include "workload/sql_values.h"

#include <string.h>

char *hc_sql_name(char *p, hc_slice *out)
{
  while (*p == ' ') p++;
  const bool quoted = *p == '`' || *p == '"';
  char *q = p + quoted;
  *out = (hc_slice){q, 0};
  while (*q && (quoted ? *q != *p : *q != ' ' && *q != '(' && *q != ',' && *q != ')')) q++;
  out->n = (size_t)(q - out->s);
  return q + (quoted && *q);
}

/* A quoted text. @return what follows it; NULL: it is not closed */
static char *text(char *p, hc_slice *out)
{
  char *to = p;
  *out = (hc_slice){p, 0};
  for (;; p++) {
    if (!*p) return NULL;
    if (*p == '\'' && p[1] != '\'') break;
    if ((*p == '\\' || *p == '\'') && p[1]) p++;
    *to++ = *p;
  }
  out->n = (size_t)(to - out->s);
  return p + 1;
}

char *hc_sql_tuple(char *p, void (*take)(void *ctx, uint64_t number, hc_slice value), void *ctx,
                   uint64_t *count)
{
  *count = 0;
  for (p++;; p++) {
    hc_slice v = {0};
    while (*p == ' ') p++;
    if (*p == '\'') {
      p = text(p + 1, &v);
      if (!p) return NULL;
    } else {
      v.s = p;
      while (*p && *p != ',' && *p != ')') p++;
      v.n = (size_t)(p - v.s);
      if (hc_slurm_is(v, "NULL")) v.n = 0;
    }
    take(ctx, ++*count, v);
    if (*p == ')') return p + 1;
    if (*p != ',') return NULL;
  }
}

bool hc_sql_begins(const char *line, const char *word)
{
  return strncmp(line, word, strlen(word)) == 0;
}

bool hc_sql_is_dump(const char *line)
{
  return hc_sql_begins(line, "--") || hc_sql_begins(line, "/*") || hc_sql_begins(line, "CREATE TABLE ") ||
         hc_sql_begins(line, "INSERT INTO ") || hc_sql_begins(line, "DROP TABLE ") ||
         hc_sql_begins(line, "LOCK TABLES ") || hc_sql_begins(line, "USE ");
}
