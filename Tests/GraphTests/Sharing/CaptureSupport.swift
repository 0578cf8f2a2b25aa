import Signals

/// A receiver of captured commits that keeps them as texts, with the values taken from the storage.
final class CaptureLog: CommitCapture {
  private(set) var commits: [[String]] = []
  private(set) var origins: [Origin?] = []
  private(set) var asked: [String] = []
  fileprivate var open: [String] = []
  private let types: [Object.Type]
  /// Called with each change, while the commit is sealed.
  var onChange: () -> Void = {}

  init(_ types: [Object.Type]) { self.types = types }

  func capture(of schema: Schema) -> (any ClassCapture)? {
    asked.append(schema.name)
    return types.contains { $0 == schema.type } ? ClassLog(schema, in: self) : nil
  }

  func didCommit(origin: Origin?) {
    commits.append(open)
    origins.append(origin)
    open = []
  }

  /// Returns the commits since the last call.
  func take() -> [[String]] {
    defer { commits = [] }
    return commits
  }
}

private final class ClassLog: ClassCapture {
  private let schema: Schema
  private unowned let log: CaptureLog
  private let coders: [Int: any Coder]

  init(_ schema: Schema, in log: CaptureLog) {
    self.schema = schema
    self.log = log
    var coders: [Int: any Coder] = [:]
    for property in schema.properties { coders[property.offset] = ValueCoder.make(for: property) }
    self.coders = coders
  }

  func didInsert(_ object: Object) {
    note("+ \(object.objectID)")
    for property in schema.properties {
      guard let coder = coders[property.offset] else { continue }
      note("  \(property.name) = \(coder.text(property, of: object))")
    }
  }

  func didDelete(_ object: Object) { note("- \(object.objectID)") }

  func didWrite(_ object: Object, at offset: Int, old: Any) {
    guard let property = schema.property(at: offset), let coder = coders[offset] else { return }
    let (before, now) = (coder.text(property, old: old), coder.text(property, of: object))
    note("\(object.objectID).\(property.name): \(before) -> \(now)")
  }

  private func note(_ line: String) {
    log.onChange()
    log.open.append(line)
  }
}

/// Reads values of one type, as the codecs of SignalsSync do.
private protocol Coder {
  func text(_ property: Property, of object: Object) -> String
  func text(_ property: Property, old: Any) -> String
}

private struct ValueCoder<Value>: Coder {
  func text(_ property: Property, of object: Object) -> String {
    "\(object[field: property.offset] as Value)"
  }

  func text(_ property: Property, old: Any) -> String {
    (old as? Value).map { "\($0)" } ?? "another type"
  }
}

extension ValueCoder<Int> {
  static func make(for property: Property) -> (any Coder)? {
    func open<Stored: FieldStorage>(_ type: Stored.Type) -> any Coder {
      ValueCoder<Stored.Value>()
    }
    switch property.role {
    case .field, .primaryKey, .indexed:
      return (property.type as? any FieldStorage.Type).map { open($0) }
    case .link: return LinkCoder()
    case .links: return ListCoder()
    case .inverse: return nil
    }
  }
}

private struct LinkCoder: Coder {
  func text(_ property: Property, of object: Object) -> String {
    show(property.target(in: object))
  }

  func text(_ property: Property, old: Any) -> String { show(property.target(of: old)) }

  private func show(_ target: Object?) -> String {
    target.map { "\($0.objectID)\($0.isDeleted ? "!" : "")" } ?? "nil"
  }
}

private struct ListCoder: Coder {
  func text(_ property: Property, of object: Object) -> String {
    show(property.members(in: object))
  }

  func text(_ property: Property, old: Any) -> String { show(property.members(of: old)) }

  private func show(_ members: Tree<Object>) -> String {
    "[\(members.map { "\($0.objectID)" }.joined(separator: ", "))]"
  }
}
