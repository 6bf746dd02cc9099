/* groups.c -- how tasks are told apart, and what a group is called. See groups.h. */
#include "cli/groups.h"

#include "cli/compare.h"

#include <stdlib.h>
#include <string.h>

/* ---- flags ---- */

static hc_rc take_by(cli *c, cli_by *b)
{
  b->by = calloc(c->given_count + 1, sizeof *b->by);
  if (!b->by) return cli_fail(c, HC_ENOMEM, "out of memory");
  for (size_t i = 0; i < c->given_count; i++)
    if (strcmp(c->given[i].flag->name, "by") == 0 &&
        !(c->command->max != 1 && cli_is_differ(c->given[i].value)))
      b->by[b->by_count++] = c->given[i].value;
  return 0;
}

/* Room for all that a list with commas may hold. */
static size_t room_of(const char *list)
{
  size_t n = 1;
  for (; *list; list++) n += *list == ',';
  return n;
}

static hc_rc take_list(cli *c, const char *flag, bool times, int64_t **out, size_t *count)
{
  const char *list = cli_value(c, flag);
  if (!list) return 0;
  *out = malloc(room_of(list) * sizeof **out);
  if (!*out) return cli_fail(c, HC_ENOMEM, "out of memory");
  for (const char *s = list;; s++) {
    const size_t n = strcspn(s, ",");
    int64_t *x = &(*out)[*count];
    if ((times ? hc_parse_time(s, n, x) : hc_parse_int(s, n, x)) < 0)
      return cli_fail(c, HC_EUSAGE, "--%s: expected %s, got \"%.*s\"", flag,
                      times ? "times with commas between them, such as 10m,1h,1d"
                            : "whole numbers with commas between them, such as 1,4,16",
                      (int)(n < 80 ? n : 80), s);
    (*count)++;
    s += n;
    if (*s == '\0') return 0;
  }
}

static hc_rc take_tau(cli *c, hc_time *out)
{
  const char *tau = cli_value(c, "tau");
  double x;
  if (!tau) return 0;
  if (hc_parse_real(tau, strlen(tau), &x) < 0 || !(x >= 0.001 && x <= 1e9))
    return cli_fail(c, HC_EUSAGE, "--tau: expected a number of seconds from 0.001 to 1e9, got \"%.80s\"",
                    tau);
  *out = (hc_time)(x * 1e9 + 0.5);
  return 0;
}

static const char *called(const void *result, hc_called kind, int64_t number)
{
  return hc_result_name((hc_result *)(uintptr_t)result, kind, number);
}

static bool beside(void *result, int64_t serial, hc_beside *out)
{
  return hc_result_beside(result, serial, out);
}

static hc_rc make(cli *c, hc_result *r, cli_by *b)
{
  hc_result_facts facts = {.unix_start = HC_UNKNOWN, .core_units = 1};
  if (r) hc_result_facts_of(r, &facts);
  b->has_parts = facts.core_units != 1;
  const hc_grouping_options o = {.by = b->by,
                                 .by_count = b->by_count,
                                 .sizes = b->sizes,
                                 .size_count = b->size_count,
                                 .estimates = b->estimates,
                                 .estimate_count = b->estimate_count,
                                 .tau = b->tau,
                                 .core_units = facts.core_units,
                                 .unix_start = facts.unix_start,
                                 .zone = facts.zone[0] ? facts.zone : NULL,
                                 .zone_offset = facts.zone_offset,
                                 .called = r ? called : NULL,
                                 .called_ctx = r,
                                 .beside = r ? beside : NULL,
                                 .beside_ctx = r};
  return hc_grouping_new(c->allocator, &o, &b->grouping, &c->error);
}

static hc_rc open_by(cli *c, hc_result *r, cli_by *out)
{
  CLI_TRY(take_list(c, "sizes", false, &out->sizes, &out->size_count));
  CLI_TRY(take_list(c, "estimates", true, &out->estimates, &out->estimate_count));
  CLI_TRY(take_tau(c, &out->tau));
  CLI_TRY(make(c, r, out));
  out->dimensions = hc_grouping_dimensions(out->grouping);
  out->has_accounts = r && cli_result_fact(c, r, "account_beside_group", 0) > 0;
  out->has_qoses = r && cli_result_fact(c, r, "qos_beside_queue", 0) > 0;
  return 0;
}

hc_rc cli_by_open(cli *c, hc_result *r, cli_by *out)
{
  *out = (cli_by){.result = r};
  CLI_TRY(take_by(c, out));
  return open_by(c, r, out);
}

