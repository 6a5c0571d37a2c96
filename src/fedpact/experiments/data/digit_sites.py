"""Scikit-learn's handwritten digits, on sites that see different digits most.

1,797 images of 8 by 8 pixels. Every digit is shared out among the sites by a draw of its own from a Dirichlet
distribution, so a site has many images of some digits and few of others. A quarter of every site is public.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fedpact.errors import MissingExtraError
from fedpact.experiments.data.site_data import Labelled, SiteData, draw_public

SOURCE = "scikit-learn's digits, shared out among five sites"
SITES = 5
CONCENTRATION = 0.5
_FEWEST = 20


def _share_out(digits: NDArray[np.int64], sites: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """(n,) the site of every image."""
    site = np.empty(len(digits), dtype=np.intp)
    for digit in np.unique(digits):
        shares = rng.dirichlet(np.full(sites, CONCENTRATION))
        own = np.flatnonzero(digits == digit)
        site[own] = rng.choice(sites, size=len(own), p=shares)
    # A site that is left with next to nothing is given some images of any kind.
    for poor in range(sites):
        lacking = _FEWEST - int((site == poor).sum())
        if lacking > 0:
            rich = np.flatnonzero(site == np.bincount(site, minlength=sites).argmax())
            site[rng.choice(rich, size=lacking, replace=False)] = poor
    return site


def load_digit_sites(rng: np.random.Generator) -> SiteData:
    """Share the digits out among five sites.

    Examples
    --------
    >>> data = load_digit_sites(np.random.default_rng(0))
    >>> len(data.public.labels) + sum(data.sizes.values())
    1797
    """
    try:
        from sklearn.datasets import load_digits
    except ImportError as error:
        raise MissingExtraError("the digits", extra="sklearn") from error
    images, digits = load_digits(return_X_y=True)
    site = _share_out(digits, SITES, rng)
    places = {f"site-{number + 1}": np.flatnonzero(site == number) for number in range(SITES)}
    is_public = draw_public({name: len(own) for name, own in places.items()}, rng)
    public = np.concatenate([own[is_public[name]] for name, own in places.items()])
    private = {name: own[~is_public[name]] for name, own in places.items()}
    return SiteData(
        name="digits",
        public=Labelled(images[public], digits[public]),
        private={name: Labelled(images[own], digits[own]) for name, own in private.items()},
    )
