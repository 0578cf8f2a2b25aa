// Input for the options of a picker, which take all keys and the mouse while they are shown.

import Signals

extension TerminalScreen {
  func open(_ target: Target, choice: ElementOption, options: [ElementOption]) {
    guard let picker = FocusedElement(target), !options.isEmpty else { return }
    renderer.state.picker = OpenPicker(
      picker: picker, options: options, index: options.firstIndex(of: choice) ?? 0)
  }

  func handlePicker(_ key: TerminalKey) {
    guard let picker = renderer.state.picker else { return }
    let last = picker.options.count - 1
    let page = max(1, picker.rect.height - 1)
    func go(to index: Int) { renderer.state.picker?.index = min(max(index, 0), last) }
    switch key.fullName {
    case "up": go(to: picker.index - 1)
    case "down": go(to: picker.index + 1)
    case "page-up": go(to: picker.index - page)
    case "page-down": go(to: picker.index + page)
    case "home": go(to: 0)
    case "end": go(to: last)
    case "return", " ": choose()
    case "escape", "tab", "ctrl-c": renderer.state.picker = nil
    default:
      // Selects the next option that begins with the character.
      guard let character = key.character else { return }
      let order = Array(picker.index + 1..<last + 1) + Array(0...picker.index)
      let start = String(character).lowercased()
      if let found = order.first(where: { picker.options[$0].title.lowercased().hasPrefix(start) })
      {
        go(to: found)
      }
    }
  }

  private func choose() {
    guard let picker = renderer.state.picker else { return }
    renderer.state.picker = nil
    if let target = renderer.targets.first(where: picker.picker.isSame(as:)) {
      perform(target, with: .choice(picker.options[picker.index].id))
    }
  }

  func handlePicker(_ mouse: TerminalMouse) {
    guard let picker = renderer.state.picker else { return }
    switch mouse.kind {
    case .scrollUp: renderer.state.picker?.index = max(0, picker.index - 1)
    case .scrollDown:
      renderer.state.picker?.index = min(picker.options.count - 1, picker.index + 1)
    case .press:
      // Options that the user hasn't seen yet can't be meant.
      let seen = renderer.seen?.picker
      let index = (seen?.top ?? 0) + mouse.y - (seen?.rect.y ?? 0)
      guard seen?.rect.contains(x: mouse.x, y: mouse.y) == true, index < picker.options.count else {
        renderer.state.picker = nil
        return
      }
      renderer.state.picker?.index = index
      choose()
    case .drag, .release: break
    }
  }
}
