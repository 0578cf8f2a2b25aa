extension Draft {
  /// What is wrong with the draft, and with what it embeds; a read is a dependency.
  ///
  /// - What ``Validating`` says, of the draft and, where others have written since what the draft has not changed, of
  ///   the object: a commit leaves what they wrote.
  /// - Text that was typed into a ``TextField`` of a property and is no value of it.
  /// - Links to objects that were deleted meanwhile.
  ///
  /// None of these can be committed.
  public var errors: [FieldError] { core.errors }

  /// Whether nothing is wrong; a read is a dependency.
  public var isValid: Bool { core.errors.isEmpty }

  /// What is wrong with a property of the object; a read is a dependency.
  ///
  /// Nothing if the path is that of a computed property: errors are of stored ones.
  public func errors<Value>(at path: ReferenceWritableKeyPath<Element, Value>) -> [FieldError] {
    guard let name = name(of: path) else { return [] }
    return core.errors.filter { $0.property == name }
  }

  /// What a form shows beside a property: what is wrong with it, once it was changed or a commit was refused.
  ///
  /// A field that nobody has touched yet is not scolded; of what was embedded since the draft was loaded it is not
  /// known what was touched, and nothing is said before a commit was refused.
  public func shownErrors<Value>(
    at path: ReferenceWritableKeyPath<Element, Value>
  ) -> [FieldError] {
    guard let name = name(of: path) else { return [] }
    return core.shownErrors { name }.filter { $0.property == name }
  }

  func name<Value>(of path: ReferenceWritableKeyPath<Element, Value>) -> String? {
    PropertyPaths.name(of: path, in: type(of: object), .object(object))
  }
}

extension DraftCore {
  /// What was typed and is no value, and what is wrong with the root and with all that it embeds now, owners first.
  var errors: [FieldError] { textErrors() + meanwhile.value + validation.value }

  /// What others have made wrong since the draft was loaded, asked now.
  var meanwhileErrors: [FieldError] { lostLinkErrors + leftErrors }

  /// Links to deleted objects, asked now; one that nobody has changed is no error, since a commit leaves it out.
  private var lostLinkErrors: [FieldError] {
    trackLoads()
    return embedded(in: root) { _ in true }.flatMap { embedded -> [FieldError] in
      let (copy, original) = (embedded.object, originals[embedded.object])
      let isStored = original.map { $0 !== copy && !$0.isDeleted } ?? false
      return copy.schema.linking.flatMap { property -> [FieldError] in
        copy.track(property.offset)
        let lost = property.targets(in: copy).filter { !$0.isEmbedded && $0.isDeleted }
        if lost.isEmpty || isStored && !isChanged(property, of: copy) { return [] }
        return lost.map { target in
          FieldError(
            id: (original ?? copy).objectID, property: embedded.path + property.name,
            value: "\(StoreError.Subject(target))", message: "This was deleted")
        }
      }
    }
  }

  private func isChanged(_ property: Property, of copy: Object) -> Bool {
    guard let original = originals[copy], let baseline = baselines[copy] else { return true }
    let part = Part(
      path: "", copy: copy, original: original, baseline: baseline, schema: copy.schema)
    return !property.isSame(base(property, part), mine(property, part))
  }

  /// What is wrong with properties that others have written since, and that a commit leaves, as the draft has not
  /// changed them.
  private var leftErrors: [FieldError] {
    trackLoads()
    var left: [FieldError] = []
    for part in parts(of: root) where unsafe part.original.extent?.store === store {
      guard let object = part.original as? any Validating else { continue }
      var check = Validation(object, id: part.original.objectID, prefix: part.path)
      object.validate(&check)
      if check.errors.isEmpty { continue }
      for property in part.schema.properties where property.role != .inverse {
        let errors = check.errors.filter { $0.property == part.path + property.name }
        if !errors.isEmpty, isLeft(property, part) { left += errors }
      }
    }
    // The draft says so itself.
    let own = Set(left.isEmpty ? [] : validation.value.map(\.property))
    return left.filter { !own.contains($0.property) }
  }

  /// Whether others have written a property since, and the draft has not changed it.
  private func isLeft(_ property: Property, _ part: Part) -> Bool {
    part.original.track(property.offset)
    let base = base(property, part)
    return property.isSame(base, mine(property, part))
      && !property.isSame(base, property.value(in: part.original))
  }

  /// What the objects say is wrong, asked now.
  var objectErrors: [FieldError] {
    trackLoads()
    return validate(root) { originals[$0] ?? $0 }
  }

  /// What an object and all that it embeds say is wrong; `named` gives the objects that stand for them.
  private func validate(_ object: Object, named: (Object) -> Object) -> [FieldError] {
    embedded(in: object) { _ in true }.flatMap { embedded -> [FieldError] in
      guard let object = embedded.object as? any Validating else { return [] }
      var check = Validation(object, id: named(embedded.object).objectID, prefix: embedded.path)
      object.validate(&check)
      return check.errors
    }
  }

  /// Whether a property was changed, or what is embedded there, or a commit refused for what is wrong.
  func showsErrors(of name: String) -> Bool {
    if refused.value { return true }
    return changes.contains { $0.name.isPart(of: name) }
  }

  /// What a form shows beside a property: what is wrong with it, and with what is embedded there; `path` finds
  /// out what it is called, and is asked if anything is wrong.
  func shownErrors(below path: () -> String?, part: [AnyHashable] = []) -> [FieldError] {
    let certain = textErrors(within: part) + meanwhile.value
    let errors = validation.value
    guard !certain.isEmpty || !errors.isEmpty, let path = path() else { return [] }
    let shown =
      certain.filter { $0.property.isShown(at: path) }
      + errors.filter { $0.property.isShown(at: path) && showsErrors(of: $0.property) }
    let place = places[path] ?? Trigger { "what is wrong with \(path)" }
    places[path] = place
    place.track()
    return shown
  }

  /// Whether something on screen shows what is wrong with a property: whoever has asked reads what it is told.
  private func isShown(_ error: FieldError) -> Bool {
    places.contains { path, place in place.isObserved && error.property.isShown(at: path) }
  }

  /// Throws if anything is wrong.
  func checkIsValid() throws {
    // Asked again: it may depend on what nobody tells of, such as the time.
    try refuse(for: untracked { textErrors() + meanwhileErrors + objectErrors })
  }

  /// Throws if anything is wrong with the stored object now: what others wrote may not go with what the draft did.
  func checkStored(_ original: Object) throws {
    try refuse(for: untracked { validate(original) { $0 } })
  }

  private func refuse(for errors: [FieldError]) throws {
    refused.value = !errors.isEmpty
    if errors.isEmpty { return }
    throw InvalidDraftError(
      subject: StoreError.Subject(original ?? root), errors: errors,
      isShown: errors.allSatisfy(isShown))
  }
}

extension String {
  /// Whether what is wrong with this property stands beside one of a path: not that of members of a list, which have
  /// fields of their own.
  fileprivate func isShown(at path: String) -> Bool { self == path || hasPrefix("\(path).") }

  /// Whether this is the path of a property, or of one of what is embedded there.
  fileprivate func isPart(of path: String) -> Bool {
    self == path || hasPrefix("\(path).") || hasPrefix("\(path)[")
  }
}
