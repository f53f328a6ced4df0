/// What the files of the line editor share. None calls another in a circle: editor.c stands above
/// keys.c, and each of these above those behind it: keys.c, paste.c, reading.c, signals.c,
/// display.c.

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
/// What a terminal sends in brackets, up to the closing one.
unsigned char line_editor_on_paste(EditLine *edit, int key);
/// Reads one key; in the meantime it sees to signals and to the watched descriptor.
int line_editor_read_key(EditLine *edit, wchar_t *key);

/// Moves the cursor of the terminal to the line after the input, to the input's first one, or draws
/// everything anew.
void line_editor_go_below(line_editor *editor);
void line_editor_go_to_start(line_editor *editor);
void line_editor_redraw(line_editor *editor);

/// Bracketed paste: the terminal tells what was pasted from what was typed.
void line_editor_ask_for_paste(line_editor *editor, bool wanted);

void line_signals_open(void);
/// Notes that the terminal has been asked to mark what is pasted, or not to.
void line_signals_note_paste(bool asks);
/// The descriptor that becomes readable at a signal that concerns the display, and what to do then.
int line_signals_descriptor(void);
char line_signals_next(void);

#endif
