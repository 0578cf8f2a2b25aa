import Signals

/// What the tests of the graph put into stores.
final class Page: Object {
  @Field var number = 0
  @Field var text = ""
}

class Work: Object {
  @PrimaryKey var key = 0
  @Field var name = ""
}

final class Novel: Work {
  @Field var pages = 0
  @Field var price: Double?
  @Field var genre = Genre.crime
  @Field var size = Size(width: 1, height: 2)
  @Field var tags: [String] = []
  @Indexed var shelf = ""
  @Link var author: Writer?
  @Link(onDelete: .cascade) var cover: Page?
  @Link(onDelete: .deny) var lender: Writer?
  @Inverse(\Shelf.novels) var shelves
  @Inverse(\Shelf.best) var bestOf

  var label: String {
    get { "\(name) (\(pages))" }
    set { name = newValue }
  }
  var firstTag: String { tags[0] }
}

enum Genre: String, Codable, Sendable { case crime, poetry }

struct Size: Codable, Equatable, Sendable {
  var width: Int
  var height: Int
}

struct Nothing: Codable, Equatable, Sendable {}

final class Writer: Object {
  @Field var name = ""
  @Inverse(\Novel.author) var novels
}

final class Shelf: Object {
  @PrimaryKey var place = ""
  @Links var novels: List<Novel>
  @Link var best: Novel?
}

/// A chain that can close into a ring.
final class Chain: Object {
  @PrimaryKey var key = 0
  @Link(onDelete: .cascade) var next: Chain?
}

/// A value without a size stands beside one that has one.
final class Odd: Object {
  @Field var nothing = Nothing()
  @Field var title = ""
}

/// Who lives somewhere, and is reached by several means.
final class Person: Object {
  @PrimaryKey var id = 0
  @Field var name = ""
  @Link var home: Address?
  @Links var phones: List<Phone>
}

final class Address: EmbeddedObject {
  @Field var city = ""
  @Link var geo: Geo?
  @Inverse(\Person.home) var people
}

final class Geo: EmbeddedObject {
  @Field var latitude = 0.0
}

final class Phone: EmbeddedObject {
  @Field var number = ""
  @Link var seller: Writer?
}

/// What can embed itself, at any depth.
final class Part: EmbeddedObject {
  @Indexed var name = ""
  @Link var part: Part?
  @Links var parts: List<Part>
}

final class Machine: Object {
  @Indexed var name = ""
  @Link var part: Part?
  @Links var parts: List<Part>
}

func makePerson(_ id: Int, city: String? = nil, phones: [String] = []) -> Person {
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

func makePhone(_ number: String) -> Phone {
  let phone = Phone()
  phone.number = number
  return phone
}

struct Refusal: Error, Equatable {
  var reason = ""
}

func makeNovel(_ key: Int, _ name: String = "", pages: Int = 0) -> Novel {
  let novel = Novel()
  novel.key = key
  novel.name = name
  novel.pages = pages
  return novel
}

func makeShelf(_ place: String, _ novels: [Novel] = []) -> Shelf {
  let shelf = Shelf()
  shelf.place = place
  shelf.novels = List(novels)
  return shelf
}

/// A store that records what it refused.
final class RefusalLog {
  var errors: [StoreError] = []
  init(_ store: Store) {
    store.onRefusal = { [unowned self] error in
      if let error = error as? StoreError { errors.append(error) }
    }
  }
}
