#define _GNU_SOURCE
#include "CSignalsThread.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

_Thread_local struct signals_thread signals_thread_storage = {
    .stack_half = UINTPTR_MAX,
    .stack_end = UINTPTR_MAX,
};

/// The stack space reserved for user code and for the message of a trap.
static const uintptr_t reserve = 48 * 1024;

void signals_thread_measure_stack(void) {
  uintptr_t bottom = 0;
  size_t size = 0;
#if defined(__APPLE__)
  pthread_t self = pthread_self();
  size = pthread_get_stacksize_np(self);
  bottom = (uintptr_t)pthread_get_stackaddr_np(self) - size;
#elif defined(__linux__)
  pthread_attr_t attributes;
  void *address = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstack(&attributes, &address, &size);
    pthread_attr_destroy(&attributes);
  }
  bottom = (uintptr_t)address;
#endif
  // If the system doesn't report the stack's bounds, both limits are 0 and nothing is checked.
  signals_thread_storage.stack_half = bottom + size / 2;
  signals_thread_storage.stack_end = bottom == 0 ? 0 : bottom + reserve;
}

static pthread_key_t scheduler_key;
static pthread_once_t scheduler_key_once = PTHREAD_ONCE_INIT;
static void (*destroy_scheduler)(void *);

static void scheduler_ended(void *scheduler) {
  signals_thread_storage.scheduler = 0;
  __atomic_load_n(&destroy_scheduler, __ATOMIC_RELAXED)(scheduler);
}

static void make_scheduler_key(void) { pthread_key_create(&scheduler_key, scheduler_ended); }

void signals_thread_keep_scheduler(void *scheduler, void (*destroy)(void *)) {
  // The function is the same on each call. The store is atomic because threads may start
  // concurrently.
  __atomic_store_n(&destroy_scheduler, destroy, __ATOMIC_RELAXED);
  pthread_once(&scheduler_key_once, make_scheduler_key);
  pthread_setspecific(scheduler_key, scheduler);
  signals_thread_storage.scheduler = scheduler;
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SIGNALS_THREAD_SANITIZER 1
#endif
#endif

#if SIGNALS_THREAD_SANITIZER
void __tsan_acquire(void *address);
void __tsan_release(void *address);
void signals_did_lock(uintptr_t address) { __tsan_acquire((void *)address); }
void signals_will_unlock(uintptr_t address) { __tsan_release((void *)address); }
#else
void signals_did_lock(uintptr_t address) { (void)address; }
void signals_will_unlock(uintptr_t address) { (void)address; }
#endif

void signals_write_error(const char *text, unsigned long length) {
  fwrite(text, 1, length, stderr);
}

int64_t signals_wall_clock_nanoseconds(void) {
  struct timespec now = {0};
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
