/* limits_reasons.c -- the names that squeue shows for limits of TRES, as Slurm 22.05 spells them, with its
 * irregularities. Where it has no name of its own for a kind of TRES, the limit is of something
 * "Unknown". */
#include <string.h>

#include "base/util.h"
#include "policy/slurm/limits.h"

typedef enum kind { CPU, MEM, NODE, BILLING, GRES, LICENSE, BB, OTHER, KINDS } kind;

static const char *const reasons[HC_SLURM_FAMILIES][KINDS] = {
    [HC_SLURM_ASSOC_GRP] = {"AssocGrpCpuLimit", "AssocGrpMemLimit", "AssocGrpNodeLimit", "AssocGrpBilling",
                            "AssocGrpGRES", "AssocGrpLicense", "AssocGrpBB", "AssocGrpUnknown"},
    [HC_SLURM_ASSOC_GRP_MINS] = {"AssocGrpCPUMinutesLimit", "AssocGrpMemMinutes", "AssocGrpNodeMinutes",
                                 "AssocGrpBillingMinutes", "AssocGrpGRESMinutes", "AssocGrpLicenseMinutes",
                                 "AssocGrpBBMinutes", "AssocGrpUnknownMinutes"},
    [HC_SLURM_ASSOC_GRP_RUN_MINS] = {"AssocGrpCPURunMinutesLimit", "AssocGrpMemRunMinutes",
                                     "AssocGrpNodeRunMinutes", "AssocGrpBillingRunMinutes",
                                     "AssocGrpGRESRunMinutes", "AssocGrpLicenseRunMinutes",
                                     "AssocGrpBBRunMinutes", "AssocGrpUnknownRunMinutes"},
    [HC_SLURM_ASSOC_MAX_JOB] = {"AssocMaxCpuPerJobLimit", "AssocMaxMemPerJob", "AssocMaxNodePerJobLimit",
                                "AssocMaxBillingPerJob", "AssocMaxGRESPerJob", "AssocMaxLicensePerJob",
                                "AssocMaxBBPerJob", "AssocMaxUnknownPerJob"},
    [HC_SLURM_ASSOC_MAX_NODE] = {"AssocMaxCpuPerNode", "AssocMaxMemPerNode", "AssocMaxUnknownPerNode",
                                 "AssocMaxBillingPerNode", "AssocMaxGRESPerNode", "AssocMaxUnknownPerNode",
                                 "AssocMaxBBPerNode", "AssocMaxUnknownPerNode"},
    [HC_SLURM_ASSOC_MAX_MINS] = {"AssocMaxCpuMinutesPerJobLimit", "AssocMaxMemMinutesPerJob",
                                 "AssocMaxNodeMinutesPerJob", "AssocMaxBillingMinutesPerJob",
                                 "AssocMaxGRESMinutesPerJob", "AssocMaxLicenseMinutesPerJob",
                                 "AssocMaxBBMinutesPerJob", "AssocMaxUnknownMinutesPerJob"},
    [HC_SLURM_QOS_GRP] = {"QOSGrpCpuLimit", "QOSGrpMemLimit", "QOSGrpNodeLimit", "QOSGrpBilling",
                          "QOSGrpGRES", "QOSGrpLicense", "QOSGrpBB", "QOSGrpUnknown"},
    [HC_SLURM_QOS_GRP_MINS] = {"QOSGrpCPUMinutesLimit", "QOSGrpMemoryMinutes", "QOSGrpNodeMinutes",
                               "QOSGrpBillingMinutes", "QOSGrpGRESMinutes", "QOSGrpLicenseMinutes",
                               "QOSGrpBBMinutes", "QOSGrpUnknownMinutes"},
    [HC_SLURM_QOS_GRP_RUN_MINS] = {"QOSGrpCPURunMinutesLimit", "QOSGrpMemoryRunMinutes",
                                   "QOSGrpNodeRunMinutes", "QOSGrpBillingRunMinutes", "QOSGrpGRESRunMinutes",
                                   "QOSGrpLicenseRunMinutes", "QOSGrpBBRunMinutes",
                                   "QOSGrpUnknownRunMinutes"},
    [HC_SLURM_QOS_MAX_JOB] = {"QOSMaxCpuPerJobLimit", "QOSMaxMemoryPerJob", "QOSMaxNodePerJobLimit",
                              "QOSMaxBillingPerJob", "QOSMaxGRESPerJob", "QOSMaxLicensePerJob",
                              "QOSMaxBBPerJob", "QOSMaxUnknownPerJob"},
    [HC_SLURM_QOS_MAX_NODE] = {"QOSMaxCpuPerNode", "QOSMaxMemoryPerNode", "QOSMaxUnknownPerNode",
                               "QOSMaxBillingPerNode", "QOSMaxGRESPerNode", "QOSMaxUnknownPerNode",
                               "QOSMaxUnknownPerNode", "QOSMaxUnknownPerNode"},
    [HC_SLURM_QOS_MAX_MINS] = {"QOSMaxCpuMinutesPerJobLimit", "QOSMaxMemoryMinutesPerJob",
                               "QOSMaxNodeMinutesPerJob", "QOSMaxBillingMinutesPerJob",
                               "QOSMaxGRESMinutesPerJob", "QOSMaxLicenseMinutesPerJob",
                               "AssocMaxBBMinutesPerJob", "QOSMaxUnknownMinutesPerJob"},
    [HC_SLURM_QOS_MAX_USER] = {"QOSMaxCpuPerUserLimit", "QOSMaxMemoryPerUser", "QOSMaxNodePerUserLimit",
                               "QOSMaxBillingPerUser", "QOSMaxGRESPerUser", "QOSMaxLicensePerUser",
                               "QOSMaxBBPerUser", "QOSMaxUnknownPerUser"},
    [HC_SLURM_QOS_MAX_ACCOUNT] = {"MaxCpuPerAccount", "MaxMemoryPerAccount", "MaxNodePerAccount",
                                  "MaxBillingPerAccount", "MaxGRESPerAccount", "MaxLicensePerAccount",
                                  "MaxBBPerAccount", "MaxUnknownPerAccount"},
    [HC_SLURM_QOS_MIN_JOB] = {"QOSMinCpuNotSatisfied", "QOSMinMemory", "QOSMinNode", "QOSMinBilling",
                              "QOSMinGRES", "QOSMinLicense", "QOSMinBB", "QOSMinUnknown"}};

static kind kind_of(const hc_slurm_tres *t, uint32_t tres)
{
  static const struct {
    const char *begin;
    kind kind;
  } kinds[] = {{"gres/", GRES}, {"license/", LICENSE}, {"bb/", BB}};
  switch (tres) {
    case HC_SLURM_CPU: return CPU;
    case HC_SLURM_MEM: return MEM;
    case HC_SLURM_NODE: return NODE;
    case HC_SLURM_BILLING: return BILLING;
    default: break;
  }
  for (size_t i = 0; i < HC_ARRAY_LEN(kinds); i++)
    if (strncmp(t->names[tres], kinds[i].begin, strlen(kinds[i].begin)) == 0) return kinds[i].kind;
  return OTHER;
}

const char *hc_slurm_reason(const hc_slurm_tres *t, hc_slurm_family family, uint32_t tres)
{
  return reasons[family][kind_of(t, tres)];
}
