/* platform_units.c -- numbers with units as platforms of SimGrid write them.
 *
 * The product is formed as there, so that it is the same to the last bit: the number times the unit, whose
 * prefixes are powers of 1000, or of 1024, of its plain value. */
#include <string.h>

#include "base/util.h"
#include "cluster/platform.h"

/* Length of the decimal number that `s` begins with; an E that no digit follows is a unit's (exa). */
static size_t number_length(const char *s)
{
  size_t n = s[0] == '-' || s[0] == '+', more;
  n += strspn(s + n, "0123456789");
  if (s[n] == '.') n += 1 + strspn(s + n + 1, "0123456789");
  if (s[n] != 'e' && s[n] != 'E') return n;
  more = n + 1 + (s[n + 1] == '-' || s[n + 1] == '+');
  return s[more] >= '0' && s[more] <= '9' ? more + strspn(s + more, "0123456789") : n;
}

/* The value of a prefix that ends where the unit begins; 0: there is no such prefix. */
static double prefix_of(const char *s, size_t n, bool is_word)
{
  static const char *const words[] = {"kilo", "mega", "giga", "tera", "peta", "exa", "zeta", "yotta"};
  static const char letters[] = "kMGTPEZY", binary[] = "KMGTPEZY";
  double thousands = 1, kibis = 1;
  if (n == 0) return 1;
  for (size_t i = 0; i < HC_ARRAY_LEN(words); i++) {
    thousands *= 1000.0;
    kibis *= 1024.0;
    if (is_word && strlen(words[i]) == n && strncmp(words[i], s, n) == 0) return thousands;
    if (!is_word && n == 1 && s[0] == letters[i]) return thousands;
    if (!is_word && n == 2 && s[0] == binary[i] && s[1] == 'i') return kibis;
  }
  return 0;
}

typedef struct unit {
  const char *name;
  double value;
  bool has_prefixes, is_word;
} unit;

static hc_rc parse(const char *s, const unit *units, size_t count, double *out)
{
  const size_t n = number_length(s), rest = strlen(s) - n;
  double number;
  TRY(hc_parse_real(s, n, &number));
  for (size_t i = 0; i < count; i++) {
    const size_t length = strlen(units[i].name);
    const char *end = s + n + rest - length;
    double prefix;
    if (rest < length || strcmp(end, units[i].name) != 0) continue;
    if (!units[i].has_prefixes && rest != length) continue;
    prefix = prefix_of(s + n, rest - length, units[i].is_word);
    if (prefix <= 0) continue;
    *out = number * (units[i].value * prefix);
    return 0;
  }
  if (rest > 0) return HC_EINPUT;
  *out = number;
  return 0;
}

hc_rc hc_platform_speed(const char *s, double *out)
{
  static const unit units[] = {{"flops", 1, true, true}, {"f", 1, true, false}};
  return parse(s, units, HC_ARRAY_LEN(units), out);
}

hc_rc hc_platform_bandwidth(const char *s, double *out)
{
  static const unit units[] = {{"Bps", 1, true, false}, {"bps", 0.125, true, false}};
  return parse(s, units, HC_ARRAY_LEN(units), out);
}

hc_rc hc_platform_time(const char *s, double *out)
{
  static const unit units[] = {
      {"w", 604800, false, false}, {"d", 86400, false, false}, {"h", 3600, false, false},
      {"m", 60, false, false},     {"s", 1, false, false},     {"ms", 1e-3, false, false},
      {"us", 1e-6, false, false},  {"ns", 1e-9, false, false}, {"ps", 1e-12, false, false}};
  return parse(s, units, HC_ARRAY_LEN(units), out);
}
