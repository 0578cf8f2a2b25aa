// Why bodies run, and what they hang on.
//
// State: a scope has a trace while its host traces changes, or once its body has asked for it; `causes` are what makes
// its next body run besides what the last one read, collected from when that is found out until the body has run.

/// Why the body of one scope ran.
final class ScopeTrace {
  let changes: ChangeTrace
  private var causes: [Explanation.Change] = []

  init(_ node: NodePointer, hasRun: Bool) {
    changes = unsafe ChangeTrace(node)
    changes.start(hasRun: hasRun)
  }

  /// Something else makes the body run again.
  func note(_ new: [Explanation.Change]) {
    for change in new {
      if let known = causes.firstIndex(where: { $0.name == change.name }) {
        causes[known] = Explanation.Change(
          name: change.name, old: causes[known].old, new: change.new)
      } else {
        causes.append(change)
      }
    }
  }

  /// The body has run.
  func didRun() {
    changes.didRun(others: causes)
    causes = []
  }
}

extension Explanation.Change {
  /// A cause without values.
  static func named(_ name: String) -> Explanation.Change {
    Explanation.Change(name: name, old: nil, new: nil)
  }
}

extension Scope {
  /// The inputs in which a view that the parent made differs from the one before it.
  func changedInputs(_ new: Content) -> [Explanation.Change] {
    guard case .view(let old) = content, case .view(let new) = new else {
      return [.named(parent?.name ?? "a host")]
    }
    func changes<Body: View>(_ old: Body) -> [Explanation.Change] {
      guard let new = new as? Body else { return [] }
      return table(of: Body.self).changes(old, new)
    }
    return changes(old)
  }

  /// Whether an element with an id stands here, and not in a scope inside.
  fileprivate func draws(_ id: String) -> Bool {
    var waiting = elements
    while let element = waiting.popLast() {
      guard case .drawn(let drawn) = element.content else { continue }
      if drawn.id == id { return true }
      waiting += drawn.children
    }
    return false
  }
}

extension FieldTable {
  /// The inputs that differ, with what they were and are.
  fileprivate func changes<Whole>(_ old: Whole, _ new: Whole) -> [Explanation.Change] {
    let differing = unsafe withUnsafePointer(to: old) { left in
      unsafe withUnsafePointer(to: new) { right in
        inputs.filter { input in
          unsafe !input.isSame.answer(
            UnsafeRawPointer(left) + input.offset, UnsafeRawPointer(right) + input.offset)
        }
      }
    }
    return differing.map { input in
      let name = input.name.hasPrefix("_") ? String(input.name.dropFirst()) : input.name
      let texts = [old, new].map { text(of: input.name, in: $0) }
      let change = name.isEmpty ? "the view itself" : "input '\(name)'"
      // Closures, above all, look the same.
      if texts[0] == texts[1] { return .named(change) }
      return Explanation.Change(name: change, old: texts[0], new: texts[1])
    }
  }

  private func text<Whole>(of field: String, in view: Whole) -> String? {
    if field.isEmpty { return Inspection.text(of: view) }
    return Mirror(reflecting: view).children.first { $0.label == field }
      .map { Inspection.text(of: $0.value) }
  }
}

extension ObservedObject: MessageNamed {
  var nameInMessages: String { Inspection.text(of: wrappedValue) }
}

extension Scope {
  /// What builds the elements of this scope: a section is content of the body around it, and has only its title.
  fileprivate var withoutSections: Scope {
    var scope = self
    while case .part(let part) = scope.content, part.role == .section, let parent = scope.parent {
      scope = parent
    }
    return scope
  }
}

extension View {
  /// Prints what a body that runs now runs for, once it has run: a line, or one for each cause.
  ///
  /// Call it in the body; anywhere else it does nothing. Each run of a body that calls it costs about a microsecond for
  /// each thing that it reads. A body that did not call it when it ran first has followed nothing until then, and is
  /// said to have run although nothing had changed. For all bodies of a host there is ``ViewHost/printChanges()``.
  ///
  /// ```swift
  /// var body: Element {
  ///   let _ = printChanges()  // the body of BookRow ran because of Book.title of #12: "Ema" → "Emma"
  ///   Text(book.title)
  /// }
  /// ```
  public func printChanges() {
    guard let reader = unsafe Node.reader else { return }
    (unsafe Node.inspect(reader).owner as? Scope)?.printChanges()
  }
}

extension ViewHost {
  /// Why the body that holds an element ran last; nil if it hasn't since ``tracesChanges`` was set.
  ///
  /// It names the inputs that its parent changed, and all that it had read and that changed, with the old
  /// and the new value. Throws like ``element(_:)`` if there is no such element.
  ///
  /// ```swift
  /// host.tracesChanges = true
  /// book.title = "Emma"
  /// print(try host.explain("borrow-0441569595")!)
  /// // the body of BookRow ran because of Book.title of #12: "Ema" → "Emma"
  /// ```
  public func explain(_ id: String) throws -> Explanation? {
    _ = try element(id)
    return scopesInOrder.first { $0.draws(id) }?.withoutSections.trace?.changes.last
  }

  /// Why the bodies of all views of a type that are on screen ran last, in the order of their appearance.
  ///
  /// Those that haven't run since ``tracesChanges`` was set are left out.
  public func explanations<Body: View>(of type: Body.Type) -> [Explanation] {
    scopesInOrder.compactMap { scope in
      guard case .view(let view) = scope.content, view is Body else { return nil }
      return scope.trace?.changes.last
    }
  }

  /// Prints, for each body that runs from now on, what it ran for: a line, or one for each cause.
  ///
  /// ```
  /// the body of BookRow ran because of Book.title of #12: "Ema" → "Emma"
  /// ```
  ///
  /// Set ``onExplanation`` to nil, and ``tracesChanges`` to false, to end it. A single view calls
  /// ``View/printChanges()`` in its body.
  public func printChanges() { onExplanation = { print($0) } }

  /// A body that is traced has run.
  func didTrace(_ trace: ScopeTrace) {
    guard let onExplanation, let last = trace.changes.last else { return }
    Node.withoutReader { onExplanation(last) }
  }

  private var scopesInOrder: [Scope] {
    scopes.values.filter { $0.isMounted }.sorted { $0.id < $1.id }
  }

  func traceScopes() {
    for scope in scopes.values {
      guard tracesChanges else {
        scope.trace = nil
        continue
      }
      if let node = unsafe scope.node { scope.trace = unsafe ScopeTrace(node, hasRun: true) }
    }
  }
}

extension DependencyGraph {
  /// The graph around a host: all bodies of views and rows that were evaluated.
  public init(around host: ViewHost, depth: Int = 3, limit: Int = 500) {
    var walk = DependencyWalk(depth: depth, limit: limit)
    let scopes = host.scopes.values.filter { $0.isMounted }.sorted { $0.id < $1.id }
    unsafe walk.start(at: scopes.compactMap { unsafe $0.node })
    self = walk.finish()
  }
}
