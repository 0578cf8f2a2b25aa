// The standard library's Observation: a source is an object with one property, an effect is tracking
// that is armed again after each change. Nothing is derived there but computed properties, which
// cache nothing: for graphs of computeds there is no equivalent.
//
// Mutable state: `effects`, by index, and `changed`, the indices of those that a write has touched.
// `onChange` comes before the new value is there, so the effects run when the write is over.

import Observation

@Observable
final class ObservableValue {
  var value: Int

  init(_ value: Int) { self.value = value }
}

final class ObservationEngine: Engine {
  private var effects: [() -> Void] = []
  private var changed: [Int] = []

  func source(_ value: Int) -> ObservableValue { ObservableValue(value) }

  func read(_ source: ObservableValue) -> Int { source.value }

  func write(_ value: Int, to source: ObservableValue) {
    source.value = value
    runChanged()
  }

  func increment(_ source: ObservableValue) {
    source.value += 1
    runChanged()
  }

  func build(_ body: () -> Void) { body() }

  func makeEffect(on sources: [ObservableValue], _ range: Range<Int>, to sum: Counter) {
    let start = range.lowerBound
    switch range.count {
    case 0: makeEffect { sum.count &+= start }
    case 1:
      let one = sources[start]
      makeEffect { sum.count &+= one.value }
    case 2:
      let one = sources[start]
      let two = sources[start + 1]
      makeEffect { sum.count &+= one.value &+ two.value }
    case 4:
      let one = sources[start]
      let two = sources[start + 1]
      let three = sources[start + 2]
      let four = sources[start + 3]
      makeEffect { sum.count &+= one.value &+ two.value &+ three.value &+ four.value }
    default:
      makeEffect {
        var total = 0
        for index in range { total &+= sources[index].value }
        sum.count &+= total
      }
    }
  }

  func makeEffect(_ body: @escaping () -> Void) {
    effects.append(body)
    run(effects.count - 1)
  }

  func dispose() { effects = [] }

  private func run(_ index: Int) {
    // Called on the thread that writes, which is the only one.
    nonisolated(unsafe) weak let engine = self
    withObservationTracking(effects[index]) { unsafe engine?.changed.append(index) }
  }

  private func runChanged() {
    if changed.isEmpty { return }
    let running = changed
    changed = []
    for index in running { run(index) }
  }
}
