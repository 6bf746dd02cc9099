/* batsim_say.c -- messages as Batsim writes them: members in its order, without blanks, times in seconds
 * with six decimals. */
#include <inttypes.h>
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

void hc_batsim_say_begin(hc_batsim_message *m, hc_time at, const char *type)
{
  hc_buffer_text(&m->events, m->events.size > 0 ? ",{\"timestamp\":" : "{\"timestamp\":");
  hc_batsim_put_time(&m->events, at);
  hc_buffer_text(&m->events, ",\"type\":\"");
  hc_buffer_text(&m->events, type);
  hc_buffer_text(&m->events, "\",\"data\":{");
}

void hc_batsim_say_end(hc_batsim_message *m)
{
  hc_buffer_text(&m->events, "}}");
}

static void key_of(hc_batsim_message *m, const char *key)
{
  hc_buffer *b = &m->events;
  if (b->size > 0 && !b->failed && b->data[b->size - 1] != '{') hc_buffer_text(b, ",");
  hc_buffer_text(b, "\"");
  hc_buffer_text(b, key);
  hc_buffer_text(b, "\":");
}

void hc_batsim_say_text(hc_batsim_message *m, const char *key, const char *value, size_t size)
{
  key_of(m, key);
  hc_json_string(&m->events, value, size);
}

void hc_batsim_say_raw(hc_batsim_message *m, const char *key, const char *value)
{
  key_of(m, key);
  hc_buffer_text(&m->events, value);
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

/* ---- the beginning ---- */

static void say_number(hc_batsim_message *m, const char *key, int64_t n)
{
  key_of(m, key);
  hc_buffer_printf(&m->events, "%" PRId64, n);
}

static void say_bool(hc_batsim_message *m, const char *key, bool is_so)
{
  hc_batsim_say_raw(m, key, is_so ? "true" : "false");
}

static void open_object(hc_batsim_message *m, const char *key)
{
  key_of(m, key);
  hc_buffer_text(&m->events, "{");
}

static void close_object(hc_batsim_message *m)
{
  hc_buffer_text(&m->events, "}");
}

static void say_config(hc_batsim_message *m, const hc_batsim_options *o)
{
  const char *given = o->scheduler_config ? o->scheduler_config : "";
  open_object(m, "config");
  say_bool(m, "redis-enabled", false);
  hc_batsim_say_raw(m, "redis-hostname", "\"127.0.0.1\"");
  say_number(m, "redis-port", 6379);
  hc_batsim_say_raw(m, "redis-prefix", "\"default\"");
  say_bool(m, "profiles-forwarded-on-submission", o->forwards_profiles);
  say_bool(m, "dynamic-jobs-enabled", false);
  say_bool(m, "dynamic-jobs-acknowledged", false);
  say_bool(m, "profile-reuse-enabled", false);
  hc_batsim_say_text(m, "sched-config", given, strlen(given));
  say_bool(m, "forward-unknown-events", false);
  close_object(m);
}

/* Properties of the platform's hosts are attributes of the cell's; what the cell adds to them is left out. */
static void say_properties(hc_batsim_message *m, const hc_host_class *c, const hc_lexicon *lexicon)
{
  open_object(m, "properties");
  for (uint32_t i = 0; i < c->attribute_count; i++) {
    const hc_attribute *a = &c->attributes[i];
    const char *name = hc_lexicon_text(lexicon, a->name);
    if (strcmp(name, "flops") == 0 || strcmp(name, "flops_per_state") == 0) continue;
    const char *text = a->is_text ? hc_lexicon_text(lexicon, (uint32_t)a->value) : NULL;
    if (text) hc_batsim_say_text(m, name, text, strlen(text));
    else {
      key_of(m, name);
      hc_buffer_printf(&m->events, "\"%" PRId64 "\"", a->value);
    }
  }
  close_object(m);
}

static void say_machines(hc_batsim_message *m, const char *key, const hc_batsim_machines *machines,
                         uint32_t from, uint32_t to, const hc_policy_context *c)
{
  key_of(m, key);
  hc_buffer_text(&m->events, "[");
  for (uint32_t i = from; i < to; i++) {
    const uint32_t host = machines->hosts[i];
    hc_buffer_text(&m->events, i > from ? ",{" : "{");
    say_number(m, "id", i);
    hc_batsim_say_text(m, "name", c->cell->host_names[host], strlen(c->cell->host_names[host]));
    hc_batsim_say_raw(m, "state", "\"idle\"");
    say_properties(m, &c->cell->classes[c->cell->class_of[host]], c->lexicon);
    open_object(m, "zone_properties");
    close_object(m);
    close_object(m);
  }
  hc_buffer_text(&m->events, "]");
}

/* A name may hold anything. */
static void say_profile(hc_batsim_message *m, const char *name, const char *json)
{
  hc_buffer *b = &m->events;
  if (b->size > 0 && !b->failed && b->data[b->size - 1] != '{') hc_buffer_text(b, ",");
  hc_json_string(b, name, strlen(name));
  hc_buffer_text(b, ":");
  hc_buffer_text(b, json);
}

void hc_batsim_say_begins(hc_batsim_message *m, const hc_batsim_options *o, const hc_batsim_book *b,
                          const hc_batsim_machines *machines, const hc_policy_context *c)
{
  const uint32_t all = machines->count + machines->storage_count;
  hc_batsim_say_begin(m, 0, "SIMULATION_BEGINS");
  say_number(m, "nb_resources", all);
  say_number(m, "nb_compute_resources", machines->count);
  say_number(m, "nb_storage_resources", machines->storage_count);
  say_bool(m, "allow_compute_sharing", false);
  say_bool(m, "allow_storage_sharing", true);
  say_config(m, o);
  say_machines(m, "compute_resources", machines, 0, machines->count, c);
  say_machines(m, "storage_resources", machines, machines->count, all, c);
  open_object(m, "workloads");
  hc_batsim_say_text(m, HC_BATSIM_WORKLOAD, o->workload, strlen(o->workload));
  close_object(m);
  open_object(m, "profiles");
  open_object(m, HC_BATSIM_WORKLOAD);
  for (size_t i = 0; i < b->profile_count; i++)
    if (b->profiles[i].json) say_profile(m, b->profile_names.names[i], b->profiles[i].json);
  close_object(m);
  close_object(m);
  hc_batsim_say_end(m);
}
