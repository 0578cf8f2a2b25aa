// Names of SwiftUI for what has another name here: unavailable, to say what to write instead. A type of the app of one of
// these names goes before them.

/// What SwiftUI calls a vertical stack is a ``Column``.
@available(*, unavailable, message: "elements one below the other are a Column: Column { … }")
public typealias VStack = Column

/// What SwiftUI calls a lazy stack is a ``ScrollBox``, which makes the rows in sight alone.
@available(
  *, unavailable, message: "rows that scroll stand in a ScrollBox or ListBox: ListBox { … }"
)
public typealias LazyVStack = ListBox

/// What SwiftUI calls a horizontal stack is a ``Row``.
@available(*, unavailable, message: "elements side by side are a Row: Row { … }")
public typealias HStack = Row

/// Elements don't lie over each other, but for what covers the whole screen.
@available(
  *, unavailable, message: "what covers the screen is said by .covered(when: isShown) { … }"
)
public typealias ZStack = Column

/// What SwiftUI calls a scroll view is a ``ScrollBox``.
@available(*, unavailable, message: "what scrolls stands in a ScrollBox: ScrollBox { … }")
public typealias ScrollView = ScrollBox

extension ElementContent {
  /// What is tapped is a ``Button``.
  @available(
    *, unavailable, message: "what is tapped is a Button(\"…\") { … }; a key is bound by .onKey(…)"
  )
  public func onTapGesture(
    count: Int = 1, perform action: @escaping () throws -> Void
  ) -> Element { element }
}
