/* law_text.c -- reads a law of chance as users write it.
 *
 *   law      = part { "+" part } [ "from" value ] [ "to" value ]
 *   part     = [ number "*" ] ( value | name "(" argument { [","] argument } ")" )
 *   argument = [ name "=" ] value
 *
 * A value has the unit of what is drawn (time, size, number); shapes, cvs and weights have none. Errors
 * say which character they are about. No text, however hostile, takes more than its length squared of
 * time, nor more memory than 64 parts of 4,096 values; a file gives 2^22 at most. */
#include <stdio.h>
#include <string.h>

#include "base/input.h"
#include "base/text.h"
#include "base/util.h"
#include "workload/law.h"

/* ---- words and values ---- */

typedef struct reading {
  hc_law *law;
  const char *text, *s; /* all of it; where reading stands */
  hc_law_unit unit;
  const char *where, *name;
  hc_error *e;
} reading;

static hc_rc refuse(const reading *r, const char *at, const char *what)
{
  const size_t column = (size_t)(at - r->text) + 1;
  return hc_fail(r->e, HC_EUSAGE, r->where, 0, 0, "%s: \"%.200s\", character %zu: %s", r->name, r->text,
                 column, what);
}

static void skip_blanks(reading *r)
{
  while (*r->s == ' ' || *r->s == '\t' || *r->s == '\n') r->s++;
}

/* Whether the next sign is this one, which is then passed. */
static bool sign(reading *r, char c)
{
  skip_blanks(r);
  if (*r->s != c) return false;
  r->s++;
  return true;
}

static bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static size_t word_length(const char *s)
{
  size_t n = 0;
  while (is_letter(s[n])) n++;
  return n;
}

/* Whether the next word is this one, which is then passed. */
static bool word(reading *r, const char *w)
{
  skip_blanks(r);
  const size_t n = word_length(r->s);
  if (n != strlen(w) || memcmp(r->s, w, n) != 0) return false;
  r->s += n;
  return true;
}

/* A number with its unit: digits, letters, and a + within an exponent. */
static size_t value_length(const char *s)
{
  size_t n = 0;
  if (!is_digit(s[0]) && s[0] != '.' && s[0] != '-') return 0;
  for (;; n++) {
    const bool exponent = n > 0 && (s[n - 1] == 'e' || s[n - 1] == 'E') && is_digit(s[n + (s[n] != '\0')]);
    if (is_digit(s[n]) || is_letter(s[n]) || s[n] == '.' || s[n] == ':' ||
        (s[n] == '-' && (n == 0 || exponent)) || (s[n] == '+' && exponent))
      continue;
    return n;
  }
}

/* Read n bytes as a value of a unit. NULL, or what is wrong. */
static const char *to_value(const char *s, size_t n, hc_law_unit unit, double *out)
{
  hc_time t;
  int64_t size;
  switch (unit) {
    case HC_LAW_TIME:
      if (hc_parse_time(s, n, &t) < 0) return "is no time; write 90s, 1.5h, 1h30m, or a number of seconds";
      if (t < 0 || t > (hc_time)1000000000 * HC_SECOND) return "is not between 0 and 1e9 s";
      *out = (double)t / 1e9;
      return NULL;
    case HC_LAW_SIZE:
      if (hc_parse_size(s, n, &size) < 0) return "is no size; write 64MiB, 1.5GB, or a number of bytes";
      if (size < 0 || size > (int64_t)1 << 50) return "is not between 0 and 2^50 bytes";
      *out = (double)size;
      return NULL;
    case HC_LAW_NUMBER: break;
  }
  if (hc_parse_real(s, n, out) < 0) return "is no number";
  return *out >= 0 && *out <= HC_LAW_HIGHEST ? NULL : "is not between 0 and 1e15";
}

static hc_rc value(reading *r, hc_law_unit unit, double *out)
{
  const char *wrong, *at;
  char text[120];
  skip_blanks(r);
  at = r->s;
  const size_t n = value_length(at);
  if (n == 0) return refuse(r, at, "a value is expected here");
  wrong = to_value(at, n, unit, out);
  r->s += n;
  if (!wrong) return 0;
  (void)snprintf(text, sizeof text, "%.*s %s", (int)HC_MIN(n, (size_t)24), at, wrong);
  return refuse(r, at, text);
}

/* ---- parts ---- */

typedef enum fit {
  FIT_MEAN,
  FIT_MEAN_CV,
  FIT_MEDIAN_SIGMA,
  FIT_SHAPE_SCALE,
  FIT_BOUNDS,
  FIT_NORMAL,
  FIT_PARETO
} fit;

#define MOST_ARGUMENTS 3

