/* cluster.c -- see cluster.h. */
#define _GNU_SOURCE
#include "slurm/cluster.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hostlist.h"
#include "base/util.h"
#include "slurm/clock.h"
#include "slurm/process.h"
#include "slurm/wire.h"
#include "study/shell.h"

#define MAGIC "hindcast slurm 1"
#define REAL_MOST 1024
#define PROCESSES_MOST (REAL_MOST + 2)

/* Names of variables by which a user changes what these programs show, select or wait for. */
static const char *const not_theirs[] = {"SQUEUE_", "SCANCEL_",          "SBATCH_", "SINFO_",
                                         "SACCT_",  "SLURM_TIME_FORMAT", NULL};

typedef struct bringing {
  const hc_allocator *a;
  const hc_cluster_options *o;
  hc_cluster *c;
  char host[128], user[64];
  uint16_t port, nodes_port;                /* of slurmctld; of the nodes, of real ones the first */
  char library[HC_CLUSTER_PATH];            /* libfaketime; empty: not needed */
  hc_buffer nodes, names, parameters, said; /* lines of the configuration; a list of all nodes */
  int64_t cpus;
  hc_process processes[PROCESSES_MOST];
  size_t count;
} bringing;

void hc_cluster_path(const hc_cluster *c, const char *name, char *out)
{
  (void)snprintf(out, HC_CLUSTER_PATH, "%.3900s/%.150s", c->directory, name);
}

/* ---- asking ---- */

hc_rc hc_cluster_ask(const hc_allocator *a, const hc_cluster *c, const char *const *argv, hc_buffer *said,
                     hc_error *e)
{
  char conf[HC_CLUSTER_PATH];
  hc_error own = {0};
  int status = 0;
  hc_rc rc;
  if (c) {
    hc_cluster_path(c, "slurm.conf", conf);
    if (setenv("SLURM_CONF", conf, 1) != 0 || setenv("TZ", "UTC", 1) != 0)
      return hc_fail(e, HC_ENOMEM, argv[0], 0, 0, "out of memory");
  }
  rc = hc_shell_run(a, argv, not_theirs, said, &status, &own);
  if (rc == HC_ENOTFOUND)
    return hc_fail(
        e, HC_EUSAGE, argv[0], 0, 0,
        "there is no such program on PATH: install Debian's slurm-wlm, or set PATH to where Slurm is");
  if (rc < 0) return hc_fail(e, rc, argv[0], 0, 0, "%s", own.text);
  while (said->size > 0 && (unsigned char)said->data[said->size - 1] <= ' ') said->data[--said->size] = '\0';
  if (status != 0)
    return hc_fail(e, HC_EIO, argv[0], 0, 0, "exit status %d: %.400s", status,
                   said->size ? said->data : "(it says nothing)");
  return 0;
}

/* ---- what is needed ---- */

static hc_rc find_library(bringing *b, hc_error *e)
{
  static const char *const places[] = {"/usr/lib/*/faketime/libfaketimeMT.so.1",
                                       "/usr/lib*/faketime/libfaketimeMT.so.1",
                                       "/usr/local/lib/faketime/libfaketimeMT.so.1"};
  for (size_t i = 0; i < HC_ARRAY_LEN(places); i++) {
    glob_t g;
    const bool found = glob(places[i], 0, NULL, &g) == 0 && g.gl_pathc > 0;
    if (found) (void)snprintf(b->library, sizeof b->library, "%s", g.gl_pathv[0]);
    globfree(&g);
    if (found) return 0;
  }
  return hc_fail(
      e, HC_EUSAGE, "slurm", 0, 0,
      "a clock of its own needs libfaketime: install Debian's libfaketime, or leave --speed and --jump out");
}

/* slurmctld and slurmd lie where only root's PATH leads to. */
static hc_rc widen_path(const hc_allocator *a, hc_error *e)
{
  const char *old = getenv("PATH");
  hc_buffer path;
  bool ok;
  hc_buffer_init(&path, a);
  hc_buffer_printf(&path, "%s%s/usr/sbin:/usr/local/sbin", old ? old : "", old && old[0] ? ":" : "");
  ok = !path.failed && setenv("PATH", path.data, 1) == 0;
  hc_buffer_fini(&path);
  return ok ? 0 : hc_fail(e, HC_ENOMEM, "slurm", 0, 0, "out of memory");
}

