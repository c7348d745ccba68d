#ifndef CORDON_SHA256_H
#define CORDON_SHA256_H

#include "base.h"

enum { SHA256_BYTES = 32, SHA256_HEX = 2 * SHA256_BYTES };

struct sha256 {
  uint32_t state[8];
  uint64_t length;
  unsigned char block[64];
};

void sha256_begin(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *bytes, size_t length);
/* With the NUL behind it, so that two texts never read like two others. */
void sha256_add_text(struct sha256 *hash, const char *text);
void sha256_end(struct sha256 *hash, char hex[SHA256_HEX + 1]);

#endif
