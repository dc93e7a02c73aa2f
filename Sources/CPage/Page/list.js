// The list of conversations, with what waits in each.

import { T } from "./texts.js";
import { h, oneLine, plain, replaceChildren, sign } from "./dom.js";

const SIGNS = { online: ["●", T.online], away: ["◐", T.away], offline: ["○", T.offline] };

export class ConversationList {
  constructor(model, act) {
    this.model = model;
    this.act = act;
    this.withArchived = false;
    this.filter = h("input", {
      type: "search",
      placeholder: T.filter,
      "aria-label": T.filter,
      oninput: () => this.draw(),
      onkeydown: (event) => this.key(event),
    });
    this.items = h("ul", { role: "list", class: "conversations" });
    this.archived = h("button", {
      type: "button",
      class: "quiet",
      onclick: () => {
        this.withArchived = !this.withArchived;
        this.draw();
      },
    });
    this.self = h("button", { type: "button", class: "self", title: T.profile, onclick: () => act.profile() });
    this.element = h(
      "nav",
      { class: "list", "aria-label": T.conversations },
      h(
        "div",
        { class: "bar" },
        this.self,
        sign("🔍", `${T.search} (Ctrl+Shift+F)`, () => act.search()),
        sign("✚", T.newConversation, () => act.newConversation()),
        sign("⚙", T.settings, () => act.settings()),
      ),
      h("div", { class: "filter" }, this.filter),
      h("div", { class: "scroll" }, this.items),
      this.archived,
    );
  }

  draw() {
    const { model } = this;
    const sought = this.filter.value.trim().toLocaleLowerCase();
    const listed = model.listed(this.withArchived)
      .filter((c) =>
        !sought || c.name.toLocaleLowerCase().includes(sought) || c.topic?.toLocaleLowerCase().includes(sought)
      );
    replaceChildren(this.self, this.act.picture(model.me.id, model.me.name), h("bdi", {}, plain(model.me.name)));
    const focused = document.activeElement?.dataset?.conversation;
    replaceChildren(
      this.items,
      model.requests.map((request) => this.request(request)),
      listed.map((c) => this.item(c)),
    );
    if (!listed.length && !model.requests.length) this.items.append(h("li", { class: "empty" }, T.none));
    if (focused) this.items.querySelector(`[data-conversation="${CSS.escape(focused)}"]`)?.focus();
    const hasArchived = [...model.conversations.values()].some((c) => c.archived);
    this.archived.hidden = !hasArchived;
    this.archived.textContent = this.withArchived ? T.archivedBack : T.archived;
  }

  request(request) {
    return h(
      "li",
      {},
      h(
        "button",
        { type: "button", class: "conversation request", onclick: () => this.act.request(request) },
        this.act.picture(request.person, request.name),
        h("span", { class: "name" }, h("bdi", {}, this.act.name(request.name, request.ambiguous, request.person))),
        h("span", { class: "excerpt" }, request.group ? T.invites(request.groupName) : T.requests),
        h("span", { class: "count call" }, "!"),
      ),
    );
  }

  item(conversation) {
    const { model } = this;
    const c = conversation;
    const presence = c.kind === "direct" ? SIGNS[model.presence.get(c.person)] ?? SIGNS.offline : undefined;
    const draft = model.note(`draft:${c.id}`)?.text;
    const last = c.lastMessage;
    const excerpt = draft
      ? `${T.draft} ${oneLine(draft)}`
      : last
      ? `${c.kind !== "direct" && !last.own ? `${plain(last.authorName)}: ` : ""}${this.act.excerpt(last)}`
      : c.topic ?? "";
    const waits = [c.unread ? T.unread(c.unread) : "", c.mentions ? T.mentions(c.mentions) : "", c.muted ? T.muted : ""]
      .filter(Boolean);
    const name = this.act.title(c);
    return h(
      "li",
      {},
      h(
        "button",
        {
          type: "button",
          dataset: { conversation: c.id },
          "aria-current": c.id === model.current ? "page" : undefined,
          class: ["conversation", c.unread ? "unread" : "", c.muted ? "muted" : "", c.archived ? "archived" : ""].join(
            " ",
          ),
          "aria-label": [
            name,
            T[c.kind],
            presence?.[1],
            ...waits,
          ].filter(Boolean).join(", "),
          onclick: () => this.act.open(c.id),
        },
        c.kind === "direct"
          ? this.act.picture(c.person, c.name)
          : h("span", { class: "face room", "aria-hidden": "true" }, { secret: "🔒", group: "👥" }[c.kind] ?? "#"),
        h(
          "span",
          { class: "name" },
          presence ? h("span", { class: `presence ${presence[1]}`, "aria-hidden": "true" }, presence[0]) : null,
          h("bdi", {}, name),
        ),
        last ? h("time", { dateTime: last.time }, this.act.shortTime(last.time)) : null,
        h("span", { class: "excerpt", dir: "auto" }, plain(excerpt).slice(0, 160)),
        c.mentions || (c.unread && c.kind === "direct")
          ? h("span", { class: "count call" }, c.mentions ? `@${c.mentions}` : String(c.unread))
          : c.unread
          ? h("span", { class: "count" }, c.unread > 999 ? "999+" : String(c.unread))
          : null,
      ),
    );
  }

  key(event) {
    if (event.key === "Enter") {
      const first = this.items.querySelector("[data-conversation]");
      if (first) {
        this.filter.value = "";
        this.act.open(first.dataset.conversation);
      }
    } else if (event.key === "Escape") {
      this.filter.value = "";
      this.draw();
    } else if (event.key === "ArrowDown") {
      this.items.querySelector("button")?.focus();
      event.preventDefault();
    }
  }

  // Up and down within the list.
  move(step) {
    const ids = this.model.listed(this.withArchived).map((c) => c.id);
    const place = ids.indexOf(this.model.current);
    const next = ids[place < 0 ? 0 : Math.max(0, Math.min(ids.length - 1, place + step))];
    if (next) this.act.open(next);
  }

  nextUnread() {
    const listed = this.model.listed(true).filter((c) => c.unread && c.id !== this.model.current && !c.muted);
    const next = listed.find((c) => c.mentions) ?? listed[0];
    if (next) this.act.open(next.id);
  }
}
