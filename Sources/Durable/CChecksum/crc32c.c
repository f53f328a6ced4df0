#include <stdbool.h>
#include <string.h>

#include "checksum.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#define HARDWARE __attribute__((target("sse4.2")))
#define STEP_8(crc, word) ((uint32_t)_mm_crc32_u64(crc, word))
#define STEP_1(crc, byte) _mm_crc32_u8(crc, byte)
static bool has_hardware(void) { return __builtin_cpu_supports("sse4.2"); }
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#define HARDWARE
#define STEP_8(crc, word) __crc32cd(crc, word)
#define STEP_1(crc, byte) __crc32cb(crc, byte)
static bool has_hardware(void) { return true; }
#endif

// The remainders of a byte, half a byte at a time: 64 bytes that are always at hand.
static const uint32_t remainders[16] = {
  0x00000000,
  0x105ec76f,
  0x20bd8ede,
  0x30e349b1,
  0x417b1dbc,
  0x5125dad3,
  0x61c69362,
  0x7198540d,
  0x82f63b78,
  0x92a8fc17,
  0xa24bb5a6,
  0xb21572c9,
  0xc38d26c4,
  0xd3d3e1ab,
  0xe330a81a,
  0xf36e6f75,
};

uint32_t checksum_crc32c_by_table(uint32_t before, const void *bytes, size_t count) {
  uint32_t crc = ~before;
  const unsigned char *next = bytes;
  for (; count > 0; count--) {
    crc ^= *next++;
    crc = crc >> 4 ^ remainders[crc & 15];
    crc = crc >> 4 ^ remainders[crc & 15];
  }
  return ~crc;
}

#ifdef HARDWARE
HARDWARE static uint32_t by_hardware(uint32_t before, const void *bytes, size_t count) {
  uint32_t crc = ~before;
  const unsigned char *next = bytes;
  for (; count >= 8; count -= 8, next += 8) {
    uint64_t word;
    memcpy(&word, next, sizeof word);
    crc = STEP_8(crc, word);
  }
  for (; count > 0; count--) crc = STEP_1(crc, *next++);
  return ~crc;
}
#endif

uint32_t checksum_crc32c(uint32_t before, const void *bytes, size_t count) {
#ifdef HARDWARE
  if (has_hardware()) return by_hardware(before, bytes, count);
#endif
  return checksum_crc32c_by_table(before, bytes, count);
}
