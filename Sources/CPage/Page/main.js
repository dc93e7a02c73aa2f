// The page: puts its parts together and follows what happens.

import { T } from "./texts.js";
import { h, personName, plain, put, replaceChildren, sign } from "./dom.js";
import { Link } from "./link.js";
import { Model } from "./model.js";
import { ConversationList } from "./list.js";
import { Log } from "./log.js";
import { Composer } from "./composer.js";
import { Windows } from "./people.js";
import { Presence } from "./presence.js";
import { Settings } from "./settings.js";
import { Calls } from "./calls.js";
import { makeFaces } from "./faces.js";
import { makeFiles } from "./files.js";
import { makeFinding } from "./finding.js";
import { LOCKED, makeLock } from "./lock.js";
import { makeStart } from "./start.js";
import { clock, day, excerpt, fullTime, shortTime } from "./words.js";
import { confirm, copy, field, form, note, open, pickEmoji, told } from "./dialogs.js";

const app = document.getElementById("app");
const narrow = matchMedia("(max-width: 700px)");
const DEFAULTS = { theme: "auto", enterSends: true, notifications: false, ringTone: true };

// The token is taken out of the address before anything else sees it.
const fragment = location.hash.slice(1);
if (fragment) history.replaceState(null, "", "/");
const [token, wanted, word] = fragment.split("&").map(decodeURIComponent);

const link = new Link({
  opened,
  event: (method, params) => {
    if (method === "web.daemon") daemon(params.up);
    else if (method === "call") calls.event(params);
    else model.event(method, params);
  },
  down: () => {
    model.lost();
    state(T.connecting);
  },
  ended,
  locked,
});
const model = new Model(link, changed);
const faces = makeFaces(link);
const { picture, forgetPicture } = faces;
const { download, viewPicture, askForFiles } = makeFiles(link);
const act = {
  open: show,
  home,
  picture,
  forgetPicture,
  excerpt,
  title,
  name: personName,
  clock,
  day,
  shortTime,
  fullTime,
  react,
  remove,
  download,
  viewPicture,
  reply: (m) => composer.reply(m),
  edit: (m) => composer.edit(m),
  copy: (m) => copy(m.text).catch(told),
  info,
  pickEmoji,
  person: (id) => windows.person(id),
  search: () => finding.search(),
  newConversation: () => windows.newConversation(),
  settings,
  setSetting,
  profile: () => windows.profile(),
  request: (r) => windows.request(r),
  again,
  discard,
  focusLine: () => composer.focus(),
  enterLog: () => log.enter(),
  grown: () => log.follow(),
  enterSends: () => settings().enterSends,
  sent: () => log.toEnd(),
  askForFiles,
  isLooking: () => presence.isLooking,
  callDevices: () => calls.devices().catch(told),
  roomsChanged: () => {
    head.dataset.mark = "";
    soon("list");
  },
};
const windows = new Windows(model, act);
const options = new Settings(model, act, windows);
const list = new ConversationList(model, { ...act, settings: () => options.open() });
const log = new Log(model, act);
const composer = new Composer(model, act);
const presence = new Presence(model, () => log.see());
const calls = new Calls(model, act);
const banner = h("div", { class: "banner", role: "status", hidden: true });
const head = h("header", { class: "head" });
const typists = h("div", { class: "typing", role: "status", "aria-live": "polite" });
const room = h("section", { class: "room", hidden: true }, head, log.element, typists, composer.element);
const start = h("section", { class: "start" });
const drawStart = makeStart({ start, link, model, windows, devices: options.devices, faces, show });
const lock = makeLock({ app, link, model, goOn });
const finding = makeFinding({ link, model, log, show, title });
const main = h("main", {}, start, room);
const page = h("div", { class: "page" }, banner, calls.element, h("div", { class: "columns" }, list.element, main));
let isReady = false;

// ---- Coming in

async function begin() {
  applyTheme();
  if (token && !await link.enter(token).catch(() => false)) {
    locked();
    return;
  }
  link.connect();
}

