/// A value that can be observed: reading it in a computed, an effect or a view makes that depend on it.
///
/// - A write of an equal value does nothing: `==`, identity for class instances, or what `isEqual`
///   says; with `isEqual: neverEqual` every write counts. Not-a-number over not-a-number is equal, also
///   in an optional or a structure that can be encoded, but not in an array. A batch whose last value equals
///   the one before it keeps that one.
/// - A write outside a batch propagates before it returns: every effect that read the signal has run.
/// - A change in place, as `count.value += 1` and ``update(_:)``, writes and depends on nothing: an effect
///   that counts its runs so does not wake itself.
/// - What `isEqual`, and the `deinit` of the value that goes, read is no dependency of the effect that
///   writes.
/// - Writing in a computed traps: a computed may only read.
///
/// A read costs a load and a branch while nobody tracks, and O(1) otherwise; a write is O(1) with no
/// observer, else O(observers).
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
  @usableFromInline typealias Storage = Cell<Payload>

  @usableFromInline let node: NodePointer
  @usableFromInline let isEqual: (Value, Value) -> Bool

  @usableFromInline
  struct Payload {
    @usableFromInline var value: Value
    /// The value before the open batch, if the present one differs from it.
    @usableFromInline var before: Value?
    @usableFromInline let label: Label
    /// A copy of the value is being changed, which will be written.
    @usableFromInline var isChanging = false

    @inlinable
    init(_ value: Value, _ label: Label) {
      self.value = value
      self.before = nil
      self.label = label
    }
  }

  /// Creates a signal whose writes of what `isEqual` calls equal do nothing.
  @inlinable
  public init(
    _ value: Value, name: String? = nil, isEqual: @escaping (Value, Value) -> Bool,
    file: StaticString = #fileID, line: UInt = #line
  ) {
    self.isEqual = isEqual
    unsafe node = Storage.make([], Payload(value, Label(name, file, line))) { node, event in
      let payload = unsafe Storage.payload(of: node)
      switch event {
      case .settle: return unsafe payload.pointee.before.take() != nil
      case .describe: return unsafe Label.describe("signal", payload.pointee.label)
      case .inspect: return unsafe Node.tell(.signal, payload.pointee.value)
      case .destroy: unsafe payload.deinitialize(count: 1)
      case .evaluate, .marked, .perform, .read, .readMember, .readPath: break
      }
      return false
    }
  }

  deinit { unsafe Node.dispose(node) }

  /// The present value; a read in a computed, an effect or a view is a dependency.
  @inlinable
  public var value: Value {
    get {
      if unsafe Node.readAsBefore(node) { return unsafe Storage.payload(of: node).pointee.value }
      return readOtherwise()
    }
    set { set(newValue) }
    _modify {
      // The copy is what makes an access that reads the signal itself well-defined.
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
  func readOtherwise() -> Value {
    unsafe Node.read(node)
    return unsafe Storage.payload(of: node).pointee.value
  }

  /// The present value, read without depending on it.
  @inlinable
  public func peek() -> Value { unsafe Storage.payload(of: node).pointee.value }

  /// Changes the value in one step: `count.update { $0 += 1 }`; what it returns or throws is passed on.
  ///
  /// In the closure the signal reads as before, and a write of it traps: it would be lost.
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
    let payload = unsafe Storage.payload(of: node)
    if unsafe payload.pointee.isChanging { unsafe Node.refuseChange(node) }
    unsafe payload.pointee.isChanging = true
    return unsafe payload.pointee.value
  }

  @inlinable
  func endChange() { unsafe Storage.payload(of: node).pointee.isChanging = false }

  @inlinable
  func set(_ newValue: Value) {
    unsafe Node.checkMayWrite("signal \(Storage.payload(of: node).pointee.label)")
    // What compares and releases values is user code too, and no part of the evaluation that writes.
    let outer = unsafe Node.beginUnread()
    exchange(newValue)
    unsafe Node.endUnread(outer)
  }

  @inlinable
  func exchange(_ newValue: Value) {
    let payload = unsafe Storage.payload(of: node)
    if unsafe payload.pointee.isChanging { unsafe Node.refuseChange(node) }
    if unsafe isEqual(payload.pointee.value, newValue) { return }
    var newValue = newValue
    let turn = unsafe Turn.current
    let isObserved = unsafe node.pointee.subs != nil
    let isBatched = unsafe turn.pointee.depth > 0
    if isBatched {
      if unsafe node.pointee.flags.contains(.unsettled) {
        newValue = valueInBatch(newValue)
      } else if isObserved {
        unsafe payload.pointee.before = payload.pointee.value
        unsafe turn.pointee.touch(node)
      }
    }
    // The old value goes last: its `deinit` may read and write this signal.
    let old = unsafe withUnsafeMutablePointer(to: &payload.pointee.value) { value in
      let old = unsafe value.move()
      unsafe value.initialize(to: newValue)
      return old
    }
    withExtendedLifetime(old) {
      guard isObserved else { return }
      // What hears of the mark may touch more, so that there is something to settle after all.
      unsafe turn.pointee.depth += 1
      unsafe Node.mark(node, isBatched ? .pending : .dirty)
      Turn.endBatch()
    }
  }

  /// Notes the value before the open batch, which is taken again if the new one equals it: so that
  /// what read that value and what reads this one agree.
  @inlinable
  @inline(never)
  func valueInBatch(_ newValue: Value) -> Value {
    let payload = unsafe Storage.payload(of: node)
    guard let before = unsafe payload.pointee.before else {
      unsafe payload.pointee.before = payload.pointee.value
      return newValue
    }
    let isBack = isEqual(before, newValue)
    unsafe payload.pointee.before = isBack ? nil : before
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
    trap("\(unsafe name(of: node)) is written while it is being changed")
  }
}

extension Signal where Value: Equatable {
  /// Creates a signal; writes of an equal value do nothing.
  @inlinable
  public convenience init(
    _ value: Value, name: String? = nil, file: StaticString = #fileID, line: UInt = #line
  ) {
    self.init(
      value, name: name, isEqual: { Sameness.areSameIfEqual($0, $1) }, file: file, line: line)
  }

  /// Creates the signal behind `@Signal var n = 0`.
  @inlinable
  public convenience init(
    wrappedValue: Value, name: String? = nil, file: StaticString = #fileID, line: UInt = #line
  ) {
    self.init(wrappedValue, name: name, file: file, line: line)
  }
}

extension Signal where Value: AnyObject {
  /// Creates a signal of class instances; writes of the same instance do nothing.
  @_disfavoredOverload
  @inlinable
  public convenience init(
    _ value: Value, name: String? = nil, file: StaticString = #fileID, line: UInt = #line
  ) {
    self.init(value, name: name, isEqual: { $0 === $1 }, file: file, line: line)
  }

  /// Creates the signal behind `@Signal var model = Model()`.
  @_disfavoredOverload
  @inlinable
  public convenience init(
    wrappedValue: Value, name: String? = nil, file: StaticString = #fileID, line: UInt = #line
  ) {
    self.init(wrappedValue, name: name, file: file, line: line)
  }
}

extension Signal {
  /// Creates a signal of a class instance or nil; writes of the same instance do nothing.
  @_disfavoredOverload
  @inlinable
  public convenience init<Instance: AnyObject>(
    _ value: Instance?, name: String? = nil, file: StaticString = #fileID, line: UInt = #line
  ) where Value == Instance? {
    self.init(value, name: name, isEqual: { $0 === $1 }, file: file, line: line)
  }
}
