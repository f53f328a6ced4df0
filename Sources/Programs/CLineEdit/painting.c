/// Colours and continuation prompts, which libedit does not have.
///
/// They are painted over the cells that libedit has drawn, with the same characters. Cells that
/// libedit draws again are painted again before the next key is read.

#define _XOPEN_SOURCE 700  // wcwidth
#define _DARWIN_C_SOURCE

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared.h"

/// Longer inputs are not painted, because painting takes time at each key.
enum { MOST_PAINTED = 4000 };

static const char *const STYLES[] = {
  "\033[m",
  "\033[35m",
  "\033[32m",
  "\033[36m",
  "\033[2m",
  "\033[1m",
};
enum { STYLES_COUNT = sizeof STYLES / sizeof *STYLES };

bool line_editor_begins_continuation(const wchar_t *start, const wchar_t *end) {
  if (end - start < LINE_CONTINUATION_WIDTH) return false;
  for (int i = 0; i < LINE_CONTINUATION_WIDTH; i++) {
    if (start[i] != L' ') return false;
  }
  return true;
}

/// Returns the style of each character, from the owner's styles of bytes; NULL if it has none.
static uint8_t *character_styles(line_editor *editor, const LineInfoW *line) {
  if (!editor->callbacks.paint) return NULL;
  const LineInfo *bytes = el_line(editor->edit);
  size_t length = (size_t)(bytes->lastchar - bytes->buffer);
  size_t count = (size_t)(line->lastchar - line->buffer);
  uint8_t *styles = calloc(length + 1, 1), *own = calloc(count + 1, 1);
  if (styles && own) {
    editor->callbacks.paint(editor->callbacks.context, bytes->buffer, length, styles);
    size_t at = 0;
    for (size_t i = 0; i < length && at < count; i++) {
      if (((unsigned char)bytes->buffer[i] & 0xc0) != 0x80) own[at++] = styles[i];
    }
  }
  free(styles);
  return own;
}

static void put(wchar_t c) {
  static const unsigned char FIRST[] = {0, 0xc0, 0xe0, 0xf0};
  if (c < 0x80) {
    fputc(c, stdout);
    return;
  }
  int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  fputc(FIRST[more] | c >> (6 * more), stdout);
  while (more-- > 0) fputc(0x80 | (c >> (6 * more) & 0x3f), stdout);
}

/// Writes the next cell of a row, at its place.
static void put_cell(wchar_t c, line_place *place) {
  int row = place->row;
  line_step(c, place);
  while (row++ < place->row) fputs("\r\n", stdout);
  put(c);
}

static void put_character(wchar_t c, line_place *place) {
  if (c == L'\n') {
    int row = place->row;
    line_step(c, place);
    while (row++ < place->row) fputs("\r\n", stdout);
  } else if (c == L'\t') {
    line_place end = *place;
    line_step(c, &end);
    while (place->row < end.row || place->column < end.column) put_cell(L' ', place);
  } else if (c < 32 || c == 127) {
    put_cell(L'^', place);
    put_cell(c == 127 ? L'?' : c + 64, place);
  } else {
    put_cell(c, place);
  }
}

static void paint(const LineInfoW *line, const uint8_t *styles, line_place place) {
  int style = 0;
  for (const wchar_t *c = line->buffer; c < line->lastchar; c++) {
    int wanted = styles && styles[c - line->buffer] < STYLES_COUNT ? styles[c - line->buffer] : 0;
    if (wanted != style) fputs(STYLES[0], stdout);
    if (wanted != style && wanted != 0) fputs(STYLES[wanted], stdout);
    style = wanted;
    put_character(*c, &place);
    if (*c != L'\n' || !line_editor_begins_continuation(c + 1, line->lastchar)) continue;
    fputs(styles ? "\033[2m" LINE_CONTINUATION "\033[m" : LINE_CONTINUATION, stdout);
    style = 0;
    c += LINE_CONTINUATION_WIDTH;
    place.column += LINE_CONTINUATION_WIDTH;
  }
  fputs(STYLES[0], stdout);
}

/// Returns true if libedit draws some character of the input in another form.
static bool has_unprintable(const LineInfoW *line) {
  for (const wchar_t *c = line->buffer; c < line->lastchar; c++) {
    if (*c > 127 && wcwidth(*c) < 0) return true;
  }
  return false;
}

void line_editor_paint(line_editor *editor) {
  const LineInfoW *line = el_wline(editor->edit);
  if (line->lastchar - line->buffer > MOST_PAINTED || line->lastchar == line->buffer) return;
  if (has_unprintable(line)) return;
  line_layout layout = line_editor_measure(editor);
  if (layout.first.column >= layout.width - 1 || layout.end.row >= layout.height - 1) return;
  if (layout.width <= LINE_CONTINUATION_WIDTH + 1) return;
  uint8_t *styles = character_styles(editor, line);
  fflush(stdout);
  fputs("\033[?25l\r", stdout);
  int up = layout.cursor.row - layout.first.row;
  if (up > 0) printf("\033[%dA", up);
  if (layout.first.column > 0) printf("\033[%dC", layout.first.column);
  paint(line, styles, layout.first);
  int down = layout.cursor.row - layout.end.row;
  for (int row = 0; row < down; row++) fputs("\r\n", stdout);
  if (down < 0) printf("\033[%dA", -down);
  fputs("\r", stdout);
  if (layout.cursor.column > 0) printf("\033[%dC", layout.cursor.column);
  fputs("\033[?25h", stdout);
  fflush(stdout);
  free(styles);
}
