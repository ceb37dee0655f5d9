# SPDX-License-Identifier: Apache-2.0
"""What the exporters share: options, torch.onnx.export, the check against PyTorch."""

import argparse
import contextlib
import io
import logging
import os
import pathlib
import sys
import warnings

import metadata
from command_line import Refusal, positive

DEFAULT_OPSET = 17
DYNAMO_OPSET = 18  # the first that PyTorch's dynamo exporter writes by itself
TOLERANCE = 1e-4
SMALLEST_HALF = 1024  # values; smaller tensors stay float32, which costs nothing
LARGEST_FILE = 1900 * 2**20  # protobuf's limit is 2 GiB; larger weights go to a file beside


def add_arguments(parser):
    parser.add_argument("-o", "--out", metavar="OUT.onnx", required=True, help="file to write")
    parser.add_argument(
        "--random-weights", action="store_true", help="no weights are read; for tests and timing"
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of the random weights (default 0)"
    )
    parser.add_argument(
        "--opset",
        type=positive,
        metavar="N",
        help=f"ONNX opset (default {DEFAULT_OPSET}, with --dynamo {DYNAMO_OPSET})",
    )
    parser.add_argument(
        "--dynamo", action="store_true", help="use PyTorch's dynamo exporter, not TorchScript's"
    )
    parser.add_argument(
        "--dynamic-batch", action="store_true", help="leave the number of images open (default: 1)"
    )
    parser.add_argument(
        "--class-names",
        metavar="FILE",
        help="names of the classes, one a line; or ade20k, cityscapes, pascal-context",
    )
    parser.add_argument(
        "--palette",
        metavar="FILE",
        help="colours of the classes, #rrggbb a line, for mpm.palette; or ade20k, cityscapes",
    )
    parser.add_argument(
        "--half-weights",
        action="store_true",
        help="store weights as float16, in half the file; computed with in float32 as before",
    )
    parser.add_argument("--no-check", action="store_true", help="skip the check with ONNX Runtime")


def first_line(error):
    """What a library's exception says, without its explanations and its full stop."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0].strip().rstrip(".:")


def read_tensors(path):
    """A checkpoint of tensors and plain values. Nothing else is read: a pickle can hold programs."""
    import numpy
    import torch

    # What training scripts leave beside the tensors, and what holds data only.
    plain = [argparse.Namespace, numpy.dtype]
    plain += [type(numpy.dtype(name)) for name in ("float32", "float64", "int64")]
    core = getattr(numpy, "_core", None) or numpy.core
    plain.append(core.multiarray.scalar)
    try:
        with torch.serialization.safe_globals(plain):
            return torch.load(str(path), map_location="cpu", weights_only=True)
    except OSError as error:
        raise Refusal(f"{path} cannot be read: {error.strerror}.")
    except Exception as error:  # torch.load raises whatever the file makes it raise
        raise Refusal(f"{path} is not a checkpoint of plain tensors: {first_line(error)}.")


def check_listed(properties, classes):
    """Refuses names or colours that are not as many as the model's classes, if it has any."""
    for key, what in (("mpm.classes", "names of classes"), ("mpm.palette", "colours")):
        count = len(properties[key].split("\n")) if key in properties else classes
        if classes and count != classes:
            raise Refusal(
                f"there are {count} {what} and the model has {classes} classes; give one line for "
                f"each class."
            )


def write(model, arguments, image_size, input_name, output_names, properties, classes=None):
    """Exports model, writes its metadata, checks the file and says what was done. `classes`: of how
    many its outputs are scores."""
    import torch

    path = pathlib.Path(arguments.out)
    properties = dict(properties)
    if arguments.class_names:
        properties["mpm.classes"] = metadata.class_names(arguments.class_names)
    if arguments.palette:
        properties["mpm.palette"] = metadata.palette(arguments.palette)
    # Refused before the export, which may take minutes.
    metadata.check(properties)
    if not path.parent.is_dir():
        raise Refusal(f"the folder {path.parent} does not exist.")
    for given in (getattr(arguments, "checkpoint", None), arguments.class_names, arguments.palette):
        if given and path.exists() and os.path.exists(given) and path.samefile(given):
            raise Refusal(f"{path} is read by this command; name another file to write.")
    check_listed(properties, classes)
    generator = torch.Generator().manual_seed(arguments.seed)
    image = torch.rand(1, 3, *image_size, generator=generator) * 2 - 1
    if arguments.half_weights:
        round_to_half(model)
    export(
        model,
        image,
        path,
        opset=arguments.opset,
        dynamo=arguments.dynamo,
        input_name=input_name,
        output_names=output_names,
        dynamic=(0,) if arguments.dynamic_batch else (),
    )
    if arguments.half_weights:
        store_half(path)
    metadata.write(path, properties)
    print(f"{path}: {input_name} 3x{image_size[0]}x{image_size[1]} -> {', '.join(output_names)}")
    if not arguments.no_check:
        print(check(model, image, path))
    return 0


