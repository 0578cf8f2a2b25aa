// Objects that the step added and later commits have written to. Removing them would lose these
// writes, so they are conflicts, and stay unless the policy is `.mine`: with all of their values, in
// the lists and links of the step, and with the owners and linked objects that the step added.

extension StepReversal {
  /// Finds the objects that the step added and later commits have written to.
  ///
  /// - Parameter parts: The parts of the step, the latest first.
  mutating func findEditedAdditions(_ parts: [CompositeStep.Part]) {
    if added.isEmpty { return }
    // What the properties are once the later parts are put back, where these wrote them.
    var before: [PropertyKey: Any] = [:]
    var found: Set<PropertyKey> = []
    for part in parts {
      for (key, left) in part.after where !found.contains(key) {
        let object = key.object
        guard added.contains(object), let table = object.table, table.store === store,
          let property = table.schema.property(at: key.offset),
          !property.isSame(left, before[key] ?? property.value(in: object))
        else { continue }
        found.insert(key)
        edited[object, default: []].append((property, left))
      }
      for entry in part.entries.reversed() {
        guard let key = entry.key, added.contains(key.object),
          case .property(_, let value) = entry.change
        else { continue }
        before[key] = value
      }
    }
    if policy != .mine { keep(Array(edited.keys)) }
  }

  /// Keeps objects, with the owners and the linked objects of each that the step has added.
  private mutating func keep(_ objects: [Object]) {
    var next = objects
    while let object = next.popLast() {
      guard added.contains(object), kept.insert(object).inserted, let table = object.table else {
        continue
      }
      if object.isEmbedded, let owner = object.ownership?.source { next.append(owner) }
      for property in table.schema.linking { next += property.targets(in: object) }
    }
  }

  /// Notes a conflict for each property of an added object that later commits have written.
  mutating func noteEdits(of object: Object) {
    guard let edits = edited.removeValue(forKey: object) else { return }
    // Conflicts are noted from the last to the first.
    for (property, left) in edits.sorted(by: { $0.property.offset > $1.property.offset }) {
      let change = ObjectChange.Property(
        name: property.name, old: property.encodedValue(of: left), new: nil)
      note(.changed, object, change, present: property.encodedValue(of: property.value(in: object)))
    }
  }

  /// Leaves a link to an object that is kept, and sets a list with such objects aside.
  ///
  /// - Returns: Whether the property has such objects.
  mutating func keepsMembers(of property: Property, in object: Object, _ before: Any) -> Bool {
    guard property.role == .link || property.role == .links else { return false }
    if isSetAside(property, of: object) {
      setAside(property, of: object, before: before)
      return true
    }
    let present = property.value(in: object)
    let targets = property.targets(of: before)
    guard
      property.targets(of: present).contains(where: { kept.contains($0) && !targets.contains($0) })
    else { return false }
    if property.role == .links { setAside(property, of: object, before: before) }
    return true
  }
}
