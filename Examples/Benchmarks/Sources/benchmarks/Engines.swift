// The same work for the library and its peers: sources, effects that read them, chains of derived
// values. Generic code over an engine is specialized, so that nothing is measured but the engine.

import Signals

/// A count, or a sum, that closures share.
final class Counter {
  var count = 0
}

/// What reacts to writes.
protocol Engine: AnyObject {
  associatedtype Source

  init()
  func source(_ value: Int) -> Source
  func read(_ source: Source) -> Int
  /// One write; the effects have run when it returns.
  func write(_ value: Int, to source: Source)
  /// Adds one, by a plain write where an engine has batches.
  func increment(_ source: Source)
  /// Runs `body` and keeps the effects that it makes.
  func build(_ body: () -> Void)
  /// Keeps an effect that adds the sum of a range of sources to `sum`.
  func makeEffect(on sources: [Source], _ range: Range<Int>, to sum: Counter)
  /// Stops the effects that were kept.
  func dispose()
}

/// What has derived values besides.
protocol DerivingEngine: Engine {
  /// Keeps an effect at the end of a chain of derived values, each its predecessor plus one.
  func makeChain(on source: Source, length: Int, to sum: Counter)
}

final class SignalsEngine: DerivingEngine {
  private var scope: EffectScope?

  func source(_ value: Int) -> Signal<Int> { Signal(value) }

  func read(_ source: Signal<Int>) -> Int { source.value }

  func write(_ value: Int, to source: Signal<Int>) { batch { source.value = value } }

  func increment(_ source: Signal<Int>) { source.value += 1 }

  func build(_ body: () -> Void) { scope = EffectScope(body) }

  func makeEffect(on sources: [Signal<Int>], _ range: Range<Int>, to sum: Counter) {
    let start = range.lowerBound
    switch range.count {
    case 0: _ = Effect { sum.count &+= start }
    case 1:
      let one = sources[start]
      _ = Effect { sum.count &+= one.value }
    case 2:
      let one = sources[start]
      let two = sources[start + 1]
      _ = Effect { sum.count &+= one.value &+ two.value }
    case 4:
      let one = sources[start]
      let two = sources[start + 1]
      let three = sources[start + 2]
      let four = sources[start + 3]
      _ = Effect { sum.count &+= one.value &+ two.value &+ three.value &+ four.value }
    default:
      _ = Effect {
        var total = 0
        for index in range { total &+= sources[index].value }
        sum.count &+= total
      }
    }
  }

  func makeChain(on source: Signal<Int>, length: Int, to sum: Counter) {
    var last = Computed { source.value + 1 }
    for _ in 1..<length {
      let previous = last
      last = Computed { previous.value + 1 }
    }
    let end = last
    _ = Effect { sum.count &+= end.value }
  }

  func dispose() { scope = nil }
}

/// What the first row of a graph, of signals, and all others, of computeds, have in common.
protocol Readable<Value> {
  associatedtype Value
  var value: Value { get }
}

extension Signal: Readable {}

extension Computed: Readable {}
