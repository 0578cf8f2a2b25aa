// Reads that don't become edges.
//
// A predicate, a sort key or a key path is evaluated on a candidate object. A property that it
// reads on the candidate itself is learned as an offset, which is the same for every object of the
// class. So `offsets` only grows, also across candidates.

private import CSignalsThread

/// The reader that is installed while a closure is evaluated on a candidate.
@safe
final class DependencyCollector {
  /// The callbacks to the collector's owner.
  @safe struct Delegate {
    /// Names the closure that is evaluated, for messages.
    let describe: () -> String
    /// Called with each offset that is read on a candidate for the first time.
    let didLearn: (Int) -> Void
    /// Called with the node of every other read.
    let didRead: (NodePointer) -> Void
  }

  private typealias Storage = NodeBox<Unretained<DependencyCollector>?>

  private let node: NodePointer
  private let delegate: Delegate
  // Unchecked exclusivity: only a read in progress touches them, once for each row of every query.
  /// The object on which a closure is being evaluated.
  @safe @exclusivity(unchecked) private var candidate: Unretained<Object>?
  /// All offsets that were ever read on a candidate.
  @safe @exclusivity(unchecked) private(set) var offsets: ContiguousArray<Int> = []
  /// The offset that was last read on a candidate, for closures that read only one property.
  @safe @exclusivity(unchecked) private(set) var lastRead: Int?
  /// The key path of the wrapped property that was last read on a candidate, if the collector
  /// wants key paths.
  private(set) var lastPath: AnyKeyPath?

  init(_ delegate: Delegate, wantsPaths: Bool = false) {
    self.delegate = delegate
    let flags: Node.Flags = wantsPaths ? [.pure, .redirects, .wantsPaths] : [.pure, .redirects]
    node = Storage.make(flags, nil) { node, event in
      guard let collector = Storage.payload(of: node).pointee else { return false }
      return collector.withInstance { $0.react(event) }
    }
    Storage.payload(of: node).pointee = Unretained(self)
  }

  /// Creates a collector whose owner asks it for what was read.
  convenience init(describing description: String, wantsPaths: Bool = false) {
    self.init(
      Delegate(describe: { description }, didLearn: { _ in }, didRead: { _ in }),
      wantsPaths: wantsPaths)
  }

  deinit {
    Storage.payload(of: node).pointee = nil
    Node.dispose(node)
  }

  private func react(_ event: NodeEvent) -> Bool {
    switch event {
    case .readPart(let object, let offset, let path):
      guard candidate?.cast(to: AnyObject.self) == object else { return false }
      if let path { lastPath = path.instance }
      lastRead = offset
      if !offsets.contains(offset) {
        offsets.append(offset)
        delegate.didLearn(offset)
      }
      return true
    case .read(let dep): delegate.didRead(dep)
    case .describe(let name): name.pointee = delegate.describe()
    default: break
    }
    return false
  }

  /// Records, on a deep stack, the evaluation that encloses this one.
  ///
  /// Traps with the path of nested evaluations if the stack is full.
  @inline(never)
  private func noteNesting(in outer: NodePointer?) {
    if signals_stack_is_full() { Node.trapDepth(node) }
    if let outer { Node.beginNested(in: outer) }
  }

  /// Evaluates `body` on `candidate`, with this collector as the reader.
  func evaluate<Result>(on candidate: Object, _ body: () throws -> Result) rethrows -> Result {
    let outer = Node.reader
    let outerCandidate = self.candidate
    // A closure may read other results, which evaluate their own closures.
    let isDeep = signals_stack_is_deep()
    if isDeep { noteNesting(in: outer) }
    Node.reader = node
    self.candidate = Unretained(candidate)
    defer {
      if isDeep && outer != nil { Node.endNested() }
      Node.reader = outer
      self.candidate = outerCandidate
    }
    return try body()
  }
}
