/* explain.c -- why a task waited: what it saw at each decision, in words.
 *
 * Nothing is recorded unless a task was asked about before the run began. What the engine can see for
 * itself is said in situation.c (its place in the queue, what it wants and what is free, reservations, who
 * started past it) and refusals.c (hosts); what only a selector knows the selector says, as a note of a known
 * form (hc_services.note) or in its own words. Words of one form are said again only when they are others. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "engine/explain.h"
#include "engine/tasks.h"

enum { LONGEST_NAME = 40 };

bool hc_explaining(const hc_engine *e)
{
  return e->explain != NULL;
}

/* ---- what things are called ---- */

/* Its name, if that can stand in a sentence, or its number. */
static const char *called(const hc_engine *e, hc_task t, char out[HC_EXPLAIN_NAME])
{
  const hc_noted *x = &e->noted;
  const char *name = x->name ? x->name(e->explain_ctx, e->tasks.live[t].serial) : NULL;
  size_t n = 0;
  while (name && n <= LONGEST_NAME && (unsigned char)name[n] >= ' ' && name[n] != 127) n++;
  if (name && n > 0 && n <= LONGEST_NAME && name[n] == '\0') (void)snprintf(out, HC_EXPLAIN_NAME, "%s", name);
  else (void)snprintf(out, HC_EXPLAIN_NAME, "%" PRId64, e->tasks.identities[t].id);
  return out;
}

const char *hc_explain_task(const hc_engine *e, hc_task t, char out[HC_EXPLAIN_NAME])
{
  char name[HC_EXPLAIN_NAME];
  (void)snprintf(out, HC_EXPLAIN_NAME, "task %.50s", called(e, t, name));
  return out;
}

hc_task hc_explain_find(const hc_engine *e, uint64_t serial)
{
  for (size_t i = 0; i < e->tasks.count; i++)
    if (e->tasks.live[i].state != HC_TASK_FREE && e->tasks.live[i].serial == serial) return (hc_task)i;
  return HC_NO_TASK;
}

/* What a policy says in its own terms, in the user's: `#17`, a serial, is the number of that job; `17 units`
 * is an amount of what the cell counts first. */
static void put_in_words(const hc_engine *e, const char *said, char *out, size_t size)
{
  size_t n = 0;
  while (*said && n + 1 < size) {
    const char *digits = said + (*said == '#');
    const size_t length = strspn(digits, "0123456789");
    int64_t number;
    char amount[64], name[HC_EXPLAIN_NAME];
    int put = -1;
    if (length > 0 && hc_parse_int(digits, length, &number) == 0) {
      const hc_task t = *said == '#' ? hc_explain_find(e, (uint64_t)number) : HC_NO_TASK;
      if (t != HC_NO_TASK) {
        put = snprintf(out + n, size - n, "%s", called(e, t, name));
        said = digits + length;
      } else if (*said != '#' && strncmp(digits + length, " units", 6) == 0) {
        put = snprintf(out + n, size - n, "%s", hc_explain_amount(e, number, amount));
        said = digits + length + 6;
      } else {
        put = snprintf(out + n, size - n, "%.*s", (int)(digits + length - said), said);
        said = digits + length;
      }
    }
    if (put < 0) out[n++] = *said++;
    else n = HC_MIN(n + (size_t)put, size - 1);
  }
  out[n] = '\0';
}

static const char *plural(int64_t n)
{
  return n == 1 ? "" : "s";
}

const char *hc_explain_amount(const hc_engine *e, int64_t n, char out[64])
{
  const uint32_t d = e->cell.hosts ? e->gauge.which[0] : HC_DIMENSIONS;
  char text[32];
  if (d == HC_DIM_CPU) {
    (void)hc_format_real((double)n / 1000, text);
    (void)snprintf(out, 64, "%s core%s", text, plural(n == 1000 ? 1 : 2));
  } else if (d == HC_DIM_MEMORY || d == HC_DIM_DISK) {
    (void)hc_format_size(n, text);
    (void)snprintf(out, 64, "%s of %s", text, hc_lexicon_dimension_name(e->lexicon, d));
  } else if (d < HC_DIMENSIONS) {
    (void)snprintf(out, 64, "%lld of %s", (long long)n, hc_lexicon_dimension_name(e->lexicon, d));
  } else {
    (void)snprintf(out, 64, "%lld processor%s", (long long)n, plural(n));
  }
  return out;
}

/* ---- saying it ---- */

/* Was this said last in this form of words, a format? By its text: which literals are one is the linker's
 * affair. */
static bool is_said(hc_noted *x, const char *format, const char *text)
{
  for (size_t i = 0; i < HC_EXPLAIN_LINES; i++)
    if (x->said[i].format && strcmp(x->said[i].format, format) == 0) {
      const bool is_same = strcmp(x->said[i].text, text) == 0;
      (void)snprintf(x->said[i].text, sizeof x->said[i].text, "%s", text);
      return is_same;
    }
  hc_said *s = &x->said[x->said_next++ % HC_EXPLAIN_LINES];
  s->format = format;
  (void)snprintf(s->text, sizeof s->text, "%s", text);
  return false;
}

