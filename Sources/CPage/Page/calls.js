// Calls on the page: rings, sends what the machine wants sent, and shows who is there. Media are in callmedia.js.

import { T } from "./texts.js";
import { h, personName, plain, put, replaceChildren, sign } from "./dom.js";
import { button, field, note, open } from "./dialogs.js";
import { CallMachine } from "./callmachine.js";
import { decode, encode, encodeDescription, inflate, newCall, Parts } from "./callwire.js";
import { CallMedia } from "./callmedia.js";
import { Tone } from "./calltone.js";

const TICK = 500;
const ROOM = 32;
// How long a page that was opened to answer waits for the ring.
const ANSWERS = 8000;

export class Calls {
  constructor(model, act) {
    this.model = model;
    this.act = act;
    this.machine = new CallMachine("");
    this.parts = new Parts();
    this.media = new CallMedia(act, {
      happened: (event) => this.give(event),
      describe: (to, description) => this.describe(to, description),
      changed: () => this.draw(),
    });
    this.tone = new Tone();
    this.who = new Map();
    this.figures = new Map();
    this.element = h("section", { class: "talk", "aria-label": T.call, hidden: true });
    this.state = h("p", { class: "state", role: "status" });
    this.people = h("div", { class: "faces" });
    this.problem = h("p", { class: "problem", role: "alert", hidden: true });
    this.acts = h("div", { class: "actions wrap" });
    put(this.element, this.state, this.people, this.problem, this.acts);
    // Other tabs of this browser are told, so that they stop ringing.
    this.tabs = new BroadcastChannel("stoa-calls");
    this.tabs.onmessage = ({ data }) => this.give({ type: "otherTab", call: String(data) });
    // A tab that is closed says so while it still can.
    window.addEventListener("pagehide", () => this.give({ type: "hangUp" }));
  }

  get isIn() {
    return this.machine.phase !== "idle";
  }

  // While it rings, nothing is heard or seen of the user yet.
  get usesMedia() {
    return this.isIn && this.machine.phase !== "ringing";
  }

  // ---- What the user does

  start(id, video) {
    const c = this.model.conversations.get(id);
    if (!c || !this.canCall(c)) return;
    this.ready();
    this.give({ type: "start", call: newCall(), conversation: id, isRoom: c.kind !== "direct", video });
  }

  answer(video) {
    this.tabs.postMessage(this.machine.call);
    this.give({ type: "answer", video });
  }

  decline() {
    this.tabs.postMessage(this.machine.call);
    this.give({ type: "decline" });
  }

  hangUp() {
    this.give({ type: "hangUp" });
  }

  // A page that was opened for a call: it answers the one with that id, or the first that rings; or it calls.
  opened(id, word = "") {
    const [what, call] = word.split("=");
    if (what === "answer") {
      this.answers = { conversation: id, call, until: Date.now() + ANSWERS };
      this.answerSoon();
    } else if (what === "call") this.start(id, false);
  }

  answerSoon() {
    const { machine, answers } = this;
    if (machine.phase !== "ringing" || answers?.conversation !== machine.conversation) return;
    if (answers.call && answers.call !== machine.call) return;
    // With voice alone: the user chooses whether the camera goes on, not the caller.
    if (Date.now() < answers.until) this.answer(false);
    this.answers = undefined;
  }

  canCall(c) {
    const { me } = this.model;
    return c.kind === "secret" || c.kind === "group" || c.kind === "direct" && c.person !== me.id && c.person !== me.device;
  }

  // A call in a room that one could join.
  callIn(id) {
    return this.machine.conversation === id ? undefined : this.machine.rooms.get(id);
  }

  // ---- The machine

  ready() {
    this.machine.me = this.model.me.device;
  }

  give(event) {
    for (const what of this.machine.handle(event, Date.now())) this[`do_${what.do}`](what);
    if (!this.timer && this.machine.isWaiting) this.timer = setInterval(() => this.tick(), TICK);
    if (this.timer && !this.machine.isWaiting) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
    this.draw();
  }

  tick() {
    this.give({ type: "tick" });
    this.media.look();
  }

