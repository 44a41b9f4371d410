"""What a saved notebook keeps of a widget: what can be shown without the kernel that made it."""

from markupsafe import Markup

VIEW = "application/vnd.jupyter.widget-view+json"
KEPT = "application/vnd.what-do-you-mean-important.view+json"
ASLEEP = Markup("<p><i>Asleep. To wake it: Run &gt; Run All Cells.</i></p>")


def without_live_views(model: dict, **_) -> None:
    """Change a notebook about to be saved: each widget becomes the text that stands in for it.

    JupyterLab would show "Error displaying widget: model not found" the next day. What is open in
    the browser stays alive. The view is kept under a name that only the course's extension of
    JupyterLab knows, which shows the widget again where the kernel still has it: after a reload.
    A hook of Jupyter's contents manager, which calls it with the model.
    """
    if model.get("type") != "notebook" or not model.get("content"):
        return
    for cell in model["content"]["cells"]:
        for output in cell.get("outputs", []):
            if VIEW in output.get("data", {}):
                output["data"] = _without_view(output["data"])


def _without_view(data: dict) -> dict:
    rest = {mime: value for mime, value in data.items() if mime != VIEW}
    lines = "".join(rest.get("text/plain", "")).split("\n")
    html = rest.get("text/html", Markup("<p>{}</p>").format(Markup("<br>").join(lines)))
    words = Markup("".join(html)).removesuffix(ASLEEP)  # of a widget that had slept before
    return rest | {"text/html": words + ASLEEP, KEPT: data[VIEW]}
