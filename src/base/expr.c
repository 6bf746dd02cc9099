/* expr.c -- arithmetic over named variables: a recursive-descent compiler and a machine with a stack.
 *
 * The text becomes a postfix program: numbers and variables push, operators take theirs from the top. What
 * consists of numbers only is computed at once. Both sides of ?: && || are evaluated, since nothing has
 * effects and a program without jumps is quick; a value is true if it is neither 0 nor a NaN. Comparisons
 * do not chain, because a < b < c never means what it looks like. min and max of a NaN are NaN, % has the
 * sign of its left operand (as in C) and is exact. No user functions; the only units
 * are those of sizes (64MiB, 2GB); a text is no value, and stands only where a variable is compared with it,
 * which is one step of the program.
 * Cost: compiling is linear in the text; evaluating about 2 ns per operation, more for exp, log and pow. */
#include "base/expr.h"

#include <stdio.h>
#include <string.h>

#include "base/math.h"
#include "base/text.h"
#include "base/util.h"
#include "base/value.h"

#define NESTING 64 /* parentheses, functions, signs, powers and choices inside each other */
#define STACK 640  /* values held at once: each level leaves at most eight waiting */
#define NOT_A_NUMBER __builtin_nan("")

/* Operators in the machine; functions have the name they are called by. */
#define FUNCTIONS(X) \
  X(MIN, "min", 2) \
  X(MAX, "max", 2) \
  X(POW, "pow", 2) \
  X(ABS, "abs", 1) \
  X(SQRT, "sqrt", 1) \
  X(EXP, "exp", 1) \
  X(LOG, "log", 1) \
  X(LOG2, "log2", 1) \
  X(LOG10, "log10", 1) \
  X(FLOOR, "floor", 1) \
  X(CEIL, "ceil", 1) \
  X(ROUND, "round", 1)

typedef enum op {
  OP_END,
  OP_NUMBER,
  OP_VARIABLE,
  OP_ADD,
  OP_SUBTRACT,
  OP_MULTIPLY,
  OP_DIVIDE,
  OP_REMAINDER,
  OP_LESS,
  OP_LESS_EQUAL,
  OP_GREATER,
  OP_GREATER_EQUAL,
  OP_EQUAL,
  OP_NOT_EQUAL,
  OP_AND,
  OP_OR,
  OP_NEGATE,
  OP_NOT,
  OP_CHOOSE,
  OP_CALLED, /* a variable, by its name */
#define X(name, text, arity) OP_##name,
  FUNCTIONS(X)
#undef X
} op;

typedef struct step {
  op op;
  uint32_t variable;
  double number;    /* of OP_CALLED: that of a value without a name; a NaN if the name is no number */
  const char *text; /* of OP_CALLED: the name */
} step;

struct hc_expr {
  step *code;
  size_t count;
  uint64_t *reads, *called; /* one bit per variable */
  size_t variables;
};

typedef struct parser {
  const char *text, *at;
  const char *const *names;
  size_t name_count;
  bool (*has_name)(size_t variable); /* NULL: none has */
  hc_arena *arena;
  hc_expr *x;
  int nesting, depth; /* of the parser; of the stack after the last step */
  hc_error *e;
} parser;

/* ---- the operations ---- */

static double toward_zero(double x)
{
  return x > -0x1p52 && x < 0x1p52 ? (double)(int64_t)x : x; /* beyond, every number is whole, or a NaN */
}

static double floor_of(double x)
{
  double whole = toward_zero(x);
  return whole > x ? whole - 1.0 : whole;
}

/* Halves away from zero. The test is on the part cut off, which is exact; x + 0.5 would round. */
static double round_of(double x)
{
  double whole = toward_zero(x), cut = x - whole;
  return cut >= 0.5 ? whole + 1.0 : cut <= -0.5 ? whole - 1.0 : whole;
}

/* Exact: the remainder of the digits, shifted up eleven binary places at a time. a and b are finite and
 * positive. */
