// Lists: the edits of others, and those made here.

internal import Signals

extension MergingStore {
  // MARK: - Edits of others

  func applyListEdit(
    _ reader: inout ByteReader, _ key: FieldKey, _ field: FieldState, _ stamp: StampIndex
  ) {
    guard let bytes = try? ValueCoding.decode([UInt8].self, from: &reader) else {
      pass.report.undecodable.append(subject(key))
      return
    }
    let row = state.rowOf[Int(key.entity)]
    var list = field.lists.removeValue(forKey: row) ?? ListRegister()
    if !apply(bytes, to: &list, key, field, stamp) {
      list.early.append((bytes, stamp))
    } else {
      // An early edit may make what another one waits for.
      var isNew = !list.early.isEmpty
      while isNew {
        let before = list.early.count
        let early = exchange(&list.early, with: [])
        for edit in early where !apply(edit.bytes, to: &list, key, field, edit.stamp) {
          list.early.append(edit)
        }
        isNew = list.early.count < before && !list.early.isEmpty
      }
    }
    field.lists[row] = list
    pass.lists.insert(key)
    if let holder = groupOf[key.entity] { pass.lists.insert(FieldKey(holder, Int(key.field))) }
  }

  /// Applies the edits of one operation, again if some of them have been applied.
  ///
  /// - Returns: Whether all could be applied; otherwise they name elements that haven't come.
  private func apply(
    _ bytes: [UInt8], to list: inout ListRegister, _ key: FieldKey, _ field: FieldState,
    _ stamp: StampIndex
  ) -> Bool {
    do {
      for edit in try ListEditCoding.decode(bytes, stamp: state.stamps[stamp]) {
        for effect in try list.positions.apply(edit.operation) {
          apply(effect, of: edit, to: &list, key, field, stamp)
        }
      }
      return true
    } catch PositionsError.missing {
      return false
    } catch {
      pass.report.undecodable.append(subject(key))
      return true
    }
  }

  private func apply(
    _ effect: ListEffect<Stamp>, of edit: ListEdit, to list: inout ListRegister, _ key: FieldKey,
    _ field: FieldState, _ stamp: StampIndex
  ) {
    switch effect {
    case .inserted(let range, at: let index):
      guard case .insert(let all, at: _) = edit.operation else { return }
      let start = Int(range.first.counter &- all.first.counter)
      let targets = edit.targets[start..<start + range.count].map { state.entity($0) }
      list.targets.insert(contentsOf: targets, at: index)
      if field.isStructural { claim(targets, range, key, field) }
    case .removed(let range):
      let targets = Array(list.targets[range])
      list.targets.removeSubrange(range)
      if field.isStructural { unclaim(targets, key, list) }
    case .moved(_, from: let from, to: let to, let replacing):
      list.targets.insert(list.targets.remove(at: from), at: to)
      if let replacing { reportMove(key, lost: replacing, against: state.stamps[stamp]) }
    case .moveLost(_, stamp: let lost, to: let winner):
      if let winner { reportMove(key, lost: lost, against: winner) }
    }
  }

  /// Reports that a move of an element gave way to another one, if neither author had seen the other's.
  private func reportMove(_ key: FieldKey, lost: Stamp, against winner: Stamp) {
    let author = state.stamps.author(winner.replica)
    let other = state.stamps.author(lost.replica)
    guard author != other,
      lost.time > state.stamps.histories[Int(author)].seen(of: other, at: winner.time)
    else { return }
    pass.report.losses.append(
      MergeReport.Loss(
        subject: subject(key), value: [], loser: lost, winner: winner, isDeletion: false))
  }

  private func claim(
    _ targets: [Entity], _ range: ElementRange, _ key: FieldKey, _ field: FieldState
  ) {
    for (number, target) in targets.enumerated() {
      state.owners[target, default: []].insert(key)
      pass.touched.insert(target)
      if field.owns { noteClaim(on: target, key, field, range.first.advanced(by: number).stamp) }
    }
  }

  func unclaim(_ targets: [Entity], _ key: FieldKey, _ list: ListRegister) {
    for target in targets {
      pass.touched.insert(target)
      if !list.targets.contains(target) { state.owners[target]?.remove(key) }
    }
  }

  // MARK: - Edits made here

