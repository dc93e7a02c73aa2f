#include "CConfusables.h"
#include "allowed.h"
#include "table.h"
#include <stddef.h>

const char *cconfusables_prototype(uint32_t scalar) {
    size_t low = 0, high = sizeof scalars / sizeof scalars[0];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (scalars[middle] < scalar) low = middle + 1;
        else high = middle;
    }
    if (low == sizeof scalars / sizeof scalars[0] || scalars[low] != scalar) return NULL;
    return (const char *)texts + places[low];
}

uint32_t cconfusables_script(uint32_t scalar) {
    /* The first run that does not end before the character. */
    size_t low = 0, high = sizeof allowed / sizeof allowed[0];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (allowed[middle].last < scalar) low = middle + 1;
        else high = middle;
    }
    if (low == sizeof allowed / sizeof allowed[0] || allowed[low].first > scalar) return 0;
    return allowed[low].script + 1u;
}
