/// The terminal: how wide it is, where the input stands on it, for what is printed around that, and
/// what it is asked for.

#define _XOPEN_SOURCE 700  // wcwidth
#define _DARWIN_C_SOURCE   // the window's size, which macOS hides then

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "shared.h"

int line_terminal_width(void) {
  struct winsize size;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

/// Moves on from a column by a character; counts the rows.
static void step(wchar_t c, int width, int *row, int *column) {
  if (c == L'\n') {
    ++*row;
    *column = 0;
    return;
  }
  int cells = wcwidth(c);
  if (c < 32 || c == 127) cells = 2;  // shown as ^C
  if (cells < 0) cells = 1;
  if (*column + cells > width) {
    ++*row;
    *column = 0;
  }
  *column += cells;
}

/// The rows from the first one of the prompt to the cursor and to the end of the input.
static void measure(line_editor *editor, int *cursor_row, int *last_row) {
  const LineInfoW *line = el_wline(editor->edit);
  int width = line_terminal_width(), row = 0, column = 0;
  bool is_shown = true;
  for (const char *byte = editor->prompt; *byte; byte++) {
    if (*byte == '\1') is_shown = !is_shown;
    else if (is_shown && ((unsigned char)*byte & 0xc0) != 0x80) step(L'x', width, &row, &column);
  }
  *cursor_row = -1;
  for (const wchar_t *c = line->buffer; c < line->lastchar; c++) {
    if (c == line->cursor) *cursor_row = row + (column == width);
    step(*c, width, &row, &column);
  }
  *last_row = row + (column == width);
  if (*cursor_row < 0) *cursor_row = *last_row;
}

void line_editor_go_below(line_editor *editor) {
  int cursor_row, last_row;
  measure(editor, &cursor_row, &last_row);
  for (int row = cursor_row; row < last_row; row++) fputs("\n", stdout);
  fputs("\r\n", stdout);
  fflush(stdout);
}

void line_editor_go_to_start(line_editor *editor) {
  int cursor_row, last_row;
  measure(editor, &cursor_row, &last_row);
  fputs("\r", stdout);
  if (cursor_row > 0) printf("\033[%dA", cursor_row);
  fputs("\033[J", stdout);
  fflush(stdout);
}

void line_editor_redraw(line_editor *editor) {
  fflush(stdout);
  el_set(editor->edit, EL_REFRESH);
  fflush(stdout);
}

void line_editor_ask_for_paste(line_editor *editor, bool wanted) {
  (void)editor;
  line_signals_note_paste(wanted);
  fputs(wanted ? "\033[?2004h" : "\033[?2004l", stdout);
  fflush(stdout);
}
