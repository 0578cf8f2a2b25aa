// Notifying nodes that lost their last reader, and releasing disposed ones.

extension Scheduler {
  /// Queues a node that lost its last reader, unless it is queued already.
  ///
  /// It is notified the next time a batch ends, the queues have run empty or a node is disposed of,
  /// while no batch is open.
  mutating func enqueueUnread(_ node: NodePointer) {
    guard !node.pointee.flags.contains(.queued) else { return }
    node.pointee.flags.insert(.queued)
    Node.hold(node)
    unread.append(node)
  }

  /// Notifies the nodes that lost their last reader and found no other since, unless a batch is
  /// open.
  ///
  /// They are notified one after the other, however many there are: nodes that lose their last
  /// reader because of a release wait for the outermost call.
  static func notifyUnread(_ scheduler: SchedulerPointer) {
    guard scheduler.pointee.depth == 0, !scheduler.pointee.isNotifyingUnread else {
      return
    }
    scheduler.pointee.isNotifyingUnread = true
    defer { scheduler.pointee.isNotifyingUnread = false }
    while let node = scheduler.pointee.unread.popLast() {
      node.pointee.flags.remove(.queued)
      if node.pointee.subs == nil, !node.pointee.flags.contains(.dead) {
        _ = Node.withoutReader { node.pointee.reaction(node, .lostLastReader) }
      }
      Node.release(node)
    }
  }

  /// Releases the payloads of disposed nodes, one at a time however deeply they are nested.
  static func discard(_ node: NodePointer) {
    let scheduler = current
    Node.hold(node)
    scheduler.pointee.garbage.append(node)
    guard !scheduler.pointee.isDraining else { return }
    scheduler.pointee.isDraining = true
    while let node = scheduler.pointee.garbage.popLast() {
      _ = Node.withoutReader { node.pointee.reaction(node, .destroy) }
      Node.release(node)
    }
    scheduler.pointee.isDraining = false
  }
}
