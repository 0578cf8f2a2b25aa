// The terminal of the process. State, who may access it, and why that is safe:
//
// - `terminal` is written by `signals_tty_take` before `is_taken` is set and before any handler is
//   installed, and not again until `is_taken` is cleared. Taking and giving back run on the thread
//   that runs the app. Handlers only read it, and only after they have seen `is_taken` set. So no
//   handler sees it partially written.
// - `is_taken`, `listening`, `active_handlers`, `has_unacknowledged_signal` and `unacknowledged_keys` are lock-free atomics. The code that
//   clears `is_taken` restores the terminal, so it is restored only once. `listening` is set while
//   handlers may write to `wake`, and `active_handlers` is the number of handlers that check or do so.
//   `uninstall_all` clears `listening` and waits until `active_handlers` is 0, so that no handler writes to
//   a closed file.
// - Handlers call only write, tcsetattr, tcflush, fcntl, sigaction, sigemptyset, raise and poll,
//   which POSIX.1-2024 lists as async-signal-safe, and they preserve errno. They allocate nothing,
//   take no lock and run no Swift.
// - Code that ends the process never waits for a terminal that accepts no output: see `write_soon`.
// - A handler runs with all signals blocked (`sa_mask` is full). So no handler interrupts another,
//   and tcsetattr in a background process doesn't stop it in the middle of a crash.

#define _GNU_SOURCE
#define _DARWIN_C_SOURCE
#include "CSignalsTTY.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static struct {
  struct termios cooked;
  struct termios raw;
  int input;
  int output;
  int wake;
  char enter[256];
  size_t enter_length;
  char leave[256];
  size_t leave_length;
} terminal;

static atomic_int is_taken;
static atomic_int listening;
static atomic_int active_handlers;
// Set while a signal that asks the app to end is unacknowledged.
static atomic_int has_unacknowledged_signal;
// The number of unacknowledged keys that ask the app to end.
static atomic_int unacknowledged_keys;

static const int requests[] = {SIGINT, SIGTERM, SIGHUP};
static const int notices[] = {SIGWINCH, SIGTSTP, SIGCONT};
static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGQUIT, SIGSYS};
// The other signals that end a process that has no handler for them.
static const int endings[] = {
  SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ,
#ifdef SIGPOLL
  SIGPOLL,
#endif
#ifdef SIGPWR
  SIGPWR,
#endif
#ifdef SIGSTKFLT
  SIGSTKFLT,
#endif
};
#define COUNT(array) (sizeof(array) / sizeof(*(array)))
static struct sigaction old_requests[COUNT(requests)];
static struct sigaction old_notices[COUNT(notices)];
static struct sigaction old_crashes[COUNT(crashes)];
static struct sigaction old_endings[COUNT(endings)];
static struct sigaction old_pipe;

int signals_tty_write(int file, const uint8_t *bytes, size_t count) {
  while (count > 0) {
    ssize_t written = write(file, bytes, count);
    if (written >= 0) {
      bytes += written;
      count -= (size_t)written;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      struct pollfd waiting = {.fd = file, .events = POLLOUT};
      poll(&waiting, 1, 1000);
      if (waiting.revents & (POLLERR | POLLHUP | POLLNVAL)) return EPIPE;
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

// Writes all bytes, or as many as the terminal accepts, because it may have stopped accepting
// output. After half a second without progress it discards the pending output and tries once more
// to write what fits. Async-signal-safe.
static void write_soon(int file, const char *bytes, size_t count) {
  int flags = fcntl(file, F_GETFL);
  if (flags != -1) fcntl(file, F_SETFL, flags | O_NONBLOCK);
  const int most = 5;
  int patience = most;
  while (count > 0 && patience >= 0) {
    ssize_t written = write(file, bytes, count);
    if (written > 0) {
      bytes += written;
      count -= (size_t)written;
      patience = most;
      continue;
    }
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno != EAGAIN && errno != EWOULDBLOCK) break;
    struct pollfd waiting = {.fd = file, .events = POLLOUT};
    if (poll(&waiting, 1, 100) > 0 && waiting.revents & (POLLERR | POLLHUP | POLLNVAL)) break;
    if (--patience == 0) tcflush(file, TCOFLUSH);
  }
  if (flags != -1) fcntl(file, F_SETFL, flags);
}

// Async-signal-safe with `TCSANOW`, which doesn't wait.
static void restore(int action) {
  if (!atomic_exchange(&is_taken, 0)) return;
  if (action == TCSANOW) {
    write_soon(terminal.output, terminal.leave, terminal.leave_length);
  } else {
    signals_tty_write(terminal.output, (const uint8_t *)terminal.leave, terminal.leave_length);
  }
  tcsetattr(terminal.input, action, &terminal.cooked);
}

static void default_action(int signal) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = SIG_DFL;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, 0);
}

