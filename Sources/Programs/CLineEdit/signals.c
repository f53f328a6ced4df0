/// Signals: an interrupt stops the running script. A new window size and a return to the foreground
/// are sent to the editor through a pipe, so that no handler draws anything. A signal that ends the
/// process restores the terminal first.

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <termios.h>
#include <unistd.h>

#include "shared.h"

// MARK: The pipe

static int ends[2] = {-1, -1};

static void tell(char what) {
  if (ends[1] < 0) return;
  int kept = errno;
  ssize_t written = write(ends[1], &what, 1);
  (void)written;  // a full pipe has enough to tell
  errno = kept;
}

static void open_pipe(void) {
  if (ends[0] >= 0 || pipe(ends) != 0) return;
  for (int end = 0; end < 2; end++) {
    fcntl(ends[end], F_SETFD, FD_CLOEXEC);
    fcntl(ends[end], F_SETFL, O_NONBLOCK);
  }
}

int line_signals_descriptor(void) { return ends[0]; }

char line_signals_next(void) {
  char what = 0;
  return ends[0] >= 0 && read(ends[0], &what, 1) == 1 ? what : 0;
}

// MARK: The end

static struct termios settings;
static atomic_bool has_settings;
static atomic_bool asks_for_paste;

void line_signals_note_paste(bool asks) { atomic_store(&asks_for_paste, asks); }

/// Restores the terminal to its original mode.
static void give_back(void) {
  if (atomic_load(&has_settings)) tcsetattr(STDIN_FILENO, TCSANOW, &settings);
  if (atomic_load(&asks_for_paste)) {
    static const char end[] = "\033[?2004l\n";
    ssize_t written = write(STDOUT_FILENO, end, sizeof end - 1);
    (void)written;
  }
}

// MARK: Interrupts

static void (*_Atomic stop)(void *);
static void *_Atomic stop_context;
static atomic_int interrupts;
/// The action of an interrupt before they were caught.
static struct sigaction before_interrupts = {.sa_handler = SIG_DFL};

/// A second one ends the process: by the handler from before, which may have something to clean up.
static void on_interrupt(int signal) {
  if (atomic_fetch_add(&interrupts, 1) >= 1) {
    give_back();
    void (*handler)(int) = before_interrupts.sa_handler;
    if (handler == SIG_DFL || handler == SIG_IGN) _exit(130);
    sigaction(signal, &before_interrupts, NULL);
    raise(signal);
    return;
  }
  tell('i');
  void (*function)(void *) = atomic_load(&stop);
  if (function) function(atomic_load(&stop_context));
}

static void catch_signal(int signal, void (*handler)(int), int flags) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, NULL);
}

void line_interrupts_to(void (*function)(void *), void *context) {
  atomic_store(&stop, NULL);
  atomic_store(&stop_context, context);
  atomic_store(&stop, function);
}

void line_interrupts_reset(void) {
  atomic_store(&interrupts, 0);
  while (line_signals_next()) continue;
}
int line_interrupts_seen(void) { return atomic_load(&interrupts); }

static bool is_catching;

void line_interrupts_catch(void) {
  if (!is_catching) sigaction(SIGINT, NULL, &before_interrupts);
  is_catching = true;
  open_pipe();
  catch_signal(SIGINT, on_interrupt, SA_RESTART);
}

void line_interrupts_pause(bool paused) {
  if (paused) catch_signal(SIGINT, SIG_IGN, 0);
  else catch_signal(SIGINT, is_catching ? on_interrupt : SIG_DFL, SA_RESTART);
}

// An interrupt that comes before the wait begins is in the pipe, and so never missed.
bool line_wait_for_input(void) {
  for (;;) {
    struct pollfd ready[2] = {
      {.fd = STDIN_FILENO, .events = POLLIN},
      {.fd = ends[0], .events = POLLIN},
    };
    if (poll(ready, 2, -1) < 0 && errno != EINTR) return true;
    for (char what; (what = line_signals_next());) {
      if (what == 'i') return false;
    }
    if (ready[0].revents) return true;
  }
}

// MARK: The display

static void on_resize(int signal) {
  (void)signal;
  tell('r');
}

static void on_continue(int signal) {
  (void)signal;
  tell('c');
}

/// The actions of signals that end the process, before the editor was opened.
static struct sigaction before[NSIG];

/// Restores the terminal, then raises the signal again with the action that it had before.
static void on_end(int signal) {
  give_back();
  sigaction(signal, &before[signal], NULL);
  raise(signal);
}

/// An ignored signal stays ignored.
static void catch_end(int signal) {
  struct sigaction now;
  if (sigaction(signal, NULL, &now) != 0 || now.sa_handler == SIG_IGN) return;
  if (now.sa_handler == on_end) return;  // the editor was open before
  before[signal] = now;
  catch_signal(signal, on_end, 0);
}

void line_signals_open(void) {
  open_pipe();
  atomic_store(&has_settings, tcgetattr(STDIN_FILENO, &settings) == 0);
  static const int ending[] = {SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ};
  for (unsigned i = 0; i < sizeof ending / sizeof *ending; i++) catch_end(ending[i]);
  catch_signal(SIGWINCH, on_resize, SA_RESTART);
  catch_signal(SIGCONT, on_continue, SA_RESTART);
}
