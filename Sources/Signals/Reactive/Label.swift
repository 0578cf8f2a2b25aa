/// The label of a signal, a computed or an effect in messages: its name, or its place in the
/// source.
///
/// Each of them stores one, so it is small.
@usableFromInline
@safe enum Label: CustomStringConvertible {
  case name(Name)
  /// A file, as null-terminated text that lives as long as the program, and a line.
  case place(UnsafePointer<UInt8>, UInt32)

  /// A string in an object; a reference takes half the space of a `String`.
  @usableFromInline
  final class Name {
    let text: String

    @usableFromInline
    init(_ text: String) { self.text = text }
  }

  @inlinable
  init(_ name: String?, file: StaticString, line: UInt) {
    if let name {
      self = .name(Name("'\(name)'"))
    } else if file.hasPointerRepresentation {
      self = unsafe .place(file.utf8Start, UInt32(truncatingIfNeeded: line))
    } else {
      self = .name(Name("\(file):\(line)"))
    }
  }

  @usableFromInline var description: String {
    switch self {
    case .name(let name): name.text
    case .place(let file, let line): "\(unsafe String(cString: file)):\(line)"
    }
  }

  /// Returns the name of a node of a kind in messages.
  @usableFromInline
  func described(as kind: String) -> String { "\(kind) \(self)" }
}

extension StaticString {
  /// The address of the literal, which identifies it; 0 if it has none.
  var address: UInt { unsafe hasPointerRepresentation ? UInt(bitPattern: utf8Start) : 0 }
}