async function opened(params) {
  model.outbox = params.outbox;
  if (!isReady) {
    for (const { name, text } of params.notes) {
      try {
        model.notes[name] = JSON.parse(text);
      } catch { /* of another version */ }
    }
    model.keepUnsaved();
  }
  applyTheme();
  if (!page.isConnected && !lock.isShown) replaceChildren(app, page);
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
    alerts();
    if (!lock.isTyping) await goOn();
  } catch (error) {
    if (error.code !== LOCKED) {
      if (error.reason !== "lost") told(error);
    } else if (isReady) location.reload(); // Nothing of the conversations stays in the page.
    else lock.show();
  }
}

async function goOn() {
  if (!page.isConnected) replaceChildren(app, page);
  if (isReady) return;
  isReady = true;
  await first();
}

async function first() {
  document.documentElement.dataset.ready = "yes";
  const target = wanted && [...model.conversations.values()].find((c) => c.id === wanted || c.name === wanted);
  const remembered = model.conversations.get(model.note("open"));
  if (target) {
    await show(target.id);
    calls.opened(target.id, word);
  } else if (!narrow.matches && remembered) await show(remembered.id);
  else if (!narrow.matches && model.listed().length) await show(model.listed()[0].id);
  else home();
}

function locked() {
  const code = h("input", { autocomplete: "off", spellcheck: false, dataset: { first: "" } });
  replaceChildren(
    app,
    h(
      "main",
      { class: "alone" },
      h("img", { src: "/icon.svg", alt: "", width: 72, height: 72 }),
      h("h1", {}, T.locked),
      h("p", {}, T.lockedText),
      form([field(T.code, code)], T.enter, async () => {
        if (!await link.enter(code.value)) throw new Error(T.wrongCode);
        link.connect();
      }),
    ),
  );
}

function ended(why) {
  model.isOver = true;
  calls.hangUp();
  replaceChildren(
    app,
    h(
      "main",
      { class: "alone" },
      h("img", { src: "/icon.svg", alt: "", width: 72, height: 72 }),
      h("h1", {}, why === "full" ? T.full : T.ended),
      h("p", {}, why === "full" ? T.fullText : T.endedText),
      h("button", { type: "button", class: "main", onclick: () => location.reload() }, T.reload),
    ),
  );
}

function state(text, ...more) {
  banner.hidden = !text;
  banner.dataset.alert = "";
  replaceChildren(banner, text, more);
}

// ---- Following

function changed(what, detail) {
  switch (what) {
    case "list":
      soon("list");
      if (detail?.message) notify(detail);
      break;
    case "log":
      if (detail.whole || detail.older !== undefined) log.draw(detail);
      else if (detail.id === model.current) soon("log");
      break;
    case "told":
      if (detail === model.current) log.see();
      break;
    case "saving":
      document.documentElement.dataset.saving = detail ? "yes" : "no";
      break;
    // Whoever is still near the end of what is there gets more.
    case "loaded":
      if (detail === model.current) log.scrolled();
      break;
    case "ticks":
      if (detail === model.current) log.drawTicks();
      break;
    case "outbox":
      soon("log");
      break;
    case "typing":
      if (detail === model.current) drawTypists();
      break;
    case "presence":
      soon("list");
      break;
    case "picture":
      forgetPicture(detail.peer ?? detail.person);
      soon("list");
      break;
    case "members":
      if (detail === model.current) soon("list");
      break;
    case "roster":
      windows.groups.changed(detail);
      calls.rosterChanged(detail);
      break;
    case "turned":
      turned(detail);
      break;
    case "devices":
      options.devices.changed();
      break;
    case "status":
      soon("list");
      alerts();
      composer.element.classList.toggle("off", !link.isOpen);
      composer.line.readOnly = !link.isOpen;
      break;
    case "around":
    case "people":
      if (!model.current) drawStart();
      soon("list");
      break;
    default:
      break;
  }
}

