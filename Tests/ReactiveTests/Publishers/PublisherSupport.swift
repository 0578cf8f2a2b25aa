import Signals
import SignalsTesting
import TestSupport
import Testing

/// What goes wrong in the tests of publishers.
enum Fault: Error, Equatable { case broken, other }

/// Writes down what a publisher sends.
final class Recorder<Output, Failure: Error> {
  private(set) var events: [String] = []
  var token: (any Cancellable)?
  /// Called with each value, after it was written down.
  var onValue: (Output) -> Void = { _ in }

  init() {}

  convenience init(_ publisher: any Publisher<Output, Failure>) {
    self.init()
    record(publisher)
  }

  func record(_ publisher: some Publisher<Output, Failure>) {
    token = publisher.sink { [unowned self] completion in
      switch completion {
      case .finished: events.append("finished")
      case .failure(let error): events.append("failed: \(error)")
      }
    } receiveValue: { [unowned self] value in
      events.append("\(value)")
      onValue(value)
    }
  }
}
