// The page: puts its parts together and follows what happens.

import { T } from "./texts.js";
import { h, oneLine, personName, plain, put, replaceChildren, sign } from "./dom.js";
import { Link } from "./link.js";
import { Model } from "./model.js";
import { ConversationList } from "./list.js";
import { Log } from "./log.js";
import { Composer } from "./composer.js";
import { Windows } from "./people.js";
import { confirm, copy, field, form, open, pickEmoji, told } from "./dialogs.js";

const app = document.getElementById("app");
const narrow = matchMedia("(max-width: 700px)");
const DEFAULTS = { theme: "auto", enterSends: true, notifications: false };

// The token is taken out of the address before anything else sees it.
const fragment = location.hash.slice(1);
if (fragment) history.replaceState(null, "", "/");
const [token, wanted] = fragment.split("&").map(decodeURIComponent);

const link = new Link({
  opened, event: (method, params) => (method === "web.daemon" ? daemon(params.up) : model.event(method, params)),
  down: () => { model.lost(); state(T.connecting); }, ended, locked,
});
const model = new Model(link, changed);
const pictures = new Map();
const act = {
  open: show, home, picture, forgetPicture, excerpt, title, name: personName, clock, day, shortTime, fullTime, react, remove, download, viewPicture,
  reply: (m) => composer.reply(m), edit: (m) => composer.edit(m), copy: (m) => copy(m.text).catch(told), info, pickEmoji, person: (id) => windows.person(id),
  search, newConversation: () => windows.newConversation(), settings, setSetting, profile: () => windows.profile(), request: (r) => windows.request(r),
  again, discard, focusLine: () => composer.focus(), enterLog: () => log.enter(), enterSends: () => settings().enterSends, sent: () => log.toEnd(), askForFiles,
};
const windows = new Windows(model, { ...act, settings });
const list = new ConversationList(model, { ...act, settings: () => windows.settings() });
const log = new Log(model, act);
const composer = new Composer(model, act);
const banner = h("div", { class: "banner", role: "status", hidden: true });
const head = h("header", { class: "head" });
const typists = h("div", { class: "typing", role: "status", "aria-live": "polite" });
const room = h("section", { class: "room", hidden: true }, head, log.element, typists, composer.element);
const start = h("section", { class: "start" });
const main = h("main", {}, start, room);
const page = h("div", { class: "page" }, banner, h("div", { class: "columns" }, list.element, main));
let isReady = false;

// ---- Coming in

async function begin() {
  applyTheme();
  if (token && !await link.enter(token).catch(() => false)) { locked(); return; }
  link.connect();
}

async function opened(params) {
  model.outbox = params.outbox;
  if (!isReady) for (const { name, text } of params.notes) { try { model.notes[name] = JSON.parse(text); } catch { /* of another version */ } }
  applyTheme();
  replaceChildren(app, page);
  await daemon(params.daemon);
}

async function daemon(isUp) {
  if (!isUp) {
    model.lost();
    state(T.daemonOff, h("button", { type: "button", onclick: () => link.call("web.start").catch(told) }, T.start));
    return;
  }
  try {
    await model.begin();
    state("");
    if (!isReady) { isReady = true; await first(); }
  } catch (error) { if (error.reason !== "lost") told(error); }
}

async function first() {
  document.documentElement.dataset.ready = "yes";
  const target = wanted && [...model.conversations.values()].find((c) => c.id === wanted || c.name === wanted);
  const remembered = model.conversations.get(model.note("open"));
  if (target) await show(target.id);
  else if (!narrow.matches && remembered) await show(remembered.id);
  else if (!narrow.matches && model.listed().length) await show(model.listed()[0].id);
  else home();
}

function locked() {
  const code = h("input", { autocomplete: "off", spellcheck: false, dataset: { first: "" } });
  replaceChildren(app, h("main", { class: "alone" }, h("img", { src: "/icon.svg", alt: "", width: 72, height: 72 }), h("h1", {}, T.locked), h("p", {}, T.lockedText),
    form([field(T.code, code)], T.enter, async () => { if (!await link.enter(code.value)) throw new Error(T.wrongCode); link.connect(); })));
}

function ended(why) {
  model.isOver = true;
  replaceChildren(app, h("main", { class: "alone" }, h("img", { src: "/icon.svg", alt: "", width: 72, height: 72 }), h("h1", {}, why === "full" ? T.full : T.ended), h("p", {}, why === "full" ? T.fullText : T.endedText),
    h("button", { type: "button", class: "main", onclick: () => location.reload() }, T.reload)));
}

