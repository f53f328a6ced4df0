/// Line editing at a terminal. Wraps the variadic calls and the key functions of libedit in C, so
/// that a prompt in Swift can use them.
#ifndef LINE_EDIT_H
#define LINE_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct line_editor line_editor;

/// The answer to Tab. Both texts are from `strdup`, or NULL; the editor frees them.
typedef struct {
  size_t replaced;  ///< so many bytes before the cursor give way
  char *text;       ///< to this
  char *choices;    ///< shown below the line
} line_completion;

/// The callbacks of the editor's owner. Each is passed `context` unchanged.
typedef struct {
  void *context;
  /// Returns true if Enter ends the input, false if it begins the next line.
  bool (*is_complete)(void *context, const char *text, size_t length);
  line_completion (*complete)(void *context, const char *before_cursor, size_t length);
  /// Returns the text to insert for a text that was pasted, from `strdup`.
  char *(*pasted)(void *context, const char *text, size_t length);
  /// Called when the watched descriptor is ready or the timeout has passed. Returns a text to print
  /// above the line, from `strdup`, or NULL.
  char *(*woke)(void *context);
  /// Writes the style of each byte of the input: 0 none, 1 a keyword, 2 a string, 3 a number, 4 a
  /// comment, 5 a name that is known. NULL where there are no colours.
  void (*paint)(void *context, const char *text, size_t length, uint8_t *styles);
} line_callbacks;

/// The prompt of all lines of an input but the first. It is painted over the spaces with which
/// these lines begin.
#define LINE_CONTINUATION "     ...> "
enum { LINE_CONTINUATION_WIDTH = sizeof LINE_CONTINUATION - 1 };

typedef enum {
  LINE_TEXT,         ///< an input
  LINE_INTERRUPTED,  ///< Ctrl-C; the text is what was typed
  LINE_END,          ///< Ctrl-D on an empty line, or the terminal has gone
} line_result;

/// Opens an editor on standard input and output; returns NULL if the terminal cannot edit lines.
line_editor *line_editor_open(const char *program, line_callbacks callbacks);
void line_editor_close(line_editor *editor);

/// Reads one input. `prompt` may hold escape sequences between pairs of \1. The text is valid until
/// the next call.
line_result line_editor_read(line_editor *editor, const char *prompt, const char **text);

/// Replaces the prompt of the input that is being read. For `woke`.
void line_editor_set_prompt(line_editor *editor, const char *prompt);

/// Watches a descriptor while the editor waits for a key; -1: none.
void line_editor_watch(line_editor *editor, int descriptor);
/// Sets how many milliseconds to wait for a key before `woke` is called; -1: no limit.
void line_editor_set_timeout(line_editor *editor, int milliseconds);

// MARK: History

/// Adds an input to the history in memory; only `line_history_append` writes the file.
void line_history_add(line_editor *editor, const char *text);
bool line_history_load(line_editor *editor, const char *path);
/// Adds the newest input to a file, which another process may be adding to as well.
bool line_history_append(line_editor *editor, const char *path);

// MARK: Signals

/// Sets the function that an interrupt calls, in the signal handler, while a script runs. The
/// second interrupt since `line_interrupts_reset` ends the process with status 130.
void line_interrupts_to(void (*function)(void *), void *context);
void line_interrupts_reset(void);
int line_interrupts_seen(void);
/// Starts catching interrupts.
void line_interrupts_catch(void);
/// Waits for standard input; returns false after an interrupt, even one that came before the call.
bool line_wait_for_input(void);
/// Ignores interrupts while another process has the terminal.
void line_interrupts_pause(bool paused);

/// The width of the terminal on standard output, or 80.
int line_terminal_width(void);
/// The height of the terminal on standard output, or 24.
int line_terminal_height(void);

#endif
