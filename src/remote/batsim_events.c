/* batsim_events.c -- files of external events, an object of JSON a line: {"type": "machine_unavailable",
 * "resources": "0-3 7", "timestamp": 10}.
 *
 * Version 4 knows machine_available and machine_unavailable, and others, which are told as they stand, where
 * that is asked for; version 5 {"type": "generic", "timestamp": 10, "data": "a text"} alone. They happen by
 * time, machines become available before others do not, and others behind them; those that are alike in the
 * order of their lines. Source: Batsim 4.2.1 and 5.0.0-rc2. */
#include <string.h>

#include "base/files.h"
#include "base/jsonline.h"
#include "base/sort.h"
#include "base/util.h"
#include "remote/batsim.h"

#define FILE_LIMIT ((size_t)1 << 30)

typedef struct reading {
  hc_batsim_events *out;
  hc_batsim_machines *machines;
  const hc_batsim_terms *terms;
  hc_arena *arena;
  const char *path;
  uint32_t line;
  hc_error *e;
} reading;

static hc_rc wrong(const reading *r, const char *what)
{
  return hc_fail(r->e, HC_EINPUT, r->path, r->line, 0, "%s", what);
}

static bool is_word(const hc_batsim_text *t, const char *word)
{
  return t->kind == '"' && t->size == strlen(word) && memcmp(t->text, word, t->size) == 0;
}

/* Without what stands between its tokens. */
static char *compact(hc_arena *arena, const char *text, size_t size)
{
  char *out = hc_arena_room(arena, size + 1);
  size_t n = 0;
  bool is_text = false;
  for (size_t i = 0; out && i < size; i++) {
    if (is_text && text[i] == '\\' && i + 1 < size) out[n++] = text[i++];
    else if (text[i] == '"') is_text = !is_text;
    else if (!is_text && strchr(" \t\r\n", text[i])) continue;
    out[n++] = text[i];
  }
  if (out) out[n] = '\0';
  return out;
}

/* The machines of a text, which are to be hosts of the cell. */
static hc_rc take_machines(const reading *r, const hc_batsim_text *text, hc_batsim_occurrence *x)
{
  hc_batsim_machines *m = r->machines;
  hc_buffer set;
  uint32_t size;
  if (text->kind != '"') return wrong(r, "an event of machines has a text `resources`");
  const hc_rc rc = hc_batsim_machines_read(m, text->text, text->size, &size);
  if (rc == HC_ENOMEM) return rc;
  if (rc < 0 || size == 0)
    return wrong(r, "`resources` is no set of machines that there are, such as \"0-3 7\"");
  hc_range *hosts = hc_arena_room(r->arena, m->range_count * sizeof *hosts);
  uint32_t *numbers = hc_arena_room(r->arena, size * sizeof *numbers);
  if (!hosts || !numbers) return HC_ENOMEM;
  memcpy(hosts, m->ranges, m->range_count * sizeof *hosts);
  x->hosts = hosts;
  x->host_count = m->range_count;
  x->machines = numbers;
  for (size_t i = 0; i < m->set_count; i++)
    for (uint32_t k = 0; k < m->set[i].count; k++) numbers[x->machine_count++] = m->set[i].first + k;
  hc_buffer_init(&set, m->allocator);
  hc_batsim_machines_put(m, &set);
  x->text = set.failed ? NULL : hc_arena_text(r->arena, set.data, set.size);
  hc_buffer_fini(&set);
  return x->text ? 0 : HC_ENOMEM;
}

typedef struct members {
  hc_batsim_text type, at, resources, data;
} members;

