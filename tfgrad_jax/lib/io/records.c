/* Where records begin whose checksums are good, by the processor's own instruction for CRC-32C. */

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)

__attribute__((target("sse4.2"))) static uint32_t masked(const uint8_t* data, uint64_t size) {
  uint64_t crc = 0xFFFFFFFF, eight;
  for (; size >= 8; size -= 8, data += 8) {
    memcpy(&eight, data, 8);
    crc = __builtin_ia32_crc32di(crc, eight);
  }
  uint32_t found = (uint32_t)crc;
  while (size--) found = __builtin_ia32_crc32qi(found, *data++);
  found = ~found;
  return (found >> 15 | found << 17) + 0xA282EAD8u;
}

static int is(uint32_t expected, const uint8_t* data) { return !memcmp(&expected, data, 4); }

/* Returns how many whole records there are, and notes where each begins, and the next one after them; -1 if one is corrupt. */
int64_t tfgrad_jax_records(const uint8_t* data, uint64_t size, uint64_t* starts) {
  int64_t count = 0;
  uint64_t at = 0;
  if (!__builtin_cpu_supports("sse4.2")) return -1;
  while (size - at >= 16) {
    uint64_t length;
    memcpy(&length, data + at, 8);
    if (length > size - at - 16) break;
    if (!is(masked(data + at, 8), data + at + 8) || !is(masked(data + at + 12, length), data + at + 12 + length)) return -1;
    starts[count++] = at;
    at += length + 16;
  }
  starts[count] = at;
  return count;
}

#else

int64_t tfgrad_jax_records(const uint8_t* data, uint64_t size, uint64_t* starts) { return -1; }

#endif
