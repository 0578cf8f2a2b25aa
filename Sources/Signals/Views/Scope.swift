// One evaluated piece of a screen: a view, a row, the root.
//
// Mutable state, and who may touch it:
// - `content`: what is evaluated; replaced when the parent is evaluated and the inputs differ;
// - `slots`: what the view's wrappers keep, by offset;
// - `children`: the scopes inside, by identity; Reconciliation.swift marks and sweeps them;
// - `built`, `elements`: what the last body built, and the same with children replaced by scopes;
// - `made`: the effects that the last body made;
// - `node`: the body as an observer of the graph.

/// Names a scope within its host, for ever.
public struct ScopeID: Hashable, Comparable, Sendable {
  let number: UInt64

  /// Orders by creation.
  public static func < (lhs: ScopeID, rhs: ScopeID) -> Bool { lhs.number < rhs.number }
}

/// What tells a child scope from its siblings: where it stands, what it is, and the user's id if any.
struct Identity: Hashable {
  let path: [Int]
  let type: ObjectIdentifier?
  let key: AnyHashable?
}

/// One evaluated piece of a screen.
@safe
final class Scope {
  enum Content {
    case view(any View)
    case closure(() -> Element)
  }

  typealias Storage = Cell<Unmanaged<Scope>?>

  let id: ScopeID
  unowned let host: ViewHost
  private(set) weak var parent: Scope?
  let depth: Int
  var content: Content
  var environment: EnvironmentValues
  /// The keys of the environment that the last body read, each with a test for "is it the same?".
  var environmentReads: [ObjectIdentifier: (EnvironmentValues) -> Bool] = [:]
  var slots: [Int: AnyObject] = [:]
  var children: [Identity: Scope] = [:]
  /// The sweep in which the parent last met this scope.
  var mark = 0
  /// What the last body built, and what became of it.
  var built = Element(.group([]))
  var elements: [Element] = []
  var isEvaluated = false
  var made: [any Cancellable] = []
  private(set) var isMounted = true
  private(set) var node: NodePointer

  init(_ host: ViewHost, parent: Scope?, content: Content, environment: EnvironmentValues) {
    self.host = host
    self.parent = parent
    self.content = content
    self.environment = environment
    id = host.nextScopeID()
    depth = (parent?.depth ?? -1) + 1
    unsafe node = unsafe Storage.make([.observer, .watcher, .pure], nil) { node, event in
      guard let scope = unsafe Storage.payload(of: node).pointee else { return false }
      switch event {
      case .evaluate: unsafe scope._withUnsafeGuaranteedRef { $0.evaluateBody() }
      case .marked: unsafe scope._withUnsafeGuaranteedRef { $0.host.invalidate($0) }
      case .describe:
        unsafe Turn.current.pointee.description = unsafe scope._withUnsafeGuaranteedRef { $0.name }
      case .settle, .perform, .read, .readMember, .destroy: break
      }
      return false
    }
    unsafe Storage.payload(of: node).pointee = unsafe Unmanaged.passUnretained(self)
  }

  var name: String {
    switch content {
    case .view(let view): "the body of \(type(of: view))"
    case .closure: parent == nil ? "the root of a host" : "a row of \(parent?.name ?? "a host")"
    }
  }

  /// Whether the body has to run.
  var isStale: Bool { unsafe !isEvaluated || Node.isStale(node) }

  /// Rows are evaluated when a renderer asks for them, everything else at once.
  var isLazy: Bool {
    if case .closure = content { return parent != nil }
    return false
  }

  /// Runs the body and puts the scopes of what it holds in place.
  func evaluate() {
    isEvaluated = true
    host.didEvaluate(self)
    environmentReads = [:]
    unsafe Node.evaluate(node)
    reconcile(built)
    host.keep(self)
  }

  private func evaluateBody() {
    var effects: [any Cancellable] = []
    for effect in made { effect.cancel() }
    environment.reader = self
    defer { environment.reader = nil }
    built = Owner.collect(into: &effects) {
      switch content {
      case .view(let view): body(of: view)
      case .closure(let content): content()
      }
    }
    made = effects
    for case let slot as any SweptSlot in slots.values { slot.sweep() }
  }

  private func body<Body: View>(of view: Body) -> Element {
    var copy = view
    Slot(scope: self, offset: 0).bindFields(of: &copy)
    return copy.body
  }

  /// Takes the scope and all below it off the screen.
  func unmount(_ forget: (Scope) -> Void) {
    var waiting = [self]
    while let scope = waiting.popLast() {
      guard scope.isMounted else { continue }
      scope.isMounted = false
      waiting += scope.children.values
      scope.children = [:]
      for effect in scope.made { effect.cancel() }
      scope.made = []
      scope.slots = [:]
      unsafe Node.dispose(scope.node)
      forget(scope)
    }
  }
}

/// What a slot does after each body: drops what the body did not use.
protocol SweptSlot: AnyObject {
  func sweep()
}
