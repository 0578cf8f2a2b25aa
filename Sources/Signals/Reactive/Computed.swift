/// A value derived from others: lazy, cached, and re-evaluated only after a change of a value that
/// its last evaluation read.
///
/// - It isn't evaluated before it is read, and never twice for one change.
/// - An equal result ends the change: the computed keeps its current value, and its readers don't
///   run. Values are compared with `==`, class instances by identity, or with `isEqual`, as for a
///   ``Signal``.
/// - A throwing computation is wrapped in a `Result`. Equal successes end the change. So do equal
///   failures: errors of one `Equatable` type are compared with `==`, class instances by identity,
///   and all other errors are different.
/// - Its dependencies are those of the last evaluation. A branch that wasn't taken adds none.
/// - Reads in the comparison and in the `deinit` of an old value aren't dependencies.
/// - Reading itself or writing traps, with its name and the path that led to its evaluation. So
///   does calling `onCleanup` or creating an ``Effect`` or ``EffectScope`` in its body: it may be
///   evaluated at any time or never, so it can't own anything. Objects created in ``detached(_:)``
///   have no owner and are allowed.
///
/// ```swift
/// let price = Signal(10), amount = Signal(3)
/// let total = Computed { price.value * amount.value }
/// total.value  // 30
///
/// let text = Signal("1")
/// let number = Computed { Result { try parse(text.value) } }
/// try number.value.get()
/// ```
@safe
public final class Computed<Value> {
  @usableFromInline typealias Storage = NodeBox<Payload>

  @usableFromInline let node: NodePointer

  /// The closures, which are borrowed in place because a copy costs a retain for each call.
  @usableFromInline
  @safe struct Closures: ~Copyable {
    @usableFromInline let body: () -> Value
    @usableFromInline let isEqual: (Value, Value) -> Bool
    /// The trace, if these closures were installed to trace changes.
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
    /// The value before the open batch, if the current one differs from it.
    @usableFromInline var before: Value?
    @usableFromInline let label: Label
    @usableFromInline var closures: Closures

    @inlinable
    init(_ closures: consuming Closures, label: Label) {
      value = nil
      before = nil
      self.closures = closures
      self.label = label
    }
  }

  /// Creates a computed that compares its results with `isEqual`.
  ///
  /// A result that `isEqual` considers equal to the current value doesn't count as a change.
  ///
  /// - Parameters:
  ///   - name: The name in messages; by default, the place in the source.
  ///   - isEqual: Compares the current value with the result of a re-evaluation.
  ///   - file: The file of the call; leave it to the compiler.
  ///   - line: The line of the call; leave it to the compiler.
  ///   - body: Derives the value; it may read and not write.
  @inlinable
  public init(
    name: String? = nil, isEqual: @escaping (Value, Value) -> Bool,
    file: StaticString = #fileID, line: UInt = #line, _ body: @escaping () -> Value
  ) {
    let payload = Payload(Closures(body, isEqual), label: Label(name, file: file, line: line))
    node = Storage.make([.reader, .pure, .dirty], payload) { node, event in
      let payload = Storage.payload(of: node)
      switch event {
      case .evaluate:
        let value = payload.pointee.closures.evaluate()
        Node.stopReading()
        if node.pointee.flags.contains(.dead) { return false }
        guard let old = payload.pointee.value else {
          payload.pointee.value = value
          return true
        }
        // It was evaluated earlier in a batch, which may have ended since. Readers know the value
        // from before that batch.
        let before = payload.pointee.before.take()
        let known = before ?? old
        if payload.pointee.closures.areEqual(known, value) {
          if before != nil { payload.pointee.value = known }
          return false
        }
        payload.pointee.value = value
        if node.pointee.flags.contains(.unsettled) { payload.pointee.before = known }
        return true
      case .settle: return payload.pointee.before.take() != nil
      case .describe(let name): name.pointee = payload.pointee.label.described(as: "computed")
      case .inspect(let place): Node.describe(payload.pointee.value, as: .computed, in: place)
      case .destroy: payload.deinitialize()
      default: break
      }
      return false
    }
  }

  /// Whether the value is known without an evaluation.
  var isUpToDate: Bool { node.pointee.flags.isDisjoint(with: [.dirty, .pending, .running]) }

  deinit { Node.dispose(node) }

  /// The derived value, evaluated if necessary; reading it in a computed, effect or view creates a
  /// dependency.
  ///
  /// - Complexity: O(1) while nothing has changed.
  @inlinable
  public var value: Value {
    if Node.readAsBefore(node) {
      // A computed that needs no evaluation has a value.
      return unsafe Storage.payload(of: node).pointee.value.unsafelyUnwrapped
    }
    return readSlowly()
  }

  @inlinable
  @inline(never)
  func readSlowly() -> Value {
    Node.read(node)
    return evaluated
  }

  /// Returns the derived value without creating a dependency, after evaluating it if necessary.
  ///
  /// - Returns: The value.
  @inlinable
  public func peek() -> Value {
    if !node.pointee.flags.isDisjoint(with: [.dirty, .pending, .running]) {
      Node.refresh(node)
    }
    return evaluated
  }

  /// The value of the last evaluation.
  @inlinable
  var evaluated: Value {
    guard let value = Storage.payload(of: node).pointee.value else {
      Node.refuseMissingValue(node)
    }
    return value
  }
}

extension Computed where Value: Equatable {
  /// Creates a computed of equatable values; an equal result doesn't count as a change.
  ///
  /// - Parameters:
  ///   - name: The name in messages and in the dependency graph.
  ///   - file: The file of the call; leave it to the compiler.
  ///   - line: The line of the call; leave it to the compiler.
  ///   - body: Computes the value; must not write.
  @inlinable
  public convenience init(
    name: String? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping () -> Value
  ) {
    self.init(
      name: name, isEqual: { ValueEquality.areEqual($0, $1) }, file: file, line: line, body)
  }
}

extension Computed where Value: AnyObject {
  /// Creates a computed of class instances; the same instance doesn't count as a change.
  ///
  /// - Parameters:
  ///   - name: The name in messages and in the dependency graph.
  ///   - file: The file of the call; leave it to the compiler.
  ///   - line: The line of the call; leave it to the compiler.
  ///   - body: Computes the value; must not write.
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
  /// Creates a computed of values that can't be compared; every evaluation counts as a change.
  ///
  /// A `Result` can be compared if its success can: see ``Computed``.
  ///
  /// - Parameters:
  ///   - name: The name in messages and in the dependency graph.
  ///   - file: The file of the call; leave it to the compiler.
  ///   - line: The line of the call; leave it to the compiler.
  ///   - body: Computes the value; must not write.
  @_disfavoredOverload
  @inlinable
  public convenience init(
    name: String? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping () -> Value
  ) {
    self.init(
      name: name, isEqual: ValueEquality.ofOutcomes(Value.self), file: file, line: line, body)
  }
}

extension Node {
  /// Stops the program because an evaluation has left no value, which can't happen.
  @usableFromInline
  @inline(never)
  static func refuseMissingValue(_ node: NodePointer) -> Never {
    trap("\(name(of: node)) has no value after its evaluation")
  }
}
