/// Functions of keys that libedit does not have.

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "shared.h"

// These functions cannot call those of libedit. They type the key that libedit's function is bound
// to.
#define ACCEPT "\033\001"
#define PREVIOUS "\033\020"
#define NEXT "\033\016"

static size_t text_length(EditLine *edit) {
  const LineInfo *line = el_line(edit);
  return (size_t)(line->lastchar - line->buffer);
}

// MARK: Enter, Ctrl-C, Ctrl-D, Ctrl-Z

/// Two empty lines at the end run the input as it is.
static bool is_forced(const LineInfo *line) {
  if (line->cursor != line->lastchar) return false;
  int breaks = 0;
  for (const char *c = line->lastchar; c > line->buffer && breaks < 2; c--) {
    if (c[-1] == '\n') breaks++;
    else if (c[-1] != ' ') return false;
  }
  return breaks == 2;
}

/// Begins the next line with spaces, over which its prompt is painted.
static unsigned char begin_line(EditLine *edit) {
  char text[LINE_CONTINUATION_WIDTH + 2] = "\n";
  memset(text + 1, ' ', LINE_CONTINUATION_WIDTH);
  return el_insertstr(edit, text) == 0 ? CC_REFRESH : CC_ERROR;
}

/// Returns the first position of the line after its prompt.
static const wchar_t *line_start(const LineInfoW *line) {
  const wchar_t *start = line->cursor;
  while (start > line->buffer && start[-1] != L'\n') start--;
  if (start > line->buffer && line_editor_begins_continuation(start, line->lastchar)) {
    const wchar_t *behind = start + LINE_CONTINUATION_WIDTH;
    if (behind <= line->cursor) return behind;
  }
  return start;
}

/// Deletes the character before the cursor; at the beginning of a line, joins it with the line
/// above.
static unsigned char on_backspace(EditLine *edit, int key) {
  (void)key;
  const LineInfoW *line = el_wline(edit);
  if (line->cursor == line->buffer) return CC_ERROR;
  const wchar_t *start = line_start(line);
  bool joins = line->cursor == start && start > line->buffer && start[-1] == L' ';
  el_deletestr(edit, joins ? LINE_CONTINUATION_WIDTH + 1 : 1);
  return CC_REFRESH;
}

/// Deletes the character after the cursor; at the end of a line, joins it with the line below.
static unsigned char on_delete(EditLine *edit, int key) {
  (void)key;
  const LineInfoW *line = el_wline(edit);
  if (line->cursor == line->lastchar) return CC_ERROR;
  bool joins =
    *line->cursor == L'\n' && line_editor_begins_continuation(line->cursor + 1, line->lastchar);
  int count = joins ? LINE_CONTINUATION_WIDTH + 1 : 1;
  el_cursor(edit, count);
  el_deletestr(edit, count);
  return CC_REFRESH;
}

static bool is_word(wchar_t c) { return iswalnum((wint_t)c) || c == L'_'; }

/// Deletes the word before the cursor; at the beginning of a line joins it with the one above.
static unsigned char on_delete_word(EditLine *edit, int key) {
  const LineInfoW *line = el_wline(edit);
  const wchar_t *start = line_start(line), *c = line->cursor;
  if (c == start) return on_backspace(edit, key);
  while (c > start && !is_word(c[-1])) c--;
  while (c > start && is_word(c[-1])) c--;
  el_deletestr(edit, (int)(line->cursor - c));
  return CC_REFRESH;
}

static unsigned char on_enter(EditLine *edit, int key) {
  (void)key;
  line_editor *editor = line_editor_of(edit);
  const LineInfo *line = el_line(edit);
  size_t length = text_length(edit);
  if (is_forced(line) ||
      editor->callbacks.is_complete(editor->callbacks.context, line->buffer, length)) {
    el_push(edit, ACCEPT);
    return CC_NORM;
  }
  return begin_line(edit);
}

static unsigned char on_new_line(EditLine *edit, int key) {
  (void)key;
  return begin_line(edit);
}

static unsigned char on_interrupt_key(EditLine *edit, int key) {
  (void)key;
  line_editor *editor = line_editor_of(edit);
  const LineInfo *line = el_line(edit);
  free(editor->interrupted);
  editor->interrupted = strndup(line->buffer, text_length(edit));
  line_editor_go_below(editor);
  return CC_EOF;
}

static unsigned char on_end(EditLine *edit, int key) {
  line_editor *editor = line_editor_of(edit);
  if (text_length(edit) > 0) return on_delete(edit, key);
  editor->is_ended = true;
  return CC_EOF;
}

static unsigned char on_suspend(EditLine *edit, int key) {
  (void)key;
  line_editor *editor = line_editor_of(edit);
  line_editor_go_below(editor);
  line_editor_ask_for_paste(editor, false);
  el_set(edit, EL_PREP_TERM, 0);
  kill(0, SIGTSTP);  // the whole job, as the terminal would
  return CC_NORM;    // going on, the signal that continues draws the line again
}

// MARK: Moving up and down

static unsigned char on_up(EditLine *edit, int key) {
  (void)key;
  const LineInfoW *line = el_wline(edit);
  const wchar_t *start = line->cursor;
  while (start > line->buffer && start[-1] != L'\n') start--;
  if (start == line->buffer) {
    el_push(edit, PREVIOUS);
    return CC_NORM;
  }
  const wchar_t *above = start - 1;
  while (above > line->buffer && above[-1] != L'\n') above--;
  long column = line->cursor - start;
  long width = start - 1 - above;
  el_cursor(edit, (int)(above + (column < width ? column : width) - line->cursor));
  return CC_CURSOR;
}