/* What can be written, and how it is fitted; `plain` arguments have no unit. A second form needs its
 * names. */
static const struct form {
  const char *law;
  hc_shape shape;
  fit fit;
  const char *arguments[MOST_ARGUMENTS];
  bool plain[MOST_ARGUMENTS];
} forms[] = {
    {"exponential", HC_SHAPE_EXPONENTIAL, FIT_MEAN, {"mean"}, {0}},
    {"lognormal", HC_SHAPE_LOGNORMAL, FIT_MEAN_CV, {"mean", "cv"}, {false, true}},
    {"lognormal", HC_SHAPE_LOGNORMAL, FIT_MEDIAN_SIGMA, {"median", "sigma"}, {false, true}},
    {"weibull", HC_SHAPE_WEIBULL, FIT_MEAN_CV, {"mean", "cv"}, {false, true}},
    {"weibull", HC_SHAPE_WEIBULL, FIT_SHAPE_SCALE, {"shape", "scale"}, {true, false}},
    {"gamma", HC_SHAPE_GAMMA, FIT_MEAN_CV, {"mean", "cv"}, {false, true}},
    {"gamma", HC_SHAPE_GAMMA, FIT_SHAPE_SCALE, {"shape", "scale"}, {true, false}},
    {"hyperexponential", HC_SHAPE_HYPEREXPONENTIAL, FIT_MEAN_CV, {"mean", "cv"}, {false, true}},
    {"uniform", HC_SHAPE_CONSTANT, FIT_BOUNDS, {"low", "high"}, {0}},
    {"loguniform", HC_SHAPE_LOGUNIFORM, FIT_BOUNDS, {"low", "high"}, {0}},
    {"normal", HC_SHAPE_CONSTANT, FIT_NORMAL, {"mean", "deviation"}, {0}},
    {"pareto", HC_SHAPE_CONSTANT, FIT_PARETO, {"low", "high", "shape"}, {false, false, true}},
};

static bool is_called(const char *s, size_t n, const char *name)
{
  return strlen(name) == n && memcmp(s, name, n) == 0;
}

/* The form of a law that has an argument of a name, or its first; NULL: there is no such law. */
static const struct form *find_form(const char *s, size_t n, const char *argument, size_t length)
{
  const struct form *first = NULL;
  for (size_t i = 0; i < HC_ARRAY_LEN(forms); i++) {
    if (!is_called(s, n, forms[i].law)) continue;
    if (!first) first = &forms[i];
    for (int k = 0; length > 0 && k < MOST_ARGUMENTS; k++)
      if (forms[i].arguments[k] && is_called(argument, length, forms[i].arguments[k])) return &forms[i];
  }
  return first;
}

static hc_rc bad_arguments(const reading *r, const char *at, const struct form *f)
{
  char text[160];
  const char *const *a = f->arguments;
  (void)snprintf(text, sizeof text, "%s takes (%s%s%s%s%s)%s", f->law, a[0], a[1] ? " " : "",
                 a[1] ? a[1] : "", a[2] ? " " : "", a[2] ? a[2] : "",
                 f->fit == FIT_MEAN_CV && f->shape == HC_SHAPE_LOGNORMAL          ? ", or (median= sigma=)"
                 : f->fit == FIT_MEAN_CV && f->shape != HC_SHAPE_HYPEREXPONENTIAL ? ", or (shape= scale=)"
                                                                                  : "");
  return refuse(r, at, text);
}

/* The arguments of a form, in its order; reading stands behind the parenthesis. */
static hc_rc read_arguments(reading *r, const char *law, const struct form **form, double out[MOST_ARGUMENTS])
{
  const struct form *f = NULL;
  bool given[MOST_ARGUMENTS] = {false};
  int place = 0;
  const size_t n = word_length(law);
  while (!sign(r, ')')) {
    const char *at = r->s;
    const size_t length = word_length(at);
    int k = place;
    if (!f) f = find_form(law, n, at, length);
    if (length > 0) {
      for (k = 0; k < MOST_ARGUMENTS; k++)
        if (f->arguments[k] && is_called(at, length, f->arguments[k])) break;
      r->s += length;
      if (k == MOST_ARGUMENTS || !sign(r, '=')) return bad_arguments(r, at, f);
    }
    if (k >= MOST_ARGUMENTS || !f->arguments[k] || given[k]) return bad_arguments(r, at, f);
    TRY(value(r, f->plain[k] ? HC_LAW_NUMBER : r->unit, &out[k]));
    given[k] = true;
    place = k + 1;
    (void)sign(r, ',');
  }
  if (!f) f = find_form(law, n, NULL, 0);
  for (int k = 0; k < MOST_ARGUMENTS; k++)
    if (f->arguments[k] && !given[k]) return bad_arguments(r, law, f);
  *form = f;
  return 0;
}

