// Microphone, camera and the connections to other browsers: host addresses only, and no server.

import { reachable } from "./callwire.js";

const GATHERS = 1500;
const SPEAKS = 0.02;
const LOOKS = 5000;
const UNSEEN = 1500;

export class CallMedia {
  // `on` has happened(event), describe(peer, description) and changed().
  constructor(act, on) {
    this.act = act;
    this.on = on;
    this.links = new Map();
    this.reset();
  }

  reset() {
    this.audio = undefined;
    this.video = undefined;
    this.screen = undefined;
    this.isMuted = false;
    // One object from the first use of a device until all end: what was asked for in another turn stops at once.
    this.turn = undefined;
    this.preview = null;
  }

  get hasCamera() {
    return Boolean(this.video);
  }

  get isSharing() {
    return Boolean(this.screen);
  }

  get speaker() {
    return this.act.settings().speaker;
  }

  // ---- Devices

  // Takes what is there: without a camera a call has voice, and without any device one watches and listens.
  // Undefined if all ended meanwhile.
  async begin(wantsVideo) {
    this.turn ??= {};
    const { turn } = this;
    const kinds = wantsVideo ? ["audio", "video"] : ["audio"];
    await this.take(turn, kinds);
    if (wantsVideo && !this.audio && !this.video) for (const kind of kinds) await this.take(turn, [kind]);
    if (this.turn !== turn) return undefined;
    this.see();
    return this.audio || this.video ? "some" : "none";
  }

  // The only place that keeps a track: the one before it ends.
  put(kind, track) {
    if (this[kind] !== track) this[kind]?.stop();
    this[kind] = track;
    if (kind === "audio" && track) track.enabled = !this.isMuted;
  }

  // Asks for devices, or for a screen, and keeps what it gets.
  async take(turn, kinds) {
    const isNow = () => turn && this.turn === turn;
    if (!isNow()) return;
    const [kind] = kinds;
    const wanted = this.wanted();
    let tracks = [];
    try {
      const { mediaDevices } = navigator;
      const stream = kind === "screen"
        ? await mediaDevices.getDisplayMedia({ video: true })
        : await mediaDevices.getUserMedia(Object.fromEntries(kinds.map((one) => [one, wanted[one]])));
      tracks = stream.getTracks();
    } catch { /* there is none, or it may not be used */ }
    for (const track of tracks) {
      if (isNow()) this.put(kind === "screen" ? kind : track.kind, track);
      else track.stop();
    }
  }

  wanted() {
    const { microphone, camera } = this.act.settings();
    const one = (id, more) => ({ ...(id ? { deviceId: id } : {}), ...more });
    return {
      audio: one(microphone, { echoCancellation: true, noiseSuppression: true }),
      video: one(camera, { width: { ideal: 640 }, height: { ideal: 480 }, frameRate: { max: 30 } }),
    };
  }

  see() {
    const shown = this.screen ?? this.video;
    if (!shown) this.preview = null;
    else if (this.preview?.getVideoTracks()[0] !== shown) this.preview = new MediaStream([shown]);
    for (const link of this.links.values()) this.fill(link);
    this.on.changed();
  }

  mute() {
    this.isMuted = !this.isMuted;
    if (this.audio) this.audio.enabled = !this.isMuted;
    this.on.changed();
  }

  async camera() {
    if (this.video) this.put("video");
    else await this.take(this.turn, ["video"]);
    this.see();
  }

  async share() {
    if (this.screen) this.put("screen");
    else {
      await this.take(this.turn, ["screen"]);
      const { screen } = this;
      if (screen) {
        screen.onended = () => {
          if (this.screen !== screen) return;
          this.put("screen");
          this.see();
        };
      }
    }
    this.see();
  }

  // Another device was chosen.
  async chosen(name) {
    if (name === "microphone") await this.take(this.turn, ["audio"]);
    else if (name === "camera" && this.video) {
      // Some cameras are given once at a time.
      this.put("video");
      await this.take(this.turn, ["video"]);
    }
    this.see();
  }

  // How loud the microphone is, from 0 to 1.
  level() {
    if (!this.audio) return 0;
    if (this.listened !== this.audio) {
      this.hearing?.close();
      this.hearing = new AudioContext();
      this.analyser = this.hearing.createAnalyser();
      this.hearing.createMediaStreamSource(new MediaStream([this.audio])).connect(this.analyser);
      this.listened = this.audio;
    }
    const samples = new Float32Array(this.analyser.fftSize);
    this.analyser.getFloatTimeDomainData(samples);
    return Math.min(1, 2 * Math.max(...samples.map(Math.abs)));
  }

  // ---- Connections

