/* column.h -- a format is a table of columns: what each is called, what it says of a task, and how it is
 * written.
 *
 * Said once, and all follows from it: where a column is in a file, how its fields are read and what is wrong
 * with those that cannot be, the order of rows for sorting lines, whether a file is of this format, how a
 * task is written, and what of it is lost. What is no column (a task of several rows, rules between columns)
 * is said by hooks in C, which see a row as numbers: `value[c]`, in ns, thousandths, bytes, or the numbers of
 * names. README.md says how to add a format. */
#ifndef HC_TABLE_COLUMN_H
#define HC_TABLE_COLUMN_H

#include "base/lexer.h"
#include "hindcast/lexicon.h"
#include "hindcast/workload.h"

#define HC_TABLE_COLUMNS 32                /* most columns of a format */
#define HC_TABLE_TITLES ((size_t)256)      /* most titles of a file that are looked at */
#define HC_LONGEST_MISSING ((size_t)7)     /* bytes of a word that says that nothing is known */
#define HC_TABLE_ALTERNATIVES ((size_t)64) /* most models between bars */

typedef struct hc_sheet hc_sheet; /* a table being read: table/sheet.h */
typedef struct hc_pen hc_pen;     /* a table being written: table/pen.h */

/* How a field is written. */
typedef enum hc_how {
  HC_IS_TEXT,    /* no number: only hooks read it, and `put` writes it */
  HC_IS_WHOLE,   /* a whole number from `least` to `most`, of num/den each */
  HC_IS_AMOUNT,  /* a decimal of num/den each, rounded up */
  HC_IS_DECIMAL, /* the same exactly, with rounding counted; out of its range, as -1 is, it is not known */
  HC_IS_SECONDS, /* a time, in units of the option time_unit, since the trace's own origin */
  HC_IS_LENGTH,  /* how long something took: the same, or "1h30m" or "1-02:00:00" */
  HC_IS_MOMENT,  /* a date, or a number of units since 1970 */
  HC_IS_WORD,    /* one of `words` */
  HC_IS_NAME,    /* a name, numbered from 1 in order of first sight */
  HC_IS_NUMBERED /* a number behind `text`, such as "j_" in j_17; another name is its hash */
} hc_how;

typedef enum hc_column_flag {
  HC_NEEDED = 1,    /* without this column there is no task */
  HC_TELLING = 2,   /* titles are of the form if they have all columns with this flag, by their first names */
  HC_READ_ONLY = 4, /* it may be there, but is not written */
  HC_ZERO_SAYS = 8, /* of a decimal: 0 is an amount, else it says nothing */
  HC_STRICT_WORD = 16, /* a word that is none of `words` makes the row malformed, else it says nothing */
  HC_OR_NUMBERS = 32,  /* of names: a column that begins with a number holds numbers */
  HC_EXACT = 64, /* written with all decimals that it takes, else rounded: amounts up, times to the nearest */
  HC_POINTED = 128,       /* the same, and always with a point */
  HC_OR_ROW = 256,        /* of an id: where none is, the number of the row */
  HC_NONE_IS_FIRST = 512, /* of the submission: rows without it come first, else sorting finds them broken */
  HC_CPU_SCALE = 1024,    /* the option cpu_scale, unless it is 0, stands for `den` */
  HC_MEMORY_SCALE = 2048, /* the option memory_scale, unless it is 0, stands for `num` */
  HC_LATE = 4096,         /* read after `check`, with the names */
  HC_WRITE_ONLY = 8192,   /* it has its place, but is not read */
  HC_ASKED = 16384,       /* only read where a hook does so (hc_sheet_read) */
  HC_SAID = 32768 /* of a submission or a run: a row of a file with this column that does not say it is no
                     task (no_submit, never_ran), which is seen before `check` */
} hc_column_flag;

/* A word, and the number that it stands for; of several with one number the first is written. */
typedef struct hc_word {
  const char *text;
  int64_t value;
} hc_word;

typedef struct hc_column {
  const char *titles; /* "gpu_num|num_gpus": any is known, the first is written */
  uint32_t to;        /* 1 + the fact of a task that it says; 0: only hooks use it */
  hc_how how;
  int64_t num, den;     /* what 1 of it is, of what the task has; 0: 1, and of times a second */
  int64_t least, most;  /* both 0: any */
  const char *text;     /* of a number in a name: what stands before it; of a text: what is written */
  const hc_word *words; /* up to one without a text */
  const char *wrong;    /* for errors, "no number of gigabytes"; NULL: by `how` */
  const char *note;     /* for its reference page, where the rest does not say what it is for */
  uint32_t flags;
  /** Writes it in place of `how`, and says what is lost by it, or is not. @return the end. */
  char *(*put)(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost);
} hc_column;

/** What a column of names calls; HC_CALLED_COUNT: nothing that has names. */
static inline hc_called hc_column_called(const hc_column *c)
{
  switch ((int)c->to - 1) {
    case HC_FACT_USER: return HC_CALLED_USER;
    case HC_FACT_GROUP: return HC_CALLED_GROUP;
    case HC_FACT_EXECUTABLE: return HC_CALLED_EXECUTABLE;
    case HC_FACT_QUEUE: return HC_CALLED_QUEUE;
    case HC_FACT_PARTITION: return HC_CALLED_PARTITION;
    default: return HC_CALLED_COUNT;
  }
}