static void wake(int signal) {
  atomic_fetch_add(&active_handlers, 1);
  if (atomic_load(&listening)) {
    uint8_t byte = (uint8_t)signal;
    ssize_t ignored = write(terminal.wake, &byte, 1);
    (void)ignored;
  }
  atomic_fetch_sub(&active_handlers, 1);
}

static void on_request(int signal) {
  int saved = errno;
  if (atomic_exchange(&has_unacknowledged_signal, 1) && signal != SIGHUP) {
    // The app hasn't acknowledged the first request: it hangs.
    restore(TCSANOW);
    default_action(signal);
    raise(signal);
  } else {
    wake(signal);
  }
  errno = saved;
}

static void on_notice(int signal) {
  int saved = errno;
  wake(signal);
  errno = saved;
}

static void on_crash(int signal, siginfo_t *info, void *context) {
  int saved = errno;
  (void)context;
  restore(TCSANOW);
  for (size_t i = 0; i < COUNT(crashes); i++) {
    if (crashes[i] == signal) sigaction(signal, &old_crashes[i], 0);
  }
  for (size_t i = 0; i < COUNT(endings); i++) {
    if (endings[i] == signal) sigaction(signal, &old_endings[i], 0);
  }
  // A fault recurs when the handler returns. A breakpoint or a signal that was sent doesn't, so it
  // is raised again.
  bool is_fault = signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE;
  if (!is_fault || info->si_code <= 0) raise(signal);
  errno = saved;
}

static void at_exit(void) { restore(TCSANOW); }

// Installs a handler for each signal for which `is_wanted` returns true, and keeps the old ones.
static void install(const int *signals, size_t count, struct sigaction *old,
                    const struct sigaction *action, bool (*is_wanted)(int, const struct sigaction *)) {
  for (size_t i = 0; i < count; i++) {
    sigaction(signals[i], 0, &old[i]);
    if (is_wanted(signals[i], &old[i])) sigaction(signals[i], action, 0);
  }
}

static bool unless_ignored(int signal, const struct sigaction *old) {
  (void)signal;
  return old->sa_handler != SIG_IGN;
}

// A fault ends the process even if its signal is ignored.
static bool unless_harmless(int signal, const struct sigaction *old) {
  return signal != SIGQUIT || old->sa_handler != SIG_IGN;
}

static bool if_deadly(int signal, const struct sigaction *old) {
  (void)signal;
  return old->sa_handler == SIG_DFL;
}

static void install_all(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  sigfillset(&action.sa_mask);
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  action.sa_handler = on_request;
  install(requests, COUNT(requests), old_requests, &action, unless_ignored);
  action.sa_handler = on_notice;
  install(notices, COUNT(notices), old_notices, &action, unless_ignored);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, &old_pipe);
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  action.sa_sigaction = on_crash;
  install(crashes, COUNT(crashes), old_crashes, &action, unless_harmless);
  install(endings, COUNT(endings), old_endings, &action, if_deadly);
}

// A handler that other code has installed since stays.
static void uninstall(const int *signals, size_t count, const struct sigaction *old) {
  for (size_t i = 0; i < count; i++) {
    struct sigaction present;
    sigaction(signals[i], 0, &present);
    if (present.sa_handler == on_request || present.sa_handler == on_notice
        || present.sa_sigaction == on_crash) {
      sigaction(signals[i], &old[i], 0);
    }
  }
}

