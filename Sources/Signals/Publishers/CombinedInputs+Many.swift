/// The inputs of `CombineLatest` or `Zip`: publishers of one type, each with a position.
///
/// Subclasses combine the values. Their state is in arrays, because code for many publishers isn't
/// specialized.
class ManyInputs<Element, Downstream: Subscriber> where Downstream.Input == [Element] {
  let subscriber: SerializedSubscriber<Downstream>

  init(to downstream: Downstream) { subscriber = SerializedSubscriber(downstream) }

  /// Receives a value of an input.
  ///
  /// - Returns: Whether more values are wanted.
  func receive(_ value: Element, at index: Int) -> Bool { true }

  /// Receives the completion of an input.
  func finish(_ completion: Completion<Downstream.Failure>, at index: Int) {}

  /// Subscribes to all publishers, in order.
  final func connect(
    _ publishers: [any Publisher<Element, Downstream.Failure>]
  ) -> (any Cancellable)? {
    for (index, publisher) in publishers.enumerated() {
      subscriber.connect {
        publisher.subscribe(ManySink(inputs: self, input: $0, index: index))
      }
    }
    return subscriber.connection
  }
}

/// Receives the values of one of many inputs.
struct ManySink<Input, Downstream: Subscriber>: Subscriber where Downstream.Input == [Input] {
  typealias Failure = Downstream.Failure

  let inputs: ManyInputs<Input, Downstream>
  let input: SerializedInput
  let index: Int

  func receive(_ value: Input) -> Bool { input.isOpen && inputs.receive(value, at: index) }

  func finish(_ completion: Completion<Failure>) {
    if inputs.subscriber.close(input) { inputs.finish(completion, at: index) }
  }
}
