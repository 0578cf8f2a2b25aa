package import Signals

/// What a screen of the library is made on: all three look and do the same.
package enum ScreenStyle: String, CaseIterable, Sendable {
  /// Two observed objects and live results: ``LibraryScreen``.
  case objects
  /// A projection of both: ``DeskScreen``.
  case projection
  /// Immutable view models: ``CardScreen``.
  case values

  /// The screen of a library for one of its members.
  @ElementBuilder
  package func screen(_ store: Store, _ library: Library, _ member: Member) -> Element {
    switch self {
    case .objects: LibraryScreen(library: library, member: member)
    case .projection: DeskScreen(library: library, member: member)
    case .values: CardScreen(store, library: library.id, member: member.id)
    }
  }
}
