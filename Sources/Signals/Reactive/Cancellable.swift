/// An activity that can be stopped: an effect, an observation.
public protocol Cancellable: AnyObject {
  /// Stops the activity immediately; a second call does nothing.
  func cancel()
}
