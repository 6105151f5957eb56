"""``elsewise reproduce images``: images of a file in its usual forms, drawn three ways, read by another classifier."""

import gzip
import struct

import numpy as np
import pytest
from scipy.ndimage import zoom
from sklearn.datasets import load_digits

from elsewise import InvalidInputError
from elsewise.tools.cli import main
from elsewise.tools.reproduce import images_panel, read_images


@pytest.fixture(scope="module")
def large():
    """Zeros, ones and twos of 28 x 28 pixels from 0 to 255, made of those of 8 x 8."""
    digits = load_digits(n_class=3)
    grown = zoom(digits.images[:150], (1, 3.5, 3.5), order=1)
    return np.clip(grown * 255.0 / 16.0, 0, 255).astype(np.uint8), digits.target[:150].astype(np.uint8)


def _idx(values):
    return bytes([0, 0, 8, values.ndim]) + struct.pack(f">{values.ndim}I", *values.shape) + values.tobytes()


def _written(form, folder, images, labels):
    flat = images.reshape(len(images), -1)
    if form == "keras.npz":
        parts = {"x_train": images[:100], "y_train": labels[:100], "x_test": images[100:], "y_test": labels[100:]}
        np.savez(folder / form, **parts)
    elif form == "plain.npz":
        np.savez(folder / form, X=flat, y=labels)
    elif form == "named.csv":
        names = ",".join([*(f"pixel{i}" for i in range(flat.shape[1])), "class"])
        np.savetxt(folder / form, np.column_stack([flat, labels]), "%d", ",", header=names, comments="")
    elif form == "bare.csv.gz":
        with gzip.open(folder / form, "wt") as file:
            np.savetxt(file, np.column_stack([labels, flat]), "%d", ",")
    elif form == "t10k-images-idx3-ubyte.gz":
        (folder / form).write_bytes(gzip.compress(_idx(images)))
        (folder / "t10k-labels-idx1-ubyte.gz").write_bytes(gzip.compress(_idx(labels)))
    return folder / form


@pytest.mark.parametrize("form", ["keras.npz", "plain.npz", "named.csv", "bare.csv.gz", "t10k-images-idx3-ubyte.gz"])
def test_every_form_holds_the_same_images(form, tmp_path, large):
    found = read_images(_written(form, tmp_path, *large))
    np.testing.assert_array_equal(found.X, large[0].reshape(150, -1))
    np.testing.assert_array_equal(found.y, large[1])
    assert (found.side, found.brightest) == (28, large[0].max())


def test_wrong_files_are_told(tmp_path, large):
    images, labels = large
    np.savez(tmp_path / "other.npz", pictures=images)
    with pytest.raises(InvalidInputError, match="expected arrays x_train and y_train, or X and y, received"):
        read_images(tmp_path / "other.npz")
    np.savez(tmp_path / "few.npz", X=images, y=labels[:3])
    with pytest.raises(InvalidInputError, match="a label for each of the 150 images, received 3"):
        read_images(tmp_path / "few.npz")
    np.savez(tmp_path / "oblong.npz", X=images[:, :5], y=labels)
    with pytest.raises(InvalidInputError, match="expected square images, received 140 pixels"):
        read_images(tmp_path / "oblong.npz")
    (tmp_path / "a-images-idx3-ubyte").write_bytes(_idx(images)[:-1])
    (tmp_path / "labels").write_bytes(_idx(labels))
    with pytest.raises(InvalidInputError, match=r"expected 117600 values \(\[150, 28, 28\]\), received 117599"):
        read_images(tmp_path / "a-images-idx3-ubyte", tmp_path / "labels")
    (tmp_path / "b-images-idx3-ubyte").write_bytes(_idx(images))
    with pytest.raises(InvalidInputError, match="b-labels-idx1-ubyte: there is no such file"):
        read_images(tmp_path / "b-images-idx3-ubyte")
    (tmp_path / "text").write_text("no images at all")
    with pytest.raises(InvalidInputError, match="--labels"):
        read_images(tmp_path / "text")
    with pytest.raises(InvalidInputError, match="expected an idx file of bytes"):
        read_images(tmp_path / "text", tmp_path / "labels")


def test_page_of_28x28_images_is_drawn_and_read(tmp_path, capsys, large):
    pytest.importorskip("matplotlib")
    images, labels = large
    few = np.flatnonzero(labels < 2)[:60]
    file = _written("plain.npz", tmp_path, images[few], labels[few])
    assert main(["reproduce", "images", "--mnist", str(file), "--rows", "2", "--out", str(tmp_path / "a.png")]) == 0
    printed = capsys.readouterr().out
    for kind in ("closest", "plausible, the paper's way", "plausible, low rank, sure"):
        assert kind in printed
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_low_rank_images_stay_in_range_and_read_as_requested(large):
    images = read_images_of(large)
    panel = images_panel(images, n_rows=6, seed=1)
    original, closest, _, low_rank = panel.blocks
    np.testing.assert_array_equal(original.labels, [0, 1, 2])
    np.testing.assert_array_equal(low_rank.labels, closest.labels)
    assert (low_rank.labels != original.labels).all()
    assert low_rank.pictures.min() >= 0
    assert low_rank.pictures.max() <= images.brightest
    shares = {row[0]: row for row in panel.readings.rows}
    assert shares["plausible, low rank, sure"][1:3] == ("6", "100")
    assert float(shares["closest"][2]) < 100


def read_images_of(large):
    """The images as an object, at a third of the size to be quick."""
    from elsewise.tools.reproduce import Images

    return Images(large[0][:, 1::3, 1::3].reshape(150, -1).astype(np.float64), large[1].astype(np.int64))
