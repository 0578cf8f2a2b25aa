/// An observable value: reading it in a computed, an effect or a view makes that depend on it.
///
/// - Writing an equal value does nothing. Values are compared with `==`, class instances by
///   identity, or with `isEqual`; with `isEqual: neverEqual` every write counts. NaN counts as
///   equal to NaN, also in an optional, a structure or an enum, but not in a collection. If the last
///   value written in a batch equals the one before the batch, the signal keeps the earlier one.
/// - A write outside a batch propagates before it returns: every effect that read the signal has
///   run.
/// - A change in place, such as `count.value += 1` or ``update(_:)``, writes without creating a
///   dependency. So an effect that counts its runs doesn't trigger itself.
/// - Reads in `isEqual` and in the `deinit` of the old value aren't dependencies of the effect that
///   writes.
/// - Writing in a computed traps, because a computed may only read.
///
/// ```swift
/// let count = Signal(0)
/// let shown = Effect { print("count is", count.value) }  // count is 0
/// count.value += 1                                       // count is 1
/// shown.cancel()
/// ```
///
/// As a property wrapper, `$n` is the signal:
///
/// ```swift
/// final class Counter { @Signal var n = 0 }
/// ```
@propertyWrapper
@safe
public final class Signal<Value> {
  @usableFromInline typealias Storage = NodeBox<Payload>

  @usableFromInline let node: NodePointer
  @usableFromInline let isEqual: (Value, Value) -> Bool

  @usableFromInline
  struct Payload {
    @usableFromInline var value: Value
    /// The value before the open batch, if the current one differs from it.
    @usableFromInline var before: Value?
    @usableFromInline let label: Label
    /// Whether a copy of the value is being changed, which will be written afterwards.
    @usableFromInline var isChanging = false

    @inlinable
    init(_ value: Value, label: Label) {
      self.value = value
      self.before = nil
      self.label = label
    }
  }

  /// Creates a signal that ignores writes of values that `isEqual` considers equal to the current
  /// one.
  ///
  /// - Parameters:
  ///   - value: The first value.
  ///   - name: The name in messages; by default, the place in the source.
  ///   - isEqual: Compares the current value with a new one.
  ///   - file: The file of the call; leave it to the compiler.
  ///   - line: The line of the call; leave it to the compiler.
  @inlinable
  public init(
    _ value: Value, name: String? = nil, isEqual: @escaping (Value, Value) -> Bool,
    file: StaticString = #fileID, line: UInt = #line
  ) {
    self.isEqual = isEqual
    node = Storage.make([], Payload(value, label: Label(name, file: file, line: line))) {
      node, event in
      let payload = Storage.payload(of: node)
      switch event {
      case .settle: return payload.pointee.before.take() != nil
      case .describe(let name): name.pointee = payload.pointee.label.described(as: "signal")
      case .inspect(let place): Node.describe(payload.pointee.value, as: .signal, in: place)
      case .destroy: payload.deinitialize()
      default: break
      }
      return false
    }
  }

  deinit { Node.dispose(node) }

  /// The current value; reading it in a computed, an effect or a view creates a dependency.
  ///
  /// - Complexity: Reading is O(1); it costs a load and a branch while nothing is tracked. Writing
  ///   is O(1) without readers, otherwise O(*n*) in the number of direct and indirect readers.
  @inlinable
  public var value: Value {
    get {
      if Node.readAsBefore(node) { return Storage.payload(of: node).pointee.value }
      return readSlowly()
    }
    set { set(newValue) }
    _modify {
      // Yielding a copy makes an access that reads the signal itself well-defined.
      var copy = beginChange()
      defer {
        endChange()
        set(copy)
      }
      yield &copy
    }
  }

  @inlinable
  @inline(never)
  func readSlowly() -> Value {
    Node.read(node)
    return Storage.payload(of: node).pointee.value
  }

  /// Returns the current value without creating a dependency.
  ///
  /// - Returns: The value.
  @inlinable
  public func peek() -> Value { Storage.payload(of: node).pointee.value }

