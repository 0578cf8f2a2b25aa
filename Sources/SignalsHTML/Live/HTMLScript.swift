/// The script that keeps the pages of an ``HTMLSession`` up to date.
///
/// - It needs no `eval` and no inline script: it works under a policy of `default-src 'self'`.
/// - Focus, selection, scrolling and what is being typed stay as they are when the page changes.
/// - Typing is sent at most 20 times a second, and before a button is pressed. A message that wasn't
///   answered is sent again, and used once. The page connects again by itself.
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
    "use strict";
    (() => {
    const {live, page} = document.body.dataset, form = document.querySelector("form")
    const url = live + "?page=" + page, token = form.elements.token.value
    // The elements by their numbers; the controls with input that wasn't taken into account, with the
    // number of the message that has it; the messages that weren't answered.
    const nodes = new Map, edited = new Map, queue = []
    let count = 0, number = 0, last = 0, timer, source, hiding, composing, focused, sending

    const on = (type, f) => document.addEventListener(type, f)
    const all = e => [e, ...e.querySelectorAll("*")]
    const add = e => all(e).forEach(x => nodes.set(x.live = count++, x))
    const drop = e => all(e).forEach(x => { nodes.delete(x.live); edited.delete(x) })
    const empty = e => [...e.children].forEach(drop)
    const control = e => e.type == "radio" ? e.closest("fieldset") : e
    const isGroup = e => e.tagName == "FIELDSET"
    const isText = e => e.matches("textarea, [type=text], [type=password]")
    const valueOf = e => isGroup(e) ? e.querySelector(":checked")?.value ?? "" : e.value

    // Messages.
    const send = (name, value) => {
      clearTimeout(timer)
      const message = new URLSearchParams({token, page, n: ++number})
      edited.forEach((sent, e) => {
        if (sent || e == composing) return
        message.append(e.id + ".", valueOf(e))
        edited.set(e, number)
      })
      if (focused) message.append("focus", focused)
      focused = 0
      if (name) message.append(name, value)
      queue.push(message)
      pump()
    }
    const later = () => { clearTimeout(timer); timer = setTimeout(send, 50) }
    const edit = e => { edited.set(e, 0); later() }
    const pump = async () => {
      if (sending) return
      sending = true
      for (let wait = 250; queue.length; ) {
        const {status} = await fetch(url, {method: "POST", body: queue[0]}).catch(() => ({status: 500}))
        if (status < 500) queue.shift()
        else await new Promise(done => setTimeout(done, wait = Math.min(2 * wait, 8000)))
        if (status == 410) reload()
      }
      sending = false
    }
    const reload = () => {
      source.close()
      fetch(location.href).then(() => location.reload(), () => setTimeout(reload, 2000))
    }

    // Patches.
    const show = (e, text) => {
      if (isGroup(e)) return e.querySelectorAll("input").forEach(x => x.checked = x.value == text)
      const old = e.value, isCaret = isText(e) && e == document.activeElement
      if (old == text) return
      const {selectionStart, selectionEnd} = e
      e.value = text
      if (!isCaret) return
      // The caret stays between the characters that it was between.
      const most = Math.min(old.length, text.length), longer = text.length - old.length
      let start = 0, end = 0
      while (start < most && old[start] == text[start]) start++
      while (end < most - start && old.at(~end) == text.at(~end)) end++
      const moved = p => p <= start ? p : p >= old.length - end ? p + longer : Math.min(p, text.length - end)
      e.setSelectionRange(moved(selectionStart), moved(selectionEnd))
    }
    const place = (e, x, before) => e.insertBefore(x, before ? nodes.get(before) : null)
    const operations = {
      t(e, text) { empty(e); e.textContent = text },
      a(e, name, value) { value == null ? e.removeAttribute(name) : e.setAttribute(name, value) },
      v(e, text) { edited.has(e) || show(e, text) },
      i(e, before, markup) {
        const box = document.createElement("template")
        box.innerHTML = markup
        const x = box.content.firstChild
        add(x)
        place(e, x, before)
      },
      m(e, child, before) { place(e, nodes.get(child), before) },
      x(e) { drop(e); e.remove() },
      f(e) { e.focus(); e.scrollIntoView({block: "nearest"}) },
      h(e, markup) {
        const former = [...edited]
        empty(e)
        e.innerHTML = markup
        nodes.clear()
        count = 0
        add(e)
        for (const [x, sent] of former) {
          const y = document.getElementById(x.id)
          if (y?.tagName == x.tagName) { show(y, valueOf(x)); edited.set(y, sent) }
        }
      },
      T(title) { document.title = title },
      A(path) { path == location.pathname || history.pushState(null, "", path) },
    }
    const apply = ([n, received, ...list]) => {
      last = n
      const e = document.activeElement, {selectionStart, selectionEnd} = e
      edited.forEach((sent, e) => sent && sent <= received && edited.delete(e))
      for (let [letter, first, ...rest] of list) {
        if (first >= 0) first = nodes.get(first)
        first != null && operations[letter](first, ...rest)
      }
      // An element that was moved or replaced has lost the focus.
      const now = e.isConnected ? e : document.getElementById(e.id)
      if (!now || document.activeElement != document.body) return
      now.focus({preventScroll: true})
      if (isText(now)) now.setSelectionRange(selectionStart, selectionEnd)
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
    on("focusin", ({target}) => { if (focused = control(target).id) later() })
    on("submit", event => { event.preventDefault(); send("do", event.submitter?.value ?? "") })
    on("click", event => {
      const e = event.target.closest("a[id]:not([rel])")
      if (!e || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
      event.preventDefault()
      send("do", "tap." + e.id)
    })
    on("keydown", event => {
      const {key, target, ctrlKey, altKey} = event, isPlain = !ctrlKey && !altKey
      if (event.isComposing || event.metaKey) return
      if (key == "Enter" && isText(target) && target.matches("input")) {
        event.preventDefault()
        const submit = target.closest(".field").querySelector("button")
        return submit ? send("do", submit.value) : send()
      }
      if (isPlain && isText(target) && !/^(Escape|F\\d+)$/.test(key)) return
      if (isPlain && /^(Enter| |Arrow.*|Tab)$/.test(key) && target.matches("button, a, input, select")) return
      const word = key.replace(/([a-z])([A-Z])/g, "$1-$2").toLowerCase().replace("arrow-", "")
      const name = {enter: "return", backspace: "delete", delete: "forward-delete"}[word] ?? (key[1] ? word : key)
      const value = "key." + (ctrlKey ? "ctrl-" : "") + (altKey ? "alt-" : "") + name
      if (!form.querySelector("nav.keys [value=" + CSS.escape(value) + "]")) return
      event.preventDefault()
      send("do", value)
    })
    on("visibilitychange", () => {
      clearTimeout(hiding)
      if (document.hidden) hiding = setTimeout(() => source.close(), 60000)
      else if (source.readyState == 2) connect()
    })
    onpopstate = () => send("open", location.pathname)

    document.documentElement.className = "live"
    add(form)
    connect()
    })()
    """
}
