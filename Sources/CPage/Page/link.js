// The way to the program behind the page, and through it to the daemon.

export class Refusal extends Error {
  constructor(error) {
    super(error.message);
    this.reason = error.data?.reason;
    this.code = error.code;
    this.remedy = error.data?.remedy;
    this.data = error.data ?? {};
  }
}

const KEY = "stoa-key";
const PATIENCE = 8000;

export class Link {
  // `on` has opened, event, down, ended, locked.
  constructor(on) {
    this.on = on;
    this.waiting = new Map();
    this.lastID = 0;
    this.socket = null;
    this.isOpen = false;
    this.lostAt = 0;
  }

  get key() {
    return sessionStorage.getItem(KEY) ?? "";
  }

  // Exchanges a token, or a code that was typed, for the key.
  async enter(token) {
    const answer = await fetch("/enter", { method: "POST", body: token, cache: "no-store" });
    if (!answer.ok) return false;
    sessionStorage.setItem(KEY, (await answer.json()).key);
    return true;
  }

  connect() {
    if (!this.key) {
      this.on.locked();
      return;
    }
    const socket = new WebSocket(`ws://${location.host}/ws`);
    this.socket = socket;
    socket.onopen = () => socket.send(JSON.stringify({ key: this.key }));
    socket.onmessage = (event) => this.receive(JSON.parse(event.data));
    socket.onclose = (event) => this.closed(event.code);
  }

  receive(message) {
    if (message.method === undefined) {
      const waiting = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.error) waiting?.reject(new Refusal(message.error));
      else waiting?.resolve(message.result);
      return;
    }
    if (message.method === "web.opened") {
      this.isOpen = true;
      this.lostAt = 0;
      this.on.opened(message.params);
    } else {
      this.on.event(message.method, message.params);
    }
  }

  closed(code) {
    const wasOpen = this.isOpen;
    this.isOpen = false;
    for (const { reject } of this.waiting.values()) {
      reject(new Refusal({ code: 0, message: "the connection was lost", data: { reason: "lost" } }));
    }
    this.waiting.clear();
    if (code === 4001) {
      sessionStorage.removeItem(KEY);
      this.on.locked();
      return;
    }
    if (code === 4008) {
      this.on.ended("full");
      return;
    }
    if (!this.lostAt) this.lostAt = Date.now();
    if (wasOpen) this.on.down();
    if (Date.now() - this.lostAt > PATIENCE) {
      this.on.ended("gone");
      return;
    }
    setTimeout(() => this.connect(), 250);
  }

  call(method, params = {}) {
    return new Promise((resolve, reject) => {
      if (!this.isOpen) {
        reject(new Refusal({ code: 0, message: "the connection was lost", data: { reason: "lost" } }));
        return;
      }
      this.lastID += 1;
      this.waiting.set(this.lastID, { resolve, reject });
      this.socket.send(JSON.stringify({ jsonrpc: "2.0", id: this.lastID, method, params }));
    });
  }

  // All elements of a list, page by page.
  async every(method, params = {}, most = 5000) {
    const items = [];
    let after;
    do {
      const page = await this.call(method, { ...params, ...(after ? { after } : {}) });
      items.push(...page.items);
      after = page.next;
    } while (after && items.length < most);
    return items;
  }

  // Content that only the holder of the key gets: a file, or a picture.
  async content(path) {
    const answer = await fetch(path, { headers: { "X-Stoa-Key": this.key }, cache: "no-store" });
    if (answer.status === 204) throw new Refusal({ code: 204, message: "there is none" });
    if (!answer.ok) throw new Refusal({ code: answer.status, message: (await answer.text()).trim() });
    return await answer.blob();
  }

  // Gives a file to the program; `progress` is told the part that has gone. Resolves to its number.
  upload(file, progress, signal) {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("POST", "/file");
      request.setRequestHeader("X-Stoa-Key", this.key);
      request.setRequestHeader("Content-Type", "application/octet-stream");
      request.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
      request.onload = () =>
        request.status === 200
          ? resolve(JSON.parse(request.responseText).upload)
          : reject(new Refusal({ code: request.status, message: request.responseText.trim() }));
      request.onerror = () => reject(new Refusal({ code: 0, message: "the file could not be read or sent" }));
      request.onabort = () => reject(new Refusal({ code: 0, message: "cancelled", data: { reason: "cancelled" } }));
      signal?.addEventListener("abort", () => request.abort());
      request.send(file);
    });
  }
}