static void tell(hc_engine *e, const hc_noted_reason *reason, const char *text)
{
  e->explain(e->explain_ctx, &(hc_why_record){.time = e->now,
                                              .serial = e->explained,
                                              .text = text,
                                              .what = reason->what,
                                              .other = reason->other,
                                              .at = reason->at,
                                              .amount = reason->amount,
                                              .place = reason->place});
}

static void explain_as(hc_engine *e, hc_task t, const hc_noted_reason *reason, const char *format,
                       va_list args)
{
  char said[HC_EXPLAIN_TEXT], text[HC_EXPLAIN_TEXT];
  if (!e->explain || t >= e->tasks.count || e->tasks.live[t].serial != e->explained) return;
  (void)vsnprintf(said, sizeof said, format, args);
  put_in_words(e, said, text, sizeof text);
  if (!is_said(&e->noted, format, text)) tell(e, reason, text);
}

void hc_explain_args(hc_engine *e, hc_task t, const char *format, va_list args)
{
  explain_as(e, t, &(hc_noted_reason){.other = UINT64_MAX}, format, args);
}

void hc_explain_placed(hc_engine *e, hc_task t, size_t place, hc_time at, const char *format, ...)
{
  const hc_noted_reason promise = {.what = HC_NOTE_PROMISE, .other = UINT64_MAX, .at = at, .place = place},
                        none = {.other = UINT64_MAX, .place = place};
  va_list args;
  va_start(args, format);
  explain_as(e, t, at != HC_NEVER ? &promise : &none, format, args);
  va_end(args);
}

void hc_explain_text(hc_engine *e, hc_task t, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  hc_explain_args(e, t, format, args);
  va_end(args);
}

void hc_explain_reason(hc_engine *e, const hc_noted_reason *reason, const char *text)
{
  const hc_noted_reason *last = &e->noted.told;
  const bool is_same = last->what == reason->what && last->other == reason->other && last->at == reason->at &&
                       last->amount == reason->amount;
  if (is_same && (e->noted.told_free == e->cell.free || reason->what == HC_NOTE_BEHIND)) return;
  e->noted.told = *reason;
  e->noted.told_free = e->cell.free;
  if (text[0]) tell(e, reason, text);
}

/* ---- what policies note ---- */

hc_task hc_explain_asked(const hc_engine *e)
{
  const hc_task t = e->noted.task;
  if (t >= e->tasks.count || e->tasks.live[t].serial != e->explained) return HC_NO_TASK;
  return e->tasks.live[t].state == HC_TASK_WAITING ? t : HC_NO_TASK;
}

void hc_explain_before(hc_engine *e, hc_task t, hc_time at)
{
  hc_noted *x = &e->noted;
  if (x->before_count < HC_EXPLAIN_PROMISES)
    x->before[x->before_count] = (hc_noted_promise){e->tasks.live[t].serial, at};
  x->before_count++;
}

static void forget_promises(hc_noted *x)
{
  x->promised = x->deadline = HC_NEVER;
  x->before_count = 0;
}

static bool stands_before(const hc_engine *e, hc_task a, hc_task b)
{
  const hc_live *x = &e->tasks.live[a], *y = &e->tasks.live[b];
  return x->key < y->key || (x->key == y->key && x->serial < y->serial);
}

void hc_explain_note(hc_engine *e, hc_task t, hc_note what, hc_task other, hc_time at, int64_t amount)
{
  const hc_task asked = e->explain ? hc_explain_asked(e) : HC_NO_TASK;
  hc_noted *x = &e->noted;
  if (asked == HC_NO_TASK || t >= e->tasks.count) return;
  if (what == HC_NOTE_NONE) forget_promises(x);
  else if (what == HC_NOTE_PROMISE && t == asked) x->promised = at;
  else if (what == HC_NOTE_PROMISE && stands_before(e, t, asked)) hc_explain_before(e, t, at);
  else if (t != asked) return;
  else if (what == HC_NOTE_DEADLINE) x->deadline = at;
  else if (other < e->tasks.count)
    x->reason = (hc_noted_reason){
        .what = what, .other = e->tasks.live[other].serial, .at = at, .amount = amount};
}

void hc_explain_forget(hc_engine *e)
{
  forget_promises(&e->noted);
  e->noted.reason = (hc_noted_reason){.other = UINT64_MAX};
}

void hc_explain_anew(hc_engine *e)
{
  hc_explain_forget(e);
  e->noted.told = (hc_noted_reason){.other = UINT64_MAX};
  memset(e->noted.said, 0, sizeof e->noted.said);
}
