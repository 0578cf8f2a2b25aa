package import Signals

/// What the tests of the graph put into stores.
package final class Page: Object {
  @Field package var number = 0
  @Field package var text = ""
}

package class Work: Object {
  @PrimaryKey package var key = 0
  @Field package var name = ""
}

package final class Novel: Work {
  @Field package var pages = 0
  @Field package var price: Double?
  @Field package var genre = Genre.crime
  @Field package var size = Size(width: 1, height: 2)
  @Field package var tags: [String] = []
  @Indexed package var shelf = ""
  @Link package var author: Writer?
  @Link(onDelete: .cascade) package var cover: Page?
  @Link(onDelete: .deny) package var lender: Writer?
  @Inverse(\Shelf.novels) package var shelves
  @Inverse(\Shelf.best) package var bestOf

  package var label: String {
    get { "\(name) (\(pages))" }
    set { name = newValue }
  }
  package var firstTag: String { tags[0] }
}

package enum Genre: String, Codable, Sendable { case crime, poetry }

package struct Size: Codable, Equatable, Sendable {
  package var width: Int
  package var height: Int

  package init(width: Int, height: Int) { (self.width, self.height) = (width, height) }
}

package struct Nothing: Codable, Equatable, Sendable {
  package init() {}
}

package final class Writer: Object {
  @Field package var name = ""
  @Inverse(\Novel.author) package var novels
}

package final class Shelf: Object {
  @PrimaryKey package var place = ""
  @Links package var novels: List<Novel>
  @Link package var best: Novel?
}

/// A chain that can close into a ring.
package final class Chain: Object {
  @PrimaryKey package var key = 0
  @Link(onDelete: .cascade) package var next: Chain?
}

/// A value without a size stands beside one that has one.
package final class Odd: Object {
  @Field package var nothing = Nothing()
  @Field package var title = ""
}

/// Who lives somewhere, and is reached by several means.
package final class Person: Object {
  @PrimaryKey package var id = 0
  @Field package var name = ""
  @Link package var home: Address?
  @Links package var phones: List<Phone>
}

package final class Address: EmbeddedObject {
  @Field package var city = ""
  @Link package var geo: Geo?
  @Inverse(\Person.home) package var people
}

package final class Geo: EmbeddedObject {
  @Field package var latitude = 0.0
}

package final class Phone: EmbeddedObject {
  @Field package var number = ""
  @Link package var seller: Writer?
}

/// What can embed itself, at any depth.
package final class Part: EmbeddedObject {
  @Indexed package var name = ""
  @Link package var part: Part?
  @Links package var parts: List<Part>
}

package final class Machine: Object {
  @Indexed package var name = ""
  @Link package var part: Part?
  @Links package var parts: List<Part>
}

package func makePerson(_ id: Int, city: String? = nil, phones: [String] = []) -> Person {
  let person = Person()
  person.id = id
  if let city {
    let address = Address()
    address.city = city
    address.geo = Geo()
    person.home = address
  }
  person.phones = List(phones.map(makePhone))
  return person
}

package func makePhone(_ number: String) -> Phone {
  let phone = Phone()
  phone.number = number
  return phone
}

package struct Refusal: Error, Equatable {
  package var reason = ""

  package init(reason: String = "") { self.reason = reason }
}

package func makeNovel(_ key: Int, _ name: String = "", pages: Int = 0) -> Novel {
  let novel = Novel()
  novel.key = key
  novel.name = name
  novel.pages = pages
  return novel
}

package func makeShelf(_ place: String, _ novels: [Novel] = []) -> Shelf {
  let shelf = Shelf()
  shelf.place = place
  shelf.novels = List(novels)
  return shelf
}

/// A store that records what it refused.
package final class RefusalLog {
  package var errors: [StoreError] = []
  package init(_ store: Store) {
    store.onRefusal = { [unowned self] error in
      if let error = error as? StoreError { errors.append(error) }
    }
  }
}
