import SignalsSync
import TestSupport
import Testing

@Suite("Misuse of shared lists")
struct PositionsMisuseTests {
  @Test("an index out of range traps, and is named")
  func index() async {
    expectError(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = try ListPositions<Int>.five.element(at: 5)
      }, "index 5 is out of range in a shared list")
    expectError(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var positions = try ListPositions<Int>.five
        _ = positions.insert(count: 1, at: 6, first: ElementID(replica: 1, counter: 0))
      }, "index 6 is out of range in a shared list")
    expectError(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var positions = try ListPositions<Int>.five
        let id = ElementID(replica: 1, counter: 0)
        _ = positions.move(from: 0, to: 5, position: id, stamp: 0)
      }, "index 5 is out of range in a shared list")
  }

  @Test("an identity that a local edit uses again traps, and is named")
  func usedTwice() async {
    expectError(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var positions = try ListPositions<Int>.five
        let id = ElementID(replica: 9, counter: 3)
        _ = positions.move(from: 0, to: 1, position: id, stamp: 0)
      }, "alreadyUsed")
  }
}
