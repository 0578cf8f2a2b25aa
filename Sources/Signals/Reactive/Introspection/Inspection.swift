// How the owner of a node describes it for introspection of the graph.
//
// State: an owner that is asked stores its answer in the scheduler's `inspection`, from which
// `inspect` takes it. An inspection evaluates nothing and creates no edge.

/// The description of a node by its owner.
@safe struct Inspection {
  var kind: DependencyGraph.Kind
  /// The stored value on one line, if there is one.
  var value: String?
  /// The group of the node; the nodes of one group are shown as one vertex.
  var group: AnyObject?
  var members: [NodePointer] = unsafe []
  /// The object of a higher layer that the node belongs to.
  var owner: AnyObject?
  /// Whether the node isn't part of the graph as users know it.
  var isHidden = false

  init(kind: DependencyGraph.Kind = .other, value: String? = nil) {
    self.kind = kind
    self.value = value
  }

  static var hidden: Inspection {
    var inspection = Inspection()
    inspection.isHidden = true
    return inspection
  }

  /// Describes a value on one line, in at most about 80 characters.
  static func text<Value>(of value: Value) -> String {
    Node.withoutReader {
      let mirror = Mirror(reflecting: value)
      if mirror.displayStyle == .optional {
        return mirror.children.first.map { text(of: $0.value) } ?? "nil"
      }
      if let value = value as? any MessageNamed { return value.nameInMessages }
      let isText = value is String || value is Substring || value is Character
      return line(isText ? String(reflecting: value) : String(describing: value))
    }
  }

  private static func line(_ text: String) -> String {
    let limit = 80
    var line = ""
    for scalar in text.unicodeScalars.prefix(limit) {
      line +=
        scalar.properties.generalCategory == .control
        ? scalar.escaped(asASCII: false) : String(scalar)
    }
    return text.unicodeScalars.dropFirst(limit).isEmpty ? line : line + "…"
  }
}

/// A value with a better name for messages than its description.
protocol MessageNamed {
  var nameInMessages: String { get }
}

extension Node {
  /// Asks the owner of a node to describe it.
  static func inspect(_ node: NodePointer) -> Inspection {
    unsafe Scheduler.current.pointee.inspection = Inspection()
    withoutReader { _ = unsafe node.pointee.reaction(node, .inspect) }
    defer { unsafe Scheduler.current.pointee.inspection = Inspection() }
    return unsafe Scheduler.current.pointee.inspection
  }

  /// Stores the description of a node that has a value, or will have one.
  @usableFromInline
  @inline(never)
  static func answer<Value>(_ kind: DependencyGraph.Kind, _ value: Value?) -> Bool {
    let text = value.map { Inspection.text(of: $0) }
    unsafe Scheduler.current.pointee.inspection = Inspection(kind: kind, value: text)
    return true
  }

  /// Stores the description of a node without a value.
  static func answer(_ inspection: Inspection) -> Bool {
    unsafe Scheduler.current.pointee.inspection = inspection
    return true
  }
}
