# SPDX-License-Identifier: Apache-2.0
"""The input of the fixtures."""

import numpy


def images(height, width):
    """Two pictures [2, 3, height, width], about -2..2: flat and repeated areas, shapes, texture."""
    generator = numpy.random.default_rng(7)
    y, x = numpy.mgrid[0:height, 0:width] / 8.0
    street = numpy.stack([1.2 - 0.1 * y, 0.8 - 0.2 * y, 0.9 + 0 * y])  # a sky, darker below
    road = y > 0.6 * height / 8
    street[:, road] = numpy.array([-0.8, -0.7, -0.5])[:, None]
    wall = (x > 4.2) & (y > 1.3) & ~road
    bricks = (
        0.35 * numpy.sign(numpy.sin(2 * numpy.pi * x)) * numpy.sign(numpy.sin(4 * numpy.pi * y))
    )
    street[:, wall] = (numpy.array([1.0, -0.3, -0.9])[:, None, None] + bricks)[:, wall]
    ball = (x - 2.1) ** 2 + (y - 3.7) ** 2 < 1.2
    street[:, ball] = numpy.stack([0.4 * x, 1.4 - 0.3 * y, 0.2 * y])[:, ball]

    water = numpy.stack([0.3 * numpy.sin(2 * numpy.pi * (y + 0.1 * x)) + c for c in (-1, 0, 0.8)])
    boat = (abs(x - 4.6) + 1.5 * abs(y - 3.1)) < 1.9
    water[:, boat] = numpy.array([1.6, 1.1, -1.2])[:, None]
    beach = y > 4.7 + 0.3 * numpy.sin(x)
    water[:, beach] = numpy.stack([1.0 + 0 * x, 0.6 + 0.1 * x, -0.2 + 0 * x])[:, beach]

    pictures = numpy.stack([street, water]) + 0.06 * generator.normal(size=(2, 3, height, width))
    return numpy.clip(pictures, -2, 2).astype(numpy.float32)
