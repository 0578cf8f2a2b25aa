// A publisher that is told what to send.
//
// State:
// - `conduits`: the subscribers in order of subscription, retained by hand, so that a delivery counts no
//   references; a hole where one left; each knows its index;
// - `holes`: how many left; the array is compacted once half of it are holes, never in a delivery;
// - `status`: idle, or sending, or has been completed;
// - `waiting`: what was sent during a delivery, each with the number of those who had subscribed then;
// - `completion`: set as soon as it is sent, so that nothing can be sent after it.
//
// A conduit that leaves during a delivery stays in its place until that ends, so that its closures are
// alive while they run; it gets nothing any more.

/// One subscriber of a subject.
@usableFromInline
final class Conduit<Output, Failure: Error>: Cancellable {
  @usableFromInline let receive: (Output) -> Bool
  @usableFromInline let finish: (Completion<Failure>) -> Void
  @exclusivity(unchecked) @usableFromInline var isActive = true
  @exclusivity(unchecked) fileprivate var index = 0
  @exclusivity(unchecked) fileprivate var subject: Subject<Output, Failure>?

  @inlinable
  init(
    _ receive: @escaping (Output) -> Bool, _ finish: @escaping (Completion<Failure>) -> Void
  ) {
    self.receive = receive
    self.finish = finish
  }

  @usableFromInline
  func cancel() {
    guard unsafe isActive else { return }
    unsafe isActive = false
    LiveSubscriptions.end(self)
    let subject = unsafe self.subject.take()
    subject?.remove(self)
  }
}

/// Holds a subscriber in one place.
@usableFromInline
final class PipelineEnd<Downstream> {
  @usableFromInline let downstream: Downstream

  @inlinable
  init(_ downstream: Downstream) { self.downstream = downstream }
}

/// Sends on what it is sent, to all who have subscribed by then.
///
/// - A send returns when every subscriber has got the value, in the order in which they subscribed.
/// - A value sent during a delivery is delivered after it, to all who had subscribed when it was sent.
/// - After the completion nothing is sent; who subscribes later gets the completion.
/// - What subscribers read is no dependency of the effect that sends; sending in a computed traps.
///
/// Sending costs O(subscribers) and allocates nothing; subscribing and cancelling are O(1).
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

  @usableFromInline typealias Slot = Unmanaged<Conduit<Output, Failure>>?

  @usableFromInline
  struct Waiting {
    @usableFromInline let event: Event<Output, Failure>
    @usableFromInline let audience: Int
  }

  @exclusivity(unchecked) @usableFromInline var conduits: [Slot] = unsafe []
  @exclusivity(unchecked) @usableFromInline var status = Status.idle
  @exclusivity(unchecked) @usableFromInline var hasMore = false
  @exclusivity(unchecked) private var holes = 0
  @exclusivity(unchecked) private var waiting = Queue<Waiting>()
  @exclusivity(unchecked) private var completion: Completion<Failure>?

  /// Creates a subject without subscribers.
  public init() {}

  /// How many have subscribed.
  package var subscriberCount: Int {
    unsafe conduits.count - holes
  }

  /// Connects a subscriber.
  @inlinable
  public func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    // One copy for both closures: a long pipeline is a large value.
    let end = PipelineEnd(downstream)
    return add(Conduit({ end.downstream.receive($0) }, { end.downstream.finish($0) }))
  }

  @usableFromInline
  func add(_ conduit: Conduit<Output, Failure>) -> (any Cancellable)? {
    if let completion = unsafe completion {
      conduit.finish(completion)
      return nil
    }
    unsafe conduit.subject = self
    unsafe conduit.index = conduits.count
    unsafe conduits.append(.passRetained(conduit))
    LiveSubscriptions.begin(conduit, SubscriptionName("a subscriber of a subject"))
    return conduit
  }

  /// Sends a value.
  @inlinable
  public func send(_ value: Output) {
    if unsafe status != .idle || Node.reader != nil { return sendLater(value) }
    unsafe status = .sending
    unsafe deliver(value, to: conduits.count)
    if unsafe hasMore { finishSending() } else { unsafe status = .idle }
  }

  @inlinable
  @inline(__always)
  func deliver(_ value: Output, to audience: Int) {
    for index in 0..<audience {
      // Nothing is removed from the array before the delivery ends.
      guard let conduit = unsafe conduits[index] else { continue }
      unsafe conduit._withUnsafeGuaranteedRef { conduit in
        if unsafe conduit.isActive, !conduit.receive(value) { conduit.cancel() }
      }
    }
  }

  @usableFromInline
  @inline(never)
  func sendLater(_ value: Output) {
    Node.checkMayWrite("to a subject")
    guard unsafe completion == nil else { return }
    guard unsafe status == .idle else { return wait(.value(value)) }
    Node.withoutReader { send(value) }
  }

  /// Sends the completion; nothing is sent after it.
  public func send(completion: Completion<Failure>) {
    Node.checkMayWrite("to a subject")
    guard unsafe self.completion == nil else { return }
    unsafe self.completion = completion
    wait(.completion(completion))
    guard unsafe status == .idle else { return }
    unsafe status = .sending
    Node.withoutReader { finishSending() }
  }

  private func wait(_ event: Event<Output, Failure>) {
    unsafe waiting.append(Waiting(event: event, audience: conduits.count))
    unsafe hasMore = true
  }

  /// Delivers what was sent meanwhile, and lets go of those who left.
  @usableFromInline
  @inline(never)
  func finishSending() {
    while let next = unsafe waiting.popFirst() {
      switch next.event {
      case .value(let value): deliver(value, to: next.audience)
      case .completion(let completion): deliver(completion, to: next.audience)
      }
    }
    unsafe hasMore = false
    unsafe status = completion == nil ? .idle : .finished
    // Last, for what is released may send and subscribe.
    compact()
  }

  private func deliver(_ completion: Completion<Failure>, to audience: Int) {
    for index in 0..<audience {
      guard let conduit = unsafe conduits[index]?.takeUnretainedValue(), unsafe conduit.isActive
      else { continue }
      unsafe conduit.isActive = false
      LiveSubscriptions.end(conduit)
      unsafe conduit.subject = nil
      unsafe holes += 1
      conduit.finish(completion)
    }
  }

  fileprivate func remove(_ conduit: Conduit<Output, Failure>) {
    unsafe holes += 1
    if unsafe status == .sending {
      unsafe hasMore = true
      return
    }
    let slot = unsafe conduits[conduit.index].take()
    if unsafe holes * 2 > conduits.count { compact() }
    unsafe slot?.release()
  }

  /// Takes those who left out of the array, and lets go of them.
  private func compact() {
    guard unsafe holes > 0 else { return }
    let all = unsafe conduits
    var leaving: [Conduit<Output, Failure>] = []
    unsafe conduits.removeAll(keepingCapacity: true)
    unsafe holes = 0
    for index in unsafe all.indices {
      guard let slot = unsafe all[index] else { continue }
      let conduit = unsafe slot.takeUnretainedValue()
      if unsafe conduit.isActive {
        unsafe conduit.index = conduits.count
        unsafe conduits.append(slot)
      } else {
        leaving.append(unsafe slot.takeRetainedValue())
      }
    }
  }

  deinit {
    for index in unsafe conduits.indices { unsafe conduits[index]?.release() }
  }
}
