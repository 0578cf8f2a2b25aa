// From a publisher to an `AsyncSequence`.
//
// State of a mailbox, all on the consumer's isolation domain: `buffer`; `completion`;
// `token` of the subscription. What crosses domains is `WakeUp` alone: whoever cancels the consumer's
// task wakes it, from any thread.

/// What an asynchronous sequence does with values that nobody has taken yet.
public enum BufferingPolicy: Sendable, Hashable {
  /// Keeps all: none is lost.
  case unbounded
  /// Keeps the newest so many: older ones are lost; `newest(1)` is the latest value, coalesced.
  case newest(Int)
  /// Keeps the oldest so many: newer ones are lost while it is full.
  case oldest(Int)
}

/// The values of a publisher as an asynchronous sequence; see ``Publisher/values(buffering:)``.
public struct AsyncValues<Element, Failure: Error>: AsyncSequence {
  let subscribe: (Mailbox<Element, Failure>) -> any Cancellable
  let buffering: BufferingPolicy

  /// Subscribes: what is sent from now on is buffered for this iterator.
  public func makeAsyncIterator() -> AsyncIterator {
    let mailbox = Mailbox<Element, Failure>(buffering)
    return AsyncIterator(mailbox: mailbox, token: subscribe(mailbox))
  }

  /// Takes values one by one; its release ends the subscription.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let mailbox: Mailbox<Element, Failure>
    let token: any Cancellable

    /// The next value; nil at the end, or once the task is cancelled.
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

    /// The next value; nil at the end, or once the task is cancelled.
    public mutating func next() async throws(Failure) -> Element? {
      try await next(isolation: #isolation)
    }
  }
}

/// Keeps what an iterator has not taken.
final class Mailbox<Input, Failure: Error> {
  private let buffering: BufferingPolicy
  private var buffer = Queue<Input>()
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

  /// Drops what is left: the end.
  func close() {
    buffer = Queue()
    completion = .finished
  }
}

/// Lets one task wait for a signal, from any thread; a signal that came first is kept.
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
  /// The values as an asynchronous sequence, with a stated policy for those nobody has taken yet.
  ///
  /// - Each iterator subscribes when it is made, and ends the subscription when it is released.
  /// - `.unbounded` loses nothing; `.newest(1)` gives the latest value each time; a count below 1 traps.
  /// - A failure is thrown, once what was sent before it has been taken.
  /// - When the task is cancelled the next value is nil, at once.
  ///
  /// It must be iterated in the isolation domain of the publisher: it is not Sendable. An iterator is for
  /// one task: a second one that waits for a copy of it traps.
  ///
  /// ```swift
  /// for await count in total.publisher.values(buffering: .newest(1)) { print(count) }
  /// ```
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
