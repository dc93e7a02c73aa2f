// The messages of one conversation.

import { T } from "./texts.js";
import { bytes, h, linked, picture, plain, shown, sign } from "./dom.js";
import { KEPT_NODES } from "./model.js";
import { callLine } from "./words.js";

const FOLD_CHARACTERS = 2500;
const FOLD_LINES = 30;
const GROUP_MILLISECONDS = 5 * 60 * 1000;
const PICTURE_BYTES = 16 << 20;
const PICTURE_PIXELS = 50_000_000;
const NEAR = 600;
const QUICK = ["👍", "❤️", "😂", "🎉", "😮", "👀"];

// The day of a message where its reader is; said once for each.
function dayOf(message) {
  if (message.day === undefined) {
    const time = new Date(message.time);
    message.at = time.getTime();
    message.day = time.toDateString();
  }
  return message.day;
}

export class Log {
  constructor(model, act) {
    this.model = model;
    this.act = act;
    this.nodes = new Map();
    this.shown = "";
    this.list = h("div", {
      class: "messages",
      role: "log",
      "aria-label": T.messages,
      "aria-live": "polite",
      "aria-relevant": "additions",
      onkeydown: (event) => this.key(event),
    });
    this.scroll = h("div", {
      class: "scroll",
      tabIndex: 0,
      role: "group",
      "aria-label": T.messages,
      onscroll: () => this.scrolled(),
      onkeydown: (event) => {
        if (event.target === this.scroll && event.key === "Enter") {
          event.preventDefault();
          this.enter();
        }
      },
    }, this.list);
    this.down = h("button", {
      type: "button",
      class: "down",
      title: T.jumpDown,
      "aria-label": T.jumpDown,
      hidden: true,
      onclick: () => this.toEnd(),
    }, "↓");
    this.up = h("button", { type: "button", class: "up", hidden: true, onclick: () => this.toUnread() }, T.jumpUnread);
    this.element = h("div", { class: "log" }, this.up, this.scroll, this.down);
    this.pictures = new Map();
    const sizes = new ResizeObserver(() => this.follow());
    sizes.observe(this.scroll);
    sizes.observe(this.list);
    this.isAtEnd = true;
    this.lastEnd = 0;
  }

  // ---- Drawing

  draw(detail = {}) {
    const { model } = this;
    const { current: id } = model;
    const log = model.log;
    if (detail.id && detail.id !== id) return;
    if (!log) {
      this.list.replaceChildren();
      this.nodes.clear();
      this.shown = "";
      return;
    }
    const isNew = this.shown !== id || (detail.whole && !detail.again);
    if (isNew) {
      this.list.replaceChildren();
      this.nodes.clear();
      this.shown = id;
      this.isAtEnd = true;
    }
    const anchor = detail.older ? this.anchor() : null;
    this.fill(log, detail);
    if (anchor) this.scroll.scrollTop += anchor.node.getBoundingClientRect().top - anchor.top;
    if (isNew) this.place(log);
    else if (this.isAtEnd && log.atEnd) this.bottom();
    this.scrolled();
  }

  anchor() {
    const top = this.scroll.getBoundingClientRect().top;
    for (const node of this.list.querySelectorAll("[data-id]")) {
      const rect = node.getBoundingClientRect();
      if (rect.bottom > top) return { node, top: rect.top };
    }
    return null;
  }

