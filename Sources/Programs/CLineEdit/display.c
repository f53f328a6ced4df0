/// The terminal: its width, the position of the input on it, and its modes.

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

int line_terminal_height(void) {
  struct winsize size;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0) return size.ws_row;
  return 24;
}

/// Advances a position by cells that must be in one row.
static void move_on(line_place *place, int cells, int width) {
  if (place->column + cells > width) {
    place->row++;
    place->column = 0;
  }
  place->column += cells;
}

void line_step(wchar_t c, line_place *place) {
  int width = line_terminal_width();
  if (c == L'\n') {
    // libedit has gone to the next row already where the row is full.
    place->row += place->column >= width ? 2 : 1;
    place->column = 0;
  } else if (c == L'\t') {
    do move_on(place, 1, width);
    while (place->column % LINE_TAB != 0 && place->column < width);
  } else if (c < 32 || c == 127) {
    move_on(place, 1, width);  // shown as ^C
    move_on(place, 1, width);
  } else {
    int cells = wcwidth(c);
    move_on(place, cells < 0 ? 1 : cells, width);
  }
}

/// Returns the position of the cursor: after a full row it is at the start of the next one.
static line_place cursor_at(line_place place, int width) {
  if (place.column < width) return place;
  return (line_place){place.row + 1, 0};
}

line_layout line_editor_measure(line_editor *editor) {
  const LineInfoW *line = el_wline(editor->edit);
  line_layout layout = {.width = line_terminal_width(), .height = line_terminal_height()};
  bool is_shown = true, is_found = false;
  for (const char *byte = editor->prompt; *byte; byte++) {
    if (*byte == '\1') is_shown = !is_shown;
    else if (is_shown && ((unsigned char)*byte & 0xc0) != 0x80) line_step(L'x', &layout.first);
  }
  line_place place = layout.first;
  for (const wchar_t *c = line->buffer; c < line->lastchar; c++) {
    if (c == line->cursor) {
      layout.cursor = cursor_at(place, layout.width);
      is_found = true;
    }
    line_step(*c, &place);
  }
  layout.end = place;
  if (!is_found) layout.cursor = cursor_at(place, layout.width);
  return layout;
}

void line_editor_go_below(line_editor *editor) {
  line_layout layout = line_editor_measure(editor);
  int last_row = cursor_at(layout.end, layout.width).row;
  for (int row = layout.cursor.row; row < last_row; row++) fputs("\n", stdout);
  fputs("\r\n", stdout);
  fflush(stdout);
}

void line_editor_go_to_start(line_editor *editor) {
  line_layout layout = line_editor_measure(editor);
  fputs("\r", stdout);
  if (layout.cursor.row > 0) printf("\033[%dA", layout.cursor.row);
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
