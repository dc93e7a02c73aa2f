#pragma once
/* cchar_t and the functions for wide characters, ncurses(3). */
#define _XOPEN_SOURCE_EXTENDED 1
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <locale.h>
#include <term.h>

/* stdscr is a variable, which Swift takes for shared mutable state. */
static inline WINDOW *ccurses_screen(void) { return stdscr; }

/* The attributes are macros with casts, which Swift cannot import. */
static inline attr_t ccurses_attributes(int bold, int faint, int reversed) {
    return (bold ? A_BOLD : A_NORMAL) | (faint ? A_DIM : A_NORMAL) | (reversed ? A_REVERSE : A_NORMAL);
}

/* attr_set is a macro of an expression. */
static inline void ccurses_style(attr_t attributes, short pair) {
    wattr_set(stdscr, attributes, pair, NULL);
}

/* Sends a sequence that terminfo does not name as it is: tputs(3). */
static inline void ccurses_put(const char *sequence) { putp(sequence); fflush(stdout); }

/* Prints a text as it is, without the padding that tputs(3) takes out of it. */
static inline void ccurses_print(const char *text) { fputs(text, stdout); fflush(stdout); }

/* newterm() on the standard streams, for the entry of terminfo with that name; whether there is one. */
static inline int ccurses_begin(const char *name) { return newterm((char *)name, stdout, stdin) != NULL; }

/* How many colours there are, once start_color() was called. */
static inline int ccurses_colours(void) { return COLORS; }
