// What the page knows: conversations, their messages, people. It draws nothing.

import { Refusal } from "./link.js";

// More make each key wait for their layout.
export const KEPT_NODES = 500;
const PAGE = 80;
const KINDS = [
  "message",
  "conversation",
  "alert",
  "request",
  "deleted",
  "edited",
  "reaction",
  "delivery",
  "peer",
  "person",
  "setting",
  "presence",
  "typing",
  "list",
  "members",
  "picture",
  "call",
  "roster",
];
const TYPING = 6000;
const UNSAVED = "stoa-unsaved";

export class Model {
  constructor(link, changed) {
    this.link = link;
    // changed(what, detail): list, log, outbox, typing, presence, status, people, requests.
    this.changed = changed;
    this.me = { id: "", name: "" };
    this.conversations = new Map();
    this.logs = new Map();
    this.current = "";
    this.outbox = [];
    this.notes = {};
    this.presence = new Map();
    this.typing = new Map();
    this.requests = [];
    this.alerts = [];
    this.rooms = [];
    this.peers = [];
    this.people = [];
    this.members = new Map();
    this.isUp = false;
    this.cursor = null;
    this.ticks = new Map();
    this.saving = new Map();
    this.hasLock = false;
    this.settingsOf = {};
  }

  // ---- Beginning, and beginning again

  async begin() {
    const from = this.cursor;
    const { cursor } = await this.link.call("subscribe", from === null ? { kinds: KINDS } : { kinds: KINDS, from });
    if (from === null) this.cursor = cursor;
    const status = await this.link.call("status");
    this.me = { id: status.person, device: status.id, name: status.name };
    this.alerts = status.alerts;
    this.hasLock = Boolean(status.lock);
    this.noteUnsaved();
    this.isUp = true;
    await Promise.all([this.loadConversations(), this.loadRequests(), this.loadPeople(), this.loadAround()]);
    this.changed("status");
    if (this.current && this.conversations.has(this.current)) await this.open(this.current, { again: true });
  }

  lost() {
    this.isUp = false;
    this.typing.clear();
    this.changed("status");
  }

  async loadConversations() {
    const items = await this.link.every("conversations");
    this.conversations = new Map(items.map((item) => [item.id, item]));
    this.changed("list");
  }

  async loadRequests() {
    this.requests = (await this.link.call("requests")).items;
    this.changed("list");
  }

  async loadPeople() {
    this.people = await this.link.every("people");
    for (const person of this.people) if (person.presence) this.presence.set(person.id, person.presence);
    this.changed("people");
  }

  async loadAround() {
    const [rooms, peers] = await Promise.all([this.link.every("rooms", {}, 500), this.link.every("peers", {}, 500)]);
    this.rooms = rooms;
    this.peers = peers;
    this.changed("around");
  }

  async loadMembers(id) {
    const items = await this.link.every("members", { to: id }, 1000);
    this.members.set(id, items);
    for (const item of items) if (item.presence) this.presence.set(item.id, item.presence);
    this.changed("members", id);
    return items;
  }

  // ---- Lists

  // Those that are shown, newest first; what calls the user comes before all else.
  listed(withArchived = false) {
    const items = [...this.conversations.values()].filter((c) => withArchived || !c.archived || c.unread > 0);
    const rank = (c) => (c.mentions > 0 && !c.muted ? 2 : 0);
    return items.sort((a, b) =>
      rank(b) - rank(a) || (b.lastMessage?.cursor ?? 0) - (a.lastMessage?.cursor ?? 0) ||
      a.name.localeCompare(b.name)
    );
  }

  unread() {
    let messages = 0;
    let calls = 0;
    for (const c of this.conversations.values()) {
      if (c.muted) {
        calls += c.mentions;
        continue;
      }
      messages += c.unread;
      calls += c.mentions + (c.kind === "direct" ? c.unread : 0);
    }
    return { messages, calls };
  }

  get conversation() {
    return this.conversations.get(this.current);
  }
  get log() {
    return this.logs.get(this.current);
  }

  // ---- Logs

