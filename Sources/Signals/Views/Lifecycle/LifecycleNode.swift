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

/// The nodes of one scope during one pass over the elements that its body built.
///
/// State: `old`, the nodes of the previous pass; `nodes`, those found so far.
struct LifecyclePass {
  private var old: PreviousItems<LifecycleNode>
  private(set) var nodes: [PlacedItem<LifecycleNode>] = []

  init(_ old: [PlacedItem<LifecycleNode>]) { self.old = PreviousItems(old) }

  /// Whether there were no nodes before, and none were found.
  var isEmpty: Bool { old.items.isEmpty && nodes.isEmpty }

  /// Finds or makes the node of a modifier, and returns the environment of the content below it.
  mutating func resolve(
    _ modifier: some LifecycleModifier, at path: [Step], in scope: Scope, pass: UInt64,
    environment: EnvironmentValues
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
    let type = ObjectIdentifier(Modifier.self)
    if let known = old.take(type, at: path), let node = known.item as? Modifier.NodeType {
      nodes.append(known)
      if modifier.update(node) { scope.host.lifecycle.add(node) }
      return node
    }
    let node = modifier.makeNode(in: scope)
    nodes.append(PlacedItem(path: path, type: type, item: node))
    scope.host.lifecycle.add(node)
    return node
  }

  /// Returns the nodes that weren't found again.
  func nodes(missingIn pass: UInt64) -> [LifecycleNode] {
    old.items.lazy.map(\.item).filter { $0.mark != pass }
  }
}
