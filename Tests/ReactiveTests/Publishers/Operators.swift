import Signals
import SignalsTesting
import TestSupport
import Testing

/// Every operator, set up so that it sends on what it gets; and each place that something can be got from.
enum Operator: String, CaseIterable, CustomTestStringConvertible {
  case map, tryMap, compactMap, filter, removeDuplicates, scan, prefix, dropFirst, handleEvents
  case mapError, merge, mergeSecond, mergeOfMany, combineLatest, combineLatestSecond
  case combineLatestOfThree, combineLatestOfMany, zip, zipSecond, zipOfThree, zipOfMany
  case flatMap, flatMapInner, switchToLatest, switchToLatestInner, `catch`, catchReplacement
  case retry, retrySecondAttempt, retryWithBackOff, retryWithoutPause, share, replay
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
    case .handleEvents: upstream.handleEvents(receiveOutput: { _ in }, receiveCancel: {})
    case .mapError: upstream.mapError { $0 }
    case .merge: upstream.merge(with: Empty<Int, any Error>())
    case .mergeSecond: mergeSecond(upstream)
    case .mergeOfMany: Merge([upstream, Empty<Int, any Error>()])
    case .combineLatest: upstream.combineLatest(zero).map { $0.0 }
    case .combineLatestSecond: combineSecond(upstream)
    case .combineLatestOfThree: combineThree(upstream)
    case .combineLatestOfMany: CombineLatest([upstream]).map { $0[0] }
    case .zip: upstream.zip(numbers).map { $0.0 }
    case .zipSecond: zipSecond(upstream)
    case .zipOfThree: zipThree(upstream)
    case .zipOfMany: Zip([upstream]).map { $0[0] }
    case .flatMap: upstream.flatMap { Just($0).setFailureType(to: (any Error).self) }
    case .flatMapInner: inner(upstream)
    case .switchToLatest: latest(upstream)
    case .switchToLatestInner: innerOfLatest(upstream)
    case .catch: upstream.catch { Fail<Int, any Error>($0) }
    case .catchReplacement: replacement(upstream)
    case .retry: upstream.retry(0)
    case .retrySecondAttempt: again(upstream).retry(1)
    case .retryWithBackOff: upstream.retry(0, clock: clock) { _ in .seconds(1) }
    case .retryWithoutPause: again(upstream).retry(1, clock: clock) { _ in .zero }
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

  private typealias Failing = any Error

  private var zero: some Publisher<Int, any Error> { Just(0).setFailureType(to: Failing.self) }
  private var broken: Fail<Int, any Error> { Fail(Fault.other) }
  private var numbers: some Publisher<Int, any Error> {
    (0...).publisher.prefix(1000).setFailureType(to: Failing.self)
  }

  // A function opens an existential that is an argument of an operator.

  private func mergeSecond(_ upstream: some Publisher<Int, any Error>) -> Ints {
    Empty<Int, any Error>().merge(with: upstream)
  }

  private func combineSecond(_ upstream: some Publisher<Int, any Error>) -> Ints {
    zero.combineLatest(upstream).map { $0.1 }
  }

  private func combineThree(_ upstream: some Publisher<Int, any Error>) -> Ints {
    zero.combineLatest(upstream, zero).map { $0.1 }
  }

  private func zipSecond(_ upstream: some Publisher<Int, any Error>) -> Ints {
    numbers.zip(upstream).map { $0.1 }
  }

  private func zipThree(_ upstream: some Publisher<Int, any Error>) -> Ints {
    numbers.zip(upstream, numbers).map { $0.1 }
  }

  private func latest(_ upstream: some Publisher<Int, any Error>) -> Ints {
    upstream.map { Just($0).setFailureType(to: Failing.self) }.switchToLatest()
  }

  private func inner(_ upstream: some Publisher<Int, any Error>) -> Ints {
    zero.flatMap { _ in upstream }
  }

  private func innerOfLatest(_ upstream: some Publisher<Int, any Error>) -> Ints {
    zero.map { _ in upstream }.switchToLatest()
  }

  private func replacement(_ upstream: some Publisher<Int, any Error>) -> Ints {
    broken.catch { _ in upstream }
  }

  private func make(_ upstream: some Publisher<Int, any Error>) -> Ints {
    Deferred { upstream }
  }

  private func again(_ upstream: some Publisher<Int, any Error>) -> Ints {
    FailingFirst(upstream: upstream)
  }
}

/// Fails when it is subscribed to for the first, the third, the fifth time.
private struct FailingFirst<Upstream: Publisher>: Publisher where Upstream.Failure == any Error {
  typealias Output = Upstream.Output
  typealias Failure = any Error

  private final class Attempts { var count = 0 }

  let upstream: Upstream
  private let attempts = Attempts()

  init(upstream: Upstream) { self.upstream = upstream }

  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == any Error {
    attempts.count += 1
    if attempts.count % 2 == 0 { return upstream.subscribe(downstream) }
    downstream.finish(.failure(Fault.other))
    return nil
  }
}
