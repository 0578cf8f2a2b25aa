import Signals
import TestSupport
import Testing

@Suite struct `Exchange of a value` {
  @Test func `a plain value is returned, and replaced`() {
    var number = 1
    #expect(exchange(&number, with: 2) == 1)
    #expect(number == 2)
    var pair = (1, 2.5)
    #expect(exchange(&pair, with: (3, 4.5)) == (1, 2.5))
    #expect(pair == (3, 4.5))
  }

  @Test func `an optional plain value is too`() {
    var number: Int?
    #expect(exchange(&number, with: 1) == nil)
    #expect(exchange(&number, with: nil) == 1)
    #expect(number == nil)
  }

  @Test func `an object is returned, and released by the caller`() {
    var ends = 0
    var object: Lifetime? = Lifetime { ends += 1 }
    do {
      let old = exchange(&object, with: nil)
      #expect(object == nil)
      #expect(ends == 0)
      withExtendedLifetime(old) {}
    }
    #expect(ends == 1)
  }
}
