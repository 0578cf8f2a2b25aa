// The output of several inputs, or of a timer, to one subscriber.
//
// Order: events are delivered in the order in which they are sent, also if the receiver of a
// delivery sends them. No access to the state is open while other code runs, so exclusivity need
// not be checked.
//
// The inputs lead back to the subscriber. Its end breaks that cycle: the completion was sent,
// downstream wanted no more values, or the subscriber was cancelled.

@usableFromInline
final class SerializedSubscriber<Downstream: Subscriber>: Cancellable {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  /// Whether the subscription hasn't ended.
  @safe @exclusivity(unchecked) @usableFromInline var isActive = true
  /// Whether a delivery is under way.
  @safe @exclusivity(unchecked) @usableFromInline var isDelivering = false
  /// The events sent during a delivery.
  @safe @exclusivity(unchecked) @usableFromInline var waiting = Queue<Event<Input, Failure>>()
  /// The inputs that haven't ended.
  @safe @exclusivity(unchecked) @usableFromInline var inputs = SerializedInputs()
  /// The closure to run at the end.
  @safe @exclusivity(unchecked) private var teardown: (() -> Void)?

  @inlinable
  init(_ downstream: Downstream) { self.downstream = downstream }

  /// Sets a closure that runs at the end, for whatever reason, to release the owner's state.
  func onEnd(_ action: @escaping () -> Void) { teardown = action }

  /// The result of a subscription: the subscriber, unless it has already ended.
  @inlinable var connection: (any Cancellable)? { isActive ? self : nil }

  // MARK: - Inputs

  /// The number of inputs that haven't ended.
  @inlinable var openInputs: Int { inputs.count }

  /// Subscribes to another input.
  @inlinable
  func connect(_ make: (SerializedInput) -> (any Cancellable)?) {
    guard isActive else { return }
    let input = inputs.open()
    input.keep(make(input))
  }

  /// Closes an input.
  ///
  /// - Returns: Whether it was open.
  @inlinable
  @discardableResult
  func close(_ input: SerializedInput) -> Bool {
    guard input.isOpen else { return false }
    inputs.remove(input)
    input.close()
    return true
  }

  // MARK: - Deliveries

  /// Sends a value.
  ///
  /// - Returns: Whether more values are wanted.
  @inlinable
  @discardableResult
  func send(_ value: Input) -> Bool {
    guard isActive else { return false }
    if isDelivering {
      waiting.append(.value(value))
      return true
    }
    isDelivering = true
    if !downstream.receive(value) { end() }
    if !waiting.isEmpty { deliverWaiting() }
    isDelivering = false
    return isActive
  }

  /// Sends the completion, after the waiting events.
  @usableFromInline
  func finish(_ completion: Completion<Failure>) {
    guard isActive else { return }
    if isDelivering { return waiting.append(.completion(completion)) }
    isDelivering = true
    complete(completion)
    isDelivering = false
  }

  @usableFromInline
  func deliverWaiting() {
    while let event = waiting.popFirst() {
      switch event {
      case .value(let value): if !downstream.receive(value) { end() }
      case .completion(let completion): complete(completion)
      }
    }
  }

  private func complete(_ completion: Completion<Failure>) {
    end()
    downstream.finish(completion)
  }

  // MARK: - The end

  @usableFromInline
  func cancel() { end() }

  @usableFromInline
  func end() {
    guard isActive else { return }
    isActive = false
    let dropped = waiting
    waiting = Queue()
    // All inputs are closed before the first is cancelled, because cancelling one may finish
    // another.
    let ended = inputs.removeAll()
    for input in ended { input.isOpen = false }
    for input in ended { input.close() }
    teardown.take()?()
    // Released last, because releasing values may send.
    withExtendedLifetime(dropped) {}
  }
}

/// One of the inputs of a subscriber.
@usableFromInline
final class SerializedInput {
  @safe @exclusivity(unchecked) @usableFromInline var isOpen = true
  @safe @exclusivity(unchecked) fileprivate var index: Int
  @safe @exclusivity(unchecked) private var connection: (any Cancellable)?

  fileprivate init(index: Int) { self.index = index }

  /// Stores the connection of the input, or cancels it if the input has already ended.
  @usableFromInline
  func keep(_ connection: (any Cancellable)?) {
    if isOpen { self.connection = connection } else { connection?.cancel() }
  }

  @usableFromInline
  func close() {
    isOpen = false
    connection.take()?.cancel()
  }
}

/// The open inputs of a subscriber, in the order of connection; ended ones leave a hole.
@usableFromInline
struct SerializedInputs {
  private var inputs: [SerializedInput?] = []
  @usableFromInline private(set) var count = 0

  @usableFromInline
  init() {}

  @usableFromInline
  mutating func open() -> SerializedInput {
    let input = SerializedInput(index: inputs.count)
    inputs.append(input)
    count += 1
    return input
  }

  @usableFromInline
  mutating func remove(_ input: SerializedInput) {
    count -= 1
    inputs[input.index] = nil
    while let last = inputs.last, last == nil { inputs.removeLast() }
    if inputs.count >= 16, count * 2 <= inputs.count { compact() }
  }

  private mutating func compact() {
    inputs.removeAll { $0 == nil }
    for (index, input) in inputs.enumerated() { input?.index = index }
  }

  @usableFromInline
  mutating func removeAll() -> [SerializedInput] {
    let open = inputs.compactMap { $0 }
    inputs = []
    count = 0
    return open
  }
}
