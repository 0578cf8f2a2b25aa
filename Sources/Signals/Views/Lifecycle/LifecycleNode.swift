// What a scope keeps for the lifecycle modifiers in its body: one node for each. Like a child view,
// a node is found again by its identity.
//
// State of a node, touched only in the host's isolation domain:
// - `handler`: gets the node's errors; set in each pass over the body.
// - `mark`: the pass in which the node was last found.
// - `appearance`, `isQueued`, `hasEnded`: see LifecycleQueue.swift.

/// A modifier in a body that concerns the lifecycle of its content.
protocol LifecycleModifier<NodeType> {
  associatedtype NodeType: LifecycleNode

  /// Returns the node for the modifier; called when the modifier is first found.
  func makeNode(in scope: Scope) -> NodeType

  /// Updates the node from a later body; returns whether the node has to run after the frame.
  func update(_ node: NodeType) -> Bool
}

/// The state of a modifier, kept as long as passes find the modifier again.
class LifecycleNode {
  var handler: ErrorHandler?
  var mark: UInt64 = 0
  /// The position of its appearance in the order of all; 0 if it hasn't appeared.
  var appearance: UInt64 = 0
  var isQueued = false
  var hasEnded = false

  /// Runs the code that is due after a frame.
  func run(on host: ViewHost, isFirst: Bool) throws {}

  /// Releases everything, and returns the code to run at the end if the node has appeared.
  func end() -> (() throws -> Void)? { nil }

  /// The handler that the node is for the errors of the content below it.
  var errorHandler: ErrorHandler? { nil }
}

/// A node and its identity.
struct LifecycleChild {
  let identity: ChildIdentity
  let node: LifecycleNode
}

/// The nodes of one scope during one pass over the elements that its body built.
///
/// State: `old`, the nodes of the previous pass; `next`, the index of the node that is expected
/// next; `index`, the identities of all old nodes, once a node wasn't where it was expected;
/// `nodes`, those found so far.
struct LifecyclePass {
  private let old: [LifecycleChild]
  private var next = 0
  private var index: [ChildIdentity: Int]?
  private(set) var nodes: [LifecycleChild] = []

  init(_ old: [LifecycleChild]) { self.old = old }

  /// Whether there were no nodes before, and none were found.
  var isEmpty: Bool { old.isEmpty && nodes.isEmpty }

  /// Finds or makes the node of a modifier, and returns the environment of the content below it.
  mutating func resolve(
    _ modifier: some LifecycleModifier, at path: [Step], in scope: Scope, pass: UInt64,
    _ environment: EnvironmentValues
  ) -> EnvironmentValues {
    let node = node(of: modifier, at: path, in: scope)
    node.mark = pass
    node.handler = environment.errorHandler
    guard let handler = node.errorHandler else { return environment }
    handler.outer = environment.errorHandler
    var below = environment
    below.errorHandler = handler
    return below
  }

  private mutating func node<Modifier: LifecycleModifier>(
    of modifier: Modifier, at path: [Step], in scope: Scope
  ) -> LifecycleNode {
    let identity = ChildIdentity(path: path, type: ObjectIdentifier(Modifier.self))
    if let known = take(identity), let node = known as? Modifier.NodeType {
      nodes.append(LifecycleChild(identity: identity, node: node))
      if modifier.update(node) { scope.host.lifecycle.add(node) }
      return node
    }
    let node = modifier.makeNode(in: scope)
    nodes.append(LifecycleChild(identity: identity, node: node))
    scope.host.lifecycle.add(node)
    return node
  }

  private mutating func take(_ identity: ChildIdentity) -> LifecycleNode? {
    if old.isEmpty { return nil }
    if next < old.count, old[next].identity == identity {
      next += 1
      return old[next - 1].node
    }
    let index =
      index ?? Dictionary(uniqueKeysWithValues: old.indices.map { (old[$0].identity, $0) })
    self.index = index
    guard let found = index[identity] else { return nil }
    next = found + 1
    return old[found].node
  }

  /// Returns the nodes that weren't found again.
  func gone(_ pass: UInt64) -> [LifecycleNode] {
    old.lazy.map(\.node).filter { $0.mark != pass }
  }
}
