/// A pointer to memory that the engine allocates and frees, or to a place that outlives its use.
///
/// It refers to a node, its payload, an edge, the scheduler of a thread, the slots of a tree, or
/// the storage of a property. It is also the place where the answer to a question is stored.
///
/// An access is safe, because a pointer is only used while its memory is initialized:
/// - The memory of a node and its payload is freed after the owner has disposed of the node, and
///   when no queue, stack or walk holds it. Code that keeps the pointer while user code runs calls
///   `Node.hold`.
/// - An edge is freed when it is unlinked. A walk in which user code runs compares the `run` of its
///   node before it follows the next edge.
/// - A scheduler lives as long as its thread, and no other thread gets a pointer to it.
/// - The slots of a tree are used while the tree or the node is held, and only below its count.
/// - The storage of a property, and the fields of a view, are used while their owner is held.
/// - The place of an answer, and of a collection of effects, outlives the call that gets it.
///
/// Only the code that has allocated memory initializes, empties and frees it, each once.
///
/// The type of the memory isn't known from this contract, so functions that assume one, or that work
/// on bytes, are unsafe.
@usableFromInline
@safe @frozen
struct UncheckedPointer<Pointee: ~Copyable>: BitwiseCopyable, Hashable {
  @usableFromInline let address: UnsafeMutablePointer<Pointee>

  @inlinable
  @inline(__always)
  init(_ address: UnsafeMutablePointer<Pointee>) { unsafe self.address = unsafe address }

  @usableFromInline var pointee: Pointee {
    @_transparent unsafeAddress { unsafe UnsafePointer(address) }
    @_transparent nonmutating unsafeMutableAddress { unsafe address }
  }

  /// The value at an index of consecutive memory.
  @usableFromInline subscript(index: Int) -> Pointee {
    @_transparent unsafeAddress { unsafe UnsafePointer(address + index) }
    @_transparent nonmutating unsafeMutableAddress { unsafe address + index }
  }

  /// Returns the pointer to the value at an index of consecutive memory.
  @inlinable
  @inline(__always)
  func advanced(by index: Int) -> UncheckedPointer { unsafe UncheckedPointer(address + index) }

  @inlinable
  @inline(__always)
  static func == (one: UncheckedPointer, other: UncheckedPointer) -> Bool {
    unsafe one.address == other.address
  }

  @inlinable
  func hash(into hasher: inout Hasher) { unsafe hasher.combine(address) }
}

/// A pointer to a value whose type isn't stated; `field(at:as:)` states it.
@usableFromInline typealias UntypedPointer = UncheckedPointer<Never>

// MARK: - Memory

extension UncheckedPointer where Pointee: ~Copyable {
  /// Allocates uninitialized memory for consecutive values.
  @inlinable
  @inline(__always)
  static func allocate(_ count: Int = 1) -> UncheckedPointer {
    unsafe UncheckedPointer(.allocate(capacity: count))
  }

  /// Stores a value in uninitialized memory.
  @inlinable
  @inline(__always)
  func initialize(to value: consuming Pointee) { unsafe address.initialize(to: value) }

  /// Takes the value out; its memory stays allocated.
  @inlinable
  @inline(__always)
  func move() -> Pointee { unsafe address.move() }

  /// Destroys consecutive values; their memory stays allocated.
  @inlinable
  @inline(__always)
  func deinitialize(_ count: Int = 1) { unsafe address.deinitialize(count: count) }

  /// Moves consecutive values to uninitialized memory, which may overlap theirs.
  @inline(__always)
  func moveInitialize(from source: UncheckedPointer, _ count: Int) {
    unsafe address.moveInitialize(from: source.address, count: count)
  }

  /// Frees memory that has no value.
  @inlinable
  func deallocate() { unsafe address.deallocate() }

  /// Destroys the value and frees its memory.
  func free() {
    unsafe address.deinitialize(count: 1)
    unsafe UnsafeMutableRawPointer(address).deallocate()
  }