  // Brings the nodes in line with the messages; what is right already stays untouched.
  fill(log, detail) {
    const wanted = [];
    let before;
    for (const message of log.messages) {
      const day = dayOf(message);
      if (!before || dayOf(before) !== day) wanted.push([`day:${day}`, () => this.dayLine(message)]);
      if (message.id === log.firstUnread) {
        wanted.push(["new", () => h("div", { class: "line new", role: "separator" }, T.newLine)]);
      }
      const follows = before && before.author === message.author && before.kind !== "join" && before.kind !== "leave" &&
        message.at - before.at < GROUP_MILLISECONDS && message.id !== log.firstUnread &&
        dayOf(before) === day && message.kind === before.kind;
      const reactions = message.reactions?.length ? JSON.stringify(message.reactions) : "";
      const mark = `${message.id}:${follows ? 1 : 0}:${message.edited ?? ""}:${reactions}:${message.disputed ?? ""}:${
        message.outside ?? ""
      }:${message.ignored ?? ""}`;
      wanted.push([message.id, () => this.message(message, follows), mark]);
      before = message;
    }
    const outbox = this.model.outbox.filter((item) => item.to === this.model.current);
    for (const item of log.atEnd ? outbox : []) {
      wanted.push([`out:${item.key}`, () => this.waiting(item), `${item.key}:${item.error?.message ?? ""}`]);
    }
    if (!wanted.length) wanted.push(["empty", () => h("div", { class: "line empty" }, T.noneYet)]);
    if (log.missing?.length && log.atEnd) {
      const count = log.missing.reduce((sum, m) => sum + m.count, 0);
      wanted.push(["missing", () => h("div", { class: "line", role: "note" }, T.missing(count)), String(count)]);
    }
    // What goes makes room first, or all that follows it would move.
    const keys = new Set(wanted.map(([key]) => key));
    for (const [key, node] of this.nodes) if (!keys.has(key)) node.remove();
    const kept = new Map();
    let place = this.list.firstElementChild;
    for (const [key, make, mark = key] of wanted) {
      let node = this.nodes.get(key);
      if (!node || node.dataset.mark !== mark) {
        const made = make();
        made.dataset.mark = mark;
        if (node) {
          if (node === place) place = place.nextElementSibling;
          const hadFocus = node.contains(document.activeElement);
          const wasChosen = node.classList.contains("chosen");
          node.replaceWith(made);
          this.nodes.set(key, made);
          if (wasChosen || hadFocus) this.choose(key, hadFocus);
          this.list.insertBefore(made, place);
        } else this.list.insertBefore(made, place);
        node = made;
      } else if (node === place) place = place.nextElementSibling;
      else this.list.insertBefore(node, place);
      kept.set(key, node);
    }
    while (place) {
      const next = place.nextElementSibling;
      place.remove();
      place = next;
    }
    this.nodes = kept;
    if (detail.target) this.point(detail.target);
    this.drawTicks();
  }

  dayLine(message) {
    return h(
      "div",
      { class: "line day", role: "separator" },
      h("time", { dateTime: message.time }, this.act.day(message.time)),
    );
  }

  message(message, follows) {
    const m = message;
    const name = this.act.name(m.authorName, m.ambiguous, m.author);
    if (["join", "leave", "topic", "unknown", "call"].includes(m.kind)) {
      const text = m.kind === "join"
        ? T.joined(name)
        : m.kind === "leave"
        ? T.left(name)
        : m.kind === "topic"
        ? T.topic(name, plain(m.text)) + (m.ignored ? ` (${T.ignored})` : "")
        : m.call
        ? callLine(m, name)
        : T.unknown;
      return h("div", { class: "line told", dataset: { id: m.id } }, h("bdi", {}, text));
    }
    const time = h("time", { dateTime: m.time, title: this.act.fullTime(m.time) }, this.act.clock(m.time));
    const body = h(
      "div",
      { class: "body" },
      m.replyTo ? this.quote(m.replyTo) : null,
      this.content(m, name),
      this.reactions(m),
    );
    return h(
      "div",
      {
        role: "article",
        class: ["message", follows ? "follows" : "", m.own ? "own" : "", m.mention ? "mention" : ""].join(" "),
        dataset: { id: m.id },
        tabIndex: -1,
        onclick: () => this.choose(m.id, false),
      },
      follows ? h("span", { class: "gutter" }, time) : this.act.picture(m.author, m.authorName),
      h(
        "div",
        { class: "whole" },
        follows ? null : h(
          "div",
          { class: "head" },
          h("button", {
            type: "button",
            class: "author",
            tabIndex: -1,
            onclick: () => this.act.person(m.author),
          }, h("bdi", {}, name)),
          m.verified
            ? h("span", { class: "verified", role: "img", title: T.verified, "aria-label": T.verified }, "✓")
            : null,
          time,
        ),
        body,
        h(
          "span",
          { class: "marks" },
          m.edited ? h("span", { class: "edited", title: this.act.fullTime(m.edited) }, T.edited) : null,
          m.disputed ? h("span", { class: "edited" }, T.disputed) : null,
          m.outside ? h("span", { class: "edited", title: T.outsideMeans }, T.outside) : null,
          m.own
            ? h("span", { class: "tick", role: "img", "aria-label": T.sentOnly, dataset: { cursor: m.cursor } })
            : null,
        ),
      ),
      this.tools(m),
    );
  }

