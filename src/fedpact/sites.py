"""What a site runs on its own data, before anything leaves it.

Use it to turn candidate models into predictions, and to protect the report that :func:`fedpact.report` makes of
them:

- ``read_predictions``, ``write_predictions``: files of predictions
- ``predict``, ``Predicted``: what models of any kind say at points
- ``CandidateList``: the candidates by name and digest, so that all sites mean the same ones
- ``add_noise``, ``Noise``, ``hide_small_counts``: privacy of a report; ``read_report``: a report from its file
"""

from fedpact.lazy import offer_names

__all__ = offer_names(__name__)