  /// Returns the pointer to a stored property of the value, at a byte offset in it.
  ///
  /// - Parameters:
  ///   - offset: The offset in bytes; 0 is that of the first field.
  ///   - type: The type of the stored property, or one that begins with the same fields.
  @unsafe
  @inlinable
  @inline(__always)
  func field<Field: ~Copyable>(at offset: Int = 0, as type: Field.Type) -> UncheckedPointer<Field> {
    unsafe UncheckedPointer<Field>(
      (UnsafeMutableRawPointer(address) + offset).assumingMemoryBound(to: type))
  }

  /// Copies the bytes of a value to the memory of another one.
  @unsafe
  @inline(__always)
  func copyBytes(from source: UncheckedPointer, _ count: Int) {
    unsafe UnsafeMutableRawPointer(address).copyMemory(from: source.address, byteCount: count)
  }

  /// Returns whether two values have the same bytes.
  @unsafe
  func hasSameBytes(as other: UncheckedPointer, _ count: Int) -> Bool {
    let (one, two) = unsafe (UnsafeRawPointer(address), UnsafeRawPointer(other.address))
    for offset in stride(from: 0, to: count & ~7, by: 8) {
      let word = unsafe one.load(fromByteOffset: offset, as: UInt64.self)
      if unsafe word != two.load(fromByteOffset: offset, as: UInt64.self) { return false }
    }
    for offset in count & ~7..<count {
      let byte = unsafe one.load(fromByteOffset: offset, as: UInt8.self)
      if unsafe byte != two.load(fromByteOffset: offset, as: UInt8.self) { return false }
    }
    return true
  }

  /// Returns the place at a byte offset, for code that states its type elsewhere.
  ///
  /// Safe, because such a pointer can't be read.
  @inlinable
  @inline(__always)
  func untyped(at offset: Int = 0) -> UntypedPointer {
    unsafe field(at: offset, as: Never.self)
  }

  /// The first word of the value.
  ///
  /// Comparing the words of two references counts no references, as loading them would.
  var word: UInt {
    @inline(__always) get {
      assert(MemoryLayout<Pointee>.size >= MemoryLayout<UInt>.size)
      return unsafe UnsafeRawPointer(address).load(as: UInt.self)
    }
  }
}

extension UncheckedPointer {
  /// Copies consecutive values to uninitialized memory.
  @inline(__always)
  func initialize(from source: UncheckedPointer, _ count: Int) {
    unsafe address.initialize(from: source.address, count: count)
  }
}

// MARK: - Places

extension UncheckedPointer {
  /// Calls `body` with the place of a variable.
  @inlinable
  @inline(__always)
  static func with<Result, Failure: Error>(
    _ value: inout Pointee, _ body: (UncheckedPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe withUnsafeMutablePointer(to: &value) { place throws(Failure) in
      try unsafe body(UncheckedPointer(place))
    }
  }

  /// Calls `body` with the place of a value, which it only reads.
  @inline(__always)
  static func reading<Result>(
    _ value: Pointee, _ body: (UncheckedPointer) throws -> Result
  ) rethrows -> Result {
    try unsafe withUnsafePointer(to: value) { place in
      try unsafe body(UncheckedPointer(UnsafeMutablePointer(mutating: place)))
    }
  }

  /// Creates a pointer to a stored property of an instance.
  ///
  /// The key path is a literal at each call, which the compiler turns into an address.
  @inlinable
  @inline(__always)
  init<Owner: AnyObject>(
    to path: ReferenceWritableKeyPath<Owner, Pointee>, of owner: Owner
  ) {
    unsafe self.init(withUnsafeMutablePointer(to: &owner[keyPath: path]) { unsafe $0 })
  }

  /// Creates a pointer to the stored property at a byte offset of an instance.
  @unsafe
  @inlinable
  @inline(__always)
  init(at offset: Int, of owner: AnyObject) {
    let base = unsafe Unmanaged.passUnretained(owner).toOpaque()
    unsafe self.init((base + offset).assumingMemoryBound(to: Pointee.self))
  }

  /// Returns the byte offset of this stored property of an instance.
  @inlinable
  @inline(__always)
  func offset(in owner: AnyObject) -> Int {
    unsafe UnsafeMutableRawPointer(address) - Unmanaged.passUnretained(owner).toOpaque()
  }
}
