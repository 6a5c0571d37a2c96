# The public names, each from where it is made. Type checkers read this file, and so does fedpact/lazy.py.
from fedpact.web.app import make_app as make_app
from fedpact.web.export import export_html as export_html
from fedpact.web.limits import Limits as Limits
from fedpact.web.listen import serve as serve
