/// The closures to call for the events of a pipeline.
@usableFromInline
struct EventHandlers<Output, Failure: Error> {
  @usableFromInline let receiveSubscription: (() -> Void)?
  @usableFromInline let receiveOutput: ((Output) -> Void)?
  @usableFromInline let receiveCompletion: ((Completion<Failure>) -> Void)?
  @usableFromInline let receiveCancel: (() -> Void)?

  @inlinable
  init(
    receiveSubscription: (() -> Void)?, receiveOutput: ((Output) -> Void)?,
    receiveCompletion: ((Completion<Failure>) -> Void)?, receiveCancel: (() -> Void)?
  ) {
    self.receiveSubscription = receiveSubscription
    self.receiveOutput = receiveOutput
    self.receiveCompletion = receiveCompletion
    self.receiveCancel = receiveCancel
  }
}

@usableFromInline
struct HandleEvents<Upstream: Publisher>: Publisher {
  @usableFromInline typealias Output = Upstream.Output
  @usableFromInline typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let handlers: EventHandlers<Output, Failure>

  @inlinable
  init(_ upstream: Upstream, handlers: EventHandlers<Output, Failure>) {
    self.upstream = upstream
    self.handlers = handlers
  }

  @inlinable
  @inline(__always)
  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    handlers.receiveSubscription?()
    let end = HandledEnd(handlers.receiveCancel)
    let connection = upstream.subscribe(HandleEventsSink(downstream, handlers: handlers, end: end))
    if handlers.receiveCancel == nil || end.isOver { return connection }
    return Cancellation {
      end.cancel()
      connection?.cancel()
    }
  }
}

@usableFromInline
struct HandleEventsSink<Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let handlers: EventHandlers<Input, Failure>
  @usableFromInline let end: HandledEnd

  @inlinable
  init(_ downstream: Downstream, handlers: EventHandlers<Input, Failure>, end: HandledEnd) {
    self.downstream = downstream
    self.handlers = handlers
    self.end = end
  }

  @inlinable
  @inline(__always)
  func receive(_ value: Input) -> Bool {
    handlers.receiveOutput?(value)
    if downstream.receive(value) { return true }
    end.cancel()
    return false
  }

  @inlinable
  @inline(__always)
  func finish(_ completion: Completion<Failure>) {
    end.complete()
    handlers.receiveCompletion?(completion)
    downstream.finish(completion)
  }
}

/// Reports the end once: a cancellation, unless the completion came first.
@usableFromInline
final class HandledEnd {
  @usableFromInline private(set) var isOver = false
  /// The closure to call for a cancellation, until the end.
  private var receiveCancel: (() -> Void)?

  @usableFromInline
  init(_ receiveCancel: (() -> Void)?) { self.receiveCancel = receiveCancel }

  @usableFromInline
  func complete() {
    isOver = true
    receiveCancel = nil
  }

  @usableFromInline
  func cancel() {
    isOver = true
    receiveCancel.take()?()
  }
}

/// Runs a closure when it is cancelled, once.
@usableFromInline
final class Cancellation: Cancellable {
  private var action: (() -> Void)?

  @usableFromInline
  init(_ action: @escaping () -> Void) { self.action = action }

  @usableFromInline
  func cancel() { action.take()?() }
}

extension Publisher {
  /// Calls closures for events, before the events are passed on downstream.
  ///
  /// - `receiveSubscription` is called before upstream is subscribed to, and `receiveOutput` for
  ///   each value.
  /// - At the end, one of two closures is called, once: `receiveCompletion` for the completion, or
  ///   `receiveCancel` if the subscription is cancelled, its token is released, or downstream wants
  ///   no more values, as in ``prefix(_:)``.
  ///
  /// - Parameters:
  ///   - receiveSubscription: Called before upstream is subscribed to.
  ///   - receiveOutput: Called for each value.
  ///   - receiveCompletion: Called for the completion.
  ///   - receiveCancel: Called when the subscription ends without a completion.
  /// - Returns: A publisher of the same events.
  @inlinable
  public func handleEvents(
    receiveSubscription: (() -> Void)? = nil, receiveOutput: ((Output) -> Void)? = nil,
    receiveCompletion: ((Completion<Failure>) -> Void)? = nil, receiveCancel: (() -> Void)? = nil
  ) -> some Publisher<Output, Failure> {
    HandleEvents(
      self,
      handlers: EventHandlers(
        receiveSubscription: receiveSubscription, receiveOutput: receiveOutput,
        receiveCompletion: receiveCompletion, receiveCancel: receiveCancel))
  }
}
