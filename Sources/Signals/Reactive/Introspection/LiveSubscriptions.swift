// What is subscribed, for tests that want nothing to be left.
//
// State: `listeners` counts the registers that are open, so that with none whoever subscribes pays
// for the look at a number; `entries`, behind a lock, what is registered, by its address, and with
// whom.
//
// Order of events: a subscription is registered as its last step of coming about, with the register
// of its task, and taken out as the first step of its end, by whatever thread. What is freed was
// taken out before, so that an address that is used again stands for what has it now.

internal import Synchronization

/// What a subscription is called, and the object that it is about.
package struct SubscriptionName: Sendable {
  /// An object, as far as it can be told off its isolation domain.
  package struct Subject: Sendable {
    package let className: String
    package let key: (name: String, value: any Sendable)?
    package let property: String?
  }

  package let text: String
  package let subject: Subject?

  package init(_ text: String, _ subject: Subject? = nil) {
    self.text = text
    self.subject = subject
  }
}

/// Collects what is subscribed while a task runs: effects, observers, subscribers.
package final class LiveSubscriptions: Sendable {
  /// The register of the task.
  @TaskLocal package static var current: LiveSubscriptions?

  private static let listeners = Atomic<Int>(0)

  private struct Entry: Sendable {
    let number: UInt64
    let name: SubscriptionName
    let register: ObjectIdentifier
  }

  private struct State {
    var entries: [ObjectIdentifier: Entry] = [:]
    var count: UInt64 = 0
  }

  private static let state = Locked(State())

  /// Opens a register.
  package init() { LiveSubscriptions.listeners.add(1, ordering: .relaxed) }

  /// Whether anybody wants to know.
  @inline(__always)
  static var areCollected: Bool { listeners.load(ordering: .relaxed) > 0 }

  /// Registers a subscription with the register of the task, if there is one.
  @inline(__always)
  static func begin(_ subscription: AnyObject, _ name: @autoclosure () -> SubscriptionName) {
    if areCollected { add(subscription, name()) }
  }

  /// Takes a subscription out that ends; also if it is in no register.
  @inline(__always)
  static func end(_ subscription: AnyObject) {
    if areCollected { remove(subscription) }
  }

  @inline(never)
  private static func add(_ subscription: AnyObject, _ name: @autoclosure () -> SubscriptionName) {
    guard let register = current else { return }
    let (id, name, owner) = (
      ObjectIdentifier(subscription), name(), ObjectIdentifier(register)
    )
    state.withLock { state in
      state.count += 1
      state.entries[id] = Entry(number: state.count, name: name, register: owner)
    }
  }

  @inline(never)
  private static func remove(_ subscription: AnyObject) {
    let id = ObjectIdentifier(subscription)
    // The `deinit` of a key is user code, which may subscribe: it is released after the lock.
    _ = state.withLock { $0.entries.removeValue(forKey: id) }
  }

  /// The names of what is subscribed still, in the order of its beginning.
  package var names: [SubscriptionName] {
    let id = ObjectIdentifier(self)
    let entries = LiveSubscriptions.state.withLock { state in
      state.entries.values.filter { $0.register == id }
    }
    return entries.sorted { $0.number < $1.number }.map(\.name)
  }

  deinit {
    let id = ObjectIdentifier(self)
    _ = LiveSubscriptions.state.withLock { state in
      exchange(&state.entries, with: state.entries.filter { $0.value.register != id })
    }
    LiveSubscriptions.listeners.subtract(1, ordering: .relaxed)
  }
}
