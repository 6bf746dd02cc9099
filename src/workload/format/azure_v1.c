/* azure_v1.c -- vmtable.csv, Microsoft Azure's trace of virtual machines of 2017.
 *
 * A row is a virtual machine, from when it was created to when it was deleted, with cores and GB of memory.
 * The category, which says whether people wait for it, becomes the queue: 1 Delay-insensitive, 2 Interactive,
 * 3 Unknown. How busy it was is not used. There are no titles. Written, a task becomes a machine for each of
 * its hosts and for each of a bundle; memory is exact, times are whole seconds, and how busy it was is 0.
 * Source: https://github.com/Azure/AzurePublicDataset, AzurePublicDatasetV1; Cortez et al., SOSP 2017. Cost:
 * about 0.3 us a row read, 150 ns written; constant memory but for names. */
#include "table/pen.h"
#include "table/sheet.h"

#define SOURCE "https://github.com/Azure/AzurePublicDataset, AzurePublicDatasetV1; Cortez et al., SOSP 2017"
#define GB ((int64_t)1 << 30)

enum { VM, SUBSCRIPTION, DEPLOYMENT, CREATED, DELETED, MAX, AVERAGE, P95, CATEGORY, CORES, MEMORY, COLUMNS };

static const hc_column columns[COLUMNS] = {
    [VM] = {"vmid", HC_TO(ID), HC_NUMBERED("")},
    [SUBSCRIPTION] = {"subscriptionid", HC_TO(USER), HC_IS(NAME)},
    [DEPLOYMENT] = {"deploymentid", HC_TO(GROUP), HC_IS(NAME)},
    [CREATED] = {"vmcreated", HC_TO(SUBMIT), HC_IS(SECONDS), .flags = HC_NEEDED | HC_SAID},
    [DELETED] = {"vmdeleted", HC_IS(SECONDS), .flags = HC_NEEDED, .note = "the end of its run"},
    [MAX] = {"maxcpu", .text = "0"},
    [AVERAGE] = {"avgcpu", .text = "0"},
    [P95] = {"p95maxcpu", .text = "0"},
    [CATEGORY] = {"vmcategory", HC_TO(QUEUE),
                  HC_WORDS({"Delay-insensitive", 1}, {"Interactive", 2}, {"Unknown", 3})},
    [CORES] = {"vmcorecount", HC_TO(CPU), HC_DECIMAL(1000, 1), .flags = HC_EXACT | HC_NEEDED},
    [MEMORY] = {"vmmemory", HC_TO(MEMORY), HC_DECIMAL(GB, 1), .flags = HC_EXACT}};

static const hc_table_form form =
    HC_FORM("vmtable.csv of Azure's trace of 2017", columns, ',', .number = 1 + CREATED);

static hc_rc read_vm(hc_sheet *s, hc_task_spec *t, hc_error *e)
{
  if (s->value[DELETED] == HC_UNKNOWN) return hc_sheet_reject(s, HC_REASON_STILL_RUNNING, e);
  if (!hc_span(s->value[DELETED], t->submit, &t->run))
    return hc_sheet_wrong(s, DELETED, "before it was created", e);
  t->flags |= HC_SPEC_AT_START;
  return 1;
}

static hc_rc write_vm(hc_pen *w, const hc_task_spec *t, int64_t *value, uint64_t *lost, hc_error *e)
{
  (void)w, (void)e;
  value[CREATED] = hc_start_of(t);
  value[DELETED] = hc_end_of(t);
  if (!hc_is_time(value[CREATED]) || !hc_is_time(value[DELETED])) return 1;
  hc_pen_lose(lost, HC_FACT_BIT(SUBMIT), t->wait > 0);
  return 0;
}

static const hc_table_format format = {.name = "azure_v1",
                                       .forms = &form,
                                       .form_count = 1,
                                       .known_titles = 8,
                                       .score = 98,
                                       .derived = "A machine is submitted when it was created.",
                                       .check = read_vm,
                                       .rows = HC_ROW_A_HOST,
                                       .says = HC_FACT_BIT(RUN) | HC_FACT_BIT(BUNDLE) | HC_FACT_BIT(AT_START),
                                       .fill = write_vm};

HC_TABLE_READER(azure_v1, format, hc_sheet_options, hc_sheet_params, .source = SOURCE,
                .summary = "vmtable.csv of Azure's trace of 2017: virtual machines");

HC_TABLE_WRITER(azure_v1, format, columns, ',', ".csv", .source = SOURCE,
                .summary = "vmtable.csv of Azure's trace of 2017: a virtual machine for each slot");