static hc_rc check_release(bringing *b, hc_error *e)
{
  const char *const argv[] = {"slurmctld", "-V", NULL};
  TRY(hc_cluster_ask(b->a, NULL, argv, &b->said, e));
  if (b->o->real || strstr(b->said.data, " " HC_WIRE_RELEASE ".")) return 0;
  return hc_fail(e, HC_EUSAGE, "slurm", 0, 0,
                 "virtual nodes speak the protocol of Slurm " HC_WIRE_RELEASE
                 " only, and this is %.60s; --real starts its own slurmd instead",
                 b->said.data);
}

/* A range of ports of 127.0.0.1 of which none is in use, by trying. */
static bool are_free(uint16_t first, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++) {
    const struct sockaddr_in at = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)(first + i)),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool is_free = fd >= 0 && bind(fd, (const struct sockaddr *)&at, sizeof at) == 0;
    if (fd >= 0) (void)close(fd);
    if (!is_free) return false;
  }
  return true;
}

static hc_rc find_ports(bringing *b, uint32_t count, hc_error *e)
{
  const uint32_t begin = (uint32_t)getpid() * 37 % 20000;
  for (uint32_t i = 0; i < 20000; i += 101) {
    const uint32_t at = 10000 + (begin + i) % 20000;
    if (!are_free((uint16_t)at, count + 1)) continue;
    b->port = (uint16_t)at;
    b->nodes_port = (uint16_t)(at + 1);
    return 0;
  }
  return hc_fail(e, HC_EIO, "slurm", 0, 0, "no %u ports in a row are free on 127.0.0.1", count + 1);
}

static hc_rc make_directory(const char *path, hc_error *e)
{
  if (mkdir(path, 0755) == 0) return 0;
  return hc_fail(e, HC_EIO, path, 0, 0, "cannot be made: %s", strerror(errno));
}

/* It is made, or is there and empty. */
static hc_rc take_directory(bringing *b, hc_error *e)
{
  const char *path = b->o->directory;
  static const char *const parts[] = {"controller", "state", "log", "spool"};
  char full[HC_CLUSTER_PATH];
  DIR *d;
  if (mkdir(path, 0755) != 0 && errno != EEXIST)
    return hc_fail(e, HC_EUSAGE, path, 0, 0, "cannot be made: %s", strerror(errno));
  if (!realpath(path, full) || strlen(full) > 3000)
    return hc_fail(e, HC_EUSAGE, path, 0, 0, "is not a directory of a path of at most 3,000 bytes");
  d = opendir(full);
  if (!d) return hc_fail(e, HC_EUSAGE, path, 0, 0, "is no directory that can be read: %s", strerror(errno));
  for (struct dirent *entry; (entry = readdir(d));) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    (void)closedir(d);
    return hc_fail(
        e, HC_EUSAGE, path, 0, 0,
        "is not empty: name a new directory; a cluster that is up there is ended by `hindcast slurm down`");
  }
  (void)closedir(d);
  if (strpbrk(full, " \t#\"'\\="))
    return hc_fail(e, HC_EUSAGE, path, 0, 0,
                   "a slurm.conf cannot name a path with blanks, quotes, # or =; name another");
  (void)snprintf(b->c->directory, sizeof b->c->directory, "%s", full);
  for (size_t i = 0; i < HC_ARRAY_LEN(parts); i++) {
    hc_cluster_path(b->c, parts[i], full);
    TRY(make_directory(full, e));
  }
  return 0;
}

/* ---- files ---- */

static hc_rc write_file(const hc_cluster *c, const char *name, const hc_buffer *text, hc_error *e)
{
  char path[HC_CLUSTER_PATH];
  int fd;
  hc_cluster_path(c, name, path);
  if (text->failed) return hc_fail(e, HC_ENOMEM, path, 0, 0, "out of memory");
  fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return hc_fail(e, HC_EIO, path, 0, 0, "cannot be written: %s", strerror(errno));
  for (size_t at = 0; at < text->size;) {
    const ssize_t n = write(fd, text->data + at, text->size - at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int why = errno;
      (void)close(fd);
      return hc_fail(e, HC_EIO, path, 0, 0, "cannot be written: %s", strerror(why));
    }
    at += (size_t)n;
  }
  (void)close(fd);
  return 0;
}