hc_rc cli_by_open_word(cli *c, hc_result *r, const char *word, cli_by *out)
{
  *out = (cli_by){.result = r, .by = calloc(1, sizeof *out->by)};
  if (!out->by) return cli_fail(c, HC_ENOMEM, "out of memory");
  out->by[out->by_count++] = word;
  return open_by(c, r, out);
}

void cli_by_close(cli_by *b)
{
  hc_grouping_free(b->grouping);
  free(b->by);
  free(b->sizes);
  free(b->estimates);
  *b = (cli_by){.dimensions = 0};
}

/* ---- what a group is called ---- */

/* What a trait is the number of, or `other` what stands in for it; HC_CALLED_COUNT: of nothing that has
 * names. */
static hc_called called_of(hc_trait t, bool other)
{
  switch (t) {
    case HC_TRAIT_USER: return HC_CALLED_USER;
    case HC_TRAIT_GROUP: return HC_CALLED_GROUP;
    case HC_TRAIT_EXECUTABLE: return HC_CALLED_EXECUTABLE;
    case HC_TRAIT_QUEUE: return HC_CALLED_QUEUE;
    case HC_TRAIT_PARTITION: return HC_CALLED_PARTITION;
    case HC_TRAIT_ACCOUNT: return other ? HC_CALLED_GROUP : HC_CALLED_ACCOUNT;
    case HC_TRAIT_QOS: return other ? HC_CALLED_QUEUE : HC_CALLED_QOS;
    default: return HC_CALLED_COUNT;
  }
}

const char *cli_by_title(const cli_by *b, uint32_t dimension)
{
  const hc_trait trait = hc_grouping_trait(b->grouping, dimension);
  const hc_called kind = called_of(trait, false);
  return b->result && kind != HC_CALLED_COUNT ? hc_result_title(b->result, kind)
                                              : hc_grouping_name(b->grouping, dimension);
}

void cli_by_columns(const cli_by *b, cli_column *columns)
{
  for (uint32_t d = 0; d < b->dimensions; d++) {
    const hc_trait t = hc_grouping_trait(b->grouping, d);
    columns[d] = (cli_column){.name = hc_grouping_name(b->grouping, d),
                              .title = cli_by_title(b, d),
                              .right = t == HC_TRAIT_EXPRESSION && !hc_grouping_is_claim(b->grouping, d)};
  }
}

static const char *const weekdays[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                       "Friday", "Saturday", "Sunday"};

/* 90 s is "90s", 3,600 "1h", 86,400 "1d": the largest unit of which it is a whole number. */
static void short_time(double seconds, char *out, size_t size)
{
  static const double units[] = {86400, 3600, 60, 1};
  char number[40];
  size_t i = 0;
  while (i < 3 && !(seconds >= units[i] && seconds < 1e15 &&
                    seconds / units[i] == (double)(int64_t)(seconds / units[i])))
    i++;
  number[hc_format_real(seconds / units[i], number)] = '\0';
  (void)snprintf(out, size, "%s%c", number, "dhms"[i]);
}

static void estimate_text(const hc_group_value *v, char *out, size_t size)
{
  char from[48], to[48];
  short_time(v->value, from, sizeof from);
  short_time(v->to, to, sizeof to);
  if (!(v->to < __builtin_inf())) (void)snprintf(out, size, "over %s", from);
  else if (v->value > 0) (void)snprintf(out, size, "%s-%s", from, to);
  else (void)snprintf(out, size, "up to %s", to);
}

/* Limits are whole: above 2 and not above 4 are 3 and 4 processors; of cores that come in parts, 2.5 too. */
static void size_text(const hc_group_value *v, bool has_parts, char *out, size_t size)
{
  const double first = v->value + 1;
  const bool is_last = !(v->to < __builtin_inf());
  if (has_parts && is_last) (void)snprintf(out, size, "over %.0f", v->value);
  else if (has_parts && v->value > 0) (void)snprintf(out, size, "over %.0f to %.0f", v->value, v->to);
  else if (has_parts) (void)snprintf(out, size, "up to %.0f", v->to);
  else if (is_last) (void)snprintf(out, size, "%.0f or more", first);
  else if (first == v->to) (void)snprintf(out, size, "%.0f", v->to);
  else (void)snprintf(out, size, "%.0f-%.0f", first, v->to);
}