  // What comes from somebody.
  of(peer) {
    const link = this.links.get(peer);
    if (!link) return {};
    return { ...link, hasVideo: performance.now() - link.seenAt < UNSEEN };
  }

  make(peer, number) {
    this.close(peer);
    const connection = new RTCPeerConnection({ iceServers: [] });
    const link = { peer, number, connection, stream: new MediaStream(), isSpeaking: false, quality: "", seenAt: -UNSEEN, newest: 0 };
    this.links.set(peer, link);
    connection.ontrack = ({ track }) => {
      link.stream.addTrack(track);
      this.on.changed();
    };
    connection.onconnectionstatechange = () => {
      if (this.links.get(peer) !== link) return;
      if (connection.connectionState === "connected") this.on.happened({ type: "connected", peer });
      else if (connection.connectionState === "failed") this.on.happened({ type: "lost", peer });
    };
    return link;
  }

  // Puts the own tracks in; a connection without one still gets what the other side sends.
  fill({ connection }) {
    for (const one of connection.getTransceivers()) {
      const kind = one.receiver.track.kind;
      const track = kind === "audio" ? this.audio : this.screen ?? this.video;
      if (one.sender.track !== (track ?? null)) one.sender.replaceTrack(track ?? null).catch(() => {});
    }
  }

  async offer(peer, number) {
    const link = this.make(peer, number);
    const { connection } = link;
    for (const kind of ["audio", "video"]) connection.addTransceiver(kind, { direction: "sendrecv" });
    this.fill(link);
    await this.trying(link, async () => {
      await connection.setLocalDescription(await connection.createOffer());
      await this.tell(link, "offer");
    });
  }

  async accept(peer, number, sdp, address) {
    const link = this.make(peer, number);
    const { connection } = link;
    await this.trying(link, async () => {
      await connection.setRemoteDescription({ type: "offer", sdp: reachable(sdp, address) });
      for (const one of connection.getTransceivers()) one.direction = "sendrecv";
      this.fill(link);
      await connection.setLocalDescription(await connection.createAnswer());
      await this.tell(link, "answer");
    });
  }

  async settle(peer, number, sdp, address) {
    const link = this.links.get(peer);
    if (link?.number !== number) return;
    await this.trying(link, () =>
      link.connection.setRemoteDescription({ type: "answer", sdp: reachable(sdp, address) }));
  }

  // What somebody sent may be no description: then there is no connection with them.
  async trying(link, act) {
    try {
      await act();
    } catch (error) {
      console.info(`no connection: ${error.message}`);
    }
  }

  // Tells the other side once all own addresses are known, or after a while.
  async tell(link, kind) {
    const { connection, peer, number } = link;
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, GATHERS);
      const look = () => {
        if (connection.iceGatheringState !== "complete") return;
        clearTimeout(timer);
        resolve();
      };
      connection.onicegatheringstatechange = look;
      look();
    });
    if (this.links.get(peer) !== link) return;
    await this.on.describe(peer, { kind, number, sdp: connection.localDescription.sdp });
  }

  // Who speaks, and how well it arrives.
  look() {
    for (const link of this.links.values()) {
      const receivers = link.connection.getReceivers();
      const sources = (kind) =>
        receivers.filter((r) => r.track.kind === kind).flatMap((r) => r.getSynchronizationSources());
      link.isSpeaking = sources("audio").some((s) => s.audioLevel > SPEAKS);
      // A camera that is turned off sends nothing, and nothing says so.
      const newest = Math.max(0, ...sources("video").map((s) => s.timestamp));
      if (newest > link.newest) link.seenAt = performance.now();
      link.newest = newest;
      if (Date.now() - (link.lookedAt ?? 0) < LOOKS) continue;
      link.lookedAt = Date.now();
      link.connection.getStats().then((stats) => {
        let [lost, all] = [0, 0];
        for (const one of stats.values()) {
          if (one.type !== "inbound-rtp") continue;
          lost += one.packetsLost;
          all += one.packetsLost + one.packetsReceived;
        }
        const part = (lost - (link.lost ?? 0)) / Math.max(1, all - (link.all ?? 0));
        Object.assign(link, { lost, all, quality: part > 0.05 ? "bad" : part > 0.01 ? "fair" : "good" });
      }).catch(() => {});
    }
  }

  close(peer) {
    const link = this.links.get(peer);
    this.links.delete(peer);
    link?.connection.close();
  }

  end() {
    for (const peer of [...this.links.keys()]) this.close(peer);
    for (const kind of ["audio", "video", "screen"]) this.put(kind);
    this.hearing?.close();
    this.hearing = this.listened = undefined;
    this.reset();
  }
}
