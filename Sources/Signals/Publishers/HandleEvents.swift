/// What to call when something happens in a pipeline.
@usableFromInline
struct EventHandlers<Output, Failure: Error> {
  @usableFromInline let receiveSubscription: (() -> Void)?
  @usableFromInline let receiveOutput: ((Output) -> Void)?
  @usableFromInline let receiveCompletion: ((Completion<Failure>) -> Void)?
  @usableFromInline let receiveCancel: (() -> Void)?

  @inlinable
  init(
    _ receiveSubscription: (() -> Void)?, _ receiveOutput: ((Output) -> Void)?,
    _ receiveCompletion: ((Completion<Failure>) -> Void)?, _ receiveCancel: (() -> Void)?
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
  init(_ upstream: Upstream, _ handlers: EventHandlers<Output, Failure>) {
    self.upstream = upstream
    self.handlers = handlers
  }

  @inlinable
  @inline(__always)
  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    handlers.receiveSubscription?()
    let isOver = Box(false)
    let connection = upstream.subscribe(HandleEventsSink(downstream, handlers, isOver))
    guard let connection, let receiveCancel = handlers.receiveCancel else { return connection }
    return Cancellation {
      if unsafe !isOver.value { receiveCancel() }
      connection.cancel()
    }
  }
}

@usableFromInline
struct HandleEventsSink<Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let handlers: EventHandlers<Input, Failure>
  /// Whether it ended by itself, so that a cancellation is none.
  @usableFromInline let isOver: Box<Bool>

  @inlinable
  init(_ downstream: Downstream, _ handlers: EventHandlers<Input, Failure>, _ isOver: Box<Bool>) {
    self.downstream = downstream
    self.handlers = handlers
    self.isOver = isOver
  }

  @inlinable
  @inline(__always)
  func receive(_ value: Input) -> Bool {
    handlers.receiveOutput?(value)
    return downstream.receive(value)
  }

  @inlinable
  @inline(__always)
  func finish(_ completion: Completion<Failure>) {
    unsafe isOver.value = true
    handlers.receiveCompletion?(completion)
    downstream.finish(completion)
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
  /// Calls closures when something happens, before it goes on down the pipeline.
  ///
  /// - `receiveSubscription` before upstream is subscribed to, `receiveOutput` for each value.
  /// - `receiveCompletion` for the completion, or `receiveCancel` if the subscription is cancelled or
  ///   its token released first; neither if downstream wants no more (``prefix(_:)``).
  @inlinable
  public func handleEvents(
    receiveSubscription: (() -> Void)? = nil, receiveOutput: ((Output) -> Void)? = nil,
    receiveCompletion: ((Completion<Failure>) -> Void)? = nil, receiveCancel: (() -> Void)? = nil
  ) -> some Publisher<Output, Failure> {
    HandleEvents(
      self, EventHandlers(receiveSubscription, receiveOutput, receiveCompletion, receiveCancel))
  }
}
