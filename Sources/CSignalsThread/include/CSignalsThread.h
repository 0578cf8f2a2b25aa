#ifndef SIGNALS_THREAD_H
#define SIGNALS_THREAD_H

#include <stdbool.h>
#include <stdint.h>

/// What Signals keeps for each thread. A graph may hop threads with its actor, but never in the
/// middle of a synchronous call, and both pointers are set and reset within one.
struct signals_thread {
  /// The observer whose evaluation is running: every tracked read links to it. Null: nobody reads.
  void *_Nullable reader;
  /// The turn under way (batch depth, queues), made on the thread's first write and then kept.
  void *_Nullable turn;
  /// What `reader` is while nothing reads. Null, but for the time in which a property is being changed: then
  /// every read has to be checked, and this is a reader that stands for none.
  void *_Nullable idle_reader;
  /// Below this address half of the stack is used.
  uintptr_t stack_half;
  /// Below this address the stack is as good as full.
  uintptr_t stack_end;
};

// Found without a call, also from a shared library, where the loader can place it at the start; and an
// address that needs no register across a loop.
#if defined(__ELF__)
#define SIGNALS_THREAD_MODEL __attribute__((tls_model("initial-exec")))
#else
#define SIGNALS_THREAD_MODEL
#endif

extern _Thread_local struct signals_thread signals_thread_storage SIGNALS_THREAD_MODEL;

/// Returns this thread's pair; inline, so that asking "is anybody reading?" is one load.
static inline struct signals_thread *_Nonnull signals_thread_current(void) {
  return &signals_thread_storage;
}

/// Learns where this thread's stack ends: both limits start above every address.
void signals_thread_measure_stack(void);

/// Whether more than half of this thread's stack is used.
static inline bool signals_stack_is_deep(void) {
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  if (__builtin_expect(here >= signals_thread_storage.stack_half, 1)) return false;
  if (signals_thread_storage.stack_half == UINTPTR_MAX) signals_thread_measure_stack();
  return here < signals_thread_storage.stack_half;
}

/// Whether there is no room on this thread's stack for one more evaluation.
static inline bool signals_stack_is_full(void) {
  return signals_stack_is_deep() &&
         (uintptr_t)__builtin_frame_address(0) < signals_thread_storage.stack_end;
}

/// Returns the observer that is reading on this thread.
///
/// Pure, so that the compiler knows that asking releases nothing: a read of a field that nobody tracks
/// then needs no reference counting.
__attribute__((pure)) static inline void *_Nullable signals_reader(void) {
  return signals_thread_storage.reader;
}

/// Whether a property is being changed on this thread: code of the user's runs in the middle of it.
static inline bool signals_is_changing_property(void) {
  return __builtin_expect(signals_thread_storage.idle_reader != 0, 0);
}

/// Stores the thread's turn and has `destroy` called with it when the thread ends.
void signals_thread_keep_turn(void *_Nonnull turn, void (*_Nonnull destroy)(void *_Nullable));

/// Tells the thread sanitizer, where there is one, that this thread has the lock `address` and what was
/// done under it before.
void signals_did_lock(const void *_Nonnull address);

/// Tells the thread sanitizer, where there is one, that this thread is about to give the lock `address` back.
void signals_will_unlock(const void *_Nonnull address);

/// Nanoseconds since 1970 by the system's wall clock.
int64_t signals_wall_clock_nanoseconds(void);

/// Writes a message to standard error.
void signals_write_error(const char *_Nonnull text, unsigned long length);

#endif
