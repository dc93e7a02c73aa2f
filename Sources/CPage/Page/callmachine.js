// What becomes of calls: events go in with the time, and what is to be done comes out. It has no clock and no device.
//
// idle → calling | ringing → joining → in → idle. A call of two rings; in a room one starts it, others join.

export const RINGS = 45000;
const RING_AGAIN = 2000;
// Whoever rings says so every two seconds.
const RING_LOST = 7000;
const HERE_AGAIN = 4000;
const JOIN_AGAIN = 1000;
const JOIN_LOST = 10000;
const PEER_LOST = 20000;
const NO_MEDIA = 10000;
const ROOM_LOST = 12000;
// After a ring, however it ended, its caller does not ring again for so long.
const QUIET = 30000;
const MOST = 4;
const ROOMS = 64;
const CALLS = 64;
// Why somebody does not take a call.
const [DECLINED, BUSY, ELSEWHERE] = [1, 2, 3];

export class CallMachine {
  // `me` is the id of this device.
  constructor(me) {
    this.me = me;
    // Calls in rooms that one could join: by conversation, its id and who was heard when.
    this.rooms = new Map();
    // Calls that do not ring here any more.
    this.over = new Set();
    // The call that this page was in last.
    this.last = "";
    // Until when nothing rings here: by conversation of two.
    this.quiet = new Map();
    this.reset();
  }

  reset() {
    this.phase = "idle";
    this.call = "";
    this.conversation = "";
    this.isRoom = false;
    this.isMine = false;
    this.caller = "";
    this.video = false;
    this.peers = new Map();
    this.hadPeers = false;
    this.wasConnected = false;
    this.hasMedia = false;
    this.since = 0;
    this.begun = 0;
    this.toldAt = 0;
  }

  // Gives what is to be done, in order.
  handle(event, now) {
    this.now = now;
    this.todo = [];
    this[`on_${event.type}`](event);
    return this.todo;
  }

  // Whether time changes anything.
  get isWaiting() {
    return this.phase !== "idle" || this.rooms.size > 0;
  }

  // ---- What the user does

  on_start({ call, conversation, isRoom, video }) {
    if (this.phase !== "idle") return;
    this.quiet.delete(conversation);
    const there = isRoom && this.rooms.get(conversation);
    Object.assign(this, {
      call: there ? there.call : call,
      conversation,
      isRoom,
      isMine: !there,
      video,
      phase: isRoom ? "joining" : "calling",
      since: this.now,
    });
    this.act("media", { video });
    if (!isRoom) this.ring();
  }

  on_answer({ video }) {
    if (this.phase !== "ringing") return;
    this.phase = "joining";
    this.video = video;
    this.since = this.now;
    this.act("quiet");
    this.act("media", { video });
  }

  on_decline() {
    if (this.phase !== "ringing") return;
    this.send(this.caller, "decline", { reason: DECLINED });
    this.end("");
  }

  on_hangUp() {
    if (this.phase === "idle") return;
    if (this.phase === "ringing") {
      this.on_decline();
      return;
    }
    if (this.phase === "calling") this.send("member", "leave");
    else if (this.phase === "joining" && this.caller) this.send(this.caller, "decline", { reason: DECLINED });
    else if (this.isRoom) this.send("room", "leave");
    else { for (const peer of this.peers.keys()) this.send(peer, "leave"); }
    this.end("");
  }

  // The devices are there, or it is known that there are none.
  on_media() {
    this.hasMedia = true;
    if (this.phase !== "joining") return;
    this.phase = "in";
    this.toldAt = this.now;
    if (!this.isRoom) {
      this.add(this.caller);
      this.joinAgain(this.caller);
      return;
    }
    const there = this.rooms.get(this.conversation);
    if (there && there.call === this.call) {
      for (const peer of there.heard.keys()) {
        this.add(peer);
        this.joinAgain(peer);
      }
    }
    this.send("room", "here");
  }

  // ---- What others say

  on_signal(signal) {
    const { kind, from } = signal;
    if (from === this.me) return;
    this[`heard_${kind}`]?.(signal);
  }

  isThis({ call, conversation }) {
    return this.phase !== "idle" && this.call === call && this.conversation === conversation;
  }

  // Whether somebody is in the call of this device.
  hasPeer(id, signal) {
    return this.isThis(signal) && this.peers.has(id);
  }

