// The fields of a scope's view, and whether its parent gave it the same inputs again.

extension Scope {
  /// The fields of the view, whose type never changes.
  func table<Body: View>(of type: Body.Type) -> FieldTable {
    if let fields { return fields }
    let table = host.fields.table(of: type)
    fields = table
    return table
  }

  /// The name of a property of the view, for messages.
  func nameOfField(at offset: Int) -> String? {
    guard case .view(let view) = content, let fields else { return nil }
    return fields.path(to: offset, in: host.fields).map { "\(type(of: view)).\($0)" }
  }

  /// Whether new content from the parent has the same inputs as the current content.
  func hasSameInputs(_ new: Content) -> Bool {
    switch (content, new) {
    case (.view, .view(let view)): hasSameInputs(view)
    case (.rows(let old), .rows(let new)): old === new
    case (.separate(let old), .separate(let new)): old === new
    default: false
    }
  }

  /// Whether a new view from the parent has the same inputs as the current one.
  private func hasSameInputs(_ new: any View) -> Bool {
    guard isEvaluated, case .view(let old) = content else { return false }
    func compare<Body: View>(_ old: Body) -> Bool {
      (new as? Body).map { table(of: Body.self).isSame(old, $0) } ?? false
    }
    return compare(old)
  }
}
