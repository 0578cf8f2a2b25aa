/// The dependencies around a value at one moment, as text or for Graphviz.
///
/// ```swift
/// print(DependencyGraph(around: total))
/// // computed 'total' = 30
/// //   reads: signal 'price', signal 'amount'
/// //   read by: effect 'shown'
/// // signal 'price' = 10
/// //   read by: computed 'total'
/// // …
/// print(DependencyGraph(around: total, depth: 1).dot)  // … | dot -Tsvg > total.svg
/// ```
///
/// - It starts at a ``Signal``, ``Computed``, ``Effect``, ``Object``, ``Results`` or ``ViewHost``
///   and follows edges in both directions, up to `depth` steps and `limit` vertices. The edges that
///   lead beyond are counted.
/// - It is a value that contains what is known already: creating it evaluates nothing and creates
///   no dependency.
/// - Vertices are ordered by distance, then in the order of reading. The same history gives the
///   same text.
/// - A result is one vertex, which includes all reads of its conditions. Their reads of the
///   candidates themselves aren't edges, nor are the inputs that a view gets from its parent.
///
/// - Complexity: O(*n*), where *n* is the number of vertices shown and of edges to and from them,
///   not counting the description of values.
public struct DependencyGraph: Sendable {
  /// The kind of value that a vertex represents.
  public struct Kind: Hashable, Sendable {
    /// The name of the kind.
    public let name: String
    /// The attributes of its vertices in the language of Graphviz.
    let attributes: String

    init(_ name: String, drawnWith attributes: String) {
      self.name = name
      self.attributes = attributes
    }

    /// A ``Signal``, or the `@State` of a view.
    public static let signal = Kind("signal", drawnWith: "shape=box")
    /// A ``Computed``.
    public static let computed = Kind("computed", drawnWith: "shape=ellipse")
    /// An ``Effect``.
    public static let effect = Kind("effect", drawnWith: "shape=box, style=rounded")
    /// Something else: a key of an index, an observer of an object.
    public static let other = Kind("other", drawnWith: "shape=box, style=dotted")
  }

  /// A vertex: something that reads or can be read.
  public struct Vertex: Hashable, Sendable, Identifiable {
    /// The index in ``DependencyGraph/vertices``.
    public let id: Int
    /// The kind of value that it represents.
    public let kind: Kind
    /// The name in messages.
    public let name: String
    /// A description of the stored value; nil if there is none, or none yet.
    public let value: String?
    /// Whether a value that it read may have changed since it was evaluated.
    public let isStale: Bool
    /// The number of steps from the start of the graph.
    public let distance: Int
    /// The number of dependencies that aren't shown.
    public let hiddenDependencies: Int
    /// The number of readers that aren't shown.
    public let hiddenReaders: Int
  }

  /// An edge: one vertex reads another.
  public struct Edge: Hashable, Sendable {
    /// The `id` of the vertex that is read.
    public let dependency: Int
    /// The `id` of the vertex that reads.
    public let reader: Int
  }

  /// The vertices, nearest first.
  public let vertices: [Vertex]
  /// The edges, in the order of the readers and then of each reader's reads.
  public let edges: [Edge]

  init(vertices: [Vertex], edges: [Edge]) {
    self.vertices = vertices
    self.edges = edges
  }

  /// Creates the graph around a signal.
  ///
  /// - Parameters:
  ///   - signal: The signal.
  ///   - depth: The maximum distance from the start, in edges.
  ///   - limit: The maximum number of vertices.
  public init<Value>(around signal: Signal<Value>, depth: Int = 3, limit: Int = 500) {
    self.init(signal.vertex, depth: depth, limit: limit)
  }

  /// Creates the graph around a computed.
  ///
  /// - Parameters:
  ///   - computed: The computed.
  ///   - depth: The maximum distance from the start, in edges.
  ///   - limit: The maximum number of vertices.
  public init<Value>(around computed: Computed<Value>, depth: Int = 3, limit: Int = 500) {
    self.init(computed.vertex, depth: depth, limit: limit)
  }

  /// Creates the graph around an effect; it is empty if the effect was cancelled.
  ///
  /// - Parameters:
  ///   - effect: The effect.
  ///   - depth: The maximum distance from the start, in edges.
  ///   - limit: The maximum number of vertices.
  public init(around effect: Effect, depth: Int = 3, limit: Int = 500) {
    self.init(effect.vertex, depth: depth, limit: limit)
  }

  private init(_ vertex: NodeHandle?, depth: Int, limit: Int) {
    var walk = DependencyWalk(depth: depth, limit: limit)
    if let vertex { walk.start(at: [vertex.node]) }
    self = walk.finish()
  }
}

extension DependencyGraph: CustomStringConvertible {
  /// Each vertex on a line, followed by the names of its dependencies and readers.
  public var description: String {
    var reads: [Int: [String]] = [:]
    var readers: [Int: [String]] = [:]
    for edge in edges {
      reads[edge.reader, default: []].append(vertices[edge.dependency].name)
      readers[edge.dependency, default: []].append(vertices[edge.reader].name)
    }
    return vertices.map { vertex in
      var text = vertex.title
      text += vertex.list(reads[vertex.id] ?? [], as: "reads", hidden: vertex.hiddenDependencies)
      text += vertex.list(readers[vertex.id] ?? [], as: "read by", hidden: vertex.hiddenReaders)
      return text
    }.joined(separator: "\n")
  }
}

extension DependencyGraph.Vertex {
  fileprivate var title: String {
    let note = isStale ? value == nil && kind == .computed ? " (not evaluated)" : " (stale)" : ""
    return "\(name)\(value.map { " = \($0)" } ?? "")\(note)"
  }

  fileprivate func list(_ names: [String], as title: String, hidden: Int) -> String {
    if names.isEmpty, hidden == 0 { return "" }
    let more = hidden == 0 ? [] : ["\(names.isEmpty ? "" : "and ")\(hidden) not shown"]
    return "\n  \(title): \((names + more).joined(separator: ", "))"
  }
}