static const char *fit_bounds(hc_law_part *p, hc_shape shape, double low, double high)
{
  if (!(low < high)) return "low is not below high";
  if (shape == HC_SHAPE_LOGUNIFORM) {
    if (!(low > 0)) return "the logarithm is uniform between low and high, which are above 0";
    hc_variate_loguniform(&p->of, low, high);
    p->kind = HC_LAW_VARIATE;
    return NULL;
  }
  p->kind = HC_LAW_UNIFORM;
  p->a = low;
  p->b = high;
  return NULL;
}

/* By the parameters of the formula. */
static const char *fit_directly(hc_law_part *p, const struct form *f, double x, double y)
{
  const bool shape_first = f->fit == FIT_SHAPE_SCALE;
  hc_variate *v = &p->of;
  if (!(x > 0 && y > 0)) return "both must be above 0";
  if (shape_first && !(x >= 0.1 && x <= 1e4)) return "the shape is not between 0.1 and 10000";
  if (!shape_first && y > 10) return "sigma is above 10";
  *v = (hc_variate){.shape = f->shape, .a = shape_first ? x : hc_log(x), .b = y};
  if (f->shape == HC_SHAPE_GAMMA) v->mean = x * y;
  else if (f->shape == HC_SHAPE_WEIBULL) v->mean = y * hc_exp(hc_gamma_log(1.0 + 1.0 / x));
  else v->mean = x * hc_exp(0.5 * y * y);
  return NULL;
}

/* Make a part of a form and its arguments. NULL, or what is wrong. */
static const char *fit_part(hc_law_part *p, const struct form *f, const double x[MOST_ARGUMENTS])
{
  p->kind = HC_LAW_VARIATE;
  switch (f->fit) {
    case FIT_MEAN: return hc_variate_fit(&p->of, f->shape, x[0], 1.0) ? NULL : "the mean must be above 0";
    case FIT_MEAN_CV:
      if (!(x[0] > 0)) return "the mean must be above 0";
      return hc_variate_fit(&p->of, f->shape, x[0], x[1])
                 ? NULL
                 : "no such cv: lognormal has 0.001 to 1000, weibull 0.02 to 400, gamma 0.001 to 30, "
                   "hyperexponential 1 to 1000";
    case FIT_MEDIAN_SIGMA:
    case FIT_SHAPE_SCALE: return fit_directly(p, f, x[0], x[1]);
    case FIT_BOUNDS: return fit_bounds(p, f->shape, x[0], x[1]);
    case FIT_NORMAL:
      p->kind = HC_LAW_NORMAL;
      p->a = x[0];
      p->b = x[1];
      return x[1] > 0 ? NULL : "the deviation must be above 0";
    case FIT_PARETO:
      p->kind = HC_LAW_PARETO;
      p->a = x[0];
      p->b = x[1];
      p->c = x[2];
      if (!(x[0] > 0 && x[0] < x[1])) return "low must be above 0 and below high";
      return x[2] >= 0.01 && x[2] <= 100 ? NULL : "the shape is not between 0.01 and 100";
  }
  return NULL;
}

static hc_rc add_value(const hc_law *l, hc_law_part *p, double x)
{
  TRY(hc_reserve(l->allocator, (void **)&p->values, &p->cap, p->count + 1, sizeof *p->values));
  p->values[p->count++] = x;
  return 0;
}

static hc_rc read_list(reading *r, hc_law_part *p, const char *at)
{
  while (!sign(r, ')')) {
    double x = 0;
    TRY(value(r, r->unit, &x));
    if (p->kind == HC_LAW_QUANTILES && p->count > 0 && x < p->values[p->count - 1])
      return refuse(r, at, "quantiles do not fall: put them in order");
    if (p->count == HC_LAW_LIST)
      return refuse(r, at, "these are more than 4096 values: put them into a file");
    TRY(add_value(r->law, p, x));
    (void)sign(r, ',');
  }
  if (p->count < (p->kind == HC_LAW_QUANTILES ? 2u : 1u))
    return refuse(r, at,
                  p->kind == HC_LAW_QUANTILES
                      ? "two quantiles are needed at least: the least and the greatest value"
                      : "a value is needed at least");
  return 0;
}

