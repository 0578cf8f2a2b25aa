extension Draft {
  /// What is wrong with the draft, and with what it embeds; a read is a dependency.
  ///
  /// That is what ``Validating`` says, what was typed into a ``TextField`` of a property and is no value of it, and
  /// links to objects that were deleted meanwhile: none of these can be committed.
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
  var errors: [FieldError] { textErrors() + lostLinks.value + validation.value }

  /// Links to deleted objects, asked now; one that nobody has changed is no error, since a commit leaves it out.
  var lostLinkErrors: [FieldError] {
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

  /// What the objects say is wrong, asked now.
  var objectErrors: [FieldError] {
    trackLoads()
    return embedded(in: root) { _ in true }.flatMap { embedded -> [FieldError] in
      guard let object = embedded.object as? any Validating else { return [] }
      let id = (originals[embedded.object] ?? embedded.object).objectID
      var check = Validation(object, id: id, prefix: embedded.path)
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
    let certain = textErrors(within: part) + lostLinks.value
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
    let errors = untracked { textErrors() + lostLinkErrors + objectErrors }
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
