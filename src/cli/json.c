/* json.c -- writes a JSON document by its nesting; commas, indentation and quotes take care of themselves. */
#include <string.h>

#include "cli/cli.h"

static void begin(cli_json *j, const char *key)
{
  if (j->depth > 0) {
    hc_buffer_text(j->out, j->first ? "\n" : ",\n");
    for (size_t i = 0; i < j->depth; i++) hc_buffer_text(j->out, "  ");
  }
  j->first = false;
  if (!key) return;
  hc_json_string(j->out, key, strlen(key));
  hc_buffer_text(j->out, ": ");
}

void cli_json_open(cli_json *j, const char *key, char bracket)
{
  begin(j, key);
  hc_buffer_add(j->out, &bracket, 1);
  j->depth++;
  j->first = true;
}

void cli_json_close(cli_json *j, char bracket)
{
  j->depth--;
  if (!j->first) {
    hc_buffer_text(j->out, "\n");
    for (size_t i = 0; i < j->depth; i++) hc_buffer_text(j->out, "  ");
  }
  hc_buffer_add(j->out, &bracket, 1);
  j->first = false;
  if (j->depth == 0) hc_buffer_text(j->out, "\n");
}

void cli_json_raw(cli_json *j, const char *key, const char *value)
{
  begin(j, key);
  hc_buffer_text(j->out, value);
}

void cli_json_text(cli_json *j, const char *key, const char *value)
{
  begin(j, key);
  if (value) hc_json_string(j->out, value, strlen(value));
  else hc_buffer_text(j->out, "null");
}

void cli_json_int(cli_json *j, const char *key, int64_t value)
{
  begin(j, key);
  hc_buffer_printf(j->out, "%lld", (long long)value);
}

void cli_json_real(cli_json *j, const char *key, double value)
{
  char text[40];
  begin(j, key);
  text[hc_format_real(value, text)] = '\0';
  hc_buffer_text(j->out, text);
}

void cli_json_bool(cli_json *j, const char *key, bool value)
{
  cli_json_raw(j, key, value ? "true" : "false");
}

void cli_json_table(cli_json *j, const char *key, const cli_table *t)
{
  begin(j, key);
  j->out->failed |= t->failed;
  cli_table_json(t, j->out, j->depth * 2);
}