static double remainder_of_positive(double a, double b)
{
  uint64_t ua, ub;
  memcpy(&ua, &a, sizeof ua);
  memcpy(&ub, &b, sizeof ub);
  int ea = (int)(ua >> 52), eb = (int)(ub >> 52);
  uint64_t one = (uint64_t)1 << 52, ma = (ua & (one - 1)) | (ea ? one : 0),
           mb = (ub & (one - 1)) | (eb ? one : 0);
  ea = HC_MAX(ea, 1); /* subnormals have the least exponent without the hidden digit */
  eb = HC_MAX(eb, 1);
  if (ea < eb) return a;
  ma %= mb;
  for (int places = ea - eb; places > 0 && ma > 0;) {
    int now = HC_MIN(places, 11);
    ma = (ma << now) % mb;
    places -= now;
  }
  /* ma * 2^(eb - 1075) is exact, being below b in units of its last place */
  uint64_t unit_bits = eb > 52 ? (uint64_t)(eb - 52) << 52 : (uint64_t)1 << (eb - 1);
  double unit;
  memcpy(&unit, &unit_bits, sizeof unit);
  return (double)ma * unit;
}

static double remainder_of(double a, double b)
{
  const double limit = 0x1p53;
  if (a > -limit && a < limit && b > -limit && b < limit && b != 0) {
    int64_t p = (int64_t)a, q = (int64_t)b;
    if ((double)p == a && (double)q == b) return (double)(p % q);
  }
  double x = a < 0 ? -a : a, y = b < 0 ? -b : b;
  if (!(x < __builtin_inf()) || !(y > 0)) return NOT_A_NUMBER;
  if (x < y) return a;
  double r = remainder_of_positive(x, y);
  return a < 0 ? -r : r;
}

static bool is_true(double x)
{
  return x < 0 || x > 0;
}

/* The two-operand operations that are called rather than written out in the loop below. */
static double lesser(double a, double b)
{
  return a < b || a != a ? a : b;
}

static double greater(double a, double b)
{
  return a > b || a != a ? a : b;
}

static double divide(double a, double b)
{
  return b == 0 ? NOT_A_NUMBER : a / b;
}

static bool is_called(const step *s, const double *values, hc_expr_called called, const void *ctx)
{
  const char *name = called ? called(ctx, s->variable) : NULL;
  return name ? strcmp(name, s->text) == 0 : values[s->variable] == s->number;
}

/* Run a program; emit() has made sure that the stack suffices. The last value is `a`, in a register, and
 * those below it are on the stack. A sign is changed by subtracting from 0, so that the opposite of 0 does
 * not print as "-0". */
static double run(const step *s, const double *values, hc_expr_called called, const void *ctx)
{
  double stack[STACK], *top = stack, a = 0;
  for (;; s++) {
    switch (s->op) {
      case OP_END: return a;
      case OP_NUMBER:
        *top++ = a; /* the first time, nothing: that place is never read */
        a = s->number;
        break;
      case OP_VARIABLE:
        *top++ = a;
        a = values[s->variable];
        break;
      case OP_CALLED:
        *top++ = a;
        a = is_called(s, values, called, ctx);
        break;
      case OP_CHOOSE:
        top -= 2;
        a = is_true(top[0]) ? top[1] : a;
        break;
      case OP_ADD: a = *--top + a; break;
      case OP_SUBTRACT: a = *--top - a; break;
      case OP_MULTIPLY: a = *--top * a; break;
      case OP_DIVIDE: a = divide(*--top, a); break;
      case OP_REMAINDER: a = remainder_of(*--top, a); break;
      case OP_LESS: a = *--top < a; break;
      case OP_LESS_EQUAL: a = *--top <= a; break;
      case OP_GREATER: a = *--top > a; break;
      case OP_GREATER_EQUAL: a = *--top >= a; break;
      case OP_EQUAL: a = *--top == a; break;
      case OP_NOT_EQUAL: a = *--top != a; break;
      case OP_AND: a = is_true(*--top) && is_true(a); break;
      case OP_OR: a = is_true(*--top) || is_true(a); break;
      case OP_NEGATE: a = 0.0 - a; break;
      case OP_NOT: a = !is_true(a); break;
      case OP_MIN: a = lesser(*--top, a); break;
      case OP_MAX: a = greater(*--top, a); break;
      case OP_POW: a = hc_pow(*--top, a); break;
      case OP_ABS: a = a <= 0 ? 0.0 - a : a; break;
      case OP_SQRT: a = hc_sqrt(a); break;
      case OP_EXP: a = hc_exp(a); break;
      case OP_LOG: a = hc_log(a); break;
      case OP_LOG2: a = hc_log2(a); break;
      case OP_LOG10: a = hc_log10(a); break;
      case OP_FLOOR: a = floor_of(a); break;
      case OP_CEIL: a = 0.0 - floor_of(-a); break;
      case OP_ROUND: a = round_of(a); break;
    }
  }
}

