package import Foundation
package import Signals

/// A book as a value that can be sent anywhere.
package struct BookCard: Sendable, Equatable, Identifiable {
  package let id: String
  let title: String
  let author: String

  init(_ book: Book) { (id, title, author) = (book.isbn, book.title, book.author) }

  func matches(_ query: String) -> Bool { title.has(query) || author.has(query) }
}

/// A library as a value: what is available, by title.
package struct LibraryCard: Sendable, Equatable {
  let available: [BookCard]

  init(_ library: Library) {
    available = library.available.map(BookCard.init).sorted { $0.title < $1.title }
  }
}

/// A member as a value.
package struct MemberCard: Sendable, Equatable {
  let name: String
  let borrowed: [BookCard]

  init(_ member: Member) {
    (name, borrowed) = (member.name, member.borrowed.map(BookCard.init))
  }
}

/// The present cards of a library and a member, while both are stored.
package final class Cards {
  @Signal package private(set) var library: LibraryCard? = nil
  @Signal package private(set) var member: MemberCard? = nil
  private var feeds: [any Cancellable] = []

  /// Follows a library and a member of a store by their keys.
  package init(_ store: Store, library: UUID, member: UUID) {
    weak let cards = self
    feeds = [
      store.viewModels(of: Library.self, primaryKey: library, LibraryCard.init)
        .sink { cards?.library = $0 },
      store.viewModels(of: Member.self, primaryKey: member, MemberCard.init)
        .sink { cards?.member = $0 },
    ]
  }
}

/// What a member sees of a library, on values alone: no object reaches the view, but for its intents.
package struct CardScreen: View {
  @Environment(\.store) private var store
  @StateObject private var cards: Cards
  @State private var query = ""
  private let library: UUID
  private let member: UUID

  /// Shows a library of a store to one of its members.
  package init(_ store: Store, library: UUID, member: UUID) {
    (self.library, self.member) = (library, member)
    _cards = StateObject(wrappedValue: Cards(store, library: library, member: member))
  }

  /// What the view shows.
  package var body: Element {
    let shown = cards.library?.available ?? []
    Column {
      Text("Available: \(shown.count)").style(.title)
      TextField("Search", text: $query, id: "search")
      ForEach(shown.filter { $0.matches(query) }) { card in
        Button("Borrow \(card.title)", id: "borrow-\(card.id)") {
          try stored?.borrow(isbn: card.id, for: member)
        }
      }
      if let reader = cards.member {
        Section("Borrowed by \(reader.name): \(reader.borrowed.count)") {
          ForEach(reader.borrowed) { card in
            Button("Return \(card.title)", id: "return-\(card.id)") {
              try stored?.takeBack(isbn: card.id, from: member)
            }
          }
        }
      }
    }
  }

  private var stored: Library? { store?.object(Library.self, primaryKey: library) }
}
