/// A publisher of the changes that an observation reports.
struct ChangesPublisher<Output>: Publisher {
  typealias Failure = Never

  private let observe: (@escaping (Output) -> Bool) -> any Cancellable

  /// Creates a publisher.
  ///
  /// - Parameter observe: Starts an observation, which ends when its closure returns false.
  init(observe: @escaping (@escaping (Output) -> Bool) -> any Cancellable) {
    self.observe = observe
  }

  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Never {
    observe { downstream.receive($0) }
  }
}
