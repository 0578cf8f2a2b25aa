/// The names of elements and attributes on pages.
enum MarkupName: String {
  /// No element: the group of a scope's.
  case group = ""
  case a, alt, ariaBusy = "aria-busy", ariaChecked = "aria-checked"
  case ariaDescribedby = "aria-describedby", ariaHidden = "aria-hidden"
  case ariaInvalid = "aria-invalid", ariaLabel = "aria-label", ariaLabelledby = "aria-labelledby"
  case ariaModal = "aria-modal", ariaSort = "aria-sort", autocomplete, body, button, charset
  case checked, `class`, colspan, content, dataCount = "data-count", dataFrom = "data-from"
  case dataKey = "data-key", dataLimit = "data-limit", dataList = "data-list"
  case dataLive = "data-live", dataPage = "data-page", dataRows = "data-rows"
  case dataSize = "data-size", `defer`, disabled
  case div, fieldset, footer, `for`, form, h1, h2, h3, h4, h5, h6, head, header, hr, href, html
  case httpEquiv = "http-equiv", id, img, input, label, lang, legend, li, link, main, meta
  case method, name, nav, option, p, progress, rel, role, rows, scope, script, section, select
  case selected, span, src, tabindex, table, tbody, td, textarea, th, thead, title, tr, type, ul
  case value
}
