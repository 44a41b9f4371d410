// Stored states: a pool of layers and texts, and for each state its places in the pool.

export async function unpacked(bytes, controls) {
  if (!bytes) return null;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new StoredStates(JSON.parse(await new Response(stream).text()), controls);
}

class StoredStates {
  constructor(content, controls) {
    Object.assign(this, { content, names: controls.map((control) => control.name) });
    this.places = content.places && new Map(content.places.map((place, k) => [place.join(), k]));
  }

  // The number of the state at a place; null if it is not stored.
  number(place) {
    const at = this.names.map((name) => place[name]);
    if (this.places) return this.places.get(at.join()) ?? null;
    return at.reduce((number, value, k) => number * this.content.grid[k] + value, 0);
  }

  shown(number) {
    const { pool, layers, texts, alts, attained } = this.content;
    return {
      layers: layers[number].map((k) => pool[k]),
      text: pool[texts[number]],
      alt: pool[alts[number]],
      attained: attained[number],
    };
  }

  handles(number) {
    const found = Object.entries(this.content.handles).map(([name, all]) => [name, all[number]]);
    return Object.fromEntries(found);
  }

  longest() {
    const texts = [...new Set(this.content.texts)].map((k) => this.content.pool[k]);
    return texts.reduce((longest, text) => (text.length > longest.length ? text : longest), "");
  }
}
