/// Opening, closing, reading one input, and the history.

#include "shared.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HISTORY_SIZE = 10000 };

static char *give_prompt(EditLine *edit) { return line_editor_of(edit)->prompt; }

/// Text is UTF-8 in every locale.
static void use_utf8(void) {
  setlocale(LC_CTYPE, "");
  if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0 && !setlocale(LC_CTYPE, "C.UTF-8")) {
    setlocale(LC_CTYPE, "en_US.UTF-8");
  }
}

enum { MOST_OF_FILE = 16 << 20 };

/// True if the path leads to a regular file of at most MOST_OF_FILE bytes. A pipe is refused:
/// reading it could block.
static bool can_be_read(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= MOST_OF_FILE;
}

/// Reads the user's settings from where libedit looks for them.
static void source_settings(line_editor *editor) {
  const char *named = getenv("EDITRC"), *home = getenv("HOME");
  char path[4096];
  int length = named ? snprintf(path, sizeof path, "%s", named)
                     : snprintf(path, sizeof path, "%s/.editrc", home ? home : "");
  if (length > 0 && (size_t)length < sizeof path && can_be_read(path)) {
    el_source(editor->edit, path);
  }
}

line_editor *line_editor_open(const char *program, line_callbacks callbacks) {
  use_utf8();
  line_editor *editor = calloc(1, sizeof *editor);
  if (!editor) return NULL;
  editor->callbacks = callbacks;
  editor->watched = editor->timeout = -1;
  editor->prompt = strdup("");
  editor->history = history_init();
  line_signals_open();  // before libedit sets the terminal, so that a signal gives it back as it
                        // was
  editor->edit = el_init(program, stdin, stdout, stderr);
  if (!editor->prompt || !editor->history || !editor->edit) {
    line_editor_close(editor);
    return NULL;
  }
  HistEvent event;
  history(editor->history, &event, H_SETSIZE, HISTORY_SIZE);
  history(editor->history, &event, H_SETUNIQUE, 1);
  el_set(editor->edit, EL_CLIENTDATA, editor);
  el_set(editor->edit, EL_PROMPT_ESC, give_prompt, '\1');
  el_set(editor->edit, EL_HIST, history, editor->history);
  el_set(editor->edit, EL_SIGNAL, 0);
  el_set(editor->edit, EL_EDITOR, "emacs");
  el_set(editor->edit, EL_GETCFN, line_editor_read_key);
  // Ctrl-C, Ctrl-Z and Ctrl-S are keys while a line is edited.
  el_set(editor->edit, EL_SETTY, "-d", "-isig", "-ixon", NULL);
  source_settings(editor);
  line_editor_bind(editor);
  return editor;
}

void line_editor_close(line_editor *editor) {
  if (!editor) return;
  if (editor->edit) el_end(editor->edit);
  if (editor->history) history_end(editor->history);
  free(editor->prompt);
  free(editor->text);
  free(editor->interrupted);
  free(editor);
}

static void set_text(char **place, const char *text, size_t length) {
  free(*place);
  *place = strndup(text, length);
}

void line_editor_set_prompt(line_editor *editor, const char *prompt) {
  char *copy = strdup(prompt);
  if (!copy) return;
  free(editor->prompt);
  editor->prompt = copy;
}

line_result line_editor_read(line_editor *editor, const char *prompt, const char **text) {
  line_editor_set_prompt(editor, prompt);
  free(editor->interrupted);
  editor->interrupted = NULL;
  editor->is_ended = false;
  *text = "";
  el_resize(editor->edit);  // the window may have changed while a script ran
  line_editor_ask_for_paste(editor, true);
  el_set(editor->edit, EL_PREP_TERM, 1);  // before the prompt is seen, and somebody types
  int length = 0;
  errno = 0;
  const char *line = el_gets(editor->edit, &length);
  line_editor_ask_for_paste(editor, false);
  if (editor->interrupted) {
    *text = editor->interrupted;
    return LINE_INTERRUPTED;
  }
  if (!line || length <= 0 || editor->is_ended) return LINE_END;
  if (line[length - 1] == '\n') length--;
  set_text(&editor->text, line, (size_t)length);
  if (!editor->text) return LINE_END;
  *text = editor->text;
  return LINE_TEXT;
}

void line_editor_watch(line_editor *editor, int descriptor) { editor->watched = descriptor; }
void line_editor_set_timeout(line_editor *editor, int milliseconds) {
  editor->timeout = milliseconds;
}

// MARK: History

void line_history_add(line_editor *editor, const char *text) {
  HistEvent event;
  history(editor->history, &event, H_ENTER, text);
}

bool line_history_load(line_editor *editor, const char *path) {
  if (!can_be_read(path)) return false;
  HistEvent event;
  int loaded = history(editor->history, &event, H_LOAD, path);
  // A file that has grown past what is kept is written anew.
  if (loaded > 2 * HISTORY_SIZE) history(editor->history, &event, H_SAVE, path);
  return loaded >= 0;
}

/// Copies a file line by line, optionally without its first line.
static bool copy_lines(FILE *from, FILE *to, bool skips_first) {
  char *line = NULL;
  size_t room = 0;
  bool is_first = true, fine = true;
  while (getline(&line, &room, from) > 0) {
    if (!is_first || !skips_first) fine = fputs(line, to) >= 0 && fine;
    is_first = false;
  }
  free(line);
  return fine;
}

/// Opens a regular file for appending; a link is refused.
static FILE *open_to_append(const char *path) {
  int descriptor =
    open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
  if (descriptor < 0) return NULL;
  struct stat status;
  FILE *file =
    fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) ? fdopen(descriptor, "a") : NULL;
  if (!file) close(descriptor);
  return file;
}

bool line_history_append(line_editor *editor, const char *path) {
  HistEvent event;
  FILE *newest = tmpfile();
  if (!newest) return false;
  bool fine = history(editor->history, &event, H_NSAVE_FP, (size_t)0, newest) >= 0;
  FILE *file = fine ? open_to_append(path) : NULL;
  if (file) {
    rewind(newest);
    // The first line says what the file is.
    bool is_new = fseek(file, 0, SEEK_END) == 0 && ftell(file) == 0;
    fine = copy_lines(newest, file, !is_new);
    fine = fclose(file) == 0 && fine;
  }
  fclose(newest);
  return fine && file;
}
