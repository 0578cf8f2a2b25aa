// Whether two key paths lead to the same property when one of them starts at a subclass of the
// other's root.
//
// A wrapper has the key path of its property from the class that declares it, `\Base.title`. The
// caller has `\Sub.title`, and key paths with different roots are never equal. The standard library
// compares the identity of the components, which both paths get from the declaration, but has no
// API for it. The identity is in the key path's memory; this is the only file that depends on its
// layout. `isUnderstood` tests the layout on key paths with a known result. If the test fails, no
// property is recognized from a subclass.

enum KeyPathComparison {
  /// Whether a writable key path leads to the property whose own key path is `declared`, in a class
  /// that may inherit the property.
  ///
  /// The result is exact: an alias that reads and writes the property is a different one, and so is an
  /// override, unless the path starts at the class that declares the property.
  static func isSame(_ path: AnyKeyPath, as declared: AnyKeyPath) -> Bool {
    if path == declared { return true }
    guard isUnderstood else { return false }
    return isSameComponent(path, as: declared)
  }

  /// Whether a key path can be a wrapped property's own: it has one component, which can be set.
  ///
  /// Others need not be read to find that out, and may not be readable on every object.
  static func mayLeadToProperty(_ path: AnyKeyPath) -> Bool {
    !isUnderstood || component(of: path) != nil
  }

  /// The result of comparing key paths of this file's own classes, computed once.
  private static let isUnderstood: Bool = {
    let declared: AnyKeyPath = \Ancestor.value
    return isSameComponent(\Descendant.value, as: declared)
      && isSameComponent(\Descendant.generic, as: Generic<Int>.declared)
      && !isSameComponent(\Descendant.value, as: Generic<Int>.declared)
      && !isSameComponent(\Descendant.alias, as: declared)
      && !isSameComponent(\Descendant.other, as: declared)
      && !isSameComponent(\Descendant.next.value, as: declared)
      && !isSameComponent(\Descendant.plain, as: declared)
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
    // Made where the generic argument isn't known.
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

  /// Whether both key paths have one component, computed and settable, of the same declaration.
  private static func isSameComponent(_ path: AnyKeyPath, as other: AnyKeyPath) -> Bool {
    guard let component = component(of: path) else { return false }
    return component == self.component(of: other)
  }

  private struct Component: Equatable {
    let flags: UInt32
    let identity: UInt
  }

  /// The component of a key path that consists of one computed, settable component.
  ///
  /// After the object header and a pointer for Objective-C, the memory has the size of the rest and
  /// then the first component: flags, identity, getter and setter. A path that was made in generic
  /// code also has arguments: their size, a pointer to their witness functions, and the generic
  /// arguments, which add no information here. No memory beyond the stated size is read.
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
  /// Set if the written memory is within the last object of the path; it describes the whole path.
  private static let endsReferences: UInt32 = 0x8000_0000
}
