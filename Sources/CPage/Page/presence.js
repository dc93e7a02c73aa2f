// Whether somebody is at this page: what others are told, and what counts as read.

const AWAY = 600000;
// A page that is left open where nobody looks must not say that messages were read.
const LOOKS = 120000;
const TELL = 60000;

export class Presence {
  // `back` is called when somebody touches the page whom it took to be gone.
  constructor(model, back) {
    this.model = model;
    this.back = back;
    this.lastHere = Date.now();
    this.toldAt = 0;
    this.isAway = false;
    for (const kind of ["keydown", "pointerdown", "pointermove", "wheel", "touchstart"]) {
      document.addEventListener(kind, () => this.touch(), { passive: true, capture: true });
    }
    window.addEventListener("focus", () => this.touch());
    this.wait();
  }

  // By the clock on the wall, which goes on while the machine sleeps.
  get isLooking() {
    return Math.abs(Date.now() - this.lastHere) < LOOKS;
  }

  touch() {
    const wasLooking = this.isLooking;
    this.lastHere = Date.now();
    if (!wasLooking) this.back();
    if (!this.model.isUp) return;
    if (this.isAway) {
      this.isAway = false;
      this.tell({ presence: "online" });
      this.wait();
    } else if (Date.now() - this.toldAt > TELL) this.tell({ active: true });
  }

  tell(params) {
    this.toldAt = Date.now();
    this.model.link.call("presence", params).catch(() => {
      this.toldAt = 0;
    });
  }

  wait() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.look(), Math.max(1000, this.lastHere + AWAY - Date.now()));
  }

  // After ten minutes without a touch: away, unless the user is at another client, or has said what they are.
  async look() {
    if (Date.now() - this.lastHere < AWAY || !this.model.isUp) {
      this.wait();
      return;
    }
    try {
      const found = await this.model.link.call("presence");
      const elsewhere = found.activeMilliseconds ?? AWAY;
      if (found.presence !== "online" || Date.now() - this.lastHere < AWAY) {
        this.lastHere = Math.max(this.lastHere, Date.now() - AWAY / 2);
        this.wait();
        return;
      }
      if (elsewhere < AWAY) {
        this.timer = setTimeout(() => this.look(), AWAY - elsewhere + 1000);
        return;
      }
      this.isAway = true;
      this.tell({ presence: "away", active: false });
    } catch {
      this.wait();
    }
  }
}