function state(text, ...more) {
  banner.hidden = !text;
  replaceChildren(banner, text, more);
}

// ---- Following

function changed(what, detail) {
  switch (what) {
    case "list": list.draw(); headline(); titleLine(); if (detail?.message) notify(detail); break;
    case "log": log.draw(detail); break;
    // Whoever is still near the end of what is there gets more.
    case "loaded": if (detail === model.current) log.scrolled(); break;
    case "ticks": if (detail === model.current) log.drawTicks(); break;
    case "outbox": log.draw({}); break;
    case "typing": if (detail === model.current) drawTypists(); break;
    case "presence": list.draw(); headline(); break;
    case "picture": forgetPicture(detail.peer ?? detail.person); list.draw(); break;
    case "members": if (detail === model.current) headline(); break;
    case "status": list.draw(); alerts(); composer.element.classList.toggle("off", !link.isOpen); composer.line.readOnly = !link.isOpen; break;
    case "around": case "people": if (!model.current) drawStart(); list.draw(); break;
    default: break;
  }
}

function titleLine() {
  const { messages, calls } = model.unread();
  document.title = messages ? `(${calls || messages}) ${T.title}` : T.title;
  const icon = document.querySelector("link[rel=icon]");
  const wantedIcon = calls ? "/icon-new.svg" : "/icon.svg";
  if (icon.getAttribute("href") !== wantedIcon) icon.setAttribute("href", wantedIcon);
}

function alerts() {
  if (!model.isUp || !banner.hidden && !banner.dataset.alert) return;
  const [alert] = model.alerts;
  banner.dataset.alert = alert ? "yes" : "";
  state(alert ? plain(alert.text) : "");
}

function notify({ message, counts }) {
  if (!counts || !settings().notifications || document.hasFocus() && message.conversation === model.current) return;
  const c = model.conversations.get(message.conversation);
  if (!c || c.muted || !(message.mention || c.kind === "direct")) return;
  const text = c.kind === "secret" ? "" : excerpt(message).slice(0, 200);
  const shown = new Notification(plain(message.authorName), { body: text, tag: c.id, icon: "/icon.svg" });
  shown.onclick = () => { window.focus(); show(c.id); shown.close(); };
}

function drawTypists() {
  const names = [...(model.typing.get(model.current)?.values() ?? [])].filter((t) => t.until > Date.now()).map((t) => plain(t.name));
  typists.textContent = names.length ? T.typing(names) : "";
}

// ---- A conversation

async function show(id, where = {}) {
  if (!model.conversations.has(id)) return;
  page.classList.add("inside");
  start.hidden = true;
  room.hidden = false;
  composer.show(id);
  if (model.current !== id || where.around || where.since) {
    try { await model.open(id, where); } catch (error) { told(error); return; }
    model.keep("open", id);
  }
  list.draw();
  headline();
  drawTypists();
  if (!narrow.matches) composer.focus();
  if (!narrow.matches && log.isAtEnd) log.see();
}

function home() {
  model.current = "";
  page.classList.remove("inside");
  room.hidden = true;
  start.hidden = false;
  drawStart();
  list.draw();
}

function headline() {
  const c = model.conversation;
  if (!c) return;
  const members = model.members.get(c.id);
  const mark = `${c.id}|${title(c)}|${c.topic}|${c.members}|${members?.length}|${model.presence.get(c.person)}|${c.muted}`;
  if (head.dataset.mark === mark) return;
  head.dataset.mark = mark;
  const presence = c.kind === "direct" ? T[model.presence.get(c.person)] ?? T.offline : T.memberCount(c.members);
  replaceChildren(head, sign("←", T.back, home, { class: "sign back" }),
    h("button", { type: "button", class: "about", onclick: () => windows.about(c.id), title: T.conversation },
      h("h1", {}, h("bdi", {}, title(c)), c.muted ? " 🔕" : ""), h("span", { class: "topic" }, [presence, c.topic ? plain(c.topic) : ""].filter(Boolean).join(" · "))),
    sign("📅", T.goToDate, goToDate), sign("🔍", T.search, () => search()));
}

function goToDate() {
  open(T.goToDate, (body, close) => {
    const day = h("input", { type: "date", dataset: { first: "" }, required: true });
    put(body, form([field(T.goToDate, day)], T.jumpTo, async () => {
      const since = new Date(`${day.value}T00:00:00`);
      await model.open(model.current, { since: since.toISOString() });
      log.scroll.scrollTop = 0;
      return true;
    }, close));
  });
}

