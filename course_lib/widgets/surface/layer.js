// A layer of a picture: SVG as text, shown by changing as little of the page as can be.
//
// Most moves change only where marks are and what they are called. To set these attributes costs a
// browser a third of what it costs to make all marks anew.

import { svgElement } from "./element.js";

const ATTRIBUTE = /([\w:-]+)="([^"]*)"/g;
const ENTITIES = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#34;": '"', "&#39;": "'" };

export class Layer {
  constructor() {
    Object.assign(this, { node: svgElement("g"), text: "", pieces: [], elements: [] });
  }

  show(text) {
    if (text === this.text) return;
    const pieces = text.split("<"); // each but the first begins with the name of a tag
    const changes = changedAttributes(this.pieces, pieces, this.elements);
    if (changes) changes.forEach(([element, name, value]) => element.setAttribute(name, value));
    else {
      this.node.innerHTML = text;
      this.elements = [...this.node.querySelectorAll("*")];
    }
    Object.assign(this, { text, pieces });
  }
}

// What to set, as [element, attribute, value]; null if more than attributes differ.
function changedAttributes(old, pieces, elements) {
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

// The attributes by which two tags differ; null if it is not only their values.
function changedIn(old, piece) {
  if (old.replace(ATTRIBUTE, "$1") !== piece.replace(ATTRIBUTE, "$1")) return null;
  const before = [...old.matchAll(ATTRIBUTE)];
  return [...piece.matchAll(ATTRIBUTE)]
    .filter(([, , value], k) => value !== before[k][2])
    .map(([, name, value]) => [name, value.replace(/&\w+;|&#\d+;/g, (entity) => ENTITIES[entity] ?? entity)]);
}
