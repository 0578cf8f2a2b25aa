import Signals
import Testing

final class Author2: Object { @Field var name = "" }
final class Book2: Object {
  @PrimaryKey var isbn = 0
  @Field var title = ""
  @Field var pages = 0
  @Link var author: Author2?
}
@Test func results() throws {
  let store = Store()
  let limit = Signal(300)
  let ada = Author2(); ada.name = "Ada"
  try store.write {
    for i in 0..<200 {
      let b = Book2(); b.isbn = i; b.pages = i * 10; b.title = "T\(i % 7)";
      if i % 3 == 0 { b.author = ada }; try store.add(b)
    }
  }
  let all = store.results(Book2.self)
  #expect(all.count == 200)
  let long = all.where { $0.pages > limit.value && $0.author?.name == "Ada" }.sorted(by: \.title)
    .sorted(by: \.pages, order: .descending)
  var copy = Array(long)
  func expected() -> [Book2] {
    Array(all).filter { $0.pages > limit.value && $0.author?.name == "Ada" }.sorted {
      ($0.title, -$0.pages) < ($1.title, -$1.pages)
    }
  }
  #expect(copy == expected())
  var changes = 0
  let token = long.observe { change in
    change.apply(to: &copy); changes += 1; print(change)
  }
  let counted = Signal(0)
  let e = Effect { counted.value = long.count }
  limit.value = 1500
  #expect(copy == expected() && changes == 1 && counted.value == copy.count)
  let b = copy[3]
  b.title = "T0"
  #expect(copy == expected())
  try store.delete(b)
  #expect(copy == expected())
  try store.undo()
  #expect(copy == expected())
  ada.name = "Bob"
  #expect(copy.isEmpty && counted.value == 0)
  _ = (token, e)
}
