#pragma once
#include <sodium.h>
#include <stdint.h>
#include <string.h>

/* libsodium declares its BLAKE2b state packed and aligned to 64 bytes, which Swift does not import.
   This one is the same bytes at a natural alignment; each call works on an aligned copy, because
   libsodium may rely on what it declares. The copy is wiped: HMAC puts secrets through it. */
typedef struct {
    uint64_t words[sizeof(crypto_generichash_blake2b_state) / 8];
} csodium_blake2b_state;

_Static_assert(
    sizeof(csodium_blake2b_state) == sizeof(crypto_generichash_blake2b_state),
    "the state must be whole words");

static inline int csodium_blake2b_init(
    csodium_blake2b_state *state, const unsigned char *key, size_t key_count, size_t hash_count,
    const unsigned char *personal) {
    crypto_generichash_blake2b_state aligned;
    int status = crypto_generichash_blake2b_init_salt_personal(
        &aligned, key, key_count, hash_count, NULL, personal);
    memcpy(state, &aligned, sizeof aligned);
    sodium_memzero(&aligned, sizeof aligned);
    return status;
}

static inline int csodium_blake2b_update(
    csodium_blake2b_state *state, const unsigned char *bytes, unsigned long long count) {
    crypto_generichash_blake2b_state aligned;
    memcpy(&aligned, state, sizeof aligned);
    int status = crypto_generichash_blake2b_update(&aligned, bytes, count);
    memcpy(state, &aligned, sizeof aligned);
    sodium_memzero(&aligned, sizeof aligned);
    return status;
}

static inline int csodium_blake2b_final(
    csodium_blake2b_state *state, unsigned char *hash, size_t hash_count) {
    crypto_generichash_blake2b_state aligned;
    memcpy(&aligned, state, sizeof aligned);
    int status = crypto_generichash_blake2b_final(&aligned, hash, hash_count);
    sodium_memzero(&aligned, sizeof aligned);
    return status;
}
