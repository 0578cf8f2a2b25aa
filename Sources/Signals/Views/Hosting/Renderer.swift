/// Draws frames: in a terminal, as HTML, in a test, or with any other toolkit.
public protocol Renderer: AnyObject {
  /// Shows a frame.
  ///
  /// The host calls it once per frame. The renderer may request rows of the new frame that weren't
  /// evaluated yet. A renderer that requests rows between two frames does so in a ``batch(_:)``:
  /// intents that run when these rows appear may make another frame, which is then passed on when
  /// the batch ends.
  ///
  /// - Parameters:
  ///   - new: The frame to show.
  ///   - old: The frame that this renderer was given before; `nil` the first time.
  func commit(_ new: Frame, replacing old: Frame?)
}
