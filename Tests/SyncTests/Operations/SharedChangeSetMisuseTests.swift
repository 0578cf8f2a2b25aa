import Signals
import SignalsSync
import TestSupport
import Testing

/// The traps of change sets, each in a separate process.
@Suite struct `Misuse of change sets` {
  @Test func `An operation without exactly one value traps`() async {
    expectError(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var builder = SharedChangeSetBuilder()
        let object = ObjectID(replica: 1, counter: 1)
        builder.append(.set, object, name: builder.index(of: "a")) { writer in
          writer.write(0)
          writer.write(0)
        }
      }, "Signals: what was written for an operation isn't exactly one value")
    expectError(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var builder = SharedChangeSetBuilder()
        let object = ObjectID(replica: 1, counter: 1)
        builder.append(.set, object, name: builder.index(of: "a")) { _ in }
      }, "Signals: what was written for an operation isn't exactly one value")
    expectError(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var builder = SharedChangeSetBuilder()
        let object = ObjectID(replica: 1, counter: 1)
        try builder.append(.create, object, property: "a", value: 5)
      }, "Signals: an operation has a value exactly if its kind has one, unlike create")
  }

  @Test func `A set that no replica can make traps`() async {
    expectError(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var builder = SharedChangeSetBuilder()
        _ = try builder.finish(replica: ReplicaID(rawValue: 1), sequence: 1, time: .zero)
      }, "Signals: 0+0: a change set's time is after zero, and not after 6429")
    expectError(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var builder = SharedChangeSetBuilder()
        let time = HybridTime(milliseconds: 9)
        _ = try builder.finish(replica: ReplicaID(rawValue: 1), sequence: 0, time: time)
      }, "Signals: the sequences of change sets begin with 1")
    expectError(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var builder = SharedChangeSetBuilder()
        let seen = [3, 2].map {
          Stamp(time: HybridTime(milliseconds: 1), replica: ReplicaID(rawValue: $0))
        }
        _ = try builder.finish(
          replica: ReplicaID(rawValue: 1), sequence: 1, time: HybridTime(milliseconds: 9),
          seen: seen)
      }, "Signals: 1+0@0000000000000002: a seen time is of another replica")
  }
}
