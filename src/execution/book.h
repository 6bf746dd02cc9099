/* book.h -- the language of profiles: what a workload says a task does, as text, and as components with
 * filled options. See book.c. */
#ifndef HC_EXECUTION_BOOK_H
#define HC_EXECUTION_BOOK_H

#include "base/value.h"
#include "hindcast/profile.h"

#define HC_PROFILE_TEXT ((size_t)1 << 20) /* bytes of a profile with all names written out */

/* How profiles are read: borrowed by readers and by the model of a run. Nothing of it changes, so that two
 * threads may use it. */
typedef struct hc_book hc_book;
struct hc_book {
  const hc_registry *registry;
  double speed; /* work that a core of a host of speed 1 does in a second */
  /** Fill the options of {use: NAME, ...}, a tree that hc_book_translate made, with its parts. */
  hc_rc (*resolve)(const hc_book *b, hc_arena *a, const hc_value *tree, hc_chosen *out, hc_error *e);
};

/* A named profile that stands above those that name it. */
typedef struct hc_book_name {
  const hc_value *tree;
  size_t size; /* of its text, bytes */
} hc_book_name;
typedef struct hc_book_names {
  void *ctx;
  /** @return false: there is none of that name, up to here */
  bool (*find)(void *ctx, const char *name, hc_book_name *out);
  /** Whether one of that name stands further below; may be NULL */
  bool (*is_below)(void *ctx, const char *name);
} hc_book_names;

/** A profile as users write it (a name, {type, args}, {delay: 10}, {use: NAME, ...}) as {use: NAME, ...} with
 *  all names written out. @param size  out: at least the bytes of its text
 *  @return 0; HC_EUSAGE or HC_ELIMIT with the place; HC_ENOMEM */
hc_rc hc_book_translate(const hc_book *b, hc_arena *a, const hc_value *v, const hc_book_names *names,
                        hc_value **out, size_t *size, hc_error *e);
/** Can it, but for its parts, run on so many processes? @return 0, or as hc_profile_type.check */
hc_rc hc_book_check(const hc_chosen *profile, uint32_t processes, hc_error *e);
/** Are the laws of speed-up of a profile and of its parts what they have to be? @param at  where it stands
 *  @return 0, HC_EUSAGE with that place */
hc_rc hc_book_check_laws(const hc_chosen *profile, const hc_value *at, hc_error *e);
/** A law of speed-up as users write it (linear, {amdahl: 0.4}, {use: amdahl, fraction: 0.4}), with its
 *  options in `a`. @return 0; HC_EUSAGE with the place; HC_ENOMEM */
hc_rc hc_book_law(const hc_book *b, hc_arena *a, const hc_value *v, hc_chosen *out, hc_error *e);
/** Do all of its parts treat processes alike? */
bool hc_book_is_uniform(const hc_chosen *profile);

/* ---- scripts: profiles of running tasks, kept once for all that have the same text ---- */

/* A part of a script, by the place in the options of the part above that names it. */
typedef struct hc_script_part {
  const hc_chosen *chosen;
  uint32_t number; /* in the order of the text, from 0: the same whenever it is read */
} hc_script_part;

typedef struct hc_script {
  hc_arena arena;
  const char *text; /* NULL: this place is free */
  size_t size;
  uint64_t hash;
  hc_chosen root;
  const hc_chosen **parts;            /* [part_count] by number */
  hc_script_part *by_place;           /* [part_count] by address */
  const struct hc_script_expr *exprs; /* expressions.h; NULL: there are none */
  uint32_t *first_expr;               /* [part_count + 1] of each part; NULL likewise */
  uint32_t part_count, held;
  uint32_t next; /* of those that are held by no task, or free; HC_NO_SCRIPT */
  bool is_uniform;
  bool has_labels; /* of parts whose times may be told */
  bool is_uneven;  /* some processes do what others do not */
} hc_script;

#define HC_NO_SCRIPT UINT32_MAX

typedef struct hc_scripts {
  const hc_allocator *allocator;
  hc_script *items;
  size_t count, cap;
  hc_map by_hash;
  hc_arena scratch;      /* of the tree of the text at hand */
  uint32_t vacant, idle; /* idle: how many are kept though no task has them */
} hc_scripts;

void hc_scripts_init(hc_scripts *s, const hc_allocator *a);
void hc_scripts_fini(hc_scripts *s);
/** The script of a text, held once more. @return 0; HC_ENOMEM, or an error of the text, which was checked
 *  when it was read. Cost: O(size) where it is known, else some us. */
hc_rc hc_scripts_take(hc_scripts *s, const hc_book *b, const char *text, size_t size, uint32_t *out,
                      hc_error *e);
void hc_scripts_drop(hc_scripts *s, uint32_t script);
/** The number of the part that stands at this place; HC_NO_SCRIPT: none does. Cost: O(log parts). */
uint32_t hc_script_part_of(const hc_script *s, const hc_chosen *place);

#endif