def export(
    model,
    image,
    path,
    opset=None,
    dynamo=False,
    input_name="image",
    output_names=("output",),
    dynamic=(),
):
    """Writes model to path; `dynamic` names the axes of the image that stay open."""
    import torch
    import uneven_pools

    opset = opset or (DYNAMO_OPSET if dynamo else DEFAULT_OPSET)
    if dynamo and opset < DYNAMO_OPSET:
        raise Refusal(f"--dynamo writes opset {DYNAMO_OPSET} and later, not {opset}.")
    model = model.eval()
    names = {0: "batch", 2: "height", 3: "width"}
    options = {"input_names": [input_name], "output_names": list(output_names)}
    if dynamo:
        weights = sum(value.numel() * value.element_size() for value in model.state_dict().values())
        options["external_data"] = weights > LARGEST_FILE
        options["verbose"] = False
        if dynamic:
            # From an example of 1 PyTorch would conclude that the axis is always 1.
            image = image if 0 not in dynamic or len(image) > 1 else torch.cat([image, image])
            options["dynamic_shapes"] = ({axis: torch.export.Dim.DYNAMIC for axis in dynamic},)
    elif dynamic:
        axes = {axis: names[axis] for axis in dynamic}
        options["dynamic_axes"] = {input_name: axes}
        for name in output_names:
            options["dynamic_axes"][name] = {0: "batch"} if 0 in dynamic else {}
    pools = contextlib.nullcontext() if dynamo else uneven_pools.as_products(model, image)
    with torch.no_grad(), quiet(), pools:
        try:
            torch.onnx.export(
                model, (image,), str(path), opset_version=opset, dynamo=dynamo, **options
            )
        except Exception as error:  # the exporter raises whatever its inside raises
            raise Refusal(
                f"PyTorch cannot export this model at opset {opset}: {first_line(error)}."
            )
    strip(path)


@contextlib.contextmanager
def quiet():
    """PyTorch's exporters print progress and warnings that a user can do nothing about, and some of it past Python:
    the whole graph where they fail."""
    level = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    sys.stdout.flush()
    output = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        os.dup2(output, 1)
        os.close(output)
        os.close(nowhere)
        logging.disable(level)


def strip(path):
    """Takes out the stack traces that the dynamo exporter leaves: they hold paths of the machine."""
    import onnx

    model = onnx.load(str(path), load_external_data=False)
    graphs = [model.graph] + list(model.functions)
    for graph in graphs:
        del graph.metadata_props[:]
        graph.doc_string = ""
        for node in graph.node:
            del node.metadata_props[:]
            node.doc_string = ""
    for values in (model.graph.input, model.graph.output, model.graph.value_info):
        for value in values:
            del value.metadata_props[:]
            value.doc_string = ""
    for tensor in model.graph.initializer:
        del tensor.metadata_props[:]
        tensor.doc_string = ""
    onnx.save(model, str(path))


def round_to_half(model):
    """Gives large weights values that float16 holds exactly."""
    import torch

    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.numel() >= SMALLEST_HALF:
                parameter.copy_(parameter.half().float())


def store_half(path):
    """Stores as float16, with a Cast behind, what loses nothing by it; a reader folds the Cast."""
    import numpy
    import onnx

    model = onnx.load(str(path), load_external_data=False)
    casts = []
    for tensor in model.graph.initializer:
        kept = tensor.data_location == onnx.TensorProto.EXTERNAL
        if kept or tensor.data_type != onnx.TensorProto.FLOAT:
            continue
        values = onnx.numpy_helper.to_array(tensor)
        with numpy.errstate(over="ignore"):
            halves = values.astype(numpy.float16)
        if values.size < SMALLEST_HALF or not numpy.array_equal(halves.astype("float32"), values):
            continue
        name = tensor.name
        tensor.CopyFrom(onnx.numpy_helper.from_array(halves, f"{name}_half"))
        to_float = onnx.TensorProto.FLOAT
        casts.append(onnx.helper.make_node("Cast", [f"{name}_half"], [name], to=to_float))
    nodes = casts + list(model.graph.node)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.save(model, str(path))


def check(model, image, path):
    """Compares the file under ONNX Runtime with the model; gives a sentence, or a Refusal."""
    try:
        import onnxruntime
    except ImportError:
        return "not checked: onnxruntime is not installed."
    import torch

    try:
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        results = session.run(None, {session.get_inputs()[0].name: image.numpy()})
    except Exception as error:  # ONNX Runtime's own kinds have no common one
        raise Refusal(
            f"{path} was written, but ONNX Runtime does not run it ({first_line(error)}); another "
            f"exporter may write it rightly, with --dynamo or without."
        )
    with torch.no_grad():
        expected = model(image)
    expected = expected if isinstance(expected, (tuple, list)) else (expected,)
    difference = 0.0
    for ours, theirs in zip(expected, results):
        largest = max(1.0, float(ours.abs().max()))
        difference = max(difference, float((ours - torch.from_numpy(theirs)).abs().max()) / largest)
    if not difference <= TOLERANCE:
        raise Refusal(
            f"{path} was written, but under ONNX Runtime it differs from PyTorch by "
            f"{difference:.1e}; at most {TOLERANCE:.0e} is expected."
        )
    return f"checked: under ONNX Runtime within {difference:.1e} of PyTorch."
