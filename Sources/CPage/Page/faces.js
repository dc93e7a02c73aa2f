// The pictures of people; letters of their names until there are some.

import { h, picture as drawn, plain } from "./dom.js";

const COLOURS = 12;
const FACE_PIXELS = 4_000_000;

export function makeFaces(link) {
  const pictures = new Map();
  return { picture, forgetPicture };

  // The picture of a person; letters of the name until there is one.
  function picture(id, name, size = "") {
    const text = plain(name).replace(/^@/, "");
    let sum = 0;
    for (const c of String(id)) sum = (sum * 31 + c.charCodeAt(0)) % 9973;
    const face = h("span", {
      class: `face colour-${sum % COLOURS} ${size}`,
      "aria-hidden": "true",
      dataset: { person: id },
    }, [...text][0]?.toUpperCase() ?? "?");
    const known = pictures.get(id);
    if (known === undefined) {
      pictures.set(id, null);
      if (/^[a-z0-9]{8,64}$/.test(id)) {
        link.content(`/picture/${id}`).then((blob) => {
          pictures.set(id, URL.createObjectURL(blob));
          for (const other of document.querySelectorAll(`.face[data-person="${id}"]`)) setFace(other, pictures.get(id));
        }).catch(() => {});
      }
    } else if (known) setFace(face, known);
    return face;
  }

  function setFace(face, address) {
    // Letters stay where it is none, or too large.
    drawn(address, { alt: "" }, FACE_PIXELS).then((image) => face.replaceChildren(image), () => {});
  }

  function forgetPicture(id) {
    const known = pictures.get(id);
    if (known) URL.revokeObjectURL(known);
    pictures.delete(id);
  }
}
