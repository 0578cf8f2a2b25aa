import Signals
import SignalsTesting
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

/// Every operator, set up so that it sends on what it gets.
enum Operator: String, CaseIterable, CustomTestStringConvertible {
  case map, tryMap, compactMap, filter, removeDuplicates, scan, prefix, dropFirst, handleEvents
  case mapError, merge, mergeOfMany, combineLatest, combineLatestOfThree, combineLatestOfMany, zip
  case zipOfMany, flatMap, switchToLatest, `catch`, retry, retryWithBackOff, share, replay
  case debounce, throttle, throttleFirst, delay, timeout, deferred, chain

  var testDescription: String { rawValue }

  typealias Ints = any Publisher<Int, any Error>

  @MainActor
  func callAsFunction(_ upstream: Ints, _ clock: ManualClock) -> Ints {
    switch self {
    case .map: upstream.map { $0 }
    case .tryMap: upstream.tryMap { $0 }
    case .compactMap: upstream.compactMap { $0 }
    case .filter: upstream.filter { _ in true }
    case .removeDuplicates: upstream.removeDuplicates(by: ==)
    case .scan: upstream.scan(0) { $1 }
    case .prefix: upstream.prefix(100)
    case .dropFirst: upstream.dropFirst(0)
    case .handleEvents: upstream.handleEvents(receiveOutput: { _ in })
    case .mapError: upstream.mapError { $0 }
    case .merge: upstream.merge(with: Empty<Int, any Error>())
    case .mergeOfMany: Merge([upstream, Empty<Int, any Error>()])
    case .combineLatest: combine(upstream)
    case .combineLatestOfThree: combineThree(upstream)
    case .combineLatestOfMany: CombineLatest([upstream]).map { $0[0] }
    case .zip: pair(upstream)
    case .zipOfMany: Zip([upstream]).map { $0[0] }
    case .flatMap: upstream.flatMap { Just($0).setFailureType(to: (any Error).self) }
    case .switchToLatest: latest(upstream)
    case .catch: upstream.catch { Fail<Int, any Error>($0) }
    case .retry: upstream.retry(0)
    case .retryWithBackOff: upstream.retry(0, clock: clock) { _ in .seconds(1) }
    case .share: upstream.share()
    case .replay: upstream.replay(1)
    case .debounce: upstream.debounce(for: .seconds(1), clock: clock)
    case .throttle: upstream.throttle(for: .seconds(1), latest: true, clock: clock)
    case .throttleFirst: upstream.throttle(for: .seconds(1), latest: false, clock: clock)
    case .delay: upstream.delay(for: .seconds(1), clock: clock)
    case .timeout: upstream.timeout(.seconds(1_000_000), clock: clock)
    case .deferred: make(upstream)
    case .chain: upstream.map { $0 }.filter { _ in true }.scan(0) { $1 }.share()
    }
  }

  private func combine(_ upstream: some Publisher<Int, any Error>) -> Ints {
    upstream.combineLatest(Just(0).setFailureType(to: (any Error).self)).map { $0.0 }
  }

  private func combineThree(_ upstream: some Publisher<Int, any Error>) -> Ints {
    let zero = Just(0).setFailureType(to: (any Error).self)
    return zero.combineLatest(upstream, zero).map { $0.1 }
  }

  private func pair(_ upstream: some Publisher<Int, any Error>) -> Ints {
    upstream.zip((0...).publisher.prefix(1000).setFailureType(to: (any Error).self)).map { $0.0 }
  }

  private func latest(_ upstream: some Publisher<Int, any Error>) -> Ints {
    upstream.map { Just($0).setFailureType(to: (any Error).self) }.switchToLatest()
  }

  private func make(_ upstream: some Publisher<Int, any Error>) -> Ints {
    Deferred { upstream }
  }
}
