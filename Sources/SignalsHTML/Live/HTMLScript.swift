/// The script that keeps the pages of an ``HTMLSession`` up to date.
///
/// - It needs no `eval` and no inline script: it works under a policy of `default-src 'self'`.
/// - Focus, selection, scrolling and what is being typed stay as they are when the page changes.
/// - Typing is sent at most 20 times a second, when the last message was answered, and before a button
///   is pressed. A message that wasn't answered is sent again, and used once. The page connects again
///   by itself.
///
/// Serve ``text`` with the type `text/javascript`. The script connects to the path that the session
/// was given as `live:`, with the name of the page in the query:
///
/// | request | response |
/// |---|---|
/// | `GET live?page=NAME` | server-sent events: each patch of the ``LivePage`` is an event, with its first number as the id |
/// | `POST live?page=NAME` | the body is a message for ``LivePage/receive(_:)``; 204 |
///
/// Status 410 makes the script load the page again.
public enum HTMLScript {
  /// The script, as text.
  public static let text: String =
    source.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { !$0.hasPrefix("//") }
    .joined(separator: "\n")

  private static let source = """
    (() => {
    const doc = document, {live, page} = doc.body.dataset, form = doc.forms[0]
    const url = live + "?page=" + page, token = form.token.value
    // The elements by their numbers; the controls with input that wasn't taken into account, with the
    // number of the message that has it; the messages that weren't answered.
    const nodes = new Map, edited = new Map, queue = []
    const heights = {}
    let count = 0, number = 0, last = 0, timer, source, hiding, composing, focused, sending, jump

    const on = (type, f) => doc.addEventListener(type, f)
    const all = e => [e, ...e.querySelectorAll("*")]
    const add = e => all(e).forEach(x => nodes.set(x.live = count++, x))
    const drop = e => all(e).forEach(x => { nodes.delete(x.live); edited.delete(x) })
    const empty = e => [...e.children].forEach(drop)
    // The control of a radio button is its group, which alone has `elements`.
    const control = e => e.type == "radio" ? e.closest("fieldset") : e
    const isText = e => e.matches("textarea, [type=text], [type=password]")
    const valueOf = e => e.elements ? e.querySelector(":checked")?.value ?? "" : e.value
    const caret = e => isText(e) && [e.selectionStart, e.selectionEnd]

    // Messages.
    const isUnsent = ([e, sent]) => !sent && e != composing
    const send = (...action) => {
      clearTimeout(timer)
      // Typing waits for the answer to the last message, and goes up as a whole.
      if (sending && !action[1]) return
      const pairs = [["token", token], ["page", page], ["n", ++number]]
      for (const [e] of [...edited].filter(isUnsent)) {
        pairs.push([e.id + ".", valueOf(e)])
        edited.set(e, number)
      }
      if (focused) pairs.push(["focus", focused])
      if (action[1]) pairs.push(action)
      focused = 0
      queue.push(new URLSearchParams(pairs))
      pump()
    }
    const act = (event, value) => { event.preventDefault(); send("do", value) }
    const later = () => { clearTimeout(timer); timer = setTimeout(send, 50) }
    const edit = e => { edited.set(e, 0); later() }
    const pump = async () => {
      if (sending) return
      for (sending = 250; queue[0]; ) {
        const {status} = await fetch(url, {method: "POST", body: queue[0]}).catch(() => ({}))
        if (status < 500) queue.shift()
        else await new Promise(done => setTimeout(done, sending = Math.min(2 * sending, 8000)))
        if (status == 410) reload()
      }
      sending = 0
      if (focused || [...edited].some(isUnsent)) send()
      spread()
    }
    const reload = () => {
      source.close()
      fetch("").then(() => location.reload(), () => setTimeout(reload, 2000))
    }

    // Rows out of sight. The rooms for them are as high as they, within what browsers can do, and are
    // watched again after each change: when one is in view, the rows that belong there are asked for.
    const spread = () => {
      watcher.disconnect()
      doc.querySelectorAll(".room").forEach(e => {
        const {list, count, rows} = e.dataset, row = e.nextElementSibling
        // The height stays, so that nothing jumps.
        heights[list] ??= Math.min(row.nextElementSibling.offsetTop - row.offsetTop, 8e6 / count)
        e.style.height = rows * heights[list] + "px"
        watcher.observe(e)
      })
    }
    const watcher = new IntersectionObserver(seen => seen.forEach(
      ({isIntersecting, target, boundingClientRect: box, intersectionRect: part}) => {
        const {list, count, from, rows} = target.dataset, isAfter = from > 0
        if (!isIntersecting || rows < 1 || sending) return
        const row = ~~(from - -rows * ((isAfter ? part.bottom : part.top) - box.top) / box.height)
        const first = Math.max(0, Math.min(row - (isAfter ? 75 : 25), count - 100))
        if (first != (isAfter ? from - 100 : rows)) send("do", "rows." + list + "." + first)
      }))

    // Patches.
    const show = (e, text) => {
      if (e.elements) return [...e.elements].forEach(x => x.checked = x.value == text)
      const old = e.value, at = e == doc.activeElement && caret(e)
      if (old == text) return
      e.value = text
      // The caret stays between the characters that it was between.
      const most = Math.min(old.length, text.length)
      let a = 0, z = 0
      while (a < most && old[a] == text[a]) a++
      while (z < most - a && old.at(~z) == text.at(~z)) z++
      const end = text.length - z
      if (at) e.setSelectionRange(...at.map(p =>
        p <= a ? p : p < old.length - z ? Math.min(p, end) : p + text.length - old.length))
    }
    const place = (e, x, before) => e.insertBefore(x, before ? nodes.get(before) : null)
    const operations = {
      t(e, text) { empty(e); e.textContent = text },
      a(e, name, value) { value == null ? e.removeAttribute(name) : e.setAttribute(name, value) },
      v(e, text) { edited.has(e) || show(e, text) },
      i(e, before, markup) {
        const box = doc.createElement("template")
        box.innerHTML = markup
        add(box.content.firstChild)
        place(e, box.content.firstChild, before)
      },
      m(e, x, before) { place(e, nodes.get(x), before) },
      x(e) { drop(e); e.remove() },
      f(e) { e.focus(); e.scrollIntoView({block: "nearest"}) },
      h(e, markup) {
        const former = [...edited]
        e.innerHTML = markup
        nodes.clear()
        edited.clear()
        count = 0
        add(e)
        for (const [x, sent] of former) {
          const y = doc.getElementById(x.id)
          if (y?.tagName == x.tagName) { show(y, valueOf(x)); edited.set(y, sent) }
        }
      },
      T(title) { doc.title = title },
      A(path) { path == location.pathname || history.pushState(0, "", path) },
    }
    const apply = ([n, received, ...list]) => {
      const active = doc.activeElement, at = caret(active)
      last = n
      edited.forEach((sent, e) => sent && sent <= received && edited.delete(e))
      for (const [letter, first, ...rest] of list) {
        const e = first.trim ? first : nodes.get(first)
        e == null || operations[letter](e, ...rest)
      }
      // An element that was moved or replaced has lost the focus.
      const e = active.isConnected ? active : doc.getElementById(active.id)
      if (e && doc.activeElement == doc.body) {
        e.focus({preventScroll: true})
        if (at) e.setSelectionRange(...at)
      }
      spread()
      // A button that leads to rows scrolls to them.
      const room = jump && received >= jump[0] && doc.querySelector(`.room[data-list="${jump[1]}"]`)
      if (room) { jump = 0; room.nextElementSibling.scrollIntoView() }
    }
    const connect = () => {
      source = new EventSource(url + "&after=" + last)
      source.onmessage = ({data}) => apply(JSON.parse(data))
      source.onerror = () => source.readyState == 2 && setTimeout(reload, 1000)
    }

    // What the user does.
    on("input", ({target}) => control(target).id && edit(control(target)))
    on("change", ({target}) => isText(target) || send())
    on("compositionstart", ({target}) => edited.set(composing = target, 0))
    on("compositionend", ({target}) => { composing = 0; edit(target) })
    on("focusin", ({target}) => (focused = control(target).id) && later())
    on("submit", event => {
      const value = event.submitter?.value
      act(event, value)
      const [kind, list] = value?.split(".") ?? []
      if (kind == "rows") jump = [number, list]
    })
    on("click", event => {
      const e = event.target.closest("a[id]:not([rel])")
      if (e && !event.ctrlKey && !event.metaKey && !event.shiftKey) act(event, "tap." + e.id)
    })
    on("keydown", event => {
      const {key, target, ctrlKey, altKey} = event, isInText = isText(target)
      if (event.isComposing || event.metaKey) return
      if (key == "Enter" && isInText && !target.rows)
        return act(event, target.closest(".field").querySelector("button")?.value)
      const isOwn = isInText ? !/^(Esc|F\\d)/.test(key) : /^(Enter| |Arrow|Tab)/.test(key) && target != doc.body
      if (isOwn && !ctrlKey && !altKey) return
      const word = key.replace(/([a-z])([A-Z])/, "$1-$2").toLowerCase().replace("arrow-", "")
      const name = {enter: "return", backspace: "delete", delete: "forward-delete"}[word] ?? (key[1] ? word : key)
      const value = "key." + (ctrlKey ? "ctrl-" : "") + (altKey ? "alt-" : "") + name
      if (form.querySelector("nav [value=" + CSS.escape(value) + "]")) act(event, value)
    })
    on("visibilitychange", () => {
      clearTimeout(hiding)
      if (doc.hidden) hiding = setTimeout(() => source.close(), 60000)
      else if (source.readyState == 2) connect()
    })
    onpopstate = () => send("open", location.pathname)

    doc.documentElement.className = "live"
    add(form)
    spread()
    connect()
    })()
    """
}
