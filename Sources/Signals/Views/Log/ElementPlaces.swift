// The place of an element that its id alone doesn't identify: the offsets of the rows that contain
// it, from the outermost, followed by its number among the elements with its name and id there. It
// finds the element in another process, whichever rows renderers have asked for there.

extension ViewHost {
  /// The place of an element on screen; nil if it has an id and no other element on screen has the
  /// same name and id.
  ///
  /// - Complexity: O(elements on screen), plus O(rows) up to the last row that a renderer has asked
  ///   for.
  func place(of element: DrawnElement) -> [Int]? {
    var search = PlaceOfElement(element)
    search.look(in: frame.root, of: self, [])
    return element.id == nil || search.equals > 1 ? search.place : nil
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
  private(set) var equals = 0
  /// The number of matches found so far in each row.
  private var counts: [[Int]: Int] = [:]

  init(_ element: DrawnElement) { self.element = element }

  mutating func look(in scope: ScopeID, of host: ViewHost, _ rows: [Int]) {
    guard let present = host.scopes[scope], present.isEvaluated else { return }
    guard let list = present.rows else { return look(in: present.elements, of: host, rows) }
    list.forEachKnown { look(in: $1.id, of: host, rows + [$0]) }
  }

  private mutating func look(in elements: [Element], of host: ViewHost, _ rows: [Int]) {
    for element in elements {
      switch element.content {
      case .drawn(let drawn):
        if drawn.name == self.element.name, drawn.id == self.element.id {
          let number = counts[rows, default: 0]
          counts[rows] = number + 1
          equals += 1
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
    let list = host.rows(of: scope)
    guard let present = host.scopes[scope], found == nil else { return }
    guard let list else { return look(in: present.elements, of: host, rows) }
    guard let row = rows.first, (0..<list.shown.data.count).contains(row) else { return }
    look(in: list.row(at: row).id, of: host, rows.dropFirst())
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

extension RowList {
  /// Calls `body` with the rows that a renderer has asked for and their positions, in order.
  ///
  /// - Complexity: O(rows) up to the last such row.
  func forEachKnown(_ body: (Int, Scope) -> Void) {
    var known = shown.scopes.count
    var position = 0
    while known > 0, position < shown.data.count {
      if let row = shown.scope(at: position) {
        known -= 1
        body(position, row)
      }
      position += 1
    }
  }
}
