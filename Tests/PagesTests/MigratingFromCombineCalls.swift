// The calls that the tables of "Migrating from Combine" name: that they compile is the test.

import Signals
import SignalsTesting

private enum Failure: Error { case broken }

private func calls(_ numbers: Subject<Int, Failure>, _ others: Subject<Int, Failure>) throws {
  var tokens: [any Cancellable] = []
  func use(_ publisher: any Publisher) { tokens.append(any(publisher)) }
  func any<P: Publisher>(_ publisher: P) -> any Cancellable {
    publisher.sink(receiveCompletion: { _ in }, receiveValue: { _ in })
  }
  use(numbers.map { $0 }.tryMap { $0 }.compactMap { $0 }.filter { $0 > 0 })
  use(numbers.scan(0) { $0 + $1 }.removeDuplicates().prefix(3).dropFirst())
  use(numbers.flatMap { Just($0).setFailureType(to: Failure.self) })
  use(numbers.merge(with: others).handleEvents(receiveOutput: { _ in }))
  use(numbers.combineLatest(others))
  use(numbers.zip(others))
  use(Merge([numbers, others]))
  use(CombineLatest([numbers, others]))
  use(Zip([numbers, others]))
  use(numbers.catch { _ in Just(0) })
  use(numbers.retry(2).mapError { $0 }.share().replay(1))
  use([1, 2].publisher)
  use(Deferred { Fail<Int, Failure>(.broken) })
  use(Empty<Int, Failure>())
  use(CurrentValueSubject<Int, Never>(1))
  _ = numbers.values(buffering: .newest(1))
}

@MainActor private func timed(_ numbers: Subject<Int, Failure>, _ clock: ManualClock) {
  let second = Duration.seconds(1)
  _ = numbers.debounce(for: second, clock: clock).throttle(for: second, latest: true, clock: clock)
    .delay(for: second, clock: clock).timeout(second, clock: clock)
  _ = numbers.retry(2, clock: clock) { _ in second }
  _ = Every(second, clock: clock)
  _ = Future { 1 }
  _ = AsyncStream<Int> { $0.finish() }.publisher()
}
