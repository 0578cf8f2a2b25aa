// The two inputs of `combineLatest` and `zip`; CombinedInputs+Many.swift has those of many publishers.
//
// Order of events: a value is put into its slot; the slots are combined if each has a value; the
// result is sent; the subscription finishes if nothing more can be sent. What a slot replaces is
// released last, because its release may send.

/// The values of one input that are to be combined with those of others.
@usableFromInline
protocol InputSlot<Value>: AnyObject {
  associatedtype Value
  var isFinished: Bool { get set }
  var isEmpty: Bool { get }
  /// Whether a value is sent once only, so that the slot may be empty after it.
  static var isEmptied: Bool { get }
  init()
  /// Adds a value of the input.
  ///
  /// - Returns: The value that it replaces.
  func put(_ value: Value) -> Value?
  /// Returns the value to combine; the slot must not be empty.
  func take() -> Value
}

/// Holds the latest value of an input.
@usableFromInline
final class LatestSlot<Value>: InputSlot {
  @safe @exclusivity(unchecked) @usableFromInline var value: Value?
  @safe @exclusivity(unchecked) @usableFromInline var isFinished = false

  @inlinable
  init() {}

  @inlinable var isEmpty: Bool { value == nil }
  @inlinable static var isEmptied: Bool { false }

  @inlinable
  @inline(__always)
  func put(_ value: Value) -> Value? { exchange(&self.value, with: value) }

  @inlinable
  @inline(__always)
  func take() -> Value { value! }
}

/// Holds the values of an input that wait for those of the others.
@usableFromInline
final class QueueSlot<Value>: InputSlot {
  @safe @exclusivity(unchecked) @usableFromInline var queue = Queue<Value>()
  @safe @exclusivity(unchecked) @usableFromInline var isFinished = false

  @inlinable
  init() {}

  @inlinable var isEmpty: Bool { queue.isEmpty }
  @inlinable static var isEmptied: Bool { true }

  @inlinable
  @inline(__always)
  func put(_ value: Value) -> Value? {
    queue.append(value)
    return nil
  }

  @inlinable
  @inline(__always)
  func take() -> Value { queue.popFirst()! }
}

/// The slots of both inputs of a subscription.
@usableFromInline
struct PairSlots<First: InputSlot, Second: InputSlot> {
  @usableFromInline let first = First()
  @usableFromInline let second = Second()

  @inlinable
  init() {}

  /// Returns the combined values, or nil if a slot is empty.
  @inlinable
  @inline(__always)
  func combine() -> (First.Value, Second.Value)? {
    first.isEmpty || second.isEmpty ? nil : (first.take(), second.take())
  }

  /// Whether an input has finished and its slot is empty, or both inputs have finished.
  @inlinable
  @inline(__always) var isOver: Bool {
    first.isFinished
      ? second.isFinished || first.isEmpty
      : second.isFinished && second.isEmpty
  }
}

/// Receives the values of one input.
@usableFromInline
struct PairSink<
  Slot: InputSlot, First: InputSlot, Second: InputSlot, Downstream: Subscriber
>: Subscriber where Downstream.Input == (First.Value, Second.Value) {
  @usableFromInline typealias Input = Slot.Value
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let subscriber: SerializedSubscriber<Downstream>
  @usableFromInline let input: SerializedInput
  @usableFromInline let slot: Slot
  @usableFromInline let slots: PairSlots<First, Second>

  @inlinable
  init(
    _ subscriber: SerializedSubscriber<Downstream>, input: SerializedInput, slot: Slot,
    of slots: PairSlots<First, Second>
  ) {
    self.subscriber = subscriber
    self.input = input
    self.slot = slot
    self.slots = slots
  }

  @inlinable
  @inline(__always)
  func receive(_ value: Slot.Value) -> Bool {
    guard input.isOpen else { return false }
    let replaced = slot.put(value)
    defer { withExtendedLifetime(replaced) {} }
    guard let values = slots.combine() else { return true }
    let wantsMore = subscriber.send(values)
    guard Slot.isEmptied else { return wantsMore }
    if slots.isOver { subscriber.finish(.finished) }
    return subscriber.isActive
  }

  @inlinable
  func finish(_ completion: Completion<Failure>) {
    guard subscriber.close(input) else { return }
    slot.isFinished = true
    if completion.isFailure || slots.isOver { subscriber.finish(completion) }
  }
}

/// Combines the values of two publishers.
@usableFromInline
struct CombinedPair<
  First: Publisher, Second: Publisher,
  FirstSlot: InputSlot<First.Output>, SecondSlot: InputSlot<Second.Output>
>: Publisher where First.Failure == Second.Failure {
  @usableFromInline typealias Output = (First.Output, Second.Output)
  @usableFromInline typealias Failure = First.Failure

  @usableFromInline let first: First
  @usableFromInline let second: Second

  @inlinable
  init(_ first: First, and second: Second, in: PairSlots<FirstSlot, SecondSlot>.Type) {
    self.first = first
    self.second = second
  }

  @inlinable
  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let subscriber = SerializedSubscriber(downstream)
    let slots = PairSlots<FirstSlot, SecondSlot>()
    subscriber.connect {
      first.subscribe(PairSink(subscriber, input: $0, slot: slots.first, of: slots))
    }
    subscriber.connect {
      second.subscribe(PairSink(subscriber, input: $0, slot: slots.second, of: slots))
    }
    return subscriber.connection
  }
}
