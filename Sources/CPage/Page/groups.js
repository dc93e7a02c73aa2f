// Groups: who is in one, with which role, and what its admins do there.

import { T } from "./texts.js";
import { h, plain, replaceChildren } from "./dom.js";
import { button, confirm, doing, field, form, note, withPerson } from "./dialogs.js";

const isAdmin = (info) => ["owner", "admin"].includes(info.role);

export class Groups {
  // `secret` shows an invitation.
  constructor(model, act, secret) {
    this.model = model;
    this.act = act;
    this.secret = secret;
  }

  get link() {
    return this.model.link;
  }

  creation(enter) {
    const name = h("input", { autocomplete: "off" });
    const all = h("input", { type: "checkbox", checked: true });
    return h(
      "section",
      {},
      h("h3", {}, T.newGroup),
      h("p", {}, T.newGroupText),
      form(
        [field(T.groupName, name), field(T.groupHistory, all)],
        T.create,
        () =>
          enter(this.link.call("groupCreate", {
            name: name.value.trim(),
            history: all.checked ? "all" : "joined",
          })),
      ),
    );
  }

  // The part of a window that shows a group, as it is now and as it changes while the window is open.
  part(id, close) {
    const people = h("div", {});
    const person = h("input", { autocomplete: "off", list: "group-persons", placeholder: "@" });
    const persons = h(
      "datalist",
      { id: "group-persons" },
      this.model.people.concat(this.model.peers).slice(0, 100).map((p) =>
        h("option", { value: `@${p.ambiguous ? p.id : p.name}` })
      ),
    );
    const invitation = form([field(T.invitePerson, person), persons], T.invite, async () => {
      await withPerson(T.invitePerson, person.value.trim(), (who) => this.perform(id, "add", who));
      person.value = "";
      note(T.invitedNote);
    });
    const admins = h("div", { hidden: true }, invitation, this.linking(id));
    this.shown = {
      id,
      place: people,
      draw: doing(async () => {
        const info = await this.link.call("groupInfo", { group: id });
        admins.hidden = !isAdmin(info);
        replaceChildren(
          people,
          this.members(info, close),
          info.history === "joined" ? h("p", {}, T.groupJoined) : null,
          this.undecided(info),
          this.links(info),
        );
      }),
    };
    this.shown.draw();
    return [people, admins];
  }

  // Others have changed a group: its window shows it.
  changed(id) {
    if (this.shown?.id === id && this.shown.place.isConnected) this.shown.draw();
  }

  async perform(id, act, person) {
    const { unasked } = await this.link.call("groupAct", { group: id, act, person });
    if (unasked) note(T.unasked(unasked.map(plain).join(", ")));
    await this.shown?.draw();
  }

  members(info, close) {
    const own = info.members.findIndex((m) => m.own);
    // They come by seniority: only who is more senior may take away.
    return [
      h("h3", {}, T.memberCount(info.members.length)),
      h(
        "ul",
        { class: "people" },
        info.members.map((m, place) => this.member(info, m, isAdmin(info) && own < place && m.id !== undefined, close)),
      ),
    ];
  }

  member(info, m, isBelow, close) {
    const id = info.id;
    const name = this.act.name(m.name, m.ambiguous, m.id ?? m.person);
    const doIt = (act) => doing(() => this.perform(id, act, `@${m.id}`));
    const asking = (word, text, act) =>
      doing(async () => {
        if (await confirm(word, text, word)) await this.perform(id, act, `@${m.id}`);
      });
    return h(
      "li",
      { class: "row" },
      h(
        "button",
        {
          type: "button",
          class: "row",
          disabled: m.id === undefined,
          onclick: () => {
            close();
            this.act.person(m.id);
          },
        },
        this.act.picture(m.id ?? m.person, m.name),
        h("bdi", {}, name),
        m.own ? ` (${T.you})` : "",
        h("span", { class: "state" }, [T.role[m.role], m.waiting ? T.roleInvited : ""].filter(Boolean).join(", ")),
      ),
      info.role === "owner" && isBelow && m.role === "member" ? button(T.makeAdmin, doIt("admin")) : null,
      isBelow && m.role === "admin" ? button(T.demote, asking(T.demote, T.demoteText(name), "demote")) : null,
      isBelow ? button(T.removeMember, asking(T.removeMember, T.removeMemberText(name), "remove"), "danger") : null,
    );
  }

  undecided(info) {
    if (!info.undecided?.length) return null;
    return [
      h("h3", {}, T.undecided),
      h("p", {}, T.undecidedText),
      h(
        "ul",
        { class: "people" },
        info.undecided.map((u) =>
          h(
            "li",
            { class: "row" },
            h("bdi", {}, T.undecidedAct(plain(u.by), u.does, plain(u.person))),
            h("span", { class: "state" }, this.act.fullTime(u.time)),
            button(
              T.approve,
              doing(async () => {
                await this.link.call("groupApprove", { group: info.id, act: u.act });
                await this.shown?.draw();
              }),
            ),
          )
        ),
      ),
    ];
  }

  links(info) {
    if (!isAdmin(info) || !info.links.length) return null;
    return [
      h("h3", {}, T.groupLinks),
      h(
        "ul",
        { class: "people" },
        info.links.map((l) =>
          h(
            "li",
            { class: "row" },
            T.groupLink(plain(l.by), l.expires && this.act.fullTime(l.expires), l.approve),
            button(
              T.endLink,
              doing(async () => {
                if (!await confirm(T.endLink, T.endLinkText, T.endLink)) return;
                await this.link.call("groupLink", { group: info.id, end: true, act: l.act });
                await this.shown?.draw();
              }),
              "danger",
            ),
          )
        ),
      ),
    ];
  }

  // Without a number of days, the link that was made before is shown again.
  linking(id) {
    const approve = h("input", { type: "checkbox" });
    const days = h("select", {}, ["", 1, 30, 365].map((n) => h("option", { value: n }, T.linkDays(n || 7))));
    return form([field(T.linkWorks, days), field(T.linkApprove, approve)], T.inviteByLink, async () => {
      const made = await this.link.call("groupLink", {
        group: id,
        approve: approve.checked,
        ...(days.value ? { days: Number(days.value) } : {}),
      });
      await this.shown?.draw();
      this.secret(made);
    });
  }
}