/* A value a line; # begins a comment. */
static hc_rc read_lines(const reading *r, hc_law_part *p, hc_input *in)
{
  const char *name = hc_input_name(in);
  char *line;
  size_t n;
  hc_rc rc;
  while ((rc = hc_input_line(in, &line, &n, r->e)) == 1) {
    double x = 0;
    const uint32_t number = (uint32_t)HC_MIN(hc_input_lines(in), (uint64_t)UINT32_MAX);
    while (n > 0 && (*line == ' ' || *line == '\t')) line++, n--;
    while (n > 0 && (line[n - 1] == ' ' || line[n - 1] == '\t')) n--;
    if (n == 0 || *line == '#') continue;
    const char *wrong = to_value(line, n, r->unit, &x);
    if (wrong) return hc_fail(r->e, HC_EINPUT, name, number, 1, "%.40s %s", line, wrong);
    if (p->count == HC_LAW_FILE)
      return hc_fail(r->e, HC_ELIMIT, name, number, 0, "there are more than 2^22 values");
    TRY(add_value(r->law, p, x));
  }
  if (rc == 0 && p->count == 0) return hc_fail(r->e, HC_EINPUT, name, 0, 0, "there is no value in it");
  return rc;
}

static hc_rc read_file(reading *r, hc_law_part *p)
{
  char path[1024];
  size_t n = strcspn(r->s, ")");
  hc_input *in;
  if (r->s[n] != ')' || n == 0 || n >= sizeof path) return refuse(r, r->s, "file(path) is expected here");
  memcpy(path, r->s, n);
  path[n] = '\0';
  r->s += n + 1;
  TRY(hc_input_open(r->law->allocator, path, &in, r->e));
  const hc_rc rc = read_lines(r, p, in);
  hc_input_free(in);
  return rc;
}

static hc_rc read_named(reading *r, hc_law_part *p)
{
  const char *at = r->s, *wrong;
  const size_t n = word_length(at);
  const struct form *f = NULL;
  double x[MOST_ARGUMENTS] = {0};
  r->s += n;
  const bool listed = is_called(at, n, "quantiles") || is_called(at, n, "values"),
             file = is_called(at, n, "file");
  if (!listed && !file && !find_form(at, n, NULL, 0))
    return refuse(
        r, at,
        "there is no such law; there are exponential, lognormal, weibull, gamma, hyperexponential, normal, "
        "uniform, loguniform, pareto, quantiles, values, file, and plain numbers");
  if (!sign(r, '(')) return refuse(r, r->s, "a parenthesis is expected here");
  p->kind = is_called(at, n, "quantiles") ? HC_LAW_QUANTILES : HC_LAW_VALUES;
  if (listed) return read_list(r, p, at);
  if (file) return read_file(r, p);
  TRY(read_arguments(r, at, &f, x));
  wrong = fit_part(p, f, x);
  return wrong ? refuse(r, at, wrong) : 0;
}

static hc_rc read_part(reading *r)
{
  hc_law *l = r->law;
  hc_law_part *p;
  double x = 0;
  if (l->count == HC_LAW_PARTS) return refuse(r, r->s, "these are more than 64 parts");
  TRY(hc_reserve(l->allocator, (void **)&l->parts, &l->cap, l->count + 1, sizeof *l->parts));
  p = &l->parts[l->count++];
  *p = (hc_law_part){.weight = 1};
  skip_blanks(r);
  if (!is_letter(*r->s)) {
    const char *at = r->s;
    const size_t n = value_length(at);
    const char *after = at + n;
    while (*after == ' ' || *after == '\t' || *after == '\n') after++;
    if (n > 0 && *after == '*') {
      TRY(value(r, HC_LAW_NUMBER, &p->weight));
      (void)sign(r, '*');
      skip_blanks(r);
    }
  }
  if (is_letter(*r->s)) return read_named(r, p);
  TRY(value(r, r->unit, &x));
  p->kind = HC_LAW_FIXED;
  p->a = x;
  return 0;
}

/* ---- the law ---- */

hc_rc hc_law_read(hc_law *l, const hc_allocator *a, const char *text, hc_law_unit unit, const char *where,
                  const char *name, hc_error *e)
{
  reading r = {.law = l, .text = text, .s = text, .unit = unit, .where = where, .name = name, .e = e};
  double low = 0, high = HC_LAW_ENDLESS;
  *l = (hc_law){.allocator = a};
  do TRY(read_part(&r));
  while (sign(&r, '+'));
  if (word(&r, "from")) TRY(value(&r, unit, &low));
  if (word(&r, "to")) TRY(value(&r, unit, &high));
  skip_blanks(&r);
  if (*r.s)
    return refuse(&r, r.s, "this does not belong here; laws are joined by +, bounds are `from x to y`");
  if (!(low <= high)) return refuse(&r, text, "the bounds are in the wrong order: exchange them");
  const hc_rc rc = hc_law_settle(l, low, high);
  return rc == 0 ? refuse(&r, text, "less than one in a hundred would lie between the bounds: widen them")
                 : HC_MIN(rc, 0);
}
