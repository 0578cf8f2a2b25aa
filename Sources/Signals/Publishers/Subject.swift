// A publisher that sends the values passed to it.
//
// Subscriptions are retained manually, so that a delivery counts no references. One that leaves
// during a delivery keeps its place until the delivery ends, so that its closures stay alive while
// they run; it receives nothing more. After that it leaves a hole. The array is compacted once half
// of it are holes, never during a delivery.

/// One subscriber of a subject.
@usableFromInline
final class SubjectSubscription<Output, Failure: Error>: Cancellable {
  @usableFromInline let receive: (Output) -> Bool
  @usableFromInline let finish: (Completion<Failure>) -> Void
  @safe @exclusivity(unchecked) @usableFromInline var isActive = true
  @safe @exclusivity(unchecked) fileprivate var index = 0
  @safe @exclusivity(unchecked) fileprivate var subject: Subject<Output, Failure>?

  @inlinable
  init(
    receive: @escaping (Output) -> Bool, finish: @escaping (Completion<Failure>) -> Void
  ) {
    self.receive = receive
    self.finish = finish
  }

  @usableFromInline
  func cancel() {
    guard isActive else { return }
    isActive = false
    LiveSubscriptions.end(self)
    let subject = self.subject.take()
    subject?.remove(self)
  }
}

/// Keeps a subscriber in one place in memory.
@usableFromInline
final class PipelineEnd<Downstream> {
  @usableFromInline let downstream: Downstream

  @inlinable
  init(_ downstream: Downstream) { self.downstream = downstream }
}

/// A publisher that sends the values passed to it to all current subscribers.
///
/// - A send returns when every subscriber has received the value, in the order in which they
///   subscribed.
/// - A value sent during a delivery is delivered after it, to all who had subscribed when it was
///   sent.
/// - After the completion nothing is sent; a later subscriber receives the completion.
/// - The reads of subscribers aren't dependencies of the effect that sends. Sending in a computed
///   traps.
///
/// Subscribing and cancelling are O(1).
///
/// ```swift
/// let taps = Subject<String, Never>()
/// let token = taps.sink { print("tapped", $0) }
/// taps.send("save")
/// ```
@safe
public final class Subject<Output, Failure: Error>: Publisher {
  @usableFromInline
  @frozen
  enum Status { case idle, sending, finished }

  @usableFromInline typealias Slot = Unmanaged<SubjectSubscription<Output, Failure>>?

  @usableFromInline
  struct Waiting {
    @usableFromInline let event: Event<Output, Failure>
    @usableFromInline let audience: Int
  }

  /// The subscribers in the order of subscription, with holes; each knows its index.
  @exclusivity(unchecked) @usableFromInline var subscriptions: [Slot] = unsafe []
  @safe @exclusivity(unchecked) @usableFromInline var status = Status.idle
  /// Whether events wait or subscribers have left during a delivery.
  @safe @exclusivity(unchecked) @usableFromInline var hasMore = false
  /// The number of subscribers that have left.
  @safe @exclusivity(unchecked) private var holes = 0
  /// The events sent during a delivery, each with the number of subscribers at that time.
  @safe @exclusivity(unchecked) private var waiting = Queue<Waiting>()
  /// The completion, set as soon as it is sent, so that nothing can be sent after it.
  @safe @exclusivity(unchecked) private var completion: Completion<Failure>?

  /// Creates a subject without subscribers.
  public init() {}

  /// The number of subscribers.
  package var subscriberCount: Int {
    unsafe subscriptions.count - holes
  }

