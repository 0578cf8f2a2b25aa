// The values of fields, links and lists in the storage, for receivers of captured changes in other
// modules.

extension Property {
  /// Returns the object that a link of an object refers to.
  package func target(in object: Object) -> Object? {
    if case .link(let target) = references(in: object) { target } else { nil }
  }

  /// Returns the members of a list of an object, as a version that later edits don't change.
  ///
  /// - Complexity: O(1).
  package func members(in object: Object) -> Tree<Object> {
    if case .list(let tree) = references(in: object) { tree } else { Tree() }
  }

  /// Returns the object that an old value of a link refers to.
  package func target(of value: Any) -> Object? {
    if case .link(let target) = references(of: value) { target } else { nil }
  }

  /// Returns the members of an old value of a list.
  ///
  /// The edits that lead from it to the current members are
  /// `Tree.difference(from: property.members(of: old), to: property.members(in: object))`, in
  /// time proportional to the edits.
  ///
  /// - Complexity: O(1).
  package func members(of value: Any) -> Tree<Object> {
    if case .list(let tree) = references(of: value) { tree } else { Tree() }
  }
}

extension Object {
  /// The value of a field whose type is known, which is neither tracked nor recorded.
  ///
  /// Every wrapper begins with its value. `Value` is the type of the property at the offset, which
  /// the caller knows from its ``Property``.
  @inlinable
  package final subscript<Value>(field offset: Int) -> Value {
    @inline(__always) get {
      unsafe Unmanaged.passUnretained(self).toOpaque()
        .advanced(by: offset).assumingMemoryBound(to: Value.self).pointee
    }
    @inline(__always) set {
      unsafe Unmanaged.passUnretained(self).toOpaque()
        .advanced(by: offset).assumingMemoryBound(to: Value.self).pointee = newValue
    }
  }
}
