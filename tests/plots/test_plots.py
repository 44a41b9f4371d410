"""Figures: what they show, that everyone can read them, and that they leave no trace."""

import inspect
import re
from io import BytesIO
from itertools import combinations

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb
from matplotlib.text import Text
from PIL import Image

from course_lib import plots
from course_lib.plots import (
    picture,
    plot_comparison,
    plot_curves,
    plot_gate,
    plot_importances,
    plot_repeats,
    plot_split,
    style,
)
from course_lib.plots.pictures import png_of, short_theme, without_stills
from course_lib.questions import Q1, Q2, Q4, QUESTIONS
from course_lib.results import Importances
from course_lib.studies import split_node
from course_lib.worlds import make_gate

NAMES = ("a feature with a rather long name", "b", "c")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture
def estimate():
    draws = np.random.default_rng(0).normal(size=(3, 10))
    return Importances(draws + [[1.0], [5.0], [3.0]], NAMES, "loss increase", Q1)


@pytest.fixture
def ratio():
    return Importances([[1.5], [0.9], [1.0]], NAMES, "model reliance", Q1, reference=1.0)


def drawings(estimate, ratio):
    """One figure of every kind."""
    split = split_node([1.0, 2.0, 3.0, 4.0], [0, 0, 1, 1], 2.5)
    other = Importances(ratio.importances, NAMES, "something else", Q2, reference=1.0)
    return {
        "plot_importances": plot_importances(ratio),
        "with truth": plot_importances(estimate, truth=[1.0, 5.0, 3.0]),
        "plot_comparison": plot_comparison([ratio, other]),
        "plot_split": plot_split(split),
        "plot_gate": plot_gate(*make_gate("and")),
        "plot_repeats": plot_repeats({"one": estimate, "two": estimate}, truth=[1.0, 5.0, 3.0]),
        "plot_curves": plot_curves([1, 2, 4], {"up": [1.0, 2, 3]}, expected={"up": [1.0, 2, 4]}),
    }


def lines_at(ax, x):
    """Vertical lines through the whole axes at x."""
    return [line for line in ax.lines if list(line.get_xdata()) == [x, x]]


def shown_texts(ax):
    """The texts that are drawn: matplotlib also keeps labels of ticks beyond the limits."""
    beyond = {
        id(tick.label1)
        for axis in (ax.xaxis, ax.yaxis)
        for tick in axis.get_major_ticks()
        if not min(axis.get_view_interval()) <= tick.get_loc() <= max(axis.get_view_interval())
    }
    texts = ax.figure.findobj(Text)
    return [t for t in texts if t.get_text().strip() and t.get_visible() and id(t) not in beyond]


def means(ax, series=0):
    """The dots of a series as {feature name: value}, and their heights from below."""
    dots = ax.containers[series][0]
    return dict(zip(dots.get_ydata(), dots.get_xdata(), strict=True))


# Everyone can read them


def luminance(color):
    c = np.array(to_rgb(color))
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def contrast(first, second):
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


# Machado, Oliveira & Fernandes (2009), severity 1, on linear RGB
VISION = {
    "normal": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)


