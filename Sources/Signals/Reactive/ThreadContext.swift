// Values that other rooms keep for a thread, whose types the scheduler doesn't know.
//
// The scheduler has a slot for each key that was ever set on the thread. There are only a few keys,
// so a slot is found by comparing their types one after the other.

/// Identifies a value that is kept for each thread.
protocol ThreadContextKey {
  associatedtype Value
  /// The value on a thread on which none was set.
  static var defaultValue: Value { get }
}

/// The values of the running thread, by the types of their keys.
enum ThreadContext {
  static subscript<Key: ThreadContextKey>(key: Key.Type) -> Key.Value {
    @inline(__always) get {
      Scheduler.present?.pointee.slot(of: key)?.pointee ?? Key.defaultValue
    }
    set {
      // The old value is released after the write.
      let old = exchange(&slot(of: key).pointee, with: newValue)
      withExtendedLifetime(old) {}
    }
  }

  /// Runs `body` with a value, and then restores the previous one.
  @inline(__always)
  static func with<Key: ThreadContextKey, Result>(
    _ value: Key.Value, for key: Key.Type, _ body: () throws -> Result
  ) rethrows -> Result {
    let slot = slot(of: key)
    let outer = exchange(&slot.pointee, with: value)
    defer { _ = exchange(&slot.pointee, with: outer) }
    return try body()
  }

  @inline(__always)
  private static func slot<Key: ThreadContextKey>(of key: Key.Type) -> UncheckedPointer<Key.Value> {
    Scheduler.current.pointee.slot(of: key) ?? makeSlot(of: key)
  }

  @inline(never)
  private static func makeSlot<Key: ThreadContextKey>(
    of key: Key.Type
  ) -> UncheckedPointer<Key.Value> {
    let memory = SlotMemory(Key.defaultValue)
    let slot = ContextSlot(key: ObjectIdentifier(key), address: memory.value.untyped())
    Scheduler.current.pointee.slots.append(slot)
    Scheduler.current.pointee.slotMemories.append(memory)
    return memory.value
  }
}

/// A key and the address of its value, which is one of the key's type.
struct ContextSlot: BitwiseCopyable {
  let key: ObjectIdentifier
  let address: UntypedPointer
}

/// Owns the memory of one value.
private final class SlotMemory<Value> {
  let value: UncheckedPointer<Value>

  init(_ value: Value) {
    self.value = .allocate()
    self.value.initialize(to: value)
  }

  deinit { value.free() }
}

extension Scheduler {
  @inline(__always)
  fileprivate func slot<Key: ThreadContextKey>(of key: Key.Type) -> UncheckedPointer<Key.Value>? {
    for index in 0..<slots.count where slots[index].key == ObjectIdentifier(key) {
      return unsafe slots[index].address.field(as: Key.Value.self)
    }
    return nil
  }
}