  /// Changes the value in one step: `count.update { $0 += 1 }`.
  ///
  /// Within the closure, the signal still has its old value, and writing it traps because that
  /// write would be lost.
  ///
  /// - Parameter change: Changes the value in place.
  /// - Returns: The result of `change`.
  /// - Throws: The error of `change`; the signal then keeps its value.
  @inlinable
  @discardableResult
  public func update<Result, Failure: Error>(
    _ change: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var copy = beginChange()
    let result: Result
    do { result = try change(&copy) } catch {
      endChange()
      throw error
    }
    endChange()
    set(copy)
    return result
  }

  @inlinable
  func beginChange() -> Value {
    let payload = Storage.payload(of: node)
    if payload.pointee.isChanging { Node.refuseChange(node) }
    payload.pointee.isChanging = true
    return payload.pointee.value
  }

  /// Whether the signal has readers.
  package var isObserved: Bool { node.pointee.subs != nil }

  @inlinable
  func endChange() { Storage.payload(of: node).pointee.isChanging = false }

  @inlinable
  func set(_ newValue: Value) {
    Node.checkMayWrite("signal \(Storage.payload(of: node).pointee.label)")
    // Comparing and releasing values also runs user code, which isn't part of the evaluation that
    // writes.
    let outer = Node.beginUnread()
    exchange(newValue)
    Node.endUnread(outer)
  }

  @inlinable
  func exchange(_ newValue: Value) {
    let payload = Storage.payload(of: node)
    if payload.pointee.isChanging { Node.refuseChange(node) }
    if isEqual(payload.pointee.value, newValue) { return }
    var newValue = newValue
    let scheduler = Scheduler.current
    let isObserved = node.pointee.subs != nil
    let isBatched = scheduler.pointee.depth > 0
    if isBatched {
      if node.pointee.flags.contains(.unsettled) {
        newValue = valueInBatch(newValue)
      } else if isObserved {
        payload.pointee.before = payload.pointee.value
        scheduler.pointee.touch(node)
      }
    }
    // The old value is released last, because its `deinit` may read and write this signal.
    let old = UncheckedPointer.with(&payload.pointee.value) { value in
      let old = value.move()
      value.initialize(to: newValue)
      return old
    }
    withExtendedLifetime(old) {
      guard isObserved else { return }
      // An observer that is notified by the mark may touch nodes, which then have to be settled.
      scheduler.pointee.depth += 1
      Node.markReaders(of: node, as: isBatched ? .pending : .dirty)
      Scheduler.endBatch()
    }
  }

  /// Remembers the value from before the open batch, and restores it if the new value equals it.
  ///
  /// That way, readers of the earlier value and readers of the new one agree.
  ///
  /// - Returns: The value to store.
  @inlinable
  @inline(never)
  func valueInBatch(_ newValue: Value) -> Value {
    let payload = Storage.payload(of: node)
    guard let before = payload.pointee.before else {
      payload.pointee.before = payload.pointee.value
      return newValue
    }
    let isBack = isEqual(before, newValue)
    payload.pointee.before = isBack ? nil : before
    return isBack ? before : newValue
  }

  /// The value, as the property that the wrapper declares.
  @inlinable
  public var wrappedValue: Value {
    get { value }
    set { set(newValue) }
    _modify { yield &value }
  }

  /// The signal itself.
  @inlinable public var projectedValue: Signal<Value> { self }
}

extension Node {
  /// Stops the program because a signal is written while a copy of its value is being changed.
  @usableFromInline
  @inline(never)
  static func refuseChange(_ node: NodePointer) -> Never {
    trap("\(name(of: node)) is written while it is being changed")
  }
}

extension Signal where Value: Equatable {
  /// Creates a signal of an equatable value; writing an equal value does nothing.
  ///
  /// - Parameters:
  ///   - value: The initial value.
  ///   - name: The name in messages and in the dependency graph.
  ///   - file: The file of the call; leave it to the compiler.
  ///   - line: The line of the call; leave it to the compiler.
  @inlinable
  public convenience init(
    _ value: Value, name: String? = nil, file: StaticString = #fileID, line: UInt = #line
  ) {
    self.init(
      value, name: name, isEqual: { ValueEquality.areEqual($0, $1) }, file: file, line: line)
  }

