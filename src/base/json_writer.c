/* json_writer.c -- a JSON document by its nesting. See hindcast/base.h. */
#include <string.h>

#include "base/util.h"

static void new_line(const hc_json_writer *w)
{
  hc_buffer_text(w->out, "\n");
  for (size_t i = 0; i < w->depth; i++) hc_buffer_text(w->out, "  ");
}

void hc_json_key(hc_json_writer *w, const char *key)
{
  if (w->depth > 0) {
    if (w->has_any) hc_buffer_text(w->out, w->line > 0 && !w->compact ? ", " : ",");
    if (w->line == 0 && !w->compact) new_line(w);
  }
  w->has_any = true;
  if (!key) return;
  hc_json_string(w->out, key, strlen(key));
  hc_buffer_text(w->out, w->compact ? ":" : ": ");
}

void hc_json_enter(hc_json_writer *w, const char *key, char bracket)
{
  hc_json_key(w, key);
  hc_buffer_add(w->out, &bracket, 1);
  w->depth++;
  w->has_any = false;
}

void hc_json_enter_line(hc_json_writer *w, const char *key, char bracket)
{
  hc_json_enter(w, key, bracket);
  if (w->line == 0) w->line = w->depth;
}

void hc_json_leave(hc_json_writer *w, char bracket)
{
  w->depth--;
  if (w->has_any && w->line == 0 && !w->compact) new_line(w);
  if (w->line > w->depth) w->line = 0;
  hc_buffer_add(w->out, &bracket, 1);
  w->has_any = true;
  if (w->depth == 0 && !w->compact) hc_buffer_text(w->out, "\n");
}

void hc_json_put_raw(hc_json_writer *w, const char *key, const char *value)
{
  hc_json_key(w, key);
  hc_buffer_text(w->out, value);
}

void hc_json_put_text(hc_json_writer *w, const char *key, const char *value)
{
  hc_json_key(w, key);
  if (value) hc_json_string(w->out, value, strlen(value));
  else hc_buffer_text(w->out, "null");
}

void hc_json_put_int(hc_json_writer *w, const char *key, int64_t value)
{
  hc_json_key(w, key);
  hc_buffer_printf(w->out, "%lld", (long long)value);
}

void hc_json_put_real(hc_json_writer *w, const char *key, double value)
{
  char text[40];
  text[hc_format_real(value, text)] = '\0';
  hc_json_put_raw(w, key, text);
}

void hc_json_put_bool(hc_json_writer *w, const char *key, bool value)
{
  hc_json_put_raw(w, key, value ? "true" : "false");
}
