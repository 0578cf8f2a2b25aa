// Whether two key paths are the same property, though one begins at a subclass of the other's class.
//
// A wrapper tells the key path of its property from the class that declares it, `\Base.title`; the caller
// has `\Sub.title`, and key paths of different roots are never equal. The standard library compares the
// identity of their components, which both have from the declaration, but does not tell it. It lies in
// the key path's own memory: this is the only file that relies on where. `isUnderstood` tries that on
// key paths whose answer is known, and if it is wrong no property is recognized from a subclass.

enum PathIdentity {
  /// Whether a writable key path is the property whose own key path is `declared`, in a class that may
  /// inherit it.
  ///
  /// Exact: an alias that reads and writes the property is another one, and so is an override.
  static func isSame(_ path: AnyKeyPath, as declared: AnyKeyPath) -> Bool {
    if path == declared { return true }
    guard isUnderstood else { return false }
    return isSameComponent(path, declared)
  }

  /// Key paths of classes of our own, compared once.
  private static let isUnderstood: Bool = {
    let declared: AnyKeyPath = \Ancestor.value
    return isSameComponent(\Descendant.value, declared)
      && isSameComponent(\Descendant.generic, Generic<Int>.declared)
      && !isSameComponent(\Descendant.value, Generic<Int>.declared)
      && !isSameComponent(\Descendant.alias, declared)
      && !isSameComponent(\Descendant.other, declared)
      && !isSameComponent(\Descendant.next.value, declared)
      && !isSameComponent(\Descendant.plain, declared)
  }()

  private class Ancestor {
    var plain = 0
    var value: Int {
      get { plain }
      set { plain = newValue }
    }
    var other: Int {
      get { plain }
      set { plain = newValue }
    }
  }

  private class Generic<Value>: Ancestor {
    var generic: Value? {
      get { nil }
      set {}
    }
    // Made where the argument is not known.
    static var declared: AnyKeyPath { \Generic.generic }
  }

  private final class Descendant: Generic<Int> {
    var alias: Int {
      get { value }
      set { value = newValue }
    }
    var next: Descendant {
      get { self }
      set {}
    }
  }

  /// Whether both are key paths of one component, computed and settable, of the same declaration.
  private static func isSameComponent(_ path: AnyKeyPath, _ other: AnyKeyPath) -> Bool {
    guard let component = component(of: path) else { return false }
    return component == self.component(of: other)
  }

  private struct Component: Equatable {
    let flags: UInt32
    let identity: UInt
  }

  /// The component of a key path that has one, which is computed and can be set.
  ///
  /// Behind the header of the object and a pointer for Objective-C stands the size of what follows, and
  /// then the first component: flags, its identity, a getter and a setter. If it was made in generic code
  /// it has arguments: their size, what knows how to handle them, and the generic arguments
  /// themselves, which say nothing new. Nothing is read that is not within the size.
  private static func component(of path: AnyKeyPath) -> Component? {
    withExtendedLifetime(path) {
      let memory = unsafe UnsafeRawPointer(Unmanaged.passUnretained(path).toOpaque())
      func word(_ index: Int) -> UInt {
        unsafe memory.load(fromByteOffset: index * MemoryLayout<UInt>.size, as: UInt.self)
      }
      let words = Int(UInt32(truncatingIfNeeded: word(3)) & 0xff_ffff) / MemoryLayout<UInt>.size
      guard words >= 4 else { return nil }
      let flags = UInt32(truncatingIfNeeded: word(4))
      if flags & hasArguments == 0 {
        guard words == 4 else { return nil }
      } else {
        guard words > 6, words == 6 + Int(truncatingIfNeeded: word(8)) / MemoryLayout<UInt>.size
        else { return nil }
      }
      return Component(flags: flags & ~(hasArguments | endsReferences), identity: word(5))
    }
  }

  private static let hasArguments: UInt32 = 0x8_0000
  /// What is written to is within the last object there: a mark of the whole path.
  private static let endsReferences: UInt32 = 0x8000_0000
}
