// The queue of one actor.
//
// State: `jobs` that are ready, in order; `isRunning`, whether somebody runs them; `waiters`, who
// want to know when so many more have run, or none is left; `isResuming` while one of them is made
// ready, whose job goes before others.
//
// That job is enqueued by the thread that runs the jobs, while it resumes; what other threads
// enqueue meanwhile goes behind. All jobs run on `queue`, so that a thread can tell whether it is
// the one.

internal import Dispatch
internal import Signals

/// Runs the work of one actor, and what has no actor, one piece after the other.
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
      // All of it is run one by one, also what has no actor.
      unsafe job.runSynchronously(
        isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
      state.withLock { state in
        for index in state.waiters.indices { state.waiters[index].ran += 1 }
      }
    }
  }

  /// The job to run now; whoever has waited long enough is made ready first.
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
      // Its own piece of work, which ended when it began to wait, is none that it waited for.
      if let waiter { waiter.continuation.resume(returning: waiter.ran - 1) } else { return job }
    }
  }
}
