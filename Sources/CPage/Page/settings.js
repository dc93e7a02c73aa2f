// Settings of the page and of the daemon, realms, the backup, what is wrong, and the keys.

import { T } from "./texts.js";
import { h, plain, put, replaceChildren } from "./dom.js";
import { Devices } from "./devices.js";
import { button, confirm, copy, doing, field, form, note, open } from "./dialogs.js";

export class Settings {
  constructor(model, act, windows) {
    this.model = model;
    this.act = act;
    this.windows = windows;
    this.devices = new Devices(model, act);
  }

  get link() {
    return this.model.link;
  }

  open() {
    open(T.settings, (body, close) => {
      const settings = this.act.settings();
      const select = (name, options) =>
        h(
          "select",
          { onchange: (event) => this.act.setSetting(name, event.target.value) },
          options.map(([value, text]) => h("option", { value, selected: settings[name] === value }, text)),
        );
      const check = (name) =>
        h("input", {
          type: "checkbox",
          checked: Boolean(settings[name]),
          onchange: async (event) => this.act.setSetting(name, event.target.checked),
        });
      const daemon = h("div", { class: "form" });
      this.drawDaemonSettings(daemon);
      put(
        body,
        h(
          "div",
          { class: "form" },
          field(T.theme, select("theme", [["auto", T.themeAuto], ["light", T.themeLight], ["dark", T.themeDark]])),
          field(T.enterSends, check("enterSends")),
          field(T.notifications, check("notifications")),
        ),
        h(
          "div",
          { class: "actions wrap" },
          button(T.profile, () => {
            close();
            this.windows.profile();
          }),
          button(T.realms, () => {
            close();
            this.realms();
          }),
          button(T.devices, () => {
            close();
            this.devices.open();
          }),
          button(T.backup, () => {
            close();
            this.backup();
          }),
          button(T.doctor, () => {
            close();
            this.doctor();
          }),
          button(T.callDevices, () => {
            close();
            this.act.callDevices();
          }),
          button(T.shortcuts, () => {
            close();
            this.shortcuts();
          }),
        ),
        h("h3", {}, T.daemonSettings),
        daemon,
      );
    });
  }

  async drawDaemonSettings(place) {
    const items = await doing(() => this.link.every("settings"))() ?? [];
    replaceChildren(
      place,
      items.map((item) => {
        const set = doing(async (value) => {
          await this.link.call("setSetting", { name: item.name, value });
          note(T.undone);
        });
        const input = item.type === "choice"
          ? h(
            "select",
            { onchange: (event) => set(event.target.value), disabled: Boolean(item.lockedBy) },
            item.choices.map((c) => h("option", { value: c, selected: c === item.value }, c)),
          )
          : h("input", {
            value: item.value,
            disabled: Boolean(item.lockedBy),
            onchange: (event) => set(event.target.value),
          });
        return h(
          "label",
          { class: "field", title: item.lockedBy ? T.lockedBy : "" },
          h("span", {}, item.name, h("small", {}, ` ${item.summary}`)),
          input,
        );
      }),
    );
  }

  async realms() {
    const items = await doing(() => this.link.every("realms"))();
    if (!items) return;
    open(T.realms, (body, close) => {
      const again = () => {
        close();
        this.realms();
      };
      const name = h("input", { autocomplete: "off" });
      const invitation = h("textarea", { rows: 2, spellcheck: false });
      put(
        body,
        h("p", {}, T.realmText),
        h(
          "ul",
          { class: "people" },
          items.map((r) =>
            h(
              "li",
              { class: "row" },
              h("bdi", {}, plain(r.name)),
              h("span", { class: "state" }, r.joined ? "" : T.leftRealm),
              r.joined && r.name !== "open"
                ? [
                  button(
                    T.invitation,
                    doing(async () => {
                      const made = await this.link.call("realmInvite", { name: r.name });
                      close();
                      this.windows.secret(made);
                    }),
                  ),
                  button(
                    T.leaveRealm,
                    doing(async () => {
                      if (await confirm(T.leaveRealm, plain(r.name), T.leaveRealm)) {
                        await this.link.call("realmLeave", { name: r.name });
                        again();
                      }
                    }),
                    "danger",
                  ),
                ]
                : null,
            )
          ),
        ),
        h("h3", {}, T.newRealm),
        form([field(T.realmName, name)], T.create, async () => {
          await this.link.call("realmNew", { name: name.value.trim() });
          again();
        }),
        h("h3", {}, T.joinRealm),
        form([field(T.inviteLine, invitation)], T.join, async () => {
          await this.link.call("realmJoin", { invite: invitation.value.trim() });
          await this.model.loadAround();
          again();
        }),
      );
    });
  }

  backup() {
    open(T.backup, (body) => {
      const place = h("div", {});
      put(
        body,
        h("p", {}, T.backupText),
        place,
        form([], T.makeBackup, async () => {
          const made = await this.link.call("web.backup");
          const blob = await this.link.content(`/backup/${made.number}`);
          const address = URL.createObjectURL(blob);
          h("a", { href: address, download: "stoa-backup" }).click();
          setTimeout(() => URL.revokeObjectURL(address), 60000);
          replaceChildren(
            place,
            h("p", {}, `${T.phrase}: `, h("code", { class: "secret" }, made.phrase)),
            button(T.copyLine, () => copy(made.phrase)),
          );
        }),
      );
    });
  }

  async doctor() {
    const found = await doing(() => this.link.call("diagnose"))();
    if (!found) return;
    open(T.doctor, (body) => {
      const lines = [
        ...found.settings.map((s) => `${s.text}; ${s.remedy}`),
        ...this.model.alerts.map((a) => a.text),
        ...found.unheard.map((u) => `${u.name} ${u.address}`),
      ];
      put(
        body,
        h("p", {}, T.doctorText),
        lines.length
          ? h("ul", {}, lines.map((line) => h("li", { dir: "auto" }, plain(line))))
          : h("p", { class: "lead" }, T.allWell),
        h("ul", {}, found.reach.map((r) => h("li", {}, h("bdi", {}, plain(r.name)), ` ${r.address}: ${r.outcome}`))),
      );
    });
  }

  shortcuts() {
    open(
      T.shortcuts,
      (body) =>
        put(
          body,
          h(
            "table",
            {},
            T.keys.map(([keys, text]) => h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, keys)), h("td", {}, text))),
          ),
        ),
    );
  }
}
