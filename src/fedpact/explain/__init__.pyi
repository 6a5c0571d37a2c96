# The public names, each from where it is made. Type checkers read this file, and so does fedpact/lazy.py.
from fedpact.explain.explain import explain as explain
from fedpact.explain.explanation import Chart as Chart
from fedpact.explain.explanation import Column as Column
from fedpact.explain.explanation import Explanation as Explanation
from fedpact.explain.explanation import Fact as Fact
from fedpact.explain.explanation import Mark as Mark
from fedpact.explain.explanation import Point as Point
from fedpact.explain.explanation import Table as Table
from fedpact.explain.html import to_html as to_html
from fedpact.explain.text import to_text as to_text
