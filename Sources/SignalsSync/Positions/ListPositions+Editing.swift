internal import Signals

extension ListPositions {
  /// Inserts new elements, and returns the operation for the other replicas.
  ///
  /// - Parameters:
  ///   - count: The number of elements: at least 1, and at most ``ListOperation/mostInserted``.
  ///   - index: The index that the first of them will have.
  ///   - first: The identity of the first. Those of the others follow it. None has been used.
  package mutating func insert(
    count: Int, at index: Int, first: ElementID
  ) -> ListOperation<MoveStamp> {
    checkIndex(index, upTo: self.count)
    let place = tree.place(afterIndex: index == 0 ? nil : index - 1)
    return applied(.insert(ElementRange(first: first, count: count), at: place))
  }

  /// Deletes the elements in a range of indexes, and returns the operations for the other
  /// replicas: one for each run of identities.
  package mutating func remove(at range: Range<Int>) -> [ListOperation<MoveStamp>] {
    elements(in: range).map { applied(.delete($0)) }
  }

  /// Moves an element, and returns the operation for the other replicas.
  ///
  /// - Parameters:
  ///   - source: The index of the element.
  ///   - target: The index that it will have.
  ///   - position: The identity of its new position, which has not been used.
  ///   - stamp: The stamp of the move, which is later than those of all moves that were applied.
  package mutating func move(
    from source: Int, to target: Int, position: ElementID, stamp: MoveStamp
  ) -> ListOperation<MoveStamp> {
    let element = element(at: source)
    checkIndex(target, upTo: count - 1)
    let previous = target > source ? target : target - 1
    let place = tree.place(afterIndex: previous < 0 ? nil : previous)
    return applied(.move(element, to: position, at: place, stamp: stamp))
  }

  private mutating func applied(_ operation: ListOperation<MoveStamp>) -> ListOperation<MoveStamp> {
    do {
      _ = try apply(operation)
      return operation
    } catch {
      trap("a local edit of a shared list was refused: \(error)")
    }
  }
}
