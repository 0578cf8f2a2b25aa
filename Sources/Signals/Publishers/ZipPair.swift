@usableFromInline
struct ZipPair<First: Publisher, Second: Publisher>: Publisher
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
    let buffers = PairBuffers<First.Output, Second.Output, Downstream>(
      SerializedSubscriber(downstream))
    buffers.subscriber.connect { first.subscribe(ZipFirstSink(buffers, $0)) }
    buffers.subscriber.connect { second.subscribe(ZipSecondSink(buffers, $0)) }
    return buffers.subscriber.connection
  }
}

/// Zips the values of two inputs.
///
/// State: the waiting values of each input, and whether each has finished.
@usableFromInline
final class PairBuffers<First, Second, Downstream: Subscriber>
where Downstream.Input == (First, Second) {
  @usableFromInline let subscriber: SerializedSubscriber<Downstream>
  @safe @exclusivity(unchecked) @usableFromInline var first = Queue<First>()
  @safe @exclusivity(unchecked) @usableFromInline var second = Queue<Second>()
  @safe @exclusivity(unchecked) @usableFromInline var isFirstFinished = false
  @safe @exclusivity(unchecked) @usableFromInline var isSecondFinished = false

  @inlinable
  init(_ subscriber: SerializedSubscriber<Downstream>) { self.subscriber = subscriber }

  /// Sends a pair if there is one, and finishes if no more can follow.
  ///
  /// - Returns: Whether more values are wanted.
  @inlinable
  func advance() -> Bool {
    if !first.isEmpty, let second = second.popFirst(),
      let first = first.popFirst()
    {
      subscriber.send((first, second))
    }
    if isFirstFinished && first.isEmpty || isSecondFinished && second.isEmpty {
      subscriber.finish(.finished)
    }
    return subscriber.isActive
  }

  @inlinable
  func finish(_ completion: Completion<Downstream.Failure>) {
    if completion.isFailure { subscriber.finish(completion) } else { _ = advance() }
  }
}

@usableFromInline
struct ZipFirstSink<Input, Second, Downstream: Subscriber>: Subscriber
where Downstream.Input == (Input, Second) {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let buffers: PairBuffers<Input, Second, Downstream>
  @usableFromInline let input: SerializedInput

  @inlinable
  init(_ buffers: PairBuffers<Input, Second, Downstream>, _ input: SerializedInput) {
    self.buffers = buffers
    self.input = input
  }

  @inlinable
  @inline(__always)
  func receive(_ value: Input) -> Bool {
    guard input.isOpen else { return false }
    buffers.first.append(value)
    return buffers.advance()
  }

  @inlinable
  func finish(_ completion: Completion<Failure>) {
    guard buffers.subscriber.close(input) else { return }
    buffers.isFirstFinished = true
    buffers.finish(completion)
  }
}

@usableFromInline
struct ZipSecondSink<First, Input, Downstream: Subscriber>: Subscriber
where Downstream.Input == (First, Input) {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let buffers: PairBuffers<First, Input, Downstream>
  @usableFromInline let input: SerializedInput

  @inlinable
  init(_ buffers: PairBuffers<First, Input, Downstream>, _ input: SerializedInput) {
    self.buffers = buffers
    self.input = input
  }

  @inlinable
  @inline(__always)
  func receive(_ value: Input) -> Bool {
    guard input.isOpen else { return false }
    buffers.second.append(value)
    return buffers.advance()
  }

  @inlinable
  func finish(_ completion: Completion<Failure>) {
    guard buffers.subscriber.close(input) else { return }
    buffers.isSecondFinished = true
    buffers.finish(completion)
  }
}