  content(m, name) {
    if (m.file) return this.file(m);
    if (m.location) {
      const { latitude, longitude } = m.location;
      return h(
        "p",
        { class: "text", dir: "auto" },
        `${T.location}: ${shown(m.text)} ${latitude.toFixed(5)}, ${longitude.toFixed(5)}`,
      );
    }
    const text = shown(m.text);
    const isLong = text.length > FOLD_CHARACTERS || text.split("\n", FOLD_LINES + 1).length > FOLD_LINES;
    const visible = m.kind === "action" ? [h("em", {}, h("bdi", {}, name), " ", linked(text))] : linked(text);
    const paragraph = h("p", {
      class: [
        "text",
        isLong ? "folded" : "",
        /^\p{Extended_Pictographic}[\p{Extended_Pictographic}\u200d\ufe0f\u{1f3fb}-\u{1f3ff}]{0,8}$/u.test(text)
          ? "large"
          : "",
      ].join(" "),
      dir: "auto",
    }, visible);
    if (!isLong) return paragraph;
    const button = h("button", {
      type: "button",
      class: "quiet",
      "aria-expanded": "false",
      onclick: () => {
        const isFolded = paragraph.classList.toggle("folded");
        button.textContent = isFolded ? T.showAll : T.fold;
        button.setAttribute("aria-expanded", String(!isFolded));
      },
    }, T.showAll);
    return h("div", {}, paragraph, button);
  }

  quote(reply) {
    const known = this.model.find(reply.id);
    return h(
      "button",
      {
        type: "button",
        class: "quote",
        tabIndex: -1,
        onclick: (event) => {
          event.stopPropagation();
          this.goTo(reply.id);
        },
      },
      h("bdi", { class: "name" }, plain(reply.authorName)),
      " ",
      h("bdi", {}, known ? plain(this.act.excerpt(known)).slice(0, 140) : "…"),
    );
  }

  file(m) {
    const { file } = m;
    const state = h("span", { class: "state", role: "status" });
    const preview = h("div", { class: "preview" });
    const isPicture = /^image\/(png|jpeg|webp|gif)$/.test(file.type);
    const get = h("button", { type: "button", onclick: () => this.act.download(m, state) }, T.download);
    if (isPicture && file.size <= PICTURE_BYTES) this.preview(m, preview);
    return h(
      "div",
      { class: "file" },
      preview,
      h(
        "div",
        { class: "about" },
        h("span", { class: "clip", "aria-hidden": "true" }, "📄"),
        h("bdi", { class: "name" }, plain(file.name)),
        h("span", { class: "size" }, bytes(file.size)),
        get,
        state,
      ),
      m.text ? h("p", { class: "text", dir: "auto" }, linked(shown(m.text))) : null,
    );
  }

  // Pictures are fetched when they come near the screen, and shown only if their bytes say that they are some.
  preview(m, place) {
    const show = async (address) => {
      const image = await picture(address, { alt: plain(m.file.name) }, PICTURE_PIXELS);
      place.replaceChildren(
        h("button", { type: "button", class: "picture", onclick: () => this.act.viewPicture(address, m) }, image),
      );
    };
    const known = this.pictures.get(m.id);
    const failed = (error) => {
      const text = error.code === 415 ? T.notPicture : plain(error.message);
      place.replaceChildren(h("span", { class: "state" }, text));
    };
    if (known) {
      show(known).catch(failed);
      return;
    }
    const observer = new IntersectionObserver(async (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      try {
        const address = URL.createObjectURL(await this.model.link.content(`/image/${m.id}`));
        this.pictures.set(m.id, address);
        for (const [id, old] of this.pictures) {
          if (this.pictures.size <= 60) break;
          if (!this.nodes.has(id)) {
            URL.revokeObjectURL(old);
            this.pictures.delete(id);
          }
        }
        await show(address);
      } catch (error) {
        failed(error);
      }
    }, { root: this.scroll, rootMargin: "400px" });
    observer.observe(place);
  }