/* ---- emitting ---- */

static hc_rc refuse(parser *p, hc_rc rc, const char *at, const char *what, const char *remedy)
{
  return hc_fail(p->e, rc, "expression", 0, (uint32_t)(at - p->text) + 1, "%s; %s", what, remedy);
}

static int arity_of(op o)
{
  switch (o) {
    case OP_END:
    case OP_NUMBER:
    case OP_CALLED:
    case OP_VARIABLE: return 0;
    case OP_NEGATE:
    case OP_NOT: return 1;
    case OP_CHOOSE: return 3;
#define X(name, text, arity) \
  case OP_##name: return arity;
      FUNCTIONS(X)
#undef X
    case OP_ADD:
    case OP_SUBTRACT:
    case OP_MULTIPLY:
    case OP_DIVIDE:
    case OP_REMAINDER:
    case OP_LESS:
    case OP_LESS_EQUAL:
    case OP_GREATER:
    case OP_GREATER_EQUAL:
    case OP_EQUAL:
    case OP_NOT_EQUAL:
    case OP_AND:
    case OP_OR: return 2;
  }
  return 0;
}

/* Append a step; an operator on numbers alone is replaced by its value. There is room: each step stands
 * for at least half a byte of the text. */
static hc_rc emit(parser *p, const char *at, step s)
{
  hc_expr *x = p->x;
  size_t arity = (size_t)arity_of(s.op);
  bool constant = arity > 0;
  for (size_t i = 1; i <= arity; i++) constant = constant && x->code[x->count - i].op == OP_NUMBER;
  p->depth += 1 - (int)arity;
  if (p->depth >= STACK - 1)
    return refuse(p, HC_ELIMIT, at, "the expression is nested too deeply", "split it or drop parentheses");
  x->code[x->count++] = s;
  if (constant) {
    x->code[x->count] = (step){.op = OP_END};
    double value = run(&x->code[x->count - arity - 1], NULL, NULL, NULL);
    x->count -= arity + 1;
    x->code[x->count++] = (step){.op = OP_NUMBER, .number = value};
  }
  return 0;
}

/* ---- reading ---- */

static void skip_space(parser *p)
{
  while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r') p->at++;
}

/* Take `word` if it comes next. */
static bool take(parser *p, const char *word)
{
  size_t n = strlen(word);
  skip_space(p);
  if (strncmp(p->at, word, n) != 0) return false;
  p->at += n;
  return true;
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || is_digit(c);
}

/* "expected a number", and what stands there instead. */
static hc_rc unexpected(parser *p, const char *expected)
{
  unsigned char c = (unsigned char)*p->at;
  uint32_t column = (uint32_t)(p->at - p->text) + 1;
  const char *remedy = c == '='   ? "; write == to compare"
                       : c == '&' ? "; write && for and"
                       : c == '|' ? "; write || for or"
                                  : "";
  if (c == '\0')
    return hc_fail(p->e, HC_EUSAGE, "expression", 0, column, "expected %s, but the text ends", expected);
  if (c < 0x20 || c >= 0x7f)
    return hc_fail(p->e, HC_EUSAGE, "expression", 0, column, "expected %s, but found the byte 0x%02x",
                   expected, c);
  return hc_fail(p->e, HC_EUSAGE, "expression", 0, column, "expected %s, but found '%c'%s", expected, c,
                 remedy);
}

