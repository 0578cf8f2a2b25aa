// What several inputs, or a timer, send to one subscriber.
//
// State of a gate:
// - `isActive` until the completion was sent, downstream wanted no more, or it was cancelled;
// - `isDelivering`, and `waiting`, what was sent in the middle of a delivery;
// - `inputs`: what feeds it and did not end; it leads back here, and the end of the gate breaks that
//   circle;
// - `teardown`, until the end.
//
// Order: what is sent first is delivered first, also if it is sent by whoever is being delivered to. No
// access to a state is open while somebody else's code runs, so that exclusivity need not be checked.

@usableFromInline
final class Gate<Downstream: Subscriber>: Cancellable {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @exclusivity(unchecked) @usableFromInline var isActive = true
  @exclusivity(unchecked) @usableFromInline var isDelivering = false
  @exclusivity(unchecked) @usableFromInline var waiting = Queue<Event<Input, Failure>>()
  @exclusivity(unchecked) @usableFromInline var inputs = GateInputs()
  @exclusivity(unchecked) private var teardown: (() -> Void)?

  @inlinable
  init(_ downstream: Downstream) { self.downstream = downstream }

  /// Runs a closure at the end, by whatever cause, to release what the owner keeps.
  func onEnd(_ action: @escaping () -> Void) { unsafe teardown = action }

  /// What a subscription returns: the gate, unless it ended by now.
  @inlinable var connection: (any Cancellable)? { unsafe isActive ? self : nil }

  // MARK: - Inputs

  /// How many inputs did not end.
  @inlinable var openInputs: Int { unsafe inputs.count }

  /// Subscribes to one more input.
  @inlinable
  func connect(_ make: (GateInput) -> (any Cancellable)?) {
    guard unsafe isActive else { return }
    let input = unsafe inputs.open()
    input.keep(make(input))
  }

  /// Closes an input; the answer is whether it was open.
  @inlinable
  @discardableResult
  func close(_ input: GateInput) -> Bool {
    guard unsafe input.isOpen else { return false }
    unsafe inputs.remove(input)
    input.close()
    return true
  }

  // MARK: - Deliveries

  /// Sends a value; the answer is whether more is wanted.
  @inlinable
  @discardableResult
  func send(_ value: Input) -> Bool {
    guard unsafe isActive else { return false }
    if unsafe isDelivering {
      unsafe waiting.append(.value(value))
      return true
    }
    unsafe isDelivering = true
    if !downstream.receive(value) { end() }
    if unsafe !waiting.isEmpty { deliverWaiting() }
    unsafe isDelivering = false
    return unsafe isActive
  }

  /// Sends the completion, after what waits.
  @usableFromInline
  func finish(_ completion: Completion<Failure>) {
    guard unsafe isActive else { return }
    if unsafe isDelivering { return unsafe waiting.append(.completion(completion)) }
    unsafe isDelivering = true
    complete(completion)
    unsafe isDelivering = false
  }

  @usableFromInline
  func deliverWaiting() {
    while let event = unsafe waiting.popFirst() {
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
    guard unsafe isActive else { return }
    unsafe isActive = false
    let dropped = unsafe waiting
    unsafe waiting = Queue()
    // All are closed before the first is cancelled, which may finish another.
    let ended = unsafe inputs.removeAll()
    for input in ended { unsafe input.isOpen = false }
    for input in ended { input.close() }
    unsafe teardown.take()?()
    // Last, for what is released may send.
    withExtendedLifetime(dropped) {}
  }
}

/// One of the inputs of a gate.
@usableFromInline
final class GateInput {
  @exclusivity(unchecked) @usableFromInline var isOpen = true
  @exclusivity(unchecked) fileprivate var index: Int
  @exclusivity(unchecked) private var connection: (any Cancellable)?

  fileprivate init(index: Int) { unsafe self.index = index }

  /// Keeps what it was connected with, unless it has ended by now.
  @usableFromInline
  func keep(_ connection: (any Cancellable)?) {
    if unsafe isOpen { unsafe self.connection = connection } else { connection?.cancel() }
  }

  @usableFromInline
  func close() {
    unsafe isOpen = false
    unsafe connection.take()?.cancel()
  }
}

/// The open inputs of a gate, in the order in which they were connected; a hole where one has ended.
@usableFromInline
struct GateInputs {
  private var inputs: [GateInput?] = []
  @usableFromInline private(set) var count = 0

  @usableFromInline
  init() {}

  @usableFromInline
  mutating func open() -> GateInput {
    let input = GateInput(index: inputs.count)
    inputs.append(input)
    count += 1
    return input
  }

  @usableFromInline
  mutating func remove(_ input: GateInput) {
    count -= 1
    unsafe inputs[input.index] = nil
    while let last = inputs.last, last == nil { inputs.removeLast() }
    if inputs.count >= 16, count * 2 <= inputs.count { compact() }
  }

  private mutating func compact() {
    inputs.removeAll { $0 == nil }
    for (index, input) in inputs.enumerated() { unsafe input?.index = index }
  }

  @usableFromInline
  mutating func removeAll() -> [GateInput] {
    let open = inputs.compactMap { $0 }
    inputs = []
    count = 0
    return open
  }
}
