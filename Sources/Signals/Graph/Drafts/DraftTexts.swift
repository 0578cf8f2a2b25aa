// Typed text that can't be parsed as a property's value. A draft with such text can't be committed.
//
// A draft has at most one text for each property of one of its objects, and for each part of the
// value that has a field. A text is valid as long as its object is in the draft and the property has
// the value that it had when the text was typed. Texts are removed when the draft is loaded, by a
// commit or a discard.

/// The text typed into the field of a property.
struct DraftText {
  let object: Object
  let property: Property
  /// The part of the value that the field edits; empty for the whole value.
  let part: [AnyHashable]
  /// The property's value when the text was typed.
  let value: Any
  let typed: TypedText
}

/// Text that can't be parsed as a value, with the error message for the user.
struct TypedText: Codable, Equatable, Sendable {
  let text: String
  let message: String
}

extension DraftCore {
  /// Stores the text typed for a property, or removes the stored one if `typed` is nil.
  ///
  /// - Returns: Whether a text is stored now.
  func keepText(_ typed: TypedText?, at path: () -> String?, part: [AnyHashable]) -> Bool {
    if typed == nil, texts.isEmpty { return false }
    guard let path = path(), let (object, property) = untracked({ property(at: path) }) else {
      return false
    }
    texts.removeAll {
      $0.object === object && $0.property.offset == property.offset && $0.part == part
    }
    if let typed { keepText(typed, of: object, property, part: part) }
    textChanges.mark()
    return typed != nil
  }

  func keepText(
    _ typed: TypedText, of object: Object, _ property: Property, part: [AnyHashable] = []
  ) {
    texts.append(
      DraftText(
        object: object, property: property, part: part, value: property.value(in: object),
        typed: typed))
  }

  /// Returns the text typed for a property, if it is still valid; reads are tracked.
  func text(at path: () -> String?, part: [AnyHashable]) -> String? {
    let texts = presentTexts
    guard !texts.isEmpty, let path = path() else { return nil }
    return texts.first { $0.path == path && $0.text.part == part }?.text.typed.text
  }

  /// All typed texts that are still valid, owners first; reads are tracked.
  var presentTexts: [(path: String, text: DraftText)] {
    textChanges.track()
    if texts.isEmpty { return [] }
    // A text that has lost its validity doesn't get it back with the value.
    let valid = texts.filter { $0.property.isSame($0.value, in: $0.object) }
    if valid.count < texts.count { texts = valid }
    return embedded(in: root) { _ in true }.flatMap { embedded in
      valid.filter { $0.object === embedded.object }.map { text in
        text.object.track(text.property.offset)
        return (embedded.path + text.property.name, text)
      }
    }
  }

  /// The errors of typed texts, without those in fields for other parts of a value than `part`.
  func textErrors(within part: [AnyHashable] = []) -> [FieldError] {
    presentTexts.filter { _, text in
      text.part.isEmpty || text.part.starts(with: part) || part.starts(with: text.part)
    }.map { path, text in
      FieldError(
        id: (originals[text.object] ?? text.object).objectID, property: path,
        value: text.typed.text.debugDescription, message: text.typed.message)
    }
  }

  func dropTexts() {
    if texts.isEmpty { return }
    texts = []
    textChanges.mark()
  }

  /// The property at a path, if it belongs to the object or to an object that it embeds.
  private func property(at path: String) -> (Object, Property)? {
    for embedded in embedded(in: root, where: { _ in true }) where path.hasPrefix(embedded.path) {
      let name = String(path.dropFirst(embedded.path.count))
      if let property = embedded.object.schema.carriedProperty(named: name) {
        return (embedded.object, property)
      }
    }
    return nil
  }
}
