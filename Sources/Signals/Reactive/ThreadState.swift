// The state that CSignalsThread keeps for each thread: the reader and the scheduler.

public import CSignalsThread

extension Node {
  /// The node whose evaluation is running on this thread.
  @inlinable
  static var reader: NodePointer? {
    @inline(__always) get {
      unsafe signals_thread_current().pointee.reader.map {
        unsafe NodePointer($0.assumingMemoryBound(to: Node.self))
      }
    }
    @inline(__always) set {
      unsafe signals_thread_current().pointee.reader = newValue.map {
        unsafe UnsafeMutableRawPointer($0.address)
      }
    }
  }

  /// The same node as `reader`, by a pure function.
  ///
  /// The compiler knows that nothing is released by reading it, and so retains nothing for it.
  @inlinable
  static var currentReader: NodePointer? {
    @inline(__always) get {
      unsafe signals_reader().map { unsafe NodePointer($0.assumingMemoryBound(to: Node.self)) }
    }
  }

  /// Whether nothing is evaluated, by a pure function.
  @inlinable
  static var isUntracked: Bool {
    @inline(__always) get { unsafe signals_reader() == nil }
  }

  /// The value of `reader` while nothing is evaluated; see CSignalsThread.h.
  @inlinable
  static var idleReader: NodePointer? {
    @inline(__always) get {
      unsafe signals_thread_current().pointee.idle_reader.map {
        unsafe NodePointer($0.assumingMemoryBound(to: Node.self))
      }
    }
    @inline(__always) set {
      unsafe signals_thread_current().pointee.idle_reader = newValue.map {
        unsafe UnsafeMutableRawPointer($0.address)
      }
    }
  }
}

extension Scheduler {
  /// This thread's scheduler, if it has one yet.
  static var present: SchedulerPointer? {
    @inline(__always) get {
      unsafe signals_thread_current().pointee.scheduler.map {
        unsafe SchedulerPointer($0.assumingMemoryBound(to: Scheduler.self))
      }
    }
  }

  /// This thread's scheduler, created on first use.
  @inlinable
  static var current: SchedulerPointer {
    if let scheduler = unsafe signals_thread_current().pointee.scheduler {
      return unsafe SchedulerPointer(scheduler.assumingMemoryBound(to: Scheduler.self))
    }
    return make()
  }

  @usableFromInline
  @inline(never)
  static func make() -> SchedulerPointer {
    let scheduler = SchedulerPointer.allocate()
    scheduler.initialize(to: Scheduler())
    unsafe signals_thread_keep_scheduler(scheduler.address) { pointer in
      guard let scheduler = unsafe pointer?.assumingMemoryBound(to: Scheduler.self) else { return }
      unsafe scheduler.pointee.destroy()
      unsafe SchedulerPointer(scheduler).free()
    }
    return scheduler
  }
}