  /// Connects a subscriber, which receives the completion immediately if it was already sent.
  ///
  /// - Parameter downstream: The subscriber to connect.
  /// - Returns: The object that disconnects the subscriber, or `nil` if the subscription has
  ///   already ended.
  /// - Complexity: O(1).
  @inlinable
  public func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    // Both closures share one copy: a long pipeline is a large value.
    let end = PipelineEnd(downstream)
    return add(
      SubjectSubscription {
        end.downstream.receive($0)
      } finish: {
        end.downstream.finish($0)
      })
  }

  @usableFromInline
  func add(_ subscription: SubjectSubscription<Output, Failure>) -> (any Cancellable)? {
    if let completion {
      subscription.finish(completion)
      return nil
    }
    subscription.subject = self
    subscription.index = unsafe subscriptions.count
    unsafe subscriptions.append(.passRetained(subscription))
    LiveSubscriptions.begin(subscription, named: SubscriptionName("a subscriber of a subject"))
    return subscription
  }

  /// Sends a value to all subscribers; during a delivery, the value waits for its end.
  ///
  /// - Parameter value: The value to send.
  /// - Complexity: O(*n*), where *n* is the number of subscribers; it allocates nothing.
  @inlinable
  public func send(_ value: Output) {
    if status != .idle || Node.reader != nil { return sendLater(value) }
    status = .sending
    unsafe deliver(value, to: subscriptions.count)
    if hasMore { finishSending() } else { status = .idle }
  }

  @inlinable
  @inline(__always)
  func deliver(_ value: Output, to audience: Int) {
    for index in 0..<audience {
      // Nothing is removed from the array before the delivery ends.
      guard let subscription = unsafe subscriptions[index] else { continue }
      unsafe subscription._withUnsafeGuaranteedRef { subscription in
        if subscription.isActive, !subscription.receive(value) { subscription.cancel() }
      }
    }
  }

  @usableFromInline
  @inline(never)
  func sendLater(_ value: Output) {
    Node.checkMayWrite("to a subject")
    guard completion == nil else { return }
    guard status == .idle else { return wait(.value(value)) }
    Node.withoutReader { send(value) }
  }

  /// Sends the completion; nothing is sent after it.
  ///
  /// - Parameter completion: The completion to send.
  public func send(completion: Completion<Failure>) {
    Node.checkMayWrite("to a subject")
    guard self.completion == nil else { return }
    self.completion = completion
    wait(.completion(completion))
    guard status == .idle else { return }
    status = .sending
    Node.withoutReader { finishSending() }
  }

  private func wait(_ event: Event<Output, Failure>) {
    unsafe waiting.append(Waiting(event: event, audience: subscriptions.count))
    hasMore = true
  }

  /// Delivers the events sent during the delivery, and releases the subscribers that left.
  @usableFromInline
  @inline(never)
  func finishSending() {
    while let next = waiting.popFirst() {
      switch next.event {
      case .value(let value): deliver(value, to: next.audience)
      case .completion(let completion): deliver(completion, to: next.audience)
      }
    }
    hasMore = false
    status = completion == nil ? .idle : .finished
    // Last, because releasing subscribers may send and subscribe.
    compact()
  }

  private func deliver(_ completion: Completion<Failure>, to audience: Int) {
    for index in 0..<audience {
      guard let subscription = unsafe subscriptions[index]?.takeUnretainedValue(),
        subscription.isActive
      else { continue }
      subscription.isActive = false
      LiveSubscriptions.end(subscription)
      subscription.subject = nil
      holes += 1
      subscription.finish(completion)
    }
  }

  fileprivate func remove(_ subscription: SubjectSubscription<Output, Failure>) {
    holes += 1
    if status == .sending {
      hasMore = true
      return
    }
    let slot = unsafe subscriptions[subscription.index].take()
    if unsafe holes * 2 > subscriptions.count { compact() }
    unsafe slot?.release()
  }

  /// Removes subscribers that left from the array, and releases them.
  private func compact() {
    guard holes > 0 else { return }
    let all = unsafe subscriptions
    var leaving: [SubjectSubscription<Output, Failure>] = []
    unsafe subscriptions.removeAll(keepingCapacity: true)
    holes = 0
    for index in unsafe all.indices {
      guard let slot = unsafe all[index] else { continue }
      let subscription = unsafe slot.takeUnretainedValue()
      if subscription.isActive {
        subscription.index = unsafe subscriptions.count
        unsafe subscriptions.append(slot)
      } else {
        leaving.append(unsafe slot.takeRetainedValue())
      }
    }
  }

  deinit {
    for index in unsafe subscriptions.indices { unsafe subscriptions[index]?.release() }
  }
}
