#ifndef SIGNALS_THREAD_H
#define SIGNALS_THREAD_H

#include <stdbool.h>
#include <stdint.h>

/// The state that Signals keeps per thread. A graph may change threads with its actor, but never
/// during a synchronous call, and `reader` and `idle_reader` are set and reset within one.
struct signals_thread {
  /// The observer that is being evaluated. Each tracked read links to it. Null if there is none.
  void *_Nullable reader;
  /// The scheduler (batch depth, queues). Created by the thread's first write and then kept.
  void *_Nullable scheduler;
  /// The value of `reader` while nothing is evaluated. Null, except while a property is being
  /// changed: then every read must be checked, so this is a placeholder reader that represents no
  /// observer.
  void *_Nullable idle_reader;
  /// Below this address more than half of the stack is used.
  uintptr_t stack_half;
  /// Below this address the stack counts as full.
  uintptr_t stack_end;
};

// The variable is accessed without a call, also from a shared library, if the loader can allocate
// it at program start. Its address needs no register across a loop.
#if defined(__ELF__)
#define SIGNALS_THREAD_MODEL __attribute__((tls_model("initial-exec")))
#else
#define SIGNALS_THREAD_MODEL
#endif

extern _Thread_local struct signals_thread signals_thread_storage SIGNALS_THREAD_MODEL;

/// Returns this thread's state. Inline, so that testing for a reader is a single load.
static inline struct signals_thread *_Nonnull signals_thread_current(void) {
  return &signals_thread_storage;
}

/// Determines the bounds of this thread's stack. Until then both limits are above every address.
void signals_thread_measure_stack(void);

/// Returns whether more than half of this thread's stack is used.
static inline bool signals_stack_is_deep(void) {
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  if (__builtin_expect(here >= signals_thread_storage.stack_half, 1)) return false;
  if (signals_thread_storage.stack_half == UINTPTR_MAX) signals_thread_measure_stack();
  return here < signals_thread_storage.stack_half;
}

/// Returns whether this thread's stack has no room for another evaluation.
static inline bool signals_stack_is_full(void) {
  return signals_stack_is_deep() &&
         (uintptr_t)__builtin_frame_address(0) < signals_thread_storage.stack_end;
}

/// Returns the observer that is being evaluated on this thread.
///
/// Pure, so that the compiler knows that the call releases nothing. An untracked read of a field
/// then needs no reference counting.
__attribute__((pure)) static inline void *_Nullable signals_reader(void) {
  return signals_thread_storage.reader;
}

/// Returns whether a property is being changed on this thread. User code runs during such a change.
static inline bool signals_is_changing_property(void) {
  return __builtin_expect(signals_thread_storage.idle_reader != 0, 0);
}

/// Stores the thread's scheduler. `destroy` is called with it when the thread ends.
void signals_thread_keep_scheduler(void *_Nonnull scheduler, void (*_Nonnull destroy)(void *_Nullable));

/// Tells the thread sanitizer, if it is enabled, that this thread has acquired the lock `address`
/// and sees the effects of earlier critical sections.
void signals_did_lock(uintptr_t address);

/// Tells the thread sanitizer, if it is enabled, that this thread is about to release the lock
/// `address`.
void signals_will_unlock(uintptr_t address);

/// Returns the nanoseconds since 1970 by the system's wall clock.
int64_t signals_wall_clock_nanoseconds(void);

/// Writes a message to standard error.
void signals_write_error(const char *_Nonnull text, unsigned long length);

#endif
