/// What an ``IndexTable`` can list: elements are the same if their keys are equal.
package protocol TableElement: Sendable {
  /// The type of the key.
  associatedtype TableKey: Hashable & Sendable
  /// What tells the element from all others.
  var tableKey: TableKey { get }
}

extension UInt64: TableElement {
  /// The number.
  package var tableKey: UInt64 { self }
}

extension String: TableElement {
  /// The exact text: names that only look alike are different elements.
  package var tableKey: ExactText { ExactText(self) }
}

/// A list of different elements, each of which is known by its position.
///
/// A table never grows beyond its limit: what doesn't fit isn't listed.
package struct IndexTable<Element: TableElement>: Sendable {
  /// The most elements that the table can have.
  package let limit: Int
  /// The elements, in the order in which they were listed.
  package private(set) var elements: [Element] = []
  /// The position of each element, once there are too many to compare with each.
  private var positions: [Element.TableKey: Int] = [:]

  /// Up to how many elements comparing with each is faster than hashing.
  private static var compared: Int { 8 }

  /// Creates an empty table.
  package init(limit: Int = .max) { self.limit = limit }

  /// The number of elements.
  package var count: Int { elements.count }

  /// Whether no element can be added.
  package var isFull: Bool { elements.count >= limit }

  /// Returns the position of an element; nil if it isn't listed.
  package func position(of element: Element) -> Int? {
    let key = element.tableKey
    return elements.count <= Self.compared
      ? elements.firstIndex { $0.tableKey == key } : positions[key]
  }

  /// Lists an element that isn't listed yet.
  ///
  /// - Returns: Its position; nil if the table is full.
  @discardableResult
  package mutating func append(_ element: Element) -> Int? {
    guard !isFull else { return nil }
    elements.append(element)
    if elements.count == Self.compared + 1 {
      for (position, element) in elements.enumerated() {
        positions[element.tableKey] = position
      }
    } else if elements.count > Self.compared {
      positions[element.tableKey] = elements.count - 1
    }
    return elements.count - 1
  }

  /// Removes all elements after the first ones.
  package mutating func truncate(to count: Int) {
    guard count < elements.count else { return }
    if count <= Self.compared {
      positions.removeAll()
    } else {
      for element in elements[count...] { positions[element.tableKey] = nil }
    }
    elements.removeSubrange(count...)
  }

  /// Removes all elements and keeps the memory.
  package mutating func removeAll() {
    elements.removeAll(keepingCapacity: true)
    if !positions.isEmpty { positions.removeAll(keepingCapacity: true) }
  }
}
