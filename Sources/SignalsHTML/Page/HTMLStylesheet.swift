// The stylesheet of pages: written once, and served as a file, so that browsers keep it.

/// The stylesheet of the pages of an ``HTMLSession``.
///
/// - It is for light and dark color schemes, narrow screens, print, and users who prefer reduced
///   motion. What has the focus has a ring.
/// - It has classes for all that a look can request (`ElementLook`): sizes in characters and lines,
///   shares of a row, alignments, and 216 colors. A custom style `ElementStyle("late")` is the class
///   `s-late`.
///
/// Serve ``text`` with the type `text/css`. To change the appearance, serve rules of your own after
/// it, or in its place:
///
/// ```swift
/// let css = HTMLStylesheet.text + ".s-late { font-weight: bold }"
/// ```
public enum HTMLStylesheet {
  /// The rules, as text.
  public static let text: String = base + vocabulary

  private static let base = """
    :root {
      color-scheme: light dark;
      --paper: #fcfcfd; --ink: #1b1d23; --dim: #5d6470; --line: #d5d9e0; --fill: #eef0f4;
      --accent: #0b57c8; --good: #11692f; --warn: #855300; --bad: #b3141f; --ring: #0b57c8;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --paper: #14161a; --ink: #e8eaef; --dim: #a2a9b6; --line: #363b45; --fill: #22262e;
        --accent: #8ab6ff; --good: #7fd796; --warn: #f0bd62; --bad: #ff9a94; --ring: #8ab6ff;
      }
    }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--paper); color: var(--ink);
      font: 1rem/1.5 system-ui, sans-serif; }
    form { max-width: 64rem; margin: 0 auto; padding: 1rem; }
    main, .column, section, .cover, .scroll, .list > li, .rows > li {
      display: flex; flex-direction: column; gap: .5rem; align-items: flex-start; }
    main > *, .column > *, section > *, .cover > *, .scroll > *, li > * { max-width: 100%; }
    main > :is(div, section, ul, table), :is(.column, section, .cover, .scroll, li)
      > :is(div, section, ul, table, .field) { align-self: stretch; }
    main { gap: .75rem; }
    section { padding-block: .25rem; }
    .look { display: contents; }
    .row { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: baseline; }
    h1, h2, h3, h4, h5, h6 { margin: 0; line-height: 1.25; text-wrap: balance; }
    h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; } h3, h4, h5, h6 { font-size: 1.05rem; }
    p { margin: 0; min-height: 1lh; }
    p, span, td, h1, h2, h3, h4, h5, h6, button { white-space: pre-wrap; overflow-wrap: anywhere; }
    ul { list-style: none; margin: 0; padding: 0; }
    .list, .rows { display: flex; flex-direction: column; gap: .35rem; }
    .list { border-block: 1px solid var(--line); padding-block: .35rem; }
    hr { width: 100%; border: 0; border-top: 1px solid var(--line); }
    button, input, select, textarea { font: inherit; color: inherit; border-radius: .4rem;
      border: 1px solid var(--line); background: var(--fill); padding: .3rem .7rem;
      min-height: 2.25rem; max-width: 100%; }
    input, select, textarea { background: var(--paper); border-color: var(--dim); }
    input, textarea { flex: 1 1 14rem; min-width: 0; }
    textarea { min-height: 6lh; field-sizing: content; }
    button { cursor: pointer; text-align: start; }
    button:hover:enabled { border-color: var(--dim); }
    :disabled { opacity: .55; cursor: not-allowed; }
    [aria-busy=true] { opacity: .75; cursor: progress; }
    :focus-visible { outline: 3px solid var(--ring); outline-offset: 2px; }
    .cover:focus { outline: none; }
    .field { display: flex; flex-wrap: wrap; gap: .25rem .6rem; align-items: center; }
    .field > .errors, .field > .error { flex-basis: 100%; }
    [aria-invalid=true] { border-color: var(--bad); }
    .error { color: var(--bad); }
    .error::before { content: "\\26A0\\FE0E  "; content: "\\26A0\\FE0E  " / ""; }
    .switch { border: 0; background: none; padding-inline: 0; }
    .switch::before { content: ""; display: inline-block; vertical-align: -.2em; width: 2.1em;
      height: 1.2em; margin-inline-end: .5em; border-radius: .6em; border: 1px solid var(--dim);
      background: radial-gradient(circle at .55em 50%, var(--dim) .38em, #0000 .42em); }
    .switch[aria-checked=true]::before { border-color: var(--accent); background:
      radial-gradient(circle at calc(100% - .55em) 50%, var(--paper) .38em, var(--accent) .42em); }
    progress { width: 12rem; max-width: 100%; height: .9rem; accent-color: var(--accent); }
    table { border-collapse: collapse; width: 100%; }
    th, td { text-align: start; vertical-align: top; padding: .3rem .6rem .3rem 0;
      border-bottom: 1px solid var(--line); }
    th { color: var(--dim); font-weight: 600; }
    th > button, td > button { border: 0; background: none; padding: 0 .35rem;
      margin-inline-start: -.35rem; min-height: 0; font-weight: inherit; }
    th.a-trailing > button, td.a-trailing > button { margin-inline: 0 -.35rem; }
    td > button { color: var(--accent); }
    [aria-sort=ascending] > button::after { content: " \\25B2"; content: " \\25B2" / ""; }
    [aria-sort=descending] > button::after { content: " \\25BC"; content: " \\25BC" / ""; }
    .room, .room td { flex: none; padding: 0; border: 0; }
    .pages, .keys { display: flex; flex-wrap: wrap; gap: .5rem; align-items: baseline; }
    .keys { margin-top: 1.5rem; padding-top: .75rem; border-top: 1px solid var(--line);
      color: var(--dim); }
    .keys button { font-family: ui-monospace, monospace; font-size: .85rem; min-height: 0;
      padding: .1rem .5rem; }
    .move { min-height: 0; padding: 0 .5rem; }
    .notice { border: 1px solid var(--line); border-inline-start: .3rem solid var(--accent);
      border-radius: .4rem; padding: .5rem .8rem; margin-bottom: 1rem; }
    .notice.error { border-inline-start-color: var(--bad); }
    .live :is(.apply, .notice a, :is(.field, fieldset) > button[value=""]) { display: none; }
    .away { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
      white-space: nowrap; }
    .s-emphasized { font-weight: 600; }
    .s-secondary, .s-status { color: var(--dim); }
    .s-status { border-top: 1px solid var(--line); padding-top: .4rem; }
    .s-title { font-weight: 650; }
    .s-accent { color: var(--accent); } .s-positive { color: var(--good); }
    .s-warning { color: var(--warn); } .s-negative { color: var(--bad); }
    .a-leading { text-align: start; justify-content: flex-start; }
    .a-center { text-align: center; justify-content: center; }
    .a-trailing { text-align: end; justify-content: flex-end; }
    td.a-trailing, th.a-trailing { font-variant-numeric: tabular-nums; }
    @media (max-width: 40rem) {
      form { padding: .75rem; }
      .row > * { min-width: 0 !important; }
      .row > [class*="f-"] { flex-basis: 12rem; }
      th, td { min-width: 0 !important; padding-inline-end: .4rem; }
      th, th > button, .a-trailing, .a-trailing > * { overflow-wrap: normal; }
    }
    @media (prefers-reduced-motion: no-preference) { button { transition: border-color .12s; } }
    @media print {
      :root { --paper: #fff; --ink: #000; --dim: #444; --line: #999; }
      .keys, .pages button, .move, .away { display: none; }
      button { border: 0; padding: 0; }
    }

    """

  /// The rules of the looks; see ``PageLook``.
  private static var vocabulary: String {
    var rules = ""
    for width in 0...PageLook.widest {
      rules += ".w-\(width){min-width:min(\(width)ch,100%)}.x-\(width){max-width:\(width)ch}\n"
    }
    for height in 0...PageLook.highest {
      rules +=
        ".h-\(height){min-height:\(height)lh}.y-\(height){max-height:\(height)lh;overflow:auto}\n"
    }
    for share in 1...PageLook.largestShare { rules += ".f-\(share){flex:\(share) 1 0}\n" }
    for number in 0..<216 {
      let (red, green, blue) = (number / 36, number / 6 % 6, number % 6)
      // Mixed with the color of text, a color can be read on light and dark pages.
      let color = "rgb(\(red * 51) \(green * 51) \(blue * 51))"
      rules += ".t-\(red)\(green)\(blue){color:color-mix(in oklab,\(color) 65%,var(--ink))}\n"
    }
    return rules
  }
}
