#pragma once
#include <dlfcn.h>
#include <openssl/evp.h>
#include <stdint.h>

/* libcrypto is loaded, not linked: it takes 4 MiB that only a daemon with files has use for. */
struct copenssl_functions {
    EVP_CIPHER *sealing;
    EVP_CIPHER *stream;
    EVP_MD *hash;
    __typeof__(&EVP_CIPHER_CTX_new) new_cipher;
    __typeof__(&EVP_CIPHER_CTX_free) free_cipher;
    __typeof__(&EVP_CIPHER_CTX_ctrl) control;
    __typeof__(&EVP_CipherInit_ex) start_cipher;
    __typeof__(&EVP_CipherUpdate) update_cipher;
    __typeof__(&EVP_CipherFinal_ex) finish_cipher;
    __typeof__(&EVP_MD_CTX_new) new_hash;
    __typeof__(&EVP_MD_CTX_free) free_hash;
    __typeof__(&EVP_DigestInit_ex) start_hash;
    __typeof__(&EVP_DigestUpdate) update_hash;
    __typeof__(&EVP_DigestFinal_ex) finish_hash;
};

enum { COPENSSL_TAG_BYTES = 16, COPENSSL_NONCE_BYTES = 12 };

/* Loads the library for the rest of the process; 0 where it is not there or cannot do what is wanted. */
static inline int copenssl_load(struct copenssl_functions *functions) {
    void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
#define COPENSSL_FIND(field, name) \
    if (!(functions->field = (__typeof__(&name))dlsym(library, #name))) return 0
    COPENSSL_FIND(new_cipher, EVP_CIPHER_CTX_new);
    COPENSSL_FIND(free_cipher, EVP_CIPHER_CTX_free);
    COPENSSL_FIND(control, EVP_CIPHER_CTX_ctrl);
    COPENSSL_FIND(start_cipher, EVP_CipherInit_ex);
    COPENSSL_FIND(update_cipher, EVP_CipherUpdate);
    COPENSSL_FIND(finish_cipher, EVP_CipherFinal_ex);
    COPENSSL_FIND(new_hash, EVP_MD_CTX_new);
    COPENSSL_FIND(free_hash, EVP_MD_CTX_free);
    COPENSSL_FIND(start_hash, EVP_DigestInit_ex);
    COPENSSL_FIND(update_hash, EVP_DigestUpdate);
    COPENSSL_FIND(finish_hash, EVP_DigestFinal_ex);
#undef COPENSSL_FIND
    __typeof__(&EVP_CIPHER_fetch) fetch_cipher =
        (__typeof__(&EVP_CIPHER_fetch))dlsym(library, "EVP_CIPHER_fetch");
    __typeof__(&EVP_MD_fetch) fetch_hash = (__typeof__(&EVP_MD_fetch))dlsym(library, "EVP_MD_fetch");
    if (!fetch_cipher || !fetch_hash) return 0;
    functions->sealing = fetch_cipher(NULL, "ChaCha20-Poly1305", NULL);
    functions->stream = fetch_cipher(NULL, "ChaCha20", NULL);
    functions->hash = fetch_hash(NULL, "SHA256", NULL);
    return functions->sealing && functions->stream && functions->hash;
}

/* ChaCha20-Poly1305 without additional data; 0 where it cannot be done, and nothing is known then. */
static inline int copenssl_seal(
    const struct copenssl_functions *functions, unsigned char *sealed, const unsigned char *plain,
    int count, const unsigned char *nonce, const unsigned char *key) {
    EVP_CIPHER_CTX *context = functions->new_cipher();
    int written = 0, rest = 0;
    int done = context && functions->start_cipher(context, functions->sealing, NULL, key, nonce, 1) &&
               functions->update_cipher(context, sealed, &written, plain, count) &&
               functions->finish_cipher(context, sealed + written, &rest) &&
               functions->control(
                   context, EVP_CTRL_AEAD_GET_TAG, COPENSSL_TAG_BYTES, sealed + count);
    functions->free_cipher(context); /* overwrites the key in it */
    return done;
}

/* The reverse, of `count` bytes before the tag; 0 also where the tag is another one. */
static inline int copenssl_open(
    const struct copenssl_functions *functions, unsigned char *plain, const unsigned char *sealed,
    int count, const unsigned char *nonce, const unsigned char *key) {
    EVP_CIPHER_CTX *context = functions->new_cipher();
    int written = 0, rest = 0;
    int done = context && functions->start_cipher(context, functions->sealing, NULL, key, nonce, 0) &&
               functions->control(
                   context, EVP_CTRL_AEAD_SET_TAG, COPENSSL_TAG_BYTES, (void *)(sealed + count)) &&
               functions->update_cipher(context, plain, &written, sealed, count) &&
               functions->finish_cipher(context, plain + written, &rest);
    functions->free_cipher(context);
    return done;
}

/* ChaCha20 with the number of the first block, 4 bytes, and the nonce behind it; 0 where it cannot be done. */
static inline int copenssl_apply(
    const struct copenssl_functions *functions, unsigned char *output, const unsigned char *input,
    int count, const unsigned char *start, const unsigned char *key) {
    EVP_CIPHER_CTX *context = functions->new_cipher();
    int written = 0;
    int done = context && functions->start_cipher(context, functions->stream, NULL, key, start, 1) &&
               functions->update_cipher(context, output, &written, input, count);
    functions->free_cipher(context);
    return done && written == count;
}

/* SHA-256 of a byte and what follows it; 0 where it cannot be done. */
static inline int copenssl_hash(
    const struct copenssl_functions *functions, unsigned char *hash, unsigned char first,
    const unsigned char *bytes, size_t count) {
    EVP_MD_CTX *context = functions->new_hash();
    int done = context && functions->start_hash(context, functions->hash, NULL) &&
               functions->update_hash(context, &first, 1) &&
               functions->update_hash(context, bytes, count) &&
               functions->finish_hash(context, hash, NULL);
    functions->free_hash(context);
    return done;
}
