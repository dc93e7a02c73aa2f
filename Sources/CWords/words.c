#include "CWords.h"
#include "table.h"

const char *cwords_at(uint32_t place) { return words[place]; }
