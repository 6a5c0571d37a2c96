"""``check_sites``: refuse sites that could not take part in a run, before anything is asked."""

from __future__ import annotations

from collections.abc import Mapping

from fedpact.describe.names import nearest
from fedpact.errors import FederationError
from fedpact.protocol.pact import Pact
from fedpact.protocol.site.site import Site


def _check_site_keys(pact: Pact, site: Site) -> None:
    own, agreed = None if site.key is None else site.key.public, pact.keys.get(site.name)
    if agreed is not None and own != agreed:
        signs = "does not sign" if own is None else f"signs with the key {own[:16]}..."
        raise FederationError(f"site {site.name!r} {signs}; the pact names the key {agreed[:16]}...")
    if site.operator is not None and site.operator != pact.operator:
        known = "none" if pact.operator is None else f"{pact.operator[:16]}..."
        raise FederationError(
            f"site {site.name!r} answers only an operator with the key {site.operator[:16]}...; the pact's is "
            f"{known}"
        )


def check_sites(pact: Pact, sites: Mapping[str, Site]) -> None:
    """Refuse missing sites, strangers, and those whose keys are not the pact's."""
    for name in pact.names:
        if name not in sites:
            raise FederationError(f"sites must hold every agent of the federation; {name!r} is not there")
    for name, site in sites.items():
        if name not in pact.names:
            raise FederationError(
                f"sites name {name!r}, who is not in the federation; {nearest(name, pact.names)}"
            )
        if site.name != name:
            raise FederationError(f"sites must be by their names; {name!r} is called {site.name!r}")
        _check_site_keys(pact, site)
