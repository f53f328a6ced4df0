// CRC-32C, the checksum of iSCSI (RFC 3720, appendix B.4): it finds every damage of up to 32 bits
// in a row, and what is damaged otherwise but for one time in four billion.
#ifndef MOONLATCH_CHECKSUM_H
#define MOONLATCH_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

// The checksum of what had the first one, followed by these bytes; that of nothing is 0.
uint32_t checksum_crc32c(uint32_t before, const void *bytes, size_t count);

// The same without the processor's help, for tests.
uint32_t checksum_crc32c_by_table(uint32_t before, const void *bytes, size_t count);

#endif
