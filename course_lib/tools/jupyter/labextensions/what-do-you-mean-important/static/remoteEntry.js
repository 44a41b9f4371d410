// What the course adds to JupyterLab itself: gates, widgets that come back after a reload, and no
// mark of a change on a notebook that was only opened.
//
// JupyterLab loads an extension as a container with modules; this one is written by hand, has one
// module, and imports nothing. A notebook without the course's marks is left as it is.

(() => {
  const NAME = "what-do-you-mean-important";
  const VIEW = "application/vnd.jupyter.widget-view+json";
  const KEPT = `application/vnd.${NAME}.view+json`; // where course_lib/tools/saving.py puts a view
  const AFTER = /^after-(\d\d)-(\d+)$/;
  const STYLE = `
    .jp-Cell.course-closed > :not(.course-closed-note) { display: none; }
    .jp-Cell.course-closed:not(:has(> .course-closed-note)) { min-height: 0; padding-top: 0; padding-bottom: 0; }
    .course-closed-note { align-items: baseline; display: flex; flex-wrap: wrap; gap: 4px 12px; padding: 4px 8px;
      margin-left: var(--jp-cell-prompt-width, 64px); border-left: 3px solid var(--jp-border-color1);
      color: var(--jp-content-font-color1); }
    .course-closed-note button { font: inherit; padding: 2px 8px; cursor: pointer; color: inherit;
      background: var(--jp-layout-color1); border: 1px solid var(--jp-border-color1); border-radius: 3px; }`;

  // ---- gates: a cell tagged after-05-2 is closed until prediction 05.2 is committed ----

  class Gates {
    constructor(contents, panel) {
      Object.assign(this, { contents, panel, opened: new Set() });
      this.hear = ({ detail }) => this.open(detail.id);
      this.events = ["course:committed", "course:shown"];
      this.events.forEach((name) => document.addEventListener(name, this.hear));
      panel.content.modelContentChanged.connect(() => this.updateSoon());
      panel.context.ready.then(() => this.start());
    }

    dispose() {
      this.isDisposed = true;
      this.events.forEach((name) => document.removeEventListener(name, this.hear));
    }

    async start() {
      this.update();
      (await committedBeside(this.contents, this.panel.context.path)).forEach((id) => this.opened.add(id));
      this.update();
    }

    open(id) {
      this.opened.add(id);
      this.update();
    }

    updateSoon() {
      this.soon ??= requestAnimationFrame(() => {
        this.soon = null;
        this.update();
      });
    }

    update() {
      if (this.isDisposed) return;
      this.panel.content.widgets.reduce((above, cell) => this.set(cell, above), null);
    }

    // Of closed cells that follow each other and wait for the same prediction the first says so.
    set(cell, above) {
      const id = (cell.model.getMetadata("tags") ?? []).map(awaited).find((one) => one && !this.opened.has(one));
      const said = id === above ? undefined : id;
      const note = cell.node.querySelector(":scope > .course-closed-note");
      cell.node.classList.toggle("course-closed", Boolean(id));
      if (note?.dataset.prediction === said) return id;
      note?.remove();
      if (said) cell.node.append(closedNote(id, () => this.open(id)));
      return id;
    }
  }

  function awaited(tag) {
    const [, lesson, number] = AFTER.exec(tag) ?? [];
    return lesson && `${lesson}.${number}`;
  }

  function closedNote(id, open) {
    const note = document.createElement("div");
    note.className = "course-closed-note";
    note.dataset.prediction = id;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Show me without a guess";
    button.dataset.lmSuppressShortcuts = "true"; // Enter presses it, and does not reach the cell
    button.addEventListener("click", open);
    note.append(`Commit to prediction ${id} above to see what comes next.`, button);
    return note;
  }

  // The predictions that were committed earlier, from the progress file in the notebook's folder.
  async function committedBeside(contents, path) {
    const file = path.replace(/[^/]*$/, "progress.json");
    try {
      const { content } = await contents.get(file, { type: "file", format: "text", content: true });
      const { predictions } = JSON.parse(content);
      return Object.keys(predictions).filter((id) => predictions[id].guess !== undefined);
    } catch {
      return []; // nothing was committed yet
    }
  }

  // ---- widgets: after a reload those that the kernel still has are shown alive ----

  async function revive(panel) {
    await Promise.all([panel.context.ready, panel.sessionContext.ready]);
    const kernel = panel.sessionContext.session?.kernel;
    const sleeping = [...panel.content.model?.cells ?? []].flatMap(sleepers);
    if (!kernel || !sleeping.length) return;
    const { content } = await kernel.requestCommInfo({ target_name: "jupyter.widget" });
    const { dirty } = panel.context.model;
    for (const { outputs, at, output } of sleeping)
      if (content.comms?.[output.data[KEPT].model_id]) outputs.set(at, awake(output));
    panel.context.model.dirty = dirty; // nothing has changed that would have to be saved
  }

  function sleepers({ outputs }) {
    const all = outputs ? outputs.toJSON().map((output, at) => ({ outputs, at, output })) : [];
    return all.filter(({ output }) => output.data?.[KEPT]);
  }

  function awake(output) {
    const { [KEPT]: view, ...data } = output.data;
    return { ...output, data: { ...data, [VIEW]: view } };
  }

  // ---- what is only opened is not changed ----

  // JupyterLab writes the kernel's own name and version into a notebook; nothing of it has to be saved.
  async function stayClean({ context }) {
    await context.ready;
    let before = null; // whether it was changed before both of them were written
    context.model.metadataChanged.connect((model, { key }) => {
      if (before !== null || !["kernelspec", "language_info"].includes(key)) return;
      before = model.dirty;
      queueMicrotask(() => {
        model.dirty = before;
        before = null;
      });
    });
  }

  // ---- as JupyterLab wants it ----

  const plugin = {
    id: `${NAME}:notebooks`,
    description: "Gates in front of what is to be predicted; widgets that come back after a reload.",
    autoStart: true,
    activate({ docRegistry, serviceManager }) {
      document.head.append(Object.assign(document.createElement("style"), { textContent: STYLE }));
      docRegistry.addWidgetExtension("Notebook", {
        createNew(panel) {
          stayClean(panel);
          revive(panel).catch((error) => console.warn("Widgets stay asleep:", error));
          return new Gates(serviceManager.contents, panel);
        },
      });
    },
  };

  (window._JUPYTERLAB ??= {})[NAME] = {
    init: () => {},
    get: async () => () => ({ __esModule: true, default: plugin }),
  };
})();