// What many messages change is drawn once a frame; where nobody sees frames, a few times a second.
// Nothing moves under a pressed button: a click reaches only an element that is there at its beginning and its end.
const dirty = new Set();
let isDue = false;
let isPressed = false;

function soon(what) {
  dirty.add(what);
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(draw);
  setTimeout(draw, 300);
}

function draw() {
  if (!isDue) return;
  if (dirty.has("list")) titleLine();
  if (isPressed) return;
  isDue = false;
  if (dirty.has("list")) {
    list.draw();
    headline();
  }
  if (dirty.has("log")) log.draw({});
  dirty.clear();
}

function released() {
  if (!isPressed) return;
  isPressed = false;
  setTimeout(draw);
}

addEventListener("pointerdown", () => (isPressed = true));
for (const kind of ["pointerup", "pointercancel", "blur"]) addEventListener(kind, released);
// A scroll bar says nothing of its release.
addEventListener("pointermove", (event) => event.buttons || released());

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
  state(alert ? plain(alert.text) : "");
  banner.dataset.alert = alert ? "yes" : "";
}

function notify({ message, counts }) {
  if (!counts || !settings().notifications || document.hasFocus() && message.conversation === model.current) return;
  const c = model.conversations.get(message.conversation);
  if (!c || c.muted || !(message.mention || c.kind === "direct")) return;
  const text = c.kind === "secret" ? "" : excerpt(message).slice(0, 200);
  const shown = new Notification(plain(message.authorName), { body: text, tag: c.id, icon: "/icon.svg" });
  shown.onclick = () => {
    window.focus();
    show(c.id);
    shown.close();
  };
}

// Somebody came into a group, is out of it, or has another role there.
function turned({ id, name, event, peer, peerName, by, byName }) {
  const isMe = (device) => device === model.me.device;
  const doer = isMe(by) ? T.you : byName && plain(byName);
  if (isMe(peer) && event === "memberRemoved") {
    note(T.removedFrom(plain(name), doer), true);
    if (id === model.current) home();
  } else if (id === model.current) note(T.turn[event]?.(isMe(peer) ? T.you : plain(peerName), doer) ?? "");
}

function drawTypists() {
  const names = [...(model.typing.get(model.current)?.values() ?? [])].filter((t) => t.until > Date.now()).map((t) =>
    plain(t.name)
  );
  typists.textContent = names.length ? T.typing(names) : "";
}

// ---- A conversation

async function show(id, where = {}) {
  if (!model.conversations.has(id)) return;
  page.classList.add("inside");
  start.hidden = true;
  room.hidden = false;
  composer.show(id);
  const opening = model.current !== id || where.around || where.since ? model.open(id, where) : undefined;
  // Together with the line: nobody writes to one conversation under the name of another.
  list.draw();
  headline();
  drawTypists();
  if (opening) {
    try {
      await opening;
    } catch (error) {
      told(error);
      return;
    }
    model.keep("open", id);
  }
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
  const mark = `${c.id}|${title(c)}|${c.topic}|${c.members}|${members?.length}|${
    model.presence.get(c.person)
  }|${c.muted}`;
  if (head.dataset.mark === mark) return;
  head.dataset.mark = mark;
  const below = c.kind === "direct" ? T[model.presence.get(c.person)] ?? T.offline : T.memberCount(c.members);
  replaceChildren(
    head,
    sign("←", T.back, home, { class: "sign back" }),
    h(
      "button",
      { type: "button", class: "about", onclick: () => windows.about(c.id), title: T.conversation },
      h("h1", {}, h("bdi", {}, title(c)), c.muted ? " 🔕" : ""),
      h("span", { class: "topic" }, [below, c.topic ? plain(c.topic) : ""].filter(Boolean).join(" · ")),
    ),
    calls.signs(c),
    sign("📅", T.goToDate, () => finding.goToDate()),
    sign("🔍", T.search, () => finding.search()),
  );
}

// ---- First run

// ---- Acts

async function react(m, s, remove) {
  try {
    await link.call("react", { id: m.id, sign: s, ...(remove ? { remove: true } : {}) });
  } catch (error) {
    told(error);
  }
}

