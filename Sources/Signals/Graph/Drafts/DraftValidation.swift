extension Draft {
  /// The errors of the draft and of the objects it embeds; reads are tracked.
  ///
  /// - The errors that ``Validating`` objects report for the draft. For properties that were
  ///   written outside the draft and not changed in it, also the errors of the stored object,
  ///   because a commit keeps their values.
  /// - Text in a ``TextField`` that can't be parsed as its property's value.
  /// - Links to objects that were deleted since the draft was loaded.
  ///
  /// A draft with any of these errors can't be committed.
  public var errors: [FieldError] { core.errors }

  /// Whether the draft has no errors; reads are tracked.
  public var isValid: Bool { core.errors.isEmpty }

  /// Returns the errors of a property of the object; reads are tracked.
  ///
  /// - Parameter path: The key path of the property.
  /// - Returns: An empty array if the path is a computed property, because only stored properties
  ///   have errors.
  public func errors<Value>(at path: ReferenceWritableKeyPath<Element, Value>) -> [FieldError] {
    guard let name = name(of: path) else { return [] }
    return core.errors.filter { $0.property == name }
  }

  /// Returns the errors that a form shows beside a property; reads are tracked.
  ///
  /// Validation errors of the draft are shown once the property has been changed or a commit has
  /// been refused, so an untouched field shows none. For an object that was embedded after the
  /// draft was loaded, changes to single properties aren't known, so its errors are shown only
  /// after a refused commit. Errors of unparsable text, of deleted targets, and of values written
  /// outside the draft are always shown.
  ///
  /// - Parameter path: The key path of the property.
  /// - Returns: The errors to show.
  public func shownErrors<Value>(
    at path: ReferenceWritableKeyPath<Element, Value>
  ) -> [FieldError] {
    guard let name = name(of: path) else { return [] }
    return core.shownErrors { name }.filter { $0.property == name }
  }

  func name<Value>(of path: ReferenceWritableKeyPath<Element, Value>) -> String? {
    object.propertyName(at: path)
  }
}

extension DraftCore {
  /// The errors of typed text, and of the root and all objects it embeds now, owners first.
  var errors: [FieldError] { textErrors() + externalErrors.value + validation.value }

  /// The errors caused by changes outside the draft since it was loaded, evaluated now.
  var currentExternalErrors: [FieldError] { lostLinkErrors + leftErrors }

  /// The errors of links to deleted objects, evaluated now.
  ///
  /// A link that the draft hasn't changed has no error, because a commit leaves it out.
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
    return !property.isSame(base(property, of: part), mine(property, of: part))
  }

  /// The errors of properties that were written outside the draft since it was loaded and not
  /// changed in it, so that a commit keeps their values.
  private var leftErrors: [FieldError] {
    trackLoads()
    var left: [FieldError] = []
    for part in parts(of: root) where part.original.table?.store === store {
      guard let object = part.original as? any Validating else { continue }
      var check = Validation(object, id: part.original.objectID, prefix: part.path)
      object.validate(&check)
      if check.errors.isEmpty { continue }
      for property in part.schema.properties where property.role != .inverse {
        let errors = check.errors.filter { $0.property == part.path + property.name }
        if !errors.isEmpty, isLeft(property, of: part) { left += errors }
      }
    }
    // The draft reports these errors itself.
    let own = Set(left.isEmpty ? [] : validation.value.map(\.property))
    return left.filter { !own.contains($0.property) }
  }

  /// Whether a property was written outside the draft since it was loaded, and not changed in it.
  private func isLeft(_ property: Property, of part: Part) -> Bool {
    part.original.track(property.offset)
    let base = base(property, of: part)
    return property.isSame(base, mine(property, of: part))
      && !property.isSame(base, property.value(in: part.original))
  }

  /// The validation errors of the draft's objects, evaluated now.
  var objectErrors: [FieldError] {
    trackLoads()
    return validate(root) { originals[$0] ?? $0 }
  }

  /// The validation errors of an object and all objects it embeds.
  ///
  /// Errors carry the id of the object that `named` returns.
  private func validate(_ object: Object, named: (Object) -> Object) -> [FieldError] {
    embedded(in: object) { _ in true }.flatMap { embedded -> [FieldError] in
      guard let object = embedded.object as? any Validating else { return [] }
      var check = Validation(object, id: named(embedded.object).objectID, prefix: embedded.path)
      object.validate(&check)
      return check.errors
    }
  }

  /// Whether a property or an object embedded there was changed, or a commit was refused.
  func showsErrors(of name: String) -> Bool {
    if refused.value { return true }
    return changes.contains { $0.name.isPart(of: name) }
  }

  /// The errors that a form shows beside a property, including those of objects embedded there.
  ///
  /// `path` resolves the property's path and is called only if there are errors.
  func shownErrors(below path: () -> String?, part: [AnyHashable] = []) -> [FieldError] {
    let certain = textErrors(within: part) + externalErrors.value
    let errors = validation.value
    guard !certain.isEmpty || !errors.isEmpty, let path = path() else { return [] }
    let shown =
      certain.filter { $0.property.isShown(at: path) }
      + errors.filter { $0.property.isShown(at: path) && showsErrors(of: $0.property) }
    let place = places[path] ?? SettlingSource<Void> { "what is wrong with \(path)" }
    places[path] = place
    place.track()
    return shown
  }

  /// Whether a view on screen shows an error.
  ///
  /// A view that has asked for errors reads the source of its path.
  private func isShown(_ error: FieldError) -> Bool {
    places.contains { path, place in place.isObserved && error.property.isShown(at: path) }
  }

  /// Throws if the draft has errors.
  func checkIsValid() throws {
    // Evaluated again, because validation may depend on values that aren't tracked, such as the
    // time.
    try refuse(for: untracked { textErrors() + currentExternalErrors + objectErrors })
  }

  /// Throws if the stored object is invalid now.
  ///
  /// Values that are valid in the draft may be invalid together with values written outside the
  /// draft.
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
  /// Whether the errors of this property are shown at `path`.
  ///
  /// Those of list members aren't, because members have their own fields.
  fileprivate func isShown(at path: String) -> Bool { self == path || hasPrefix("\(path).") }

  /// Whether this is the path of the property, or of a property of an object embedded there.
  fileprivate func isPart(of path: String) -> Bool {
    self == path || hasPrefix("\(path).") || hasPrefix("\(path)[")
  }
}
