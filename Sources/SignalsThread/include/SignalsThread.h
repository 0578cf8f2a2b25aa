#ifndef SIGNALS_THREAD_H
#define SIGNALS_THREAD_H

/// What Signals keeps for each thread. A graph may hop threads with its actor, but never in the
/// middle of a synchronous call, and both pointers are set and reset within one.
struct signals_thread {
  /// The observer whose evaluation is running: every tracked read links to it. Null: nobody reads.
  void *_Nullable reader;
  /// The turn under way (batch depth, queues), made on the thread's first write and then kept.
  void *_Nullable turn;
};

extern _Thread_local struct signals_thread signals_thread_storage;

/// Returns this thread's pair; inline, so that asking "is anybody reading?" is one load.
static inline struct signals_thread *_Nonnull signals_thread_current(void) {
  return &signals_thread_storage;
}

/// Stores the thread's turn and has `destroy` called with it when the thread ends.
void signals_thread_keep_turn(void *_Nonnull turn, void (*_Nonnull destroy)(void *_Nullable));

/// Writes a message to standard error.
void signals_write_error(const char *_Nonnull text, unsigned long length);

/// Returns how many bytes of this thread's stack are left below the caller.
unsigned long signals_stack_left(void);

#endif
