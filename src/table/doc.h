/* doc.h -- the columns of a format in words, for its reference page. */
#ifndef HC_TABLE_DOC_H
#define HC_TABLE_DOC_H

#include "base/mem.h"
#include "table/column.h"

/** "vmtable.csv of Azure's trace of 2017: 11 columns in this order, or found by their titles". */
void hc_form_say(const hc_table_form *form, hc_buffer *b);
/** Whether a form has the titles of one before it, and needs no page of its own. */
bool hc_form_is_again(const hc_table_format *f, size_t form);
/** What a column says of a task: "cpu", "the end of its run", "nothing". */
void hc_column_say(const hc_column *c, hc_buffer *b);
/** How it is written: "hundredths of a core (cpu_scale)", "Spot 1, HP 2". */
void hc_column_say_how(const hc_column *c, hc_buffer *b);

#endif
