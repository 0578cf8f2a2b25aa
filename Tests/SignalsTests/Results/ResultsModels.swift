import Signals

class Tale: Object {
  @Field var title = ""
  @Field var pages = 0
  @Field var rating: Double?
  @Field var score = 0.0
  @Link var poet: Teller?
  @Links var awards: List<Medal>
  @Inverse(\TaleShelf.novels) var cases
  /// Not observed.
  var note = 0
}

final class Saga: Tale {}

final class Teller: Object { @Field var name = "" }
final class Medal: Object { @Field var year = 0 }
final class TaleShelf: Object { @Links var novels: List<Tale> }

extension Store {
  /// Adds novels with these page counts, titled by their numbers.
  func addTales(_ pages: some Sequence<Int>) throws -> [Tale] {
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
  var pages: [Int] { map(\.pages) }
  var titles: [String] { map(\.title) }
}
