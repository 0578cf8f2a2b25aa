// The versions of live rows on screen, which the offsets of an intent refer to.
//
// State: `versions`, for each source of rows the versions that scopes of the host last read;
// `sources`, the sources that each scope read; `reading`, the scope under evaluation and its node.
// Only reads by that node count, not those of a computed value on its behalf. Only the host's
// isolation touches this state.
//
// Order of events: the evaluation of a body, or of the data of a `ForEach`, begins and forgets the
// reads of its last evaluation. Its reads are noted. Intents look up the versions. Between two
// frames a renderer may have rows evaluated that read a later version than the elements around
// them. So of the scopes of a view the oldest one's version counts: the `ForEach` that shows the rows
// is older than any of its rows.

/// The versions of live rows that a host shows.
final class RenderedVersions: ReadRecorder {
  /// A source of rows: results, sections, or one section.
  struct Source: Hashable {
    let id: ObjectIdentifier
    let group: Int?
  }

  private struct Versions {
    /// Inline, because most sources are read by one scope.
    var scope: ScopeID
    var version: LiveVersion
    var others: [ScopeID: LiveVersion] = [:]
  }

  /// The scope under evaluation.
  @safe private struct Reading {
    let scope: ScopeID
    let node: NodePointer?
    var last: Source?
  }

  private var versions: [Source: Versions] = [:]
  private var sources: [ScopeID: [Source]] = [:]
  private var reading: Reading?

  /// Notes the reads of `body`, which evaluates a scope.
  ///
  /// The scope's previous reads must have been forgotten.
  func read(by scope: Scope, _ body: () -> Void) {
    let outer = reading
    reading = Reading(scope: scope.id, node: scope.node)
    let current = CurrentRecorder(recorder: Unretained(self))
    ThreadContext.with(current, for: CurrentRecorder.self, body)
    reading = outer
  }

  override func didRead(_ source: AnyObject, group: Int?, version: LiveVersion) {
    guard let reading, Node.reader == reading.node else { return }
    let source = Source(id: ObjectIdentifier(source), group: group)
    // A loop reads the same rows repeatedly, with no write in between.
    if reading.last == source { return }
    self.reading?.last = source
    let scope = reading.scope
    guard var known = versions.removeValue(forKey: source) else {
      versions[source] = Versions(scope: scope, version: version)
      sources[scope, default: []].append(source)
      return
    }
    if known.scope != scope, known.others.updateValue(version, forKey: scope) == nil {
      sources[scope, default: []].append(source)
    }
    versions[source] = known
  }

  /// Forgets the reads of a scope.
  func forget(_ scope: Scope) {
    if sources.isEmpty { return }
    guard let read = sources.removeValue(forKey: scope.id) else { return }
    for source in read { forget(source, readBy: scope.id) }
  }

  private func forget(_ source: Source, readBy scope: ScopeID) {
    guard var known = versions.removeValue(forKey: source) else { return }
    if known.scope == scope {
      guard let next = known.others.popFirst() else { return }
      (known.scope, known.version) = next
    } else {
      known.others[scope] = nil
    }
    versions[source] = known
  }

  /// The version of a source that is on screen; nil if the source isn't.
  ///
  /// Results with equal descriptions are one source, so several views may show it. The scopes of one
  /// view count before others.
  ///
  /// - Parameters:
  ///   - source: The source of rows.
  ///   - group: The section, if the source is one.
  ///   - host: The host.
  ///   - view: The scope of the view whose wrapper the offsets come from. The scopes in it belong to
  ///     it, apart from those of a view with another wrapper of the source.
  ///   - isElsewhere: Whether the version also counts if only scopes outside of the view show it.
  func version(
    of source: AnyObject, group: Int? = nil, in host: ViewHost, shownBelow view: ScopeID?,
    orElsewhere isElsewhere: Bool = true
  ) -> LiveVersion? {
    guard let known = versions[Source(id: ObjectIdentifier(source), group: group)] else {
      return nil
    }
    var oldest: (scope: ScopeID, version: LiveVersion, isBelow: Bool)?
    func consider(_ version: LiveVersion, by id: ScopeID) {
      // A row that waits for a renderer shows none of its reads.
      guard let scope = host.scopes[id], scope.isEvaluated else { return }
      let isBelow = view.map { scope.shows(source, for: $0) } ?? false
      if !isBelow, !isElsewhere { return }
      if let oldest, oldest.isBelow == isBelow ? oldest.scope < id : oldest.isBelow { return }
      oldest = (id, version, isBelow)
    }
    consider(known.version, by: known.scope)
    for (scope, version) in known.others { consider(version, by: scope) }
    return oldest?.version
  }
}

extension Scope {
  /// Whether this scope is in a view, and not in one in between that has the source from another
  /// wrapper.
  fileprivate func shows(_ source: AnyObject, for view: ScopeID) -> Bool {
    var scope: Scope? = self
    while let present = scope {
      if present.id == view { return true }
      if present.perBodySlots.contains(where: { $0.presents(source) }) { return false }
      scope = present.parent
    }
    return false
  }
}
