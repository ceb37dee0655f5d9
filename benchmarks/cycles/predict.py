#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predicts how long a ViT takes on a processor that is not here, from the compiled kernels' hot loops.

usage: predict.py PROCESSOR OBJECTS [--objdump PROGRAM]

PROCESSOR is one of PROCESSORS below, OBJECTS the folder of mpm_vit's object files (in a build folder,
mpm_layer/vit/CMakeFiles/mpm_vit.dir). Each hot loop is taken from the disassembly; of its instructions
those that need the same pipes are added up, and the fullest pipes, or the width of the decoder, bound the
loop from below. Everything else that a frame does (caches, loop ends, norms, memory) is not in it:
the same prediction for a processor that is here, beside what was measured, says how much that is.
"""

import argparse
import collections
import dataclasses
import pathlib
import re
import subprocess

MNEMONICS = {  # what multiplies, and how many products an instruction makes
    "cortex-a76": {"fp32": ("fmla", 4), "fp16": ("fmla", 8), "int8": ("sdot", 16)},
    "zen4": {"fp32": ("vfmadd231ps", 16), "bf16": ("vdpbf16ps", 32), "int8": ("vpdpbusd", 64)},
}


@dataclasses.dataclass
class Processor:
    """Instructions a cycle of each kind, as far as known: to be compared with the maker's optimisation guide."""

    clock: float  # GHz
    cores: int
    width: int  # instructions decoded
    vector: float  # vector arithmetic
    loads: float
    stores: float


PROCESSORS = {
    # Arm Cortex-A76: decode 4; FMLA, SDOT, UZP, FADD on V0 and V1; loads on two
    # pipes; a stored Q register takes one of them and V1; FCVTL half as often.
    "cortex-a76": Processor(2.4, 4, 4, 2, 2, 1),
    # AMD Zen 4: dispatch 6; vectors of 512 bit go through twice: one product and one load a cycle, a store in two.
    # The clock is what oneDNN's fastest product says on one core of docs/benchmarks.md's: 111 GFLOP/s.
    "zen4": Processor(3.5, 2, 6, 1, 1, 0.5),
}
POWERS = {"cortex-a76": ("fcvtns", 4), "zen4": ("vscalefps", 16)}  # one for each numerator of a softmax
HEAD = 64  # features
FILES = {"fp32": "kernels_fp32", "fp16": "kernels_fp16", "bf16": "kernels_bf16"}


def innermost_loops(objdump, path):
    """(function, instructions) of each loop without another one in it."""
    text = subprocess.run(
        [objdump, "-d", "-C", "--no-show-raw-insn", path], check=True, capture_output=True, text=True
    ).stdout
    function, body = None, []
    for line in text.splitlines():
        if head := re.match(r"^[0-9a-f]+ <(.*)>:", line):
            function, body = head[1], []
        elif found := re.match(r"^\s*([0-9a-f]+):\s+(\S+)\s*(.*)", line):
            at = int(found[1], 16)
            body.append((at, found[2], found[3]))
            target = re.match(r"(?:.*\s)?([0-9a-f]+) <", found[3])
            if re.match(r"j|b\.|cbn?z|tbn?z", found[2]) and target and int(target[1], 16) <= at:
                loop = [one for one in body if one[0] >= int(target[1], 16)]
                begins = loop[0][0]
                if not any(re.match(r"j|b\.", op) and begins <= int(t[1], 16) < a for a, op, args in loop[:-1]
                           if (t := re.match(r"(?:.*\s)?([0-9a-f]+) <", args))):
                    yield function, loop


def kind(op, args):
    """What pipes an instruction takes: names of PROCESSORS' fields, one for each time."""
    memory = "[x" in args or "[sp" in args or "(" in args
    registers = re.findall(r"\b[qvdsh]\d+|[xyz]mm\d+", args)
    if re.match(r"ld|st", op) and registers and memory:  # Arm
        wide = 2 if op in ("ldp", "stp") else 1
        if op.startswith("ld"):
            return ["loads"] * wide + (["vector"] if op == "ld1r" else [])
        return ["stores"] * wide + ["vector"] * wide
    if not registers:
        return ["loads"] if memory and op.startswith(("ld", "mov")) else []
    if op.startswith(("vmovups", "vmovaps", "vmovdqu", "vmovdqa", "vbroadcast", "vpbroadcast")):
        if not memory:
            return ["vector"] if "broadcast" in op else []
        return ["stores"] if args.rstrip().endswith(")") else ["loads"]
    if op.startswith("prefetch"):
        return ["loads"]
    return ["vector"] + (["loads"] if memory else []) + (["vector"] if op.startswith("fcvtl") else [])


