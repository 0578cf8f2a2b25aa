// Moving rows by the property that they are sorted by: computes which values have to change.
//
// The rows are in the order of their values. When some rows are moved, the values stay in their
// places, and the rows between the old and the new places get the values there. Equal values would
// leave the order to the other sort keys. So where rows have moved, each value must come strictly
// after the previous one, and is replaced by the next greater value if it doesn't. That may
// continue beyond the moved rows. Both directions are tried, and the one that changes fewer rows is
// taken.

/// A writable property that determines the order of rows.
struct ReorderProperty<Key: Numeric & Comparable> {
  let path: AnyKeyPath
  let read: (Object) -> Key
  let write: (Object, Key) -> Void

  init<Element: _ResultElement>(_ path: ReferenceWritableKeyPath<Element, Key>) {
    self.path = path
    read = Element.onObject { $0[keyPath: path] }
    write = { Element._element(of: $0)[keyPath: path] = $1 }
  }

  /// Returns the value that is greater by 1, or smaller; nil if the type has none.
  ///
  /// If adding 1 doesn't change a floating-point number, the next representable number is returned.
  private static func next(to value: Key, isGreater: Bool) -> Key? {
    func integer<Number: FixedWidthInteger>(_ number: Number) -> Any? {
      let (next, overflow) =
        isGreater ? number.addingReportingOverflow(1) : number.subtractingReportingOverflow(1)
      return overflow ? nil : next
    }
    func float<Number: BinaryFloatingPoint>(_ number: Number) -> Any {
      isGreater ? Swift.max(number + 1, number.nextUp) : Swift.min(number - 1, number.nextDown)
    }
    let next: Key? =
      switch value {
      case let number as any FixedWidthInteger: integer(number) as? Key
      case let number as any BinaryFloatingPoint: float(number) as? Key
      default: isGreater ? value + 1 : value - 1
      }
    return next.flatMap { (isGreater ? $0 > value : $0 < value) ? $0 : nil }
  }

  /// The new values of the rows that have to change, to bring `old` into the order of `new`.
  ///
  /// `old` is in the order of the values.
  ///
  /// - Returns: The changes, or nil if the type has no values left between, above or below.
  func changes(
    from old: [Object], to new: [Object], isDescending: Bool
  ) -> [(object: Object, value: Key)]? {
    guard let first = old.indices.first(where: { old[$0] !== new[$0] }),
      let last = old.indices.last(where: { old[$0] !== new[$0] })
    else { return [] }
    let values = old.map(read)
    let ahead = walk(
      Array(first..<old.count), until: last, after: first - 1, values: values, rows: new,
      isRising: !isDescending)
    let back = walk(
      (0...last).reversed(), until: first, after: last + 1, values: values, rows: new,
      isRising: isDescending)
    guard let ahead else { return back }
    return back.map { $0.count < ahead.count ? $0 : ahead } ?? ahead
  }

  /// Assigns values to the places where rows have moved, and to further places until the values are
  /// in order.
  private func walk(
    _ places: [Int], until end: Int, after before: Int, values: [Key], rows: [Object],
    isRising: Bool
  ) -> [(object: Object, value: Key)]? {
    var changes: [(object: Object, value: Key)] = []
    var isBeyond = false
    var last = values.indices.contains(before) ? values[before] : nil
    for place in places {
      var value = values[place]
      if let last, !(isRising ? last < value : last > value) {
        guard let next = Self.next(to: last, isGreater: isRising) else { return nil }
        value = next
      } else if isBeyond {
        break
      }
      if value != read(rows[place]) { changes.append((rows[place], value)) }
      last = value
      if place == end { isBeyond = true }
    }
    return changes
  }
}

extension Store {
  /// Moves the rows at the given offsets of a displayed version before another row, in one commit.
  ///
  /// Changes the property that sorts the query. If the query has sections, `section` is the number
  /// of the section that has the rows.
  func move<Key>(
    _ offsets: Set<Int>, to destination: Int, from shown: RowSlice<Object>,
    by property: ReorderProperty<Key>,
    in query: Query, section: Int? = nil
  ) throws {
    if destination < 0 || destination > shown.range.count {
      trap(
        "destination \(destination) is outside of the \(shown.range.count) rows of \(query.type) "
          + "on screen")
    }
    let moving = offsets.sorted().map { shown.object(at: $0, of: query.type) }
    let query = section == nil ? query.unlimited : query
    let keys = section == nil ? query.order.descriptors : Array(query.order.descriptors.dropFirst())
    guard let first = keys.first, let path = first.path,
      property.path == path
    else {
      let name = moving.first.flatMap { self.name(of: property, on: $0) } ?? "\(property.path)"
      trap("rows can't be moved by \(name): \(query.description) are not sorted by it first")
    }
    try write {
      Node.withoutReader {
        let rows = query.rows()
        let range = section.map { group in
          rows.lowerBound { $0.group < group }..<rows.lowerBound { $0.group <= group }
        }
        var old: [Object] = []
        rows.forEach(in: range ?? 0..<rows.count) { old.append($0.object) }
        let new = old.moving(moving, before: destination, of: shown)
        guard let changes = property.changes(from: old, to: new, isDescending: first.isDescending)
        else { trap("there are no values left to move rows of \(query.description) by") }
        for (object, value) in changes { property.write(object, value) }
      }
    }
  }

  /// The name of the reordered property, for messages.
  private func name<Key>(of property: ReorderProperty<Key>, on object: Object) -> String? {
    PropertyResolver.property(of: object) { _ = property.read(object) }.map {
      "\(object.schema.name).\($0.name)"
    }
  }
}

extension Query {
  /// The query without the limits that were applied last, because values beyond a limit may have to
  /// change.
  fileprivate var unlimited: Query {
    var query = self
    while let stage = query.stage as? LimitStage, query.definition.ownKeys == 0,
      query.definition.filters.count == stage.upstream.definition.filters.count
    {
      query = stage.upstream
    }
    return query
  }
}

extension [Object] {
  /// Returns the same rows, with `objects` moved before the row at an offset of the displayed
  /// version.
  ///
  /// If that row is gone, they are moved before the next displayed row that still exists, or else
  /// after the nearest previous one.
  ///
  /// - Complexity: O(*n*).
  fileprivate func moving(
    _ objects: [Object], before destination: Int, of shown: RowSlice<Object>
  ) -> [Object] {
    let present = Set(self)
    let moving = objects.filter(present.contains)
    let leaving = Set(moving)
    var rest = filter { !leaving.contains($0) }
    func stays(_ offset: Int) -> Object? {
      let object = shown.rows[shown.range.lowerBound + offset].object
      return present.contains(object) && !leaving.contains(object) ? object : nil
    }
    var place = rest.count
    if let next = (destination..<shown.range.count).lazy.compactMap(stays).first {
      place = rest.firstIndex(of: next) ?? place
    } else if let last = (0..<destination).reversed().lazy.compactMap(stays).first {
      place = rest.firstIndex(of: last).map { $0 + 1 } ?? place
    }
    rest.insert(contentsOf: moving, at: place)
    return rest
  }
}
