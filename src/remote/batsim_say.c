/* batsim_say.c -- messages as Batsim writes them: members in its order, without blanks, times in seconds
 * with six decimals. Which members there are the versions know (batsim_4.c, edc_say.c). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "remote/batsim.h"

/* ---- numbers: most of what is said are times, and printf takes ten times as long ---- */

/* Digits up to `end`, at least so many. @return where they begin */
static char *put_digits(char *end, uint64_t n, int least)
{
  char *p = end;
  for (; n > 0 || end - p < least; n /= 10) *--p = (char)('0' + n % 10);
  return p;
}

void hc_batsim_put_number(hc_buffer *out, uint64_t n)
{
  char text[24], *end = text + sizeof text;
  const char *p = put_digits(end, n, 1);
  hc_buffer_add(out, p, (size_t)(end - p));
}

void hc_batsim_put_time(hc_buffer *out, hc_time t)
{
  const uint64_t us = (uint64_t)(t / HC_US + (t % HC_US >= HC_US / 2));
  char text[32], *end = text + sizeof text, *p = put_digits(end, us % 1000000, 6);
  *--p = '.';
  p = put_digits(p, us / 1000000, 1);
  hc_buffer_add(out, p, (size_t)(end - p));
}

/* ---- events ---- */

static void say_head(hc_batsim_message *m, hc_time at, const char *type_key, const char *type)
{
  hc_buffer_text(&m->events, m->events.size > 0 ? ",{\"timestamp\":" : "{\"timestamp\":");
  hc_batsim_put_time(&m->events, at);
  hc_batsim_say_text(m, type_key, type, strlen(type));
}

void hc_batsim_say_begin(hc_batsim_message *m, hc_time at, const char *type_key, const char *type,
                         const char *data_key)
{
  say_head(m, at, type_key, type);
  hc_batsim_say_open(m, data_key, '{');
}

void hc_batsim_say_event(hc_batsim_message *m, hc_time at, const char *type_key, const char *type,
                         const char *data_key, const char *data)
{
  say_head(m, at, type_key, type);
  hc_batsim_say_raw(m, data_key, data);
  hc_buffer_text(&m->events, "}");
}

void hc_batsim_say_end(hc_batsim_message *m)
{
  hc_buffer_text(&m->events, "}}");
}

/* A comma, but where a bracket has just been opened. */
static void separate(hc_buffer *b)
{
  const char last = b->size > 0 && !b->failed ? b->data[b->size - 1] : '{';
  if (last != '{' && last != '[') hc_buffer_text(b, ",");
}

void hc_batsim_say_key(hc_batsim_message *m, const char *key)
{
  hc_buffer *b = &m->events;
  separate(b);
  if (!key) return; /* of a list */
  hc_json_string(b, key, strlen(key));
  hc_buffer_text(b, ":");
}

void hc_batsim_say_text(hc_batsim_message *m, const char *key, const char *value, size_t size)
{
  hc_batsim_say_key(m, key);
  hc_json_string(&m->events, value, size);
}

void hc_batsim_say_raw(hc_batsim_message *m, const char *key, const char *value)
{
  hc_batsim_say_key(m, key);
  hc_buffer_text(&m->events, value);
}

void hc_batsim_say_int(hc_batsim_message *m, const char *key, int64_t n)
{
  hc_batsim_say_key(m, key);
  hc_buffer_printf(&m->events, "%" PRId64, n);
}

void hc_batsim_say_bool(hc_batsim_message *m, const char *key, bool is_so)
{
  hc_batsim_say_raw(m, key, is_so ? "true" : "false");
}

void hc_batsim_say_open(hc_batsim_message *m, const char *key, char bracket)
{
  hc_batsim_say_key(m, key);
  hc_buffer_add(&m->events, &bracket, 1);
}

void hc_batsim_say_close(hc_batsim_message *m, char bracket)
{
  hc_buffer_add(&m->events, &bracket, 1);
}

void hc_batsim_say_whole(hc_batsim_message *m, hc_time now)
{
  m->whole.size = 0;
  hc_buffer_text(&m->whole, "{\"now\":");
  hc_batsim_put_time(&m->whole, now);
  hc_buffer_text(&m->whole, ",\"events\":[");
  hc_buffer_add(&m->whole, m->events.data, m->events.size);
  hc_buffer_text(&m->whole, "]}");
  m->events.size = 0;
  m->whole.failed |= m->events.failed;
}

/* ---- what both versions tell ---- */

const char *const hc_batsim_ends[] = {"COMPLETED_SUCCESSFULLY", "COMPLETED_FAILED",
                                      "COMPLETED_WALLTIME_REACHED", "COMPLETED_KILLED"};

void hc_batsim_each_property(hc_batsim_message *m, const hc_host_class *c, const hc_lexicon *lexicon,
                             void (*each)(hc_batsim_message *m, const char *name, const char *value))
{
  for (uint32_t i = 0; i < c->attribute_count; i++) {
    const hc_attribute *a = &c->attributes[i];
    const char *name = hc_lexicon_text(lexicon, a->name);
    char number[24];
    if (strcmp(name, "flops") == 0 || strcmp(name, "flops_per_state") == 0) continue;
    const char *text = a->is_text ? hc_lexicon_text(lexicon, (uint32_t)a->value) : NULL;
    (void)snprintf(number, sizeof number, "%" PRId64, a->value);
    each(m, name, text ? text : number);
  }
}

hc_time hc_batsim_progress(const hc_batsim_book *b, const hc_batsim_job *job)
{
  const double delay = job->profile < b->profile_count ? b->profiles[job->profile].delay : -1;
  if (!(delay > 0)) return -1;
  return HC_MIN((hc_time)((double)(job->end - job->start) / delay), HC_SECOND);
}