def cycles(processor, loop):
    """The least cycles of one turn, and what bounds it."""
    counts = collections.Counter(name for _, op, args in loop for name in kind(op, args))
    times = {"decoder": len(loop) / processor.width}
    times |= {name: counts[name] / getattr(processor, name) for name in ("vector", "loads", "stores")}
    bound = max(times, key=times.get)
    return times[bound], bound


def hot_loop(processor, loops, function, mnemonic, products, least):
    """(products a cycle, bound, instructions) of the fastest loop, which is that of a whole tile."""
    best = None
    for name, loop in loops:
        count = sum(op == mnemonic for _, op, _ in loop)
        if not re.search(function, name) or count < least:
            continue
        needed, bound = cycles(processor, loop)
        one = count * products / needed, bound, len(loop)
        best = max(best, one) if best else one
    return best


def kernels(name, folder, objdump):
    """{(precision, operation): (rate, bound, instructions)}, rates in products a cycle."""
    processor, known, found = PROCESSORS[name], MNEMONICS[name], {}
    for precision in known:
        beside, file = precision, FILES.get(precision)
        if precision == "int8":  # linear layers and logits are; what follows is of what stands beside it
            beside = "fp16" if "fp16" in known else "bf16"
            file = f"kernels_int8_{beside}"
        loops = list(innermost_loops(objdump, folder / f"{file}.cpp.o"))
        operations = {
            "linear layers": (r"multiplyInt8|::multiply<|multiplyRows<", *known[precision], 8),
            "attention's logits": ("makeLogits|attend", *known[precision], 8),
            "attention's values": ("addValues|attend", *known[beside], 8),
            "a softmax's numerators": ("makeNumerators|attend", *POWERS[name], 1),
        }
        for operation, sought in operations.items():
            if rate := hot_loop(processor, loops, *sought):
                found[precision, operation] = rate
    return found


def products_of(dim, rows, classes=150):
    """(products of linear layers, of attention, numerators) of a Segmenter at 512 x 512, `rows` of each block."""
    linear = 768 * dim * 1024 + sum(12 * dim * dim * n for n in rows)
    attention = sum(2 * n * n * dim for n in rows)
    decoder = rows[-1] - 1 + classes  # two blocks, without the class token
    linear += 2 * 12 * dim * dim * decoder
    attention += 2 * 2 * decoder * decoder * dim
    return linear, attention, attention / 2 / HEAD


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("processor", choices=PROCESSORS)
    parser.add_argument("objects", type=pathlib.Path)
    parser.add_argument("--objdump", default="objdump")
    arguments = parser.parse_args()
    processor = PROCESSORS[arguments.processor]
    rates = kernels(arguments.processor, arguments.objects, arguments.objdump)
    print("| kernel | precision | instructions | bound by | a cycle |\n| --- | --- | ---: | --- | ---: |")
    for (precision, operation), (rate, bound, count) in rates.items():
        print(f"| {operation} | {precision} | {count} | {bound} | {rate:.1f} |")
    print("\n| model | tokens | precision | predicted, ms | frames a second |\n| --- | --- | --- | ---: | ---: |")
    full, merged = [1025] * 12, [1025] * 2 + [778] * 3 + [623] * 7  # the street model's, by day
    for model, dim in (("ViT-T", 192), ("ViT-S", 384)):
        for tokens, rows in (("full", full), ("merged before 2 and 5", merged)):
            linear, attention, numerators = products_of(dim, rows)
            for precision in dict.fromkeys(precision for precision, _ in rates):
                needed = linear / rates[precision, "linear layers"][0]
                for half in ("attention's logits", "attention's values"):
                    needed += attention / 2 / rates[precision, half][0]
                needed += numerators / rates[precision, "a softmax's numerators"][0]
                ms = needed / processor.cores / processor.clock / 1e6
                print(f"| {model} | {tokens} | {precision} | {ms:.1f} | {1000 / ms:.1f} |")


if __name__ == "__main__":
    main()
