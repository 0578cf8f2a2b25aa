package import Signals

package class Tale: Object {
  @Field package var title = ""
  @Field package var pages = 0
  @Field package var rating: Double?
  @Field package var score = 0.0
  @Link package var poet: Teller?
  @Links package var awards: List<Medal>
  @Inverse(\TaleShelf.novels) package var cases
  /// Not observed.
  package var note = 0
}

package final class Saga: Tale {}

/// Holds results of tales, itself among them, so that its release ends them.
package final class TaleOwner: Tale { package var owned: Results<Tale>? }

package final class Teller: Object { @Field package var name = "" }
package final class Medal: Object { @Field package var year = 0 }
package final class TaleShelf: Object { @Links package var novels: List<Tale> }

extension Store {
  /// Adds novels with these page counts, titled by their numbers.
  package func addTales(_ pages: some Sequence<Int>) throws -> [Tale] {
    let novels = pages.enumerated().map { number, pages in
      let novel = Tale()
      novel.title = "\(number)"
      novel.pages = pages
      return novel
    }
    try write { try add(novels) }
    return novels
  }
}

extension Results where Element: Tale {
  package var pages: [Int] { map(\.pages) }
  package var titles: [String] { map(\.title) }
}

extension Store {
  /// Adds tales with these titles, and 1, 2, 3… pages.
  package func addTales(titled titles: [String]) throws -> [Tale] {
    let tales = try addTales(1...titles.count)
    try write { for (tale, title) in zip(tales, titles) { tale.title = title } }
    return tales
  }
}

/// What sections of tales show, as text.
package func text<Key>(_ sections: Sections<Key, Tale>) -> [String] {
  sections.map { "\($0.key): \($0.map(\.pages))" }
}
