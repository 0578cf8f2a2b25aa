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
/// | `GET live?page=NAME&after=NUMBER` to open a WebSocket | each patch of the ``LivePage`` is a text, and so is each message for ``LivePage/receive(_:at:)`` |
/// | the same without | server-sent events: each patch is an event, with its first number as the id |
/// | `POST live?page=NAME` | the body is a message; 204, or 410 for an unknown page |
/// | `POST live` | the body is an ``HTMLRenewal``; 200 with the name of the new page, or another status to load it |
///
/// The number is that for ``LivePage/resume(after:)``; a `Last-Event-ID` replaces it. A site may do
/// without WebSockets: the script uses events and requests where none can be opened. After status 410,
/// and code 4410 of a socket that is closed, the script asks for another page. After another status
/// from 400 on, and code 1008, it also gives up the input that was refused. A message with status 429,
/// or 500 and more, is sent again, after a pause.
public enum HTMLScript {
  /// The address of the script, which is another one for each version.
  public static let address: String = {
    var hash = KeyedHash((0, 0))
    hash.combine(text)
    return "/signals.js?v=\(String(hash.finish(), radix: 36))"
  }()

  /// The script, as text.
  public static let text: String =
    source.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { !$0.hasPrefix("//") }
    .joined(separator: "\n")
    // In the script no string depends on a blank beside one of these characters, and no operator
    // follows another.
    .replacing(#/\ ?([={}():;,?<>&|+*!-])\ ?/#) { $0.output.1 }

  private static let source = """
    (() => {
    const doc = document, script = doc.currentScript.src, {live, limit} = doc.body.dataset, form = doc.forms[0]
    const token = form.token.value, url = () => live + "?page=" + page
    let {page} = doc.body.dataset
    // The elements by their numbers; the controls with input that wasn't taken into account, with the
    // number of the message that has it; the messages that weren't answered, with their numbers.
    const nodes = new Map, edited = new Map, queue = [], heights = {}, asked = new Set
    // The numbers of the next element, the last message, the last patch, and the last message sent.
    let count = 0, number = 0, last = 0, sent = 0, isSocket = 1, delay = 250, failures = 0
    let timer, pause, opening, waiting, source, hiding, composing, focused, pumping, jump, renewing, wake
    let forgetting
    const range = doc.createRange()

    const on = (type, f) => doc.addEventListener(type, f)
    const add = e => nodes.set(count++, e)
    const addContent = e => e.querySelectorAll("*").forEach(add)
    // Removed elements are forgotten later, for many patches at once.
    const forget = () => {
      forgetting = 0
      nodes.forEach((e, n) => e.isConnected || nodes.delete(n))
    }
    // The control of a radio button is its group, which alone has `elements`.
    const control = e => e.type == "radio" ? e.closest("fieldset") : e
    const isText = e => e.matches("textarea, [type=text], [type=password]")
    const valueOf = e => e.elements ? e.querySelector(":checked")?.value ?? "" : e.value
    const caret = e => isText(e) && [e.selectionStart, e.selectionEnd]

    // Messages. One stays in the queue until a patch says that it was received. None is too long: what
    // was typed goes up in several, and a text that doesn't fit into one stays on the page.
    const refuse = () => edited.forEach((sent, e) => sent && sent < 1 / 0 && edited.delete(e))
    const isUnsent = ([e, sent]) => !sent && e != composing
    const coded = (...pairs) => new URLSearchParams(pairs) + ""
    const start = () => coded(["token", token], ["page", page], ["n", ++number])
    const send = (...action) => {
      clearTimeout(timer)
      // Typing waits for the answer to the last message, and goes up as a whole.
      if (queue[0] && !action[1]) return
      const tail = (focused ? "&focus=" + focused : "") + (action[1] ? "&" + coded(action) : "")
      let message = start()
      const flush = () => { queue.push([number, message]); message = start() }
      for (const [e] of [...edited].filter(isUnsent)) {
        const pair = "&" + coded([e.id + ".", valueOf(e)])
        if ((message + pair).length > limit) flush()
        message += pair
        edited.set(e, number)
      }
      if ((message + tail).length > limit) flush()
      focused = 0
      queue.push([number, message + tail])
      pump()
    }
    const act = (event, value) => { event.preventDefault(); form.reportValidity() && send("do", value) }
    const later = () => { clearTimeout(timer); timer = setTimeout(send, 50) }
    const edit = e => {
      const isLong = coded([e.id, valueOf(e)]).length > limit - 300
      edited.set(e, isLong ? Infinity : 0)
      // While it is, the browser shows this, and nothing is pressed without the text.
      isText(e) && e.setCustomValidity(isLong ? "This text is too long to be sent." : "")
      isLong ? e == doc.activeElement && e.reportValidity() : later()
    }
    const pump = async () => {
      if (pumping) return
      pumping = 1
      for (let next; !renewing && (next = queue.find(([n]) => n > sent)); ) {
        if (isSocket) {
          if (source.readyState != 1) break
          source.send(next[1])
        } else {
          const sender = page
          const {status} = await fetch(url(), {method: "POST", body: next[1]}).catch(() => ({status: 500}))
          // Another page may have taken its place.
          if (renewing || sender != page) continue
          if (status == 429 || status >= 500) {
            await new Promise(done => setTimeout(wake = done, delay = Math.min(2 * delay, 8000)))
            continue
          }
          if (status >= 400) {
            if (status != 410) refuse()
            gone()
            break
          }
        }
        sent = next[0]
        // A connection may have died without notice.
        clearTimeout(waiting)
        waiting = setTimeout(() => queue[0] && connect(), 30000)
      }
      pumping = 0
    }
    const stop = () => { source.onclose = source.onerror = null; source.close() }
    // The site has forgotten the page, and gives another one, if need be made from what the page has
    // carried. Typed text stays; a press isn't repeated.
    const isLost = () => +queue.some(([, message]) => /&do=(?!rows)/.test(message))
    const renew = () => {
      if (renewing) return
      renewing = 1
      clearTimeout(opening)
      clearTimeout(waiting)
      stop()
      const retry = () => { renewing = 0; opening = setTimeout(renew, 2000) }
      const state = form.state?.value ?? "", open = location.pathname, lost = isLost()
      fetch(live, {method: "POST", body: new URLSearchParams({token, script, open, state, lost})}).then(async answer => {
        const name = await answer.text()
        if (answer.status == 429 || answer.status >= 500) return retry()
        // Where each new page is unknown to the site, pages are asked for more and more rarely.
        history.replaceState(history.state + 1, "")
        if (answer.status != 200) return location.reload()
        renewing = 0
        // The user has pressed something meanwhile, or gone back.
        if (open != location.pathname || lost != isLost()) return renew()
        page = name
        last = -1
        isSocket = 1
        queue.length = jump = 0
        asked.clear()
        edited.forEach((sent, e) => sent < 1 / 0 && edited.set(e, 0))
        connect()
      }).catch(retry)
    }
    const gone = () => {
      clearTimeout(opening)
      opening = setTimeout(renew, history.state && 1000 * 2 ** history.state)
    }

    // Rows out of sight. The rooms for them are as high as they, within what browsers can do, and are
    // watched again after each change: when one is in view, the rows that belong there are asked for.
    // The same rows are asked for again after scrolling only: two pages, or rows that are much lower
    // than the first, must not ask in turns without end.
    const spread = () => {
      watcher.disconnect()
      doc.querySelectorAll(".room").forEach(e => {
        const {list, count, size, rows} = e.dataset
        const [start, end] = doc.querySelectorAll(`.room[data-list="${list}"]`)
        // The height stays, so that nothing jumps.
        heights[list] ||= Math.min((end.offsetTop - start.nextElementSibling.offsetTop) / size, 8e6 / count)
        e.style.height = rows * heights[list] + "px"
        watcher.observe(e)
      })
    }
    const watcher = new IntersectionObserver(seen => seen.forEach(
      ({isIntersecting, target, boundingClientRect: box, intersectionRect: part, rootBounds: screen}) => {
        const {list, count, size, from, rows} = target.dataset, isAfter = from > 0
        if (!isIntersecting || !box.height || queue[0]) return
        const row = +from + rows * ((isAfter ? part.bottom : part.top) - box.top) / box.height
        // Those around the middle of the window are asked for, from both sides the same.
        const half = screen.height / heights[list] / 2, middle = isAfter ? row - half : row + half
        const first = Math.max(0, Math.min(~~(middle - size / 2), count - size))
        const value = "rows." + list + "." + first
        if (first == (isAfter ? from - size : rows) || asked.has(value)) return
        asked.add(value)
        send("do", value)
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
      // Parsers split long texts, and what translates pages puts elements in their place.
      t(e, text) {
        const part = e.firstChild
        part?.data == null || part.nextSibling ? e.textContent = text : part.data = text
      },
      a(e, name, value) { value == null ? e.removeAttribute(name) : e.setAttribute(name, value) },
      v(e, text) { edited.has(e) || show(e, text) },
      i(e, before, markup) {
        const box = doc.createElement("template")
        box.innerHTML = markup
        addContent(box.content)
        place(e, box.content, before)
      },
      m(e, x, before) { place(e, nodes.get(x), before) },
      x(e, last) {
        // With what others, such as extensions, have put between them.
        const end = nodes.get(last), around = e.parentNode
        if (around && around == end?.parentNode) {
          range.setStartBefore(e)
          range.setEndAfter(end)
          range.deleteContents()
        } else { e.remove(); end?.remove() }
        forgetting ||= setTimeout(forget, 1000)
      },
      f(e) { e.focus(); e.scrollIntoView({block: "nearest"}) },
      h(e, markup) {
        e.innerHTML = markup
        nodes.clear()
        count = 0
        add(e)
        addContent(e)
      },
      T(title) { doc.title = title },
      A(path) { path == location.pathname || history.pushState(0, "", path) },
    }
    const apply = ([n, received, ...list]) => {
      const active = doc.activeElement, at = caret(active)
      // Without a patch before it, only one that replaces everything can be used.
      if (n != last + 1 && list[0]?.[0] != "h") return connect()
      last = n
      delay = 250
      if (history.state) history.replaceState(0, "")
      while (queue[0]?.[0] <= received) queue.shift()
      if (!queue[0]) failures = 0
      edited.forEach((sent, e) => sent && sent <= received && edited.delete(e))
      for (const [letter, first, ...rest] of list) {
        const e = first.trim ? first : nodes.get(first)
        e == null || operations[letter](e, ...rest)
      }
      // A control that another one has replaced passes its input on.
      edited.forEach((sent, x) => {
        if (x.isConnected) return
        edited.delete(x)
        const y = doc.getElementById(x.id)
        if (y?.tagName != x.tagName && !(y && isText(x) && isText(y))) return
        show(y, y.type == "text" ? valueOf(x).replace(/\\n/g, " ") : valueOf(x))
        sent < 1 / 0 ? edited.set(y, sent) : edit(y)
      })
      // An element that was moved or replaced has lost the focus.
      const e = active.isConnected ? active : doc.getElementById(active.id)
      if (e && doc.activeElement == doc.body) {
        e.focus({preventScroll: true})
        if (at && isText(e)) e.setSelectionRange(...at)
      }
      spread()
      // A button that leads to rows scrolls to them.
      const room = jump && received >= jump[0] && doc.querySelector(`.room[data-list="${jump[1]}"]`)
      if (room) { jump = 0; room.nextElementSibling.scrollIntoView() }
      if (focused || [...edited].some(isUnsent)) send()
    }
    // Where no socket can be opened, events and requests do.
    const connect = () => {
      if (renewing) return
      const at = url() + "&after=" + last
      let isOpen
      clearTimeout(opening)
      if (source) stop()
      source = isSocket ? new WebSocket(location.origin.replace("http", "ws") + at) : new EventSource(at)
      source.onopen = () => { isOpen = 1; sent = 0; wake?.(); pump() }
      source.onmessage = ({data}) => apply(JSON.parse(data))
      source.onclose = ({code}) => {
        // A message was refused, or the page is unknown.
        if (code == 1008) refuse()
        if (code == 1008 || code == 4410) return gone()
        // One that is too long closes each socket; the answer to a request says so.
        isSocket = isOpen && ++failures < 4
        sent = 0
        opening = setTimeout(connect, isOpen ? delay : 0)
      }
      source.onerror = () => isSocket || source.readyState == 2 && gone()
    }

    // What the user does.
    on("input", ({target, isComposing}) => {
      if (isComposing) composing = target
      control(target).id && edit(control(target))
    })
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
      const e = event.target.closest("a[id][href]:not([rel])")
      if (e && !event.ctrlKey && !event.metaKey && !event.shiftKey) act(event, "tap." + e.id)
    })
    on("keydown", event => {
      const {key, keyCode, target, ctrlKey, altKey} = event, isInText = isText(target)
      // Some browsers end a composition before the key that ends it.
      if (event.isComposing || keyCode == 229 || event.metaKey) return
      if (key == "Enter" && isInText && !target.rows)
        return act(event, target.closest(".field").querySelector("button")?.value)
      const isOwn = isInText ? !/^(Esc|F\\d)/.test(key) : /^(Enter|\\s|Arrow|Tab)/.test(key) && target.tabIndex >= 0
      if (isOwn && !ctrlKey && !altKey) return
      const name = CSS.escape((ctrlKey ? "ctrl-" : "") + (altKey ? "alt-" : "") + key)
      const button = form.querySelector(`nav > [data-key="${name}"]`)
      if (button) act(event, button.value)
    })
    doc.addEventListener("scroll", () => {
      asked.clear()
      clearTimeout(pause)
      pause = setTimeout(spread, 100)
    }, true)
    on("visibilitychange", () => {
      clearTimeout(hiding)
      if (doc.hidden) hiding = setTimeout(stop, 60000)
      else if (source.readyState > 1) { isSocket = 1; connect() }
    })
    onpopstate = () => send("open", location.pathname)

    doc.documentElement.className = "live"
    add(form)
    addContent(form)
    // Input from the time before the script was there.
    for (const e of form.elements) {
      const {defaultValue = e.value, selectedOptions: [option] = []} = e, c = control(e)
      const isNew = e.type == "radio" ? e.checked > e.defaultChecked : option ? !option.defaultSelected : e.value != defaultValue
      if (c?.id && isNew) edit(c)
    }
    spread()
    connect()
    })()
    """
}
