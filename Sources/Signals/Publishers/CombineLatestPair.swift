@usableFromInline
struct CombineLatestPair<First: Publisher, Second: Publisher>: Publisher
where First.Failure == Second.Failure {
  @usableFromInline typealias Output = (First.Output, Second.Output)
  @usableFromInline typealias Failure = First.Failure

  @usableFromInline let first: First
  @usableFromInline let second: Second

  @inlinable
  init(_ first: First, _ second: Second) {
    self.first = first
    self.second = second
  }

  @inlinable
  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let latest = LatestOfTwo<First.Output, Second.Output, Downstream>(
      SerializedSubscriber(downstream))
    latest.subscriber.connect { first.subscribe(LatestFirstSink(latest, $0)) }
    latest.subscriber.connect { second.subscribe(LatestSecondSink(latest, $0)) }
    return latest.subscriber.connection
  }
}

/// Combines the latest values of two inputs.
///
/// State: the latest value of each input; `open`, the number of inputs that haven't ended.
@usableFromInline
final class LatestOfTwo<First, Second, Downstream: Subscriber>
where Downstream.Input == (First, Second) {
  @usableFromInline let subscriber: SerializedSubscriber<Downstream>
  @safe @exclusivity(unchecked) @usableFromInline var first: First?
  @safe @exclusivity(unchecked) @usableFromInline var second: Second?
  @safe @exclusivity(unchecked) @usableFromInline var open = 2

  @inlinable
  init(_ subscriber: SerializedSubscriber<Downstream>) { self.subscriber = subscriber }

  @inlinable
  func finish(_ completion: Completion<Downstream.Failure>, hasSent: Bool) {
    open -= 1
    if completion.isFailure || open == 0 || !hasSent { subscriber.finish(completion) }
  }
}

@usableFromInline
struct LatestFirstSink<Input, Second, Downstream: Subscriber>: Subscriber
where Downstream.Input == (Input, Second) {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let latest: LatestOfTwo<Input, Second, Downstream>
  @usableFromInline let input: SerializedInput

  @inlinable
  init(_ latest: LatestOfTwo<Input, Second, Downstream>, _ input: SerializedInput) {
    self.latest = latest
    self.input = input
  }

  @inlinable
  @inline(__always)
  func receive(_ value: Input) -> Bool {
    guard input.isOpen else { return false }
    _ = exchange(&latest.first, with: value)
    guard let second = latest.second else { return true }
    return latest.subscriber.send((value, second))
  }

  @inlinable
  func finish(_ completion: Completion<Failure>) {
    if latest.subscriber.close(input) {
      latest.finish(completion, hasSent: latest.first != nil)
    }
  }
}

@usableFromInline
struct LatestSecondSink<First, Input, Downstream: Subscriber>: Subscriber
where Downstream.Input == (First, Input) {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let latest: LatestOfTwo<First, Input, Downstream>
  @usableFromInline let input: SerializedInput

  @inlinable
  init(_ latest: LatestOfTwo<First, Input, Downstream>, _ input: SerializedInput) {
    self.latest = latest
    self.input = input
  }

  @inlinable
  @inline(__always)
  func receive(_ value: Input) -> Bool {
    guard input.isOpen else { return false }
    _ = exchange(&latest.second, with: value)
    guard let first = latest.first else { return true }
    return latest.subscriber.send((first, value))
  }

  @inlinable
  func finish(_ completion: Completion<Failure>) {
    if latest.subscriber.close(input) {
      latest.finish(completion, hasSent: latest.second != nil)
    }
  }
}
