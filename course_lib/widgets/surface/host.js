// A host is where a surface lives: the lab with a kernel, or a page without one.
//
// host.hasKernel()          whether somebody answers
// host.place()              what the learner has set so far, an object
// host.setPlace(place)      the learner has set this
// host.onPlace(f)           f(place) when the kernel sets it
// host.shown(), onShown(f)  what the kernel added, an object
// host.send(message)        tell the kernel
// host.onAwake(f)           f(true or false) when the kernel comes or goes
// host.data()               a promise of the stored states, bytes, or of null
// host.remember(key, value), host.recall(key)   notes that stay in this browser

const STORE = "what-do-you-mean-important:";

export function labHost(model) {
  const live = () => model.comm_live !== false && isConnected(model);
  return {
    home: "lab",
    hasKernel: live,
    place: () => model.get("place"),
    setPlace(place) {
      model.set("place", place);
      if (live()) model.save_changes();
    },
    onPlace: (f) => model.on("change:place", () => f(model.get("place"))),
    shown: () => model.get("shown"),
    onShown: (f) => model.on("change:shown", () => f(model.get("shown"))),
    send: (message) => live() && model.send(message),
    onAwake: (f) => model.on("comm_live_update", () => f(live())),
    data: async () => bytesOf(model.get("data")),
    remember: (key, value) => model.get("spec").name && write(`lab:${model.get("spec").name}:${key}`, value),
    recall: (key) => (model.get("spec").name ? read(`lab:${model.get("spec").name}:${key}`) : undefined),
  };
}

// anywidget hands on a view of the model; the connection is known to the widget itself.
function isConnected(model) {
  const manager = model.widget_manager;
  const kernel = manager?.kernel;
  return !kernel || !["dead", "terminating", "restarting"].includes(kernel.status);
}

function bytesOf(view) {
  return view && view.byteLength ? new Uint8Array(view.buffer, view.byteOffset, view.byteLength) : null;
}

// A page keeps what was set in the browser's own storage, under the name of the surface; without
// a name it keeps nothing.
export function pageHost(name, spec, data) {
  const note = (key, value) => name !== null && write(`${name}:${key}`, value);
  const noted = (key) => (name === null ? undefined : read(`${name}:${key}`));
  let place = { ...(spec.place ?? {}), ...(noted("place") ?? {}) };
  return {
    home: "page",
    hasKernel: () => false,
    place: () => place,
    setPlace(next) {
      place = next;
      note("place", place);
    },
    onPlace: () => {},
    shown: () => spec.shown ?? {},
    onShown: () => {},
    send: () => {},
    onAwake: () => {},
    data,
    remember: note,
    recall: noted,
  };
}

function read(key) {
  try {
    return JSON.parse(localStorage.getItem(STORE + key)) ?? undefined;
  } catch {
    return undefined; // no storage here, or nothing that makes sense
  }
}

function write(key, value) {
  try {
    localStorage.setItem(STORE + key, JSON.stringify(value));
  } catch {
    // A browser without storage forgets; everything else works.
  }
}

export function forgetAll() {
  try {
    Object.keys(localStorage).filter((key) => key.startsWith(STORE)).forEach((key) => localStorage.removeItem(key));
  } catch {
    // Nothing was kept.
  }
}