/* Parse one level deeper. Nothing goes on after an error, so only success gives the level back. */
static hc_rc nested(parser *p, hc_rc (*parse)(parser *))
{
  if (++p->nesting > NESTING)
    return refuse(p, HC_ELIMIT, p->at, "the expression is nested more than 64 deep",
                  "split it or drop parentheses");
  TRY(parse(p));
  p->nesting--;
  return 0;
}

static hc_rc parse_choice(parser *p);

static hc_rc parse_number(parser *p)
{
  const char *start = p->at;
  double value;
  while (is_digit(*p->at) || *p->at == '.') p->at++;
  if (*p->at == 'e' || *p->at == 'E') {
    p->at++;
    if (*p->at == '+' || *p->at == '-') p->at++;
  }
  while (is_word(*p->at)) p->at++; /* "12abc" is one wrong number, not two tokens */
  size_t n = (size_t)(p->at - start);
  const bool is_size = start[n - 1] == 'B'; /* "1e" is an exponent that was begun, and no exabyte */
  if (hc_parse_amount(start, n, is_size ? "B" : NULL, &value) < 0)
    return hc_fail(p->e, HC_EUSAGE, "expression", 0, (uint32_t)(start - p->text) + 1,
                   "\"%.*s\" is not a number; write 12, 0.5, 1e3 or 64MiB, and * between factors",
                   (int)HC_MIN(n, 40), start);
  return emit(p, start, (step){.op = OP_NUMBER, .number = value});
}

/* An unknown variable or function, and the nearest known one. */
static hc_rc unknown(parser *p, const char *start, size_t n, const char *kind, const char *const *known,
                     size_t count)
{
  char word[64], list[480] = "none";
  const char *best = NULL;
  size_t least = 3, used = 0;
  n = HC_MIN(n, sizeof word - 1);
  memcpy(word, start, n);
  word[n] = '\0';
  for (size_t i = 0; i < count; i++) {
    size_t edits = hc_edit_distance(word, known[i], 3);
    if (edits < least && edits < n) {
      least = edits;
      best = known[i];
    }
    if (used + strlen(known[i]) + 3 > sizeof list)
      continue; /* the message has no room for all of a long list */
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", known[i]);
  }
  uint32_t column = (uint32_t)(start - p->text) + 1;
  if (best)
    return hc_fail(p->e, HC_EUSAGE, "expression", 0, column, "there is no %s \"%s\"; did you mean \"%s\"?",
                   kind, word, best);
  return hc_fail(p->e, HC_EUSAGE, "expression", 0, column, "there is no %s \"%s\"; known are: %s", kind, word,
                 list);
}

/* ---- names ---- */

static bool is_quote(char c)
{
  return c == '"' || c == '\'';
}

/* The variable that the last step reads, if it stands for something that has a name. */
static bool is_of_names(const parser *p, size_t variable)
{
  return p->has_name && p->has_name(variable);
}

/* A text between quotes, in which \" is a quote and \\ is a \. */
static hc_rc read_text(parser *p, const char **out)
{
  const char *start = p->at, quote = *p->at++;
  char *text = hc_arena_room(p->arena, strlen(p->at) + 1), *to = text;
  if (!text) return hc_fail(p->e, HC_ENOMEM, "expression", 0, 0, "out of memory");
  for (; *p->at && *p->at != quote; p->at++) {
    if (*p->at == '\\' && (is_quote(p->at[1]) || p->at[1] == '\\')) p->at++;
    *to++ = *p->at;
  }
  if (*p->at != quote) return refuse(p, HC_EUSAGE, start, "the name has no end", "close its quotes");
  p->at++;
  *to = '\0';
  *out = text;
  return 0;
}

