// The home in JupyterLab, as anywidget wants it.

import { labHost } from "./host.js";
import { mount } from "./mount.js";

function render({ model, el }) {
  return mount(el, model.get("kind"), model.get("spec"), labHost(model));
}

export default { render };
