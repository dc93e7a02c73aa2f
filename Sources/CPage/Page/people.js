// Windows about people, conversations and oneself.

import { T } from "./texts.js";
import { h, plain, put, replaceChildren, shown } from "./dom.js";
import { button, confirm, copy, doing, field, form, note, open, withPerson } from "./dialogs.js";
import { Groups } from "./groups.js";
import { picture as code } from "./qr.js";

export class Windows {
  constructor(model, act) {
    this.model = model;
    this.act = act;
    this.groups = new Groups(model, act, (made) => this.secret(made));
  }

  get link() {
    return this.model.link;
  }

  // ---- Beginning conversations

  newConversation() {
    open(T.newConversation, (body, close) => {
      const enter = async (call) => {
        const made = await call;
        const c = made.conversation ?? made;
        await this.model.loadConversations();
        close();
        this.act.open(c.id);
        if (made.invite) this.secret(made);
        return c;
      };
      const room = h("input", { autocomplete: "off", dataset: { first: "" }, list: "rooms" });
      const rooms = h(
        "datalist",
        { id: "rooms" },
        this.model.rooms.filter((r) => !r.joined).slice(0, 50).map((r) => h("option", { value: r.name })),
      );
      const person = h("input", { autocomplete: "off", list: "persons", placeholder: "@" });
      const persons = h(
        "datalist",
        { id: "persons" },
        this.model.people.concat(this.model.peers).slice(0, 100).map((p) =>
          h("option", { value: `@${p.ambiguous ? p.id : p.name}` })
        ),
      );
      const secret = h("input", { autocomplete: "off" });
      const invitation = h("textarea", { rows: 2, autocomplete: "off", spellcheck: false });
      const phraseRoom = h("input", { autocomplete: "off" });
      put(
        body,
        h(
          "section",
          {},
          h("h3", {}, T.newRoom),
          h("p", {}, T.newRoomText),
          form(
            [field(T.roomName, room), rooms],
            T.join,
            () => enter(this.link.call("join", { room: room.value.trim() })),
          ),
        ),
        h(
          "section",
          {},
          h("h3", {}, T.newDirect),
          form([field(T.personName, person), persons], T.writeTo, () => enter(this.begin(person.value.trim()))),
        ),
        h(
          "section",
          {},
          h("h3", {}, T.newSecret),
          h("p", {}, T.newSecretText),
          form(
            [field(T.roomName, secret)],
            T.create,
            () => enter(this.link.call("createConversation", { room: secret.value.trim() })),
          ),
        ),
        this.groups.creation(enter),
        h(
          "section",
          {},
          h("h3", {}, T.byInvite),
          form(
            [field(T.inviteLine, invitation), field(T.phraseRoom, phraseRoom)],
            T.join,
            () => this.byInvitation(invitation.value.trim(), phraseRoom.value.trim(), close),
          ),
        ),
      );
    });
  }

  begin(typed) {
    return withPerson(T.newDirect, typed, (person) => this.link.call("createConversation", { person }));
  }

  // By a line, in whatever it was pasted, or by the phrase of a room.
  async byInvitation(text, room, close) {
    if (/stoa:realm\?/.test(text)) {
      await this.link.call("realmJoin", { invite: text });
      await this.model.loadAround();
      close();
      note(T.undone);
      return;
    }
    const made = await this.link.call("join", room ? { room, phrase: text } : { invite: text });
    if (made.waiting) {
      close();
      note(T.waitsToJoin);
      return;
    }
    await this.model.loadConversations();
    close();
    this.act.open(made.id);
  }

  // An invitation is shown only when asked for.
  secret({ invite, phrase, name }) {
    open(T.invitation, (body) => {
      const show = button(T.showInvite, () => {
        replaceChildren(
          place,
          h("p", {}, T.inviteText),
          code(invite, T.invitation),
          h("code", { class: "secret" }, invite),
          phrase ? h("p", {}, `${T.phrase}: `, h("code", {}, phrase)) : null,
          button(T.copyLine, () => copy(invite)),
        );
      }, "main");
      const place = h("div", { class: "invitation" }, h("p", {}, T.inviteAsk), show);
      put(body, name ? h("p", {}, h("bdi", {}, plain(name))) : "", place);
    });
  }

  // ---- A conversation

