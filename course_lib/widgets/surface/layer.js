// A layer of a picture: SVG as text, shown by changing as little of the page as can be.
//
// Most moves change only where marks are, what they are called and what texts say. To set these
// costs a browser a third of what it costs to make all marks anew. Many equal marks are joined to
// one path, with the mark at each of its corners: it moves by a single attribute, and looks the
// same. A mark that is joined cannot be pointed at; `part` draws each of them for itself.

import { svgElement, uniqueId } from "./element.js";

const USE = / xlink:href="([^"]*)" x="([^"]*)" y="([^"]*)" style="([^"]*)"\/>/g;
const MANY = /(?:<use(?: data-tip="[^"]*")? xlink:href="[^"]*" x="[^"]*" y="[^"]*" style="[^"]*"\/>){8,}/g;

const ATTRIBUTE = /([\w:-]+)="([^"]*)"/g;
const ENTITY = /&\w+;|&#\d+;/g;
const ENTITIES = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#34;": '"', "&#39;": "'" };

export class Layer {
  constructor() {
    const id = uniqueId("marks");
    Object.assign(this, { id, node: svgElement("g"), text: "", drawn: "", pieces: [], elements: [] });
  }

  show(text, apart = false) {
    if (text === this.text) return;
    this.text = text;
    this.draw(apart ? text : joined(text, this.id));
  }

  // Whether anything had to be drawn for it.
  part() {
    const wasJoined = this.drawn !== this.text;
    if (wasJoined) this.draw(this.text);
    return wasJoined;
  }

  draw(drawn) {
    const pieces = drawn.split("<"); // each but the first begins with the name of a tag
    const changes = changesOf(this.pieces, pieces, this.elements);
    if (changes) changes.forEach(change);
    else {
      this.node.innerHTML = drawn;
      this.elements = [...this.node.querySelectorAll("*")];
    }
    Object.assign(this, { drawn, pieces });
  }
}

// A text in which many marks of the same shape and look, one after the other, are one path. The
// shape has a name of its own: a notebook may be open twice, and a hidden one has no shapes to lend.
function joined(text, id) {
  let count = 0;
  return text.replace(MANY, (marks) => {
    const all = [...marks.matchAll(USE)];
    const [, shape, , , look] = all[0];
    if (all.some((each) => each[1] !== shape || each[4] !== look)) return marks;
    count += 1;
    const corners = all.map(([, , x, y]) => `${x} ${y}`).join(" ");
    return `<marker id="${id}-${count}" markerUnits="userSpaceOnUse" overflow="visible">`
      + `<use xlink:href="${shape}" style="${look}"/></marker>`
      + `<path d="M ${corners}" style="fill: none; marker: url(#${id}-${count})"/>`;
  });
}

// Without a name it is the text at the beginning of the element.
function change([element, name, value]) {
  if (name) element.setAttribute(name, value);
  else element.firstChild.data = value;
}

// What to set, as [element, attribute, value]; null if more than attributes and texts differ.
function changesOf(old, pieces, elements) {
  if (old.length !== pieces.length) return null;
  const changes = [];
  let at = -1;
  for (let k = 1; k < pieces.length; k++) {
    const opens = pieces[k][0] !== "/";
    if (opens) at += 1;
    if (pieces[k] === old[k]) continue;
    const found = opens && changedIn(old[k], pieces[k]);
    if (!found) return null;
    found.forEach(([name, value]) => changes.push([elements[at], name, value]));
  }
  return changes;
}

// The attributes by which two tags differ, and the text behind them; null if more differs.
function changedIn(old, piece) {
  const [before, after] = [parted(old), parted(piece)];
  if (before.bare !== after.bare || !before.text !== !after.text) return null;
  const found = after.values.filter(([, value], k) => value !== before.values[k][1]);
  if (after.text !== before.text) found.push(["", after.text]);
  return found.map(([name, value]) => [name, value.replace(ENTITY, (entity) => ENTITIES[entity] ?? entity)]);
}

// A tag without the values of its attributes, these with their names, and the text behind the tag.
function parted(piece) {
  const end = piece.lastIndexOf(">");
  const tag = piece.slice(0, end);
  const values = [...tag.matchAll(ATTRIBUTE)].map(([, name, value]) => [name, value]);
  return { bare: tag.replace(ATTRIBUTE, "$1"), values, text: piece.slice(end + 1) };
}