def seen_as(color, vision):
    """CIELAB coordinates of a color as seen with a kind of vision."""
    c = np.array(to_rgb(color))
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    t = XYZ @ np.clip(np.array(VISION[vision]) @ linear, 0, 1) / XYZ.sum(axis=1)
    f = np.where(t > (6 / 29) ** 3, np.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def test_the_vision_model_confuses_what_it_should():
    red, green = "#a05000", "#507800"  # a classic confusion pair
    apart = {v: np.linalg.norm(seen_as(red, v) - seen_as(green, v)) for v in VISION}
    assert apart["deuteranopia"] < apart["normal"] / 2


@pytest.mark.parametrize("vision", VISION)
def test_every_pair_of_series_colors_stays_apart(vision):
    for first, second in combinations(style.COLORS, 2):
        distance = np.linalg.norm(seen_as(first, vision) - seen_as(second, vision))
        assert distance > 20, (first, second)  # a just noticeable difference is about 2.3


def test_every_color_of_text_or_series_has_contrast_of_text():
    background = to_hex(f"#{style.STYLE['figure.facecolor'].lstrip('#')}")
    labels = [style.STYLE[key] for key in ("text.color", "axes.labelcolor", "xtick.labelcolor")]
    for color in (*style.COLORS, style.GREY, *labels):
        assert contrast(to_rgb(f"#{color.lstrip('#')}"), background) >= 4.5


def test_no_two_series_share_color_or_marker():
    assert len(set(style.COLORS)) == len(set(style.MARKERS)) == len(style.SERIES) == 5


def test_text_is_large_and_nothing_is_clipped_or_overlaps(estimate, ratio):
    for name, ax in drawings(estimate, ratio).items():
        figure = ax.figure
        figure.canvas.draw()
        texts = shown_texts(ax)
        boxes = [text.get_window_extent() for text in texts]
        assert min(text.get_fontsize() for text in texts) >= 11, name
        for text, box in zip(texts, boxes, strict=True):
            assert figure.bbox.contains(box.x0, box.y0), (name, text)
            assert figure.bbox.contains(box.x1, box.y1), (name, text)
        assert not any(a.overlaps(b) for a, b in combinations(boxes, 2)), name


def test_the_longest_question_and_measure_fit_beside_the_longest_names(estimate):
    longest = max(QUESTIONS, key=lambda question: len(str(question)))
    measure = "conditional model reliance, ratio, over all chimeras of the sample"
    names = ("the logarithm of the yearly household income", "b", "c")
    result = Importances(estimate.importances, names, measure, longest)
    for ax in (plot_importances(result), plot_importances(result, truth=[0, 0, 0])):
        ax.figure.canvas.draw()
        for text in shown_texts(ax):
            box = text.get_window_extent()
            assert 0 <= box.x0 and box.x1 <= ax.figure.bbox.x1, text


def test_pictures_bring_their_own_opaque_light_background(estimate):
    image = Image.open(BytesIO(png_of(plot_importances(estimate))))
    assert "transparency" not in image.info
    corners = image.convert("RGBA")
    assert {corners.getpixel((x, y)) for x in (0, -1) for y in (0, -1)} == {(255,) * 4}


# What they show


def test_the_reference_line_is_always_drawn(estimate, ratio):
    assert lines_at(plot_importances(estimate), 0.0)
    assert lines_at(plot_importances(ratio), 1.0)
    assert lines_at(plot_comparison({"one": ratio, "two": ratio}), 1.0)


def test_the_largest_importance_is_on_top(estimate):
    ax = plot_importances(estimate)
    names = [label.get_text().replace("\n", " ") for label in ax.get_yticklabels()]
    heights = means(ax)
    shown = {names[int(row)]: value for row, value in heights.items()}
    assert shown == dict(zip(NAMES, estimate.importances_mean, strict=True))
    assert [heights[row] for row in sorted(heights)] == sorted(estimate.importances_mean)


def test_bars_are_the_interval_of_the_mean(estimate):
    bars = plot_importances(estimate).containers[0][2][0]
    ends = np.array([segment[:, 0] for segment in bars.get_segments()])
    order = np.argsort(estimate.importances_mean)
    np.testing.assert_allclose(ends, estimate.interval()[order])


def test_an_exact_result_has_no_bars(ratio):
    assert plot_importances(ratio).containers[0][2] == ()


def test_truth_is_hollow_and_follows_the_names(estimate):
    reordered = Importances([[3.0], [1.0], [5.0]], ("c", NAMES[0], "b"), "truth", Q1)
    for truth in (reordered, [1.0, 5.0, 3.0]):
        ax = plot_importances(estimate, truth=truth)
        assert [means(ax, 1)[row] for row in range(3)] == [1.0, 3.0, 5.0]
        assert ax.containers[1][0].get_markerfacecolor() == "none"


def test_the_question_is_in_the_figure(estimate, ratio):
    assert plot_importances(estimate).get_title(loc="left") == str(Q1)
    legend = plot_importances(estimate, truth=[0, 0, 0]).get_legend()
    assert legend.get_title().get_text() == str(Q1)
    learned = Importances(ratio.importances, NAMES, "refit", Q4, reference=1.0)
    texts = plot_comparison({"MR": ratio, "AR": learned}).get_legend().get_texts()
    assert [text.get_text() for text in texts] == [f"MR: to {Q1.to}", f"AR: to {Q4.to}"]


def test_a_comparison_matches_features_by_name(ratio):
    turned = Importances(ratio.importances[::-1], NAMES[::-1], "turned", Q1, reference=1.0)
    ax = plot_comparison([ratio, turned])
    first, second = (list(means(ax, series).values()) for series in (0, 1))
    assert first == second == sorted(first)


def test_a_comparison_gives_each_result_its_own_marker(ratio):
    ax = plot_comparison(dict.fromkeys("abcde", ratio))
    markers = [container[0].get_marker() for container in ax.containers]
    assert len(set(markers)) == 5


def test_a_split_shows_every_sample_and_the_threshold():
    split = split_node([1.0, 2.0, 3.0, 4.0], ["no", "yes", "no", "yes"], 2.5)
    ax = plot_split(split)
    assert lines_at(ax, 2.5)
    shown = {label.get_text(): row for row, label in enumerate(ax.get_yticklabels())}
    assert list(shown) == ["class no", "class yes"]
    assert sorted(np.concatenate([line.get_xdata() for line in ax.lines[:2]])) == [1, 2, 3, 4]
    assert ax.get_title(loc="left") == "left: 2 samples\nentropy 1.000"


def test_plots_draw_on_the_given_axes_and_return_it(estimate, ratio):
    for plot, argument in (
        (plot_importances, estimate),
        (plot_comparison, {"a": ratio, "b": ratio}),
        (plot_split, split_node([1.0, 2.0], [0, 1], 1.5)),
    ):
        _, ax = plt.subplots()
        assert plot(argument, ax=ax) is ax
        assert len(plt.get_fignums()) == 1
        plt.close("all")


def test_no_plot_has_more_than_six_parameters():
    for name in plots.__all__:
        if name.startswith("plot_"):
            assert len(inspect.signature(getattr(plots, name)).parameters) <= 6


def test_repeats_show_every_column_and_the_mean_features_as_given(estimate):
    ax = plot_repeats(estimate)
    names = [label.get_text().replace("\n", " ") for label in ax.get_yticklabels()]
    assert names == list(NAMES[::-1])  # from below: the first is on top
    clouds = [line for line in ax.lines if line.get_marker() == "."]
    for cloud, values in zip(clouds, estimate.importances[::-1], strict=True):
        np.testing.assert_array_equal(cloud.get_xdata(), values)
    (mean,) = (line for line in ax.lines if line.get_marker() == "o")
    np.testing.assert_allclose(mean.get_xdata(), estimate.importances_mean[::-1])
    assert lines_at(ax, 0.0)


def test_the_repeats_of_one_result_can_have_a_label_of_their_own():
    result = Importances([[1.0, 2.0]], ["a"], "cost", Q1)
    for shown, label in ((result, "mean of the repeats"), ({"mean": result}, "mean")):
        legend = plot_repeats(shown).get_legend()
        assert [text.get_text() for text in legend.get_texts()] == [label]


def test_repeats_match_features_by_name_and_draw_the_truth_hollow(estimate):
    turned = Importances(estimate.importances[::-1], NAMES[::-1], "turned", Q1)
    ax = plot_repeats({"one": estimate, "two": turned}, truth=[1.0, 5.0, 3.0])
    first, second = (
        line.get_xdata() for line in ax.lines if line.get_marker() in (*style.MARKERS[:2],)
    )
    np.testing.assert_allclose(first, second)
    (truth,) = (line for line in ax.lines if line.get_marker() == "D")
    assert list(truth.get_xdata()) == [3.0, 5.0, 1.0]
    assert truth.get_markerfacecolor() == "none"


@pytest.mark.parametrize("top", [None, 30.0])
def test_labels_of_curves_that_end_close_together_do_not_cover_each_other(top):
    """Also if the axis is set afterwards, and labels that have room stay where they were."""
    ends = {"forest": 2.24, "least squares": 2.15, "equals": 2.1, "zero": 0.0}
    ax = plot_curves([0, 1], {label: [1.0, end] for label, end in ends.items()})
    ax.set(ylim=(0, top))
    boxes = [text.get_window_extent() for text in ax.texts]
    for k, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:k])
    at_zero = ax.transData.transform((1, 0))[1]
    assert (boxes[3].y0 + boxes[3].y1) / 2 == pytest.approx(at_zero, abs=2)