/* A name that stands where no variable is compared with it. */
static hc_rc misplaced(parser *p, const char *at)
{
  char list[240] = "";
  size_t used = 0;
  for (size_t i = 0; i < p->name_count; i++)
    if (is_of_names(p, i) && used + strlen(p->names[i]) + 3 < sizeof list)
      used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", p->names[i]);
  if (used == 0) return refuse(p, HC_EUSAGE, at, "nothing here is compared with a name", "compare numbers");
  return hc_fail(p->e, HC_EUSAGE, "expression", 0, (uint32_t)(at - p->text) + 1,
                 "a name is no value; compare it by == or !=, or in (...), with one of: %s", list);
}

/* Whether a variable is called so, or is that number, in place of the last step, which reads it. */
static hc_rc emit_called(parser *p, const char *at, uint32_t variable)
{
  const char *text;
  double number;
  if (!is_of_names(p, variable)) return misplaced(p, at);
  TRY(read_text(p, &text));
  if (hc_parse_real(text, strlen(text), &number) < 0) number = NOT_A_NUMBER;
  p->x->called[variable / 64] |= (uint64_t)1 << (variable % 64);
  return emit(p, at, (step){.op = OP_CALLED, .variable = variable, .number = number, .text = text});
}

/* The last step again: it is undone, and the variable that it read is told. */
static bool undo_variable(parser *p, size_t from, uint32_t *variable)
{
  const step *last = &p->x->code[from];
  if (p->x->count != from + 1 || last->op != OP_VARIABLE) return false;
  *variable = last->variable;
  p->x->count--;
  p->depth--;
  return true;
}

/* The arguments after "name(". min and max take any number of them, two by two. */
static hc_rc parse_call(parser *p, const char *start, size_t n)
{
#define X(name, text, arity) text,
  static const char *const names[] = {FUNCTIONS(X)};
#undef X
#define X(name, text, arity) OP_##name,
  static const op ops[] = {FUNCTIONS(X)};
#undef X
  size_t i = 0;
  while (i < HC_ARRAY_LEN(names) && (strlen(names[i]) != n || memcmp(names[i], start, n) != 0)) i++;
  if (i == HC_ARRAY_LEN(names)) return unknown(p, start, n, "function", names, i);
  int arity = arity_of(ops[i]), given = 1;
  bool many = ops[i] == OP_MIN || ops[i] == OP_MAX;
  TRY(nested(p, parse_choice));
  while (take(p, ",")) {
    if (++given > arity && !many) break;
    TRY(nested(p, parse_choice));
    if (given >= 2) TRY(emit(p, start, (step){.op = ops[i]}));
  }
  if (given < arity || (given > arity && !many))
    return hc_fail(p->e, HC_EUSAGE, "expression", 0, (uint32_t)(start - p->text) + 1, "%s takes %s%d value%s",
                   names[i], many ? "at least " : "", arity, arity > 1 ? "s" : "");
  if (!take(p, ")")) return unexpected(p, "\",\" or \")\"");
  return arity == 1 ? emit(p, start, (step){.op = ops[i]}) : 0;
}

/* @return its number, or how many there are */
static size_t find_variable(const parser *p, const char *word, size_t n)
{
  size_t i = 0;
  while (i < p->name_count && (strlen(p->names[i]) != n || memcmp(p->names[i], word, n) != 0)) i++;
  return i;
}

static hc_rc parse_name(parser *p)
{
  const char *start = p->at;
  while (is_word(*p->at)) p->at++;
  size_t n = (size_t)(p->at - start);
  if (take(p, "(")) return parse_call(p, start, n);
  const size_t i = find_variable(p, start, n);
  if (i == p->name_count) return unknown(p, start, n, "variable", p->names, p->name_count);
  p->x->reads[i / 64] |= (uint64_t)1 << (i % 64);
  return emit(p, start, (step){.op = OP_VARIABLE, .variable = (uint32_t)i});
}

