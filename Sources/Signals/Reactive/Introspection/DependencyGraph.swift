/// Who depends on whom around a value, as it is at the moment: for reading, and for Graphviz.
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
/// - It starts at a ``Signal``, ``Computed``, ``Effect``, ``Object``, ``Results`` or ``ViewHost`` and goes both
///   ways, `depth` steps far and up to `limit` vertices; what lies beyond is counted.
/// - It is a value, of what is known without asking: taking it evaluates nothing, and depends on nothing.
/// - The order is that of distance, then of reading; the same history gives the same text.
/// - A result is one vertex with all that its conditions read. What they read on the candidates
///   themselves is no edge, nor is the input that a view gets from its parent.
///
/// O(what it shows and what that reads or is read by), besides describing the values.
public struct DependencyGraph: Sendable {
  /// What a vertex stands for.
  public enum Kind: String, Hashable, Sendable {
    /// A ``Signal``, and the `@State` of a view.
    case signal
    /// A ``Computed``.
    case computed
    /// An ``Effect``.
    case effect
    /// One property of one ``Object``.
    case property
    /// A ``Results``.
    case results
    /// The body of a view, or a row.
    case view
    /// Something else: a key of an index, an observer of an object.
    case other
  }

  /// Something that reads or can be read.
  public struct Vertex: Hashable, Sendable, Identifiable {
    /// Its place in ``DependencyGraph/vertices``.
    public let id: Int
    /// What it stands for.
    public let kind: Kind
    /// The name that messages give it.
    public let name: String
    /// A description of the value it keeps; nil if there is none, or none yet.
    public let value: String?
    /// Whether something that it read may have changed since it was evaluated.
    public let isStale: Bool
    /// How many steps it is away from where the graph starts.
    public let distance: Int
    /// How many things it reads that are not shown.
    public let hiddenDependencies: Int
    /// How many readers it has that are not shown.
    public let hiddenReaders: Int
  }

  /// One vertex reads another.
  public struct Edge: Hashable, Sendable {
    /// Who is read.
    public let dependency: Int
    /// Who reads.
    public let reader: Int
  }

  /// What is there, nearest first.
  public let vertices: [Vertex]
  /// Who reads what, in the order of the readers, and of each one's reads.
  public let edges: [Edge]

  init(vertices: [Vertex], edges: [Edge]) {
    self.vertices = vertices
    self.edges = edges
  }

  /// The graph around a signal.
  public init<Value>(around signal: Signal<Value>, depth: Int = 3, limit: Int = 500) {
    unsafe self.init(signal.vertex, depth, limit)
  }

  /// The graph around a computed.
  public init<Value>(around computed: Computed<Value>, depth: Int = 3, limit: Int = 500) {
    unsafe self.init(computed.vertex, depth, limit)
  }

  /// The graph around an effect; none if that was cancelled.
  public init(around effect: Effect, depth: Int = 3, limit: Int = 500) {
    unsafe self.init(effect.vertex, depth, limit)
  }

  private init(_ vertex: UnsafeMutableRawPointer?, _ depth: Int, _ limit: Int) {
    var walk = DependencyWalk(depth: depth, limit: limit)
    if let vertex = unsafe vertex {
      unsafe walk.start(at: [vertex.assumingMemoryBound(to: Node.self)])
    }
    self = walk.finish()
  }
}

extension DependencyGraph: CustomStringConvertible {
  /// Each vertex on a line, and below it what it reads and who reads it.
  public var description: String {
    var reads: [Int: [String]] = [:]
    var readers: [Int: [String]] = [:]
    for edge in edges {
      reads[edge.reader, default: []].append(vertices[edge.dependency].name)
      readers[edge.dependency, default: []].append(vertices[edge.reader].name)
    }
    return vertices.map { vertex in
      var text = vertex.title
      text += vertex.list("reads", reads[vertex.id] ?? [], hidden: vertex.hiddenDependencies)
      text += vertex.list("read by", readers[vertex.id] ?? [], hidden: vertex.hiddenReaders)
      return text
    }.joined(separator: "\n")
  }
}

extension DependencyGraph.Vertex {
  fileprivate var title: String {
    let note = isStale ? value == nil && kind == .computed ? " (not evaluated)" : " (stale)" : ""
    return "\(name)\(value.map { " = \($0)" } ?? "")\(note)"
  }

  fileprivate func list(_ title: String, _ names: [String], hidden: Int) -> String {
    if names.isEmpty, hidden == 0 { return "" }
    let more = hidden == 0 ? [] : ["\(names.isEmpty ? "" : "and ")\(hidden) not shown"]
    return "\n  \(title): \((names + more).joined(separator: ", "))"
  }
}
