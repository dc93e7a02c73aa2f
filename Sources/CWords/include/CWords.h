#pragma once
/* The words of which phrases are made. A table in C is read where it lies; as a Swift array it would
   cost half a megabyte and some milliseconds. */
#include <stdint.h>

/* How many words there are: five dice. */
#define CWORDS_COUNT 7776

/* A word, by its place in the alphabet, below CWORDS_COUNT; lower case, 3 to 9 bytes, then a zero. */
const char *cwords_at(uint32_t place);
