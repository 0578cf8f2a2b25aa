import SignalsSync
import SignalsTesting
import TestSupport
import Testing

/// The digest of a set of users.
@Suite struct `Presence, digest` {
  @Test func `the digest of no users is 0`() {
    #expect(PresentUsers().digest == 0)
  }

  @Test func `a digest doesn't depend on the order or on what came in between`() {
    var random = SeededRandom(seed: 4)
    let users = (0..<200).map { PresentUser(user: "user \($0)", payload: [UInt8($0)]) }
    var first = PresentUsers()
    for user in users { first.set(user.user, to: user) }
    var second = PresentUsers()
    for user in users.shuffled(using: &random) {
      second.set(user.user, to: PresentUser(user: user.user, payload: [1, 2, 3]))
      second.set("other", to: PresentUser(user: "other", payload: []))
    }
    for user in users.shuffled(using: &random) { second.set(user.user, to: user) }
    #expect(first.digest != second.digest)
    second.set("other", to: nil)
    #expect(first.digest == second.digest)
    #expect(first == second)
  }

  @Test func `no byte can move from one field to another`() {
    let users = [
      PresentUser(user: "ab", payload: .text("c")), PresentUser(user: "a", payload: .text("bc")),
      PresentUser(user: "abc", payload: []), PresentUser(user: "", payload: .text("abc")),
      PresentUser(user: "\0abc", payload: []), PresentUser(user: "abc\0", payload: []),
      PresentUser(user: "abc", payload: [0]), PresentUser(user: "abc", payload: [], stamp: 1),
      PresentUser(user: "12345678", payload: []), PresentUser(user: "1234567", payload: .text("8")),
      PresentUser(user: "12345678", payload: [0]), PresentUser(user: "12345678\0", payload: []),
    ]
    #expect(Set(users.map(\.digest)).count == users.count)
  }

  @Test func `different users have different hashes`() {
    var digests = Set<UInt64>()
    for number in 0..<20_000 {
      digests.insert(PresentUser(user: "\(number)", payload: []).digest)
      digests.insert(PresentUser(user: "", payload: .text("\(number)")).digest)
      digests.insert(PresentUser(user: "", payload: [], stamp: UInt64(number) + 1).digest)
    }
    #expect(digests.count == 60_000)
  }

  /// Receivers of another version compare digests: this value is part of the protocol.
  @Test func `the hash is the same in each process and version`() {
    #expect(PresentUser(user: "", payload: []).digest == 8_898_191_602_020_027_029)
    let ann = PresentUser(user: "ann on a boat", payload: .text("typing"), stamp: 7)
    #expect(ann.digest == 10_823_943_288_168_874_614)
  }
}