static void uninstall_all(void) {
  uninstall(requests, COUNT(requests), old_requests);
  uninstall(notices, COUNT(notices), old_notices);
  uninstall(crashes, COUNT(crashes), old_crashes);
  uninstall(endings, COUNT(endings), old_endings);
  sigaction(SIGPIPE, &old_pipe, 0);
  atomic_store(&listening, 0);
  while (atomic_load(&active_handlers) > 0) sched_yield();
}

// A stack overflow can only be handled on another stack.
static void provide_stack(void) {
  static char memory[64 * 1024];
  stack_t present;
  if (sigaltstack(0, &present) != 0 || !(present.ss_flags & SS_DISABLE)) return;
  stack_t stack;
  memset(&stack, 0, sizeof stack);
  stack.ss_sp = memory;
  stack.ss_size = sizeof memory;
  sigaltstack(&stack, 0);
}

// In the background, tcsetattr stops the process until it is in the foreground. The signal for this
// is unblocked first, because the threads of a pool block it. Otherwise the call would change the
// terminal of the foreground process.
static int enter(void) {
  sigset_t one, old;
  sigemptyset(&one);
  sigaddset(&one, SIGTTOU);
  pthread_sigmask(SIG_UNBLOCK, &one, &old);
  int error;
  do {
    error = tcsetattr(terminal.input, TCSADRAIN, &terminal.raw) == 0 ? 0 : errno;
  } while (error == EINTR);
  pthread_sigmask(SIG_SETMASK, &old, 0);
  if (error != 0) return error;
  return signals_tty_write(terminal.output, (const uint8_t *)terminal.enter, terminal.enter_length);
}

int signals_tty_take(int input, int output, int wake, const char *enter_text, size_t enter_length,
                     const char *leave_text, size_t leave_length) {
  static atomic_int is_registered;
  if (enter_length > sizeof terminal.enter || leave_length > sizeof terminal.leave) return E2BIG;
  if (atomic_load(&is_taken)) return EBUSY;
  if (tcgetattr(input, &terminal.cooked) != 0) return errno;
  terminal.raw = terminal.cooked;
  terminal.raw.c_iflag &= ~(tcflag_t)(BRKINT | ICRNL | INLCR | IGNCR | INPCK | ISTRIP | IXON | PARMRK);
  terminal.raw.c_oflag &= ~(tcflag_t)OPOST;
  terminal.raw.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | IEXTEN | ISIG);
  terminal.raw.c_cflag |= CS8;
  terminal.raw.c_cc[VMIN] = 1;
  terminal.raw.c_cc[VTIME] = 0;
  terminal.input = input;
  terminal.output = output;
  terminal.wake = wake;
  memcpy(terminal.enter, enter_text, enter_length);
  terminal.enter_length = enter_length;
  memcpy(terminal.leave, leave_text, leave_length);
  terminal.leave_length = leave_length;
  signals_tty_acknowledge();
  atomic_store(&is_taken, 1);
  atomic_store(&listening, 1);
  provide_stack();
  install_all();
  if (!atomic_exchange(&is_registered, 1)) atexit(at_exit);
  int error = enter();
  if (error != 0) signals_tty_give_back();
  return error;
}

void signals_tty_give_back(void) {
  if (!atomic_load(&is_taken)) return;
  // Input that was typed but not read is discarded.
  restore(TCSAFLUSH);
  uninstall_all();
}

void signals_tty_refresh(void) {
  if (atomic_load(&is_taken)) enter();
}

// Raises a signal on this thread, even if the thread blocks it, as the threads of a pool do.
static void raise_now(int signal) {
  sigset_t one, old;
  sigemptyset(&one);
  sigaddset(&one, signal);
  pthread_sigmask(SIG_UNBLOCK, &one, &old);
  raise(signal);
  pthread_sigmask(SIG_SETMASK, &old, 0);
}

void signals_tty_suspend(void) {
  if (!atomic_load(&is_taken)) return;
  restore(TCSADRAIN);
  struct sigaction own;
  sigaction(SIGTSTP, 0, &own);
  default_action(SIGTSTP);
  // Raised on this thread, so that it stops and continues exactly here.
  raise_now(SIGTSTP);
  sigaction(SIGTSTP, &own, 0);
  // The shell may have changed the cooked settings.
  struct termios now;
  if (tcgetattr(terminal.input, &now) == 0) terminal.cooked = now;
  atomic_store(&is_taken, 1);
  enter();
}

