/// The state of a timed operator, which handles the events of its input.
protocol TimedState<Input, Failure> {
  associatedtype Input
  associatedtype Failure: Error
  func receive(_ value: Input)
  func finish(_ completion: Completion<Failure>)
  /// Releases the state when the subscription has ended.
  func end()
}

/// The sink of every timed operator.
struct TimedSink<Downstream: Subscriber, State: TimedState>: Subscriber
where State.Input == Downstream.Input, State.Failure == Downstream.Failure {
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  let subscriber: SerializedSubscriber<Downstream>
  let input: SerializedInput
  let state: State

  func receive(_ value: Input) -> Bool {
    guard input.isOpen else { return false }
    state.receive(value)
    return subscriber.isActive
  }

  func finish(_ completion: Completion<Failure>) {
    if subscriber.close(input) { state.finish(completion) }
  }
}

extension SerializedSubscriber {
  /// Subscribes to the upstream of a timed operator.
  func connect<State: TimedState<Input, Failure>>(
    _ upstream: some Publisher<Input, Failure>, through state: State
  ) -> (any Cancellable)? {
    onEnd { state.end() }
    connect { upstream.subscribe(TimedSink(subscriber: self, input: $0, state: state)) }
    return connection
  }
}