  // Shows a conversation from its first unread message, from a message, or from its end.
  async open(id, { around, again, since } = {}) {
    const conversation = this.conversations.get(id);
    if (!conversation) return;
    this.current = id;
    const first = again
      ? this.logs.get(id)?.firstUnread
      : conversation.unread > 0
      ? conversation.firstUnread
      : undefined;
    const target = around ?? (again ? undefined : first);
    const page = await this.link.call("history", {
      to: id,
      limit: PAGE,
      ...(since ? { since, oldest: true } : target ? { around: target } : {}),
    });
    if (this.current !== id) return;
    const log = {
      messages: page.messages,
      more: page.more || Boolean(target || since),
      atEnd: true,
      firstUnread: first,
      target: around,
      missing: page.missing,
    };
    if (target || since) {
      const last = page.messages.at(-1);
      log.atEnd = !last || !conversation.lastMessage || last.cursor >= conversation.lastMessage.cursor;
      if (!log.atEnd && last) {
        log.atEnd = (await this.link.call("history", { to: id, after: last.id, limit: 1 })).messages.length === 0;
      }
    }
    this.logs.set(id, log);
    for (const key of this.logs.keys()) if (this.logs.size > 20 && key !== id) this.logs.delete(key);
    this.changed("log", { id, whole: true, again });
    this.learnTicks(id);
    this.loadMembers(id).catch(() => {});
  }

  async older(id) {
    const log = this.logs.get(id);
    if (!log || !log.more || log.loading || !log.messages.length) return;
    log.loading = true;
    try {
      const page = await this.link.call("history", { to: id, before: log.messages[0].id, limit: PAGE });
      log.messages.unshift(...page.messages);
      log.more = page.more;
      if (log.messages.length > KEPT_NODES) {
        log.messages.length = KEPT_NODES;
        log.atEnd = false;
      }
      this.changed("log", { id, older: page.messages.length });
    } finally {
      log.loading = false;
    }
    this.changed("loaded", id);
  }

  async newer(id) {
    const log = this.logs.get(id);
    if (!log || log.atEnd || log.loading || !log.messages.length) return;
    log.loading = true;
    try {
      const page = await this.link.call("history", { to: id, after: log.messages.at(-1).id, limit: PAGE });
      const known = new Set(log.messages.map((m) => m.id));
      log.messages.push(...page.messages.filter((m) => !known.has(m.id)));
      log.atEnd = page.messages.length < PAGE;
      if (log.messages.length > KEPT_NODES) {
        log.messages.splice(0, log.messages.length - KEPT_NODES);
        log.more = true;
      }
      this.changed("log", { id });
    } finally {
      log.loading = false;
    }
    this.changed("loaded", id);
  }

  find(id) {
    for (const log of this.logs.values()) {
      const message = log.messages.find((m) => m.id === id);
      if (message) return message;
    }
    return undefined;
  }

  // The user has seen everything up to here.
  read(id) {
    const conversation = this.conversations.get(id);
    const last = this.logs.get(id)?.messages.at(-1);
    if (!conversation || !last || !this.isUp) return;
    if (conversation.unread === 0 && conversation.mentions === 0) return;
    if (conversation.readTo >= last.cursor || conversation.isTold) return;
    conversation.readTo = last.cursor;
    // One at a time: what comes meanwhile is said with the next.
    conversation.isTold = true;
    this.link.call("acknowledge", { conversation: id, cursor: last.cursor })
      .catch(() =>
        setTimeout(() => {
          conversation.readTo = 0;
        }, 2000)
      )
      .finally(() => {
        conversation.isTold = false;
        this.changed("told", id);
      });
  }

  // The user has seen all there is, in every conversation.
  readAll() {
    for (const c of this.conversations.values()) {
      if ((c.unread || c.mentions) && c.lastMessage) {
        this.link.call("acknowledge", { conversation: c.id, cursor: c.lastMessage.cursor }).catch(() => {});
      }
    }
  }

  // What has become of the user's last message says it of all before it.
  async learnTicks(id) {
    const own = (this.logs.get(id)?.messages ?? []).filter((m) => m.own && m.kind !== "join" && m.kind !== "leave")
      .slice(-3);
    for (const message of own.reverse()) {
      try {
        const { members = [] } = await this.link.call("info", { id: message.id });
        const outcomes = members.map((m) => m.outcome);
        if (outcomes.includes("read")) {
          this.tick(id, "read", message.cursor);
          return;
        }
        if (outcomes.includes("delivered")) this.tick(id, "delivered", message.cursor);
      } catch {
        return;
      }
    }
  }

  tick(id, event, cursor) {
    const ticks = this.ticks.get(id) ?? { delivered: 0, read: 0 };
    if (event === "read") ticks.read = Math.max(ticks.read, cursor);
    ticks.delivered = Math.max(ticks.delivered, cursor);
    this.ticks.set(id, ticks);
    this.changed("ticks", id);
  }

  // ---- Events of the daemon

  event(method, params) {
    switch (method) {
      case "message":
        this.took(params.message.cursor);
        this.message(params.message);
        break;
      case "change":
        this.took(params.change.cursor);
        this.change(params.change);
        break;
      case "gap":
        this.took(params.to);
        this.again();
        break;
      case "presence":
        this.presenceEvent(params);
        break;
      case "typing":
        this.typingEvent(params);
        break;
      case "list":
        this.listEvent(params);
        break;
      case "members":
        this.membersEvent(params);
        break;
      case "roster":
        this.changed("roster", params.conversation);
        break;
      case "picture":
        this.changed("picture", params);
        break;
      case "web.outbox":
        this.outbox = params.items;
        this.changed("outbox");
        break;
      default:
        break;
    }
  }