static hc_rc parse_operand(parser *p)
{
  skip_space(p);
  if (is_digit(*p->at) || *p->at == '.') return parse_number(p);
  if (is_word(*p->at)) return parse_name(p);
  if (is_quote(*p->at)) return misplaced(p, p->at);
  if (!take(p, "(")) return unexpected(p, "a number, a variable or \"(\"");
  TRY(nested(p, parse_choice));
  return take(p, ")") ? 0 : unexpected(p, "an operator or \")\"");
}

/* Signs, and powers, which bind tighter than the sign before them but take one after: -2^-2 is -(2^(-2)). */
static hc_rc parse_signed(parser *p)
{
  skip_space(p);
  const char *at = p->at;
  if (take(p, "+")) return nested(p, parse_signed);
  if (take(p, "-")) {
    TRY(nested(p, parse_signed));
    return emit(p, at, (step){.op = OP_NEGATE});
  }
  if (take(p, "!")) {
    TRY(nested(p, parse_signed));
    return emit(p, at, (step){.op = OP_NOT});
  }
  TRY(parse_operand(p));
  skip_space(p);
  at = p->at;
  if (!take(p, "^")) return 0;
  TRY(nested(p, parse_signed));
  return emit(p, at, (step){.op = OP_POW});
}

typedef struct infix {
  const char *text;
  op op;
  int level; /* higher binds tighter */
} infix;

/* The operator that comes next, or NULL. Longer spellings stand before their beginnings. */
static const infix *peek_infix(parser *p)
{
  static const infix table[] = {
      {"||", OP_OR, 1},       {"&&", OP_AND, 2},       {"<=", OP_LESS_EQUAL, 3}, {">=", OP_GREATER_EQUAL, 3},
      {"==", OP_EQUAL, 3},    {"!=", OP_NOT_EQUAL, 3}, {"<", OP_LESS, 3},        {">", OP_GREATER, 3},
      {"+", OP_ADD, 4},       {"-", OP_SUBTRACT, 4},   {"*", OP_MULTIPLY, 5},    {"/", OP_DIVIDE, 5},
      {"%", OP_REMAINDER, 5},
  };
  skip_space(p);
  for (size_t i = 0; i < HC_ARRAY_LEN(table); i++)
    if (strncmp(p->at, table[i].text, strlen(table[i].text)) == 0) return &table[i];
  return NULL;
}

/* A word behind which none goes on: `in`. */
static bool take_word(parser *p, const char *word)
{
  const char *before = p->at;
  if (take(p, word) && !is_word(*p->at)) return true;
  p->at = before;
  return false;
}

/* What is no variable, behind one that has names, is a name without its quotes. */
static hc_rc check_quotes(parser *p, uint32_t variable)
{
  const size_t n = strcspn(p->at, " \t\r\n()&|!=<>+*/%^?:,\"'");
  size_t word = 0;
  while (is_word(p->at[word])) word++;
  if (word == 0 || p->at[word] == '(' || is_digit(*p->at) || *p->at == '.' ||
      find_variable(p, p->at, word) < p->name_count)
    return 0;
  return hc_fail(p->e, HC_EUSAGE, "expression", 0, (uint32_t)(p->at - p->text) + 1,
                 "there is no variable \"%.*s\"; a name stands in quotes: %s == \"%.*s\"",
                 (int)HC_MIN(n, (size_t)40), p->at, p->names[variable], (int)HC_MIN(n, (size_t)40), p->at);
}

/* What a variable is compared with by ==, if that is a name, in place of the step that read it.
 * @return 1, or 0: it is no name */
static hc_rc parse_called(parser *p, size_t from)
{
  const bool is_variable = p->x->count == from + 1 && p->x->code[from].op == OP_VARIABLE;
  uint32_t variable;
  skip_space(p);
  if (is_variable && is_of_names(p, p->x->code[from].variable))
    TRY(check_quotes(p, p->x->code[from].variable));
  if (!is_quote(*p->at)) return 0;
  if (!undo_variable(p, from, &variable)) return misplaced(p, p->at);
  TRY(emit_called(p, p->at, variable));
  return 1;
}