static hc_rc take_kind(const reading *r, const members *m, const hc_batsim_text *all, hc_batsim_occurrence *x)
{
  const bool is_5 = r->terms->o->remote.edc != NULL;
  const bool is_other = !is_word(&m->type, "machine_available") && !is_word(&m->type, "machine_unavailable");
  if (is_5) {
    if (!is_word(&m->type, "generic") || m->data.kind != '"')
      return wrong(r, "external events of Batsim 5 are of the type generic, and have a text `data`");
    x->kind = HC_OCCURS_GENERIC;
    x->text = hc_arena_text(r->arena, m->data.text, m->data.size);
    return x->text ? 0 : HC_ENOMEM;
  }
  if (!is_other) {
    x->kind = is_word(&m->type, "machine_available") ? HC_OCCURS_AVAILABLE : HC_OCCURS_UNAVAILABLE;
    return take_machines(r, &m->resources, x);
  }
  if (!r->terms->o->forwards_unknown)
    return wrong(r, "an event of a type that is neither machine_available nor machine_unavailable: say "
                    "--forward-unknown-events to tell it as it stands");
  x->kind = HC_OCCURS_GENERIC;
  x->text = compact(r->arena, all->text, all->size);
  return x->text ? 0 : HC_ENOMEM;
}

static hc_rc take_line(reading *r, const char *line, size_t size, size_t number)
{
  static const hc_batsim_member of_event[] = {{"type", offsetof(members, type)},
                                              {"timestamp", offsetof(members, at)},
                                              {"resources", offsetof(members, resources)},
                                              {"data", offsetof(members, data)}};
  hc_batsim_events *l = r->out;
  hc_batsim_occurrence x = {.number = number};
  members m = {.type = {0}};
  hc_batsim_text all;
  hc_jsonline j;
  hc_jsonline_begin(&j, line, size);
  if (!hc_batsim_take(&j, &all) || hc_jsonline_next(&j).kind != HC_JSONLINE_DONE ||
      !hc_batsim_members(&all, of_event, HC_ARRAY_LEN(of_event), &m))
    return wrong(r, "an event is an object of JSON, in a line of its own");
  if (m.type.kind != '"' || m.at.kind != '0' || hc_parse_seconds(m.at.text, m.at.size, &x.at) < 0 ||
      x.at < 0 || x.at == HC_NEVER)
    return wrong(r, "an event has a text `type` and a `timestamp` in seconds from 0 on");
  TRY(take_kind(r, &m, &all, &x));
  TRY(hc_reserve(l->allocator, (void **)&l->items, &l->cap, l->count + 1, sizeof *l->items));
  l->items[l->count++] = x;
  return 0;
}

static hc_rc take_lines(reading *r, const char *text, size_t size)
{
  size_t number = 0;
  for (const char *s = text, *end = text + size; s < end;) {
    const char *stop = memchr(s, '\n', (size_t)(end - s));
    const size_t n = (size_t)((stop ? stop : end) - s);
    r->line++;
    if (strspn(s, " \t\r") < n) TRY(take_line(r, s, n, number++));
    s += n + 1;
  }
  return 0;
}

HC_SORT(sort_events, hc_batsim_occurrence,
        a->at != b->at       ? a->at < b->at
        : a->kind != b->kind ? a->kind < b->kind
                             : a->number < b->number)

hc_rc hc_batsim_events_read(hc_batsim_events *l, const hc_batsim_terms *terms, hc_arena *arena,
                            hc_batsim_machines *m, const char *path, hc_error *e)
{
  reading r = {.out = l, .machines = m, .terms = terms, .arena = arena, .path = path, .e = e};
  const size_t first = l->count;
  char *text = NULL;
  size_t size, cap = 0;
  hc_rc rc = hc_files_read(l->allocator, path, FILE_LIMIT, &text, &size, &cap, e);
  if (rc >= 0) rc = hc_reserve(l->allocator, (void **)&text, &cap, size + 1, 1);
  if (rc >= 0) {
    text[size] = '\0';
    rc = take_lines(&r, text, size);
  }
  hc_free(l->allocator, text, cap);
  if (rc < 0) return rc;
  sort_events(l->items + first, l->count - first);
  for (size_t i = first; i < l->count; i++) l->items[i].list = l->lists;
  l->lists++;
  return 0;
}