/* A parameter that a clock of its own needs, unless the site says it. */
static void add_parameter(hc_buffer *p, const char *name, const char *value)
{
  if (p->size && strstr(p->data, name)) return;
  hc_buffer_printf(p, "%s%s=%s", p->size ? "," : "", name, value);
}

static void put_common(bringing *b, hc_buffer *out)
{
  const char *d = b->c->directory;
  hc_buffer_printf(out, "# Written by `hindcast slurm up`: a private cluster on loopback.\n");
  hc_buffer_printf(out, "ClusterName=hindcast\nSlurmctldHost=%s(127.0.0.1)\nSlurmctldPort=%u\n", b->host,
                   b->port);
  /* Nothing listens beyond loopback: both would bind all addresses. */
  hc_buffer_text(out, "CommunicationParameters=NoCtldInAddrAny,NoInAddrAny\n");
  hc_buffer_printf(out, "SlurmUser=%s\nSlurmdUser=%s\nAuthType=auth/none\nCredType=cred/none\n", b->user,
                   b->user);
  hc_buffer_printf(out, "AuthInfo=cred_expire=%d\n", b->c->speed > 1 ? 120 : 10);
  hc_buffer_printf(out, "StateSaveLocation=%s/state\nSlurmdSpoolDir=%s/spool/%%n\n", d, d);
  hc_buffer_printf(out, "SlurmctldPidFile=%s/controller/pid\nSlurmdPidFile=%s/spool/%%n.pid\n", d, d);
  hc_buffer_printf(out, "SlurmctldLogFile=%s/log/slurmctld.log\nSlurmdLogFile=%s/log/%%n.log\n", d, d);
  hc_buffer_printf(out, "JobCompType=jobcomp/filetxt\nJobCompLoc=%s/jobs.txt\n", d);
  hc_buffer_text(
      out, "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nJobAcctGatherType=jobacct_gather/none\n"
           "MpiDefault=none\nMailProg=/bin/true\nReturnToService=2\nSlurmdParameters=config_overrides\n"
           "AccountingStorageType=accounting_storage/none\nSwitchType=switch/none\n"
           "LogTimeFormat=iso8601_ms\nSlurmctldDebug=verbose\n"
           "MinJobAge=300\nSlurmctldTimeout=65000\n");
}

static void put_clock(bringing *b, hc_buffer *out, bool of_controller)
{
  const bool own_clock = b->c->speed > 1 || b->c->jumps;
  if (!of_controller) {
    hc_buffer_text(
        out,
        "MessageTimeout=20\nTCPTimeout=5\n"); /* in the machine's time: a command does not wait for ever */
    return;
  }
  if (!own_clock) {
    hc_buffer_text(out, "MessageTimeout=60\n");
    return;
  }
  /* In the cluster's time, of which much passes while a message is on its way. */
  hc_buffer_text(
      out, "MessageTimeout=60000\nTCPTimeout=6000\nBatchStartTimeout=60000\nUnkillableStepTimeout=60000\n");
}

static void put_scheduling(bringing *b, hc_buffer *out)
{
  if (b->c->speed > 1 || b->c->jumps) {
    add_parameter(&b->parameters, "max_sched_time", "600");
    add_parameter(&b->parameters, "bf_max_time", "3600");
    add_parameter(&b->parameters, "bf_yield_interval", "10000000");
    add_parameter(&b->parameters, "bf_yield_sleep", "1");
  }
  if (b->parameters.size) hc_buffer_printf(out, "SchedulerParameters=%s\n", b->parameters.data);
  hc_buffer_add(out, b->nodes.data, b->nodes.size);
}

static hc_rc write_conf(bringing *b, bool of_controller, hc_error *e)
{
  hc_buffer text;
  hc_rc rc;
  hc_buffer_init(&text, b->a);
  put_common(b, &text);
  /* Virtual nodes are there as long as their process is: they are not asked. */
  hc_buffer_text(&text, b->o->real ? "SlurmdTimeout=300\n" : "SlurmdTimeout=0\n");
  put_clock(b, &text, of_controller);
  put_scheduling(b, &text);
  rc = write_file(b->c, of_controller ? "controller/slurm.conf" : "slurm.conf", &text, e);
  hc_buffer_fini(&text);
  return rc;
}