// ---- First run

function drawStart() {
  if (start.hidden) return;
  const name = h("input", { value: model.me.name, autocomplete: "name", maxLength: 60 });
  const others = model.peers.filter((p) => p.state === "linked" && p.tier !== "own").slice(0, 12);
  const rooms = model.rooms.filter((r) => !r.joined).slice(0, 12);
  const go = (call) => async () => { try { const made = await call(); await model.loadConversations(); await show((made.conversation ?? made).id); } catch (error) { told(error); } };
  if (start.contains(document.activeElement) && document.activeElement.tagName === "INPUT") return;
  replaceChildren(start, h("img", { src: "/icon.svg", alt: "", width: 72, height: 72 }), h("h1", {}, T.welcome), h("p", {}, T.welcomeText),
    h("div", { class: "profile" }, picture(model.me.id, model.me.name, "huge"), windows.chooser(() => { forgetPicture(model.me.id); drawStart(); })),
    form([field(T.yourName, name)], T.save, async () => { await link.call("profile", { name: name.value.trim() }); model.refreshMe(); }),
    h("h2", {}, T.around), others.length ? h("ul", { class: "people" }, others.map((p) => h("li", {}, h("button", { type: "button", class: "row", onclick: go(() => windows.begin(`@${p.person ?? p.id}`)) },
      picture(p.person ?? p.id, p.name), h("bdi", {}, personName(p.name, p.ambiguous, p.id)), h("span", { class: "state" }, T[p.presence] ?? ""))))) : h("p", {}, T.nobodyAround),
    rooms.length ? [h("h2", {}, T.roomsAround), h("ul", { class: "people" }, rooms.map((r) => h("li", {}, h("button", { type: "button", class: "row", onclick: go(() => link.call("join", { room: r.name })) },
      h("span", { class: "face room", "aria-hidden": "true" }, "#"), h("bdi", {}, plain(r.name)), h("span", { class: "state" }, T.memberCount(r.members))))))] : null,
    h("h2", {}, T.tryThis), h("ul", { class: "try" },
      h("li", {}, h("button", { type: "button", onclick: () => windows.newConversation() }, T.try1)), h("li", {}, h("button", { type: "button", onclick: () => windows.newConversation() }, T.try2)),
      h("li", {}, h("button", { type: "button", onclick: go(() => link.call("createConversation", { person: "@me" })) }, T.try3))));
}

// ---- Acts

async function react(m, s, remove) {
  try { await link.call("react", { id: m.id, sign: s, ...(remove ? { remove: true } : {}) }); } catch (error) { told(error); }
}

async function remove(m) {
  if (!await confirm(T.confirmDelete, T.confirmDeleteText, T.remove)) return;
  try { await link.call("delete", { id: m.id }); } catch (error) { told(error); }
}

async function discard(item) { try { await link.call("web.discard", { key: item.key }); } catch (error) { told(error); } }

async function again(item) {
  await discard(item);
  if (!composer.line.value) { composer.line.value = item.text; composer.changed(); } else composer.insert(`\n${item.text}`);
}

async function info(m) {
  try {
    const found = await link.call("info", { id: m.id });
    open(T.info, (body) => put(body, h("p", {}, `${fullTime(m.time)} · `, h("bdi", {}, personName(m.authorName, m.ambiguous, m.author))), h("p", {}, h("code", {}, m.id)),
      found.firstText !== undefined ? h("p", { dir: "auto" }, `${T.firstText}: ${plain(found.firstText)}`) : "",
      found.members?.length ? [h("h3", {}, T.whoRead), h("ul", { class: "people" }, found.members.map((p) => h("li", { class: "row" }, picture(p.id, p.name),
        h("bdi", {}, personName(p.name, p.ambiguous, p.id)), h("span", { class: "state" }, T.outcome[p.outcome] ?? p.outcome))))] : [],
      (m.reactions ?? []).map((r) => h("p", {}, h("bdi", {}, plain(r.sign)), ` ${r.names.map(plain).join(", ")}`))));
  } catch (error) { told(error); }
}

