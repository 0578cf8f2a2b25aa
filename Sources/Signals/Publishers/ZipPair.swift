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
    let lines = LinesOfTwo<First.Output, Second.Output, Downstream>(Gate(downstream))
    lines.gate.connect { first.subscribe(ZipFirstSink(lines, $0)) }
    lines.gate.connect { second.subscribe(ZipSecondSink(lines, $0)) }
    return lines.gate.connection
  }
}

/// Zips the values of two inputs.
///
/// State: the waiting values of each input, and whether each has finished.
@usableFromInline
final class LinesOfTwo<First, Second, Downstream: Subscriber>
where Downstream.Input == (First, Second) {
  @usableFromInline let gate: Gate<Downstream>
  @exclusivity(unchecked) @usableFromInline var first = Queue<First>()
  @exclusivity(unchecked) @usableFromInline var second = Queue<Second>()
  @exclusivity(unchecked) @usableFromInline var isFirstFinished = false
  @exclusivity(unchecked) @usableFromInline var isSecondFinished = false

  @inlinable
  init(_ gate: Gate<Downstream>) { self.gate = gate }

  /// Sends a pair if there is one, and finishes if no more can follow.
  ///
  /// - Returns: Whether more values are wanted.
  @inlinable
  func advance() -> Bool {
    if unsafe !first.isEmpty, let second = unsafe second.popFirst(),
      let first = unsafe first.popFirst()
    {
      gate.send((first, second))
    }
    if unsafe isFirstFinished && first.isEmpty || isSecondFinished && second.isEmpty {
      gate.finish(.finished)
    }
    return unsafe gate.isActive
  }

  @inlinable
  func finish(_ completion: Completion<Downstream.Failure>) {
    if completion.isFailure { gate.finish(completion) } else { _ = advance() }
  }
}

@usableFromInline
struct ZipFirstSink<Input, Second, Downstream: Subscriber>: Subscriber
where Downstream.Input == (Input, Second) {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let lines: LinesOfTwo<Input, Second, Downstream>
  @usableFromInline let input: GateInput

  @inlinable
  init(_ lines: LinesOfTwo<Input, Second, Downstream>, _ input: GateInput) {
    self.lines = lines
    self.input = input
  }

  @inlinable
  @inline(__always)
  func receive(_ value: Input) -> Bool {
    guard unsafe input.isOpen else { return false }
    unsafe lines.first.append(value)
    return lines.advance()
  }

  @inlinable
  func finish(_ completion: Completion<Failure>) {
    guard lines.gate.close(input) else { return }
    unsafe lines.isFirstFinished = true
    lines.finish(completion)
  }
}

@usableFromInline
struct ZipSecondSink<First, Input, Downstream: Subscriber>: Subscriber
where Downstream.Input == (First, Input) {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let lines: LinesOfTwo<First, Input, Downstream>
  @usableFromInline let input: GateInput

  @inlinable
  init(_ lines: LinesOfTwo<First, Input, Downstream>, _ input: GateInput) {
    self.lines = lines
    self.input = input
  }

  @inlinable
  @inline(__always)
  func receive(_ value: Input) -> Bool {
    guard unsafe input.isOpen else { return false }
    unsafe lines.second.append(value)
    return lines.advance()
  }

  @inlinable
  func finish(_ completion: Completion<Failure>) {
    guard lines.gate.close(input) else { return }
    unsafe lines.isSecondFinished = true
    lines.finish(completion)
  }
}