static hc_rc write_processes(bringing *b, hc_error *e)
{
  hc_buffer text;
  hc_rc rc;
  hc_buffer_init(&text, b->a);
  hc_buffer_printf(&text,
                   MAGIC " nodes=%" PRId64 " cpus=%" PRId64 " speed=%.17g jumps=%d real=%d memory=%d\n",
                   b->c->nodes, b->c->cpus, b->c->speed, b->c->jumps, b->c->real, b->c->with_memory);
  for (size_t i = 0; i < b->count; i++)
    hc_buffer_printf(&text, "%s %" PRId64 " %" PRIu64 "\n", b->processes[i].name, b->processes[i].pid,
                     b->processes[i].start);
  rc = write_file(b->c, "processes", &text, e);
  hc_buffer_fini(&text);
  return rc;
}

/* ---- starting ---- */

static hc_rc add_process(bringing *b, const char *name, const char *const *argv, const char *const *settings,
                         const char *log, hc_error *e)
{
  char path[HC_CLUSTER_PATH];
  hc_cluster_path(b->c, log, path);
  TRY(hc_process_start(name, argv, settings, path, &b->processes[b->count], e));
  b->count++;
  return write_processes(b, e);
}

static hc_rc start_controller(bringing *b, hc_error *e)
{
  static const char *const argv[] = {"slurmctld", "-D", NULL};
  char conf[HC_CLUSTER_PATH + 16], preload[HC_CLUSTER_PATH + 16], rate[HC_CLUSTER_PATH + 64];
  char path[HC_CLUSTER_PATH];
  const char *settings[8];
  size_t n = 0;
  (void)snprintf(conf, sizeof conf, "SLURM_CONF=%.3900s/controller/slurm.conf", b->c->directory);
  settings[n++] = conf;
  settings[n++] = "TZ=UTC";
  if (b->c->speed > 1 || b->c->jumps) {
    (void)snprintf(preload, sizeof preload, "LD_PRELOAD=%s", b->library);
    if (b->c->jumps) {
      hc_clock clock = {.speed = b->c->speed, .path = path};
      hc_cluster_path(b->c, "clock", path);
      TRY(hc_clock_move(&clock, 0, e));
      (void)snprintf(rate, sizeof rate, "FAKETIME_TIMESTAMP_FILE=%.3900s/clock", b->c->directory);
      settings[n++] = "FAKETIME_NO_CACHE=1";
    } else {
      (void)snprintf(rate, sizeof rate, "FAKETIME=+0 x%.6g", b->c->speed);
    }
    settings[n++] = preload;
    settings[n++] = rate;
  }
  settings[n] = NULL;
  return add_process(b, "slurmctld", argv, settings, "log/slurmctld.out", e);
}

static hc_rc start_virtual(bringing *b, hc_error *e)
{
  char port[16], controller[16], cpus[24], memory[24], speed[40], takes[40], clock[HC_CLUSTER_PATH];
  size_t n;
  const char *argv[] = {b->o->program, "slurm",  "nodes", b->names.data, "--port", port,      "--controller",
                        controller,    "--cpus", cpus,    "--memory",    memory,   "--speed", speed,
                        NULL,          NULL,     NULL,    NULL,          NULL,     NULL};
  (void)snprintf(port, sizeof port, "%u", b->nodes_port);
  (void)snprintf(controller, sizeof controller, "%u", b->port);
  (void)snprintf(cpus, sizeof cpus, "%" PRId64, b->cpus);
  (void)snprintf(memory, sizeof memory, "%" PRId64, b->o->memory);
  (void)snprintf(speed, sizeof speed, "%.6g", b->c->speed);
  n = HC_ARRAY_LEN(argv) - 6;
  if (b->c->jumps) {
    hc_cluster_path(b->c, "clock", clock);
    argv[n++] = "--clock";
    argv[n++] = clock;
  }
  if (b->o->epilog) argv[n++] = "--epilog";
  if (b->o->epilog_takes > 0) {
    (void)snprintf(takes, sizeof takes, "%.9fs", (double)b->o->epilog_takes / (double)HC_SECOND);
    argv[n++] = "--epilog-takes";
    argv[n++] = takes;
  }
  return add_process(b, "nodes", argv, NULL, "log/nodes.log", e);
}