void signals_tty_acknowledge(void) {
  atomic_store(&has_unacknowledged_signal, 0);
  atomic_store(&unacknowledged_keys, 0);
}

void signals_tty_note_interrupt(void) {
  if (atomic_fetch_add(&unacknowledged_keys, 1) < 2) return;
  restore(TCSANOW);
  default_action(SIGINT);
  kill(getpid(), SIGINT);
}

void signals_tty_raise(int signal) {
  if (signal == signals_tty_interrupt) raise_now(SIGINT);
  if (signal == signals_tty_terminate) raise_now(SIGTERM);
  if (signal == signals_tty_hangup) raise_now(SIGHUP);
}

int signals_tty_problem(int input, int output) {
  if (!isatty(input)) return 1;
  return isatty(output) ? 0 : 2;
}

bool signals_tty_size(int output, int *width, int *height) {
  struct winsize size;
  if (ioctl(output, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return false;
  *width = size.ws_col;
  *height = size.ws_row;
  return true;
}

int signals_tty_pipe(int *reader, int *writer) {
  int ends[2];
  if (pipe(ends) != 0) return errno;
  for (int i = 0; i < 2; i++) {
    fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    fcntl(ends[i], F_SETFL, O_NONBLOCK);
  }
  *reader = ends[0];
  *writer = ends[1];
  return 0;
}

void signals_tty_close(int file) { close(file); }

int signals_tty_wait(int input, int wake, int milliseconds) {
  struct pollfd files[2] = {{.fd = input, .events = POLLIN}, {.fd = wake, .events = POLLIN}};
  int count = poll(files, 2, milliseconds);
  if (count <= 0) return 0;
  return (files[0].revents ? 1 : 0) | (files[1].revents ? 2 : 0);
}

long signals_tty_read(int file, uint8_t *bytes, size_t count) {
  ssize_t result;
  do {
    result = read(file, bytes, count);
  } while (result < 0 && errno == EINTR);
  if (result > 0) return result;
  if (result == 0) return signals_tty_end;
  if (errno == EAGAIN || errno == EWOULDBLOCK) return signals_tty_not_now;
  // Another process group has the terminal at the moment.
  if (errno == EIO) {
    pid_t owner = tcgetpgrp(file);
    if (owner > 0 && owner != getpgrp()) return signals_tty_not_now;
  }
  return signals_tty_end;
}

uint8_t signals_tty_erase(void) { return terminal.cooked.c_cc[VERASE]; }

struct thread {
  pthread_t handle;
  void (*body)(void *);
  void *context;
};

static void *run(void *argument) {
  struct thread *thread = argument;
  thread->body(thread->context);
  return 0;
}

void *signals_tty_start(void (*body)(void *), void *context) {
  struct thread *thread = malloc(sizeof *thread);
  if (!thread) return 0;
  thread->body = body;
  thread->context = context;
  sigset_t all, old;
  sigfillset(&all);
  // Faults are delivered to the thread that causes them, so they stay unblocked.
  for (size_t i = 0; i < COUNT(crashes); i++) sigdelset(&all, crashes[i]);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  int error = pthread_create(&thread->handle, 0, run, thread);
  pthread_sigmask(SIG_SETMASK, &old, 0);
  if (error == 0) return thread;
  free(thread);
  return 0;
}

void signals_tty_join(void *argument) {
  struct thread *thread = argument;
  pthread_join(thread->handle, 0);
  free(thread);
}

int64_t signals_tty_milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

const char *signals_tty_environment(const char *name) { return getenv(name); }

int signals_tty_name(uint8_t byte) {
  switch (byte) {
  case SIGCONT: return signals_tty_continued;
  case SIGWINCH: return signals_tty_resized;
  case SIGTSTP: return signals_tty_stop;
  case SIGHUP: return signals_tty_hangup;
  case SIGINT: return signals_tty_interrupt;
  case SIGTERM: return signals_tty_terminate;
  default: return 0;
  }
}
