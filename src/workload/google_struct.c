/* google_struct.c -- a struct that was put into one field: {"cpus": "0.02", "memory": 0.01}.
 *
 * BigQuery's shell prints nested columns so in CSV; tools that went through Python write {'cpus': 0.02,
 * 'memory': None}. Quotes of either kind, doubled quotes and backslashes before them say nothing here, since
 * what is looked for are two numbers; what stands there instead of one is judged where the number is read. */
#include <string.h>

#include "base/util.h"
#include "workload/google.h"

static bool is_around(char c)
{
  return c == ' ' || c == '\t' || c == '"' || c == '\'' || c == '\\';
}

/* The value of the member `name`, as it stands; without length if there is none. */
static hc_field member(const hc_field *f, const char *name)
{
  const char *p = f->text, *end = p + f->length;
  const size_t n = strlen(name);
  for (; p + n < end; p++) {
    hc_field v;
    if (p == f->text || !(is_around(p[-1]) || p[-1] == '{' || p[-1] == ',') || memcmp(p, name, n) != 0)
      continue;
    v.text = p + n;
    while (v.text < end && is_around(*v.text)) v.text++;
    if (v.text == end || *v.text != ':') continue;
    v.text++;
    while (v.text < end && is_around(*v.text)) v.text++;
    for (p = v.text; p < end && *p != ',' && *p != '}';) p++;
    while (p > v.text && is_around(p[-1])) p--;
    v = (hc_field){.text = v.text, .length = (size_t)(p - v.text)};
    if (hc_same_word(v.text, v.length, "null") || hc_same_word(v.text, v.length, "None")) v.length = 0;
    return v;
  }
  return (hc_field){.text = f->text};
}

void hc_google_struct(const hc_field *f, hc_field *cpus, hc_field *memory)
{
  if (f->length == 0) return;
  if (cpus->length == 0) *cpus = member(f, "cpus");
  if (memory->length == 0) *memory = member(f, "memory");
}