  async about(id) {
    const { model } = this;
    const c = model.conversations.get(id);
    if (!c) return;
    const members = c.kind === "group" ? [] : await model.loadMembers(id).catch(() => []);
    open(T.conversation, (body, close) => {
      const change = (method, params = {}) =>
        doing(async () => {
          await this.link.call(method, { to: id, ...params });
          await model.loadConversations();
          close();
        });
      const topic = h("input", { value: c.topic ?? "", autocomplete: "off" });
      const days = h(
        "select",
        {},
        [["", T.retainForever], ...[1, 7, 30, 90, 365].map((n) => [String(n), T.retainDays(n)])]
          .map(([value, text]) => h("option", { value, selected: value === String(c.retainDays ?? "") }, text)),
      );
      put(
        body,
        h("p", { class: "lead" }, h("bdi", {}, this.act.title(c)), ` · ${T[c.kind]}`),
        c.kind === "direct"
          ? button(T.person, () => {
            close();
            this.person(c.person);
          })
          : form([field(T.topicLabel, topic)], T.save, async () => {
            await this.link.call("topic", { to: id, text: topic.value.trim() });
            return true;
          }, () => close()),
        h(
          "div",
          { class: "actions wrap" },
          button(c.muted ? T.unmute : T.mute, change(c.muted ? "unmute" : "mute")),
          button(c.archived ? T.unarchive : T.archive, change(c.archived ? "unarchive" : "archive")),
          c.kind === "secret"
            ? button(
              T.invitation,
              doing(async () => {
                const made = await this.link.call("invite", { room: id });
                close();
                this.secret(made);
              }),
            )
            : null,
          c.kind !== "direct"
            ? button(
              T.leave,
              doing(async () => {
                if (!await confirm(T.leave, c.kind === "group" ? T.leaveGroupText : T.leaveText, T.leave)) return;
                await this.link.call("leave", { room: id });
                await model.loadConversations();
                close();
                if (c.kind === "group") this.act.home();
              }),
              "danger",
            )
            : null,
          button(
            T.forget,
            doing(async () => {
              const dry = await this.link.call("forget", { to: id, dryRun: true });
              if (!await confirm(T.forget, T.forgetText(dry.messages), T.forget)) return;
              await this.link.call("forget", { to: id });
              model.logs.delete(id);
              if (model.current === id) model.current = "";
              await model.loadConversations();
              close();
              this.act.home();
            }),
            "danger",
          ),
        ),
        h(
          "div",
          { class: "form" },
          field(T.retention, days),
          h(
            "div",
            { class: "actions" },
            button(
              T.save,
              doing(async () => {
                const limit = days.value ? { days: Number(days.value) } : { off: true };
                const dry = await this.link.call("retain", { to: id, ...limit, dryRun: true });
                if (dry.retainGoing && !await confirm(T.retention, T.retainGoing(dry.retainGoing), T.save)) return;
                await change("retain", limit)();
              }),
            ),
          ),
        ),
        c.kind === "group" ? this.groups.part(id, close) : [
          h("h3", {}, T.memberCount(c.members)),
          h("ul", { class: "people" }, people(members).map((m) => this.row(m, close))),
        ],
      );
    });
  }

  row(m, close) {
    return h(
      "li",
      {},
      h(
        "button",
        {
          type: "button",
          class: "row",
          onclick: () => {
            close();
            this.person(m.id);
          },
        },
        this.act.picture(m.id, m.name),
        h("bdi", {}, this.act.name(m.name, m.ambiguous, m.id)),
        m.tier === "verified" ? " ✓" : "",
        m.tier === "own" ? ` (${T.you})` : "",
        h("span", { class: "state" }, T[m.presence] ?? ""),
      ),
    );
  }

  // ---- A person

  async person(id) {
    if (id === this.model.me.id || id === this.model.me.device) {
      this.profile();
      return;
    }
    const p = await doing(() => this.link.call("whois", { person: `@${id}` }))();
    if (!p) return;
    open(T.person, (body, close) => {
      const change = (method, params = {}) =>
        doing(async () => {
          await this.link.call(method, { person: `@${p.id}`, ...params });
          await this.model.loadPeople();
          await this.model.loadConversations();
          close();
        });
      const isContact = ["known", "verified"].includes(p.tier);
      put(
        body,
        h(
          "div",
          { class: "profile" },
          this.act.picture(p.id, p.name, "huge"),
          h(
            "div",
            {},
            h(
              "p",
              { class: "lead" },
              h("bdi", {}, this.act.name(p.name, p.ambiguous, p.id)),
              p.verified ? ` ✓ ${T.verified}` : "",
            ),
            p.status ? h("p", { dir: "auto" }, shown(p.status)) : null,
            h("p", { class: "state" }, T[p.presence] ?? p.state),
          ),
        ),
        h("p", {}, `${T.key}: `, h("code", {}, p.id)),
        h(
          "div",
          { class: "actions wrap" },
          button(
            T.writeTo,
            doing(async () => {
              const made = await this.begin(`@${p.id}`);
              await this.model.loadConversations();
              close();
              this.act.open((made.conversation ?? made).id);
            }),
            "main",
          ),
          button(isContact ? T.removeContact : T.addContact, change(isContact ? "removePerson" : "addPerson")),
          button(T.verify, () => {
            close();
            this.verify(p);
          }),
          p.tier === "blocked" ? button(T.unblock, change("unblock")) : button(T.block, async () => {
            if (await confirm(T.block, T.blockText, T.block)) await change("block")();
          }, "danger"),
        ),
      );
    });
  }

