// Modifiers that set the requested appearance of content.

extension ElementContent {
  /// Sets the role of this content in its context, including everything in it.
  ///
  /// ```swift
  /// Text("\(overdue) overdue").style(.warning)
  /// ```
  ///
  /// - Returns: This content with the role.
  public func style(_ style: ElementStyle) -> Element {
    element.changing { $0.styles.insert(style, at: 0) }
  }

  /// Draws this content, including everything in it, in a given color; nil changes nothing.
  ///
  /// A renderer shows the nearest color that it supports, or none, so don't convey information by
  /// color alone.
  ///
  /// ```swift
  /// Text(label.name).tint(label.color)
  /// ```
  ///
  /// - Returns: This content with the color.
  public func tint(_ color: ElementColor?) -> Element {
    color.map { color in element.changing { $0.tint = color } } ?? element
  }

  /// Limits the space that this content takes, in the renderer's units, such as the cells of a
  /// terminal.
  ///
  /// With `flex` it takes a share of the space left in its row. Content with twice the value gets
  /// twice the share.
  ///
  /// ```swift
  /// Row {
  ///   Text(book.title).frame(minWidth: 10, flex: 1)
  ///   Text("\(book.pages)").frame(minWidth: 5, maxWidth: 5).aligned(.trailing)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - minWidth: The smallest width; nil for no limit.
  ///   - maxWidth: The largest width; nil for no limit.
  ///   - minHeight: The smallest height; nil for no limit.
  ///   - maxHeight: The largest height; nil for no limit.
  ///   - flex: The share of the space that is left, relative to that of other content in the row;
  ///     nil for none.
  /// - Returns: This content with the limits.
  public func frame(
    minWidth: Int? = nil, maxWidth: Int? = nil, minHeight: Int? = nil, maxHeight: Int? = nil,
    flex: Double? = nil
  ) -> Element {
    element.changing { look in
      look.minWidth = minWidth ?? look.minWidth
      look.maxWidth = maxWidth ?? look.maxWidth
      look.minHeight = minHeight ?? look.minHeight
      look.maxHeight = maxHeight ?? look.maxHeight
      look.flex = flex ?? look.flex
    }
  }

  /// Sets the alignment of this content within its space.
  ///
  /// - Returns: This content with the alignment.
  public func aligned(_ alignment: ElementAlignment) -> Element {
    element.changing { $0.alignment = alignment }
  }
}
