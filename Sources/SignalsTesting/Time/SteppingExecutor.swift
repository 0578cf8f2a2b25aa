// The queue of one actor.
//
// State: `jobs`, the ready jobs in order; `isRunning`, whether the queue is being run; `waiters`,
// the callers that wait until a number of jobs have run or none is left; `isResuming`, set while
// one of them is resumed, because its job goes before all others.
//
// That job is enqueued by the thread that runs the jobs, during the call that resumes the waiter.
// Jobs enqueued by other threads at the same time go to the end. All jobs run on `queue`, which
// lets a thread determine whether it is the one that runs them.

internal import Dispatch
internal import Signals

/// Runs the work of one actor, and nonisolated work, one job after the other.
final class SteppingExecutor: SerialExecutor, TaskExecutor {
  private struct Waiter {
    var ran = 0
    let count: Int
    let continuation: CheckedContinuation<Int, Never>
  }

  private struct State {
    var jobs: [UnownedJob] = []
    var isRunning = false
    var isResuming = false
    var waiters: [Waiter] = []
  }

  private static let running = DispatchSpecificKey<ObjectIdentifier>()

  private let state = Locked(State())
  private let queue = DispatchQueue(label: "Signals: a stepping actor")

  init() { queue.setSpecific(key: Self.running, value: ObjectIdentifier(self)) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isHere = DispatchQueue.getSpecific(key: Self.running) == ObjectIdentifier(self)
    let starts = state.withLock { state in
      if isHere, state.isResuming {
        state.jobs.insert(job, at: 0)
        state.isResuming = false
      } else {
        state.jobs.append(job)
      }
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if starts { queue.async { self.run() } }
  }

  func wait(for count: Int, _ continuation: CheckedContinuation<Int, Never>) {
    state.withLock { $0.waiters.append(Waiter(count: count, continuation: continuation)) }
  }

  private func run() {
    while let job = next() {
      // All jobs run one by one, including nonisolated ones.
      unsafe job.runSynchronously(
        isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
      state.withLock { state in
        for index in state.waiters.indices { state.waiters[index].ran += 1 }
      }
    }
  }

  /// Returns the job to run now.
  ///
  /// Waiters whose number of jobs has run are resumed first.
  private func next() -> UnownedJob? {
    while true {
      let (job, waiter) = state.withLock { state -> (UnownedJob?, Waiter?) in
        let isDone = { (waiter: Waiter) in waiter.ran > waiter.count || state.jobs.isEmpty }
        if let index = state.waiters.firstIndex(where: isDone) {
          state.isResuming = true
          return (nil, state.waiters.remove(at: index))
        }
        if state.jobs.isEmpty {
          state.isRunning = false
          return (nil, nil)
        }
        return (state.jobs.removeFirst(), nil)
      }
      // The waiter's own job, which ended when it began to wait, doesn't count.
      if let waiter { waiter.continuation.resume(returning: waiter.ran - 1) } else { return job }
    }
  }
}