def test_curves_have_markers_for_estimates_and_lines_for_what_is_expected():
    ax = plot_curves([1, 2, 4], {"a": [1, 2, 3], "b": [3, 2, 1]}, expected={"a": [1, 2, 4]})
    drawn = {(line.get_marker(), line.get_linestyle()): list(line.get_ydata()) for line in ax.lines}
    assert drawn["o", "None"] == [1, 2, 3]
    assert drawn["None", "-"] == [1, 2, 4]
    assert drawn["s", "None"] == drawn["None", ":"] == [3, 2, 1]
    assert [text.get_text().strip() for text in ax.texts] == ["a", "b"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "2", "4"]


def test_curves_may_have_logarithmic_axes():
    ax = plot_curves([1, 10], {"a": [1, 10]}, log=True)
    ax.figure.canvas.draw()
    assert ax.texts[0].get_window_extent().x1 < ax.figure.bbox.x1  # the label has its room
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")


# They leave no trace


def test_settings_of_matplotlib_are_left_alone(estimate, ratio):
    before = dict(mpl.rcParams)
    for ax in drawings(estimate, ratio).values():
        picture(ax, alt="something")
    assert dict(mpl.rcParams) == before


def test_the_settings_of_the_caller_do_not_reach_the_figure(estimate):
    with mpl.rc_context({"figure.facecolor": "black", "text.color": "red", "font.size": 5}):
        loud = picture(plot_importances(estimate), alt="same").svg
    assert loud == picture(plot_importances(estimate), alt="same").svg


