#ifndef SIGNALS_TTY_H
#define SIGNALS_TTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The terminal of the process and the signals that concern it. Written in C because a signal
// handler may only run async-signal-safe code, which Swift doesn't guarantee for any of its code.

/// Takes the terminal: saves its settings, sets it to raw mode, writes `enter`, and installs
/// handlers that write signal numbers to `wake`. `leave` is written when the terminal is given
/// back. Both texts have at most 256 bytes. Returns 0 or an `errno`; EBUSY if the process has
/// already taken a terminal.
int signals_tty_take(int input, int output, int wake, const char *_Nonnull enter, size_t enter_length,
                     const char *_Nonnull leave, size_t leave_length);

/// Restores the terminal to its previous settings. Does nothing if it isn't taken.
void signals_tty_give_back(void);

/// Restores the terminal, stops the process until it is continued, and takes the terminal again.
void signals_tty_suspend(void);

/// Sets a taken terminal to raw mode again and writes `enter`, because other programs may have
/// changed it.
void signals_tty_refresh(void);

/// Acknowledges the requests to end so far. The next signal or key that asks the app to end doesn't
/// end the process immediately.
void signals_tty_acknowledge(void);

/// Records that the interrupt key was pressed. The third press in a row without acknowledgment ends
/// the process.
void signals_tty_note_interrupt(void);

/// Raises a signal on this thread, given as one of the `signals_tty_` numbers.
void signals_tty_raise(int signal);

/// Returns 0 if both files are terminals, 1 if the input isn't one, 2 if the output isn't one.
int signals_tty_problem(int input, int output);

/// Writes the size of a terminal to `width` and `height`. Returns false if it has no size.
bool signals_tty_size(int output, int *_Nonnull width, int *_Nonnull height);

/// Creates a non-blocking pipe that child processes don't inherit. Returns 0 or an `errno`.
int signals_tty_pipe(int *_Nonnull reader, int *_Nonnull writer);

void signals_tty_close(int file);

/// Waits for input. Returns 1 for `input`, 2 for `wake`, 3 for both, and 0 after `milliseconds`. A
/// negative number means no time limit.
int signals_tty_wait(int input, int wake, int milliseconds);

/// Reads the bytes available. Returns their number, `signals_tty_end` at the end of the input, or
/// `signals_tty_not_now` if another process group has the terminal or no input is available.
long signals_tty_read(int file, uint8_t *_Nonnull bytes, size_t count);

/// The results of a read other than a count.
enum {
  signals_tty_end = -1,
  signals_tty_not_now = -2,
};

/// Returns the byte that the backspace key sends, by the settings that the terminal had when it was
/// taken.
uint8_t signals_tty_erase(void);

/// Writes all bytes. Returns 0 or an `errno`.
int signals_tty_write(int file, const uint8_t *_Nonnull bytes, size_t count);

/// Runs `body` on a dedicated thread that receives no signals except its own faults. Returns null
/// if no thread can be created.
void *_Nullable signals_tty_start(void (*_Nonnull body)(void *_Nonnull), void *_Nonnull context);

/// Waits until a thread has ended and frees it.
void signals_tty_join(void *_Nonnull thread);

/// Returns the milliseconds of a monotonic clock.
int64_t signals_tty_milliseconds(void);

/// Returns the value of an environment variable, or null if it isn't set.
const char *_Nullable signals_tty_environment(const char *_Nonnull name);

/// Portable numbers for the signals that the app handles.
enum {
  signals_tty_continued = 1,
  signals_tty_resized,
  signals_tty_stop,
  signals_tty_hangup,
  signals_tty_interrupt,
  signals_tty_terminate,
};

/// Returns which signal a byte from `wake` represents: one of the numbers above, or 0 for any
/// other.
int signals_tty_name(uint8_t byte);

#endif