  async verify(p) {
    const found = await doing(() => this.link.call("verify", { person: `@${p.id}` }))();
    if (!found) return;
    open(
      T.verify,
      (body, close) =>
        put(
          body,
          h("p", {}, T.verifyText),
          h("p", {}, `${T.digits}: `, h("code", { class: "digits" }, found.digits)),
          h("p", {}, `${T.words}: `, h("code", {}, found.words)),
          h(
            "div",
            { class: "actions" },
            button(T.cancel, () => close()),
            button(
              T.theySame,
              doing(async () => {
                await this.link.call("verify", { person: `@${p.id}`, code: found.digits });
                await this.model.loadPeople();
                close();
                note(T.verified);
              }),
              "main",
            ),
          ),
        ),
    );
  }

  request(r) {
    open(r.group ? plain(r.groupName) : T.requestFrom(plain(r.name)), (body, close) => {
      const act = (method) =>
        doing(async () => {
          const made = await this.link.call(method, { person: method !== "block" && r.group || `@${r.person}` });
          await this.model.loadRequests();
          await this.model.loadConversations();
          close();
          if (method === "accept") this.act.open(made.id);
        });
      put(
        body,
        h("p", {}, h("bdi", {}, this.act.name(r.name, r.ambiguous, r.person))),
        h("p", { class: "text", dir: "auto" }, r.group ? T.invites(plain(r.groupName)) : shown(r.text)),
        h("p", {}, `${T.key}: `, h("code", {}, r.person)),
        h(
          "div",
          { class: "actions" },
          button(T.block, async () => {
            if (await confirm(T.block, T.blockText, T.block)) await act("block")();
          }, "danger"),
          button(T.decline, act("decline")),
          button(T.accept, act("accept"), "main"),
        ),
      );
    });
  }

  // ---- Oneself

  async profile() {
    const me = await doing(() => this.link.call("profile"))();
    if (!me) return;
    open(T.profile, (body, close) => {
      const name = h("input", { value: me.name, autocomplete: "off", maxLength: 60 });
      const status = h("input", { value: me.status, autocomplete: "off" });
      const presence = h(
        "select",
        {},
        ["online", "away", "offline"].map((word) => h("option", { value: word }, T[word])),
      );
      this.link.call("presence").then((p) => {
        presence.value = p.presence;
      }).catch(() => {});
      const face = h("span", {}, this.act.picture(me.id, me.name, "huge"));
      put(
        body,
        h(
          "div",
          { class: "profile" },
          face,
          h(
            "div",
            { class: "actions wrap" },
            this.chooser(() => {
              this.act.forgetPicture(me.id);
              replaceChildren(face, this.act.picture(me.id, me.name, "huge"));
            }),
            me.picture
              ? button(
                T.removePicture,
                doing(async () => {
                  await this.link.call("profile", { picture: false });
                  this.act.forgetPicture(me.id);
                  close();
                }),
              )
              : null,
          ),
        ),
        form([field(T.names, name), field(T.status, status), field(T.presence, presence)], T.save, async () => {
          await this.link.call("profile", { name: name.value.trim(), status: status.value.trim() });
          await this.link.call("presence", { presence: presence.value });
          this.model.refreshMe();
          return true;
        }, () => close()),
        h("p", {}, `${T.key}: `, h("code", {}, me.id)),
      );
    });
  }

  // A button that chooses a picture, which is made small and square before it leaves the page.
  chooser(then) {
    const input = h("input", {
      type: "file",
      accept: "image/png,image/jpeg,image/webp",
      hidden: true,
      onchange: doing(async () => {
        const [file] = input.files;
        if (!file) return;
        const number = await this.link.upload(await smaller(file), () => {});
        await this.link.call("web.picture", { upload: number });
        then();
      }),
    });
    return h("span", {}, input, button(T.choosePicture, () => input.click()));
  }
}

// A picture as a square of 256 pixels, as JPEG, whatever it was.
async function smaller(file) {
  const image = await createImageBitmap(file);
  const side = Math.min(image.width, image.height);
  const canvas = new OffscreenCanvas(256, 256);
  canvas.getContext("2d").drawImage(
    image,
    (image.width - side) / 2,
    (image.height - side) / 2,
    side,
    side,
    0,
    0,
    256,
    256,
  );
  return await canvas.convertToBlob({ type: "image/jpeg", quality: 0.85 });
}

// Of each person one device: this one, or one that is linked, or the first.
function people(members) {
  const shown = new Map();
  for (const m of members) {
    const key = m.person ?? m.id;
    const other = shown.get(key);
    if (!other || !m.state || (m.state === "linked" && other.state && other.state !== "linked")) shown.set(key, m);
  }
  return [...shown.values()];
}