def test_a_picture_has_the_same_text_each_time_and_names_no_software(estimate):
    first, second = (picture(plot_importances(estimate), alt="three").svg for _ in range(2))
    assert first == second
    assert not re.search("matplotlib|metadata|<!--|<\\?xml", first)


def test_a_picture_is_small_and_has_the_width_of_its_figure(estimate, ratio):
    for ax in drawings(estimate, ratio).values():
        width = round(96 * ax.get_figure(root=True).get_figwidth())
        shown = picture(ax, alt="something").svg
        assert f'width="{width}"' in shown
        assert len(shown) < 60_000


def test_a_png_is_sharp_small_and_names_no_software(estimate):
    png = png_of(plot_importances(estimate))
    assert Image.open(BytesIO(png)).width == 2 * 614 and len(png) < 60_000
    assert not {b"tEXt", b"tIME", b"iTXt"} & {png[i : i + 4] for i in range(len(png))}


def test_a_picture_closes_its_figure(estimate):
    picture(plot_importances(estimate), alt="three features")
    assert plt.get_fignums() == []


def test_the_alternative_text_is_in_the_html_and_is_the_plain_text(estimate):
    shown = picture(plot_importances(estimate).figure, alt='"a" < b\n  & c')
    bundle = shown._repr_mimebundle_()
    assert bundle["text/plain"] == repr(shown) == '"a" < b & c'
    assert '<svg role="img" aria-label="&#34;a&#34; &lt; b &amp; c"' in bundle["text/html"]
    assert set(bundle) == {"text/html", "text/plain"}


