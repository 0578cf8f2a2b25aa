// Notifying nodes that lost their last reader, and releasing disposed ones.

extension Scheduler {
  /// Queues a node that lost its last reader, unless it is queued already.
  ///
  /// It is notified the next time a batch ends, the queues have run empty or a node is disposed of,
  /// while no batch is open.
  mutating func enqueueUnread(_ node: NodePointer) {
    guard unsafe !node.pointee.flags.contains(.queued) else { return }
    unsafe node.pointee.flags.insert(.queued)
    unsafe Node.hold(node)
    unsafe unread.append(node)
  }

  /// Notifies the nodes that lost their last reader and found no other since, unless a batch is
  /// open.
  ///
  /// They are notified one after the other, however many there are: nodes that lose their last
  /// reader because of a release wait for the outermost call.
  static func notifyUnread(_ scheduler: UnsafeMutablePointer<Scheduler>) {
    guard unsafe scheduler.pointee.depth == 0, unsafe !scheduler.pointee.isNotifyingUnread else {
      return
    }
    unsafe scheduler.pointee.isNotifyingUnread = true
    defer { unsafe scheduler.pointee.isNotifyingUnread = false }
    while let node = unsafe scheduler.pointee.unread.popLast() {
      unsafe node.pointee.flags.remove(.queued)
      if unsafe node.pointee.subs == nil, unsafe !node.pointee.flags.contains(.dead) {
        _ = Node.withoutReader { unsafe node.pointee.reaction(node, .perform) }
      }
      unsafe Node.release(node)
    }
  }

  /// Releases the payloads of disposed nodes, one at a time however deeply they are nested.
  static func discard(_ node: NodePointer) {
    let scheduler = unsafe current
    unsafe Node.hold(node)
    unsafe scheduler.pointee.garbage.append(node)
    guard unsafe !scheduler.pointee.isDraining else { return }
    unsafe scheduler.pointee.isDraining = true
    while let node = unsafe scheduler.pointee.garbage.popLast() {
      _ = Node.withoutReader { unsafe node.pointee.reaction(node, .destroy) }
      unsafe Node.release(node)
    }
    unsafe scheduler.pointee.isDraining = false
  }
}
