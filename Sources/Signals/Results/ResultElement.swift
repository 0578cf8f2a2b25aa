/// An element of ``Results``: an ``Object``, or a ``Projection`` of one.
///
/// Don't conform to this protocol; subclass ``Object`` or ``Projection``.
public protocol _ResultElement: AnyObject {
  /// The class of the objects that elements represent.
  static var _objectClass: Object.Type { get }

  /// The object that this element represents.
  var _object: Object { get }

  /// Returns the element that represents an object.
  static func _element(of object: Object) -> Self

  /// Calls `body` with the element that represents an object, which may be created only for this
  /// call.
  static func _withElement<Value>(of object: Object, _ body: (AnyObject) -> Value) -> Value
}

extension _ResultElement {
  /// Converts a function of elements to a function of the objects that they represent.
  static func onObject<Value>(_ value: @escaping (Self) -> Value) -> (Object) -> Value {
    if self is Object.Type { return { value(knownDowncast($0, to: Self.self)) } }
    return { _withElement(of: $0) { value(knownDowncast($0, to: Self.self)) } }
  }
}

extension Object: _ResultElement {
  /// The class itself, because elements are the objects themselves.
  public static var _objectClass: Object.Type { self }

  /// The object itself.
  public final var _object: Object { self }

  /// Returns the object itself.
  public static func _element(of object: Object) -> Self {
    knownDowncast(object, to: self)
  }

  /// Calls `body` with the object.
  public static func _withElement<Value>(
    of object: Object, _ body: (AnyObject) -> Value
  ) -> Value { body(object) }
}