/* "ann" == user */
static hc_rc parse_name_first(parser *p)
{
  const char *text = p->at, *ignored, *behind;
  TRY(read_text(p, &ignored));
  const bool equal = take(p, "=="), other = !equal && take(p, "!=");
  skip_space(p);
  const char *word = p->at;
  while (is_word(*p->at)) p->at++;
  const size_t i = find_variable(p, word, (size_t)(p->at - word));
  if ((!equal && !other) || i == p->name_count || !is_of_names(p, i)) return misplaced(p, text);
  behind = p->at;
  p->at = text;
  p->x->reads[i / 64] |= (uint64_t)1 << (i % 64);
  TRY(emit_called(p, text, (uint32_t)i));
  p->at = behind;
  return other ? emit(p, text, (step){.op = OP_NOT}) : 0;
}

/* The list behind `in`: names, or what is computed. */
static hc_rc parse_list(parser *p, const char *at, size_t from)
{
  uint32_t variable;
  bool more = false;
  if (!undo_variable(p, from, &variable))
    return refuse(p, HC_EUSAGE, at, "what stands before `in` is no variable", "write user in (1, 2)");
  if (!take(p, "(")) return unexpected(p, "\"(\" and a list, as in user in (1, 2)");
  do {
    skip_space(p);
    if (is_of_names(p, variable)) TRY(check_quotes(p, variable));
    if (is_quote(*p->at)) {
      TRY(emit_called(p, p->at, variable));
    } else {
      TRY(emit(p, at, (step){.op = OP_VARIABLE, .variable = variable}));
      TRY(nested(p, parse_choice));
      TRY(emit(p, at, (step){.op = OP_EQUAL}));
    }
    if (more) TRY(emit(p, at, (step){.op = OP_OR}));
    more = true;
  } while (take(p, ","));
  return take(p, ")") ? 0 : unexpected(p, "\",\" or \")\"");
}

/* `in (...)` or `not in (...)` behind a variable. @return 1, or 0: neither stands there */
static hc_rc parse_in(parser *p, size_t from)
{
  const char *at = p->at;
  const bool is_not = take_word(p, "not");
  if (!take_word(p, "in")) {
    p->at = at;
    return 0;
  }
  TRY(parse_list(p, at, from));
  if (is_not) TRY(emit(p, at, (step){.op = OP_NOT}));
  return 1;
}

/* Operators of at least `level`, by precedence climbing: at most five calls inside each other. */
static hc_rc parse_infix(parser *p, int level)
{
  const size_t from = p->x->count;
  const infix *next;
  bool compared = false;
  skip_space(p);
  if (is_quote(*p->at) && level <= 3) {
    TRY(parse_name_first(p));
    compared = true;
  } else {
    TRY(parse_signed(p));
    const hc_rc listed = level <= 3 ? parse_in(p, from) : 0;
    TRY(listed);
    compared = listed > 0;
  }
  while ((next = peek_infix(p)) && next->level >= level) {
    const char *at = p->at;
    hc_rc called = 0;
    if (next->op == OP_MULTIPLY && at[1] == '*')
      return refuse(p, HC_EUSAGE, at, "there is no operator **", "write ^ for a power");
    if (next->level == 3 && compared)
      return refuse(p, HC_EUSAGE, at, "comparisons do not chain", "write a < b && b < c");
    compared = next->level == 3;
    p->at += strlen(next->text);
    if (next->op == OP_EQUAL || next->op == OP_NOT_EQUAL) called = parse_called(p, from);
    TRY(called);
    if (called > 0) {
      if (next->op == OP_NOT_EQUAL) TRY(emit(p, at, (step){.op = OP_NOT}));
      continue;
    }
    TRY(parse_infix(p, next->level + 1));
    TRY(emit(p, at, (step){.op = next->op}));
  }
  return 0;
}