async function remove(m) {
  if (!await confirm(T.confirmDelete, T.confirmDeleteText, T.remove)) return;
  try {
    await link.call("delete", { id: m.id });
  } catch (error) {
    told(error);
  }
}

async function discard(item) {
  try {
    await link.call("web.discard", { key: item.key });
  } catch (error) {
    told(error);
  }
}

async function again(item) {
  await discard(item);
  if (!composer.line.value) {
    composer.line.value = item.text;
    composer.changed();
  } else composer.insert(`\n${item.text}`);
}

async function info(m) {
  try {
    const found = await link.call("info", { id: m.id });
    open(
      T.info,
      (body) =>
        put(
          body,
          h("p", {}, `${fullTime(m.time)} · `, h("bdi", {}, personName(m.authorName, m.ambiguous, m.author))),
          h("p", {}, h("code", {}, m.id)),
          found.firstText !== undefined ? h("p", { dir: "auto" }, `${T.firstText}: ${plain(found.firstText)}`) : "",
          found.members?.length
            ? [
              h("h3", {}, T.whoRead),
              h(
                "ul",
                { class: "people" },
                found.members.map((p) =>
                  h(
                    "li",
                    { class: "row" },
                    picture(p.id, p.name),
                    h("bdi", {}, personName(p.name, p.ambiguous, p.id)),
                    h("span", { class: "state" }, T.outcome[p.outcome] ?? p.outcome),
                  )
                ),
              ),
            ]
            : [],
          (m.reactions ?? []).map((r) => h("p", {}, h("bdi", {}, plain(r.sign)), ` ${r.names.map(plain).join(", ")}`)),
        ),
    );
  } catch (error) {
    told(error);
  }
}

// ---- Words and pictures

function title(c) {
  if (c.kind !== "direct") return plain(c.name);
  if (c.person === model.me.id || c.person === model.me.device) return `${plain(model.me.name)} (${T.you})`;
  return personName(c.name.replace(/^@/, ""), c.ambiguous, c.person ?? c.id);
}

// ---- Settings of the page

function settings() {
  return { ...DEFAULTS, ...model.note("settings") };
}

async function setSetting(name, value) {
  if (name === "notifications" && value && await Notification.requestPermission() !== "granted") return;
  model.keep("settings", { ...settings(), [name]: value });
  applyTheme();
}

function applyTheme() {
  document.documentElement.dataset.theme = settings().theme;
}

// ---- Keyboard, dropping, being there

document.addEventListener("keydown", (event) => {
  if (!page.isConnected || document.querySelector("dialog[open]")) return;
  const key = event.key.toLowerCase();
  if ((event.ctrlKey || event.metaKey) && key === "k") {
    event.preventDefault();
    finding.switcher();
  } else if ((event.ctrlKey || event.metaKey) && event.shiftKey && key === "f") {
    event.preventDefault();
    finding.search();
  } else if (event.altKey && event.key === "ArrowUp") {
    event.preventDefault();
    list.move(-1);
  } else if (event.altKey && event.key === "ArrowDown") {
    event.preventDefault();
    list.move(1);
  } else if (event.altKey && key === "u") {
    event.preventDefault();
    list.nextUnread();
  } else if (event.altKey && key === "h") {
    event.preventDefault();
    model.readAll();
  }
});
document.addEventListener("visibilitychange", () => log.see());
window.addEventListener("focus", () => log.see());
narrow.addEventListener("change", () => list.draw());
document.addEventListener("dragover", (event) => {
  if ([...event.dataTransfer.types].includes("Files")) {
    event.preventDefault();
    page.classList.add("dropping");
  }
});
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) page.classList.remove("dropping");
});
document.addEventListener("drop", (event) => {
  page.classList.remove("dropping");
  const files = [...event.dataTransfer.files];
  if (!files.length) return;
  event.preventDefault();
  if (model.current) composer.give(files);
});
room.dataset.drop = T.drop;

begin();
