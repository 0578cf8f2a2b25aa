// The place of an element that its id alone doesn't identify: the offsets of the rows that contain
// it, from the outermost, followed by its number among the elements with its name and id there. It
// finds the element in another process, whichever rows renderers have asked for there.

import Signals

extension ViewHost {
  /// The place of an element on screen; nil if it has an id that no other element on screen has.
  ///
  /// - Complexity: O(elements on screen), plus O(rows) up to the last row that a renderer has asked
  ///   for.
  func place(of element: DrawnElement) -> [Int]? {
    var search = PlaceOfElement(element)
    search.look(in: frame.root, of: self, [])
    return element.id == nil || search.twins > 1 ? search.place : nil
  }

  /// The element at a place.
  ///
  /// Rows on the way that no renderer has asked for are evaluated.
  func element(named name: String, id: String?, at place: [Int]) throws -> DrawnElement {
    var search = ElementAtPlace(name: name, id: id, number: place.last ?? 0)
    search.look(in: frame.root, of: self, place.dropLast())
    guard let found = search.found else { throw HostError.noElement(id ?? name, nearest: []) }
    return found
  }
}

private struct PlaceOfElement {
  private let element: DrawnElement
  private(set) var place: [Int]?
  /// The number of elements with the same id.
  private(set) var twins = 0
  /// The number of elements with the same name and id found so far in each row.
  private var counts: [[Int]: Int] = [:]

  init(_ element: DrawnElement) { self.element = element }

  mutating func look(in scope: ScopeID, of host: ViewHost, _ rows: [Int]) {
    switch host.evaluatedContent(of: scope) {
    case .elements(let elements): look(in: elements, of: host, rows)
    case .rows(_, let evaluated):
      for row in evaluated { look(in: row.scope, of: host, rows + [row.position]) }
    case nil: break
    }
  }

  private mutating func look(in elements: [Element], of host: ViewHost, _ rows: [Int]) {
    for element in elements {
      switch element.content {
      case .drawn(let drawn):
        if drawn.id == self.element.id { twins += 1 }
        if drawn.name == self.element.name, drawn.id == self.element.id {
          let number = counts[rows, default: 0]
          counts[rows] = number + 1
          if drawn === self.element { place = rows + [number] }
        }
        look(in: drawn.children, of: host, rows)
      case .scope(let scope): look(in: scope, of: host, rows)
      case nil: break
      }
    }
  }
}

private struct ElementAtPlace {
  let name: String
  let id: String?
  var number: Int
  private(set) var found: DrawnElement?

  init(name: String, id: String?, number: Int) {
    (self.name, self.id, self.number) = (name, id, number)
  }

  mutating func look(in scope: ScopeID, of host: ViewHost, _ rows: ArraySlice<Int>) {
    if found != nil { return }
    let frame = host.frame
    guard let list = frame.rows(of: scope) else {
      return look(in: frame.elements(of: scope), of: host, rows)
    }
    guard let row = rows.first, list.indices.contains(row) else { return }
    look(in: list[row], of: host, rows.dropFirst())
  }

  private mutating func look(
    in elements: [Element], of host: ViewHost, _ rows: ArraySlice<Int>
  ) {
    for element in elements where found == nil {
      switch element.content {
      case .drawn(let drawn):
        if rows.isEmpty, drawn.name == name, drawn.id == id {
          if number == 0 { found = drawn }
          number &-= 1
        }
        look(in: drawn.children, of: host, rows)
      case .scope(let scope): look(in: scope, of: host, rows)
      case nil: break
      }
    }
  }
}
