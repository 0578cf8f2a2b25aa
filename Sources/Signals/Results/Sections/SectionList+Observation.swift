extension SectionList {
  /// Subscribes to the exact changes of the sections and their rows.
  ///
  /// - Parameters:
  ///   - origins: The origins whose commits aren't reported.
  ///   - receive: Called with each change, which has the numbers of groups as keys; returns false
  ///     to end the subscription.
  /// - Returns: The subscription.
  func observe(
    skipping origins: Set<Origin>, _ receive: @escaping (SectionsChange<Int, Object>) -> Bool
  ) -> any Cancellable {
    let registration = Registration(
      .observers, name: "an observer of the sections of \(self.query.type)", receive)
    let recorder = SectionsRecorder()
    defer { add(recorder) }
    return query.register(registration, skipping: origins) { [self] consumer in
      query.refreshSettled()
      let modified = query.consumers.takeRecorder(of: consumer)?.modified ?? []
      let (change, _) = recorder.takeChange(in: self, modified: modified)
      return change.isEmpty ? nil : change
    } onSkip: {
      recorder.reset()
    } onEnd: { [self] in
      remove(recorder)
    }
  }
}
