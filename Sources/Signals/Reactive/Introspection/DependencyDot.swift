extension DependencyGraph {
  /// The graph in the language of Graphviz; arrows lead from a dependency to its reader.
  ///
  /// ```
  /// $ app --graph | dot -Tsvg > graph.svg
  /// ```
  public var dot: String {
    var lines = ["digraph dependencies {", "  rankdir=LR;", "  node [fontname=\"sans-serif\"];"]
    for vertex in vertices {
      let label = ([vertex.name] + (vertex.value.map { [$0] } ?? [])).map(Self.escaped)
        .joined(separator: "\\n")
      var attributes = "label=\"\(label)\", \(vertex.kind.attributes)"
      if vertex.distance == 0 { attributes += ", penwidth=2" }
      if vertex.isStale { attributes += ", fontcolor=gray40" }
      lines.append("  n\(vertex.id) [\(attributes)];")
    }
    for edge in edges { lines.append("  n\(edge.dependency) -> n\(edge.reader);") }
    for vertex in vertices {
      if vertex.hiddenDependencies > 0 {
        lines.append("  d\(vertex.id) [label=\"\(vertex.hiddenDependencies) more\", shape=none];")
        lines.append("  d\(vertex.id) -> n\(vertex.id) [style=dashed];")
      }
      if vertex.hiddenReaders > 0 {
        lines.append("  r\(vertex.id) [label=\"\(vertex.hiddenReaders) more\", shape=none];")
        lines.append("  n\(vertex.id) -> r\(vertex.id) [style=dashed];")
      }
    }
    return (lines + ["}", ""]).joined(separator: "\n")
  }

  /// Escapes a text for a quoted label, where a backslash begins an escape and `&` an entity.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": escaped += "\\\""
      case "\\": escaped += "\\\\"
      case "&": escaped += "&amp;"
      case "\n": escaped += "\\n"
      case _ where scalar.properties.generalCategory == .control: escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
