/// What the keys do that libedit has no function for, and reading them.

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "editor.h"

// A function of ours cannot call one of libedit's: it types the key that libedit's is bound to.
#define ACCEPT "\033\001"
#define DELETE "\033\004"
#define PREVIOUS "\033\020"
#define NEXT "\033\016"

static size_t text_length(EditLine *edit) {
  const LineInfo *line = el_line(edit);
  return (size_t)(line->lastchar - line->buffer);
}

// MARK: Enter, Ctrl-C, Ctrl-D, Ctrl-Z

/// Two empty lines at the end run the input as it is.
static bool is_forced(const LineInfo *line) {
  const char *end = line->lastchar;
  return end - line->buffer >= 2 && line->cursor == end && end[-1] == '\n' && end[-2] == '\n';
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
  return el_insertstr(edit, "\n") == 0 ? CC_REFRESH : CC_ERROR;
}

static unsigned char on_new_line(EditLine *edit, int key) {
  (void)key;
  return el_insertstr(edit, "\n") == 0 ? CC_REFRESH : CC_ERROR;
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
  (void)key;
  line_editor *editor = line_editor_of(edit);
  if (text_length(edit) > 0) {
    el_push(edit, DELETE);
    return CC_NORM;
  }
  editor->is_ended = true;
  return CC_EOF;
}

static void resume(line_editor *editor) {
  el_set(editor->edit, EL_PREP_TERM, 1);
  line_editor_ask_for_paste(editor, true);
  line_editor_redraw(editor);
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
  const wchar_t *start = line->cursor;
  while (start > line->buffer && start[-1] != L'\n') start--;
  el_cursor(edit, (int)(start - line->cursor));
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

/// How many characters the last bytes of a text are.
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

// MARK: Paste

static const wchar_t PASTE_END[] = L"\033[201~";
enum { PASTE_END_LENGTH = 6, LONGEST_PASTE = 1 << 22 };

static bool ends_paste(const wchar_t *text, size_t length) {
  return length >= PASTE_END_LENGTH &&
         wmemcmp(text + length - PASTE_END_LENGTH, PASTE_END, PASTE_END_LENGTH) == 0;
}

/// The pasted text in UTF-8, as its owner wants it inserted; NULL when there is no room for it.
static char *read_paste(line_editor *editor) {
  size_t length = 0, room = 256;
  wchar_t *text = malloc(room * sizeof *text);
  while (text && length < LONGEST_PASTE && el_wgetc(editor->edit, &text[length]) == 1) {
    if (ends_paste(text, ++length)) {
      length -= PASTE_END_LENGTH;
      break;
    }
    if (length < room) continue;
    wchar_t *more = realloc(text, (room *= 2) * sizeof *text);
    if (!more) free(text);
    text = more;
  }
  if (!text) return NULL;
  char *bytes = malloc(length * 4 + 1);
  size_t used = 0;
  for (size_t i = 0; bytes && i < length; i++) {
    uint32_t c = (uint32_t)text[i];
    if (c < 0x80) {
      bytes[used++] = (char)c;
    } else if (c < 0x800) {
      bytes[used++] = (char)(0xc0 | c >> 6);
    } else {
      if (c < 0x10000) {
        bytes[used++] = (char)(0xe0 | c >> 12);
      } else {
        bytes[used++] = (char)(0xf0 | c >> 18);
        bytes[used++] = (char)(0x80 | (c >> 12 & 0x3f));
      }
      bytes[used++] = (char)(0x80 | (c >> 6 & 0x3f));
    }
    if (c >= 0x80) bytes[used++] = (char)(0x80 | (c & 0x3f));
  }
  free(text);
  if (!bytes) return NULL;
  char *wanted = editor->callbacks.pasted(editor->callbacks.context, bytes, used);
  free(bytes);
  return wanted;
}

static unsigned char on_paste(EditLine *edit, int key) {
  (void)key;
  char *text = read_paste(line_editor_of(edit));
  if (!text) return CC_ERROR;
  int status = *text ? el_insertstr(edit, text) : 0;
  free(text);
  return status == 0 ? CC_REFRESH : CC_ERROR;
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
  {"moonlatch-line-start", "Go to the beginning of the line", on_line_start},
  {"moonlatch-line-end", "Go to the end of the line", on_line_end},
  {"moonlatch-complete", "Complete what stands before the cursor", on_tab},
  {"moonlatch-paste", "Insert what is pasted", on_paste},
};

static const char *const BINDINGS[][2] = {
  {ACCEPT, "ed-newline"},
  {DELETE, "ed-delete-next-char"},
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
  {"\033[3~", "ed-delete-next-char"},
  {"\033[1;5C", "em-next-word"},
  {"\033[1;5D", "ed-prev-word"},
  {"\027", "ed-delete-prev-word"},
};

void line_editor_bind(line_editor *editor) {
  for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++) {
    el_set(
      editor->edit, EL_ADDFN, FUNCTIONS[i].name, FUNCTIONS[i].help, FUNCTIONS[i].function);
  }
  for (size_t i = 0; i < sizeof BINDINGS / sizeof *BINDINGS; i++) {
    el_set(editor->edit, EL_BIND, BINDINGS[i][0], BINDINGS[i][1], NULL);
  }
}

// MARK: Reading keys

static void on_signal(line_editor *editor, char what) {
  if (what == 'r') {
    line_editor_go_to_start(editor);
    el_resize(editor->edit);
    line_editor_redraw(editor);
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
}

/// The bytes of a character; 0 at the end, -1 for an error. What is no UTF-8 becomes U+FFFD.
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
  for (;;) {
    struct pollfd ready[3] = {
      {.fd = STDIN_FILENO, .events = POLLIN},
      {.fd = line_signals_descriptor(), .events = POLLIN},
      {.fd = editor->watched, .events = POLLIN},
    };
    int count = poll(ready, 3, editor->timeout);
    if (count < 0 && errno != EINTR) return -1;
    char what;
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