#define HC_TO(fact_) .to = 1 + HC_FACT_##fact_
#define HC_WHOLE(least_, most_) .how = HC_IS_WHOLE, .least = (least_), .most = (most_)
#define HC_AMOUNT(num_) .how = HC_IS_AMOUNT, .num = (num_)
#define HC_DECIMAL(num_, den_) .how = HC_IS_DECIMAL, .num = (num_), .den = (den_)
#define HC_NUMBERED(prefix_) .how = HC_IS_NUMBERED, .text = (prefix_)
#define HC_IS(how_) .how = HC_IS_##how_
#define HC_WORDS(...) \
  .how = HC_IS_WORD, .words = (const hc_word[]) \
  { \
    __VA_ARGS__, \
    { \
      NULL, 0 \
    } \
  }

/* Whether a file of it begins with a line of titles. */
typedef enum hc_titles { HC_TITLES_MAYBE, HC_TITLES_ALWAYS } hc_titles;

typedef struct hc_table_form {
  const char *kind; /* for errors: "job_info_df.csv of Alibaba's GPU trace of 2026" */
  const hc_column *columns;
  uint32_t count;
  char separator; /* ',' or ' ', which is any run of blanks */
  bool quotes;    /* fields may be quoted within their line */
  bool joined;    /* and hold line breaks */
  hc_titles titles;
  uint32_t number; /* 1 + a column that holds numbers or nothing: a text there makes the first line one of
                      titles */
  bool fixed;      /* columns are in their order whatever the titles are; these begin with the first one's */
  bool longer;     /* rows may have more fields than there are columns */
  bool shorter;    /* the last column may be left out of a row, with its separator */
  bool zero_is_none;    /* a time of 0, or before, is not known */
  const char *expected; /* how many fields a row has, for errors: "6 or 9"; NULL: as many as the first line */
} hc_table_form;

/* A form; what else it is follows. */
#define HC_FORM(kind_, columns_, separator_, ...) \
  { \
    .kind = kind_, .columns = columns_, .count = HC_ARRAY_LEN(columns_), .separator = separator_, \
    __VA_ARGS__ \
  }

/* What a task becomes. A format of rows for each host reads tasks of one host. */
typedef enum hc_rows_of { HC_ROW_A_TASK, HC_ROW_OF_A_BUNDLE, HC_ROW_A_HOST } hc_rows_of;

typedef struct hc_table_format {
  const char *name;           /* "alibaba_v2026" */
  const hc_table_form *forms; /* [form_count] the first line says which a file is of */
  size_t form_count;
  const char *missing[9]; /* words that stand where nothing is known, beside an empty field, up to a NULL */
  bool missing_any_case;
  const char *derived; /* hc_trace_info.derived */
  /* Recognition. A file is of the format if it has all columns that tell; or if none does, if all of at least
   * `known_titles` fields of its first line are titles. 0: never by its titles. */
  uint32_t known_titles;
  int score;
  int (*recognise)(const char *name, const char *head, size_t size, const hc_field *first, size_t count);

  /* Reading: each hook may be NULL. */
  size_t own_size;                           /* of what a sheet has as `own`, zero at first */
  hc_rc (*opened)(hc_sheet *s, hc_error *e); /* options are read, the file is open, nothing is read of it */
  void (*closed)(hc_sheet *s);               /* what `opened` and others made; also if they failed */
  hc_rc (*visit)(hc_sheet *s, hc_visitor *v, hc_error *e);
  void (*paused)(hc_sheet *s); /* before it is asked where it stands: rows read by other ways are told */
  hc_refers (*refers)(const hc_sheet *s);                          /* as hc_reader_type.refers */
  void (*pick)(const void *options, size_t *first, size_t *count); /* which of the forms may be */
  hc_rc (*bound)(hc_sheet *s, hc_error *e); /* where columns are is known: is there all that is needed? */
  hc_rc (*before)(hc_sheet *s, hc_task_spec *t, hc_error *e); /* a row, before its columns are read */
  /** After that, but before names and late ones are. Behind it, a row of a table with a column of cores that
   * is read must say some demand, or get one by default. */
  hc_rc (*check)(hc_sheet *s, hc_task_spec *t, hc_error *e);
  /** What columns do not say of a row. @return 1, 0 if the row was rejected, or an error. */
  hc_rc (*row)(hc_sheet *s, hc_task_spec *t, hc_error *e);
  hc_rc (*next)(hc_sheet *s, hc_job *job,
                hc_error *e); /* of jobs that are several rows; it calls hc_sheet_row */
  void (*info)(hc_sheet *s, hc_trace_info *i);

  /* Writing. */
  hc_rows_of rows;
  bool writes_titles; /* also where a file may be without them */
  const char *none;   /* what stands where nothing is known; NULL: nothing */
  uint64_t says;      /* a bit for each fact that hooks write in columns that do not name it */
  size_t pen_size;    /* of what a pen has as `own` */
  hc_rc (*begun)(hc_pen *w, hc_buffer *head, hc_error *e); /* NULL: titles, if the form has them always */
  uint32_t (*form_of)(const void *options);                /* which form is written; NULL: the first */
  /** What a task is in columns, `value` already holds what these say by themselves. @return 0, 1: it is
   *  left out, or an error. */
  hc_rc (*fill)(hc_pen *w, const hc_task_spec *t, int64_t *value, uint64_t *lost, hc_error *e);
  /* Each of these may be NULL: what is held is written after the last task; `own` is freed. */
  hc_rc (*ended)(hc_pen *w, hc_error *e);
  void (*dropped)(hc_pen *w);
} hc_table_format;

#endif
