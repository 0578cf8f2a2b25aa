// What several inputs, or a timer, send to one subscriber.
//
// State:
// - `isActive` until the completion was sent, downstream wanted no more, or it was cancelled;
// - `isDelivering`, and `waiting`, what was sent in the middle of a delivery;
// - `inputs`: what feeds it and did not end; it leads back here, and the end of the gate breaks that
//   circle.
//
// Order: what is sent first is delivered first, also if it is sent by whoever is being delivered to.

/// One of the inputs of a gate.
final class GateInput {
  let number: Int
  private(set) var isOpen = true
  fileprivate var connection: (any Cancellable)?

  fileprivate init(number: Int) { self.number = number }

  fileprivate func close() {
    isOpen = false
    connection.take()?.cancel()
  }
}

final class Gate<Downstream: Subscriber>: Cancellable {
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  private let downstream: Downstream
  private(set) var isActive = true
  private var isDelivering = false
  private var waiting: [Event<Input, Failure>] = []
  private var inputs: [Int: GateInput] = [:]
  private var lastNumber = 0
  /// Releases what the owner keeps.
  private var teardown: (() -> Void)?

  init(_ downstream: Downstream) { self.downstream = downstream }

  /// Runs a closure at the end, by whatever cause.
  func onEnd(_ action: @escaping () -> Void) { teardown = action }

  // MARK: - Inputs

  /// How many inputs did not end.
  var openInputs: Int { inputs.count }

  /// Subscribes to one more input.
  func connect(_ make: (GateInput) -> (any Cancellable)?) {
    guard isActive else { return }
    lastNumber += 1
    let input = GateInput(number: lastNumber)
    inputs[input.number] = input
    let connection = make(input)
    // It may have ended by now.
    if input.isOpen { input.connection = connection } else { connection?.cancel() }
  }

  /// Closes an input; the answer is whether it was open.
  @discardableResult
  func close(_ input: GateInput) -> Bool {
    guard input.isOpen else { return false }
    inputs[input.number] = nil
    input.close()
    return true
  }

  // MARK: - Deliveries

  /// Sends a value; the answer is whether more is wanted.
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

  /// Sends the completion, after what waits.
  func finish(_ completion: Completion<Failure>) {
    guard isActive else { return }
    if isDelivering {
      waiting.append(.completion(completion))
      return
    }
    isDelivering = true
    complete(completion)
    isDelivering = false
  }

  private func deliverWaiting() {
    var index = 0
    while isActive, index < waiting.count {
      switch waiting[index] {
      case .value(let value): if !downstream.receive(value) { end() }
      case .completion(let completion): complete(completion)
      }
      index += 1
    }
    waiting = []
  }

  private func complete(_ completion: Completion<Failure>) {
    guard isActive else { return }
    end()
    downstream.finish(completion)
  }

  // MARK: - The end

  func cancel() { end() }

  private func end() {
    guard isActive else { return }
    isActive = false
    let inputs = inputs.sorted { $0.key < $1.key }
    self.inputs = [:]
    for (_, input) in inputs { input.close() }
    teardown.take()?()
  }
}
