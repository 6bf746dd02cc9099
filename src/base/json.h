/* json.h -- JSON, and its cousin YSON, read token by token, in memory that does not grow with the file.
 *
 * For data. What is configured goes through base/value.h, which keeps a tree and has its limits. YSON is what
 * YTsaurus writes: {key=value; list=[1; 2.5; %true; #]; "a b"="c"}, with attributes <...> before values,
 * which are passed over unless they are heeded. It differs from JSON in signs only, so both are read by one
 * grammar; the dialect YSON takes both, and also values that follow each other at the top (a list fragment,
 * JSON lines). The binary form of YSON is refused. */
#ifndef HC_BASE_JSON_H
#define HC_BASE_JSON_H

#include "base/mem.h"

#define HC_JSON_DEPTH 64                     /* objects and arrays within each other */
#define HC_JSON_TEXT_LIMIT ((size_t)1 << 20) /* bytes of one string or number */

typedef enum hc_json_kind {
  HC_JSON_NULL, /* YSON: # too */
  HC_JSON_FALSE,
  HC_JSON_TRUE,
  HC_JSON_NUMBER, /* as it is written: nothing is lost to a double; without the u of YSON's unsigned ones */
  HC_JSON_STRING, /* escapes resolved, UTF-8. YSON: any bytes, or a bare word */
  HC_JSON_KEY,    /* the same; the member's value comes next */
  HC_JSON_OBJECT, /* it begins; its members come next */
  HC_JSON_ARRAY,  /* it begins; its items come next */
  HC_JSON_ATTRIBUTES /* an object of attributes of the value that comes after it. Only if they are heeded */
} hc_json_kind;

typedef struct hc_json_token {
  hc_json_kind kind;
  uint32_t line, column; /* 1-based, in bytes, saturating */
  const char *text;      /* of a number, string or key, with a NUL; borrowed until the next call. Else "" */
  size_t size;
} hc_json_token;

typedef struct hc_json hc_json;

/** Open a file, packed or not ("-": standard input). @return 0, HC_EIO, HC_ENOMEM. */
hc_rc hc_json_open(const hc_allocator *a, const char *path, hc_json **out, hc_error *e);
hc_rc hc_json_open_yson(const hc_allocator *a, const char *path, hc_json **out, hc_error *e);
/** Read a text, which is borrowed with its name (of errors). What is said of files (bytes, seekable) is not
 *  to be asked. @return 0, HC_ENOMEM. */
hc_rc hc_json_open_text(const hc_allocator *a, const char *name, const char *text, size_t size,
                        hc_json **out);
void hc_json_heed_attributes(hc_json *j); /* they come as tokens of their own from now on */
void hc_json_free(hc_json *j);            /* NULL is fine */

/** The next token of the object or array that was opened last, or of the text.
 *  @return 1 with a token; 0 where that object, array or text ends; HC_EINPUT with line and column (no JSON
 *  as RFC 8259 has it, nested deeper than HC_JSON_DEPTH, a text longer than HC_JSON_TEXT_LIMIT); HC_EIO,
 *  HC_ENOMEM. Cost: about 8 ns a byte. */
hc_rc hc_json_next(hc_json *j, hc_json_token *out, hc_error *e);

/** The next member of the object that was opened last: its value, and the number of its key among `keys`;
 * `count`: it is none of them. @return as hc_json_next; 0 where the object ends. */
hc_rc hc_json_member(hc_json *j, const char *const *keys, size_t count, size_t *which, hc_json_token *value,
                     hc_error *e);

/** Pass over the value that `t` begins, or is the key of; `t` must be the last token read.
 *  @return 0, or as hc_json_next. */
hc_rc hc_json_skip(hc_json *j, const hc_json_token *t, hc_error *e);

const char *hc_json_name(const hc_json *j); /* as hc_input_name */
uint64_t hc_json_bytes(const hc_json *j);   /* packed bytes read so far */
bool hc_json_seekable(const hc_json *j);    /* as hc_input_seekable: it may be opened and read again */
/** Packed bytes read so far and in all (0 if unknown). */
void hc_json_progress(const hc_json *j, uint64_t *done, uint64_t *total);

#endif
