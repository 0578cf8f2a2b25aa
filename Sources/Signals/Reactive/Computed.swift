/// A value derived from others: lazy, cached, and evaluated again only after something that its last
/// evaluation read has changed.
///
/// - Nothing runs until it is read, and nothing runs twice for one change.
/// - An equal result stops there: the computed keeps the value that it has, and what depends on it does not
///   run. Equal is `==`, identity for class instances, or what `isEqual` says, as for a ``Signal``; a
///   failure in a `Result` is a value like any other.
/// - Dependencies are those of the last evaluation; a branch not taken is no dependency.
/// - What an equality, and the `deinit` of an old value, read is nothing's dependency.
/// - Reading itself, or writing, traps with its name and the way it came about. So do `onCleanup`, and an
///   ``Effect`` or ``EffectScope`` made in its body: it can be evaluated at any time or never, so that it
///   can own nothing. What is made in ``detached(_:)`` has no owner and is allowed.
///
/// A read is O(1) while nothing changed.
///
/// ```swift
/// let price = Signal(10), amount = Signal(3)
/// let total = Computed { price.value * amount.value }
/// total.value  // 30
/// ```
@safe
public final class Computed<Value> {
  @usableFromInline typealias Storage = Cell<Payload>

  @usableFromInline let node: NodePointer

  /// The closures; borrowed where they stand, because a copy of one is a retain for each call.
  @usableFromInline
  @safe struct Closures: ~Copyable {
    @usableFromInline let body: () -> Value
    @usableFromInline let isEqual: (Value, Value) -> Bool
    /// Set if these closures were put in place to trace changes.
    @usableFromInline let trace: ChangeTrace?

    @inlinable
    init(
      _ body: @escaping () -> Value, _ isEqual: @escaping (Value, Value) -> Bool,
      _ trace: ChangeTrace? = nil
    ) {
      self.body = body
      self.isEqual = isEqual
      self.trace = trace
    }

    @inlinable
    @inline(__always)
    borrowing func evaluate() -> Value { body() }

    @inlinable
    @inline(__always)
    borrowing func areEqual(_ old: Value, _ new: Value) -> Bool { isEqual(old, new) }
  }

  @usableFromInline
  @safe struct Payload: ~Copyable {
    @usableFromInline var value: Value?
    /// The value before the open batch, if the present one differs from it.
    @usableFromInline var before: Value?
    @usableFromInline let label: Label
    @usableFromInline var closures: Closures

    @inlinable
    init(_ closures: consuming Closures, _ label: Label) {
      value = nil
      before = nil
      self.closures = closures
      self.label = label
    }
  }

  /// Creates a computed whose results that `isEqual` calls equal stop a change.
  @inlinable
  public init(
    name: String? = nil, isEqual: @escaping (Value, Value) -> Bool,
    file: StaticString = #fileID, line: UInt = #line, _ body: @escaping () -> Value
  ) {
    let payload = Payload(Closures(body, isEqual), Label(name, file, line))
    unsafe node = Storage.make([.observer, .pure, .dirty], payload) { node, event in
      let payload = unsafe Storage.payload(of: node)
      switch event {
      case .evaluate:
        let value = unsafe payload.pointee.closures.evaluate()
        Node.stopReading()
        if unsafe node.pointee.flags.contains(.dead) { return false }
        guard let old = unsafe payload.pointee.value else {
          unsafe payload.pointee.value = value
          return true
        }
        // Evaluated in a batch before, whether that is still open or not: readers know the value before it.
        let before = unsafe payload.pointee.before.take()
        let known = before ?? old
        if unsafe payload.pointee.closures.areEqual(known, value) {
          if before != nil { unsafe payload.pointee.value = known }
          return false
        }
        unsafe payload.pointee.value = value
        if unsafe node.pointee.flags.contains(.unsettled) { unsafe payload.pointee.before = known }
        return true
      case .settle: return unsafe payload.pointee.before.take() != nil
      case .describe: return unsafe Label.describe("computed", payload.pointee.label)
      case .inspect: return unsafe Node.tell(.computed, payload.pointee.value)
      case .destroy: unsafe payload.deinitialize(count: 1)
      case .marked, .perform, .read, .readMember, .readPath: break
      }
      return false
    }
  }

  deinit { unsafe Node.dispose(node) }

  /// The derived value, evaluated if it must be; a read elsewhere is a dependency on it.
  @inlinable
  public var value: Value {
    if unsafe Node.readAsBefore(node) {
      return unsafe Storage.payload(of: node).pointee.value.unsafelyUnwrapped
    }
    return readOtherwise()
  }

  @inlinable
  @inline(never)
  func readOtherwise() -> Value {
    unsafe Node.read(node)
    return unsafe Storage.payload(of: node).pointee.value.unsafelyUnwrapped
  }

  /// The derived value, evaluated if it must be, read without depending on it.
  @inlinable
  public func peek() -> Value {
    if unsafe !node.pointee.flags.isDisjoint(with: [.dirty, .pending, .running]) {
      unsafe Node.refresh(node)
    }
    return unsafe Storage.payload(of: node).pointee.value.unsafelyUnwrapped
  }
}

extension Computed where Value: Equatable {
  /// Creates a computed; an equal result stops a change.
  @inlinable
  public convenience init(
    name: String? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping () -> Value
  ) {
    self.init(
      name: name, isEqual: { Sameness.areSameIfEqual($0, $1) }, file: file, line: line, body)
  }
}

extension Computed where Value: AnyObject {
  /// Creates a computed of class instances; the same instance stops a change.
  @_disfavoredOverload
  @inlinable
  public convenience init(
    name: String? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping () -> Value
  ) {
    self.init(name: name, isEqual: { $0 === $1 }, file: file, line: line, body)
  }
}

extension Computed {
  /// Creates a computed of values that can't be compared: every evaluation counts as a change.
  @_disfavoredOverload
  @inlinable
  public convenience init(
    name: String? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping () -> Value
  ) {
    self.init(name: name, isEqual: { _, _ in false }, file: file, line: line, body)
  }
}
