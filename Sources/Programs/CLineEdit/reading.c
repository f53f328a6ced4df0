/// Reads a key, and handles events while it waits for one.

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "shared.h"

static void resume(line_editor *editor) {
  el_set(editor->edit, EL_PREP_TERM, 1);
  line_editor_ask_for_paste(editor, true);
  line_editor_redraw(editor);
  line_editor_paint(editor);
}

static void on_signal(line_editor *editor, char what) {
  if (what == 'r') {
    line_editor_go_to_start(editor);
    el_resize(editor->edit);
    line_editor_redraw(editor);
    line_editor_paint(editor);
  } else if (what == 'c') {
    resume(editor);
  }
}

static void wake(line_editor *editor) {
  char *told = editor->callbacks.woke(editor->callbacks.context);
  if (!told) return;
  line_editor_go_to_start(editor);
  fputs(told, stdout);
  free(told);
  line_editor_redraw(editor);
  line_editor_paint(editor);
}

/// Returns true if another key can be read at once, as in a paste; then nothing is painted yet.
static bool has_input(void) {
  struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};
  return poll(&ready, 1, 0) > 0;
}

/// Returns the number of bytes of a character; 0 at the end, -1 for an error. Invalid UTF-8 becomes
/// U+FFFD.
static int decode(unsigned char first, wchar_t *key) {
  int more = first < 0x80 ? 0 : first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : -1;
  *key = more < 0 ? 0xfffd : more == 0 ? first : first & (0x3f >> more);
  for (; more > 0; more--) {
    unsigned char next;
    if (read(STDIN_FILENO, &next, 1) != 1) return -1;
    if ((next & 0xc0) != 0x80) {
      *key = 0xfffd;
      break;
    }
    *key = *key << 6 | (next & 0x3f);
  }
  return 1;
}

int line_editor_read_key(EditLine *edit, wchar_t *key) {
  line_editor *editor = line_editor_of(edit);
  char what;
  // Behind a stop, the line is drawn again before anything is painted over it.
  while ((what = line_signals_next())) on_signal(editor, what);
  if (!has_input()) line_editor_paint(editor);
  for (;;) {
    struct pollfd ready[3] = {
      {.fd = STDIN_FILENO, .events = POLLIN},
      {.fd = line_signals_descriptor(), .events = POLLIN},
      {.fd = editor->watched, .events = POLLIN},
    };
    int count = poll(ready, 3, editor->timeout);
    if (count < 0 && errno != EINTR) return -1;
    while ((what = line_signals_next())) on_signal(editor, what);
    if (count < 0) continue;
    if (count == 0 || ready[2].revents) wake(editor);
    if (!ready[0].revents) continue;
    unsigned char first;
    ssize_t length = read(STDIN_FILENO, &first, 1);
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) return 0;
    return decode(first, key);
  }
}
