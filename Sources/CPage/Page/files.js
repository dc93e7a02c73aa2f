// Files: fetching them, looking at pictures, and asking before some are sent.

import { T } from "./texts.js";
import { h, plain, put } from "./dom.js";
import { form, open } from "./dialogs.js";

export function makeFiles(link) {
  return { download, viewPicture, askForFiles };

  async function download(m, state) {
    state.textContent = T.fetching;
    try {
      const address = URL.createObjectURL(await link.content(`/file/${m.id}`));
      h("a", {
        href: address,
        download: m.file.name.replace(/[\u0000-\u001f/\\:*?"<>|\u202a-\u202e\u2066-\u2069]/g, "_"),
      }).click();
      setTimeout(() => URL.revokeObjectURL(address), 60000);
      state.textContent = "";
    } catch (error) {
      state.textContent = plain(error.message);
    }
  }

  function viewPicture(address, m) {
    open(
      plain(m.file.name),
      (body) =>
        put(
          body,
          h("img", { src: address, alt: plain(m.file.name) }),
          h(
            "div",
            { class: "actions" },
            h(
              "button",
              { type: "button", class: "main", onclick: (event) => download(m, event.target.nextSibling) },
              T.download,
            ),
            h("span", { class: "state" }),
          ),
        ),
      { class: "viewer" },
    );
  }

  async function askForFiles(files) {
    const addresses = [];
    const answer = await open(T.attach, (body, close) => {
      const text = h("input", {
        autocomplete: "off",
        placeholder: T.caption,
        "aria-label": T.caption,
        dataset: { first: "" },
      });
      put(
        body,
        h(
          "ul",
          { class: "people" },
          files.map((file) => {
            const isPicture = /^image\/(png|jpeg|webp|gif)$/.test(file.type) && file.size < 32 << 20;
            if (isPicture) addresses.push(URL.createObjectURL(file));
            return h(
              "li",
              { class: "row" },
              isPicture
                ? h("img", { src: addresses.at(-1), alt: "", class: "thumb" })
                : h("span", { "aria-hidden": "true" }, "📄"),
              h("bdi", {}, plain(file.name)),
            );
          }),
        ),
        form([text], T.sendFile, async () => text.value.trim(), close),
      );
    });
    for (const address of addresses) URL.revokeObjectURL(address);
    return answer ?? null;
  }
}
