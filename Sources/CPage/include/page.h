#pragma once
#include <stddef.h>

/* The files of the page, compiled in: a name, NULL behind the last; how long the file is; and its bytes, copied. */
const char *cpage_name(int index);
size_t cpage_count(int index);
void cpage_copy(int index, unsigned char *bytes);