  reactions(m) {
    if (!m.reactions?.length) return null;
    return h(
      "div",
      { class: "reactions" },
      m.reactions.map((r) =>
        h(
          "button",
          {
            type: "button",
            class: r.own ? "own" : "",
            tabIndex: -1,
            "aria-pressed": String(Boolean(r.own)),
            title: r.names.map(plain).join(", "),
            onclick: () => this.act.react(m, r.sign, r.own),
          },
          h("bdi", {}, plain(r.sign)),
          " ",
          String(r.count),
        )
      ),
    );
  }

  tools(m) {
    const buttons = [
      ...QUICK.slice(0, 3).map((s) =>
        sign(s, `${T.react}: ${s}`, () => this.act.react(m, s, m.reactions?.find((r) => r.sign === s)?.own), {
          class: "sign quick",
        })
      ),
      sign("☺", T.react, () => this.act.pickEmoji((s) => this.act.react(m, s, false))),
      sign("↩", T.reply, () => this.act.reply(m)),
      m.own && m.kind === "text" ? sign("✎", T.edit, () => this.act.edit(m)) : null,
      m.own ? sign("🗑", T.remove, () => this.act.remove(m)) : null,
      sign("ℹ️", T.info, () => this.act.info(m)),
    ];
    return h(
      "div",
      { class: "tools", role: "toolbar", "aria-label": T.more },
      buttons.filter(Boolean).map((b) => {
        b.tabIndex = -1;
        return b;
      }),
    );
  }

  waiting(item) {
    return h(
      "div",
      { role: "article", class: `message own ${item.error ? "failed" : "pending"}`, dataset: { key: item.key } },
      h("span", { class: "gutter" }),
      h(
        "div",
        { class: "whole" },
        h(
          "div",
          { class: "body" },
          h("p", { class: "text", dir: "auto" }, item.file ? `📄 ${plain(item.file.name)} ` : "", shown(item.text)),
        ),
        item.error
          ? h(
            "div",
            { class: "problem", role: "alert" },
            `${T.failed} ${plain(item.error.message)}; ${plain(item.error.data?.remedy)} `,
            h("button", { type: "button", onclick: () => this.act.again(item) }, T.again),
            h("button", { type: "button", onclick: () => this.act.discard(item) }, T.discard),
          )
          : h(
            "span",
            { class: "marks" },
            h("span", { class: "tick", role: "img", title: T.waits, "aria-label": T.waits }, "…"),
          ),
      ),
    );
  }

  drawTicks() {
    const ticks = this.model.ticks.get(this.model.current) ?? { delivered: 0, read: 0 };
    for (const tick of this.list.querySelectorAll(".tick[data-cursor]")) {
      const cursor = Number(tick.dataset.cursor);
      const [text, label] = cursor <= ticks.read
        ? ["✓✓", T.readBy]
        : cursor <= ticks.delivered
        ? ["✓", T.delivered]
        : ["", T.sentOnly];
      if (tick.textContent !== text) {
        tick.textContent = text;
        tick.title = label;
        tick.setAttribute("aria-label", label);
      }
    }
  }

  // ---- Places

  place(log) {
    const first = log.target && this.nodes.get(log.target);
    if (first) {
      this.point(log.target);
      return;
    }
    const line = this.nodes.get("new");
    if (line) {
      line.scrollIntoView({ block: "start" });
      this.scroll.scrollTop -= 60;
      this.isAtEnd = this.nearEnd();
    } else this.bottom();
  }

  get end() {
    return this.scroll.scrollHeight - this.scroll.clientHeight;
  }

  bottom() {
    this.lastEnd = this.end;
    this.scroll.scrollTop = this.lastEnd;
  }

  // Whoever is at the end stays there.
  follow() {
    if (this.isAtEnd) this.bottom();
  }

  nearEnd() {
    return this.end - this.scroll.scrollTop < 40;
  }

