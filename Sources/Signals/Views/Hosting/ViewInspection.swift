// Why bodies run, and what they depend on.
//
// State: a scope has a `trace` while its host traces changes.
// `causes`, the reasons for the next run of a body other than changed dependencies. They are
// collected until the body has run.

/// Records why the body of one scope ran.
final class ScopeTrace {
  let changes: ChangeTrace
  private var causes: [Explanation.Change] = []

  init(_ node: NodePointer, hasRun: Bool) {
    changes = ChangeTrace(node)
    changes.start(hasRun: hasRun)
  }

  /// Adds reasons for the next run, other than changed dependencies.
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

  /// Notes that the body has run.
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
  /// Returns the inputs in which a new view from the parent differs from the current one.
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

  /// Whether an element with an id is in this scope itself, and not in a nested scope.
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
  /// Returns the inputs that differ, with their old and new values.
  fileprivate func changes<Whole>(_ old: Whole, _ new: Whole) -> [Explanation.Change] {
    differences(old, new).map { input in
      let name = input.name.hasPrefix("_") ? String(input.name.dropFirst()) : input.name
      let texts = [old, new].map { text(of: input.name, in: $0) }
      let change = name.isEmpty ? "the view itself" : "input '\(name)'"
      // Values that differ may have the same description, especially closures.
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
  /// The scope whose body builds this scope's elements.
  ///
  /// A section is built by the body around it, and only evaluates its title.
  fileprivate var withoutSections: Scope {
    var scope = self
    while case .separate(let part) = scope.content, part.role == .section, let parent = scope.parent
    {
      scope = parent
    }
    return scope
  }
}

extension ViewHost {
  /// Returns why the body that contains an element last ran.
  ///
  /// The explanation names the inputs that its parent changed and every dependency that changed,
  /// with old and new values.
  ///
  /// ```swift
  /// host.tracesChanges = true
  /// book.title = "Emma"
  /// print(try host.explain("borrow-0441569595")!)
  /// // the body of BookRow ran because of Book.title of #12: "Ema" → "Emma"
  /// ```
  ///
  /// - Returns: The explanation; `nil` if the body hasn't run since ``tracesChanges`` was set.
  /// - Throws: The errors of ``element(_:)`` if there is no such element.
  public func explain(_ id: String) throws -> Explanation? {
    _ = try element(id)
    return scopesInOrder.first { $0.draws(id) }?.withoutSections.trace?.changes.last
  }

  /// Passes on why a traced body has run.
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
      if let node = scope.node { scope.trace = ScopeTrace(node, hasRun: true) }
    }
  }
}

extension DependencyGraph.Kind {
  /// The body of a view, or a row.
  public static let view = DependencyGraph.Kind("view", drawnWith: "shape=component")
}

extension DependencyGraph {
  /// Creates the graph around a host, starting at all evaluated bodies of its views and rows.
  ///
  /// - Parameters:
  ///   - host: The host.
  ///   - depth: The maximum number of steps from a body to a vertex.
  ///   - limit: The maximum number of vertices.
  public init(around host: ViewHost, depth: Int = 3, limit: Int = 500) {
    var walk = DependencyWalk(depth: depth, limit: limit)
    let scopes = host.scopes.values.filter { $0.isMounted }.sorted { $0.id < $1.id }
    walk.start(at: scopes.compactMap { $0.node })
    self = walk.finish()
  }
}
