public import CSignalsThread

/// A pointer to memory that the engine allocates and frees.
///
/// It refers to a node, its payload, an edge, or the scheduler of a thread. It is also the place
/// where the answer to a question is stored.
///
/// An access is safe, because a pointer is only used while its memory is initialized:
/// - The memory of a node and its payload is freed after the owner has disposed of the node, and
///   when no queue, stack or walk holds it. Code that keeps the pointer while user code runs calls
///   `Node.hold`.
/// - An edge is freed when it is unlinked. A walk in which user code runs compares the `run` of its
///   node before it follows the next edge.
/// - A scheduler lives as long as its thread, and no other thread gets a pointer to it.
/// - The place of an answer, and of a collection of effects, outlives the call that gets it.
@usableFromInline
@safe @frozen
struct EnginePointer<Pointee: ~Copyable>: BitwiseCopyable, Hashable {
  @usableFromInline let address: UnsafeMutablePointer<Pointee>

  @inlinable
  @inline(__always)
  init(_ address: UnsafeMutablePointer<Pointee>) { unsafe self.address = unsafe address }

  @usableFromInline var pointee: Pointee {
    @_transparent unsafeAddress { unsafe UnsafePointer(address) }
    @_transparent nonmutating unsafeMutableAddress { unsafe address }
  }

  /// Destroys the value, of which the memory stays allocated.
  @inlinable
  @unsafe
  func deinitialize() { unsafe address.deinitialize(count: 1) }

  /// Destroys the value and frees its memory.
  @unsafe
  func free() {
    unsafe address.deinitialize(count: 1)
    unsafe UnsafeMutableRawPointer(address).deallocate()
  }

  @inlinable
  @inline(__always)
  static func == (one: EnginePointer, other: EnginePointer) -> Bool {
    unsafe one.address == other.address
  }

  @inlinable
  func hash(into hasher: inout Hasher) { unsafe hasher.combine(address) }
}

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