  // A notification of the daemon.
  async event({ conversation, peer, name, ambiguous, verified, address, data }) {
    const c = this.model.conversations.get(conversation);
    const signal = decode(Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0)));
    if (!c || !signal || !this.canCall(c)) return;
    this.ready();
    this.who.set(peer, { name, ambiguous, verified });
    if (this.who.size > 256) this.who.delete(this.who.keys().next().value);
    let sdp;
    if (signal.part) {
      if (!this.machine.hasPeer(peer, { call: signal.call, conversation })) return;
      const whole = this.parts.take(peer, signal, Date.now());
      if (!whole) return;
      try {
        sdp = await inflate(whole);
      } catch {
        return;
      }
    }
    this.give({ type: "signal", ...signal, sdp, address, from: peer, conversation, isRoom: c.kind !== "direct" });
    // Whoever is in a call, or has answered, is so in all tabs.
    if (signal.kind === "ring" && this.isIn && this.machine.call !== signal.call) this.tabs.postMessage(signal.call);
    if (signal.kind === "ring") this.answerSoon();
  }

  // A group has other members: nobody else is in a call there.
  async rosterChanged(id) {
    const isHere = () => this.isIn && this.machine.conversation === id;
    if (!isHere()) return;
    const members = await this.model.loadMembers(id).catch((error) => error.reason === "notInGroup" ? [] : null);
    if (!members || !isHere()) return;
    if (!members.length) this.hangUp();
    const ids = new Set(members.map((m) => m.id));
    for (const peer of [...this.machine.peers.keys()]) if (!ids.has(peer)) this.give({ type: "out", peer });
  }

  do_send({ to, kind, call, conversation, ...more }) {
    this.post(to, conversation, encode({ kind, call, ...more })).then((told) => {
      if (kind === "ring" && told === 0) this.unheard(T.callUnknown);
    }, (error) => {
      if (kind === "ring" && error.reason !== "tooFast" && error.reason !== "lost") this.unheard(error);
    });
  }

  // To whom nothing rings.
  unheard(why) {
    if (this.machine.phase !== "calling") return;
    this.hangUp();
    note(why.reason === "notLinked" ? T.callNotLinked : why.message ?? why, true);
  }

  async post(to, conversation, bytes) {
    const c = this.model.conversations.get(conversation);
    if (!c) return undefined;
    const { me } = this.model;
    let members = [to];
    if (to === "member") members = [c.person];
    if (to === "room") {
      const known = this.model.members.get(conversation) ?? await this.model.loadMembers(conversation);
      members = known.map((m) => m.id).filter((id) => id !== me.device && id !== me.id).slice(0, ROOM);
    }
    const data = btoa(String.fromCharCode(...bytes));
    const isDevice = to !== "member" && to !== "room";
    const send = (member) =>
      this.model.link.call("callSignal", {
        to: conversation,
        member: `@${member}`,
        ...(isDevice ? { device: true } : {}),
        data,
      });
    // Too much was sent, or the next key of a group is being made.
    const later = (error) => {
      if (error.reason !== "tooFast") throw error;
      return new Promise((resolve) => setTimeout(resolve, error.data.retryMilliseconds));
    };
    const sent = members.map((member) => send(member).catch((error) => later(error).then(() => send(member))));
    const results = await Promise.allSettled(sent);
    if (to !== "room" && results[0]?.status === "rejected") throw results[0].reason;
    return results.reduce((sum, r) => sum + (r.value?.told ?? 0), 0);
  }

  async describe(to, description) {
    const { call, conversation } = this.machine;
    for (const bytes of await encodeDescription({ call, ...description })) {
      await this.post(to, conversation, bytes).catch(() => {});
    }
  }

  do_media({ video }) {
    this.media.begin(video).then((has) => {
      if (!has) return;
      this.hasDevice = has;
      this.give({ type: "media" });
    });
    if (this.machine.phase === "calling") this.tone.begin("calling");
  }

  do_ringing() {
    const c = this.model.conversations.get(this.machine.conversation);
    if (c && !c.muted && this.act.settings().ringTone) this.tone.begin("ringing");
    if (c && !c.muted && this.act.settings().notifications && !document.hasFocus()) {
      const shown = new Notification(T.callFrom(this.title()), { tag: `call-${c.id}`, icon: "/icon.svg" });
      shown.onclick = () => window.focus();
    }
  }

  do_quiet() {
    this.tone.end();
  }

  do_offer({ peer, number }) {
    this.media.offer(peer, number);
  }

  do_accept({ peer, number, sdp, address }) {
    this.media.accept(peer, number, sdp, address);
  }

  do_settle({ peer, number, sdp, address }) {
    this.media.settle(peer, number, sdp, address);
  }

  do_close({ peer }) {
    this.media.close(peer);
  }

  // Kept by the program until the daemon has it, and stored once, by its key.
  do_record({ call, conversation, outcome, seconds }) {
    const params = { to: conversation, text: "", call: { outcome, seconds }, idempotencyKey: `call-${call}` };
    const store = (left) =>
      this.model.link.call("web.post", params).catch(() => left && setTimeout(() => store(left - 1), 1000));
    store(30);
  }

  do_changed() {
    if (this.machine.phase !== "calling") this.tone.end();
  }

  do_rooms() {
    this.act.roomsChanged();
  }

  do_ended({ why }) {
    this.media.end();
    this.figures.clear();
    replaceChildren(this.people);
    if (T.callEnded[why]) note(T.callEnded[why]);
  }

  // ---- What is shown

  title() {
    const c = this.model.conversations.get(this.machine.conversation);
    return c ? this.act.title(c) : "";
  }

  // ✓ where keys were compared; else the beginning of the key, to be compared.
  mark(device) {
    const known = this.model.people.concat(this.model.peers).find((p) => p.id === device);
    const isVerified = this.who.get(device)?.verified ?? known?.tier === "verified";
    return isVerified
      ? h("span", { class: "verified", role: "img", title: T.verified, "aria-label": T.verified }, "✓")
      : h("code", { class: "key" }, device.slice(0, 12));
  }

  name(device) {
    const known = this.who.get(device);
    return known ? personName(known.name, known.ambiguous, device) : this.title();
  }

  draw() {
    const { machine, media } = this;
    this.element.hidden = machine.phase === "idle";
    if (this.drawnPhase !== machine.phase) {
      this.drawnPhase = machine.phase;
      this.act.roomsChanged();
    }
    if (this.element.hidden) {
      this.drawn = "";
      return;
    }
    const peers = [...machine.peers.keys()];
    const isOut = [...machine.peers.values()].some((p) => p.isTold && !p.isConnected);
    this.problem.hidden = !isOut;
    if (isOut && !this.problem.textContent) this.problem.textContent = T.callNoMedia;
    if (!isOut) this.problem.textContent = "";
    const state = `${T.callPhase[machine.phase](this.title())}${
      this.hasDevice === "none" && machine.phase === "in" ? ` · ${T.callNoDevice}` : ""
    }`;
    if (this.state.textContent !== state) this.state.textContent = state;
    this.element.dataset.phase = machine.phase;
    this.drawPeople(machine.phase === "ringing" ? [machine.caller] : peers);
    const mark = [machine.phase, machine.video, media.isMuted, media.hasCamera, media.isSharing].join();
    if (this.drawn === mark) return;
    this.drawn = mark;
    const hadFocus = this.acts.contains(document.activeElement);
    replaceChildren(
      this.acts,
      machine.phase === "ringing"
        ? [
          button(T.callAnswer, () => this.answer(false), "main"),
          button(T.callAnswerVideo, () => this.answer(true)),
          button(T.callDecline, () => this.decline(), "danger"),
        ]
        : [
          button(media.isMuted ? T.callUnmute : T.callMute, () => media.mute()),
          button(media.hasCamera ? T.callCameraOff : T.callCameraOn, () => media.camera()),
          button(media.isSharing ? T.callShareEnd : T.callShare, () => media.share()),
          button(T.callDevices, () => this.devices()),
          button(T.callHangUp, () => this.hangUp(), "danger"),
        ],
    );
    if (hadFocus) this.acts.querySelector("button")?.focus();
  }

  drawPeople(devices) {
    for (const [device, figure] of this.figures) {
      if (device === "" || devices.includes(device)) continue;
      figure.remove();
      this.figures.delete(device);
    }
    for (const device of devices) {
      if (!this.figures.has(device)) {
        const video = h("video", { autoplay: true, playsInline: true, "aria-label": this.name(device) });
        const figure = h(
          "figure",
          { dataset: { peer: device } },
          video,
          this.act.picture(device, this.name(device), "huge"),
          h(
            "figcaption",
            {},
            h("bdi", {}, this.name(device)),
            " ",
            this.mark(device),
            " ",
            h("span", { class: "quality" }),
          ),
        );
        this.figures.set(device, figure);
        this.people.append(figure);
      }
      const figure = this.figures.get(device);
      const { stream, hasVideo, isSpeaking, quality } = this.media.of(device);
      const video = figure.querySelector("video");
      if (video.srcObject !== stream) video.srcObject = stream ?? null;
      if (stream && this.media.speaker && video.sinkId !== this.media.speaker) {
        video.setSinkId?.(this.media.speaker).catch(() => {});
      }
      figure.classList.toggle("seen", Boolean(hasVideo));
      figure.classList.toggle("speaking", Boolean(isSpeaking));
      const isConnected = Boolean(this.machine.peers.get(device)?.isConnected);
      figure.dataset.media = isConnected ? "connected" : "none";
      figure.querySelector(".quality").textContent = this.machine.phase === "ringing"
        ? ""
        : isConnected
        ? T.callQuality[quality] ?? ""
        : T.connecting;
    }
    this.drawSelf();
  }

  drawSelf() {
    const { media } = this;
    let figure = this.figures.get("");
    if (!media.hasCamera && !media.isSharing) {
      figure?.remove();
      this.figures.delete("");
      return;
    }
    if (!figure) {
      const video = h("video", { autoplay: true, playsInline: true, muted: true, "aria-label": T.you });
      figure = h("figure", { class: "self seen" }, video, h("figcaption", {}, T.you));
      this.figures.set("", figure);
      this.people.append(figure);
    }
    const video = figure.querySelector("video");
    if (video.srcObject !== media.preview) video.srcObject = media.preview;
  }

  // Which microphone, camera and speaker; and whether a call is heard.
  async devices() {
    if (!this.usesMedia) await this.media.begin(false);
    const all = await navigator.mediaDevices.enumerateDevices();
    const settings = this.act.settings();
    const chooser = (kind, name, chosen) =>
      h(
        "select",
        { onchange: (event) => chosen(event.target.value) },
        h("option", { value: "" }, T.callDefault),
        all.filter((d) => d.kind === kind && d.deviceId).map((d) =>
          h(
            "option",
            { value: d.deviceId, selected: settings[name] === d.deviceId },
            plain(d.label) || d.deviceId.slice(0, 8),
          )
        ),
      );
    const choose = (name) => async (value) => {
      await this.act.setSetting(name, value);
      await this.media.chosen(name);
    };
    const level = h("meter", { min: 0, max: 1, "aria-label": T.callLevel });
    const meter = setInterval(() => {
      level.value = this.media.level();
    }, 100);
    await open(T.callDevices, (body) =>
      put(
        body,
        h(
          "div",
          { class: "form" },
          field(T.callMicrophone, chooser("audioinput", "microphone", choose("microphone"))),
          field(T.callLevel, level),
          field(T.callCamera, chooser("videoinput", "camera", choose("camera"))),
          field(T.callSpeaker, chooser("audiooutput", "speaker", choose("speaker"))),
          field(
            T.callTone,
            h("input", {
              type: "checkbox",
              checked: settings.ringTone,
              onchange: (event) => this.act.setSetting("ringTone", event.target.checked),
            }),
          ),
        ),
      ));
    clearInterval(meter);
    if (!this.usesMedia) this.media.end();
  }

  // The buttons beside the name of a conversation.
  signs(c) {
    if (!this.canCall(c) || this.isIn) return [];
    if (this.callIn(c.id)) {
      return [h("button", { type: "button", class: "main", onclick: () => this.start(c.id, false) }, T.callJoin)];
    }
    return [
      sign("📞", T.callVoice, () => this.start(c.id, false)),
      sign("🎥", T.callVideo, () => this.start(c.id, true)),
    ];
  }
}
