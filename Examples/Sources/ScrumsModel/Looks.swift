package import Signals

// How the screens look where a renderer shows more than text: the same in all three apps.

extension ScrumColor {
  /// The color on screen.
  package var tint: ElementColor { ElementColor(red: red, green: green, blue: blue) }
}

extension ElementContent {
  /// What a screen is called.
  package var heading: Element { style(.title) }
  /// What is less important than what it stands beside.
  package var aside: Element { style(.secondary) }
  /// What stands at the beginning of a line, so wide that what follows is a column.
  package var leading: Element { frame(minWidth: 16) }
  /// The title of a scrum in the list: in its color.
  package func listed(in color: ScrumColor) -> Element { leading.tint(color.tint) }
}
