// From a publisher to an `AsyncSequence`.
//
// A mailbox stays on the consumer's isolation domain. Only `WakeUp` crosses domains: the code that
// cancels the consumer's task wakes the task up, from any thread.

/// The policy for values that an asynchronous sequence has received and its iterator has not taken.
public enum BufferingPolicy: Sendable, Hashable {
  /// Keeps all values, and loses none.
  case unbounded
  /// Keeps this many of the newest values and drops older ones; `newest(1)` is the latest value,
  /// coalesced.
  case newest(Int)
  /// Keeps this many of the oldest values; newer ones are dropped while the buffer is full.
  case oldest(Int)
}

/// The values of a publisher as an asynchronous sequence; see ``Publisher/values(buffering:)``.
public struct AsyncValues<Element, Failure: Error>: AsyncSequence {
  let subscribe: (Mailbox<Element, Failure>) -> any Cancellable
  let buffering: BufferingPolicy

  /// Subscribes; values sent from now on are buffered for this iterator.
  ///
  /// - Returns: The iterator, whose release ends the subscription.
  public func makeAsyncIterator() -> AsyncIterator {
    let mailbox = Mailbox<Element, Failure>(buffering)
    return AsyncIterator(mailbox: mailbox, token: subscribe(mailbox))
  }

  /// Takes values one by one; its release ends the subscription.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let mailbox: Mailbox<Element, Failure>
    let token: any Cancellable

    /// Returns the next value; nil at the end, or once the task is cancelled.
    ///
    /// - Parameter actor: The actor of the caller; leave it to the compiler.
    /// - Returns: The value, or nil at the end.
    /// - Throws: The failure of the publisher.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Failure) -> Element? {
      while true {
        if Task.isCancelled {
          token.cancel()
          mailbox.close()
        }
        if let value = mailbox.take() { return value }
        switch mailbox.completion {
        case .finished: return nil
        case .failure(let error):
          mailbox.close()
          throw error
        case nil: await mailbox.wakeUp.wait()
        }
      }
    }

    /// Returns the next value; nil at the end, or once the task is cancelled.
    ///
    /// - Returns: The value, or nil at the end.
    /// - Throws: The failure of the publisher.
    public mutating func next() async throws(Failure) -> Element? {
      try await next(isolation: #isolation)
    }
  }
}

/// Stores the values that an iterator has not taken.
final class Mailbox<Input, Failure: Error> {
  private let buffering: BufferingPolicy
  /// The values that the iterator hasn't taken.
  private var buffer = Queue<Input>()
  /// The completion, to be delivered after the values.
  private(set) var completion: Completion<Failure>?
  let wakeUp = WakeUp()

  init(_ buffering: BufferingPolicy) { self.buffering = buffering }

  func receive(_ value: Input) {
    switch buffering {
    case .unbounded: break
    case .newest(let count): if buffer.count == count { _ = take() }
    case .oldest(let count): if buffer.count == count { return }
    }
    buffer.append(value)
    wakeUp.signal()
  }

  func finish(_ completion: Completion<Failure>) {
    self.completion = completion
    wakeUp.signal()
  }

  func take() -> Input? { buffer.popFirst() }

  /// Drops the remaining values, and ends the sequence.
  func close() {
    buffer = Queue()
    completion = .finished
  }
}

/// Lets one task wait for a signal from any thread; an earlier signal is kept.
final class WakeUp: Sendable {
  private enum State {
    case idle, signaled
    case waiting(CheckedContinuation<Void, Never>)
  }

  private let state = Locked(State.idle)

  func signal() {
    let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if case .waiting(let continuation) = state {
        state = .idle
        return continuation
      }
      state = .signaled
      return nil
    }
    waiting?.resume()
  }

  /// Waits for a signal, or for the cancellation of the task.
  nonisolated(nonsending) func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isSignaled = state.withLock { state in
          switch state {
          case .idle:
            state = .waiting(continuation)
            return false
          case .signaled:
            state = .idle
            return true
          case .waiting: trap("values(buffering:): two tasks wait for one iterator")
          }
        }
        if isSignaled { continuation.resume() }
      }
    } onCancel: {
      signal()
    }
  }
}

extension Publisher {
  /// Returns the values as an asynchronous sequence, with a buffering policy for values that
  /// haven't been taken yet.
  ///
  /// - Each iterator subscribes when it is created, and ends the subscription when it is released.
  /// - `.unbounded` loses nothing; `.newest(1)` gives the latest value each time.
  /// - A failure is thrown after all values sent before it have been taken.
  /// - When the task is cancelled, the next value is nil, immediately.
  ///
  /// It must be iterated in the isolation domain of the publisher, because it isn't Sendable. An
  /// iterator is for one task; a second task that waits for a copy of it traps.
  ///
  /// ```swift
  /// for await count in total.publisher.values(buffering: .newest(1)) { print(count) }
  /// ```
  ///
  /// - Parameter buffering: The policy; a count below 1 traps.
  /// - Returns: The sequence.
  public func values(buffering: BufferingPolicy) -> AsyncValues<Output, Failure> {
    switch buffering {
    case .newest(let count), .oldest(let count):
      if count < 1 { trap("values(buffering: \(buffering)): a buffer needs room for one") }
    case .unbounded: break
    }
    return AsyncValues(
      subscribe: { mailbox in
        sink(receiveCompletion: { mailbox.finish($0) }, receiveValue: { mailbox.receive($0) })
      }, buffering: buffering)
  }
}
