"""A notebook as a page of the site."""

import json

from notebook_page import notebook_page


def test_a_notebook_becomes_a_page_with_its_outputs(tmp_path):
    outputs = [
        {"output_type": "stream", "text": ["\x1b[1m5.0\x1b[0m\n"]},
        {
            "output_type": "execute_result",
            "data": {"text/plain": "Plan()", "text/html": ["<b>a</b>\n\n", "<i>b</i>"]},
        },
        {"output_type": "display_data", "data": {"image/png": "iVBO\nRw==\n", "text/plain": "<Figure>"}},
    ]
    cells = [
        {"cell_type": "markdown", "source": ["# A story\n", "\n", "Once."]},
        {"cell_type": "code", "source": "print(plan.cost)", "outputs": outputs},
        {"cell_type": "code", "source": "", "outputs": []},
    ]
    path = tmp_path / "story.ipynb"
    path.write_text(json.dumps({"cells": cells}))
    assert notebook_page(path).split("\n\n") == [
        "# A story",
        "Once.",
        "```python\nprint(plan.cost)\n```",
        "```text\n5.0\n```",
        '<div class="output">\n<b>a</b>\n<i>b</i>\n</div>',
        '<img alt="" src="data:image/png;base64,iVBORw==">',
        '<a href="story.ipynb" download>Download this notebook</a>\n',
    ]