  scrolled() {
    const { model } = this;
    const log = model.log;
    if (!log) return;
    // The end has gone from the user, and not they from it: of a new size the observer hears after this.
    if (this.end !== this.lastEnd && this.scroll.scrollTop > this.lastEnd - 40) this.follow();
    this.isAtEnd = this.nearEnd();
    this.lastEnd = this.end;
    log.isAway = !this.isAtEnd;
    this.down.hidden = this.isAtEnd && log.atEnd;
    const line = this.nodes.get("new");
    this.up.hidden = !(log.firstUnread &&
      (line
        ? line.getBoundingClientRect().bottom < this.scroll.getBoundingClientRect().top
        : log.more && model.conversation?.unread > 0));
    if (this.scroll.scrollTop < NEAR) model.older(model.current).catch(() => {});
    if (!log.atEnd && this.scroll.scrollHeight - this.scroll.scrollTop - this.scroll.clientHeight < NEAR) {
      model.newer(model.current).catch(() => {});
    }
    this.see();
  }

  // What is on the screen of somebody who is there has been read.
  see() {
    if (
      this.isAtEnd && this.model.log?.atEnd && document.visibilityState === "visible" && document.hasFocus() &&
      this.act.isLooking()
    ) this.model.read(this.model.current);
  }

  async toEnd() {
    // Not at the first that is unread.
    if (!this.model.log?.atEnd) await this.model.open(this.model.current, { again: true });
    this.isAtEnd = true;
    this.bottom();
    this.scrolled();
  }

  async toUnread() {
    const first = this.model.log?.firstUnread;
    if (first) await this.goTo(first);
  }

  async goTo(id) {
    if (!this.nodes.has(id)) await this.model.open(this.model.current, { around: id });
    this.point(id);
  }

  point(id) {
    const node = this.nodes.get(id);
    if (!node) return;
    node.scrollIntoView({ block: "center" });
    this.isAtEnd = this.nearEnd();
    node.classList.remove("pointed");
    requestAnimationFrame(() => node.classList.add("pointed"));
    this.choose(id, true);
  }

  // ---- Keyboard

  choose(id, takesFocus = true) {
    this.list.querySelector("[data-id].chosen")?.classList.remove("chosen");
    const node = this.nodes.get(id);
    if (!node) return;
    for (const other of this.list.querySelectorAll("[tabindex='0']")) other.tabIndex = -1;
    node.tabIndex = 0;
    for (const inner of node.querySelectorAll("button")) inner.tabIndex = 0;
    node.classList.add("chosen");
    if (takesFocus) node.focus({ preventScroll: false });
  }

  // The chosen message, or the last one, by Tab from the line.
  enter() {
    const chosen = this.list.querySelector("[data-id].chosen") ??
      [...this.list.querySelectorAll(".message[data-id]")].at(-1);
    if (chosen) this.choose(chosen.dataset.id);
  }

  key(event) {
    const node = event.target.closest?.(".message[data-id]");
    if (!node || event.target.closest("button, a, input") || event.ctrlKey || event.metaKey || event.altKey) return;
    const message = this.model.find(node.dataset.id);
    const all = [...this.list.querySelectorAll(".message[data-id]")];
    const place = all.indexOf(node);
    const go = (step) => {
      const next = all[Math.max(0, Math.min(all.length - 1, place + step))];
      if (next) this.choose(next.dataset.id);
    };
    const acts = {
      ArrowUp: () => go(-1),
      ArrowDown: () => (place === all.length - 1 ? this.act.focusLine() : go(1)),
      Home: () => go(-KEPT_NODES),
      End: () => go(KEPT_NODES),
      PageUp: () => go(-10),
      PageDown: () => go(10),
      r: () => this.act.reply(message),
      i: () => this.act.info(message),
      "+": () => this.act.pickEmoji((s) => this.act.react(message, s, false)),
      c: () => this.act.copy(message),
      e: () => message.own && this.act.edit(message),
      Delete: () => message.own && this.act.remove(message),
      Escape: () => this.act.focusLine(),
      Enter: () => (message.file ? this.act.download(message, node.querySelector(".state")) : this.act.reply(message)),
    };
    const act = acts[event.key];
    if (!act || !message) return;
    event.preventDefault();
    act();
  }
}