static hc_rc parse_choice(parser *p)
{
  TRY(parse_infix(p, 1));
  const char *at = p->at;
  if (!take(p, "?")) return 0;
  TRY(nested(p, parse_choice));
  if (!take(p, ":")) return unexpected(p, "an operator or \":\"");
  TRY(nested(p, parse_choice));
  return emit(p, at, (step){.op = OP_CHOOSE});
}

static hc_rc compile(hc_arena *a, const char *text, const char *const *names, size_t count,
                     bool (*has_name)(size_t), hc_expr **out, hc_error *e)
{
  size_t length = strlen(text);
  hc_expr *x = hc_arena_alloc(a, sizeof *x);
  parser p = {.text = text,
              .at = text,
              .names = names,
              .name_count = count,
              .has_name = has_name,
              .arena = a,
              .x = x,
              .e = e};
  if (length > HC_EXPR_LIMIT)
    return refuse(&p, HC_ELIMIT, text, "the expression is longer than 4096 bytes", "shorten it");
  if (x) {
    x->code = hc_arena_alloc(a, (2 * length + 2) *
                                    sizeof *x->code); /* and one more for the end of a folded piece */
    x->reads = hc_arena_alloc(a, (count / 64 + 1) * sizeof *x->reads);
    x->called = hc_arena_alloc(a, (count / 64 + 1) * sizeof *x->called);
    x->variables = count;
  }
  if (!x || !x->code || !x->reads || !x->called)
    return hc_fail(e, HC_ENOMEM, "expression", 0, 0, "out of memory");
  skip_space(&p);
  if (*p.at == '\0')
    return refuse(&p, HC_EUSAGE, p.at, "the expression is empty", "write one such as \"-wait\"");
  TRY(parse_choice(&p));
  skip_space(&p);
  if (*p.at != '\0') return unexpected(&p, "an operator or the end");
  x->code[x->count] = (step){.op = OP_END};
  *out = x;
  return 0;
}

hc_rc hc_expr_compile_called(hc_arena *a, const char *text, const char *const *names, size_t count,
                             bool (*has_name)(size_t), hc_expr **out, hc_error *e)
{
  hc_error why = {0};
  hc_rc rc = compile(a, text, names, count, has_name, out, &why);
  hc_value at = {
      .file = "expression", .source_line = text, .column = why.column}; /* to show it with a caret */
  return rc < 0 ? hc_value_fail(&at, e, rc, "%s", why.text) : rc;
}

hc_rc hc_expr_compile(hc_arena *a, const char *text, const char *const *names, size_t count, hc_expr **out,
                      hc_error *e)
{
  return hc_expr_compile_called(a, text, names, count, NULL, out, e);
}

double hc_expr_value(const hc_expr *x, const double *values)
{
  return run(x->code, values, NULL, NULL);
}

double hc_expr_value_called(const hc_expr *x, const double *values, hc_expr_called called, const void *ctx)
{
  return run(x->code, values, called, ctx);
}

static bool has_bit(const hc_expr *x, const uint64_t *bits, size_t i)
{
  return i < x->variables && (bits[i / 64] >> (i % 64) & 1) != 0;
}

bool hc_expr_reads(const hc_expr *x, size_t i)
{
  return has_bit(x, x->reads, i);
}

bool hc_expr_names(const hc_expr *x, size_t i)
{
  return has_bit(x, x->called, i);
}

const char *hc_expr_name(const hc_expr *x, size_t i, size_t *variable)
{
  for (size_t k = 0; k < x->count; k++) {
    if (x->code[k].op != OP_CALLED || i-- > 0) continue;
    *variable = x->code[k].variable;
    return x->code[k].text;
  }
  return NULL;
}

bool hc_expr_is_claim(const hc_expr *x)
{
  switch (x->code[x->count - 1].op) {
    case OP_LESS:
    case OP_LESS_EQUAL:
    case OP_GREATER:
    case OP_GREATER_EQUAL:
    case OP_EQUAL:
    case OP_NOT_EQUAL:
    case OP_AND:
    case OP_OR:
    case OP_CALLED:
    case OP_NOT: return true;
    default: return false;
  }
}
