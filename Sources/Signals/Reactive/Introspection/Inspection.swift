// How the owner of a node describes it for introspection of the graph.
//
// An inspection evaluates nothing and creates no edge.

/// The description of a node by its owner.
@usableFromInline
@safe struct Inspection {
  var kind: DependencyGraph.Kind
  /// The stored value on one line, if there is one.
  var value: String?
  /// The group of the node; the nodes of one group are shown as one vertex.
  var group: AnyObject?
  var members: [NodePointer] = []
  /// The object that the node belongs to, for the code that created the node.
  var owner: AnyObject?
  /// Whether the node isn't part of the graph as users know it.
  var isHidden = false

  init(kind: DependencyGraph.Kind = .other, value: String? = nil) {
    self.kind = kind
    self.value = value
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
    var inspection = Inspection()
    UncheckedPointer.with(&inspection) { place in
      withoutReader { _ = node.pointee.reaction(node, .inspect(place)) }
    }
    return inspection
  }

  /// Describes a node that has a value, or will have one.
  @usableFromInline
  @inline(never)
  static func describe<Value>(
    _ value: Value?, as kind: DependencyGraph.Kind, in place: UncheckedPointer<Inspection>
  ) {
    place.pointee = Inspection(kind: kind, value: value.map { Inspection.text(of: $0) })
  }
}
