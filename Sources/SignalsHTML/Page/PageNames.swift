// The names of elements on a page. They are hashes with a key that only the session knows, so a page
// contains no key and no id of an object, and nothing on it can be guessed from another session's.
//
// The key is part of the session's own state: a session that continues another one, perhaps in
// another process, gives the same names.

import Signals

/// The key of a session's names, which is kept with the visitor's state.
final class PageKey: Object {
  @Field var first = 0
  @Field var second = 0

  /// Returns the key in a store, or a new one.
  static func of(_ store: Store) -> PageKey {
    if let known = untracked({ store.results(PageKey.self).first }) { return known }
    var random = SystemRandomNumberGenerator()
    let key = PageKey()
    (key.first, key.second) = (
      Int(truncatingIfNeeded: random.next()), Int(truncatingIfNeeded: random.next())
    )
    // The store is the session's, and has no rules that could refuse it.
    _ = try? store.add(key)
    return key
  }
}

/// Names the elements and values of a session's pages.
struct PageNames {
  private let key: (UInt64, UInt64)

  init(_ key: PageKey) {
    self.key = untracked {
      (UInt64(bitPattern: Int64(key.first)), UInt64(bitPattern: Int64(key.second)))
    }
  }

  /// Returns the name of an element.
  func name(of element: ElementID) -> String { name(of: element.description, in: 1) }

  /// Returns the name of a scope, such as a row.
  func name(of scope: ScopePath) -> String { name(of: scope.description, in: 2) }

  /// Returns the name of a value that a page shows.
  func name(ofValue value: String) -> String { name(of: value, in: 3) }

  /// The secret of the session's forms.
  var token: String { "\(name(of: "token", in: 4))-\(name(of: "token", in: 5))" }

  private func name(of text: String, in kind: UInt8) -> String {
    var hash = KeyedHash(key)
    hash.combine(kind)
    hash.combine(text)
    return String(hash.finish(), radix: 36)
  }
}

/// SipHash-1-3 of bytes: the hash of the standard library's `Hasher`, with a key that is the same in
/// every process.
struct KeyedHash {
  private var state: (UInt64, UInt64, UInt64, UInt64)
  /// The bytes of the word that isn't complete, and the number of all bytes.
  private var (tail, count): (UInt64, UInt64) = (0, 0)

  init(_ key: (UInt64, UInt64)) {
    state = (
      key.0 ^ 0x736f_6d65_7073_6575, key.1 ^ 0x646f_7261_6e64_6f6d,
      key.0 ^ 0x6c79_6765_6e65_7261, key.1 ^ 0x7465_6462_7974_6573
    )
  }

  mutating func combine(_ text: String) { for byte in text.utf8 { combine(byte) } }

  mutating func combine(_ byte: UInt8) {
    tail |= UInt64(byte) &<< (8 * (count & 7))
    count &+= 1
    if count & 7 == 0 {
      compress(tail)
      tail = 0
    }
  }

  mutating func finish() -> UInt64 {
    compress(tail | count &<< 56)
    state.2 ^= 0xff
    for _ in 0..<3 { round() }
    return state.0 ^ state.1 ^ state.2 ^ state.3
  }

  private mutating func compress(_ word: UInt64) {
    state.3 ^= word
    round()
    state.0 ^= word
  }

  private mutating func round() {
    func turn(_ word: UInt64, by bits: UInt64) -> UInt64 { word &<< bits | word &>> (64 &- bits) }
    state.0 &+= state.1
    state.1 = turn(state.1, by: 13) ^ state.0
    state.0 = turn(state.0, by: 32)
    state.2 &+= state.3
    state.3 = turn(state.3, by: 16) ^ state.2
    state.0 &+= state.3
    state.3 = turn(state.3, by: 21) ^ state.0
    state.2 &+= state.1
    state.1 = turn(state.1, by: 17) ^ state.2
    state.2 = turn(state.2, by: 32)
  }
}

/// What a name on a page refers to.
enum PageTarget {
  case element(ElementID)
  /// The rows of a `ForEach`, of which a page shows a part.
  case rows(ScopePath)
  /// One row of a list whose rows can be moved.
  case row(ScopePath)
}
