/// Bracketed paste: a pasted block is one input, with line ends of any kind.

#include <stdlib.h>

#include "shared.h"

static const wchar_t PASTE_END[] = L"\033[201~";
enum { PASTE_END_LENGTH = 6, LONGEST_PASTE = 1 << 22 };

static bool ends_paste(const wchar_t *text, size_t length) {
  return length >= PASTE_END_LENGTH &&
         wmemcmp(text + length - PASTE_END_LENGTH, PASTE_END, PASTE_END_LENGTH) == 0;
}

/// Returns the text to insert for a pasted text, in UTF-8; NULL if there is not enough memory.
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

unsigned char line_editor_on_paste(EditLine *edit, int key) {
  (void)key;
  char *text = read_paste(line_editor_of(edit));
  if (!text) return CC_ERROR;
  int status = *text ? el_insertstr(edit, text) : 0;
  free(text);
  return status == 0 ? CC_REFRESH : CC_ERROR;
}
