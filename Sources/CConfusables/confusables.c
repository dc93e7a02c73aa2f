#include "CConfusables.h"
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
