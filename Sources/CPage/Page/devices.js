// The user's own devices: which there are, linking another one by its code, naming and revoking one.

import { T } from "./texts.js";
import { h, personName, plain, put, replaceChildren } from "./dom.js";
import { button, confirm, doing, field, form, note, open } from "./dialogs.js";

export class Devices {
  constructor(model, act) {
    this.model = model;
    this.act = act;
  }

  get link() {
    return this.model.link;
  }

  open() {
    open(T.devices, (body) => {
      const list = h("ul", { class: "people" });
      const linking = h("section", { hidden: true });
      // Who has begun a conversation here cannot become somebody else.
      const isUnused = this.model.conversations.size === 0;
      this.place = list;
      this.draw = doing(async () => {
        const items = await this.link.every("devices");
        const approves = items.some((d) => d.here && d.approves);
        linking.hidden = !approves;
        const several = items.filter((d) => !d.revoked).length > 1;
        replaceChildren(list, items.map((d) => this.row(d, approves, several)));
      });
      this.fillLinking(linking);
      put(body, h("p", {}, T.devicesText), list, isUnused ? this.becoming() : null, linking);
      this.draw();
    });
  }

  // A device was linked or revoked.
  changed() {
    if (this.place?.isConnected) this.draw();
  }

  row(d, approves, several) {
    const state = d.revoked
      ? T.deviceRevoked
      : d.here
      ? T.deviceHere
      : d.linked
      ? T.online
      : d.lastSeen
      ? T.deviceSeen(this.act.fullTime(d.lastSeen))
      : T.offline;
    return h(
      "li",
      { class: "row" },
      d.name ? h("span", {}, plain(d.name)) : null,
      h("code", {}, `${d.id.slice(0, 16)}…`),
      h("span", { class: "state" }, state),
      several && !d.revoked ? button(T.rename, () => this.rename(d)) : null,
      approves && !d.here && !d.revoked
        ? button(
          T.revoke,
          doing(async () => {
            if (!await confirm(T.revoke, T.revokeText, T.revoke)) return;
            const { unasked } = await this.link.call("deviceRevoke", { device: `@${d.id}` });
            if (unasked) note(T.unasked(unasked.map(plain).join(", ")));
            await this.draw();
          }),
          "danger",
        )
        : null,
    );
  }

  // All of the user's devices show the name, and nobody else does.
  async rename(d) {
    await open(T.rename, (body, close) => {
      const name = h("input", { value: d.name ?? "", maxLength: 64 });
      put(
        body,
        form([field(T.deviceName, name)], T.rename, async () => {
          await this.link.call("deviceRename", { device: `@${d.id}`, name: name.value.trim() });
          return true;
        }, close),
      );
    });
    this.changed();
  }

  // This machine becomes another device of somebody whose machine is linked.
  becoming() {
    const peers = this.model.peers.filter((p) => p.state === "linked");
    const place = h("section", {}, h("h3", {}, T.becomeDevice), h("p", {}, T.becomeDeviceText));
    if (!peers.length) {
      put(place, h("p", {}, T.becomeNobody));
      return place;
    }
    const other = h(
      "select",
      {},
      peers.map((p) => h("option", { value: p.id }, `${personName(p.name, p.ambiguous, p.id)} · ${p.id.slice(0, 8)}`)),
    );
    const check = h("input", { autocomplete: "off", inputMode: "numeric", maxLength: 4 });
    const code = h("p", { class: "lead", role: "status" });
    const last = form([field(T.becomeCheck, check)], T.becomeLink, async () => {
      const digits = check.value.replace(/\D/g, "");
      if (digits.length !== 4) throw new Error(T.becomeCheckDigits);
      await this.link.call("deviceLink", { check: digits });
      note(T.becomeDone);
      place.hidden = true;
    });
    last.hidden = true;
    const first = form([field(T.becomeOf, other)], T.becomeShow, async () => {
      const shown = (await this.link.call("deviceLink", { person: `@${other.value}` })).code;
      code.textContent = T.becomeCode(`${shown.slice(0, 4)} ${shown.slice(4)}`);
      last.hidden = false;
      check.focus();
    });
    put(place, first, code, last);
    return place;
  }

  // It hands over who the user is, so it asks before that.
  fillLinking(place) {
    const code = h("input", { autocomplete: "off", inputMode: "numeric", maxLength: 9 });
    const answer = h("p", { class: "lead", role: "status" });
    put(
      place,
      h("h3", {}, T.linkDevice),
      h("p", {}, T.linkDeviceText),
      form([field(T.linkCode, code)], T.linkDevice, async () => {
        const digits = code.value.replace(/\D/g, "");
        if (digits.length !== 8) throw new Error(T.linkCodeDigits);
        if (!await confirm(T.linkDevice, T.linkDeviceAsk, T.linkDevice)) return;
        const { check } = await this.approve(digits);
        code.value = "";
        replaceChildren(answer, T.linkCheck, " ", h("code", { class: "digits" }, check));
      }),
      answer,
    );
  }

  async approve(code) {
    try {
      return await this.link.call("deviceApprove", { code });
    } catch (error) {
      if (error.reason !== "noBackup" || !await confirm(T.linkDevice, T.linkWithoutBackup, T.linkDevice)) throw error;
      return await this.link.call("deviceApprove", { code, withoutBackup: true });
    }
  }
}
