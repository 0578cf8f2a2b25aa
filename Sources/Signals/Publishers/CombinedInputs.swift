// The inputs of `combineLatest` and `zip`, for two publishers or many.
//
// State: each input has a slot, which holds its latest value (`LatestSlot`) or its waiting ones
// (`QueueSlot`), and whether it has finished. A subscription has its slots in a tuple (`PairSlots`)
// or in an array (`ManySlots`).
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

/// The slots of all inputs of a subscription.
@usableFromInline
protocol InputSlots<Output> {
  associatedtype Output
  /// Returns the combined values, or nil if a slot is empty.
  func combine() -> Output?
  /// Whether an input has finished and its slot is empty, or all inputs have finished.
  var isOver: Bool { get }
}

@usableFromInline
struct PairSlots<First: InputSlot, Second: InputSlot>: InputSlots {
  @usableFromInline let first = First()
  @usableFromInline let second = Second()

  @inlinable
  init() {}

  @inlinable
  @inline(__always)
  func combine() -> (First.Value, Second.Value)? {
    first.isEmpty || second.isEmpty ? nil : (first.take(), second.take())
  }

  @inlinable
  @inline(__always) var isOver: Bool {
    first.isFinished
      ? second.isFinished || first.isEmpty
      : second.isFinished && second.isEmpty
  }
}

struct ManySlots<Slot: InputSlot>: InputSlots {
  let slots: [Slot]

  init(count: Int) { slots = (0..<count).map { _ in Slot() } }

  func combine() -> [Slot.Value]? {
    slots.contains { $0.isEmpty } ? nil : slots.map { $0.take() }
  }

  var isOver: Bool {
    slots.contains { $0.isFinished && $0.isEmpty } || slots.allSatisfy { $0.isFinished }
  }
}

/// Receives the values of one input.
@usableFromInline
struct CombinedSink<Slot: InputSlot, Slots: InputSlots, Downstream: Subscriber>: Subscriber
where Downstream.Input == Slots.Output {
  @usableFromInline typealias Input = Slot.Value
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let subscriber: SerializedSubscriber<Downstream>
  @usableFromInline let input: SerializedInput
  @usableFromInline let slot: Slot
  @usableFromInline let slots: Slots

  @inlinable
  init(
    _ subscriber: SerializedSubscriber<Downstream>, input: SerializedInput, slot: Slot,
    of slots: Slots
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
    if let values = slots.combine() { subscriber.send(values) }
    if slots.isOver { subscriber.finish(.finished) }
    withExtendedLifetime(replaced) {}
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
      first.subscribe(CombinedSink(subscriber, input: $0, slot: slots.first, of: slots))
    }
    subscriber.connect {
      second.subscribe(CombinedSink(subscriber, input: $0, slot: slots.second, of: slots))
    }
    return subscriber.connection
  }
}

/// Connects a subscriber to many publishers, whose values it receives combined.
func combine<Slot: InputSlot, Failure: Error, Downstream: Subscriber>(
  _ publishers: [any Publisher<Slot.Value, Failure>], in: Slot.Type, for downstream: Downstream
) -> (any Cancellable)? where Downstream.Input == [Slot.Value], Downstream.Failure == Failure {
  let subscriber = SerializedSubscriber(downstream)
  let slots = ManySlots<Slot>(count: publishers.count)
  for (publisher, slot) in zip(publishers, slots.slots) {
    subscriber.connect {
      publisher.subscribe(CombinedSink(subscriber, input: $0, slot: slot, of: slots))
    }
  }
  return subscriber.connection
}
