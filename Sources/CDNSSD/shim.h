#pragma once
#include <avahi-common/malloc.h>
#include <dlfcn.h>
#include <dns_sd.h>
#include <stddef.h>
#include <stdlib.h>

/* The library is loaded, not linked. It brings libavahi-client, which has a function
   avahi_entry_group_free() with one argument, and libavahi-core has another one with two under the
   same name; both libraries call theirs through the dynamic linker, so in one scope one of them
   calls the wrong one and crashes. RTLD_DEEPBIND lets this library find its own first. */
struct cdnssd_functions {
    __typeof__(&DNSServiceRegister) register_service;
    __typeof__(&DNSServiceBrowse) browse;
    __typeof__(&DNSServiceResolve) resolve;
    __typeof__(&DNSServiceQueryRecord) query_record;
    __typeof__(&DNSServiceProcessResult) process_result;
    __typeof__(&DNSServiceRefSockFD) descriptor;
    __typeof__(&DNSServiceRefDeallocate) deallocate;
};

static inline void *cdnssd_zeroed(size_t size) { return calloc(1, size); }

/* Loads libdns_sd for the rest of the process. NULL, or why that cannot be done. */
static inline const char *cdnssd_load(struct cdnssd_functions *functions) {
    const int deep_binding = 0x8; /* RTLD_DEEPBIND, which wants _GNU_SOURCE */
    if (dlsym(NULL, "__tsan_init") || dlsym(NULL, "__asan_init"))
        return "the sanitizers cannot load a library with RTLD_DEEPBIND";
    void *library = dlopen("libdns_sd.so.1", RTLD_NOW | RTLD_LOCAL | deep_binding);
    if (!library) return "libdns_sd.so.1 cannot be loaded (Debian: libavahi-compat-libdnssd1)";
    /* Avahi 0.8 leaves the callbacks of a new question as malloc() gave them and, when its daemon
       goes away, calls the first that is not NULL. So Avahi gets its memory zeroed. */
    static const AvahiAllocator allocator = {cdnssd_zeroed, free, realloc, calloc};
    __typeof__(&avahi_set_allocator) set_allocator =
        (__typeof__(&avahi_set_allocator))dlsym(library, "avahi_set_allocator");
    if (!set_allocator) return "libavahi-common.so.3 lacks a function";
    set_allocator(&allocator);
    functions->register_service =
        (__typeof__(&DNSServiceRegister))dlsym(library, "DNSServiceRegister");
    functions->browse = (__typeof__(&DNSServiceBrowse))dlsym(library, "DNSServiceBrowse");
    functions->resolve = (__typeof__(&DNSServiceResolve))dlsym(library, "DNSServiceResolve");
    functions->query_record =
        (__typeof__(&DNSServiceQueryRecord))dlsym(library, "DNSServiceQueryRecord");
    functions->process_result =
        (__typeof__(&DNSServiceProcessResult))dlsym(library, "DNSServiceProcessResult");
    functions->descriptor =
        (__typeof__(&DNSServiceRefSockFD))dlsym(library, "DNSServiceRefSockFD");
    functions->deallocate =
        (__typeof__(&DNSServiceRefDeallocate))dlsym(library, "DNSServiceRefDeallocate");
    if (functions->register_service && functions->browse && functions->resolve &&
        functions->query_record && functions->process_result && functions->descriptor &&
        functions->deallocate)
        return NULL;
    return "libdns_sd.so.1 lacks a function";
}