static hc_rc start_real(bringing *b, hc_error *e)
{
  char conf[HC_CLUSTER_PATH + 16];
  const char *const settings[] = {conf, NULL};
  (void)snprintf(conf, sizeof conf, "SLURM_CONF=%.3900s/controller/slurm.conf", b->c->directory);
  for (int64_t i = 0; i < b->c->nodes; i++) {
    char name[32], spool[HC_CLUSTER_PATH], log[64];
    const char *const argv[] = {"slurmd", "-D", "-N", name, NULL};
    char part[64];
    (void)snprintf(name, sizeof name, "n%" PRId64, i + 1);
    (void)snprintf(part, sizeof part, "spool/%s", name);
    (void)snprintf(log, sizeof log, "log/%s.out", name);
    hc_cluster_path(b->c, part, spool);
    TRY(make_directory(spool, e));
    TRY(add_process(b, name, argv, settings, log, e));
  }
  return 0;
}

/* ---- waiting ---- */

/* The end of a log, for an error: its last line. */
static void last_line(const hc_cluster *c, const char *name, char *out, size_t size)
{
  char path[HC_CLUSTER_PATH], text[2048];
  size_t n, at;
  FILE *f;
  hc_cluster_path(c, name, path);
  out[0] = '\0';
  f = fopen(path, "re");
  if (!f) return;
  (void)fseek(f, 0, SEEK_END);
  if (ftell(f) > (long)sizeof text - 1) (void)fseek(f, -((long)sizeof text - 1), SEEK_END);
  else rewind(f);
  n = fread(text, 1, sizeof text - 1, f);
  (void)fclose(f);
  while (n > 0 && text[n - 1] == '\n') n--;
  text[n] = '\0';
  for (at = n; at > 0 && text[at - 1] != '\n';) at--;
  (void)snprintf(out, size, "%.300s", text + at);
}

static hc_rc died(bringing *b, const hc_process *p, hc_error *e)
{
  char log[64], line[320];
  (void)snprintf(log, sizeof log, "log/%.40s.%s", p->name, strcmp(p->name, "nodes") == 0 ? "log" : "out");
  last_line(b->c, log, line, sizeof line);
  return hc_fail(e, HC_EIO, b->o->directory, 0, 0, "%s has ended; its log, %s, ends: %s", p->name, log,
                 line[0] ? line : "(nothing)");
}

static hc_rc wait_until_idle(bringing *b, hc_error *e)
{
  static const char *const all[] = {"sinfo", "--noheader", "--states=idle", "--format=%D", NULL};
  const hc_time until = hc_process_now() + b->o->patience;
  int64_t idle = 0;
  while (hc_process_now() < until) {
    hc_error own = {0};
    for (size_t i = 0; i < b->count; i++)
      if (!hc_process_runs(&b->processes[i])) return died(b, &b->processes[i], e);
    if (hc_cluster_ask(b->a, b->c, all, &b->said, &own) >= 0) {
      idle = 0;
      for (const char *at = b->said.size ? b->said.data : ""; *at;) { /* a line for each size of nodes */
        idle += strtoll(at, NULL, 10);
        at += strcspn(at, "\n");
        at += *at == '\n';
      }
      if (idle >= b->c->nodes) return 0;
    } else if (own.rc == HC_EUSAGE) {
      return hc_fail(e, own.rc, own.where, 0, 0, "%s", own.text);
    }
    hc_process_sleep(HC_SECOND / 10);
  }
  return hc_fail(e, HC_EIO, b->o->directory, 0, 0,
                 "only %" PRId64 " of %" PRId64 " nodes are idle after %" PRId64
                 " s; log/slurmctld.log says why",
                 idle, b->c->nodes, b->o->patience / HC_SECOND);
}

/* ---- up ---- */