  took(cursor) {
    if (cursor > (this.cursor ?? 0)) this.cursor = cursor;
  }

  again() {
    this.loadConversations().then(() => this.current && this.open(this.current, { again: true })).catch(() => {});
  }

  message(message) {
    const conversation = this.conversations.get(message.conversation);
    if (!conversation) {
      this.loadConversations().catch(() => {});
      return;
    }
    if (!conversation.lastMessage || message.cursor > conversation.lastMessage.cursor) {
      conversation.lastMessage = message;
    }
    const counts = !message.own && !["join", "leave", "topic"].includes(message.kind);
    if (counts) {
      conversation.unread += 1;
      conversation.firstUnread ??= message.id;
      if (message.mention) conversation.mentions += 1;
    }
    if (message.kind === "topic" && !message.ignored) conversation.topic = message.text || undefined;
    this.typing.get(message.conversation)?.delete(message.author);
    const log = this.logs.get(message.conversation);
    // Nothing goes from under somebody who reads further up: what is new then waits until they come down.
    if (log?.atEnd && log.isAway && log.messages.length >= KEPT_NODES) log.atEnd = false;
    if (log?.atEnd && !log.messages.some((m) => m.id === message.id)) {
      // By time, as the daemon lists them: a late one belongs between others.
      let place = log.messages.length;
      if (message.late) { while (place > 0 && log.messages[place - 1].time > message.time) place -= 1; }
      log.messages.splice(place, 0, message);
      if (log.messages.length > KEPT_NODES) {
        log.messages.shift();
        log.more = true;
      }
      this.changed("log", { id: message.conversation, added: message });
    }
    this.changed("list", { message, counts });
  }

  change(change) {
    const conversation = this.conversations.get(change.id);
    switch (change.kind) {
      case "deleted": {
        for (const [id, log] of this.logs) {
          const place = log.messages.findIndex((m) => m.id === change.message);
          if (place >= 0) {
            log.messages.splice(place, 1);
            this.changed("log", { id, gone: change.message });
          }
        }
        if (conversation?.lastMessage?.id === change.message) this.loadConversations().catch(() => {});
        break;
      }
      case "edited": {
        const message = this.find(change.message);
        if (message) {
          message.text = change.text;
          message.edited = change.time;
          this.changed("log", { id: message.conversation, touched: message.id });
        }
        if (conversation?.lastMessage?.id === change.message) {
          conversation.lastMessage.text = change.text;
          this.changed("list");
        }
        break;
      }
      case "reaction":
        this.reaction(change);
        break;
      case "delivery": {
        const message = this.find(change.message);
        if (message) this.tick(change.id, change.event, message.cursor);
        break;
      }
      case "conversation": {
        if (change.event === "seen" && conversation) {
          conversation.unread = change.unread ?? 0;
          conversation.mentions = change.mentions ?? 0;
          if (conversation.unread === 0) conversation.firstUnread = undefined;
        } else if (change.event === "arranged" && conversation) {
          conversation.muted = change.muted;
          conversation.archived = change.archived;
        } else {
          this.loadConversations().catch(() => {});
          this.loadAround().catch(() => {});
        }
        this.changed("list");
        break;
      }
      case "request":
        this.loadRequests().catch(() => {});
        this.loadConversations().catch(() => {});
        if (change.event === "requested") this.changed("requested", change);
        break;
      case "person":
        this.loadPeople().catch(() => {});
        this.loadConversations().catch(() => {});
        if (change.event === "profile") this.changed("picture", { person: change.peer });
        if (change.peer === this.me.id || change.peer === this.me.device) this.refreshMe();
        break;
      case "peer":
        this.loadPeople().catch(() => {});
        break;
      case "alert":
        this.link.call("status").then((s) => {
          this.alerts = s.alerts;
          this.changed("status");
        }).catch(() => {});
        break;
      case "roster":
        // An admin's topic counts as long as they are one.
        if (change.event !== "memberAdded") this.loadConversations().catch(() => {});
        this.changed("turned", change);
        break;
      case "setting":
        this.changed("setting", change);
        break;
      default:
        break;
    }
  }

  refreshMe() {
    this.link.call("status").then((s) => {
      this.me.name = s.name;
      this.changed("status");
    }).catch(() => {});
  }