  /// Puts the changes of a visible list into the registers, as operations for other replicas.
  ///
  /// Members that are gone because they were deleted keep their elements, which are hidden. Of
  /// several objects with one primary key, each keeps its own elements: a new one goes to the list
  /// that has the one before it.
  ///
  /// - Returns: The edits of each register.
  func capture(
    from old: Tree<Object>, to new: Tree<Object>, _ key: FieldKey, _ field: FieldState,
    _ time: HybridTime
  ) -> [(key: FieldKey, edits: [ListEdit])] {
    let members = groupOf[key.entity].flatMap { groups[$0]?.members } ?? [key.entity]
    var capture = ListCapture(time: time, field: field)
    for member in members {
      let row = state.rowOf[Int(member)]
      capture.keys.append(FieldKey(member, Int(key.field)))
      capture.lists.append(field.lists.removeValue(forKey: row) ?? ListRegister())
      capture.edits.append([])
    }
    capture.findPlaces(of: old, in: self)
    let edits = Tree.difference(from: old, to: new)
    for edit in edits {
      var index = edit.oldRange.lowerBound
      old.forEach(in: edit.oldRange) { object in
        defer { index += 1 }
        if object.isStored, let place = capture.place(index) { capture.take(place) }
      }
    }
    let anchors = edits.map { edit -> ListCapture.Anchor in
      guard let place = capture.place(before: edit.oldRange.lowerBound)
      else { return ListCapture.Anchor(list: 0, element: nil) }
      let element = capture.lists[place.list].positions.element(at: place.index)
      return ListCapture.Anchor(list: place.list, element: element)
    }
    for (edit, anchor) in zip(edits, anchors) {
      place(new, edit.newRange, after: anchor, &capture)
    }
    for (list, elements) in Dictionary(
      grouping: capture.removed.values.joined(), by: \.list
    ) {
      delete(elements.compactMap(\.element), from: list, &capture)
    }
    for (number, member) in members.enumerated() {
      field.lists[state.rowOf[Int(member)]] = capture.lists[number]
    }
    return capture.keys.indices.map { (capture.keys[$0], capture.edits[$0]) }
  }

  /// Places the new members of one edit after an element: moved if they were elsewhere in the list.
  private func place(
    _ new: Tree<Object>, _ range: Range<Int>, after anchor: ListCapture.Anchor,
    _ capture: inout ListCapture
  ) {
    var previous = anchor.element
    let number = anchor.list
    var run: [Entity] = []
    func index() -> Int {
      previous.flatMap { capture.lists[number].positions.index(of: $0) }.map { $0 + 1 } ?? 0
    }
    func insertRun() {
      if run.isEmpty { return }
      let place = index()
      let first = nextElement(run.count, capture.time)
      let operation = capture.lists[number].positions.insert(
        count: run.count, at: place, first: first)
      capture.lists[number].targets.insert(contentsOf: run, at: place)
      capture.edits[number].append(
        ListEdit(operation: operation, targets: run.map { state.entities.ids[Int($0)] }))
      if capture.field.isStructural {
        claim(
          run, ElementRange(first: first, count: run.count), capture.keys[number], capture.field)
      }
      previous = first.advanced(by: run.count - 1)
      run = []
    }
    new.forEach(in: range) { object in
      let target = state.entity(object.objectID)
      let known = groupOf[target] ?? target
      guard let element = capture.takeBack(known, from: number),
        let from = capture.lists[number].positions.index(of: element)
      else {
        run.append(target)
        return
      }
      insertRun()
      let place = index()
      let to = from < place ? place - 1 : place
      previous = element
      // One that comes back is where it was.
      if to == from { return }
      let operation = capture.lists[number].positions.move(
        from: from, to: to, position: nextElement(1, capture.time),
        stamp: Stamp(time: capture.time, replica: replica))
      capture.edits[number].append(ListEdit(operation: operation))
      let moved = capture.lists[number].targets.remove(at: from)
      capture.lists[number].targets.insert(moved, at: to)
    }
    insertRun()
  }

  private func delete(
    _ elements: [ElementID], from number: Int, _ capture: inout ListCapture
  ) {
    var indexes = elements.compactMap { capture.lists[number].positions.index(of: $0) }.sorted()
    while let last = indexes.popLast() {
      var first = last
      while let before = indexes.last, before == first - 1 { first = indexes.removeLast() }
      let targets = Array(capture.lists[number].targets[first...last])
      for operation in capture.lists[number].positions.remove(at: first..<last + 1) {
        capture.edits[number].append(ListEdit(operation: operation))
      }
      capture.lists[number].targets.removeSubrange(first...last)
      if capture.field.isStructural {
        unclaim(targets, capture.keys[number], capture.lists[number])
      }
    }
  }

  /// Returns the id of the first of some new elements.
  ///
  /// It is at least the time, so that it says when the element was made.
  private func nextElement(_ count: Int, _ time: HybridTime) -> ElementID {
    let first = max(lastElement + 1, time.rawValue)
    lastElement = first + UInt64(count) - 1
    return ElementID(replica: replica.rawValue, counter: first)
  }
}
