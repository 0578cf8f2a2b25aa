import Signals
import SignalsTesting
import TestSupport
import Testing

@Suite struct `Results sorted by a comparison of floating-point values` {
  final class Reading: Object {
    @Field var value = 0.0
  }

  @Test func `not-a-number stands after everything, and changes like any value`() throws {
    let store = Store()
    var generator = SeededRandom(seed: 7)
    let readings = (0..<30).map { _ in Reading() }
    try store.add(readings)
    let results = store.results(Reading.self).sorted(by: \.value, using: >)
    var mirror = Array(results)
    let token = results.observe { $0.apply(to: &mirror) }
    for _ in 0..<500 {
      guard let reading = readings.randomElement(using: &generator) else { continue }
      reading.value =
        Bool.random(using: &generator) ? .nan : Double(Int.random(in: 0..<9, using: &generator))
      let values = results.map(\.value)
      let numbers = values.prefix { !$0.isNaN }
      #expect(Array(numbers) == numbers.sorted(by: >))
      let areRestNaN = values.dropFirst(numbers.count).allSatisfy(\.isNaN)
      #expect(areRestNaN)
      #expect(mirror == Array(results))
    }
    token.cancel()
  }
}