  /// Creates the signal behind `@Signal var n = 0`.
  ///
  /// - Parameters:
  ///   - wrappedValue: The initial value.
  ///   - name: The name in messages and in the dependency graph.
  ///   - file: The file of the call; leave it to the compiler.
  ///   - line: The line of the call; leave it to the compiler.
  @inlinable
  public convenience init(
    wrappedValue: Value, name: String? = nil, file: StaticString = #fileID, line: UInt = #line
  ) {
    self.init(wrappedValue, name: name, file: file, line: line)
  }
}

extension Signal where Value: AnyObject {
  /// Creates a signal of a class instance; writing the same instance does nothing.
  ///
  /// - Parameters:
  ///   - value: The initial value.
  ///   - name: The name in messages and in the dependency graph.
  ///   - file: The file of the call; leave it to the compiler.
  ///   - line: The line of the call; leave it to the compiler.
  @_disfavoredOverload
  @inlinable
  public convenience init(
    _ value: Value, name: String? = nil, file: StaticString = #fileID, line: UInt = #line
  ) {
    self.init(value, name: name, isEqual: { $0 === $1 }, file: file, line: line)
  }

  /// Creates the signal behind `@Signal var model = Model()`.
  ///
  /// - Parameters:
  ///   - wrappedValue: The initial value.
  ///   - name: The name in messages and in the dependency graph.
  ///   - file: The file of the call; leave it to the compiler.
  ///   - line: The line of the call; leave it to the compiler.
  @_disfavoredOverload
  @inlinable
  public convenience init(
    wrappedValue: Value, name: String? = nil, file: StaticString = #fileID, line: UInt = #line
  ) {
    self.init(wrappedValue, name: name, file: file, line: line)
  }
}

extension Signal {
  /// Creates a signal of an outcome; writing an equal success or failure does nothing.
  ///
  /// Errors of one `Equatable` type are compared with `==`, class instances by identity, and all
  /// other errors are different.
  ///
  /// - Parameters:
  ///   - value: The initial outcome.
  ///   - name: The name in messages and in the dependency graph.
  ///   - file: The file of the call; leave it to the compiler.
  ///   - line: The line of the call; leave it to the compiler.
  @_disfavoredOverload
  @inlinable
  public convenience init<Success: Equatable, Failure: Error>(
    _ value: Value, name: String? = nil, file: StaticString = #fileID, line: UInt = #line
  ) where Value == Result<Success, Failure> {
    self.init(
      value, name: name, isEqual: ValueEquality.ofOutcomes(Value.self), file: file, line: line)
  }

  /// Creates a signal of an optional class instance; writing the same instance does nothing.
  ///
  /// - Parameters:
  ///   - value: The initial instance.
  ///   - name: The name in messages and in the dependency graph.
  ///   - file: The file of the call; leave it to the compiler.
  ///   - line: The line of the call; leave it to the compiler.
  @_disfavoredOverload
  @inlinable
  public convenience init<Instance: AnyObject>(
    _ value: Instance?, name: String? = nil, file: StaticString = #fileID, line: UInt = #line
  ) where Value == Instance? {
    self.init(value, name: name, isEqual: { $0 === $1 }, file: file, line: line)
  }

  /// Creates the signal behind `@Signal var selection: Model?`.
  ///
  /// - Parameters:
  ///   - wrappedValue: The initial instance.
  ///   - name: The name in messages and in the dependency graph.
  ///   - file: The file of the call; leave it to the compiler.
  ///   - line: The line of the call; leave it to the compiler.
  @_disfavoredOverload
  @inlinable
  public convenience init<Instance: AnyObject>(
    wrappedValue: Instance?, name: String? = nil, file: StaticString = #fileID, line: UInt = #line
  ) where Value == Instance? {
    self.init(wrappedValue, name: name, file: file, line: line)
  }
}
