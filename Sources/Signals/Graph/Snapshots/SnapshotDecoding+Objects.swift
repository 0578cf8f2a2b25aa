// Decoding the objects of a snapshot: a row for each, or its position alone if it is left out.

extension SnapshotDecoding {
  mutating func readObjects() throws {
    var list = try container.nestedUnkeyedContainer(forKey: .objects)
    var seen: Set<ObjectID> = []
    while !list.isAtEnd {
      let path = list.codingPath + [PositionKey(intValue: list.currentIndex)]
      var (name, value) = (String?.none, Int?.none)
      do {
        var values: any UnkeyedDecodingContainer = try list.nestedUnkeyedContainer()
        value = 0
        let entry = entries[try position(in: entries.count, &values, "class")]
        (name, value) = (self.name(of: entry), 1)
        let replica = replicas[try position(in: replicas.count, &values, "replica")]
        value = 2
        let id = ObjectID(replica: replica, counter: try values.decode(UInt64.self))
        guard seen.insert(id).inserted else {
          throw GraphDecodingError(className: name, codingPath: path, reason: .duplicateID(id))
        }
        switch entry {
        case .known(let number): try readRow(number, id, &values)
        case .leftOut(_, let uses): try leaveOut(uses[...], &values)
        }
        guard values.isAtEnd else {
          throw GraphDecodingError(
            className: name, codingPath: path, reason: .malformed("it has too many values"))
        }
      } catch let error as GraphDecodingError {
        throw error
      } catch {
        let location = value.map { [PositionKey(intValue: $0)] } ?? []
        throw GraphDecodingError(error, className: name, path + location)
      }
    }
  }

  private func name(of entry: Entry) -> String {
    switch entry {
    case .known(let number): classes[number].shape.name
    case .leftOut(let name, _): name
    }
  }

  /// Skips the values of an object, and keeps only its position.
  private mutating func leaveOut(
    _ uses: ArraySlice<Class.Use>, _ values: inout any UnkeyedDecodingContainer
  ) throws {
    while let last = pending.last, last.object == locations.count {
      released.formUnion(last.targets)
      pending.removeLast()
    }
    for use in uses { try skip(use, &values) }
    locations.append(.none)
  }

  /// Skips a value.
  private mutating func skip(
    _ use: Class.Use, _ values: inout any UnkeyedDecodingContainer
  ) throws {
    switch use {
    case .ignored: _ = try values.decode(Ignored.self)
    case .ignoredLink: if let target = try values.decode(Int?.self) { released.insert(target) }
    case .ignoredList: released.formUnion(try values.decode([Int].self))
    case .column: break
    }
  }

  /// Reads a position in one of the lists of the input.
  private func position(
    in count: Int, _ values: inout any UnkeyedDecodingContainer, _ what: String
  ) throws -> Int {
    let path = values.codingPath + [PositionKey(intValue: values.currentIndex)]
    let position = try values.decode(Int.self)
    guard (0..<count).contains(position) else {
      throw GraphDecodingError(
        className: nil, codingPath: path, reason: .malformed("there is no \(what) \(position)"))
    }
    return position
  }

  private mutating func readRow(
    _ number: Int, _ id: ObjectID, _ values: inout any UnkeyedDecodingContainer
  ) throws {
    let (object, slot) = (locations.count, counts[number] % SnapshotNode.rows)
    let shape = classes[number].shape
    if slot == 0, leaves[number].count * SnapshotNode.rows == counts[number] {
      leaves[number].append(SnapshotNode.leaf(shape))
    }
    let leaf = leaves[number][leaves[number].count - 1]
    var complete: [SnapshotColumn] = []
    let uses = classes[number].uses
    var (next, isReading) = (0, false)
    do {
      while next < uses.count {
        isReading = !values.isAtEnd
        try read(uses[next], object, leaf, slot, &complete, &values)
        next += 1
      }
    } catch {
      for column in complete where !column.isTrivial {
        column.destroy(leaf.value(at: slot, of: column), count: 1)
      }
      // An invalid position isn't a value that another version may have written, so it remains an
      // error.
      guard isReading, shape.type.isSkippedIfUndecodable, case .column(let column) = uses[next],
        shape.columns[column].property.kind == .value
      else { throw error }
      return try leaveOut(uses[next...].map { $0.ignoring(shape) }[...], &values)
    }
    fill(classes[number].added, of: leaf, at: slot)
    leaf.add(id, sequence: UInt64(object) + 1, at: slot)
    locations.append(SnapshotLocation(table: number, slot: counts[number]))
    counts[number] += 1
  }

  private mutating func read(
    _ use: Class.Use, _ object: Int, _ leaf: SnapshotNode, _ slot: Int,
    _ complete: inout [SnapshotColumn], _ values: inout any UnkeyedDecodingContainer
  ) throws {
    switch use {
    case .ignored, .ignoredLink, .ignoredList: try skip(use, &values)
    case .column(let number):
      let column = leaf.shape.columns[number]
      let value = leaf.value(at: slot, of: column)
      do {
        switch column.property.kind {
        case .link:
          let target = try values.decode(Int?.self)
          if let target {
            pending.append(PendingLinks(object: object, column: number, targets: [target]))
          }
          value.location.initialize(to: .none)
        case .list:
          let targets = try values.decode([Int].self)
          if !targets.isEmpty {
            pending.append(PendingLinks(object: object, column: number, targets: targets))
          }
          value.members.initialize(to: ListColumn.Members())
        case .value: try column.decode(to: value, from: &values)
        }
      } catch {
        if let error = error as? GraphDecodingError { throw error }
        let path = values.codingPath + [PositionKey(intValue: values.currentIndex)]
        throw GraphDecodingError(
          error, className: leaf.shape.name, property: column.property.name, path)
      }
      complete.append(column)
    }
  }

  /// Sets the properties added since the encoding to the values of a new object.
  private func fill(_ added: [SnapshotColumn], of leaf: SnapshotNode, at slot: Int) {
    if added.isEmpty { return }
    let new = leaf.shape.type.init()
    for column in added {
      let value = leaf.value(at: slot, of: column)
      switch column.property.kind {
      case .link: value.location.initialize(to: .none)
      case .list:
        value.members.initialize(to: ListColumn.Members())
      case .value: column.take(from: new, to: value)
      }
    }
  }
}
