extension Draft {
  /// What is wrong with the draft, and with what it embeds; a read is a dependency.
  ///
  /// That is what ``Validating`` says, and what was typed into a ``TextField`` of a property and is no value of it:
  /// a draft that can't be read can't be committed either.
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
  var errors: [FieldError] { textErrors() + objectErrors }

  private var objectErrors: [FieldError] {
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
    let (typed, errors) = (textErrors(within: part), objectErrors)
    guard !typed.isEmpty || !errors.isEmpty, let path = path() else { return [] }
    return typed.filter { $0.property.isPart(of: path) }
      + errors.filter { $0.property.isPart(of: path) && showsErrors(of: $0.property) }
  }

  /// Throws if anything is wrong.
  func checkIsValid() throws {
    let errors = untracked { self.errors }
    refused.value = !errors.isEmpty
    if errors.isEmpty { return }
    throw InvalidDraftError(subject: StoreError.Subject(original ?? root), errors: errors)
  }
}

extension String {
  /// Whether this is the path of a property, or of one of what is embedded there.
  fileprivate func isPart(of path: String) -> Bool {
    self == path || hasPrefix("\(path).") || hasPrefix("\(path)[")
  }
}