  heard_ring(signal) {
    const { from, call, conversation, video, isRoom } = signal;
    if (isRoom || this.over.has(call)) return;
    if (this.isThis(signal)) {
      if (this.phase === "ringing" && from === this.caller) this.heardAt = this.now;
      // The word that this device joins was lost.
      if (this.phase === "in" && this.peers.has(from)) this.joinAgain(from);
    } else if (this.phase === "idle") {
      if (this.now < (this.quiet.get(conversation) ?? 0)) return;
      Object.assign(this, { phase: "ringing", call, conversation, caller: from, video, since: this.now });
      this.heardAt = this.now;
      this.act("ringing");
    } else if (this.phase === "calling" && this.conversation === conversation) {
      // Both call each other: the smaller id stays.
      if (call > this.call) {
        this.ring();
        return;
      }
      Object.assign(this, { call, caller: from, isMine: false, video: this.video, phase: "joining" });
      if (this.hasMedia) this.on_media();
    } else this.send(from, "decline", { reason: BUSY }, { call, conversation });
  }

  heard_join(signal) {
    const { from } = signal;
    if (!this.isThis(signal)) return;
    if (this.phase === "calling") {
      this.phase = "in";
      this.toldAt = this.now;
      this.add(from);
      this.send("member", "taken");
    } else if (this.phase !== "in") return;
    else if (!this.isRoom && !this.peers.has(from)) {
      this.send(from, "decline", { reason: ELSEWHERE });
      return;
    } else if (this.peers.size >= MOST - 1 && !this.peers.has(from)) {
      this.send(from, "decline", { reason: BUSY });
      return;
    } else this.add(from);
    this.send(from, "here");
    this.present(from);
  }

  heard_here(signal) {
    const { from, call, conversation, isRoom } = signal;
    if (isRoom) this.noteRoom(conversation, call, from);
    // The word that this side has left was lost.
    if (!isRoom && call === this.last) this.send(from, "leave", {}, { call, conversation });
    if (this.phase !== "in" || this.conversation !== conversation) return;
    if (this.call !== call) {
      // Two began at the same time: the smaller id stays.
      if (!this.isRoom || this.peers.size || call > this.call) return;
      Object.assign(this, { call, isMine: false });
      this.add(from);
      this.joinAgain(from);
      return;
    }
    if (!this.peers.has(from)) {
      if (!this.isRoom || this.peers.size >= MOST - 1) return;
      this.add(from);
      this.send(from, "here");
    }
    this.present(from);
  }

  heard_decline(signal) {
    if (!this.isThis(signal)) return;
    if (this.phase === "calling") {
      this.send("member", "taken");
      this.end(signal.reason === BUSY ? "busy" : "declined", "declined");
    } else if (this.phase === "in" && this.peers.get(signal.from)?.isConnected === false) {
      this.drop(signal.from);
      if (!this.peers.size) this.end(this.isRoom ? "full" : "elsewhere");
    }
  }

  heard_leave(signal) {
    if (signal.isRoom) this.rooms.get(signal.conversation)?.heard.delete(signal.from);
    if (!this.isThis(signal)) return;
    const isBefore = this.phase === "ringing" || this.phase === "joining";
    if (isBefore && signal.from === this.caller) this.end("missed");
    else if (this.peers.has(signal.from)) {
      this.drop(signal.from);
      if (!this.peers.size) this.end("left");
    }
  }

  heard_taken(signal) {
    if (this.isThis(signal) && this.phase === "ringing") this.end("elsewhere");
  }

  heard_offer(signal) {
    const peer = this.peers.get(signal.from);
    if (!this.isThis(signal) || this.phase !== "in" || !peer || signal.from > this.me) return;
    if (signal.number <= peer.number) return;
    peer.number = signal.number;
    this.hear(signal.from, peer);
    peer.isPresent = true;
    this.act("accept", { peer: signal.from, number: signal.number, sdp: signal.sdp, address: signal.address });
  }

  heard_answer(signal) {
    const peer = this.peers.get(signal.from);
    if (!this.isThis(signal) || !peer || signal.from < this.me || signal.number !== peer.number) return;
    if (peer.isAnswered) return;
    peer.isAnswered = true;
    this.hear(signal.from, peer);
    this.act("settle", { peer: signal.from, number: signal.number, sdp: signal.sdp, address: signal.address });
  }

  // ---- What becomes of the media

  on_connected({ peer: id }) {
    const peer = this.peers.get(id);
    if (!peer) return;
    peer.isConnected = true;
    peer.isTold = false;
    this.wasConnected = true;
    this.begun ||= this.now;
    this.act("changed");
  }

  on_lost({ peer: id }) {
    const peer = this.peers.get(id);
    if (!peer) return;
    peer.isConnected = false;
    peer.since = this.now;
    this.act("changed");
  }

  // Another tab of this device took the call, or is in one.
  on_otherTab({ call }) {
    this.forget(call);
    if (this.phase === "ringing" && this.call === call) this.end("");
  }

  // Somebody is in the conversation no more.
  on_out({ peer }) {
    if (this.peers.has(peer)) this.gone(peer);
  }

  // ---- Time

