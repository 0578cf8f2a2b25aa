/// Something under way that can be stopped: an effect, an observation.
public protocol Cancellable: AnyObject {
  /// Stops it at once; a second call does nothing.
  func cancel()
}
