// What was typed into the fields of a draft and is no value of theirs, so that the draft can't be committed meanwhile.
//
// State, kept by DraftCore: `texts`, one at most for a property of an object of the draft, and for each part of
// its value that has a field; `textChanges` tells who has read them. A text counts as long as its object is in
// the draft and the property has the value that it had when the text was typed. They go when the draft is
// loaded: by a commit, or discarded.

/// What was typed into the field of a property.
struct DraftText {
  let object: Object
  let property: Property
  /// Which part of the value the field is of; empty for all of it.
  let part: [AnyHashable]
  /// The value that the property had.
  let value: Any
  let typed: TypedText
}

/// What was typed and is no value, and what a person is told of it.
struct TypedText: Codable, Equatable, Sendable {
  let text: String
  let message: String
}

extension DraftCore {
  /// Keeps what was typed for a property, or drops what was kept; the answer is whether it keeps something now.
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

  /// What was typed for a property and counts; a read is a dependency.
  func text(at path: () -> String?, part: [AnyHashable]) -> String? {
    let texts = presentTexts
    guard !texts.isEmpty, let path = path() else { return nil }
    return texts.first { $0.path == path && $0.text.part == part }?.text.typed.text
  }

  /// What was typed and counts, owners first; a read is a dependency.
  var presentTexts: [(path: String, text: DraftText)] {
    textChanges.track()
    if texts.isEmpty { return [] }
    return embedded(in: root) { _ in true }.flatMap { embedded in
      texts.filter { text in
        guard text.object === embedded.object else { return false }
        text.object.track(text.property.offset)
        return text.property.isSame(text.value, in: text.object)
      }.map { (embedded.path + $0.property.name, $0) }
    }
  }

  /// What is wrong with what was typed, but into the fields of other parts of a value than one.
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

  /// The property that a path leads to, if it is one of the object or of what it embeds.
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
