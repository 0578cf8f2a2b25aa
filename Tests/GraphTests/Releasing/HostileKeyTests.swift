import Signals
import TestSupport
import Testing

/// A key whose comparison does what it may not.
struct NosyKey: Codable, Hashable, Sendable {
  let number: Int

  nonisolated(unsafe) static var look: (() -> Void)?

  static func == (one: NosyKey, other: NosyKey) -> Bool {
    unsafe look?()
    return one.number == other.number
  }

  func hash(into hasher: inout Hasher) { hasher.combine(0) }
}

final class Nosy: Object {
  @PrimaryKey var key = NosyKey(number: 0)
  @Indexed var tag = NosyKey(number: 0)
}

@Suite struct `Keys that look at more than themselves` {
  @Test func `a key that uses its own index when it is compared traps, by name`() async {
    let adding = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = Store()
      let nosy = Nosy()
      try store.add(nosy)
      unsafe NosyKey.look = { [store] in
        unsafe NosyKey.look = nil
        let other = Nosy()
        other.key = NosyKey(number: 7)
        _ = try? store.add(other)
      }
      let third = Nosy()
      third.key = NosyKey(number: 3)
      try store.add(third)
    }
    expectError(
      adding,
      "hashing or comparing values of Nosy.key has led back to the index of Nosy.key: `==` and "
        + "`hash(into:)` may look at nothing but the values")
    let looking = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = Store()
      let nosy = Nosy()
      try store.add(nosy)
      var isLooking = false
      unsafe NosyKey.look = { [store] in
        if isLooking { return }
        isLooking = true
        defer { isLooking = false }
        _ = store.results(Nosy.self).where(\.tag, equals: NosyKey(number: 1)).count
      }
      nosy.tag = NosyKey(number: 3)
    }
    expectError(looking, "hashing or comparing values of Nosy.tag has led back to the index")
  }
}
