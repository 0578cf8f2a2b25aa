// Evaluations that belong to a row rather than to a node of their own.

/// The reader of a predicate or sort key: tells its owner what was read instead of linking it.
@safe final class ReadingProbe {
  let node: NodePointer
  private let didRead: (NodePointer) -> Void
  let name: () -> String

  private typealias Storage = Cell<Unmanaged<ReadingProbe>?>

  init(name: @escaping () -> String, didRead: @escaping (NodePointer) -> Void) {
    self.name = name
    unsafe self.didRead = unsafe didRead
    unsafe node = Storage.make([.pure, .probe], nil) { node, event in
      if case .describe = event {
        let probe = unsafe Storage.payload(of: node).pointee
        let name = unsafe probe?._withUnsafeGuaranteedRef { $0.name() }
        unsafe Turn.current.pointee.description = name ?? "a predicate"
      }
      return false
    }
    unsafe Storage.payload(of: node).pointee = unsafe Unmanaged.passUnretained(self)
  }

  deinit { unsafe Node.dispose(node) }

  static func didRead(_ dep: NodePointer, by reader: NodePointer) {
    let probe = unsafe Storage.payload(of: reader).pointee
    unsafe probe?._withUnsafeGuaranteedRef { unsafe $0.didRead(dep) }
  }
}