static unsigned char on_down(EditLine *edit, int key) {
  (void)key;
  const LineInfoW *line = el_wline(edit);
  const wchar_t *start = line->cursor;
  while (start > line->buffer && start[-1] != L'\n') start--;
  const wchar_t *below = line->cursor;
  while (below < line->lastchar && *below != L'\n') below++;
  if (below == line->lastchar) {
    el_push(edit, NEXT);
    return CC_NORM;
  }
  below++;
  const wchar_t *end = below;
  while (end < line->lastchar && *end != L'\n') end++;
  long column = line->cursor - start;
  long width = end - below;
  el_cursor(edit, (int)(below + (column < width ? column : width) - line->cursor));
  return CC_CURSOR;
}

static unsigned char on_line_start(EditLine *edit, int key) {
  (void)key;
  const LineInfoW *line = el_wline(edit);
  el_cursor(edit, (int)(line_start(line) - line->cursor));
  return CC_CURSOR;
}

static unsigned char on_line_end(EditLine *edit, int key) {
  (void)key;
  const LineInfoW *line = el_wline(edit);
  const wchar_t *end = line->cursor;
  while (end < line->lastchar && *end != L'\n') end++;
  el_cursor(edit, (int)(end - line->cursor));
  return CC_CURSOR;
}

// MARK: Tab

/// Returns the number of characters in the last bytes of a text.
static int characters(const char *text, size_t length) {
  int count = 0;
  for (size_t i = 0; i < length; i++) count += ((unsigned char)text[i] & 0xc0) != 0x80;
  return count;
}

static unsigned char on_tab(EditLine *edit, int key) {
  (void)key;
  line_editor *editor = line_editor_of(edit);
  const LineInfo *line = el_line(edit);
  size_t length = (size_t)(line->cursor - line->buffer);
  line_completion found =
    editor->callbacks.complete(editor->callbacks.context, line->buffer, length);
  unsigned char answer = CC_ERROR;
  if (found.choices) {
    line_editor_go_below(editor);
    fputs(found.choices, stdout);
    fputs("\r\n", stdout);
  }
  if (found.text) {
    if (found.replaced > 0 && found.replaced <= length) {
      line = el_line(edit);
      el_deletestr(edit, characters(line->cursor - found.replaced, found.replaced));
    }
    el_insertstr(edit, found.text);
    answer = CC_REFRESH;
  }
  if (found.choices) {
    line_editor_redraw(editor);
    answer = CC_NORM;
  }
  free(found.text);
  free(found.choices);
  return answer;
}

// MARK: Binding

static const struct {
  const char *name;
  const char *help;
  unsigned char (*function)(EditLine *, int);
} FUNCTIONS[] = {
  {"moonlatch-enter", "Run the input, or begin its next line", on_enter},
  {"moonlatch-new-line", "Begin a new line", on_new_line},
  {"moonlatch-interrupt", "Drop the input", on_interrupt_key},
  {"moonlatch-end", "Leave, or delete the next character", on_end},
  {"moonlatch-suspend", "Stop the process", on_suspend},
  {"moonlatch-up", "The line above, or the previous input", on_up},
  {"moonlatch-down", "The line below, or the next input", on_down},
  {"moonlatch-backspace", "Delete the previous character", on_backspace},
  {"moonlatch-delete", "Delete the next character", on_delete},
  {"moonlatch-delete-word", "Delete the word before the cursor", on_delete_word},
  {"moonlatch-line-start", "Go to the beginning of the line", on_line_start},
  {"moonlatch-line-end", "Go to the end of the line", on_line_end},
  {"moonlatch-complete", "Complete what stands before the cursor", on_tab},
  {"moonlatch-paste", "Insert what is pasted", line_editor_on_paste},
};

static const char *const BINDINGS[][2] = {
  {ACCEPT, "ed-newline"},
  {PREVIOUS, "ed-prev-history"},
  {NEXT, "ed-next-history"},
  {"\r", "moonlatch-enter"},
  {"\n", "moonlatch-enter"},
  {"\033\r", "moonlatch-new-line"},
  {"\033\n", "moonlatch-new-line"},
  {"\003", "moonlatch-interrupt"},
  {"\004", "moonlatch-end"},
  {"\032", "moonlatch-suspend"},
  {"\t", "moonlatch-complete"},
  {"\010", "moonlatch-backspace"},
  {"\177", "moonlatch-backspace"},
  {"\001", "moonlatch-line-start"},
  {"\005", "moonlatch-line-end"},
  {"\020", "moonlatch-up"},
  {"\016", "moonlatch-down"},
  {"\033[A", "moonlatch-up"},
  {"\033[B", "moonlatch-down"},
  {"\033OA", "moonlatch-up"},
  {"\033OB", "moonlatch-down"},
  {"\033[200~", "moonlatch-paste"},
  {"\022", "em-inc-search-prev"},
  {"\023", "em-inc-search-next"},
  {"\033[H", "moonlatch-line-start"},
  {"\033[F", "moonlatch-line-end"},
  {"\033[1~", "moonlatch-line-start"},
  {"\033[4~", "moonlatch-line-end"},
  {"\033OH", "moonlatch-line-start"},
  {"\033OF", "moonlatch-line-end"},
  {"\033[3~", "moonlatch-delete"},
  {"\033[1;5C", "em-next-word"},
  {"\033[1;5D", "ed-prev-word"},
  {"\027", "moonlatch-delete-word"},
};

void line_editor_bind(line_editor *editor) {
  for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++) {
    el_set(editor->edit, EL_ADDFN, FUNCTIONS[i].name, FUNCTIONS[i].help, FUNCTIONS[i].function);
  }
  for (size_t i = 0; i < sizeof BINDINGS / sizeof *BINDINGS; i++) {
    el_set(editor->edit, EL_BIND, BINDINGS[i][0], BINDINGS[i][1], NULL);
  }
}
