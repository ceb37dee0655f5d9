#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/pictures/graphs.png: a model's graph as the exporter wrote it, and as it was rewritten.

    mpm convert tests/models/segmenter_mask.onnx -o /tmp/converted.onnx --merge-before 2,5
    python3 draw_graphs.py ../../tests/models/segmenter_mask.onnx /tmp/converted.onnx graphs.png

Needs the Python package onnx, and graphviz.
"""
import subprocess
import sys

import onnx

COLOURS = {
    "PatchEmbed": "#cfe3f7", "TransformerBlock": "#cfe3f7", "MutualPairMerge": "#f7b77a",
    "MergeRestore": "#f7b77a", "MaskDecoderHead": "#cdebc8", "ReplaceSpecial": "#cdebc8",
    "Linear": "#e7e2f3", "Normalize": "#e7e2f3",
}


def main():
    before, after, picture = sys.argv[1:]
    before, after = onnx.load(before).graph, onnx.load(after).graph
    head = f"as exported: {len(before.node)} nodes, here its first block"
    text = ["digraph g { rankdir=TB; fontname=Helvetica; newrank=true; nodesep=0.12; ranksep=0.16;",
            'node [shape=box, style="filled,rounded", fillcolor="#f2f2f2", color="#8a8a8a", '
            "fontname=Helvetica, fontsize=10, height=0.24, margin=\"0.08,0.03\"]; "
            'edge [color="#8a8a8a", arrowsize=0.5];',
            f'subgraph cluster_before {{ label="{head}"; fontsize=15; color=white;']
    text += draw(first_block(before), "a")
    text.append(f'}} subgraph cluster_after {{ label="as rewritten: {len(after.node)} nodes, all of '
                'them"; fontsize=15; color=white;')
    text += draw(list(after.node), "b")
    text.append("} }")
    subprocess.run(["dot", "-Tpng", "-Gdpi=80", "-o", picture], input="\n".join(text).encode(),
                   check=True)


def first_block(graph):
    """From the first LayerNormalization to the second residual sum, constants left out."""
    nodes = [node for node in graph.node if node.op_type != "Constant"]
    begin = next(i for i, node in enumerate(nodes) if node.op_type == "LayerNormalization")
    norms = [i for i, node in enumerate(nodes) if node.op_type == "LayerNormalization"]
    return nodes[begin:norms[2]]


def draw(nodes, prefix):
    makers = {output: i for i, node in enumerate(nodes) for output in node.output}
    lines = []
    for i, node in enumerate(nodes):
        colour = COLOURS.get(node.op_type)
        fill = f', fillcolor="{colour}"' if colour else ""
        name = f"mpm.{node.op_type}" if node.domain == "mpm" else node.op_type
        lines.append(f'{prefix}{i} [label="{name}"{fill}];')
        # One edge for each pair of nodes; rows and maps would hide the tokens' way.
        for j in sorted({makers[name] for name in node.input[:1 if node.domain else None]
                         if name in makers}):
            lines.append(f"{prefix}{j} -> {prefix}{i};")
    return lines


if __name__ == "__main__":
    main()
