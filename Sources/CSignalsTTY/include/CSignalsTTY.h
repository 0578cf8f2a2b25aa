#ifndef SIGNALS_TTY_H
#define SIGNALS_TTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The terminal of the process, and the signals that concern it. C, because what runs in a signal handler may only do
// what is async-signal-safe, and Swift does not promise that of any of its code.

/// Takes the terminal: keeps its settings, sets it to raw, writes `enter`, and installs handlers that write the numbers
/// of signals to `wake`. `leave` (at most 256 bytes) is what has to be written when it is given back. Returns 0 or an
/// `errno`; EBUSY if the process has a terminal taken already.
int signals_tty_take(int input, int output, int wake, const char *_Nonnull enter, size_t enter_length,
                     const char *_Nonnull leave, size_t leave_length);

/// Gives the terminal back as it was; nothing happens if it is not taken.
void signals_tty_give_back(void);

/// Gives the terminal back, stops the process until it is continued, and takes the terminal again.
void signals_tty_suspend(void);

/// Sets a terminal that is taken to raw once more, and writes `enter`: others may have changed it.
void signals_tty_refresh(void);

/// The app takes notice of what is told to it: another signal or key that asks it to end does not end it at once.
void signals_tty_did_hear(void);

/// The key that interrupts was pressed; the third time in a row that the app takes no notice ends the process.
void signals_tty_note_interrupt(void);

/// Sends a signal to the process itself.
void signals_tty_raise(int signal);

/// 0 if both are terminals, 1 if the input is none, 2 if the output is none.
int signals_tty_problem(int input, int output);

/// Tells the size of a terminal; false if it has none.
bool signals_tty_size(int output, int *_Nonnull width, int *_Nonnull height);

/// Makes a pipe that no child inherits and no writer waits for; returns 0 or an `errno`.
int signals_tty_pipe(int *_Nonnull reader, int *_Nonnull writer);

void signals_tty_close(int file);

/// Waits until there is something to read: 1 from `input`, 2 from `wake`, 3 from both, 0 if `milliseconds` are over (they
/// never are if negative).
int signals_tty_wait(int input, int wake, int milliseconds);

/// Reads what is there; `signals_tty_end` if nothing comes any more, `signals_tty_not_now` if others have the terminal.
long signals_tty_read(int file, uint8_t *_Nonnull bytes, size_t count);

/// What a read answers but a count.
enum {
  signals_tty_end = -1,
  signals_tty_not_now = -2,
};

/// The byte that the backspace key sends, as the terminal that is taken was set.
uint8_t signals_tty_erase(void);

/// Writes all; returns 0 or an `errno`.
int signals_tty_write(int file, const uint8_t *_Nonnull bytes, size_t count);

/// Runs `body` on a thread of its own, which gets no signals; returns null if there is none to be had.
void *_Nullable signals_tty_start(void (*_Nonnull body)(void *_Nonnull), void *_Nonnull context);

/// Waits for the end of a thread.
void signals_tty_join(void *_Nonnull thread);

/// Milliseconds of a clock that nobody sets.
int64_t signals_tty_milliseconds(void);

/// The value of an environment variable; null if it is not set.
const char *_Nullable signals_tty_environment(const char *_Nonnull name);

/// The numbers of signals, by name.
enum {
  signals_tty_continued = 1,
  signals_tty_resized,
  signals_tty_stop,
  signals_tty_hangup,
  signals_tty_interrupt,
  signals_tty_terminate,
};

/// What a byte from `wake` is: one of the names above, or 0 for something else.
int signals_tty_name(uint8_t byte);

#endif
