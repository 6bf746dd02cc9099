/* hosts_devices.c -- GPUs of one host: parts of one, and whole ones.
 *
 * A device has so many thousandths free. A part of a GPU comes from one device: the fullest on which it fits, the
 * lowest of equal ones, so that the others stay whole. Whole GPUs are the lowest devices that nobody uses. When a
 * host has fewer GPUs than before, it is the highest that are gone; what is on them is owed. */
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
  const int32_t *devices = h->devices + (size_t)host * HC_DEVICES;
  int32_t most = 0, whole = 0;
  out[0] = out[1] = HC_HOSTS_MOST; /* divisible at will: the amount itself decides */
  if (hc_hosts_class_devices(h, host) == 0) return;
  for (uint32_t i = 0; i < HC_DEVICES; i++) {
    most = HC_MAX(most, devices[i]);
    whole += devices[i] == HC_DEVICE;
  }
  out[0] = most;
  out[1] = (int64_t)whole * HC_DEVICE;
}

static uint32_t whole_free(const int32_t *devices)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < HC_DEVICES; i++) n += devices[i] == HC_DEVICE;
  return n;
}

uint64_t hc_hosts_device_slots(const int32_t *devices, int64_t gpu)
{
  uint64_t n = 0;
  if (gpu >= HC_DEVICE) return gpu % HC_DEVICE == 0 ? whole_free(devices) / (uint64_t)(gpu / HC_DEVICE) : 0;
  for (uint32_t i = 0; i < HC_DEVICES; i++)
    if (devices[i] > 0) n += (uint64_t)(devices[i] / gpu);
  return n;
}

uint32_t hc_hosts_device_pick(const int32_t *devices, int64_t gpu)
{
  uint32_t bits = 0, best = HC_DEVICES;
  int64_t left = gpu / HC_DEVICE;
  if (gpu >= HC_DEVICE) {
    if (gpu % HC_DEVICE != 0) return 0;
    for (uint32_t i = 0; i < HC_DEVICES && left > 0; i++) {
      if (devices[i] != HC_DEVICE) continue;
      bits |= UINT32_C(1) << i;
      left--;
    }
    return left == 0 ? bits : 0;
  }
  for (uint32_t i = 0; i < HC_DEVICES; i++)
    if (devices[i] >= gpu && (best == HC_DEVICES || devices[i] < devices[best])) best = i;
  return best == HC_DEVICES ? 0 : UINT32_C(1) << best;
}

bool hc_hosts_device_fits(const int32_t *devices, int64_t gpu, uint32_t slots, uint32_t bits)
{
  const bool whole = gpu >= HC_DEVICE;
  const uint32_t n = (uint32_t)__builtin_popcount(bits);
  if (bits >> HC_DEVICES != 0 || bits == 0 || slots > HC_DEVICES * HC_DEVICE) return false;
  if (whole ? gpu % HC_DEVICE != 0 || gpu / HC_DEVICE > HC_DEVICES || n != (uint32_t)(gpu / HC_DEVICE) * slots
            : n != 1)
    return false;
  for (uint32_t i = 0; i < HC_DEVICES; i++) {
    if ((bits >> i & 1) == 0) continue;
    if (whole ? devices[i] != HC_DEVICE : devices[i] < gpu * slots) return false;
  }
  return true;
}

void hc_hosts_device_move(int32_t *devices, int64_t gpu, uint32_t slots, uint32_t bits, int32_t sign)
{
  const int32_t each = gpu >= HC_DEVICE ? HC_DEVICE : (int32_t)(gpu * slots);
  for (uint32_t i = 0; i < HC_DEVICES; i++)
    if (bits >> i & 1) devices[i] += sign * each;
}