def test_a_stored_picture_has_a_still_for_pages_that_take_no_svg(estimate, monkeypatch):
    """What JupyterLab leaves of a notebook that it does not trust: no style, no SVG, their text."""
    monkeypatch.setenv("COURSE_BUILD", "1")
    shown = picture(plot_importances(estimate), alt="three features")
    html = shown._repr_mimebundle_()["text/html"]
    left = re.sub("<style>.*?</style>", "", html, flags=re.DOTALL)
    left = re.sub(r"</?(?!div|img)\w[^>]*>", "", left)
    loose, still = re.fullmatch("(<div .*</div>)(<img .*>)", left, re.DOTALL).groups()
    assert loose.startswith('<div class="course-figure" style="display:none">')
    assert 'alt="three features" src="data:image/png;base64,' in still
    assert len(shown.still) < 20_000
    monkeypatch.delenv("COURSE_BUILD")
    live = picture(plot_importances(estimate), alt="three features")
    assert live.still is None and "display:none" not in live.svg
    assert without_stills(html).startswith('<div class="course-figure"><style>')
    assert "display" not in without_stills(html).replace(short_theme(), "")


# Bad input


@pytest.mark.parametrize(
    ("call", "error", "advice"),
    [
        (lambda r: plot_importances([1, 2]), TypeError, "what a measure returned"),
        (lambda r: plot_importances(r, truth=[1.0]), ValueError, "3 finite numbers"),
        (lambda r: plot_importances(r, truth=[1, 2, np.nan]), ValueError, "3 finite numbers"),
        (lambda r: plot_importances(r, truth="no"), TypeError, "3 finite numbers, one per feature"),
        (lambda r: plot_comparison(r), TypeError, "plot_importances"),
        (lambda r: plot_comparison([r]), ValueError, "2 to 5"),
        (lambda r: plot_comparison([r] * 6), ValueError, "several pictures"),
        (lambda r: plot_comparison([r, r]), ValueError, "mapping from label"),
        (lambda r: plot_comparison([r, 3]), TypeError, "what a measure returned"),
        (lambda r: plot_repeats([]), ValueError, "1 to 5"),
        (lambda r: plot_repeats(3), TypeError, "several Importances"),
        (lambda r: plot_repeats(r, truth=[1.0]), ValueError, "3 finite numbers"),
        (lambda r: plot_curves([1, 2], {}), ValueError, "one to 5 labels"),
        (lambda r: plot_curves([1, 2], [1, 2]), ValueError, "one to 5 labels"),
        (lambda r: plot_curves([1, 2], {"a": [1]}), ValueError, "one value for each x"),
        (lambda r: picture("no", alt="x"), TypeError, "what a plot function returned"),
        (lambda r: picture(plot_importances(r), alt=" "), ValueError, "Write the sentence"),
        (lambda r: picture(plot_importances(r), alt=None), TypeError, "Write the sentence"),
    ],
)
def test_bad_input_gets_its_sentence(estimate, call, error, advice):
    with pytest.raises(error, match=advice):
        call(estimate)


def test_results_that_do_not_fit_on_one_axis_are_refused(estimate, ratio):
    with pytest.raises(ValueError, match="different references"):
        plot_comparison([estimate, ratio])
    other = Importances([[1.0]], ("z",), "m", Q1)
    with pytest.raises(ValueError, match="different features"):
        plot_comparison([estimate, other])
    with pytest.raises(ValueError, match="same features"):
        plot_importances(estimate, truth=other)


def test_a_gate_shows_where_its_lamp_is_lit():
    ax = plot_gate(*make_gate("and"))
    words = {text.get_position()[0]: [] for text in ax.texts}
    for text in ax.texts:
        words[text.get_position()[0]].append(text.get_text())
    assert words == {0: ["dark", "dark"], 1: ["dark", "lit"]}
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("switch x1", "switch x2")