static hc_rc name_nodes(bringing *b, hc_buffer *note, hc_error *e)
{
  const hc_cluster_options *o = b->o;
  int digits = 1;
  if (o->conf) {
    return hc_cluster_take_conf(b->a, o->conf, b->host, b->nodes_port, &b->nodes, &b->names, &b->parameters,
                                &b->cpus, note, e);
  }
  for (int64_t n = o->nodes; n >= 10; n /= 10) digits++;
  if (o->real) hc_buffer_printf(&b->names, "n[1-%" PRId64 "]", o->nodes);
  else hc_buffer_printf(&b->names, "n[%0*d-%" PRId64 "]", digits, 1, o->nodes);
  hc_buffer_text(&b->nodes, "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\n");
  hc_buffer_printf(&b->nodes, "NodeName=%s NodeHostname=%s NodeAddr=127.0.0.1 ", b->names.data, b->host);
  if (o->real)
    hc_buffer_printf(&b->nodes, "Port=[%u-%u] ", b->nodes_port, b->nodes_port + (unsigned)o->nodes - 1);
  else hc_buffer_printf(&b->nodes, "Port=%u ", b->nodes_port);
  hc_buffer_printf(&b->nodes,
                   "CPUs=%" PRId64 " Sockets=1 CoresPerSocket=%" PRId64
                   " ThreadsPerCore=1 RealMemory=%" PRId64
                   " State=UNKNOWN\nPartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n",
                   o->cpus, o->cpus, o->memory);
  b->cpus = o->cpus;
  return b->names.failed || b->nodes.failed ? hc_fail(e, HC_ENOMEM, "slurm", 0, 0, "out of memory") : 0;
}

static hc_rc count_name(void *ctx, const char *name, hc_error *e)
{
  HC_UNUSED(name);
  HC_UNUSED(e);
  ++*(int64_t *)ctx;
  return 0;
}

static hc_rc prepare(bringing *b, hc_buffer *note, hc_error *e)
{
  const struct passwd *me = getpwuid(geteuid());
  (void)snprintf(b->user, sizeof b->user, "%s", me ? me->pw_name : "root");
  if (gethostname(b->host, sizeof b->host) != 0) (void)snprintf(b->host, sizeof b->host, "localhost");
  b->host[sizeof b->host - 1] = '\0';
  b->host[strcspn(b->host, ".")] = '\0';
  if (b->o->real && geteuid() != 0)
    return hc_fail(e, HC_EUSAGE, "slurm", 0, 0,
                   "--real starts slurmd, which needs root; virtual nodes do not");
  TRY(widen_path(b->a, e));
  TRY(check_release(b, e));
  if (b->c->speed > 1 || b->c->jumps) TRY(find_library(b, e));
  TRY(find_ports(b, b->o->real ? (uint32_t)b->o->nodes : 1, e));
  TRY(name_nodes(b, note, e));
  for (size_t i = 0; i < b->o->setting_count; i++)
    TRY(hc_cluster_set(b->o->settings[i], &b->nodes, &b->parameters, e));
  const hc_hostlist list = {.text = b->names.data,
                            .wrong = HC_EINPUT,
                            .where = "NodeName",
                            .take = count_name,
                            .ctx = &b->c->nodes};
  b->c->nodes = 0;
  TRY(hc_hostlist_each(&list, e));
  b->c->cpus = b->cpus;
  b->c->with_memory = strstr(b->nodes.data, "_Memory") || strstr(b->nodes.data, "_MEMORY");
  return 0;
}

static void end_all(bringing *b)
{
  for (size_t i = b->count; i-- > 0;) (void)hc_process_end(&b->processes[i], NULL);
}

hc_rc hc_cluster_up(const hc_allocator *a, const hc_cluster_options *o, hc_cluster *out, hc_buffer *note,
                    hc_error *e)
{
  bringing *b = hc_alloc(a, sizeof *b);
  char path[HC_CLUSTER_PATH];
  hc_rc rc;
  if (!b) return hc_fail(e, HC_ENOMEM, "slurm", 0, 0, "out of memory");
  *out = (hc_cluster){.speed = o->speed, .jumps = o->jumps, .real = o->real};
  b->a = a;
  b->o = o;
  b->c = out;
  hc_buffer_init(&b->nodes, a);
  hc_buffer_init(&b->names, a);
  hc_buffer_init(&b->parameters, a);
  hc_buffer_init(&b->said, a);
  if (o->real && (o->speed > 1 || o->jumps || o->conf || o->nodes > REAL_MOST))
    rc = hc_fail(
        e, HC_EUSAGE, "slurm", 0, 0,
        "real nodes run programs, on the machine's clock: --real goes with --nodes and --cpus, at most %d "
        "nodes, and without --speed, --jump and --conf",
        REAL_MOST);
  else rc = prepare(b, note, e);
  if (rc >= 0) rc = take_directory(b, e);
  if (rc >= 0) rc = write_conf(b, true, e);
  if (rc >= 0) rc = write_conf(b, false, e);
  if (rc >= 0) rc = start_controller(b, e);
  if (rc >= 0) rc = o->real ? start_real(b, e) : start_virtual(b, e);
  if (rc >= 0) rc = wait_until_idle(b, e);
  if (rc < 0) {
    end_all(b);
    if (out->directory[0]) {
      hc_cluster_path(out, "processes", path);
      (void)unlink(path); /* it is not up */
    }
  }
  hc_buffer_fini(&b->nodes);
  hc_buffer_fini(&b->names);
  hc_buffer_fini(&b->parameters);
  hc_buffer_fini(&b->said);
  hc_free(a, b, sizeof *b);
  return rc;
}

