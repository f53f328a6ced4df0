/// Declarations that the files of the line editor share. No file calls back into one above it. From
/// top to bottom: editor.c, keys.c, paste.c, reading.c, signals.c, painting.c, display.c.

#ifndef LINE_EDIT_SHARED_H
#define LINE_EDIT_SHARED_H

#include <histedit.h>
#include <wchar.h>

#include "line_edit.h"

struct line_editor {
  EditLine *edit;
  History *history;
  line_callbacks callbacks;
  char *prompt;
  char *text;         ///< the input that was read last
  char *interrupted;  ///< what was typed when Ctrl-C came
  bool is_ended;
  int watched;
  int timeout;
};

static inline line_editor *line_editor_of(EditLine *edit) {
  void *data = NULL;
  el_get(edit, EL_CLIENTDATA, &data);
  return data;
}

/// Binds the keys.
void line_editor_bind(line_editor *editor);
/// Inserts a bracketed paste: reads up to the closing bracket of the terminal.
unsigned char line_editor_on_paste(EditLine *edit, int key);
/// Reads one key; while it waits, it handles signals and the watched descriptor.
int line_editor_read_key(EditLine *edit, wchar_t *key);

/// The place of a character on the terminal, from the first row of the prompt.
typedef struct {
  int row, column;
} line_place;

/// The layout of the input: of its first character, the cursor, and the end.
typedef struct {
  int width, height;
  line_place first, cursor, end;
} line_layout;

/// The distance of tab stops.
enum { LINE_TAB = 8 };

/// Advances a position by a character.
void line_step(wchar_t c, line_place *place);
line_layout line_editor_measure(line_editor *editor);

/// Paints colours and continuation prompts over the input that libedit has drawn.
void line_editor_paint(line_editor *editor);
/// True if the text begins with the spaces that a continuation prompt is painted on.
bool line_editor_begins_continuation(const wchar_t *start, const wchar_t *end);

/// Moves the cursor to the line after the input, or to the input's first line, or draws everything
/// again.
void line_editor_go_below(line_editor *editor);
void line_editor_go_to_start(line_editor *editor);
void line_editor_redraw(line_editor *editor);

/// Turns bracketed paste of the terminal on or off.
void line_editor_ask_for_paste(line_editor *editor, bool wanted);

void line_signals_open(void);
/// Records if bracketed paste is on.
void line_signals_note_paste(bool asks);
/// The descriptor that becomes readable at a signal that concerns the display, and its next event.
int line_signals_descriptor(void);
char line_signals_next(void);

#endif
