/// Declarations that the files of the line editor share. No file calls back into one above it. From
/// top to bottom: editor.c, keys.c, paste.c, reading.c, signals.c, display.c.

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
/// Reads one key; in the meantime it sees to signals and to the watched descriptor.
int line_editor_read_key(EditLine *edit, wchar_t *key);

/// Moves the cursor of the terminal to the line after the input, to the input's first one, or draws
/// everything anew.
void line_editor_go_below(line_editor *editor);
void line_editor_go_to_start(line_editor *editor);
void line_editor_redraw(line_editor *editor);

/// Asks the terminal to bracket what is pasted, or to stop doing so.
void line_editor_ask_for_paste(line_editor *editor, bool wanted);

void line_signals_open(void);
/// Remembers if the terminal was asked to bracket what is pasted.
void line_signals_note_paste(bool asks);
/// The descriptor that becomes readable at a signal that concerns the display, and its next event.
int line_signals_descriptor(void);
char line_signals_next(void);

#endif
