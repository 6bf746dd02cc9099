/* record.h -- what a user writes about execution: what hosts read from and write to. */
#ifndef HC_EXECUTION_RECORD_H
#define HC_EXECUTION_RECORD_H

#include "hindcast/component.h"

enum { HC_DISK_KEPT_TASK, HC_DISK_KEPT_ALWAYS };

#define HC_DISK_BYTES_MOST 1e18

/* How disks are, of any host. */
typedef struct hc_disk_keys {
  int64_t read_bandwidth, write_bandwidth; /* bytes/s; 0: not said */
  hc_list read_by, write_by;               /* int64_t bytes/s */
  int64_t capacity;                        /* bytes; 0: none */
  int64_t operations, reads, writes;       /* at once; 0: any number */
  int order;                               /* hc_disk_order */
  int kept;
  bool one_rate;
} hc_disk_keys;

/* Rows of the table of parameters, where options has the member `keys`. */
#define HC_DISK_KEYS(options) \
  HC_PARAM_AS(SIZE, "read_bandwidth", options, keys.read_bandwidth, "B/s", NULL, 1, HC_DISK_BYTES_MOST, \
              "Bandwidth of reading, which all reads at one time share evenly. Required, or `read_by`."), \
      HC_PARAM_AS( \
          SIZE, "write_bandwidth", options, keys.write_bandwidth, "B/s", NULL, 1, HC_DISK_BYTES_MOST, \
          "Bandwidth of writing, which all writes at one time share evenly; reads and writes do not slow " \
          "each other. Required, or `write_by`."), \
      HC_PARAM_AS( \
          SIZES, "read_by", options, keys.read_by, "B/s", NULL, 1, HC_DISK_BYTES_MOST, \
          "In place of read_bandwidth: the bandwidth that 1, 2, 3 ... reads at one time share; the last " \
          "number holds for more."), \
      HC_PARAM_AS(SIZES, "write_by", options, keys.write_by, "B/s", NULL, 1, HC_DISK_BYTES_MOST, \
                  "In place of write_bandwidth: the bandwidth that 1, 2, 3 ... writes at one time share; " \
                  "the last number holds for more."), \
      HC_PARAM_AS( \
          SIZE, "capacity", options, keys.capacity, "B", NULL, 1, HC_DISK_BYTES_MOST, \
          "Bytes that the disk holds. A write of more than is free fails at once, and so does a read of " \
          "more than the capacity. Default: no limit."), \
      HC_PARAM_AS(INT, "operations", options, keys.operations, "operations", NULL, 1, 4e9, \
                  "Greatest number of reads and writes that go on at one time; others wait. Default: any " \
                  "number."), \
      HC_PARAM_AS(INT, "reads", options, keys.reads, "operations", NULL, 1, 4e9, \
                  "Greatest number of reads that go on at one time; others wait. Default: any number."), \
      HC_PARAM_AS(INT, "writes", options, keys.writes, "operations", NULL, 1, 4e9, \
                  "Greatest number of writes that go on at one time; others wait. Default: any number."), \
      HC_PARAM_AS( \
          CHOICE, "order", options, keys.order, "fifo|smallest|reads_first", "fifo", \
          "Which waiting operation goes on first; without a limit none waits. fifo: the one that came " \
          "first. smallest: the one of the fewest bytes. reads_first: reads before writes, each in the " \
          "order in which they came."), \
      HC_PARAM_AS( \
          CHOICE, "kept", options, keys.kept, "task|always", "task", \
          "How long bytes that a task has written without a file take space. task: until the task ends or " \
          "is stopped. always: until the end of the run, unless the task discards them. Files stay until " \
          "they are deleted."), \
      HC_PARAM_AS(BOOL, "one_rate", options, keys.one_rate, "false", HC_ONE_RATE_HELP)

#define HC_ONE_RATE_HELP \
  "Of disks that hosts reach over the network: bytes go through the disk and the links as one flow, at one " \
  "rate that both limit; not with `operations`, `reads` or `writes`. false: the operation of the disk and " \
  "the flow go on side by side, each as fast as it can, and end with the later one."

#define HC_MOUNT_HELP \
  "Path of the disk on its hosts, such as /scratch: profiles read and write files below it. Default: none; " \
  "reads and writes without a path go to this disk."
#define HC_FILES_HELP \
  "Files that exist when the run begins, by their path below `mount` and their size: \"input=100GB\"."

typedef struct hc_disk_options {
  hc_list hosts; /* texts */
  bool shared;   /* one for all of these hosts */
  bool wide;     /* each host's own, and each operation on those of all hosts of its task */
  const char *at, *mount;
  hc_list files; /* texts */
  hc_disk_keys keys;
} hc_disk_options;

typedef struct hc_striped_options {
  hc_list hosts, servers; /* texts */
  const char *mount;
  hc_list files;
  int64_t disks, stripes;
  hc_disk_keys keys;
} hc_striped_options;

typedef struct hc_platform_disks_options {
  const char *file;
  int kept;
  bool one_rate;
} hc_platform_disks_options;

#endif