/* ---- what is there ---- */

static hc_rc not_ours(const char *directory, hc_error *e)
{
  return hc_fail(e, HC_EUSAGE, directory, 0, 0,
                 "no cluster that `hindcast slurm up` started is up there, and no other is touched");
}

/* @param each  of the list's processes */
static hc_rc read_processes(const char *directory, hc_cluster *out,
                            hc_rc (*each)(void *ctx, const hc_process *p), void *ctx, hc_error *e)
{
  char path[HC_CLUSTER_PATH], line[256];
  int jumps = 0, real = 0, memory = 0;
  hc_process p = {0};
  hc_rc rc = 0;
  FILE *f;
  *out = (hc_cluster){0};
  if (!realpath(directory, out->directory)) return not_ours(directory, e);
  hc_cluster_path(out, "processes", path);
  f = fopen(path, "re");
  if (!f) return not_ours(directory, e);
  if (!fgets(line, sizeof line, f) ||
      sscanf(line, MAGIC " nodes=%" SCNd64 " cpus=%" SCNd64 " speed=%lf jumps=%d real=%d memory=%d",
             &out->nodes, &out->cpus, &out->speed, &jumps, &real, &memory) != 6 ||
      !(out->speed > 0))
    rc = not_ours(directory, e);
  out->jumps = jumps;
  out->real = real;
  out->with_memory = memory;
  while (rc >= 0 && fgets(line, sizeof line, f)) {
    if (sscanf(line, "%31s %" SCNd64 " %" SCNu64, p.name, &p.pid, &p.start) != 3 || p.pid < 2)
      rc = not_ours(directory, e);
    else rc = each(ctx, &p);
  }
  (void)fclose(f);
  return rc;
}

typedef struct looking {
  const char *directory;
  size_t count;
  hc_process all[PROCESSES_MOST];
} looking;

static hc_rc keep(void *ctx, const hc_process *p)
{
  looking *l = ctx;
  if (l->count == PROCESSES_MOST) return HC_EUSAGE;
  l->all[l->count++] = *p;
  return 0;
}

hc_rc hc_cluster_open(const hc_allocator *a, const char *directory, hc_cluster *out, hc_error *e)
{
  looking *l = hc_alloc(a, sizeof *l);
  hc_rc rc = l ? read_processes(directory, out, keep, l, e) : HC_ENOMEM;
  for (size_t i = 0; rc >= 0 && i < l->count; i++)
    if (!hc_process_runs(&l->all[i]))
      rc = hc_fail(e, HC_EUSAGE, directory, 0, 0,
                   "its process %s has ended: `hindcast slurm down %.200s`, and bring another one up",
                   l->all[i].name, directory);
  if (rc >= 0 && l->count < 2) rc = not_ours(directory, e);
  hc_free(a, l, l ? sizeof *l : 0);
  return rc;
}

hc_rc hc_cluster_down(const hc_allocator *a, const char *directory, int *ended, int *gone, hc_error *e)
{
  looking *l = hc_alloc(a, sizeof *l);
  hc_cluster c;
  char path[HC_CLUSTER_PATH];
  hc_rc rc = l ? read_processes(directory, &c, keep, l, e) : HC_ENOMEM;
  *ended = *gone = 0;
  for (size_t i = rc < 0 ? 0 : l->count; i-- > 0;) { /* the nodes before slurmctld */
    const hc_rc one = hc_process_end(&l->all[i], e);
    if (one < 0) rc = one;
    else if (one > 0) ++*ended;
    else ++*gone;
  }
  if (rc >= 0) {
    hc_cluster_path(&c, "processes", path);
    if (unlink(path) != 0) rc = hc_fail(e, HC_EIO, path, 0, 0, "cannot be removed: %s", strerror(errno));
  }
  hc_free(a, l, l ? sizeof *l : 0);
  return rc;
}
