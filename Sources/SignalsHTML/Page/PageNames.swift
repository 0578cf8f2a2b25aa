// The names of elements on a page. They are hashes, so a page contains no key and no id of an
// object, and nothing on it can be guessed from another session's.

import Signals

/// Names the elements and values of a session's pages.
struct PageNames {
  private let salt: UInt64

  init(salt: UInt64) { self.salt = salt }

  /// Returns the name of an element.
  func name(of element: ElementID) -> String { name(of: element.description, in: 1) }

  /// Returns the name of a scope, such as a row.
  func name(of scope: ScopePath) -> String { name(of: scope.description, in: 2) }

  /// Returns the name of a value that a page shows.
  func name(ofValue value: String) -> String { name(of: value, in: 3) }

  private func name(of text: String, in kind: UInt8) -> String {
    var hasher = Hasher()
    hasher.combine(salt)
    hasher.combine(kind)
    hasher.combine(text)
    return String(UInt64(bitPattern: Int64(hasher.finalize())), radix: 36)
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
