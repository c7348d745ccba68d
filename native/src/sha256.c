#include "sha256.h"

#include <string.h>

/* FIPS 180-4. */

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turned(uint32_t word, unsigned by) { return word >> by | word << (32 - by); }

static uint32_t word_at(const unsigned char *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Eight variables, as the standard has them: moving an array along in each round took most of the time of a start from a kept plan. */
static void take_block(uint32_t *state, const unsigned char *block) {
  uint32_t w[64];
  for (size_t i = 0; i < 16; i++) w[i] = word_at(block + 4 * i);
  for (size_t i = 16; i < 64; i++) {
    uint32_t low = turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ w[i - 15] >> 3;
    uint32_t high = turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + low + w[i - 7] + high;
  }
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];
  for (size_t i = 0; i < 64; i++) {
    uint32_t high = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    uint32_t first = h + high + ((e & f) ^ (~e & g)) + constants[i] + w[i];
    uint32_t low = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    uint32_t second = low + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const uint32_t now[8] = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < 8; i++) state[i] += now[i];
}

void sha256_begin(struct sha256 *hash) {
  *hash = (struct sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(struct sha256 *hash, const void *bytes, size_t length) {
  const unsigned char *at = bytes;
  size_t used = hash->length % sizeof hash->block;
  hash->length += length;
  while (used + length >= sizeof hash->block) {
    size_t part = sizeof hash->block - used;
    memcpy(hash->block + used, at, part);
    take_block(hash->state, hash->block);
    at += part;
    length -= part;
    used = 0;
  }
  memcpy(hash->block + used, at, length);
}

void sha256_add_text(struct sha256 *hash, const char *text) { sha256_add(hash, text, strlen(text) + 1); }

void sha256_end(struct sha256 *hash, char hex[SHA256_HEX + 1]) {
  static const char digits[] = "0123456789abcdef";
  static const unsigned char padding[64] = {0x80};
  uint64_t bits = hash->length * 8;
  size_t used = hash->length % sizeof hash->block;
  unsigned char size[8];
  for (size_t i = 0; i < 8; i++) size[i] = (unsigned char)(bits >> (56 - 8 * i));
  sha256_add(hash, padding, (used < 56 ? 56 : 120) - used);
  sha256_add(hash, size, sizeof size);
  for (size_t i = 0; i < SHA256_BYTES; i++) {
    unsigned char byte = (unsigned char)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
    hex[2 * i] = digits[byte >> 4];
    hex[2 * i + 1] = digits[byte & 15];
  }
  hex[SHA256_HEX] = '\0';
}