static void date_text(hc_trait trait, int64_t number, char *out, size_t size)
{
  const int64_t most = (int64_t)1 << 40; /* of a damaged result */
  hc_calendar d;
  number = number > most ? most : number < -most ? -most : number;
  if (trait == HC_TRAIT_DAY) {
    d = hc_calendar_of(number * 86400, 0);
    (void)snprintf(out, size, "%04lld-%02d-%02d", (long long)d.year, d.month, d.day);
  } else {
    const int64_t year = number >= 0 ? number / 12 : (number - 11) / 12;
    (void)snprintf(out, size, "%04lld-%02lld", (long long)(1970 + year), (long long)(number - 12 * year + 1));
  }
}

/* Whether a group among accounts is to be told from these: "group staff". */
static bool stands_in(const cli_by *b, hc_trait trait, const hc_group_value *v)
{
  return v->is_other && (trait == HC_TRAIT_ACCOUNT ? b->has_accounts : b->has_qoses);
}

/* A name is the source's, and may hold anything: control characters are shown as what they are. */
static void add_number(cli_table *t, const cli_by *b, hc_trait trait, const hc_group_value *v)
{
  const hc_called kind = called_of(trait, v->is_other);
  const char *name = b->result ? hc_result_name(b->result, kind, v->number) : NULL;
  hc_buffer plain, shown;
  hc_buffer_init(&plain, t->allocator);
  hc_buffer_init(&shown, t->allocator);
  if (stands_in(b, trait, v)) {
    hc_buffer_printf(&plain, "%s ", hc_result_title(b->result, kind));
    hc_buffer_printf(&shown, "%s ", hc_result_title(b->result, kind));
  }
  if (name) {
    hc_buffer_text(&plain, name);
    hc_shown_text(&shown, name, strlen(name), "");
  } else {
    hc_buffer_printf(&plain, "%lld", (long long)v->number);
  }
  t->failed |= plain.failed || shown.failed;
  cli_add_pair(t, plain.failed || !plain.data ? "" : plain.data, name && !shown.failed ? shown.data : NULL,
               name || shown.size > 0);
  hc_buffer_fini(&plain);
  hc_buffer_fini(&shown);
}

void cli_add_group(cli_table *t, const cli_by *b, uint32_t dimension, const hc_group_value *v)
{
  const hc_trait trait = hc_grouping_trait(b->grouping, dimension);
  char text[96], human[64];
  if (!v->is_known) {
    cli_add_pair(t, NULL, "unknown", true);
    return;
  }
  switch (trait) {
    case HC_TRAIT_USER:
    case HC_TRAIT_GROUP:
    case HC_TRAIT_EXECUTABLE:
    case HC_TRAIT_QUEUE:
    case HC_TRAIT_PARTITION:
    case HC_TRAIT_ACCOUNT:
    case HC_TRAIT_QOS: add_number(t, b, trait, v); return;
    case HC_TRAIT_MONTH:
    case HC_TRAIT_DAY:
      date_text(trait, v->number, text, sizeof text);
      cli_add_text(t, text);
      return;
    case HC_TRAIT_WEEKDAY:
      cli_add_text(t, v->number >= 0 && v->number < 7 ? weekdays[v->number] : NULL);
      return;
    case HC_TRAIT_HOUR:
      (void)snprintf(text, sizeof text, "%lld", (long long)v->number);
      (void)snprintf(human, sizeof human, "%02lld:00", (long long)v->number);
      cli_add_pair(t, text, human, false);
      return;
    case HC_TRAIT_SIZE:
      size_text(v, b->has_parts, text, sizeof text);
      cli_add_text(t, text);
      return;
    case HC_TRAIT_ALL: cli_add_text(t, "all"); return;
    case HC_TRAIT_ESTIMATE:
      estimate_text(v, text, sizeof text);
      cli_add_text(t, text);
      return;
    case HC_TRAIT_EXPRESSION:
    case HC_TRAIT_COUNT: break;
  }
  text[hc_format_real(v->value, text)] = '\0';
  cli_human(v->value, NULL, human);
  if (hc_grouping_is_claim(b->grouping, dimension))
    cli_add_pair(t, text, v->value != 0 ? "yes" : "no", false);
  else cli_add_pair(t, text, human, false);
}

void cli_add_rest(cli_table *t, const cli_by *b, uint64_t groups, bool at_least)
{
  char number[40], text[80];
  number[hc_format_count((int64_t)groups, number)] = '\0';
  (void)snprintf(text, sizeof text, "%s%s others", at_least ? "at least " : "", number);
  cli_add_pair(t, NULL, text, true);
  for (uint32_t d = 1; d < b->dimensions; d++) cli_add_text(t, NULL);
}
