#pragma once
/* Which characters people take for which: Unicode Technical Standard 39, section 4. A table in C is
   read where it lies; as a Swift dictionary it would cost a megabyte and some milliseconds. */
#include <stdint.h>

/* What a character is taken for: UTF-8 that ends with zero; NULL where that is the character itself. */
const char *cconfusables_prototype(uint32_t scalar);

/* The script of a character that may be in identifiers, as a number from 1 on; 0 for all others. */
uint32_t cconfusables_script(uint32_t scalar);
