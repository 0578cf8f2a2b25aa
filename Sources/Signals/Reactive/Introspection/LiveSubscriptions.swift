// The live subscriptions, for tests that check that none is left.
//
// Order of events: a subscription is registered as the last step of its creation, with the register
// of its task. It is removed as the first step of its end, on any thread. It is removed before it
// is freed, so an address that is reused always refers to its current subscription.

internal import Synchronization

/// The name of a subscription, and the object that it is about.
package struct SubscriptionName: Sendable {
  package let text: String
  /// The description of what the subscription is about.
  package let subject: (any Sendable)?

  package init(_ text: String, of subject: (any Sendable)? = nil) {
    self.text = text
    self.subject = subject
  }
}

/// Collects the subscriptions made while a task runs: effects, observers, subscribers.
package final class LiveSubscriptions: Sendable {
  /// The register of the current task.
  @TaskLocal package static var current: LiveSubscriptions?

  /// The number of open registers.
  ///
  /// While it is zero, a subscription only pays for reading it.
  private static let listeners = Atomic<Int>(0)

  private struct Entry: Sendable {
    let number: UInt64
    let name: SubscriptionName
    let register: ObjectIdentifier
  }

  private struct State {
    /// The name and the register of each subscription, by its address.
    var entries: [ObjectIdentifier: Entry] = [:]
    var count: UInt64 = 0
  }

  private static let state = Locked(State())

  /// Opens a register.
  package init() { LiveSubscriptions.listeners.add(1, ordering: .relaxed) }

  /// Whether any register is open.
  @inline(__always)
  static var areCollected: Bool { listeners.load(ordering: .relaxed) > 0 }

  /// Adds a subscription to the register of the current task, if there is one.
  @inline(__always)
  static func begin(_ subscription: AnyObject, named name: @autoclosure () -> SubscriptionName) {
    if areCollected { add(subscription, named: name()) }
  }

  /// Removes a subscription that ends, if it is in a register.
  @inline(__always)
  static func end(_ subscription: AnyObject) {
    if areCollected { remove(subscription) }
  }

  @inline(never)
  private static func add(
    _ subscription: AnyObject, named name: @autoclosure () -> SubscriptionName
  ) {
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
    // The `deinit` of a key is user code, which may subscribe. So the entry is released after the
    // lock.
    _ = state.withLock { $0.entries.removeValue(forKey: id) }
  }

  /// The names of the live subscriptions, in the order in which they began.
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
