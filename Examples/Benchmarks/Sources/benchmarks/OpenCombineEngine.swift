import OpenCombine

/// OpenCombine: a source is a `CurrentValueSubject`, an effect a `sink`, a derived value a `map`.
///
/// Release 0.14.0 has no `combineLatest`: an effect follows one source.
final class OpenCombineEngine: DerivingEngine {
  typealias Source = OpenCombine.CurrentValueSubject<Int, Never>

  private var kept: [AnyCancellable] = []

  func source(_ value: Int) -> Source { OpenCombine.CurrentValueSubject(value) }

  func read(_ source: Source) -> Int { source.value }

  func write(_ value: Int, to source: Source) { source.send(value) }

  func increment(_ source: Source) { source.value += 1 }

  func build(_ body: () -> Void) { body() }

  func makeEffect(on sources: [Source], _ range: Range<Int>, to sum: Counter) {
    kept.append(sources[range.lowerBound].sink { sum.count &+= $0 })
  }

  func makeChain(on source: Source, length: Int, to sum: Counter) {
    var last = source.map { $0 + 1 }.eraseToAnyPublisher()
    // Erased at each step: composed `map`s are slower, and their type would grow with the chain.
    for _ in 1..<length { last = last.map { $0 + 1 }.eraseToAnyPublisher() }
    kept.append(last.sink { sum.count &+= $0 })
  }

  func dispose() { kept = [] }
}
