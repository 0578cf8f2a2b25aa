/// What messages call a signal, a computed or an effect: its name, or where it was made.
@usableFromInline
struct Label: CustomStringConvertible {
  @usableFromInline let name: String?
  @usableFromInline let file: StaticString
  @usableFromInline let line: UInt32

  @inlinable
  init(_ name: String?, _ file: StaticString, _ line: UInt) {
    self.name = name
    self.file = file
    self.line = UInt32(truncatingIfNeeded: line)
  }

  @usableFromInline var description: String { name.map { "'\($0)'" } ?? "\(file):\(line)" }

  /// Hands a description to whoever asked for the name of a node.
  @usableFromInline
  static func describe(_ kind: String, _ label: Label) -> Bool {
    unsafe Turn.current.pointee.description = "\(kind) \(label)"
    return false
  }
}
