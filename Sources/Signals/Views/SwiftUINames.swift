// SwiftUI's names for types that have other names here. They are unavailable, and their messages
// say what to write instead. A type of the app with one of these names takes precedence.

/// SwiftUI's vertical stack is a ``Column``.
@available(*, unavailable, message: "elements one below the other are a Column: Column { … }")
public typealias VStack = Column

/// SwiftUI's lazy stack is a ``ListBox`` or a ``ScrollBox``, which make only the rows in view.
@available(
  *, unavailable, message: "put rows that scroll in a ScrollBox or ListBox: ListBox { … }"
)
public typealias LazyVStack = ListBox

/// SwiftUI's horizontal stack is a ``Row``.
@available(*, unavailable, message: "elements side by side are a Row: Row { … }")
public typealias HStack = Row

/// Elements can't overlap, except for content that covers the whole screen.
@available(
  *, unavailable, message: "what covers the screen is said by .covered(when: isShown) { … }"
)
public typealias ZStack = Column

/// SwiftUI's scroll view is a ``ScrollBox``.
@available(*, unavailable, message: "put content that scrolls in a ScrollBox: ScrollBox { … }")
public typealias ScrollView = ScrollBox

extension ElementContent {
  /// Tappable content is a ``Button``.
  @available(
    *, unavailable, message: "what is tapped is a Button(\"…\") { … }; a key is bound by .onKey(…)"
  )
  public func onTapGesture(
    count: Int = 1, perform action: @escaping () throws -> Void
  ) -> Element { element }
}
