from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedpact.describe.spreadsheets import find_column, read_sheet, to_csv
from fedpact.errors import FederationError

SAME = {
    "commas": b"point,label\n1,ill\n2,\n",
    "semicolons": b"point;label\n1;ill\n2;\n",
    "tabs": b"point\tlabel\n1\till\n2\t\n",
    "bom": b"\xef\xbb\xbfpoint,label\n1,ill\n2,\n",
    "windows": b"point;label\r\n1;ill\r\n2;\r\n;\r\n\r\n",
    "old-mac": b"point,label\r1,ill\r2,\r",
    "declared": b"sep=;\r\npoint;label\r\n1;ill\r\n2;\r\n",
    "spaces": b" point , label \n 1 ,  ill\n2,  \n   ,  \n\n\n",
    "quotes": b'"point","label"\n"1","ill"\n"2",""\n',
    "more-cells": b"point,label\n1,ill,,\n2,,more\n",
    "fewer-cells": b"point,label\n1,ill\n2\n",
    "no-last-newline": b"point,label\n1,ill\n2,",
}


@pytest.mark.parametrize("data", SAME.values(), ids=SAME)
def test_what_spreadsheets_make_of_a_file_is_read_the_same(tmp_path, data):
    path = tmp_path / "a.csv"
    path.write_bytes(data)
    sheet = read_sheet(path)
    assert sheet.head == ("point", "label")
    assert [cells for _, cells in sheet.rows] == [("1", "ill"), ("2", "")]


BAD = {
    "no-file": (None, r"a\.csv: no such file"),
    "nothing": (b"", r"a\.csv: there is nothing in it"),
    "only-empty-lines": (b"\n;;\n", "there is nothing in it"),
    "latin-1": ("point,label\n1,böse\n".encode("latin-1"), 'not UTF-8 text.*save it as "CSV UTF-8"'),
    "a-workbook": (b"PK\x03\x04\xff\xfe\x00\x00", "not UTF-8"),
    "an-open-quote": (b'point,label\n1,"ill\n2,ill\n', r"a\.csv, line 3: not CSV"),
    "half-a-quote": (b'point,label\n1,"ill"x\n', r"a\.csv, line 2: not CSV"),
    "a-huge-cell": (b"point,label\n1," + b"x" * 200_000, r"a\.csv, line 2: not CSV"),
}


@pytest.mark.parametrize(("data", "message"), BAD.values(), ids=BAD)
def test_what_cannot_be_read_wholly_is_one_line(tmp_path, data, message):
    path = tmp_path / "a.csv"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(FederationError, match=message) as caught:
        read_sheet(path)
    assert "\n" not in str(caught.value)


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(FederationError, match="cannot be read"):
        read_sheet(tmp_path)


def test_a_column_must_be_there_once(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("Point,other,LABEL,label\n1,2,3,4\n")
    sheet = read_sheet(path)
    assert find_column(sheet, "point", path) == 0
    with pytest.raises(FederationError, match="label is there twice"):
        find_column(sheet, "label", path)
    with pytest.raises(FederationError, match="site is not there: Point, other"):
        find_column(sheet, "site", path)


CELL = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=8).map(str.strip)


@given(rows=st.lists(st.tuples(CELL, CELL, CELL).filter(any), min_size=1, max_size=6))
def test_what_is_written_is_read_back(rows, tmp_path_factory):
    path = Path(tmp_path_factory.mktemp("sheet"), "a.csv")
    head = ("point", "label", "what it is, in words")
    path.write_bytes(to_csv(head, rows))
    sheet = read_sheet(path)
    assert sheet.head == head
    assert [cells for _, cells in sheet.rows] == rows