  on_tick() {
    for (const [conversation, { heard }] of this.rooms) {
      for (const [peer, at] of heard) if (this.now - at > ROOM_LOST) heard.delete(peer);
      if (!heard.size) {
        this.rooms.delete(conversation);
        this.act("rooms");
      }
    }
    if (this.phase === "calling") {
      if (this.now - this.since >= RINGS) {
        this.send("member", "leave");
        this.end("noAnswer", "missed");
      } else if (this.now - this.toldAt >= RING_AGAIN) this.ring();
    } else if (this.phase === "ringing") {
      if (this.now - this.heardAt > RING_LOST || this.now - this.since > RINGS + RING_LOST) this.end("missed");
    } else if (this.phase === "in") this.tickIn();
  }

  tickIn() {
    const isDue = this.now - this.toldAt >= HERE_AGAIN;
    if (isDue) this.toldAt = this.now;
    if (isDue && this.isRoom) this.send("room", "here");
    for (const [id, peer] of [...this.peers]) {
      if (isDue && !this.isRoom && peer.isPresent) this.send(id, "here");
      if (!peer.isPresent) {
        if (this.now - peer.since > JOIN_LOST) this.gone(id);
        else if (this.now - peer.toldAt >= JOIN_AGAIN) this.joinAgain(id);
        continue;
      }
      if (peer.isConnected) continue;
      if (this.now - peer.heardAt > PEER_LOST) this.gone(id);
      else if (this.now - peer.since >= NO_MEDIA) {
        peer.since = this.now;
        peer.isTold = true;
        this.act("changed");
        this.pair(id, peer);
      }
    }
  }

  gone(id) {
    this.drop(id);
    if (!this.peers.size) this.end(this.wasConnected ? "left" : "failed");
  }

  // ---- Parts of it

  act(what, more = {}) {
    this.todo.push({ do: what, ...more });
  }

  // `to` is a device, "member" for all devices of the other one, or "room" for all who are in it.
  send(to, kind, more = {}, { call = this.call, conversation = this.conversation } = {}) {
    this.act("send", { to, kind, call, conversation, ...more });
  }

  ring() {
    this.toldAt = this.now;
    this.send("member", "ring", { video: this.video });
  }

  joinAgain(id) {
    const peer = this.peers.get(id);
    if (peer) peer.toldAt = this.now;
    this.send(id, "join");
  }

  add(id) {
    if (this.peers.has(id)) return;
    const at = this.now;
    this.peers.set(id, { since: at, heardAt: at, toldAt: at, number: 0, isPresent: false, isConnected: false });
    this.act("changed");
  }

  hear(id, peer) {
    peer.heardAt = this.now;
  }

  // It is known that both are in.
  present(id) {
    const peer = this.peers.get(id);
    this.hear(id, peer);
    if (peer.isPresent) return;
    peer.isPresent = true;
    peer.since = this.now;
    this.hadPeers = true;
    this.pair(id, peer);
  }

  // The one with the smaller id offers; both offering at once would leave links hanging.
  pair(id, peer) {
    if (this.me > id) return;
    peer.number += 1;
    peer.isAnswered = false;
    this.act("offer", { peer: id, number: peer.number });
  }

  drop(id) {
    if (!this.peers.delete(id)) return;
    this.act("close", { peer: id });
    this.act("changed");
  }

  noteRoom(conversation, call, from) {
    const there = this.rooms.get(conversation);
    // Of two that began at the same time the smaller id stays.
    if (!there || call < there.call) {
      if (!there && this.rooms.size >= ROOMS) return;
      this.rooms.set(conversation, { call, heard: new Map([[from, this.now]]) });
      this.act("rooms");
    } else if (there.call === call && (there.heard.has(from) || there.heard.size < MOST)) {
      there.heard.set(from, this.now);
    }
  }

  // A word of it may still be on its way.
  forget(call) {
    this.over.add(call);
    if (this.over.size > CALLS) this.over.delete(this.over.values().next().value);
  }

  // The call is over for this device; the one who began it stores what became of it.
  end(why, outcome) {
    const wasIn = this.phase === "in" || this.phase === "joining";
    const seconds = this.begun ? Math.round((this.now - this.begun) / 1000) : 0;
    const { call, conversation, isMine } = this;
    for (const peer of [...this.peers.keys()]) this.act("close", { peer });
    if (isMine) {
      const became = outcome ?? (this.wasConnected ? "answered" : wasIn && this.hadPeers ? "failed" : "cancelled");
      this.act("record", { call, conversation, outcome: became, seconds });
    }
    this.forget(call);
    if (wasIn) this.last = call;
    if (this.phase === "ringing") this.quiet.set(conversation, this.now + QUIET);
    this.reset();
    this.act("quiet");
    this.act("ended", { why });
  }
}
