# SPDX-License-Identifier: Apache-2.0
"""The picture of the results: for each model a bar for each configuration, ONNX Runtime at 1."""

from configurations import REFERENCE, SIZES
from results import first_row, groups, milliseconds, names_of

OURS, THEIRS, INK, FAINT = "#c8553d", "#9aa5b1", "#222b35", "#d5dbe1"
HATCHES = {"bf16": "///", "int8": "xx"}
MERGING = {"none": 0.55, "mpm": 1.0, "tome": 1.0}  # how strong the colour is


def drawn(cases):
    """Configurations that are right and timed somewhere."""
    return [
        name
        for name in names_of(cases)
        if any(
            case["rows"].get(name, {}).get("right") and "ms" in case["rows"][name] for case in cases
        )
    ]


def places_of(names, rows):
    """Where bars stand: full tokens, merged ones and bfloat16 with some room between them."""
    places, group, gap = [], None, 0.0
    for index, row in enumerate(rows):
        now = row["precision"], row["precision"] == "fp32" and row["merging"] != "none"
        gap += 0.45 if group not in (None, now) else 0
        group = now
        places.append(index + gap)
    return places


def draw_bar(axes, row, place, ours):
    axes.barh(
        place,
        row["ratio"],
        height=0.72,
        color=OURS if ours else THEIRS,
        alpha=MERGING[row["merging"]],
        hatch=HATCHES.get(row["precision"]),
        edgecolor="white",
        linewidth=0,
    )
    low, high = row["ratio_quartiles"]
    axes.plot([low, high], [place, place], color=INK, linewidth=1.2, solid_capstyle="butt")
    axes.text(
        max(row["ratio"], high) + 0.03,
        place,
        f"{row['ratio']:.2f}  ({milliseconds(row)} ms)",
        va="center",
        fontsize=8,
        color=INK,
        fontweight="bold" if ours else "normal",
        in_layout=False,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
    )


def draw_case(axes, case, names, places, labels, widest):
    for place, name in zip(places, names):
        row = case["rows"].get(name, {"right": False, "failed": "it was not there"})
        if row["right"] and "ms" in row:
            draw_bar(axes, row, place, name.startswith("ours"))
        else:
            words = "failed" if "failed" in row else "wrong"
            axes.text(0.02, place, words, va="center", color=INK, fontsize=8, style="italic")
    axes.axvline(1, color=INK, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    title = f"ViT-{case['model']}/16" if case["model"] in SIZES else case["model"]
    axes.set_title(title, loc="left", fontsize=11, fontweight="bold", color=INK)
    axes.set_xlim(0, 1.4 * widest + 0.15)
    axes.set_ylim(places[-1] + 0.6, -0.6)
    axes.set_yticks(places, labels, fontsize=9)
    axes.tick_params(axis="y", length=0, colors=INK)
    axes.tick_params(axis="x", colors=INK, labelsize=8, length=2)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(FAINT)
    for label, name in zip(axes.get_yticklabels(), names):
        label.set_fontweight("bold" if name.startswith("ours") else "normal")


def draw(results, file):
    """Of scores at the image's size where they were measured, else of the grid."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    cases = next(iter(groups(results).values()))
    names = drawn(cases)
    rows = [first_row(cases, name) for name in names]
    places = places_of(names, rows)
    labels = [f"{row['label']}, {row['precision']}" for row in rows]
    widest = max(
        max(case["rows"][name]["ratio"], case["rows"][name]["ratio_quartiles"][1])
        for case in cases
        for name in names
        if case["rows"].get(name, {}).get("right") and "ms" in case["rows"][name]
    )
    figure, all_axes = pyplot.subplots(
        1,
        len(cases),
        sharey=True,
        squeeze=False,
        layout="constrained",
        figsize=(max(8.5, 2.4 + 3.1 * len(cases)), 1.3 + 0.31 * (places[-1] + 1)),
    )
    for axes, case in zip(all_axes[0], cases):
        draw_case(axes, case, names, places, labels, widest)
    reference = first_row(cases, REFERENCE)["label"]
    figure.suptitle(
        (
            f"Segmenter, 512 x 512: time of one forward, {reference} = 1"
            if all(case["model"] in SIZES for case in cases)
            else f"Time of one forward, {reference} = 1"
        ),
        fontsize=12,
        x=0.01,
        ha="left",
        color=INK,
    )
    figure.supxlabel(
        f"shorter is faster. {results['processor']}, {results['threads']} threads; medians of "
        f"{results['rounds']} rounds, their quartiles as lines. Hatched: bfloat16; "
        "crossed: int8",
        fontsize=8,
        color=INK,
        x=0.01,
        ha="left",
    )
    figure.savefig(file, dpi=150, facecolor="white")
    pyplot.close(figure)
