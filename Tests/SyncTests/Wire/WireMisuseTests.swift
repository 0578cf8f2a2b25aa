import SignalsSync
import TestSupport
import Testing

/// The traps of the wire, of stamps and of bytes, each in a separate process.
@Suite struct `Misuse of the wire` {
  @Test func `limits that no message may have trap`() async {
    expectError(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = WireEncoder(limit: 1 << 28)
      }, "Signals: 268435456 bytes: a message has at most 128 MiB")
    expectError(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = WireDecoder(limit: 1 << 28)
      }, "Signals: 268435456 bytes: a message has at most 128 MiB")
  }

  @Test func `messages that can't be sent trap`() async {
    expectError(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = WireChangeSets(partition: "a", position: nil, sets: [])
      }, "Signals: a message of change sets has at least one")
    expectError(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = WireSnapshotPiece(
          place: WirePlace(partition: "a", head: .start), offset: 3, total: 4, bytes: [1, 2])
      }, "Signals: a piece of 2 bytes at 3 is beyond its snapshot of 4")
  }

  @Test func `times and ranges that can't be represented trap`() async {
    expectError(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = HybridTime(milliseconds: 1 << 48)
      }, "Signals: 281474976710656 ms: a hybrid time has 48 bits of them")
    expectError(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = ByteReader([1, 2], in: 1..<3)
      }, "Signals: the range 1..<3 is beyond the 2 bytes to read")
    expectError(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = FileFormat("short", version: 1)
      }, "Signals: the name of a format has seven bytes, unlike short")
  }
}
