/* hosts_devices.c -- GPUs of one host: parts of one, and whole ones.
 *
 * A device has so many thousandths free. A part of a GPU comes from one device: the fullest on which it fits, the
 * lowest of equal ones, so that the others stay whole. Whole GPUs are the lowest devices that are free. When a
 * host has fewer GPUs than before, it is the highest that are gone; what is on them is owed. Each host has room for
 * as many devices as any has, at least HC_HOSTS_GPUS. */
#include "cluster/hosts_parts.h"

int32_t hc_hosts_device_size(int64_t capacity, uint32_t i)
{
  const int64_t left = capacity - (int64_t)i * HC_DEVICE;
  return (int32_t)HC_MAX(0, HC_MIN(left, HC_DEVICE));
}

uint32_t hc_hosts_device_count(const hc_hosts *h, uint32_t host)
{
  int64_t amount;
  if (!h->devices || hc_hosts_class_devices(h, host) == 0) return 0;
  amount = h->caps[(size_t)host * h->dims + (uint32_t)h->gpu];
  return (uint32_t)((amount + HC_DEVICE - 1) / HC_DEVICE);
}

void hc_hosts_device_columns(const hc_hosts *h, uint32_t host, int64_t out[2])
{
  const int32_t *devices = hc_hosts_devices_of(h, host);
  int32_t most = 0, whole = 0;
  out[0] = out[1] = HC_HOSTS_MOST; /* divisible at will: the amount itself decides */
  if (hc_hosts_class_devices(h, host) == 0) return;
  for (uint32_t i = 0; i < h->device_cap; i++) {
    most = HC_MAX(most, devices[i]);
    whole += devices[i] == HC_DEVICE;
  }
  out[0] = most;
  out[1] = (int64_t)whole * HC_DEVICE;
}

static uint32_t whole_free(const int32_t *devices, uint32_t n)
{
  uint32_t free = 0;
  for (uint32_t i = 0; i < n; i++) free += devices[i] == HC_DEVICE;
  return free;
}

uint64_t hc_hosts_device_slots(const int32_t *devices, uint32_t n, int64_t gpu)
{
  uint64_t slots = 0;
  if (gpu >= HC_DEVICE)
    return gpu % HC_DEVICE == 0 ? whole_free(devices, n) / (uint64_t)(gpu / HC_DEVICE) : 0;
  for (uint32_t i = 0; i < n; i++)
    if (devices[i] > 0) slots += (uint64_t)(devices[i] / gpu);
  return slots;
}

hc_devices hc_hosts_device_pick(const int32_t *devices, uint32_t n, int64_t gpu)
{
  const hc_devices none = {0};
  hc_devices out = {0};
  uint32_t best = n;
  int64_t left = gpu / HC_DEVICE;
  if (gpu >= HC_DEVICE) {
    if (gpu % HC_DEVICE != 0) return none;
    for (uint32_t i = 0; i < n && left > 0; i++) {
      if (devices[i] != HC_DEVICE) continue;
      hc_devices_add(&out, i);
      left--;
    }
    return left == 0 ? out : none;
  }
  for (uint32_t i = 0; i < n; i++)
    if (devices[i] >= gpu && (best == n || devices[i] < devices[best])) best = i;
  if (best < n) hc_devices_add(&out, best);
  return out;
}

/* Is none of them beyond the n-th? */
static bool are_there(const hc_devices *of, uint32_t n)
{
  for (uint32_t i = n; i < HC_DEVICES; i++)
    if (hc_devices_have(of, i)) return false;
  return true;
}

bool hc_hosts_device_fits(const int32_t *devices, uint32_t n, int64_t gpu, uint32_t slots, hc_devices of)
{
  const bool whole = gpu >= HC_DEVICE;
  const uint32_t count = hc_devices_count(&of);
  if (count == 0 || !are_there(&of, n) || slots > HC_DEVICES * HC_DEVICE) return false;
  if (whole ? gpu % HC_DEVICE != 0 || gpu / HC_DEVICE > n || count != (uint32_t)(gpu / HC_DEVICE) * slots
            : count != 1)
    return false;
  for (uint32_t i = 0; i < n; i++) {
    if (!hc_devices_have(&of, i)) continue;
    if (whole ? devices[i] != HC_DEVICE : devices[i] < gpu * slots) return false;
  }
  return true;
}

void hc_hosts_device_move(int32_t *devices, uint32_t n, int64_t gpu, uint32_t slots, hc_devices of,
                          int32_t sign)
{
  const int32_t each = gpu >= HC_DEVICE ? HC_DEVICE : (int32_t)(gpu * slots);
  for (uint32_t i = 0; i < n; i++)
    if (hc_devices_have(&of, i)) devices[i] += sign * each;
}