  reaction(change) {
    const message = this.find(change.message);
    if (!message) return;
    const list = (message.reactions ??= []);
    let entry = list.find((r) => r.sign === change.text);
    if (!entry) {
      entry = { sign: change.text, count: 0, people: [], names: [] };
      list.push(entry);
    }
    const isMine = change.peer === this.me.id || change.peer === this.me.device;
    const place = entry.people.indexOf(change.peer);
    if (change.event === "reacted") {
      if (place < 0) {
        entry.people.push(change.peer);
        entry.names.push(change.peerName ?? change.name ?? "?");
      }
      if (isMine) entry.own = true;
    } else {
      if (place >= 0) {
        entry.people.splice(place, 1);
        entry.names.splice(place, 1);
      }
      if (isMine) entry.own = false;
    }
    entry.count = change.count ?? entry.people.length;
    if (entry.count === 0) list.splice(list.indexOf(entry), 1);
    this.changed("log", { id: message.conversation, touched: message.id });
  }

  presenceEvent(event) {
    const id = event.person ?? event.peer ?? event.id;
    this.presence.set(id, event.presence);
    this.changed("presence", event);
  }

  typingEvent(event) {
    const who = event.person ?? event.peer ?? event.id;
    const typists = this.typing.get(event.conversation) ?? new Map();
    if (event.typing === false) typists.delete(who);
    else typists.set(who, { name: event.name, until: Date.now() + TYPING });
    this.typing.set(event.conversation, typists);
    this.changed("typing", event.conversation);
    setTimeout(() => {
      const entry = typists.get(who);
      if (entry && entry.until <= Date.now()) {
        typists.delete(who);
        this.changed("typing", event.conversation);
      }
    }, TYPING + 50);
  }

  listEvent(event) {
    if (event.list === "requests") this.loadRequests().catch(() => {});
    else if (event.list === "devices") this.changed("devices");
    else this.loadAround().catch(() => {});
  }

  membersEvent(event) {
    const conversation = this.conversations.get(event.conversation ?? event.id);
    if (!conversation) return;
    conversation.members = event.members ?? event.count ?? conversation.members;
    this.changed("list");
    if (conversation.id === this.current) this.loadMembers(conversation.id).catch(() => {});
  }

  // ---- What the user does

  // Gives a message to the program, which sends it once. Asked again until the program has it.
  // The draft that it was is forgotten by the program at the same moment.
  async post(params, { upload, draft } = {}) {
    const key = `page-${crypto.randomUUID()}`;
    const call = {
      ...params,
      idempotencyKey: key,
      ...(upload === undefined ? {} : { upload }),
      ...(draft ? { draft } : {}),
    };
    if (draft) {
      delete this.notes[draft];
      this.saving.delete(draft);
      this.noteUnsaved();
    }
    for (let attempt = 0;; attempt += 1) {
      try {
        await this.link.call("web.post", call);
        return key;
      } catch (error) {
        if (!(error instanceof Refusal) || error.reason !== "lost" || attempt > 40) throw error;
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
    }
  }

  note(name) {
    return this.notes[name];
  }

  // Keeps something for the next page. While one writing is under way the newest waits.
  async keep(name, value) {
    const text = value === undefined || value === "" ? "" : JSON.stringify(value);
    if (text === "") delete this.notes[name];
    else this.notes[name] = value;
    this.saving.set(name, text);
    this.noteUnsaved();
    if (this.isSaving) return;
    this.isSaving = true;
    this.changed("saving", true);
    try {
      while (this.saving.size) {
        const [next, content] = this.saving.entries().next().value;
        try {
          await this.link.call("web.save", { name: next, text: content });
          if (this.saving.get(next) === content) this.saving.delete(next);
          this.noteUnsaved();
        } catch (error) {
          if (error.reason !== "lost") {
            this.saving.delete(next);
            this.noteUnsaved();
            continue;
          }
          await new Promise((resolve) => setTimeout(resolve, 300));
          if (this.isOver) return;
        }
      }
    } finally {
      this.isSaving = false;
      this.changed("saving", false);
    }
  }

  // What the program does not have yet stays with the tab, so that a reload loses nothing; but a browser may write it
  // to the disk, where a lock does not protect it.
  noteUnsaved() {
    try {
      if (this.saving.size && !this.hasLock) sessionStorage.setItem(UNSAVED, JSON.stringify([...this.saving]));
      else sessionStorage.removeItem(UNSAVED);
    } catch { /* more than a tab may keep: the program has it in a moment */ }
  }

  // Keeps what the page had not saved when it was reloaded.
  keepUnsaved() {
    for (const [name, text] of JSON.parse(sessionStorage.getItem(UNSAVED) ?? "[]")) {
      this.keep(name, text ? JSON.parse(text) : "");
    }
  }
}