async function download(m, state) {
  state.textContent = T.fetching;
  try {
    const address = URL.createObjectURL(await link.content(`/file/${m.id}`));
    h("a", { href: address, download: m.file.name.replace(/[\u0000-\u001f/\\:*?"<>|\u202a-\u202e\u2066-\u2069]/g, "_") }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
    state.textContent = "";
  } catch (error) { state.textContent = plain(error.message); }
}

function viewPicture(address, m) {
  open(plain(m.file.name), (body) => put(body, h("img", { src: address, alt: plain(m.file.name) }),
    h("div", { class: "actions" }, h("button", { type: "button", class: "main", onclick: (event) => download(m, event.target.nextSibling) }, T.download), h("span", { class: "state" }))), { class: "viewer" });
}

async function askForFiles(files) {
  const addresses = [];
  const answer = await open(T.attach, (body, close) => {
    const text = h("input", { autocomplete: "off", placeholder: T.caption, "aria-label": T.caption, dataset: { first: "" } });
    put(body, h("ul", { class: "people" }, files.map((file) => {
      const isPicture = /^image\/(png|jpeg|webp|gif)$/.test(file.type) && file.size < 32 << 20;
      if (isPicture) addresses.push(URL.createObjectURL(file));
      return h("li", { class: "row" }, isPicture ? h("img", { src: addresses.at(-1), alt: "", class: "thumb" }) : h("span", { "aria-hidden": "true" }, "📄"), h("bdi", {}, plain(file.name)));
    })), form([text], T.sendFile, async () => text.value.trim(), close));
  });
  for (const address of addresses) URL.revokeObjectURL(address);
  return answer ?? null;
}

function search() {
  open(T.search, (body, close) => {
    const words = h("input", { type: "search", dataset: { first: "" }, "aria-label": T.searchFor, placeholder: T.searchFor });
    const here = h("input", { type: "checkbox" });
    const results = h("ul", { class: "results", "aria-live": "polite" });
    let offset = 0;
    const find = async (more) => {
      offset = more ? offset + 30 : 0;
      const { hits, more: isMore } = await link.call("search", { words: words.value.trim(), order: "newest", limit: 30, offset, ...(here.checked ? { to: model.current } : {}) });
      if (!more) results.replaceChildren();
      results.querySelector(".more")?.remove();
      results.append(...hits.map(({ message: m, excerpt: parts }) => h("li", {}, h("button", { type: "button", class: "result", onclick: () => { close(); show(m.conversation, { around: m.id }); } },
        h("span", { class: "name" }, h("bdi", {}, personName(m.authorName, m.ambiguous, m.author)), " · ", h("bdi", {}, plain(m.conversationName)), " · ", shortTime(m.time)),
        h("span", { class: "excerpt", dir: "auto" }, parts.map((p) => (p.match ? h("mark", {}, plain(p.text)) : plain(p.text))))))));
      if (!results.children.length) results.append(h("li", { class: "empty" }, T.nothingFound));
      if (isMore) results.append(h("li", { class: "more" }, h("button", { type: "button", onclick: () => find(true).catch(told) }, T.moreResults)));
    };
    put(body, form([words, model.current ? field(T.inThis, here) : null], T.search, () => find(false)), results);
  }, { class: "wide" });
}

function switcher() {
  open(T.switcher, (body, close) => {
    const input = h("input", { type: "search", dataset: { first: "" }, "aria-label": T.switcher });
    const results = h("ul", { class: "people", role: "listbox" });
    const draw = () => {
      const sought = input.value.trim().toLocaleLowerCase();
      replaceChildren(results, model.listed(true).filter((c) => title(c).toLocaleLowerCase().includes(sought)).slice(0, 12).map((c) => h("li", {},
        h("button", { type: "button", class: "row", onclick: () => { close(); show(c.id); } }, h("bdi", {}, title(c)), h("span", { class: "state" }, c.unread ? T.unread(c.unread) : "")))));
    };
    input.oninput = draw;
    body.onkeydown = (event) => {
      const buttons = [...results.querySelectorAll("button")];
      const place = buttons.indexOf(document.activeElement);
      if (event.key === "ArrowDown") { event.preventDefault(); buttons[Math.min(buttons.length - 1, place + 1)]?.focus(); } else if (event.key === "ArrowUp") { event.preventDefault(); (buttons[place - 1] ?? input).focus(); } else if (event.key === "Enter" && place < 0) { event.preventDefault(); buttons[0]?.click(); }
    };
    draw();
    put(body, input, results);
  });
}

// ---- Words and pictures

function title(c) {
  if (c.kind !== "direct") return plain(c.name);
  if (c.person === model.me.id || c.person === model.me.device) return `${plain(model.me.name)} (${T.you})`;
  return personName(c.name.replace(/^@/, ""), c.ambiguous, c.person ?? c.id);
}

function excerpt(m) {
  if (m.file) return oneLine(`📄 ${m.file.name}${m.text ? `: ${m.text}` : ""}`);
  if (m.kind === "join") return T.joined(m.authorName);
  if (m.kind === "leave") return T.left(m.authorName);
  if (m.kind === "topic") return T.topic(m.authorName, m.text);
  if (m.kind === "action") return oneLine(T.action(m.authorName, m.text));
  if (m.kind === "location") return `${T.location} ${m.text}`;
  return oneLine(m.text.slice(0, 300));
}

const COLOURS = 12;

// The picture of a person; letters of the name until there is one.
function picture(id, name, size = "") {
  const text = plain(name).replace(/^@/, "");
  let sum = 0;
  for (const c of String(id)) sum = (sum * 31 + c.charCodeAt(0)) % 9973;
  const face = h("span", { class: `face colour-${sum % COLOURS} ${size}`, "aria-hidden": "true", dataset: { person: id } }, [...text][0]?.toUpperCase() ?? "?");
  const known = pictures.get(id);
  if (known === undefined) {
    pictures.set(id, null);
    if (/^[a-z0-9]{8,64}$/.test(id)) {
      link.content(`/picture/${id}`).then((blob) => {
        pictures.set(id, URL.createObjectURL(blob));
        for (const other of document.querySelectorAll(`.face[data-person="${id}"]`)) setFace(other, pictures.get(id));
      }).catch(() => {});
    }
  } else if (known) setFace(face, known);
  return face;
}

function setFace(face, address) { face.replaceChildren(h("img", { src: address, alt: "" })); }

function forgetPicture(id) {
  const known = pictures.get(id);
  if (known) URL.revokeObjectURL(known);
  pictures.delete(id);
}

const format = (options) => { const f = new Intl.DateTimeFormat(undefined, options); return (time) => f.format(new Date(time)); };
const clockFormat = format({ hour: "2-digit", minute: "2-digit" });
const dayFormat = format({ weekday: "long", day: "numeric", month: "long", year: "numeric" });
const dateFormat = format({ day: "numeric", month: "short" });
const fullFormat = format({ dateStyle: "full", timeStyle: "medium" });
function clock(time) { return clockFormat(time); }
function day(time) { return dayFormat(time); }
function fullTime(time) { return fullFormat(time); }
function shortTime(time) { return new Date(time).toDateString() === new Date().toDateString() ? clockFormat(time) : dateFormat(time); }

// ---- Settings of the page

function settings() { return { ...DEFAULTS, ...model.note("settings") }; }

async function setSetting(name, value) {
  if (name === "notifications" && value && await Notification.requestPermission() !== "granted") return;
  model.keep("settings", { ...settings(), [name]: value });
  applyTheme();
}

function applyTheme() { document.documentElement.dataset.theme = settings().theme; }

// ---- Keyboard, dropping, being there

document.addEventListener("keydown", (event) => {
  if (document.querySelector("dialog[open]")) return;
  const key = event.key.toLowerCase();
  if ((event.ctrlKey || event.metaKey) && key === "k") { event.preventDefault(); switcher(); } else if ((event.ctrlKey || event.metaKey) && event.shiftKey && key === "f") { event.preventDefault(); search(); } else if (event.altKey && event.key === "ArrowUp") { event.preventDefault(); list.move(-1); } else if (event.altKey && event.key === "ArrowDown") { event.preventDefault(); list.move(1); } else if (event.altKey && key === "u") { event.preventDefault(); list.nextUnread(); }
});
document.addEventListener("visibilitychange", () => log.see());
window.addEventListener("focus", () => log.see());
narrow.addEventListener("change", () => list.draw());
document.addEventListener("dragover", (event) => { if ([...event.dataTransfer.types].includes("Files")) { event.preventDefault(); page.classList.add("dropping"); } });
document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) page.classList.remove("dropping"); });
document.addEventListener("drop", (event) => {
  page.classList.remove("dropping");
  const files = [...event.dataTransfer.files];
  if (!files.length) return;
  event.preventDefault();
  if (model.current) composer.give(files);
});
room.dataset.drop = T.drop;

// Somebody who touches the page is there.
let activeAt = 0;
for (const kind of ["keydown", "pointerdown"]) {
  document.addEventListener(kind, () => {
    if (Date.now() - activeAt < 60000 || !model.isUp) return;
    activeAt = Date.now();
    link.call("presence", { active: true }).catch(() => {});
  }, { passive: true });
}

begin();
